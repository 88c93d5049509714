/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/search.h"

/* Above this number no kernel has a call yet; a longer list would only strain auditctl's line limit. */
enum { LAST_NUMBER = 470 };

static bool named_call(unsigned nr)
{
	return abi_syscall_name(ABI_64, nr) || abi_syscall_name(ABI_32, nr) || (nr > 450 && nr <= LAST_NUMBER);
}

/* Under the assumption, a number must be quiet on every ABI on which it is a call at all. */
static bool quiet_number(unsigned nr)
{
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		if (abi_syscall_name(abi, nr) && !call_is_quiet(abi, nr))
			return false;
	}
	return nr <= 450;
}

bool pass_short_circuit(struct search *s)
{
	bool quiet_only = s->pass->kind == PASS_ASSUMING;
	if (quiet_only && search_allows(s, "avc-companions"))
		return false;                   /* the wider one covers it */
	uint32_t mask[AUDIT_BITMASK_SIZE];
	unmatched_calls(s->k, mask, s->arena);
	struct rule *r = arena_one(s->arena, struct rule);
	*r = (struct rule){.flags = AUDIT_FILTER_EXIT, .action = AUDIT_NEVER, .line = s->n ? s->rules[0]->line : NULL};
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		if (mask_has(mask, nr) && named_call(nr) && (!quiet_only || quiet_number(nr)))
			mask_add(r->mask, nr);
	}
	if (mask_is_empty(r->mask))
		return false;
	const struct rule **rules = arena_array(s->arena, const struct rule *, s->n + 2);
	size_t n = 0;
	rules[n++] = r;
	for (size_t i = 0; i < s->n; i++)
		rules[n++] = s->rules[i];
	struct proposal p = {.rules = rules, .n = n, .new = r};
	p.reason = arena_printf(s->arena, "no always rule can match any of these %u calls", mask_count(r->mask));
	if (!quiet_only) {
		static const char *notes[] = {
			"given up: the SYSCALL, CWD, PATH and PROCTITLE records that come with an AVC (or another kernel record) of "
			"one of these calls; the AVC record itself stays",
			"given up: the SYSCALL record of the LOGIN event, which is a write(2) to /proc/self/loginuid",
			"without that loss: --assume no-mac, on a host where no security module logs",
		};
		p.notes = notes;
		p.nnotes = ARRAY_SIZE(notes);
	}
	return search_propose(s, &p);
}
