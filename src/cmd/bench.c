/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/bench.h"
#include "cmd/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { WARMUP = 3, BATCHES = 20 };
_Static_assert(BENCH_BATCHES_MAX == 100000, "the message of parse_batches names it");

static const char options_help[] =
    "Every figure is wall-clock time of this machine as it is; no audit state is read or changed.\n"
    "Default: all workloads.\n\n"
    "  --list            name the workloads and stop\n"
    "  --batches N       measured batches of about 20 ms each (default 20)\n"
    "  --cpu N           pin worker and partner to this CPU\n"
    "  --dir DIR         directory for the workloads' files (default: $TMPDIR, else /tmp)\n"
    "  --format FORMAT   text or json (default text)\n"
    "  --help            this text\n";

static const char note[] = "wall-clock times of this machine as it is; no audit state was read or changed";

struct bench_request {
	struct bench_options bench;
	bool list, json, help;
	const struct workload **workloads;
	size_t n;
};

/* ---- what is asked for ------------------------------------------------------------------------------- */

/* Says what is wrong with an option's value; false, for the caller to return. */
static bool bad_value(const char *option, const char *expected, const char *value)
{
	cmd_usage_error("bench", "%s: expected %s, got `%s'", option, expected, value);
	return false;
}

static bool parse_batches(struct bench_request *q, const char *value)
{
	uint32_t n;
	if (!num_u32(value, 10, &n) || n < 1 || n > BENCH_BATCHES_MAX)
		return bad_value("--batches", "a number from 1 to 100000", value);
	q->bench.batches = n;
	return true;
}

static bool parse_cpu(struct bench_request *q, const char *value)
{
	uint32_t n;
	if (!num_u32(value, 10, &n) || n > INT32_MAX)
		return bad_value("--cpu", "the number of a CPU", value);
	q->bench.cpu = (int)n;
	return true;
}

static bool parse_format(struct bench_request *q, const char *value)
{
	q->json = strcmp(value, "json") == 0;
	return q->json || strcmp(value, "text") == 0 || bad_value("--format", "text or json", value);
}

static bool parse_option(struct bench_request *q, int c, const char *value)
{
	switch (c) {
	case 'l':
		q->list = true;
		return true;
	case 'h':
		q->help = true;
		return true;
	case 'b':
		return parse_batches(q, value);
	case 'c':
		return parse_cpu(q, value);
	case 'd':
		q->bench.dir = value;
		return true;
	case 'f':
		return parse_format(q, value);
	default:
		cmd_usage_error("bench", "see auditopt bench --help");
		return false;
	}
}

static bool parse_options(int argc, char **argv, struct bench_request *q)
{
	static const struct option longs[] = {
	    {"list", no_argument, NULL, 'l'},
	    {"batches", required_argument, NULL, 'b'},
	    {"cpu", required_argument, NULL, 'c'},
	    {"dir", required_argument, NULL, 'd'},
	    {"format", required_argument, NULL, 'f'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	optind = 1;
	for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (!parse_option(q, c, optarg))
			return false;
	}
	return true;
}

static bool unknown_workload(const char *id)
{
	struct str names = {0};
	for (size_t i = 0; i < workload_table_len; i++)
		str_addf(&names, "%s%s", i ? ", " : "", workload_table[i].id);
	cmd_trouble("unknown workload `%s': expected one of %s", id, str_get(&names));
	str_free(&names);
	return false;
}

static bool pick_workloads(char **ids, size_t n, struct arena *a, struct bench_request *q)
{
	q->workloads = arena_array(a, const struct workload *, n ? n : workload_table_len);
	for (size_t i = 0; i < n; i++) {
		const struct workload *w = workload_by_id(ids[i]);
		if (!w)
			return unknown_workload(ids[i]);
		q->workloads[q->n++] = w;
	}
	for (size_t i = 0; n == 0 && i < workload_table_len; i++)
		q->workloads[q->n++] = &workload_table[i];
	return true;
}

/* The path execl shall use: the program's own, as a shell would give it. */
static const char *self_path(struct arena *a)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (len <= 0)
		return "/proc/self/exe";
	path[len] = '\0';
	return access(path, X_OK) == 0 ? arena_strdup(a, path) : "/proc/self/exe";
}

/* ---- output ------------------------------------------------------------------------------------------ */

static void list_workloads(void)
{
	for (size_t i = 0; i < workload_table_len; i++)
		printf("%-16s %s\n", workload_table[i].id, workload_table[i].what);
}

