/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one rules file does, said by auditctl under the fake netlink and by this program, line by line. */
#ifndef AUDITOPT_TESTS_SIDES_H
#define AUDITOPT_TESTS_SIDES_H

#include "lang/lang.h"

struct read {                /* what auditctl takes at a time: a line, or a piece of one that is too long */
	struct str requests; /* canonical lines of what was sent for it */
	bool failed;
	bool listed;   /* auditctl: asked for the loaded rules; here: -D must have asked */
	bool may_list; /* here: an option that may have asked */
	unsigned line; /* here: its number in the file */
};

struct side {
	struct read *reads; /* as far as the load came */
	size_t n;
	bool crashed; /* on the last one */
};

enum { CODES = 400 };

struct tester {
	const char *auditctl, *fakenl, *dir;
	struct lang_env env;
	unsigned n, bad;            /* tests so far */
	unsigned long codes[CODES]; /* diagnostics that this side gave, by code */
};

_Noreturn void die(const char *what);
/* Writes the text to a file and loads it; to be freed with side_free. */
void side_auditctl(const struct tester *t, const char *text, size_t len, struct side *o);
void side_here(struct tester *t, const char *text, size_t len, struct side *o);
void side_free(struct side *o);
/* Index of the first read that the two do not agree on, the length of the shorter included; SIZE_MAX: they
 * agree. */
size_t sides_differ(const struct side *auditctl, const struct side *here);
/* Both of a read as comments on standard output. */
void sides_show(const struct side *auditctl, const struct side *here, size_t at);
/* One test of standard output; returns ok. */
bool tap(struct tester *t, bool ok, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
