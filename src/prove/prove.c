/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prove/prove.h"
#include "prove/atoms.h"

#include <stdlib.h>
#include <string.h>

/* Where an exit rule stands among the path rules that are live in the view: 0 before all of them. Compared as is. */
struct outcome {
	size_t segment;
	uint32_t action;
	unsigned key;             /* index into keys; 0: none */
};

struct live {                     /* a path rule that is live in a view */
	node cond;
	uint32_t action;
	unsigned key;
};

struct side {                     /* one of the two sets */
	const struct kset *k;
	node *base;               /* of each rule, made on first use */
	bool *has_base;
};

struct prover {
	struct arena *arena;
	struct bdd *b;
	struct atoms *t;
	const struct prove_options *o;
	struct side sides[2];
	const char **keys;
	size_t nkeys;
	struct outcome *outcomes; /* terminal value - 2 */
	size_t noutcomes;
};

struct meaning {                  /* of a set in a view */
	struct live *seq;
	size_t n;
	node decision;
};

const char *level_name(enum level l)
{
	static const char *const names[] = {"E0", "E1", "E2", "E3"};
	return names[l];
}

/* ---- interning ------------------------------------------------------------------------------------------------------------------------- */

static unsigned key_index(struct prover *p, const char *key)
{
	if (!key)
		return 0;
	for (size_t i = 1; i < p->nkeys; i++) {
		if (strcmp(p->keys[i], key) == 0)
			return (unsigned)i;
	}
	*arena_push(p->arena, p->keys, p->nkeys) = key;
	return (unsigned)(p->nkeys - 1);
}

static node outcome_node(struct prover *p, size_t segment, uint32_t action, unsigned key)
{
	for (size_t i = 0; i < p->noutcomes; i++) {
		const struct outcome *o = &p->outcomes[i];
		if (o->segment == segment && o->action == action && o->key == key)
			return bdd_terminal(p->b, (unsigned)i + 2);
	}
	*arena_push(p->arena, p->outcomes, p->noutcomes) = (struct outcome){segment, action, key};
	return bdd_terminal(p->b, (unsigned)p->noutcomes + 1);
}

static node condition(struct prover *p, struct side *s, size_t rule, const struct view *v)
{
	if (!s->has_base[rule]) {
		s->base[rule] = atoms_base(p->t, &s->k->rules[rule]);
		s->has_base[rule] = true;
	}
	return bdd_and(p->b, s->base[rule], atoms_in_view(p->t, &s->k->rules[rule], v));
}

/* ---- the meaning of a set in a view ------------------------------------------------------------------------------------------------------ */

/*
 * With companions out of the comparison, a never rule that nothing of lower priority could follow is as good as no match:
 * no path rule below it (it would shield the event from it), and no keyless path rule above (its key would stick there).
 */
static bool never_is_nothing(const struct meaning *m, size_t segment, unsigned key)
{
	for (size_t i = 0; i < m->n; i++) {
		if (i >= segment && m->seq[i].action == AUDIT_ALWAYS)
			return false;
		if (i < segment && m->seq[i].key == 0 && key != 0)
			return false;
	}
	return true;
}

/* The key of a never rule is seen only when it sticks to a keyless path rule of higher priority. */
static unsigned visible_key(const struct meaning *m, size_t segment, uint32_t action, unsigned key)
{
	if (action == AUDIT_ALWAYS)
		return key;
	for (size_t i = 0; i < segment; i++) {
		if (m->seq[i].key == 0 && m->seq[i].action == AUDIT_ALWAYS)
			return key;
	}
	return 0;
}

static bool companions_matter(const struct prover *p, const struct view *v)
{
	if (p->o->level < LEVEL_E3)
		return false;
	return !(p->o->no_mac && v->kind == EV_SYSCALL && call_is_quiet(v->abi, v->nr));
}

static node exit_outcome(struct prover *p, const struct view *v, const struct meaning *m, size_t segment,
			 uint32_t action, unsigned key)
{
	if (action == AUDIT_NEVER && !companions_matter(p, v) && never_is_nothing(m, segment, key))
		return BDD_FALSE;
	unsigned seen = visible_key(m, segment, action, key);
	if (p->o->level == LEVEL_E0)
		seen = 0;
	return outcome_node(p, segment, action, seen);
}

