/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check --fix: the files are copied into a directory of their own, mended and checked there until nothing is
 * left to mend, and only the end is written where it belongs.
 */
#include "cmd/cmd.h"
#include "lint/lint.h"

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
	struct str text;
	mode_t mode;
	bool changed;
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
};

/* ---- in --------------------------------------------------------------------------------------------------
 */

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
	m->input = strcmp(m->path, "-") == 0;
	m->dir = !m->input && stat(m->path, &st) == 0 && S_ISDIR(st.st_mode);
	if (!make_work(m))
		return false;
	return m->dir ? add_dir(m) : add_file(m, m->path, m->input ? "stdin" : base_name(m->path));
}

/* ---- rounds
 * ------------------------------------------------------------------------------------------------ */

static void check_copy(const struct mend *m, const struct check_options *o, struct checked *c)
{
	check_path(m->dir ? m->work : m->files[0].copy, o, c);
}

static size_t errors_of(const struct mend *m)
{
	struct check_options all = m->checks;
	struct checked c;
	all.filter = NULL;
	check_copy(m, &all, &c);
	size_t n = c.count[SEV_ERROR];
	checked_free(&c);
	return n;
}

static const char *original(const struct mend *m, const char *copy)
{
	for (size_t i = 0; i < m->nfiles; i++) {
		if (strcmp(m->files[i].copy, copy) == 0)
			return m->input ? "<stdin>" : m->files[i].path;
	}
	return copy;
}

static void tell(const struct mend *m, const struct diags *ds, const bool *chosen, unsigned round,
		 struct str *log)
{
	for (size_t i = 0; i < ds->n; i++) {
		const struct diag *d = &ds->list[i];
		if (!chosen[i])
			continue;
		str_add_shown(log, original(m, d->at.file));
		str_addf(log, ":%u: fixed: ", d->at.line);
		str_add_shown(log, d->message);
		str_addf(log, " [AR%03d]%s\n", (int)d->info->code, round ? " (line of the mended text)" : "");
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
		bool *chosen = arena_array(last->arena, bool, last->ds.n + 1);
		size_t n = round < ROUNDS ? edits_choose(&last->ds, m->less, chosen) : 0;
		if (!n)
			return true;
		tell(m, &last->ds, chosen, round, log);
		m->applied += n;
		bool good = apply(m, &last->ds, chosen);
		checked_free(last);
		if (!good)
			return false;
	}
}

/* ---- out
 * --------------------------------------------------------------------------------------------------- */

static bool write_or_say(const char *path, const struct str *text, mode_t mode)
{
	int err = file_write(path, str_get(text), text->len, mode);
	if (err)
		cmd_trouble("%s: %s", path, strerror(-err));
	return !err;
}

/* FILE.bak, or the first of FILE.bak.1 ... that is free. */
static const char *backup_name(const char *path, struct arena *a)
{
	const char *name = arena_printf(a, "%s.bak", path);
	for (unsigned i = 1; access(name, F_OK) == 0; i++)
		name = arena_printf(a, "%s.bak.%u", path, i);
	return name;
}

static bool write_in_place(struct mend *m)
{
	for (size_t i = 0; i < m->nfiles; i++) {
		struct file *f = &m->files[i];
		struct str old = {0};
		if (!f->changed)
			continue;
		int err = file_read(f->path, TEXT_MAX, &old);
		const char *backup = backup_name(f->path, m->arena);
		bool good =
		    !err && write_or_say(backup, &old, f->mode) && write_or_say(f->path, &f->text, f->mode);
		str_free(&old);
		if (err)
			cmd_trouble("%s: %s", f->path, strerror(-err));
		if (!good)
			return false;
		printf("%s: mended, as it was in %s\n", f->path, backup);
	}
	return true;
}

static bool write_dir(struct mend *m, const char *out)
{
	if (mkdir(out, 0750) < 0) {
		cmd_trouble("%s: %s", out, strerror(errno));
		return false;
	}
	for (size_t i = 0; i < m->nfiles; i++) {
		if (!write_or_say(path_join(m->arena, out, base_name(m->files[i].path)), &m->files[i].text,
				  m->files[i].mode))
			return false;
	}
	printf("%s: the mended copy\n", out);
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
	if (!out && m->input)
		out = "-";
	if (out && strcmp(out, "-") == 0 && !m->dir) {
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
	if (!write_or_say(name, &m->files[0].text, m->files[0].mode))
		return false;
	printf("%s: the mended copy\n", name);
	return true;
}

static int finish(struct mend *m, const struct checked *last, const struct str *log, const char *out,
		  bool in_place)
{
	FILE *talk =
	    m->input || (out && strcmp(out, "-") == 0) ? stderr : stdout; /* the other carries the text */
	fputs(str_get(log), talk);
	if (m->applied && !(in_place ? write_in_place(m) : write_copy(m, out)))
		return EXIT_TROUBLE;
	if (!m->applied)
		fputs("nothing that could be fixed\n", talk);
	fprintf(talk, "%zu fixed; left: %zu error%s, %zu warning%s, %zu note%s\n", m->applied,
		last->count[SEV_ERROR], last->count[SEV_ERROR] == 1 ? "" : "s", last->count[SEV_WARNING],
		last->count[SEV_WARNING] == 1 ? "" : "s", last->count[SEV_NOTE],
		last->count[SEV_NOTE] == 1 ? "" : "s");
	return last->count[SEV_ERROR] ? EXIT_TROUBLE : last->count[SEV_WARNING] ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int mend(struct mend *m, const char *out, bool in_place)
{
	struct checked last = {0};
	struct str log = {0};
	if (!copy_in(m))
		return EXIT_TROUBLE;
	size_t before = m->nfiles ? errors_of(m) : 0;
	int status = EXIT_TROUBLE;
	if (!m->nfiles)
		status = cmd_trouble("%s: no rules files", m->path);
	else if (mend_rounds(m, &last, &log)) {
		if (errors_of(m) > before)
			status = cmd_trouble(
			    "%s: the mended text would have more errors than before: nothing is written",
			    m->path);
		else
			status = finish(m, &last, &log, out, in_place);
		checked_free(&last);
	}
	str_free(&log);
	return status;
}

int cmd_mend(const char *path, const struct check_options *o, const char *out, bool in_place, bool less)
{
	struct mend m = {.path = path, .checks = *o, .arena = arena_new(), .slot = -1, .less = less};
	int status = EXIT_TROUBLE;
	if (in_place && strcmp(path, "-") == 0)
		status = cmd_usage_error("check", "standard input has no place to be mended in");
	else
		status = mend(&m, out, in_place);
	remove_work(&m);
	for (size_t i = 0; i < m.nfiles; i++)
		str_free(&m.files[i].text);
	arena_free(m.arena);
	return status;
}
