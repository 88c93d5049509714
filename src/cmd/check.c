/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "lint/lint.h"
#include "report/findings.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct job {
	struct arena *arena;
	struct rule_options rules;
	struct lang_env env;
	struct check_options check;
	struct diag_filter filter;
	const char *root, *out, *labels;
	bool (*format)(const struct findings *f, struct str *out);
	bool no_host, quiet, brief, diff, fix, in_place, less;
	enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
};

enum { PARSED = -1 };

/* ---- options ---------------------------------------------------------------------------------------- */

static const char check_help[] =
    "Says what auditctl or the kernel refuses, what a loaded rule does otherwise than its text says, and "
    "what to write\n"
    "instead. A directory is merged as augenrules does; `-' is standard input.\n\n"
    "  --format FORMAT   text, json or sarif (2.1.0)\n"
    "  --color WHEN      auto, always or never\n"
    "  --brief           no explanations below the findings\n"
    "  --quiet           no notes\n"
    "  --only CODES      these alone, by code or name, with commas: AR101,unset-auid\n"
    "  --ignore CODES    all but these\n"
    "  --explain CODES   the long form of these codes, or of `all'\n"
    "  --list-codes      the table of codes\n"
    "  --diff OLD NEW    only what NEW has and OLD has not\n"
    "  --fix             mend what can be mended, in a copy: FILE.fixed, or the directory DIR.fixed\n"
    "  -o, --output OUT  with --fix: the copy's name (`-': standard output)\n"
    "  --record-less     with --fix: also what leaves less recorded, such as auid!=unset where it is "
    "missing\n"
    "  --in-place        with --fix: the files themselves; each keeps a backup in FILE.bak\n"
    "  --root DIR        the host's files are below DIR: what is missing there, will be missing when the "
    "rules are loaded\n"
    "  --labels FILE     types, users and roles of the SELinux policy, one a line, as `seinfo -t -u -r' "
    "lists them\n"
    "  --no-host         ask no host which paths exist\n" RULE_OPTIONS_HELP
    "\nExit status: 0 nothing but notes, 1 warnings, 2 errors.\n";

static int explain(const char *list)
{
	struct str out = {0};
	char *copy = strdup(list), *save = NULL;
	int status = EXIT_CLEAN;
	bool all = strcmp(list, "all") == 0;
	for (unsigned i = 0; all && i < diag_table_len; i++) {
		str_add(&out, i ? "\n" : "");
		explain_code(&diag_table[i], &out);
	}
	for (char *word = all ? NULL : strtok_r(copy, ", ", &save); word && status == EXIT_CLEAN;
	     word = strtok_r(NULL, ", ", &save)) {
		const struct diag_info *info = diag_by_name(word);
		if (!info) {
			status =
			    cmd_trouble("there is no code `%s': expected one of check --list-codes", word);
			break;
		}
		str_add(&out, out.len ? "\n" : "");
		explain_code(info, &out);
	}
	if (status == EXIT_CLEAN && !out.len)
		status = cmd_trouble("no code to explain: expected some of check --list-codes, or all");
	if (status == EXIT_CLEAN)
		fputs(str_get(&out), stdout);
	free(copy);
	str_free(&out);
	return status;
}

static int list_codes(void)
{
	struct str out = {0};
	explain_table(&out);
	fputs(str_get(&out), stdout);
	str_free(&out);
	return EXIT_CLEAN;
}

static bool set_format(struct job *j, const char *name)
{
	static const struct {
		const char *name;
		bool (*format)(const struct findings *f, struct str *out);
	} formats[] = {{"text", findings_text}, {"json", findings_json}, {"sarif", findings_sarif}};
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (strcmp(formats[i].name, name) == 0) {
			j->format = formats[i].format;
			return true;
		}
	}
	cmd_usage_error("check", "unknown format `%s': expected text, json or sarif", name);
	return false;
}

static bool set_color(struct job *j, const char *when)
{
	static const char *const names[] = {
	    [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], when) == 0) {
			j->color = i;
			return true;
		}
	}
	cmd_usage_error("check", "unknown value `%s' of --color: expected auto, always or never", when);
	return false;
}

static bool set_filter(struct job *j, const char *list, bool only)
{
	const char *bad = "";
	if (filter_add(&j->filter, list, only, j->arena, &bad))
		return true;
	cmd_usage_error("check", "there is no code `%s': expected some of check --list-codes", bad);
	return false;
}

enum {
	OPT_FORMAT = 1,
	OPT_COLOR,
	OPT_BRIEF,
	OPT_QUIET,
	OPT_ONLY,
	OPT_IGNORE,
	OPT_EXPLAIN,
	OPT_CODES,
	OPT_DIFF,
	OPT_FIX,
	OPT_IN_PLACE,
	OPT_ROOT,
	OPT_NO_HOST,
	OPT_LESS,
	OPT_LABELS
};

