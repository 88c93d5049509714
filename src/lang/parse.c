/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of rules: its options act in order, then the rule they built is sent. audit 3.0.9, src/auditctl.c,
 * setopt and handle_request. The words go through the C library's own getopt_long, as they do there.
 */
#include "lang/parse.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- reporting ----------------------------------------------------------------------------------- */

static struct place place_of(const struct scan *s, const char *where, size_t *width)
{
	struct place at = s->line->at;
	if (!where || where < s->w->buf || where >= s->w->buf + BUFFER) {
		*width = 1;
		return at;
	}
	size_t i = (size_t)(where - s->w->buf), end = i + *width;
	at.column += s->w->raw[i];
	*width = end < BUFFER && s->w->raw[end] > s->w->raw[i] ? (size_t)(s->w->raw[end] - s->w->raw[i]) : 1;
	return at;
}

static void report(struct scan *s, enum severity sev, const char *where, size_t width, const char *fmt,
		   va_list ap)
{
	struct str b = {0};
	str_vaddf(&b, fmt, ap);
	struct place at = place_of(s, where, &width);
	diag_add(s->p->diags, sev, at, s->line, (unsigned)width, "%s", str_get(&b));
	str_free(&b);
}

bool scan_fail(struct scan *s, const char *where, size_t width, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(s, SEV_ERROR, where, width, fmt, ap);
	va_end(ap);
	s->failed = true;
	return false;
}

void scan_warn(struct scan *s, const char *where, size_t width, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(s, SEV_WARNING, where, width, fmt, ap);
	va_end(ap);
}

static const char *word_at(const struct scan *s, int i)
{
	return i >= 1 && i < s->w->argc ? s->w->argv[i] : NULL;
}

static bool fail_word(struct scan *s, const char *word, const char *message)
{
	return scan_fail(s, word, word ? strlen(word) : 1, "%s", message);
}

uint32_t scan_list(const struct scan *s)
{
	uint32_t list = s->add != UNSET ? s->add : s->del;
	return list == UNSET ? UNSET : list & AUDIT_FILTER_MASK;
}

/* ---- requests ------------------------------------------------------------------------------------ */

static struct request *add_request(struct scan *s, enum request_kind kind)
{
	struct ruleset *rs = s->p->rs;
	struct request *q = arena_push(rs->arena, rs->requests, rs->nrequests);
	*q = (struct request){.kind = kind, .line = s->line};
	if (!s->p->stopped)
		rs->nloaded = rs->nrequests;
	return q;
}

static void add_setting(struct scan *s, enum request_kind kind, uint32_t mask, const char *name,
			uint32_t value)
{
	struct request *q = add_request(s, kind);
	q->mask = mask;
	q->name = name;
	q->value = value;
}

/* ---- options ------------------------------------------------------------------------------------- */

/* What an option does to the scan of its line. */
enum outcome {
	GO_ON,  /* the status stays as it was */
	SEND,   /* there is a rule to send at the end */
	DONE,   /* the scan ends, nothing is sent; words left over are an error */
	LEAVE,  /* the scan ends, words left over are not looked at */
	FAILED, /* reported */
};

struct option_call {
	struct scan *s;
	char *value; /* of options that take one */
	int count;   /* auditctl's count of words, its own name included */
	int next;    /* optind */
};

static const char *own_word(const struct option_call *c)
{
	return word_at(c->s, c->next - 1);
}

/* Makes an outcome of what scan_fail returns. */
static enum outcome failed(bool ok)
{
	return ok ? GO_ON : FAILED;
}

static enum outcome set_number(struct option_call *c, uint32_t mask, const char *name)
{
	if (!isdigit((unsigned char)c->value[0]))
		return failed(scan_fail(c->s, c->value, strlen(c->value),
					"`%s' is no number: expected digits", c->value));
	char *end;
	errno = 0;
	uint32_t n = (uint32_t)strtoul(c->value, &end, 0);
	if (errno)
		return failed(
		    scan_fail(c->s, c->value, strlen(c->value), "the number does not fit in 64 bits"));
	parse_number(c->s, c->value, false, true, &n); /* for its warnings */
	add_setting(c->s, REQ_SET, mask, name, n);
	return GO_ON;
}

