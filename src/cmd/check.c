/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "lint/lint.h"

#include <getopt.h>
#include <stdio.h>

struct totals {
	size_t rules, errors, warnings;
};

static void check(const char *path, const struct lang_env *env, struct totals *t)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_read(path, env, &ds);
	/* auditctl lets rules through that the kernel then refuses, such as one it holds already. */
	if (rs) {
		struct kset *k = kset_load(rs, &ds);
		struct lint l = {.rs = rs, .k = k, .env = env, .ds = &ds, .arena = arena_new()};
		lint_run(&l);
		diags_sort(&ds);
		arena_free(l.arena);
		kset_free(k);
	}
	diags_print(&ds);
	t->errors += ds.errors;
	for (size_t i = 0; i < ds.n; i++)
		t->warnings += ds.list[i].severity == SEV_WARNING;
	for (size_t i = 0; rs && i < rs->nrequests; i++)
		t->rules += rs->requests[i].kind == REQ_ADD;
	ruleset_free(rs);
	arena_free(ds.arena);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static const char check_help[] =
    "What auditctl refuses, and then, as far as it can be known without the host's files, what the kernel "
    "refuses.\n"
    "A directory is merged as augenrules does; `-' is standard input.\n\n" RULE_OPTIONS_HELP
    "\nExit status: 0 no error, 1 warnings only, 2 errors.\n";

int cmd_check(int argc, char **argv)
{
	static const struct option options[] = {
	    RULE_OPTIONS_LONG,
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	struct rule_options o = {0};
	optind = 1;
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
		if (c == 'h')
			return cmd_help("check", check_help);
		if (!rule_option(&o, c, optarg))
			return cmd_usage_error("check", "unknown option or missing value: `%s'",
					       argv[optind - 1]);
	}
	size_t files = (size_t)(argc - optind);
	if (!files)
		return cmd_usage_error("check", "expected at least one file or directory");

	struct arena *a = arena_new();
	struct lang_env env;
	if (!rule_env(&o, a, &env)) {
		arena_free(a);
		return EXIT_TROUBLE;
	}
	struct totals t = {0};
	for (size_t i = 0; i < files; i++)
		check(argv[optind + (int)i], &env, &t);
	arena_free(a);
	printf("%zu file%s, %zu rule%s, %zu error%s, %zu warning%s\n", files, plural(files), t.rules,
	       plural(t.rules), t.errors, plural(t.errors), t.warnings, plural(t.warnings));
	return t.errors ? EXIT_TROUBLE : t.warnings ? EXIT_FINDINGS : EXIT_CLEAN;
}
