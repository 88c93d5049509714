/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a workload in a process of its own: a task made before auditing was enabled, or before a "never" rule
 * of the task list was loaded, would speak for another configuration (kernel/auditsc.c, audit_alloc).
 */
#include "bench/workload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DIRS_MAX = 1000, WARMUP_MIN_NS = 2000000, BATCH_NS = 20000000, LIMIT_MS = 120000 };

/* What the worker sends when it is through, followed by n doubles. */
struct answer {
	uint64_t ops;
	int32_t err;
	uint32_t n;
	char step[40]; /* what failed */
};

/* ---- the worker -------------------------------------------------------------------------------------- */

struct job {
	const struct workload *w;
	const struct bench_options *o;
	struct bench_env env;
	struct answer answer;
	double *per_op;
};

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_RAW, &t); /* answered without a system call by the vDSO */
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Remembers the first step that failed; passes its error on. */
static int step(struct job *j, const char *what, int err)
{
	if (err && !j->answer.err) {
		j->answer.err = err;
		snprintf(j->answer.step, sizeof(j->answer.step), "%s", what);
	}
	return err;
}

static int pin(int cpu)
{
	if (cpu < 0)
		return 0;
	if (cpu >= CPU_SETSIZE)
		return -EINVAL;
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : -errno;
}

static int batch(struct job *j, uint64_t ops, double *ns)
{
	double start = now_ns();
	int err = j->w->run(&j->env, ops);
	*ns = now_ns() - start;
	return step(j, "a batch failed", err);
}

/* Doubles the count until a batch lasts long enough to be scaled to the length wanted. */
static int calibrate(struct job *j, uint64_t *ops)
{
	double ns = 0;
	for (*ops = 1; *ops < UINT64_MAX / 4; *ops *= 2) {
		int err = batch(j, *ops, &ns);
		if (err)
			return err;
		if (ns >= WARMUP_MIN_NS)
			break;
	}
	double scaled = ns > 0 ? (double)*ops * BATCH_NS / ns : 1;
	*ops = scaled < 1 ? 1 : (uint64_t)scaled;
	return 0;
}

static int measure(struct job *j)
{
	uint64_t ops = j->o->ops;
	double ns;
	int err = ops ? 0 : calibrate(j, &ops);
	for (unsigned i = 0; i < j->o->warmup && !err; i++)
		err = batch(j, ops, &ns);
	for (unsigned i = 0; i < j->o->batches && !err; i++) {
		err = batch(j, ops, &ns);
		j->per_op[i] = ns / (double)ops;
	}
	j->answer.ops = ops;
	return err;
}

static void work(struct job *j)
{
	if (step(j, "cannot pin to the CPU", pin(j->o->cpu)))
		return;
	int err = j->w->setup ? step(j, "set-up failed", j->w->setup(&j->env)) : 0;
	if (!err)
		measure(j);
	if (j->w->teardown)
		j->w->teardown(&j->env);
}

/* Nothing is sent before the last batch: the reader must not wake up between batches. */
static _Noreturn void worker(const struct workload *w, const struct bench_options *o, const char *dir,
			     int out)
{
	struct job j = {.w = w, .o = o, .env = {.dir = dir, .self = o->self}};
	signal(SIGPIPE, SIG_IGN); /* a dead partner is an error to report */
	j.per_op = calloc(o->batches, sizeof(*j.per_op));
	if (j.per_op)
		work(&j);
	else
		step(&j, "the worker", -ENOMEM);
	j.answer.n = j.answer.err ? 0 : o->batches;
	if (write_all(out, &j.answer, sizeof(j.answer)) == 0 && j.answer.n)
		write_all(out, j.per_op, j.answer.n * sizeof(*j.per_op));
	_exit(0);
}

/* ---- the caller's side ------------------------------------------------------------------------------- */

static int fail(struct bench_result *r, int err, const char *what)
{
	snprintf(r->error, sizeof(r->error), "%s: %s", what, strerror(-err));
	return err;
}

static int no_slot(struct bench_result *r)
{
	return fail(r, -EBUSY, "cannot register what to clean up");
}

/* Reads n bytes, waiting no longer than until the deadline. 0, -ETIMEDOUT, -EPIPE at the end of the stream,
 * or another. */
static int read_until(int fd, void *buf, size_t n, double deadline)
{
	for (size_t got = 0; got < n;) {
		double left = (deadline - now_ns()) / 1e6;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int ready = left < 1 ? 0 : poll(&p, 1, left > 1e9 ? 1000000000 : (int)left);
		if (ready == 0)
			return -ETIMEDOUT;
		ssize_t now = ready < 0 ? -1 : read(fd, (char *)buf + got, n - got);
		if (now == 0)
			return -EPIPE;
		if (now < 0 && errno != EINTR)
			return -errno;
		got += now > 0 ? (size_t)now : 0;
	}
	return 0;
}

