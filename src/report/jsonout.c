/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/jsonout.h"

#include <stdlib.h>

bool json_out(json_t *value, struct str *out)
{
	char *dump = value ? json_dumps(value, JSON_INDENT(1)) : NULL;
	json_decref(value);
	if (!dump)
		return false;
	str_add(out, dump);
	str_addc(out, '\n');
	free(dump);
	return true;
}
