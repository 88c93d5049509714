/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last step of every report in JSON. */
#ifndef AUDITOPT_JSONOUT_H
#define AUDITOPT_JSONOUT_H

#include <jansson.h>

#include "base/base.h"

/*
 * Adds the value, indented, with a newline at the end; takes the reference. False when it has no text: memory is out, or a
 * part of it is no JSON. Then nothing is added.
 */
bool json_out(json_t *value, struct str *out);

#endif
