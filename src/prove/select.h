/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select: what the fields of one rule ask of an event, as sets of numbers and texts, so that two rules can be compared
 * without a proof of the whole set. It answers "implied" only where that is certain: what it cannot compare counts as
 * not implied. A rule's arch and system calls are not part of it: they stand beside it, one mask a view.
 */
#ifndef AUDITOPT_SELECT_H
#define AUDITOPT_SELECT_H

#include "kernel/kernel.h"

struct span {
	uint32_t lo, hi;          /* both inside */
};

enum need_kind {
	NEED_NUMBER,              /* the event has one such number: all fields with the id in one set */
	NEED_ONE_OF,              /* one of several (names of files, ids of their owners) is in the set: a field each */
	NEED_SAME,                /* only the very same field implies it: texts, labels, groups, comparisons, bits */
	NEED_PERM,                /* value: bits of rwxa, one of which must fit */
};

struct need {
	enum need_kind kind;
	uint32_t id, op, value;
	const char *text;         /* NULL where the field is a number */
	struct span *spans;       /* of NUMBER and ONE_OF: sorted, apart */
	unsigned nspans;          /* 0: nothing can satisfy it */
	bool absent;              /* the event may be without such a number, and then nothing holds of it (exit, saddr_fam) */
};

struct selection {
	struct need *needs;       /* in one order for equal selections, whatever the order of the fields */
	unsigned n;
	uint64_t hash;            /* of all needs */
	bool impossible;          /* no event satisfies all of them */
	unsigned left, right;     /* when impossible: the two fields of the rule that exclude each other (alike: one alone) */
};

/* Memory in the arena. O(n²) in the rule's fields, at most 64. */
void select_rule(const struct krule *r, struct selection *s, struct arena *a);
/* Whatever satisfies b satisfies a. */
bool select_implied(const struct selection *a, const struct selection *b);
bool select_same(const struct selection *a, const struct selection *b);
/* Does the number satisfy what the selection asks of the id? True when it asks nothing. */
bool select_allows(const struct selection *s, uint32_t id, uint32_t value);
/* The numbers for which a field holds, in spans (at most 2). 0: the operator compares bits. */
unsigned field_spans(const struct field *f, struct span spans[2], bool *bits);
/* Would the rule select the same events without field i? Not asked of arch, perm and what stands alone. */
bool field_is_implied(const struct krule *r, unsigned i, struct arena *a);

/* Where the arch of a rule lets it match: the two tables of the machine and io_uring's workers, whose arch is 0. */
enum view { VIEW_64, VIEW_32, VIEW_WORKER, VIEW_COUNT };
/* archs: AUDIT_ARCH_ of VIEW_64 and VIEW_32. */
bool krule_allows_arch(const struct krule *r, const uint32_t archs[2], enum view v);

#endif
