/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lint/cover.h"

#include <string.h>

enum { PLACES = 64 }; /* directories above a path that are looked at, the nearest */

struct chain { /* selections that differ in numbers alone */
	uint64_t rest;
	struct covered *first;
	unsigned n;
};

struct cover {
	struct arena *arena;
	struct covered **of;    /* by rule */
	struct covered **slots; /* hash tables, open addressing, of the same power of two */
	struct chain *chains;
	size_t nslots;
};

/* ---- fields as a set --------------------------------------------------------------------------- */

static bool is_dropped(uint32_t id)
{
	return id == AUDIT_ARCH || id == AUDIT_PERM || id == AUDIT_FILTERKEY ||
	       (id >= AUDIT_ARG0 && id <= AUDIT_ARG3);
}

/* One value an event, so that comparisons with it can imply each other. */
static bool is_number(const struct field *f)
{
	enum field_source from = field_by_id(f->id)->source;
	return from == FS_TASK || from == FS_RESULT;
}

static uint64_t mixed(uint64_t h)
{
	h ^= h >> 33;
	h *= UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 33;
}

static uint64_t field_hash(const struct field *f)
{
	uint64_t h = mixed((uint64_t)f->id << 32 | f->op) + (f->text ? 0 : f->value);
	for (uint32_t i = 0; f->text && i < f->value; i++)
		h = (h ^ (unsigned char)f->text[i]) * UINT64_C(0x100000001b3);
	return mixed(h);
}

static bool has_field(const struct covered *s, const struct field *f)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (field_same(&s->fields[i], f))
			return true;
	}
	return false;
}

/*
 * A -w is of a directory wherever there is one when it is loaded: it counts as the wider of the two. Slashes
 * at the end of a directory do not make it another one.
 */
static struct field normal(const struct field *f, bool watch)
{
	struct field g = *f;
	if (watch && g.id == AUDIT_WATCH)
		g.id = AUDIT_DIR;
	while (g.id == AUDIT_DIR && g.value > 1 && g.text[g.value - 1] == '/')
		g.value--;
	return g;
}

/* Fields without repeats, so that the sum of their hashes stands for the set. */
static struct covered selection_of(struct cover *c, const struct krule *k)
{
	struct covered s = {.fields = arena_array(c->arena, struct field, k->nfields ? k->nfields : 1)};
	for (unsigned i = 0; i < k->nfields; i++) {
		struct field f = normal(&k->fields[i], k->rule->watch);
		if (is_dropped(f.id) || has_field(&s, &f))
			continue;
		s.hash += field_hash(&f);
		s.rest += is_number(&f) ? 0 : field_hash(&f);
		s.fields[s.n++] = f;
	}
	return s;
}

static bool same_set(const struct covered *a, const struct covered *b)
{
	if (a->hash != b->hash || a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++) {
		if (!has_field(b, &a->fields[i]))
			return false;
	}
	return true;
}

/* ---- the tables -------------------------------------------------------------------------------- */

static struct covered **slot_of(const struct cover *c, const struct covered *like)
{
	size_t i = (size_t)mixed(like->hash) & (c->nslots - 1);
	while (c->slots[i] && !same_set(c->slots[i], like))
		i = (i + 1) & (c->nslots - 1);
	return &c->slots[i];
}

/* Two sets with one hash in one chain do no harm: each member is compared field by field. */
static struct chain *chain_of(const struct cover *c, uint64_t rest)
{
	size_t i = (size_t)mixed(rest) & (c->nslots - 1);
	while (c->chains[i].first && c->chains[i].rest != rest)
		i = (i + 1) & (c->nslots - 1);
	return &c->chains[i];
}

static void add_to_chain(struct cover *c, struct covered *s)
{
	struct chain *chain = chain_of(c, s->rest);
	if (chain->n == SELECTION_LIKE)
		return;
	s->next = chain->first;
	*chain = (struct chain){s->rest, s, chain->n + 1};
}

static struct covered *find_or_add(struct cover *c, const struct krule *k)
{
	struct covered like = selection_of(c, k);
	struct covered **slot = slot_of(c, &like);
	if (!*slot) {
		struct covered *s = arena_one(c->arena, struct covered);
		*s = like;
		*slot = s;
		add_to_chain(c, s);
	}
	return *slot;
}

