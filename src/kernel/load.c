/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From requests to the lists the kernel would hold. Order of the checks as in kernel/auditfilter.c:
 * audit_data_to_entry, then audit_add_rule.
 */
#include "kernel/held.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

struct loading {
	struct kset *k;
	const struct ruleset *rs; /* NULL: the rules are of no text */
	const struct request *lock; /* the -e 2 */
	struct diags *ds;
	bool ignore;              /* -i or -c: a refused request does not end the load */
	bool whole;               /* go on behind a refusal all the same, to see what else there is */
	bool said_locked;
	struct held held;
	int64_t low, high;        /* priorities given out so far */
};

/* ---- what the kernel refuses ----------------------------------------------------------------------------------------------- */

static bool list_allows(uint32_t list, uint32_t id)
{
	bool syscall_list = list == AUDIT_FILTER_EXIT || list == AUDIT_FILTER_URING_EXIT;
	if (list == AUDIT_FILTER_FS)
		return id == AUDIT_FSTYPE || id == AUDIT_FILTERKEY;
	switch (id) {
	case AUDIT_MSGTYPE:
		return list == AUDIT_FILTER_EXCLUDE || list == AUDIT_FILTER_USER;
	case AUDIT_FSTYPE:
		return false;
	case AUDIT_WATCH:
	case AUDIT_DIR:
	case AUDIT_INODE:
		return syscall_list;
	case AUDIT_PERM:
		return list != AUDIT_FILTER_URING_EXIT;
	default:
		return true;
	}
}

static bool is_id_field(const struct field_info *info)
{
	return info->kind == FK_UID || info->kind == FK_GID;
}

/* What audit_field_valid made of operators until 5.3 (0223fad3c98a, merged with 61fc5771f5e7, made it strict). */
static uint8_t loose_ops(const struct field_info *info)
{
	switch (info->id) {
	case AUDIT_PERS:
	case AUDIT_DEVMINOR:
		return OPS_ORDER;
	case AUDIT_SUBJ_USER:
	case AUDIT_SUBJ_ROLE:
	case AUDIT_SUBJ_TYPE:
	case AUDIT_SUBJ_SEN:
	case AUDIT_SUBJ_CLR:
	case AUDIT_OBJ_USER:
	case AUDIT_OBJ_ROLE:
	case AUDIT_OBJ_TYPE:
	case AUDIT_OBJ_LEV_LOW:
	case AUDIT_OBJ_LEV_HIGH:
	case AUDIT_FILTERKEY:
	case AUDIT_PERM:
	case AUDIT_FILETYPE:
	case AUDIT_FIELD_COMPARE:
		return OPS_ALL;
	default:
		return info->kernel_ops;
	}
}

/* audit_field_valid and the value checks of audit_data_to_entry; NULL when the field is accepted. */
static const char *field_refusal(uint32_t list, const struct field *f, int kernel)
{
	const struct field_info *info = field_by_id(f->id);
	if (!info)
		return "the kernel does not know this field";
	if (!list_allows(list, f->id))
		return "the kernel does not take this field on this list";
	if (!((kernel < KERNEL(5, 3) ? loose_ops(info) : info->kernel_ops) & op_bit(f->op)))
		return "the kernel does not take this operator with this field";
	bool unset_auid = f->id == AUDIT_LOGINUID && f->value == UINT32_MAX;
	if (unset_auid && f->op != AUDIT_EQUAL && f->op != AUDIT_NOT_EQUAL)
		return "auid=unset takes only = and !=";
	if (is_id_field(info) && f->value == UINT32_MAX && !unset_auid)
		return "4294967295 is not a valid id here";
	if (f->id == AUDIT_PERM && f->value > 15)
		return "perm has only the bits of rwxa";
	if (f->id == AUDIT_FILETYPE && (f->value & ~(uint32_t)S_IFMT))
		return "not a file type";
	if (f->id == AUDIT_FIELD_COMPARE && f->value > AUDIT_MAX_FIELD_COMPARE)
		return "no such comparison";
	if (f->id == AUDIT_SADDR_FAM && f->value >= AF_MAX)
		return "no such address family";
	if (field_is_text(f->id) && f->value == 0)
		return "an empty text is refused";
	return NULL;
}

