/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"
#include "lab/lab.h"
#include "lab/trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct command command_table[] = {
	{"check", "FILE|DIR...", "say what is wrong with rules, and what to write instead", cmd_check},
	{"dump", "FILE|DIR", "print each rule as the kernel would receive it", cmd_dump},
	{"cost", "FILE|DIR", "tell what each rule costs on every system call", cmd_cost},
	{"optimize", "FILE|DIR -o OUT", "propose, prove and write a smaller and faster set", cmd_optimize},
	{"bench", "[WORKLOAD...]", "run the embedded microbenchmarks on this machine as it is", cmd_bench},
	{"verify", "OLD NEW", "load both sets in the lab, measure and trigger, and compare", cmd_verify},
};
const size_t command_table_len = ARRAY_SIZE(command_table);

static void usage(FILE *to)
{
	fputs("usage: auditopt COMMAND [OPTION...] [ARGUMENT...]\n", to);
}

static int help(void)
{
	usage(stdout);
	fputs("\nReads audit rules, tells what they cost, reduces them, proves and measures the result.\n\n", stdout);
	for (size_t i = 0; i < command_table_len; i++) {
		const struct command *c = &command_table[i];
		printf("  %-9s %-18s %s\n", c->name, c->args, c->what);
	}
	fputs("\nEach command has --help. Exit status: 0 clean, 1 findings, 2 trouble.\n", stdout);
	return EXIT_CLEAN;
}

/*
 * A standard stream that was closed would be the next file opened, and what is printed would go into that. In its place comes
 * one that fails as the closed one would.
 */
static void keep_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			_exit(EXIT_TROUBLE);
	}
}

/* What was printed may never have arrived. */
static int flushed(int status)
{
	errno = 0;
	bool lost = fflush(stdout) != 0 || ferror(stdout);
	if (!lost || status == EXIT_TROUBLE)
		return status;
	return cmd_trouble("standard output: %s", errno ? strerror(errno) : "not all of it could be written");
}

static int run(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	if (word && (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0))
		return help();
	if (word && strcmp(word, "--version") == 0) {
		puts("auditopt " AUDITOPT_VERSION);
		return EXIT_CLEAN;
	}
	for (size_t i = 0; word && i < command_table_len; i++) {
		if (strcmp(word, command_table[i].name) == 0)
			return command_table[i].run(argc - 1, argv + 1);
	}
	if (word)
		fprintf(stderr, "auditopt: unknown command or option `%s'\n", word);
	usage(stderr);
	return EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
	if (bench_exec_stub(argc, argv) || trigger_exec_stub(argc, argv))
		return EXIT_CLEAN;
	if (getpid() == 1 && access(LAB_MARK, F_OK) == 0)
		lab_agent();
	keep_streams();
	cleanup_install();
	return flushed(run(argc, argv));
}
