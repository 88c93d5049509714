/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a line that set something or ask for something. audit 3.0.9, src/auditctl.c, setopt. */
#include "lang/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *own_word(const struct option_call *c)
{
	return word_at(c->s, c->next - 1);
}

enum outcome failed(bool ok)
{
	return ok ? GO_ON : FAILED;
}

static void add_setting(struct scan *s, enum request_kind kind, uint32_t mask, const char *name,
			uint32_t value)
{
	struct request *q = add_request(s, kind);
	q->mask = mask;
	q->name = name;
	q->value = value;
}

static enum outcome set_number(struct option_call *c, uint32_t mask, const char *name)
{
	if (!isdigit((unsigned char)c->value[0]))
		return failed(scan_fail(c->s, AR_SETTING, c->value, strlen(c->value),
					"`%s' is no number: expected digits", c->value));
	char *end;
	errno = 0;
	uint32_t n = (uint32_t)strtoul(c->value, &end, 0);
	if (errno)
		return failed(
		    scan_fail(c->s, AR_SETTING, c->value, strlen(c->value), "the number does not fit in 64 bits"));
	parse_number(c->s, c->value, false, true, &n); /* for its warnings */
	add_setting(c->s, REQ_SET, mask, name, n);
	return GO_ON;
}

static enum outcome set_choice(struct option_call *c, uint32_t mask, const char *name)
{
	const char *v = c->value;
	if (v[0] < '0' || v[0] > '2' || v[1])
		return failed(scan_fail(c->s, AR_SETTING, v, strlen(v), "`%s' is wrong here: expected 0, 1 or 2", v));
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
	if (scan_has(c->s, T_HELP_SUCCEEDS)) {
		add_request(c->s, REQ_OTHER);
		return DONE;
	}
	return failed(
	    fail_word(c->s, AR_NOT_IN_FILE, own_word(c), "a call for help has no use in a rules file, where it counts as an error"));
}

static enum outcome do_version(struct option_call *c)
{
	add_request(c->s, REQ_OTHER);
	return DONE;
}

static enum outcome do_nested(struct option_call *c)
{
	return failed(fail_word(c->s, AR_NOT_IN_FILE, own_word(c), "a rules file cannot read another one: expected no -R"));
}

/* auditctl looks at the word after the option without asking whether there is one. */
static enum outcome crash(struct option_call *c)
{
	c->s->crashed = true;
	return failed(fail_word(c->s, AR_CRASH, own_word(c), "auditctl crashes on this line: expected the option alone on its line"));
}

static enum outcome do_status(struct option_call *c)
{
	if (c->count > 3)
		return failed(
		    fail_word(c->s, AR_EXTRA_WORDS, own_word(c), "too many words for -s: expected at most -i after it"));
	if (c->next == 2 && c->count == 3) {
		if (strcmp(c->s->w->argv[c->next], "-i") != 0)
			return failed(fail_word(c->s, AR_EXTRA_WORDS, word_at(c->s, c->next),
						"wrong word after -s: expected -i or nothing"));
		c->count--;
	}
	add_request(c->s, REQ_OTHER);
	return DONE;
}

/* Of -D and -l: the key that they select by. */
static bool key_passes(struct scan *s, const char *key)
{
	if (!key || !strchr(key, AUDIT_KEY_SEPARATOR) || !scan_has(s, T_KEY_SEPARATOR))
		return true;
	return fail_word(s, AR_KEY_SEPARATOR, key, "the byte 0x01 in a key: expected a key without it");
}

static enum outcome do_list(struct option_call *c)
{
	const char *next = c->s->w->argv[c->next];
	if (c->count > 4)
		return failed(
		    fail_word(c->s, AR_EXTRA_WORDS, own_word(c), "too many words for -l: expected -i or -k KEY after it"));
	if (c->count == 3) {
		if (!next)
			return crash(c);
		if (strcmp(next, "-i") != 0)
			return failed(fail_word(c->s, AR_EXTRA_WORDS, next, "wrong word after -l: expected -i or -k KEY"));
		c->count--;
	} else if (c->count == 4) {
		if (!next || strcmp(next, "-k") != 0)
			return failed(fail_word(c->s, AR_EXTRA_WORDS, next, "wrong word after -l: expected -k KEY"));
		if (!key_passes(c->s, word_at(c->s, c->next + 1)))
			return FAILED;
		c->count -= 2;
	}
	add_request(c->s, REQ_OTHER);
	return DONE;
}

