/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a path to all that can be said of it. */
#include "lint/lint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- filters ------------------------------------------------------------------------------------------ */

static bool *dropped(struct diag_filter *f, struct arena *a, bool all)
{
	if (f->drop)
		return f->drop;
	f->drop = arena_array(a, bool, diag_table_len);
	memset(f->drop, all, diag_table_len * sizeof(*f->drop));
	return f->drop;
}

bool filter_add(struct diag_filter *f, const char *list, bool only, struct arena *a, const char **bad)
{
	bool *named = arena_array(a, bool, diag_table_len);
	char *copy = arena_strdup(a, list), *save = NULL;
	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		const struct diag_info *info = diag_by_name(word);
		*bad = word;
		if (!info)
			return false;
		named[info - diag_table] = true;
	}
	bool *drop = dropped(f, a, false);
	for (unsigned i = 0; i < diag_table_len; i++)
		drop[i] = drop[i] || named[i] != only;
	return true;
}

static void drop_unwanted(struct diags *ds, const struct check_options *o)
{
	const bool *drop = o->filter ? o->filter->drop : NULL;
	size_t kept = 0;
	for (size_t i = 0; i < ds->n; i++) {
		const struct diag *d = &ds->list[i];
		bool unwanted = (drop && drop[d->info - diag_table]) || (o->no_notes && d->severity == SEV_NOTE);
		if (!unwanted)
			ds->list[kept++] = *d;
	}
	ds->n = kept;
}

/* ---- what an end of the load costs --------------------------------------------------------------------- */

struct lost {
	size_t rules, settings;
	const struct line *first;
	bool locks;
};

static struct lost what_is_lost(const struct checked *c)
{
	struct lost lost = {0};
	for (size_t i = c->k->reached; i < c->rs->nrequests; i++) {
		const struct request *q = &c->rs->requests[i];
		bool rule = q->kind == REQ_ADD, other = q->kind == REQ_OTHER;
		if (other)
			continue;
		lost.rules += rule;
		lost.settings += !rule;
		lost.locks = lost.locks || (q->kind == REQ_SET && q->mask == AUDIT_STATUS_ENABLED && q->value == 2);
		if (!lost.first)
			lost.first = q->line;
	}
	return lost;
}

static struct diag *first_stop(struct checked *c)
{
	size_t end = c->k->reached;
	const struct line *at = end > 0 && end <= c->rs->nrequests ? c->rs->requests[end - 1].line : NULL;
	struct diag *found = NULL;
	for (size_t i = 0; i < c->ds.n; i++) {
		struct diag *d = &c->ds.list[i];
		if (!d->stops)
			continue;
		/* a refused request is the last one that was made; a failed line made none */
		bool refused = at && d->at.line == at->at.line && strcmp(d->at.file, at->at.file) == 0;
		if (refused && end < c->rs->nloaded)
			return d;
		if (!found)
			found = d;
	}
	return found;
}

static void say_what_is_lost(struct checked *c)
{
	struct lost lost = what_is_lost(c);
	struct diag *d = first_stop(c);
	if (!d || !lost.first || c->rs->ignore_errors)
		return;
	struct str b = {0};
	if (lost.rules)
		str_addf(&b, "%zu later rule%s", lost.rules, lost.rules == 1 ? "" : "s");
	if (lost.settings)
		str_addf(&b, "%s%zu %ssetting%s", lost.rules ? " and " : "", lost.settings, lost.rules ? "" : "later ",
			 lost.settings == 1 ? "" : "s");
	str_addf(&b, "%s would never be loaded", lost.locks ? ", among them `-e 2'," : "");
	diag_relate(&c->ds, d, lost.first->at, str_get(&b));
	str_free(&b);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static void lint_set_of(struct checked *c, const struct check_options *o)
{
	struct arena *work = arena_new();
	struct lint l = {.rs = c->rs, .k = c->k, .env = o->env, .ds = &c->ds, .arena = work};
	if (o->ask_host)
		l.host = host_ask(c->rs, o->root, work);
	lint_run(&l);
	arena_free(work);
}

void check_path(const char *path, const struct check_options *o, struct checked *c)
{
	struct arena *a = arena_new();
	*c = (struct checked){.path = path, .arena = a, .ds = {.arena = a}};
	c->rs = rules_read(path, o->env, &c->ds);
	if (c->rs) {
		c->k = kset_load_whole(c->rs, &c->ds);
		say_what_is_lost(c);
		lint_set_of(c, o);
	}
	drop_unwanted(&c->ds, o);
	diags_sort(&c->ds);
	for (size_t i = 0; i < c->ds.n; i++)
		c->count[c->ds.list[i].severity]++;
	for (size_t i = 0; c->rs && i < c->rs->nrequests; i++)
		c->rules += c->rs->requests[i].kind == REQ_ADD;
}

void checked_free(struct checked *c)
{
	kset_free(c->k);
	ruleset_free(c->rs);
	arena_free(c->arena);
	*c = (struct checked){0};
}

/* ---- what a change brings ---------------------------------------------------------------------------------- */

/*
 * What makes two findings the same: code, the text of the line, and what is said of it. Lines move, so their numbers are
 * left out of messages that speak of other lines.
 */
static const char *essence(const struct diag *d, struct arena *a)
{
	struct str b = {0};
	str_addf(&b, "%d\n%s\n", (int)d->info->code, d->line ? d->line : "");
	for (const char *m = d->message; *m; m++) {
		if (!d->nrelated || !isdigit((unsigned char)*m))
			str_addc(&b, *m);
	}
	const char *text = arena_strdup(a, str_get(&b));
	str_free(&b);
	return text;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Texts in order; of each group of equal ones, how many have been met in the new set. */
struct known {
	const char **text;
	size_t *first, *met; /* of each text: where its group begins; of a group's first: how many of it are taken */
	size_t n;
};

static struct known known_of(const struct diags *ds, struct arena *a)
{
	struct known k = {.text = arena_array(a, const char *, ds->n + 1),
			  .first = arena_array(a, size_t, ds->n + 1),
			  .met = arena_array(a, size_t, ds->n + 1),
			  .n = ds->n};
	for (size_t i = 0; i < k.n; i++)
		k.text[i] = essence(&ds->list[i], a);
	qsort(k.text, k.n, sizeof(*k.text), by_text);
	for (size_t i = 0; i < k.n; i++)
		k.first[i] = i > 0 && strcmp(k.text[i - 1], k.text[i]) == 0 ? k.first[i - 1] : i;
	return k;
}

static bool take(struct known *k, const char *text)
{
	const char **at = k->n ? bsearch(&text, k->text, k->n, sizeof(*k->text), by_text) : NULL;
	if (!at)
		return false;
	size_t first = k->first[at - k->text], next = first + k->met[first];
	if (next >= k->n || k->first[next] != first)
		return false;
	k->met[first]++;
	return true;
}

void checked_subtract(struct checked *new, const struct checked *old)
{
	struct arena *a = arena_new();
	struct known known = known_of(&old->ds, a);
	size_t kept = 0;
	memset(new->count, 0, sizeof(new->count));
	for (size_t i = 0; i < new->ds.n; i++) {
		struct diag d = new->ds.list[i];
		if (take(&known, essence(&d, a)))
			continue;
		new->count[d.severity]++;
		new->ds.list[kept++] = d;
	}
	new->ds.n = kept;
	arena_free(a);
}
