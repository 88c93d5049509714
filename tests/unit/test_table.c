/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/table.h"

/* Prints the table, checks it, frees everything. */
static void expect(struct arena *a, const struct table *t, const char *want)
{
	struct str out = {0};
	table_print(t, &out);
	assert_string_equal(str_get(&out), want);
	str_free(&out);
	arena_free(a);
}

static void aligns(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	table_column(t, TABLE_LEFT, "rule");
	table_column(t, TABLE_RIGHT, "cost");
	table_cell(t, "watch");
	table_cellf(t, "%d", 19);
	table_cell(t, "d");
	table_cell(t, "10000");
	expect(a, t,
	       "rule    cost\n"
	       "watch     19\n"
	       "d      10000\n");
}

static void no_blanks_at_the_end_and_short_rows(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	table_column(t, TABLE_LEFT, "a");
	table_column(t, TABLE_LEFT, "b");
	table_cell(t, "x");
	table_row_end(t);
	table_row_end(t);
	table_cell(t, "yy");
	table_cell(t, "z");
	expect(a, t, "a   b\nx\nyy  z\n");
}

static void nothing_without_columns(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	table_row_end(t);
	expect(a, t, "");
}

static void header_alone(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	table_column(t, TABLE_RIGHT, "n");
	expect(a, t, "n\n");
}

static void counts_code_points(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	table_column(t, TABLE_LEFT, "k");
	table_column(t, TABLE_LEFT, "v");
	table_cell(t, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	table_cell(t, "1");
	table_cell(t, "abcd");
	table_cell(t, "2");
	expect(a, t,
	       "k     v\n"
	       "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80   1\n"
	       "abcd  2\n");
	assert_int_equal(table_width("\xc3\xa4\xe2\x82\xac"), 2);
}

/* Escape sequences, C1 controls, overlong forms, surrogates and cut code points do not reach the terminal. */
static void shows_no_controls(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"a\033[2Jb", "a?[2Jb"},
	    {"a\tb\nc", "a b?c"},
	    {"\xc2\x9b"
	     "x",
	     "?x"},
	    {"\xc0\xaf", "??"},
	    {"\xed\xa0\x80", "???"},
	    {"\xe2\x82", "??"},
	    {"\xf4\x90\x80\x80", "????"},
	    {"\xff", "?"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *a = arena_new();
		struct table *t = table_new(a);
		table_column(t, TABLE_LEFT, "h");
		table_cell(t, cases[i].in);
		struct str want = {0};
		str_addf(&want, "h\n%s\n", cases[i].out);
		expect(a, t, str_get(&want));
		str_free(&want);
	}
}

static void cuts(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	table_column(t, TABLE_LEFT, "rule");
	table_limit(t, 6, TABLE_CUT);
	table_column(t, TABLE_LEFT, "n");
	table_cell(t, "-w /etc/passwd");
	table_cell(t, "1");
	table_cell(t, "sixsix");
	table_cell(t, "2");
	expect(a, t,
	       "rule    n\n"
	       "-w /e\xe2\x80\xa6  1\n"
	       "sixsix  2\n");
}

static void wraps_at_blanks_or_anywhere(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	table_column(t, TABLE_RIGHT, "n");
	table_column(t, TABLE_LEFT, "rule");
	table_limit(t, 8, TABLE_WRAP);
	table_cell(t, "7");
	table_cell(t, "-a exit abcdefghijkl");
	table_cell(t, "8");
	table_cell(t, "12345678 x");
	expect(a, t,
	       "n  rule\n"
	       "7  -a exit\n"
	       "   abcdefgh\n"
	       "   ijkl\n"
	       "8  12345678\n"
	       "   x\n");
}

static void fits_a_line(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	table_column(t, TABLE_LEFT, "file");
	table_column(t, TABLE_LEFT, "rule");
	table_fit(t, 30, TABLE_CUT);
	table_cell(t, "a.rules:1");
	table_cell(t, "0123456789012345678901234567890123456789");
	struct str out = {0};
	table_print(t, &out);
	assert_string_equal(str_get(&out), "file       rule\n"
					   "a.rules:1  012345678901234567\xe2\x80\xa6\n");
	str_free(&out);
	arena_free(a);

	a = arena_new();
	t = table_new(a);
	table_column(t, TABLE_LEFT, "narrow");
	table_fit(t, 4, TABLE_CUT);
	table_cell(t, "01234567890123456789");
	expect(a, t, "narrow\n012345678901234\xe2\x80\xa6\n");
}

static void bold_only_when_asked(void **state)
{
	(void)state;
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	table_column(t, TABLE_LEFT, "h");
	table_bold(t, true);
	table_cell(t, "x");
	expect(a, t, "\033[1mh\n\033[0mx\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(aligns),
	    cmocka_unit_test(no_blanks_at_the_end_and_short_rows),
	    cmocka_unit_test(nothing_without_columns),
	    cmocka_unit_test(header_alone),
	    cmocka_unit_test(counts_code_points),
	    cmocka_unit_test(shows_no_controls),
	    cmocka_unit_test(cuts),
	    cmocka_unit_test(wraps_at_blanks_or_anywhere),
	    cmocka_unit_test(fits_a_line),
	    cmocka_unit_test(bold_only_when_asked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
