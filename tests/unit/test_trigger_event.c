/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event_normalize: what is kept of records, and what is not. The record texts are written for these tests. */
#include "lab/trigger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define REC(t, s)                                                                                            \
	{                                                                                                    \
		(t), (s), sizeof(s) - 1                                                                      \
	}

static int setup(void **state)
{
	*state = arena_new();
	return 0;
}

static int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

static size_t normalize(void **state, const struct audit_record *r, size_t n, const char ***lines)
{
	size_t count;
	event_normalize(*state, r, n, lines, &count);
	return count;
}

/* One event twice, with another time, serial, pid, session, addresses and inode: the same line. */
static void same_in_every_run(void **state)
{
	const struct audit_record first[] = {
	    REC(AUDIT_SYSCALL,
		"audit(1700000000.123:45): arch=c000003e syscall=90 success=yes exit=0 a0=7ffe1000 "
		"a1=1a0 a2=0 a3=0 items=1 ppid=70 pid=71 auid=1000 uid=0 gid=0 euid=0 suid=0 fsuid=0 "
		"egid=0 sgid=0 fsgid=0 tty=(none) ses=3 comm=\"init\" exe=\"/init\" subj=kernel "
		"key=\"accounts\""),
	    REC(AUDIT_CWD, "audit(1700000000.123:45): cwd=\"/\""),
	    REC(AUDIT_PATH,
		"audit(1700000000.123:45): item=0 name=\"/etc/passwd\" inode=811 dev=00:02 mode=0100640 "
		"ouid=0 ogid=0 rdev=00:00 nametype=NORMAL cap_fp=0"),
	    REC(AUDIT_PROCTITLE, "audit(1700000000.123:45): proctitle=\"/init\""),
	    REC(AUDIT_EOE, "audit(1700000000.123:45): "),
	};
	const struct audit_record second[] = {
	    REC(AUDIT_SYSCALL,
		"audit(1700009999.001:999): arch=c000003e syscall=90 success=yes exit=0 a0=41401000 "
		"a1=1a0 a2=0 a3=0 items=1 ppid=1 pid=4711 auid=1000 uid=0 gid=0 euid=0 suid=0 fsuid=0 "
		"egid=0 sgid=0 fsgid=0 tty=(none) ses=88 comm=\"init\" exe=\"/init\" subj=kernel "
		"key=\"accounts\""),
	    REC(AUDIT_CWD, "audit(1700009999.001:999): cwd=\"/\""),
	    REC(AUDIT_PATH,
		"audit(1700009999.001:999): item=0 name=\"/etc/passwd\" inode=5 dev=00:02 mode=0100640 "
		"ouid=0 ogid=0 rdev=00:00 nametype=NORMAL cap_fp=0"),
	    REC(AUDIT_PROCTITLE, "audit(1700009999.001:999): proctitle=\"/init\""),
	};
	const char **a, **b;
	assert_int_equal(normalize(state, first, ARRAY_SIZE(first), &a), 1);
	assert_int_equal(normalize(state, second, ARRAY_SIZE(second), &b), 1);
	assert_string_equal(a[0], b[0]);
	assert_string_equal(
	    a[0],
	    "arch=b64 syscall=chmod success=yes exit=0 auid=1000 uid=0 gid=0 euid=0 suid=0 "
	    "fsuid=0 egid=0 sgid=0 fsgid=0 tty=(none) exe=\"/init\" key=\"accounts\" cwd=\"/\" "
	    "name=\"/etc/passwd\" nametype=NORMAL mode=0100640 ouid=0 types=SYSCALL,CWD,PATH,PROCTITLE");
}

