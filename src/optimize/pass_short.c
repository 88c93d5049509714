/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A never rule in front of everything, for calls that no always rule can match: the walk ends at once there. Of two forms,
 * without arch (cheaper, but a number must be free on both ABIs) and for b64, whichever pays is taken, or both.
 */
#include "optimize/search.h"

#include <string.h>

/* Above this number no kernel has a call yet; a longer list would only strain auditctl's line limit. */
enum { LAST_NUMBER = 470, LAST_KNOWN = 450 };

static bool is_call(enum abi abi, unsigned nr)
{
	return abi_syscall_name(abi, nr) || (nr > LAST_KNOWN && nr <= LAST_NUMBER);
}

/* The numbers a never rule may have; b64_only: with arch=b64. */
static void free_numbers(const struct search *s, bool b64_only, bool quiet_only, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	uint32_t unmatched[ABI_COUNT][AUDIT_BITMASK_SIZE];
	memset(mask, 0, AUDIT_BITMASK_SIZE * sizeof(mask[0]));
	for (enum abi abi = 0; abi < ABI_COUNT; abi++)
		unmatched_calls(s->k, abi, unmatched[abi]);
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		bool free = mask_has(unmatched[ABI_64], nr) && (!quiet_only || call_is_quiet(ABI_64, nr));
		bool called = is_call(ABI_64, nr);
		if (!b64_only) {
			free = free && mask_has(unmatched[ABI_32], nr) && (!quiet_only || call_is_quiet(ABI_32, nr));
			called = called || is_call(ABI_32, nr);
		}
		if (free && called)
			mask_add(mask, nr);
	}
}

static struct rule *never_rule(struct search *s, bool b64_only, const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	struct rule *r = arena_one(s->arena, struct rule);
	*r = (struct rule){.flags = AUDIT_FILTER_EXIT, .action = AUDIT_NEVER, .added = true, .line = s->n ? s->rules[0]->line : NULL};
	memcpy(r->mask, mask, sizeof(r->mask));
	if (b64_only)
		rule_add_field(r, AUDIT_ARCH, AUDIT_EQUAL, abi_arch(ABI_64));
	return r;
}

static const char *const loss_notes[] = {
	("given up: the SYSCALL, CWD, PATH and PROCTITLE records that come with an AVC (or another kernel record) of one of these "
	 "calls; the AVC record itself stays"),
	"given up: the SYSCALL record of the LOGIN event, which is a write(2) to /proc/self/loginuid",
	"given up: the SYSCALL record of a TTY event (pam_tty_audit), which is a read(2) of the terminal",
	"without that loss: --assume no-mac, on a host where neither a security module nor pam_tty_audit logs",
};

static bool propose(struct search *s, struct rule *r, bool quiet_only)
{
	struct proposal p = {.new = r};
	p.rules = search_prepend(s, r, &p.n);
	p.reason = arena_printf(s->arena, "no always rule can match any of these %u calls%s", mask_count(r->mask),
				quiet_only ? ", and none of them starts a record of its own" : "");
	if (!quiet_only) {
		p.notes = arena_array(s->arena, const char *, ARRAY_SIZE(loss_notes));
		memcpy(p.notes, loss_notes, sizeof(loss_notes));
		p.nnotes = ARRAY_SIZE(loss_notes);
	}
	return search_propose(s, &p);
}

struct plan {                     /* one or two never rules, the first in front */
	struct rule *rules[2];
	size_t n;
	double score;
	double weight;            /* the same with a little more for the plain call, which breaks near ties */
};

static const struct rule **with_plan(struct search *s, const struct plan *p, size_t *n)
{
	const struct rule **out = arena_array(s->arena, const struct rule *, s->n + 3);
	memcpy(out, p->rules, p->n * sizeof(out[0]));
	memcpy(out + p->n, s->rules, s->n * sizeof(out[0]));
	*n = s->n + p->n;
	return out;
}

/* In front the form `first', behind it the other for the numbers that are left; without that when it has none. */
static void make_plan(struct search *s, bool first_b64, bool both, bool quiet_only, struct plan *p)
{
	uint32_t mask[2][AUDIT_BITMASK_SIZE];
	*p = (struct plan){0};
	free_numbers(s, first_b64, quiet_only, mask[0]);
	free_numbers(s, !first_b64, quiet_only, mask[1]);
	for (unsigned w = 0; w < AUDIT_BITMASK_SIZE; w++)
		mask[1][w] &= ~mask[0][w];
	if (!mask_is_empty(mask[0]))
		p->rules[p->n++] = never_rule(s, first_b64, mask[0]);
	if (both && !mask_is_empty(mask[1]))
		p->rules[p->n++] = never_rule(s, !first_b64, mask[1]);
	if (!p->n)
		return;
	size_t n;
	const struct rule **rules = with_plan(s, p, &n);
	double unnamed;
	p->score = search_score(s, rules, n, &unnamed);
	p->weight = p->score + unnamed / 50;
}

bool pass_short_circuit(struct search *s)
{
	bool quiet_only = s->pass->kind == PASS_ASSUMING, any = false;
	if (quiet_only && search_allows(s, "avc-companions"))
		return false;                   /* the wider one covers it */
	struct plan best = {0};
	for (int form = 0; form < 4; form++) {
		struct plan p;
		make_plan(s, form & 1, form & 2, quiet_only, &p);
		if (p.n && p.score < s->score && (!best.n || p.weight < best.weight))
			best = p;
	}
	for (size_t i = best.n; i > 0; i--)      /* the last one first: each is put in front */
		any |= propose(s, best.rules[i - 1], quiet_only);
	return any;
}
