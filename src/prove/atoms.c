/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prove/atoms.h"

#include <string.h>

enum { BITS = 32 };

struct number {
	uint32_t id;
	unsigned first;           /* variable of the most significant bit */
};

enum fact_kind { FACT_FIELD, FACT_GROUP, FACT_ALIVE };

struct fact_var {
	enum fact_kind kind;
	uint32_t id, op, value;
	const char *text;
	unsigned var;
};

struct atoms {
	struct bdd *b;
	struct arena *arena;
	struct number *numbers;
	size_t nnumbers;
	struct fact_var *facts;
	size_t nfacts;
	unsigned has_result, success, has_saddr, how_read, how_write, wide_a0, newer_class;
	const char *refused;
};

struct atoms *atoms_new(struct bdd *b, struct arena *a)
{
	struct atoms *t = arena_one(a, struct atoms);
	t->b = b;
	t->arena = a;
	t->has_result = bdd_new_var(b);
	t->success = bdd_new_var(b);
	t->has_saddr = bdd_new_var(b);
	t->how_read = bdd_new_var(b);
	t->how_write = bdd_new_var(b);
	t->wide_a0 = bdd_new_var(b);
	t->newer_class = bdd_new_var(b);
	return t;
}

const char *atoms_refused(const struct atoms *t)
{
	return t->refused;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------------------------ */

static unsigned number_first(struct atoms *t, uint32_t id)
{
	for (size_t i = 0; i < t->nnumbers; i++) {
		if (t->numbers[i].id == id)
			return t->numbers[i].first;
	}
	struct number *n = arena_push(t->arena, t->numbers, t->nnumbers);
	n->id = id;
	n->first = bdd_new_var(t->b);
	for (int i = 1; i < BITS; i++)
		bdd_new_var(t->b);
	return n->first;
}

static bool bit_of(uint32_t value, int i)        /* i counts from the most significant */
{
	return value >> (BITS - 1 - i) & 1;
}

static node equal_to(struct atoms *t, unsigned first, uint32_t value)
{
	node r = BDD_TRUE;
	for (int i = BITS - 1; i >= 0; i--) {
		node v = bdd_var(t->b, first + (unsigned)i);
		r = bit_of(value, i) ? bdd_ite(t->b, v, r, BDD_FALSE) : bdd_ite(t->b, v, BDD_FALSE, r);
	}
	return r;
}

/* number < value, or <= when or_equal; built from the least significant bit up */
static node below(struct atoms *t, unsigned first, uint32_t value, bool or_equal)
{
	node r = or_equal ? BDD_TRUE : BDD_FALSE;
	for (int i = BITS - 1; i >= 0; i--) {
		node v = bdd_var(t->b, first + (unsigned)i);
		r = bit_of(value, i) ? bdd_ite(t->b, v, r, BDD_TRUE) : bdd_ite(t->b, v, BDD_FALSE, r);
	}
	return r;
}

static node bits_of(struct atoms *t, unsigned first, uint32_t value, bool all)
{
	node r = all ? BDD_TRUE : BDD_FALSE;
	for (int i = 0; i < BITS; i++) {
		if (!bit_of(value, i))
			continue;
		node v = bdd_var(t->b, first + (unsigned)i);
		r = all ? bdd_and(t->b, r, v) : bdd_or(t->b, r, v);
	}
	return r;
}

static node compare(struct atoms *t, uint32_t id, uint32_t op, uint32_t value)
{
	unsigned first = number_first(t, id);
	switch (op) {
	case AUDIT_EQUAL:
		return equal_to(t, first, value);
	case AUDIT_NOT_EQUAL:
		return bdd_not(t->b, equal_to(t, first, value));
	case AUDIT_LESS_THAN:
		return below(t, first, value, false);
	case AUDIT_LESS_THAN_OR_EQUAL:
		return below(t, first, value, true);
	case AUDIT_GREATER_THAN:
		return bdd_not(t->b, below(t, first, value, true));
	case AUDIT_GREATER_THAN_OR_EQUAL:
		return bdd_not(t->b, below(t, first, value, false));
	case AUDIT_BIT_MASK:
		return bits_of(t, first, value, false);
	case AUDIT_BIT_TEST:
		return bits_of(t, first, value, true);
	default:
		t->refused = "an operator the proof does not know";
		return BDD_FALSE;
	}
}

/* One of two known values under an operator: success, loginuid_set. */
static node compare_two(struct atoms *t, node which, uint32_t if_true, uint32_t if_false, uint32_t op, uint32_t value)
{
	bool hi, lo;
	switch (op) {
	case AUDIT_EQUAL:
		hi = if_true == value, lo = if_false == value;
		break;
	case AUDIT_NOT_EQUAL:
		hi = if_true != value, lo = if_false != value;
		break;
	case AUDIT_LESS_THAN:
		hi = if_true < value, lo = if_false < value;
		break;
	case AUDIT_LESS_THAN_OR_EQUAL:
		hi = if_true <= value, lo = if_false <= value;
		break;
	case AUDIT_GREATER_THAN:
		hi = if_true > value, lo = if_false > value;
		break;
	case AUDIT_GREATER_THAN_OR_EQUAL:
		hi = if_true >= value, lo = if_false >= value;
		break;
	default:
		t->refused = "an operator the proof does not know";
		return BDD_FALSE;
	}
	return bdd_ite(t->b, which, hi ? BDD_TRUE : BDD_FALSE, lo ? BDD_TRUE : BDD_FALSE);
}

node atoms_unset_auid(struct atoms *t)
{
	return equal_to(t, number_first(t, AUDIT_LOGINUID), UINT32_MAX);
}

/* ---- facts --------------------------------------------------------------------------------------------------------------------------- */

static bool same_fact(const struct fact_var *v, enum fact_kind kind, const struct field *f, uint32_t op)
{
	if (v->kind != kind || v->id != f->id || v->op != op || v->value != f->value)
		return false;
	return !field_is_text(f->id) || memcmp(v->text, f->text, f->value) == 0;
}

static node fact(struct atoms *t, enum fact_kind kind, const struct field *f, uint32_t op)
{
	for (size_t i = 0; i < t->nfacts; i++) {
		if (same_fact(&t->facts[i], kind, f, op))
			return bdd_var(t->b, t->facts[i].var);
	}
	struct fact_var *v = arena_push(t->arena, t->facts, t->nfacts);
	*v = (struct fact_var){kind, f->id, op, f->value, f->text, bdd_new_var(t->b)};
	return bdd_var(t->b, v->var);
}

/* A fact whose != is the negation of its =. */
static node fact_or_not(struct atoms *t, const struct field *f)
{
	node is = fact(t, FACT_FIELD, f, AUDIT_EQUAL);
	return f->op == AUDIT_EQUAL ? is : bdd_not(t->b, is);
}

/* gid and egid: = and != also look at the supplementary groups (auditsc.c:audit_filter_rules, in_group_p). */
static node group(struct atoms *t, const struct field *f)
{
	if (f->op != AUDIT_EQUAL && f->op != AUDIT_NOT_EQUAL)
		return compare(t, f->id, f->op, f->value);
	struct field any = {.id = AUDIT_GID, .op = AUDIT_EQUAL, .value = f->value};
	node member = bdd_or(t->b, compare(t, f->id, AUDIT_EQUAL, f->value), fact(t, FACT_GROUP, &any, AUDIT_EQUAL));
	return f->op == AUDIT_EQUAL ? member : bdd_not(t->b, member);
}

static node result_field(struct atoms *t, const struct field *f)
{
	node value;
	if (f->id == AUDIT_SUCCESS)
		value = compare_two(t, bdd_var(t->b, t->success), 1, 2, f->op, f->value ? 1 : 2);
	else
		value = compare(t, f->id, f->op, f->value);
	return bdd_and(t->b, bdd_var(t->b, t->has_result), value);
}

/*
 * The kernel drops a rule when the directory of its exe goes away (audit_fsnotify.c), also one with exe!=: so such a rule
 * can only match while it is there.
 */
static node exe(struct atoms *t, const struct field *f)
{
	return bdd_and(t->b, fact(t, FACT_ALIVE, f, AUDIT_EQUAL), fact_or_not(t, f));
}

static bool is_task_pair(const struct field *f)
{
	return f->value >= AUDIT_COMPARE_UID_TO_AUID && f->value <= AUDIT_MAX_FIELD_COMPARE;
}

static node field_base(struct atoms *t, const struct field *f)
{
	if (f->id == AUDIT_LOGINUID_SET)
		return compare_two(t, atoms_unset_auid(t), 0, 1, f->op, f->value);
	const struct field_info *info = field_by_id(f->id);
	if (!info) {
		t->refused = "a field the proof does not know";
		return BDD_FALSE;
	}
	switch (info->source) {
	case FS_TASK:
		return compare(t, f->id, f->op, f->value);
	case FS_GROUP:
		return group(t, f);
	case FS_RESULT:
		return result_field(t, f);
	case FS_SADDR:
		return bdd_and(t->b, bdd_var(t->b, t->has_saddr), compare(t, f->id, f->op, f->value));
	case FS_ARCH:
	case FS_PERM:
	case FS_KEY:
		return BDD_TRUE;
	case FS_EXE:
		return exe(t, f);
	case FS_COMPARE:
		return is_task_pair(f) ? fact_or_not(t, f) : fact(t, FACT_FIELD, f, f->op);
	case FS_NAMES:
		return f->id == AUDIT_FILETYPE ? fact_or_not(t, f) : fact(t, FACT_FIELD, f, f->op);
	case FS_DIR:
	case FS_PATH:
	case FS_LABEL:            /* = and != may both be false (unresolved) or both true (stale policy) */
		return fact(t, FACT_FIELD, f, f->op);
	default:
		t->refused = info->name;
		return BDD_FALSE;
	}
}

node atoms_base(struct atoms *t, const struct krule *r)
{
	node all = BDD_TRUE;
	for (unsigned i = 0; i < r->nfields; i++)
		all = bdd_and(t->b, all, field_base(t, &r->fields[i]));
	return all;
}

/* ---- arch and perm in a view ------------------------------------------------------------------------------------------------------------ */

/* kernel/auditsc.c:audit_match_perm with ACC_MODE: 0 is r, 1 is w, 2 and 3 are both */
static node perm_by_flags(struct atoms *t, uint32_t arg, uint32_t bits)
{
	unsigned first = number_first(t, arg);
	node low = bdd_var(t->b, first + BITS - 1), high = bdd_var(t->b, first + BITS - 2);
	node reads = bdd_or(t->b, high, bdd_not(t->b, low)), writes = bdd_or(t->b, high, low);
	return bdd_or(t->b, bits & PERM_R ? reads : BDD_FALSE, bits & PERM_W ? writes : BDD_FALSE);
}

/*
 * The number of the socket call that i386 socketcall makes is looked at as the register was at entry, all 64 bits of it, which int $0x80 from a
 * 64-bit program can set; the call itself and the field a0 take the lower half.
 */
static node perm_by_socketcall(struct atoms *t)
{
	node bind = compare(t, AUDIT_ARG0, AUDIT_EQUAL, 2);     /* SYS_BIND */
	return bdd_and(t->b, bdd_not(t->b, bdd_var(t->b, t->wide_a0)), bind);
}

static node perm_matches(struct atoms *t, uint32_t bits, const struct view *v)
{
	if (v->kind != EV_SYSCALL)
		return BDD_FALSE;
	switch (v->open) {
	case OPEN_A1:
		return perm_by_flags(t, AUDIT_ARG1, bits);
	case OPEN_A2:
		return perm_by_flags(t, AUDIT_ARG2, bits);
	case OPEN_HOW:
		return bdd_or(t->b, bits & PERM_R ? bdd_var(t->b, t->how_read) : BDD_FALSE,
			      bits & PERM_W ? bdd_var(t->b, t->how_write) : BDD_FALSE);
	case OPEN_SOCKETCALL:
		return bits & PERM_W ? perm_by_socketcall(t) : BDD_FALSE;
	default:
		break;
	}
	if (!(v->perm & bits))
		return BDD_FALSE;
	return v->uncertain ? bdd_var(t->b, t->newer_class) : BDD_TRUE;
}

node atoms_in_view(struct atoms *t, const struct krule *r, const struct view *v)
{
	node all = BDD_TRUE;
	uint32_t arch = v->kind == EV_SYSCALL ? abi_arch(v->abi) : 0;
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		node one = BDD_TRUE;
		if (f->id == AUDIT_ARCH)
			one = (arch == f->value) == (f->op == AUDIT_EQUAL) ? BDD_TRUE : BDD_FALSE;
		else if (f->id == AUDIT_PERM)
			one = perm_matches(t, f->value, v);
		if (f->id == AUDIT_PERM && f->op == AUDIT_NOT_EQUAL)
			one = bdd_not(t->b, one);
		all = bdd_and(t->b, all, one);
	}
	return all;
}