/* What perm leaves of the mask; of several perm fields each must hold, as of no more than one in practice. */
static void add_mask(struct covered *s, const struct krule *k)
{
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		if (!krule_allows_abi(k, abi))
			continue;
		uint32_t mask[AUDIT_BITMASK_SIZE], class[AUDIT_BITMASK_SIZE];
		memcpy(mask, k->mask, sizeof(mask));
		for (unsigned i = 0; i < k->nfields; i++) {
			if (k->fields[i].id != AUDIT_PERM || k->fields[i].op != AUDIT_EQUAL)
				continue;
			perm_mask(abi, k->fields[i].value, class);
			for (unsigned w = 0; w < AUDIT_BITMASK_SIZE; w++)
				mask[w] &= class[w];
		}
		for (unsigned w = 0; w < AUDIT_BITMASK_SIZE; w++)
			s->mask[abi][w] |= mask[w];
	}
}

static bool is_exit_rule(const struct krule *k)
{
	return rule_list(k->rule) == AUDIT_FILTER_EXIT;
}

struct cover *cover_of(const struct kset *k, struct arena *a)
{
	struct cover *c = arena_one(a, struct cover);
	c->arena = a;
	c->of = arena_array(a, struct covered *, k->n + 1);
	for (c->nslots = 64; c->nslots < 2 * k->n; c->nslots *= 2)
		;
	c->slots = arena_array(a, struct covered *, c->nslots);
	c->chains = arena_array(a, struct chain, c->nslots);
	for (size_t i = 0; i < k->n; i++) {
		if (!is_exit_rule(&k->rules[i]))
			continue;
		c->of[i] = find_or_add(c, &k->rules[i]);
		add_mask(c->of[i], &k->rules[i]);
	}
	return c;
}

struct covered *cover_selection(const struct cover *c, size_t i)
{
	return c->of[i];
}

/* ---- what implies what ------------------------------------------------------------------------- */

/* The values that a comparison leaves, as an interval; false for != and the bit tests. */
static bool interval(const struct field *f, uint64_t *low, uint64_t *high)
{
	*low = 0;
	*high = UINT32_MAX;
	switch (f->op) {
	case AUDIT_EQUAL:
		*low = *high = f->value;
		return true;
	case AUDIT_LESS_THAN:
		*high = f->value ? f->value - 1 : 0;
		return f->value;
	case AUDIT_LESS_THAN_OR_EQUAL:
		*high = f->value;
		return true;
	case AUDIT_GREATER_THAN:
		*low = (uint64_t)f->value + 1;
		return f->value != UINT32_MAX;
	case AUDIT_GREATER_THAN_OR_EQUAL:
		*low = f->value;
		return true;
	default:
		return false;
	}
}

/* An errno is a failure: is_syscall_success of include/linux/ptrace.h. */
static bool is_failure(const struct field *f)
{
	return f->id == AUDIT_EXIT && f->op == AUDIT_EQUAL && f->value >= (uint32_t)-4095;
}

static bool is_place(const struct field *f)
{
	return (f->id == AUDIT_WATCH || f->id == AUDIT_DIR) && f->op == AUDIT_EQUAL;
}

/* The directory that a path is in, as dir=; false at the root. */
static bool parent_of(const struct field *f, struct field *parent)
{
	uint32_t n = f->value;
	if (n <= 1)
		return false;
	while (n > 0 && f->text[n - 1] != '/')
		n--;
	*parent = *f;
	parent->id = AUDIT_DIR;
	parent->value = n > 1 ? n - 1 : 1;
	return n > 0;
}

static bool is_below(const struct field *f, const struct field *dir)
{
	if (!is_place(f) || dir->id != AUDIT_DIR || dir->value > f->value ||
	    memcmp(f->text, dir->text, dir->value) != 0)
		return false;
	return dir->value == f->value || dir->value == 1 || f->text[dir->value] == '/';
}

/* Does f hold only where g holds too? */
static bool implies(const struct field *f, const struct field *g)
{
	uint64_t low, high, low2, high2;
	if (field_same(f, g) || is_below(f, g))
		return true;
	if (g->id == AUDIT_SUCCESS && g->op == AUDIT_EQUAL && g->value == 0 && is_failure(f))
		return true;
	if (g->id == AUDIT_LOGINUID_SET && g->op == AUDIT_NOT_EQUAL && g->value == 0)
		return f->id == AUDIT_LOGINUID && interval(f, &low, &high) && high < UINT32_MAX;
	if (f->id != g->id || !is_number(f) || f->id == AUDIT_SUCCESS || !interval(f, &low, &high))
		return false;
	if (g->op == AUDIT_NOT_EQUAL)
		return g->value < low || g->value > high;
	return interval(g, &low2, &high2) && low2 <= low && high <= high2;
}

