/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sides.h"

#include "fakenl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

_Noreturn void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(2);
}

bool tap(struct tester *t, bool ok, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	printf("%sok %u - ", ok ? "" : "not ", ++t->n);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
	t->bad += !ok;
	return ok;
}

static struct read *add_read(struct side *o)
{
	if (o->n % 256 == 0) {
		o->reads = realloc(o->reads, (o->n + 256) * sizeof(*o->reads));
		if (!o->reads)
			abort();
	}
	o->reads[o->n] = (struct read){0};
	return &o->reads[o->n++];
}

void side_free(struct side *o)
{
	for (size_t i = 0; i < o->n; i++)
		str_free(&o->reads[i].requests);
	free(o->reads);
	*o = (struct side){0};
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

static void read_log(const char *path, struct side *o)
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
		if (head[0] == FAKENL_READ)
			add_read(o);
		else if (o->n) { /* what is sent before the first line asks for the state */
			dump_message(a, head[0], log.s + at, head[1], &o->reads[o->n - 1].requests);
			o->reads[o->n - 1].listed |= head[0] == AUDIT_LIST_RULES;
		}
		at += head[1];
	}
	arena_free(a);
	str_free(&log);
}

static _Noreturn void start_auditctl(const struct tester *t, const char *rules, const char *log,
				     const char *messages)
{
	enum { SECONDS = 60 }; /* a load that hangs is a crash */
	int fd = open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int null = open("/dev/null", O_RDWR);
	if (fd < 0 || null < 0)
		_exit(127);
	dup2(null, 0);
	dup2(null, 1);
	dup2(fd, 2);
	alarm(SECONDS);
	setenv("LD_PRELOAD", t->fakenl, 1);
	setenv("FAKENL_LOG", log, 1);
	unsetenv("POSIXLY_CORRECT");
	execl(t->auditctl, t->auditctl, "-R", rules, (char *)NULL);
	_exit(127);
}

static void read_failures(const char *messages, struct side *o)
{
	struct str text = {0};
	if (file_read(messages, 64 << 20, &text) < 0)
		die(messages);
	unsigned line;
	for (const char *m = str_get(&text); (m = strstr(m, "There was an error in line ")); m++) {
		if (sscanf(m, "There was an error in line %u of", &line) == 1 && line >= 1 && line <= o->n)
			o->reads[line - 1].failed = true;
	}
	str_free(&text);
}

void side_auditctl(const struct tester *t, const char *text, size_t len, struct side *o)
{
	struct arena *a = arena_new();
	const char *rules = path_join(a, t->dir, "rules"), *log = path_join(a, t->dir, "log"),
		   *messages = path_join(a, t->dir, "messages");
	int fd = open(rules, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len || close(fd) != 0)
		die(rules);
	unlink(log);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		start_auditctl(t, rules, log, messages);
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
		die("cannot run auditctl");
	o->crashed = WIFSIGNALED(status);
	read_log(log, o);
	read_failures(messages, o);
	arena_free(a);
}

/* ---- this side ----------------------------------------------------------------------------------- */

/* auditctl counts reads of its buffer, which are this rule set's lines. */
static void take_lines(const struct ruleset *rs, struct side *o)
{
	for (size_t i = 0; i < rs->nlines; i++) {
		struct read *r = add_read(o);
		r->line = rs->lines[i].at.line;
		r->failed = rs->lines[i].failed;
		if (rs->lines[i].stops)
			break;
	}
}

static void take_diags(struct tester *t, const struct diags *ds, struct side *o)
{
	for (size_t i = 0; i < ds->n; i++) {
		t->codes[ds->list[i].info->code]++;
		o->crashed |= ds->list[i].info->code == AR_CRASH && ds->list[i].stops &&
			      ds->list[i].at.line == o->reads[o->n - 1].line;
	}
	if (o->crashed) /* auditctl says nothing then */
		o->reads[o->n - 1].failed = false;
}

void side_here(struct tester *t, const char *text, size_t len, struct side *o)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("rules", text, len, &t->env, &ds);
	take_lines(rs, o);
	for (size_t i = 0; i < rs->nloaded; i++) {
		const struct request *q = &rs->requests[i];
		struct read *r = &o->reads[q->line - rs->lines];
		r->listed |= q->kind == REQ_DELETE_ALL;
		r->may_list |= q->kind == REQ_DELETE_ALL || q->kind == REQ_OTHER;
		if (q->kind != REQ_OTHER && q->kind != REQ_DELETE_ALL)
			request_dump(q, &r->requests);
	}
	take_diags(t, &ds, o);
	ruleset_free(rs);
	arena_free(ds.arena);
}

/* ---- comparison ---------------------------------------------------------------------------------- */

static bool same_read(const struct read *theirs, const struct read *here)
{
	return theirs->failed == here->failed &&
	       strcmp(str_get(&theirs->requests), str_get(&here->requests)) == 0 &&
	       (theirs->listed ? here->may_list : !here->listed);
}

size_t sides_differ(const struct side *auditctl, const struct side *here)
{
	size_t n = auditctl->n < here->n ? auditctl->n : here->n;
	for (size_t i = 0; i < n; i++) {
		if (!same_read(&auditctl->reads[i], &here->reads[i]))
			return i;
	}
	if (auditctl->n != here->n)
		return n;
	return auditctl->crashed == here->crashed ? SIZE_MAX : n ? n - 1 : 0;
}

static void show(const char *who, const struct side *o, size_t at)
{
	if (at >= o->n) {
		printf("# %s: the load had stopped after line %zu%s\n", who, o->n,
		       o->crashed ? ", with a crash" : "");
		return;
	}
	const struct read *r = &o->reads[at];
	printf("# %s: %s%s\n", who, r->failed ? "the line fails" : "the line is good",
	       o->crashed && at + 1 == o->n ? ", a crash"
	       : r->listed                  ? ", asks for the loaded rules"
					    : "");
	char *copy = strdup(str_get(&r->requests)), *save = NULL;
	for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		printf("#   %s\n", l);
	free(copy);
}

void sides_show(const struct side *auditctl, const struct side *here, size_t at)
{
	show("auditctl", auditctl, at);
	show("this program", here, at);
}
