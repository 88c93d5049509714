/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct command *command(const char *name)
{
	for (size_t i = 0; i < command_table_len; i++) {
		if (strcmp(command_table[i].name, name) == 0)
			return &command_table[i];
	}
	return NULL;
}

static void say(const char *fmt, va_list ap)
{
	cmd_progress_end();
	fputs("auditopt: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

int cmd_usage_error(const char *name, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	const struct command *c = command(name);
	fprintf(stderr, "usage: auditopt %s [OPTION...] %s\n", name, c ? c->args : "");
	return EXIT_TROUBLE;
}

int cmd_trouble(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return EXIT_TROUBLE;
}

int cmd_help(const char *name, const char *options)
{
	const struct command *c = command(name);
	printf("usage: auditopt %s [OPTION...] %s\n\n%s.\n\n%s", name, c ? c->args : "", c ? c->what : "", options);
	return EXIT_CLEAN;
}

/* ---- progress ------------------------------------------------------------------------------------------------------------- */

static struct {
	struct progress p;
	time_t start, last;           /* seconds, CLOCK_MONOTONIC */
	bool shown;
} progress;

static time_t seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void progress_line(void *ctx, const char *what)
{
	(void)ctx;
	time_t now = seconds();
	if (now == progress.last || now - progress.start < 1)
		return;
	progress.last = now;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K%s", what);
	else
		fprintf(stderr, "%s\n", what);
	fflush(stderr);
	progress.shown = true;
}

struct progress *cmd_progress(void)
{
	progress.start = seconds();
	progress.p = (struct progress){.say = progress_line};
	return &progress.p;
}

void cmd_progress_end(void)
{
	if (progress.shown && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	progress.shown = false;
}

/* ---- rules ------------------------------------------------------------------------------------------------------------------ */

bool rule_option(struct rule_options *o, int c, const char *value)
{
	switch (c) {
	case 'D':
		o->dirs = value;
		return true;
	case 'P':
		o->passwd = value;
		return true;
	case 'G':
		o->group = value;
		return true;
	case 'M':
		o->machine = value;
		return true;
	case 'A':
		o->auditctl = value;
		return true;
	case 'V':
		o->kernel = value;
		return true;
	default:
		return false;
	}
}

bool read_names(const char *path, struct arena *a, const char ***names, size_t *n)
{
	struct str text = {0};
	int err = file_read(path, 16 << 20, &text);
	if (err) {
		cmd_trouble("%s: %s", path, strerror(-err));
		str_free(&text);
		return false;
	}
	*names = arena_array(a, const char *, 1);
	*n = 0;
	char *copy = arena_strndup(a, str_get(&text), text.len);
	str_free(&text);
	for (char *save, *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		*arena_push(a, *names, *n) = line;
	return true;
}

static bool read_dirs(const char *path, struct arena *a, struct lang_env *env)
{
	const char **dirs;
	if (!read_names(path, a, &dirs, &env->ndirs))
		return false;
	env->dirs = dirs;
	return true;
}

bool rule_env(const struct rule_options *o, struct arena *a, struct lang_env *env)
{
	*env = (struct lang_env){.machine = o->machine ? audit_name_to_machine(o->machine) : audit_detect_machine()};
	if (env->machine < 0) {
		cmd_trouble("unknown machine `%s': expected a name such as x86_64", o->machine ? o->machine : "?");
		return false;
	}
	env->auditctl = o->auditctl ? release_by_name(o->auditctl) : AUDITCTL_DEFAULT;
	if (env->auditctl < 0) {
		cmd_trouble("unknown release `%s' of auditctl: expected 3.0, 3.1, 4.0, 4.1, 4.2 or one of their releases", o->auditctl);
		return false;
	}
	env->kernel = o->kernel ? kernel_by_name(o->kernel) : KERNEL_DEFAULT;
	if (env->kernel < 0) {
		cmd_trouble("unknown kernel `%s': expected a version from 2.6.32 to 7.x, such as 5.15", o->kernel);
		return false;
	}
	env->kernel_audit = o->kernel ? kernel_audit_by_name(o->kernel) : 0;
	if (o->dirs && !read_dirs(o->dirs, a, env))
		return false;
	if (!o->passwd && !o->group)
		return true;
	const char *err = NULL;
	env->accounts = accounts_read(a, o->passwd, o->group, &err);
	if (!env->accounts)
		cmd_trouble("%s", err);
	return env->accounts;
}

bool machine_modelled(const struct lang_env *env)
{
	if (env->machine == MACH_86_64)
		return true;
	const char *name = audit_machine_to_name(env->machine);
	cmd_trouble("no kernel model for %s: expected --machine x86_64", name ? name : "this machine");
	return false;
}

void diags_print(const struct diags *ds)
{
	struct str out = {0};
	for (size_t i = 0; i < ds->n; i++)
		diag_print(&ds->list[i], false, &out);
	fputs(str_get(&out), stderr);
	str_free(&out);
}

struct ruleset *rules_or_complain(const char *path, const struct lang_env *env)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_read(path, env, &ds);
	diags_print(&ds);
	bool bad = !rs || (ds.errors && !rs->ignore_errors);
	arena_free(ds.arena);
	if (bad && rs)
		ruleset_free(rs);
	return bad ? NULL : rs;
}
