/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads that make processes or replace the running program, and the part of the program they start. */
#include "bench/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* argv[1] of a program started by these workloads: nothing a user types by accident. */
static char stub_word[] = ".bench-exec";

/* Reaps the child; 0 when it ended with status 0, else its status taken as an errno. */
static int reap(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	if (!WIFEXITED(status))
		return -EIO;
	return -WEXITSTATUS(status);
}

int spawn_run(struct bench_env *e, uint64_t ops)
{
	(void)e;
	for (uint64_t i = 0; i < ops; i++) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(0);
		int err = pid < 0 ? -errno : reap(pid);
		if (err)
			return err;
	}
	return 0;
}

int fork_exec_run(struct bench_env *e, uint64_t ops)
{
	char *argv[] = {(char *)e->self, stub_word, NULL};
	for (uint64_t i = 0; i < ops; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			execv(e->self, argv);
			_exit(errno);
		}
		int err = pid < 0 ? -errno : reap(pid);
		if (err)
			return err;
	}
	return 0;
}

/* ---- execl: one process that executes itself --------------------------------------------------------- */

/*
 * A partner takes a count from one pipe, executes itself that often, and answers on the other. It lives
 * through all batches, so neither its creation nor its end is timed.
 */
struct execl {
	int order[2], done[2];
	pid_t partner;
};

/* Executes self as the partner, with `left` executions still to do after this one. Returns only on failure.
 */
static void execute(const char *self, uint64_t left, int order, int done)
{
	char count[24], in[12], out[12];
	snprintf(count, sizeof(count), "%" PRIu64, left);
	snprintf(in, sizeof(in), "%d", order);
	snprintf(out, sizeof(out), "%d", done);
	char *argv[] = {(char *)self, stub_word, count, in, out, NULL};
	execv(self, argv);
}

static int execl_pipes(struct execl *x)
{
	if (pipe2(x->order, O_CLOEXEC) != 0 || pipe2(x->done, O_CLOEXEC) != 0)
		return -errno;
	/* the partner's ends live through its executions */
	if (fcntl(x->order[0], F_SETFD, 0) != 0 || fcntl(x->done[1], F_SETFD, 0) != 0)
		return -errno;
	return 0;
}

static int execl_answer(struct execl *x)
{
	char byte;
	int err = read_all(x->done[0], &byte, 1);
	if (err != -EPIPE)
		return err;
	err = reap(x->partner); /* it gave up: its status says why */
	x->partner = 0;
	return err ? err : -EPIPE;
}

int execl_setup(struct bench_env *e)
{
	struct execl *x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	e->data = x;
	x->order[0] = x->order[1] = x->done[0] = x->done[1] = -1;
	int err = execl_pipes(x);
	if (err)
		return err;
	x->partner = partner_fork();
	if (x->partner == 0) {
		execute(e->self, 0, x->order[0], x->done[1]);
		_exit(errno);
	}
	if (x->partner < 0)
		return x->partner;
	close(x->order[0]);
	close(x->done[1]);
	x->order[0] = x->done[1] = -1;
	return execl_answer(x); /* of the first start: executing works */
}

int execl_run(struct bench_env *e, uint64_t ops)
{
	struct execl *x = e->data;
	int err = write_all(x->order[1], &ops, sizeof(ops));
	return err && err != -EPIPE ? err : execl_answer(x);
}

void execl_teardown(struct bench_env *e)
{
	struct execl *x = e->data;
	if (!x)
		return;
	partner_end(x->partner);
	for (int i = 0; i < 2; i++) {
		if (x->order[i] >= 0)
			close(x->order[i]);
		if (x->done[i] >= 0)
			close(x->done[i]);
	}
	free(x);
	e->data = NULL;
}

static _Noreturn void execl_partner(char **argv)
{
	uint64_t left;
	uint32_t order, done;
	if (!num_u64(argv[2], 10, &left) || !num_u32(argv[3], 10, &order) || !num_u32(argv[4], 10, &done))
		_exit(EINVAL);
	while (left == 0) { /* the order is done, or this is the first start */
		if (write_all((int)done, "", 1) != 0 || read_all((int)order, &left, sizeof(left)) != 0)
			_exit(0);
	}
	execute(argv[0], left - 1, (int)order, (int)done);
	_exit(errno);
}

bool bench_exec_stub(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], stub_word) != 0)
		return false;
	if (argc == 5)
		execl_partner(argv);
	_exit(argc == 2 ? 0 : EINVAL);
}
