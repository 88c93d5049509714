/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules against earlier ones and fields against each other: which lines are told what, and which are left alone. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lint/lint.h"

static const struct lang_env env = {.machine = MACH_86_64, .dirs = (const char *const[]){"/d"}, .ndirs = 1};

static const enum diag_code mine[] = {
    AR_SAME_RULE, AR_SHADOWED,      AR_KEY_NEVER,  AR_PART_SHADOWED,   AR_CONTRADICTION, AR_UNSIGNED,     AR_UNSET_AUID,
    AR_ALL_CALLS, AR_OWN_DELETION, AR_EVERY_CALL, AR_REDUNDANT_FIELD, AR_COMPARED_PART,
};

static bool is_mine(enum diag_code code)
{
	for (size_t i = 0; i < ARRAY_SIZE(mine); i++) {
		if (mine[i] == code)
			return true;
	}
	return false;
}

#define X "-a always,exit -F arch=b64 "
#define Y "-a always,exit -F arch=b32 "
#define N "-a never,exit -F arch=b64 "

/* name:line for each finding, in the order of the lines */
static const struct {
	const char *what, *text, *found;
} cases[] = {
    /* the same rule */
    {"other key", X "-S kill -F uid=0 -k a\n" X "-S kill -F uid=0 -k b\n", "same-rule:2 key-never-recorded:2"},
    {"fields in another order", X "-S kill -F uid=0 -F gid=1 -k a\n" X "-S kill -F gid=1 -F uid=0 -k a\n", "same-rule:2"},
    {"a watch and its long form", "-w /f -p wa -k a\n-a always,exit -F perm=wa -F path=/f -k a\n", "same-rule:2"},
    {"numbers and names of one call", X "-S 62 -F uid=0 -k a\n" X "-F uid=0 -S kill -F key=b\n",
     "same-rule:2 key-never-recorded:2"},
    {"another action", X "-S kill -F uid=0 -k a\n" N "-S kill -F uid=0\n", "same-rule:2"},
    {"-A comes first", X "-S kill -F uid=0 -k a\n-A always,exit -F arch=b64 -S kill -F uid=0 -k b\n",
     "same-rule:1 key-never-recorded:1"},
    {"the other table", X "-S kill -F uid=0 -k a\n" Y "-S kill -F uid=0 -k a\n", ""},
    {"two ways to say unset", X "-S kill -F auid!=unset -k a\n" X "-S kill -F auid!=4294967295 -k b\n",
     "same-rule:2 key-never-recorded:2"},
    {"ranges written otherwise", X "-S kill -F uid>=1000 -k a\n" X "-S kill -F uid>999 -k a\n", "same-rule:2"},

    /* shadowed */
    {"wider first", X "-S kill -k a\n" X "-S kill -F uid=0 -k b\n", "shadowed:2 key-never-recorded:2"},
    {"narrower first", X "-S kill -F uid=0 -k b\n" X "-S kill -k a\n", ""},
    {"more calls first", X "-S kill,tkill -F uid=0 -k a\n" X "-S kill -F uid=0 -k a\n", "shadowed:2"},
    {"by two together", X "-S kill -F uid=0 -k a\n" X "-S tkill -F uid=0 -k a\n" X "-S kill,tkill -F uid=0 -k a\n", "shadowed:3"},
    {"by two of different width", X "-S kill -k a\n" X "-S tkill -F uid=0 -k a\n" X "-S kill,tkill -F uid=0 -F gid=0 -k a\n",
     "shadowed:3"},
    {"by a watch that asks for more letters", "-w /f -p wa -k a\n" X "-F path=/f -F perm=w -k a\n", "shadowed:2"},
    {"by a watch that asks for fewer", "-w /f -p w -k a\n-w /f -p wa -k a\n", ""},
    {"by the calls that its letters stand for", X "-S execve,execveat -k a\n" X "-F path=/bin/su -F perm=x -k b\n",
     "shadowed:2 key-never-recorded:2"},
    {"by one of the calls that its letters stand for", X "-S execve -k a\n" X "-F path=/bin/su -F perm=x -k b\n",
     "part-shadowed:1"},
    {"a watch sees io_uring, a rule with arch does not", X "-F path=/f -F perm=wa -k a\n" Y "-F path=/f -F perm=wa -k a\n"
     "-w /f -p wa -k a\n", ""},
    {"by an exit rule, with arch", X "-F perm=x -k a\n" X "-F path=/bin/su -F perm=x -k a\n", "every-call:1 shadowed:2"},
    {"ranges", X "-S kill -F uid>=1000 -k a\n" X "-S kill -F uid>=2000 -F uid<3000 -k b\n", "shadowed:2 key-never-recorded:2"},
    {"ranges that overlap", X "-S kill -F uid>=1000 -F uid<2500 -k a\n" X "-S kill -F uid>=2000 -F uid<3000 -k b\n", ""},
    {"not equal to another", X "-S kill -F uid!=5 -k a\n" X "-S kill -F uid=6 -k a\n", "shadowed:2"},
    {"not equal to the same", X "-S kill -F uid!=5 -k a\n" X "-S kill -F uid=5 -k a\n", ""},
    {"success and the number of the result", X "-S kill -F exit>=0 -k a\n" X "-S kill -F success=1 -k a\n",
     "unsigned:1 shadowed:2"},
    {"a task may die in the call", X "-S kill -F exit>=0 -k a\n" X "-S kill -F uid=0 -k a\n", "unsigned:1"},
    {"failed is not an error", X "-S kill -F exit=-EPERM -k a\n" X "-S kill -F success=0 -k a\n", ""},
    {"groups: either may be a supplementary one", X "-S kill -F gid=1 -F gid=2 -k a\n" X "-S kill -F gid=1 -k a\n", ""},
    {"groups alike", X "-S kill -F gid=1 -k a\n" X "-S kill -F gid=1 -F uid=0 -k a\n", "shadowed:2"},
    {"owners of two files", X "-S unlink -F obj_uid=1 -k a\n" X "-S unlink -F obj_uid=1 -F obj_uid=2 -k a\n", "shadowed:2"},
    {"owners in a range", X "-S unlink -F obj_uid>=1 -k a\n" X "-S unlink -F obj_uid=2 -k a\n", "shadowed:2"},
    {"owner of one file in the range, of another not", X "-S unlink -F obj_uid=2 -k a\n" X "-S unlink -F obj_uid>=1 -k a\n", ""},
    {"bits alike", X "-S open -F a1&2 -k a\n" X "-S open -F a1&2 -F uid=0 -k a\n", "shadowed:2"},
    {"bits and a number", X "-S open -F a1&2 -k a\n" X "-S open -F a1=2 -k a\n", ""},
    {"directories one in the other", X "-S open -F dir=/d -k a\n" X "-S open -F dir=/d/e -k a\n", ""},
    {"another path", "-w /f -p wa -k a\n-w /g -p wa -k a\n", ""},
    {"label", X "-S kill -F subj_type=t -k a\n" X "-S kill -F subj_type=t -F uid=0 -k a\n", "shadowed:2"},
    {"not the label", X "-S kill -F subj_type!=t -k a\n" X "-S kill -F subj_type=u -k a\n", ""},
    {"comparison", X "-S kill -C uid!=euid -k a\n" X "-S kill -C euid!=uid -F gid=0 -k a\n", "shadowed:2"},
    {"never first is an exception", N "-S kill -F uid=0\n" X "-S kill -k a\n", ""},
    {"never over all", N "-S kill\n" X "-S kill -F uid=0 -k a\n", "shadowed:2 key-never-recorded:2"},
    {"never behind", X "-S kill -k a\n" N "-S kill -F uid=0\n", "shadowed:2"},
    {"tasks", "-a never,task -F uid=0\n-a never,task -F uid=0 -F gid=0\n", "shadowed:2"},
    {"record types", "-a never,exclude -F msgtype>=1300\n-a never,exclude -F msgtype=CWD\n", "shadowed:2"},
    {"lists are apart", "-a never,exclude -F uid=0\n-a never,user -F uid=0\n-a never,task -F uid=0\n", ""},
    {"what ends a list is no match", "-a always,user -F euid=0\n-a always,user -F euid=0 -F uid=0\n", ""},

    /* parts */
    {"a call under another key", X "-S kill,tkill -F uid=0 -k a\n" X "-S kill,tgkill -F uid=0 -k b\n", "part-shadowed:1"},
    {"a call under the same key", X "-S kill,tkill -F uid=0 -k a\n" X "-S kill,tgkill -F uid=0 -k a\n", ""},
    {"a call of a never rule", X "-S kill,tkill -F uid=0 -k a\n" N "-S kill,tgkill -F uid=0\n", "part-shadowed:1"},
    {"a call that never takes first", N "-S kill,tkill -F uid=0\n" X "-S kill,tgkill -F uid=0 -k b\n", ""},

    /* keys */
    {"one of two keys lives", X "-S kill -k a\n" X "-S kill -F uid=0 -k b -k c\n" X "-S tkill -k c\n",
     "shadowed:2 key-never-recorded:2"},
    {"the key of a rule that matches nothing", X "-S kill -F uid=0 -F uid=1 -k b\n", "contradiction:1 key-never-recorded:1"},
    {"keys of never rules are for readers", N "-S kill -k quiet\n", ""},

    /* contradictions */
    {"two numbers", X "-S kill -F uid=0 -F uid=1\n", "contradiction:1"},
    {"ends that cross", X "-S kill -F auid>=1000 -F auid<500\n", "contradiction:1"},
    {"three together", X "-S kill -F uid>=4 -F uid<=5 -F uid!=4 -F uid!=5\n", "contradiction:1"},
    {"unset and more than", X "-S kill -F auid=unset -F auid<1000\n", "contradiction:1"},
    {"unset is above", X "-S kill -F auid=unset -F auid>1000\n", "redundant-field:1"},
    {"success both ways", X "-S kill -F success=1 -F success=0\n", "contradiction:1"},
    {"success by other numbers", X "-S kill -F success=1 -F success=7\n", "redundant-field:1"},
    {"supplementary groups", X "-S kill -F gid=1 -F gid=2\n", ""},
    {"a group and not it", X "-S kill -F gid=1 -F gid!=1\n", "contradiction:1"},
    {"two files", X "-S rename -F obj_uid=1 -F obj_uid=2\n", ""},
    {"two labels", X "-S kill -F subj_type=a -F subj_type=b\n", "contradiction:1"},
    {"two labels of files", X "-S rename -F obj_type=a -F obj_type=b\n", ""},
    {"compared both ways", X "-S kill -C uid=euid -C euid!=uid\n", "contradiction:1"},
    {"files compared both ways", X "-S rename -C uid=obj_uid -C uid!=obj_uid\n", ""},
    {"two archs", X "-F arch=b32 -S 37 -F uid=0\n", "contradiction:1"},

    /* unsigned */
    {"errors", X "-S kill -F exit<0\n", "unsigned:1"},
    {"no errors", X "-S kill -F exit>=0\n", "unsigned:1"},
    {"more than none", X "-S kill -F exit>0\n", "unsigned:1"},
    {"a range of errors", X "-S kill -F exit>=-4095\n", ""},
    {"a small result", X "-S kill -F exit<10\n", ""},
    {"ids below zero", X "-S kill -F uid<0\n", "unsigned:1"},
    {"any id", X "-S kill -F uid>=0\n", "unsigned:1"},
    {"an argument below zero", X "-S kill -F a1<0\n", "unsigned:1"},

    /* auid */
    {"daemons too", X "-S kill -F auid>=1000\n", "unset-auid:1"},
    {"daemons not", X "-S kill -F auid>=1000 -F auid!=unset\n", ""},
    {"daemons not, by an end", X "-S kill -F auid>=1000 -F auid<60000\n", ""},
    {"daemons first excepted", "-a never,exit -F arch=b64 -S all -F auid=unset\n" X "-S kill -F auid>=1000\n", "every-call:1"},
    {"daemons excepted for another call", N "-S tkill -F auid=unset\n" X "-S kill -F auid>=1000\n", "unset-auid:2"},
    {"daemons recorded by an earlier rule", X "-S kill -F auid=unset -k d\n" X "-S kill -F auid>=1000 -k u\n", ""},
    {"daemons exempt as tasks", "-a never,task -F auid=unset\n" X "-S kill -F auid>=1000\n", ""},
    {"root daemons exempt as tasks", "-a never,task -F auid=unset -F uid=0\n" X "-S kill -F auid>=1000\n", "unset-auid:2"},
    {"and their root", "-a never,task -F auid=unset -F uid=0\n" X "-S kill -F uid=0 -F auid>=1000\n", ""},

    /* cost */
    {"all calls, nothing that selects", X "-S all -k a\n", "all-calls:1"},
    {"all calls of the other table", Y "-S all -k a\n", "every-call:1"},
    {"a directory", "-w /d -p wa -k a\n", "every-call:1"},
    {"a directory with its calls", X "-S open,openat -F dir=/d -F perm=wa -k a\n", ""},
    {"a file", "-w /f -p wa -k a\n", ""},

    /* results of paths */
    {"success of a path", X "-F path=/f -F perm=wa -F success=1 -k a\n", "own-deletion:1"},
    {"failure of a path", X "-F path=/f -F perm=wa -F success=0 -k a\n", ""},
    {"an error of a path", X "-F path=/f -F perm=wa -F exit=-EACCES -k a\n", ""},
    {"success of reading a path", X "-F path=/f -F perm=r -F success=1 -k a\n", ""},

    /* what adds nothing */
    {"a set uid is not unset", X "-S kill -F auid=0 -F auid!=unset\n", "redundant-field:1"},
    {"written twice", X "-S kill -F uid=0 -F uid=0\n", "redundant-field:1"},
    {"inside a range", X "-S kill -F uid>=1000 -F uid>=500\n", "redundant-field:1"},
    {"both ends count", X "-S kill -F uid>=1000 -F uid<=2000\n", ""},
};

