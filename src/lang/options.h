/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the reader: what each option of a line does. */
#ifndef AUDITOPT_LANG_OPTIONS_H
#define AUDITOPT_LANG_OPTIONS_H

#include "lang/parse.h"

#include <getopt.h>

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

/* Letters and long options as auditctl hands them to getopt_long. */
extern const char option_letters[];
extern const struct option option_words[];
/* Those of them that the release in force has. */
const struct option *options_of(const struct scan *s);
/* Runs the option that getopt_long found. */
enum outcome option_act(struct option_call *c, int letter);

/* The option's own word: what a diagnostic points at. */
const char *own_word(const struct option_call *c);
/* Makes an outcome of what scan_fail returns. */
enum outcome failed(bool ok);
/* Word i of the line, NULL when there is none. */
const char *word_at(const struct scan *s, int i);
bool fail_word(struct scan *s, enum diag_code code, const char *word, const char *message);
/* Order of the list of directories (qsort, bsearch on texts). */
int by_text(const void *a, const void *b);
struct request *add_request(struct scan *s, enum request_kind kind);

/* The options that build a rule (options_rule.c). */
enum outcome do_append(struct option_call *c);
enum outcome do_prepend(struct option_call *c);
enum outcome do_delete(struct option_call *c);
enum outcome do_syscalls(struct option_call *c);
enum outcome do_field(struct option_call *c);
enum outcome do_compare(struct option_call *c);
enum outcome do_key(struct option_call *c);
enum outcome do_perm(struct option_call *c);
enum outcome do_watch(struct option_call *c);
enum outcome do_unwatch(struct option_call *c);

#endif