static enum outcome set_choice(struct option_call *c, uint32_t mask, const char *name)
{
	const char *v = c->value;
	if (v[0] < '0' || v[0] > '2' || v[1])
		return failed(scan_fail(c->s, v, strlen(v), "`%s' is wrong here: expected 0, 1 or 2", v));
	add_setting(c->s, REQ_SET, mask, name, (uint32_t)(v[0] - '0'));
	return GO_ON;
}

static enum outcome do_backlog(struct option_call *c)
{
	return set_number(c, AUDIT_STATUS_BACKLOG_LIMIT, "backlog_limit");
}

static enum outcome do_rate(struct option_call *c)
{
	return set_number(c, AUDIT_STATUS_RATE_LIMIT, "rate_limit");
}

static enum outcome do_wait(struct option_call *c)
{
	return set_number(c, AUDIT_STATUS_BACKLOG_WAIT_TIME, "backlog_wait_time");
}

static enum outcome do_enable(struct option_call *c)
{
	return set_choice(c, AUDIT_STATUS_ENABLED, "enabled");
}

static enum outcome do_failure(struct option_call *c)
{
	return set_choice(c, AUDIT_STATUS_FAILURE, "failure");
}

static enum outcome do_ignore(struct option_call *c)
{
	c->s->p->ignore = true;
	if (!c->s->p->stopped)
		c->s->p->rs->ignore_errors = true;
	return DONE;
}

static enum outcome do_help(struct option_call *c)
{
	return failed(
	    fail_word(c->s, own_word(c), "-h has no use in a rules file, where it counts as an error"));
}

static enum outcome do_version(struct option_call *c)
{
	add_request(c->s, REQ_OTHER);
	return DONE;
}

static enum outcome do_nested(struct option_call *c)
{
	return failed(fail_word(c->s, own_word(c), "a rules file cannot read another one: expected no -R"));
}

/* auditctl looks at the word after the option without asking whether there is one. */
static enum outcome crash(struct option_call *c)
{
	c->s->crashed = true;
	return failed(fail_word(
	    c->s, own_word(c), "auditctl 3.0.9 crashes on this line: expected the option alone on its line"));
}

static enum outcome do_status(struct option_call *c)
{
	if (c->count > 3)
		return failed(
		    fail_word(c->s, own_word(c), "too many words for -s: expected at most -i after it"));
	if (c->next == 2 && c->count == 3) {
		if (strcmp(c->s->w->argv[c->next], "-i") != 0)
			return failed(fail_word(c->s, word_at(c->s, c->next),
						"wrong word after -s: expected -i or nothing"));
		c->count--;
	}
	add_request(c->s, REQ_OTHER);
	return DONE;
}

static enum outcome do_list(struct option_call *c)
{
	const char *next = c->s->w->argv[c->next];
	if (c->count > 4)
		return failed(
		    fail_word(c->s, own_word(c), "too many words for -l: expected -i or -k KEY after it"));
	if (c->count == 3) {
		if (!next)
			return crash(c);
		if (strcmp(next, "-i") != 0)
			return failed(fail_word(c->s, next, "wrong word after -l: expected -i or -k KEY"));
		c->count--;
	} else if (c->count == 4) {
		if (!next || strcmp(next, "-k") != 0)
			return failed(fail_word(c->s, next, "wrong word after -l: expected -k KEY"));
		c->count -= 2;
	}
	add_request(c->s, REQ_OTHER);
	return DONE;
}

static enum outcome do_delete_all(struct option_call *c)
{
	const char *next = c->s->w->argv[c->next], *key = NULL;
	if (c->count > 4 || c->count == 3)
		return failed(fail_word(c->s, own_word(c),
					"wrong number of words for -D: expected it alone, or -D -k KEY"));
	if (c->count == 4) {
		if (!next)
			return crash(c);
		if (strcmp(next, "-k") != 0)
			return failed(
			    fail_word(c->s, next, "wrong word after -D: expected -k KEY or nothing"));
		key = c->s->w->argv[3];
		c->count -= 2;
	}
	struct request *q = add_request(c->s, REQ_DELETE_ALL);
	q->key = key ? arena_strndup(c->s->p->rs->arena, key, strnlen(key, AUDIT_MAX_KEY_LEN)) : NULL;
	return DONE;
}

