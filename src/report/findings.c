/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings as text. */
#include "report/findings.h"

#include <string.h>

const char *severity_name(enum severity s)
{
	static const char *const names[] = {
	    [SEV_ERROR] = "error", [SEV_WARNING] = "warning", [SEV_NOTE] = "note"};
	return names[s];
}

/* ---- one finding ------------------------------------------------------------------------------------ */

static void add_related(const struct diag *d, struct str *out)
{
	for (size_t i = 0; i < d->nrelated; i++) {
		const struct related *r = &d->related[i];
		str_add(out, "    ");
		str_add_shown(out, r->at.file);
		str_addf(out, ":%u: ", r->at.line);
		str_add_shown(out, r->what);
		str_addc(out, '\n');
	}
}

static void add_edit(const struct edit *e, const struct diag *d, struct str *out)
{
	size_t n = e->text ? strlen(e->text) : 0;
	while (n > 0 && e->text[n - 1] == '\n')
		n--;
	bool here = e->at.line == d->at.line && strcmp(e->at.file, d->at.file) == 0;
	str_add(out, d->loses ? "    fix, which records less: " : "    fix: ");
	if (!here && e->kind != EDIT_AT_END) {
		str_add_shown(out, e->at.file);
		str_addf(out, ":%u: ", e->at.line);
	}
	switch (e->kind) {
	case EDIT_DELETE:
		str_add(out, "leave the line out\n");
		return;
	case EDIT_BEFORE:
		str_add(out, "before it: ");
		break;
	case EDIT_AT_END:
		str_add(out, "at the end of ");
		str_add_shown(out, e->at.file);
		str_add(out, ": ");
		break;
	case EDIT_REPLACE:
		break;
	}
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)e->text[i];
		if (c == '\n')
			str_add(out, "\n         ");
		else /* bytes of UTF-8 stay: the line may be copied from here */
			str_addc(out, c < 0x20 || c == 0x7f ? '.' : (char)c);
	}
	str_addc(out, '\n');
}

/* A whole file that is to be rewritten would hide what comes behind it. */
static void add_edits(const struct diag *d, struct str *out)
{
	enum { SHOWN = 4 };
	for (size_t i = 0; i < d->nedits && (i < SHOWN || d->nedits == SHOWN + 1); i++)
		add_edit(&d->edits[i], d, out);
	if (d->nedits > SHOWN + 1)
		str_addf(out, "    fix: and %zu lines more, see --fix\n", d->nedits - SHOWN);
}

static void add_finding(const struct findings *f, const struct diag *d, bool *told, struct str *out)
{
	diag_print(d, f->color, out);
	add_related(d, out);
	if (f->brief)
		return;
	add_edits(d, out);
	if (*told)
		return;
	*told = true;
	str_addf(out, "    what happens: %s\n    instead: %s\n", d->info->effect, d->info->remedy);
}

/* ---- all -------------------------------------------------------------------------------------------- */

static void add_count(struct str *out, size_t n, const char *what)
{
	str_addf(out, "%s%zu %s%s", out->len ? ", " : "", n, what, n == 1 ? "" : "s");
}

void findings_summary(const struct findings *f, struct str *out)
{
	struct str b = {0};
	size_t rules = 0, count[3] = {0};
	for (size_t i = 0; i < f->nsets; i++) {
		rules += f->sets[i].rules;
		for (size_t s = 0; s < ARRAY_SIZE(count); s++)
			count[s] += f->sets[i].count[s];
	}
	if (!f->old)
		add_count(&b, f->nsets, "file");
	if (!f->old)
		add_count(&b, rules, "rule");
	for (size_t s = 0; s < ARRAY_SIZE(count); s++)
		add_count(&b, count[s], severity_name((enum severity)s));
	str_add(out, str_get(&b));
	if (f->old) {
		str_add(out, " that ");
		str_add_shown(out, f->old);
		str_add(out, " has not");
	}
	str_addc(out, '\n');
	str_free(&b);
}

bool findings_text(const struct findings *f, struct str *out)
{
	struct arena *a = arena_new();
	bool *told = arena_array(a, bool, diag_table_len); /* explained above already */
	for (size_t i = 0; i < f->nsets; i++) {
		for (size_t j = 0; j < f->sets[i].ds.n; j++) {
			const struct diag *d = &f->sets[i].ds.list[j];
			add_finding(f, d, &told[d->info - diag_table], out);
		}
	}
	findings_summary(f, out);
	arena_free(a);
	return true;
}

/* ---- codes ------------------------------------------------------------------------------------------ */

static void add_example(struct str *out, const char *title, const char *text)
{
	if (!text)
		return;
	str_addf(out, "\n%s:\n  ", title);
	for (const char *c = text; *c; c++) {
		unsigned char u = (unsigned char)*c;
		if (u == '\n')
			str_add(out, c[1] ? "\n  " : "\n");
		else if (u < 0x20 || u >= 0x7f)
			str_addf(out, "\\x%02x", u);
		else
			str_addc(out, *c);
	}
}

void explain_code(const struct diag_info *info, struct str *out)
{
	str_addf(out, "AR%03d %s (%s): %s\n\nWhat happens: %s\n\nInstead: %s\n", (int)info->code, info->name,
		 severity_name(info->severity), info->title, info->effect, info->remedy);
	add_example(out, "Has it", info->bad);
	add_example(out, "Has it not", info->good);
}

void explain_table(struct str *out)
{
	str_add(out, "| code | severity | name | what is wrong |\n| --- | --- | --- | --- |\n");
	for (unsigned i = 0; i < diag_table_len; i++) {
		const struct diag_info *d = &diag_table[i];
		str_addf(out, "| AR%03d | %s | %s | ", (int)d->code, severity_name(d->severity), d->name);
		for (const char *c = d->title; *c; c++) {
			if (*c == '`' || *c == '|')
				str_addc(out, '\\');
			str_addc(out, *c);
		}
		str_add(out, " |\n");
	}
}
