/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cover: which system calls a set looks at under a selection. A selection is what a rule's fields ask for,
 * but for those that do not narrow whom it is about: arch and perm become part of the mask, key and the
 * arguments a0..a3 are left out.
 */
#ifndef AUDITOPT_COVER_H
#define AUDITOPT_COVER_H

#include "kernel/kernel.h"

struct selection {
	uint64_t hash; /* of the fields as a set */
	unsigned n;
	const struct field **fields;
	uint32_t mask[ABI_COUNT][AUDIT_BITMASK_SIZE]; /* of its own rules */
	uint32_t (
	    *cover)[AUDIT_BITMASK_SIZE]; /* two masks, of wider selections too; NULL: not asked for yet */
};

struct cover;

/* Of all rules of the exit list, never rules too: a call that is left out on purpose is not missing.
 * O(rules). */
struct cover *cover_of(const struct kset *k, struct arena *a);
/* The selection of the i-th rule; NULL when it is not on the exit list. */
struct selection *cover_selection(const struct cover *c, size_t i);
/*
 * Fills s->cover. A selection is wider when its fields are some of the others', or numbers of which one
 * implies the other. Bounded: true for up to SELECTION_FIELDS fields, and of the selections that are looked
 * at one by one the first SELECTION_WIDE; false when there are more fields, and then nothing may be concluded
 * from the cover.
 */
enum { SELECTION_FIELDS = 10, SELECTION_WIDE = 64 };
bool cover_ask(struct cover *c, struct selection *s);
static inline bool cover_has(const struct selection *s, enum abi abi, unsigned nr)
{
	return mask_has(s->cover[abi], nr);
}

#endif
