/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settings act at once and in order (audit 3.0.9, src/auditctl.c, setopt); what is missing is told once a
 * set. Behind -e 2 the kernel refuses every change of status or rules (kernel/audit.c:
 * audit_do_config_change, audit_receive_msg).
 */
#include "lint/lint.h"

#include <string.h>

/* ---- places ------------------------------------------------------------------------------------ */

/* Where an option begins that is a word of its own or the begin of one ("-b8192"); 1 where it is not found.
 */
static unsigned option_column(const struct line *line, const char *option)
{
	size_t n = strlen(option);
	for (size_t i = 0; i + n <= line->len; i++) {
		if ((i == 0 || line->text[i - 1] == ' ') && strncmp(line->text + i, option, n) == 0)
			return (unsigned)i + 1;
	}
	return 1;
}

static struct place option_place(const struct line *line, const char *option)
{
	struct place at = line->at;
	at.column += option_column(line, option) - 1;
	return at;
}

/* The line holds the option with its value and nothing else, so that the line can go. */
static bool stands_alone(const struct line *line, const char *option)
{
	size_t words = 0, first = 0, n = strlen(option);
	for (size_t i = 0; i < line->len; i++) {
		if (line->text[i] != ' ' && (i == 0 || line->text[i - 1] == ' '))
			first = words++ ? first : i;
	}
	bool apart = line->text[first + strnlen(line->text + first, n)] == ' ';
	return !line->part && words == (apart ? 2 : 1) &&
	       strncmp(line->text + first, option, n) == 0;
}

static const char *option_of(const struct request *q)
{
	switch (q->mask) {
	case AUDIT_STATUS_ENABLED:
		return "-e";
	case AUDIT_STATUS_FAILURE:
		return "-f";
	case AUDIT_STATUS_RATE_LIMIT:
		return "-r";
	case AUDIT_STATUS_BACKLOG_LIMIT:
		return "-b";
	case AUDIT_STATUS_BACKLOG_WAIT_TIME:
		return "--backlog_wait_time";
	default:
		return NULL;
	}
}

static struct diag *at_option(struct lint *l, enum diag_code code, const struct request *q,
			      const char *option, const char *message)
{
	unsigned column = option_column(q->line, option);
	const char *rest = q->line->text + column - 1;
	return diag_add(l->ds, code, option_place(q->line, option), q->line, (unsigned)strcspn(rest, " "),
			"%s", message);
}

/* ---- what is never set ------------------------------------------------------------------------- */

/*
 * A line before the first one that does something, so that the comment at the top stays there. Not before a byte order
 * mark: it would no longer stand at the start, where it can be told from a word.
 */
static void edit_top(struct lint *l, struct diag *d, const char *text)
{
	for (size_t i = 0; i < l->rs->nlines; i++) {
		if (l->rs->lines[i].comment || l->rs->lines[i].part)
			continue;
		if (strncmp(l->rs->lines[i].text, "\xef\xbb\xbf", 3) != 0)
			diag_edit(l->ds, d, EDIT_BEFORE, l->rs->lines[i].at, text);
		return;
	}
}

/* Some rule makes events: only then does it matter how many wait and what happens when one is lost. */
static bool records(const struct ruleset *rs)
{
	for (size_t i = 0; i < rs->nrequests; i++) {
		const struct rule *r = rs->requests[i].kind == REQ_ADD ? rs->requests[i].rule : NULL;
		uint32_t list = r ? rule_list(r) : AUDIT_FILTER_USER;
		if ((list == AUDIT_FILTER_EXIT || list == AUDIT_FILTER_TASK ||
		     list == AUDIT_FILTER_URING_EXIT) &&
		    r->action == AUDIT_ALWAYS)
			return true;
	}
	return false;
}

static void check_absent(struct lint *l)
{
	bool rules = false, recorders = records(l->rs), deletes = false, backlog = false, failure = false;
	for (size_t i = 0; i < l->rs->nrequests; i++) {
		const struct request *q = &l->rs->requests[i];
		rules = rules || q->kind == REQ_ADD;
		deletes = deletes || (q->kind == REQ_DELETE_ALL && !q->key);
		backlog = backlog || (q->kind == REQ_SET && q->mask == AUDIT_STATUS_BACKLOG_LIMIT);
		failure = failure || (q->kind == REQ_SET && q->mask == AUDIT_STATUS_FAILURE);
	}
	if (!rules)
		return;
	if (!deletes) {
		struct diag *d = lint_set(l, AR_NO_DELETE_ALL,
					  "no -D before the rules: those that are loaded already stay, and loading "
					  "the set twice fails");
		edit_top(l, d, "-D\n");
		d->loses = true; /* what other files loaded before is gone then */
	}
	if (!backlog && recorders)
		edit_top(l,
			 lint_set(l, AR_NO_BACKLOG,
				  "no -b in the set: the kernel keeps its limit, 64 records at boot"),
			 "-b 8192\n");
	if (!failure && recorders)
		edit_top(l,
			 lint_set(l, AR_NO_FAILURE,
				  "no -f in the set: the kernel keeps its failure mode, 1 at boot"),
			 "-f 1\n");
}

