/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/trigger_run.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file_text[] = "made by a trigger\n";

/* The smallest program: exit_group(0). Fields of elf(5). */
static const struct {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	unsigned char code[9];
} program = {
    .header =
	{
	    .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_EXEC,
	    .e_machine = EM_X86_64,
	    .e_version = EV_CURRENT,
	    .e_entry = 0x400000 + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
	    .e_phoff = sizeof(Elf64_Ehdr),
	    .e_ehsize = sizeof(Elf64_Ehdr),
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_phnum = 1,
	},
    .segment =
	{
	    .p_type = PT_LOAD,
	    .p_flags = PF_R | PF_X,
	    .p_vaddr = 0x400000,
	    .p_paddr = 0x400000,
	    .p_filesz = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 9,
	    .p_memsz = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 9,
	    .p_align = 0x1000,
	},
    .code = {0xb8, 0xe7, 0, 0, 0 /* mov eax, 231 */, 0x31, 0xff /* xor edi, edi */, 0x0f, 0x05 /* syscall */},
};

static const char self[] = "/proc/self/exe";

static off_t object_size(enum object_kind kind)
{
	struct stat st;
	switch (kind) {
	case OBJECT_FILE:
		return sizeof(file_text) - 1;
	case OBJECT_PROGRAM:
		return offsetof(__typeof__(program), code) + sizeof(program.code);
	case OBJECT_EXE:
		return stat(self, &st) == 0 ? st.st_size : -1;
	default:
		return -1;
	}
}

static int copy_self(int to)
{
	int from = open(self, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return -errno;
	ssize_t n;
	while ((n = sendfile(to, from, NULL, 1 << 20)) > 0)
		;
	int rc = n < 0 ? -errno : 0;
	close(from);
	return rc;
}

static int content_write(int fd, enum object_kind kind)
{
	const void *data = kind == OBJECT_PROGRAM ? (const void *)&program : file_text;
	if (kind == OBJECT_EXE)
		return copy_self(fd);
	ssize_t size = (ssize_t)object_size(kind);
	return write(fd, data, (size_t)size) == size ? 0 : -EIO;
}

int object_write(const char *path, enum object_kind kind, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	int rc = content_write(fd, kind);
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	return rc;
}

bool object_is_whole(const struct trigger_object *o)
{
	struct stat st, own;
	if (lstat(o->path, &st) != 0)
		return false;
	if (o->kind == OBJECT_DIR)
		return S_ISDIR(st.st_mode);
	if (stat(self, &own) == 0 && own.st_ino == st.st_ino && own.st_dev == st.st_dev)
		return false; /* never the running program itself */
	return S_ISREG(st.st_mode) && st.st_size == object_size(o->kind) && (st.st_mode & 07777) == o->mode &&
	       st.st_uid == 0 && st.st_gid == 0;
}

const char *object_second(const char *path, char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%.*s.aot", PATH_MAX - 8, path);
	return out;
}

void object_restore(const struct trigger_object *o)
{
	char second[PATH_MAX];
	struct stat st;
	object_second(o->path, second);
	if (lstat(second, &st) == 0) {
		if (access(o->path, F_OK) != 0)
			(void)rename(second, o->path);
		else if (S_ISDIR(st.st_mode))
			(void)rmdir(second);
		else
			(void)unlink(second);
	}
	if (object_is_whole(o) || o->kind == OBJECT_DIR)
		return;
	if (lstat(o->path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size != object_size(o->kind))
		(void)object_write(o->path, o->kind, o->mode);
	if (lstat(o->path, &st) == 0 && (st.st_uid != 0 || st.st_gid != 0))
		(void)lchown(o->path, 0, 0);
	if (lstat(o->path, &st) == 0 && (st.st_mode & 07777) != o->mode)
		(void)chmod(o->path, o->mode);
}

/* The directories above a path. */
static int parents_make(const char *path)
{
	char up[PATH_MAX];
	if (strlen(path) >= sizeof(up))
		return -ENAMETOOLONG;
	strcpy(up, path);
	for (char *slash = strchr(up + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(up, 0755) != 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/* "libc.so", "libc.so.6", not "ld.so.conf". */
static bool is_library(const char *path)
{
	for (const char *so = strstr(path, ".so"); so; so = strstr(so + 1, ".so"))
		if (so[3] == '\0' || (so[3] == '.' && so[4] >= '0' && so[4] <= '9'))
			return true;
	return false;
}

/* An empty file may have been put where other rules need a directory. */
static int dir_make(const struct trigger_object *o, const struct stat *there)
{
	if (there && S_ISREG(there->st_mode) && there->st_size == 0 && unlink(o->path) == 0)
		there = NULL;
	return there || mkdir(o->path, o->mode) == 0 ? 0 : -errno;
}

int object_make(const struct trigger_object *o)
{
	struct stat st;
	int rc = parents_make(o->path);
	if (rc != 0)
		return rc;
	bool there = lstat(o->path, &st) == 0;
	if (o->kind == OBJECT_DIR)
		return dir_make(o, there ? &st : NULL);
	/* Programs and libraries of the guest itself, links and devices stay; trigger_execute sees that. */
	if (there && (!S_ISREG(st.st_mode) || (st.st_mode & 0111) || is_library(o->path)))
		return 0;
	if (!there || !object_is_whole(o))
		object_restore(o);
	return object_is_whole(o) ? 0 : -EIO;
}
