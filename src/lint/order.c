/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules against earlier ones: the first that matches decides (kernel/auditsc.c: audit_filter_syscall; the
 * priorities of auditfilter.c make the search by names agree with that order). Rules that select alike form a
 * class, which knows the system calls that they have claimed so far. A rule is compared with the classes that
 * could imply it: those found by one of its texts or numbers, and those that ask for none. So the work grows
 * with the rules and not with their pairs.
 */
#include "lint/lint.h"
#include "prove/select.h"

#include <stdlib.h>
#include <string.h>

enum {
	CLASSES_MAX = 500,   /* compared with one rule at most */
	CANDIDATES_MAX = 64, /* of them that could decide */
	OWNERS_MAX = 4,      /* earlier rules that are named */
	NAMES_MAX = 3,       /* system calls that are named */
};

enum family { FAM_CALLS, FAM_TASK, FAM_USER, FAM_EXCLUDE, FAM_FILESYSTEM, FAM_NONE };

struct reach { /* where a rule can match: numbers by view; lists without numbers use bit 0 of one view */
	uint32_t mask[VIEW_COUNT][AUDIT_BITMASK_SIZE];
};

struct class
{
	struct selection sel;
	enum family family;
	uint64_t anchor;
	struct reach claimed;
	size_t *rules; /* indices in the loaded set */
	size_t n;
	struct class *next;  /* with an anchor of the same bucket, oldest first */
	struct class *alike; /* with a hash of the same bucket */
};

struct verdict {         /* on one rule */
	bool dead, same; /* never decides; one earlier rule is the same but for key and action */
	size_t owners[OWNERS_MAX];
	size_t nowners;
	bool more; /* there are others */
};

struct part { /* of one rule: later ones from which it takes some system calls */
	size_t n, first;
};

struct order {
	struct lint *l;
	struct arena *work;
	struct class **first, **last; /* by anchor: what to compare with */
	struct class **exact;         /* by hash: where a rule belongs */
	size_t nbuckets;
	struct verdict *verdicts;
	struct part *parts;
	uint32_t archs[2];
	bool cut, x86;
};

/* ---- where a rule can match ------------------------------------------------------------------------- */

static enum family family_of(const struct krule *k)
{
	switch (k->home) {
	case HOME_EXIT:
		return FAM_CALLS;
	case HOME_HASH: /* of the exit list; operations of io_uring are numbers of another kind */
		return rule_list(k->rule) == AUDIT_FILTER_EXIT ? FAM_CALLS : FAM_NONE;
	case HOME_TASK:
		return FAM_TASK;
	case HOME_USER:
		return FAM_USER;
	case HOME_EXCLUDE:
		return FAM_EXCLUDE;
	case HOME_FILESYSTEM:
		return FAM_FILESYSTEM;
	default:
		return FAM_NONE;
	}
}

static void reach_of(const struct order *o, const struct krule *k, struct reach *r)
{
	const struct field *perm = rule_field(k->rule, AUDIT_PERM);
	*r = (struct reach){0};
	if (family_of(k) != FAM_CALLS) {
		r->mask[0][0] = 1;
		return;
	}
	for (enum view v = VIEW_64; v <= VIEW_32; v++) {
		if (!o->archs[v] || !krule_allows_arch(k, o->archs, v))
			continue;
		memcpy(r->mask[v], k->mask, sizeof(r->mask[v]));
		if (!o->x86 || !perm || perm->op != AUDIT_EQUAL)
			continue;
		uint32_t class[AUDIT_BITMASK_SIZE] = {0};
		perm_mask((enum abi)v, perm->value, class);
		for (size_t i = 0; i < AUDIT_BITMASK_SIZE; i++)
			r->mask[v][i] &= class[i];
	}
	/* a worker's operation has number 0 and no arch, and only the rules of names see it */
	if (k->home == HOME_HASH && krule_allows_arch(k, o->archs, VIEW_WORKER))
		r->mask[VIEW_WORKER][0] = k->mask[0] & 1;
}

static bool reach_empty(const struct reach *r)
{
	for (enum view v = 0; v < VIEW_COUNT; v++) {
		if (!mask_is_empty(r->mask[v]))
			return false;
	}
	return true;
}

