/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench: the embedded microbenchmarks. Fixed work, measured time, fresh worker process, unprivileged. One row of
 * workload_table each; nothing else knows which workloads exist.
 */
#ifndef AUDITOPT_BENCH_H
#define AUDITOPT_BENCH_H

#include "base/base.h"

enum bench_centre { BENCH_MEDIAN, BENCH_MEAN }; /* the figure to quote: mean where the operation has several modes */

struct bench_env {
	const char *dir;          /* a writable directory for the workload's files */
	const char *self;         /* path of this program, for execl */
	void *data;               /* the workload's own state between setup, run and teardown */
};

struct workload {
	const char *id;           /* "sys-null", "pipe-512", ... */
	const char *what;         /* one line: what an operation is */
	unsigned calls;           /* system calls an operation, all processes together */
	const char *names;        /* the calls by kernel name, comma separated, most frequent first */
	unsigned lab_ops;         /* operations of one batch in the lab: well under one timer tick of work where possible */
	unsigned lab_batches;
	enum bench_centre centre;
	bool two_processes;
	int (*setup)(struct bench_env *e);                 /* 0 or a negative errno; NULL: nothing to set up */
	int (*run)(struct bench_env *e, uint64_t ops);     /* does ops operations; 0 or a negative errno */
	void (*teardown)(struct bench_env *e);             /* called after a failed setup too; NULL: nothing to undo */
	bool starts_program;      /* the calls of a dynamic program's start-up come on top of calls and names */
};

extern const struct workload workload_table[];
extern const size_t workload_table_len;
const struct workload *workload_by_id(const char *id);

struct bench_options {
	const char *dir, *self;
	uint64_t ops;             /* operations a batch; 0: calibrate so that a batch takes about 20 ms */
	unsigned batches;         /* measured batches, after the warm-up */
	unsigned warmup;          /* batches thrown away first */
	int cpu;                  /* CPU to pin to, -1: leave it */
	unsigned limit_ms;        /* the worker is killed after this time; 0: two minutes and a second a batch */
};

/* The most batches, and the most for warm-up, one worker takes. */
enum { BENCH_BATCHES_MAX = 100000 };

struct bench_result {
	const struct workload *workload;
	uint64_t ops;             /* operations a batch */
	unsigned n;
	double *per_op;           /* n values: nanoseconds an operation (in the lab: instructions), in time order */
	double median, mean, min;
	char error[160];          /* why there is no result; empty when there is one */
};

/*
 * Runs one workload in a fresh child process, in a directory of its own made below o->dir and gone afterwards; both are
 * known to the clean-up meanwhile. 0 or a negative errno, result->error says why. per_op is in the arena.
 */
int bench_run(const struct workload *w, const struct bench_options *o, struct arena *a, struct bench_result *out);
/* The figure to quote, by the workload's centre. */
double bench_value(const struct bench_result *r);
/* Largest less smallest batch as a share of the median, in per cent. */
double bench_spread(const struct bench_result *r);

/*
 * First thing in main: when the program was started by a workload that executes env->self, this does that program's
 * part (execute itself again, or end with status 0) and does not return. Else false, nothing done.
 */
bool bench_exec_stub(int argc, char **argv);

#endif