static int collect(int fd, const struct bench_options *o, struct arena *a, struct bench_result *r)
{
	double limit = o->limit_ms ? o->limit_ms : LIMIT_MS + 1000.0 * ((double)o->batches + o->warmup);
	double deadline = now_ns() + limit * 1e6;
	struct answer got;
	int err = read_until(fd, &got, sizeof(got), deadline);
	if (!err && got.err) {
		got.step[sizeof(got.step) - 1] = '\0';
		return fail(r, got.err, got.step);
	}
	if (!err && got.n != o->batches)
		err = -EPROTO;
	if (err)
		return fail(r, err, err == -ETIMEDOUT ? "no result in time, worker stopped" : "no result");
	r->per_op = arena_array(a, double, got.n);
	err = read_until(fd, r->per_op, got.n * sizeof(*r->per_op), deadline);
	if (err)
		return fail(r, err, "half a result");
	r->n = got.n;
	r->ops = got.ops;
	return 0;
}

/* Reaps the worker, by force when it has not spoken; when it went without a word, says how. */
static void end_worker(pid_t pid, int err, struct bench_result *r)
{
	int status = 0;
	if (err == -ETIMEDOUT || err == -EPROTO)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return;
	}
	if (err != -EPIPE)
		return;
	if (WIFSIGNALED(status))
		snprintf(r->error, sizeof(r->error), "the worker was killed by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(r->error, sizeof(r->error), "the worker ended with status %d and no result",
			 WEXITSTATUS(status));
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

static void summarize(struct bench_result *r, struct arena *a)
{
	double *sorted = arena_array(a, double, r->n), sum = 0;
	memcpy(sorted, r->per_op, r->n * sizeof(*sorted));
	qsort(sorted, r->n, sizeof(*sorted), compare);
	for (unsigned i = 0; i < r->n; i++)
		sum += sorted[i];
	r->mean = sum / r->n;
	r->min = sorted[0];
	r->median = (sorted[(r->n - 1) / 2] + sorted[r->n / 2]) / 2;
}

double bench_value(const struct bench_result *r)
{
	return r->workload->centre == BENCH_MEAN ? r->mean : r->median;
}

double bench_spread(const struct bench_result *r)
{
	double max = r->min;
	for (unsigned i = 0; i < r->n; i++)
		max = r->per_op[i] > max ? r->per_op[i] : max;
	return r->median > 0 ? (max - r->min) / r->median * 100 : 0;
}

/* The names are counted, not random: in the lab the same path must be walked each time. */
static int make_dir(const char *below, struct arena *a, char **out)
{
	for (unsigned i = 0; i < DIRS_MAX; i++) {
		*out = arena_printf(a, "%s/auditopt-bench-%03u", below, i);
		if (mkdir(*out, 0700) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Removes the directory with what a killed worker left in it. */
static void remove_dir(const char *path)
{
	DIR *d = opendir(path);
	for (struct dirent *entry; d && (entry = readdir(d));) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(d), entry->d_name, 0);
	}
	if (d)
		closedir(d);
	rmdir(path);
}

static int run_worker(const struct workload *w, const struct bench_options *o, const char *dir,
		      struct arena *a, struct bench_result *out)
{
	int fd[2];
	if (pipe2(fd, O_CLOEXEC) != 0)
		return fail(out, -errno, "cannot make a pipe");
	sigset_t old;
	cleanup_hold(&old);
	pid_t pid = partner_fork();
	if (pid == 0) {
		cleanup_release(&old);
		close(fd[0]);
		worker(w, o, dir, fd[1]);
	}
	int slot = pid > 0 ? cleanup_child(pid) : -1;
	cleanup_release(&old);
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return fail(out, pid, "cannot start the worker");
	}
	int err = slot < 0 ? no_slot(out) : collect(fd[0], o, a, out);
	close(fd[0]);
	if (slot < 0)
		partner_end(pid);
	else
		end_worker(pid, err, out);
	cleanup_forget(slot);
	return err;
}

int bench_run(const struct workload *w, const struct bench_options *o, struct arena *a,
	      struct bench_result *out)
{
	*out = (struct bench_result){.workload = w};
	if (o->batches < 1 || o->batches > BENCH_BATCHES_MAX || o->warmup > BENCH_BATCHES_MAX || !o->dir ||
	    !o->self)
		return fail(out, -EINVAL, "options of the benchmark");
	char *dir;
	sigset_t old;
	cleanup_hold(&old);
	int err = make_dir(o->dir, a, &dir), slot = err ? -1 : cleanup_dir(dir);
	cleanup_release(&old);
	if (err)
		return fail(out, err, "cannot make a work directory");
	err = slot < 0 ? no_slot(out) : run_worker(w, o, dir, a, out);
	remove_dir(dir);
	cleanup_forget(slot);
	if (!err)
		summarize(out, a);
	return err;
}
