/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDITOPT_LANG_ACCOUNTS_H
#define AUDITOPT_LANG_ACCOUNTS_H

#include "lang/lang.h"

/* Id of a name; false when there is no such account. NULL accounts ask the host's name service. */
bool accounts_uid(const struct accounts *ac, const char *name, uint32_t *id);
bool accounts_gid(const struct accounts *ac, const char *name, uint32_t *id);

#endif