static bool reach_meets(const struct reach *a, const struct reach *b)
{
	uint32_t any = 0;
	for (enum view v = 0; v < VIEW_COUNT; v++) {
		for (size_t i = 0; i < AUDIT_BITMASK_SIZE; i++)
			any |= a->mask[v][i] & b->mask[v][i];
	}
	return any != 0;
}

static void reach_take(struct reach *from, const struct reach *what)
{
	for (enum view v = 0; v < VIEW_COUNT; v++) {
		for (size_t i = 0; i < AUDIT_BITMASK_SIZE; i++)
			from->mask[v][i] &= ~what->mask[v][i];
	}
}

static void reach_add(struct reach *to, const struct reach *what)
{
	for (enum view v = 0; v < VIEW_COUNT; v++) {
		for (size_t i = 0; i < AUDIT_BITMASK_SIZE; i++)
			to->mask[v][i] |= what->mask[v][i];
	}
}

/* ---- classes by anchor ------------------------------------------------------------------------------ */

/*
 * What a rule must have in common with another to be implied by it: a text, or a single number. 0: nothing of
 * the kind.
 */
static uint64_t anchor_of_need(const struct need *n)
{
	bool point = n->nspans == 1 && n->spans[0].lo == n->spans[0].hi;
	if (n->kind == NEED_PERM || (n->kind != NEED_SAME && !point))
		return 0;
	uint64_t h = UINT64_C(14695981039346656037) ^ ((uint64_t)n->kind << 32 | n->id);
	h = (h ^ (point ? n->spans[0].lo : n->value) ^ (uint64_t)n->op << 8) * UINT64_C(0x9e3779b97f4a7c15);
	for (uint32_t i = 0; n->text && i < n->value; i++)
		h = (h ^ (unsigned char)n->text[i]) * UINT64_C(1099511628211);
	return h | 1;
}

/* Paths and programs are shared by few rules, ids by many: the anchor that finds least. */
static uint64_t anchor_of(const struct selection *s)
{
	uint64_t anchor = 0;
	for (unsigned i = 0; i < s->n; i++) {
		uint64_t a = anchor_of_need(&s->needs[i]);
		if (a && s->needs[i].text)
			return a;
		if (a)
			anchor = a;
	}
	return anchor;
}

static size_t bucket_of(const struct order *o, uint64_t anchor, enum family family)
{
	uint64_t h = (anchor ^ family) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(h >> 32) & (o->nbuckets - 1);
}

static struct class *new_class(struct order *o, const struct selection *s, enum family family)
{
	struct class *c = arena_one(o->work, struct class);
	*c = (struct class){.sel = *s, .family = family, .anchor = anchor_of(s)};
	size_t b = bucket_of(o, c->anchor, family), e = bucket_of(o, s->hash, family);
	if (o->last[b])
		o->last[b]->next = c;
	else
		o->first[b] = c;
	o->last[b] = c;
	c->alike = o->exact[e];
	o->exact[e] = c;
	return c;
}

static void add_class(struct order *o, const struct selection *s, enum family family, size_t rule,
		      const struct reach *r)
{
	struct class *c = o->exact[bucket_of(o, s->hash, family)];
	while (c && !(c->family == family && select_same(&c->sel, s)))
		c = c->alike;
	if (!c)
		c = new_class(o, s, family);
	reach_add(&c->claimed, r);
	*arena_push(o->work, c->rules, c->n) = rule;
}

/* ---- what earlier rules decide ---------------------------------------------------------------------- */

static void name_owners(const struct order *o, const struct class *c, const struct reach *left,
			struct verdict *v)
{
	for (size_t i = 0; i < c->n && i < CLASSES_MAX && !v->more; i++) {
		struct reach r;
		reach_of(o, &o->l->k->rules[c->rules[i]], &r);
		if (!reach_meets(&r, left))
			continue;
		v->more = v->nowners == OWNERS_MAX;
		if (!v->more)
			v->owners[v->nowners++] = c->rules[i];
	}
}

struct candidates { /* classes that a rule's selection implies */
	const struct class *list[CANDIDATES_MAX];
	size_t n;
	unsigned compared;
};

