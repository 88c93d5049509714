/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lab itself, with a real kernel in a guest. This program is its own guest's process 1. Figures are
 * counts of instructions, so they are compared exactly; no time is looked at.
 */
#include "lab/lab.h"
#include "lab/trigger.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- sets from texts
 * ------------------------------------------------------------------------------------------------ */

static struct arena *arena;
static struct ruleset **parsed; /* in the arena; sets point into them */
static size_t nparsed;

static struct lab_set set_of(const char *name, const char *text)
{
	const struct lang_env env = {
	    .machine = audit_detect_machine(), .dirs = (const char *[]){"/etc/audit"}, .ndirs = 1};
	struct diags ds = {.arena = arena};
	struct ruleset *rs = rules_parse(name, text, strlen(text), &env, &ds);
	*arena_push(arena, parsed, nparsed) = rs;
	assert_int_equal(ds.errors, 0);
	const struct rule **rules = arena_array(arena, const struct rule *, rs->nrequests + 1);
	size_t n = 0;
	for (size_t i = 0; i < rs->nrequests; i++) {
		if (rs->requests[i].kind == REQ_ADD)
			rules[n++] = rs->requests[i].rule;
	}
	return (struct lab_set){name, rules, n, text};
}

static double value_of(const struct lab_report *r, const char *set, const char *workload, int64_t auid)
{
	for (size_t i = 0; i < r->nfigures; i++) {
		const struct lab_figure *f = &r->figures[i];
		if (strcmp(f->set, set) != 0 || strcmp(f->workload, workload) != 0 || f->auid != auid)
			continue;
		if (f->spread != 0)
			fail_msg("%s under %s: %f, with a spread of %f", workload, set, f->value, f->spread);
		return f->value;
	}
	fail_msg("no figure of %s for %s", workload, set);
	return 0;
}

/* Events with that text in them, of all triggers. */
static size_t count_events(const struct lab_report *r, const char *set, int64_t auid, const char *text)
{
	size_t n = 0;
	for (size_t i = 0; i < r->nevents; i++) {
		const struct lab_events *e = &r->events[i];
		for (size_t k = 0; strcmp(e->set, set) == 0 && e->auid == auid && k < e->nevents; k++)
			n += strstr(e->events[k], text) != NULL;
	}
	return n;
}

/* ---- leftovers
 * ------------------------------------------------------------------------------------------------------- */

static char tmp[] = "/tmp/auditopt-test.XXXXXX";

static int make_tmp(void **state)
{
	(void)state;
	arena = arena_new();
	return mkdtemp(tmp) && setenv("TMPDIR", tmp, 1) == 0 ? 0 : -1;
}

static int remove_tmp(void **state)
{
	(void)state;
	for (size_t i = 0; i < nparsed; i++)
		ruleset_free(parsed[i]);
	arena_free(arena);
	return rmdir(tmp);
}

static void assert_nothing_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	DIR *d = opendir(tmp);
	assert_non_null(d);
	struct dirent *e;
	while ((e = readdir(d))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			fail_msg("left behind: %s/%s", tmp, e->d_name);
	}
	closedir(d);
}

/* The qemu this process started, 0 if there is none. */
static pid_t find_qemu(void)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	pid_t found = 0;
	while (d && !found && (e = readdir(d))) {
		char path[300], comm[64];
		int pid, parent;
		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		FILE *f = fopen(path, "r");
		if (f && fscanf(f, "%d (%63[^)]) %*c %d", &pid, comm, &parent) == 3 && parent == getpid() &&
		    strncmp(comm, "qemu", 4) == 0)
			found = pid;
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return found;
}

/* ---- tests
 * -------------------------------------------------------------------------------------------------------------
 */

