/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families: system calls through which the same can be done. */
#ifndef AUDITOPT_FAMILIES_H
#define AUDITOPT_FAMILIES_H

#include "kernel/kernel.h"

enum family {
	FAM_CHMOD,
	FAM_CHOWN,
	FAM_OPEN,
	FAM_TRUNCATE,
	FAM_RENAME,
	FAM_UNLINK,
	FAM_RMDIR,
	FAM_LINK,
	FAM_SYMLINK,
	FAM_MKNOD,
	FAM_MKDIR,
	FAM_SETXATTR,
	FAM_REMOVEXATTR,
	FAM_TIMES,
	FAM_ACCESS,
	FAM_QUOTA,
	FAM_EXEC,
	FAM_CLONE,
	FAM_MOUNT,
	FAM_UMOUNT,
	FAM_MODULE,
	FAM_KEXEC,
	FAM_CLOCK,
	FAM_SETUID,
	FAM_SETGID,
	FAM_GROUPS,
	FAM_KILL,
	FAM_PTRACE,
	FAM_SOCKET,
	FAM_ACCEPT,
	FAM_COUNT,
};

enum {
	CALL_ASKED = 1,   /* only asked for: its presence says nothing of the others */
	CALL_ASKS = 2,    /* only asks for the others: its absence says nothing */
	CALL_NO_NAME = 4, /* collects no name: no path, dir or obj_ field ever matches it */
};

struct family_call {
	enum family family;
	const char *name;
	short nr[ABI_COUNT]; /* -1: the ABI has no such call */
	int since;           /* KERNEL(...) that brought it; 0: as old as matters here */
	unsigned flags;
};

extern const struct family_call family_calls[];
extern const size_t family_calls_len;

#endif
