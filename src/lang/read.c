/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts, files and rules.d directories to lines. */
#include "lang/parse.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_MAX = 64 << 20 };

struct ruleset *ruleset_new(void)
{
	struct arena *a = arena_new();
	struct ruleset *rs = arena_one(a, struct ruleset);
	rs->arena = a;
	return rs;
}

void ruleset_free(struct ruleset *rs)
{
	if (rs)
		arena_free(rs->arena);
}

/* ---- lines --------------------------------------------------------------------------------------- */

static bool is_comment(const char *text, size_t len)
{
	size_t i = 0;
	while (i < len && text[i] == ' ')
		i++;
	return i == len || text[i] == '#' || text[i] == '\0';
}

static struct line *add_line(struct ruleset *rs, struct place at, const char *text, size_t len, bool comment)
{
	struct line *l = arena_push(rs->arena, rs->lines, rs->nlines);
	*l = (struct line){
	    .at = at, .text = arena_strndup(rs->arena, text, len), .len = len, .comment = comment};
	return l;
}

/*
 * fgets semantics: one read takes at most BUFFER - 1 bytes, the newline included; what is left over of a
 * longer line is the next read (auditctl.c, get_line).
 */
void lines_cut(struct ruleset *rs, struct place at, const char *text, size_t len)
{
	while (len) {
		size_t room = len < BUFFER - 1 ? len : BUFFER - 1;
		const char *nl = memchr(text, '\n', room);
		size_t n = nl ? (size_t)(nl - text) : room;
		struct line *l = add_line(rs, at, text, n, is_comment(text, n));
		l->whole = at.column == 1 && (nl || n == len) && !memchr(text, '\0', n);
		at.column += (unsigned)n;
		if (nl) {
			n++;
			at.line++;
			at.column = 1;
		}
		text += n;
		len -= n;
	}
}

static void warn_cut(struct parser *p, const struct line *l)
{
	if (l->at.column > 1 && l->len && l->at.column % (BUFFER - 1) == 1)
		diag_add(p->diags, AR_LONG_LINE, l->at, NULL, 1,
			 "the line is longer than %d bytes: auditctl reads the rest as a line of its own",
			 BUFFER - 1);
}

void parse_lines(struct parser *p)
{
	struct ruleset *rs = p->rs;
	for (size_t i = 0; i < rs->nlines; i++) {
		warn_cut(p, &rs->lines[i]);
		check_text(p, &rs->lines[i]);
		if (!rs->lines[i].comment)
			parse_line(p, &rs->lines[i]);
	}
}

static void parse_all(struct ruleset *rs, const struct lang_env *env, struct diags *diags)
{
	struct parser *p = arena_one(rs->arena, struct parser);
	parser_init(p, env, diags, rs);
	parse_lines(p);
}

struct ruleset *rules_parse(const char *file, const char *text, size_t len, const struct lang_env *env,
			    struct diags *diags)
{
	struct ruleset *rs = ruleset_new();
	struct place start = {.file = arena_strdup(rs->arena, file), .line = 1, .column = 1};
	lines_cut(rs, start, text, len);
	parse_all(rs, env, diags);
	return rs;
}

struct ruleset *rules_again(const struct ruleset *rs, const struct lang_env *env, struct diags *diags)
{
	struct ruleset *again = ruleset_new();
	again->nlines = rs->nlines;
	again->lines = arena_array(again->arena, struct line, rs->nlines + 1);
	if (rs->nlines)
		memcpy(again->lines, rs->lines, rs->nlines * sizeof(*rs->lines));
	parse_all(again, env, diags);
	return again;
}

/* ---- files --------------------------------------------------------------------------------------- */

static void cannot_read(struct diags *diags, const char *path, int err)
{
	struct place at = {.file = path};
	if (err == -EFBIG)
		diag_add(diags, AR_FILE, at, NULL, 1, "the file has more than 64 MiB");
	else
		diag_add(diags, AR_FILE, at, NULL, 1, "cannot read: %s", strerror(-err));
	diags->list[diags->n - 1].stops = true;
}

static struct ruleset *read_file(const char *path, const struct lang_env *env, struct diags *diags)
{
	struct str text = {0};
	int err = file_read(path, TEXT_MAX, &text);
	struct ruleset *rs = NULL;
	if (err < 0)
		cannot_read(diags, strcmp(path, "-") == 0 ? "<stdin>" : path, err);
	else
		rs = rules_parse(strcmp(path, "-") == 0 ? "<stdin>" : path, str_get(&text), text.len, env,
				 diags);
	str_free(&text);
	return rs;
}

/* ---- directories: augenrules --------------------------------------------------------------------- */

/*
 * The order of ls -v (coreutils, gnulib's filevercmp): file endings set aside first, then runs of digits by
 * value and the rest by character, where ~ sorts before the end, letters before other characters.
 */
