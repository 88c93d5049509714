/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/search.h"

#include <math.h>
#include <string.h>

const struct pass pass_table[] = {
	{"dead", PASS_LOSSLESS, NULL, "remove a rule that can never match",
	 "its fields contradict each other, or its perm fits none of its calls; no field that can change "
	 "at run time is used for it",
	 pass_dead, true},
	{"duplicate", PASS_LOSSLESS, NULL, "remove a rule that means the same as another",
	 "same list, action, calls, key and fields, in whatever order (auditfilter.c:audit_compare_rule tells only the order apart)", pass_duplicate, true},
	{"subsumed", PASS_LOSSLESS, NULL, "remove a rule that never decides, or decides what another decides alike",
	 "without it every event ends in the same rule outcome, path rules below it included (auditsc.c:audit_filter_syscall, audit_filter_inodes)",
	 pass_subsumed, true},
	{"fold", PASS_LOSSLESS, NULL, "one rule without arch in place of a b32 and a b64 rule",
	 "perm tells the two ABIs apart, or their numbers are the same; no other call of either ABI comes in "
	 "(auditsc.c:audit_match_perm)",
	 pass_fold, false},
	{"narrow", PASS_LOSSLESS, NULL, "limit a rule with perm to the calls its letters can match",
	 "the calls of the kernel's classes of both ABIs, of kernels after 6.1 too (auditsc.c:audit_match_perm)", pass_narrow, false},
	{"merge", PASS_LOSSLESS, NULL, "one rule in place of two with the same fields and different calls",
	 "no rule between them decides an event of the one that moves (auditsc.c:audit_filter_syscall: the first match decides)", pass_merge, false},
	{"fields", PASS_LOSSLESS, NULL, "test first what is cheap and mostly false",
	 "on these lists the fields are a plain conjunction (auditsc.c:audit_filter_rules)", pass_fields, false},
	{"quiet-circuit", PASS_ASSUMING, "no-mac", "a never rule in front for calls that no rule can match and that are quiet",
	 "the calls start no record of their own when no security module does (callers of audit.c:audit_log_start)", pass_short_circuit, false},
	{"short-circuit", PASS_LOSS, "avc-companions", "a never rule in front for the calls that no rule can match",
	 "disjoint from every always rule; gives up companions of kernel records", pass_short_circuit, false},
	{"never-task-unset-auid", PASS_LOSS, "never-task-unset-auid", "no audit context for tasks born without a loginuid",
	 "auditsc.c:audit_alloc, audit_filter_task: decided once, when the task is created", pass_never_task_unset, false},
	{"never-task", PASS_LOSS, "never-task", "no audit context for any new task", "auditsc.c:audit_alloc: decided once, when the task is created",
	 pass_never_task_all, false},
};
const size_t pass_table_len = ARRAY_SIZE(pass_table);

const struct option_name assumption_table[] = {
	{"no-mac", "no security module (SELinux, AppArmor, Smack, TOMOYO ...), no fanotify listener and no pam_tty_audit writes audit records"},
	{"no-32bit", "the kernel cannot be entered by 32-bit system calls (no CONFIG_IA32_EMULATION, or off at boot)"},
};
const size_t assumption_table_len = ARRAY_SIZE(assumption_table);

const struct option_name loss_table[] = {
	{"avc-companions", "the SYSCALL and PATH records beside AVC, LOGIN, TTY and other kernel records, on calls that no rule names"},
	{"never-task-unset-auid", "every event of a task that was created without a loginuid: daemons, and what sets its own"},
	{"never-task", "every event of every task created from then on"},
};
const size_t loss_table_len = ARRAY_SIZE(loss_table);

/* ---- options --------------------------------------------------------------------------------------------------------------- */

static bool named(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i], name) == 0)
			return true;
	}
	return false;
}

bool search_assumes(const struct search *s, const char *name)
{
	return named(s->o->assume, s->o->nassume, name);
}

bool search_allows(const struct search *s, const char *name)
{
	return named(s->o->allow, s->o->nallow, name);
}

static bool pass_enabled(const struct search *s, const struct pass *p)
{
	switch (p->kind) {
	case PASS_ASSUMING:
		return search_assumes(s, p->needs);
	case PASS_LOSS:
		return search_allows(s, p->needs);
	default:
		return true;
	}
}

/* ---- proving a proposal ------------------------------------------------------------------------------------------------------ */

bool is_task_loss(const struct pass *p)
{
	return p->kind == PASS_LOSS && strncmp(p->needs, "never-task", 10) == 0;
}

