/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one rule asks of a trigger: private to the planning of triggers (trigger.c, trigger_want.c). */
#ifndef AUDITOPT_TRIGGER_WANT_H
#define AUDITOPT_TRIGGER_WANT_H

#include "lab/trigger.h"

struct want {
	bool abi[ABI_COUNT];
	const char *path, *dir, *exe; /* the rule's text, NULL: no such field */
	uint32_t perm;                /* PERM_ bits, 0: no such field */
	enum trigger_outcome outcome;
	bool has_ids; /* some field looks at the task's ids */
	uint32_t ids[ID_COUNT];
	uint32_t family; /* as in struct trigger, as are these: */
	uint32_t fixed, arg[4];
	int64_t auid; /* as in struct trigger */
};

/* Login uids the guest's agent runs every trigger with. */
enum { WANT_AUID_USER = 1000 };

/* Finds values that meet the rule's fields; where there are none, or the field cannot be arranged, default
 * values. */
void want_of_rule(const struct rule *r, struct want *w);
/* One field to break; false when the rule has no such field or it cannot be broken. *w is changed. */
enum want_break { BREAK_OBJECT, BREAK_PERM, BREAK_OUTCOME, BREAK_IDS, BREAK_ARG, BREAK_EXE, BREAK_COUNT };
bool want_break(struct want *w, enum want_break what);

#endif