static const char *path_refusal(const struct field *f)
{
	bool slash_end = f->value > 0 && f->text[f->value - 1] == '/';
	if (f->text[0] != '/')
		return "the kernel takes only absolute paths";
	if (f->id != AUDIT_DIR && slash_end)
		return "a path must not end in a slash here";
	return NULL;
}

/*
 * What came with a later kernel. Sources: the maintainers' notes on each (audit-kernel 53, 54 and 114, audit-userspace 24) and
 * Paul Moore's on 4.15; for the others kernel/auditfilter.c at its tags.
 */
enum feature { F_FIELD, F_LIST, F_BEYOND_EXIT, F_UNEQUAL };

static const struct {
	enum feature what;
	uint32_t id; /* the field, or the list of F_LIST */
	int since;
	const char *why;
} features[] = {
    {F_FIELD, AUDIT_FIELD_COMPARE, KERNEL(3, 3), "this kernel compares no two fields (3.3 on)"},
    {F_FIELD, AUDIT_OBJ_UID, KERNEL(3, 3), "this kernel does not know obj_uid (3.3 on)"},
    {F_FIELD, AUDIT_OBJ_GID, KERNEL(3, 3), "this kernel does not know obj_gid (3.3 on)"},
    {F_FIELD, AUDIT_EXE, KERNEL(4, 3), "this kernel does not know exe (4.3 on)"},
    {F_FIELD, AUDIT_SESSIONID, KERNEL(4, 10), "this kernel does not know sessionid (4.10 on)"},
    {F_FIELD, AUDIT_SADDR_FAM, KERNEL(5, 3), "this kernel does not know saddr_fam (5.3 on)"},
    {F_UNEQUAL, AUDIT_EXE, KERNEL(4, 18), "this kernel takes exe with = alone (!= from 4.18 on)"},
    {F_BEYOND_EXIT, AUDIT_EXE, KERNEL(4, 19), "this kernel takes exe on the exit list alone (others from 4.19 on)"},
    {F_LIST, AUDIT_FILTER_FS, KERNEL(4, 15), "this kernel has no filesystem list (4.15 on)"},
    {F_LIST, AUDIT_FILTER_URING_EXIT, KERNEL(5, 16), "this kernel has no io_uring list (5.16 on)"},
};

static bool uses(enum feature what, uint32_t id, uint32_t list, const struct field *f)
{
	switch (what) {
	case F_LIST:
		return list == id;
	case F_FIELD:
		return f && f->id == id;
	case F_BEYOND_EXIT:
		return f && f->id == id && list != AUDIT_FILTER_EXIT;
	case F_UNEQUAL:
		return f && f->id == id && f->op != AUDIT_EQUAL;
	}
	return false;
}

/* Of a field, or without one of the list; NULL when the kernel has it all. */
static const char *too_new(uint32_t list, const struct field *f, int kernel)
{
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		bool asked = f ? features[i].what != F_LIST : features[i].what == F_LIST;
		if (asked && kernel < features[i].since && uses(features[i].what, features[i].id, list, f))
			return features[i].why;
	}
	return NULL;
}

