/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/trigger.h"

#include <string.h>

/*
 * The calls that triggers know how to make, the telling ones first: a rule of many calls gets the first
 * TRIGGER_CALLS of this order. Arguments are what the manual page of section 2 gives; the values are chosen
 * so that the call ends at once and what it changes can be put back. Letters: arg_value() in trigger_run.c.
 */
const struct call_row call_table[] = {
    {"openat", "dpfm", CALL_OPEN | CALL_FD, EPERM_FOREIGN},
    {"open", "pfm", CALL_OPEN | CALL_FD, EPERM_FOREIGN},
    {"execve", "pAE", CALL_EXEC | CALL_FORK, EPERM_FOREIGN},
    {"execveat", "dpAE0", CALL_EXEC | CALL_FORK, EPERM_FOREIGN},
    {"chmod", "pm", 0, EPERM_FOREIGN},
    {"chown", "p00", 0, EPERM_FOREIGN},
    {"link", "pq", 0, EPERM_STICKY},
    {"rename", "pq", CALL_NAME, EPERM_STICKY},
    {"unlink", "p", CALL_NAME, EPERM_STICKY},
    {"truncate", "p0", 0, EPERM_SEALED},
    {"setxattr", "pxvV0", CALL_XATTR, EPERM_FOREIGN},
    {"creat", "pm", CALL_FD, EPERM_SEALED},
    {"open_by_handle_at", "Kkf", CALL_OPEN | CALL_FD, EPERM_FOREIGN},
    {"openat2", "dpoO", CALL_OPEN | CALL_FD, EPERM_FOREIGN},
    {"fchmodat", "dpm", 0, EPERM_FOREIGN},
    {"fchmod", "hm", 0, EPERM_FOREIGN},
    {"fchownat", "dp000", 0, EPERM_FOREIGN},
    {"lchown", "p00", 0, EPERM_FOREIGN},
    {"fchown", "h00", 0, EPERM_FOREIGN},
    {"renameat", "dpdq", CALL_NAME, EPERM_STICKY},
    {"unlinkat", "dp0", CALL_NAME, EPERM_STICKY},
    {"linkat", "dpdq0", 0, EPERM_STICKY},
    {"ftruncate", "h0", 0, EPERM_SEALED},
    {"readlink", "pbB", 0, EPERM_FOREIGN},
    {"getxattr", "pxbB", 0, EPERM_FOREIGN},
    {"listxattr", "pbB", 0, EPERM_FOREIGN},
    {"removexattr", "px", 0, EPERM_FOREIGN},
    {"mkdir", "qm", CALL_NAME, EPERM_STICKY},
    {"rmdir", "q", CALL_NAME | CALL_SECOND_DIR, EPERM_STICKY},
    {"mknod", "qM0", CALL_NAME, EPERM_STICKY},
    {"symlink", "tq", CALL_NAME, EPERM_STICKY},
    {"renameat2", "dpdq0", CALL_NAME, EPERM_STICKY},
    {"lsetxattr", "pxvV0", CALL_XATTR, EPERM_FOREIGN},
    {"fsetxattr", "hxvV0", CALL_XATTR, EPERM_FOREIGN},
    {"lremovexattr", "px", 0, EPERM_FOREIGN},
    {"fremovexattr", "hx", 0, EPERM_FOREIGN},
    {"lgetxattr", "pxbB", 0, EPERM_FOREIGN},
    {"fgetxattr", "hxbB", 0, EPERM_FOREIGN},
    {"llistxattr", "pbB", 0, EPERM_FOREIGN},
    {"flistxattr", "hbB", 0, EPERM_FOREIGN},
    {"readlinkat", "dpbB", 0, EPERM_FOREIGN},
    {"mkdirat", "dqm", CALL_NAME, EPERM_STICKY},
    {"mknodat", "dqM0", CALL_NAME, EPERM_STICKY},
    {"symlinkat", "tdq", CALL_NAME, EPERM_STICKY},
    {"chown32", "p00", 0, EPERM_FOREIGN},
    {"lchown32", "p00", 0, EPERM_FOREIGN},
    {"fchown32", "h00", 0, EPERM_FOREIGN},
    {"truncate64", "p00", 0, EPERM_SEALED},
    {"ftruncate64", "h00", 0, EPERM_SEALED},
    {"fallocate", "h0000", 0, EPERM_FOREIGN},
    {"bind", "sal", CALL_NAME, EPERM_STICKY},
    {"socketcall", "2c", CALL_NAME, EPERM_STICKY},
    {"connect", "sal", CALL_INET, EPERM_FOREIGN},
    {"socket", "110", CALL_FD, EPERM_FOREIGN},
    {"mount", "tptRn", 0, EPERM_FOREIGN},
    {"umount2", "p0", 0, EPERM_FOREIGN},
    {"umount", "p", 0, EPERM_FOREIGN},
    {"quotactl", "0p0b", 0, EPERM_FOREIGN},
    {"swapon", "p0", 0, EPERM_FOREIGN},
    {"acct", "n", 0, EPERM_FOREIGN},
    {"chroot", "p", CALL_FORK, EPERM_FOREIGN},
    {"chdir", "p", CALL_FORK, EPERM_FOREIGN},
    {"stat", "pb", 0, EPERM_FOREIGN},
    {"lstat", "pb", 0, EPERM_FOREIGN},
    {"stat64", "pb", 0, EPERM_FOREIGN},
    {"lstat64", "pb", 0, EPERM_FOREIGN},
    {"newfstatat", "dpb0", 0, EPERM_FOREIGN},
    {"fstatat64", "dpb0", 0, EPERM_FOREIGN},
    {"statx", "dp00b", 0, EPERM_FOREIGN},
    {"statfs", "pb", 0, EPERM_FOREIGN},
    {"access", "p0", 0, EPERM_FOREIGN},
    {"faccessat", "dp0", 0, EPERM_FOREIGN},
    {"faccessat2", "dp00", 0, EPERM_FOREIGN},
    {"utime", "pn", 0, EPERM_FOREIGN},
    {"utimes", "pn", 0, EPERM_FOREIGN},
    {"futimesat", "dpn", 0, EPERM_FOREIGN},
    {"utimensat", "dpn0", 0, EPERM_FOREIGN},
    {"setuid", "0", CALL_FORK, EPERM_FOREIGN},
    {"setgid", "0", CALL_FORK, EPERM_FOREIGN},
    {"setreuid", "00", CALL_FORK, EPERM_FOREIGN},
    {"setregid", "00", CALL_FORK, EPERM_FOREIGN},
    {"setresuid", "000", CALL_FORK, EPERM_FOREIGN},
    {"setresgid", "000", CALL_FORK, EPERM_FOREIGN},
    {"setfsuid", "0", CALL_FORK, EPERM_FOREIGN},
    {"setfsgid", "0", CALL_FORK, EPERM_FOREIGN},
    {"setgroups", "0n", CALL_FORK, EPERM_FOREIGN},
    {"setuid32", "0", CALL_FORK, EPERM_FOREIGN},
    {"setgid32", "0", CALL_FORK, EPERM_FOREIGN},
    {"setreuid32", "00", CALL_FORK, EPERM_FOREIGN},
    {"setregid32", "00", CALL_FORK, EPERM_FOREIGN},
    {"setresuid32", "000", CALL_FORK, EPERM_FOREIGN},
    {"setresgid32", "000", CALL_FORK, EPERM_FOREIGN},
    {"setfsuid32", "0", CALL_FORK, EPERM_FOREIGN},
    {"setfsgid32", "0", CALL_FORK, EPERM_FOREIGN},
    {"setgroups32", "0n", CALL_FORK, EPERM_FOREIGN},
    {"sethostname", "HL", 0, EPERM_FOREIGN},
    {"setdomainname", "DN", 0, EPERM_FOREIGN},
    /* all zero: adjtimex with modes 0 only reads */
    {"adjtimex", "b", 0, EPERM_FOREIGN},
    {"clock_adjtime", "0b", 0, EPERM_FOREIGN},
    {"settimeofday", "nn", 0, EPERM_FOREIGN},
    {"clock_settime", "0n", 0, EPERM_FOREIGN},
    {"clock_settime64", "0n", 0, EPERM_FOREIGN},
    {"stime", "n", 0, EPERM_FOREIGN},
    /* an empty image, no descriptor, a module that is not there */
    {"init_module", "n0e", 0, EPERM_FOREIGN},
    {"finit_module", "-e0", 0, EPERM_FOREIGN},
    {"delete_module", "t0", 0, EPERM_FOREIGN},
    /* flag 1 asks for the version */
    {"landlock_create_ruleset", "n01", 0, EPERM_FOREIGN},
    {"landlock_add_rule", "-1n0", 0, EPERM_FOREIGN},
    {"landlock_restrict_self", "-0", 0, EPERM_FOREIGN},
    /* PTRACE_ATTACH to process 0, which is none */
    {"ptrace", "T0nn", CALL_FORK, EPERM_FOREIGN},
    /* signal 0 to itself: checked, nothing sent; a rule may ask for another */
    {"kill", "S0", CALL_FORK, EPERM_FOREIGN},
    {"tkill", "S0", CALL_FORK, EPERM_FOREIGN},
    {"tgkill", "SS0", CALL_FORK, EPERM_FOREIGN},
    {"personality", "-", CALL_FORK, EPERM_FOREIGN},
    {"getppid", "", 0, EPERM_FOREIGN},
};
const size_t call_table_len = ARRAY_SIZE(call_table);

