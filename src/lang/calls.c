/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The library here knows the calls that audit 3.0.9 knows (numbers to 450). What came later has the same
 * number on every machine; which release of audit has the name goes by the day it was added: audit-userspace
 * 342 (2023-11, numbers 451 to 453) and 429 (2025-01, numbers 463 to 466, behind 4.0.3), the others by the
 * date of their kernel.
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
    {"map_shadow_stack", 453, RELEASE(3, 1, 3)},  {"futex_wake", 454, RELEASE(4, 0, 0)},
    {"futex_wait", 455, RELEASE(4, 0, 0)},        {"futex_requeue", 456, RELEASE(4, 0, 0)},
    {"statmount", 457, RELEASE(4, 0, 1)},         {"listmount", 458, RELEASE(4, 0, 1)},
    {"lsm_get_self_attr", 459, RELEASE(4, 0, 1)}, {"lsm_set_self_attr", 460, RELEASE(4, 0, 1)},
    {"lsm_list_modules", 461, RELEASE(4, 0, 1)},  {"mseal", 462, RELEASE(4, 0, 2)},
    {"setxattrat", 463, RELEASE(4, 0, 4)},        {"getxattrat", 464, RELEASE(4, 0, 4)},
    {"listxattrat", 465, RELEASE(4, 0, 4)},       {"removexattrat", 466, RELEASE(4, 0, 4)},
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

/*
 * IORING_OP_ of linux/io_uring.h; audit names those that it thinks worth auditing (lib/uringop_table.h). The
 * later ones came with the kernel 6.7 and with audit-userspace 430 (2025-01).
 */
static const struct {
	const char *name;
	int number, release; /* 0: of the first with the list */
} operations[] = {
    {"sendmsg", 9, 0},
    {"recvmsg", 10, 0},
    {"accept", 13, 0},
    {"connect", 16, 0},
    {"fallocate", 17, 0},
    {"openat", 18, 0},
    {"close", 19, 0},
    {"openat2", 28, 0},
    {"shutdown", 34, 0},
    {"renameat", 35, 0},
    {"unlinkat", 36, 0},
    {"mkdirat", 37, 0},
    {"symlinkat", 38, 0},
    {"linkat", 39, 0},
    {"msg_ring", 40, 0},
    {"fsetxattr", 41, 0},
    {"setxattr", 42, 0},
    {"fgetxattr", 43, 0},
    {"getxattr", 44, 0},
    {"uring_cmd", 46, 0},
    {"sendmsg_zc", 48, 0},
    {"waitid", 50, RELEASE(4, 0, 1)},
    {"futex_wait", 51, RELEASE(4, 0, 1)},
    {"futex_wake", 52, RELEASE(4, 0, 1)},
    {"futex_waitv", 53, RELEASE(4, 0, 1)},
    {"fixed_fd_install", 54, RELEASE(4, 0, 4)},
    {"ftruncate", 55, RELEASE(4, 0, 4)},
    {"bind", 56, RELEASE(4, 0, 4)},
    {"listen", 57, RELEASE(4, 0, 4)},
};

int later_uring(const char *name, int *release)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		if (strcasecmp(operations[i].name, name) == 0) {
			*release = operations[i].release;
			return operations[i].number;
		}
	}
	return -1;
}

int uring_number(const char *name, int release)
{
	int since = 0, nr = later_uring(name, &since);
	return since <= release ? nr : -1;
}

const char *uring_name(unsigned number, int release)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		if ((unsigned)operations[i].number == number && operations[i].release <= release)
			return operations[i].name;
	}
	return NULL;
}

void uring_all(int release, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		if (operations[i].release <= release)
			mask_add(mask, (unsigned)operations[i].number);
	}
}

/*
 * The calls that the letters of perm stand for where auditctl adds them to the mask (lib/permtab.h), by call;
 * the later release's own apart.
 */
enum { P_X = AUDIT_PERM_EXEC, P_W = AUDIT_PERM_WRITE, P_R = AUDIT_PERM_READ, P_A = AUDIT_PERM_ATTR };

static const struct {
	const char *name;
	uint8_t bits;
	bool newer; /* T_PERM_OPEN2 */
} perm_names[] = {
    {"execve", P_X, false},        {"execveat", P_X, true},        {"rename", P_W, false},
    {"renameat", P_W, false},      {"renameat2", P_W, false},      {"mkdir", P_W, false},
    {"mkdirat", P_W, false},       {"rmdir", P_W, false},          {"creat", P_W, false},
    {"link", P_W | P_A, false},    {"linkat", P_W | P_A, false},   {"unlink", P_W, false},
    {"unlinkat", P_W, false},      {"symlink", P_W, false},        {"symlinkat", P_W, false},
    {"mknod", P_W, false},         {"mknodat", P_W, false},        {"acct", P_W, false},
    {"swapon", P_W, false},        {"quotactl", P_W | P_R, false}, {"quotactl_fd", P_W, true},
    {"truncate", P_W, false},      {"ftruncate", P_W, false},      {"bind", P_W, false},
    {"fallocate", P_W, false},     {"open", P_W | P_R, false},     {"openat", P_W | P_R, false},
    {"openat2", P_W | P_R, false}, {"readlink", P_R, false},       {"readlinkat", P_R, false},
    {"listxattr", P_R, false},     {"llistxattr", P_R, false},     {"flistxattr", P_R, false},
    {"listxattrat", P_R, true},    {"getxattr", P_R, false},       {"lgetxattr", P_R, false},
    {"fgetxattr", P_R, false},     {"getxattrat", P_R, true},      {"file_getattr", P_R, true},
    {"chmod", P_A, false},         {"fchmod", P_A, false},         {"fchmodat", P_A, false},
    {"fchmodat2", P_A, true},      {"chown", P_A, false},          {"lchown", P_A, false},
    {"fchown", P_A, false},        {"fchownat", P_A, false},       {"setxattr", P_A, false},
    {"lsetxattr", P_A, false},     {"fsetxattr", P_A, false},      {"setxattrat", P_A, true},
    {"removexattr", P_A, false},   {"lremovexattr", P_A, false},   {"fremovexattr", P_A, false},
    {"removexattrat", P_A, true},  {"file_setattr", P_A, true},
};

const char *perm_calls(uint32_t bits, int machine, int release, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	const char *lacking = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(perm_names); i++) {
		if (!(bits & perm_names[i].bits) ||
		    (perm_names[i].newer && !release_has(release, T_PERM_OPEN2)))
			continue;
		int nr = named_call(perm_names[i].name, machine, release);
		if (nr >= 0)
			mask_add(mask, (unsigned)nr);
		else if (!lacking)
			lacking = perm_names[i].name;
	}
	return lacking;
}
