/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands in a line and is no text of rules. auditctl cuts words at spaces and takes every other byte as
 * it is, so a tab, a quote or a carriage return shows as an error about something else, or as a rule of
 * another path. The line is read a second time without such bytes: what only they caused is told as what it
 * is, once, with the line as it should be.
 */
#include "lang/parse.h"

#include <ctype.h>
#include <getopt.h>
#include <string.h>

#include "lang/options.h"

struct returns { /* carriage returns of one file: told once */
	const char *file;
	size_t diag; /* index */
	unsigned lines;
};

struct mender {
	struct parser again; /* reads mended lines */
	struct returns *returns;
	size_t nreturns;
	size_t long_line; /* index of the diagnostic of the line that is being cut, plus 1 */
	struct place long_at;
};

/* ---- how each is found and taken out ----------------------------------------------------------------- */

/* All return false when it is not there; else where it is, and the line without it. */
struct oddity {
	size_t at, width;
	struct str out;
};

static bool without_mark(const char *s, size_t len, struct oddity *o)
{
	if (len < 3 || memcmp(s, "\xef\xbb\xbf", 3) != 0)
		return false;
	o->width = 3;
	str_addn(&o->out, s + 3, len - 3);
	return true;
}

static bool without_nul(const char *s, size_t len, struct oddity *o)
{
	o->at = strnlen(s, len);
	str_addn(&o->out, s, o->at);
	return o->at < len;
}

static bool without_return(const char *s, size_t len, struct oddity *o)
{
	size_t n = len;
	while (n && s[n - 1] == '\r')
		n--;
	o->at = n;
	o->width = len - n;
	str_addn(&o->out, s, n);
	return n < len;
}

static bool without_tabs(const char *s, size_t len, struct oddity *o)
{
	const char *tab = memchr(s, '\t', len);
	if (!tab)
		return false;
	o->at = (size_t)(tab - s);
	str_addn(&o->out, s, len);
	for (size_t i = 0; i < len; i++) {
		if (o->out.s[i] == '\t')
			o->out.s[i] = ' ';
	}
	return true;
}

/* Is the word that ends here an option whose value is the next word? */
static bool takes_value(const char *s, size_t end)
{
	while (end && s[end - 1] == ' ')
		end--;
	if (end < 2 || s[end - 2] != '-' || (end > 2 && s[end - 3] != ' '))
		return false;
	const char *letter = isalpha((unsigned char)s[end - 1]) ? strchr(option_letters, s[end - 1]) : NULL;
	return letter && letter[1] == ':';
}

static bool without_comment(const char *s, size_t len, struct oddity *o)
{
	for (size_t i = 1; i < len; i++) {
		if (s[i] != '#' || s[i - 1] != ' ' || takes_value(s, i))
			continue;
		o->at = i;
		o->width = len - i;
		while (i && s[i - 1] == ' ')
			i--;
		str_addn(&o->out, s, i);
		return i > 0;
	}
	return false;
}

/* End of a text in quotes that begins at s, or NULL when it is none: the end of a word has to follow. */
static const char *closing(const char *s, const char *end)
{
	const char *c = s + 1 < end ? memchr(s + 1, *s, (size_t)(end - s - 1)) : NULL;
	return c && (c + 1 == end || c[1] == ' ' || c[1] == ',') ? c : NULL;
}

static bool without_quotes(const char *s, size_t len, struct oddity *o)
{
	const char *end = s + len, *first = NULL;
	for (const char *c = s; c < end; c++) {
		bool starts = c == s || strchr(" =,", c[-1]);
		const char *close = starts && (*c == '"' || *c == '\'') ? closing(c, end) : NULL;
		if (!close) {
			str_addc(&o->out, *c);
			continue;
		}
		if (!first) {
			first = c;
			o->width = (size_t)(close - c) + 1;
		}
		for (c++; c < close; c++) {
			if (*c == ' ' && c[-1] != '\\')
				str_addc(&o->out, '\\');
			str_addc(&o->out, *c);
		}
	}
	o->at = first ? (size_t)(first - s) : 0;
	return first != NULL;
}

/* A variable of the shell: what it should be is not known. */
static bool with_variable(const char *s, size_t len, struct oddity *o)
{
	for (size_t i = 0; i + 1 < len; i++) {
		if (s[i] != '$' || !(isalpha((unsigned char)s[i + 1]) || strchr("_({", s[i + 1])))
			continue;
		o->at = i;
		o->width = strcspn(s + i, " ");
		str_addn(&o->out, s, len);
		return true;
	}
	return false;
}

enum when { ALWAYS, FAILS, LOADS }; /* in which lines it is looked for */