static node field_at_fork(struct atoms *t, const struct field *f)
{
	if (f->id == AUDIT_LOGINUID_SET)
		return field_base(t, f);
	const struct field_info *info = field_by_id(f->id);
	if (!info) {
		t->refused = "a field the proof does not know";
		return BDD_FALSE;
	}
	if (info->source == FS_KEY)
		return BDD_TRUE;
	if (f->id == AUDIT_PERM || f->id == AUDIT_FILETYPE)
		return f->op == AUDIT_NOT_EQUAL ? BDD_TRUE : BDD_FALSE;
	if (info->source == FS_EXE)
		return fact(t, FACT_FIELD, f, f->op);
	if (info->source == FS_COMPARE)
		return is_task_pair(f) ? fact_or_not(t, f) : BDD_FALSE;
	return info->at_fork ? field_base(t, f) : BDD_FALSE;
}

node atoms_at_fork(struct atoms *t, const struct krule *r)
{
	node all = BDD_TRUE;
	for (unsigned i = 0; i < r->nfields; i++)
		all = bdd_and(t->b, all, field_at_fork(t, &r->fields[i]));
	return all;
}

/* ---- back to an event ----------------------------------------------------------------------------------------------------------------------- */

/* What a number is where nothing is said of it: an ordinary user's ordinary call. */
static uint32_t usual_value(uint32_t id)
{
	switch (id) {
	case AUDIT_LOGINUID:
		return 1000;
	case AUDIT_PID:
	case AUDIT_PPID:
		return 1234;
	case AUDIT_SESSIONID:
		return 3;
	default:
		return 0;
	}
}