/* ---- what is set ------------------------------------------------------------------------------- */

enum { SETTINGS = 5 };

struct state {
	struct lint *l;
	const struct request *last[SETTINGS]; /* by kind of setting, as far as read */
	const struct request *lock;
	bool rules;   /* some were loaded before the lock */
	bool stopped; /* something behind the lock ended the load */
	bool moved;   /* the lock has an edit already */
};

static unsigned setting_index(uint32_t mask)
{
	static const uint32_t masks[SETTINGS] = {AUDIT_STATUS_ENABLED, AUDIT_STATUS_FAILURE,
						 AUDIT_STATUS_RATE_LIMIT, AUDIT_STATUS_BACKLOG_LIMIT,
						 AUDIT_STATUS_BACKLOG_WAIT_TIME};
	unsigned i = 0;
	while (i < SETTINGS && masks[i] != mask)
		i++;
	return i;
}

/* The load ends at the first of them, as auditctl takes an answer of the kernel other than success for an
 * error. */
static void set_stop(struct state *s, struct diag *d)
{
	if (s->l->rs->ignore_errors)
		diag_set_severity(s->l->ds, d, SEV_WARNING);
	else
		d->stops = !s->stopped;
	s->stopped = true;
}

/* It is set already, so that the line can go; else the lock moves behind everything, once. */
static void edit_lock(struct state *s, struct diag *d, const struct request *q, const char *option)
{
	struct lint *l = s->l;
	if (q->mask == AUDIT_STATUS_ENABLED && q->value == 2) {
		if (stands_alone(q->line, option))
			diag_edit(l->ds, d, EDIT_DELETE, q->line->at, NULL);
	} else if (!s->moved && q->line != s->lock->line && stands_alone(s->lock->line, "-e")) {
		s->moved = true;
		diag_edit(l->ds, d, EDIT_DELETE, s->lock->line->at, NULL);
		diag_edit(l->ds, d, EDIT_AT_END, l->rs->lines[l->rs->nlines - 1].at, "-e 2\n");
	}
}

/*
 * Rules behind the lock are refused by kset_load, which says so itself; -t and -q still work there, and so
 * does a -D that finds no rule.
 */
static void check_locked(struct state *s, const struct request *q)
{
	const char *option = q->kind == REQ_SET                      ? option_of(q)
			     : q->kind == REQ_DELETE_ALL && s->rules ? "-D"
								     : NULL;
	if (!option)
		return;
	struct lint *l = s->l;
	struct diag *d =
	    at_option(l, AR_AFTER_LOCK, q, option,
		      arena_printf(l->arena, "%s is refused: the configuration is locked since %s", option,
				   lint_name(l, s->lock->line, q->line)));
	set_stop(s, d);
	diag_relate(l->ds, d, option_place(s->lock->line, "-e"), "the lock");
	edit_lock(s, d, q, option);
}

/* Turning auditing off while the rules are loaded and on behind them is no mistake: -e is left alone. */
static void check_twice(struct state *s, const struct request *q, unsigned kind)
{
	const struct request *before = s->last[kind];
	const char *option = option_of(q);
	if (!before || q->mask == AUDIT_STATUS_ENABLED)
		return;
	struct lint *l = s->l;
	struct diag *d =
	    at_option(l, AR_SET_TWICE, before, option,
		      arena_printf(l->arena, "%s %u has no effect on the loaded set: %s sets %u", option,
				   before->value, lint_name(l, q->line, before->line), q->value));
	diag_relate(l->ds, d, option_place(q->line, option), "the setting that stays");
	if (before->line != q->line && stands_alone(before->line, option))
		diag_edit(l->ds, d, EDIT_DELETE, before->line->at, NULL);
}

static void take(struct state *s, const struct request *q)
{
	if (s->lock) {
		check_locked(s, q);
		return;
	}
	s->rules = s->rules || q->kind == REQ_ADD;
	unsigned kind = q->kind == REQ_SET ? setting_index(q->mask) : SETTINGS;
	if (kind == SETTINGS)
		return;
	check_twice(s, q, kind);
	s->last[kind] = q;
	if (q->mask == AUDIT_STATUS_ENABLED && q->value == 2)
		s->lock = q;
}

