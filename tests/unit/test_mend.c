/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Edits: what is chosen, and what becomes of a text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lint/lint.h"

static struct diag *add(struct diags *ds, enum edit_kind kind, const char *file, unsigned line, const char *text)
{
	struct place at = {file, line, 1};
	struct diag *d = diag_add(ds, AR_TAB, at, NULL, 1, "a finding");
	diag_edit(ds, d, kind, at, text);
	return d;
}

static void apply(const struct diags *ds, bool less, const char *file, const char *text, size_t chosen_count, const char *wanted)
{
	bool chosen[16];
	struct str out = {0};
	assert_int_equal(edits_choose(ds, less, chosen), chosen_count);
	edits_apply(ds, chosen, file, text, strlen(text), &out);
	assert_string_equal(str_get(&out), wanted);
	str_free(&out);
}

static const char text[] = "one\ntwo\nthree\nfour";

static void each_kind(void **state)
{
	(void)state;
	struct diags ds = {.arena = arena_new()};
	add(&ds, EDIT_REPLACE, "f", 1, "ONE\nAND A HALF\n");
	add(&ds, EDIT_DELETE, "f", 2, NULL);
	add(&ds, EDIT_BEFORE, "f", 3, "new\n");
	add(&ds, EDIT_AT_END, "f", 0, "last\n");
	add(&ds, EDIT_DELETE, "g", 4, NULL);
	apply(&ds, false, "f", text, 5, "ONE\nAND A HALF\nnew\nthree\nfour\nlast\n");
	apply(&ds, false, "g", text, 5, "one\ntwo\nthree\n");
	apply(&ds, false, "h", text, 5, text);
	arena_free(ds.arena);
}

static void the_last_line_without_its_newline(void **state)
{
	(void)state;
	struct diags ds = {.arena = arena_new()};
	add(&ds, EDIT_REPLACE, "f", 4, "FOUR\n");
	apply(&ds, false, "f", text, 1, "one\ntwo\nthree\nFOUR\n");
	arena_free(ds.arena);
}

static void one_a_line(void **state)
{
	(void)state;
	struct diags ds = {.arena = arena_new()};
	add(&ds, EDIT_REPLACE, "f", 2, "first\n");
	add(&ds, EDIT_REPLACE, "f", 2, "second\n");
	add(&ds, EDIT_BEFORE, "f", 2, "third\n");
	add(&ds, EDIT_AT_END, "f", 0, "end\n");
	add(&ds, EDIT_AT_END, "f", 0, "another end\n");
	apply(&ds, false, "f", text, 2, "one\nfirst\nthree\nfour\nend\n");
	arena_free(ds.arena);
}

/* A finding is mended by all its edits or by none of them. */
static void all_of_one(void **state)
{
	(void)state;
	struct diags ds = {.arena = arena_new()};
	struct place second = {"f", 2, 1};
	add(&ds, EDIT_REPLACE, "f", 1, "ONE\n");
	diag_edit(&ds, add(&ds, EDIT_DELETE, "f", 1, NULL), EDIT_DELETE, second, NULL);
	apply(&ds, false, "f", text, 1, "ONE\ntwo\nthree\nfour");
	arena_free(ds.arena);
}

static void two_of_one_on_a_line(void **state)
{
	(void)state;
	struct diags ds = {.arena = arena_new()};
	struct place same = {"f", 2, 1};
	diag_edit(&ds, add(&ds, EDIT_BEFORE, "f", 2, "before\n"), EDIT_REPLACE, same, "TWO\n");
	apply(&ds, false, "f", text, 1, "one\nbefore\nTWO\nthree\nfour");
	arena_free(ds.arena);
}

static void what_records_less(void **state)
{
	(void)state;
	struct diags ds = {.arena = arena_new()};
	add(&ds, EDIT_DELETE, "f", 1, NULL)->loses = true;
	add(&ds, EDIT_REPLACE, "f", 1, "ONE\n");
	apply(&ds, false, "f", text, 1, "ONE\ntwo\nthree\nfour");
	apply(&ds, true, "f", text, 1, "two\nthree\nfour");
	arena_free(ds.arena);
}

static void an_empty_text(void **state)
{
	(void)state;
	struct diags ds = {.arena = arena_new()};
	add(&ds, EDIT_AT_END, "f", 0, "-e 2\n");
	add(&ds, EDIT_BEFORE, "f", 1, "-D\n");
	apply(&ds, false, "f", "", 2, "-D\n-e 2\n");
	arena_free(ds.arena);
}

/* Carriage returns, NUL and bytes that are no text stay where no edit touches them. */
static void the_rest_is_untouched(void **state)
{
	(void)state;
	static const char odd[] = "a\r\n\0b\n\xff\n\n\nlast";
	struct diags ds = {.arena = arena_new()};
	bool chosen[1];
	struct str out = {0};
	add(&ds, EDIT_DELETE, "f", 4, NULL);
	assert_int_equal(edits_choose(&ds, false, chosen), 1);
	edits_apply(&ds, chosen, "f", odd, sizeof(odd) - 1, &out);
	assert_int_equal(out.len, sizeof(odd) - 2);
	assert_memory_equal(out.s, "a\r\n\0b\n\xff\n\nlast", out.len);
	str_free(&out);
	arena_free(ds.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_kind),          cmocka_unit_test(the_last_line_without_its_newline),
	    cmocka_unit_test(one_a_line),         cmocka_unit_test(all_of_one),
	    cmocka_unit_test(two_of_one_on_a_line), cmocka_unit_test(what_records_less),
	    cmocka_unit_test(an_empty_text),      cmocka_unit_test(the_rest_is_untouched),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