const struct call_denied call_denied_table[] = {
    {"reboot", "ends the guest"},
    {"kexec_load", "replaces the kernel"},
    {"sys_kexec_load", "replaces the kernel; libaudit's name for it on i386"},
    {"kexec_file_load", "replaces the kernel"},
    {"exit", "ends the process before the trigger is done"},
    {"exit_group", "ends the process before the trigger is done"},
    {"fork", "the copy would go on with the trigger's calls"},
    {"vfork", "the copy would share the trigger's stack"},
    {"clone", "the copy would go on with the trigger's calls"},
    {"clone3", "the copy would go on with the trigger's calls"},
    {"pause", "waits for a signal"},
    {"sigsuspend", "waits for a signal"},
    {"rt_sigsuspend", "waits for a signal"},
    {"select", "waits for ever without descriptors and time"},
    {"_newselect", "waits for ever without descriptors and time"},
    {"pselect6", "waits for ever without descriptors and time"},
    {"ppoll", "waits for ever without a time"},
    {"pselect6_time64", "waits for ever without descriptors and time"},
    {"ppoll_time64", "waits for ever without a time"},
    {"sigreturn", "takes registers from a frame that is not there"},
    {"rt_sigreturn", "takes registers from a frame that is not there"},
    {"vhangup", "hangs up the console the guest reports on"},
    {"swapoff", "changes memory for the whole guest"},
    {"pivot_root", "takes the root away from the guest"},
    {"seccomp", "restricts all further calls of the process"},
    {"vm86", "leaves 64-bit code"},
    {"vm86old", "leaves 64-bit code"},
};
const size_t call_denied_table_len = ARRAY_SIZE(call_denied_table);

static const char *name_of(enum abi abi, unsigned nr)
{
	return audit_syscall_to_name((int)nr, abi == ABI_64 ? MACH_86_64 : MACH_X86);
}

const char *call_denied(enum abi abi, unsigned nr)
{
	const char *name = name_of(abi, nr);
	if (!name)
		return "has no name, so what it would do is not known";
	for (size_t i = 0; i < call_denied_table_len; i++)
		if (strcmp(call_denied_table[i].name, name) == 0)
			return call_denied_table[i].reason;
	return NULL;
}

const struct call_row *call_row_of(enum abi abi, unsigned nr)
{
	const char *name = name_of(abi, nr);
	for (size_t i = 0; name && i < call_table_len; i++)
		if (strcmp(call_table[i].name, name) == 0)
			return &call_table[i];
	return NULL;
}
