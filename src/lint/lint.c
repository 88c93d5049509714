/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of checks, and how a check reports. */
#include "lint/lint.h"
#include "lang/parse.h"

#include <stdlib.h>
#include <string.h>

const struct lint_check lint_table[] = {
    {"settings", lint_settings}, {"lists", lint_lists}, {"calls", lint_calls_check}, {"values", lint_values},
    {"order", lint_order},       {"host", lint_host},   {"targets", lint_targets},
};
const size_t lint_table_len = ARRAY_SIZE(lint_table);

void lint_run(struct lint *l)
{
	for (size_t i = 0; i < lint_table_len; i++)
		lint_table[i].run(l);
}

/* ---- places ---------------------------------------------------------------------------------------- */

static struct diag *report(struct lint *l, enum diag_code code, const struct line *line, unsigned column,
			   unsigned width, const char *fmt, va_list ap)
{
	struct str b = {0};
	str_vaddf(&b, fmt, ap);
	struct place at =
	    line ? line->at : (struct place){.file = l->rs->nlines ? l->rs->lines[0].at.file : "-"};
	if (line && column)
		at.column += column - 1;
	else if (line)
		width = line->len ? (unsigned)line->len : 1;
	struct diag *d = diag_add(l->ds, code, at, line, width, "%s", str_get(&b));
	str_free(&b);
	return d;
}

/* Bytes from a column to the next space: a word, but for escaped spaces. */
static unsigned word_width(const struct line *line, unsigned column)
{
	unsigned n = 0;
	while (column && column - 1 + n < line->len && line->text[column - 1 + n] != ' ')
		n++;
	return n ? n : 1;
}

struct diag *lint_field(struct lint *l, enum diag_code code, const struct rule *r, unsigned i,
			const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	struct diag *d = report(l, code, r->line, r->fields[i].column, r->fields[i].width, fmt, ap);
	va_end(ap);
	return d;
}

struct diag *lint_calls(struct lint *l, enum diag_code code, const struct rule *r, const char *fmt, ...)
{
	unsigned column = r->calls_at ? r->calls_at : r->list_at;
	va_list ap;
	va_start(ap, fmt);
	struct diag *d = report(l, code, r->line, column, r->line ? word_width(r->line, column) : 1, fmt, ap);
	va_end(ap);
	return d;
}

struct diag *lint_rule(struct lint *l, enum diag_code code, const struct rule *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	struct diag *d =
	    report(l, code, r->line, r->list_at, r->line ? word_width(r->line, r->list_at) : 1, fmt, ap);
	va_end(ap);
	return d;
}

struct diag *lint_set(struct lint *l, enum diag_code code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	struct diag *d = report(l, code, NULL, 0, 1, fmt, ap);
	va_end(ap);
	return d;
}

const char *lint_name(struct lint *l, const struct line *of, const struct line *from)
{
	if (from && strcmp(of->at.file, from->at.file) == 0)
		return arena_printf(l->arena, "line %u", of->at.line);
	return arena_printf(l->arena, "%s:%u", of->at.file, of->at.line);
}

const char *lint_text(struct lint *l, const struct rule *r, unsigned i)
{
	const struct field *f = &r->fields[i];
	if (r->line && f->column && f->column - 1u + f->width <= r->line->len)
		return arena_strndup(l->arena, r->line->text + f->column - 1, f->width);
	const struct field_info *fi = field_by_id(f->id);
	return arena_printf(l->arena, "%s%s%s", fi ? fi->name : "?", op_text(f->op),
			    f->text ? arena_strndup(l->arena, f->text, f->value)
				    : arena_printf(l->arena, "%u", f->value));
}

void lint_archs(const struct lint *l, uint32_t archs[2])
{
	int other = machine_32(l->env->machine);
	archs[0] = (uint32_t)audit_machine_to_elf(l->env->machine);
	archs[1] = other < 0 || other == l->env->machine ? 0 : (uint32_t)audit_machine_to_elf(other);
}

/* ---- edits ----------------------------------------------------------------------------------------- */

