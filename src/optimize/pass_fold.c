/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A b32 and a b64 rule that say the same become one without arch. Three ways: perm, which looks
 * at the ABI itself; the same numbers on both; and perm brought in as a filter that tells the numbers of one ABI
 * from those that merely alias on the other.
 */
#include "optimize/search.h"

#include <string.h>

static const struct field *single_arch(const struct rule *r)
{
	const struct field *arch = NULL;
	for (unsigned i = 0; i < r->nfields; i++) {
		if (r->fields[i].id != AUDIT_ARCH)
			continue;
		if (arch || r->fields[i].op != AUDIT_EQUAL)
			return NULL;
		arch = &r->fields[i];
	}
	return arch;
}

static bool is_pair(const struct rule *a, const struct rule *b)
{
	const struct field *x = single_arch(a), *y = single_arch(b);
	if (!x || !y || x->value == y->value || a->flags != b->flags || a->action != b->action)
		return false;
	return rule_same_fields(a, b, AUDIT_ARCH);
}

static struct rule *union_without_arch(struct search *s, const struct rule *a, const struct rule *b)
{
	struct rule *r = rule_copy(s, a);
	rule_drop_field(r, AUDIT_ARCH);
	for (unsigned i = 0; i < AUDIT_BITMASK_SIZE; i++)
		r->mask[i] |= b->mask[i];
	return r;
}

/* Would perm=bits let through exactly the calls of the two masks, whatever the open flags? */
static bool filter_separates(const struct rule *b64, const struct rule *b32, unsigned bits)
{
	const struct rule *of[] = {[ABI_64] = b64, [ABI_32] = b32};
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		if (!mask_has(b64->mask, nr) && !mask_has(b32->mask, nr))
			continue;
		for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
			enum open_kind open;
			unsigned class = perm_class(abi, nr, &open);
			bool always = (class & bits) && open != OPEN_SOCKETCALL && !perm_class_uncertain(abi, nr);
			if (open != OPEN_NOT)
				always = always && (bits & (PERM_R | PERM_W)) == (PERM_R | PERM_W);
			if (mask_has(of[abi]->mask, nr) ? !always : (class & bits) != 0)
				return false;
		}
	}
	return true;
}

static bool propose(struct search *s, size_t i, size_t j, struct rule *r, const char *how)
{
	const struct rule *a = s->rules[i], *b = s->rules[j];
	const char *reason = arena_printf(s->arena, "%s and %s have the same fields but for arch; %s", rule_origin(s, a),
					  rule_origin(s, b), how);
	for (int second = 0; second < 2; second++) {
		struct proposal p = {.old = {a, b}, .nold = 2, .new = r, .reason = reason, .equal_cost = true};
		r->line = second ? b->line : a->line;
		p.rules = search_replace(s, second ? j : i, r, second ? i : j, &p.n);
		if (search_propose(s, &p))
			return true;
	}
	return false;
}

static bool fold_by_filter(struct search *s, size_t i, size_t j)
{
	const struct rule *a = s->rules[i], *b = s->rules[j];
	bool a64 = single_arch(a)->value == abi_arch(ABI_64);
	for (unsigned letters = 1; letters <= 4; letters++) {
		for (unsigned bits = 1; bits < 16; bits++) {
			if ((unsigned)__builtin_popcount(bits) != letters || !filter_separates(a64 ? a : b, a64 ? b : a, bits))
				continue;
			struct rule *r = union_without_arch(s, a, b);
			rule_add_field(r, AUDIT_PERM, AUDIT_EQUAL, bits);
			if (propose(s, i, j, r, "perm lets through exactly their calls on either ABI"))
				return true;
		}
	}
	return false;
}

static bool fold(struct search *s, size_t i, size_t j)
{
	const struct rule *a = s->rules[i], *b = s->rules[j];
	if (rule_field(a, AUDIT_PERM))
		return propose(s, i, j, union_without_arch(s, a, b), "perm looks at the ABI itself");
	if (memcmp(a->mask, b->mask, sizeof(a->mask)) == 0 &&
	    propose(s, i, j, union_without_arch(s, a, b), "their calls have the same numbers on both"))
		return true;
	return fold_by_filter(s, i, j);
}

bool pass_fold(struct search *s)
{
	bool any = false;
	for (size_t i = 0; i < s->n; i++) {
		for (size_t j = i + 1; j < s->n; j++) {
			if (!is_pair(s->rules[i], s->rules[j]) || !fold(s, i, j))
				continue;
			any = true;
			i = i ? i - 1 : 0;    /* the lists have shifted: look at this place again */
			break;
		}
	}
	return any;
}
