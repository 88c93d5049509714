/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical form: one line a request, every number as it is sent. */
#include "lang/lang.h"

static const char *list_name(uint32_t list)
{
	static const char *const names[] = {
	    [AUDIT_FILTER_USER] = "user",     [AUDIT_FILTER_TASK] = "task",
	    [AUDIT_FILTER_ENTRY] = "entry",   [AUDIT_FILTER_WATCH] = "watch",
	    [AUDIT_FILTER_EXIT] = "exit",     [AUDIT_FILTER_EXCLUDE] = "exclude",
	    [AUDIT_FILTER_FS] = "filesystem", [AUDIT_FILTER_URING_EXIT] = "io_uring",
	};
	return names[list & 0x7];
}

static void add_action(uint32_t action, struct str *out)
{
	if (action == AUDIT_NEVER)
		str_add(out, "never");
	else if (action == AUDIT_ALWAYS)
		str_add(out, "always");
	else
		str_addf(out, "%u", action);
}

static void add_mask(const uint32_t mask[AUDIT_BITMASK_SIZE], struct str *out)
{
	if (mask_is_all(mask)) {
		str_add(out, "all");
		return;
	}
	if (mask_is_empty(mask)) {
		str_add(out, "none");
		return;
	}
	const char *comma = "";
	for (unsigned nr = 0; nr < AUDIT_BITMASK_SIZE * 32; nr++) {
		if (!mask_has(mask, nr))
			continue;
		str_addf(out, "%s%u", comma, nr);
		comma = ",";
	}
}

static void add_field(const struct field *f, struct str *out)
{
	const char *name = audit_field_to_name((int)f->id);
	const struct field_info *fi = field_by_id(f->id);
	if (!name && fi)
		name = fi->name;
	if (name)
		str_addf(out, " [%s %s ", name, op_text(f->op));
	else
		str_addf(out, " [%u %s ", f->id, op_text(f->op));
	if (f->text)
		str_add_quoted(out, f->text, f->value);
	else
		str_addf(out, "%u", f->value);
	str_addc(out, ']');
}

void rule_dump(const struct rule *r, bool delete, struct str *out)
{
	str_addf(out, "%s flags=%u list=%s%s action=", delete ? "DEL" : "ADD", r->flags, list_name(r->flags),
		 r->flags & AUDIT_FILTER_PREPEND ? " prepend" : "");
	add_action(r->action, out);
	str_add(out, " syscalls=");
	add_mask(r->mask, out);
	str_addf(out, " nfields=%u", r->nfields);
	for (unsigned i = 0; i < r->nfields; i++)
		add_field(&r->fields[i], out);
	str_addc(out, '\n');
}

static void add_text(const char *word, const char *text, struct str *out)
{
	str_add(out, word);
	if (text) {
		str_addc(out, ' ');
		str_add_quoted(out, text, __builtin_strlen(text));
	}
	str_addc(out, '\n');
}

void request_dump(const struct request *q, struct str *out)
{
	switch (q->kind) {
	case REQ_ADD:
	case REQ_DELETE:
		rule_dump(q->rule, q->kind == REQ_DELETE, out);
		break;
	case REQ_SET:
		str_addf(out, "SET mask=0x%x %s=%u\n", q->mask, q->name, q->value);
		break;
	case REQ_DELETE_ALL:
		add_text("DELETE_ALL", q->key, out);
		break;
	case REQ_TRIM:
		add_text("TRIM", NULL, out);
		break;
	case REQ_EQUIV:
		add_text("EQUIV", q->text, out);
		break;
	case REQ_FEATURE:
		str_addf(out, "FEATURE %s=%u\n", q->name, q->value);
		break;
	case REQ_OTHER:
		add_text("OTHER", q->text, out);
		break;
	}
}
