/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lint/lint.h"

void lint_settings(struct lint *l)
{
	(void)l;
}