/* Findings of these codes as one text; messages are kept in all. */
static void findings(const char *text, struct str *out, struct diags *ds)
{
	struct ruleset *rs = rules_parse("case", text, strlen(text), &env, ds);
	struct kset *k = kset_load(rs, ds);
	struct lint l = {.rs = rs, .k = k, .env = &env, .ds = ds, .arena = arena_new()};
	lint_values(&l);
	lint_order(&l);
	diags_sort(ds);
	for (size_t i = 0; i < ds->n; i++) {
		const struct diag *d = &ds->list[i];
		if (is_mine(d->info->code))
			str_addf(out, "%s%s:%u", out->len ? " " : "", d->info->name, d->at.line);
	}
	arena_free(l.arena);
	kset_free(k);
	ruleset_free(rs);
}

static void each_case(void **state)
{
	(void)state;
	unsigned wrong = 0;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diags ds = {.arena = arena_new()};
		struct str got = {0};
		findings(cases[i].text, &got, &ds);
		if (strcmp(str_get(&got), cases[i].found) != 0) {
			print_message("%s:\n%s  found:  %s\n  wanted: %s\n", cases[i].what, cases[i].text, str_get(&got), cases[i].found);
			for (size_t j = 0; j < ds.n; j++)
				print_message("  %u:%u %s\n", ds.list[j].at.line, ds.list[j].at.column, ds.list[j].message);
			wrong++;
		}
		str_free(&got);
		arena_free(ds.arena);
	}
	assert_int_equal(wrong, 0);
}

