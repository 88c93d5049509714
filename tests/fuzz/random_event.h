/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random events near what two sets of rules ask for. Included by the programs of this directory. */
#ifndef AUDITOPT_RANDOM_EVENT_H
#define AUDITOPT_RANDOM_EVENT_H

#include "kernel/event.h"
#include "tests/fuzz/random_set.h"

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

#endif
