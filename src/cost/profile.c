/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cost/cost.h"

/*
 * Shares in percent of all calls, counted with perf stat on the entry tracepoints, Debian 12 packages on
 * Linux 6.18. Web server: nginx, small static files, new and kept-alive connections; database: PostgreSQL 15,
 * 60 % TPC-B-like and 40 % reading; build: make, configure and a CI job; login: shell session and ssh login;
 * container: 45 % web, 25 % database, 30 % starting and stopping containers, weights assumed. Calls counted
 * together (clone, clone3, vfork; the two getxattr; the four get*id) are split evenly.
 */

static const struct profile_call web_server[] = {
    {"close", 16},      {"recvfrom", 12},  {"write", 11},  {"writev", 11},   {"sendfile", 11}, {"openat", 11},
    {"newfstatat", 11}, {"epoll_wait", 6}, {"accept4", 5}, {"epoll_ctl", 5}, {NULL, 1.0},
};

static const struct profile_call database[] = {
    {"recvfrom", 30.4}, {"lseek", 25.8}, {"epoll_wait", 16.5}, {"sendto", 15.5},  {"pread64", 2.8},
    {"futex", 2.8},     {"read", 1.9},   {"kill", 1.5},        {"pwrite64", 1.0}, {"fdatasync", 1.0},
    {"openat", 0.15},   {"close", 0.1},  {NULL, 0.55},
};

static const struct profile_call build_ci[] = {
    {"readlink", 25.3},    {"newfstatat", 10.9},    {"openat", 10.6},       {"lseek", 9.6},
    {"rt_sigaction", 7.1}, {"read", 7.0},           {"close", 5.7},         {"mmap", 4.9},
    {"brk", 2.2},          {"rt_sigprocmask", 2.0}, {"write", 1.8},         {"access", 1.8},
    {"fcntl", 1.4},        {"mprotect", 1.1},       {"ioctl", 0.65},        {"execve", 0.5},
    {"pread64", 0.45},     {"wait4", 0.45},         {"prlimit64", 0.45},    {"set_robust_list", 0.4},
    {"getuid", 1.3 / 4.0}, {"geteuid", 1.3 / 4.0},  {"getgid", 1.3 / 4.0},  {"getegid", 1.3 / 4.0},
    {"munmap", 0.3},       {"dup2", 0.3},           {"getdents64", 0.25},   {"exit_group", 0.25},
    {"unlinkat", 0.1},     {"clone", 0.25 / 3.0},   {"clone3", 0.25 / 3.0}, {"vfork", 0.25 / 3.0},
    {NULL, 2.95},
};

static const struct profile_call login_host[] = {
    {"newfstatat", 14.2},
    {"close", 11.5},
    {"rt_sigprocmask", 10.9},
    {"rt_sigaction", 8.7},
    {"openat", 8.0},
    {"mmap", 6.3},
    {"fcntl", 6.2},
    {"read", 3.9},
    {"getrandom", 3.1},
    {"getdents64", 2.4},
    {"getpid", 2.0},
    {"mprotect", 1.5},
    {"brk", 1.2},
    {"execve", 1.1},
    {"access", 1.0},
    {"wait4", 1.0},
    {"getxattr", 1.8 / 2.0},
    {"lgetxattr", 1.8 / 2.0},
    {"set_robust_list", 0.9},
    {"getuid", 2.9 / 4.0},
    {"geteuid", 2.9 / 4.0},
    {"getgid", 2.9 / 4.0},
    {"getegid", 2.9 / 4.0},
    {"write", 0.7},
    {"pread64", 0.7},
    {"lseek", 0.7},
    {"statx", 0.7},
    {"ioctl", 0.7},
    {"prlimit64", 0.7},
    {"dup2", 0.6},
    {"munmap", 0.5},
    {"rt_sigreturn", 0.5},
    {"exit_group", 0.5},
    {"clone", 0.5 / 3.0},
    {"clone3", 0.5 / 3.0},
    {"vfork", 0.5 / 3.0},
    {NULL, 4.6},
};

