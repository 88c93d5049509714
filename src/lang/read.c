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

bool line_is_comment(const char *text, size_t len)
{
	size_t i = 0;
	while (i < len && text[i] == ' ')
		i++;
	return i == len || text[i] == '#' || text[i] == '\0';
}

static void add_line(struct ruleset *rs, struct place at, const char *text, size_t len, bool comment)
{
	struct line *l = arena_push(rs->arena, rs->lines, rs->nlines);
	*l = (struct line){
	    .at = at, .text = arena_strndup(rs->arena, text, len), .len = len, .comment = comment};
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
		add_line(rs, at, text, n, line_is_comment(text, n));
		rs->lines[rs->nlines - 1].part = at.column > 1 || (!nl && n < len) || memchr(text, '\0', n);
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

void parse_lines(struct parser *p)
{
	for (size_t i = 0; i < p->rs->nlines; i++)
		mend_line(p, &p->rs->lines[i]);
	mend_finish(p);
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
	size_t own;         /* bytes of its own file; the rest is another one's first line */
	const char *joined; /* that file, or NULL */
};

struct merge {
	struct arena *arena;
	struct record *list;
	size_t n;
	size_t total;     /* bytes read */
	bool open;        /* the last record has no newline yet */
	bool trims;       /* augenrules drops a carriage return at a line's end */
	bool parts_names; /* ... and takes a name with spaces as several */
};

/* The file before had no final newline: cat joins the two lines. */
static void join(struct merge *m, const char *file, const char *text, size_t n)
{
	struct record *last = &m->list[m->n - 1];
	struct str joined = {0};
	str_addn(&joined, last->text, last->len);
	str_addn(&joined, text, n);
	last->text = arena_strndup(m->arena, joined.s, joined.len);
	last->len = joined.len;
	if (n && !last->joined)
		last->joined = file;
	str_free(&joined);
}

static void merge_text(struct merge *m, const char *file, const char *text, size_t len)
{
	struct place at = {.file = file, .line = 1, .column = 1};
	while (len) {
		const char *nl = memchr(text, '\n', len);
		size_t n = nl ? (size_t)(nl - text) : len;
		if (m->open)
			join(m, file, text, n);
		else
			*arena_push(m->arena, m->list, m->n) = (struct record){
			    .at = at, .text = arena_strndup(m->arena, text, n), .len = n, .own = n};
		m->open = !nl;
		at.line++;
		n += nl ? 1 : 0;
		text += n;
		len -= n;
	}
}

static void trim_returns(struct merge *m)
{
	for (size_t i = 0; m->trims && i < m->n; i++) {
		struct record *r = &m->list[i];
		if (r->len && r->text[r->len - 1] == '\r')
			r->len--;
	}
}

/* What cat cannot read it complains of, and goes on. */
static bool cat_goes_on(int err)
{
	return err == -EISDIR || err == -ENOENT || err == -ENOTDIR || err == -ELOOP;
}

static bool merge_file(struct merge *m, const char *dir, const char *name, struct diags *diags)
{
	const char *path = path_join(m->arena, dir, name);
	struct str text = {0};
	int err = file_read(path, TEXT_MAX - m->total, &text);
	if (err < 0)
		cannot_read(diags, path, err);
	else
		merge_text(m, path, str_get(&text), text.len);
	if (cat_goes_on(err))
		diags->list[diags->n - 1].stops = false;
	m->total += text.len;
	str_free(&text);
	return err >= 0 || cat_goes_on(err);
}

/* The shell cuts a name at spaces: its pieces are read, where there are such files. */
static bool merge_parted(struct merge *m, const char *dir, const char *name, struct diags *diags)
{
	struct place at = {.file = path_join(m->arena, dir, name)};
	struct diag *d =
	    diag_add(diags, AR_FILE, at, NULL, 1,
		     "augenrules does not read this file: it takes a name with spaces as several names");
	diag_set_severity(diags, d, SEV_WARNING); /* all else is loaded */
	char *copy = arena_strdup(m->arena, name), *save = NULL;
	for (char *piece = strtok_r(copy, " \t\n", &save); piece; piece = strtok_r(NULL, " \t\n", &save)) {
		struct stat st;
		if (stat(path_join(m->arena, dir, piece), &st) == 0 && !merge_file(m, dir, piece, diags))
			return false;
	}
	return true;
}

static bool merge_name(struct merge *m, const char *dir, const char *name, struct diags *diags)
{
	return m->parts_names && strpbrk(name, " \t\n") ? merge_parted(m, dir, name, diags)
							: merge_file(m, dir, name, diags);
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

static struct diag *tell_of(struct diags *diags, enum diag_code code, const struct record *r,
			    const char *message)
{
	struct line l = {.at = r->at, .text = r->text, .len = r->own};
	return diag_add(diags, code, r->at, &l, (unsigned)r->own, "%s", message);
}

/* The line as it should be, or NULL to leave it out. */
static void replace(struct diags *diags, struct diag *d, const struct record *r, const char *text, size_t len)
{
	struct str line = {0};
	str_addn(&line, text ? text : "", len);
	str_addc(&line, '\n');
	diag_edit(diags, d, text ? EDIT_REPLACE : EDIT_DELETE, r->at, text ? line.s : NULL);
	str_free(&line);
}

/* The name alone: all are of one directory. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_note(const char *text, size_t len)
{
	size_t i = 0;
	while (i < len && isspace((unsigned char)text[i]))
		i++;
	return i == len || text[i] == '#';
}

static void warn_joined(const struct merge *m, const struct record *r, struct diags *diags)
{
	if (!r->joined || !r->own || (is_note(r->text, r->own) && is_note(r->text + r->own, r->len - r->own)))
		return;
	struct diag *d = tell_of(
	    diags, AR_JOINED, r,
	    arena_printf(m->arena,
			 "the file has no final newline: augenrules joins this line and the first line of %s",
			 name_of(r->joined)));
	replace(diags, d, r, r->text, r->own);
}

static void warn_superseded(const struct merge *m, const struct record *r, const struct record *last,
			    struct diags *diags)
{
	struct diag *d = tell_of(
	    diags, AR_SUPERSEDED, r,
	    arena_printf(m->arena, "augenrules drops this line: only the last one of its kind is kept, %s:%u",
			 name_of(last->at.file), last->at.line));
	diag_relate(diags, d, last->at, "the line that is kept");
	const char *space = memchr(r->text, ' ', r->len);
	if (!r->joined && (!space || !memchr(space + 1, ' ', (size_t)(r->text + r->len - space - 1))))
		replace(diags, d, r, NULL, 0);
}

/* How often each kind of line is there, and where rules begin and end. */
struct census {
	size_t of[FATES], first_rule, last_rule;
};

static void take_census(const struct merge *m, struct census *c)
{
	*c = (struct census){.first_rule = SIZE_MAX};
	for (size_t i = 0; i < m->n; i++) {
		enum fate f = fate_of(&m->list[i]);
		if (f == DROPPED || line_is_comment(m->list[i].text, m->list[i].len))
			continue;
		c->of[f]++;
		if (f != STAYS)
			continue;
		c->last_rule = i;
		if (c->first_rule == SIZE_MAX)
			c->first_rule = i;
	}
}

/* Does the place of a setting matter that an awk without \s leaves where it is? */
static bool place_matters(const struct census *c, size_t at, enum fate f)
{
	return c->of[f] > 1 || (f == DELETE_ALL && c->first_rule < at) ||
	       (f == ENABLE && c->of[STAYS] && c->last_rule > at);
}

/*
 * mawk reads \s as the letter s: it neither knows an indented comment or setting nor a -D with spaces behind
 * it. What stays there is harmless for a comment behind spaces, which auditctl skips itself.
 */
static void warn_stale(const struct merge *m, const struct census *c, size_t at, struct diags *diags)
{
	const struct record *r = &m->list[at];
	enum fate f = fate_of(r);
	size_t from = 0, to = r->len;
	while (from < to && isspace((unsigned char)r->text[from]))
		from++;
	while (to > from && f == DELETE_ALL && isspace((unsigned char)r->text[to - 1]))
		to--;
	if (f == STAYS || (!from && to == r->len) || line_is_comment(r->text, r->len))
		return;
	if (f != DROPPED && !place_matters(c, at, f))
		return;
	struct diag *d = tell_of(diags, AR_STALE_INDENT, r,
				 f == DROPPED ? "an indented comment: with mawk as awk, augenrules leaves it "
						"in, and behind a tab auditctl fails on it"
					      : "spaces around the option: with mawk as awk, augenrules does "
						"not know the line and leaves it where it is");
	if (!r->joined)
		replace(diags, d, r, r->text + from, to - from);
}

static void add_record(struct ruleset *rs, const struct record *r)
{
	size_t first = rs->nlines;
	lines_cut(rs, r->at, r->text, r->len);
	for (size_t i = first; r->joined && i < rs->nlines; i++)
		rs->lines[i].part = true;
}

static void warn_merged(const struct merge *m, const struct record *const *last, struct diags *diags)
{
	struct census c;
	take_census(m, &c);
	for (size_t i = 0; i < m->n; i++) {
		const struct record *r = &m->list[i];
		enum fate f = fate_of(r);
		warn_joined(m, r, diags);
		warn_stale(m, &c, i, diags);
		if (f != STAYS && f != DROPPED && r != last[f])
			warn_superseded(m, r, last[f], diags);
	}
}

static void merged_lines(struct merge *m, struct ruleset *rs, struct diags *diags)
{
	const struct record *last[FATES] = {0};
	for (size_t i = 0; i < m->n; i++) {
		enum fate f = fate_of(&m->list[i]);
		if (f != DROPPED)
			last[f] = &m->list[i];
	}
	warn_merged(m, last, diags);
	for (enum fate f = 0; f < FATES; f++) {
		for (size_t i = 0; f == STAYS && i < m->n; i++) {
			const struct record *r = &m->list[i];
			enum fate its = fate_of(r);
			if (its == STAYS)
				add_record(rs, r);
			else if (its == DROPPED) /* kept for who writes the set back; behind a tab gawk still
						    drops it */
				add_line(rs, r->at, r->text, r->len, true);
		}
		if (f != STAYS && last[f])
			add_record(rs, last[f]);
	}
}

static struct ruleset *read_dir(const char *path, const struct lang_env *env, struct diags *diags)
{
	struct ruleset *rs = ruleset_new();
	int release = env->auditctl ? env->auditctl : AUDITCTL_DEFAULT;
	struct merge m = {.arena = rs->arena,
			  .trims = release_has(release, T_TRIMS_RETURN),
			  .parts_names = release_has(release, T_PARTS_NAMES)};
	const char **names;
	size_t n;
	bool ok = list_dir(path, rs->arena, &names, &n, diags);
	if (ok && !n)
		diag_add(diags, AR_NO_FILES, (struct place){.file = path}, NULL, 1,
			 "the directory has no file whose name ends in .rules");
	for (size_t i = 0; ok && i < n; i++)
		ok = merge_name(&m, path, names[i], diags);
	if (!ok) {
		ruleset_free(rs);
		return NULL;
	}
	trim_returns(&m);
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
