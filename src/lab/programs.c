/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs of the guest: this one, auditctl, and the shared libraries they need, at the names the loader
 * uses. */
#include "lab/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROGRAM_MAX = 512 * 1024 * 1024 };

struct loader {
	struct arena *arena;
	const char *path; /* of the dynamic loader this process was started by */
	const char *libc; /* where the C library was found: a directory the loader searches by itself */
};

/* dl_iterate_phdr(3) gives the names the loader used. */
static int note(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	struct loader *l = ctx;
	const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
	if (base && strncmp(base, "/ld-", 4) == 0)
		l->path = arena_strdup(l->arena, info->dlpi_name);
	if (base && strncmp(base, "/libc.so", 8) == 0)
		l->libc = arena_strndup(l->arena, info->dlpi_name, (size_t)(base - info->dlpi_name));
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

static const char *dir_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? arena_strndup(a, path, (size_t)(slash - path)) : ".";
}

/* Runs "loader --library-path dir --list program" and returns what it prints (ld.so(8)). */
static bool ask_loader(struct arena *a, const char *loader, const char *dir, const char *program,
		       struct str *out, const char **err)
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

/* One line of the list: "libc.so.6 => /lib/.../libc.so.6 (0x...)". A library beside the program moves to
 * standard. */
static bool add_listed(struct image *im, char *line, const char *own, const char *standard, const char **err)
{
	char *arrow = strstr(line, "=> ");
	if (!arrow)
		return true; /* the vdso and the loader */
	char *path = arrow + 3;
	char *end = strstr(path, " (");
	if (!end || path[0] != '/') {
		*err = arena_printf(im->arena, "a library is missing: %s", line);
		return false;
	}
	*end = '\0';
	const char *as = path;
	if (strcmp(dir_of(im->arena, path), own) == 0)
		as = path_join(im->arena, standard, strrchr(path, '/') + 1);
	return add_as(im, path, as, err);
}

/* The libraries a program is linked with; what this process opened by itself (libarchive) has no place in the
 * guest. */
static bool add_libraries(struct image *im, const struct loader *l, const char *program, const char **err)
{
	const char *own = dir_of(im->arena, program);
	struct str list = {0};
	bool ok = ask_loader(im->arena, l->path, own, program, &list, err);
	char *save = NULL;
	for (char *line = ok ? strtok_r(list.s, "\n", &save) : NULL; ok && line;
	     line = strtok_r(NULL, "\n", &save))
		ok = add_listed(im, line, own, l->libc, err);
	str_free(&list);
	return ok;
}

bool image_add_programs(struct image *im, const char *auditctl, const char **err)
{
	struct loader l = {.arena = im->arena};
	dl_iterate_phdr(note, &l);
	if (!l.path || !l.libc) {
		*err = "this program was not started by a dynamic loader: cannot tell which libraries the "
		       "guest needs";
		return false;
	}
	/* By process number: in the loader's process, /proc/self/exe would be the loader. */
	const char *self = arena_printf(im->arena, "/proc/%d/exe", (int)getpid());
	if (!add_as(im, self, "/init", err) || !add_as(im, l.path, l.path, err) ||
	    !add_libraries(im, &l, self, err))
		return false;
	return !auditctl || (add_as(im, auditctl, LAB_AUDITCTL, err) && add_libraries(im, &l, auditctl, err));
}