static enum outcome do_message(struct option_call *c)
{
	if (c->count > 3)
		return failed(
		    fail_word(c->s, own_word(c), "-m must be the only option of its line and take one word"));
	for (const char *t = c->value; *t; t++) {
		if ((signed char)*t < 32)
			return failed(
			    scan_fail(c->s, t, 1, "a control byte or a byte above 0x7e in the text of -m"));
	}
	add_request(c->s, REQ_OTHER)->text = arena_strdup(c->s->p->rs->arena, c->value);
	return LEAVE;
}

static enum outcome do_equivalent(struct option_call *c)
{
	if (c->s->syscalls)
		return failed(fail_word(c->s, own_word(c),
					"-q stands after -S or -w: expected it on a line of its own"));
	const char *comma = strchr(c->value, ',');
	if (!comma || !comma[1] || strchr(comma + 1, ',')) /* an empty first part passes: equiv_parse */
		return failed(scan_fail(c->s, c->value, strlen(c->value),
					"`%s' is no pair: expected MOUNT,SUBTREE with one comma", c->value));
	add_request(c->s, REQ_EQUIV)->text = arena_strdup(c->s->p->rs->arena, c->value);
	return LEAVE;
}

static enum outcome do_trim(struct option_call *c)
{
	add_request(c->s, REQ_TRIM);
	return LEAVE;
}

static enum outcome do_loginuid(struct option_call *c)
{
	add_setting(c->s, REQ_FEATURE, 0, "loginuid_immutable", 1);
	return LEAVE;
}

static enum outcome do_reset_lost(struct option_call *c)
{
	add_setting(c->s, REQ_FEATURE, AUDIT_STATUS_LOST, "lost", 0);
	return LEAVE;
}

static enum outcome do_reset_wait(struct option_call *c)
{
	add_setting(c->s, REQ_FEATURE, AUDIT_STATUS_BACKLOG_WAIT_TIME_ACTUAL, "backlog_wait_time_actual", 0);
	return LEAVE;
}

static enum outcome do_signal(struct option_call *c)
{
	static const char *const names[] = {"TERM", "HUP", "USR1", "USR2", "CONT"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcasecmp(c->value, names[i]) == 0) {
			add_request(c->s, REQ_OTHER);
			return DONE;
		}
	}
	return failed(scan_fail(c->s, c->value, strlen(c->value),
				"unknown signal `%s': expected TERM, HUP, USR1, USR2 or CONT", c->value));
}

/* ---- list and action ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t list;
} lists[] = {
    {"task", AUDIT_FILTER_TASK},       {"exit", AUDIT_FILTER_EXIT},     {"user", AUDIT_FILTER_USER},
    {"exclude", AUDIT_FILTER_EXCLUDE}, {"filesystem", AUDIT_FILTER_FS},
};

static bool read_list(struct scan *s, const char *word, size_t len, uint32_t *list)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (strlen(lists[i].name) == len && strncmp(lists[i].name, word, len) == 0) {
			*list = lists[i].list;
			s->exclude |= *list == AUDIT_FILTER_EXCLUDE;
			return true;
		}
	}
	return false;
}

static bool read_action(const char *word, size_t len, uint32_t *action)
{
	bool never = len == 5 && strncmp(word, "never", len) == 0;
	bool always = len == 6 && strncmp(word, "always", len) == 0;
	if (never || always)
		*action = never ? AUDIT_NEVER : AUDIT_ALWAYS;
	return never || always;
}

static enum outcome bad_keyword(struct option_call *c, const char *word, size_t len, const char *expected)
{
	return failed(
	    scan_fail(c->s, word, len, "`%.*s' is wrong here: expected %s", (int)len, word, expected));
}

/*
 * LIST,ACTION or ACTION,LIST. *list is the one that was there before (-w sets it): with one, the second word
 * is always taken as an action, so that an action written first fails.
 */
