/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conform AUDITCTL FAKENL DIR (FILE | --cases FILE)...: gives each text to auditctl -R under the fake netlink
 * and to this library, once as it is and once behind a line `-c`, and compares the requests and the lines
 * that failed. TAP on standard output; DIR takes temporary files.
 */
#include "lang/lang.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct tester {
	const char *auditctl, *fakenl, *dir;
	unsigned n, bad;
};

struct outcome {
	struct str requests, failed; /* canonical lines; numbers of failed lines, each with a space */
	bool crashed, stopped;
};

static _Noreturn void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- auditctl's side ----------------------------------------------------------------------------- */

static const struct {
	uint32_t mask;
	enum request_kind kind;
	const char *name;
	size_t at;
} settings[] = {
    {AUDIT_STATUS_ENABLED, REQ_SET, "enabled", offsetof(struct audit_status, enabled)},
    {AUDIT_STATUS_FAILURE, REQ_SET, "failure", offsetof(struct audit_status, failure)},
    {AUDIT_STATUS_RATE_LIMIT, REQ_SET, "rate_limit", offsetof(struct audit_status, rate_limit)},
    {AUDIT_STATUS_BACKLOG_LIMIT, REQ_SET, "backlog_limit", offsetof(struct audit_status, backlog_limit)},
    {AUDIT_STATUS_BACKLOG_WAIT_TIME, REQ_SET, "backlog_wait_time",
     offsetof(struct audit_status, backlog_wait_time)},
    {AUDIT_STATUS_LOST, REQ_FEATURE, "lost", offsetof(struct audit_status, lost)},
    {AUDIT_STATUS_BACKLOG_WAIT_TIME_ACTUAL, REQ_FEATURE, "backlog_wait_time_actual",
     offsetof(struct audit_status, backlog_wait_time_actual)},
};

static void dump_setting(const void *data, size_t len, struct str *out)
{
	struct audit_status st = {0};
	memcpy(&st, data, len < sizeof(st) ? len : sizeof(st));
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (st.mask != settings[i].mask)
			continue;
		struct request q = {.kind = settings[i].kind, .mask = st.mask, .name = settings[i].name};
		memcpy(&q.value, (const char *)&st + settings[i].at, sizeof(q.value));
		request_dump(&q, out);
		return;
	}
	str_addf(out, "SET of unknown mask 0x%x\n", st.mask);
}

static void dump_rule(struct arena *a, const void *data, size_t len, bool delete, struct str *out)
{
	struct audit_rule_data *d = arena_alloc(a, 1, len < sizeof(*d) ? sizeof(*d) : len);
	memcpy(d, data, len);
	struct rule r;
	if (len < sizeof(*d) || d->buflen > len - sizeof(*d) || !rule_from_data(a, d, &r))
		str_add(out, "a rule that does not hold together\n");
	else
		rule_dump(&r, delete, out);
}

static void dump_message(struct arena *a, uint32_t type, const char *data, size_t len, struct str *out)
{
	struct request q = {0};
	struct audit_features f = {0};
	uint32_t sizes[2] = {0};
	switch (type) {
	case AUDIT_ADD_RULE:
	case AUDIT_DEL_RULE:
		dump_rule(a, data, len, type == AUDIT_DEL_RULE, out);
		break;
	case AUDIT_SET:
		dump_setting(data, len, out);
		break;
	case AUDIT_TRIM:
		q.kind = REQ_TRIM;
		request_dump(&q, out);
		break;
	case AUDIT_MAKE_EQUIV: /* two lengths, then the two texts */
		memcpy(sizes, data, sizeof(sizes));
		q = (struct request){.kind = REQ_EQUIV,
				     .text = arena_printf(a, "%.*s,%.*s", (int)sizes[0], data + sizeof(sizes),
							  (int)sizes[1], data + sizeof(sizes) + sizes[0])};
		request_dump(&q, out);
		break;
	case AUDIT_SET_FEATURE:
		memcpy(&f, data, len < sizeof(f) ? len : sizeof(f));
		q = (struct request){.kind = REQ_FEATURE,
				     .name = f.mask == AUDIT_FEATURE_TO_MASK(AUDIT_FEATURE_LOGINUID_IMMUTABLE)
						 ? "loginuid_immutable"
						 : "other",
				     .value = f.features ? 1 : 0};
		request_dump(&q, out);
		break;
	default: /* questions */
		break;
	}
}