static size_t without_endings(const char *s)
{
	size_t n = strlen(s), keep = n;
	for (size_t i = n; i > 0; i--) {
		unsigned char c = (unsigned char)s[i - 1];
		if (isalnum(c) || c == '~')
			continue;
		unsigned char next = i < n ? (unsigned char)s[i] : 0;
		if (c != '.' || i == 1 || !(isalpha(next) || next == '~'))
			break;
		keep = i - 1;
		n = keep;
	}
	return keep;
}

static int rank(const char *s, size_t i, size_t n)
{
	if (i >= n)
		return -1;
	unsigned char c = (unsigned char)s[i];
	if (isdigit(c))
		return 0;
	if (isalpha(c))
		return c;
	return c == '~' ? -2 : c + 256;
}

static int compare_natural(const char *a, size_t na, const char *b, size_t nb)
{
	size_t i = 0, j = 0;
	while (i < na || j < nb) {
		while ((i < na && !isdigit((unsigned char)a[i])) ||
		       (j < nb && !isdigit((unsigned char)b[j]))) {
			int x = rank(a, i, na), y = rank(b, j, nb);
			if (x != y)
				return x - y;
			i++;
			j++;
		}
		while (i < na && a[i] == '0')
			i++;
		while (j < nb && b[j] == '0')
			j++;
		int first = 0;
		while (i < na && j < nb && isdigit((unsigned char)a[i]) && isdigit((unsigned char)b[j])) {
			if (!first)
				first = a[i] - b[j];
			i++;
			j++;
		}
		if (i < na && isdigit((unsigned char)a[i]))
			return 1;
		if (j < nb && isdigit((unsigned char)b[j]))
			return -1;
		if (first)
			return first;
	}
	return 0;
}

static int by_version(const void *x, const void *y)
{
	const char *a = *(const char *const *)x, *b = *(const char *const *)y;
	size_t na = without_endings(a), nb = without_endings(b);
	int c = 0;
	if (na != nb || memcmp(a, b, na) != 0)
		c = compare_natural(a, na, b, nb);
	if (!c)
		c = compare_natural(a, strlen(a), b, strlen(b));
	return c ? c : strcmp(a, b);
}

bool rules_d_name(const char *name)
{
	size_t n = strlen(name);
	return name[0] != '.' && n >= 6 && strcmp(name + n - 6, ".rules") == 0;
}

/* Names of the directory in load order; false after an error. */
static bool list_dir(const char *path, struct arena *a, const char ***names, size_t *n, struct diags *diags)
{
	DIR *d = opendir(path);
	if (!d) {
		cannot_read(diags, path, -errno);
		return false;
	}
	*names = NULL;
	*n = 0;
	for (struct dirent *e; (e = readdir(d));) {
		if (rules_d_name(e->d_name))
			*arena_push(a, *names, *n) = arena_strdup(a, e->d_name);
	}
	closedir(d);
	if (*n)
		qsort(*names, *n, sizeof(**names), by_version);
	return true;
}

struct record { /* one line of the merged text */
	struct place at;
	const char *text;
	size_t len;
	bool joined; /* of two files */
};

struct merge {
	struct arena *arena;
	struct record *list;
	size_t n;
	size_t total; /* bytes read */
	bool open;    /* the last record has no newline yet */
};

static struct diag *record_diag(enum diag_code code, const struct record *r, struct diags *diags, const char *message)
{
	struct line line = {.at = r->at, .text = r->text, .len = r->len};
	return diag_add(diags, code, r->at, &line, r->len ? (unsigned)r->len : 1, "%s", message);
}

static void warn_joined(struct merge *m, const struct record *last, const char *next, struct diags *diags)
{
	struct diag *d =
	    record_diag(AR_JOINED, last, diags,
			arena_printf(m->arena, "the file has no final newline: augenrules joins this line and the first line of %s", next));
	diag_relate(diags, d, (struct place){.file = next, .line = 1, .column = 1}, "joined to it");
	if (!last->joined && !memchr(last->text, '\0', last->len))
		diag_edit(diags, d, EDIT_REPLACE, last->at, arena_printf(m->arena, "%s\n", last->text));
}

static void merge_text(struct merge *m, const char *file, const char *text, size_t len, struct diags *diags)
{
	struct place at = {.file = file, .line = 1, .column = 1};
	while (len) {
		const char *nl = memchr(text, '\n', len);
		size_t n = nl ? (size_t)(nl - text) : len;
		if (m->open) { /* the file before had no final newline: cat joins the two lines */
			struct record *last = &m->list[m->n - 1];
			if (n)
				warn_joined(m, last, file, diags);
			struct str joined = {0};
			str_addn(&joined, last->text, last->len);
			str_addn(&joined, text, n);
			last->text = arena_strndup(m->arena, joined.s, joined.len);
			last->len = joined.len;
			last->joined = true;
			str_free(&joined);
		} else {
			struct record *r = arena_push(m->arena, m->list, m->n);
			*r = (struct record){.at = at, .text = arena_strndup(m->arena, text, n), .len = n};
		}
		m->open = !nl;
		at.line++;
		n += nl ? 1 : 0;
		text += n;
		len -= n;
	}
}

