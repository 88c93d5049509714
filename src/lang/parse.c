/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of rules: its options act in order, then the rule they built is sent. audit 3.0.9, src/auditctl.c,
 * setopt and handle_request. The words go through the C library's own getopt_long, as they do there.
 */
#include "lang/options.h"

#include <stdlib.h>
#include <string.h>

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

static void report(struct scan *s, enum diag_code code, const char *where, size_t width, const char *fmt,
		   va_list ap)
{
	struct str b = {0};
	str_vaddf(&b, fmt, ap);
	struct place at = place_of(s, where, &width);
	diag_add(s->p->diags, code, at, s->line, (unsigned)width, "%s", str_get(&b));
	str_free(&b);
}

bool scan_fail(struct scan *s, enum diag_code code, const char *where, size_t width, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(s, code, where, width, fmt, ap);
	va_end(ap);
	/* some are errors in one release and warnings in another */
	diag_set_severity(s->p->diags, &s->p->diags->list[s->p->diags->n - 1], SEV_ERROR);
	s->failed = true;
	return false;
}

void scan_warn(struct scan *s, enum diag_code code, const char *where, size_t width, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report(s, code, where, width, fmt, ap);
	va_end(ap);
}

int scan_release(const struct scan *s)
{
	return s->p->env->auditctl ? s->p->env->auditctl : AUDITCTL_DEFAULT;
}

const char *scan_auditctl(const struct scan *s)
{
	char text[RELEASE_TEXT];
	return arena_printf(s->p->diags->arena, "auditctl %s", release_text(scan_release(s), text));
}

bool scan_has(const struct scan *s, enum release_trait t)
{
	return release_has(scan_release(s), t);
}

uint16_t scan_column(const struct scan *s, const char *where)
{
	size_t width = 1;
	bool inside = where && where >= s->w->buf && where < s->w->buf + BUFFER;
	/* of a line that goes on from another read, the column in that read: at most BUFFER */
	return inside ? (uint16_t)(place_of(s, where, &width).column - s->line->at.column + 1) : 0;
}

const char *word_at(const struct scan *s, int i)
{
	return i >= 1 && i < s->w->argc ? s->w->argv[i] : NULL;
}

bool fail_word(struct scan *s, enum diag_code code, const char *word, const char *message)
{
	return scan_fail(s, code, word, word ? strlen(word) : 1, "%s", message);
}

struct request *add_request(struct scan *s, enum request_kind kind)
{
	struct ruleset *rs = s->p->rs;
	struct request *q = arena_push(rs->arena, rs->requests, rs->nrequests);
	*q = (struct request){.kind = kind, .line = s->line};
	if (!s->p->stopped)
		rs->nloaded = rs->nrequests;
	return q;
}

uint32_t scan_list(const struct scan *s)
{
	uint32_t list = s->add != UNSET ? s->add : s->del;
	return list == UNSET ? UNSET : list & AUDIT_FILTER_MASK;
}

/* ---- the scan ------------------------------------------------------------------------------------ */

/* A word behind the last option, or no option at all. */
static bool leftover(struct scan *s, const struct option_call *c)
{
	const char *word = word_at(s, c->next);
	if (c->next == 1)
		return fail_word(s, AR_NO_OPTION, word_at(s, 1),
		    "no option here, or letters left over behind one: expected an option such as -a or -w");
	if (c->next < c->count)
		return scan_fail(s, AR_STRAY_WORD, word, word ? strlen(word) : 1,
				 "`%s' belongs to no option: expected nothing more on the line (a comment "
				 "needs its own line, and quotes hold nothing together)",
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
	size_t width = strlen(s->key_at);
	if (s->failed)
		return;
	if (parse_field(s, pair)) {
		struct field *f = &s->rule.fields[s->rule.nfields - 1];
		f->column = scan_column(s, s->key_at);
		f->width = (uint16_t)width;
		return;
	}
	/* the text that failed is not in the line: point at the first key */
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
		int letter = getopt_long(c.count, s->w->argv, option_letters, options_of(s), NULL);
		c.next = optind;
		if (letter == -1)
			break;
		c.value = optarg;
		enum outcome o = option_act(&c, letter);
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
	getopt_long(1, none, "", option_words, NULL); /* forgets its pointers into our words */
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

static void mark_stop(struct parser *p, const struct scan *s, size_t first)
{
	bool stops = s->failed && (s->crashed || !p->ignore);
	for (size_t i = first; i < p->diags->n; i++) {
		if (p->diags->list[i].severity == SEV_ERROR)
			p->diags->list[i].stops = stops;
	}
	p->stopped |= stops;
}

bool parse_line(struct parser *p, const struct line *line)
{
	struct scan s = {.p = p, .w = &p->words, .line = line, .add = UNSET, .del = UNSET};
	words_split(&p->words, line->text, line->len, scan_has(&s, T_WORD_LIMIT));
	size_t first = p->diags->n;
	if (p->words.runs_on) {
		scan_fail(&s, AR_KEPT_BYTE, p->words.runs_on, 1,
			  "a word ends in byte 0x04 or 0x07, where auditctl reads past its end: "
			  "expected no such byte");
		mark_stop(p, &s, first);
		return false;
	}
	switch (scan_guarded(&s)) {
	case SEND:
		send_rule(&s);
		break;
	case GO_ON:
		if (s.syscalls)
			fail_word(&s, AR_NO_LIST, word_at(&s, 1),
				  "no list was given for the system calls: expected -a, -A or -d");
		break;
	case DONE:
	case LEAVE:
		if (s.rule.nfields || scan_list(&s) != UNSET)
			scan_warn(&s, AR_LINE_ENDED, word_at(&s, 1), 1,
				  "the rule on this line is not loaded: an option on it ends the line");
		break;
	case FAILED:
		break;
	}
	mark_stop(p, &s, first);
	return !s.failed;
}

void parser_init(struct parser *p, const struct lang_env *env, struct diags *diags, struct ruleset *rs)
{
	*p = (struct parser){.env = env, .diags = diags, .rs = rs};
	rs->kernel = env->kernel_audit ? env->kernel_audit : env->kernel;
	if (!env->dirs)
		return;
	p->dirs = arena_array(rs->arena, const char *, env->ndirs + 1);
	for (size_t i = 0; i < env->ndirs; i++)
		p->dirs[i] = env->dirs[i];
	qsort(p->dirs, env->ndirs, sizeof(*p->dirs), by_text);
}