static enum outcome do_delete_all(struct option_call *c)
{
	const char *next = c->s->w->argv[c->next], *key = NULL;
	if (c->count > 4 || c->count == 3)
		return failed(fail_word(c->s, AR_EXTRA_WORDS, own_word(c),
					"wrong number of words for -D: expected it alone, or -D -k KEY"));
	if (c->count == 4) {
		if (!next)
			return crash(c);
		if (strcmp(next, "-k") != 0)
			return failed(
			    fail_word(c->s, AR_EXTRA_WORDS, next, "wrong word after -D: expected -k KEY or nothing"));
		key = c->s->w->argv[3];
		if (!key_passes(c->s, key))
			return FAILED;
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
		    fail_word(c->s, AR_MESSAGE, own_word(c), "-m must be the only option of its line and take one word"));
	for (const char *t = c->value; *t; t++) {
		if ((signed char)*t < 32)
			return failed(
			    scan_fail(c->s, AR_MESSAGE, t, 1, "a control byte or a byte above 0x7e in the text of -m"));
	}
	add_request(c->s, REQ_OTHER)->text = arena_strdup(c->s->p->rs->arena, c->value);
	return LEAVE;
}

static enum outcome do_equivalent(struct option_call *c)
{
	if (c->s->syscalls)
		return failed(fail_word(c->s, AR_EQUIVALENT, own_word(c),
					"-q stands after -S or -w: expected it on a line of its own"));
	const char *comma = strchr(c->value, ',');
	if (!comma || !comma[1] || strchr(comma + 1, ',')) /* an empty first part passes: equiv_parse */
		return failed(scan_fail(c->s, AR_EQUIVALENT, c->value, strlen(c->value),
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
	static const struct {
		const char *name;
		bool state; /* a word for what the signal does, which came later */
	} names[] = {{"TERM", false},   {"HUP", false},   {"USR1", false},   {"USR2", false},  {"CONT", false},
		     {"stop", true}, {"reload", true}, {"rotate", true}, {"resume", true}, {"state", true}};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcasecmp(c->value, names[i].name) == 0 && (!names[i].state || scan_has(c->s, T_SIGNAL_STATE))) {
			add_request(c->s, REQ_OTHER);
			return DONE;
		}
	}
	return failed(scan_fail(c->s, AR_SIGNAL, c->value, strlen(c->value),
				"unknown signal `%s': expected TERM, HUP, USR1, USR2 or CONT%s", c->value,
				scan_has(c->s, T_SIGNAL_STATE) ? ", or stop, reload, rotate, resume or state" : ""));
}

/* ---- the table ---------------------------------------------------------------------------------- */

enum { LONG_LOGINUID = 256, LONG_WAIT, LONG_LOST, LONG_WAIT_ACTUAL, LONG_SIGNAL };

/* The first is of later releases. */
const struct option option_words[] = {
    {"help", no_argument, NULL, 'h'},
    {"loginuid-immutable", no_argument, NULL, LONG_LOGINUID},
    {"backlog_wait_time", required_argument, NULL, LONG_WAIT},
    {"reset-lost", no_argument, NULL, LONG_LOST},
    {"reset_backlog_wait_time_actual", no_argument, NULL, LONG_WAIT_ACTUAL},
    {"signal", required_argument, NULL, LONG_SIGNAL},
    {NULL, 0, NULL, 0},
};

const struct option *options_of(const struct scan *s)
{
	return option_words + (scan_has(s, T_HELP_WORD) ? 0 : 1);
}

const char option_letters[] = "hicslDvtC:e:f:r:b:a:A:d:S:F:m:R:w:W:k:p:q:";

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

enum outcome option_act(struct option_call *c, int letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (actions[i].letter == letter)
			return actions[i].act(c);
	}
	const char *word = own_word(c);
	return failed(scan_fail(c->s, AR_UNKNOWN_OPTION, word, word ? strlen(word) : 1,
				"unknown option, or an option without its value: `%s'", word ? word : ""));
}
