/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The initramfs: a newc archive (Documentation/driver-api/early-userspace/buffer-format), not compressed:
 * qemu copies it in one go, and unpacking would cost the guest more instructions than reading does.
 */
#include "lab/inside.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void image_add(struct image *im, const char *path, const void *data, size_t len, mode_t mode)
{
	for (size_t i = 0; i < im->nfiles; i++) {
		if (strcmp(im->files[i].path, path) == 0)
			return; /* a library two programs share */
	}
	struct image_file *f = arena_push(im->arena, im->files, im->nfiles);
	*f = (struct image_file){arena_strdup(im->arena, path), data, len, mode};
}

/*
 * libarchive is opened when it is needed, not linked. This program is also what the guest runs: every library
 * it is linked with is copied, unpacked, mapped by each fork and loaded by each exec that is measured, and
 * libarchive brings libxml2 and 30 MB of ICU tables: more than half of what a fork, four fifths of what an
 * exec costs in the guest.
 */
#define FUNCTIONS(F)                                                                                         \
	F(archive_write_new)                                                                                 \
	F(archive_write_set_format_cpio_newc)                                                                \
	F(archive_write_open_filename)                                                                       \
	F(archive_write_header)                                                                              \
	F(archive_write_data)                                                                                \
	F(archive_write_close)                                                                               \
	F(archive_write_free)                                                                                \
	F(archive_error_string)                                                                              \
	F(archive_entry_new)                                                                                 \
	F(archive_entry_free)                                                                                \
	F(archive_entry_set_pathname)                                                                        \
	F(archive_entry_set_mode)                                                                            \
	F(archive_entry_set_nlink)                                                                           \
	F(archive_entry_set_ino)                                                                             \
	F(archive_entry_set_mtime)                                                                           \
	F(archive_entry_set_rdev)                                                                            \
	F(archive_entry_set_symlink)                                                                         \
	F(archive_entry_set_size)

#define LIBARCHIVE "libarchive.so.13" /* its soname since version 3.0 */

struct library {
	void *handle;
#define MEMBER(f) __typeof__(&f) f;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

static bool library_open(struct library *l)
{
	l->handle = dlopen(LIBARCHIVE, RTLD_NOW | RTLD_LOCAL);
	bool ok = l->handle != NULL;
#define LOOK_UP(f)                                                                                           \
	void *at_##f = ok ? dlsym(l->handle, #f) : NULL;                                                     \
	memcpy(&l->f, &at_##f, sizeof(l->f));                                                                \
	ok = ok && at_##f;
	FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	return ok;
}

struct writer {
	struct library lib;
	struct archive *out;
	struct arena *arena;
	const char **dirs;
	size_t ndirs;
	unsigned ino;
	bool failed;
};

static void put(struct writer *w, const char *path, mode_t mode, const void *data, size_t len, dev_t dev)
{
	const struct library *l = &w->lib;
	struct archive_entry *e = l->archive_entry_new();
	l->archive_entry_set_pathname(e, path[0] == '/' ? path + 1 : path);
	l->archive_entry_set_mode(e, mode);
	l->archive_entry_set_nlink(e, S_ISDIR(mode) ? 2 : 1);
	l->archive_entry_set_ino(e, ++w->ino);
	l->archive_entry_set_mtime(e, 0, 0);
	if (S_ISCHR(mode))
		l->archive_entry_set_rdev(e, dev);
	if (S_ISLNK(mode))
		l->archive_entry_set_symlink(e, data);
	l->archive_entry_set_size(e, S_ISREG(mode) ? (la_int64_t)len : 0);
	if (l->archive_write_header(w->out, e) != ARCHIVE_OK)
		w->failed = true;
	else if (S_ISREG(mode) && len && l->archive_write_data(w->out, data, len) != (la_ssize_t)len)
		w->failed = true;
	l->archive_entry_free(e);
}

/* The kernel's unpacker makes no directories by itself (init/initramfs.c: do_name). */
static void put_dir(struct writer *w, const char *path)
{
	for (size_t i = 0; i < w->ndirs; i++) {
		if (strcmp(w->dirs[i], path) == 0)
			return;
	}
	const char *slash = strrchr(path, '/');
	if (slash && slash != path)
		put_dir(w, arena_strndup(w->arena, path, (size_t)(slash - path)));
	*arena_push(w->arena, w->dirs, w->ndirs) = path;
	put(w, path, S_IFDIR | 0755, NULL, 0, 0);
}

static const char *const merged[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

/* On a host with merged /usr the same file has two names, and rules on both meet at one inode: so in the
 * guest. */
static bool is_merged(const char *name)
{
	char target[32];
	ssize_t n = readlink(name, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	const char *t = target[0] == '/' ? target + 1 : target;
	return strncmp(t, "usr", 3) == 0 && strcmp(t + 3, name) == 0;
}

static void put_file(struct writer *w, const struct image_file *f)
{
	const char *path = f->path;
	for (size_t i = 0; i < ARRAY_SIZE(merged); i++) {
		size_t n = strlen(merged[i]);
		if (strncmp(path, merged[i], n) == 0 && path[n] == '/' && is_merged(merged[i]))
			path = arena_printf(w->arena, "/usr%s", f->path);
	}
	const char *slash = strrchr(path, '/');
	if (slash != path)
		put_dir(w, arena_strndup(w->arena, path, (size_t)(slash - path)));
	put(w, path, S_IFREG | f->mode, f->data, f->len, 0);
}

static void put_all(struct writer *w, const struct image *im)
{
	static const char *const dirs[] = {"/dev",  "/proc", "/sys", "/tmp", "/run", "/etc",
					   "/root", "/home", "/var", "/usr", LAB_DIR};
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		put_dir(w, dirs[i]);
	for (size_t i = 0; i < ARRAY_SIZE(merged); i++) {
		if (!is_merged(merged[i]))
			continue;
		put_dir(w, arena_printf(w->arena, "/usr%s", merged[i]));
		put(w, merged[i], S_IFLNK | 0777, arena_printf(w->arena, "usr%s", merged[i]), 0, 0);
	}
	put(w, "/dev/console", S_IFCHR | 0600, NULL, 0, makedev(5, 1));
	put(w, "/dev/null", S_IFCHR | 0666, NULL, 0, makedev(1, 3));
	put(w, LAB_MARK, S_IFREG | 0444, "", 0, 0);
	for (size_t i = 0; i < im->nfiles; i++)
		put_file(w, &im->files[i]);
}

static const char *write_archive(struct writer *w, const struct image *im, const char *path)
{
	const struct library *l = &w->lib;
	w->out = l->archive_write_new();
	if (!w->out)
		return "no memory";
	if (l->archive_write_set_format_cpio_newc(w->out) != ARCHIVE_OK ||
	    l->archive_write_open_filename(w->out, path) != ARCHIVE_OK)
		w->failed = true;
	else
		put_all(w, im);
	if (l->archive_write_close(w->out) != ARCHIVE_OK)
		w->failed = true;
	const char *why = l->archive_error_string(w->out);
	why = w->failed ? arena_strdup(im->arena, why ? why : "unknown reason") : NULL;
	l->archive_write_free(w->out);
	return why;
}

bool image_write(const struct image *im, const char *path, const char **err)
{
	struct writer w = {.arena = im->arena};
	const char *why = "the lab needs " LIBARCHIVE " (package libarchive13)";
	if (library_open(&w.lib))
		why = write_archive(&w, im, path);
	if (w.lib.handle)
		dlclose(w.lib.handle);
	if (why)
		*err = arena_printf(im->arena, "cannot write the guest's image %s: %s", path, why);
	return why == NULL;
}