static struct event_number number_event(const struct number *n, const signed char *value)
{
	struct event_number e = {.id = n->id, .value = usual_value(n->id)};
	for (int i = 0; i < BITS; i++) {
		signed char bit = value[n->first + (unsigned)i];
		uint32_t at = UINT32_C(1) << (BITS - 1 - i);
		if (bit < 0)
			continue;
		e.value = bit ? e.value | at : e.value & ~at;
		e.matters = true;
	}
	return e;
}

struct event *atoms_event(struct atoms *t, const struct view *v, const signed char *value)
{
	struct event *e = arena_one(t->arena, struct event);
	e->kind = v->kind;
	e->abi = v->abi;
	e->nr = v->nr;
	e->has_result = value[t->has_result] != 0;
	e->success = value[t->success] != 0;
	e->has_saddr = value[t->has_saddr] > 0;
	e->how_read = value[t->how_read] > 0;
	e->how_write = value[t->how_write] > 0;
	e->wide_a0 = value[t->wide_a0] > 0;
	e->newer_class = value[t->newer_class] > 0;
	e->numbers = arena_alloc(t->arena, t->nnumbers + 1, sizeof(e->numbers[0]));
	for (size_t i = 0; i < t->nnumbers; i++)
		e->numbers[e->nnumbers++] = number_event(&t->numbers[i], value);
	e->facts = arena_array(t->arena, struct fact, t->nfacts + 1);
	e->groups = arena_array(t->arena, uint32_t, t->nfacts + 1);
	for (size_t i = 0; i < t->nfacts; i++) {
		const struct fact_var *f = &t->facts[i];
		bool holds = value[f->var] > 0;
		if (f->kind == FACT_GROUP && holds)
			e->groups[e->ngroups++] = f->value;
		if (f->kind == FACT_FIELD)
			e->facts[e->nfacts++] = (struct fact){f->id, f->op, f->value, f->text, holds};
	}
	return e;
}

