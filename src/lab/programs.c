/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs of the guest: this one, auditctl, and the shared libraries they need, at the names the loader uses. */
#include "lab/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROGRAM_MAX = 512 * 1024 * 1024 };

struct mapped {
	struct arena *arena;
	const char **paths;
	size_t n;
};

/* What the loader gave this process, loader included, by the names it opened (dl_iterate_phdr(3)). */
static int note(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	struct mapped *m = ctx;
	if (info->dlpi_name && info->dlpi_name[0] == '/')
		*arena_push(m->arena, m->paths, m->n) = arena_strdup(m->arena, info->dlpi_name);
	return 0;
}

static bool add_as(struct image *im, const char *path, const char *as, const char **err)
{
	struct str data = {0};
	int bad = file_read(path, PROGRAM_MAX, &data);
	if (bad) {
		*err = arena_printf(im->arena, "cannot read %s: %s", path, strerror(-bad));
		str_free(&data);
		return false;
	}
	char *copy = arena_alloc(im->arena, data.len + 1, 1);
	memcpy(copy, str_get(&data), data.len);
	image_add(im, as, copy, data.len, 0755);
	str_free(&data);
	return true;
}

static const char *find_named(const struct mapped *m, const char *start)
{
	for (size_t i = 0; i < m->n; i++) {
		const char *base = strrchr(m->paths[i], '/') + 1;
		if (strncmp(base, start, strlen(start)) == 0)
			return m->paths[i];
	}
	return NULL;
}

static const char *dir_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? arena_strndup(a, path, (size_t)(slash - path)) : ".";
}

/* Runs "loader --library-path dir --list program" and returns what it prints (ld.so(8)). */
static bool ask_loader(struct arena *a, const char *loader, const char *dir, const char *program, struct str *out,
		       const char **err)
{
	int p[2];
	*err = arena_printf(a, "cannot list the libraries of %s", program);
	if (pipe2(p, O_CLOEXEC) < 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(p[1], 1);
		dup2(p[1], 2);
		execl(loader, loader, "--library-path", dir, "--list", program, (char *)NULL);
		_exit(127);
	}
	close(p[1]);
	char buf[4096];
	ssize_t n;
	while (pid > 0 && ((n = read(p[0], buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))) {
		if (n > 0)
			str_addn(out, buf, (size_t)n);
	}
	close(p[0]);
	int status = -1;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		*err = arena_printf(a, "cannot list the libraries of %s: %s", program, str_get(out));
	return status == 0;
}

/* One line of the list: "libc.so.6 => /lib/.../libc.so.6 (0x...)". A library beside the program moves to standard. */
static bool add_listed(struct image *im, char *line, const char *own, const char *standard, const char **err)
{
	char *arrow = strstr(line, "=> ");
	if (!arrow)
		return true;   /* the vdso and the loader */
	char *path = arrow + 3;
	char *end = strstr(path, " (");
	if (!end || path[0] != '/') {
		*err = arena_printf(im->arena, "auditctl: library missing: %s", line);
		return false;
	}
	*end = '\0';
	const char *as = path;
	if (strcmp(dir_of(im->arena, path), own) == 0)
		as = path_join(im->arena, standard, strrchr(path, '/') + 1);
	return add_as(im, path, as, err);
}

static bool add_auditctl(struct image *im, const struct mapped *m, const char *auditctl, const char **err)
{
	const char *loader = find_named(m, "ld-"), *libc = find_named(m, "libc.so");
	if (!loader || !libc) {
		*err = "this program was not started by a dynamic loader: cannot tell what auditctl needs";
		return false;
	}
	const char *own = dir_of(im->arena, auditctl);
	struct str list = {0};
	bool ok = ask_loader(im->arena, loader, own, auditctl, &list, err) &&
		  add_as(im, auditctl, LAB_AUDITCTL, err);
	char *save = NULL;
	for (char *l = ok ? strtok_r(list.s, "\n", &save) : NULL; ok && l; l = strtok_r(NULL, "\n", &save))
		ok = add_listed(im, l, own, dir_of(im->arena, libc), err);
	str_free(&list);
	return ok;
}

bool image_add_programs(struct image *im, const char *auditctl, const char **err)
{
	struct mapped m = {.arena = im->arena};
	dl_iterate_phdr(note, &m);
	if (!add_as(im, "/proc/self/exe", "/init", err))
		return false;
	for (size_t i = 0; i < m.n; i++) {
		if (!add_as(im, m.paths[i], m.paths[i], err))
			return false;
	}
	return !auditctl || add_auditctl(im, &m, auditctl, err);
}