static void search(struct order *o, uint64_t anchor, enum family family, const struct selection *s,
		   const struct reach *all, struct candidates *found)
{
	for (const struct class *c = o->first[bucket_of(o, anchor, family)]; c; c = c->next) {
		if (c->anchor != anchor || c->family != family)
			continue;
		if (++found->compared > CLASSES_MAX || found->n == CANDIDATES_MAX) {
			o->cut = true;
			return;
		}
		if (select_implied(&c->sel, s) && reach_meets(&c->claimed, all))
			found->list[found->n++] = c;
	}
}

static int by_age(const void *x, const void *y)
{
	const struct class *a = *(const struct class *const *)x, *b = *(const struct class *const *)y;
	return a->rules[0] < b->rules[0] ? -1 : a->rules[0] > b->rules[0];
}

/* Takes from left what earlier rules decide, the earliest first. */
static void cover(struct order *o, enum family family, const struct selection *s, struct reach *left,
		  struct verdict *v)
{
	struct candidates found = {.n = 0};
	for (unsigned i = 0; i < s->n; i++) {
		uint64_t anchor = anchor_of_need(&s->needs[i]);
		if (anchor)
			search(o, anchor, family, s, left, &found);
	}
	search(o, 0, family, s, left, &found);
	qsort(found.list, found.n, sizeof(found.list[0]), by_age);
	for (size_t i = 0; i < found.n; i++) {
		if (!reach_meets(&found.list[i]->claimed, left))
			continue;
		name_owners(o, found.list[i], left, v);
		reach_take(left, &found.list[i]->claimed);
	}
}

/* ---- reports ---------------------------------------------------------------------------------------- */

static int by_index(const void *x, const void *y)
{
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	return a < b ? -1 : a > b;
}

/* "line 3", "lines 3, 7 and 9", or with the files' names where they are other ones. */
static const char *name_them(struct order *o, const struct krule *k, struct verdict *v)
{
	struct str b = {0};
	const char *file = k->rule->line->at.file;
	bool here = true;
	qsort(v->owners, v->nowners, sizeof(*v->owners), by_index);
	for (size_t i = 0; i < v->nowners; i++)
		here = here && strcmp(o->l->k->rules[v->owners[i]].rule->line->at.file, file) == 0;
	if (here)
		str_add(&b, v->nowners == 1 ? "line" : "lines");
	for (size_t i = 0; i < v->nowners; i++) {
		const struct place at = o->l->k->rules[v->owners[i]].rule->line->at;
		str_add(&b, i == 0 ? (here ? " " : "") : i + 1 == v->nowners && !v->more ? " and " : ", ");
		if (!here)
			str_addf(&b, "%s:", at.file);
		str_addf(&b, "%u", at.line);
	}
	str_add(&b, v->more ? " and others" : "");
	const char *text = arena_strdup(o->l->arena, str_get(&b));
	str_free(&b);
	return text;
}

static void relate(struct order *o, struct diag *d, const struct verdict *v, const char *what)
{
	for (size_t i = 0; i < v->nowners; i++) {
		const struct line *line = o->l->k->rules[v->owners[i]].rule->line;
		diag_relate(o->l->ds, d, line->at, what);
	}
}

static bool same_key(const struct rule *a, const struct rule *b)
{
	const struct field *x = rule_field(a, AUDIT_FILTERKEY), *y = rule_field(b, AUDIT_FILTERKEY);
	return !x == !y && (!x || field_same(x, y));
}

/* Of all rules that decide first; where not all of them are known, they may have another action. */
static bool same_action(const struct order *o, const struct krule *k, const struct verdict *v)
{
	if (!v->nowners || v->more)
		return false;
	for (size_t i = 0; i < v->nowners; i++) {
		if (o->l->k->rules[v->owners[i]].rule->action != k->rule->action)
			return false;
	}
	return true;
}

/* Another action or key was meant to be seen: that one of the rules is a mistake only its author can mend. */
static bool adds_no_key(const struct order *o, const struct krule *k, const struct verdict *v)
{
	for (size_t i = 0; rule_key(k->rule) && i < v->nowners; i++) {
		if (!same_key(o->l->k->rules[v->owners[i]].rule, k->rule))
			return false;
	}
	return true;
}