/* What a wrong rewrite would change must show. */
static void differences_show(void **state)
{
	static const struct {
		const char *what, *text;
	} variants[] = {
	    {"key", "audit(1.000:1): arch=c000003e syscall=87 success=yes exit=0 auid=1000 uid=0 exe=\"/a\" "
		    "key=\"k\""},
	    {"other key", "audit(1.000:1): arch=c000003e syscall=87 success=yes exit=0 auid=1000 uid=0 "
			  "exe=\"/a\" key=\"l\""},
	    {"no key", "audit(1.000:1): arch=c000003e syscall=87 success=yes exit=0 auid=1000 uid=0 "
		       "exe=\"/a\" key=(null)"},
	    {"call", "audit(1.000:1): arch=c000003e syscall=82 success=yes exit=0 auid=1000 uid=0 exe=\"/a\" "
		     "key=\"k\""},
	    {"arch", "audit(1.000:1): arch=40000003 syscall=87 success=yes exit=0 auid=1000 uid=0 exe=\"/a\" "
		     "key=\"k\""},
	    {"result", "audit(1.000:1): arch=c000003e syscall=87 success=no exit=-13 auid=1000 uid=0 "
		       "exe=\"/a\" key=\"k\""},
	    {"auid", "audit(1.000:1): arch=c000003e syscall=87 success=yes exit=0 auid=1001 uid=0 exe=\"/a\" "
		     "key=\"k\""},
	    {"uid", "audit(1.000:1): arch=c000003e syscall=87 success=yes exit=0 auid=1000 uid=1 exe=\"/a\" "
		    "key=\"k\""},
	    {"exe", "audit(1.000:1): arch=c000003e syscall=87 success=yes exit=0 auid=1000 uid=0 exe=\"/b\" "
		    "key=\"k\""},
	};
	const char *seen[ARRAY_SIZE(variants)];
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++) {
		struct audit_record r = {AUDIT_SYSCALL, variants[i].text, strlen(variants[i].text)};
		const char **lines;
		assert_int_equal(normalize(state, &r, 1, &lines), 1);
		seen[i] = lines[0];
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(seen[i], seen[k]);
	}
}

static const char *key_line(void **state, const char *key)
{
	char *text =
	    arena_printf(*state, "audit(1.0:1): arch=c000003e syscall=87 success=yes exit=0 %s", key);
	struct audit_record r = {AUDIT_SYSCALL, text, strlen(text)};
	const char **lines;
	assert_int_equal(normalize(state, &r, 1, &lines), 1);
	return strstr(lines[0], "key=");
}

static void keys_are_decoded(void **state)
{
	assert_string_equal(key_line(state, "key=\"plain\""), "key=\"plain\" types=SYSCALL");
	/* a, \001, b */
	assert_string_equal(key_line(state, "key=610162"), "key=\"a\",\"b\" types=SYSCALL");
	assert_string_equal(key_line(state, "key=6101620163"), "key=\"a\",\"b\",\"c\" types=SYSCALL");
	/* an empty part is not nothing */
	assert_string_equal(key_line(state, "key=6101"), "key=\"a\",\"\" types=SYSCALL");
	/* a space, and a quote, upper and lower case */
	assert_string_equal(key_line(state, "key=612062"), "key=\"a b\" types=SYSCALL");
	assert_string_equal(key_line(state, "key=6A2271"), "key=\"j\\x22q\" types=SYSCALL");
	assert_string_equal(key_line(state, "key=(null)"), "key=(null) types=SYSCALL");
	assert_string_equal(key_line(state, "key=\"(null)\""), "key=\"(null)\" types=SYSCALL");
	assert_string_equal(key_line(state, "subj=x"), "key=none types=SYSCALL");
}

/* A name that looks like a field must not be taken for one. */
static void values_in_quotes_are_skipped(void **state)
{
	const struct audit_record r[] = {
	    REC(AUDIT_SYSCALL,
		"audit(1.0:1): arch=c000003e syscall=87 success=yes exit=0 comm=\"x key=forged auid=7\" "
		"exe=\"/a uid=9\" auid=1000 uid=0 key=\"real\""),
	};
	const char **lines;
	assert_int_equal(normalize(state, r, 1, &lines), 1);
	assert_non_null(strstr(lines[0], " auid=1000 uid=0 "));
	assert_non_null(strstr(lines[0], "key=\"real\""));
	assert_null(strstr(lines[0], "forged"));
}