/* Without the assumption first: what needs none must not be said to rest on one. */
static bool proved(struct search *s, const struct kset *next, struct change *c)
{
	/* only a loss has to show what it gives up */
	struct prove_options plain = {.level = LEVEL_E3, .no_witness = s->pass->kind != PASS_LOSS};
	c->level = LEVEL_E3;
	c->proof = prove(s->k, next, &plain, s->arena);
	if (c->proof.verdict == PROOF_EQUAL)
		return true;
	if (search_assumes(s, "no-32bit")) {
		struct prove_options o = {.level = LEVEL_E3, .no_abi32 = true, .no_witness = true};
		struct proof p = prove(s->k, next, &o, s->arena);
		if (p.verdict == PROOF_EQUAL) {
			c->proof = p;
			c->needs = "no-32bit";
			return true;
		}
	}
	if (s->pass->kind == PASS_ASSUMING && strcmp(s->pass->needs, "no-mac") == 0) {
		struct prove_options o = {.level = LEVEL_E3, .no_mac = true, .no_witness = true};
		c->proof = prove(s->k, next, &o, s->arena);
		c->needs = s->pass->needs;
		return c->proof.verdict == PROOF_EQUAL;
	}
	if (s->pass->kind != PASS_LOSS)
		return false;
	c->needs = s->pass->needs;
	if (is_task_loss(s->pass))      /* the proof is the witness of the loss, and must be one */
		return c->proof.verdict == PROOF_DIFFERENT;
	struct witness loss = c->proof.witness;
	struct prove_options o = {.level = LEVEL_E1};
	c->proof = prove(s->k, next, &o, s->arena);
	c->level = LEVEL_E1;
	c->proof.witness = loss;
	return c->proof.verdict == PROOF_EQUAL;
}

static void take(struct search *s, const struct proposal *p, struct kset *next, double score, const struct change *proof)
{
	struct change *c = arena_push(s->arena, s->result->changes, s->result->nchanges);
	*c = *proof;
	c->pass = s->pass;
	c->old = arena_array(s->arena, const struct rule *, p->nold + 1);
	memcpy(c->old, p->old, p->nold * sizeof(p->old[0]));
	c->nold = p->nold;
	c->new = arena_array(s->arena, const struct rule *, 1);
	c->new[0] = p->new;
	c->nnew = p->new != NULL;
	c->reason = p->reason;
	c->notes = p->notes;
	c->nnotes = p->nnotes;
	c->cost_before = s->score;
	c->cost_after = score;
	kset_free(s->k);
	s->k = next;
	s->rules = arena_array(s->arena, const struct rule *, p->n + 1);
	memcpy(s->rules, p->rules, p->n * sizeof(p->rules[0]));
	s->n = p->n;
	s->score = score;
}

/* A list of calls may outgrow what auditctl reads as one line. */
static bool can_be_written(const struct search *s, const struct rule *r)
{
	struct str text = {0};
	bool can = !r || rule_write(r, s->o->env, &text);
	str_free(&text);
	return can;
}

bool search_propose(struct search *s, const struct proposal *p)
{
	struct diags ds = {.arena = arena_new()};
	struct kset *next = kset_of_rules(p->rules, p->n, s->k->kernel, &ds);
	bool loads = ds.n == 0;
	arena_free(ds.arena);
	s->result->tried++;
	progress_say(s->o->progress, "optimize: %zu rules, %zu changes, pass %s", s->n, s->result->nchanges, s->pass->name);

	double score = loads ? cost_score(s->o->coefficients, next) : s->score;
	bool cheaper = score < s->score - 1e-9 || (p->equal_cost && score <= s->score + 1e-9);
	struct change c = {0};
	if (!loads || !cheaper || !proved(s, next, &c) || !can_be_written(s, p->new)) {
		s->result->refused++;
		kset_free(next);
		return false;
	}
	take(s, p, next, score, &c);
	return true;
}

const struct rule **search_replace(struct search *s, size_t i, const struct rule *with, size_t j, size_t *n)
{
	const struct rule **out = arena_array(s->arena, const struct rule *, s->n + 1);
	*n = 0;
	for (size_t at = 0; at < s->n; at++) {
		if (at == i && with)
			out[(*n)++] = with;
		else if (at != i && at != j)
			out[(*n)++] = s->rules[at];
	}
	return out;
}

const struct rule **search_prepend(struct search *s, const struct rule *r, size_t *n)
{
	const struct rule **out = arena_array(s->arena, const struct rule *, s->n + 2);
	out[0] = r;
	memcpy(out + 1, s->rules, s->n * sizeof(out[0]));
	*n = s->n + 1;
	return out;
}

