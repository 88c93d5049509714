/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lint/lint.h"

void lint_values(struct lint *l)
{
	(void)l;
}