static bool merge_file(struct merge *m, const char *dir, const char *name, struct diags *diags)
{
	const char *path = path_join(m->arena, dir, name);
	struct str text = {0};
	int err = file_read(path, TEXT_MAX - m->total, &text);
	if (err < 0)
		cannot_read(diags, path, err);
	else
		merge_text(m, path, str_get(&text), text.len, diags);
	m->total += text.len;
	str_free(&text);
	return err >= 0;
}

/* What augenrules does with a record: its awk program, \s taken as gawk takes it. In the order they are
 * loaded. */
enum fate { DELETE_ALL, BACKLOG, FAILURE, STAYS, ENABLE, FATES, DROPPED = FATES };

static enum fate fate_of(const struct record *r)
{
	size_t i = 0, end = r->len;
	while (i < end && isspace((unsigned char)r->text[i]))
		i++;
	if (r->len == 0 || (i < end && r->text[i] == '#'))
		return DROPPED;
	if (end - i < 2 || r->text[i] != '-')
		return STAYS;
	switch (r->text[i + 1]) {
	case 'e':
		return ENABLE;
	case 'f':
		return FAILURE;
	case 'b':
		return BACKLOG;
	case 'D':
		for (i += 2; i < end && isspace((unsigned char)r->text[i]); i++)
			;
		return i == end ? DELETE_ALL : STAYS;
	default:
		return STAYS;
	}
}

static void warn_superseded(struct merge *m, const struct record *r, const struct record *last, struct diags *diags)
{
	struct diag *d = record_diag(AR_SUPERSEDED, r, diags,
				     arena_printf(m->arena, "augenrules drops this line: only the last one of its kind is kept, %s:%u",
						  last->at.file, last->at.line));
	diag_relate(diags, d, last->at, "the one that is kept");
	if (!r->joined)
		diag_edit(diags, d, EDIT_DELETE, r->at, NULL);
}

/* \\s of the patterns is a space to gawk and the letter s to mawk 1.3.4. */
static void warn_indented(struct merge *m, const struct record *r, struct diags *diags)
{
	size_t from = 0, end = r->len;
	while (from < end && isspace((unsigned char)r->text[from]))
		from++;
	while (end > from && isspace((unsigned char)r->text[end - 1]))
		end--;
	bool deletes = end - from == 2 && r->text[from + 1] == 'D';
	if (from == 0 && !(deletes && end < r->len))
		return;
	struct diag *d = record_diag(AR_STALE_INDENT, r, diags,
				     "with mawk augenrules leaves this line where it is: there must be no space around the option");
	if (!r->joined)
		diag_edit(diags, d, EDIT_REPLACE, r->at, arena_printf(m->arena, "%.*s\n", (int)(end - from), r->text + from));
}

static void cut_record(struct ruleset *rs, const struct record *r)
{
	size_t had = rs->nlines;
	lines_cut(rs, r->at, r->text, r->len);
	for (size_t i = had; r->joined && i < rs->nlines; i++)
		rs->lines[i].whole = false;
}

static void merged_lines(struct merge *m, struct ruleset *rs, struct diags *diags)
{
	const struct record *last[FATES] = {0};
	for (size_t i = 0; i < m->n; i++) {
		enum fate f = fate_of(&m->list[i]);
		if (f != DROPPED)
			last[f] = &m->list[i];
		if (f != DROPPED && f != STAYS)
			warn_indented(m, &m->list[i], diags);
	}
	for (enum fate f = 0; f < FATES; f++) {
		for (size_t i = 0; f == STAYS && i < m->n; i++) {
			const struct record *r = &m->list[i];
			enum fate its = fate_of(r);
			if (its == STAYS)
				cut_record(rs, r);
			else if (its == DROPPED) /* kept for who writes the set back; behind a tab gawk still
						    drops it */
				add_line(rs, r->at, r->text, r->len, true);
			else if (r != last[its])
				warn_superseded(m, r, last[its], diags);
		}
		if (f != STAYS && last[f])
			cut_record(rs, last[f]);
	}
}

static struct ruleset *read_dir(const char *path, const struct lang_env *env, struct diags *diags)
{
	struct ruleset *rs = ruleset_new();
	struct merge m = {.arena = rs->arena};
	const char **names;
	size_t n;
	bool ok = list_dir(path, rs->arena, &names, &n, diags);
	for (size_t i = 0; ok && i < n; i++)
		ok = merge_file(&m, path, names[i], diags);
	if (!ok) {
		ruleset_free(rs);
		return NULL;
	}
	merged_lines(&m, rs, diags);
	parse_all(rs, env, diags);
	return rs;
}

struct ruleset *rules_read(const char *path, const struct lang_env *env, struct diags *diags)
{
	struct stat st;
	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return read_dir(path, env, diags);
	return read_file(path, env, diags);
}