/*
 * An identical path rule right after another, with no live exit rule in between, changes nothing: the bucket may turn
 * round when the file is replaced (audit_watch.c:audit_update_watch), but the two stay neighbours.
 */
static bool repeats(const struct meaning *m, const struct live *l, bool exit_between)
{
	if (m->n == 0 || exit_between)
		return false;
	const struct live *last = &m->seq[m->n - 1];
	return last->cond == l->cond && last->action == l->action && last->key == l->key;
}

struct exit_rule {
	node cond;
	size_t segment;
	uint32_t action;
	unsigned key;
};

/* rules: indices of the set's rules live by mask, by falling priority. */
static struct meaning meaning_of(struct prover *p, struct side *s, const size_t *rules, size_t n, const struct view *v,
				 struct arena *scratch)
{
	struct meaning m = {.seq = arena_array(scratch, struct live, n + 1)};
	struct exit_rule *exits = arena_array(scratch, struct exit_rule, n + 1);
	size_t nexits = 0;
	bool exit_between = false;

	for (size_t i = 0; i < n; i++) {
		const struct krule *r = &s->k->rules[rules[i]];
		node cond = condition(p, s, rules[i], v);
		unsigned key = key_index(p, rule_key(r->rule));
		if (cond == BDD_FALSE)
			continue;
		if (r->home == HOME_EXIT) {
			exits[nexits++] = (struct exit_rule){cond, m.n, r->rule->action, key};
			exit_between = true;
			continue;
		}
		struct live l = {cond, r->rule->action, p->o->level == LEVEL_E0 ? 0 : key};
		if (!repeats(&m, &l, exit_between))
			m.seq[m.n++] = l;
		exit_between = false;
	}
	m.decision = BDD_FALSE;
	for (size_t i = nexits; i > 0; i--) {
		const struct exit_rule *e = &exits[i - 1];
		node out = exit_outcome(p, v, &m, e->segment, e->action, e->key);
		m.decision = bdd_ite(p->b, e->cond, out, m.decision);
	}
	return m;
}

/* ---- witnesses ----------------------------------------------------------------------------------------------------------------------------- */

static const char *describe_decision(struct prover *p, const struct event *e, const struct decision *d)
{
	if (!d->by)
		return e->kind == EV_TASK ? "it gets an audit context" : "no rule matches";
	const struct line *line = d->by->rule->line;
	const char *at = d->by->rule->added ? " (the new one)" : line ? arena_printf(p->arena, " (%s:%u)", line->at.file, line->at.line) : "";
	if (e->kind == EV_TASK && !d->recorded)
		return arena_printf(p->arena, "it gets no audit context: none of its calls is ever recorded%s", at);
	if (!d->recorded)
		return arena_printf(p->arena, "a never rule silences it%s", at);
	if (!d->key)
		return arena_printf(p->arena, "recorded without a key%s", at);
	return arena_printf(p->arena, "recorded with key %s%s", d->key, at);
}

static bool decisions_differ(const struct prover *p, const struct decision *a, const struct decision *b, bool companions)
{
	if (a->recorded != b->recorded)
		return true;
	if (a->recorded && p->o->level > LEVEL_E0)
		return strcmp(a->key ? a->key : "", b->key ? b->key : "") != 0;
	return companions && (!a->by) != (!b->by);
}

/* Only what the concrete model confirms is called different. */
static bool confirm(struct prover *p, const struct view *v, const signed char *value, struct proof *out)
{
	struct event *e = atoms_event(p->t, v, value);
	struct decision a = kernel_decide(p->sides[0].k, e), b = kernel_decide(p->sides[1].k, e);
	out->verdict = PROOF_UNDECIDED;
	out->reason = "the two sets differ where the model cannot show it on one event";
	out->witness.event = atoms_describe(p->t, e);
	out->witness.a = describe_decision(p, e, &a);
	out->witness.b = describe_decision(p, e, &b);
	if (!decisions_differ(p, &a, &b, v->kind == EV_TASK || companions_matter(p, v)))
		return false;
	out->verdict = PROOF_DIFFERENT;
	out->reason = "an event is treated differently";
	return true;
}