bool lint_edit_words(struct lint *l, struct diag *d, const struct rule *r, unsigned column, unsigned width,
		     const char *text)
{
	if (!column || !r->line || r->line->part || column - 1 + width > r->line->len)
		return false;
	size_t from = column - 1, to = from + width;
	while (!*text && from > 0 && r->line->text[from - 1] == ' ')
		from--;
	struct str b = {0};
	str_addn(&b, r->line->text, from);
	str_add(&b, text);
	str_addn(&b, r->line->text + to, r->line->len - to);
	str_addc(&b, '\n');
	diag_edit(l->ds, d, EDIT_REPLACE, r->line->at, str_get(&b));
	str_free(&b);
	return true;
}

bool lint_edit_drop(struct lint *l, struct diag *d, const struct rule *r, unsigned i)
{
	unsigned column = r->fields[i].column, width = r->fields[i].width;
	if (!column || !r->line || column > r->line->len)
		return false;
	size_t from =
	    column - 1; /* of the value; before it stands its letter, with or without spaces between */
	while (from > 0 && r->line->text[from - 1] == ' ')
		from--;
	bool letter = from >= 2 && r->line->text[from - 2] == '-' && strchr("FC", r->line->text[from - 1]) &&
		      (from == 2 || r->line->text[from - 3] == ' ');
	if (!letter)
		return false;
	from -= 2;
	return lint_edit_words(l, d, r, (unsigned)from + 1, column - 1 + width - (unsigned)from, "");
}

bool lint_edit_delete(struct lint *l, struct diag *d, const struct krule *k)
{
	const struct line *line = k->rule->line;
	const struct ruleset *rs = l->rs;
	bool alone = line && !line->part && (k->request == 0 || rs->requests[k->request - 1].line != line) &&
		     (k->request + 1 >= rs->nrequests || rs->requests[k->request + 1].line != line);
	if (alone)
		diag_edit(l->ds, d, EDIT_DELETE, line->at, NULL);
	return alone;
}

/* Where a line's last option begins when that is its key; else where the line ends. */
static size_t before_key(const struct line *line)
{
	size_t end = line->len;
	while (end > 0 && line->text[end - 1] == ' ')
		end--;
	for (size_t i = end; i > 0; i--) {
		bool key = strncmp(line->text + i - 1, " -k ", 4) == 0 ||
			   strncmp(line->text + i - 1, " -F key=", 8) == 0;
		bool other = line->text[i - 1] == ' ' && line->text[i] == '-';
		if (key)
			return i - 1;
		if (other)
			break;
	}
	return end;
}

void lint_edit_append(struct lint *l, struct diag *d, const struct rule *r, const char *words)
{
	if (!r->line || r->line->part)
		return;
	size_t at = before_key(r->line);
	struct str b = {0};
	str_addn(&b, r->line->text, at);
	str_addf(&b, " %s", words);
	str_addn(&b, r->line->text + at, r->line->len - at);
	str_addc(&b, '\n');
	diag_edit(l->ds, d, EDIT_REPLACE, r->line->at, str_get(&b));
	str_free(&b);
}

/* ---- order of what is shown ------------------------------------------------------------------------ */

struct keyed {
	size_t index;
	struct diag d;
};

/* Files of one directory come by the version in their names, as they are loaded. */
static int by_place(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;
	int file = strverscmp(a->d.at.file, b->d.at.file);
	if (file)
		return file;
	if (a->d.at.line != b->d.at.line)
		return a->d.at.line < b->d.at.line ? -1 : 1;
	if (a->d.at.column != b->d.at.column)
		return a->d.at.column < b->d.at.column ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

void diags_sort(struct diags *ds)
{
	struct arena *a = arena_new();
	struct keyed *list = arena_array(a, struct keyed, ds->n + 1);
	for (size_t i = 0; i < ds->n; i++)
		list[i] = (struct keyed){.index = i, .d = ds->list[i]};
	qsort(list, ds->n, sizeof(*list), by_place);
	for (size_t i = 0; i < ds->n; i++)
		ds->list[i] = list[i].d;
	arena_free(a);
}
