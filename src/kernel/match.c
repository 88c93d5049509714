/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernel/event.h"

#include <string.h>

uint32_t event_number(const struct event *e, uint32_t id)
{
	for (size_t i = 0; i < e->nnumbers; i++) {
		if (e->numbers[i].id == id)
			return e->numbers[i].value;
	}
	return 0;
}

bool number_compare(uint32_t left, uint32_t op, uint32_t right)
{
	switch (op) {
	case AUDIT_EQUAL:
		return left == right;
	case AUDIT_NOT_EQUAL:
		return left != right;
	case AUDIT_LESS_THAN:
		return left < right;
	case AUDIT_LESS_THAN_OR_EQUAL:
		return left <= right;
	case AUDIT_GREATER_THAN:
		return left > right;
	case AUDIT_GREATER_THAN_OR_EQUAL:
		return left >= right;
	case AUDIT_BIT_MASK:
		return (left & right) != 0;
	case AUDIT_BIT_TEST:
		return (left & right) == right;
	default:
		return false;
	}
}

static bool same_fact(const struct fact *fact, const struct field *f, uint32_t op)
{
	if (fact->id != f->id || fact->op != op || fact->value != f->value)
		return false;
	return !field_is_text(f->id) || memcmp(fact->text, f->text, f->value) == 0;
}

static bool fact_holds(const struct event *e, const struct field *f, uint32_t op)
{
	for (size_t i = 0; i < e->nfacts; i++) {
		if (same_fact(&e->facts[i], f, op))
			return e->facts[i].holds;
	}
	return false;
}

static bool in_groups(const struct event *e, uint32_t gid)
{
	for (size_t i = 0; i < e->ngroups; i++) {
		if (e->groups[i] == gid)
			return true;
	}
	return false;
}

static bool match_group(const struct event *e, const struct field *f)
{
	uint32_t id = event_number(e, f->id);
	bool member = id == f->value || in_groups(e, f->value);
	if (f->op == AUDIT_EQUAL)
		return member;
	if (f->op == AUDIT_NOT_EQUAL)
		return !member;
	return number_compare(id, f->op, f->value);
}

/* kernel/auditsc.c:audit_match_perm */
static bool perm_matches(const struct event *e, uint32_t bits)
{
	if (e->kind != EV_SYSCALL)
		return false;
	enum open_kind open;
	unsigned class = perm_class(e->abi, e->nr, &open);
	unsigned mode;
	static const unsigned char access_mode[] = {PERM_R, PERM_W, PERM_R | PERM_W, PERM_R | PERM_W};
	switch (open) {
	case OPEN_A1:
		mode = access_mode[event_number(e, AUDIT_ARG1) & 3];
		break;
	case OPEN_A2:
		mode = access_mode[event_number(e, AUDIT_ARG2) & 3];
		break;
	case OPEN_HOW:
		mode = (e->how_read ? PERM_R : 0) | (e->how_write ? PERM_W : 0);
		break;
	case OPEN_SOCKETCALL:
		mode = event_number(e, AUDIT_ARG0) == 2 && !e->wide_a0 ? PERM_W : 0;   /* SYS_BIND */
		break;
	default:
		mode = perm_class_uncertain(e->abi, e->nr) && !e->newer_class ? 0 : class;
	}
	return mode & bits;
}

static bool match_arch(const struct event *e, const struct field *f)
{
	if (e->kind == EV_TASK)
		return false;
	return number_compare(e->kind == EV_WORKER ? 0 : abi_arch(e->abi), f->op, f->value);
}