static void explain_difference(struct prover *p, const struct view *v, const struct meaning *m, struct proof *out)
{
	signed char *value = arena_array(p->arena, signed char, bdd_nvars(p->b) + 1);
	out->verdict = PROOF_UNDECIDED;
	out->reason = "the path rules differ";
	if (p->o->no_witness)
		return;
	for (size_t i = 0; i < m[0].n || i < m[1].n; i++) {
		const struct live *x = i < m[0].n ? &m[0].seq[i] : NULL, *y = i < m[1].n ? &m[1].seq[i] : NULL;
		if (x && y && x->cond == y->cond && x->action == y->action && x->key == y->key)
			continue;
		if (bdd_difference(p->b, x ? x->cond : BDD_FALSE, y && x && x->cond != y->cond ? y->cond : BDD_FALSE, value) &&
		    confirm(p, v, value, out))
			return;
		if (y && bdd_difference(p->b, y->cond, BDD_FALSE, value) && confirm(p, v, value, out))
			return;
	}
	if (bdd_difference(p->b, m[0].decision, m[1].decision, value) && confirm(p, v, value, out))
		return;
	/* A different place among the path rules shows only on an event that one of them matches. */
	for (size_t i = 0; i < m[0].n; i++) {
		node f = bdd_ite(p->b, m[0].seq[i].cond, m[0].decision, BDD_FALSE);
		node g = bdd_ite(p->b, m[0].seq[i].cond, m[1].decision, BDD_FALSE);
		if (bdd_difference(p->b, f, g, value) && confirm(p, v, value, out))
			return;
	}
}

/* ---- comparing ------------------------------------------------------------------------------------------------------------------------------- */

static bool same_meaning(const struct meaning *a, const struct meaning *b)
{
	if (a->n != b->n || a->decision != b->decision)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct live *x = &a->seq[i], *y = &b->seq[i];
		if (x->cond != y->cond || x->action != y->action || x->key != y->key)
			return false;
	}
	return true;
}

static size_t live_rules(const struct kset *k, const struct view *v, size_t *out)
{
	size_t n = 0;
	for (size_t i = 0; i < k->n; i++) {
		const struct krule *r = &k->rules[i];
		bool there = r->home == HOME_HASH || (r->home == HOME_EXIT && v->kind == EV_SYSCALL);
		if (!there || !mask_has(r->mask, v->nr))
			continue;
		if (v->kind == EV_SYSCALL && !krule_allows_abi(r, v->abi))
			continue;
		out[n++] = i;
	}
	return n;
}

static bool same_objects(const struct prover *p, const size_t *a, size_t na, const size_t *b, size_t nb)
{
	if (na != nb)
		return false;
	for (size_t i = 0; i < na; i++) {
		if (p->sides[0].k->rules[a[i]].rule != p->sides[1].k->rules[b[i]].rule)
			return false;
	}
	return true;
}

/* Views in which the same rules are live and perm answers alike have one answer; each is worked out once. */
struct group {
	enum event_kind kind;
	size_t *rules[2], n[2];
	unsigned perm;
	enum open_kind open;
	bool uncertain, companions;
	struct group *next;
};

enum { GROUP_BUCKETS = 1024 };

static size_t group_hash(const struct group *g)
{
	size_t h = (size_t)g->kind * 131 + g->perm * 31 + g->open * 7 + g->uncertain * 3 + g->companions;
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < g->n[s]; i++)
			h = h * 1099511628211U + g->rules[s][i] + 1;
	}
	return (h ^ h >> 17) % GROUP_BUCKETS;
}

static bool same_group(const struct group *a, const struct group *b)
{
	if (a->kind != b->kind || a->perm != b->perm || a->open != b->open || a->uncertain != b->uncertain || a->companions != b->companions)
		return false;
	for (int s = 0; s < 2; s++) {
		if (a->n[s] != b->n[s] || memcmp(a->rules[s], b->rules[s], a->n[s] * sizeof(size_t)) != 0)
			return false;
	}
	return true;
}

