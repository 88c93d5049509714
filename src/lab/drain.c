/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The audit daemon of the guest: takes every record, keeps those it is told to keep in memory shared with the
 * controller. It runs at real-time priority below the benchmarks, above all else, so its socket is never
 * full.
 */
#include "lab/inside.h"

#include <dirent.h>
#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STORE_SIZE = 64 * 1024 * 1024, DRAIN_PRIORITY = 10, SOCKET_BUFFER = 32 * 1024 * 1024 };
enum command { KEEP = 'k', STOP = 's' };

/* The drain writes between KEEP and its answer to STOP, the controller reads after that answer: never both.
 */
struct store {
	size_t used, n;
	bool full;
	_Alignas(16) char data[];
};

struct drain {
	struct store *store;
	int line; /* the controller's end of a socket pair */
	pid_t kauditd;
};

static void keep_record(struct store *s, uint32_t type, const char *text, size_t len)
{
	size_t size = (sizeof(struct record) + len + 1 + 15) / 16 * 16;
	if (size > STORE_SIZE - sizeof(*s) - s->used) {
		s->full = true;
		return;
	}
	struct record *r = (struct record *)(void *)(s->data + s->used);
	r->type = type;
	r->len = (uint32_t)len;
	memcpy(r->text, text, len);
	r->text[len] = '\0';
	s->used += size;
	s->n++;
}

/* Reads all that is there. The length in the header of a record leaves the header out (kernel/audit.c:
 * audit_log_end), so only the datagram's own length counts. */
static void read_records(int nl, struct store *keep)
{
	static _Alignas(struct nlmsghdr) char buf[MAX_AUDIT_MESSAGE_LENGTH + 1024];
	ssize_t n;
	while ((n = recv(nl, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
		struct nlmsghdr h;
		if ((size_t)n < sizeof(h))
			continue;
		memcpy(&h, buf, sizeof(h));
		bool record = h.nlmsg_type >= AUDIT_FIRST_USER_MSG && h.nlmsg_type != AUDIT_REPLACE;
		if (keep && record)
			keep_record(keep, h.nlmsg_type, buf + NLMSG_HDRLEN, (size_t)n - NLMSG_HDRLEN);
	}
}

static void serve(int nl, int line, struct store *store)
{
	bool keeping = false;
	struct pollfd p[] = {{nl, POLLIN, 0}, {line, POLLIN, 0}};
	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		read_records(nl, keeping ? store : NULL);
		char c;
		ssize_t n = p[1].revents ? recv(line, &c, 1, 0) : -1;
		if (n == 0)
			_exit(0); /* the controller is gone */
		if (n < 0)
			continue;
		read_records(nl, keeping ? store : NULL);
		keeping = c == KEEP;
		if (keeping) {
			store->used = store->n = 0;
			store->full = false;
		}
		if (send(line, &c, 1, MSG_NOSIGNAL) != 1)
			_exit(0);
	}
}

static _Noreturn void drain_process(int line, struct store *store)
{
	prctl(PR_SET_NAME, "drain");
	struct sched_param sp = {.sched_priority = DRAIN_PRIORITY};
	sched_setscheduler(0, SCHED_FIFO, &sp);
	int nl = audit_open(), size = SOCKET_BUFFER;
	char ready = nl >= 0 && setsockopt(nl, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) == 0 &&
		     audit_set_pid(nl, (uint32_t)getpid(), WAIT_YES) > 0;
	if (send(line, &ready, 1, MSG_NOSIGNAL) == 1 && ready)
		serve(nl, line, store);
	_exit(1);
}

static pid_t find_kauditd(void)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	pid_t found = 0;
	struct arena *a = arena_new();
	while (d && !found && (e = readdir(d))) {
		uint32_t pid;
		struct str comm = {0};
		if (num_u32(e->d_name, 10, &pid) &&
		    file_read(arena_printf(a, "/proc/%s/comm", e->d_name), 64, &comm) == 0 &&
		    strcmp(str_get(&comm), "kauditd\n") == 0)
			found = (pid_t)pid;
		str_free(&comm);
	}
	if (d)
		closedir(d);
	arena_free(a);
	return found;
}

static void ask(struct agent *g, char command)
{
	char c = 0;
	if (send(g->drain->line, &command, 1, MSG_NOSIGNAL) != 1 || recv(g->drain->line, &c, 1, 0) != 1 ||
	    c != command)
		agent_fail(g, "the drain does not answer");
}

void drain_start(struct agent *g)
{
	struct drain *d = arena_one(g->arena, struct drain);
	int pair[2];
	d->kauditd = find_kauditd();
	if (!d->kauditd)
		agent_fail(g, "the guest has no kauditd");
	d->store = mmap(NULL, STORE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (d->store == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		agent_fail(g, "no memory for the drain");
	pid_t pid = fork();
	if (pid == 0) {
		close(pair[1]);
		drain_process(pair[0], d->store);
	}
	close(pair[0]);
	d->line = pair[1];
	g->drain = d;
	char ready = 0;
	if (pid < 0 || recv(d->line, &ready, 1, 0) != 1 || !ready)
		agent_fail(g, "the kernel does not take the drain as audit daemon");
}

static void get_status(struct agent *g, struct audit_status *out)
{
	struct audit_reply rep;
	if (audit_request_status(g->nl) <= 0)
		agent_fail(g, "the kernel does not tell the status of audit");
	do {
		if (audit_get_reply(g->nl, &rep, GET_REPLY_BLOCKING, 0) <= 0)
			agent_fail(g, "no answer about the status of audit");
	} while (rep.type != AUDIT_GET);
	*out = *rep.status;
}

static bool sleeping(pid_t pid)
{
	char path[32];
	struct str stat = {0};
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	bool ok = file_read(path, 4096, &stat) == 0;
	const char *close_paren = ok ? strrchr(stat.s, ')') : NULL;
	ok = close_paren && strncmp(close_paren, ") S", 3) == 0;
	str_free(&stat);
	return ok;
}

/*
 * A record of our own as a fence could be kept away by a user or exclude rule. So: nothing queued, kauditd
 * asleep (it sleeps only with an empty queue), then the drain reads its socket empty. The wait costs no host
 * time under -icount.
 */
void drain_wait(struct agent *g)
{
	struct audit_status st;
	for (;;) {
		get_status(g, &st);
		if (st.backlog == 0 && sleeping(g->drain->kauditd))
			break;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	if (st.lost)
		agent_fail(g, "the kernel lost %u records", st.lost);
}

void drain_keep(struct agent *g)
{
	drain_wait(g);
	ask(g, KEEP);
}

size_t drain_settle(struct agent *g, struct arena *a, const struct record ***list)
{
	drain_wait(g);
	ask(g, STOP);
	struct store *s = g->drain->store;
	if (s->full)
		agent_fail(g, "more records came than fit into memory");
	const struct record **out = arena_array(a, const struct record *, s->n + 1);
	size_t at = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct record *r = (const struct record *)(const void *)(s->data + at);
		out[i] = r;
		at += (sizeof(*r) + r->len + 1 + 15) / 16 * 16;
	}
	*list = out;
	return s->n;
}