static const struct option options[] = {
    RULE_OPTIONS_LONG,
    {"format", required_argument, NULL, OPT_FORMAT},
    {"color", required_argument, NULL, OPT_COLOR},
    {"brief", no_argument, NULL, OPT_BRIEF},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"only", required_argument, NULL, OPT_ONLY},
    {"ignore", required_argument, NULL, OPT_IGNORE},
    {"explain", required_argument, NULL, OPT_EXPLAIN},
    {"list-codes", no_argument, NULL, OPT_CODES},
    {"diff", no_argument, NULL, OPT_DIFF},
    {"fix", no_argument, NULL, OPT_FIX},
    {"in-place", no_argument, NULL, OPT_IN_PLACE},
    {"record-less", no_argument, NULL, OPT_LESS},
    {"output", required_argument, NULL, 'o'},
    {"root", required_argument, NULL, OPT_ROOT},
    {"labels", required_argument, NULL, OPT_LABELS},
    {"no-host", no_argument, NULL, OPT_NO_HOST},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* PARSED, or the exit status when the option ends the run. */
static int take_option(struct job *j, int c, const char *word)
{
	switch (c) {
	case 'h':
		return cmd_help("check", check_help);
	case OPT_EXPLAIN:
		return explain(optarg);
	case OPT_CODES:
		return list_codes();
	case OPT_FORMAT:
		return set_format(j, optarg) ? PARSED : EXIT_TROUBLE;
	case OPT_COLOR:
		return set_color(j, optarg) ? PARSED : EXIT_TROUBLE;
	case OPT_ONLY:
	case OPT_IGNORE:
		return set_filter(j, optarg, c == OPT_ONLY) ? PARSED : EXIT_TROUBLE;
	case OPT_BRIEF:
		j->brief = true;
		return PARSED;
	case OPT_QUIET:
		j->quiet = true;
		return PARSED;
	case OPT_DIFF:
		j->diff = true;
		return PARSED;
	case OPT_FIX:
		j->fix = true;
		return PARSED;
	case OPT_IN_PLACE:
		j->in_place = true;
		return PARSED;
	case OPT_LABELS:
		j->labels = optarg;
		return PARSED;
	case OPT_LESS:
		j->less = true;
		return PARSED;
	case OPT_NO_HOST:
		j->no_host = true;
		return PARSED;
	case OPT_ROOT:
		j->root = optarg;
		return PARSED;
	case 'o':
		j->out = optarg;
		return PARSED;
	default:
		if (rule_option(&j->rules, c, optarg))
			return PARSED;
		return cmd_usage_error("check", "unknown option or missing value: `%s'", word);
	}
}

/* What was read from it once is gone. */
static bool input_twice(char **paths, int n)
{
	int found = 0;
	for (int i = 0; i < n; i++)
		found += strcmp(paths[i], "-") == 0;
	return found > 1;
}

static int agree(const struct job *j, int files)
{
	if (!files)
		return cmd_usage_error("check", "expected at least one file or directory");
	if (j->diff && files != 2)
		return cmd_usage_error("check", "--diff compares two: expected OLD and NEW");
	if (j->fix && j->diff)
		return cmd_usage_error("check", "--fix and --diff do not go together");
	if ((j->out || j->in_place || j->less) && !j->fix)
		return cmd_usage_error("check", "-o, --in-place and --record-less belong to --fix");
	if (j->out && j->in_place)
		return cmd_usage_error("check", "-o and --in-place do not go together");
	if (j->fix && j->format != findings_text)
		return cmd_usage_error("check", "--fix speaks text alone: expected no --format");
	if (j->out && files != 1)
		return cmd_usage_error("check", "-o names one copy: expected one file or directory");
	if (j->root && j->no_host)
		return cmd_usage_error("check", "--root and --no-host do not go together");
	return PARSED;
}

static int parse(int argc, char **argv, struct job *j)
{
	optind = 1;
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, "ho:", options, NULL)) != -1;) {
		int status = take_option(j, c, argv[optind - 1]);
		if (status != PARSED)
			return status;
	}
	if (input_twice(argv + optind, argc - optind))
		return cmd_usage_error("check", "standard input can be read once: expected one `-'");
	return agree(j, argc - optind);
}

/* ---- the host --------------------------------------------------------------------------------------- */

static bool is_dir(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && access(path, R_OK | X_OK) == 0;
}