static void harness_is_left_out(void **state)
{
	const struct audit_record r[] = {
	    REC(AUDIT_USER, "audit(1.0:1): pid=1 uid=0 auid=4294967295 ses=4294967295 msg='fence 1'"),
	    REC(AUDIT_CONFIG_CHANGE,
		"audit(1.0:2): auid=4294967295 ses=4294967295 op=add_rule key=\"k\" list=4 res=1"),
	    REC(AUDIT_SERVICE_START, "audit(1.0:3): pid=1 uid=0 msg='unit=x'"),
	    REC(AUDIT_DAEMON_START, "audit(1.0:4): op=start"),
	    REC(AUDIT_LOGIN,
		"audit(1.0:5): pid=80 uid=0 old-auid=4294967295 auid=1000 tty=(none) ses=1 res=1"),
	    REC(AUDIT_USER_CMD, "audit(1.0:6): pid=1 uid=0 msg='cmd'"),
	    REC(AUDIT_EOE, "audit(1.0:7): "),
	};
	const char **lines;
	assert_int_equal(normalize(state, r, ARRAY_SIZE(r), &lines), 0);
}

/* The record of a login uid stays when a rule made the event, and so does what follows a changed watch. */
static void companions_stay(void **state)
{
	const struct audit_record r[] = {
	    REC(AUDIT_LOGIN,
		"audit(1.0:5): pid=80 uid=0 old-auid=4294967295 auid=1000 tty=(none) ses=1 res=1"),
	    REC(AUDIT_SYSCALL, "audit(1.0:5): arch=c000003e syscall=1 success=yes exit=4 key=(null)"),
	    REC(AUDIT_PROCTITLE, "audit(1.0:5): proctitle=\"/init\""),
	    REC(AUDIT_CONFIG_CHANGE,
		"audit(1.0:6): auid=1000 ses=1 op=updated_rules path=\"/etc/x\" key=\"k\" list=4 res=1"),
	    REC(AUDIT_CONFIG_CHANGE,
		"audit(1.0:6): auid=1000 ses=1 op=updated_rules path=\"/etc/x\" key=\"k\" list=4 res=1"),
	    REC(AUDIT_SYSCALL, "audit(1.0:6): arch=c000003e syscall=87 success=yes exit=0 key=\"k\""),
	};
	const char **lines;
	assert_int_equal(normalize(state, r, ARRAY_SIZE(r), &lines), 2);
	assert_non_null(strstr(lines[0], "syscall=unlink"));
	assert_non_null(strstr(lines[0], "types=SYSCALL"));
	assert_null(strstr(lines[0], "CONFIG_CHANGE"));
	assert_non_null(strstr(lines[1], "syscall=write"));
	assert_non_null(strstr(lines[1], "types=LOGIN,SYSCALL,PROCTITLE"));
}

static void events_without_a_call_stay(void **state)
{
	const struct audit_record r[] = {
	    REC(AUDIT_AVC, "audit(1.0:9): avc:  denied  { read } for  pid=3 comm=\"x\""),
	    REC(AUDIT_PATH, "audit(1.0:10): item=0 name=\"/a\" inode=3 mode=0100644 ouid=0 nametype=NORMAL"),
	    REC(AUDIT_PATH,
		"audit(1.0:10): item=1 name=2F612062 inode=4 mode=0100644 ouid=0 nametype=CREATE"),
	};
	const char **lines;
	assert_int_equal(normalize(state, r, ARRAY_SIZE(r), &lines), 2);
	assert_string_equal(lines[0],
			    "name=\"/a\" nametype=NORMAL mode=0100644 ouid=0 name=\"/a b\" nametype=CREATE "
			    "mode=0100644 ouid=0 types=PATH*2");
	assert_string_equal(lines[1], "types=AVC");
}

