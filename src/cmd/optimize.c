/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "cmd/labjob.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct job {
	struct arena *arena;
	struct rule_options rule_options;
	struct labjob lab;
	const char *out, *json, *rollback, *calibration;
	const char **assume, **allow;
	size_t nassume, nallow;
	bool verify;
	uint32_t top;

	struct lang_env env;
	struct str bytes;             /* the input, byte for byte */
	struct ruleset *rs;
	struct kset *k;
	struct optimized *o;
	struct coefficients own;
	struct main_report report;
	struct str reduced;
};

enum { PARSED = -1, MAX_INPUT = 64 << 20 };

/* ---- options -------------------------------------------------------------------------------------------------------------------- */

static const char options_help[] =
	"  -o OUT            write the reduced rules here\n"
	"  --json FILE       write the whole report as JSON\n"
	"  --rollback FILE   write the input as it was loaded (default: OUT.rollback)\n"
	"  --assume NAME     rely on a fact about the host; may be repeated\n"
	"  --allow NAME      allow a loss; may be repeated; `--allow help' lists both\n"
	"  --verify          load both sets in the lab, measure and trigger, before anything is written\n"
	"  --calibration F   cost coefficients (default: built in)\n"
	"  --top N           rules in the cost table (default: 15)\n" RULE_OPTIONS_HELP LABJOB_OPTIONS_HELP
	"\nExit status: 0 done, 1 the lab saw a set load otherwise, or events differ though no loss was allowed (nothing is\n"
	"written then), 2 trouble.\n";

static bool known(const struct option_name *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(table[i].name, name) == 0)
			return true;
	}
	return false;
}

static int list_names(void)
{
	puts("Assumptions (--assume NAME):");
	for (size_t i = 0; i < assumption_table_len; i++)
		printf("  %-22s %s\n", assumption_table[i].name, assumption_table[i].what);
	puts("Losses (--allow NAME):");
	for (size_t i = 0; i < loss_table_len; i++)
		printf("  %-22s %s\n", loss_table[i].name, loss_table[i].what);
	return EXIT_CLEAN;
}

static int take_option(struct job *j, int c, const char *word)
{
	switch (c) {
	case 'o':
		j->out = optarg;
		return PARSED;
	case 'j':
		j->json = optarg;
		return PARSED;
	case 'r':
		j->rollback = optarg;
		return PARSED;
	case 'c':
		j->calibration = optarg;
		return PARSED;
	case 'v':
		j->verify = true;
		return PARSED;
	case 't':
		return num_u32(optarg, 10, &j->top) ? PARSED : cmd_usage_error("optimize", "--top takes a number, not `%s'", optarg);
	case 's':
		if (!known(assumption_table, assumption_table_len, optarg))
			return cmd_usage_error("optimize", "no assumption `%s': `--allow help' lists them", optarg);
		*arena_push(j->arena, j->assume, j->nassume) = optarg;
		return PARSED;
	case 'l':
		if (strcmp(optarg, "help") == 0)
			return list_names();
		if (!known(loss_table, loss_table_len, optarg))
			return cmd_usage_error("optimize", "no loss `%s': `--allow help' lists them", optarg);
		*arena_push(j->arena, j->allow, j->nallow) = optarg;
		return PARSED;
	case 'h':
		return cmd_help("optimize", options_help);
	default:
		return cmd_usage_error("optimize", "unknown option or missing value: `%s'", word);
	}
}