static void describe_number(struct str *out, uint32_t id, uint32_t value)
{
	const char *name = audit_field_to_name((int)id);
	if (id == AUDIT_LOGINUID && value == UINT32_MAX)
		str_add(out, ", auid=unset");
	else if (id == AUDIT_EXIT && value > UINT32_MAX - 4096)
		str_addf(out, ", exit=%d", (int)value);
	else if (id >= AUDIT_ARG0 && id <= AUDIT_ARG3)
		str_addf(out, ", %s=0x%x", name ? name : "?", value);
	else
		str_addf(out, ", %s=%u", name ? name : "?", value);
}

static void describe_fact(struct str *out, const struct fact *f)
{
	const char *name = audit_field_to_name((int)f->id);
	if (!f->holds)
		return;
	str_addf(out, ", %s%s", name ? name : "?", op_text(f->op));
	if (field_is_text(f->id))
		str_addn(out, f->text, f->value);
	else
		str_addf(out, "%u", f->value);
	str_add(out, " holds");
}

const char *atoms_describe(struct atoms *t, const struct event *e)
{
	struct str out = {0};
	if (e->kind == EV_TASK) {
		str_add(&out, "a task is created");
	} else if (e->kind == EV_WORKER) {
		str_add(&out, "an io_uring operation in a worker");
	} else {
		const char *name = abi_syscall_name(e->abi, e->nr);
		str_addf(&out, "%s %s (%u)", e->abi == ABI_64 ? "b64" : "b32", name ? name : "system call", e->nr);
	}
	for (size_t i = 0; i < e->nnumbers; i++) {
		if (e->numbers[i].matters)
			describe_number(&out, e->numbers[i].id, e->numbers[i].value);
	}
	if (e->wide_a0)
		str_add(&out, ", a0 with bits above the lower 32");
	for (size_t i = 0; i < e->ngroups; i++)
		str_addf(&out, ", member of group %u", e->groups[i]);
	for (size_t i = 0; i < e->nfacts; i++)
		describe_fact(&out, &e->facts[i]);
	if (e->kind != EV_TASK)
		str_add(&out, !e->has_result ? ", no result" : e->success ? ", success" : ", failure");
	const char *text = arena_strndup(t->arena, str_get(&out), out.len);
	str_free(&out);
	return text;
}
