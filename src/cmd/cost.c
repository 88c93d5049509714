/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/jsontext.h"
#include "cmd/cmd.h"
#include "cost/cost.h"
#include "report/table.h"

#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char options_help[] =
    "  --format FORMAT   text (default) or json\n"
    "  --call NAME       only this system call in the table of calls; may be repeated\n"
    "  --top N           at most N rows in each table (default: 20 as text, 0 as json; 0: all)\n"
    "  --calibration FILE  prices to use (default: built in, Debian 12's kernel)\n" RULE_OPTIONS_HELP
    "  --help            this text\n"
    "\nAll figures are modelled, in executed kernel instructions; none is measured on this machine.\n";

/* Calls that the summary shows besides the one no rule names: file access, removal, start of programs, fork,
 * input. */
static const char *const shown_calls[] = {"openat", "unlinkat", "execve", "clone", "read"};
static const char *const home_names[HOME_COUNT] = {
    [HOME_USER] = "user",      [HOME_TASK] = "task",       [HOME_EXIT] = "exit",
    [HOME_HASH] = "hash",      [HOME_EXCLUDE] = "exclude", [HOME_FILESYSTEM] = "filesystem",
    [HOME_URING] = "io_uring",
};
static const char *const abi_names[ABI_COUNT] = {[ABI_64] = "b64", [ABI_32] = "b32"};

struct job {
	struct rule_options rules;
	const char *path, *calibration;
	bool json;
	uint32_t top;
	bool top_given;
	const char **calls;
	size_t ncalls;
	struct arena *arena;
	const struct coefficients *c;
	const struct kset *k;
	struct cost_report *report;
};

/* ---- what both formats show ---------------------------------------------------------------------------- */

static struct place place_of(const struct krule *r)
{
	return r->rule->line ? r->rule->line->at : (struct place){.file = "-"};
}

static const char *text_of(struct arena *a, const struct krule *r)
{
	const char *text = r->rule->line ? r->rule->line->text : "";
	size_t len = r->rule->line ? r->rule->line->len : 0;
	while (len && strchr(" \t\r", *text)) {
		text++;
		len--;
	}
	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	return arena_strndup(a, text, len);
}

static const char *name_of(struct arena *a, const struct cost_row *row)
{
	return row->name ? row->name : arena_printf(a, "%u", row->nr);
}

static size_t shown(const struct job *j, size_t n)
{
	return j->top && j->top < n ? j->top : n;
}

static double ratio(const struct cost_row *row, enum cost_caller who)
{
	return call_cost_total(&row->by[who]) / row->one_rule;
}

/* The rows asked for by --call, else all. False: a name that no ABI has; a message has been printed. */
static bool choose_rows(struct job *j)
{
	if (!j->ncalls)
		return true;
	struct cost_row *rows = NULL;
	size_t n = 0;
	for (size_t i = 0; i < j->ncalls; i++) {
		bool known = false;
		for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
			int nr = call_number(abi, j->calls[i]);
			if (nr < 0)
				continue;
			*arena_push(j->arena, rows, n) = cost_row(j->c, j->k, abi, (unsigned)nr);
			known = true;
		}
		if (!known) {
			cmd_trouble("unknown system call `%s'", j->calls[i]);
			return false;
		}
	}
	j->report->rows = rows;
	j->report->nrows = n;
	return true;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

/* A terminal's width; what goes elsewhere is not cut. */
static size_t line_width(void)
{
	struct winsize w;
	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
		return 0;
	return w.ws_col;
}

static void print_table(struct table *t, size_t left_out, struct str *out)
{
	table_bold(t, isatty(STDOUT_FILENO));
	table_print(t, out);
	if (left_out)
		str_addf(out, "(%zu more; --top 0 shows all)\n", left_out);
}

static void row_cells(struct table *t, struct arena *a, const struct cost_row *row, const char *label)
{
	table_cell(t, label ? label : name_of(a, row));
	for (enum cost_caller who = 0; who < CALLER_COUNT; who++) {
		table_cellf(t, "%.0f", call_cost_total(&row->by[who]));
		table_cellf(t, "%.2f", ratio(row, who));
		table_cell(t, row->by[who].exempt ? "exempt" : row->by[who].event > 0 ? "recorded" : "");
	}
}

