/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cost/cost.h"

#include <string.h>

enum { BUCKETS = 32 };                    /* AUDIT_INODE_BUCKETS of kernel/audit.h */
static const uint32_t unset = UINT32_MAX; /* the kernel's AUDIT_UID_UNSET, also of session ids */

/* ---- is a field true for this call --------------------------------------------------------------------- */

/* A value the model does not know: the call is none of those that rules look for. */
static bool guess(uint32_t op)
{
	return op != AUDIT_EQUAL;
}

static bool task_true(const struct field *f, const struct call *call)
{
	switch (f->id) {
	case AUDIT_UID:
	case AUDIT_EUID:
	case AUDIT_SUID:
	case AUDIT_FSUID:
		return number_compare(call->uid, f->op, f->value);
	case AUDIT_LOGINUID:
		return number_compare(call->auid, f->op, f->value);
	case AUDIT_LOGINUID_SET:
		return number_compare(call->auid != unset, f->op, f->value);
	case AUDIT_SESSIONID: /* set and unset together with the login uid (kernel/audit.c:
				 audit_set_loginuid) */
		return call->auid == unset || f->value == unset
			   ? number_compare(call->auid == unset ? unset : 0, f->op, f->value)
			   : guess(f->op);
	default:
		return guess(f->op);
	}
}

static bool pair_has_object(uint32_t pair)
{
	return pair >= AUDIT_COMPARE_UID_TO_OBJ_UID && pair <= AUDIT_COMPARE_FSGID_TO_OBJ_GID;
}

/* Pairs of -C: all ids of the caller but the login uid are the same; pairs with an object need a name. */
static bool pair_true(const struct field *f, const struct call *call)
{
	switch (f->value) {
	case AUDIT_COMPARE_UID_TO_AUID:
	case AUDIT_COMPARE_AUID_TO_FSUID:
	case AUDIT_COMPARE_AUID_TO_SUID:
	case AUDIT_COMPARE_AUID_TO_EUID:
		return number_compare(call->auid, f->op, call->uid);
	default:
		if (pair_has_object(f->value))
			return call->names && guess(f->op);
		return f->op == AUDIT_EQUAL;
	}
}

static bool perm_true(const struct field *f, const struct call *call)
{
	enum open_kind open = OPEN_NOT;
	unsigned bits = perm_class(call->abi, call->nr, &open);
	if (open == OPEN_SOCKETCALL) /* bind alone is in a class */
		bits = 0;
	else if (open != OPEN_NOT)
		bits = PERM_R;
	return ((bits & f->value) != 0) == (f->op == AUDIT_EQUAL);
}

/* A field no table knows counts as one of the task's numbers: the plainest kind. */
static const struct field_info plain = {.source = FS_TASK, .cost = FC_SCALAR};

static const struct field_info *info(const struct field *f)
{
	const struct field_info *i = field_by_id(f->id);
	return i ? i : &plain;
}

static bool field_true(const struct field *f, const struct call *call)
{
	switch (info(f)->source) {
	case FS_TASK:
		return task_true(f, call);
	case FS_ARCH:
		return number_compare(abi_arch(call->abi), f->op, f->value);
	case FS_PERM:
		return perm_true(f, call);
	case FS_COMPARE:
		return pair_true(f, call);
	case FS_NAMES:
		/* No name: nothing is true of it, but filetype!= is a negation (audit_match_filetype). */
		return call->names ? guess(f->op) : f->id == AUDIT_FILETYPE && f->op == AUDIT_NOT_EQUAL;
	case FS_KEY:
		return true;
	case FS_SADDR:
	case FS_RECORD:
	case FS_PATH:
		return false;
	case FS_GROUP:
	case FS_RESULT:
	case FS_LABEL:
	case FS_EXE:
	case FS_DIR:
		return guess(f->op);
	}
	return guess(f->op);
}

/* ---- what a field costs -------------------------------------------------------------------------------- */

static enum field_cost class_of(const struct field *f, const struct field_info *i)
{
	return i->source == FS_COMPARE && !pair_has_object(f->value) ? FC_SCALAR : i->cost;
}

