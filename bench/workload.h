/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the families of workloads share, and the functions the rows of workload_table name. Only bench/
 * includes this.
 */
#ifndef AUDITOPT_BENCH_WORKLOAD_H
#define AUDITOPT_BENCH_WORKLOAD_H

#include "bench/bench.h"

/* ---- helpers of two-process workloads ---------------------------------------------------------------- */

/*
 * fork(2) for a partner that serves until it is killed: it dies with its parent whatever happens to that.
 * Returns as fork does, but a negative errno for -1.
 */
pid_t partner_fork(void);
/* Kills and reaps it; nothing for a pid below 1. */
void partner_end(pid_t pid);
/* Exactly n bytes; 0, or a negative errno (-EPIPE at the end of the stream). */
int read_all(int fd, void *buf, size_t n);
int write_all(int fd, const void *buf, size_t n);

/* ---- sys.c: one process, no switch, no path ---------------------------------------------------------- */

int cpu_int_run(struct bench_env *e, uint64_t ops);
int sys_null_run(struct bench_env *e, uint64_t ops);
int sys_mix_run(struct bench_env *e, uint64_t ops);
int sys_read_run(struct bench_env *e, uint64_t ops);
int sys_write_run(struct bench_env *e, uint64_t ops);
int rw1_run(struct bench_env *e, uint64_t ops);
int sig_install_run(struct bench_env *e, uint64_t ops);
int devices_setup(struct bench_env *e);
void devices_teardown(struct bench_env *e);

/* ---- pipe.c ------------------------------------------------------------------------------------------ */

int pipe_512_setup(struct bench_env *e);
int pipe_512_run(struct bench_env *e, uint64_t ops);
void pipe_512_teardown(struct bench_env *e);
int ctx_pipe_setup(struct bench_env *e);
int ctx_pipe_run(struct bench_env *e, uint64_t ops);
void ctx_pipe_teardown(struct bench_env *e);

/* ---- file.c ------------------------------------------------------------------------------------------ */

int names_setup(struct bench_env *e);
void names_teardown(struct bench_env *e);
int sys_stat_run(struct bench_env *e, uint64_t ops);
int sys_open_run(struct bench_env *e, uint64_t ops);
int fs_create_setup(struct bench_env *e);
int fs_create_run(struct bench_env *e, uint64_t ops);
int unlink_miss_run(struct bench_env *e, uint64_t ops);
void fs_create_teardown(struct bench_env *e);
int copy_256_setup(struct bench_env *e);
int copy_1024_setup(struct bench_env *e);
int copy_4096_setup(struct bench_env *e);
int copy_run(struct bench_env *e, uint64_t ops);
void copy_teardown(struct bench_env *e);

/* ---- proc.c ------------------------------------------------------------------------------------------ */

int spawn_run(struct bench_env *e, uint64_t ops);
int fork_exec_run(struct bench_env *e, uint64_t ops);
int execl_setup(struct bench_env *e);
int execl_run(struct bench_env *e, uint64_t ops);
void execl_teardown(struct bench_env *e);

/* ---- net.c: 127.0.0.1 only --------------------------------------------------------------------------- */

int udp_rr_setup(struct bench_env *e);
int net_rr_run(struct bench_env *e, uint64_t ops);
int tcp_rr_setup(struct bench_env *e);
void net_teardown(struct bench_env *e);

#endif