static void text_counts(const struct job *j, struct str *out)
{
	const struct cost_report *r = j->report;
	str_addf(out,
		 "%s: modelled cost in kernel instructions (prices of %s; nothing was measured here)\n\n",
		 j->path, j->c->kernel);
	str_addf(out, "rules loaded                     %zu\n", r->nrules);
	str_addf(out, "exit list, walked by every call  %zu\n", r->lists[HOME_EXIT]);
	str_addf(out, "  tried on every call            %zu, of which dir rules %zu\n", r->full,
		 r->full_dirs);
	str_addf(out, "path and inode rules             %zu\n", r->lists[HOME_HASH]);
	str_addf(out, "task list                        %zu\n", r->lists[HOME_TASK]);
	str_addf(out, "mean call of the profiles       ");
	for (size_t p = 0; p < profile_table_len; p++)
		str_addf(out, " %s %.0f%s", profile_table[p].name, r->profiles[p],
			 p + 1 < profile_table_len ? "," : "\n");
}

static void text_summary(const struct job *j, struct str *out)
{
	text_counts(j, out);
	struct table *t = table_new(j->arena);
	table_column(t, TABLE_LEFT, "call (b64)");
	table_column(t, TABLE_RIGHT, "auid unset");
	table_column(t, TABLE_RIGHT, "x one rule");
	table_column(t, TABLE_LEFT, "");
	table_column(t, TABLE_RIGHT, "auid 1000");
	table_column(t, TABLE_RIGHT, "x one rule");
	table_column(t, TABLE_LEFT, "");
	const struct cost_row *unnamed = &j->report->unnamed;
	row_cells(t, j->arena, unnamed, arena_printf(j->arena, "no rule's (%s)", name_of(j->arena, unnamed)));
	for (size_t i = 0; i < ARRAY_SIZE(shown_calls); i++) {
		int nr = call_number(ABI_64, shown_calls[i]);
		if (nr < 0)
			continue;
		struct cost_row row = cost_row(j->c, j->k, ABI_64, (unsigned)nr);
		row_cells(t, j->arena, &row, NULL);
	}
	str_addc(out, '\n');
	print_table(t, 0, out);
	str_add(out,
		"Each call itself is counted as small as getppid. Writing an event comes on top where one is "
		"recorded.\n");
}

static void text_rules(const struct job *j, struct str *out)
{
	struct table *t = table_new(j->arena);
	table_column(t, TABLE_RIGHT, "mean");
	table_column(t, TABLE_RIGHT, "no rule's");
	table_column(t, TABLE_RIGHT, "calls");
	table_column(t, TABLE_LEFT, "list");
	table_column(t, TABLE_LEFT, "at");
	table_column(t, TABLE_LEFT, "rule");
	table_fit(t, line_width(), TABLE_CUT);
	size_t n = shown(j, j->report->nrules);
	for (size_t i = 0; i < n; i++) {
		const struct cost_rule *r = &j->report->rules[i];
		struct place at = place_of(r->rule);
		table_cellf(t, "%.1f", r->mean);
		table_cellf(t, "%.1f", r->unnamed);
		if (r->calls == NR_LIMIT)
			table_cell(t, "all");
		else
			table_cellf(t, "%u", r->calls);
		table_cell(t, home_names[r->rule->home]);
		table_cellf(t, "%s:%u", at.file, at.line);
		table_cell(t, text_of(j->arena, r->rule));
	}
	str_add(out, "\nRules by cost: instructions added to the mean call of the profiles, and to a call no "
		     "rule names\n");
	print_table(t, j->report->nrules - n, out);
}

static const char *dearest_text(const struct job *j, const struct cost_row *row)
{
	struct str s = {0};
	for (unsigned i = 0; i < row->ndearest; i++) {
		struct place at = place_of(row->dearest[i].rule);
		bool same = strcmp(at.file, j->path) == 0; /* one file: its name would be in every cell */
		str_addf(&s, "%s%s%s%u (%.1f)", i ? ", " : "", same ? "line " : at.file, same ? "" : ":",
			 at.line, row->dearest[i].adds);
	}
	const char *text = arena_strdup(j->arena, str_get(&s));
	str_free(&s);
	return text;
}

