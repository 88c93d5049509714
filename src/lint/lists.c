/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lists other than exit. Sources: kernel/auditsc.c:audit_filter_task, audit_filter_rules, __audit_inode;
 * kernel/auditfilter.c:audit_filter, which looks at few fields and stops the list at any other.
 */
#include "lint/lint.h"

#include <string.h>

static int name_field(const struct krule *k, uint32_t id)
{
	for (unsigned i = 0; i < k->nfields; i++) {
		if (k->fields[i].id == id)
			return (int)i;
	}
	return -1;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- task -------------------------------------------------------------------------------------- */

/* A pair of which one side is the owner of a file: the first nine of include/uapi/linux/audit.h. */
static bool compares_file(const struct field *f)
{
	return f->id == AUDIT_FIELD_COMPARE && f->value <= AUDIT_COMPARE_FSGID_TO_OBJ_GID;
}

/* What a field is at a fork, where that is known without the task. */
enum constant { DEPENDS, NEVER_TRUE, ALWAYS_TRUE };

/*
 * Kernels before 6.1 compare exe with the program of the task that forks; later ones, and later levels
 * of 6.1, refuse to look at a task other than the caller (kernel/audit_watch.c:audit_exe_compare).
 */
static enum constant at_fork(const struct lint *l, const struct field *f)
{
	const struct field_info *info = field_by_id(f->id);
	if (f->id == AUDIT_FILTERKEY)
		return ALWAYS_TRUE;
	if (f->id == AUDIT_EXE && l->env->kernel && l->env->kernel < KERNEL(6, 1))
		return DEPENDS;
	if (info->at_fork && !compares_file(f))
		return DEPENDS;
	bool negates = f->id == AUDIT_PERM || f->id == AUDIT_FILETYPE || f->id == AUDIT_EXE;
	return negates && f->op == AUDIT_NOT_EQUAL ? ALWAYS_TRUE : NEVER_TRUE;
}

static void check_fork_fields(struct lint *l, const struct krule *k)
{
	bool dead = false;
	for (unsigned i = 0; i < k->nfields; i++)
		dead = dead || at_fork(l, &k->fields[i]) == NEVER_TRUE;
	for (unsigned i = 0; i < k->nfields; i++) {
		enum constant c = at_fork(l, &k->fields[i]);
		if (c == DEPENDS || k->fields[i].id == AUDIT_FILTERKEY)
			continue;
		const char *name = field_by_id(k->fields[i].id)->name;
		if (c == NEVER_TRUE)
			lint_field(
			    l, AR_AT_FORK, k->rule, i,
			    "%s is not known when a task is made and never true: the rule meets no task",
			    name);
		else if (!dead)
			lint_field(l, AR_AT_FORK, k->rule, i,
				   "%s is not known when a task is made and %s is always true: the field "
				   "selects nothing",
				   name, op_text(k->fields[i].op));
	}
}

static bool meets_all(const struct lint *l, const struct krule *k)
{
	for (unsigned i = 0; i < k->nfields; i++) {
		if (at_fork(l, &k->fields[i]) != ALWAYS_TRUE)
			return false;
	}
	return true;
}

static bool meets_none(const struct lint *l, const struct krule *k)
{
	for (unsigned i = 0; i < k->nfields; i++) {
		if (at_fork(l, &k->fields[i]) == NEVER_TRUE)
			return true;
	}
	return false;
}

/* The rule asks for a login uid: a task without one never matches it. An unset one is above every number. */
static bool wants_auid(const struct krule *k)
{
	for (unsigned i = 0; i < k->nfields; i++) {
		const struct field *f = &k->fields[i];
		bool below =
		    f->op == AUDIT_EQUAL || f->op == AUDIT_LESS_THAN || f->op == AUDIT_LESS_THAN_OR_EQUAL;
		if (f->id == AUDIT_LOGINUID_SET && (f->op == AUDIT_EQUAL) == (f->value != 0))
			return true;
		if ((f->id == AUDIT_LOGINUID || f->id == AUDIT_SESSIONID) && below && f->value != UINT32_MAX)
			return true;
		if (f->id == AUDIT_SESSIONID && f->op == AUDIT_NOT_EQUAL && f->value == UINT32_MAX)
			return true;
	}
	return false;
}

struct recorders {           /* rules that record system calls */
	size_t all, daemons; /* of any task; of tasks without a login uid too */
	const struct krule *first, *first_daemon;
};

static struct recorders count_recorders(const struct kset *k)
{
	struct recorders n = {0};
	for (size_t i = 0; i < k->n; i++) {
		const struct krule *r = &k->rules[i];
		if (r->rule->action != AUDIT_ALWAYS ||
		    (r->home != HOME_EXIT && r->home != HOME_HASH && r->home != HOME_URING))
			continue;
		if (!n.all++)
			n.first = r;
		if (!wants_auid(r) && !n.daemons++)
			n.first_daemon = r;
	}
	return n;
}

static void relate_rule(struct lint *l, struct diag *d, const struct krule *k, const char *what)
{
	if (k->rule->line)
		diag_relate(l->ds, d, k->rule->line->at, what);
}

static void check_never_task(struct lint *l, const struct krule *k, const struct recorders *n)
{
	if (meets_all(l, k) && n->all) {
		struct diag *d = lint_rule(
		    l, AR_NEVER_TASK, k->rule,
		    "every new task is exempt: %zu rule%s of system calls and watches record%s nothing of it",
		    n->all, plural(n->all), n->all == 1 ? "s" : "");
		relate_rule(l, d, n->first, "the first of the rules");
		return;
	}
	int i = k->nfields == 1 ? name_field(k, AUDIT_LOGINUID_SET) : -1;
	bool unset = i >= 0 && (k->fields[i].op == AUDIT_EQUAL) == (k->fields[i].value == 0);
	if (!unset || !n->daemons)
		return;
	struct diag *d = lint_field(l, AR_NEVER_TASK, k->rule, 0,
				    "every task that is made without a login uid is exempt for its life, "
				    "daemons and what boots the host "
				    "among them: %zu of %zu rule%s would have recorded such tasks too",
				    n->daemons, n->all, plural(n->all));
	relate_rule(l, d, n->first_daemon, "the first of them");
	diag_set_severity(l->ds, d, SEV_NOTE);
}

static void check_task(struct lint *l)
{
	struct recorders n = count_recorders(l->k);
	bool kept = false; /* an earlier rule keeps some tasks in */
	for (size_t i = 0; i < l->k->n; i++) {
		const struct krule *k = &l->k->rules[i];
		if (k->home != HOME_TASK)
			continue;
		check_fork_fields(l, k);
		if (k->rule->action == AUDIT_NEVER && !kept)
			check_never_task(l, k, &n);
		kept = kept || (k->rule->action == AUDIT_ALWAYS && !meets_none(l, k));
	}
}

/* ---- user and exclude -------------------------------------------------------------------------- */

static bool list_evaluates(uint32_t id)
{
	switch (id) {
	case AUDIT_PID:
	case AUDIT_UID:
	case AUDIT_GID:
	case AUDIT_LOGINUID:
	case AUDIT_LOGINUID_SET:
	case AUDIT_MSGTYPE:
	case AUDIT_SUBJ_USER:
	case AUDIT_SUBJ_ROLE:
	case AUDIT_SUBJ_TYPE:
	case AUDIT_SUBJ_SEN:
	case AUDIT_SUBJ_CLR:
	case AUDIT_EXE:
		return true;
	default:
		return false;
	}
}

/* The field at which the kernel stops; nfields: none. */
static unsigned stopping_field(const struct krule *k)
{
	unsigned i = 0;
	while (i < k->nfields && list_evaluates(k->fields[i].id))
		i++;
	return i;
}

static const char *home_name(enum home h)
{
	return h == HOME_USER ? "user" : h == HOME_EXCLUDE ? "exclude" : "filesystem";
}

static void report_stop(struct lint *l, const struct krule *k, unsigned at, size_t behind)
{
	const char *hides =
	    behind
		? arena_printf(l->arena, ", and the %zu rule%s behind it %s not looked at for such records",
			       behind, plural(behind), behind == 1 ? "is" : "are")
		: "";
	lint_field(l, AR_LIST_ENDS, k->rule, at, "the %s list ends at %s: the rule matches nothing%s",
		   home_name(k->home), field_by_id(k->fields[at].id)->name, hides);
}

/* ---- records that are dropped ------------------------------------------------------------------ */

/*
 * Records on which something else depends. Without SYSCALL no other record of the event is written
 * (kernel/auditsc.c:audit_log_exit); ausearch, aureport, aulast and the tools of policies read the others.
 */
static const char *depends(const char *type)
{
	static const struct {
		const char *type, *why;
	} needed[] = {
	    {"SYSCALL", "without it an event has no other records either"},
	    {"AVC", "denials leave no trace, and their events no other records"},
	    {"USER_AVC", "denials leave no trace"},
	    {"CONFIG_CHANGE", "changes of the rules leave no trace"},
	    {"LOGIN", "sessions cannot be followed"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		if (strcmp(type, needed[i].type) == 0)
			return needed[i].why;
	}
	return strncmp(type, "USER_", 5) == 0 ? "reports of logins, sessions and commands lack it" : NULL;
}

static bool takes_type(const struct krule *k, uint32_t type)
{
	for (unsigned i = 0; i < k->nfields; i++) {
		if (k->fields[i].id == AUDIT_MSGTYPE &&
		    !number_compare(type, k->fields[i].op, k->fields[i].value))
			return false;
	}
	return true;
}

/* Messages of user space are the types that the user list is asked about (kernel/audit.c:audit_receive_msg).
 */
static bool is_user_message(uint32_t type)
{
	return type == AUDIT_USER || (type >= AUDIT_FIRST_USER_MSG && type <= AUDIT_LAST_USER_MSG) ||
	       (type >= AUDIT_FIRST_USER_MSG2 && type <= AUDIT_LAST_USER_MSG2);
}

struct silenced {
	struct str names;
	size_t n;
	const char *needed, *why;
};

static void silence(struct silenced *s, const char *name)
{
	enum { SHOWN = 8 };
	const char *why = depends(name);
	if (s->n < SHOWN)
		str_addf(&s->names, "%s%s", s->n ? ", " : "", name);
	if (why && !s->needed) {
		s->needed = name;
		s->why = why;
	}
	if (s->n++ == SHOWN)
		str_add(&s->names, " ...");
}

static struct silenced silenced_by(const struct krule *k)
{
	enum { FIRST_TYPE = AUDIT_USER, PAST_TYPES = 3000 };
	struct silenced s = {0};
	for (uint32_t type = FIRST_TYPE; type < PAST_TYPES; type++) {
		const char *name = audit_msg_type_to_name((int)type);
		/* The daemon writes DAEMON_ records into its log itself: the kernel never sees them. */
		bool daemon = type >= AUDIT_FIRST_DAEMON && type <= AUDIT_LAST_DAEMON;
		if (name && !daemon && takes_type(k, type) &&
		    (k->home == HOME_EXCLUDE || is_user_message(type)))
			silence(&s, name);
	}
	return s;
}

static void check_dropped(struct lint *l, const struct krule *k)
{
	bool all = name_field(k, AUDIT_MSGTYPE) < 0, narrow = false;
	for (unsigned i = 0; i < k->nfields; i++)
		narrow = narrow || k->fields[i].id != AUDIT_MSGTYPE;
	struct silenced s = silenced_by(k);
	const char *kind = k->home == HOME_USER ? "message of user space" : "record";
	const char *of = narrow ? " of the tasks that match" : "";
	const char *why = !s.needed  ? ""
			  : s.n == 1 ? arena_printf(l->arena, ": %s", s.why)
				     : arena_printf(l->arena, "; of %s: %s", s.needed, s.why);
	if (s.n && all)
		lint_rule(l, AR_EXCLUDED, k->rule, "every %s%s is dropped, whatever its type", kind, of);
	else if (s.n) {
		struct diag *d =
		    s.n == 1 ? lint_rule(l, AR_EXCLUDED, k->rule, "every %s record%s is dropped%s",
					 str_get(&s.names), of, why)
			     : lint_rule(l, AR_EXCLUDED, k->rule, "%zu types of records%s are dropped, %s%s",
					 s.n, of, str_get(&s.names), why);
		if (s.needed && !narrow)
			diag_set_severity(l->ds, d, SEV_WARNING);
	}
	str_free(&s.names);
}

static void check_action(struct lint *l, const struct krule *k)
{
	const struct rule *r = k->rule;
	if (r->action != AUDIT_ALWAYS || (k->home != HOME_EXCLUDE && k->home != HOME_FILESYSTEM))
		return;
	bool fs = k->home == HOME_FILESYSTEM;
	struct diag *d =
	    fs ? lint_rule(l, AR_FS_ALWAYS, r,
			   "the filesystem list only leaves files out: with always the rule does nothing")
	       : lint_rule(l, AR_EXCLUDE_ACTION, r,
			   "the exclude list ignores the action: what matches is dropped");
	if (r->list_at && r->line)
		lint_edit_words(l, d, r, r->list_at, (unsigned)strcspn(r->line->text + r->list_at - 1, " "),
				fs ? "never,filesystem" : "never,exclude");
	d->loses = fs;
}

static bool selects_nothing(const struct krule *k)
{
	for (unsigned i = 0; i < k->nfields; i++) {
		if (k->home != HOME_FILESYSTEM || k->fields[i].id == AUDIT_FSTYPE)
			return false;
	}
	return true;
}

static void check_record_rule(struct lint *l, const struct krule *k, size_t behind)
{
	if (selects_nothing(k)) {
		lint_rule(l, AR_LIST_EMPTY, k->rule, "a rule of the %s list matches nothing without %s",
			  home_name(k->home), k->home == HOME_FILESYSTEM ? "fstype" : "a field");
		return;
	}
	check_action(l, k);
	if (k->home == HOME_FILESYSTEM)
		return;
	unsigned at = stopping_field(k);
	if (at < k->nfields)
		report_stop(l, k, at, behind);
	else if (k->home == HOME_EXCLUDE || k->rule->action == AUDIT_NEVER)
		check_dropped(l, k);
}

void lint_lists(struct lint *l)
{
	if (!l->k)
		return;
	size_t behind[HOME_COUNT] = {0};
	for (size_t i = 0; i < l->k->n; i++)
		behind[l->k->rules[i].home]++;
	check_task(l);
	for (size_t i = 0; i < l->k->n; i++) {
		const struct krule *k = &l->k->rules[i];
		behind[k->home]--;
		if (k->home == HOME_USER || k->home == HOME_EXCLUDE || k->home == HOME_FILESYSTEM)
			check_record_rule(l, k, behind[k->home]);
	}
}
