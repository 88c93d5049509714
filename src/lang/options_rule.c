/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that build a rule: list and action, fields, keys, watches. audit 3.0.9, src/auditctl.c, setopt.
 */
#include "lang/options.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- list and action ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t list;
	bool later; /* T_IO_URING */
} lists[] = {
    {"task", AUDIT_FILTER_TASK, false},       {"exit", AUDIT_FILTER_EXIT, false},     {"user", AUDIT_FILTER_USER, false},
    {"exclude", AUDIT_FILTER_EXCLUDE, false}, {"filesystem", AUDIT_FILTER_FS, false}, {"io_uring", AUDIT_FILTER_URING_EXIT, true},
};

static bool read_list(struct scan *s, const char *word, size_t len, uint32_t *list)
{
	bool any_case = scan_has(s, T_LIST_ANY_CASE);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		bool same = strlen(lists[i].name) == len && (any_case ? strncasecmp(lists[i].name, word, len) == 0
								      : strncmp(lists[i].name, word, len) == 0);
		if (same && (!lists[i].later || scan_has(s, T_IO_URING))) {
			*list = lists[i].list;
			s->exclude |= *list == AUDIT_FILTER_EXCLUDE;
			return true;
		}
	}
	return false;
}

/* A list that only later releases know. */
static bool is_later_list(const struct scan *s, const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (lists[i].later && strlen(lists[i].name) == len && strncmp(lists[i].name, word, len) == 0)
			return !scan_has(s, T_IO_URING);
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
	if (is_later_list(c->s, word, len))
		return failed(scan_fail(c->s, AR_LIST_UNKNOWN, word, len,
					"%s does not know the list `%.*s': expected auditctl 3.1 or later", scan_auditctl(c->s), (int)len, word));
	return failed(
	    scan_fail(c->s, AR_LIST_ACTION, word, len, "`%.*s' is wrong here: expected %s", (int)len, word, expected));
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
		return failed(fail_word(s, AR_TWO_LISTS, own_word(c), "a second -a, -A or -d: expected one on a line"));
	s->multiple = true;
	s->rule.list_at = scan_column(s, v);
	if (!comma || strchr(comma + 1, ','))
		return bad_keyword(c, v, strlen(v), "LIST,ACTION with one comma, as in exit,always");
	size_t n = (size_t)(comma - v);
	const char *second = comma + 1;
	if (!read_list(s, v, n, list)) {
		bool gone = *list != UNSET && n == 8 && strncmp(v, "possible", n) == 0; /* is passed over, and the next one taken */
		if (!gone && !read_action(v, n, &s->rule.action))
			return bad_keyword(
			    c, v, n,
			    "a list (exit, task, user, exclude, filesystem) or an action (always, never)");
		if (*list == UNSET) {
			bool known = read_list(s, second, strlen(second), list);
			if (!known && scan_has(s, T_LIST_ANY_CASE)) {
				*list = UINT32_MAX; /* sent like that, and refused by the kernel */
				return SEND;
			}
			if (!known)
				return bad_keyword(c, second, strlen(second),
						   "a list (exit, task, user, exclude, filesystem)");
			return SEND;
		}
	}
	if (strcmp(second, "possible") == 0) {
		scan_warn(s, AR_POSSIBLE, second, strlen(second),
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
	scan_fail(c->s, AR_SYSCALLS_ON_LIST, c->value, strlen(c->value),
		  "the task list takes no system calls: expected no -S or -w before it");
	return true;
}

enum outcome do_append(struct option_call *c)
{
	return task_with_syscalls(c) ? FAILED : list_and_action(c, &c->s->add);
}

enum outcome do_prepend(struct option_call *c)
{
	if (task_with_syscalls(c))
		return FAILED;
	if (scan_has(c->s, T_PREPEND_DELETES)) {
		scan_warn(c->s, AR_PREPEND_DELETES, c->value, strlen(c->value), "%s deletes the rule instead of adding it in front", scan_auditctl(c->s));
		return list_and_action(c, &c->s->del);
	}
	enum outcome o = list_and_action(c, &c->s->add);
	if (o == SEND)
		c->s->add |= AUDIT_FILTER_PREPEND;
	return o;
}

enum outcome do_delete(struct option_call *c)
{
	if (scan_has(c->s, T_DELETE_MISSING))
		return failed(scan_fail(c->s, AR_UNKNOWN_OPTION, c->value, strlen(c->value), "%s has no -d: expected another release", scan_auditctl(c->s)));
	return list_and_action(c, &c->s->del);
}

/* ---- parts of a rule ----------------------------------------------------------------------------- */

enum outcome do_syscalls(struct option_call *c)
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
			return failed(scan_fail(s, AR_SYSCALLS_ON_LIST, c->value, strlen(c->value),
						"the %s list takes no system calls: expected no -S",
						without[i].name));
	}
	if (s->exclude)
		return failed(scan_fail(s, AR_SYSCALLS_ON_LIST, c->value, strlen(c->value),
					"the exclude list takes no system calls: expected no -S"));
	return failed(parse_syscalls(s, c->value));
}

