/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cost/cost.h"

#include <string.h>

/*
 * What a call that succeeds collects at the least, and the notifications it causes for the paths it takes;
 * calls not listed: none. One name for each path copied from user space; calls that change a directory add
 * its entry (PARENT) beside the object's (fs/namei.c: filename_lookup, filename_parentat, may_delete;
 * include/linux/fsnotify.h); fchmod, fchown and the xattr calls on descriptors give one (audit_file). connect
 * and bind give one only for a pathname socket, hence none at the least. Descriptors may be on any file
 * system: their notifications are not counted.
 */
static const struct names_row {
	const char *syscall;
	unsigned char names, notifications;
} rows[] = {
    {"access", 1, 0},
    {"acct", 1, 1},
    {"chdir", 1, 0},
    {"chmod", 1, 1},
    {"chown", 1, 1},
    {"chown32", 1, 1},
    {"chroot", 1, 0},
    {"creat", 2, 2},
    {"execve", 2, 1},
    {"execveat", 2, 1},
    {"faccessat", 1, 0},
    {"faccessat2", 1, 0},
    {"fanotify_mark", 1, 0},
    {"fchmod", 1, 0},
    {"fchmodat", 1, 1},
    {"fchmodat2", 1, 1},
    {"fchown", 1, 0},
    {"fchown32", 1, 0},
    {"fchownat", 1, 1},
    {"fgetxattr", 1, 0},
    {"flistxattr", 1, 0},
    {"fremovexattr", 1, 0},
    {"fsetxattr", 1, 0},
    {"fspick", 1, 0},
    {"fstatat64", 1, 0},
    {"futimesat", 1, 1},
    {"getxattr", 1, 0},
    {"inotify_add_watch", 1, 0},
    {"lchown", 1, 1},
    {"lchown32", 1, 1},
    {"lgetxattr", 1, 0},
    {"link", 3, 1},
    {"linkat", 3, 1},
    {"listxattr", 1, 0},
    {"llistxattr", 1, 0},
    {"lremovexattr", 1, 1},
    {"lsetxattr", 1, 1},
    {"lstat", 1, 0},
    {"lstat64", 1, 0},
    {"mkdir", 2, 1},
    {"mkdirat", 2, 1},
    {"mknod", 2, 1},
    {"mknodat", 2, 1},
    {"mount", 1, 0},
    {"mount_setattr", 1, 0},
    {"move_mount", 2, 0},
    {"name_to_handle_at", 1, 0},
    {"newfstatat", 1, 0},
    {"oldlstat", 1, 0},
    {"oldstat", 1, 0},
    {"open", 1, 1},
    {"open_tree", 1, 0},
    {"openat", 1, 1},
    {"openat2", 1, 1},
    {"pivot_root", 2, 0},
    {"quotactl", 1, 0},
    {"readlink", 1, 0},
    {"readlinkat", 1, 0},
    {"removexattr", 1, 1},
    {"rename", 4, 2},
    {"renameat", 4, 2},
    {"renameat2", 4, 2},
    {"rmdir", 2, 1},
    {"setxattr", 1, 1},
    {"stat", 1, 0},
    {"stat64", 1, 0},
    {"statfs", 1, 0},
    {"statfs64", 1, 0},
    {"statx", 1, 0},
    {"swapoff", 1, 1},
    {"swapon", 1, 1},
    {"symlink", 2, 1},
    {"symlinkat", 2, 1},
    {"truncate", 1, 1},
    {"truncate64", 1, 1},
    {"umount", 1, 0},
    {"umount2", 1, 0},
    {"unlink", 2, 1},
    {"unlinkat", 2, 1},
    {"uselib", 1, 1},
    {"utime", 1, 1},
    {"utimensat", 1, 1},
    {"utimensat_time64", 1, 1},
    {"utimes", 1, 1},
};

/* The kernel's name and the one of libaudit's tables, where they differ. */
static const struct {
	const char *kernel, *libaudit;
} aliases[] = {
    {"pread64", "pread"},
    {"pwrite64", "pwrite"},
};

static const struct names_row *row(enum abi abi, unsigned nr)
{
	const char *name = abi_syscall_name(abi, nr);
	for (size_t i = 0; name && i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].syscall, name) == 0)
			return &rows[i];
	}
	return NULL;
}

unsigned call_names(enum abi abi, unsigned nr)
{
	const struct names_row *r = row(abi, nr);
	return r ? r->names : 0;
}

unsigned call_notifications(enum abi abi, unsigned nr)
{
	const struct names_row *r = row(abi, nr);
	return r ? r->notifications : 0;
}

int call_number(enum abi abi, const char *name)
{
	int nr = abi_syscall_number(abi, name);
	for (size_t i = 0; nr < 0 && i < ARRAY_SIZE(aliases); i++) {
		if (strcmp(aliases[i].kernel, name) == 0)
			nr = abi_syscall_number(abi, aliases[i].libaudit);
	}
	return nr;
}

struct call call_of(enum abi abi, unsigned nr, uint32_t auid, uint32_t uid)
{
	return (struct call){.abi = abi, .nr = nr, .names = call_names(abi, nr), .auid = auid, .uid = uid};
}
