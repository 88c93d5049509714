/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prove/bdd.h"

#include <stdlib.h>
#include <string.h>

struct cell {
	uint32_t var;             /* TERMINAL for a terminal, whose value is in lo */
	node lo, hi;
	node next;                /* chain of the unique table */
};

struct ite_entry {
	node c, t, e, result;
};

struct bdd {
	struct cell *cells;
	size_t n, cap, max;
	node *buckets;
	size_t nbuckets;
	struct ite_entry *cache;
	size_t ncache;            /* a power of two, about as many as there are nodes */
	unsigned nvars;
	bool overflowed;
};

#define TERMINAL UINT32_MAX
enum { FIRST_SIZE = 512, CACHE_MAX = 1 << 18 };

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t h = a * UINT64_C(0x9E3779B97F4A7C15) ^ b * UINT64_C(0xC2B2AE3D27D4EB4F) ^ c * UINT64_C(0x165667B19E3779F9);
	return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

/* Forgets what it held: results can be worked out again. */
static void grow_cache(struct bdd *b, size_t n)
{
	free(b->cache);
	b->ncache = n;
	b->cache = must(malloc(n * sizeof(struct ite_entry)));
	memset(b->cache, 0xff, n * sizeof(struct ite_entry));
}

static void rehash(struct bdd *b)
{
	size_t want = b->nbuckets * 2;
	free(b->buckets);
	b->buckets = must(malloc(want * sizeof(node)));
	memset(b->buckets, 0xff, want * sizeof(node));
	b->nbuckets = want;
	for (size_t i = 0; i < b->n; i++) {
		struct cell *c = &b->cells[i];
		size_t h = mix(c->var, c->lo, c->hi) & (want - 1);
		c->next = b->buckets[h];
		b->buckets[h] = (node)i;
	}
}

static node make(struct bdd *b, uint32_t var, node lo, node hi)
{
	if (var != TERMINAL && lo == hi)
		return lo;
	size_t h = mix(var, lo, hi) & (b->nbuckets - 1);
	for (node i = b->buckets[h]; i != UINT32_MAX; i = b->cells[i].next) {
		const struct cell *c = &b->cells[i];
		if (c->var == var && c->lo == lo && c->hi == hi)
			return i;
	}
	if (b->n >= b->max) {
		b->overflowed = true;
		return BDD_FALSE;
	}
	if (b->n == b->cap) {
		b->cap *= 2;
		b->cells = must(realloc(b->cells, b->cap * sizeof(struct cell)));
	}
	b->cells[b->n] = (struct cell){var, lo, hi, b->buckets[h]};
	b->buckets[h] = (node)b->n++;
	if (b->n > b->nbuckets)
		rehash(b);
	if (b->n > b->ncache && b->ncache < CACHE_MAX)
		grow_cache(b, b->ncache * 2);
	return (node)(b->n - 1);
}

struct bdd *bdd_new(size_t max_nodes)
{
	struct bdd *b = must(calloc(1, sizeof(*b)));
	b->max = max_nodes < UINT32_MAX - 1 ? max_nodes : UINT32_MAX - 1;
	b->cap = 1024;
	b->cells = must(malloc(b->cap * sizeof(struct cell)));
	b->nbuckets = FIRST_SIZE;
	rehash(b);
	grow_cache(b, FIRST_SIZE);
	make(b, TERMINAL, 0, 0);
	make(b, TERMINAL, 1, 0);
	return b;
}

void bdd_free(struct bdd *b)
{
	if (!b)
		return;
	free(b->cells);
	free(b->buckets);
	free(b->cache);
	free(b);
}

bool bdd_overflowed(const struct bdd *b)
{
	return b->overflowed;
}

size_t bdd_size(const struct bdd *b)
{
	return b->n;
}

unsigned bdd_new_var(struct bdd *b)
{
	return b->nvars++;
}

unsigned bdd_nvars(const struct bdd *b)
{
	return b->nvars;
}

node bdd_var(struct bdd *b, unsigned var)
{
	return make(b, var, BDD_FALSE, BDD_TRUE);
}

node bdd_terminal(struct bdd *b, unsigned value)
{
	return make(b, TERMINAL, value, 0);
}

bool bdd_is_terminal(const struct bdd *b, node n)
{
	return b->cells[n].var == TERMINAL;
}

unsigned bdd_value(const struct bdd *b, node n)
{
	return b->cells[n].lo;
}

static uint32_t min_var(uint32_t a, uint32_t b)
{
	return a < b ? a : b;   /* TERMINAL is the largest number, so below all variables */
}

static node side(const struct bdd *b, node n, uint32_t var, bool hi)
{
	const struct cell *c = &b->cells[n];
	if (c->var != var)
		return n;
	return hi ? c->hi : c->lo;
}

node bdd_ite(struct bdd *b, node c, node t, node e)
{
	if (c == BDD_TRUE)
		return t;
	if (c == BDD_FALSE)
		return e;
	if (t == e)
		return t;
	if (t == BDD_TRUE && e == BDD_FALSE)
		return c;
	if (b->overflowed)
		return BDD_FALSE;

	struct ite_entry *slot = &b->cache[mix(c, t, e) & (b->ncache - 1)];
	if (slot->c == c && slot->t == t && slot->e == e)
		return slot->result;
	uint32_t var = min_var(b->cells[c].var, min_var(b->cells[t].var, b->cells[e].var));
	node lo = bdd_ite(b, side(b, c, var, false), side(b, t, var, false), side(b, e, var, false));
	node hi = bdd_ite(b, side(b, c, var, true), side(b, t, var, true), side(b, e, var, true));
	node r = make(b, var, lo, hi);
	if (!b->overflowed)       /* the cache may have grown meanwhile */
		b->cache[mix(c, t, e) & (b->ncache - 1)] = (struct ite_entry){c, t, e, r};
	return r;
}

/* Distinct nodes are distinct functions, so on every level at least one side still differs: no search is needed. */
bool bdd_difference(struct bdd *b, node f, node g, signed char *value)
{
	memset(value, -1, b->nvars);
	if (f == g)
		return false;
	for (;;) {
		uint32_t var = min_var(b->cells[f].var, b->cells[g].var);
		if (var == TERMINAL)
			return true;
		node flo = side(b, f, var, false), glo = side(b, g, var, false);
		bool hi = flo == glo;
		value[var] = hi;
		f = hi ? side(b, f, var, true) : flo;
		g = hi ? side(b, g, var, true) : glo;
	}
}

unsigned bdd_eval(const struct bdd *b, node f, const signed char *value)
{
	while (!bdd_is_terminal(b, f))
		f = value[b->cells[f].var] > 0 ? b->cells[f].hi : b->cells[f].lo;
	return bdd_value(b, f);
}