static struct group *group_keep(struct arena *a, const struct group *g)
{
	struct group *k = arena_one(a, struct group);
	*k = *g;
	for (int s = 0; s < 2; s++) {
		k->rules[s] = arena_array(a, size_t, g->n[s] + 1);
		memcpy(k->rules[s], g->rules[s], g->n[s] * sizeof(size_t));
	}
	return k;
}

struct comparison {
	struct prover *p;
	struct arena *scratch;
	struct group *buckets[GROUP_BUCKETS];
	struct group now;         /* with room for all rules */
	struct proof *out;
};

/* False: the answer is known, stop. */
static bool compare_view(struct comparison *c, const struct view *v)
{
	struct prover *p = c->p;
	struct group *g = &c->now;
	for (int s = 0; s < 2; s++)
		g->n[s] = live_rules(p->sides[s].k, v, g->rules[s]);
	c->out->views++;
	if (same_objects(p, g->rules[0], g->n[0], g->rules[1], g->n[1]))
		return true;
	g->kind = v->kind;
	g->perm = v->perm;
	g->open = v->open;
	g->uncertain = v->uncertain;
	g->companions = companions_matter(p, v);
	size_t h = group_hash(g);
	for (const struct group *old = c->buckets[h]; old; old = old->next) {
		if (same_group(old, g))
			return true;
	}
	struct group *kept = group_keep(c->scratch, g);
	kept->next = c->buckets[h];
	c->buckets[h] = kept;
	c->out->groups++;

	struct meaning m[2];
	for (int s = 0; s < 2; s++)
		m[s] = meaning_of(p, &p->sides[s], g->rules[s], g->n[s], v, c->scratch);
	if (bdd_overflowed(p->b) || same_meaning(&m[0], &m[1]))
		return !bdd_overflowed(p->b);
	explain_difference(p, v, m, c->out);
	return false;
}

static struct view syscall_view(enum abi abi, unsigned nr)
{
	struct view v = {.kind = EV_SYSCALL, .abi = abi, .nr = nr};
	v.perm = perm_class(abi, nr, &v.open);
	v.uncertain = perm_class_uncertain(abi, nr);
	return v;
}

struct seen {                     /* a rule object and where it stands */
	const struct rule *rule;
	size_t at;
};

static int by_pointer(const void *x, const void *y)
{
	uintptr_t a = (uintptr_t)((const struct seen *)x)->rule, b = (uintptr_t)((const struct seen *)y)->rule;
	return a < b ? -1 : a > b;
}

static struct seen *sorted_rules(const struct kset *k, struct arena *a)
{
	struct seen *s = arena_array(a, struct seen, k->n + 1);
	for (size_t i = 0; i < k->n; i++)
		s[i] = (struct seen){k->rules[i].rule, i};
	qsort(s, k->n, sizeof(*s), by_pointer);
	return s;
}

static void add_mask(uint32_t to[AUDIT_BITMASK_SIZE], const uint32_t from[AUDIT_BITMASK_SIZE])
{
	for (unsigned i = 0; i < AUDIT_BITMASK_SIZE; i++)
		to[i] |= from[i];
}

/*
 * Numbers at which the two sets can differ at all: those of the rules that only one of them has. Elsewhere the same
 * rules stand in the same order. All numbers when the common rules change places. O(n log n).
 */
static void changed_numbers(struct prover *p, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	const struct kset *a = p->sides[0].k, *b = p->sides[1].k;
	struct seen *in_b = sorted_rules(b, p->arena);
	bool *common = arena_array(p->arena, bool, b->n + 1);
	size_t last = 0;
	bool ordered = true;

	memset(mask, 0, AUDIT_BITMASK_SIZE * sizeof(mask[0]));
	for (size_t i = 0; i < a->n; i++) {
		struct seen key = {a->rules[i].rule, 0};
		const struct seen *s = b->n ? bsearch(&key, in_b, b->n, sizeof(key), by_pointer) : NULL;
		if (!s) {
			add_mask(mask, a->rules[i].mask);
			continue;
		}
		ordered = ordered && s->at >= last;
		last = s->at;
		common[s->at] = true;
	}
	for (size_t i = 0; i < b->n; i++) {
		if (!common[i])
			add_mask(mask, b->rules[i].mask);
	}
	if (!ordered)
		memset(mask, 0xff, AUDIT_BITMASK_SIZE * sizeof(mask[0]));
}

