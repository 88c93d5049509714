/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between guest and host: whole ones come out as they went in, damaged ones never come out. */
#include "lab/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static enum frame_state take(const struct str *s, size_t len, const char **body, size_t *n, size_t *used)
{
	return frame_take(str_get(s), len, body, n, used);
}

static void test_whole(void **state)
{
	(void)state;
	static const char *const bodies[] = {"", "{}", "{\"a\":\"b\\n\"}", "two\nlines"};
	struct str all = {0};
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++)
		frame_add(&all, bodies[i], strlen(bodies[i]));
	size_t at = 0;
	for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
		const char *body;
		size_t n, used;
		assert_int_equal(frame_take(all.s + at, all.len - at, &body, &n, &used), FRAME_WHOLE);
		assert_int_equal(n, strlen(bodies[i]));
		assert_memory_equal(body, bodies[i], n);
		at += used;
	}
	assert_int_equal(at, all.len);
	str_free(&all);
}

static void test_every_start_waits_for_more(void **state)
{
	(void)state;
	struct str s = {0};
	const char *body;
	size_t n, used;
	frame_add(&s, "{\"type\":\"done\"}", 15);
	for (size_t len = 0; len < s.len; len++)
		assert_int_equal(take(&s, len, &body, &n, &used), FRAME_MORE);
	assert_int_equal(take(&s, s.len, &body, &n, &used), FRAME_WHOLE);
	str_free(&s);
}

/* Any one byte replaced: the frame must not come out, as the same text or another. */
static void test_every_damage_is_seen(void **state)
{
	(void)state;
	static const char other[] = {'\0', '\n', ' ', '0', '7', 'f', '"', '\xff'};
	struct str s = {0};
	const char *body;
	size_t n, used;
	frame_add(&s, "{\"type\":\"figure\",\"median\":489.40625}", 36);
	for (size_t i = 0; i < s.len; i++) {
		char was = s.s[i];
		for (size_t k = 0; k < sizeof(other); k++) {
			s.s[i] = other[k];
			if (other[k] != was)
				assert_int_not_equal(take(&s, s.len, &body, &n, &used), FRAME_WHOLE);
		}
		s.s[i] = was;
	}
	assert_int_equal(take(&s, s.len, &body, &n, &used), FRAME_WHOLE);
	str_free(&s);
}

static void test_nonsense(void **state)
{
	(void)state;
	static const char *const bad[] = {"x",
					  " 0",
					  "999999999",
					  "99999999 00000001 ",
					  "3 0000000g abc\n",
					  "3 0000000A abc\n",
					  "[    0.000000] Linux version",
					  "3 024d0127 abc "};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *body;
		size_t n, used;
		assert_int_equal(frame_take(bad[i], strlen(bad[i]), &body, &n, &used), FRAME_DAMAGED);
	}
}

static void test_text(void **state)
{
	(void)state;
	json_t *plain = json_textn("gr\xc3\xbc\xc3\x9f", 7), *bad = json_textn("a\xff\tb", 4);
	assert_string_equal(json_string_value(plain), "gr\xc3\xbc\xc3\x9f");
	assert_string_equal(json_string_value(bad), "a\\xff\\x09b");
	json_decref(plain);
	json_decref(bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole),
	    cmocka_unit_test(test_every_start_waits_for_more),
	    cmocka_unit_test(test_every_damage_is_seen),
	    cmocka_unit_test(test_nonsense),
	    cmocka_unit_test(test_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
