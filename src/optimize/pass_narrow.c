/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/search.h"

#include <string.h>

/* All numbers at which the rule's perm can be true, over the ABIs its arch admits. */
static void reachable(const struct krule *k, uint32_t bits, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	memset(mask, 0, AUDIT_BITMASK_SIZE * sizeof(mask[0]));
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		uint32_t of_abi[AUDIT_BITMASK_SIZE];
		perm_mask(abi, bits, of_abi);
		for (unsigned i = 0; krule_allows_abi(k, abi) && i < AUDIT_BITMASK_SIZE; i++)
			mask[i] |= of_abi[i];
	}
}

static bool propose(struct search *s, size_t i, const uint32_t mask[AUDIT_BITMASK_SIZE], const char *reason)
{
	struct rule *r = rule_copy(s, s->rules[i]);
	memcpy(r->mask, mask, sizeof(r->mask));
	struct proposal p = {.old = {s->rules[i]}, .nold = 1, .new = r, .reason = reason};
	p.rules = search_replace(s, i, r, SIZE_MAX, &p.n);
	return search_propose(s, &p);
}

/*
 * Only rules that every call has to walk past: a path rule costs a call nothing unless its file's bucket is met. When the
 * last rule that covers kill is narrowed, OBJ_PID records would go; then kill stays in its mask, where perm makes it false.
 */
bool pass_narrow(struct search *s)
{
	bool any = false;
	for (size_t i = 0; i < s->n; i++) {
		const struct krule *k = search_held(s, s->rules[i]);
		const struct field *perm = rule_field(s->rules[i], AUDIT_PERM);
		if (!perm || perm->op != AUDIT_EQUAL || k->home != HOME_EXIT)
			continue;
		uint32_t mask[AUDIT_BITMASK_SIZE];
		reachable(k, perm->value, mask);
		for (unsigned w = 0; w < AUDIT_BITMASK_SIZE; w++)
			mask[w] &= k->mask[w];
		if (mask_subset(k->mask, mask))
			continue;
		if (propose(s, i, mask, "perm is false on every other call")) {
			any = true;
			continue;
		}
		mask_add(mask, krule_allows_abi(k, ABI_64) ? 62 : 37);     /* kill */
		any |= propose(s, i, mask, "perm is false on every other call; kill stays in the list so that OBJ_PID records stay");
	}
	return any;
}
