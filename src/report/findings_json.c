/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings as JSON and as SARIF 2.1.0 (OASIS standard, sections 3.13 to 3.58 for what is used here). */
#include "base/jsontext.h"
#include "report/findings.h"
#include "report/jsonout.h"

#include <ctype.h>
#include <string.h>

static json_t *number(size_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *code_name(const struct diag_info *info)
{
	return json_sprintf("AR%03d", (int)info->code);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *place_json(struct place at)
{
	json_t *o = json_object();
	json_object_set_new(o, "file", json_text(at.file));
	json_object_set_new(o, "line", json_integer(at.line));
	json_object_set_new(o, "column", json_integer(at.column));
	return o;
}

static json_t *related_json(const struct diag *d)
{
	json_t *list = json_array();
	for (size_t i = 0; i < d->nrelated; i++) {
		json_t *o = place_json(d->related[i].at);
		json_object_set_new(o, "message", json_text(d->related[i].what));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *edits_json(const struct diag *d)
{
	static const char *const kinds[] = {[EDIT_REPLACE] = "replace",
					    [EDIT_DELETE] = "delete",
					    [EDIT_BEFORE] = "insert-before",
					    [EDIT_AT_END] = "append"};
	json_t *list = json_array();
	for (size_t i = 0; i < d->nedits; i++) {
		json_t *o = json_object();
		json_object_set_new(o, "kind", json_string(kinds[d->edits[i].kind]));
		json_object_set_new(o, "file", json_text(d->edits[i].at.file));
		json_object_set_new(o, "line", json_integer(d->edits[i].at.line));
		json_object_set_new(o, "text", json_text(d->edits[i].text));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *finding_json(const struct diag *d)
{
	json_t *o = place_json(d->at);
	json_object_set_new(o, "code", code_name(d->info));
	json_object_set_new(o, "name", json_string(d->info->name));
	json_object_set_new(o, "severity", json_string(severity_name(d->severity)));
	json_object_set_new(o, "width", json_integer(d->width));
	json_object_set_new(o, "message", json_text(d->message));
	json_object_set_new(o, "what_happens", json_string(d->info->effect));
	json_object_set_new(o, "instead", json_string(d->info->remedy));
	json_object_set_new(o, "text", json_text(d->line));
	json_object_set_new(o, "stops_the_load", json_boolean(d->stops));
	json_object_set_new(o, "related", related_json(d));
	json_object_set_new(o, "edits", edits_json(d));
	json_object_set_new(o, "edits_record_less", json_boolean(d->loses));
	return o;
}

static json_t *target_json(const struct lang_env *env)
{
	int release = env->auditctl ? env->auditctl : AUDITCTL_DEFAULT,
	    kernel = env->kernel ? env->kernel : KERNEL_DEFAULT;
	json_t *o = json_object();
	json_object_set_new(o, "auditctl",
			    json_sprintf("%d.%d.%d", release / 10000, release / 100 % 100, release % 100));
	json_object_set_new(o, "kernel", json_sprintf("%d.%d", kernel / 1000, kernel % 1000));
	json_object_set_new(o, "machine", json_text(audit_machine_to_name(env->machine)));
	return o;
}

static json_t *set_json(const struct checked *c)
{
	json_t *o = json_object(), *list = json_array();
	json_object_set_new(o, "path", json_text(c->path));
	json_object_set_new(o, "rules", number(c->rules));
	for (enum severity s = SEV_ERROR; s <= SEV_NOTE; s++)
		json_object_set_new(o,
				    s == SEV_ERROR     ? "errors"
				    : s == SEV_WARNING ? "warnings"
						       : "notes",
				    number(c->count[s]));
	for (size_t i = 0; i < c->ds.n; i++)
		json_array_append_new(list, finding_json(&c->ds.list[i]));
	json_object_set_new(o, "findings", list);
	return o;
}

bool findings_json(const struct findings *f, struct str *out)
{
	json_t *o = json_object(), *sets = json_array();
	json_object_set_new(o, "schema", json_string("auditopt-check/1"));
	json_object_set_new(o, "version", json_string(AUDITOPT_VERSION));
	json_object_set_new(o, "target", target_json(f->env));
	json_object_set_new(o, "compared_with", json_text(f->old));
	for (size_t i = 0; i < f->nsets; i++)
		json_array_append_new(sets, set_json(&f->sets[i]));
	json_object_set_new(o, "sets", sets);
	return json_out(o, out);
}

/* ---- SARIF --------------------------------------------------------------------------------------------- */

static json_t *message(const char *text)
{
	json_t *o = json_object();
	json_object_set_new(o, "text", json_text(text));
	return o;
}

/* A relative or absolute reference (RFC 3986): what may not stand in one is escaped. */
static json_t *location_uri(const char *path)
{
	struct str b = {0};
	json_t *o = json_object();
	if (path[0] == '/')
		str_add(&b, "file://");
	for (const char *c = path; *c; c++) {
		if (isalnum((unsigned char)*c) || strchr("/-._~", *c))
			str_addc(&b, *c);
		else
			str_addf(&b, "%%%02X", (unsigned char)*c);
	}
	json_object_set_new(o, "uri", json_string(str_get(&b)));
	if (path[0] != '/')
		json_object_set_new(o, "uriBaseId", json_string("%SRCROOT%"));
	str_free(&b);
	return o;
}

/* Columns count characters there and bytes here. */
static unsigned characters(const char *line, size_t bytes)
{
	unsigned n = 0;
	for (size_t i = 0; i < bytes && line[i]; i++)
		n += ((unsigned char)line[i] & 0xc0) != 0x80;
	return n;
}

static json_t *region(struct place at, const char *line, unsigned width)
{
	json_t *o = json_object();
	json_object_set_new(o, "startLine", json_integer(at.line));
	if (at.column && line) {
		unsigned from = characters(line, at.column - 1),
			 to = characters(line, (size_t)at.column - 1 + width);
		json_object_set_new(o, "startColumn", json_integer((json_int_t)from + 1));
		json_object_set_new(o, "endColumn",
				    json_integer((json_int_t)(to > from ? to : from + 1) + 1));
	}
	return o;
}

static json_t *location(struct place at, const char *line, unsigned width, const char *text)
{
	json_t *o = json_object(), *physical = json_object();
	json_object_set_new(physical, "artifactLocation", location_uri(at.file));
	if (at.line)
		json_object_set_new(physical, "region", region(at, line, width));
	json_object_set_new(o, "physicalLocation", physical);
	if (text)
		json_object_set_new(o, "message", message(text));
	return o;
}

/* A region of whole lines ends where the next one begins; one without extent is an insertion. */
static json_t *replacement(const struct edit *e)
{
	json_t *o = json_object(), *gone = json_object(), *content;
	bool replaces = e->kind == EDIT_REPLACE || e->kind == EDIT_DELETE;
	json_object_set_new(gone, "startLine", json_integer(e->at.line ? e->at.line : 1));
	json_object_set_new(gone, "startColumn", json_integer(1));
	json_object_set_new(gone, "endLine",
			    json_integer((json_int_t)(e->at.line ? e->at.line : 1) + (replaces ? 1 : 0)));
	json_object_set_new(gone, "endColumn", json_integer(1));
	json_object_set_new(o, "deletedRegion", gone);
	if (e->text) {
		content = json_object();
		json_object_set_new(content, "text", json_text(e->text));
		json_object_set_new(o, "insertedContent", content);
	}
	return o;
}

/* The changes of one file, which are told together: those of edits[at] and of what follows it. */
static json_t *change(const struct diag *d, size_t at)
{
	json_t *o = json_object(), *replacements = json_array();
	for (size_t i = at; i < d->nedits; i++) {
		if (strcmp(d->edits[i].at.file, d->edits[at].at.file) == 0)
			json_array_append_new(replacements, replacement(&d->edits[i]));
	}
	json_object_set_new(o, "artifactLocation", location_uri(d->edits[at].at.file));
	json_object_set_new(o, "replacements", replacements);
	return o;
}

static bool file_is_new(const struct diag *d, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (strcmp(d->edits[i].at.file, d->edits[at].at.file) == 0)
			return false;
	}
	return true;
}

/* What is added at a file's end has no place that the file's length is not needed for: such a fix is left
 * out. */
static json_t *fixes(const struct diag *d)
{
	json_t *changes = json_array(), *fix, *list;
	for (size_t i = 0; i < d->nedits; i++) {
		if (d->edits[i].kind == EDIT_AT_END) {
			json_decref(changes);
			return NULL;
		}
		if (file_is_new(d, i))
			json_array_append_new(changes, change(d, i));
	}
	fix = json_object();
	json_object_set_new(fix, "description", message(d->info->remedy));
	json_object_set_new(fix, "artifactChanges", changes);
	list = json_array();
	json_array_append_new(list, fix);
	return list;
}

static json_t *result(const struct diag *d)
{
	json_t *o = json_object(), *places = json_array(), *related = json_array(), *mends;
	json_object_set_new(o, "ruleId", code_name(d->info));
	json_object_set_new(o, "ruleIndex", json_integer(d->info - diag_table));
	json_object_set_new(o, "level", json_string(severity_name(d->severity)));
	json_object_set_new(o, "message", message(d->message));
	json_array_append_new(places, location(d->at, d->line, d->width, NULL));
	json_object_set_new(o, "locations", places);
	for (size_t i = 0; i < d->nrelated; i++)
		json_array_append_new(related, location(d->related[i].at, NULL, 1, d->related[i].what));
	json_object_set_new(o, "relatedLocations", related);
	mends = d->nedits ? fixes(d) : NULL;
	if (mends)
		json_object_set_new(o, "fixes", mends);
	return o;
}

static json_t *rule(const struct diag_info *info)
{
	json_t *o = json_object(), *level = json_object();
	json_object_set_new(o, "id", code_name(info));
	json_object_set_new(o, "name", json_string(info->name));
	json_object_set_new(o, "shortDescription", message(info->title));
	json_object_set_new(o, "fullDescription", message(info->effect));
	json_object_set_new(o, "help", message(info->remedy));
	json_object_set_new(level, "level", json_string(severity_name(info->severity)));
	json_object_set_new(o, "defaultConfiguration", level);
	return o;
}

static json_t *tool(void)
{
	json_t *o = json_object(), *driver = json_object(), *rules = json_array();
	json_object_set_new(driver, "name", json_string("auditopt"));
	json_object_set_new(driver, "version", json_string(AUDITOPT_VERSION));
	for (unsigned i = 0; i < diag_table_len; i++)
		json_array_append_new(rules, rule(&diag_table[i]));
	json_object_set_new(driver, "rules", rules);
	json_object_set_new(o, "driver", driver);
	return o;
}

bool findings_sarif(const struct findings *f, struct str *out)
{
	json_t *o = json_object(), *runs = json_array(), *run = json_object(), *results = json_array();
	for (size_t i = 0; i < f->nsets; i++) {
		for (size_t j = 0; j < f->sets[i].ds.n; j++)
			json_array_append_new(results, result(&f->sets[i].ds.list[j]));
	}
	json_object_set_new(run, "tool", tool());
	json_object_set_new(run, "columnKind", json_string("unicodeCodePoints"));
	json_object_set_new(run, "results", results);
	json_array_append_new(runs, run);
	json_object_set_new(
	    o, "$schema",
	    json_string("https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"));
	json_object_set_new(o, "version", json_string("2.1.0"));
	json_object_set_new(o, "runs", runs);
	return json_out(o, out);
}