#define ONE "-a always,exit -F arch=b64 -S adjtimex -k one\n"
#define TWO ONE "-a always,exit -F arch=b64 -S settimeofday -k two\n"
#define THREE TWO "-a always,exit -F arch=b64 -S clock_settime -k three\n"
#define MIXED                                                                                                \
	"-D\n-b 8192\n-f 2\n"                                                                                \
	"-w /etc/passwd -p wa -k file\n"                                                                     \
	"-w /etc/audit/ -p wa -k dir\n"                                                                      \
	"-a always,exit -F arch=b32 -S chmod -F auid>=1000 -F auid!=unset -k pair\n"                         \
	"-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F auid!=unset -k pair\n"                         \
	"-a always,exit -F arch=b64 -F exe=/usr/bin/thing -S chown -k exe\n"                                 \
	"-e 2\n"
#define EQUAL_TWICE ONE ONE

static struct lab_report *run(const struct lab_job *job)
{
	const struct lab_options o = {0};
	struct lab_report *r = lab_run(&o, job);
	assert_non_null(r);
	if (r->error)
		fail_msg("%s", r->error);
	assert_nothing_left();
	return r;
}

static void check_loads(const struct lab_report *r)
{
	static const size_t sent[] = {0, 1, 2, 3, 5, 2}, held[] = {0, 1, 2, 3, 5, 1};
	assert_int_equal(r->nloads, ARRAY_SIZE(sent));
	for (size_t i = 0; i < r->nloads; i++) {
		assert_int_equal(r->loads[i].sent, sent[i]);
		assert_int_equal(r->loads[i].held, held[i]);
		assert_int_equal(r->loads[i].nfailures, sent[i] - held[i]);
		assert_true(r->loads[i].checked);
		if (!r->loads[i].agrees)
			fail_msg("%s: %s", r->loads[i].set, r->loads[i].disagreement);
	}
	assert_string_equal(r->loads[5].failures[0], "rule 2: Rule exists");
}

static void check_figures(const struct lab_report *r)
{
	assert_true(r->exact);
	double off = value_of(r, "audit off", "sys-null", LAB_UNSET),
	       no = value_of(r, "no rules", "sys-null", LAB_UNSET);
	double none = value_of(r, "none", "sys-null", LAB_UNSET),
	       one = value_of(r, "one", "sys-null", LAB_UNSET);
	double two = value_of(r, "two", "sys-null", LAB_UNSET),
	       three = value_of(r, "three", "sys-null", LAB_UNSET);
	assert_true(off < no);
	assert_true(none == no);
	assert_true(one > none);
	/* The first rule starts the collecting; each further one costs the same. */
	assert_true(one - none > two - one);
	assert_true(two > one);
	assert_true(three - two == two - one);
	/* A call of no rule costs no more for somebody who logged in. */
	assert_true(value_of(r, "one", "sys-null", 1000) == one);
}

static void test_load_and_measure(void **state)
{
	(void)state;
	const struct lab_set sets[] = {set_of("none", ""),     set_of("one", ONE),
				       set_of("two", TWO),     set_of("three", THREE),
				       set_of("mixed", MIXED), set_of("twice", EQUAL_TWICE)};
	const char *const workloads[] = {"sys-null"};
	const int64_t auids[] = {LAB_UNSET, 1000};
	const struct lab_job job = {.sets = sets,
				    .nsets = ARRAY_SIZE(sets),
				    .workloads = workloads,
				    .nworkloads = 1,
				    .baselines = true,
				    .auids = auids,
				    .nauids = 2};
	struct lab_report *r = run(&job);
	assert_true(*r->kernel && *r->qemu);
	check_loads(r);
	check_figures(r);
	lab_report_free(r);
}

static void test_triggers(void **state)
{
	(void)state;
	const struct lab_set sets[] = {set_of("two", TWO), set_of("one", ONE)};
	const int64_t auids[] = {LAB_UNSET, 1000};
	const struct lab_job job = {.sets = sets, .nsets = 2, .trigger = true, .auids = auids, .nauids = 2};
	struct lab_report *r = run(&job);
	assert_true(r->ntriggers >= 2);
	assert_int_equal(r->nevents, 2 * 2 * r->ntriggers);
	for (size_t i = 0; i < ARRAY_SIZE(auids); i++) {
		size_t first = count_events(r, "two", auids[i], "key=\"one\"");
		assert_true(first > 0 && count_events(r, "two", auids[i], "key=\"two\"") > 0);
		assert_int_equal(count_events(r, "one", auids[i], "key=\"one\""), first);
		assert_int_equal(count_events(r, "one", auids[i], "key=\"two\""), 0);
	}
	lab_report_free(r);
}

