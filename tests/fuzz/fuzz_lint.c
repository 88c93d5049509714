/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random rule sets against what the lint says of them: a rule that is told to be shadowed, the same as another, or never to
 * match, and a field that is told to add nothing, can go, and the prover must find that nothing was lost. The other way
 * round it is counted how many rules the prover lets go that the lint said nothing of. And what the edits make of a set must
 * record whatever the set did. usage: fuzz_lint RUNS [SEED [FILE...]]
 */
#include <inttypes.h>

#include "lint/lint.h"
#include "prove/prove.h"
#include "tests/fuzz/random_event.h"

struct tally {
	uint64_t sets, rules, findings, open, unnoticed, mended, events, recorded;
};

enum finding { KEEPS, LOSES_RULE, LOSES_FIELD };

static enum finding finding_of(enum diag_code code, const char *message)
{
	switch (code) {
	case AR_SAME_RULE:
	case AR_SHADOWED:
		return LOSES_RULE;
	case AR_CONTRADICTION: /* to the prover two tests of a label may both hold: so it is while a policy is being loaded */
		return strstr(message, "subj_") ? KEEPS : LOSES_RULE;
	case AR_REDUNDANT_FIELD:
		return LOSES_FIELD;
	case AR_UNSIGNED: /* never true: the rule can go; always true: the field can, unless the number may be missing */
		return strstr(message, "never true") ? LOSES_RULE : KEEPS;
	default:
		return KEEPS;
	}
}

static size_t rule_at(const struct kset *k, struct place at)
{
	size_t i = 0;
	while (i < k->n && k->rules[i].rule->line->at.line != at.line)
		i++;
	return i;
}

static size_t field_at(const struct krule *r, struct place at)
{
	size_t i = 0;
	while (i < r->rule->nfields && r->rule->fields[i].column != at.column)
		i++;
	return i;
}

static int by_request(const void *x, const void *y)
{
	const struct krule *a = *(const struct krule *const *)x, *b = *(const struct krule *const *)y;
	return a->request < b->request ? -1 : a->request > b->request;
}

/* The set without a rule, or with one of its fields gone; in the order of the requests. */
static struct proof prove_without(const struct kset *k, size_t rule, size_t field, struct arena *a)
{
	const struct krule **order = arena_array(a, const struct krule *, k->n + 1);
	const struct rule **rules = arena_array(a, const struct rule *, k->n + 1);
	struct diags ds = {.arena = a};
	struct prove_options o = {.level = LEVEL_E1};
	size_t n = 0;
	for (size_t i = 0; i < k->n; i++)
		order[i] = &k->rules[i];
	qsort(order, k->n, sizeof(*order), by_request);
	for (size_t i = 0; i < k->n; i++) {
		bool it = order[i] == &k->rules[rule];
		struct rule *r = arena_one(a, struct rule);
		*r = *order[i]->rule;
		if (it && field == SIZE_MAX)
			continue;
		if (it) {
			r->nfields--;
			memmove(&r->fields[field], &r->fields[field + 1], (r->nfields - field) * sizeof(r->fields[0]));
		}
		rules[n++] = r;
	}
	struct kset *less = kset_of_rules(rules, n, KERNEL_DEFAULT, &ds);
	struct proof p = prove(k, less, &o, a);
	kset_free(less);
	return p;
}

static bool judge(const struct kset *k, const struct diag *d, const char *text, struct tally *t)
{
	enum finding f = finding_of(d->info->code, d->message);
	size_t rule = rule_at(k, d->at);
	if (f == KEEPS)
		return true;
	struct arena *a = arena_new();
	size_t field = f == LOSES_FIELD ? field_at(&k->rules[rule], d->at) : SIZE_MAX;
	struct proof p = prove_without(k, rule, field, a);
	/* The prover takes the sequence of path rules as it is, even where one of them can decide nothing: then it names an event
	 * on which the two sets do the same. */
	bool same = p.witness.a && p.witness.b && strcmp(p.witness.a, p.witness.b) == 0;
	bool ok = p.verdict == PROOF_EQUAL || same;
	t->open += p.verdict != PROOF_EQUAL && ok;
	if (!ok)
		printf("%s\nAR%03d, line %u: %s\nyet: %s\n  %s\n  with: %s\n  without: %s\n", text, (int)d->info->code,
		       d->at.line, d->message, p.reason ? p.reason : "?", p.witness.event ? p.witness.event : "",
		       p.witness.a ? p.witness.a : "", p.witness.b ? p.witness.b : "");
	arena_free(a);
	return ok;
}

/* How much is missed: rules that could go, and of which nothing was said. */
static void count_missed(const struct kset *k, const struct diags *ds, struct tally *t)
{
	for (size_t i = 0; i < k->n; i++) {
		bool told = false;
		for (size_t j = 0; j < ds->n; j++)
			told = told || (finding_of(ds->list[j].info->code, ds->list[j].message) == LOSES_RULE &&
					ds->list[j].at.line == k->rules[i].rule->line->at.line);
		struct arena *a = arena_new();
		t->rules++;
		t->unnoticed += !told && prove_without(k, i, SIZE_MAX, a).verdict == PROOF_EQUAL;
		arena_free(a);
	}
}

