/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a path to all that can be said of it. */
#include "lint/lint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- filters ---------------------------------------------------------------------------------------- */

/* A file that could not be read is no finding that one can choose not to look for. */
bool filter_add(struct diag_filter *f, const char *list, bool only, struct arena *a, const char **bad)
{
	bool **set = only ? &f->only : &f->ignore, empty = true;
	char *copy = arena_strdup(a, list), *save = NULL;
	*bad = list;
	if (!*set)
		*set = arena_array(a, bool, diag_table_len);
	for (char *word = strtok_r(copy, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
		const struct diag_info *info = diag_by_name(word);
		*bad = word;
		if (!info)
			return false;
		(*set)[info - diag_table] = true;
		empty = false;
	}
	return !empty;
}

static bool wanted(const struct checked *c, const struct diag *d, const struct check_options *o)
{
	const struct diag_filter *f = o->filter;
	size_t row = (size_t)(d->info - diag_table);
	bool unread = d->info->code == AR_FILE;
	if (o->no_notes && d->severity == SEV_NOTE)
		return false;
	if (!f || (unread && !c->rs))
		return true;
	return !(f->ignore && f->ignore[row]) && (!f->only || f->only[row] || unread);
}

static void drop_unwanted(struct checked *c, const struct check_options *o)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->ds.n; i++) {
		if (wanted(c, &c->ds.list[i], o))
			c->ds.list[kept++] = c->ds.list[i];
	}
	c->ds.n = kept;
}

/* ---- what an end of the load costs ------------------------------------------------------------------ */

struct lost {
	size_t rules, settings;
	const struct line *first;
	bool locks;
};

/* Requests of the lines behind one; index: its place in the set. */
static struct lost lost_behind(const struct ruleset *rs, size_t index)
{
	struct lost lost = {0};
	for (size_t i = 0; i < rs->nrequests; i++) {
		const struct request *q = &rs->requests[i];
		if (q->kind == REQ_OTHER || (size_t)(q->line - rs->lines) <= index)
			continue;
		lost.rules += q->kind == REQ_ADD;
		lost.settings += q->kind != REQ_ADD;
		lost.locks =
		    lost.locks || (q->kind == REQ_SET && q->mask == AUDIT_STATUS_ENABLED && q->value == 2);
		if (!lost.first)
			lost.first = q->line;
	}
	return lost;
}