static enum outcome list_and_action(struct option_call *c, uint32_t *list)
{
	struct scan *s = c->s;
	char *v = c->value, *comma = strchr(v, ',');
	if (s->multiple)
		return failed(fail_word(s, own_word(c), "a second -a, -A or -d: expected one on a line"));
	s->multiple = true;
	if (!comma || strchr(comma + 1, ','))
		return bad_keyword(c, v, strlen(v), "LIST,ACTION with one comma, as in exit,always");
	size_t n = (size_t)(comma - v);
	const char *second = comma + 1;
	if (!read_list(s, v, n, list)) {
		if (!read_action(v, n, &s->rule.action))
			return bad_keyword(
			    c, v, n,
			    "a list (exit, task, user, exclude, filesystem) or an action (always, never)");
		if (*list == UNSET) {
			if (!read_list(s, second, strlen(second), list))
				return bad_keyword(c, second, strlen(second),
						   "a list (exit, task, user, exclude, filesystem)");
			return SEND;
		}
	}
	if (strcmp(second, "possible") == 0) {
		scan_warn(s, second, strlen(second),
			  "the action `possible' is gone: auditctl drops the line");
		return LEAVE;
	}
	if (!read_action(second, strlen(second), &s->rule.action))
		return bad_keyword(c, second, strlen(second), "an action (always, never)");
	return SEND;
}

static bool task_with_syscalls(struct option_call *c)
{
	if (!c->s->syscalls || !strstr(c->value, "task"))
		return false;
	scan_fail(c->s, c->value, strlen(c->value),
		  "the task list takes no system calls: expected no -S or -w before it");
	return true;
}

static enum outcome do_append(struct option_call *c)
{
	return task_with_syscalls(c) ? FAILED : list_and_action(c, &c->s->add);
}

static enum outcome do_prepend(struct option_call *c)
{
	if (task_with_syscalls(c))
		return FAILED;
	enum outcome o = list_and_action(c, &c->s->add);
	if (o == SEND)
		c->s->add |= AUDIT_FILTER_PREPEND;
	return o;
}

static enum outcome do_delete(struct option_call *c)
{
	return list_and_action(c, &c->s->del);
}

/* ---- parts of a rule ----------------------------------------------------------------------------- */

static enum outcome do_syscalls(struct option_call *c)
{
	static const struct {
		uint32_t list;
		const char *name;
	} without[] = {
	    {AUDIT_FILTER_TASK, "task"}, {AUDIT_FILTER_USER, "user"}, {AUDIT_FILTER_FS, "filesystem"}};
	struct scan *s = c->s;

	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		uint32_t mask = AUDIT_FILTER_MASK | UNSET;
		if ((s->add & mask) == without[i].list || (s->del & mask) == without[i].list)
			return failed(scan_fail(s, c->value, strlen(c->value),
						"the %s list takes no system calls: expected no -S",
						without[i].name));
	}
	if (s->exclude)
		return failed(scan_fail(s, c->value, strlen(c->value),
					"the exclude list takes no system calls: expected no -S"));
	return failed(parse_syscalls(s, c->value));
}

/* Keys are collected; they become the last field when the line has been read. */
static enum outcome collect_key(struct scan *s, const char *text)
{
	size_t have = strlen(s->key), n = strlen(text);
	if (have + n + (have ? 1 : 0) > AUDIT_MAX_KEY_LEN)
		return failed(
		    scan_fail(s, text, n, "the keys of the rule have more than %d bytes", AUDIT_MAX_KEY_LEN));
	if (strchr(text, AUDIT_KEY_SEPARATOR))
		scan_warn(s, text, n, "the byte 0x01 in a key separates keys: auditctl 4.2 refuses it");
	if (!s->key_at)
		s->key_at = text;
	if (have)
		s->key[have++] = AUDIT_KEY_SEPARATOR;
	memcpy(s->key + have, text, n + 1);
	return GO_ON;
}

static enum outcome do_field(struct option_call *c)
{
	struct scan *s = c->s;
	const char *next = s->w->argv[c->next];
	bool before_trim = next && strstr(c->value, "arch=") && strcmp(next, "-t") == 0;
	if (scan_list(s) == UNSET && !before_trim)
		return failed(
		    scan_fail(s, c->value, strlen(c->value),
			      "no list was given before this field: expected -a, -A, -d or -w first"));
	if (strncmp(c->value, "key=", 4) == 0)
		return collect_key(s, c->value + 4);
	return failed(parse_field(s, c->value));
}