static const struct profile_call container_host[] = {
    {"recvfrom", 13.0},    {"newfstatat", 9.1},     {"close", 9.0},
    {"epoll_wait", 6.8},   {"lseek", 6.5},          {"openat", 6.4},
    {"write", 5.4},        {"writev", 5.0},         {"sendfile", 5.0},
    {"sendto", 3.9},       {"epoll_ctl", 3.4},      {"futex", 3.3},
    {"rt_sigaction", 3.2}, {"accept4", 2.3},        {"nanosleep", 2.2},
    {"read", 1.7},         {"rt_sigprocmask", 1.5}, {"mmap", 1.3},
    {"prctl", 1.3},        {"fcntl", 1.2},          {"pread64", 0.7},
    {"readlinkat", 0.5},   {"mount", 0.5},          {"mprotect", 0.4},
    {"kill", 0.4},         {"openat2", 0.3},        {"pwrite64", 0.25},
    {"fdatasync", 0.25},   {"unlinkat", 0.2},       {"mkdirat", 0.2},
    {"seccomp", 0.2},      {"execve", 0.15},        {"exit_group", 0.15},
    {"clone", 0.15 / 3.0}, {"clone3", 0.15 / 3.0},  {"vfork", 0.15 / 3.0},
    {NULL, 4.15},
};

enum { NOBODY = 33, USER = 1000 }; /* uid of a service; uid and login uid of a person */
#define UNSET UINT32_MAX

const struct profile profile_table[] = {
    {"web-server", "nginx serving small files", UNSET, NOBODY, web_server, ARRAY_SIZE(web_server)},
    {"database", "PostgreSQL with short transactions", UNSET, NOBODY, database, ARRAY_SIZE(database)},
    {"build-ci", "compiling, configuring, CI jobs", USER, USER, build_ci, ARRAY_SIZE(build_ci)},
    {"login-host", "shell sessions and ssh logins", USER, USER, login_host, ARRAY_SIZE(login_host)},
    {"container-host", "services in containers, and their start and stop", UNSET, 0, container_host,
     ARRAY_SIZE(container_host)},
};
const size_t profile_table_len = ARRAY_SIZE(profile_table);

/* Number of an entry on x86_64; calls that libaudit's table lacks are known to no rule either. */
static unsigned number(const struct kset *k, const struct profile_call *call)
{
	int nr = call->syscall ? call_number(ABI_64, call->syscall) : -1;
	return nr < 0 ? cost_unnamed_call(k, ABI_64) : (unsigned)nr;
}

static double total_share(const struct profile *p)
{
	double sum = 0;
	for (size_t i = 0; i < p->n; i++)
		sum += p->calls[i].share;
	return sum;
}

double cost_profile(const struct coefficients *c, const struct kset *k, const struct profile *p)
{
	double sum = 0;
	for (size_t i = 0; i < p->n; i++) {
		struct call call = call_of(ABI_64, number(k, &p->calls[i]), p->auid, p->uid);
		sum += p->calls[i].share * cost_call(c, k, &call);
	}
	return sum / total_share(p);
}

void cost_profile_rules(const struct coefficients *c, const struct kset *k, const struct profile *p,
			double *each)
{
	struct arena *a = arena_new();
	double *one = arena_array(a, double, k->n + 1);
	double total = total_share(p);
	for (size_t i = 0; i < p->n; i++) {
		struct call call = call_of(ABI_64, number(k, &p->calls[i]), p->auid, p->uid);
		cost_call_parts(c, k, &call, one);
		for (size_t r = 0; r < k->n; r++)
			each[r] += one[r] * p->calls[i].share / total;
	}
	arena_free(a);
}

struct call cost_caller_call(enum cost_caller who, enum abi abi, unsigned nr)
{
	return who == CALLER_USER ? call_of(abi, nr, USER, USER) : call_of(abi, nr, UNSET, NOBODY);
}

double cost_score(const struct coefficients *c, const struct kset *k)
{
	unsigned nr = cost_unnamed_call(k, ABI_64);
	double sum = 0;
	for (enum cost_caller who = 0; who < CALLER_COUNT; who++) {
		struct call call = cost_caller_call(who, ABI_64, nr);
		sum += cost_call(c, k, &call) / CALLER_COUNT;
	}
	for (size_t i = 0; i < profile_table_len; i++)
		sum += cost_profile(c, k, &profile_table[i]);
	return sum / (double)(profile_table_len + 1);
}
