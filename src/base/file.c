/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_read(const char *path, size_t max, struct str *out)
{
	bool std = strcmp(path, "-") == 0;
	int fd = std ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int err = 0;
	char buf[16384];
	str_addn(out, "", 0);
	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = -errno;
		if (n <= 0)
			break;
		if ((size_t)n > max - out->len) {
			err = -EFBIG;
			break;
		}
		str_addn(out, buf, (size_t)n);
	}
	if (!std)
		close(fd);
	return err;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A rename is only durable once the directory that holds it is synced. */
static int sync_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	if (!dir)
		return -ENOMEM;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (fd < 0)
		return -errno;
	int err = fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
	close(fd);
	return err;
}

int file_target(const char *path, char **out)
{
	struct stat st;
	*out = NULL;
	if (!*path)
		return -ENOENT;
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			return S_ISDIR(st.st_mode) ? -EISDIR : -EOPNOTSUPP;
		*out = realpath(path, NULL); /* behind a link the file is replaced, not the link */
	} else if (errno == ENOENT && lstat(path, &st) != 0) {
		*out = strdup(path);
	}
	return *out ? 0 : -errno;
}

/* path is no link and nothing but a regular file, if it is there. */
static int write_beside(const char *path, const void *data, size_t len, mode_t mode)
{
	struct str tmp = {0};
	str_addf(&tmp, "%s.XXXXXX", path);
	sigset_t old;
	cleanup_hold(&old);
	int fd = mkostemp(tmp.s, O_CLOEXEC), slot = -1, made = fd < 0 ? -errno : 0;
	if (fd >= 0)
		slot = cleanup_file(tmp.s);
	cleanup_release(&old);
	if (made) {
		str_free(&tmp);
		return made;
	}
	int err = slot < 0 ? -EMFILE : write_all(fd, data, len);
	if (!err && fchmod(fd, mode) < 0)
		err = -errno;
	if (!err && fsync(fd) < 0 && errno != EINVAL)
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && rename(tmp.s, path) < 0)
		err = -errno;
	if (err)
		unlink(tmp.s);
	cleanup_forget(slot);
	str_free(&tmp);
	return err ? err : sync_parent(path);
}

int file_write(const char *path, const void *data, size_t len, mode_t mode)
{
	char *target;
	int err = file_target(path, &target);
	if (!err)
		err = write_beside(target, data, len, mode);
	free(target);
	return err;
}

char *temp_dir(struct arena *a, const char *name, int *slot, int *err)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = arena_printf(a, "%s/%s.XXXXXX", tmp && *tmp ? tmp : "/tmp", name);
	sigset_t old;
	cleanup_hold(&old);
	*err = mkdtemp(dir) ? 0 : -errno;
	*slot = *err ? -1 : cleanup_dir(dir);
	cleanup_release(&old);
	if (!*err && *slot < 0) {
		rmdir(dir);
		*err = -EMFILE;
	}
	return *err ? NULL : dir;
}

char *path_join(struct arena *a, const char *dir, const char *name)
{
	size_t n = strlen(dir);
	return arena_printf(a, n && dir[n - 1] == '/' ? "%s%s" : "%s/%s", dir, name);
}

void sha256_hex(const void *data, size_t len, char out[65])
{
	SHA256Data(data, len, out);
}
