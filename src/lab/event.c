/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/trigger.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- records ------------------------------------------------------------------------------------------- */

/* What ties the records of an event together. */
struct stamp {
	uint64_t serial;
	const char *text; /* the fields behind "audit(...): " */
	size_t len;
};

/* "audit(1700000000.123:45): a=b" (kernel/audit.c, audit_log_start). */
static bool stamp_read(const struct audit_record *r, struct stamp *out)
{
	static const char head[] = "audit(";
	const char *p = r->text, *end = p + r->len;
	if (r->len < sizeof(head) || memcmp(p, head, sizeof(head) - 1) != 0)
		return false;
	const char *colon = memchr(p, ':', r->len);
	const char *close = colon ? memchr(colon, ')', (size_t)(end - colon)) : NULL;
	if (!close || close == colon + 1)
		return false;
	out->serial = 0;
	for (const char *c = colon + 1; c < close; c++) {
		if (!isdigit((unsigned char)*c) || out->serial > (UINT64_MAX - 9) / 10)
			return false;
		out->serial = out->serial * 10 + (uint64_t)(*c - '0');
	}
	out->text = close + 1;
	if (out->text < end && *out->text == ':')
		out->text++;
	while (out->text < end && *out->text == ' ')
		out->text++;
	out->len = (size_t)(end - out->text);
	return true;
}

/* The value of NAME=; values end at a space, or at the closing quote. NULL when the record has no such field.
 */
static const char *value_of(const struct stamp *s, const char *name, size_t *len)
{
	size_t n = strlen(name);
	const char *p = s->text, *end = p + s->len;
	while (p < end) {
		bool here = (size_t)(end - p) > n && memcmp(p, name, n) == 0 && p[n] == '=';
		const char *eq = memchr(p, '=', (size_t)(end - p)), *v = eq ? eq + 1 : end, *stop = v;
		if (v < end && *v == '"') {
			const char *quote = memchr(v + 1, '"', (size_t)(end - v - 1));
			stop = quote ? quote + 1 : end;
		}
		while (stop < end && *stop != ' ' && *stop != '\n' && *stop != '\0')
			stop++;
		if (here) {
			*len = (size_t)(stop - v);
			return v;
		}
		p = stop < end ? stop + 1 : end;
	}
	return NULL;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * A text the kernel was given by others: in quotes, or in hexadecimal when it holds a quote, a space or a
 * control byte (audit_log_untrustedstring), or (null). The bytes are added to out; false for (null) and what
 * is neither.
 */
static bool untrusted(const char *v, size_t len, struct str *out)
{
	if (len >= 2 && v[0] == '"' && v[len - 1] == '"') {
		str_addn(out, v + 1, len - 2);
		return true;
	}
	if (len == 0 || len % 2)
		return false;
	for (size_t i = 0; i < len; i++)
		if (hex_digit(v[i]) < 0)
			return false;
	for (size_t i = 0; i < len; i += 2)
		str_addc(out, (char)(hex_digit(v[i]) << 4 | hex_digit(v[i + 1])));
	return true;
}

/* ---- which records and fields count -------------------------------------------------------------------- */

/* First and last type of ranges that stem from the harness, from user space, or end an event. */
static const struct {
	unsigned first, last;
} dropped[] = {
    {AUDIT_USER, AUDIT_USER}, /* the fences */
    {AUDIT_CONFIG_CHANGE,
     AUDIT_CONFIG_CHANGE}, /* one for each rule that follows its file: differs between sets */
    {AUDIT_FIRST_USER_MSG, AUDIT_LAST_USER_MSG}, /* 1100-1199, services among them */
    {AUDIT_FIRST_DAEMON, AUDIT_LAST_DAEMON},
    {AUDIT_EOE, AUDIT_EOE},
    {AUDIT_REPLACE, AUDIT_REPLACE}, /* a daemon takes over */
    {AUDIT_KERNEL, AUDIT_KERNEL},
    {AUDIT_FIRST_USER_MSG2, AUDIT_LAST_USER_MSG2},
};

static bool is_dropped(unsigned type)
{
	for (size_t i = 0; i < ARRAY_SIZE(dropped); i++)
		if (type >= dropped[i].first && type <= dropped[i].last)
			return true;
	return false;
}

/* Calls whose successful result is a process, an address or a time: not the same in another run. */
static const char *const varying_results[] = {
    "fork",
    "vfork",
    "clone",
    "clone3",
    "wait4",
    "waitpid",
    "waitid",
    "getpid",
    "getppid",
    "gettid",
    "getpgid",
    "getpgrp",
    "getsid",
    "setsid",
    "set_tid_address",
    "mmap",
    "mmap2",
    "mremap",
    "brk",
    "shmat",
    "shmget",
    "msgget",
    "semget",
    "time",
    "times",
    "sched_getaffinity",
    "arch_prctl",
    "getrandom",
    "pidfd_open",
};

static bool result_varies(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(varying_results); i++)
		if (strcmp(varying_results[i], name) == 0)
			return true;
	return false;
}

/* ---- one line ------------------------------------------------------------------------------------------ */

static void add_field(struct str *out, const struct stamp *s, const char *name)
{
	size_t len;
	const char *v = value_of(s, name, &len);
	str_addf(out, " %s=%.*s", name, v ? (int)len : 4, v ? v : "none");
}

static void add_text(struct str *out, const struct stamp *s, const char *name)
{
	size_t len;
	const char *v = value_of(s, name, &len);
	struct str text = {0};
	str_addf(out, " %s=", name);
	if (v && untrusted(v, len, &text))
		str_add_quoted(out, str_get(&text), text.len);
	else
		str_addf(out, "%.*s", v ? (int)len : 4, v ? v : "none");
	str_free(&text);
}