static double field_cost(const struct coefficients *c, const struct field *f, const struct call *call,
			 bool *ppid)
{
	const struct field_info *i = info(f);
	if (i->source == FS_ARCH)
		return c->arch;
	if (i->source == FS_PATH || (f->id == AUDIT_INODE && f->op == AUDIT_EQUAL)) /* one name alone */
		return c->path;
	enum field_cost class = class_of(f, i);
	double sum = c->field[class];
	if (class == FC_PERM)
		sum += c->perm_bit * __builtin_popcount(f->value & (PERM_R | PERM_W | PERM_A));
	else if (class == FC_NAMES)
		sum += c->field_per_name * call->names;
	else if (class == FC_OBJ_LABEL)
		sum += c->obj_label_per_name * call->names;
	else if (class == FC_PPID && !*ppid)
		sum += c->ppid_once;
	*ppid = *ppid || class == FC_PPID;
	return sum;
}

/* Stored order, up to the first that is false (kernel/auditsc.c: audit_filter_rules). */
static double fields_cost(const struct coefficients *c, const struct krule *k, const struct call *call,
			  bool *ppid, bool *match)
{
	double sum = 0;
	*match = true;
	for (unsigned i = 0; i < k->nfields && *match; i++) {
		sum += field_cost(c, &k->fields[i], call, ppid);
		*match = field_true(&k->fields[i], call);
	}
	return sum;
}

/* ---- what a rule costs --------------------------------------------------------------------------------- */

static double exit_step(const struct coefficients *c, const struct krule *k, const struct call *call,
			bool *ppid, bool *match)
{
	*match = false;
	if (!mask_has(k->mask, call->nr))
		return c->mask_miss;
	double sum = c->mask_hit + fields_cost(c, k, call, ppid, match);
	return *match ? sum + c->stop_never : sum;
}

/* Inodes are spread evenly over the buckets: a name meets one rule in 32. That the rule is for that very file
 * is left out. */
static double bucket_step(const struct coefficients *c, const struct krule *k, const struct call *call,
			  bool *ppid)
{
	if (!call->names)
		return 0;
	bool match;
	double step = mask_has(k->mask, call->nr) ? c->hash_probe + fields_cost(c, k, call, ppid, &match)
						  : c->mask_miss;
	return step * call->names / BUCKETS;
}

double cost_rule_on_call(const struct coefficients *c, const struct krule *k, const struct call *call)
{
	bool ppid = false, match;
	if (k->home == HOME_EXIT)
		return exit_step(c, k, call, &ppid, &match);
	if (k->home == HOME_HASH)
		return bucket_step(c, k, call, &ppid);
	return 0;
}

/* ---- what a call costs --------------------------------------------------------------------------------- */