static bool is_wider(const struct covered *wide, const struct covered *s)
{
	for (unsigned i = 0; i < wide->n; i++) {
		bool found = false;
		for (unsigned j = 0; j < s->n && !found; j++)
			found = implies(&s->fields[j], &wide->fields[i]);
		if (!found)
			return false;
	}
	return true;
}

/* ---- asking ------------------------------------------------------------------------------------ */

static void add_cover(struct covered *s, const struct covered *wide)
{
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		for (unsigned w = 0; w < AUDIT_BITMASK_SIZE; w++)
			s->cover[abi][w] |= wide->mask[abi][w];
	}
}

/* What is asked of one selection: the hashes of its fields, and of the directories above its path. */
struct question {
	const struct cover *c;
	struct covered *s;
	uint64_t hash[SELECTION_FIELDS];
	int place; /* the field that is a path, -1: none */
	uint64_t above[PLACES];
	unsigned nabove;
	bool full; /* some chain could not take all */
};

static void hash_fields(struct question *q)
{
	q->place = -1;
	for (unsigned i = 0; i < q->s->n; i++) {
		q->hash[i] = field_hash(&q->s->fields[i]);
		q->place = is_place(&q->s->fields[i]) ? (int)i : q->place;
	}
	if (q->place < 0)
		return;
	struct field at = q->s->fields[q->place];
	at.id = AUDIT_DIR;
	do {
		q->above[q->nabove++] = field_hash(&at);
	} while (q->nabove < PLACES && parent_of(&at, &at));
}

static void add_chain(struct question *q, uint64_t rest)
{
	const struct chain *chain = chain_of(q->c, rest);
	q->full = q->full || chain->n == SELECTION_LIKE;
	for (const struct covered *o = chain->first; o; o = o->next) {
		if (is_wider(o, q->s))
			add_cover(q->s, o);
	}
}

/* A set of the fields that are no numbers, and the same with each directory above its path in the path's
 * stead. */
static void add_chains(struct question *q, unsigned set)
{
	uint64_t rest = 0;
	for (unsigned i = 0; i < q->s->n; i++) {
		if (!(set >> i & 1))
			continue;
		if (is_number(&q->s->fields[i]))
			return;
		rest += q->hash[i];
	}
	add_chain(q, rest);
	for (unsigned i = 0; q->place >= 0 && (set >> q->place & 1) && i < q->nabove; i++) {
		if (q->above[i] != q->hash[q->place])
			add_chain(q, rest - q->hash[q->place] + q->above[i]);
	}
}

/* The selection of exactly these fields. */
static void add_exact(struct question *q, unsigned set)
{
	struct field some[SELECTION_FIELDS];
	struct covered like = {.fields = some};
	for (unsigned i = 0; i < q->s->n; i++) {
		if (!(set >> i & 1))
			continue;
		like.hash += q->hash[i];
		some[like.n++] = q->s->fields[i];
	}
	const struct covered *found = *slot_of(q->c, &like);
	if (found)
		add_cover(q->s, found);
}

/* Two comparisons of one number leave no value: the rules match nothing, and nothing is missing beside them.
 */
static bool is_empty(const struct covered *s)
{
	uint64_t low, high, low2, high2;
	for (unsigned i = 0; i < s->n; i++) {
		for (unsigned j = 0; j < i; j++) {
			const struct field *f = &s->fields[i], *g = &s->fields[j];
			if (f->id == g->id && is_number(f) && f->id != AUDIT_SUCCESS &&
			    interval(f, &low, &high) && interval(g, &low2, &high2) &&
			    (high < low2 || high2 < low))
				return true;
		}
	}
	return false;
}

bool cover_ask(struct cover *c, struct covered *s)
{
	if (s->n > SELECTION_FIELDS || is_empty(s))
		return false;
	if (s->cover)
		return true;
	s->cover = arena_alloc(c->arena, ABI_COUNT, sizeof(s->cover[0]));
	struct question q = {.c = c, .s = s};
	hash_fields(&q);
	for (unsigned set = 0; set < 1u << s->n; set++)
		add_chains(&q, set);
	for (unsigned set = 0; q.full && set < 1u << s->n; set++)
		add_exact(&q, set);
	return true;
}