static void expect_error(const struct lab_options *o, const char *word)
{
	const struct lab_set set = set_of("one", ONE);
	const struct lab_job job = {.sets = &set, .nsets = 1};
	struct lab_report *r = lab_run(o, &job);
	assert_non_null(r);
	assert_non_null(r->error);
	if (!strstr(r->error, word))
		fail_msg("`%s' is not in: %s", word, r->error);
	lab_report_free(r);
	assert_nothing_left();
}

static void test_no_kernel(void **state)
{
	(void)state;
	expect_error(&(struct lab_options){.kernel = "/does/not/exist"}, "cannot read the kernel");
	/* qemu itself says what is wrong with this one */
	expect_error(&(struct lab_options){.kernel = "/etc/passwd"}, "last lines");
}

static void test_parts_missing(void **state)
{
	(void)state;
	char *path = strdup(getenv("PATH"));
	setenv("PATH", tmp, 1);
	expect_error(&(struct lab_options){0}, "the lab needs qemu-system-x86_64");
	setenv("PATH", path, 1);
	free(path);
	expect_error(&(struct lab_options){.auditctl = "/does/not/exist"}, "/does/not/exist");
	expect_error(&(struct lab_options){.passwd = "/does/not/exist"}, "/does/not/exist");
}

static void test_silence(void **state)
{
	(void)state;
	expect_error(&(struct lab_options){.limit_s = 1}, "no message for 1 s");
}

static void kill_qemu(void *ctx, const char *what)
{
	pid_t pid = strstr(what, "loading set") ? find_qemu() : 0;
	if (pid)
		*(int *)ctx = kill(pid, SIGKILL);
}

static void test_killed(void **state)
{
	(void)state;
	int killed = -1;
	const struct progress p = {kill_qemu, &killed};
	expect_error(&(struct lab_options){.progress = &p}, "Linux version"); /* from the console */
	assert_int_equal(killed, 0);
}

static void interrupt(void *ctx, const char *what)
{
	pid_t pid = strstr(what, "booting") ? find_qemu() : 0;
	if (pid && write(*(int *)ctx, &pid, sizeof(pid)) == sizeof(pid))
		raise(SIGINT);
}

static void test_interrupted(void **state)
{
	(void)state;
	int p[2], status;
	assert_int_equal(pipe(p), 0);
	const struct lab_set set = set_of("one", ONE);
	const struct lab_job job = {.sets = &set, .nsets = 1};
	pid_t child = fork();
	if (child == 0) {
		const struct progress say = {interrupt, &p[1]};
		signal(SIGINT, SIG_DFL);     /* ignored in what a script runs in the background */
		cleanup_install();
		lab_run(&(struct lab_options){.progress = &say}, &job);
		_exit(0);
	}
	close(p[1]);
	pid_t qemu = 0;
	assert_int_equal(read(p[0], &qemu, sizeof(qemu)), sizeof(qemu));
	close(p[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	assert_int_equal(kill(qemu, 0), -1);
	assert_int_equal(errno, ESRCH);
	assert_nothing_left();
}

int main(int argc, char **argv)
{
	if (getpid() == 1 && access("/auditopt-lab", F_OK) == 0)
		lab_agent();
	if (bench_exec_stub(argc, argv) || trigger_exec_stub(argc, argv))
		return 0;
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_load_and_measure), cmocka_unit_test(test_triggers),
	    cmocka_unit_test(test_no_kernel),        cmocka_unit_test(test_parts_missing),
	    cmocka_unit_test(test_silence),          cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_interrupted),
	};
	return cmocka_run_group_tests(tests, make_tmp, remove_tmp);
}
