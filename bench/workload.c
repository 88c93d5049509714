/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every workload, one row each. What each measures follows the definitions of UnixBench, lmbench and netperf
 * (system call overhead, pipe throughput, context switching, file copy, execl, process creation, null call,
 * stat, open and close, file creation, request and response), written anew.
 *
 * lab_ops: in the lab a nanosecond is an instruction and the timer ticks each 4 000 000; a batch shorter than
 * that by far leaves most batches without a tick, so that their median is exact. Path workloads take a
 * multiple of the 32 names they rotate over.
 */
#include "bench/workload.h"

#include <string.h>

#define ROW(i, w, n, nm, lo, lb, c, s, r, t, ...)                                                            \
	{                                                                                                    \
		.id = (i), .what = (w), .calls = (n), .names = (nm), .lab_ops = (lo), .lab_batches = (lb),   \
		.centre = (c), .setup = (s), .run = (r), .teardown = (t), __VA_ARGS__                        \
	}
#define TWO .two_processes = true
#define EXEC .two_processes = true, .starts_program = true
#define MEDIAN BENCH_MEDIAN
#define MEAN BENCH_MEAN

/* clang-format off */
const struct workload workload_table[] = {
	/* id, what, calls, names, lab ops, lab batches, figure, setup, run, teardown, more */
	ROW("cpu-int", "1000 steps of integer arithmetic, no system call: the control",
	    0, "", 256, 8, MEDIAN, NULL, cpu_int_run, NULL),
	ROW("sys-null", "getppid",
	    1, "getppid", 256, 20, MEDIAN, NULL, sys_null_run, NULL),
	ROW("sys-mix", "duplicate a descriptor, close it, getpid, getuid, umask",
	    5, "dup,close,getpid,getuid,umask", 64, 20, MEDIAN, devices_setup, sys_mix_run, devices_teardown),
	ROW("sys-read", "read 1 byte of /dev/zero",
	    1, "read", 256, 20, MEDIAN, devices_setup, sys_read_run, devices_teardown),
	ROW("sys-write", "write 1 byte to /dev/null",
	    1, "write", 256, 20, MEDIAN, devices_setup, sys_write_run, devices_teardown),
	ROW("rw1", "read 1 byte of /dev/zero and write it to /dev/null",
	    2, "read,write", 128, 20, MEDIAN, devices_setup, rw1_run, devices_teardown),
	ROW("sig-install", "install a signal action, asking for the old one",
	    1, "rt_sigaction", 256, 20, MEDIAN, NULL, sig_install_run, NULL),
	ROW("pipe-512", "write 512 bytes to a pipe and read them back, one process",
	    2, "write,read", 128, 20, MEDIAN, pipe_512_setup, pipe_512_run, pipe_512_teardown),
	ROW("ctx-pipe", "8 bytes to another process and back over two pipes",
	    4, "write,read", 32, 16, MEAN, ctx_pipe_setup, ctx_pipe_run, ctx_pipe_teardown, TWO),
	ROW("copy-256", "read 256 bytes of a cached file of 500 KiB and write them to another",
	    2, "read,write", 64, 20, MEDIAN, copy_256_setup, copy_run, copy_teardown),
	ROW("copy-1024", "read 1024 bytes of a cached file of 2000 KiB and write them to another",
	    2, "read,write", 64, 20, MEDIAN, copy_1024_setup, copy_run, copy_teardown),
	ROW("copy-4096", "read 4096 bytes of a cached file of 8000 KiB and write them to another",
	    2, "read,write", 64, 20, MEDIAN, copy_4096_setup, copy_run, copy_teardown),
	ROW("sys-stat", "status of a file by path, 32 files in turn",
	    1, "newfstatat", 64, 20, MEDIAN, names_setup, sys_stat_run, names_teardown),
	ROW("sys-open", "open a file for reading and close it, 32 files in turn",
	    2, "openat,close", 64, 20, MEDIAN, names_setup, sys_open_run, names_teardown),
	ROW("fs-create", "create an empty file, close it, remove it",
	    3, "openat,close,unlinkat", 64, 20, MEAN, fs_create_setup, fs_create_run, fs_create_teardown),
	ROW("sys-unlink-miss", "remove a name that does not exist",
	    1, "unlinkat", 64, 20, MEDIAN, fs_create_setup, unlink_miss_run, fs_create_teardown),
	ROW("spawn", "fork, the child exits at once, wait for it",
	    4, "clone,wait4,set_robust_list,exit_group", 8, 10, MEAN, NULL, spawn_run, NULL, TWO),
	ROW("execl", "a process executes itself, start-up of this program included",
	    1, "execve", 1, 12, MEAN, execl_setup, execl_run, execl_teardown, EXEC),
	ROW("fork-exec", "fork, the child executes this program, which ends at once, wait for it",
	    5, "clone,wait4,set_robust_list,execve,exit_group", 1, 12, MEAN, NULL, fork_exec_run, NULL, EXEC),
	ROW("udp-rr-1", "1 byte to another process and back over UDP on 127.0.0.1",
	    4, "sendto,recvfrom", 64, 20, MEDIAN, udp_rr_setup, net_rr_run, net_teardown, TWO),
	ROW("tcp-rr-1", "1 byte to another process and back over TCP on 127.0.0.1",
	    4, "sendto,recvfrom", 64, 20, MEDIAN, tcp_rr_setup, net_rr_run, net_teardown, TWO),
};
/* clang-format on */
const size_t workload_table_len = ARRAY_SIZE(workload_table);

const struct workload *workload_by_id(const char *id)
{
	for (size_t i = 0; i < workload_table_len; i++) {
		if (strcmp(workload_table[i].id, id) == 0)
			return &workload_table[i];
	}
	return NULL;
}