/* Is the one owner the same rule, key and action aside? */
static bool is_same(const struct order *o, const struct krule *k, const struct selection *s,
		    const struct verdict *v)
{
	if (v->nowners != 1)
		return false;
	const struct krule *first = &o->l->k->rules[v->owners[0]];
	struct selection other;
	struct reach a, b;
	select_rule(first, &other, o->work);
	reach_of(o, k, &a);
	reach_of(o, first, &b);
	return select_same(&other, s) && memcmp(&a, &b, sizeof(a)) == 0;
}

static void report_dead(struct order *o, const struct krule *k, const struct selection *s, struct verdict *v)
{
	const char *where = name_them(o, k, v);
	bool alike = same_action(o, k, v), unknown = !v->nowners || v->more;
	const char *other = alike || unknown ? "" : ", with the other action";
	struct diag *d;
	v->same = is_same(o, k, s, v);
	if (v->same)
		d = lint_rule(o->l, AR_SAME_RULE, k->rule, "%s selects the same events and comes first%s",
			      where, other);
	else
		d = lint_rule(o->l, AR_SHADOWED, k->rule, "%s decide%s every event of this rule first%s",
			      v->nowners ? where : "earlier rules", v->nowners == 1 ? "s" : "", other);
	relate(o, d, v, "this rule decides first");
	if (alike && adds_no_key(o, k, v))
		lint_edit_delete(o->l, d, k);
}

/* ---- rules that are decided in part ------------------------------------------------------------------ */

static const char *call_names(const struct order *o, const struct reach *calls)
{
	struct str b = {0};
	unsigned n = 0;
	/* the other table has mostly the same calls under other numbers */
	for (enum view v = VIEW_64; v <= VIEW_32 && !n; v++) {
		int machine = audit_elf_to_machine(o->archs[v]);
		for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
			const char *name =
			    mask_has(calls->mask[v], nr) ? audit_syscall_to_name((int)nr, machine) : NULL;
			if (name && ++n <= NAMES_MAX)
				str_addf(&b, "%s%s", n > 1 ? ", " : "", name);
		}
	}
	if (n > NAMES_MAX)
		str_addf(&b, " and %u more", n - NAMES_MAX);
	const char *text = arena_strdup(o->l->arena, n ? str_get(&b) : "some system calls");
	str_free(&b);
	return text;
}

/* An earlier never rule for some of the calls is how exceptions are written; the same outcome twice is no
 * surprise. */
static bool part_matters(const struct rule *first, const struct rule *r)
{
	return first->action == AUDIT_ALWAYS && (r->action != first->action || !same_key(first, r));
}

/* One rule can take a call from many later ones: it is told once, where it stands. */
static void note_part(struct order *o, size_t i, const struct verdict *v)
{
	for (size_t j = 0; j < v->nowners; j++) {
		struct part *p = &o->parts[v->owners[j]];
		if (!part_matters(o->l->k->rules[v->owners[j]].rule, o->l->k->rules[i].rule))
			continue;
		if (!p->n++)
			p->first = i;
	}
}

static void report_part(struct order *o, size_t owner)
{
	const struct part *p = &o->parts[owner];
	const struct krule *k = &o->l->k->rules[owner], *later = &o->l->k->rules[p->first];
	const char *where = lint_name(o->l, later->rule->line, k->rule->line);
	struct reach calls, theirs;
	reach_of(o, k, &calls);
	reach_of(o, later, &theirs);
	for (enum view v = 0; v < VIEW_COUNT; v++) {
		for (size_t i = 0; i < AUDIT_BITMASK_SIZE; i++)
			calls.mask[v][i] &= theirs.mask[v][i];
	}
	const char *names = call_names(o, &calls);
	struct diag *d;
	if (p->n == 1)
		d = lint_calls(o->l, AR_PART_SHADOWED, k->rule, "decides %s before %s does, with %s", names,
			       where,
			       later->rule->action == AUDIT_ALWAYS ? "another key" : "the other action");
	else
		d = lint_calls(o->l, AR_PART_SHADOWED, k->rule,
			       "decides %s before %zu later rules do, of which %s is the first", names, p->n,
			       where);
	diag_relate(o->l->ds, d, later->rule->line->at, "a rule that comes too late for these system calls");
}