/* Fields that the task list cannot see are false whatever the operator, except perm and filetype (auditsc.c:audit_filter_rules without a context). */
static bool match_at_fork(const struct event *e, const struct field *f, const struct field_info *info)
{
	if (f->id == AUDIT_PERM || f->id == AUDIT_FILETYPE)
		return f->op == AUDIT_NOT_EQUAL;
	if (f->id == AUDIT_EXE)      /* differs between kernels of one series: a fact of its own for each operator */
		return fact_holds(e, f, f->op);
	if (f->id == AUDIT_FIELD_COMPARE && f->value >= AUDIT_COMPARE_UID_TO_AUID)
		return fact_holds(e, f, AUDIT_EQUAL) == (f->op == AUDIT_EQUAL);
	if (!info->at_fork)
		return false;
	if (info->source == FS_GROUP)
		return match_group(e, f);
	if (info->source == FS_LABEL)
		return fact_holds(e, f, f->op);
	return number_compare(event_number(e, f->id), f->op, f->value);
}

static bool match_field(const struct event *e, const struct field *f)
{
	if (f->id == AUDIT_LOGINUID_SET)
		return number_compare(event_number(e, AUDIT_LOGINUID) != UINT32_MAX, f->op, f->value);
	const struct field_info *info = field_by_id(f->id);
	if (!info)
		return false;
	if (info->source == FS_KEY)
		return true;
	if (e->kind == EV_TASK)
		return match_at_fork(e, f, info);
	switch (info->source) {
	case FS_TASK:
		return number_compare(event_number(e, f->id), f->op, f->value);
	case FS_GROUP:
		return match_group(e, f);
	case FS_RESULT:
		if (!e->has_result)
			return false;
		if (f->id == AUDIT_SUCCESS)
			return number_compare(e->success ? 1 : 2, f->op, f->value ? 1 : 2);
		return number_compare(event_number(e, f->id), f->op, f->value);
	case FS_ARCH:
		return match_arch(e, f);
	case FS_PERM:
		return perm_matches(e, f->value) == (f->op == AUDIT_EQUAL);
	case FS_SADDR:
		return e->has_saddr && number_compare(event_number(e, f->id), f->op, f->value);
	case FS_EXE:
		return fact_holds(e, f, AUDIT_EQUAL) == (f->op == AUDIT_EQUAL);
	case FS_COMPARE:
		if (f->value >= AUDIT_COMPARE_UID_TO_AUID)
			return fact_holds(e, f, AUDIT_EQUAL) == (f->op == AUDIT_EQUAL);
		return fact_holds(e, f, f->op);
	default:
		if (f->id == AUDIT_FILETYPE)
			return fact_holds(e, f, AUDIT_EQUAL) == (f->op == AUDIT_EQUAL);
		return fact_holds(e, f, f->op);
	}
}

static bool match_rule(const struct event *e, const struct krule *r)
{
	if (e->kind != EV_TASK && !mask_has(r->mask, e->kind == EV_WORKER ? 0 : e->nr))
		return false;
	for (unsigned i = 0; i < r->nfields; i++) {
		if (!match_field(e, &r->fields[i]))
			return false;
	}
	return true;
}

static const struct krule *first_match(const struct kset *k, const struct event *e, enum home home, size_t before)
{
	for (size_t i = 0; i < k->n && k->rules[i].order < before; i++) {
		if (k->rules[i].home == home && match_rule(e, &k->rules[i]))
			return &k->rules[i];
	}
	return NULL;
}

struct decision kernel_decide(const struct kset *k, const struct event *e)
{
	struct decision d = {0};
	if (e->kind == EV_TASK) {
		d.by = first_match(k, e, HOME_TASK, SIZE_MAX);
	} else {
		if (e->kind == EV_SYSCALL)
			d.by = first_match(k, e, HOME_EXIT, SIZE_MAX);
		if (d.by)
			d.key = rule_key(d.by->rule);
		const struct krule *hash = first_match(k, e, HOME_HASH, d.by ? d.by->order : SIZE_MAX);
		if (hash)
			d.by = hash;
	}
	if (d.by && rule_key(d.by->rule))
		d.key = rule_key(d.by->rule);
	d.recorded = d.by && d.by->rule->action == AUDIT_ALWAYS;
	return d;
}
