/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a workload make the system calls its row claims? Each is run under ptrace(2) with two counts of
 * operations; the difference, all processes together, is what the operations made, set-up and end cancelled
 * out.
 */
#include "bench/bench.h"

#include <errno.h>
#include <libaudit.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__has_feature) && !defined(__SANITIZE_ADDRESS__)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

static char self[] = "/proc/self/exe";

enum {
	CALLS_MAX = 1024,
	OPS_FEW = 5,
	OPS_MORE = 105,
	/* A partner is killed at the end of the run: it may or may not have come to ask for the next request.
	 */
	TOLERANCE = 2,
};

struct counts {
	long by_number[CALLS_MAX];
};

static _Noreturn void tracee(const struct workload *w, uint64_t ops, const char *dir)
{
	struct bench_env e = {.dir = dir, .self = self};
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(77);
	raise(SIGSTOP);
	int err = w->setup ? w->setup(&e) : 0;
	if (!err)
		err = w->run(&e, ops);
	if (w->teardown)
		w->teardown(&e);
	_exit(err ? 1 : 0);
}

/* Counts an entry; returns the signal to pass on. */
static int on_stop(pid_t pid, int status, struct counts *c)
{
	int sig = WSTOPSIG(status);
	if (sig == (SIGTRAP | 0x80)) {
		struct __ptrace_syscall_info info;
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0 &&
		    info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr < CALLS_MAX)
			c->by_number[info.entry.nr]++;
		return 0;
	}
	/* SIGSTOP is how a new tracee starts, SIGTRAP with an event in the upper bits tells of fork and exec
	 */
	return sig == SIGSTOP || sig == SIGTRAP ? 0 : sig;
}

/* 0, or the exit status of a tracee that could not do its work; 77: no ptrace here. */
static int count(const struct workload *w, uint64_t ops, const char *dir, struct counts *c)
{
	int status, result = 1;
	pid_t main_pid = fork();
	if (main_pid == 0)
		tracee(w, ops, dir);
	if (waitpid(main_pid, &status, 0) != main_pid || !WIFSTOPPED(status))
		return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		       PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
	if (ptrace(PTRACE_SETOPTIONS, main_pid, NULL, options) != 0)
		return kill(main_pid, SIGKILL), waitpid(main_pid, NULL, 0), 77;
	ptrace(PTRACE_SYSCALL, main_pid, NULL, NULL);
	for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
		if (WIFSTOPPED(status))
			ptrace(PTRACE_SYSCALL, pid, NULL, (long)on_stop(pid, status, c));
		else if (pid == main_pid)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	}
	return result;
}

static bool named(const struct workload *w, const char *call)
{
	size_t len = strlen(call);
	for (const char *at = w->names; *at; at += strcspn(at, ","), at += *at == ',') {
		if (strcspn(at, ",") == len && strncmp(at, call, len) == 0)
			return true;
	}
	return false;
}

/* No call that the row does not name, and the number of them all together. */
static void check_total(const struct workload *w, const struct counts *made, long ops)
{
	long total = 0;
	for (int nr = 0; nr < CALLS_MAX; nr++) {
		const char *name = audit_syscall_to_name(nr, audit_detect_machine());
		total += made->by_number[nr];
		if (labs(made->by_number[nr]) > TOLERANCE && !w->starts_program && (!name || !named(w, name)))
			fail_msg("%s makes %ld unnamed calls %s (%d)", w->id, made->by_number[nr],
				 name ? name : "?", nr);
	}
	long wrong = total - ops * (long)w->calls;
	if (w->starts_program ? wrong <= 0 : labs(wrong) > TOLERANCE)
		fail_msg("%s makes %ld calls in %ld operations, its row says %u each", w->id, total, ops,
			 w->calls);
}

/* Each call named is made at least once an operation, and the most frequent come first. */
static void check_names(const struct workload *w, const struct counts *made, long ops)
{
	long before = 0;
	char names[256];
	snprintf(names, sizeof(names), "%s", w->names);
	for (char *save, *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		int nr = audit_name_to_syscall(name, audit_detect_machine());
		if (nr < 0 || nr >= CALLS_MAX || made->by_number[nr] < ops - TOLERANCE)
			fail_msg("%s names %s (%d) and does not make it", w->id, name, nr);
		if (!w->starts_program && before && made->by_number[nr] > before + TOLERANCE)
			fail_msg("%s: %s is more frequent than the call before it", w->id, name);
		before = made->by_number[nr];
	}
}

static void calls_are_as_claimed(void **state)
{
	const struct workload *w = *state;
	static struct counts few, more;
	char dir[] = "/tmp/auditopt-test-XXXXXX";
	assert_non_null(mkdtemp(dir));
	memset(&few, 0, sizeof(few));
	memset(&more, 0, sizeof(more));
	int first = count(w, OPS_FEW, dir, &few);
	int second = first ? first : count(w, OPS_MORE, dir, &more);
	assert_int_equal(rmdir(dir), 0);
	if (first == 77) {
		if (getenv("AUDITOPT_MUST")) /* set by make check */
			fail_msg("ptrace(2) is not permitted here");
		print_message("skipped: ptrace(2) is not permitted here\n");
		skip();
	}
	assert_int_equal(first, 0);
	assert_int_equal(second, 0);
	for (int nr = 0; nr < CALLS_MAX; nr++)
		more.by_number[nr] -= few.by_number[nr];
#ifdef __SANITIZE_ADDRESS__ /* its run-time library sets a signal stack in each forked child */
	more.by_number[SYS_sigaltstack] = 0;
#endif
	check_total(w, &more, OPS_MORE - OPS_FEW);
	check_names(w, &more, OPS_MORE - OPS_FEW);
}

int main(int argc, char **argv)
{
	bench_exec_stub(argc, argv);
	struct CMUnitTest *tests = calloc(workload_table_len, sizeof(*tests));
	if (!tests)
		return 1;
	for (size_t i = 0; i < workload_table_len; i++)
		tests[i] = (struct CMUnitTest){.name = workload_table[i].id,
					       .test_func = calls_are_as_claimed,
					       .initial_state = (void *)&workload_table[i]};
	int failed = _cmocka_run_group_tests("calls", tests, workload_table_len, NULL, NULL);
	free(tests);
	return failed;
}