static enum outcome do_compare(struct option_call *c)
{
	return failed(parse_compare(c->s, c->value));
}

static enum outcome do_key(struct option_call *c)
{
	struct scan *s = c->s;
	if (!(s->syscalls || s->perm || s->exe || s->fstype) || scan_list(s) == UNSET)
		return failed(
		    scan_fail(s, c->value, strlen(c->value),
			      "a key needs -S, -w, -p or a path, dir, perm, exe or fstype before it"));
	return collect_key(s, c->value);
}

static enum outcome do_perm(struct option_call *c)
{
	struct scan *s = c->s;
	struct rule *r = &s->rule;
	if (scan_list(s) == UNSET)
		return failed(scan_fail(s, c->value, strlen(c->value),
					"-p stands alone: expected a watch or a list before it"));
	uint32_t perm;
	if (!parse_perm(s, c->value, &perm))
		return FAILED;
	if (!r->nfields)
		return failed(scan_fail(s, c->value, strlen(c->value),
					"-p stands first: expected another field before it"));
	bool found = false;
	for (unsigned i = 0; i < r->nfields; i++) {
		if (r->fields[i].id == AUDIT_PERM) {
			r->fields[i].value = perm;
			found = true;
		}
	}
	if (!found && r->nfields >= AUDIT_MAX_FIELDS - 1)
		return failed(scan_fail(s, c->value, strlen(c->value),
					"too many fields in the rule: expected at most %d",
					AUDIT_MAX_FIELDS - 1));
	if (!found)
		r->fields[r->nfields++] = (struct field){.id = AUDIT_PERM, .op = AUDIT_EQUAL, .value = perm};
	s->perm = true;
	return SEND;
}

/* ---- watches ------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_dir(const struct parser *p, const char *path)
{
	if (p->dirs)
		return p->env->ndirs && bsearch(&path, p->dirs, p->env->ndirs, sizeof(*p->dirs), by_text);
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool watch_path_ok(struct scan *s, const char *path)
{
	size_t len = strlen(path);
	if (len >= PATH_MAX)
		return scan_fail(s, path, len, "the path has %zu bytes: expected less than %d", len,
				 PATH_MAX);
	if (path[0] != '/')
		return scan_fail(s, path, len,
				 "the path of a watch is relative: expected it to begin with /");
	char copy[PATH_MAX];
	memcpy(copy, path, len + 1);
	if (strlen(basename(copy)) > NAME_MAX)
		return scan_fail(s, path, len, "the last component of the path has more than %d bytes",
				 NAME_MAX);
	if (strstr(path, ".."))
		scan_warn(s, path, len,
			  "`..' in the path of a watch is not resolved by name: write the path without it");
	if (strpbrk(path, "*?"))
		scan_warn(s, path, len, "* and ? in the path of a watch are ordinary characters");
	return true;
}

static enum outcome watch(struct option_call *c, uint32_t *list)
{
	struct scan *s = c->s;
	struct rule *r = &s->rule;
	char *path = c->value;
	*list = AUDIT_FILTER_EXIT;
	r->action = AUDIT_ALWAYS;
	s->syscalls = true;
	if (!watch_path_ok(s, path))
		return FAILED;
	size_t len = strlen(path);
	if (len > 2)
		while (len > 1 && path[len - 1] == '/')
			path[--len] = '\0';
	if (r->nfields)
		return failed(scan_fail(s, path, len,
					"the rule has fields already: expected the watch before any field"));
	memset(r->mask, 0xff, sizeof(r->mask));
	r->fields[0] = (struct field){.id = is_dir(s->p, path) ? AUDIT_DIR : AUDIT_WATCH,
				      .op = AUDIT_EQUAL,
				      .value = (uint32_t)len,
				      .text = arena_strndup(s->p->rs->arena, path, len)};
	r->fields[1] =
	    (struct field){.id = AUDIT_PERM,
			   .op = AUDIT_EQUAL,
			   .value = AUDIT_PERM_READ | AUDIT_PERM_WRITE | AUDIT_PERM_EXEC | AUDIT_PERM_ATTR};
	r->nfields = 2;
	r->watch = true;
	return SEND;
}

static enum outcome do_watch(struct option_call *c)
{
	if (scan_list(c->s) != UNSET)
		return failed(fail_word(c->s, own_word(c),
					"-w stands after -a, -A, -d or -w: expected it first, and once"));
	return watch(c, &c->s->add);
}

static enum outcome do_unwatch(struct option_call *c)
{
	return watch(c, &c->s->del);
}

/* ---- the scan ------------------------------------------------------------------------------------ */

