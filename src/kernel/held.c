/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernel/held.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
	const unsigned char *p = data;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
	return h;
}

static uint64_t hash_number(uint64_t h, uint64_t n)
{
	h = (h ^ n) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t hash_rule(const struct rule *r, uint32_t list, const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	uint64_t h = hash_number(hash_number(list, r->action), r->nfields);
	for (size_t i = 0; i < AUDIT_BITMASK_SIZE; i++)
		h = hash_number(h, mask[i]);
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		h = hash_number(h, (uint64_t)f->id << 32 | f->op);
		h = f->text ? hash_bytes(h, f->text, f->value) : hash_number(h, f->value);
	}
	return h;
}

/*
 * audit_compare_rule, with the quirk that a stored rule has lost its prepend bit, and that auid=unset stays
 * different from loginuid_set=0 (the legacy flag): so what was sent is compared, besides the expanded mask.
 */
static bool same_rule(const struct krule *held, const struct rule *r, const uint32_t mask[AUDIT_BITMASK_SIZE],
		      uint32_t flags)
{
	const struct rule *h = held->rule;
	if (rule_list(h) != flags || h->action != r->action || h->nfields != r->nfields)
		return false;
	for (unsigned i = 0; i < r->nfields; i++) {
		if (!field_same(&h->fields[i], &r->fields[i]))
			return false;
	}
	return memcmp(held->mask, mask, sizeof(held->mask)) == 0;
}

ssize_t held_find(const struct held *h, const struct rule *r, uint32_t flags)
{
	uint32_t mask[AUDIT_BITMASK_SIZE];
	mask_expand(r->mask, mask);
	uint64_t hash = hash_rule(r, flags, mask);
	ssize_t first = HELD_NONE;
	for (size_t at = hash; h->cap; at++) {
		size_t slot = h->slots[at & (h->cap - 1)], i = slot - 1;
		if (!slot)
			break;
		if (h->hashes[i] != hash || h->gone[i] || !same_rule(&h->k->rules[i], r, mask, flags))
			continue;
		if (first == HELD_NONE || h->prio[i] > h->prio[first])
			first = (ssize_t)i;
	}
	return first;
}

static void note(struct held *h, size_t i)
{
	size_t at = h->hashes[i];
	while (h->slots[at & (h->cap - 1)])
		at++;
	h->slots[at & (h->cap - 1)] = i + 1;
}

static void make_room(struct held *h)
{
	if (h->used * 2 < h->cap)
		return;
	h->cap = h->cap ? h->cap * 2 : 64;
	h->slots = arena_array(h->k->arena, size_t, h->cap);
	for (size_t i = 0; i < h->used; i++)
		note(h, i);
}

void held_add(struct held *h, const struct krule *rule, int64_t prio)
{
	struct arena *a = h->k->arena;
	size_t n = h->used;
	make_room(h);
	*arena_push(a, h->hashes, n) = hash_rule(rule->rule, rule_list(rule->rule), rule->mask);
	n = h->used;
	*arena_push(a, h->gone, n) = false;
	n = h->used;
	*arena_push(a, h->prio, n) = prio;
	*arena_push(a, h->k->rules, h->k->n) = *rule;
	note(h, h->used++);
}

void held_remove(struct held *h, size_t i)
{
	h->gone[i] = true;
}

struct placed {
	int64_t prio;
	size_t i;
};

static int by_priority(const void *x, const void *y)
{
	const struct placed *a = x, *b = y;
	return (a->prio < b->prio) - (a->prio > b->prio);
}

/* Nothing was taken back and nothing prepended: the usual set. */
static bool is_settled(const struct held *h)
{
	for (size_t i = 0; i < h->k->n; i++) {
		if (h->gone[i] || (i && h->prio[i - 1] < h->prio[i]))
			return false;
	}
	return true;
}

void held_settle(struct held *h)
{
	if (is_settled(h))
		return;
	struct kset *k = h->k;
	struct placed *order = calloc(k->n ? k->n : 1, sizeof(*order));
	struct krule *rules = arena_array(k->arena, struct krule, k->n);
	size_t n = 0;
	if (!order)
		abort();
	for (size_t i = 0; i < k->n; i++) {
		if (!h->gone[i])
			order[n++] = (struct placed){h->prio[i], i};
	}
	qsort(order, n, sizeof(*order), by_priority);
	for (size_t i = 0; i < n; i++)
		rules[i] = k->rules[order[i].i];
	free(order);
	k->rules = rules;
	k->n = n;
}
