/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A family holds what has the same effect, so that a rule with some of its calls and not the others leaves a
 * way round. Calls that belong to one subject but do something else (sethostname and setdomainname,
 * init_module and delete_module) are no family. Numbers: arch/x86/entry/syscalls/syscall_64.tbl,
 * syscall_32.tbl. The kernel of a call is that of its manual page, or of the commit that added it to those
 * tables. Which calls collect no name: do_sys_ftruncate, quotactl_fd.
 */
#include "lint/families.h"

#define OLD 0

/* clang-format off */
const struct family_call family_calls[] = {
	{FAM_CHMOD, "chmod", {90, 15}, OLD, 0},
	{FAM_CHMOD, "fchmod", {91, 94}, OLD, 0},
	{FAM_CHMOD, "fchmodat", {268, 306}, OLD, 0},
	{FAM_CHMOD, "fchmodat2", {452, 452}, KERNEL(6, 6), 0},

	{FAM_CHOWN, "chown", {92, 182}, OLD, 0},
	{FAM_CHOWN, "fchown", {93, 95}, OLD, 0},
	{FAM_CHOWN, "lchown", {94, 16}, OLD, 0},
	{FAM_CHOWN, "fchownat", {260, 298}, OLD, 0},
	{FAM_CHOWN, "chown32", {-1, 212}, OLD, 0},
	{FAM_CHOWN, "fchown32", {-1, 207}, OLD, 0},
	{FAM_CHOWN, "lchown32", {-1, 198}, OLD, 0},

	/* Creating files, opening by handle or running from a descriptor is watched for its own sake too. */
	{FAM_OPEN, "open", {2, 5}, OLD, 0},
	{FAM_OPEN, "creat", {85, 8}, OLD, CALL_ASKED},
	{FAM_OPEN, "openat", {257, 295}, OLD, 0},
	{FAM_OPEN, "openat2", {437, 437}, KERNEL(5, 6), 0},
	{FAM_OPEN, "open_by_handle_at", {304, 342}, OLD, CALL_ASKED},

	{FAM_TRUNCATE, "truncate", {76, 92}, OLD, 0},
	{FAM_TRUNCATE, "ftruncate", {77, 93}, OLD, CALL_NO_NAME},
	{FAM_TRUNCATE, "truncate64", {-1, 193}, OLD, 0},
	{FAM_TRUNCATE, "ftruncate64", {-1, 194}, OLD, CALL_NO_NAME},

	{FAM_RENAME, "rename", {82, 38}, OLD, 0},
	{FAM_RENAME, "renameat", {264, 302}, OLD, 0},
	{FAM_RENAME, "renameat2", {316, 353}, KERNEL(3, 15), 0},

	{FAM_UNLINK, "unlink", {87, 10}, OLD, 0},
	{FAM_UNLINK, "unlinkat", {263, 301}, OLD, 0},

	/* unlinkat does both; unlink says nothing of directories */
	{FAM_RMDIR, "rmdir", {84, 40}, OLD, 0},
	{FAM_RMDIR, "unlinkat", {263, 301}, OLD, 0},

	{FAM_LINK, "link", {86, 9}, OLD, 0},
	{FAM_LINK, "linkat", {265, 303}, OLD, 0},

	{FAM_SYMLINK, "symlink", {88, 83}, OLD, 0},
	{FAM_SYMLINK, "symlinkat", {266, 304}, OLD, 0},

	{FAM_MKNOD, "mknod", {133, 14}, OLD, 0},
	{FAM_MKNOD, "mknodat", {259, 297}, OLD, 0},

	{FAM_MKDIR, "mkdir", {83, 39}, OLD, 0},
	{FAM_MKDIR, "mkdirat", {258, 296}, OLD, 0},

	{FAM_SETXATTR, "setxattr", {188, 226}, OLD, 0},
	{FAM_SETXATTR, "lsetxattr", {189, 227}, OLD, 0},
	{FAM_SETXATTR, "fsetxattr", {190, 228}, OLD, 0},
	{FAM_SETXATTR, "setxattrat", {463, 463}, KERNEL(6, 13), 0},

	{FAM_REMOVEXATTR, "removexattr", {197, 235}, OLD, 0},
	{FAM_REMOVEXATTR, "lremovexattr", {198, 236}, OLD, 0},
	{FAM_REMOVEXATTR, "fremovexattr", {199, 237}, OLD, 0},
	{FAM_REMOVEXATTR, "removexattrat", {466, 466}, KERNEL(6, 13), 0},

	{FAM_TIMES, "utime", {132, 30}, OLD, 0},
	{FAM_TIMES, "utimes", {235, 271}, OLD, 0},
	{FAM_TIMES, "futimesat", {261, 299}, OLD, 0},
	{FAM_TIMES, "utimensat", {280, 320}, OLD, 0},
	{FAM_TIMES, "utimensat_time64", {-1, 412}, KERNEL(5, 1), 0},

	{FAM_ACCESS, "access", {21, 33}, OLD, 0},
	{FAM_ACCESS, "faccessat", {269, 307}, OLD, 0},
	{FAM_ACCESS, "faccessat2", {439, 439}, KERNEL(5, 8), 0},

	{FAM_QUOTA, "quotactl", {179, 131}, OLD, 0},
	{FAM_QUOTA, "quotactl_fd", {443, 443}, KERNEL(5, 14), CALL_NO_NAME},

	{FAM_EXEC, "execve", {59, 11}, OLD, 0},
	{FAM_EXEC, "execveat", {322, 358}, KERNEL(3, 19), CALL_ASKED},

	{FAM_CLONE, "clone", {56, 120}, OLD, 0},
	{FAM_CLONE, "clone3", {435, 435}, KERNEL(5, 3), 0},

	/* The calls after mount are one mount in parts: fsconfig makes or changes the file system, move_mount attaches it. */
	{FAM_MOUNT, "mount", {165, 21}, OLD, 0},
	{FAM_MOUNT, "move_mount", {429, 429}, KERNEL(5, 2), CALL_ASKED},
	{FAM_MOUNT, "fsconfig", {431, 431}, KERNEL(5, 2), CALL_ASKED},
	{FAM_MOUNT, "mount_setattr", {442, 442}, KERNEL(5, 12), CALL_ASKED},

	{FAM_UMOUNT, "umount", {-1, 22}, OLD, 0},
	{FAM_UMOUNT, "umount2", {166, 52}, OLD, 0},

	{FAM_MODULE, "init_module", {175, 128}, OLD, 0},
	{FAM_MODULE, "finit_module", {313, 350}, KERNEL(3, 8), 0},

	{FAM_KEXEC, "kexec_load", {246, 283}, OLD, 0},
	{FAM_KEXEC, "kexec_file_load", {320, -1}, KERNEL(3, 17), 0},

	{FAM_CLOCK, "settimeofday", {164, 79}, OLD, 0},
	{FAM_CLOCK, "adjtimex", {159, 124}, OLD, 0},
	{FAM_CLOCK, "clock_settime", {227, 264}, OLD, 0},
	{FAM_CLOCK, "clock_adjtime", {305, 343}, OLD, 0},
	{FAM_CLOCK, "stime", {-1, 25}, OLD, 0},
	{FAM_CLOCK, "clock_settime64", {-1, 404}, KERNEL(5, 1), 0},
	{FAM_CLOCK, "clock_adjtime64", {-1, 405}, KERNEL(5, 1), 0},

	{FAM_SETUID, "setuid", {105, 23}, OLD, 0},
	{FAM_SETUID, "setreuid", {113, 70}, OLD, 0},
	{FAM_SETUID, "setresuid", {117, 164}, OLD, 0},
	{FAM_SETUID, "setuid32", {-1, 213}, OLD, 0},
	{FAM_SETUID, "setreuid32", {-1, 203}, OLD, 0},
	{FAM_SETUID, "setresuid32", {-1, 208}, OLD, 0},

	{FAM_SETGID, "setgid", {106, 46}, OLD, 0},
	{FAM_SETGID, "setregid", {114, 71}, OLD, 0},
	{FAM_SETGID, "setresgid", {119, 170}, OLD, 0},
	{FAM_SETGID, "setgid32", {-1, 214}, OLD, 0},
	{FAM_SETGID, "setregid32", {-1, 204}, OLD, 0},
	{FAM_SETGID, "setresgid32", {-1, 210}, OLD, 0},

	{FAM_GROUPS, "setgroups", {116, 81}, OLD, 0},
	{FAM_GROUPS, "setgroups32", {-1, 206}, OLD, 0},

	{FAM_KILL, "kill", {62, 37}, OLD, 0},
	{FAM_KILL, "tkill", {200, 238}, OLD, 0},
	{FAM_KILL, "tgkill", {234, 270}, OLD, 0},
	{FAM_KILL, "rt_sigqueueinfo", {129, 178}, OLD, CALL_ASKED},
	{FAM_KILL, "rt_tgsigqueueinfo", {297, 335}, OLD, CALL_ASKED},
	{FAM_KILL, "pidfd_send_signal", {424, 424}, KERNEL(5, 1), 0},

	/* The memory of another process is read and written without ptrace too. */
	{FAM_PTRACE, "ptrace", {101, 26}, OLD, 0},
	{FAM_PTRACE, "process_vm_readv", {310, 347}, KERNEL(3, 2), CALL_ASKED},
	{FAM_PTRACE, "process_vm_writev", {311, 348}, KERNEL(3, 2), CALL_ASKED},

	/* i386 has one call for all of these beside the calls of their own. */
	{FAM_SOCKET, "socket", {-1, 359}, OLD, CALL_ASKS},
	{FAM_SOCKET, "bind", {-1, 361}, OLD, CALL_ASKS},
	{FAM_SOCKET, "connect", {-1, 362}, OLD, CALL_ASKS},
	{FAM_SOCKET, "listen", {-1, 363}, OLD, CALL_ASKS},
	{FAM_SOCKET, "accept4", {-1, 364}, OLD, CALL_ASKS},
	{FAM_SOCKET, "sendto", {-1, 369}, OLD, CALL_ASKS},
	{FAM_SOCKET, "sendmsg", {-1, 370}, OLD, CALL_ASKS},
	{FAM_SOCKET, "recvfrom", {-1, 371}, OLD, CALL_ASKS},
	{FAM_SOCKET, "recvmsg", {-1, 372}, OLD, CALL_ASKS},
	{FAM_SOCKET, "socketcall", {-1, 102}, OLD, CALL_ASKED},

	{FAM_ACCEPT, "accept", {43, -1}, OLD, 0},
	{FAM_ACCEPT, "accept4", {288, -1}, OLD, 0},
};
/* clang-format on */
const size_t family_calls_len = ARRAY_SIZE(family_calls);
