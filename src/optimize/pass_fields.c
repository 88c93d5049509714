/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Field order. The kernel stops at the first false field, so a conjunction is cheapest when sorted by cost over the chance
 * of being false (the classical rule for independent tests). The chances are guesses about ordinary hosts: they steer, they
 * prove nothing.
 */
#include "optimize/search.h"

#include <string.h>

static double chance_true(const struct field *f)
{
	const struct field_info *info = field_by_id(f->id);
	bool equal = f->op == AUDIT_EQUAL;
	if (!info)
		return 1;
	switch (info->source) {
	case FS_ARCH:                        /* on 64-bit hosts, in a mask that was meant for this ABI */
		return (f->value == abi_arch(ABI_64)) == equal ? 1 : 0.02;
	case FS_KEY:
		return 1;
	case FS_PERM:
		return 0.7;
	case FS_DIR:
		return 0.01;
	case FS_EXE:
	case FS_LABEL:
		return equal ? 0.05 : 0.95;
	case FS_RESULT:
		return f->id == AUDIT_SUCCESS ? (f->value ? 0.9 : 0.1) : equal ? 0.03 : 0.9;
	default:
		break;
	}
	if (f->id == AUDIT_LOGINUID)
		return f->value == UINT32_MAX ? (equal ? 0.6 : 0.4) : equal ? 0.05 : f->op == AUDIT_NOT_EQUAL ? 0.95 : 0.97;
	if (f->id >= AUDIT_ARG0 && f->id <= AUDIT_ARG3)
		return equal ? 0.1 : 0.5;
	return equal ? 0.3 : 0.7;
}

static double field_cost(const struct search *s, const struct field *f)
{
	const struct field_info *info = field_by_id(f->id);
	return info ? s->o->coefficients->field[info->cost] : 0;
}

static double expected_cost(const struct search *s, const struct rule *r)
{
	double cost = 0, reach = 1;
	for (unsigned i = 0; i < r->nfields; i++) {
		cost += reach * field_cost(s, &r->fields[i]);
		reach *= chance_true(&r->fields[i]);
	}
	return cost;
}

static double rank(const struct search *s, const struct field *f)
{
	double wrong = 1 - chance_true(f);
	return wrong > 0 ? field_cost(s, f) / wrong : 1e9;
}

/* Stable, so that equal ranks keep their order; the key stays last, where auditctl puts it. */
static void sort_fields(const struct search *s, struct rule *r)
{
	unsigned n = r->nfields;
	if (n && r->fields[n - 1].id == AUDIT_FILTERKEY)
		n--;
	for (unsigned i = 1; i < n; i++) {
		for (unsigned j = i; j > 0 && rank(s, &r->fields[j]) < rank(s, &r->fields[j - 1]); j--) {
			struct field f = r->fields[j];
			r->fields[j] = r->fields[j - 1];
			r->fields[j - 1] = f;
		}
	}
}

bool pass_fields(struct search *s)
{
	bool any = false;
	for (size_t i = 0; i < s->n; i++) {
		const struct rule *old = s->rules[i];
		const struct krule *k = search_held(s, old);
		if (k->home != HOME_EXIT && k->home != HOME_HASH)
			continue;
		struct rule *r = rule_copy(s, old);
		r->watch = old->watch;
		sort_fields(s, r);
		if (expected_cost(s, r) >= expected_cost(s, old) * 0.99)
			continue;
		r->watch = false;
		struct proposal p = {.old = {old}, .nold = 1, .new = r, .equal_cost = true,
				     .reason = "cheap and mostly false fields first; the order decides nothing"};
		p.rules = search_replace(s, i, r, SIZE_MAX, &p.n);
		any |= search_propose(s, &p);
	}
	return any;
}