enum { LONG_LOGINUID = 256, LONG_WAIT, LONG_LOST, LONG_WAIT_ACTUAL, LONG_SIGNAL };

static const struct option long_options[] = {
    {"loginuid-immutable", no_argument, NULL, LONG_LOGINUID},
    {"backlog_wait_time", required_argument, NULL, LONG_WAIT},
    {"reset-lost", no_argument, NULL, LONG_LOST},
    {"reset_backlog_wait_time_actual", no_argument, NULL, LONG_WAIT_ACTUAL},
    {"signal", required_argument, NULL, LONG_SIGNAL},
    {NULL, 0, NULL, 0},
};

static const struct {
	int letter;
	enum outcome (*act)(struct option_call *c);
} actions[] = {
    {'h', do_help},
    {'i', do_ignore},
    {'c', do_ignore},
    {'s', do_status},
    {'l', do_list},
    {'D', do_delete_all},
    {'v', do_version},
    {'t', do_trim},
    {'C', do_compare},
    {'e', do_enable},
    {'f', do_failure},
    {'r', do_rate},
    {'b', do_backlog},
    {'a', do_append},
    {'A', do_prepend},
    {'d', do_delete},
    {'S', do_syscalls},
    {'F', do_field},
    {'m', do_message},
    {'R', do_nested},
    {'w', do_watch},
    {'W', do_unwatch},
    {'k', do_key},
    {'p', do_perm},
    {'q', do_equivalent},
    {LONG_LOGINUID, do_loginuid},
    {LONG_WAIT, do_wait},
    {LONG_LOST, do_reset_lost},
    {LONG_WAIT_ACTUAL, do_reset_wait},
    {LONG_SIGNAL, do_signal},
};

static enum outcome act(struct option_call *c, int letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (actions[i].letter == letter)
			return actions[i].act(c);
	}
	const char *word = own_word(c);
	return failed(scan_fail(c->s, word, word ? strlen(word) : 1,
				"unknown option, or an option without its value: `%s'", word ? word : ""));
}

/* A word behind the last option, or no option at all. */
static bool leftover(struct scan *s, const struct option_call *c)
{
	const char *word = word_at(s, c->next);
	if (c->next == 1)
		return fail_word(
		    s, word_at(s, 1),
		    "no option here, or letters left over behind one: expected an option such as -a or -w");
	if (c->next < c->count)
		return scan_fail(s, word, word ? strlen(word) : 1,
				 "`%s' belongs to no option: expected nothing more on the line (a comment "
				 "needs its own line)",
				 word ? word : "");
	return true;
}

/* The collected keys become the last field. They pass through the reader of fields, so != in a key fails
 * here. */
static void append_key(struct scan *s)
{
	char pair[sizeof("key=") + sizeof(s->key)] = "key=";
	memcpy(pair + 4, s->key, strlen(s->key) + 1);
	size_t had = s->p->diags->n;
	if (s->failed || parse_field(s, pair))
		return;
	size_t width =
	    strlen(s->key_at); /* the text that failed is not in the line: point at the first key */
	struct place at = place_of(s, s->key_at, &width);
	struct diag *d = &s->p->diags->list[had];
	d->at.line = at.line;
	d->at.column = at.column;
	d->width = (unsigned)width;
}