static const struct {
	enum diag_code code;
	bool (*take_out)(const char *s, size_t len, struct oddity *o);
	bool at_start; /* of a file only */
	enum when when;
	bool mends; /* the line without it is what was meant */
	const char *message;
} kinds[] = {
    {AR_BYTE_ORDER_MARK, without_mark, true, ALWAYS, true,
     "the file begins with a byte order mark, which becomes part of the first word: expected the file "
     "without it"},
    {AR_NUL, without_nul, false, ALWAYS, false, "a NUL byte: for auditctl the line ends here"},
    {AR_CARRIAGE_RETURN, without_return, false, ALWAYS, true, ""},
    {AR_TAB, without_tabs, false, ALWAYS, true,
     "a tab does not part words, it becomes part of one: expected a space"},
    {AR_TRAILING_COMMENT, without_comment, false, FAILS, true,
     "a comment behind a rule is read as part of it: expected it on a line of its own"},
    {AR_QUOTES, without_quotes, false, ALWAYS, true,
     "the quotes become part of the word: expected it without them (a space in a word is written as \\ and a "
     "space)"},
    {AR_QUOTES, with_variable, false, LOADS, false,
     "auditctl is no shell: the $ and what follows are ordinary characters of the word"},
};

enum { KINDS = ARRAY_SIZE(kinds) };

/* ---- one line ------------------------------------------------------------------------------------------ */

struct found {
	size_t kind, at, width;
};

struct mended {
	struct found list[KINDS];
	size_t n;
	struct str text;    /* without any of them */
	struct str comment; /* that stood behind the rule */
	bool whole;         /* taking them out gives what was meant */
};

static bool looked_for(const struct line *l, size_t kind)
{
	if (kinds[kind].at_start && (l->at.line > 1 || l->at.column > 1))
		return false;
	return kinds[kind].when == ALWAYS || (kinds[kind].when == FAILS) == l->failed;
}

static void mend(const struct line *l, struct mended *m)
{
	size_t shift = 0;
	*m = (struct mended){.whole = true};
	str_addn(&m->text, l->text, l->len);
	for (size_t k = 0; k < KINDS; k++) {
		struct oddity o = {.width = 1};
		if (!looked_for(l, k) || !kinds[k].take_out(str_get(&m->text), m->text.len, &o)) {
			str_free(&o.out);
			continue;
		}
		m->list[m->n++] = (struct found){.kind = k, .at = o.at + shift, .width = o.width};
		m->whole &= kinds[k].mends;
		if (kinds[k].code == AR_BYTE_ORDER_MARK)
			shift = 3;
		if (kinds[k].code == AR_TRAILING_COMMENT)
			str_addn(&m->comment, m->text.s + o.at, o.width);
		str_free(&m->text);
		m->text = o.out;
	}
}

static void mended_free(struct mended *m)
{
	str_free(&m->text);
	str_free(&m->comment);
}

static struct mender *mender_of(struct parser *p)
{
	if (!p->mender)
		p->mender = arena_one(p->rs->arena, struct mender);
	return p->mender;
}

/* Of the diagnostics from that one on; 0: none. */
static enum diag_code first_error(const struct diags *ds, size_t from)
{
	for (size_t i = from; i < ds->n; i++) {
		if (ds->list[i].severity == SEV_ERROR)
			return ds->list[i].info->code;
	}
	return 0;
}

/* Would one of them end the load? */
static bool any_stops(const struct diags *ds, size_t from)
{
	bool stops = false;
	for (size_t i = from; i < ds->n; i++)
		stops |= ds->list[i].stops;
	return stops;
}

/* What would be said of the line if its text were this; its error's code, 0 for none. */
static enum diag_code read_again(struct parser *p, const struct line *l, const struct str *text,
				 struct diags *ds)
{
	struct parser *again = &mender_of(p)->again;
	struct ruleset *rs = ruleset_new();
	struct line line = {.at = l->at, .text = str_get(text), .len = text->len};
	parser_init(again, p->env, ds, rs);
	again->ignore = p->ignore;
	if (!line_is_comment(line.text, line.len))
		parse_line(again, &line);
	ruleset_free(rs);
	return first_error(ds, 0);
}

/* Which of those found makes the line fail: the first without which the error is another one. */
static size_t cause(struct parser *p, const struct line *l, const struct mended *m, enum diag_code error)
{
	for (size_t i = 0; m->n > 1 && i < m->n; i++) {
		struct oddity o = {.width = 1};
		struct diags ds = {.arena = arena_new()};
		bool its = kinds[m->list[i].kind].take_out(l->text, l->len, &o) &&
			   read_again(p, l, &o.out, &ds) != error;
		arena_free(ds.arena);
		str_free(&o.out);
		if (its)
			return i;
	}
	return 0;
}