/* Keys of one rule are joined by \001; each gets its quotes. */
static void add_key(struct str *out, const struct stamp *s)
{
	size_t len;
	const char *v = value_of(s, "key", &len);
	struct str text = {0};
	str_add(out, " key=");
	if (v && untrusted(v, len, &text)) {
		const char *p = str_get(&text), *end = p + text.len;
		for (;;) {
			const char *cut = memchr(p, '\001', (size_t)(end - p));
			str_add_quoted(out, p, (size_t)((cut ? cut : end) - p));
			if (!cut)
				break;
			str_addc(out, ',');
			p = cut + 1;
		}
	} else {
		str_addf(out, "%.*s", v ? (int)len : 4, v ? v : "none");
	}
	str_free(&text);
}

/* The call by name, and its result where that is the same in every run. */
static void add_call(struct str *out, const struct stamp *s)
{
	size_t len, exit_len, success_len;
	char text[16] = "";
	uint32_t arch = 0, nr = 0;
	const char *v = value_of(s, "arch", &len);
	if (v && len < sizeof(text)) {
		memcpy(text, v, len);
		text[len] = '\0';
		(void)num_u32(text, 16, &arch);
	}
	v = value_of(s, "syscall", &len);
	if (v && len < sizeof(text)) {
		memcpy(text, v, len);
		text[len] = '\0';
		(void)num_u32(text, 10, &nr);
	}
	int machine = arch == AUDIT_ARCH_X86_64 ? MACH_86_64 : MACH_X86;
	const char *name = audit_syscall_to_name((int)nr, machine);
	const char *success = value_of(s, "success", &success_len), *exit = value_of(s, "exit", &exit_len);
	str_addf(out, "arch=%s syscall=%s",
		 arch == AUDIT_ARCH_X86_64 ? "b64"
		 : arch == AUDIT_ARCH_I386 ? "b32"
					   : "?",
		 name ? name : text);
	str_addf(out, " success=%.*s", success ? (int)success_len : 4, success ? success : "none");
	if (success && success_len == 3 && name && result_varies(name))
		str_add(out, " exit=*");
	else
		str_addf(out, " exit=%.*s", exit ? (int)exit_len : 4, exit ? exit : "none");
}

struct event {
	uint64_t serial;
	const struct audit_record **records;
	size_t n;
};

static void add_types(struct str *out, const struct event *e)
{
	const char *comma = " types=";
	for (size_t i = 0, run; i < e->n; i += run) {
		const char *name = audit_msg_type_to_name((int)e->records[i]->type);
		for (run = 1; i + run < e->n && e->records[i + run]->type == e->records[i]->type; run++)
			;
		if (name)
			str_addf(out, "%s%s", comma, name);
		else
			str_addf(out, "%s%u", comma, e->records[i]->type);
		if (run > 1)
			str_addf(out, "*%zu", run);
		comma = ",";
	}
}

static void add_record(struct str *out, const struct audit_record *r)
{
	static const char *const fields[] = {
	    "auid", "uid", "gid", "euid", "suid", "fsuid", "egid", "sgid", "fsgid", "tty",
	};
	struct stamp s;
	if (!stamp_read(r, &s))
		return;
	if (r->type == AUDIT_SYSCALL) {
		add_call(out, &s);
		for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
			add_field(out, &s, fields[i]);
		add_text(out, &s, "exe");
		add_key(out, &s);
	} else if (r->type == AUDIT_PATH) {
		add_text(out, &s, "name");
		add_field(out, &s, "nametype");
		add_field(out, &s, "mode");
		add_field(out, &s, "ouid");
	} else if (r->type == AUDIT_CWD) {
		add_text(out, &s, "cwd");
	}
}

static const char *event_line(struct arena *a, const struct event *e)
{
	struct str out = {0};
	for (size_t i = 0; i < e->n; i++)
		add_record(&out, e->records[i]);
	add_types(&out, e);
	const char *text = str_get(&out);
	const char *line = arena_strdup(a, *text == ' ' ? text + 1 : text);
	str_free(&out);
	return line;
}

/* ---- all events ---------------------------------------------------------------------------------------- */

static bool event_has(const struct event *e, unsigned type)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->records[i]->type == type)
			return true;
	return false;
}

/* Setting a login uid is logged by itself; a rule's doing shows in its SYSCALL record. */
static bool event_counts(const struct event *e)
{
	return e->n > 0 && (!event_has(e, AUDIT_LOGIN) || event_has(e, AUDIT_SYSCALL));
}

struct slot {
	uint64_t serial;
	size_t order;
	const struct audit_record *record;
};

static int by_serial(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	if (x->serial != y->serial)
		return x->serial < y->serial ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void event_normalize(struct arena *a, const struct audit_record *records, size_t n, const char ***lines,
		     size_t *nlines)
{
	struct slot *slots = arena_array(a, struct slot, n ? n : 1);
	size_t nslots = 0;
	*lines = NULL;
	*nlines = 0;
	for (size_t i = 0; i < n; i++) {
		struct stamp s;
		if (!is_dropped(records[i].type) && stamp_read(&records[i], &s))
			slots[nslots++] = (struct slot){s.serial, i, &records[i]};
	}
	qsort(slots, nslots, sizeof(*slots), by_serial);
	for (size_t i = 0; i < nslots;) {
		struct event e = {.serial = slots[i].serial};
		for (; i < nslots && slots[i].serial == e.serial; i++)
			*arena_push(a, e.records, e.n) = slots[i].record;
		if (event_counts(&e))
			*arena_push(a, *lines, *nlines) = event_line(a, &e);
	}
	if (*nlines)
		qsort(*lines, *nlines, sizeof(**lines), by_text);
}