static void check_values(const struct state *s)
{
	const struct request *failure = s->last[setting_index(AUDIT_STATUS_FAILURE)];
	const struct request *enabled = s->last[setting_index(AUDIT_STATUS_ENABLED)];
	if (failure && failure->value == 2)
		at_option(s->l, AR_PANIC, failure, "-f",
			  "a lost record halts the machine: a full backlog, a lack of memory, a stopped "
			  "audit daemon");
	if (!enabled || enabled->value != 0 || !records(s->l->rs))
		return;
	struct diag *d =
	    at_option(s->l, AR_DISABLED, enabled, "-e", "the rules are loaded and nothing is recorded");
	if (stands_alone(enabled->line, "-e"))
		diag_edit(s->l->ds, d, EDIT_REPLACE, enabled->line->at, "-e 1\n");
}

/* ---- a late -D --------------------------------------------------------------------------------- */

struct live { /* rules that are loaded at some line */
	const struct request **list;
	size_t n;
};

/* The text is one of the keys, joined by \001, and not only a part of one. */
static bool is_key(const char *keys, const char *text)
{
	size_t n = strlen(text);
	for (const char *k = keys;; k++) {
		if (strncmp(k, text, n) == 0 && (k[n] == '\0' || k[n] == '\001'))
			return true;
		k += strcspn(k, "\001");
		if (!*k)
			return false;
	}
}

static void report_deleted(struct lint *l, const struct request *q, const struct request *first, size_t n,
			   const char *odd)
{
	const char *where = lint_name(l, first->line, q->line);
	const char *what =
	    n == 1
		? arena_printf(l->arena, "the rule of %s", where)
		: arena_printf(l->arena, "%zu rules that were loaded before it, the first on %s", n, where);
	const char *why =
	    odd ? arena_printf(l->arena, ": the key `%s' contains `%s', and any part of a key counts", odd,
			       q->key)
		: "";
	struct diag *d =
	    at_option(l, AR_DELETES_LOADED, q, "-D",
		      arena_printf(l->arena, "-D%s deletes %s%s", q->key ? " -k" : "", what, why));
	diag_relate(l->ds, d, first->line->at,
		    n == 1 ? "the rule that is deleted" : "the first rule that is deleted");
}

/* What -D takes away goes from the list; src/delete_all.c takes -k as part of the joined keys. */
static void delete_live(struct lint *l, struct live *v, const struct request *q)
{
	const struct request *first = NULL;
	const char *odd = NULL;
	size_t kept = 0, n = 0;
	for (size_t i = 0; i < v->n; i++) {
		const char *have = rule_key(v->list[i]->rule);
		if (q->key && !(have && strstr(have, q->key))) {
			v->list[kept++] = v->list[i];
			continue;
		}
		n++;
		first = first ? first : v->list[i];
		odd = odd || !q->key || is_key(have, q->key) ? odd : have;
	}
	v->n = kept;
	if (n)
		report_deleted(l, q, first, n, odd);
}

/* As a deletion finds it: where a rule was to stand does not count. */
static bool is_of_rule(const struct rule *deleted, const struct rule *loaded)
{
	struct rule plain = *loaded;
	plain.flags = rule_list(loaded);
	return rule_same(deleted, &plain);
}

static void forget_live(struct live *v, const struct rule *deleted)
{
	size_t i = 0;
	while (i < v->n && !is_of_rule(deleted, v->list[i]->rule))
		i++;
	for (; i + 1 < v->n; i++)
		v->list[i] = v->list[i + 1];
	v->n -= i < v->n;
}

/* A deletion with a key and one of a single rule walk the rules, so that after many of them nothing more is
 * said. */
static void check_delete_all(struct lint *l)
{
	enum { WALKS = 64 };
	struct live v = {0};
	unsigned walks = 0;
	for (size_t i = 0; i < l->rs->nrequests && walks < WALKS; i++) {
		const struct request *q = &l->rs->requests[i];
		if (q->kind == REQ_SET && q->mask == AUDIT_STATUS_ENABLED && q->value == 2)
			return;
		if (q->kind == REQ_ADD)
			*arena_push(l->arena, v.list, v.n) = q;
		if (q->kind == REQ_DELETE)
			forget_live(&v, q->rule);
		if (q->kind == REQ_DELETE_ALL)
			delete_live(l, &v, q);
		walks += q->kind == REQ_DELETE || (q->kind == REQ_DELETE_ALL && q->key);
	}
}

void lint_settings(struct lint *l)
{
	struct state s = {.l = l};
	check_absent(l);
	for (size_t i = 0; i < l->rs->nrequests; i++)
		take(&s, &l->rs->requests[i]);
	check_values(&s);
	check_delete_all(l);
}
