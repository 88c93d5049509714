/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random rule sets, random events. Sets that the prover calls equal must be treated alike by the concrete model on every
 * event tried, and so must a set and what the optimizer makes of it. usage: fuzz_prove RUNS [SEED]
 */
#include <inttypes.h>

#include "optimize/optimize.h"
#include "tests/fuzz/random_set.h"

/* A near relative: lines dropped, repeated or swapped, so that equal pairs come up. */
static void mutate(const char *text, struct str *out)
{
	const char *lines[64];
	size_t len[64], n = 0;
	for (const char *at = text; *at && n < 64; at = strchr(at, '\n') + 1) {
		lines[n] = at;
		len[n++] = (size_t)(strchr(at, '\n') - at) + 1;
	}
	uint32_t skip = rnd((uint32_t)n + 2), twice = rnd((uint32_t)n + 2), swap = n > 2 ? 1 + rnd((uint32_t)n - 2) : 0;
	for (size_t i = 0; i < n; i++) {
		size_t from = swap && i == swap ? swap + 1 : swap && i == swap + 1 ? swap : i;
		from = from < n ? from : i;
		if (i == 0)
			from = 0;
		if (i > 0 && i == skip)
			continue;
		str_addn(out, lines[from], len[from]);
		if (i == twice)
			str_addn(out, lines[from], len[from]);
	}
}

/* ---- events ---------------------------------------------------------------------------------------------------------------------- */

enum { MOST = 4096 };

struct pool {
	struct event e;
	struct event_number numbers[64];
	struct fact facts[MOST];
	uint32_t groups[4];
};

static uint32_t near(uint32_t v)
{
	static const uint32_t usual[] = {0, 1, 2, 3, 5, 10, 1000, UINT32_MAX};
	switch (rnd(6)) {
	case 0:
		return v + 1;
	case 1:
		return v - 1;
	case 2:
		return usual[rnd(ARRAY_SIZE(usual))];
	default:
		return v;
	}
}

static void add_number(struct pool *p, uint32_t id, uint32_t value)
{
	for (size_t i = 0; i < p->e.nnumbers; i++) {
		if (p->numbers[i].id == id) {
			if (rnd(2))
				p->numbers[i].value = near(value);
			return;
		}
	}
	if (p->e.nnumbers < ARRAY_SIZE(p->numbers))
		p->numbers[p->e.nnumbers++] = (struct event_number){.id = id, .value = near(value)};
}

static void add_field(struct pool *p, const struct field *f)
{
	const struct field_info *info = field_by_id(f->id);
	if (f->id == AUDIT_LOGINUID_SET || f->id == AUDIT_LOGINUID) {
		add_number(p, AUDIT_LOGINUID, f->id == AUDIT_LOGINUID ? f->value : UINT32_MAX);
	} else if (info->source == FS_TASK || info->source == FS_GROUP || info->source == FS_SADDR || f->id == AUDIT_EXIT) {
		add_number(p, f->id, f->value);
	} else if (info->source != FS_ARCH && info->source != FS_PERM && info->source != FS_KEY && f->id != AUDIT_SUCCESS) {
		for (size_t i = 0; i < p->e.nfacts; i++) {
			const struct fact *o = &p->facts[i];
			if (o->id == f->id && o->value == f->value &&
			    (!field_is_text(f->id) || memcmp(o->text, f->text, f->value) == 0))
				return;
		}
		if (p->e.nfacts + 2 > MOST)
			return;
		p->facts[p->e.nfacts++] = (struct fact){f->id, AUDIT_EQUAL, f->value, f->text, rnd(2)};
		p->facts[p->e.nfacts++] = (struct fact){f->id, AUDIT_NOT_EQUAL, f->value, f->text, rnd(2)};
	}
}

/* A number that some rule names, mostly. */
static unsigned some_number(const struct kset *k)
{
	if (k->n == 0 || rnd(6) == 0)
		return rnd(470);
	const struct krule *r = &k->rules[rnd((uint32_t)k->n)];
	for (unsigned tries = 0, nr = rnd(470); tries < 470; tries++, nr = (nr + 1) % 470) {
		if (mask_has(r->mask, nr))
			return nr;
	}
	return rnd(470);
}

