/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workloads on files: those that hand the kernel a path, and the copy of a cached file, which does not.
 * Work is done in env->dir, which is the workload's own.
 */
#include "bench/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The kernel keeps watched inodes in AUDIT_INODE_BUCKETS (32, kernel/audit.h) lists by inode number: one
 * file's cost depends on the list it meets. Files made in a row get neighbouring numbers, so as many of them
 * meet every list.
 */
enum { NAMES = 32, NAME_LEN = 4096, BUFFERS = 2000, BUFFER_MAX = 4096 };

struct names {
	char path[NAMES][NAME_LEN];
	size_t made;
};

static int touch(const char *path)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int name_in(char *out, size_t size, const char *dir, const char *name, unsigned number)
{
	int len = snprintf(out, size, "%s/%s%02u", dir, name, number);
	return len > 0 && (size_t)len < size ? 0 : -ENAMETOOLONG;
}

int names_setup(struct bench_env *e)
{
	struct names *n = calloc(1, sizeof(*n));
	if (!n)
		return -ENOMEM;
	e->data = n;
	while (n->made < NAMES) {
		char *path = n->path[n->made];
		int err = name_in(path, NAME_LEN, e->dir, "f", (unsigned)n->made);
		if (!err)
			err = touch(path);
		if (err)
			return err;
		n->made++;
	}
	return 0;
}

void names_teardown(struct bench_env *e)
{
	struct names *n = e->data;
	if (!n)
		return;
	while (n->made > 0)
		unlink(n->path[--n->made]);
	free(n);
	e->data = NULL;
}

/* By number: which call stat() becomes differs between C libraries. The buffer holds any architecture's
 * struct. */
static long stat_call(const char *path)
{
#if defined(SYS_newfstatat)
	_Alignas(16) char buf[512];
	return syscall(SYS_newfstatat, AT_FDCWD, path, buf, 0);
#elif defined(SYS_fstatat64)
	_Alignas(16) char buf[512];
	return syscall(SYS_fstatat64, AT_FDCWD, path, buf, 0);
#else
	struct statx buf;
	return syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS, &buf);
#endif
}

int sys_stat_run(struct bench_env *e, uint64_t ops)
{
	const struct names *n = e->data;
	for (uint64_t i = 0; i < ops; i++) {
		if (stat_call(n->path[i % NAMES]) != 0)
			return -errno;
	}
	return 0;
}

int sys_open_run(struct bench_env *e, uint64_t ops)
{
	const struct names *n = e->data;
	for (uint64_t i = 0; i < ops; i++) {
		long fd = syscall(SYS_openat, AT_FDCWD, n->path[i % NAMES], O_RDONLY, 0);
		if (fd < 0 || close((int)fd) != 0)
			return -errno;
	}
	return 0;
}

/* ---- create and remove one name ---------------------------------------------------------------------- */

int fs_create_setup(struct bench_env *e)
{
	char *path = calloc(1, NAME_LEN);
	if (!path)
		return -ENOMEM;
	e->data = path;
	return name_in(path, NAME_LEN, e->dir, "new", 0);
}

int fs_create_run(struct bench_env *e, uint64_t ops)
{
	const char *path = e->data;
	for (uint64_t i = 0; i < ops; i++) {
		long fd = syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_EXCL | O_WRONLY, 0600);
		if (fd < 0 || close((int)fd) != 0 || unlinkat(AT_FDCWD, path, 0) != 0)
			return -errno;
	}
	return 0;
}

/* The name does not exist: what a failing call costs. */
int unlink_miss_run(struct bench_env *e, uint64_t ops)
{
	const char *path = e->data;
	for (uint64_t i = 0; i < ops; i++) {
		if (unlinkat(AT_FDCWD, path, 0) == 0)
			return -EEXIST;
		if (errno != ENOENT)
			return -errno;
	}
	return 0;
}

void fs_create_teardown(struct bench_env *e)
{
	char *path = e->data;
	if (!path)
		return;
	unlink(path);
	free(path);
	e->data = NULL;
}

/* ---- copy: 2000 buffers from a cached file to another, then both from the start ---------------------- */

struct copy {
	size_t size; /* of a buffer, bytes */
	int fd[2];   /* read from, written to */
	char path[2][NAME_LEN];
	char buffer[BUFFER_MAX];
};

/* Both files get their full size here: the timed part allocates no block. */
static int copy_file(struct copy *c, const char *dir, unsigned which)
{
	int err = name_in(c->path[which], NAME_LEN, dir, "copy", which);
	if (err)
		return err;
	c->fd[which] = open(c->path[which], O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (c->fd[which] < 0)
		return -errno;
	for (unsigned i = 0; i < BUFFERS && !err; i++)
		err = write_all(c->fd[which], c->buffer, c->size);
	if (!err && lseek(c->fd[which], 0, SEEK_SET) != 0)
		err = -errno;
	return err;
}

static int copy_setup(struct bench_env *e, size_t size)
{
	struct copy *c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	e->data = c;
	c->size = size;
	c->fd[0] = c->fd[1] = -1;
	for (size_t i = 0; i < size; i++)
		c->buffer[i] = (char)i;
	int err = copy_file(c, e->dir, 0);
	return err ? err : copy_file(c, e->dir, 1);
}

int copy_256_setup(struct bench_env *e)
{
	return copy_setup(e, 256);
}

int copy_1024_setup(struct bench_env *e)
{
	return copy_setup(e, 1024);
}

int copy_4096_setup(struct bench_env *e)
{
	return copy_setup(e, 4096);
}

int copy_run(struct bench_env *e, uint64_t ops)
{
	struct copy *c = e->data;
	for (uint64_t i = 0; i < ops;) {
		ssize_t got = read(c->fd[0], c->buffer, c->size);
		if (got < 0)
			return -errno;
		if (got == 0) {
			if (lseek(c->fd[0], 0, SEEK_SET) != 0 || lseek(c->fd[1], 0, SEEK_SET) != 0)
				return -errno;
			continue;
		}
		ssize_t put = write(c->fd[1], c->buffer, (size_t)got);
		if (put != got)
			return put < 0 ? -errno : -ENOSPC;
		i++;
	}
	return 0;
}

void copy_teardown(struct bench_env *e)
{
	struct copy *c = e->data;
	if (!c)
		return;
	for (unsigned i = 0; i < 2; i++) {
		if (c->fd[i] < 0)
			continue;
		close(c->fd[i]);
		unlink(c->path[i]);
	}
	free(c);
	e->data = NULL;
}
