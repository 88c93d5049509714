/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/search.h"

#include <string.h>

static bool mergeable(const struct search *s, const struct rule *a, const struct rule *b)
{
	const struct krule *x = search_held(s, a), *y = search_held(s, b);
	return x && y && x->home == y->home && (x->home == HOME_EXIT || x->home == HOME_HASH) && a->flags == b->flags &&
	       a->action == b->action && rule_same_fields(a, b, UINT32_MAX);
}

static bool merge(struct search *s, size_t i, size_t j)
{
	const struct rule *a = s->rules[i], *b = s->rules[j];
	const char *reason = arena_printf(s->arena, "%s and %s have the same fields", rule_origin(s, a), rule_origin(s, b));
	for (int second = 0; second < 2; second++) {
		struct rule *r = rule_copy(s, second ? b : a);
		for (unsigned w = 0; w < AUDIT_BITMASK_SIZE; w++)
			r->mask[w] = a->mask[w] | b->mask[w];
		struct proposal p = {.old = {a, b}, .nold = 2, .new = r, .reason = reason};
		p.rules = search_replace(s, second ? j : i, r, second ? i : j, &p.n);
		if (search_propose(s, &p))
			return true;
	}
	return false;
}

bool pass_merge(struct search *s)
{
	bool any = false;
	for (size_t i = 0; i < s->n; i++) {
		for (size_t j = i + 1; j < s->n; j++) {
			if (!mergeable(s, s->rules[i], s->rules[j]) || !merge(s, i, j))
				continue;
			any = true;
			i = i ? i - 1 : 0;
			break;
		}
	}
	return any;
}
