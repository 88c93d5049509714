/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that rules name. They exist before any set is loaded, are the same for all sets, and are made in
 * one order, so that inode numbers (which decide where the kernel hangs a rule) do not depend on the set.
 */
#include "lab/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct named {
	uint32_t id; /* AUDIT_DIR, AUDIT_WATCH, AUDIT_EXE: made in this order */
	const char *path;
};

static int rank(uint32_t id)
{
	return id == AUDIT_DIR ? 0 : id == AUDIT_WATCH ? 1 : 2;
}

static int by_rank_and_path(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	if (rank(x->id) != rank(y->id))
		return rank(x->id) - rank(y->id);
	return strcmp(x->path, y->path);
}

static void make_dirs(struct arena *a, const char *path)
{
	char *copy = arena_strdup(a, path);
	for (char *p = copy + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(copy, 0755);
		*p = '/';
	}
}

static void copy_program(const char *to)
{
	struct str self = {0};
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0)
		return;
	if (file_read("/proc/self/exe", SIZE_MAX, &self) != 0 ||
	    write(fd, str_get(&self), self.len) != (ssize_t)self.len)
		unlink(to); /* then the kernel refuses the rule, and says so */
	close(fd);
	str_free(&self);
}

/* What cannot be made is left to the kernel to complain about when the rule is loaded. */
static void make(const struct named *n)
{
	if (n->path[0] != '/' || access(n->path, F_OK) == 0)
		return;
	if (n->id == AUDIT_DIR) {
		mkdir(n->path, 0755);
	} else if (n->id == AUDIT_EXE) {
		/* A copy, not a link: exe= compares inodes (kernel/audit_watch.c: audit_exe_compare). */
		copy_program(n->path);
	} else {
		int fd = open(n->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd >= 0)
			close(fd);
	}
}

void paths_create(struct agent *g)
{
	struct arena *a = arena_new();
	struct named *list = NULL;
	size_t n = 0;
	for (size_t s = 0; s < g->job.nsets; s++) {
		for (size_t i = 0; i < g->job.sets[s].nrules; i++) {
			struct rule r;
			if (!rule_from_data(a, g->job.sets[s].rules[i], &r))
				agent_fail(g, "rule %zu of set %zu does not hold together", i + 1, s);
			for (unsigned f = 0; f < r.nfields; f++) {
				const struct field *x = &r.fields[f];
				if (x->text &&
				    (x->id == AUDIT_DIR || x->id == AUDIT_WATCH || x->id == AUDIT_EXE))
					*arena_push(a, list, n) = (struct named){x->id, x->text};
			}
		}
	}
	if (n)
		qsort(list, n, sizeof(*list), by_rank_and_path);
	/* Directories first: one rule's file may lie below another's. */
	for (size_t i = 0; i < n; i++) {
		if (list[i].path[0] == '/')
			make_dirs(a, list[i].path);
	}
	for (size_t i = 0; i < n; i++)
		make(&list[i]);
	arena_free(a);
}