static const struct event *random_event(struct pool *p, const struct kset *a, const struct kset *b)
{
	memset(&p->e, 0, sizeof(p->e));
	p->e.numbers = p->numbers;
	p->e.facts = p->facts;
	p->e.groups = p->groups;
	const struct kset *sets[] = {a, b};
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < sets[s]->n; i++) {
			for (unsigned f = 0; f < sets[s]->rules[i].nfields; f++)
				add_field(p, &sets[s]->rules[i].fields[f]);
		}
	}
	static const uint32_t args[] = {AUDIT_ARG0, AUDIT_ARG1, AUDIT_ARG2};
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		add_number(p, args[i], rnd(4));
	p->e.kind = rnd(12) == 0 ? EV_WORKER : rnd(12) == 0 ? EV_TASK : EV_SYSCALL;
	p->e.abi = rnd(3) ? ABI_64 : ABI_32;
	p->e.nr = some_number(a);
	p->e.has_result = rnd(8);
	p->e.success = rnd(2);
	p->e.has_saddr = rnd(2);
	p->e.how_read = rnd(2);
	p->e.how_write = rnd(2);
	p->e.wide_a0 = rnd(4) == 0;
	p->e.newer_class = rnd(2);
	p->groups[0] = 10;
	p->e.ngroups = rnd(2);
	return &p->e;
}

static bool alike(const struct decision *a, const struct decision *b)
{
	if (a->recorded != b->recorded || (!a->by) != (!b->by))
		return false;
	return !a->recorded || strcmp(a->key ? a->key : "", b->key ? b->key : "") == 0;
}

static void agree(struct pool *p, const struct kset *a, const struct kset *b, const char *what, const char *x, const char *y)
{
	for (int i = 0; i < 60; i++) {
		const struct event *e = random_event(p, a, b);
		struct decision da = kernel_decide(a, e), db = kernel_decide(b, e);
		if (alike(&da, &db))
			continue;
		printf("%s, yet an event is treated differently: kind %d abi %d number %u\n%s---\n%s", what, e->kind, e->abi, e->nr, x, y);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	uint32_t runs = 1000, seed = 1;
	if ((argc > 1 && !num_u32(argv[1], 10, &runs)) || (argc > 2 && !num_u32(argv[2], 10, &seed)))
		return 2;
	state = seed;
	const char *const dirs[] = {"/d", "/e"};
	struct lang_env env = {.machine = audit_name_to_machine("x86_64"), .dirs = dirs, .ndirs = 2};
	struct optimize_options o = {.coefficients = coefficients_default(), .env = &env};
	struct prove_options strict = {.level = LEVEL_E3};
	struct pool *p = calloc(1, sizeof(*p));
	size_t equal = 0, different = 0, undecided = 0, changes = 0;
	if (!p)
		return 2;
	/* a run of this program costs about forty of the others': it counts its own */
	for (uint32_t i = 0; i < runs / 20 + 1; i++) {
		struct str x = {0}, y = {0};
		random_set(&x);
		mutate(str_get(&x), &y);
		struct set a = load(str_get(&x), &env), b = load(str_get(&y), &env);
		struct arena *arena = arena_new();
		struct proof r = prove(a.k, b.k, &strict, arena);
		equal += r.verdict == PROOF_EQUAL;
		different += r.verdict == PROOF_DIFFERENT;
		undecided += r.verdict == PROOF_UNDECIDED;
		if (r.verdict == PROOF_EQUAL)
			agree(p, a.k, b.k, "proved equal", str_get(&x), str_get(&y));
		struct optimized *best = optimize(a.k, &o);
		changes += best->nchanges;
		if (best->proof.verdict != PROOF_EQUAL) {
			printf("the optimizer's result is not proved: %s\n%s", best->proof.reason, str_get(&x));
			return 1;
		}
		agree(p, a.k, best->kset_after, "optimized", str_get(&x), "");
		struct str out = {0};
		const char *err;
		struct output_info info = {"random", "", "test"};
		if (!output_rules(a.rs, best, &env, &info, &out, &err)) {
			printf("not written: %s\n%s---\n%s", err, str_get(&x), str_get(&out));
			return 1;
		}
		str_free(&out);
		optimized_free(best);
		arena_free(arena);
		unload(&a);
		unload(&b);
		str_free(&x);
		str_free(&y);
	}
	free(p);
	printf("seed %u: %zu pairs equal, %zu different, %zu undecided; %zu changes, all agree\n", seed, equal, different, undecided, changes);
	return 0;
}
