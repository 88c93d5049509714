/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/lang.h"

#include <stdlib.h>
#include <string.h>

bool mask_is_all(const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	for (size_t i = 0; i < AUDIT_BITMASK_SIZE; i++) {
		if (mask[i] != UINT32_MAX)
			return false;
	}
	return true;
}

bool mask_is_empty(const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	for (size_t i = 0; i < AUDIT_BITMASK_SIZE; i++) {
		if (mask[i])
			return false;
	}
	return true;
}

const struct field *rule_field(const struct rule *r, uint32_t id)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		if (r->fields[i].id == id)
			return &r->fields[i];
	}
	return NULL;
}

const char *rule_key(const struct rule *r)
{
	const struct field *f = rule_field(r, AUDIT_FILTERKEY);
	return f ? f->text : NULL;
}

bool field_same(const struct field *a, const struct field *b)
{
	if (a->id != b->id || a->op != b->op || a->value != b->value || !a->text != !b->text)
		return false;
	return !a->text || memcmp(a->text, b->text, a->value) == 0;
}

bool rule_same(const struct rule *a, const struct rule *b)
{
	if (a->flags != b->flags || a->action != b->action || a->nfields != b->nfields ||
	    memcmp(a->mask, b->mask, sizeof(a->mask)) != 0)
		return false;
	for (unsigned i = 0; i < a->nfields; i++) {
		if (!field_same(&a->fields[i], &b->fields[i]))
			return false;
	}
	return true;
}

struct audit_rule_data *rule_to_data(const struct rule *r)
{
	size_t texts = 0;
	for (unsigned i = 0; i < r->nfields; i++)
		texts += r->fields[i].text ? r->fields[i].value : 0;
	struct audit_rule_data *d = calloc(1, sizeof(*d) + texts);
	if (!d)
		abort();
	d->flags = r->flags;
	d->action = r->action;
	d->field_count = r->nfields;
	memcpy(d->mask, r->mask, sizeof(d->mask));
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		d->fields[i] = f->id;
		d->fieldflags[i] = f->op;
		d->values[i] = f->value;
		if (f->text && f->value) {
			memcpy(d->buf + d->buflen, f->text, f->value);
			d->buflen += f->value;
		}
	}
	return d;
}

bool rule_from_data(struct arena *a, const struct audit_rule_data *d, struct rule *out)
{
	if (d->field_count > AUDIT_MAX_FIELDS)
		return false;
	*out = (struct rule){.flags = d->flags, .action = d->action, .nfields = d->field_count};
	memcpy(out->mask, d->mask, sizeof(out->mask));
	uint32_t used = 0;
	for (unsigned i = 0; i < d->field_count; i++) {
		struct field *f = &out->fields[i];
		*f = (struct field){.id = d->fields[i], .op = d->fieldflags[i], .value = d->values[i]};
		if (!field_is_text(f->id))
			continue;
		if (f->value > d->buflen - used)
			return false;
		f->text = arena_strndup(a, d->buf + used, f->value);
		used += f->value;
	}
	return used == d->buflen;
}
