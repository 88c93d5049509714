/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd: one file a subcommand: its options, its call of the library, its output. argv[0] is the subcommand's name; each
 * uses getopt_long with optind reset to 1 and answers --help itself (usage on standard output, status 0).
 */
#ifndef AUDITOPT_CMD_H
#define AUDITOPT_CMD_H

#include "base/base.h"
#include "lang/lang.h"

enum { EXIT_CLEAN = 0, EXIT_FINDINGS = 1, EXIT_TROUBLE = 2 };

struct command {
	const char *name, *args, *what;   /* "check", "FILE|DIR...", one line for `auditopt help` */
	int (*run)(int argc, char **argv);
};

extern const struct command command_table[];
extern const size_t command_table_len;

struct check_options;
/* check --fix: mends a copy, or the file itself; less: also where less is recorded then. Returns an exit status. */
int cmd_mend(const char *path, const struct check_options *o, const char *out, bool in_place, bool less);

int cmd_check(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_cost(int argc, char **argv);
int cmd_optimize(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_verify(int argc, char **argv);

/* "auditopt: ..." on standard error, then the usage line of the subcommand; returns EXIT_TROUBLE. */
int cmd_usage_error(const char *command, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* "auditopt: ..." on standard error; returns EXIT_TROUBLE. */
int cmd_trouble(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* The --help text: usage line, what it does, then the options text given. Returns EXIT_CLEAN. */
int cmd_help(const char *command, const char *options);
/*
 * Progress on standard error: a terminal gets one line rewritten in place, anything else a line each, one a second at
 * the most; nothing is shown before a second has passed. End it with cmd_progress_end before other output.
 */
struct progress *cmd_progress(void);
void cmd_progress_end(void);

/* The options that say what rules mean, shared by all subcommands that read rules. */
struct rule_options {
	const char *dirs, *passwd, *group, *machine;   /* --dirs FILE, --passwd FILE, --group FILE, --machine NAME */
	const char *auditctl, *kernel;                 /* --auditctl RELEASE, --kernel VERSION */
};
#define RULE_OPTIONS_LONG                                                                                              \
	{"dirs", required_argument, NULL, 'D'}, {"passwd", required_argument, NULL, 'P'},                              \
	    {"group", required_argument, NULL, 'G'}, {"machine", required_argument, NULL, 'M'},                            \
	    {"auditctl", required_argument, NULL, 'A'}, {"kernel", required_argument, NULL, 'V'}
#define RULE_OPTIONS_HELP                                                                                              \
	"  --dirs FILE       paths to be taken as directories by -w, one a line (default: ask this host)\n"            \
	"  --passwd FILE     resolve user names with this file (default: ask this host)\n"                             \
	"  --group FILE      the same for group names\n"                                                               \
	"  --machine NAME    architecture of the target (default: this one)\n"                                        \
	"  --auditctl N      release of auditctl that loads the rules: 3.0, 3.1, 4.0, 4.1, 4.2, or 3.1.5 (default: 3.0.9)\n" \
	"  --kernel N        kernel that takes the rules, such as 4.18 or 6.12 (default: 6.1)\n"
/* Takes one of the above; false when c is none of them. */
bool rule_option(struct rule_options *o, int c, const char *value);
/* The kernel model speaks of x86_64 and its 32-bit entry only. False: a message has been printed. */
bool machine_modelled(const struct lang_env *env);
/* Turns them into facts, memory in the arena. False: a message has been printed. */
bool rule_env(const struct rule_options *o, struct arena *a, struct lang_env *env);
/*
 * Reads rules and prints every diagnostic to standard error. NULL when there is nothing to go on with: a message has
 * been printed, and the caller returns EXIT_TROUBLE.
 */
struct ruleset *rules_or_complain(const char *path, const struct lang_env *env);
/* Lines of a file, in the arena; empty ones are left out. False: a message has been printed. */
bool read_names(const char *path, struct arena *a, const char ***names, size_t *n);
void diags_print(const struct diags *ds);

#endif