/* The search is cut for a rule with too many earlier groups, and says so. */
static void a_cut_search_is_told(void **state)
{
	(void)state;
	struct str text = {0}, got = {0};
	struct diags ds = {.arena = arena_new()};
	for (unsigned i = 0; i < 700; i++)
		str_addf(&text, X "-S kill -F uid>=%u -F uid<%u -k a\n", 1000 + i, 9000 + i);
	findings(str_get(&text), &got, &ds);
	assert_string_equal(str_get(&got), "compared-in-part:0");
	str_free(&text);
	str_free(&got);
	arena_free(ds.arena);
}

/* The place and the edit of a finding are those of the field. */
static void a_finding_points_at_its_field(void **state)
{
	(void)state;
	static const char text[] = X "-S kill -F auid=0 -F auid!=unset -k a\n";
	struct str got = {0};
	struct diags ds = {.arena = arena_new()};
	findings(text, &got, &ds);
	assert_int_equal(ds.n, 1);
	assert_int_equal(ds.list[0].at.column, strstr(text, "auid!=unset") - text + 1);
	assert_int_equal(ds.list[0].width, strlen("auid!=unset"));
	assert_int_equal(ds.list[0].nedits, 1);
	assert_string_equal(ds.list[0].edits[0].text, X "-S kill -F auid=0 -k a\n");
	str_free(&got);
	arena_free(ds.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_case),
	    cmocka_unit_test(a_cut_search_is_told),
	    cmocka_unit_test(a_finding_points_at_its_field),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