static bool creates_task(const struct call *call)
{
	static const char *const names[] = {"clone", "clone3", "fork", "vfork"};
	const char *name = abi_syscall_name(call->abi, call->nr);
	for (size_t i = 0; name && i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* Fields without a value at fork are false there, but exe!= is true (the new task has no program yet). */
static bool true_at_fork(const struct field *f, const struct call *call)
{
	const struct field_info *i = info(f);
	if (i->at_fork || f->id == AUDIT_LOGINUID_SET)
		return field_true(f, call);
	return i->source == FS_KEY || (i->source == FS_EXE && f->op == AUDIT_NOT_EQUAL);
}

/* The task list as the caller met it when it was created: the first rule that matches decides
 * (audit_filter_task). */
static bool task_list(const struct coefficients *c, const struct kset *k, const struct call *call,
		      double *cost)
{
	bool ppid = false;
	for (size_t i = 0; i < k->n; i++) {
		const struct krule *r = &k->rules[i];
		if (r->home != HOME_TASK)
			continue;
		bool match = true;
		*cost += c->task;
		for (unsigned j = 0; j < r->nfields && match; j++) {
			*cost += field_cost(c, &r->fields[j], call, &ppid);
			match = true_at_fork(&r->fields[j], call);
		}
		if (match)
			return r->rule->action == AUDIT_NEVER;
	}
	return false;
}

/*
 * Both passes of audit_filter_syscall and audit_filter_inodes: a match on the exit list does not end the
 * second. A path rule of lower priority would then be left before its fields; that saving is not in the
 * model.
 */
static void walk(const struct coefficients *c, const struct kset *k, const struct call *call,
		 struct call_cost *p, double *each)
{
	bool ppid = false, entered = false;
	for (size_t i = 0; i < k->n; i++) {
		const struct krule *r = &k->rules[i];
		double step = 0;
		if (r->home == HOME_EXIT && !p->decides) {
			bool match;
			step = exit_step(c, r, call, &ppid, &match);
			p->walk += step + (entered ? 0 : c->list);
			entered = true;
			if (match)
				p->decides = r;
		} else if (r->home == HOME_HASH) {
			step = bucket_step(c, r, call, &ppid);
			p->buckets += step;
		}
		if (each)
			each[i] = step;
	}
}

/* Unlike kset.counted: rules that the kernel may remove later are there now. */
static bool some_rule_counts(const struct kset *k)
{
	for (size_t i = 0; i < k->n; i++) {
		if (home_is_counted(k->rules[i].home))
			return true;
	}
	return false;
}

static bool notifies(const struct kset *k)
{
	for (size_t i = 0; i < k->n; i++) {
		const struct rule *r = k->rules[i].rule;
		if (rule_field(r, AUDIT_WATCH) || rule_field(r, AUDIT_DIR))
			return true;
	}
	return false;
}

struct call_cost cost_call_parts(const struct coefficients *c, const struct kset *k, const struct call *call,
				 double *each)
{
	struct call_cost p = {.state = c->off};
	double at_fork = 0;
	if (each)
		memset(each, 0, k->n * sizeof(*each));
	unsigned notes = call_notifications(call->abi, call->nr);
	if (notes && notifies(k)) /* also for tasks that are not audited */
		p.notify = c->notify * notes;
	p.exempt = task_list(c, k, call, &at_fork);
	if (creates_task(call))
		p.task = at_fork;
	if (p.exempt)
		return p;
	if (!k->enabled) {
		p.state += c->disabled;
		return p;
	}
	p.state += c->no_rules;
	if (!some_rule_counts(k))
		return p;
	p.state += c->counted;
	p.names = c->name * call->names;
	walk(c, k, call, &p, each);
	if (p.decides && p.decides->rule->action == AUDIT_ALWAYS) /* with names: CWD and a PATH each */
		p.event = c->event + (call->names ? c->record * (1 + call->names) : 0);
	return p;
}

double call_cost_total(const struct call_cost *p)
{
	return p->state + p->names + p->notify + p->walk + p->buckets + p->task;
}

double cost_call(const struct coefficients *c, const struct kset *k, const struct call *call)
{
	struct call_cost p = cost_call_parts(c, k, call, NULL);
	return call_cost_total(&p);
}

/* ---- masks --------------------------------------------------------------------------------------------- */

unsigned cost_mask_count(const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	unsigned n = 0;
	for (unsigned w = 0; w < NR_LIMIT / 32; w++)
		n += (unsigned)__builtin_popcount(mask[w]);
	return n + (unsigned)__builtin_popcount(mask[NR_LIMIT / 32] & ((UINT32_C(1) << NR_LIMIT % 32) - 1));
}

static bool usable(const uint32_t named[AUDIT_BITMASK_SIZE], enum abi abi, int nr)
{
	return nr >= 0 && nr < NR_LIMIT && !mask_has(named, (unsigned)nr) &&
	       abi_syscall_name(abi, (unsigned)nr) && call_names(abi, (unsigned)nr) == 0;
}

unsigned cost_unnamed_call(const struct kset *k, enum abi abi)
{
	uint32_t named[AUDIT_BITMASK_SIZE] = {0};
	for (size_t i = 0; i < k->n; i++) {
		const struct krule *r = &k->rules[i];
		bool walked = r->home == HOME_EXIT || r->home == HOME_HASH;
		if (!walked || r->rule->action == AUDIT_NEVER || cost_mask_count(r->mask) == NR_LIMIT)
			continue;
		for (size_t w = 0; w < AUDIT_BITMASK_SIZE; w++)
			named[w] |= r->mask[w];
	}
	int getppid = call_number(abi, "getppid");
	if (usable(named, abi, getppid))
		return (unsigned)getppid;
	for (int nr = 0; nr < NR_LIMIT; nr++) {
		if (usable(named, abi, nr))
			return (unsigned)nr;
	}
	return getppid < 0 ? 0 : (unsigned)getppid;
}
