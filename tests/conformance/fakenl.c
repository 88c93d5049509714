/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded under auditctl: its netlink socket becomes a socket pair inside the process, every request is
 * answered with success and written to $FAKENL_LOG as type, length and payload. Nothing reaches the kernel's
 * audit system, no signal is sent, and what would go to syslog goes to standard error. Each line that
 * auditctl reads is in the log too (FAKENL_READ, no payload), before what it sends for it.
 */
#include "fakenl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libaudit.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FDS = 64 };
static int other_end[FDS]; /* by descriptor: the side replies are written to, plus 1; 0: not ours */

static int ours(int fd)
{
	return fd >= 0 && fd < FDS && other_end[fd];
}

int socket(int domain, int type, int protocol)
{
	if (domain != AF_NETLINK) /* syslog and the name service */
		return (int)syscall(SYS_socket, domain, type, protocol);
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	int size = 1 << 20;
	setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	if (pair[0] >= FDS)
		abort();
	other_end[pair[0]] = pair[1] + 1;
	return pair[0];
}

int close(int fd)
{
	if (ours(fd)) {
		syscall(SYS_close, other_end[fd] - 1);
		other_end[fd] = 0;
	}
	return (int)syscall(SYS_close, fd);
}

static void log_request(uint32_t type, const void *data, uint32_t len)
{
	const char *path = getenv("FAKENL_LOG");
	int log = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	uint32_t head[2] = {type, len};
	if (log < 0 || write(log, head, sizeof(head)) != sizeof(head) ||
	    (len && write(log, data, len) != (ssize_t)len))
		abort();
	syscall(SYS_close, log);
}

/* What auditctl reads its rules with, and nothing else. */
char *fgets_unlocked(char *buf, int size, FILE *f)
{
	static char *(*real)(char *, int, FILE *);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fgets_unlocked");
	if (!real)
		abort();
	char *line = real(buf, size, f);
	if (line)
		log_request(FAKENL_READ, NULL, 0);
	return line;
}

static void reply(int fd, const struct nlmsghdr *request, uint16_t type, const void *data, size_t len)
{
	union {
		struct nlmsghdr head;
		char bytes[NLMSG_SPACE(MAX_AUDIT_MESSAGE_LENGTH)];
	} m = {.head = {.nlmsg_len = NLMSG_LENGTH(len), .nlmsg_type = type, .nlmsg_seq = request->nlmsg_seq}};
	memcpy(NLMSG_DATA(&m.head), data, len);
	if (send(other_end[fd] - 1, &m, m.head.nlmsg_len, MSG_DONTWAIT) < 0)
		abort();
}

static void answer(int fd, const struct nlmsghdr *h)
{
	struct nlmsgerr ack = {.error = 0, .msg = *h};
	if (h->nlmsg_flags & NLM_F_ACK)
		reply(fd, h, NLMSG_ERROR, &ack, sizeof(ack));
	if (h->nlmsg_type == AUDIT_GET) {
		struct audit_status st = {.enabled = 1, .feature_bitmap = AUDIT_FEATURE_BITMAP_ALL};
		reply(fd, h, AUDIT_GET, &st, sizeof(st));
	} else if (h->nlmsg_type == AUDIT_GET_FEATURE) {
		struct audit_features f = {.vers = AUDIT_FEATURE_VERSION};
		reply(fd, h, AUDIT_GET_FEATURE, &f, sizeof(f));
	} else if (h->nlmsg_type == AUDIT_SIGNAL_INFO) {
		struct audit_sig_info info = {.pid = 0};
		reply(fd, h, AUDIT_SIGNAL_INFO, &info, sizeof(info));
	} else if (h->nlmsg_type == AUDIT_LIST_RULES) {
		int none = 0;
		reply(fd, h, NLMSG_DONE, &none, sizeof(none));
	}
}

ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *to, socklen_t tolen)
{
	if (!ours(fd))
		return syscall(SYS_sendto, fd, data, len, flags, to, tolen);
	const struct nlmsghdr *h = data;
	if (len < sizeof(*h) || h->nlmsg_len < NLMSG_HDRLEN || h->nlmsg_len > len)
		abort();
	log_request(h->nlmsg_type, NLMSG_DATA(h), h->nlmsg_len - NLMSG_HDRLEN);
	answer(fd, h);
	return (ssize_t)len;
}

ssize_t recvfrom(int fd, void *buf, size_t len, int flags, struct sockaddr *from, socklen_t *fromlen)
{
	if (!ours(fd))
		return syscall(SYS_recvfrom, fd, buf, len, flags, from, fromlen);
	/* All replies are there as soon as the request was sent: waiting for another would last for ever. */
	ssize_t n = syscall(SYS_recvfrom, fd, buf, len, flags | MSG_DONTWAIT, NULL, NULL);
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	if (from && fromlen && *fromlen >= sizeof(kernel)) {
		memcpy(from, &kernel, sizeof(kernel));
		*fromlen = sizeof(kernel);
	}
	return n;
}

int select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *timeout)
{
	(void)timeout;
	struct timespec now = {0};
	return (int)syscall(SYS_pselect6, n, r, w, e, &now, NULL);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	(void)timeout;
	struct timespec now = {0};
	return (int)syscall(SYS_ppoll, fds, n, &now, NULL, 0);
}

int kill(pid_t pid, int sig)
{
	(void)pid;
	(void)sig;
	return 0;
}

/* The fortified names, as libaudit calls them. */
void __vsyslog_chk(int priority, int flag, const char *fmt, va_list ap);
void __syslog_chk(int priority, int flag, const char *fmt, ...);

void __vsyslog_chk(int priority, int flag, const char *fmt, va_list ap)
{
	(void)priority;
	(void)flag;
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void __syslog_chk(int priority, int flag, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	__vsyslog_chk(priority, flag, fmt, ap);
	va_end(ap);
}