static int by_stop(const void *x, const void *y)
{
	const struct diag *a = *(const struct diag *const *)x, *b = *(const struct diag *const *)y;
	int c = strcmp(a->at.file, b->at.file);
	if (c || a->at.line != b->at.line)
		return c ? c : a->at.line < b->at.line ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int by_line(const void *x, const void *y)
{
	const struct line *a = x;
	const struct diag *b = *(const struct diag *const *)y;
	int c = strcmp(a->at.file, b->at.file);
	return c ? c : a->at.line < b->at.line ? -1 : a->at.line > b->at.line;
}

/* The first line, as they are loaded, that ends the load, and what is told of it; NULL when none does. O(n
 * log n). */
static struct diag *first_stop(struct checked *c, size_t *index, struct arena *work)
{
	struct diag **stops = NULL, **found = NULL;
	size_t n = 0;
	for (size_t i = 0; i < c->ds.n; i++) {
		if (c->ds.list[i].stops)
			*arena_push(work, stops, n) = &c->ds.list[i];
	}
	if (n)
		qsort(stops, n, sizeof(*stops), by_stop);
	for (*index = 0; n && *index < c->rs->nlines && !found; ++*index)
		found = bsearch(&c->rs->lines[*index], stops, n, sizeof(*stops), by_line);
	if (!found)
		return NULL;
	--*index;
	while (found > stops && by_line(&c->rs->lines[*index], found - 1) == 0)
		found--;
	return *found;
}

static void say_what_is_lost(struct checked *c)
{
	struct arena *work = arena_new();
	struct str b = {0};
	size_t index;
	struct diag *d = c->rs->ignore_errors ? NULL : first_stop(c, &index, work);
	struct lost lost = d ? lost_behind(c->rs, index) : (struct lost){0};
	if (lost.rules)
		str_addf(&b, "%zu later rule%s", lost.rules, lost.rules == 1 ? "" : "s");
	if (lost.settings)
		str_addf(&b, "%s%zu %ssetting%s", lost.rules ? " and " : "", lost.settings,
			 lost.rules ? "" : "later ", lost.settings == 1 ? "" : "s");
	str_addf(&b, "%s would never be loaded", lost.locks ? ", among them `-e 2'," : "");
	if (lost.first)
		diag_relate(&c->ds, d, lost.first->at, str_get(&b));
	str_free(&b);
	arena_free(work);
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static void lint_set_of(struct checked *c, const struct check_options *o)
{
	struct arena *work = arena_new();
	struct lint l = {.rs = c->rs, .k = c->k, .env = o->env, .ds = &c->ds, .arena = work};
	struct host *host = NULL;
	if (o->ask_host) {
		host = host_ask(c->rs, o->root, work);
	} else if (o->labels) {
		host = arena_one(work, struct host);
		*host = (struct host){.abi32 = -1, .x32 = -1, .io_uring = -1};
	}
	if (host && o->other_kernel)
		host->abi32 = host->x32 = host->io_uring = -1;
	if (o->labels) {
		host->labels = o->labels;
		host->nlabels = o->nlabels;
	}
	l.host = host;
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
		lint_set_of(c, o);
		say_what_is_lost(c);
	}
	drop_unwanted(c, o);
	diags_sort(&c->ds);
	for (size_t i = 0; i < c->ds.n; i++)
		c->count[c->ds.list[i].severity]++;
	for (size_t i = 0; c->rs && i < c->rs->nrequests; i++)
		c->rules += c->rs->requests[i].kind == REQ_ADD;
}

void checked_release(struct checked *c)
{
	kset_free(c->k);
	ruleset_free(c->rs);
	c->k = NULL;
	c->rs = NULL;
}

void checked_free(struct checked *c)
{
	checked_release(c);
	arena_free(c->arena);
	*c = (struct checked){0};
}

/* ---- what a change brings --------------------------------------------------------------------------- */

/* Bytes of the name, with its colon, of another file that a message speaks of; 0 when there is none. */
static size_t named_file(const struct diag *d, const char *m)
{
	for (size_t i = 0; i < d->nrelated; i++) {
		const char *path = d->related[i].at.file, *slash = strrchr(path, '/'),
			   *name = slash ? slash + 1 : path;
		size_t n = strlen(path), own = strlen(name);
		if (n && strncmp(m, path, n) == 0 && m[n] == ':')
			return n + 1;
		if (own && strncmp(m, name, own) == 0 && m[own] == ':')
			return own + 1;
	}
	return 0;
}

/*
 * What makes two findings the same: code, severity, the text of the line, and what is said of it. Lines move,
 * and the two sets have other names, so places and numbers are left out of what is said, and whether others
 * are lost.
 */
static const char *essence(const struct diag *d, enum severity severity, struct arena *a)
{
	struct str b = {0};
	str_addf(&b, "%d %d\n%s\n", (int)d->info->code, (int)severity, d->line ? d->line : "");
	const char *end = d->stops ? strstr(d->message, kset_ends_load) : NULL;
	for (const char *m = d->message; *m && m != end; m++) {
		bool begins = m == d->message || m[-1] == ' ';
		m += begins ? named_file(d, m) : 0;
		if (!*m)
			break;
		if (!isdigit((unsigned char)*m))
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
	size_t *first,
	    *met; /* of each text: where its group begins; of a group's first: how many of it are taken */
	size_t n;
};

static struct known known_of(const struct diags *ds, struct arena *a)
{
	struct known k = {.text = arena_array(a, const char *, ds->n + 1),
			  .first = arena_array(a, size_t, ds->n + 1),
			  .met = arena_array(a, size_t, ds->n + 1),
			  .n = ds->n};
	for (size_t i = 0; i < k.n; i++)
		k.text[i] = essence(&ds->list[i], ds->list[i].severity, a);
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

/* The old set has it, and there it is as bad or worse. */
static bool take_known(struct known *k, const struct diag *d, struct arena *a)
{
	for (int s = (int)d->severity; s >= (int)SEV_ERROR; s--) {
		if (take(k, essence(d, (enum severity)s, a)))
			return true;
	}
	return false;
}

void checked_subtract(struct checked *new, const struct checked *old)
{
	struct arena *a = arena_new();
	struct known known = known_of(&old->ds, a);
	size_t kept = 0;
	memset(new->count, 0, sizeof(new->count));
	for (size_t i = 0; i < new->ds.n; i++) {
		struct diag d = new->ds.list[i];
		if (take_known(&known, &d, a))
			continue;
		new->count[d.severity]++;
		new->ds.list[kept++] = d;
	}
	new->ds.n = kept;
	arena_free(a);
}
