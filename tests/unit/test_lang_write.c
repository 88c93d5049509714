/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"

static const char *const dirs[] = {"/etc"};
static const struct lang_env env = {.machine = MACH_86_64, .dirs = dirs, .ndirs = ARRAY_SIZE(dirs)};

/* Read and written again; NULL for out: no text can give the rule. */
static void expect_in(const struct lang_env *to, const char *in, const char *out)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("t", in, strlen(in), &env, &ds);
	assert_int_equal(ds.errors, 0);
	assert_int_equal(rs->nrequests, 1);
	struct str text = {0};
	str_add(&text, "|");
	assert_int_equal(rule_write(rs->requests[0].rule, to, &text), out != NULL);
	assert_string_equal(text.s + 1, out ? out : "");
	str_free(&text);
	ruleset_free(rs);
	arena_free(ds.arena);
}

static void expect(const char *in, const char *out)
{
	expect_in(&env, in, out);
}

static void same(const char *line)
{
	expect(line, line);
}

static void readable(void **unused)
{
	(void)unused;
	same(
	    "-a always,exit -F arch=b64 -S open,close -F auid>=1000 -F auid!=unset -F exit=-EACCES -F key=k");
	same("-A never,exit -F arch=b32 -S umount,stat64 -F a2&0x40 -F a0=-1 -F a1=5");
	same("-a always,exit -C auid!=obj_uid -F filetype=dir");
	same("-a never,exclude -F msgtype=CWD");
	same("-a never,filesystem -F fstype=tracefs");
	same("-a never,task -F uid=0");
	same("-a always,exit -F arch=aarch64 -S openat");
	same("-a always,exit -F arch!=b64 -S open");
	same("-a always,exit -F path=/a\\ b\\\\c -F perm=wa -F key=x\\ y");
	expect("-a always,exit -C obj_uid!=auid -S all -k a -k b",
	       "-a always,exit -C auid!=obj_uid -S all -F key=a -F key=b");
	expect("-a exit,always -S mount -S umount2 -k m", "-a always,exit -S 165,166 -F key=m");
	expect("-a exit,always -F uid=0 -S openat2,execve,rseq -k m", "-a always,exit -F uid=0 -S 59,334,openat2 -F key=m");
	expect("-a always,exit -F uid=0 -F arch=b64 -F arch=b32 -S 2",
	       "-a always,exit -F uid=0 -F arch=b64 -F arch=b32 -S fork");
	expect("-a always,exit -F uid=0 -F pid=1", "-a always,exit -F uid=0 -F pid=1");
	expect("-a always,exit -S 2000,2047", "-a always,exit -S 2000,2047");
	expect("-a always,exit -S ,", "-a always,exit -S ,");
	expect("-S open -a always,user", "-S 2 -a always,user");
	expect("-a task,always -F field_compare=10", "-a always,task -F field_compare=10");
}

static void watches(void **unused)
{
	(void)unused;
	same("-w /etc -p wa -k a -k b");
	same("-w /x!=y -p r");
	expect("-w /x", "-w /x -p rwxa");
	expect("-w /x -k k -p wa", "-w /x -p wa -k k");
	expect("-w /x -k k -F uid=0 -p wa", "-a always,exit -F path=/x -F perm=wa -F uid=0 -F key=k");
	expect("-w /x -a exit,never", "-a never,exit -F path=/x -F perm=rwxa");
	expect("-a always,exit -F path=/x -F perm=wa", "-a always,exit -F path=/x -F perm=wa");
}

/* Where the other side takes /etc for a file, the watch has to be spelled out. */
static void a_watch_stays_one_only_where_it_means_the_same(void **unused)
{
	(void)unused;
	static const char *const none[1];
	const struct lang_env other = {.machine = MACH_86_64, .dirs = none, .ndirs = 0};
	expect_in(&other, "-w /etc -p wa", "-a always,exit -F dir=/etc -F perm=wa");
	expect_in(&other, "-w /x -p wa", "-w /x -p wa");
	expect("-W /etc", "-w /etc -p rwxa");
}

static void keys(void **unused)
{
	(void)unused;
	expect("-a always,exit -S 1 -F key=a -F key=", "-a always,exit -S 1 -F key=a -F key=");
	/* a key that is a field of its own needs -S in front of it */
	same("-a always,exit -S 1 -F KEY=x -F uid=0 -F key=y");
	same("-a always,exit -F uid=0 -S 1 -F key!=x");
	same("-a always,exit -F arch=b64 -S write -F KEY=x -F uid=0 -F key=y");
	same("-w /x -p r -k \001");
	expect("-w /x -p r -k a=b", "-w /x -p r -k a=b");
}

static struct rule base_rule(void)
{
	struct rule r = {.flags = AUDIT_FILTER_EXIT, .action = AUDIT_ALWAYS, .nfields = 1};
	memset(r.mask, 0xff, sizeof(r.mask));
	r.fields[0] = (struct field){.id = AUDIT_UID, .op = AUDIT_EQUAL, .value = 0};
	return r;
}