double search_score(struct search *s, const struct rule *const *rules, size_t n, double *unnamed)
{
	struct diags ds = {.arena = arena_new()};
	struct kset *k = kset_of_rules(rules, n, s->k->kernel, &ds);
	double score = ds.n ? INFINITY : cost_score(s->o->coefficients, k);
	struct call call = cost_caller_call(CALLER_SERVICE, ABI_64, cost_unnamed_call(k, ABI_64));
	*unnamed = cost_call(s->o->coefficients, k, &call);
	kset_free(k);
	arena_free(ds.arena);
	return score;
}

const struct krule *search_held(const struct search *s, const struct rule *r)
{
	for (size_t i = 0; i < s->k->n; i++) {
		if (s->k->rules[i].rule == r)
			return &s->k->rules[i];
	}
	return NULL;
}

/* ---- rules ------------------------------------------------------------------------------------------------------------------------ */

const char *rule_origin(struct search *s, const struct rule *r)
{
	if (!r->line || r->added)
		return "a rule made here";
	if (s->result->several_files)
		return arena_printf(s->arena, "%s:%u", r->line->at.file, r->line->at.line);
	return arena_printf(s->arena, "line %u", r->line->at.line);
}

struct rule *rule_copy(struct search *s, const struct rule *r)
{
	struct rule *c = arena_one(s->arena, struct rule);
	*c = *r;
	c->watch = false;
	return c;
}

bool rule_same_fields(const struct rule *a, const struct rule *b, uint32_t except)
{
	bool used[AUDIT_MAX_FIELDS] = {false};
	unsigned na = 0, nb = 0;
	for (unsigned j = 0; j < b->nfields; j++)
		nb += b->fields[j].id != except;
	for (unsigned i = 0; i < a->nfields; i++) {
		if (a->fields[i].id == except)
			continue;
		na++;
		unsigned j = 0;
		while (j < b->nfields && (used[j] || !field_same(&a->fields[i], &b->fields[j])))
			j++;
		if (j == b->nfields)
			return false;
		used[j] = true;
	}
	return na == nb;
}

void rule_drop_field(struct rule *r, uint32_t id)
{
	unsigned n = 0;
	for (unsigned i = 0; i < r->nfields; i++) {
		if (r->fields[i].id != id)
			r->fields[n++] = r->fields[i];
	}
	r->nfields = n;
}

void rule_add_field(struct rule *r, uint32_t id, uint32_t op, uint32_t value)
{
	if (r->nfields == AUDIT_MAX_FIELDS)
		return;
	unsigned at = r->nfields;
	if (at > 0 && r->fields[at - 1].id == AUDIT_FILTERKEY) {
		r->fields[at] = r->fields[at - 1];
		at--;
	}
	r->fields[at] = (struct field){.id = id, .op = op, .value = value};
	r->nfields++;
}

bool mask_subset(const uint32_t a[AUDIT_BITMASK_SIZE], const uint32_t b[AUDIT_BITMASK_SIZE])
{
	for (unsigned i = 0; i < AUDIT_BITMASK_SIZE; i++) {
		if (a[i] & ~b[i])
			return false;
	}
	return true;
}

unsigned mask_count(const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	unsigned n = 0;
	for (unsigned i = 0; i < AUDIT_BITMASK_SIZE; i++)
		n += (unsigned)__builtin_popcount(mask[i]);
	return n;
}

/* ---- the search ---------------------------------------------------------------------------------------------------------------------- */

static void run_pass(struct search *s, const struct pass *p)
{
	s->pass = p;
	if (pass_enabled(s, p))
		p->run(s);
}

static void run_lossless(struct search *s, bool removing)
{
	size_t before;
	do {
		before = s->result->nchanges;
		for (size_t i = 0; i < pass_table_len; i++) {
			if (pass_table[i].kind == PASS_LOSSLESS && pass_table[i].removes == removing)
				run_pass(s, &pass_table[i]);
		}
	} while (s->result->nchanges != before);
}

/* Rules are taken away first, and again when the others are rewritten: that costs a proof for each of them. */
static void to_fixed_point(struct search *s)
{
	size_t before;
	do {
		before = s->result->nchanges;
		run_lossless(s, false);
		run_lossless(s, true);
	} while (s->result->nchanges != before);
}

/*
 * A pass may take away what a later one needs: two rules of one call folded over their ABIs no longer merge with a pair of
 * the same fields, and the other way round. So the search starts several times, each with another pass done first.
 */
static const char *const first_pass[] = {NULL, "merge", "fold"};

