/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of diagnostics tries itself: what stands under `bad' has the diagnostic, what stands under `good' has it not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lint/lint.h"

static const struct lang_env env = {.machine = MACH_86_64, .dirs = (const char *const[]){"/etc"}, .ndirs = 1};

static bool has(const struct diags *ds, enum diag_code code)
{
	for (size_t i = 0; i < ds->n; i++) {
		if (ds->list[i].info->code == code)
			return true;
	}
	return false;
}

static bool found_in(const char *text, enum diag_code code)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("table", text, strlen(text), &env, &ds);
	struct kset *k = kset_load(rs, &ds);
	struct lint l = {.rs = rs, .k = k, .env = &env, .ds = &ds, .arena = arena_new()};
	lint_run(&l);
	bool found = has(&ds, code);
	if (!found) {
		for (size_t i = 0; i < ds.n; i++)
			print_message("  AR%03d %s\n", (int)ds.list[i].info->code, ds.list[i].message);
	}
	arena_free(l.arena);
	kset_free(k);
	ruleset_free(rs);
	arena_free(ds.arena);
	return found;
}

static void every_example_is_true(void **state)
{
	(void)state;
	unsigned wrong = 0;
	for (unsigned i = 0; i < diag_table_len; i++) {
		const struct diag_info *d = &diag_table[i];
		if (d->bad && !found_in(d->bad, d->code)) {
			print_message("AR%03d %s: not found in its own example:\n%s", (int)d->code, d->name, d->bad);
			wrong++;
		}
		if (d->good && found_in(d->good, d->code)) {
			print_message("AR%03d %s: found in what should be without:\n%s", (int)d->code, d->name, d->good);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

static bool ends_well(const char *text)
{
	size_t n = text ? strlen(text) : 0;
	return n > 1 && text[n - 1] == '.' && (text[0] >= 'A' && text[0] <= 'Z' ? true : text[0] == '-' || text[0] == '`');
}

/* Names are words for suppressions, texts are sentences. */
static void every_row_is_whole(void **state)
{
	(void)state;
	for (unsigned i = 0; i < diag_table_len; i++) {
		const struct diag_info *d = &diag_table[i];
		if (!ends_well(d->remedy) || !d->title || !d->title[0] || !d->effect || d->effect[strlen(d->effect) - 1] != '.')
			fail_msg("AR%03d: effect and remedy are to be sentences", (int)d->code);
		if (d->name[strspn(d->name, "abcdefghijklmnopqrstuvwxyz0123456789-")])
			fail_msg("AR%03d: `%s' is no word for a suppression", (int)d->code, d->name);
		for (unsigned j = 0; j < i; j++) {
			if (diag_table[j].code >= d->code || strcmp(diag_table[j].name, d->name) == 0)
				fail_msg("AR%03d: order or name is that of another row", (int)d->code);
		}
	}
}

static void codes_are_found_by_name(void **state)
{
	(void)state;
	for (unsigned i = 0; i < diag_table_len; i++) {
		char text[16];
		snprintf(text, sizeof(text), "AR%03d", (int)diag_table[i].code);
		assert_ptr_equal(diag_by_name(text), &diag_table[i]);
		assert_ptr_equal(diag_by_name(diag_table[i].name), &diag_table[i]);
		assert_ptr_equal(diag_info(diag_table[i].code), &diag_table[i]);
	}
	assert_null(diag_by_name("AR000"));
	assert_null(diag_by_name("AR"));
	assert_null(diag_by_name(""));
	assert_null(diag_by_name("AR0140"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_example_is_true),
	    cmocka_unit_test(every_row_is_whole),
	    cmocka_unit_test(codes_are_found_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
