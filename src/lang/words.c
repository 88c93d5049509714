/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line is cut at spaces only. An escape is kept as two equal bytes until its word is finished, and the
 * first word is never finished: audit 3.0.9, src/auditctl.c, preprocess, postprocess, fileopt;
 * common/strsplit.c.
 */
#include "lang/parse.h"

#include <string.h>

enum { KEPT_SPACE = 0x07, KEPT_BACKSLASH = 0x04 };

static void keep_escapes(char *s)
{
	for (; *s; s++) {
		if (s[0] != '\\' || (s[1] != ' ' && s[1] != '\\'))
			continue;
		char kept = s[1] == ' ' ? KEPT_SPACE : KEPT_BACKSLASH;
		s[0] = s[1] = kept;
		s++;
	}
}

/* Turns kept escapes of one word into their characters; the word shrinks and its offsets with it. */
static void finish_word(struct words *w, size_t from)
{
	size_t to = from;
	for (; w->buf[from]; from++, to++) {
		char c = w->buf[from];
		w->raw[to] = w->raw[from];
		if (c == KEPT_SPACE || c == KEPT_BACKSLASH) {
			w->buf[to] = c == KEPT_SPACE ? ' ' : '\\';
			if (w->buf[from + 1]) /* whatever it is */
				from++;
			else
				w->runs_on = w->buf + to;
		} else {
			w->buf[to] = c;
		}
	}
	w->raw[to] = w->raw[from];
	w->buf[to] = '\0';
}

void words_split(struct words *w, const char *text, size_t len, bool limited)
{
	static char program[] = "auditctl";
	if (len >= BUFFER)
		len = BUFFER - 1;
	memcpy(w->buf, text, len);
	w->buf[len] = '\0';
	len = strlen(w->buf);
	for (size_t i = 0; i <= len; i++)
		w->raw[i] = (uint16_t)i;
	keep_escapes(w->buf);

	size_t limit = limited ? len / 3 + 1 : WORDS_MAX - 2;
	w->argc = 0;
	w->dropped = w->runs_on = NULL;
	w->argv[w->argc++] = program;
	for (size_t at = 0; at < len;) {
		size_t n = strcspn(w->buf + at, " ");
		char *word = w->buf + at;
		if (n && (size_t)w->argc > limit) {
			w->dropped = word;
			word[n] = '\0';
			break;
		}
		at += n + 1;
		if (!n)
			continue;
		word[n] = '\0';
		if (w->argc > 1)
			finish_word(w, (size_t)(word - w->buf));
		w->argv[w->argc++] = word;
	}
	w->argv[w->argc] = NULL;
}