static const char *rule_refusal(const struct rule *r, int kernel)
{
	uint32_t list = rule_list(r);
	unsigned places = 0, keys = 0, exes = 0;

	if ((r->flags & ~(uint32_t)AUDIT_FILTER_PREPEND) != list)
		return "no such list in the kernel";
	if (list != AUDIT_FILTER_USER && list != AUDIT_FILTER_TASK && list != AUDIT_FILTER_EXIT &&
	    list != AUDIT_FILTER_EXCLUDE && list != AUDIT_FILTER_FS && list != AUDIT_FILTER_URING_EXIT)
		return "no such list in the kernel";
	if (r->action != AUDIT_NEVER && r->action != AUDIT_ALWAYS)
		return "no such action in the kernel";
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		const char *why = field_refusal(list, f, kernel);
		if (why)
			return why;
		if (f->id == AUDIT_WATCH || f->id == AUDIT_DIR || f->id == AUDIT_EXE)
			why = path_refusal(f);
		if (why)
			return why;
		places += f->id == AUDIT_WATCH || f->id == AUDIT_DIR || (f->id == AUDIT_INODE && f->op == AUDIT_EQUAL);
		keys += f->id == AUDIT_FILTERKEY;
		exes += f->id == AUDIT_EXE;
	}
	if (places > 1)
		return "only one of path, dir and inode fits in a rule";
	if (keys > 1)
		return "only one key field fits in a rule";
	if (exes > 1)
		return "only one exe fits in a rule";
	return NULL;
}

/* ---- placing -------------------------------------------------------------------------------------------------------------------- */

static enum home home_of(const struct rule *r)
{
	switch (rule_list(r)) {
	case AUDIT_FILTER_USER:
		return HOME_USER;
	case AUDIT_FILTER_TASK:
		return HOME_TASK;
	case AUDIT_FILTER_EXCLUDE:
		return HOME_EXCLUDE;
	case AUDIT_FILTER_FS:
		return HOME_FILESYSTEM;
	default:
		break;
	}
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		if (f->id == AUDIT_WATCH || (f->id == AUDIT_INODE && f->op == AUDIT_EQUAL))
			return HOME_HASH;
	}
	return rule_list(r) == AUDIT_FILTER_URING_EXIT ? HOME_URING : HOME_EXIT;
}

bool home_is_counted(enum home h)
{
	return h == HOME_TASK || h == HOME_EXIT || h == HOME_HASH || h == HOME_URING;
}

static struct field field_held(const struct field *f)
{
	struct field g = *f;
	if (f->id == AUDIT_LOGINUID && f->value == UINT32_MAX) {
		g.id = AUDIT_LOGINUID_SET;
		g.value = 0;
	}
	return g;
}

static void place_rule(struct loading *l, const struct rule *r, size_t request)
{
	struct krule k = {.rule = r, .request = request, .home = home_of(r), .nfields = r->nfields};
	mask_expand(r->mask, k.mask);
	for (unsigned i = 0; i < r->nfields; i++)
		k.fields[i] = field_held(&r->fields[i]);
	held_add(&l->held, &k, r->flags & AUDIT_FILTER_PREPEND ? ++l->high : --l->low);
}

/* ---- requests -------------------------------------------------------------------------------------------------------------------- */

const char kset_ends_load[] = "; auditctl loads nothing of what follows (with -i or -c in the file it goes on)";

/* Behind the first refusal that ends the load, others are told for the reader only: nothing gets that far. */
static bool refuse(struct loading *l, enum diag_code code, const struct request *q, const char *what, const char *why)
{
	static const struct line unknown = {.at = {"-", 0, 0}, .text = ""};
	const struct line *line = q && q->line ? q->line : NULL;
	bool first = !l->ignore && !l->k->ended;
	struct diag *d = diag_add(l->ds, code, line ? line->at : unknown.at, line,
				  line ? (unsigned)(line->len ? line->len : 1) : 1, "the kernel refuses to %s this rule: %s%s",
				  what, why, first ? kset_ends_load : "");
	d->stops = first;
	if (l->ignore)
		diag_set_severity(l->ds, d, SEV_WARNING);
	return false;
}

static bool refuse_too_new(struct loading *l, const struct request *q)
{
	const struct rule *r = q->rule;
	int kernel = l->k->kernel;
	const char *why = too_new(r->flags & ~(uint32_t)AUDIT_FILTER_PREPEND, NULL, kernel);
	enum diag_code code = why ? AR_KERNEL_LIST : AR_KERNEL_FIELD;
	for (unsigned i = 0; i < r->nfields && !why; i++)
		why = too_new(rule_list(r), &r->fields[i], kernel);
	if (why)
		refuse(l, code, q, "add", why);
	return why;
}