static void search_copy(struct search *to, const struct search *from, struct optimized *result)
{
	struct diags none = {.arena = from->arena};
	*to = *from;
	*result = *from->result;
	to->result = result;
	to->k = kset_of_rules(from->rules, from->n, from->k->kernel, &none);
}

static bool better(const struct search *a, const struct search *b)
{
	if (a->score < b->score - 1e-9 || a->score > b->score + 1e-9)
		return a->score < b->score;
	return a->n < b->n;
}

/* The best of the starts; the earlier one among equals. */
static void lossless(struct search *s)
{
	run_lossless(s, true);
	struct search best = {0};
	size_t tried = 0, refused = 0;
	for (size_t i = 0; i < ARRAY_SIZE(first_pass); i++) {
		struct search one;
		search_copy(&one, s, arena_one(s->arena, struct optimized));
		for (size_t p = 0; first_pass[i] && p < pass_table_len; p++) {
			if (strcmp(pass_table[p].name, first_pass[i]) == 0)
				run_pass(&one, &pass_table[p]);
		}
		to_fixed_point(&one);
		tried += one.result->tried;
		refused += one.result->refused;
		if (i > 0 && !better(&one, &best)) {
			kset_free(one.k);
			continue;
		}
		kset_free(best.k);
		best = one;
	}
	struct optimized *r = s->result;
	*r = *best.result;
	r->tried = tried;
	r->refused = refused;
	kset_free(s->k);
	*s = best;
	s->result = r;
}

/* Rules in the order of their requests: what the file would load, were its deletions and -D carried out. */
static void start_rules(struct search *s, const struct kset *k)
{
	s->rules = arena_array(s->arena, const struct rule *, k->n + 1);
	for (size_t i = 0; i < k->n; i++) {
		size_t at = s->n++;
		for (; at > 0; at--) {
			const struct krule *prev = search_held(s, s->rules[at - 1]);
			if (prev->request < k->rules[i].request)
				break;
			s->rules[at] = s->rules[at - 1];
		}
		s->rules[at] = k->rules[i].rule;
	}
}

static bool several_files(const struct search *s)
{
	for (size_t i = 1; i < s->n; i++) {
		const struct line *a = s->rules[i - 1]->line, *b = s->rules[i]->line;
		if (a && b && strcmp(a->at.file, b->at.file) != 0)
			return true;
	}
	return false;
}

/* Everything but the exemption of tasks, proved once more from end to end. */
static void prove_whole(struct search *s, const struct kset *k, struct kset *without_task_loss)
{
	struct optimized *r = s->result;
	struct prove_options o = {.level = LEVEL_E3};
	for (size_t i = 0; i < r->nchanges; i++) {
		const struct change *c = &r->changes[i];
		o.no_abi32 = o.no_abi32 || (c->needs && strcmp(c->needs, "no-32bit") == 0);
		o.no_mac = o.no_mac || (c->needs && strcmp(c->needs, "no-mac") == 0);
		if (c->level < o.level)
			o.level = c->level;
	}
	r->level = o.level;
	without_task_loss->enabled = k->enabled;
	r->proof = prove(k, without_task_loss, &o, s->arena);
}

struct optimized *optimize(const struct kset *k, const struct optimize_options *o)
{
	struct arena *a = arena_new();
	struct optimized *r = arena_one(a, struct optimized);
	struct search s = {.arena = a, .o = o, .result = r};
	struct diags none = {.arena = a};

	r->arena = a;
	s.k = (struct kset *)(uintptr_t)k;      /* only read until it is replaced below */
	start_rules(&s, k);
	s.k = kset_of_rules(s.rules, s.n, k->kernel, &none);
	s.score = cost_score(o->coefficients, s.k);
	r->before = s.rules;
	r->nbefore = s.n;
	r->several_files = several_files(&s);
	r->kset_before = kset_of_rules(s.rules, s.n, k->kernel, &none);

	lossless(&s);
	for (size_t i = 0; i < pass_table_len; i++) {
		if (pass_table[i].kind != PASS_LOSSLESS && !is_task_loss(&pass_table[i]))
			run_pass(&s, &pass_table[i]);
	}
	struct kset *kept = kset_of_rules(s.rules, s.n, k->kernel, &none);
	for (size_t i = 0; i < pass_table_len; i++) {
		if (is_task_loss(&pass_table[i]))
			run_pass(&s, &pass_table[i]);
	}
	r->after = s.rules;
	r->nafter = s.n;
	r->kset_after = s.k;
	prove_whole(&s, k, kept);
	kset_free(kept);
	return r;
}

void optimized_free(struct optimized *r)
{
	if (!r)
		return;
	kset_free(r->kset_before);
	kset_free(r->kset_after);
	arena_free(r->arena);
}