static bool same_inode(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The directory of a name, and what is left of the name. */
static const char *split(struct arena *a, const char *path, const char **dir)
{
	const char *slash = strrchr(path, '/');
	*dir = slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".";
	return slash ? slash + 1 : path;
}

/* Two names of one file, be it there yet or not. */
static bool same_file(const struct job *j, const char *a, const char *b)
{
	if (!a || !b)
		return false;
	const char *in_a, *in_b, *x = split(j->arena, a, &in_a), *y = split(j->arena, b, &in_b);
	return same_inode(a, b) || (strcmp(x, y) == 0 && same_inode(in_a, in_b));
}

/* A part of the input, or a name that would be one the next time: augenrules takes every *.rules of its directory. */
static bool is_input(const struct job *j, const char *path, const char *input)
{
	if (!path)
		return false;
	const char *dir, *name = split(j->arena, path, &dir), *dot = strrchr(name, '.');
	if (strcmp(input, "-") == 0)
		return same_inode(path, "/dev/stdin");
	return same_file(j, path, input) || (dot && strcmp(dot, ".rules") == 0 && same_inode(dir, input));
}

/* Why a path cannot be written to, NULL when it can as far as one sees now. */
static const char *refused_output(const char *path)
{
	char *target;
	int err = file_target(path, &target);
	free(target);
	if (strcmp(path, "-") == 0)
		return "the report goes to standard output, expected the name of a file";
	if (err == -EOPNOTSUPP)
		return "it is a device or a pipe, expected a regular file";
	return err ? strerror(-err) : NULL;
}

/* Nothing may be written over the input, nor one output over another. */
static int check_outputs(const struct job *j, const char *input)
{
	const char *const outputs[] = {j->out, j->rollback, j->json};
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		const char *why = outputs[i] ? refused_output(outputs[i]) : NULL;
		if (why)
			return cmd_usage_error("optimize", "cannot write `%s': %s", outputs[i], why);
		if (is_input(j, outputs[i], input))
			return cmd_usage_error("optimize", "`%s' is the input, or would be read with it: that is never changed", outputs[i]);
		for (size_t k = 0; k < i; k++) {
			if (same_file(j, outputs[i], outputs[k]))
				return cmd_usage_error("optimize", "`%s' is named for two outputs", outputs[i]);
		}
	}
	return PARSED;
}