static void drop_from(struct diags *ds, size_t first)
{
	while (ds->n > first)
		ds->errors -= ds->list[--ds->n].severity == SEV_ERROR;
}

static void put_back(struct diags *ds, const struct diag *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		*arena_push(ds->arena, ds->list, ds->n) = list[i];
		ds->errors += list[i].severity == SEV_ERROR;
	}
}

static void add_edit(struct diags *ds, struct diag *d, const struct line *l, const struct mended *m)
{
	if (l->part || !m->whole)
		return;
	struct str text = {0};
	if (m->comment.len)
		str_addf(&text, "%s\n", m->comment.s);
	str_addf(&text, "%s\n", str_get(&m->text));
	diag_edit(ds, d, EDIT_REPLACE, l->at, str_get(&text));
	str_free(&text);
}

static struct place place_in(const struct line *l, size_t at)
{
	struct place place = l->at;
	place.column += (unsigned)at;
	return place;
}

/* The one diagnostic of a file; it stands where a line fails for it, if one does. */
static void tell_return(struct parser *p, const struct line *l, const struct found *f, bool fails, bool stops)
{
	struct mender *m = mender_of(p);
	struct returns *r = NULL;
	for (size_t i = 0; i < m->nreturns && !r; i++) {
		if (strcmp(m->returns[i].file, l->at.file) == 0)
			r = &m->returns[i];
	}
	if (!r) {
		r = arena_push(p->rs->arena, m->returns, m->nreturns);
		*r = (struct returns){.file = l->at.file, .diag = p->diags->n};
		diag_add(p->diags, AR_CARRIAGE_RETURN, place_in(l, f->at), l, (unsigned)f->width, "%s", "");
	}
	r->lines++;
	struct diag *d = &p->diags->list[r->diag];
	if (!fails || d->severity == SEV_ERROR)
		return;
	diag_set_severity(p->diags, d, SEV_ERROR);
	d->at = place_in(l, f->at);
	d->at.file = arena_strdup(p->diags->arena, l->at.file);
	d->line = arena_strndup(p->diags->arena, l->text, l->len);
	d->stops = stops;
}

static void tell(struct parser *p, const struct line *l, const struct mended *m, size_t i, bool fails,
		 bool stops, bool edit)
{
	const struct found *f = &m->list[i];
	if (kinds[f->kind].code == AR_CARRIAGE_RETURN) {
		tell_return(p, l, f, fails, stops);
		return;
	}
	struct diag *d = diag_add(p->diags, kinds[f->kind].code, place_in(l, f->at), l, (unsigned)f->width,
				  "%s", kinds[f->kind].message);
	diag_set_severity(p->diags, d, fails ? SEV_ERROR : SEV_WARNING);
	d->stops = fails && stops;
	if (edit)
		add_edit(p->diags, d, l, m);
}

/* The diagnostics of the line, from first on, give way to what was found and to what is wrong beside it. */
static void retell(struct parser *p, const struct line *l, const struct mended *m, size_t first)
{
	struct diags *ds = p->diags, rest = {.arena = arena_new()};
	size_t had = ds->n - first;
	enum diag_code error = first_error(ds, first), error_then = read_again(p, l, &m->text, &rest);
	bool stops = any_stops(ds, first);
	bool worse = !l->failed && error_then; /* so that it was not meant */
	struct diag *old = arena_array(rest.arena, struct diag, had + 1);
	if (had)
		memcpy(old, ds->list + first, had * sizeof(*old));
	bool fails = l->failed && error_then != error;
	size_t its = fails ? cause(p, l, m, error) : 0;

	drop_from(ds, first);
	for (size_t i = 0; i < m->n; i++)
		tell(p, l, m, i, fails && i == its, stops, !worse);
	if (worse || (l->failed && !fails && error_then == error)) {
		put_back(ds, old, had);
	} else {
		struct diags again = {.arena = ds->arena};
		read_again(p, l, &m->text, &again);
		put_back(ds, again.list, again.n);
		for (size_t i = first; i < ds->n; i++)
			ds->list[i].stops = ds->list[i].severity == SEV_ERROR && stops;
	}
	arena_free(rest.arena);
}

/* ---- too many words, too many bytes -------------------------------------------------------------------- */