static void compare_syscalls(struct prover *p, struct proof *out)
{
	struct comparison *c = arena_one(p->arena, struct comparison);
	c->p = p;
	c->out = out;
	c->scratch = p->arena;
	for (int s = 0; s < 2; s++)
		c->now.rules[s] = arena_array(p->arena, size_t, p->sides[s].k->n + 1);

	uint32_t changed[AUDIT_BITMASK_SIZE];
	changed_numbers(p, changed);
	struct view worker = {.kind = EV_WORKER};
	if (!compare_view(c, &worker))
		return;
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		if (abi == ABI_32 && p->o->no_abi32)
			continue;
		for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
			struct view v = syscall_view(abi, nr);
			if (!mask_has(changed, nr))
				out->views++;
			else if (!compare_view(c, &v))
				return;
		}
	}
}

/* ---- the other lists ------------------------------------------------------------------------------------------------------------------------- */

/* The task list: first match decides; not to be told apart are only those that end alike, key included. */
static void compare_task_list(struct prover *p, struct proof *out)
{
	node f[2];
	for (int s = 0; s < 2; s++) {
		const struct kset *k = p->sides[s].k;
		f[s] = BDD_FALSE;
		for (size_t i = k->n; i > 0; i--) {
			const struct krule *r = &k->rules[i - 1];
			if (r->home != HOME_TASK)
				continue;
			unsigned key = r->rule->action == AUDIT_ALWAYS ? key_index(p, rule_key(r->rule)) : 0;
			node result = outcome_node(p, 0, r->rule->action, key);
			f[s] = bdd_ite(p->b, atoms_at_fork(p->t, r), result, f[s]);
		}
	}
	if (f[0] == f[1] || bdd_overflowed(p->b))
		return;
	struct view fork = {.kind = EV_TASK};
	out->verdict = PROOF_UNDECIDED;
	out->reason = "the task list differs";
	if (p->o->no_witness)
		return;
	signed char *value = arena_array(p->arena, signed char, bdd_nvars(p->b) + 1);
	bdd_difference(p->b, f[0], f[1], value);
	confirm(p, &fork, value, out);
}

/* user, exclude, filesystem, io_uring: field order is meaning there (auditfilter.c:audit_filter), so they must be the same rule by rule. */
static bool same_list(const struct kset *a, const struct kset *b, enum home home)
{
	size_t j = 0;
	for (size_t i = 0; i < a->n; i++) {
		const struct krule *x = &a->rules[i];
		if (x->home != home)
			continue;
		while (j < b->n && b->rules[j].home != home)
			j++;
		if (j == b->n)
			return false;
		const struct krule *y = &b->rules[j++];
		if (x->rule->action != y->rule->action || x->nfields != y->nfields)
			return false;
		if (home == HOME_URING && memcmp(x->mask, y->mask, sizeof(x->mask)) != 0)
			return false;
		for (unsigned f = 0; f < x->nfields; f++) {
			if (!field_same(&x->fields[f], &y->fields[f]))
				return false;
		}
	}
	while (j < b->n && b->rules[j].home != home)
		j++;
	return j == b->n;
}

static bool has_home(const struct kset *k, enum home home)
{
	for (size_t i = 0; i < k->n; i++) {
		if (k->rules[i].home == home)
			return true;
	}
	return false;
}

static void differ(struct proof *out, enum verdict v, const char *reason, const char *event, const char *a, const char *b)
{
	out->verdict = v;
	out->reason = reason;
	out->witness = (struct witness){event, a, b};
}

static bool counts_in(const struct krule *r, enum level what)
{
	return what == LEVEL_E3 ? r->counts : r->signals;
}

static bool same_field_of(const struct krule *a, const struct krule *b, uint32_t id)
{
	const struct field *x = rule_field(a->rule, id), *y = rule_field(b->rule, id);
	return x && y ? x->value == y->value && memcmp(x->text, y->text, x->value) == 0 : x == y;
}

