/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workloads of one process that never blocks and hands the kernel no path: what a rule costs on every system
 * call shows here undiluted.
 */
#include "bench/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct devices {
	int zero, null;
};

int devices_setup(struct bench_env *e)
{
	struct devices *d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	e->data = d;
	d->null = -1;
	d->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (d->zero < 0)
		return -errno;
	d->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return d->null < 0 ? -errno : 0;
}

void devices_teardown(struct bench_env *e)
{
	struct devices *d = e->data;
	if (!d)
		return;
	if (d->zero >= 0)
		close(d->zero);
	if (d->null >= 0)
		close(d->null);
	free(d);
	e->data = NULL;
}

/* The control: no system call, so no rule may move it. The sink keeps the compiler from dropping the loop. */
int cpu_int_run(struct bench_env *e, uint64_t ops)
{
	static volatile uint64_t sink;
	(void)e;
	uint64_t x = ops | 1;
	for (uint64_t i = 0; i < ops; i++) {
		for (unsigned step = 0; step < 1000; step++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
		}
	}
	sink = x;
	(void)sink;
	return 0;
}

/* By number: a C library may answer getppid() or getpid() from memory (glibc did until 2.25). */
int sys_null_run(struct bench_env *e, uint64_t ops)
{
	(void)e;
	for (uint64_t i = 0; i < ops; i++) {
		if (syscall(SYS_getppid) < 0)
			return -errno;
	}
	return 0;
}

int sys_mix_run(struct bench_env *e, uint64_t ops)
{
	const struct devices *d = e->data;
	for (uint64_t i = 0; i < ops; i++) {
		int copy = dup(d->zero);
		if (copy < 0 || close(copy) != 0)
			return -errno;
		syscall(SYS_getpid);
		getuid();
		umask(022);
	}
	return 0;
}

int sys_read_run(struct bench_env *e, uint64_t ops)
{
	const struct devices *d = e->data;
	char byte;
	errno = 0; /* stays so unless a call fails: a short count is told apart */
	for (uint64_t i = 0; i < ops; i++) {
		if (read(d->zero, &byte, 1) != 1)
			return errno ? -errno : -EIO;
	}
	return 0;
}

int sys_write_run(struct bench_env *e, uint64_t ops)
{
	const struct devices *d = e->data;
	errno = 0; /* stays so unless a call fails: a short count is told apart */
	for (uint64_t i = 0; i < ops; i++) {
		if (write(d->null, "", 1) != 1)
			return errno ? -errno : -EIO;
	}
	return 0;
}

int rw1_run(struct bench_env *e, uint64_t ops)
{
	const struct devices *d = e->data;
	char byte;
	errno = 0; /* stays so unless a call fails: a short count is told apart */
	for (uint64_t i = 0; i < ops; i++) {
		if (read(d->zero, &byte, 1) != 1 || write(d->null, &byte, 1) != 1)
			return errno ? -errno : -EIO;
	}
	return 0;
}

int sig_install_run(struct bench_env *e, uint64_t ops)
{
	(void)e;
	struct sigaction want = {.sa_handler = SIG_IGN}, old;
	for (uint64_t i = 0; i < ops; i++) {
		if (sigaction(SIGUSR1, &want, &old) != 0)
			return -errno;
	}
	return 0;
}
