/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cover: which system calls a set looks at under a selection. A selection is what a rule's fields ask for,
 * but for those that do not narrow whom it is about: arch and perm become part of the mask, key and the
 * arguments a0..a3 are left out.
 */
#ifndef AUDITOPT_COVER_H
#define AUDITOPT_COVER_H

#include "kernel/kernel.h"

struct covered { /* rules of one selection, and what they see together */
	uint64_t hash; /* of the fields as a set */
	uint64_t rest; /* of those that are no numbers in an order */
	unsigned n;
	struct field *fields;
	struct covered *next;                       /* with the same rest */
	uint32_t mask[ABI_COUNT][AUDIT_BITMASK_SIZE]; /* of its own rules */
	uint32_t (*cover)[AUDIT_BITMASK_SIZE]; /* two masks, of wider selections too; NULL: not asked yet */
};

struct cover;

/* Of all rules of the exit list, never rules too: a call that is left out on purpose is not missing.
 * O(rules). */
struct cover *cover_of(const struct kset *k, struct arena *a);
/* The selection of the i-th rule; NULL when it is not on the exit list. */
struct covered *cover_selection(const struct cover *c, size_t i);
/*
 * Fills s->cover. A selection is wider when each of its fields is implied by one of the others: the same, a
 * number that the other allows too, or a directory above the path. Bounded: every selection of some of the
 * very same fields is found, of those that only imply each other the first SELECTION_LIKE for each set of
 * fields that are no numbers. False with more than SELECTION_FIELDS fields, or with
 * fields that exclude each other, and then nothing may be concluded from the cover.
 */
enum { SELECTION_FIELDS = 10, SELECTION_LIKE = 64 };
bool cover_ask(struct cover *c, struct covered *s);
static inline bool cover_has(const struct covered *s, enum abi abi, unsigned nr)
{
	return mask_has(s->cover[abi], nr);
}

#endif
