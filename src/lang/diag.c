/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/lang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct diag *diag_add(struct diags *ds, enum diag_code code, struct place at, const struct line *line,
		      unsigned width, const char *fmt, ...)
{
	const struct diag_info *info = diag_info(code);
	va_list ap;
	va_start(ap, fmt);
	struct str b = {0};
	str_vaddf(&b, fmt, ap);
	va_end(ap);
	at.file = arena_strdup(ds->arena, at.file ? at.file : "");
	struct diag *d = arena_push(ds->arena, ds->list, ds->n);
	*d = (struct diag){
	    .info = info,
	    .severity = info->severity,
	    .at = at,
	    .message = arena_strndup(ds->arena, str_get(&b), b.len),
	    .line = line ? arena_strndup(ds->arena, line->text, line->len) : NULL,
	    .width = width ? width : 1,
	};
	ds->errors += info->severity == SEV_ERROR;
	str_free(&b);
	return d;
}

void diag_set_severity(struct diags *ds, struct diag *d, enum severity sev)
{
	ds->errors -= d->severity == SEV_ERROR;
	d->severity = sev;
	ds->errors += sev == SEV_ERROR;
}

void diag_edit(struct diags *ds, struct diag *d, enum edit_kind kind, struct place at, const char *text)
{
	at.file = arena_strdup(ds->arena, at.file ? at.file : "");
	struct edit *e = arena_push(ds->arena, d->edits, d->nedits);
	*e = (struct edit){.kind = kind, .at = at, .text = text ? arena_strdup(ds->arena, text) : NULL};
}

void diag_relate(struct diags *ds, struct diag *d, struct place at, const char *what)
{
	at.file = arena_strdup(ds->arena, at.file ? at.file : "");
	struct related *r = arena_push(ds->arena, d->related, d->nrelated);
	*r = (struct related){.at = at, .what = arena_strdup(ds->arena, what)};
}

/* The line as it can be shown: control bytes and bytes that are not ASCII would move the caret or the
 * terminal. */
static void show_line(const char *line, unsigned from, size_t n, struct str *out)
{
	for (size_t i = from; i < from + n && line[i]; i++) {
		unsigned char c = (unsigned char)line[i];
		str_addc(out, c == '\t' ? ' ' : c < 0x20 || c >= 0x7f ? '.' : (char)c);
	}
	str_addc(out, '\n');
}

/* SGR escapes of ECMA-48: bold, and by severity red, magenta, cyan. */
#define BOLD "\033[1m"
#define PLAIN "\033[0m"
static const struct {
	const char *name, *color;
} severities[] = {
    [SEV_ERROR] = {"error", "\033[1;31m"},
    [SEV_WARNING] = {"warning", "\033[1;35m"},
    [SEV_NOTE] = {"note", "\033[1;36m"},
};

static void print_head(const struct diag *d, bool color, struct str *out)
{
	str_add(out, color ? BOLD : "");
	str_add_shown(out, d->at.file);
	str_addc(out, ':');
	if (d->at.line)
		str_addf(out, "%u:", d->at.line);
	if (d->at.line && d->at.column)
		str_addf(out, "%u:", d->at.column);
	str_addf(out, " %s%s:%s ", color ? severities[d->severity].color : "", severities[d->severity].name,
		 color ? PLAIN : "");
	str_add_shown(out, d->message);
	str_addf(out, " [AR%03d]\n", (int)d->info->code);
}

void diag_print(const struct diag *d, bool color, struct str *out)
{
	enum { SHOWN = 100, BEFORE = 60 }; /* of a line that is too long the part around the place is shown */

	print_head(d, color, out);
	if (!d->line || !d->at.column)
		return;
	size_t len = strlen(d->line);
	unsigned column = d->at.column - 1;
	if (column > len)
		return;
	unsigned from = column > BEFORE ? column - BEFORE : 0;
	str_add(out, "  ");
	show_line(d->line, from, SHOWN, out);
	str_addf(out, "  %*s%s^", (int)(column - from), "", color ? severities[d->severity].color : "");
	unsigned room = SHOWN - (column - from), rest = (unsigned)(len - column);
	unsigned width = d->width < room ? d->width : room;
	width = width < rest ? width : rest; /* nothing stands behind a NUL */
	for (unsigned i = 1; i < width; i++)
		str_addc(out, '~');
	str_addf(out, "%s\n", color ? PLAIN : "");
}