static void refuse(const struct rule *r)
{
	struct str text = {0};
	assert_false(rule_write(r, &env, &text));
	assert_int_equal(text.len, 0);
	str_free(&text);
}

static void what_no_text_can_give(void **unused)
{
	(void)unused;
	struct rule r = base_rule();
	struct str text = {0};
	assert_true(rule_write(&r, &env, &text));
	str_free(&text);

	r.flags = AUDIT_FILTER_URING_EXIT;
	refuse(&r);
	r = base_rule();
	r.action = AUDIT_POSSIBLE;
	refuse(&r);
	r = base_rule();
	r.fields[0].id = AUDIT_LOGINUID_SET;
	refuse(&r);
	r.fields[0].id = 77;
	refuse(&r);
	r.fields[0] = (struct field){.id = AUDIT_WATCH, .op = AUDIT_EQUAL, .value = 4, .text = "/a\nb"};
	refuse(&r);
	r.fields[0] = (struct field){.id = AUDIT_WATCH, .op = AUDIT_EQUAL, .value = 4, .text = "/a\0b"};
	refuse(&r);
	r.fields[0] = (struct field){.id = AUDIT_WATCH, .op = AUDIT_EQUAL, .value = 5, .text = "/a!=b"};
	refuse(&r);
	r.fields[0] = (struct field){.id = AUDIT_PERM, .op = AUDIT_EQUAL, .value = 16};
	refuse(&r);
	r.fields[0] = (struct field){.id = AUDIT_FILETYPE, .op = AUDIT_EQUAL, .value = 1};
	refuse(&r);
	r.fields[0] = (struct field){.id = AUDIT_UID, .op = 12345, .value = 1};
	refuse(&r);
	char *big = calloc(1, 4097);
	memset(big, 'x', 4096);
	r.fields[0] = (struct field){.id = AUDIT_SUBJ_TYPE, .op = AUDIT_EQUAL, .value = 4096, .text = big};
	r.fields[1] = r.fields[0];
	r.nfields = 2;
	refuse(&r); /* longer than a line may be */
	free(big);
}

static void long_masks_fall_back_to_numbers(void **unused)
{
	(void)unused;
	struct rule r = base_rule();
	memset(r.mask, 0, sizeof(r.mask));
	for (unsigned nr = 0; nr < 1000; nr++)
		mask_add(r.mask, nr);
	struct str text = {0};
	assert_true(rule_write(&r, &env, &text));
	assert_non_null(strstr(text.s, "-S 0,1,2,3,"));
	str_free(&text);
	for (unsigned nr = 0; nr < 2040; nr++)
		mask_add(r.mask, nr);
	refuse(&r);
}

static void payload(void **unused)
{
	(void)unused;
	static const char line[] =
	    "-A always,exit -F arch=b64 -S open -F path=/p -F perm=wa -F exe=/bin/sh -k k";
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("t", line, sizeof(line) - 1, &env, &ds);
	const struct rule *r = rs->requests[0].rule;
	struct audit_rule_data *d = rule_to_data(r);
	assert_int_equal(d->flags, 20);
	assert_int_equal(d->field_count, 5);
	assert_int_equal(d->buflen, 10);
	assert_memory_equal(d->buf, "/p/bin/shk", 10);
	assert_int_equal(d->mask[0], 1 << 2);
	struct rule back;
	assert_true(rule_from_data(rs->arena, d, &back));
	assert_true(rule_same(r, &back));
	assert_string_equal(rule_key(&back), "k");
	back.fields[3].text = "/bin/sx";
	assert_false(rule_same(r, &back));
	d->buflen--;
	assert_false(rule_from_data(rs->arena, d, &back));
	d->buflen += 2;
	assert_false(rule_from_data(rs->arena, d, &back));
	d->buflen--;
	d->values[1] = UINT32_MAX;
	assert_false(rule_from_data(rs->arena, d, &back));
	d->field_count = AUDIT_MAX_FIELDS + 1;
	assert_false(rule_from_data(rs->arena, d, &back));
	free(d);
	ruleset_free(rs);
	arena_free(ds.arena);
}

static void differences(void **unused)
{
	(void)unused;
	struct rule a = base_rule(), b = base_rule();
	assert_true(rule_same(&a, &b));
	b.flags |= AUDIT_FILTER_PREPEND;
	assert_false(rule_same(&a, &b));
	b = base_rule();
	b.action = AUDIT_NEVER;
	assert_false(rule_same(&a, &b));
	b = base_rule();
	b.mask[63] = 1;
	assert_false(rule_same(&a, &b));
	b = base_rule();
	b.fields[0].op = AUDIT_NOT_EQUAL;
	assert_false(rule_same(&a, &b));
	b = base_rule();
	b.watch = true; /* how it was written is no part of the payload */
	assert_true(rule_same(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(readable),
	    cmocka_unit_test(watches),
	    cmocka_unit_test(a_watch_stays_one_only_where_it_means_the_same),
	    cmocka_unit_test(keys),
	    cmocka_unit_test(what_no_text_can_give),
	    cmocka_unit_test(long_masks_fall_back_to_numbers),
	    cmocka_unit_test(payload),
	    cmocka_unit_test(differences),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