/*
 * Does each counted rule of a have one in b that the kernel drops with it, and out of the counter with it? A rule with a
 * path too stays in the counter when it goes with the path's directory (audit_watch.c:audit_remove_parent_watches), and one
 * with a dir when it goes with that (audit_tree.c:kill_rules).
 */
static bool leave_alike(const struct kset *a, const struct kset *b, enum level what)
{
	for (size_t i = 0; i < a->n; i++) {
		bool found = !counts_in(&a->rules[i], what);
		for (size_t j = 0; j < b->n && !found; j++)
			found = counts_in(&b->rules[j], what) && same_field_of(&a->rules[i], &b->rules[j], AUDIT_EXE) &&
				same_field_of(&a->rules[i], &b->rules[j], AUDIT_WATCH) &&
				same_field_of(&a->rules[i], &b->rules[j], AUDIT_DIR);
		if (!found)
			return false;
	}
	return true;
}

/* With a rule that never leaves a counter it is above zero; else it depends on those that do, rules with exe. */
static bool same_counter(const struct kset *a, const struct kset *b, enum level what)
{
	bool x = what == LEVEL_E3 ? a->counted : a->signals, y = what == LEVEL_E3 ? b->counted : b->signals;
	return x == y && (x || (leave_alike(a, b, what) && leave_alike(b, a, what)));
}

static const char *counter_says(const struct kset *k, enum level what)
{
	static const char *const says[2][3] = {
		{"PATH and CWD come with it", "PATH and CWD come with it while the programs of its exe rules have a directory", "no PATH, no CWD"},
		{"an OBJ_PID record comes with it", "an OBJ_PID record comes with it while the programs of its exe rules have a directory",
		 "no OBJ_PID record"},
	};
	bool any = false;
	for (size_t i = 0; i < k->n; i++)
		any = any || counts_in(&k->rules[i], what);
	bool stays = what == LEVEL_E3 ? k->counted : k->signals;
	return says[what != LEVEL_E3][stays ? 0 : any ? 1 : 2];
}

static void compare_rest(struct prover *p, struct proof *out)
{
	const struct kset *a = p->sides[0].k, *b = p->sides[1].k;
	static const enum home lists[] = {HOME_USER, HOME_EXCLUDE, HOME_FILESYSTEM, HOME_URING};
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!same_list(a, b, lists[i]))
			differ(out, PROOF_UNDECIDED, "a user, exclude, filesystem or io_uring list was changed", NULL, NULL, NULL);
	}
	/* Rules of the io_uring list share priorities with path rules; their interplay is not modelled. */
	if (has_home(a, HOME_URING) && out->groups)
		differ(out, PROOF_UNDECIDED, "rules beside an io_uring list were changed", NULL, NULL, NULL);
	if (p->o->level >= LEVEL_E3 && !same_counter(a, b, LEVEL_E3))
		differ(out, PROOF_DIFFERENT, "one set may leave the kernel without a counted rule where the other does not",
		       "a denied open that an AVC reports", counter_says(a, LEVEL_E3), counter_says(b, LEVEL_E3));
	if (p->o->level >= LEVEL_E2 && !same_counter(a, b, LEVEL_E2))
		differ(out, PROOF_DIFFERENT, "one set may have no rule that covers kill, tkill or tgkill where the other has one",
		       "a recorded pidfd_send_signal", counter_says(a, LEVEL_E2), counter_says(b, LEVEL_E2));
	if (a->enabled != b->enabled)
		differ(out, PROOF_DIFFERENT, "the enabled flag differs", "any system call", "enabled flag of the one set",
		       "enabled flag of the other");
}

/* ---- the entry ---------------------------------------------------------------------------------------------------------------------------------- */