static void text_row(const struct bench_result *r)
{
	const struct workload *w = r->workload;
	char calls[16];
	snprintf(calls, sizeof(calls), "%u%s", w->calls, w->starts_program ? "+" : "");
	if (r->error[0])
		printf("%-16s failed: %s\n", w->id, r->error);
	else
		printf("%-16s %11llu %11.1f %11.1f %11.1f %8.1f %6s  %s\n", w->id, (unsigned long long)r->ops,
		       r->median, r->mean, r->min, bench_spread(r), calls, w->what);
}

static void text_report(const struct bench_result *results, const struct bench_request *q)
{
	printf("%-16s %11s %11s %11s %11s %8s %6s  %s\n", "workload", "ops/batch", "median ns", "mean ns",
	       "min ns", "spread %", "calls", "an operation");
	for (size_t i = 0; i < q->n; i++)
		text_row(&results[i]);
	printf("\n%u batches each; spread: slowest less fastest batch, of the median; calls: system calls an "
	       "operation,\n"
	       "`+': and those of a program's start-up.\nNote: %s.\n",
	       q->bench.batches, note);
}

static json_t *json_row(const struct bench_result *r)
{
	const struct workload *w = r->workload;
	json_t *row = json_pack("{s:s, s:s, s:i, s:s, s:b, s:b}", "id", w->id, "what", w->what, "calls",
				(int)w->calls, "names", w->names, "starts_program", w->starts_program,
				"two_processes", w->two_processes);
	if (r->error[0]) {
		json_object_set_new(row, "error", json_string(r->error));
		return row;
	}
	json_t *values = json_array();
	for (unsigned i = 0; i < r->n; i++)
		json_array_append_new(values, json_real(r->per_op[i]));
	json_object_set_new(row, "ops", json_integer((json_int_t)r->ops));
	json_object_set_new(row, "centre", json_string(w->centre == BENCH_MEAN ? "mean" : "median"));
	json_object_set_new(row, "median_ns", json_real(r->median));
	json_object_set_new(row, "mean_ns", json_real(r->mean));
	json_object_set_new(row, "min_ns", json_real(r->min));
	json_object_set_new(row, "spread_percent", json_real(bench_spread(r)));
	json_object_set_new(row, "per_op_ns", values);
	return row;
}

static void json_report(const struct bench_result *results, const struct bench_request *q)
{
	struct utsname u = {0};
	uname(&u);
	json_t *rows = json_array();
	for (size_t i = 0; i < q->n; i++)
		json_array_append_new(rows, json_row(&results[i]));
	json_t *cpu = q->bench.cpu < 0 ? json_null() : json_integer(q->bench.cpu);
	json_t *all = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:i, s:o}", "schema", "auditopt-bench/1",
				"note", note, "clock", "CLOCK_MONOTONIC_RAW", "kernel", u.release, "machine",
				u.machine, "cpu", cpu, "batches", (int)q->bench.batches, "workloads", rows);
	json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
	putchar('\n');
	json_decref(all);
}

/* ---- the work ---------------------------------------------------------------------------------------- */

static int run(const struct bench_request *q, struct arena *a)
{
	struct bench_result *results = arena_array(a, struct bench_result, q->n);
	struct progress *p = cmd_progress();
	int status = EXIT_CLEAN;
	for (size_t i = 0; i < q->n; i++) {
		progress_say(p, "%s (%zu of %zu)", q->workloads[i]->id, i + 1, q->n);
		if (bench_run(q->workloads[i], &q->bench, a, &results[i]) != 0)
			status = EXIT_TROUBLE;
	}
	cmd_progress_end();
	(q->json ? json_report : text_report)(results, q);
	for (size_t i = 0; i < q->n; i++) {
		if (results[i].error[0])
			cmd_trouble("%s: %s", results[i].workload->id, results[i].error);
	}
	if (fflush(stdout) != 0 || ferror(stdout))
		status = cmd_trouble("standard output: %s", strerror(errno));
	return status;
}

int cmd_bench(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	struct bench_request q = {
	    .bench = {.dir = tmp && *tmp ? tmp : "/tmp", .batches = BATCHES, .warmup = WARMUP, .cpu = -1}};
	if (!parse_options(argc, argv, &q))
		return EXIT_TROUBLE;
	if (q.help)
		return cmd_help("bench", options_help);
	if (q.list) {
		list_workloads();
		return EXIT_CLEAN;
	}
	struct arena *a = arena_new();
	q.bench.self = self_path(a);
	int status = EXIT_TROUBLE;
	if (pick_workloads(argv + optind, (size_t)(argc - optind), a, &q))
		status = run(&q, a);
	arena_free(a);
	return status;
}
