/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls during which the kernel starts no record of its own when no security module, no fanotify listener and no auditing of
 * terminals does (a read of one may hand its input over as a TTY record: drivers/tty/tty_audit.c). Left
 * out on purpose: writes (a write to /proc/self/loginuid is a LOGIN record), sends (netlink: CONFIG_CHANGE), everything
 * that can drop the last reference to a directory (its rules are removed then, with a record: close, dup2, chdir, exit ...),
 * and everything that takes a path (ANOM_LINK, and the watches it may move).
 */
#include "prove/prove.h"

#include <string.h>

static const char *const quiet_calls[] = {
	"_llseek", "_newselect", "alarm", "break", "brk", "clock_getres", "clock_gettime", "clock_nanosleep", "epoll_pwait", "epoll_wait", "ftime", "futex",
	"getcpu", "getcwd", "getegid", "getegid32", "geteuid", "geteuid32", "getgid", "getgid32", "getgroups", "getitimer", "getpgid", "getpgrp", "getpid",
	"getppid", "getpriority", "getrandom", "getresgid", "getresgid32", "getresuid", "getresuid32", "getrlimit", "getrusage", "getsid", "gettid",
	"gettimeofday", "getuid", "getuid32", "iopl", "lseek", "mincore", "nice", "oldolduname", "olduname", "nanosleep", "pause", "poll", "ppoll", "pread", "preadv", "pselect6", "read",
	"readv", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend",
	"rt_sigtimedwait", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_yield", "select",
	"setitimer", "sgetmask", "sigpending", "sigprocmask", "sigsuspend", "ssetmask", "set_robust_list", "set_tid_address", "sigaltstack", "sysinfo", "time", "times", "ugetrlimit", "umask",
	"uname", "wait4", "waitid", "waitpid",
};

bool call_is_quiet(enum abi abi, unsigned nr)
{
	const char *name = abi_syscall_name(abi, nr);
	for (size_t i = 0; name && i < ARRAY_SIZE(quiet_calls); i++) {
		if (strcmp(quiet_calls[i], name) == 0)
			return true;
	}
	return false;
}
