/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What editors and other systems leave in a rules file, and auditctl takes at its word. */
#include "lang/parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- edits of a line ------------------------------------------------------------------------------------ */

static void replace_line(struct parser *p, size_t diag, const struct line *l, const struct str *text)
{
	struct str b = {0};
	str_addn(&b, str_get(text), text->len);
	str_addc(&b, '\n');
	if (l->whole)
		diag_edit(p->diags, &p->diags->list[diag], EDIT_REPLACE, l->at, str_get(&b));
	str_free(&b);
}

static struct place column_of(const struct line *l, size_t at)
{
	struct place place = l->at;
	place.column += (unsigned)at;
	return place;
}

/* ---- bytes ------------------------------------------------------------------------------------------------ */

static void check_mark(struct parser *p, const struct line *l)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct str b = {0};
	if (l->at.line != 1 || l->at.column != 1 || l->len < 3 || memcmp(l->text, mark, 3) != 0)
		return;
	diag_add(p->diags, AR_BYTE_ORDER_MARK, l->at, l, 3, "the file begins with a byte order mark, which is part of its first word");
	str_addn(&b, l->text + 3, l->len - 3);
	replace_line(p, p->diags->n - 1, l, &b);
	str_free(&b);
}

static void check_nul(struct parser *p, const struct line *l)
{
	const char *nul = memchr(l->text, '\0', l->len);
	struct str b = {0};
	if (!nul)
		return;
	size_t at = (size_t)(nul - l->text);
	diag_add(p->diags, AR_NUL, column_of(l, at), l, 1, "a NUL byte ends the line for auditctl: the %zu bytes behind it are dropped",
		 l->len - at - 1);
	str_addn(&b, l->text, at);
	str_addc(&b, '\n');
	if (l->at.column == 1 && l->len < BUFFER - 1)
		diag_edit(p->diags, &p->diags->list[p->diags->n - 1], EDIT_REPLACE, l->at, str_get(&b));
	str_free(&b);
}

static void check_tab(struct parser *p, const struct line *l)
{
	const char *tab = memchr(l->text, '\t', l->len);
	struct str b = {0};
	if (!tab || l->comment)
		return;
	diag_add(p->diags, AR_TAB, column_of(l, (size_t)(tab - l->text)), l, 1, "a tab separates no words: it is part of this one");
	for (size_t i = 0; i < l->len; i++)
		str_addc(&b, l->text[i] == '\t' ? ' ' : l->text[i]);
	replace_line(p, p->diags->n - 1, l, &b);
	str_free(&b);
}

/* One finding for a file: such files have them on all lines. */
static void check_return(struct parser *p, const struct line *l)
{
	if (!l->len || l->text[l->len - 1] != '\r')
		return;
	bool new = p->cr_file != l->at.file;
	if (new && l->comment)
		return;
	if (new) {
		p->cr_file = l->at.file;
		p->cr_diag = p->diags->n;
		diag_add(p->diags, AR_CARRIAGE_RETURN, column_of(l, l->len - 1), l, 1,
			 "the line ends in a carriage return, which becomes part of its last word; so may others of the file");
	}
	struct str b = {0};
	str_addn(&b, l->text, l->len - 1);
	replace_line(p, p->cr_diag, l, &b);
	str_free(&b);
}

/* ---- signs of the shell ------------------------------------------------------------------------------------- */

static bool begins_value(const struct line *l, size_t i)
{
	return i == 0 || l->text[i - 1] == ' ' || l->text[i - 1] == '=';
}

/* Where the quote that is opened at i closes, before a space or the end; 0 for nowhere. */
static size_t closing(const struct line *l, size_t i)
{
	for (size_t j = i + 1; j < l->len; j++) {
		if (l->text[j] == l->text[i] && (j + 1 == l->len || l->text[j + 1] == ' '))
			return j;
	}
	return 0;
}

static void unquote(const struct line *l, size_t from, size_t to, struct str *out)
{
	str_addn(out, l->text, from);
	for (size_t i = from + 1; i < to; i++) {
		if (l->text[i] == ' ')
			str_addc(out, '\\');
		str_addc(out, l->text[i]);
	}
	str_addn(out, l->text + to + 1, l->len - to - 1);
}

static void check_quotes(struct parser *p, const struct line *l)
{
	for (size_t i = 0; i < l->len && !l->comment; i++) {
		char c = l->text[i];
		bool quote = c == '"' || c == '\'', home = c == '~' && i + 1 < l->len && l->text[i + 1] == '/';
		bool variable = c == '$' && i + 1 < l->len && strchr("{(ABCDEFGHIJKLMNOPQRSTUVWXYZ_", l->text[i + 1]);
		if (!begins_value(l, i) || !(quote || home || variable))
			continue;
		size_t end = quote ? closing(l, i) : 0;
		diag_add(p->diags, AR_QUOTES, column_of(l, i), l, end ? (unsigned)(end - i + 1) : 1,
			 "%c is an ordinary character of the word: auditctl is no shell", c);
		struct str b = {0};
		if (end) {
			unquote(l, i, end, &b);
			replace_line(p, p->diags->n - 1, l, &b);
		}
		str_free(&b);
		return; /* what is said once holds for the line */
	}
}

void check_text(struct parser *p, const struct line *l)
{
	check_mark(p, l);
	check_nul(p, l);
	check_tab(p, l);
	check_return(p, l);
	check_quotes(p, l);
}
