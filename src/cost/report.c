/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cost/cost.h"

#include <stdlib.h>

/* ---- one call ------------------------------------------------------------------------------------------ */

static void keep_dearest(struct cost_row *row, const struct krule *rule, double adds)
{
	unsigned at = row->ndearest;
	while (at > 0 && row->dearest[at - 1].adds < adds)
		at--;
	if (adds <= 0 || at == DEAREST)
		return;
	if (row->ndearest < DEAREST)
		row->ndearest++;
	for (unsigned i = row->ndearest - 1; i > at; i--)
		row->dearest[i] = row->dearest[i - 1];
	row->dearest[at].rule = rule;
	row->dearest[at].adds = adds;
}

static double dearer(const struct cost_row *row)
{
	double service = call_cost_total(&row->by[CALLER_SERVICE]),
	       user = call_cost_total(&row->by[CALLER_USER]);
	return service > user ? service : user;
}

struct cost_row cost_row(const struct coefficients *c, const struct kset *k, enum abi abi, unsigned nr)
{
	struct arena *a = arena_new();
	double *each = arena_array(a, double, k->n *CALLER_COUNT + 1);
	struct cost_row row = {.abi = abi, .nr = nr, .name = abi_syscall_name(abi, nr)};
	row.one_rule = c->off + c->no_rules + c->counted + c->name * call_names(abi, nr);
	for (enum cost_caller who = 0; who < CALLER_COUNT; who++) {
		struct call call = cost_caller_call(who, abi, nr);
		row.by[who] = cost_call_parts(c, k, &call, each + who * k->n);
	}
	bool service = call_cost_total(&row.by[CALLER_SERVICE]) > call_cost_total(&row.by[CALLER_USER]);
	const double *of = each + (service ? CALLER_SERVICE : CALLER_USER) * k->n;
	for (size_t i = 0; i < k->n; i++)
		keep_dearest(&row, &k->rules[i], of[i]);
	arena_free(a);
	return row;
}

/* ---- all calls that something names -------------------------------------------------------------------- */

static bool walks(const struct krule *r)
{
	return r->home == HOME_EXIT || r->home == HOME_HASH;
}

static void named_numbers(const struct kset *k, enum abi abi, uint32_t named[AUDIT_BITMASK_SIZE])
{
	for (size_t i = 0; i < k->n; i++) {
		const struct krule *r = &k->rules[i];
		if (!walks(r) || !krule_allows_abi(r, abi) || cost_mask_count(r->mask) == NR_LIMIT)
			continue;
		for (size_t w = 0; w < AUDIT_BITMASK_SIZE; w++)
			named[w] |= r->mask[w];
	}
	for (size_t p = 0; abi == ABI_64 && p < profile_table_len; p++) {
		for (size_t i = 0; i < profile_table[p].n; i++) {
			const char *name = profile_table[p].calls[i].syscall;
			int nr = name ? call_number(abi, name) : -1;
			if (nr >= 0)
				mask_add(named, (unsigned)nr);
		}
	}
}

static int by_total(const void *x, const void *y)
{
	const struct cost_row *a = x, *b = y;
	double ta = dearer(a), tb = dearer(b);
	if (ta != tb)
		return ta < tb ? 1 : -1;
	if (a->abi != b->abi)
		return a->abi < b->abi ? -1 : 1;
	return a->nr < b->nr ? -1 : a->nr > b->nr;
}

static void add_rows(const struct coefficients *c, const struct kset *k, struct arena *a,
		     struct cost_report *out)
{
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		uint32_t named[AUDIT_BITMASK_SIZE] = {0};
		named_numbers(k, abi, named);
		for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
			if (mask_has(named, nr))
				*arena_push(a, out->rows, out->nrows) = cost_row(c, k, abi, nr);
		}
	}
	if (out->nrows)
		qsort(out->rows, out->nrows, sizeof(out->rows[0]), by_total);
}

/* ---- all rules ----------------------------------------------------------------------------------------- */

static int by_cost(const void *x, const void *y)
{
	const struct cost_rule *a = x, *b = y;
	if (a->mean != b->mean)
		return a->mean < b->mean ? 1 : -1;
	if (a->unnamed != b->unnamed)
		return a->unnamed < b->unnamed ? 1 : -1;
	return a->rule < b->rule ? -1 : a->rule > b->rule;
}

static void add_means(const struct coefficients *c, const struct kset *k, struct arena *a,
		      struct cost_report *out)
{
	double *each = arena_array(a, double, k->n + 1);
	for (size_t p = 0; p < profile_table_len; p++) {
		for (size_t i = 0; i < k->n; i++)
			each[i] = 0;
		cost_profile_rules(c, k, &profile_table[p], each);
		for (size_t i = 0; i < k->n; i++) {
			out->rules[i].profiles[p] = each[i];
			out->rules[i].mean += each[i] / (double)profile_table_len;
		}
	}
	for (enum cost_caller who = 0; who < CALLER_COUNT; who++) {
		struct call call = cost_caller_call(who, ABI_64, out->unnamed.nr);
		cost_call_parts(c, k, &call, each);
		for (size_t i = 0; i < k->n; i++)
			out->rules[i].unnamed += each[i] / CALLER_COUNT;
	}
}

static void add_rules(const struct coefficients *c, const struct kset *k, struct arena *a,
		      struct cost_report *out)
{
	out->rules = arena_array(a, struct cost_rule, k->n + 1);
	out->nrules = k->n;
	for (size_t i = 0; i < k->n; i++) {
		const struct krule *r = &k->rules[i];
		out->rules[i] = (struct cost_rule){.rule = r, .calls = cost_mask_count(r->mask)};
		out->rules[i].profiles = arena_array(a, double, profile_table_len);
		out->lists[r->home]++;
		bool full = r->home == HOME_EXIT && out->rules[i].calls == NR_LIMIT;
		out->full += full;
		out->full_dirs += full && rule_field(r->rule, AUDIT_DIR);
	}
	add_means(c, k, a, out);
	if (k->n)
		qsort(out->rules, k->n, sizeof(out->rules[0]), by_cost);
}

struct cost_report *cost_report(const struct coefficients *c, const struct kset *k, struct arena *a)
{
	struct cost_report *out = arena_one(a, struct cost_report);
	out->unnamed = cost_row(c, k, ABI_64, cost_unnamed_call(k, ABI_64));
	out->score = cost_score(c, k);
	out->profiles = arena_array(a, double, profile_table_len);
	for (size_t p = 0; p < profile_table_len; p++)
		out->profiles[p] = cost_profile(c, k, &profile_table[p]);
	add_rules(c, k, a, out);
	add_rows(c, k, a, out);
	return out;
}