static void text_calls(const struct job *j, struct str *out)
{
	struct table *t = table_new(j->arena);
	table_column(t, TABLE_LEFT, "call");
	table_column(t, TABLE_LEFT, "abi");
	table_column(t, TABLE_RIGHT, "auid unset");
	table_column(t, TABLE_RIGHT, "auid 1000");
	table_column(t, TABLE_LEFT, "dearest rules");
	table_fit(t, line_width(), TABLE_CUT);
	size_t n = shown(j, j->report->nrows);
	for (size_t i = 0; i < n; i++) {
		const struct cost_row *row = &j->report->rows[i];
		table_cell(t, name_of(j->arena, row));
		table_cell(t, abi_names[row->abi]);
		for (enum cost_caller who = 0; who < CALLER_COUNT; who++)
			table_cellf(t, "%.0f", call_cost_total(&row->by[who]));
		table_cell(t, dearest_text(j, row));
	}
	str_add(out, "\nSystem calls by cost\n");
	print_table(t, j->report->nrows - n, out);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* Hundredths of an instruction are below what the model can tell. */
static json_t *json_cost(double x)
{
	return json_real(round(x * 100) / 100);
}

static json_t *json_caller(const struct cost_row *row, enum cost_caller who)
{
	const struct call_cost *p = &row->by[who];
	return json_pack("{s:o, s:o, s:o, s:b, s:b}", "instructions", json_cost(call_cost_total(p)), "ratio",
			 json_cost(ratio(row, who)), "event", json_cost(p->event), "recorded", p->event > 0,
			 "exempt", p->exempt);
}

static json_t *json_row(const struct job *j, const struct cost_row *row)
{
	json_t *dearest = json_array();
	for (unsigned i = 0; i < row->ndearest; i++) {
		struct place at = place_of(row->dearest[i].rule);
		json_array_append_new(dearest, json_pack("{s:o, s:i, s:o}", "file",
							 json_text(at.file), "line", (int)at.line,
							 "adds", json_cost(row->dearest[i].adds)));
	}
	return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o}", "call", name_of(j->arena, row), "abi",
			 abi_names[row->abi], "number", (int)row->nr, "one_rule", json_cost(row->one_rule),
			 "auid_unset", json_caller(row, CALLER_SERVICE), "auid_1000",
			 json_caller(row, CALLER_USER), "dearest", dearest);
}

static json_t *json_profiles(const double *figures)
{
	json_t *o = json_object();
	for (size_t p = 0; p < profile_table_len; p++)
		json_object_set_new(o, profile_table[p].name, json_cost(figures[p]));
	return o;
}

static json_t *json_summary(const struct job *j)
{
	const struct cost_report *r = j->report;
	json_t *lists = json_object(), *calls = json_array();
	for (enum home h = 0; h < HOME_COUNT; h++)
		json_object_set_new(lists, home_names[h], json_integer((json_int_t)r->lists[h]));
	for (size_t i = 0; i < ARRAY_SIZE(shown_calls); i++) {
		int nr = call_number(ABI_64, shown_calls[i]);
		if (nr < 0)
			continue;
		struct cost_row row = cost_row(j->c, j->k, ABI_64, (unsigned)nr);
		json_array_append_new(calls, json_row(j, &row));
	}
	return json_pack("{s:I, s:o, s:I, s:I, s:o, s:o, s:o, s:o}", "rules", (json_int_t)r->nrules, "lists",
			 lists, "full_mask", (json_int_t)r->full, "full_mask_dirs", (json_int_t)r->full_dirs,
			 "score", json_cost(r->score), "profiles", json_profiles(r->profiles), "unnamed",
			 json_row(j, &r->unnamed), "calls", calls);
}

static json_t *json_rule(const struct job *j, const struct cost_rule *r)
{
	struct place at = place_of(r->rule);
	return json_pack("{s:o, s:i, s:o, s:s, s:s, s:i, s:b, s:o, s:o, s:o}", "file",
			 json_text(at.file), "line", (int)at.line, "text",
			 json_text(text_of(j->arena, r->rule)), "list", home_names[r->rule->home],
			 "action", r->rule->rule->action == AUDIT_NEVER ? "never" : "always", "calls",
			 (int)r->calls, "all_calls", r->calls == NR_LIMIT, "mean", json_cost(r->mean),
			 "profiles", json_profiles(r->profiles), "unnamed", json_cost(r->unnamed));
}

