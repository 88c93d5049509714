/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The benchmark runner: what it returns, what it says when a workload misbehaves, and that it leaves nothing
 * behind. */
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char self[] = "/proc/self/exe";

/* What the made-up workloads tell the test, across processes. */
static struct notes {
	unsigned runs, teardowns;
	uint64_t ops[64];
	int cpu;
	pid_t worker, partner;
	int say; /* descriptor to write a byte to once running, when above 0 */
} * notes;

struct state {
	char dir[64];
	struct arena *arena;
};

static int make_state(void **out)
{
	struct state *s = calloc(1, sizeof(*s));
	strcpy(s->dir, "/tmp/auditopt-test-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	s->arena = arena_new();
	memset(notes, 0, sizeof(*notes));
	*out = s;
	return 0;
}

/* rmdir succeeds only when the runner has removed all it made. */
static int end_state(void **in)
{
	struct state *s = *in;
	int err = rmdir(s->dir);
	arena_free(s->arena);
	free(s);
	return err;
}

static struct bench_options options(const struct state *s)
{
	return (struct bench_options){
	    .dir = s->dir, .self = self, .ops = 3, .batches = 2, .warmup = 1, .cpu = -1};
}

/* ---- the table --------------------------------------------------------------------------------------- */

static void rows_are_complete(void **state)
{
	(void)state;
	assert_true(workload_table_len > 0);
	for (size_t i = 0; i < workload_table_len; i++) {
		const struct workload *w = &workload_table[i];
		assert_non_null(w->id);
		assert_int_equal(strspn(w->id, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(w->id));
		assert_ptr_equal(workload_by_id(w->id), w); /* so the id is unique */
		assert_true(w->what && w->what[0] && w->names && w->run);
		assert_int_equal(w->calls == 0, w->names[0] == '\0');
		assert_true(w->lab_ops > 0 && w->lab_batches > 1);
		assert_true(!w->setup || w->teardown);
	}
	assert_null(workload_by_id("no-such-workload"));
	assert_null(workload_by_id(""));
}

static void every_workload_runs(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	for (size_t i = 0; i < workload_table_len; i++) {
		struct bench_result r;
		int err = bench_run(&workload_table[i], &o, s->arena, &r);
		if (err || r.error[0])
			fail_msg("%s: %d %s", workload_table[i].id, err, r.error);
		assert_ptr_equal(r.workload, &workload_table[i]);
		assert_int_equal(r.n, 2);
		assert_int_equal(r.ops, 3);
		for (unsigned k = 0; k < r.n; k++)
			assert_true(isfinite(r.per_op[k]) && r.per_op[k] > 0);
	}
}

/* ---- made-up workloads ------------------------------------------------------------------------------- */

static int note_run(struct bench_env *e, uint64_t ops)
{
	(void)e;
	notes->ops[notes->runs++ % 64] = ops;
	notes->cpu = sched_getcpu();
	for (volatile uint64_t i = 0; i < ops * 1000; i++)
		;
	return 0;
}

static void note_teardown(struct bench_env *e)
{
	(void)e;
	notes->teardowns++;
}

static int refuse(struct bench_env *e)
{
	(void)e;
	return -ENODEV;
}

static int fail_second(struct bench_env *e, uint64_t ops)
{
	note_run(e, ops);
	return notes->runs == 2 ? -EIO : 0;
}

static int die_second(struct bench_env *e, uint64_t ops)
{
	note_run(e, ops);
	return notes->runs == 2 ? raise(SIGKILL) : 0;
}

static int leave_second(struct bench_env *e, uint64_t ops)
{
	note_run(e, ops);
	if (notes->runs == 2)
		_exit(3);
	return 0;
}

/* Leaves a file, has a partner, never returns. */
static int hang(struct bench_env *e, uint64_t ops)
{
	(void)ops;
	char path[256];
	snprintf(path, sizeof(path), "%s/left", e->dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	pid_t own = getpid();
	pid_t partner = fork();
	if (partner == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != own)
			raise(SIGKILL);
	} else {
		notes->worker = own;
		notes->partner = partner;
		if (notes->say > 0 && write(notes->say, "", 1) != 1)
			_exit(1);
	}
	for (;;)
		pause();
}

static int run_made_up(struct state *s, struct workload w, const struct bench_options *o,
		       struct bench_result *r)
{
	w.id = "made-up";
	return bench_run(&w, o, s->arena, r);
}

static void counts_batches(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	o.batches = 5;
	o.warmup = 2;
	o.ops = 7;
	assert_int_equal(
	    run_made_up(s, (struct workload){.run = note_run, .teardown = note_teardown}, &o, &r), 0);
	assert_int_equal(notes->runs, 7);
	assert_int_equal(notes->teardowns, 1);
	for (unsigned i = 0; i < notes->runs; i++)
		assert_int_equal(notes->ops[i], 7);
	assert_int_equal(r.n, 5);
}

static void calibrates_once(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	o.ops = 0;
	o.batches = 4;
	assert_int_equal(run_made_up(s, (struct workload){.run = note_run}, &o, &r), 0);
	assert_true(r.ops > 0);
	assert_true(notes->runs > 5 && notes->runs < 64);
	for (unsigned i = notes->runs - 5; i < notes->runs; i++)
		assert_int_equal(notes->ops[i], r.ops);
}

/* The figures, worked out again in another way: an element is the median when as many are above as below. */
static void summary_is_right(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	o.batches = 9;
	assert_int_equal(run_made_up(s, (struct workload){.run = note_run}, &o, &r), 0);
	double sum = 0, max = 0;
	unsigned below = 0, above = 0, least = 0;
	for (unsigned i = 0; i < r.n; i++) {
		sum += r.per_op[i];
		max = fmax(max, r.per_op[i]);
		below += r.per_op[i] < r.median;
		above += r.per_op[i] > r.median;
		least += r.per_op[i] < r.min;
	}
	assert_int_equal(least, 0);
	assert_true(below <= 4 && above <= 4);
	assert_true(fabs(r.mean - sum / 9) <= 1e-9 * r.mean);
	assert_true(fabs(bench_spread(&r) - (max - r.min) / r.median * 100) < 1e-6);
	struct workload by_mean = {.centre = BENCH_MEAN}, by_median = {.centre = BENCH_MEDIAN};
	r.workload = &by_mean;
	assert_true(bench_value(&r) == r.mean);
	r.workload = &by_median;
	assert_true(bench_value(&r) == r.median);
}

static void median_of_even_count(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	assert_int_equal(run_made_up(s, (struct workload){.run = note_run}, &o, &r), 0);
	assert_true(fabs(r.median - (r.per_op[0] + r.per_op[1]) / 2) <= 1e-9 * r.median);
}

static void pins_worker(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	cpu_set_t allowed;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		o.cpu = cpu;
		assert_int_equal(run_made_up(s, (struct workload){.run = note_run}, &o, &r), 0);
		assert_int_equal(notes->cpu, cpu);
	}
	o.cpu = 1 << 20;
	assert_int_equal(run_made_up(s, (struct workload){.run = note_run}, &o, &r), -EINVAL);
	assert_non_null(strstr(r.error, "cannot pin"));
}

/* ---- trouble ----------------------------------------------------------------------------------------- */

static void setup_error_is_told(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	struct workload w = {.setup = refuse, .run = note_run, .teardown = note_teardown};
	assert_int_equal(run_made_up(s, w, &o, &r), -ENODEV);
	assert_string_equal(r.error, "set-up failed: No such device");
	assert_int_equal(notes->runs, 0);
	assert_int_equal(notes->teardowns, 1);
	assert_int_equal(r.n, 0);
}

static void run_error_is_told(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	struct workload w = {.run = fail_second, .teardown = note_teardown};
	assert_int_equal(run_made_up(s, w, &o, &r), -EIO);
	assert_string_equal(r.error, "a batch failed: Input/output error");
	assert_int_equal(notes->runs, 2);
	assert_int_equal(notes->teardowns, 1);
}

static void killed_worker_is_told(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	assert_int_equal(run_made_up(s, (struct workload){.run = die_second}, &o, &r), -EPIPE);
	assert_non_null(strstr(r.error, "killed by signal 9"));
	assert_int_equal(r.n, 0);
}

static void silent_worker_is_told(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	assert_int_equal(run_made_up(s, (struct workload){.run = leave_second}, &o, &r), -EPIPE);
	assert_non_null(strstr(r.error, "status 3"));
}

/* As subreaper this process inherits the partner and can wait for it: it must have been killed, not have
 * ended. */
static void expect_killed(pid_t pid)
{
	int status;
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void hanging_worker_is_stopped(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	o.limit_ms = 1000;
	assert_int_equal(run_made_up(s, (struct workload){.run = hang}, &o, &r), -ETIMEDOUT);
	assert_non_null(strstr(r.error, "in time"));
	if (notes->partner) /* a busy machine may not have come so far */
		expect_killed(notes->partner);
}

/* Runs a hanging benchmark in a child and returns the child once the workload is in its loop. */
static pid_t hanging_child(struct state *s)
{
	int ready[2];
	char byte;
	assert_int_equal(pipe(ready), 0);
	notes->say = ready[1];
	pid_t pid = fork();
	if (pid == 0) {
		struct bench_options o = options(s);
		struct bench_result r;
		cleanup_install();
		run_made_up(s, (struct workload){.run = hang}, &o, &r);
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void worker_dies_with_caller(void **state)
{
	struct state *s = *state;
	pid_t pid = hanging_child(s);
	kill(pid, SIGKILL);
	expect_killed(pid);
	expect_killed(notes->worker);
	expect_killed(notes->partner);
	char path[160]; /* nobody is left to remove these */
	snprintf(path, sizeof(path), "%s/auditopt-bench-000/left", s->dir);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/auditopt-bench-000", s->dir);
	assert_int_equal(rmdir(path), 0);
}

static void signal_leaves_nothing(void **state)
{
	struct state *s = *state;
	pid_t pid = hanging_child(s);
	int status;
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	expect_killed(notes->partner);
}

static int stop_caller(struct bench_env *e, uint64_t ops)
{
	(void)e;
	(void)ops;
	kill(getppid(), SIGTERM);
	while (getpid() > 0)
		pause();
	return 0;
}

/* The worker's first act stops its caller, who may not even have noted the worker yet. */
static void signal_at_once_leaves_nothing(void **state)
{
	struct state *s = *state;
	for (int i = 0; i < 100; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			struct bench_options o = options(s);
			struct bench_result r;
			cleanup_install();
			run_made_up(s, (struct workload){.run = stop_caller}, &o, &r);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
		assert_int_equal(waitpid(-1, &status, 0), -1); /* the caller ended the worker itself */
	}
}

static void program_that_is_missing(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	static const char *const ids[] = {"execl", "fork-exec"};
	o.self = "/nonexistent/program";
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_int_equal(bench_run(workload_by_id(ids[i]), &o, s->arena, &r), -ENOENT);
		assert_non_null(strstr(r.error, "No such file"));
	}
}

static void bad_options_are_refused(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	o.batches = 0;
	assert_int_equal(bench_run(&workload_table[0], &o, s->arena, &r), -EINVAL);
	assert_true(r.error[0]);
	o.batches = BENCH_BATCHES_MAX + 1;
	assert_int_equal(bench_run(&workload_table[0], &o, s->arena, &r), -EINVAL);
	o = options(s);
	o.dir = "/nonexistent/directory";
	assert_int_equal(bench_run(&workload_table[0], &o, s->arena, &r), -ENOENT);
	assert_non_null(strstr(r.error, "cannot make a work directory"));
}

/* More figures than a pipe holds: the answer must still arrive whole. */
static void many_batches(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	o.batches = 20000;
	o.ops = 1;
	assert_int_equal(bench_run(workload_by_id("sys-null"), &o, s->arena, &r), 0);
	assert_int_equal(r.n, 20000);
	for (unsigned i = 0; i < r.n; i++)
		assert_true(isfinite(r.per_op[i]) && r.per_op[i] >= 0);
}

static void a_taken_name_is_left_alone(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	char path[160];
	snprintf(path, sizeof(path), "%s/auditopt-bench-000", s->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(bench_run(workload_by_id("sys-open"), &o, s->arena, &r), 0);
	assert_int_equal(rmdir(path), 0);
}

/* With one slot free the directory gets it and the worker has none; with none free not even that. */
static void no_slot_is_told(void **state)
{
	struct state *s = *state;
	struct bench_options o = options(s);
	struct bench_result r;
	int slots[CLEANUP_MAX];
	for (int i = 0; i < CLEANUP_MAX; i++)
		slots[i] = cleanup_file("/nonexistent/file");
	for (int left = 0; left < 2; left++) {
		assert_int_equal(bench_run(&workload_table[0], &o, s->arena, &r), -EBUSY);
		assert_non_null(strstr(r.error, "clean up"));
		cleanup_forget(slots[left]);
	}
	assert_int_equal(bench_run(&workload_table[0], &o, s->arena, &r), 0);
	for (int i = 2; i < CLEANUP_MAX; i++)
		cleanup_forget(slots[i]);
}

static void stub_leaves_others_alone(void **state)
{
	(void)state;
	char program[] = "auditopt", word[] = "bench";
	char *none[] = {program, NULL}, *other[] = {program, word, NULL};
	assert_false(bench_exec_stub(1, none));
	assert_false(bench_exec_stub(2, other));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_state, end_state)

int main(int argc, char **argv)
{
	bench_exec_stub(argc, argv);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (notes == MAP_FAILED)
		return 1;
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_are_complete),
	    TEST(every_workload_runs),
	    TEST(counts_batches),
	    TEST(calibrates_once),
	    TEST(summary_is_right),
	    TEST(median_of_even_count),
	    TEST(pins_worker),
	    TEST(setup_error_is_told),
	    TEST(run_error_is_told),
	    TEST(killed_worker_is_told),
	    TEST(silent_worker_is_told),
	    TEST(hanging_worker_is_stopped),
	    TEST(worker_dies_with_caller),
	    TEST(signal_leaves_nothing),
	    TEST(signal_at_once_leaves_nothing),
	    TEST(program_that_is_missing),
	    TEST(bad_options_are_refused),
	    TEST(many_batches),
	    TEST(a_taken_name_is_left_alone),
	    TEST(no_slot_is_told),
	    cmocka_unit_test(stub_leaves_others_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