/* Accounts of another root are its own, where it has them. */
static void accounts_below(struct job *j)
{
	const char *passwd = path_join(j->arena, j->root, "etc/passwd"),
		   *group = path_join(j->arena, j->root, "etc/group");
	if (!j->rules.passwd && access(passwd, R_OK) == 0)
		j->rules.passwd = passwd;
	if (!j->rules.group && access(group, R_OK) == 0)
		j->rules.group = group;
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* seinfo puts spaces before the names and headings between them, which are no names of a policy. */
static bool read_labels(struct job *j)
{
	const char **names;
	if (!read_names(j->labels, j->arena, &names, &j->check.nlabels))
		return false;
	for (size_t i = 0; i < j->check.nlabels; i++)
		names[i] += strspn(names[i], " \t");
	if (j->check.nlabels)
		qsort(names, j->check.nlabels, sizeof(*names), by_text);
	j->check.labels = names;
	return true;
}

/* Whoever describes another host does not want to hear of this one's files. */
static bool prepare(struct job *j)
{
	bool elsewhere = j->rules.dirs || j->rules.passwd || j->rules.group || j->rules.machine;
	if (j->root && !is_dir(j->root)) {
		cmd_trouble("%s: no directory that can be read", j->root);
		return false;
	}
	if (j->root)
		accounts_below(j);
	if (!rule_env(&j->rules, j->arena, &j->env))
		return false;
	j->env.root = j->root;
	if (j->labels && !read_labels(j))
		return false;
	struct check_options *c = &j->check;
	*c = (struct check_options){.labels = c->labels,
				    .nlabels = c->nlabels,
				    .env = &j->env,
				    .ask_host = !j->no_host && (j->root || !elsewhere),
				    .root = j->root,
				    .other_kernel = j->rules.kernel,
				    .filter = &j->filter,
				    .no_notes = j->quiet};
	return true;
}

/* ---- findings --------------------------------------------------------------------------------------- */

static bool use_color(const struct job *j)
{
	const char *no = getenv("NO_COLOR"); /* a convention of many programs: any value but an empty one */
	const char *term = getenv("TERM");
	if (j->color != COLOR_AUTO)
		return j->color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

static int status_of(const struct findings *f)
{
	int status = EXIT_CLEAN;
	for (size_t i = 0; i < f->nsets; i++) {
		int one = f->sets[i].count[SEV_ERROR]     ? EXIT_TROUBLE
			  : f->sets[i].count[SEV_WARNING] ? EXIT_FINDINGS
							  : EXIT_CLEAN;
		status = one > status ? one : status;
	}
	return status;
}

static int show(const struct job *j, struct findings *f)
{
	struct str out = {0};
	f->env = &j->env;
	f->color = use_color(j);
	f->brief = j->brief;
	bool good = j->format(f, &out);
	if (good)
		fputs(str_get(&out), stdout);
	str_free(&out);
	return good ? status_of(f) : cmd_trouble("the findings cannot be written as JSON");
}

static int check_all(struct job *j, char **paths, size_t n)
{
	struct checked *sets = arena_array(j->arena, struct checked, n);
	for (size_t i = 0; i < n; i++) {
		check_path(paths[i], &j->check, &sets[i]);
		checked_release(&sets[i]);
	}
	int status = show(j, &(struct findings){.sets = sets, .nsets = n});
	for (size_t i = 0; i < n; i++)
		checked_free(&sets[i]);
	return status;
}

static int compare(struct job *j, char **paths)
{
	struct checked old, new;
	check_path(paths[0], &j->check, &old);
	int status = EXIT_TROUBLE;
	if (!old.rs) {
		diags_print(&old.ds);
	} else {
		checked_release(&old);
		check_path(paths[1], &j->check, &new);
		checked_subtract(&new, &old);
		status = show(j, &(struct findings){.sets = &new, .nsets = 1, .old = paths[0]});
		checked_free(&new);
	}
	checked_free(&old);
	return status;
}

static int mend_all(struct job *j, char **paths, size_t n)
{
	int status = EXIT_CLEAN;
	for (size_t i = 0; i < n; i++) {
		int one = cmd_mend(paths[i], &j->check, j->out, j->in_place, j->less);
		status = one > status ? one : status;
	}
	return status;
}

int cmd_check(int argc, char **argv)
{
	struct job j = {.arena = arena_new(), .format = findings_text};
	int status = parse(argc, argv, &j);
	if (status == PARSED && !prepare(&j))
		status = EXIT_TROUBLE;
	if (status == PARSED)
		status = j.fix    ? mend_all(&j, argv + optind, (size_t)(argc - optind))
			 : j.diff ? compare(&j, argv + optind)
				  : check_all(&j, argv + optind, (size_t)(argc - optind));
	arena_free(j.arena);
	return status;
}