static void read_log(const char *path, struct str *out)
{
	struct str log = {0};
	struct arena *a = arena_new();
	int err = file_read(path, 256 << 20, &log);
	if (err < 0 && err != -ENOENT)
		die(path);
	for (size_t at = 0; at + 8 <= log.len;) {
		uint32_t head[2];
		memcpy(head, log.s + at, 8);
		at += 8;
		if (head[1] > log.len - at)
			die("the log is cut short");
		dump_message(a, head[0], log.s + at, head[1], out);
		at += head[1];
	}
	arena_free(a);
	str_free(&log);
}

static void start_auditctl(const struct tester *t, const char *rules, const char *log, const char *messages)
{
	int fd = open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int null = open("/dev/null", O_RDWR);
	if (fd < 0 || null < 0)
		_exit(127);
	dup2(null, 0);
	dup2(null, 1);
	dup2(fd, 2);
	setenv("LD_PRELOAD", t->fakenl, 1);
	setenv("FAKENL_LOG", log, 1);
	unsetenv("POSIXLY_CORRECT");
	execl(t->auditctl, t->auditctl, "-R", rules, (char *)NULL);
	_exit(127);
}

static void theirs(const struct tester *t, struct arena *a, const char *rules, struct outcome *o)
{
	const char *log = path_join(a, t->dir, "log"), *messages = path_join(a, t->dir, "messages");
	unlink(log);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		start_auditctl(t, rules, log, messages);
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
		die("cannot run auditctl");
	o->crashed = WIFSIGNALED(status);
	read_log(log, &o->requests);
	struct str text = {0};
	if (file_read(messages, 64 << 20, &text) < 0)
		die(messages);
	unsigned line;
	for (const char *m = text.s; (m = strstr(m, "There was an error in line ")); m++) {
		if (sscanf(m, "There was an error in line %u of", &line) == 1)
			str_addf(&o->failed, "%u ", line);
	}
	str_free(&text);
}

/* ---- this side ----------------------------------------------------------------------------------- */

/* auditctl counts reads of its buffer, which are this rule set's lines. */
static size_t line_index(const struct ruleset *rs, struct place at)
{
	size_t found = 0;
	for (size_t i = 0; i < rs->nlines; i++) {
		if (rs->lines[i].at.line == at.line && rs->lines[i].at.column <= at.column)
			found = i + 1;
	}
	return found;
}

static void ours(const char *rules, const struct lang_env *env, struct outcome *o)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_read(rules, env, &ds);
	if (!rs)
		die(rules);
	for (size_t i = 0; i < rs->nloaded; i++) {
		if (rs->requests[i].kind != REQ_OTHER && rs->requests[i].kind != REQ_DELETE_ALL)
			request_dump(&rs->requests[i], &o->requests);
	}
	size_t last = 0;
	for (size_t i = 0; i < ds.n && !o->stopped; i++) {
		if (ds.list[i].severity != SEV_ERROR)
			continue;
		size_t line = line_index(rs, ds.list[i].at);
		if (line != last)
			str_addf(&o->failed, "%zu ", line);
		last = line;
		o->stopped = ds.list[i].stops;
		o->crashed = strstr(ds.list[i].message, "crashes") && o->stopped;
	}
	if (o->crashed) { /* a crash leaves no message */
		str_reset(&o->failed);
	}
	ruleset_free(rs);
	arena_free(ds.arena);
}

/* ---- comparison ---------------------------------------------------------------------------------- */

