/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one piece of process-wide state: what a signal handler must undo. Slots are fixed memory, and only
 * async-signal-safe calls are made from the handler (signal-safety(7)).
 */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { FREE, FILE_NAME, DIR_NAME, CHILD };

static struct slot {
	volatile sig_atomic_t kind;
	pid_t owner;          /* a forked child must not undo its parent's work */
	pid_t pid;
	char path[PATH_MAX];
} slots[CLEANUP_MAX];

void cleanup_hold(sigset_t *old)
{
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, old);
}

void cleanup_release(const sigset_t *old)
{
	sigprocmask(SIG_SETMASK, old, NULL);
}

static int take(enum kind kind, const char *path, pid_t pid)
{
	if (path && strlen(path) >= sizeof(slots[0].path))
		return -1;
	sigset_t old;
	cleanup_hold(&old);
	int got = -1;
	for (int i = 0; i < CLEANUP_MAX && got < 0; i++) {
		if (slots[i].kind != FREE)
			continue;
		got = i;
		if (path)
			memcpy(slots[i].path, path, strlen(path) + 1);
		slots[i].pid = pid;
		slots[i].owner = getpid();
		slots[i].kind = kind;
	}
	cleanup_release(&old);
	return got;
}

int cleanup_file(const char *path)
{
	return take(FILE_NAME, path, 0);
}

int cleanup_dir(const char *path)
{
	return take(DIR_NAME, path, 0);
}

int cleanup_child(pid_t pid)
{
	return take(CHILD, NULL, pid);
}

void cleanup_forget(int slot)
{
	if (slot >= 0 && slot < CLEANUP_MAX)
		slots[slot].kind = FREE;
}

/* Removes the files of a directory and the directory; getdents64 because readdir(3) allocates. */
static void remove_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	struct entry {
		uint64_t ino;
		int64_t off;
		unsigned short len;
		unsigned char type;
		char name[];
	};
	_Alignas(struct entry) char buf[4096];
	long n;
	bool removed = true;
	while (removed && (n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		removed = false;
		for (long at = 0; at < n;) {
			struct entry *e = (struct entry *)(void *)(buf + at);
			if (e->type != DT_DIR && unlinkat(fd, e->name, 0) == 0)
				removed = true;
			at += e->len;
		}
		lseek(fd, 0, SEEK_SET);   /* what is left may have moved */
	}
	close(fd);
	rmdir(path);
}

static void undo(int sig)
{
	pid_t self = getpid();
	for (int i = 0; i < CLEANUP_MAX; i++) {   /* processes first: they may still write the files */
		if (slots[i].kind == CHILD && slots[i].owner == self) {
			kill(slots[i].pid, SIGKILL);
			waitpid(slots[i].pid, NULL, 0);
		}
	}
	for (int i = 0; i < CLEANUP_MAX; i++) {
		if (slots[i].owner != self)
			continue;
		if (slots[i].kind == FILE_NAME)
			unlink(slots[i].path);
		else if (slots[i].kind == DIR_NAME)
			remove_dir(slots[i].path);
	}
	signal(sig, SIG_DFL);
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, sig);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(sig);
}

void cleanup_install(void)
{
	struct sigaction sa = {.sa_handler = undo};
	sigfillset(&sa.sa_mask);
	static const struct {
		int number;
		bool may_be_ignored; /* by who started us: nohup(1), or a reader that goes away */
	} signals[] = {/* told to stop, a limit was met, no memory */
		{SIGINT, false}, {SIGTERM, false}, {SIGQUIT, false}, {SIGXCPU, false}, {SIGABRT, false}, {SIGHUP, true}, {SIGPIPE, true}};
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction before;
		sigaction(signals[i].number, &sa, &before);
		if (signals[i].may_be_ignored && before.sa_handler == SIG_IGN)
			sigaction(signals[i].number, &before, NULL);
	}
	signal(SIGXFSZ, SIG_IGN); /* write(2) then says EFBIG */
}