/* Runs the options of the line. Anything but SEND and GO_ON means that no rule is to be sent. */
static enum outcome scan_options(struct scan *s)
{
	struct option_call c = {.s = s, .count = s->w->argc};
	enum outcome status = GO_ON;
	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while (status == GO_ON || status == SEND) {
		int letter = getopt_long(c.count, s->w->argv,
					 "hicslDvtC:e:f:r:b:a:A:d:S:F:m:R:w:W:k:p:q:", long_options, NULL);
		c.next = optind;
		if (letter == -1)
			break;
		c.value = optarg;
		enum outcome o = act(&c, letter);
		if (o != GO_ON)
			status = o;
	}
	if (status == LEAVE || status == FAILED)
		return status;
	if (!leftover(s, &c))
		status = FAILED;
	if (s->key[0])
		append_key(s);
	return s->failed ? FAILED : status;
}

/* getopt's state is the process's: callers may be in the middle of their own scan. */
static enum outcome scan_guarded(struct scan *s)
{
	int ind = optind, err = opterr, opt = optopt;
	char *arg = optarg;
	enum outcome status = scan_options(s);
	char *const none[] = {s->w->argv[0], NULL};
	optind = 0;
	getopt_long(1, none, "", long_options, NULL); /* forgets its pointers into our words */
	optind = ind;
	opterr = err;
	optopt = opt;
	optarg = arg;
	return status;
}

/* ---- the line ------------------------------------------------------------------------------------ */

static void send_rule(struct scan *s)
{
	struct rule *r = &s->rule;
	bool deletes = s->add == UNSET;
	r->flags = deletes ? s->del : s->add;
	if (rule_list(r) != AUDIT_FILTER_TASK && !s->syscalls)
		memset(r->mask, 0xff, sizeof(r->mask));
	struct rule *copy = arena_one(s->p->rs->arena, struct rule);
	*copy = *r;
	copy->line = s->line;
	add_request(s, deletes ? REQ_DELETE : REQ_ADD)->rule = copy;
}

static void warn_about_words(struct scan *s)
{
	struct parser *p = s->p;
	if (s->w->dropped)
		scan_warn(s, s->w->dropped, strlen(s->w->dropped),
			  "auditctl 3.0.9 keeps %d words of a line of this length and drops this one and all "
			  "after it",
			  s->w->argc - 1);
	if (s->line->len && s->line->text[s->line->len - 1] == '\r' && !p->said_cr) {
		p->said_cr = true;
		scan_warn(s, NULL, 1,
			  "the line ends in a carriage return, which becomes part of its last word");
	}
}

static void mark_stop(struct parser *p, const struct scan *s, size_t first)
{
	bool stops = s->failed && (s->crashed || !p->ignore);
	for (size_t i = first; i < p->diags->n; i++) {
		if (p->diags->list[i].severity == SEV_ERROR)
			p->diags->list[i].stops = stops;
	}
	p->stopped |= stops;
}

void parse_line(struct parser *p, const struct line *line)
{
	words_split(&p->words, line->text, line->len);
	struct scan s = {.p = p, .w = &p->words, .line = line, .add = UNSET, .del = UNSET};
	size_t first = p->diags->n;
	warn_about_words(&s);
	if (p->words.runs_on) {
		scan_fail(&s, p->words.runs_on, 1,
			  "a word ends in byte 0x04 or 0x07, where auditctl 3.0.9 reads past its end: "
			  "expected no such byte");
		mark_stop(p, &s, first);
		return;
	}
	switch (scan_guarded(&s)) {
	case SEND:
		send_rule(&s);
		break;
	case GO_ON:
		if (s.syscalls)
			fail_word(&s, word_at(&s, 1),
				  "no list was given for the system calls: expected -a, -A or -d");
		break;
	case DONE:
	case LEAVE:
		if (s.rule.nfields || scan_list(&s) != UNSET)
			scan_warn(&s, word_at(&s, 1), 1,
				  "the rule on this line is not loaded: an option on it ends the line");
		break;
	case FAILED:
		break;
	}
	mark_stop(p, &s, first);
}

void parser_init(struct parser *p, const struct lang_env *env, struct diags *diags, struct ruleset *rs)
{
	*p = (struct parser){.env = env, .diags = diags, .rs = rs};
	if (!env->dirs)
		return;
	p->dirs = arena_array(rs->arena, const char *, env->ndirs + 1);
	for (size_t i = 0; i < env->ndirs; i++)
		p->dirs[i] = env->dirs[i];
	qsort(p->dirs, env->ndirs, sizeof(*p->dirs), by_text);
}