/* Records of events come interleaved; lines are sorted; equal events stay as many as they are. */
static void grouped_sorted_counted(void **state)
{
	const struct audit_record r[] = {
	    REC(AUDIT_SYSCALL, "audit(1.0:12): arch=c000003e syscall=90 success=yes exit=0 key=\"z\""),
	    REC(AUDIT_SYSCALL, "audit(1.0:11): arch=40000003 syscall=15 success=yes exit=0 key=\"a\""),
	    REC(AUDIT_CWD, "audit(1.0:12): cwd=\"/z\""),
	    REC(AUDIT_CWD, "audit(1.0:11): cwd=\"/a\""),
	    REC(AUDIT_SYSCALL, "audit(1.0:13): arch=40000003 syscall=15 success=yes exit=0 key=\"a\""),
	    REC(AUDIT_CWD, "audit(1.0:13): cwd=\"/a\""),
	};
	const char **lines;
	assert_int_equal(normalize(state, r, ARRAY_SIZE(r), &lines), 3);
	assert_string_equal(lines[0], lines[1]);
	assert_non_null(strstr(lines[0], "arch=b32 syscall=chmod"));
	assert_non_null(strstr(lines[0], "cwd=\"/a\""));
	assert_non_null(strstr(lines[2], "cwd=\"/z\""));
}

static void varying_results_are_hidden(void **state)
{
	const struct audit_record r[] = {
	    REC(AUDIT_SYSCALL, "audit(1.0:1): arch=c000003e syscall=57 success=yes exit=1234 key=\"k\""),
	    REC(AUDIT_SYSCALL, "audit(1.0:2): arch=c000003e syscall=57 success=yes exit=1240 key=\"k\""),
	    REC(AUDIT_SYSCALL, "audit(1.0:3): arch=c000003e syscall=57 success=no exit=-11 key=\"k\""),
	    REC(AUDIT_SYSCALL, "audit(1.0:4): arch=c000003e syscall=60 key=\"k\""),
	};
	const char **lines;
	assert_int_equal(normalize(state, r, ARRAY_SIZE(r), &lines), 4);
	size_t hidden = 0, error = 0, none = 0;
	for (size_t i = 0; i < 4; i++) {
		hidden += strstr(lines[i], "syscall=fork success=yes exit=* ") != NULL;
		error += strstr(lines[i], "syscall=fork success=no exit=-11 ") != NULL;
		none += strstr(lines[i], "syscall=exit success=none exit=none ") != NULL;
	}
	assert_int_equal(hidden, 2);
	assert_int_equal(error, 1);
	assert_int_equal(none, 1);
}

/* Damaged text is no event and no crash; records need not end in NUL. */
static void damaged_records(void **state)
{
	static const char text[] = "audit(1.0:7): arch=c000003e syscall=87 success=yes exit=0 key=\"k\"JUNK";
	const char *const bad[] = {
	    "",
	    "audit(",
	    "audit()",
	    "audit(1.0:)",
	    "audit(1.0:x): a=b",
	    "audit(1.0",
	    "audti(1.0:1): a=b",
	    "audit(1.0:99999999999999999999999): a=b",
	};
	const char **lines;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct audit_record r = {AUDIT_SYSCALL, bad[i], strlen(bad[i])};
		assert_int_equal(normalize(state, &r, 1, &lines), 0);
	}
	for (size_t len = 0; len < sizeof(text); len++) {
		char *copy = arena_alloc(*state, 1, len + 1);
		memcpy(copy, text, len);
		struct audit_record r = {AUDIT_SYSCALL, copy, len};
		normalize(state, &r, 1, &lines);
	}
	struct audit_record cut = {AUDIT_SYSCALL, text, sizeof(text) - 5};
	assert_int_equal(normalize(state, &cut, 1, &lines), 1);
	assert_non_null(strstr(lines[0], "key=\"k\" types"));
	assert_int_equal(normalize(state, NULL, 0, &lines), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(same_in_every_run, setup, teardown),
	    cmocka_unit_test_setup_teardown(differences_show, setup, teardown),
	    cmocka_unit_test_setup_teardown(keys_are_decoded, setup, teardown),
	    cmocka_unit_test_setup_teardown(values_in_quotes_are_skipped, setup, teardown),
	    cmocka_unit_test_setup_teardown(harness_is_left_out, setup, teardown),
	    cmocka_unit_test_setup_teardown(companions_stay, setup, teardown),
	    cmocka_unit_test_setup_teardown(events_without_a_call_stay, setup, teardown),
	    cmocka_unit_test_setup_teardown(grouped_sorted_counted, setup, teardown),
	    cmocka_unit_test_setup_teardown(varying_results_are_hidden, setup, teardown),
	    cmocka_unit_test_setup_teardown(damaged_records, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
