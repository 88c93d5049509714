/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/table.h"

#include <string.h>

enum { GAP = 2, NARROWEST = 16 };
static const char ellipsis[] = "\xe2\x80\xa6"; /* U+2026 */

struct column {
	const char *header;
	enum table_align align;
	size_t limit; /* 0: as wide as its widest cell */
	size_t fit;   /* 0, or what a whole line may take */
	enum table_overflow overflow;
};

struct table {
	struct arena *arena;
	struct column *columns;
	size_t ncolumns;
	const char **cells; /* row by row */
	size_t ncells;
	bool bold;
};

/* ---- UTF-8 --------------------------------------------------------------------------------------------- */

/* Bytes of the code point at s, 0 when there is no whole one (RFC 3629; overlong forms and surrogates
 * refused). */
static size_t utf8_len(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 4;
	if (s[0] >= 0x80 && (s[0] < 0xc2 || s[0] > 0xf4))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static bool is_control(const unsigned char *s, size_t n)
{
	return (n == 1 && (s[0] < 0x20 || s[0] == 0x7f)) || (n == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

/* A copy that holds only whole code points that a terminal shows; a tab becomes a blank. */
static const char *printable(struct arena *a, const char *text)
{
	char *copy = arena_alloc(a, strlen(text) + 1, 1), *to = copy;
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		size_t n = utf8_len(s);
		if (n == 0 || is_control(s, n)) {
			*to++ = *s == '\t' ? ' ' : '?';
			s += n ? n : 1;
			continue;
		}
		memcpy(to, s, n);
		to += n;
		s += n;
	}
	return copy;
}

/* Code points in n bytes of checked text. */
static size_t points(const char *s, size_t n)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += ((unsigned char)s[i] & 0xc0) != 0x80;
	return count;
}

/* Bytes of the first count code points, or of all there are. */
static size_t prefix(const char *s, size_t count)
{
	size_t i = 0;
	while (s[i]) {
		if (((unsigned char)s[i] & 0xc0) != 0x80 && count-- == 0)
			break;
		i++;
	}
	return i;
}

size_t table_width(const char *text)
{
	struct arena *a = arena_new();
	const char *shown = printable(a, text);
	size_t n = points(shown, strlen(shown));
	arena_free(a);
	return n;
}

/* ---- building ------------------------------------------------------------------------------------------ */

struct table *table_new(struct arena *a)
{
	struct table *t = arena_one(a, struct table);
	t->arena = a;
	return t;
}

void table_column(struct table *t, enum table_align align, const char *header)
{
	struct column *c = arena_push(t->arena, t->columns, t->ncolumns);
	*c = (struct column){.header = printable(t->arena, header), .align = align};
}

void table_cell(struct table *t, const char *text)
{
	const char *shown = printable(t->arena, text);
	*arena_push(t->arena, t->cells, t->ncells) = shown;
}

void table_cellf(struct table *t, const char *fmt, ...)
{
	struct str s = {0};
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	table_cell(t, str_get(&s));
	str_free(&s);
}

void table_row_end(struct table *t)
{
	while (t->ncolumns && t->ncells % t->ncolumns)
		table_cell(t, "");
}

void table_limit(struct table *t, size_t width, enum table_overflow overflow)
{
	if (!t->ncolumns)
		return;
	t->columns[t->ncolumns - 1].limit = width ? width : 1;
	t->columns[t->ncolumns - 1].overflow = overflow;
}

void table_fit(struct table *t, size_t width, enum table_overflow overflow)
{
	if (!t->ncolumns)
		return;
	t->columns[t->ncolumns - 1].fit = width;
	t->columns[t->ncolumns - 1].overflow = overflow;
}

void table_bold(struct table *t, bool bold)
{
	t->bold = bold;
}

/* ---- printing ------------------------------------------------------------------------------------------ */

static const char *cell_at(const struct table *t, size_t row, size_t column)
{
	size_t i = row * t->ncolumns + column;
	return i < t->ncells ? t->cells[i] : "";
}

static size_t rows_of(const struct table *t)
{
	return (t->ncells + t->ncolumns - 1) / t->ncolumns;
}

/* Width of each column, the array being the arena's. */
static size_t *widths(const struct table *t, struct arena *a)
{
	size_t *w = arena_array(a, size_t, t->ncolumns), line = 0, rows = rows_of(t);
	for (size_t c = 0; c < t->ncolumns; c++) {
		const char *header = t->columns[c].header;
		w[c] = points(header, strlen(header));
		for (size_t r = 0; r < rows; r++) {
			size_t n = points(cell_at(t, r, c), strlen(cell_at(t, r, c)));
			w[c] = n > w[c] ? n : w[c];
		}
		if (t->columns[c].limit && w[c] > t->columns[c].limit)
			w[c] = t->columns[c].limit;
		line += w[c] + (c ? GAP : 0);
	}
	for (size_t c = 0; c < t->ncolumns; c++) {
		size_t fit = t->columns[c].fit;
		if (!fit || line <= fit || w[c] <= NARROWEST)
			continue;
		size_t give = line - fit < w[c] - NARROWEST ? line - fit : w[c] - NARROWEST;
		w[c] -= give;
		line -= give;
	}
	return w;
}

/* Takes what fits into one line off the front of *rest: bytes to print; sets *more when an ellipsis ends it.
 */
static size_t take(const char **rest, size_t width, enum table_overflow overflow, bool *more)
{
	const char *s = *rest;
	size_t len = strlen(s);
	*more = false;
	if (points(s, len) <= width) {
		*rest = s + len;
		return len;
	}
	if (overflow == TABLE_CUT) {
		*more = true;
		*rest = s + len;
		return prefix(s, width - 1);
	}
	size_t n = prefix(s, width), blank = n;
	while (blank > 0 && s[blank] != ' ')
		blank--;
	if (blank > 0)
		n = blank;
	*rest = s + n;
	while (**rest == ' ')
		(*rest)++;
	return n;
}

static void pad(struct str *out, size_t n)
{
	while (n--)
		str_addc(out, ' ');
}

static void trim(struct str *out, size_t from)
{
	while (out->len > from && out->s[out->len - 1] == ' ')
		out->s[--out->len] = '\0';
}

/* One row, over as many lines as its longest wrapped cell needs. rest holds the texts and is used up. */
static void print_row(const struct table *t, const size_t *w, const char **rest, struct str *out)
{
	bool again = true;
	while (again) {
		again = false;
		size_t start = out->len;
		for (size_t c = 0; c < t->ncolumns; c++) {
			bool more;
			const char *s = rest[c];
			size_t n = take(&rest[c], w[c], t->columns[c].overflow, &more);
			size_t used = points(s, n) + more;
			pad(out, (c ? GAP : 0) + (t->columns[c].align == TABLE_RIGHT ? w[c] - used : 0));
			str_addn(out, s, n);
			if (more)
				str_add(out, ellipsis);
			pad(out, t->columns[c].align == TABLE_LEFT ? w[c] - used : 0);
			again = again || *rest[c];
		}
		trim(out, start);
		str_addc(out, '\n');
	}
}

void table_print(const struct table *t, struct str *out)
{
	if (!t->ncolumns)
		return;
	struct arena *a = arena_new();
	const size_t *w = widths(t, a);
	const char **rest = arena_array(a, const char *, t->ncolumns);
	for (size_t c = 0; c < t->ncolumns; c++)
		rest[c] = t->columns[c].header;
	str_add(out, t->bold ? "\033[1m" : "");
	print_row(t, w, rest, out);
	str_add(out, t->bold ? "\033[0m" : "");
	for (size_t r = 0, rows = rows_of(t); r < rows; r++) {
		for (size_t c = 0; c < t->ncolumns; c++)
			rest[c] = cell_at(t, r, c);
		print_row(t, w, rest, out);
	}
	arena_free(a);
}
