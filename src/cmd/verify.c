/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "cmd/labjob.h"
#include "report/jsonout.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct verify {
	struct rule_options rules;
	struct labjob job;
	bool json;
	struct arena *arena;
};

enum { PARSED = -1 };

static int parse(int argc, char **argv, struct verify *v)
{
	static const struct option options[] = {
		RULE_OPTIONS_LONG, LABJOB_OPTIONS_LONG, {"format", required_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'}, {0}};
	optind = 1;
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
		int taken = labjob_option(&v->job, c, optarg);
		if (taken < 0)
			return EXIT_TROUBLE;
		if (taken || rule_option(&v->rules, c, optarg))
			continue;
		if (c == 'h')
			return cmd_help("verify", RULE_OPTIONS_HELP LABJOB_OPTIONS_HELP
					"  --format text|json (default: text)\n\n"
					"Exit status: 0 both sets record the same, 1 they differ, 2 trouble.\n");
		if (c != 'f')
			return cmd_usage_error("verify", "unknown option or missing value: `%s'", argv[optind - 1]);
		if (strcmp(optarg, "text") != 0 && strcmp(optarg, "json") != 0)
			return cmd_usage_error("verify", "--format takes text or json, not `%s'", optarg);
		v->json = strcmp(optarg, "json") == 0;
	}
	if (argc - optind != 2)
		return cmd_usage_error("verify", "two rule sets are expected");
	return PARSED;
}

/* What a set loads, in the order of its requests. */
static struct labjob_set loaded(const struct ruleset *rs, const struct kset *k, struct arena *a)
{
	const struct rule **rules = arena_array(a, const struct rule *, k->n + 1);
	size_t n = 0;
	for (size_t q = 0; q < rs->nrequests; q++) {
		for (size_t i = 0; i < k->n; i++) {
			if (k->rules[i].request == q)
				rules[n++] = k->rules[i].rule;
		}
	}
	struct str text = {0};
	output_rollback(rs, &text);
	struct labjob_set s = {rules, n, arena_strndup(a, str_get(&text), text.len)};
	str_free(&text);
	return s;
}

static int show(const struct verify *v, const struct lab_report *r)
{
	struct str out = {0};
	if (v->json) {
		json_t *o = json_object();
		json_object_set_new(o, "schema", json_string("auditopt-verify/1"));
		json_object_set_new(o, "lab", report_lab_json(r));
		if (!json_out(o, &out))
			return cmd_trouble("the report cannot be written as JSON");
	} else {
		report_lab(r, &out);
	}
	fputs(str_get(&out), stdout);
	str_free(&out);
	if (r->error)
		return cmd_trouble("the lab failed: %s", r->error);
	return labjob_differs(r) ? EXIT_FINDINGS : EXIT_CLEAN;
}

static int verify(struct verify *v, char **paths)
{
	struct lang_env env;
	struct ruleset *rs[2] = {0};
	struct kset *k[2] = {0};
	struct labjob_set sets[2];
	int status = EXIT_TROUBLE;
	bool ready = rule_env(&v->rules, v->arena, &env) && machine_modelled(&env);
	for (int i = 0; i < 2 && ready; i++) {
		struct diags ds = {.arena = v->arena};
		rs[i] = rules_or_complain(paths[i], &env);
		if (rs[i])
			k[i] = kset_load(rs[i], &ds);
		diags_print(&ds);
		ready = rs[i] && !ds.errors;
		if (ready)
			sets[i] = loaded(rs[i], k[i], v->arena);
	}
	if (ready) {
		struct lab_report *r = labjob_run(&v->job, &v->rules, sets);
		status = show(v, r);
		lab_report_free(r);
	}
	for (int i = 0; i < 2; i++) {
		kset_free(k[i]);
		ruleset_free(rs[i]);
	}
	return status;
}

int cmd_verify(int argc, char **argv)
{
	struct verify v = {.arena = arena_new()};
	v.job.arena = v.arena;
	int status = parse(argc, argv, &v);
	if (status == PARSED)
		status = verify(&v, argv + optind);
	arena_free(v.arena);
	return status;
}