/* Keys are collected; they become the last field when the line has been read. */
static enum outcome collect_key(struct scan *s, const char *text)
{
	size_t have = strlen(s->key), n = strlen(text);
	if (have + n + (have ? 1 : 0) > AUDIT_MAX_KEY_LEN)
		return failed(
		    scan_fail(s, AR_KEY_LENGTH, text, n, "the keys of the rule have more than %d bytes", AUDIT_MAX_KEY_LEN));
	if (strchr(text, AUDIT_KEY_SEPARATOR) && scan_has(s, T_KEY_SEPARATOR))
		return failed(scan_fail(s, AR_KEY_SEPARATOR, text, n, "the byte 0x01 in a key: expected a key without it"));
	if (strchr(text, AUDIT_KEY_SEPARATOR))
		scan_warn(s, AR_KEY_SEPARATOR, text, n, "the byte 0x01 in a key separates keys: auditctl 4.2 refuses it");
	if (!s->key_at)
		s->key_at = text;
	if (have)
		s->key[have++] = AUDIT_KEY_SEPARATOR;
	memcpy(s->key + have, text, n + 1);
	return GO_ON;
}

enum outcome do_field(struct option_call *c)
{
	struct scan *s = c->s;
	const char *next = s->w->argv[c->next];
	bool before_trim = next && strstr(c->value, "arch=") && strcmp(next, "-t") == 0;
	if (scan_list(s) == UNSET && !before_trim)
		return failed(
		    scan_fail(s, AR_NO_LIST, c->value, strlen(c->value),
			      "no list was given before this field: expected -a, -A, -d or -w first"));
	if (strncmp(c->value, "key=", 4) == 0)
		return collect_key(s, c->value + 4);
	return failed(parse_field(s, c->value));
}

enum outcome do_compare(struct option_call *c)
{
	return failed(parse_compare(c->s, c->value));
}

enum outcome do_key(struct option_call *c)
{
	struct scan *s = c->s;
	if (!(s->syscalls || s->perm || s->exe || s->fstype) || scan_list(s) == UNSET)
		return failed(
		    scan_fail(s, AR_KEY_ALONE, c->value, strlen(c->value),
			      "a key needs -S, -w, -p or a path, dir, perm, exe or fstype before it"));
	return collect_key(s, c->value);
}

enum outcome do_perm(struct option_call *c)
{
	struct scan *s = c->s;
	struct rule *r = &s->rule;
	if (scan_list(s) == UNSET)
		return failed(scan_fail(s, AR_PERM_PLACE, c->value, strlen(c->value),
					"-p stands alone: expected a watch or a list before it"));
	uint32_t perm;
	if (!parse_perm(s, c->value, &perm))
		return FAILED;
	if (!r->nfields)
		return failed(scan_fail(s, AR_PERM_PLACE, c->value, strlen(c->value),
					"-p stands first: expected another field before it"));
	bool found = false;
	for (unsigned i = 0; i < r->nfields; i++) {
		if (r->fields[i].id == AUDIT_PERM) {
			r->fields[i].value = perm;
			r->fields[i].column = scan_column(s, c->value);
			r->fields[i].width = (uint16_t)strlen(c->value);
			found = true;
		}
	}
	if (!found && r->nfields >= AUDIT_MAX_FIELDS - 1)
		return failed(scan_fail(s, AR_FIELDS, c->value, strlen(c->value),
					"too many fields in the rule: expected at most %d",
					AUDIT_MAX_FIELDS - 1));
	if (!found)
		r->fields[r->nfields++] = (struct field){.id = AUDIT_PERM, .op = AUDIT_EQUAL, .value = perm,
							  .column = scan_column(s, c->value),
							  .width = (uint16_t)strlen(c->value)};
	s->perm = true;
	return SEND;
}

