/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Acting in the guest: private to trigger_run.c and trigger_object.c. */
#ifndef AUDITOPT_TRIGGER_RUN_H
#define AUDITOPT_TRIGGER_RUN_H

#include <limits.h>

#include "lab/trigger.h"

/* Writes a file of that kind; follows no link. 0 or a negative errno. */
int object_write(const char *path, enum object_kind kind, mode_t mode);
/* Exists as it was made: kind, size, mode, owner. */
bool object_is_whole(const struct trigger_object *o);
/* The name beside the object that calls may create, replace or rename to. */
const char *object_second(const char *path, char out[PATH_MAX]);
/* Puts back what calls changed, as far as the process may; silent, object_is_whole() tells. */
void object_restore(const struct trigger_object *o);
/* Makes the object and the directories above it. 0 or a negative errno; leaves the guest's own programs
 * alone. */
int object_make(const struct trigger_object *o);

#endif
