/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/workload.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t partner_fork(void)
{
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent) /* it died before the line above: no signal will come */
			_exit(1);
	}
	return pid;
}

void partner_end(pid_t pid)
{
	if (pid < 1)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int read_all(int fd, void *buf, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t now = read(fd, (char *)buf + got, n - got);
		if (now == 0)
			return -EPIPE;
		if (now < 0 && errno != EINTR)
			return -errno;
		got += now > 0 ? (size_t)now : 0;
	}
	return 0;
}

int write_all(int fd, const void *buf, size_t n)
{
	for (size_t put = 0; put < n;) {
		ssize_t now = write(fd, (const char *)buf + put, n - put);
		if (now < 0 && errno != EINTR)
			return -errno;
		put += now > 0 ? (size_t)now : 0;
	}
	return 0;
}