static void show(const char *what, const struct str *b)
{
	char *copy = strdup(str_get(b)), *save = NULL;
	printf("# %s\n", what);
	for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		printf("#   %s\n", l);
	free(copy);
}

static void compare(struct tester *t, const char *title, const char *first, const char *text, size_t len)
{
	struct arena *a = arena_new();
	struct lang_env env = {.machine = audit_detect_machine()};
	const char *rules = path_join(a, t->dir, "rules");
	struct str all = {0};
	str_add(&all, first);
	str_addn(&all, text, len);
	if (file_write(rules, str_get(&all), all.len, 0600) < 0)
		die(rules);
	struct outcome x = {0}, y = {0};
	theirs(t, a, rules, &x);
	ours(rules, &env, &y);
	bool ok = x.crashed == y.crashed && strcmp(str_get(&x.requests), str_get(&y.requests)) == 0 &&
		  (x.crashed || strcmp(str_get(&x.failed), str_get(&y.failed)) == 0);
	printf("%sok %u - %s%s\n", ok ? "" : "not ", ++t->n, title, *first ? " (behind -c)" : "");
	t->bad += !ok;
	if (!ok) {
		show(x.crashed ? "auditctl crashed and sent" : "auditctl sent", &x.requests);
		show(y.crashed ? "expected a crash and" : "expected", &y.requests);
		show("auditctl's failed lines", &x.failed);
		show("expected failed lines", &y.failed);
	}
	str_free(&x.requests);
	str_free(&x.failed);
	str_free(&y.requests);
	str_free(&y.failed);
	str_free(&all);
	arena_free(a);
}

static void both(struct tester *t, const char *title, const char *text, size_t len)
{
	compare(t, title, "", text, len);
	compare(t, title, "-c\n", text, len);
}

/* `{HH}` is the byte with that hexadecimal number, `{c*N}` is N times the character c. */
static void add_expanded(struct str *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c;
		unsigned number;
		int used = 0;
		char word[16] = "";
		memcpy(word, s + i, n - i < 15 ? n - i : 15);
		if (sscanf(word, "{%c*%u}%n", &c, &number, &used) == 2 && used) {
			while (number--)
				str_addc(out, c);
		} else if (sscanf(word, "{%2x}%n", &number, &used) == 1 && used == 4) {
			str_addc(out, (char)number);
		} else {
			str_addc(out, s[i]);
			used = 1;
		}
		i += (size_t)used - 1;
	}
}

/* Cases: a line `%% title`, then the text up to the next such line. */
static void run_cases(struct tester *t, const char *path)
{
	struct str file = {0}, text = {0};
	if (file_read(path, 64 << 20, &file) < 0)
		die(path);
	char title[200] = "";
	for (const char *l = str_get(&file); *l;) {
		const char *nl = strchr(l, '\n');
		size_t n = nl ? (size_t)(nl - l) + 1 : strlen(l);
		if (strncmp(l, "%% ", 3) == 0) {
			if (*title)
				both(t, title, str_get(&text), text.len);
			str_reset(&text);
			snprintf(title, sizeof(title), "%.*s", (int)n - 4, l + 3);
		} else if (*title) {
			add_expanded(&text, l, n);
		}
		l += n;
	}
	if (*title)
		both(t, title, str_get(&text), text.len);
	str_free(&text);
	str_free(&file);
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fputs("usage: conform AUDITCTL FAKENL DIR (FILE | --cases FILE)...\n", stderr);
		return 2;
	}
	struct tester t = {.auditctl = argv[1], .fakenl = argv[2], .dir = argv[3]};
	for (int i = 4; i < argc; i++) {
		if (strcmp(argv[i], "--cases") == 0 && i + 1 < argc) {
			run_cases(&t, argv[++i]);
			continue;
		}
		struct str text = {0};
		if (file_read(argv[i], 64 << 20, &text) < 0)
			die(argv[i]);
		both(&t, argv[i], str_get(&text), text.len);
		str_free(&text);
	}
	printf("1..%u\n", t.n);
	return t.bad ? 1 : 0;
}