static int parse(int argc, char **argv, struct job *j)
{
	static const struct option options[] = {
		RULE_OPTIONS_LONG, LABJOB_OPTIONS_LONG, {"json", required_argument, NULL, 'j'},
		{"rollback", required_argument, NULL, 'r'}, {"assume", required_argument, NULL, 's'},
		{"allow", required_argument, NULL, 'l'}, {"verify", no_argument, NULL, 'v'},
		{"calibration", required_argument, NULL, 'c'}, {"top", required_argument, NULL, 't'},
		{"output", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'}, {0}};
	optind = 1;
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
		int taken = labjob_option(&j->lab, c, optarg);
		if (taken < 0)
			return EXIT_TROUBLE;
		if (taken || rule_option(&j->rule_options, c, optarg))
			continue;
		int status = take_option(j, c, argv[optind - 1]);
		if (status != PARSED)
			return status;
	}
	if (argc - optind != 1)
		return cmd_usage_error("optimize", "one rule set is expected");
	if (!j->out)
		return cmd_usage_error("optimize", "-o OUT is needed: the input is never changed in place");
	if (!j->rollback)
		j->rollback = arena_printf(j->arena, "%s.rollback", j->out);
	return check_outputs(j, argv[optind]);
}

/* ---- the steps -------------------------------------------------------------------------------------------------------------------- */

/* Parsed from the bytes that are hashed, so that the digest is of what was read; a directory is read as merged. */
static bool read_input(struct job *j, const char *path)
{
	struct diags ds = {.arena = j->arena};
	int err = file_read(path, MAX_INPUT, &j->bytes);
	if (err == 0) {
		j->rs = rules_parse(strcmp(path, "-") == 0 ? "<stdin>" : path, str_get(&j->bytes), j->bytes.len, &j->env, &ds);
	} else if (err != -EISDIR) {
		cmd_trouble("%s: %s", path, strerror(-err));
	} else {
		str_reset(&j->bytes);
		j->rs = rules_read(path, &j->env, &ds);
		if (j->rs)
			output_rollback(j->rs, &j->bytes);
	}
	if (j->rs && (!ds.errors || j->rs->ignore_errors))
		j->k = kset_load(j->rs, &ds);
	diags_print(&ds);
	return j->k && (!ds.errors || j->rs->ignore_errors);
}

static bool read_calibration(struct job *j)
{
	const char *err = NULL;
	j->report.coefficients = coefficients_default();
	if (!j->calibration)
		return true;
	if (coefficients_read(j->calibration, &j->own, j->arena, &err) < 0) {
		cmd_trouble("%s: %s", j->calibration, err ? err : "not a calibration file");
		return false;
	}
	j->report.coefficients = &j->own;
	return true;
}

static bool reduce(struct job *j)
{
	struct optimize_options o = {.assume = j->assume, .nassume = j->nassume, .allow = j->allow, .nallow = j->nallow,
				     .coefficients = j->report.coefficients, .env = &j->env, .progress = cmd_progress()};
	j->o = optimize(j->k, &o);
	cmd_progress_end();
	j->report.o = j->o;
	if (j->o->proof.verdict != PROOF_EQUAL) {
		cmd_trouble("the result is not proved equal to the input, nothing is written: %s", j->o->proof.reason);
		return false;
	}
	const char *err = NULL;
	struct output_info info = {j->report.input, j->report.sha256, AUDITOPT_VERSION};
	if (!output_rules(j->rs, j->o, &j->env, &info, &j->reduced, &err)) {
		cmd_trouble("%s; nothing is written", err);
		return false;
	}
	return true;
}

static bool write_one(const char *path, const struct str *text)
{
	int err = file_write(path, str_get(text), text->len, 0640);
	if (err)
		cmd_trouble("%s: %s", path, strerror(-err));
	return !err;
}

/* The way back is written first, so that it is there as soon as the new rules are. */
static bool write_files(struct job *j)
{
	struct str text = {0};
	j->report.rollback_file = j->rollback;
	j->report.rules_file = j->out;
	j->report.json_file = j->json;
	bool good = !j->json || report_json(&j->report, &text);
	if (!good)
		cmd_trouble("the report cannot be written as JSON: nothing is written");
	good = good && write_one(j->rollback, &j->bytes) && write_one(j->out, &j->reduced) && (!j->json || write_one(j->json, &text));
	str_free(&text);
	return good;
}

static bool has_loss(const struct optimized *o)
{
	for (size_t i = 0; i < o->nchanges; i++) {
		if (o->changes[i].pass->kind == PASS_LOSS)
			return true;
	}
	return false;
}

static void show(const struct job *j)
{
	struct str out = {0};
	report_summary(&j->report, &out);
	report_rules(&j->report, j->top, &out);
	report_changes(&j->report, &out);
	report_remains(&j->report, &out);
	if (j->report.lab)
		report_lab(j->report.lab, &out);
	if (j->report.rules_file && j->report.lab && labjob_differs(j->report.lab))
		str_add(&out, "A loss was allowed, so the differences are no reason not to write. Read them: are they the loss, and no more?\n");
	if (j->report.rules_file)
		report_files(&j->report, &out);
	fputs(str_get(&out), stdout);
	str_free(&out);
}

/* Events may differ where a loss was allowed, and only there; a set that loads otherwise is never expected. */
static int verify(struct job *j)
{
	struct labjob_set sets[] = {
		{j->o->before, j->o->nbefore, str_get(&j->bytes)},
		{j->o->after, j->o->nafter, str_get(&j->reduced)},
	};
	struct lab_report *lab = labjob_run(&j->lab, &j->rule_options, sets);
	j->report.lab = lab;
	if (lab->error)
		return cmd_trouble("the lab failed, nothing is written: %s", lab->error);
	if (!labjob_differs(lab) || (has_loss(j->o) && !labjob_misloads(lab)))
		return EXIT_CLEAN;
	show(j);
	cmd_trouble("the lab saw the two sets behave differently: nothing is written");
	return EXIT_FINDINGS;
}

static int run(struct job *j, const char *path)
{
	char sha[65];
	if (!rule_env(&j->rule_options, j->arena, &j->env) || !machine_modelled(&j->env) || !read_calibration(j) || !read_input(j, path))
		return EXIT_TROUBLE;
	sha256_hex(str_get(&j->bytes), j->bytes.len, sha);
	j->report.input = path;
	j->report.sha256 = arena_strdup(j->arena, sha);
	j->report.env = &j->env;
	if (!reduce(j))
		return EXIT_TROUBLE;
	int status = j->verify ? verify(j) : EXIT_CLEAN;
	if (status != EXIT_CLEAN)
		return status;
	if (!write_files(j))
		return EXIT_TROUBLE;
	show(j);
	return EXIT_CLEAN;
}

int cmd_optimize(int argc, char **argv)
{
	struct job j = {.arena = arena_new(), .top = 15};
	j.lab.arena = j.arena;
	int status = parse(argc, argv, &j);
	if (status == PARSED)
		status = run(&j, argv[optind]);
	lab_report_free((struct lab_report *)(uintptr_t)j.report.lab);
	optimized_free(j.o);
	kset_free(j.k);
	ruleset_free(j.rs);
	str_free(&j.bytes);
	str_free(&j.reduced);
	arena_free(j.arena);
	return status;
}