/* ---- watches ------------------------------------------------------------------------------------- */

int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Below another root its links must not lead out of it: openat2(2), RESOLVE_IN_ROOT. */
static bool is_dir_on_host(const char *root, const char *path)
{
	struct stat st;
	if (!root)
		return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = dir < 0 ? -1 : (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	bool is = fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
	return is;
}

static bool is_dir(const struct parser *p, const char *path)
{
	if (p->dirs)
		return p->env->ndirs && bsearch(&path, p->dirs, p->env->ndirs, sizeof(*p->dirs), by_text);
	return is_dir_on_host(p->env->root, path);
}

static bool watch_path_ok(struct scan *s, const char *path)
{
	size_t len = strlen(path);
	if (len >= PATH_MAX)
		return scan_fail(s, AR_WATCH_PATH, path, len, "the path has %zu bytes: expected less than %d", len,
				 PATH_MAX);
	if (path[0] != '/')
		return scan_fail(s, AR_WATCH_PATH, path, len,
				 "the path of a watch is relative: expected it to begin with /");
	char copy[PATH_MAX];
	memcpy(copy, path, len + 1);
	if (strlen(basename(copy)) > NAME_MAX)
		return scan_fail(s, AR_WATCH_PATH, path, len, "the last component of the path has more than %d bytes",
				 NAME_MAX);
	if (strstr(path, ".."))
		scan_warn(s, AR_WATCH_PATTERN, path, len,
			  "`..' in the path of a watch is not resolved by name: write the path without it");
	if (strpbrk(path, "*?"))
		scan_warn(s, AR_WATCH_PATTERN, path, len, "* and ? in the path of a watch are ordinary characters");
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
		return failed(scan_fail(s, AR_WATCH_PLACE, path, len,
					"the rule has fields already: expected the watch before any field"));
	memset(r->mask, 0xff, sizeof(r->mask));
	r->list_at = scan_column(s, path);
	r->fields[0] = (struct field){.id = is_dir(s->p, path) ? AUDIT_DIR : AUDIT_WATCH,
				      .op = AUDIT_EQUAL,
				      .value = (uint32_t)len,
				      .column = r->list_at,
				      .width = (uint16_t)len,
				      .text = arena_strndup(s->p->rs->arena, path, len)};
	r->fields[1] =
	    (struct field){.id = AUDIT_PERM,
			   .op = AUDIT_EQUAL,
			   .value = AUDIT_PERM_READ | AUDIT_PERM_WRITE | AUDIT_PERM_EXEC | AUDIT_PERM_ATTR};
	r->nfields = 2;
	r->watch = true;
	return SEND;
}

enum outcome do_watch(struct option_call *c)
{
	const struct scan *so_far = c->s;
	bool other = so_far->syscalls || so_far->rule.nfields || so_far->key_at || scan_list(so_far) != UNSET;
	if (other && scan_has(c->s, T_WATCH_FIRST))
		return failed(fail_word(c->s, AR_WATCH_FIELDS, own_word(c),
					"a watch includes no fields, actions or system calls before it: expected -w first"));
	if (scan_list(c->s) != UNSET)
		return failed(fail_word(c->s, AR_WATCH_PLACE, own_word(c),
					"-w stands after -a, -A, -d or -w: expected it first, and once"));
	enum outcome o = watch(c, &c->s->add);
	if (o == SEND && scan_has(c->s, T_WATCH_SLOW))
		scan_warn(c->s, AR_WATCH_SLOW, c->value, strlen(c->value), "%s calls watches of the old style slow", scan_auditctl(c->s));
	return o;
}

enum outcome do_unwatch(struct option_call *c)
{
	return watch(c, &c->s->del);
}