static void prover_init(struct prover *p, const struct kset *a, const struct kset *b, const struct prove_options *o,
			struct arena *arena)
{
	*p = (struct prover){.arena = arena, .o = o};
	p->b = bdd_new(o->max_nodes ? o->max_nodes : 4000000);
	p->t = atoms_new(p->b, arena);
	*arena_push(arena, p->keys, p->nkeys) = "";
	const struct kset *sets[] = {a, b};
	for (int s = 0; s < 2; s++) {
		p->sides[s].k = sets[s];
		p->sides[s].base = arena_array(arena, node, sets[s]->n + 1);
		p->sides[s].has_base = arena_array(arena, bool, sets[s]->n + 1);
	}
}

struct proof prove(const struct kset *a, const struct kset *b, const struct prove_options *o, struct arena *arena)
{
	struct proof out = {.verdict = PROOF_EQUAL};
	struct arena *work = arena_new();
	struct prover p;
	prover_init(&p, a, b, o, work);
	compare_syscalls(&p, &out);
	if (out.verdict == PROOF_EQUAL)
		compare_rest(&p, &out);
	if (out.verdict == PROOF_EQUAL)
		compare_task_list(&p, &out);
	if (bdd_overflowed(p.b))
		differ(&out, PROOF_UNDECIDED, "the decision diagrams grew beyond their limit", NULL, NULL, NULL);
	if (atoms_refused(p.t))
		differ(&out, PROOF_UNDECIDED, arena_printf(work, "not understood: %s", atoms_refused(p.t)), NULL, NULL, NULL);
	out.nodes = bdd_size(p.b);
	out.reason = out.reason ? arena_strdup(arena, out.reason) : NULL;
	struct witness w = out.witness;
	out.witness = (struct witness){w.event ? arena_strdup(arena, w.event) : NULL, w.a ? arena_strdup(arena, w.a) : NULL,
				       w.b ? arena_strdup(arena, w.b) : NULL};
	bdd_free(p.b);
	arena_free(work);
	return out;
}

/* ---- questions about single rules ------------------------------------------------------------------------------------------------------------- */

bool rule_matches_unset_auid(const struct krule *r, struct arena *arena, const char **event)
{
	struct arena *work = arena_new();
	struct bdd *b = bdd_new(1000000);
	struct atoms *t = atoms_new(b, work);
	bool found = false;
	node base = bdd_and(b, atoms_base(t, r), atoms_unset_auid(t));
	*event = NULL;
	for (enum abi abi = 0; abi < ABI_COUNT && !found; abi++) {
		for (unsigned nr = 0; nr < NR_LIMIT && !found; nr++) {
			struct view v = syscall_view(abi, nr);
			if (!mask_has(r->mask, nr))
				continue;
			node cond = bdd_and(b, base, atoms_in_view(t, r, &v));
			signed char *value = arena_array(work, signed char, bdd_nvars(b) + 1);
			found = bdd_difference(b, cond, BDD_FALSE, value);
			if (found)
				*event = arena_strdup(arena, atoms_describe(t, atoms_event(t, &v, value)));
		}
	}
	bool undecided = bdd_overflowed(b) || atoms_refused(t);
	bdd_free(b);
	arena_free(work);
	return found || undecided;
}

void unmatched_calls(const struct kset *k, enum abi abi, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	struct arena *work = arena_new();
	struct bdd *b = bdd_new(4000000);
	struct atoms *t = atoms_new(b, work);
	memset(mask, 0, AUDIT_BITMASK_SIZE * sizeof(mask[0]));
	for (unsigned nr = 0; nr < NR_LIMIT; nr++)
		mask_add(mask, nr);
	for (size_t i = 0; i < k->n; i++) {
		const struct krule *r = &k->rules[i];
		if ((r->home != HOME_EXIT && r->home != HOME_HASH) || r->rule->action != AUDIT_ALWAYS)
			continue;
		node base = atoms_base(t, r);
		for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
			struct view v = syscall_view(abi, nr);
			if (mask_has(r->mask, nr) && bdd_and(b, base, atoms_in_view(t, r, &v)) != BDD_FALSE)
				mask[nr / 32] &= ~(UINT32_C(1) << (nr % 32));
		}
	}
	if (bdd_overflowed(b) || atoms_refused(t))
		memset(mask, 0, AUDIT_BITMASK_SIZE * sizeof(mask[0]));
	bdd_free(b);
	arena_free(work);
}
