/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"

#include <getopt.h>
#include <stdio.h>

/*
 * Prints what auditctl sends until it stops. Status: 2 when it stops at an error, 1 when failed lines were
 * passed over
 * (-i, -c), else 0.
 */
static int dump(const char *path, const struct lang_env *env)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_read(path, env, &ds);
	diags_print(&ds);
	bool stops = !rs;
	for (size_t i = 0; i < ds.n; i++)
		stops |= ds.list[i].stops;
	struct str out = {0};
	for (size_t i = 0; rs && i < rs->nloaded; i++)
		request_dump(&rs->requests[i], &out);
	fputs(str_get(&out), stdout);
	str_free(&out);
	int status = stops ? EXIT_TROUBLE : ds.errors ? EXIT_FINDINGS : EXIT_CLEAN;
	ruleset_free(rs);
	arena_free(ds.arena);
	return status;
}

int cmd_dump(int argc, char **argv)
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
			return cmd_help("dump", RULE_OPTIONS_HELP);
		if (!rule_option(&o, c, optarg))
			return cmd_usage_error("dump", "unknown option or missing value: `%s'",
					       argv[optind - 1]);
	}
	if (argc - optind != 1)
		return cmd_usage_error("dump", "expected one file or directory");

	struct arena *a = arena_new();
	struct lang_env env;
	int status = rule_env(&o, a, &env) ? dump(argv[optind], &env) : EXIT_TROUBLE;
	arena_free(a);
	return status;
}