/* What is mended without being asked to record less must record whatever was recorded before. */
static bool mend_keeps(const struct set *s, const struct diags *ds, const char *text, const struct lang_env *env,
		       unsigned events, struct tally *t)
{
	bool *chosen = calloc(ds->n + 1, sizeof(*chosen)), ok = true;
	struct str mended = {0};
	if (chosen && edits_choose(ds, false, chosen)) {
		edits_apply(ds, chosen, "random", text, strlen(text), &mended);
		struct set then = load(str_get(&mended), env);
		struct pool *p = calloc(1, sizeof(*p));
		for (unsigned i = 0; p && i < events && ok; i++) {
			const struct event *e = random_event(p, s->k, then.k);
			bool recorded = kernel_decide(s->k, e).recorded;
			ok = !recorded || kernel_decide(then.k, e).recorded;
			t->events++;
			t->recorded += recorded;
		}
		if (!ok)
			printf("%s\nmended:\n%s\nrecords less\n", text, str_get(&mended));
		t->mended++;
		free(p);
		unload(&then);
	}
	str_free(&mended);
	free(chosen);
	return ok;
}

static bool one_set(const struct lang_env *env, bool count, struct tally *t)
{
	struct str text = {0};
	random_set(&text);
	struct set s = load(str_get(&text), env);
	struct diags ds = {.arena = arena_new()};
	struct lint l = {.rs = s.rs, .k = s.k, .env = env, .ds = &ds, .arena = arena_new()};
	lint_run(&l);
	bool ok = true;
	for (size_t i = 0; i < ds.n && ok; i++) {
		t->findings += finding_of(ds.list[i].info->code, ds.list[i].message) != KEEPS;
		ok = judge(s.k, &ds.list[i], str_get(&text), t);
	}
	diags_sort(&ds);
	ok = ok && mend_keeps(&s, &ds, str_get(&text), env, 60, t);
	if (count && ok)
		count_missed(s.k, &ds, t);
	t->sets++;
	arena_free(l.arena);
	arena_free(ds.arena);
	unload(&s);
	str_free(&text);
	return ok;
}

/* A real file, behind -c, so that all of it counts. */
static bool one_file(const char *path, const struct lang_env *env, struct tally *t)
{
	struct str text = {0}, file = {0};
	if (file_read(path, 64 << 20, &file) < 0)
		return false;
	str_add(&text, "-c\n");
	str_addn(&text, str_get(&file), file.len);
	struct set s = load(str_get(&text), env);
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("random", str_get(&text), text.len, env, &ds); /* for the reader's own edits */
	struct lint l = {.rs = s.rs, .k = s.k, .env = env, .ds = &ds, .arena = arena_new()};
	lint_run(&l);
	diags_sort(&ds);
	bool ok = mend_keeps(&s, &ds, str_get(&text), env, 400, t);
	if (!ok)
		printf("%s\n", path);
	arena_free(l.arena);
	arena_free(ds.arena);
	ruleset_free(rs);
	unload(&s);
	str_free(&text);
	str_free(&file);
	return ok;
}

int main(int argc, char **argv)
{
	enum { COUNTED = 20 }; /* one set in so many is looked at for what was missed */
	uint64_t runs, seed = 1;
	if (argc < 2 || !num_u64(argv[1], 10, &runs) || (argc > 2 && !num_u64(argv[2], 10, &seed))) {
		fputs("usage: fuzz_lint RUNS [SEED [FILE...]]\n", stderr);
		return 2;
	}
	state = seed;
	struct lang_env env = {.machine = MACH_86_64, .dirs = (const char *const[]){"/d", "/e"}, .ndirs = 2};
	struct tally t = {0};
	for (uint64_t i = 0; i < runs; i++) {
		if (!one_set(&env, i % COUNTED == 0, &t)) {
			printf("run %" PRIu64 " of seed %" PRIu64 "\n", i, seed);
			return 1;
		}
	}
	for (int i = 3; i < argc; i++) {
		if (!one_file(argv[i], &env, &t))
			return 1;
	}
	printf("%" PRIu64 " sets, %" PRIu64 " findings, %" PRIu64 " of them open to the prover; of %" PRIu64
	       " rules %" PRIu64 " could go unnoticed; %" PRIu64 " texts mended, which record no less on %" PRIu64
	       " events, %" PRIu64 " of them recorded before\n",
	       t.sets, t.findings, t.open, t.rules, t.unnoticed, t.mended, t.events, t.recorded);
	if (runs >= 1000 && t.findings * 4 < t.sets) {
		puts("too few findings for a test");
		return 1;
	}
	return 0;
}