static json_t *json_report(const struct job *j)
{
	json_t *rules = json_array(), *calls = json_array();
	for (size_t i = 0, n = shown(j, j->report->nrules); i < n; i++)
		json_array_append_new(rules, json_rule(j, &j->report->rules[i]));
	for (size_t i = 0, n = shown(j, j->report->nrows); i < n; i++)
		json_array_append_new(calls, json_row(j, &j->report->rows[i]));
	json_t *model = json_pack("{s:s, s:o, s:s, s:b}", "kernel", j->c->kernel, "calibration",
				  json_text(j->calibration ? j->calibration : "built in"), "unit",
				  "instructions", "measured", 0);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "schema", "auditopt-cost/1", "source",
			 json_text(j->path), "model", model, "summary", json_summary(j), "rules",
			 rules, "calls", calls);
}

/* ---- the command --------------------------------------------------------------------------------------- */

static int print_report(const struct job *j)
{
	struct str out = {0};
	if (j->json) {
		json_t *root = json_report(j);
		char *text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
		json_decref(root);
		if (!text)
			return cmd_trouble("out of memory");
		str_addf(&out, "%s\n", text);
		free(text);
	} else {
		text_summary(j, &out);
		text_rules(j, &out);
		text_calls(j, &out);
	}
	fwrite(str_get(&out), 1, out.len, stdout);
	str_free(&out);
	return EXIT_CLEAN;
}

static int report_set(struct job *j, const struct ruleset *rs)
{
	struct diags ds = {.arena = j->arena};
	struct kset *k = kset_load(rs, &ds);
	diags_print(&ds);
	int rc = EXIT_TROUBLE;
	if (!ds.errors || rs->ignore_errors) {
		j->k = k;
		j->report = cost_report(j->c, k, j->arena);
		if (choose_rows(j))
			rc = print_report(j);
	}
	kset_free(k);
	return rc;
}

static int run(struct job *j)
{
	struct coefficients *own = arena_one(j->arena, struct coefficients);
	const char *err = NULL;
	if (j->calibration && coefficients_read(j->calibration, own, j->arena, &err) != 0)
		return cmd_trouble("%s: error: %s", j->calibration, err);
	j->c = j->calibration ? own : coefficients_default();
	struct lang_env env;
	if (!(rule_env(&j->rules, j->arena, &env) && machine_modelled(&env)))
		return EXIT_TROUBLE;
	struct ruleset *rs = rules_or_complain(j->path, &env);
	if (!rs)
		return EXIT_TROUBLE;
	int rc = report_set(j, rs);
	ruleset_free(rs);
	return rc;
}

/* EXIT_CLEAN: go on; else end with it. */
static int take_option(struct job *j, int c, const char *value)
{
	switch (c) {
	case 'f':
		j->json = strcmp(value, "json") == 0;
		if (!j->json && strcmp(value, "text") != 0)
			return cmd_usage_error("cost", "unknown format `%s': expected text or json", value);
		return EXIT_CLEAN;
	case 'c':
		*arena_push(j->arena, j->calls, j->ncalls) = value;
		return EXIT_CLEAN;
	case 't':
		j->top_given = true;
		if (!num_u32(value, 10, &j->top))
			return cmd_usage_error("cost", "--top takes a number, not `%s'", value);
		return EXIT_CLEAN;
	case 'C':
		j->calibration = value;
		return EXIT_CLEAN;
	default:
		if (rule_option(&j->rules, c, value))
			return EXIT_CLEAN;
		return cmd_usage_error("cost", "see --help for the options");
	}
}

static int parse_and_run(struct job *j, int argc, char **argv)
{
	static const struct option long_options[] = {
	    {"format", required_argument, NULL, 'f'},
	    {"call", required_argument, NULL, 'c'},
	    {"top", required_argument, NULL, 't'},
	    {"help", no_argument, NULL, 'h'},
	    {"calibration", required_argument, NULL, 'C'},
	    RULE_OPTIONS_LONG,
	    {NULL, 0, NULL, 0},
	};
	optind = 1;
	for (int c; (c = getopt_long(argc, argv, "h", long_options, NULL)) != -1;) {
		if (c == 'h')
			return cmd_help("cost", options_help);
		int rc = take_option(j, c, optarg);
		if (rc != EXIT_CLEAN)
			return rc;
	}
	if (argc - optind != 1)
		return cmd_usage_error("cost", "expected one file or directory");
	j->path = argv[optind];
	if (!j->top_given)
		j->top = j->json ? 0 : 20;
	return run(j);
}

int cmd_cost(int argc, char **argv)
{
	struct job j = {.arena = arena_new()};
	int rc = parse_and_run(&j, argc, argv);
	arena_free(j.arena);
	return rc;
}
