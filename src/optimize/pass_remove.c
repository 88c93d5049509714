/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three passes that take a rule away. */
#include "optimize/search.h"

#include <string.h>

static bool remove_rule(struct search *s, size_t i, const char *reason)
{
	struct proposal p = {.old = {s->rules[i]}, .nold = 1, .reason = reason, .equal_cost = true};
	p.rules = search_replace(s, i, NULL, SIZE_MAX, &p.n);
	return search_propose(s, &p);
}

static bool is_syscall_rule(const struct search *s, const struct rule *r)
{
	const struct krule *k = search_held(s, r);
	return k && (k->home == HOME_EXIT || k->home == HOME_HASH);
}

/* Is the rule alone as good as no rule? */
static bool never_matches(struct search *s, const struct rule *r)
{
	struct diags ds = {.arena = arena_new()};
	struct kset *one = kset_of_rules(&r, 1, s->k->kernel, &ds), *none = kset_of_rules(NULL, 0, s->k->kernel, &ds);
	kset_uncount(one);               /* judged with the whole set, when it is removed */
	struct prove_options o = {.level = LEVEL_E3, .no_witness = true, .no_abi32 = search_assumes(s, "no-32bit")};
	bool dead = prove(one, none, &o, ds.arena).verdict == PROOF_EQUAL;
	kset_free(one);
	kset_free(none);
	arena_free(ds.arena);
	return dead;
}

bool pass_dead(struct search *s)
{
	bool any = false;
	for (size_t i = s->n; i > 0; i--) {
		const struct rule *r = s->rules[i - 1];
		if (is_syscall_rule(s, r) && never_matches(s, r))
			any |= remove_rule(s, i - 1, "no event can match it");
	}
	return any;
}

static bool same_meaning(const struct search *s, const struct rule *a, const struct rule *b)
{
	const struct krule *x = search_held(s, a), *y = search_held(s, b);
	return x && y && x->home == y->home && a->action == b->action && rule_same_fields(a, b, UINT32_MAX) &&
	       memcmp(x->mask, y->mask, sizeof(x->mask)) == 0;
}

bool pass_duplicate(struct search *s)
{
	bool any = false;
	for (size_t j = s->n; j-- > 0;) {
		for (size_t i = 0; i < j; i++) {
			const struct rule *first = s->rules[i];
			if (!is_syscall_rule(s, first) || !same_meaning(s, first, s->rules[j]))
				continue;
			if (remove_rule(s, j, arena_printf(s->arena, "it means the same as %s", rule_origin(s, first)))) {
				any = true;
				break;
			}
		}
	}
	return any;
}

/* A single other rule that decides alike everything this one would: for the reason, not for the proof. */
static const struct rule *covered_by(struct search *s, size_t j)
{
	const struct rule *r = s->rules[j];
	struct prove_options o = {.level = LEVEL_E3, .no_witness = true, .no_abi32 = search_assumes(s, "no-32bit")};
	struct diags ds = {.arena = arena_new()};
	const struct rule *found = NULL;
	for (size_t i = 0; i < s->n && !found; i++) {
		if (i == j || s->rules[i]->action != r->action)
			continue;
		const struct rule *both[] = {s->rules[i < j ? i : j], s->rules[i < j ? j : i]}, *one[] = {s->rules[i]};
		struct kset *k2 = kset_of_rules(both, 2, s->k->kernel, &ds), *k1 = kset_of_rules(one, 1, s->k->kernel, &ds);
		kset_uncount(k1);
		kset_uncount(k2);
		if (prove(k2, k1, &o, ds.arena).verdict == PROOF_EQUAL)
			found = s->rules[i];
		kset_free(k2);
		kset_free(k1);
	}
	arena_free(ds.arena);
	return found;
}

static const char *subsumed_reason(struct search *s, size_t j)
{
	const struct rule *by = covered_by(s, j);
	if (!by)
		return "other rules together decide every event it matches, in the same way";
	return arena_printf(s->arena, "%s decides every event it matches, in the same way", rule_origin(s, by));
}

/* Could another rule cover it at all? Saves most of the proofs. */
static bool may_be_covered(const struct search *s, size_t j)
{
	const struct krule *r = search_held(s, s->rules[j]);
	uint32_t others[AUDIT_BITMASK_SIZE] = {0};
	for (size_t i = 0; i < s->n; i++) {
		const struct krule *k = search_held(s, s->rules[i]);
		bool reaches = i != j && (k->home == HOME_EXIT || (k->home == HOME_HASH && r->home == HOME_HASH));
		for (unsigned w = 0; reaches && w < AUDIT_BITMASK_SIZE; w++)
			others[w] |= k->mask[w];
	}
	return mask_subset(r->mask, others);
}

bool pass_subsumed(struct search *s)
{
	bool any = false;
	for (size_t j = s->n; j-- > 0;) {
		if (!is_syscall_rule(s, s->rules[j]) || !may_be_covered(s, j))
			continue;
		size_t before = s->result->nchanges;
		const struct rule **rules = s->rules;
		size_t n = s->n;
		if (!remove_rule(s, j, ""))
			continue;
		any = true;
		struct search then = *s;      /* the reason is looked for in the set as it was */
		then.rules = rules;
		then.n = n;
		s->result->changes[before].reason = subsumed_reason(&then, j);
	}
	return any;
}
