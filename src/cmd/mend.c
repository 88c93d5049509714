/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check --fix: the files are copied into a directory of their own, mended and checked there until nothing is
 * left to mend, and only the end is written where it belongs.
 */
#include "cmd/cmd.h"
#include "lint/lint.h"
#include "report/findings.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 50, TEXT_MAX = 64 << 20 };

struct file {
	const char *path, *copy; /* where it is, and in the directory of the work */
	struct str text, old;    /* mended; as it was found when a backup was made */
	const char *backup;
	mode_t mode;
	bool changed;
};

struct words { /* sorted when they are looked for */
	const char **text;
	size_t n, sorted;
};

struct mend {
	const char *path;
	bool dir, input; /* a rules.d directory; standard input */
	bool less;       /* mends that leave less recorded are wanted too */
	struct check_options checks;
	struct arena *arena;
	const char *work;
	int slot;
	struct file *files;
	size_t nfiles, applied;
	struct checked before; /* errors of the text as it came */
	struct words mended;   /* lines that came instead of failing ones */
};

static bool is_stream(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* ---- in --------------------------------------------------------------------------------------------- */

static bool make_work(struct mend *m)
{
	int err;
	m->work = temp_dir(m->arena, "auditopt-fix", &m->slot, &err);
	if (!m->work)
		cmd_trouble("no directory to work in: %s", strerror(-err));
	return m->work;
}

static void remove_work(struct mend *m)
{
	if (!m->work)
		return;
	for (size_t i = 0; i < m->nfiles; i++)
		unlink(m->files[i].copy);
	rmdir(m->work);
	cleanup_forget(m->slot);
}

static bool add_file(struct mend *m, const char *path, const char *name)
{
	struct stat st;
	struct file *f = arena_push(m->arena, m->files, m->nfiles);
	*f = (struct file){.path = path, .copy = path_join(m->arena, m->work, name), .mode = 0640};
	int err = file_read(path, TEXT_MAX, &f->text);
	if (err) {
		cmd_trouble("%s: %s", path, strerror(-err));
		return false;
	}
	if (!m->input && stat(path, &st) == 0)
		f->mode = st.st_mode & 07777;
	err = file_write(f->copy, str_get(&f->text), f->text.len, 0600);
	if (err)
		cmd_trouble("%s: %s", f->copy, strerror(-err));
	return !err;
}

static int rules_file(const struct dirent *e)
{
	return rules_d_name(e->d_name);
}

static bool add_dir(struct mend *m)
{
	struct dirent **names;
	int n = scandir(m->path, &names, rules_file, alphasort);
	bool good = n >= 0;
	if (!good)
		cmd_trouble("%s: %s", m->path, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *name = arena_strdup(m->arena, names[i]->d_name);
		good = good && add_file(m, path_join(m->arena, m->path, name), name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return good;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool copy_in(struct mend *m)
{
	struct stat st;
	m->dir = !m->input && stat(m->path, &st) == 0 && S_ISDIR(st.st_mode);
	if (!make_work(m))
		return false;
	return m->dir ? add_dir(m) : add_file(m, m->path, m->input ? "stdin" : base_name(m->path));
}

/* ---- rounds ----------------------------------------------------------------------------------------- */

static void check_copy(const struct mend *m, const struct check_options *o, struct checked *c)
{
	check_path(m->dir ? m->work : m->files[0].copy, o, c);
}

/* All errors of the copy as it is now, whatever is to be mended. */
static void check_errors(const struct mend *m, struct checked *c)
{
	struct check_options all = m->checks;
	all.filter = NULL;
	all.no_notes = true;
	check_copy(m, &all, c);
	checked_release(c);
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static size_t count_of(struct words *w, const char *text)
{
	if (w->sorted < w->n)
		qsort(w->text, w->n, sizeof(*w->text), by_text);
	w->sorted = w->n;
	const char **at = w->n ? bsearch(&text, w->text, w->n, sizeof(*w->text), by_text) : NULL, **end = at;
	if (!at)
		return 0;
	while (at > w->text && strcmp(at[-1], text) == 0)
		at--;
	while (end < w->text + w->n && strcmp(*end, text) == 0)
		end++;
	return (size_t)(end - at);
}

static const char *place_text(const struct mend *m, struct place at)
{
	return arena_printf(m->arena, "%s:%u", at.file, at.line);
}

/*
 * An error that the text did not have as it came. A line that failed and was mended may fail at something
 * else: that is no worse.
 */
static bool is_new_error(struct mend *m, const struct diag *d)
{
	return d->severity == SEV_ERROR && !(d->line && count_of(&m->mended, d->line));
}

static void add_place_of(const struct mend *m, const struct diag *d, struct words *w)
{
	*arena_push(m->arena, w->text, w->n) = place_text(m, d->at);
}

struct errors {
	struct checked c; /* those that the text did not have as it came */
	struct words all,
	    broken; /* the line of each, and of those that are no better for having been mended */
};

static void find_errors(struct mend *m, struct errors *e)
{
	*e = (struct errors){0};
	check_errors(m, &e->c);
	for (size_t i = 0; i < e->c.ds.n; i++) {
		if (e->c.ds.list[i].severity == SEV_ERROR)
			add_place_of(m, &e->c.ds.list[i], &e->all);
	}
	checked_subtract(&e->c, &m->before);
	for (size_t i = 0; i < e->c.ds.n; i++) {
		if (is_new_error(m, &e->c.ds.list[i]))
			add_place_of(m, &e->c.ds.list[i], &e->broken);
	}
}

/* A line that fails for something it failed for from the start, or was mended to. */
static bool fails_anyway(struct errors *e, const char *place)
{
	return count_of(&e->all, place) > count_of(&e->broken, place);
}

static void add_lines(struct mend *m, const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		*arena_push(m->arena, m->mended.text, m->mended.n) = arena_strndup(m->arena, text, n);
	}
}

/* Remembers what is to come instead of lines that failed from the start. */
static void note_mended(struct mend *m, const struct diags *ds, const bool *chosen)
{
	struct errors now;
	find_errors(m, &now);
	for (size_t i = 0; i < ds->n && now.all.n; i++) {
		for (size_t j = 0; chosen[i] && j < ds->list[i].nedits; j++) {
			const struct edit *e = &ds->list[i].edits[j];
			if (e->text && fails_anyway(&now, place_text(m, e->at)))
				add_lines(m, e->text);
		}
	}
	checked_free(&now.c);
}

/* The first error that the mended text has and the text as it came had not, or NULL. */
static const struct diag *new_error(struct mend *m, struct errors *now)
{
	find_errors(m, now);
	for (size_t i = 0; i < now->c.ds.n; i++) {
		const struct diag *d = &now->c.ds.list[i];
		if (is_new_error(m, d) && !fails_anyway(now, place_text(m, d->at)))
			return d;
	}
	return NULL;
}

static const char *original(const struct mend *m, const char *copy)
{
	for (size_t i = 0; i < m->nfiles; i++) {
		if (strcmp(m->files[i].copy, copy) == 0)
			return m->input ? "<stdin>" : m->files[i].path;
	}
	return copy;
}

static void add_place(const struct mend *m, struct place at, struct str *out)
{
	str_add_shown(out, original(m, at.file));
	if (at.line)
		str_addf(out, ":%u", at.line);
	str_add(out, ": ");
}

static void tell(const struct mend *m, const struct diags *ds, const bool *chosen, unsigned round,
		 struct str *log)
{
	for (size_t i = 0; i < ds->n; i++) {
		const struct diag *d = &ds->list[i];
		if (!chosen[i])
			continue;
		add_place(m, d->at, log);
		str_add(log, "fixed: ");
		str_add_shown(log, d->message);
		str_addf(log, " [AR%03d]%s\n", (int)d->info->code,
			 round && d->at.line ? " (line of the mended text)" : "");
	}
}

static bool apply(struct mend *m, const struct diags *ds, const bool *chosen)
{
	for (size_t i = 0; i < m->nfiles; i++) {
		struct file *f = &m->files[i];
		struct str text = {0};
		edits_apply(ds, chosen, f->copy, str_get(&f->text), f->text.len, &text);
		bool same =
		    text.len == f->text.len && memcmp(str_get(&text), str_get(&f->text), text.len) == 0;
		int err = same ? 0 : file_write(f->copy, str_get(&text), text.len, 0600);
		f->changed = f->changed || !same;
		str_free(&f->text);
		f->text = text;
		if (err) {
			cmd_trouble("%s: %s", f->copy, strerror(-err));
			return false;
		}
	}
	return true;
}

/* Until there is nothing left to mend. False: a message has been printed. */
static bool mend_rounds(struct mend *m, struct checked *last, struct str *log)
{
	for (unsigned round = 0;; round++) {
		check_copy(m, &m->checks, last);
		checked_release(last);
		bool *chosen = arena_array(last->arena, bool, last->ds.n + 1);
		size_t n = round < ROUNDS ? edits_choose(&last->ds, m->less, chosen) : 0;
		if (!n)
			return true;
		tell(m, &last->ds, chosen, round, log);
		note_mended(m, &last->ds, chosen);
		m->applied += n;
		bool good = apply(m, &last->ds, chosen);
		checked_free(last);
		if (!good)
			return false;
	}
}

/* ---- out -------------------------------------------------------------------------------------------- */

static bool write_or_say(const char *path, const struct str *text, mode_t mode)
{
	int err = file_write(path, str_get(text), text->len, mode);
	if (err)
		cmd_trouble("%s: %s", path, strerror(-err));
	return !err;
}

static const char *shown(const struct mend *m, const char *path)
{
	struct str b = {0};
	str_add_shown(&b, path);
	const char *text = arena_strdup(m->arena, str_get(&b));
	str_free(&b);
	return text;
}

/* FILE.bak, or the first of FILE.bak.1 ... that is free. */
static const char *backup_name(const char *path, struct arena *a)
{
	const char *name = arena_printf(a, "%s.bak", path);
	for (unsigned i = 1; access(name, F_OK) == 0; i++)
		name = arena_printf(a, "%s.bak.%u", path, i);
	return name;
}

/* Each changed file's backup, as it was found; false: a message has been printed, and no file has changed. */
static bool write_backups(struct mend *m)
{
	for (size_t i = 0; i < m->nfiles; i++) {
		struct file *f = &m->files[i];
		if (!f->changed)
			continue;
		int err = file_read(f->path, TEXT_MAX, &f->old);
		f->backup = backup_name(f->path, m->arena);
		if (err)
			cmd_trouble("%s: %s", f->path, strerror(-err));
		if (err || !write_or_say(f->backup, &f->old, f->mode))
			return false;
	}
	return true;
}

/* All files of a set, or none: half a mended directory is a set that nobody wrote. */
static bool write_in_place(struct mend *m)
{
	size_t i = 0;
	bool good = write_backups(m);
	for (; good && i < m->nfiles; i++)
		good = !m->files[i].changed || write_or_say(m->files[i].path, &m->files[i].text, m->files[i].mode);
	for (size_t j = 0; !good && j + 1 < i; j++) {
		if (m->files[j].changed)
			write_or_say(m->files[j].path, &m->files[j].old, m->files[j].mode);
	}
	for (size_t j = 0; good && j < m->nfiles; j++) {
		if (m->files[j].changed)
			printf("%s: mended, as it was in %s\n", shown(m, m->files[j].path), shown(m, m->files[j].backup));
	}
	return good;
}

/* A copy that is not whole is none. */
static void remove_dir(const struct mend *m, const char *out, size_t written)
{
	for (size_t i = 0; i < written; i++)
		unlink(path_join(m->arena, out, base_name(m->files[i].path)));
	rmdir(out);
}

static bool write_dir(struct mend *m, const char *out)
{
	if (mkdir(out, 0750) < 0) {
		cmd_trouble("%s: %s", out, strerror(errno));
		return false;
	}
	for (size_t i = 0; i < m->nfiles; i++) {
		const struct file *f = &m->files[i];
		if (!write_or_say(path_join(m->arena, out, base_name(f->path)), &f->text, f->mode)) {
			remove_dir(m, out, i);
			return false;
		}
	}
	printf("%s: the mended copy\n", shown(m, out));
	return true;
}

static const char *without_slashes(const char *path, struct arena *a)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	return arena_strndup(a, path, n);
}

/* The name of a copy that nobody gave must be free: what is there may be somebody's work. */
static bool write_copy(struct mend *m, const char *out)
{
	if (is_stream(out)) {
		fwrite(str_get(&m->files[0].text), 1, m->files[0].text.len, stdout);
		return true;
	}
	const char *name = out ? out : arena_printf(m->arena, "%s.fixed", without_slashes(m->path, m->arena));
	if (!out && access(name, F_OK) == 0) {
		cmd_trouble("%s is there already: name another copy with -o", name);
		return false;
	}
	if (m->dir)
		return write_dir(m, name);
	struct stat in, to;
	if (!m->input && stat(m->path, &in) == 0 && stat(name, &to) == 0 && in.st_dev == to.st_dev && in.st_ino == to.st_ino) {
		cmd_trouble("%s is the file itself: --in-place mends it and keeps a backup", name);
		return false;
	}
	if (!write_or_say(name, &m->files[0].text, m->files[0].mode))
		return false;
	printf("%s: the mended copy\n", shown(m, name));
	return true;
}

static void add_left(const struct checked *c, struct str *out)
{
	for (enum severity s = SEV_ERROR; s <= SEV_NOTE; s++)
		str_addf(out, "%s %zu %s%s", s == SEV_ERROR ? "" : ",", c->count[s], severity_name(s),
			 c->count[s] == 1 ? "" : "s");
}

/* A stream is written in any case: who reads it expects the text, mended or not. */
static int finish(struct mend *m, const struct checked *last, struct str *log, const char *out, bool in_place)
{
	FILE *talk = is_stream(out) ? stderr : stdout; /* the other carries the text */
	bool write = m->applied || is_stream(out);
	if (!m->applied)
		str_add(log, "nothing that could be fixed\n");
	fputs(str_get(log), talk);
	if (write && !(in_place ? write_in_place(m) : write_copy(m, out)))
		return EXIT_TROUBLE;
	str_reset(log);
	str_addf(log, "%zu fixed; left:", m->applied);
	add_left(last, log);
	fprintf(talk, "%s\n", str_get(log));
	return last->count[SEV_ERROR] ? EXIT_TROUBLE : last->count[SEV_WARNING] ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int refuse(const struct mend *m, const struct diag *d)
{
	struct str place = {0};
	add_place(m, d->at, &place);
	str_add_shown(&place, d->message);
	int status = cmd_trouble("the mended text would have a new error, nothing is written: %s [AR%03d]",
				 str_get(&place), (int)d->info->code);
	str_free(&place);
	return status;
}

static int mend(struct mend *m, const char *out, bool in_place)
{
	struct checked last = {0};
	struct errors after;
	struct str log = {0};
	if (!copy_in(m))
		return EXIT_TROUBLE;
	if (m->dir && is_stream(out))
		return cmd_usage_error("check",
				       "a directory does not go to standard output: expected another -o");
	if (!m->nfiles)
		return cmd_trouble("%s: no rules files", m->path);
	int status = EXIT_TROUBLE;
	check_errors(m, &m->before);
	if (mend_rounds(m, &last, &log)) {
		const struct diag *worse = new_error(m, &after);
		status = worse ? refuse(m, worse) : finish(m, &last, &log, out, in_place);
		checked_free(&after.c);
		checked_free(&last);
	}
	checked_free(&m->before);
	str_free(&log);
	return status;
}

int cmd_mend(const char *path, const struct check_options *o, const char *out, bool in_place, bool less)
{
	struct mend m = {.path = path, .checks = *o, .arena = arena_new(), .slot = -1, .less = less};
	m.input = is_stream(path);
	int status = EXIT_TROUBLE;
	if (in_place && m.input)
		status = cmd_usage_error("check", "standard input has no place to be mended in");
	else
		status = mend(&m, out || !m.input ? out : "-", in_place);
	remove_work(&m);
	for (size_t i = 0; i < m.nfiles; i++) {
		str_free(&m.files[i].text);
		str_free(&m.files[i].old);
	}
	arena_free(m.arena);
	return status;
}
