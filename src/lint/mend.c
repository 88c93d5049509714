/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edits of diagnostics to a new text. */
#include "lint/lint.h"

#include <stdlib.h>
#include <string.h>

/* ---- choosing ---------------------------------------------------------------------------------------- */

struct touched {
	const char *file;
	unsigned line; /* UINT32_MAX: the end of the file */
	size_t diag;
};

static unsigned line_of(const struct edit *e)
{
	return e->kind == EDIT_AT_END ? UINT32_MAX : e->at.line;
}

static int by_line(const void *x, const void *y)
{
	const struct touched *a = x, *b = y;
	int c = strcmp(a->file, b->file);
	if (c)
		return c;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->diag < b->diag ? -1 : a->diag > b->diag;
}

/*
 * Of several that touch a line the first stays. One that loses a line loses all its edits, and so may give up
 * a line that another could have had: that one's turn comes in the next round.
 */
size_t edits_choose(const struct diags *ds, bool less, bool *chosen)
{
	struct arena *a = arena_new();
	struct touched *list = NULL;
	size_t n = 0, count = 0;
	for (size_t i = 0; i < ds->n; i++) {
		chosen[i] = ds->list[i].nedits > 0 && (less || !ds->list[i].loses);
		for (size_t j = 0; chosen[i] && j < ds->list[i].nedits; j++) {
			const struct edit *e = &ds->list[i].edits[j];
			*arena_push(a, list, n) =
			    (struct touched){.file = e->at.file, .line = line_of(e), .diag = i};
		}
	}
	if (n)
		qsort(list, n, sizeof(*list), by_line);
	for (size_t i = 1; i < n; i++) {
		bool same = strcmp(list[i].file, list[i - 1].file) == 0 && list[i].line == list[i - 1].line;
		if (same && list[i].diag != list[i - 1].diag)
			chosen[list[i].diag] = false;
	}
	for (size_t i = 0; i < ds->n; i++)
		count += chosen[i];
	arena_free(a);
	return count;
}

/* ---- applying ---------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
	const struct edit *a = *(const struct edit *const *)x, *b = *(const struct edit *const *)y;
	unsigned la = line_of(a), lb = line_of(b);
	if (la != lb)
		return la < lb ? -1 : 1;
	return a < b ? -1 : a > b; /* of one diagnostic, which are in one array */
}

static const struct edit **edits_of(const struct diags *ds, const bool *chosen, const char *file,
				    struct arena *a, size_t *n)
{
	const struct edit **list = NULL;
	*n = 0;
	for (size_t i = 0; i < ds->n; i++) {
		for (size_t j = 0; chosen[i] && j < ds->list[i].nedits; j++) {
			if (strcmp(ds->list[i].edits[j].at.file, file) == 0)
				*arena_push(a, list, *n) = &ds->list[i].edits[j];
		}
	}
	if (*n)
		qsort(list, *n, sizeof(*list), by_place);
	return list;
}

static void end_line(struct str *out)
{
	if (out->len && out->s[out->len - 1] != '\n')
		str_addc(out, '\n');
}

void edits_apply(const struct diags *ds, const bool *chosen, const char *file, const char *text, size_t len,
		 struct str *out)
{
	struct arena *a = arena_new();
	size_t n, next = 0;
	const struct edit **edits = edits_of(ds, chosen, file, a, &n);
	unsigned line = 1;
	for (size_t at = 0; at < len; line++) {
		const char *nl = memchr(text + at, '\n', len - at);
		size_t used = nl ? (size_t)(nl - text) + 1 - at : len - at;
		bool keep = true;
		for (; next < n && line_of(edits[next]) <= line; next++) {
			if (line_of(edits[next]) < line)
				continue;
			str_add(out, edits[next]->text ? edits[next]->text : "");
			keep = keep && edits[next]->kind == EDIT_BEFORE;
		}
		if (keep)
			str_addn(out, text + at, used);
		at += used;
	}
	for (; next < n; next++) { /* at the end, or before a line that an empty file has not */
		end_line(out);
		str_add(out, edits[next]->text ? edits[next]->text : "");
	}
	arena_free(a);
}