/* ---- auid>= without unset ---------------------------------------------------------------------------- */

static const struct field *lower_bound(const struct rule *r, unsigned *i)
{
	for (*i = 0; *i < r->nfields; ++*i) {
		const struct field *f = &r->fields[*i];
		if (f->id == AUDIT_LOGINUID &&
		    (f->op == AUDIT_GREATER_THAN || f->op == AUDIT_GREATER_THAN_OR_EQUAL) && f->value)
			return f;
	}
	return NULL;
}

/* The rule is meant for daemons. */
static bool asks_unset(const struct selection *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct need *n = &s->needs[i];
		if (n->kind == NEED_NUMBER && n->id == AUDIT_LOGINUID)
			return n->nspans == 1 && n->spans[0].lo == UINT32_MAX;
	}
	return false;
}

/* The selection with the login uid unset. */
static struct selection of_daemons(const struct selection *s, struct arena *a)
{
	struct selection d = {.needs = arena_array(a, struct need, s->n + 1), .n = s->n};
	struct span *unset = arena_one(a, struct span);
	*unset = (struct span){UINT32_MAX, UINT32_MAX};
	for (unsigned i = 0; i < s->n; i++) {
		d.needs[i] = s->needs[i];
		if (d.needs[i].kind != NEED_NUMBER || d.needs[i].id != AUDIT_LOGINUID)
			continue;
		d.needs[i].spans = unset;
		d.needs[i].nspans = 1;
	}
	return d;
}

static bool tasks_exempt(struct order *o, const struct selection *daemons)
{
	struct reach one = {0};
	struct verdict v = {0};
	one.mask[0][0] = 1;
	cover(o, FAM_TASK, daemons, &one, &v);
	return reach_empty(&one) && v.nowners && o->l->k->rules[v.owners[0]].rule->action == AUDIT_NEVER;
}

static void check_unset(struct order *o, const struct krule *k, const struct selection *s)
{
	unsigned i;
	const struct field *f = lower_bound(k->rule, &i);
	if (!f || family_of(k) != FAM_CALLS || k->rule->action != AUDIT_ALWAYS ||
	    !select_allows(s, AUDIT_LOGINUID, UINT32_MAX) || asks_unset(s))
		return;
	struct selection daemons = of_daemons(s, o->work);
	struct reach left;
	struct verdict v = {0};
	reach_of(o, k, &left);
	cover(o, FAM_CALLS, &daemons, &left, &v);
	if (reach_empty(&left) || tasks_exempt(o, &daemons))
		return;
	struct diag *d =
	    lint_field(o->l, AR_UNSET_AUID, k->rule, i,
		       "%s is also true of every daemon: their login uid is unset, which is 4294967295",
		       lint_text(o->l, k->rule, i));
	lint_edit_append(o->l, d, k->rule, "-F auid!=unset");
	d->loses = true;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

struct key_use {
	const char *text;
	size_t len, rule;
};

static int by_key(const void *x, const void *y)
{
	const struct key_use *a = x, *b = y;
	size_t n = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->text, b->text, n);
	if (c || a->len != b->len)
		return c ? c : a->len < b->len ? -1 : 1;
	return a->rule < b->rule ? -1 : a->rule > b->rule;
}

static struct key_use *collect_keys(struct order *o, size_t *n)
{
	struct key_use *uses = NULL;
	*n = 0;
	for (size_t i = 0; i < o->l->k->n; i++) {
		const char *key = rule_key(o->l->k->rules[i].rule);
		while (key && *key) {
			size_t len = strcspn(key, "\001");
			*arena_push(o->work, uses, *n) = (struct key_use){.text = key, .len = len, .rule = i};
			key += len + (key[len] ? 1 : 0);
		}
	}
	if (*n)
		qsort(uses, *n, sizeof(*uses), by_key);
	return uses;
}

