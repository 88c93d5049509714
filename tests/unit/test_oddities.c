/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What auditctl reads otherwise than its author: told once, as what it is, and with the line as it should be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lint/lint.h"

static const struct lang_env env = {.machine = MACH_86_64, .dirs = (const char *const[]){"/etc"}, .ndirs = 1};

static const struct {
	const char *text;
	size_t len;        /* 0: up to its NUL */
	const char *told;  /* all diagnostics: SEVERITY LINE:COLUMN CODE */
	const char *fixed; /* the text with the edits applied; NULL: there are none */
} cases[] = {
    {"-w\t/x -p wa\n", 0, "E1:3 AR004 ", "-w /x -p wa\n"},
    {"-w /x -k\ta\n", 0, "W1:9 AR004 ", "-w /x -k a\n"},
    {"-w /x -k a\tb\n", 0, "W1:11 AR004 ", NULL}, /* with a space it would fail */
    {"\t# x\n", 0, "E1:1 AR004 ", " # x\n"},
    {"# a\tb\n", 0, "", NULL},
    {"-w /x\tfoo -S nope\n", 0, "W1:6 AR004 E1:14 AR050 ", "-w /x foo -S nope\n"}, /* two causes */
    {"-a always,exit -F uid=0\t-F auid=5x\n", 0, "E1:24 AR004 W1:34 AR045 ",
     "-a always,exit -F uid=0 -F auid=5x\n"},
    {"-w /x -k a\r\n", 0, "W1:11 AR003 ", "-w /x -k a\n"},
    {"# x\r\n-w /x -k a\r\n-e 1\r\n-p\r\n", 0, "E3:5 AR003 E4:1 AR021 ", "# x\n-w /x -k a\n-e 1\n-p\n"},
    {"# x\r\n", 0, "", NULL},
    {"-b 8192\r\n", 0, "W1:8 AR003 ", "-b 8192\n"},
    {"-w \"/x y\" -k 'a'\n", 0, "E1:4 AR009 ", "-w /x\\ y -k a\n"},
    {"-w /x -k \"a\"\n", 0, "W1:10 AR009 ", "-w /x -k a\n"},
    {"-w /x -k it's\n", 0, "", NULL},
    {"-a always,exit -F exe=\"/bin/a b\" -k x\n", 0, "E1:23 AR009 ",
     "-a always,exit -F exe=/bin/a\\ b -k x\n"},
    {"-w /x -k $K\n", 0, "W1:10 AR009 ", NULL},
    {"-w $HOME/x\n", 0, "E1:4 AR063 ", NULL},
    {"-w /x -k a$\n", 0, "", NULL},
    {"-w /x -p r # why\n", 0, "E1:12 AR023 ", "# why\n-w /x -p r\n"},
    {"-w /x -k # -k\n", 0, "E1:12 AR021 ", NULL}, /* here # is the key */
    {"-w /x -k #a\n", 0, "", NULL},
    {"\xef\xbb\xbf# x\n-w /x\n", 0, "E1:1 AR011 ", "# x\n-w /x\n"},
    {"\xef\xbb\xbf-w /x\n", 0, "E1:1 AR011 ", "-w /x\n"},
    {"-w /x\0 -p r\n", 12, "W1:6 AR010 ", NULL},
    {"\0foo\n", 5, "W1:1 AR010 ", NULL},
    {"# a\0b\n", 6, "", NULL},
    {"-w /x -k a -k b -p r\n", 0, "E1:20 AR006 ", NULL},
    {"-w\t/x\t-p wa # \"why\"\r\n", 0, "W1:20 AR003 E1:3 AR004 W1:13 AR023 ", "# \"why\"\n-w /x -p wa\n"},
};

static void tell_all(const struct diags *ds, struct str *out)
{
	for (size_t i = 0; i < ds->n; i++)
		str_addf(out, "%c%u:%u AR%03d ", "EWN"[ds->list[i].severity], ds -> list[i].at.line,
			 ds->list[i].at.column, (int)ds->list[i].info->code);
}

