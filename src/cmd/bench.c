/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/cmd.h"

int cmd_bench(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return EXIT_TROUBLE;
}