static struct diag *last_diag(struct loading *l)
{
	return &l->ds->list[l->ds->n - 1];
}

/* Nothing else stands on the request's line, so that the line can go. */
static bool has_own_line(const struct loading *l, const struct request *q)
{
	if (!l->rs || !q->line || q->line->part)
		return false;
	size_t i = (size_t)(q - l->rs->requests);
	return (i == 0 || q[-1].line != q->line) && (i + 1 >= l->rs->nrequests || q[1].line != q->line);
}

/* Of a rule that is there already: which one, and that it can go. */
static void mend_twin(struct loading *l, const struct request *q, size_t first)
{
	const struct line *line = l->k->rules[first].rule->line;
	if (line)
		diag_relate(l->ds, last_diag(l), line->at, "the same rule, loaded first");
	if (has_own_line(l, q))
		diag_edit(l->ds, last_diag(l), EDIT_DELETE, q->line->at, NULL);
}

/* The lock goes to the end of its file. */
static void mend_lock(struct loading *l, const struct request *q)
{
	if (!l->lock || !l->lock->line)
		return;
	diag_relate(l->ds, last_diag(l), l->lock->line->at, "locks the configuration");
	bool here = q->line && strcmp(q->line->at.file, l->lock->line->at.file) == 0;
	if (!here || !has_own_line(l, l->lock))
		return;
	diag_edit(l->ds, last_diag(l), EDIT_DELETE, l->lock->line->at, NULL);
	diag_edit(l->ds, last_diag(l), EDIT_AT_END, l->lock->line->at, "-e 2\n");
}

/* One lock refuses all that follows: the first time is enough to say. */
static bool refuse_locked(struct loading *l, const struct request *q, const char *what)
{
	bool told = l->said_locked && l->whole;
	l->said_locked = true;
	if (told)
		return false;
	refuse(l, AR_LOCKED, q, what, "the configuration is locked by an earlier -e 2");
	mend_lock(l, q);
	return false;
}

static bool add_rule(struct loading *l, const struct request *q, size_t request)
{
	const struct rule *r = q->rule;
	if (l->k->enabled == 2)
		return refuse_locked(l, q, "add");
	if (refuse_too_new(l, q))
		return false;
	const char *why = rule_refusal(r, l->k->kernel);
	if (why)
		return refuse(l, AR_REFUSED, q, "add", why);
	ssize_t found = held_find(&l->held, r, r->flags);
	if (found != HELD_NONE) {
		refuse(l, AR_EXISTS, q, "add", "Rule exists: it holds the same one already");
		mend_twin(l, q, (size_t)found);
		return false;
	}
	place_rule(l, r, request);
	return true;
}

static bool delete_rule(struct loading *l, const struct request *q)
{
	if (l->k->enabled == 2)
		return refuse_locked(l, q, "delete");
	ssize_t found = held_find(&l->held, q->rule, rule_list(q->rule));
	if (found == HELD_NONE)
		return refuse(l, AR_NOT_THERE, q, "delete", "No such file or directory: it holds no such rule");
	held_remove(&l->held, (size_t)found);
	return true;
}

/* -D lists the rules and deletes one by one; with -k those whose joined keys contain the text (src/delete_all.c). */
static void delete_all(struct loading *l, const char *key)
{
	for (size_t i = 0; i < l->k->n; i++) {
		const char *have = rule_key(l->k->rules[i].rule);
		if (!key || (have && strstr(have, key)))
			held_remove(&l->held, i);
	}
}