static void report_key(struct order *o, const struct key_use *uses, size_t n)
{
	const struct rule *r = o->l->k->rules[uses[0].rule].rule;
	const struct field *key = rule_field(r, AUDIT_FILTERKEY);
	struct diag *d = lint_field(o->l, AR_KEY_NEVER, r, (unsigned)(key - r->fields),
				    "no event can carry the key `%.*s': no rule that has it can decide one",
				    (int)uses[0].len, uses[0].text);
	for (size_t i = 0; i < n && i < OWNERS_MAX; i++)
		relate(o, d, &o->verdicts[uses[i].rule], "this rule decides first");
}

static void check_keys(struct order *o)
{
	size_t n;
	const struct key_use *uses = collect_keys(o, &n);
	for (size_t i = 0, end; i < n; i = end) {
		bool alive = false, silent = true;
		for (end = i; end < n && uses[end].len == uses[i].len &&
			      memcmp(uses[end].text, uses[i].text, uses[i].len) == 0;
		     end++) {
			alive = alive || !o->verdicts[uses[end].rule].dead;
			silent = silent && o->l->k->rules[uses[end].rule].rule->action == AUDIT_NEVER;
		}
		if (!alive && !silent) /* the key of a never rule is a name for readers */
			report_key(o, uses + i, end - i);
	}
}

/* ---- the pass ------------------------------------------------------------------------------------------ */

/* On these two lists the kernel stops at a field that it does not evaluate there: such a rule ends the list.
 */
static bool ends_list(const struct krule *k, enum family family)
{
	for (unsigned i = 0; (family == FAM_USER || family == FAM_EXCLUDE) && i < k->nfields; i++) {
		const struct field_info *fi = field_by_id(k->fields[i].id);
		if (k->fields[i].id != AUDIT_LOGINUID_SET && !(fi && fi->exclude_ok))
			return true;
	}
	return false;
}

static void check_rule(struct order *o, size_t i)
{
	const struct krule *k = &o->l->k->rules[i];
	struct verdict *v = &o->verdicts[i];
	enum family family = family_of(k);
	struct selection s;
	struct reach all, left;
	if (family == FAM_NONE || ends_list(k, family))
		return;
	select_rule(k, &s, o->work);
	reach_of(o, k, &all);
	v->dead = s.impossible || reach_empty(&all);
	if (v->dead)
		return;
	left = all;
	cover(o, family, &s, &left, v);
	v->dead = reach_empty(&left);
	if (v->dead)
		report_dead(o, k, &s, v);
	else if (v->nowners && family == FAM_CALLS)
		note_part(o, i, v);
	if (!v->dead)
		check_unset(o, k, &s);
	add_class(o, &s, family, i, &all);
}

/* Tasks first: what they exempt matters to the others. */
static void check_rules(struct order *o)
{
	for (size_t i = 0; i < o->l->k->n; i++) {
		if (o->l->k->rules[i].home == HOME_TASK)
			check_rule(o, i);
	}
	for (size_t i = 0; i < o->l->k->n; i++) {
		if (o->l->k->rules[i].home != HOME_TASK)
			check_rule(o, i);
	}
}

void lint_order(struct lint *l)
{
	struct order o = {.l = l, .work = arena_new(), .nbuckets = 64, .x86 = l->env->machine == MACH_86_64};
	while (o.nbuckets < l->k->n * 2)
		o.nbuckets *= 2;
	o.first = arena_array(o.work, struct class *, o.nbuckets);
	o.last = arena_array(o.work, struct class *, o.nbuckets);
	o.exact = arena_array(o.work, struct class *, o.nbuckets);
	o.verdicts = arena_array(o.work, struct verdict, l->k->n + 1);
	o.parts = arena_array(o.work, struct part, l->k->n + 1);
	lint_archs(l, o.archs);
	check_rules(&o);
	for (size_t i = 0; i < l->k->n; i++) {
		if (o.parts[i].n)
			report_part(&o, i);
	}
	check_keys(&o);
	if (o.cut)
		lint_set(l, AR_COMPARED_PART,
			 "some rules were compared with the first %d earlier groups of rules only",
			 CLASSES_MAX);
	arena_free(o.work);
}