/* Spaces behind the line make room for its words: does it fail without them? */
static void tell_dropped(struct parser *p, const struct line *l, size_t first)
{
	struct diags *ds = p->diags;
	struct words *w = &p->words;
	size_t at = w->raw[w->dropped - w->buf], width = strlen(w->dropped);
	int kept = w->argc - 1;
	bool stops = any_stops(ds, first);
	struct str room = {0};
	struct diags then = {.arena = arena_new()};
	str_addn(&room, l->text, l->len);
	for (size_t n = 2 * l->len + 8; n && room.len < BUFFER - 2; n--)
		str_addc(&room, ' ');
	bool fails = l->failed && read_again(p, l, &room, &then) != first_error(ds, first);
	if (fails)
		drop_from(ds, first);
	struct diag *d = diag_add(
	    ds, AR_WORDS_DROPPED, place_in(l, at), l, (unsigned)width,
	    "auditctl keeps %d words of a line of this length and drops this one and all after it",
	    kept);
	if (fails)
		diag_set_severity(ds, d, SEV_ERROR);
	d->stops = fails && stops;
	arena_free(then.arena);
	str_free(&room);
}

static bool is_rest(const struct line *l)
{
	return l->at.column > 1 && l->at.column % (BUFFER - 1) == 1;
}

/* A piece of a line that was too long: told once a line, and what it does is no fault of its text. */
static void tell_rest(struct parser *p, const struct line *l, size_t first)
{
	struct diags *ds = p->diags;
	struct mender *m = mender_of(p);
	bool stops = any_stops(ds, first);
	bool known = m->long_line && m->long_at.line == l->at.line && m->long_at.file == l->at.file;
	if (strspn(l->text, " ") == l->len)
		return;
	if (l->failed)
		drop_from(ds, first);
	if (!known) {
		diag_add(ds, AR_LONG_LINE, l->at, NULL, 1,
			 "the line is longer than %d bytes: auditctl reads the rest as a line of its own",
			 BUFFER - 1);
		m->long_line = ds->n;
		m->long_at = l->at;
	}
	struct diag *d = &ds->list[m->long_line - 1];
	if (!l->failed || d->severity == SEV_ERROR)
		return;
	diag_set_severity(ds, d, SEV_ERROR);
	d->at.column = l->at.column;
	d->stops = stops;
}

/* A line that fails for what another file's first line adds to it is told as that: the diagnostic is there,
 * from the merge. */
static void blame_joined(struct parser *p, const struct line *l, size_t first)
{
	struct diags *ds = p->diags, then = {.arena = arena_new()};
	struct diag *joined = NULL;
	for (size_t i = 0; i < first && !joined; i++) {
		struct diag *d = &ds->list[i];
		if (d->info->code == AR_JOINED && d->at.line == l->at.line &&
		    strcmp(d->at.file, l->at.file) == 0)
			joined = d;
	}
	struct str own = {0};
	str_add(&own, joined ? joined->line : "");
	enum diag_code error = first_error(ds, first);
	if (joined && read_again(p, l, &own, &then) != error) {
		drop_from(ds, first);
		diag_set_severity(ds, joined, SEV_ERROR);
		joined->stops = l->stops;
	}
	str_free(&own);
	arena_free(then.arena);
}

/* ---- what is offered ----------------------------------------------------------------------------------- */

void mend_line(struct parser *p, struct line *l)
{
	size_t first = p->diags->n;
	bool stopped = p->stopped;
	if (!l->comment)
		l->failed = !parse_line(p, l);
	l->stops = p->stopped && !stopped;
	if (is_rest(l)) {
		tell_rest(p, l, first);
		return;
	}
	if (l->failed && l->part)
		blame_joined(p, l, first);
	if (p->diags->n == first && l->failed)
		return;
	if (l->comment && strnlen(l->text, l->len) == l->len)
		return;
	if (!l->comment && p->words.dropped) {
		tell_dropped(p, l, first);
		return;
	}
	struct mended m;
	mend(l, &m);
	if (m.n && !(l->comment && l->text[strspn(l->text, " ")] == '#'))
		retell(p, l, &m, first);
	mended_free(&m);
}

static void mend_returns(struct parser *p, const struct returns *r)
{
	struct diags *ds = p->diags;
	struct diag *d = &ds->list[r->diag];
	d->message =
	    r->lines == 1
		? "a line ends in a carriage return, which becomes part of its last word"
		: arena_printf(ds->arena,
			       "%u lines end in a carriage return, which becomes part of their last word; "
			       "this is the first %s",
			       r->lines, d->severity == SEV_ERROR ? "that fails for it" : "of them");
	for (size_t i = 0; i < p->rs->nlines; i++) {
		const struct line *l = &p->rs->lines[i];
		if (!l->len || l->text[l->len - 1] != '\r' || strcmp(l->at.file, r->file) != 0)
			continue;
		struct mended m;
		mend(l, &m);
		add_edit(ds, d, l, &m);
		mended_free(&m);
	}
}

void mend_finish(struct parser *p)
{
	struct mender *m = p->mender;
	for (size_t i = 0; m && i < m->nreturns; i++)
		mend_returns(p, &m->returns[i]);
}
