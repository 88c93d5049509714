/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The library here knows the calls that audit 3.0.9 knows (numbers to 450). What came later has the same
 * number on every machine (the kernel's scripts/syscall.tbl); since which release audit has the name is judged
 * by the dates of both, as audit takes over the kernel's tables from time to time.
 */
#include "lang/calls.h"

#include "lang/lang.h"

#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	int number, release;
} later[] = {
    {"cachestat", 451, RELEASE(3, 1, 3)},         {"fchmodat2", 452, RELEASE(3, 1, 3)},
    {"map_shadow_stack", 453, RELEASE(4, 0, 0)},  {"futex_wake", 454, RELEASE(4, 0, 0)},
    {"futex_wait", 455, RELEASE(4, 0, 0)},        {"futex_requeue", 456, RELEASE(4, 0, 0)},
    {"statmount", 457, RELEASE(4, 0, 1)},         {"listmount", 458, RELEASE(4, 0, 1)},
    {"lsm_get_self_attr", 459, RELEASE(4, 0, 1)}, {"lsm_set_self_attr", 460, RELEASE(4, 0, 1)},
    {"lsm_list_modules", 461, RELEASE(4, 0, 1)},  {"mseal", 462, RELEASE(4, 0, 2)},
    {"setxattrat", 463, RELEASE(4, 0, 3)},        {"getxattrat", 464, RELEASE(4, 0, 3)},
    {"listxattrat", 465, RELEASE(4, 0, 3)},       {"removexattrat", 466, RELEASE(4, 0, 3)},
    {"open_tree_attr", 467, RELEASE(4, 1, 0)},    {"file_getattr", 468, RELEASE(4, 1, 2)},
    {"file_setattr", 469, RELEASE(4, 1, 2)},
};

int named_call(const char *name, int machine, int release)
{
	for (size_t i = 0; i < ARRAY_SIZE(later); i++) {
		if (strcasecmp(later[i].name, name) == 0 && release >= later[i].release)
			return later[i].number;
	}
	return audit_name_to_syscall(name, machine);
}

int later_call(const char *name, int machine, int *release)
{
	(void)machine; /* common numbers: scripts/syscall.tbl of the kernel */
	for (size_t i = 0; i < ARRAY_SIZE(later); i++) {
		if (strcasecmp(later[i].name, name) == 0) {
			*release = later[i].release;
			return later[i].number;
		}
	}
	return -1;
}

/* Calls that the generic table (include/uapi/asm-generic/unistd.h) left out, and the one that does their
 * work. */
static const struct {
	const char *name, *instead;
} replaced[] = {
    {"open", "openat"},
    {"creat", "openat"},
    {"unlink", "unlinkat"},
    {"rmdir", "unlinkat"},
    {"mkdir", "mkdirat"},
    {"mknod", "mknodat"},
    {"rename", "renameat"},
    {"link", "linkat"},
    {"symlink", "symlinkat"},
    {"readlink", "readlinkat"},
    {"chmod", "fchmodat"},
    {"chown", "fchownat"},
    {"lchown", "fchownat"},
    {"access", "faccessat"},
    {"stat", "newfstatat"},
    {"lstat", "newfstatat"},
    {"utime", "utimensat"},
    {"utimes", "utimensat"},
    {"futimesat", "utimensat"},
    {"fork", "clone"},
    {"vfork", "clone"},
    {"pipe", "pipe2"},
    {"dup2", "dup3"},
    {"getdents", "getdents64"},
    {"epoll_create", "epoll_create1"},
    {"epoll_wait", "epoll_pwait"},
    {"poll", "ppoll"},
    {"select", "pselect6"},
    {"signalfd", "signalfd4"},
    {"eventfd", "eventfd2"},
    {"inotify_init", "inotify_init1"},
    {"time", "gettimeofday"},
    {"alarm", "setitimer"},
    {"pause", "ppoll"},
    {"umount", "umount2"},
    {"arch_prctl", NULL},
    {"getpgrp", "getpgid"},
};

const char *instead_of_call(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(replaced); i++) {
		if (strcasecmp(replaced[i].name, name) == 0)
			return replaced[i].instead;
	}
	return NULL;
}

/* IORING_OP_ of linux/io_uring.h; audit names those that it thinks worth auditing. */
static const struct {
	const char *name;
	int number;
} operations[] = {
    {"sendmsg", 9},     {"recvmsg", 10},  {"accept", 13},    {"connect", 16},  {"fallocate", 17},
    {"openat", 18},     {"close", 19},    {"openat2", 28},   {"shutdown", 34}, {"renameat", 35},
    {"unlinkat", 36},   {"mkdirat", 37},  {"symlinkat", 38}, {"linkat", 39},   {"msg_ring", 40},
    {"fsetxattr", 41},  {"setxattr", 42}, {"fgetxattr", 43}, {"getxattr", 44}, {"uring_cmd", 46},
    {"sendmsg_zc", 48},
};

int uring_number(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		if (strcasecmp(operations[i].name, name) == 0)
			return operations[i].number;
	}
	return -1;
}

void uring_all(uint32_t mask[AUDIT_BITMASK_SIZE])
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		mask_add(mask, (unsigned)operations[i].number);
}

/* The calls that the letters of perm stand for where auditctl adds them to the mask; those of 4.2 apart. */
static const struct {
	uint32_t bit;
	const char *calls, *newer;
} letters[] = {
    {AUDIT_PERM_EXEC, "execve", "execveat"},
    {AUDIT_PERM_WRITE,
     "acct bind creat fallocate ftruncate link linkat mkdir mkdirat mknod mknodat open openat openat2 "
     "quotactl rename renameat "
     "renameat2 rmdir swapon symlink symlinkat truncate unlink unlinkat",
     "quotactl_fd"},
    {AUDIT_PERM_READ,
     "flistxattr fgetxattr getxattr lgetxattr listxattr llistxattr open openat openat2 quotactl readlink "
     "readlinkat",
     "file_getattr getxattrat listxattrat"},
    {AUDIT_PERM_ATTR,
     "chmod chown fchmod fchmodat fchown fchownat fremovexattr fsetxattr lchown link linkat lremovexattr "
     "lsetxattr removexattr "
     "setxattr",
     "fchmodat2 file_setattr removexattrat setxattrat"},
};

static void add_calls(const char *names, int machine, int release, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	char name[32];
	while (*names) {
		size_t n = strcspn(names, " ");
		if (n < sizeof(name)) {
			memcpy(name, names, n);
			name[n] = '\0';
			int nr = named_call(name, machine, release);
			if (nr >= 0)
				mask_add(mask, (unsigned)nr);
		}
		names += n + (names[n] ? 1 : 0);
	}
}

void perm_calls(uint32_t bits, int machine, int release, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
		if (!(bits & letters[i].bit))
			continue;
		add_calls(letters[i].calls, machine, release, mask);
		if (release_has(release, T_PERM_OPEN2))
			add_calls(letters[i].newer, machine, release, mask);
	}
}
