/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 512 };

struct pair {
	int to[2], from[2]; /* pipes towards and from the partner */
	pid_t partner;
	uint64_t count; /* round trips so far: both sides keep one and check the other's */
};

static void pair_close(int p[2])
{
	for (int i = 0; i < 2; i++) {
		if (p[i] >= 0)
			close(p[i]);
	}
}

static void pair_free(struct bench_env *e)
{
	struct pair *p = e->data;
	if (!p)
		return;
	partner_end(p->partner);
	pair_close(p->to);
	pair_close(p->from);
	free(p);
	e->data = NULL;
}

static struct pair *pair_new(struct bench_env *e)
{
	struct pair *p = calloc(1, sizeof(*p));
	if (p)
		p->to[0] = p->to[1] = p->from[0] = p->from[1] = -1;
	e->data = p;
	return p;
}

int pipe_512_setup(struct bench_env *e)
{
	struct pair *p = pair_new(e);
	if (!p)
		return -ENOMEM;
	return pipe2(p->to, O_CLOEXEC) == 0 ? 0 : -errno;
}

int pipe_512_run(struct bench_env *e, uint64_t ops)
{
	const struct pair *p = e->data;
	char block[BLOCK] = {0};
	errno = 0; /* stays so unless a call fails: a short count is told apart */
	for (uint64_t i = 0; i < ops; i++) {
		if (write(p->to[1], block, BLOCK) != BLOCK || read(p->to[0], block, BLOCK) != BLOCK)
			return errno ? -errno : -EIO;
	}
	return 0;
}

void pipe_512_teardown(struct bench_env *e)
{
	pair_free(e);
}

static _Noreturn void echo(struct pair *p)
{
	uint64_t token;
	close(p->to[1]);
	close(p->from[0]);
	while (read(p->to[0], &token, sizeof(token)) == sizeof(token) && token == p->count) {
		p->count++;
		if (write(p->from[1], &token, sizeof(token)) != sizeof(token))
			break;
	}
	_exit(1);
}

int ctx_pipe_setup(struct bench_env *e)
{
	struct pair *p = pair_new(e);
	if (!p)
		return -ENOMEM;
	if (pipe2(p->to, O_CLOEXEC) != 0 || pipe2(p->from, O_CLOEXEC) != 0)
		return -errno;
	p->partner = partner_fork();
	if (p->partner == 0)
		echo(p);
	if (p->partner < 0)
		return p->partner;
	close(p->to[0]);
	close(p->from[1]);
	p->to[0] = p->from[1] = -1;
	return 0;
}

int ctx_pipe_run(struct bench_env *e, uint64_t ops)
{
	struct pair *p = e->data;
	for (uint64_t i = 0; i < ops; i++, p->count++) {
		uint64_t token = p->count;
		int err = write_all(p->to[1], &token, sizeof(token));
		if (!err)
			err = read_all(p->from[0], &token, sizeof(token));
		if (err)
			return err;
		if (token != p->count)
			return -EPROTO;
	}
	return 0;
}

void ctx_pipe_teardown(struct bench_env *e)
{
	pair_free(e);
}
