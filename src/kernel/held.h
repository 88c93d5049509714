/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules held while a set is being loaded, found by content in constant time. Private to kernel. */
#ifndef AUDITOPT_HELD_H
#define AUDITOPT_HELD_H

#include "kernel/kernel.h"

struct held {
	struct kset *k;        /* its rules: those that were taken back are among them until held_settle */
	uint64_t *hashes;      /* of k->rules */
	bool *gone;            /* of k->rules */
	int64_t *prio;         /* of k->rules, highest first in the walk (audit_add_rule's prio counters) */
	size_t *slots;         /* open addressing: index into k->rules + 1, 0 = free */
	size_t cap, used;      /* cap is a power of two, or 0 */
};

enum { HELD_NONE = -1 };
/*
 * Index of the rule the kernel would call the same (audit_compare_rule) on the list that flags names, or HELD_NONE. Of
 * several (prepended twins) the first in the walk, as audit_find_rule.
 */
ssize_t held_find(const struct held *h, const struct rule *r, uint32_t flags);
/* Amortised O(1). */
void held_add(struct held *h, const struct krule *rule, int64_t prio);
void held_remove(struct held *h, size_t i);
/* Drops what was taken back and sorts by falling priority. The index must not be used after it. */
void held_settle(struct held *h);

#endif