/* False: the load ends here. */
static bool apply(struct loading *l, const struct request *q, size_t index)
{
	switch (q->kind) {
	case REQ_ADD:
		return add_rule(l, q, index);
	case REQ_DELETE:
		return delete_rule(l, q);
	case REQ_DELETE_ALL:
		if (l->k->enabled != 2)
			delete_all(l, q->key);
		return true;
	case REQ_SET:
		if (q->mask == AUDIT_STATUS_ENABLED && l->k->enabled != 2) {
			l->k->enabled = q->value;
			l->lock = q->value == 2 ? q : NULL;
		}
		return true;
	default:
		return true;
	}
}

/* ---- the finished set ---------------------------------------------------------------------------------------------------------- */

static bool rule_signals(const struct krule *r)
{
	const struct field *arch = NULL;
	for (unsigned i = 0; i < r->nfields; i++) {
		if (r->fields[i].id == AUDIT_ARCH)
			arch = &r->fields[i];
	}
	if (!arch)
		return signal_class_intersects(ABI_64, r->mask) || signal_class_intersects(ABI_32, r->mask);
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		if (arch->value == abi_arch(abi))
			return signal_class_intersects(abi, r->mask);
	}
	return false;
}

/* Rules with exe leave the counters again when the kernel drops them (audit_fsnotify.c); the others never do. */
static bool leaves_by_itself(const struct krule *r)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		if (r->fields[i].id == AUDIT_EXE)
			return true;
	}
	return false;
}

static void finish(struct loading *l)
{
	struct kset *k = l->k;
	held_settle(&l->held);
	for (size_t i = 0; i < k->n; i++) {
		struct krule *r = &k->rules[i];
		r->order = i;
		r->counts = home_is_counted(r->home);
		r->signals = rule_signals(r);
		if (leaves_by_itself(r))
			continue;
		k->counted = k->counted || r->counts;
		k->signals = k->signals || r->signals;
	}
}

static void begin(struct loading *l, int kernel)
{
	struct arena *a = arena_new();
	l->k = arena_one(a, struct kset);
	l->k->arena = a;
	l->k->enabled = 1;
	l->k->kernel = kernel;
	l->held.k = l->k;
}

static struct kset *load(const struct ruleset *rs, struct diags *ds, bool whole)
{
	struct loading l = {.rs = rs, .ds = ds, .ignore = rs->ignore_errors, .whole = whole};
	size_t n = whole ? rs->nrequests : rs->nloaded;
	begin(&l, rs->kernel ? rs->kernel : KERNEL_DEFAULT);
	for (size_t i = 0; i < n; i++) {
		l.k->ended = l.k->ended || i == rs->nloaded; /* at a line that failed */
		if (apply(&l, &rs->requests[i], i) || l.ignore)
			continue;
		l.k->ended = true;
		if (!whole)
			break;
	}
	finish(&l);
	return l.k;
}

struct kset *kset_load(const struct ruleset *rs, struct diags *ds)
{
	return load(rs, ds, false);
}

struct kset *kset_load_whole(const struct ruleset *rs, struct diags *ds)
{
	return load(rs, ds, true);
}

struct kset *kset_of_rules(const struct rule *const *rules, size_t n, int kernel, struct diags *ds)
{
	struct loading l = {.ds = ds};
	begin(&l, kernel);
	for (size_t i = 0; i < n; i++) {
		struct request q = {.kind = REQ_ADD, .rule = (struct rule *)(uintptr_t)rules[i], .line = rules[i]->line};
		add_rule(&l, &q, i);
	}
	finish(&l);
	return l.k;
}

void kset_free(struct kset *k)
{
	if (k)
		arena_free(k->arena);
}

void kset_uncount(struct kset *k)
{
	k->counted = k->signals = false;
	for (size_t i = 0; i < k->n; i++)
		k->rules[i].counts = k->rules[i].signals = false;
}

bool krule_allows_abi(const struct krule *k, enum abi abi)
{
	for (unsigned i = 0; i < k->nfields; i++) {
		const struct field *f = &k->fields[i];
		if (f->id == AUDIT_ARCH && (f->value == abi_arch(abi)) != (f->op == AUDIT_EQUAL))
			return false;
	}
	return true;
}