/* Rounds of edits, as check --fix makes them, until nothing changes. */
static bool fix(const char *text, size_t len, struct str *out)
{
	bool any = false;
	str_addn(out, text, len);
	for (size_t n = 1, rounds = 0; n && rounds < 9; rounds++) {
		struct diags ds = {.arena = arena_new()};
		struct ruleset *rs = rules_parse("t", str_get(out), out->len, &env, &ds);
		bool *chosen = arena_array(ds.arena, bool, ds.n + 1);
		n = edits_choose(&ds, true, chosen);
		struct str next = {0};
		edits_apply(&ds, chosen, "t", str_get(out), out->len, &next);
		any |= n > 0;
		str_free(out);
		*out = next;
		ruleset_free(rs);
		arena_free(ds.arena);
	}
	return any;
}

static void each_cause_is_told_once(void **state)
{
	(void)state;
	unsigned wrong = 0;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = cases[i].len ? cases[i].len : strlen(cases[i].text);
		struct diags ds = {.arena = arena_new()};
		struct ruleset *rs = rules_parse("t", cases[i].text, len, &env, &ds);
		struct str told = {0}, fixed = {0};
		tell_all(&ds, &told);
		bool any = fix(cases[i].text, len, &fixed);
		bool ok = strcmp(str_get(&told), cases[i].told) == 0 && any == (cases[i].fixed != NULL) &&
			  (!any || strcmp(str_get(&fixed), cases[i].fixed) == 0);
		if (!ok)
			print_message("%s  told:   %s\n  wanted: %s\n  fixed:  %s", cases[i].text,
				      str_get(&told), cases[i].told, any ? str_get(&fixed) : "no\n");
		wrong += !ok;
		str_free(&told);
		str_free(&fixed);
		ruleset_free(rs);
		arena_free(ds.arena);
	}
	assert_int_equal(wrong, 0);
}

/* A line that is read in pieces: one warning, an error once a piece fails, where that begins. */
static void long_lines(void **state)
{
	(void)state;
	static const struct {
		unsigned spaces;
		const char *end, *told;
	} ends[] = {{6200, "", ""},
		    {6200, "-w /y", "W1:6144 AR002 "},
		    {6200, "foo", "E1:6144 AR002 "},
		    {20000, "foo", "E1:18430 AR002 "}};
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct str text = {0}, told = {0};
		str_addf(&text, "-w /x%*s%s\n-w /z\n", (int)ends[i].spaces, "", ends[i].end);
		struct diags ds = {.arena = arena_new()};
		struct ruleset *rs = rules_parse("t", text.s, text.len, &env, &ds);
		tell_all(&ds, &told);
		assert_string_equal(str_get(&told), ends[i].told);
		assert_true(!ds.n || ds.list[0].stops == (ends[i].told[0] == 'E'));
		ruleset_free(rs);
		arena_free(ds.arena);
		str_free(&told);
		str_free(&text);
	}
}

/* What ended the load says so, whatever became of the first message. */
static void the_end_of_the_load_is_kept(void **state)
{
	(void)state;
	struct diags ds = {.arena = arena_new()};
	const char *text = "-w /a\n-e 1\r\n-w\t/b\n-i\n-w\t/c\n";
	struct ruleset *rs = rules_parse("t", text, strlen(text), &env, &ds);
	assert_int_equal(rs->nloaded, 1);
	assert_false(rs->lines[0].failed);
	assert_true(rs->lines[1].failed && rs->lines[1].stops);
	assert_true(rs->lines[2].failed && !rs->lines[2].stops);
	assert_true(rs->lines[4].failed);
	assert_int_equal(ds.errors, 3);
	assert_true(ds.list[0].stops && ds.list[1].stops && !ds.list[2].stops);
	ruleset_free(rs);
	arena_free(ds.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_cause_is_told_once),
	    cmocka_unit_test(long_lines),
	    cmocka_unit_test(the_end_of_the_load_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
