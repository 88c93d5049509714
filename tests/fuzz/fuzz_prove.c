/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random rule sets, random events. Sets that the prover calls equal must be treated alike by the concrete model on every
 * event tried, and so must a set and what the optimizer makes of it. usage: fuzz_prove RUNS [SEED]
 */
#include <inttypes.h>

#include "optimize/optimize.h"
#include "tests/fuzz/random_event.h"

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
