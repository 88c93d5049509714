/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The benchmarks. One block is one set and one login uid: a fresh tmpfs, so that inode numbers start again;
 * the rules; every workload in a fresh process; the rules out. Sets go forth and back, the empty set is first
 * and last.
 */
#include "lab/inside.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define BENCH_DIR LAB_DIR "/bench"
enum { BENCH_PRIORITY = 50, WARMUP = 3 };

struct task {
	const struct workload *workload;
	int out; /* pipe: struct outcome */
};

struct outcome {
	double median, mean, min;
	char error[160];
};

/*
 * In the child. At real-time priority kauditd and the drain run when the benchmark does not: what is measured
 * is the caller's own work.
 */
static int run_workload(void *ctx)
{
	const struct task *t = ctx;
	struct sched_param sp = {.sched_priority = BENCH_PRIORITY};
	struct bench_options o = {
	    .dir = BENCH_DIR,
	    .self = "/init",
	    .ops = t->workload->lab_ops,
	    .batches = t->workload->lab_batches,
	    .warmup = WARMUP,
	    .cpu = -1,
	};
	struct bench_result r = {0};
	struct arena *a = arena_new();
	struct outcome out = {0};
	if (sched_setscheduler(0, SCHED_FIFO, &sp) < 0)
		return 1;
	int rc = bench_run(t->workload, &o, a, &r);
	if (rc != 0)
		snprintf(out.error, sizeof(out.error), "%s", *r.error ? r.error : strerror(-rc));
	out.median = r.median;
	out.mean = r.mean;
	out.min = r.min;
	arena_free(a);
	return write(t->out, &out, sizeof(out)) == sizeof(out) ? 0 : 1;
}

/* set -1: no rules */
static void measure_one(struct agent *g, long set, size_t block, int64_t auid, const struct workload *w)
{
	int p[2];
	if (pipe2(p, O_CLOEXEC) < 0)
		agent_fail(g, "no pipe: %s", strerror(errno));
	struct task t = {w, p[1]};
	int status = agent_as(g, auid, run_workload, &t);
	close(p[1]);
	struct outcome out;
	ssize_t n = read(p[0], &out, sizeof(out));
	close(p[0]);
	if (status != 0 || n != sizeof(out))
		agent_fail(g, "workload %s ended with status %d", w->id, status);
	if (*out.error)
		agent_fail(g, "workload %s: %s", w->id, out.error);
	agent_send(g, json_pack("{s:s,s:I,s:I,s:I,s:s,s:f,s:f,s:f}", "type", "figure", "set", (json_int_t)set,
				"block", (json_int_t)block, "auid", (json_int_t)auid, "workload", w->id,
				"median", out.median, "mean", out.mean, "min", out.min));
}

static void block(struct agent *g, long set, size_t number, size_t total)
{
	for (size_t i = 0; i < g->job.nauids; i++) {
		mkdir(BENCH_DIR, 0755);
		if (mount("tmpfs", BENCH_DIR, "tmpfs", 0, "mode=0777") < 0)
			agent_fail(g, "cannot mount " BENCH_DIR ": %s", strerror(errno));
		if (set >= 0)
			rules_load(g, &g->job.sets[set], NULL);
		for (size_t w = 0; w < g->job.nworkloads; w++) {
			agent_tick(g, "measuring %s, block %zu/%zu", g->job.workloads[w]->id, number + 1,
				   total);
			measure_one(g, set, number, g->job.auids[i], g->job.workloads[w]);
		}
		if (g->nl >= 0) {
			rules_clear(g);
			drain_wait(g);
		}
		if (umount2(BENCH_DIR, MNT_DETACH) < 0)
			agent_fail(g, "cannot unmount " BENCH_DIR ": %s", strerror(errno));
	}
}

void measure_all(struct agent *g)
{
	size_t n = g->nl >= 0 ? g->job.nsets : 0, total = 2 * n + 2, at = 0;
	block(g, -1, at++, total);
	for (size_t i = 0; i < n; i++)
		block(g, (long)i, at++, total);
	for (size_t i = n; i-- > 0;)
		block(g, (long)i, at++, total);
	block(g, -1, at, total);
}
