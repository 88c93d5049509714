/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources: the ChangeLog of audit-userspace and src/auditctl.c, lib/libaudit.c, init.d/augenrules at its tags. */
#include "lang/release.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>

enum { NEVER = 999999 };

struct range {
	int from, before; /* the first release that has it, and the first that has it no more */
};

static const struct range traits[T_COUNT][2] = {
    [T_WORD_LIMIT] = {{0, RELEASE(4, 2, 0)}},
    [T_CRASHES] = {{0, NEVER}},
    [T_OWN_BYTES] = {{0, NEVER}},
    [T_PERM_ADDS] = {{RELEASE(3, 1, 3), RELEASE(3, 2, 0)}, {RELEASE(4, 0, 0), NEVER}},
    [T_PERM_OPEN2] = {{RELEASE(4, 2, 0), NEVER}},
    [T_PERM_FILTERS] = {{RELEASE(4, 0, 4), NEVER}}, /* audit-userspace 426; before it issue 496 */
    [T_IO_URING] = {{RELEASE(3, 1, 0), NEVER}},
    [T_LIST_ANY_CASE] = {{RELEASE(3, 1, 0), NEVER}},
    [T_EXCLUDE_ANY_FIELD] = {{RELEASE(3, 1, 0), NEVER}},
    [T_PREPEND_DELETES] = {{RELEASE(4, 0, 4), RELEASE(4, 1, 1)}},
    [T_DELETE_MISSING] = {{RELEASE(4, 0, 4), RELEASE(4, 0, 5)}},
    [T_WATCH_FIRST] = {{RELEASE(4, 1, 2), NEVER}},
    [T_WATCH_SLOW] = {{RELEASE(3, 1, 3), RELEASE(3, 2, 0)}, {RELEASE(4, 0, 0), NEVER}},
    [T_KEY_SEPARATOR] = {{RELEASE(4, 2, 0), NEVER}},
    [T_HELP_WORD] = {{RELEASE(4, 1, 1), NEVER}},
    [T_HELP_SUCCEEDS] = {{RELEASE(4, 1, 4), NEVER}},
    [T_SIGNAL_STATE] = {{RELEASE(3, 1, 1), NEVER}},
    [T_CGROUP] = {{RELEASE(4, 2, 0), NEVER}},
    [T_PARTS_NAMES] = {{0, RELEASE(4, 2, 0)}},
    [T_TRIMS_RETURN] = {{RELEASE(3, 1, 1), NEVER}},
};

bool release_has(int release, enum release_trait t)
{
	for (size_t i = 0; i < ARRAY_SIZE(traits[t]); i++) {
		if (release >= traits[t][i].from && release < traits[t][i].before)
			return true;
	}
	return false;
}

const char *release_text(int release, char text[RELEASE_TEXT])
{
	snprintf(text, RELEASE_TEXT, "%d.%d.%d", release / 10000 % 100, release / 100 % 100, release % 100);
	return text;
}

/* Lines of releases and their last one. */
static const struct {
	int major, minor, last;
} lines[] = {{3, 0, 9}, {3, 1, 5}, {4, 0, 5}, {4, 1, 4}, {4, 2, 1}};

int release_by_name(const char *text)
{
	unsigned major, minor, patch;
	int end = 0, parts = sscanf(text, "%1u.%1u%n.%2u%n", &major, &minor, &end, &patch, &end);
	if (parts < 2 || text[end])
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (lines[i].major != (int)major || lines[i].minor != (int)minor)
			continue;
		if (parts == 2)
			patch = (unsigned)lines[i].last;
		return patch <= (unsigned)lines[i].last ? RELEASE((int)major, (int)minor, (int)patch) : -1;
	}
	return -1;
}

int kernel_by_name(const char *text)
{
	unsigned major, minor, level = 0;
	int end = 0;
	if (sscanf(text, "%1u.%3u%n", &major, &minor, &end) != 2 || (text[end] && text[end] != '.' && text[end] != '-'))
		return -1;
	sscanf(text + end, ".%3u", &level);
	bool known = (major > 2 && major <= 7) || (major == 2 && minor == 6 && level >= 32);
	return known ? KERNEL((int)major, (int)minor) : -1;
}

/*
 * el8 is 4.18 by name; 4.18.0-240.el8 has the strict operators and saddr_fam of 5.3 in kernel/auditfilter.c.
 */
int kernel_audit_by_name(const char *text)
{
	int kernel = kernel_by_name(text), end = 0;
	unsigned build;
	if (kernel == KERNEL(4, 18) && sscanf(text, "4.18.0-%u%n", &build, &end) == 1 && build >= 240 && strstr(text + end, ".el8"))
		return KERNEL(5, 3);
	return kernel;
}
