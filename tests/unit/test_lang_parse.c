/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/lang.h"

static const char *const dirs[] = {"/var/log", "/etc", "/a b"};
static struct lang_env env = {.machine = MACH_86_64, .dirs = dirs, .ndirs = ARRAY_SIZE(dirs)};

struct parsed {
	struct ruleset *rs;
	struct diags ds;
	struct str dump;
};

static struct parsed parse_n(const char *text, size_t len)
{
	struct parsed p = {.ds = {.arena = arena_new()}};
	p.rs = rules_parse("t.rules", text, len, &env, &p.ds);
	for (size_t i = 0; i < p.rs->nloaded; i++)
		request_dump(&p.rs->requests[i], &p.dump);
	return p;
}

static struct parsed parse(const char *text)
{
	return parse_n(text, strlen(text));
}

static void done(struct parsed *p)
{
	ruleset_free(p->rs);
	arena_free(p->ds.arena);
	str_free(&p->dump);
}

/* The text is read without an error and gives these lines. */
static void expect(const char *text, const char *dump)
{
	struct parsed p = parse(text);
	assert_int_equal(p.ds.errors, 0);
	assert_string_equal(str_get(&p.dump), dump);
	done(&p);
}

static void expect_error(const char *text, unsigned line, unsigned column, unsigned width, const char *part)
{
	struct parsed p = parse(text);
	const struct diag *d = NULL;
	for (size_t i = 0; i < p.ds.n && !d; i++) {
		if (p.ds.list[i].severity == SEV_ERROR)
			d = &p.ds.list[i];
	}
	assert_non_null(d);
	assert_non_null(strstr(d->message, part));
	assert_int_equal(d->at.line, line);
	assert_int_equal(d->at.column, column);
	assert_int_equal(d->width, width);
	assert_string_equal(d->at.file, "t.rules");
	done(&p);
}

static void canonical_form(void **unused)
{
	(void)unused;
	expect(
	    "-w /etc/passwd -p wa -k identity\n",
	    "ADD flags=4 list=exit action=always syscalls=all nfields=3 [path = \"/etc/passwd\"] [perm = 10] "
	    "[key = \"identity\"]\n");
	expect("-A never,exit -F arch=b64 -S open,close -F auid!=unset",
	       "ADD flags=20 list=exit prepend action=never syscalls=2,3 nfields=2 [arch = 3221225534] "
	       "[auid != 4294967295]\n");
	expect("-d task,always", "DEL flags=1 list=task action=always syscalls=none nfields=0\n");
	expect("-b 8192 -e 2", "SET mask=0x10 backlog_limit=8192\nSET mask=0x1 enabled=2\n");
	expect("-a always,exit -C obj_uid!=auid -F exe=/a\\ \"b",
	       "ADD flags=4 list=exit action=always syscalls=all nfields=2 [field_compare != 5] [exe = \"/a "
	       "\\x22b\"]\n");
	expect("-D\n-D -k x\n-t\n-q /a,/b\n--loginuid-immutable\n--reset-lost\n-v\n",
	       "DELETE_ALL\nDELETE_ALL \"x\"\nTRIM\nEQUIV \"/a,/b\"\nFEATURE loginuid_immutable=1\nFEATURE "
	       "lost=0\nOTHER\n");
}

static void watches_ask_the_list_of_directories(void **unused)
{
	(void)unused;
	expect(
	    "-w /var/log/ -p r",
	    "ADD flags=4 list=exit action=always syscalls=all nfields=2 [dir = \"/var/log\"] [perm = 4]\n");
	expect("-w /a\\ b -p r",
	       "ADD flags=4 list=exit action=always syscalls=all nfields=2 [dir = \"/a b\"] [perm = 4]\n");
	expect("-w /usr -p r",
	       "ADD flags=4 list=exit action=always syscalls=all nfields=2 [path = \"/usr\"] [perm = 4]\n");
}

static void places(void **unused)
{
	(void)unused;
	expect_error("# c\n-a always,exit -F uid=0 -S opne\n", 2, 28, 4, "opne");
	expect_error("-a always,exit -S open,foo,close\n", 1, 24, 3, "foo");
	expect_error("-a always,exit -F path=/a\\ b -F xuid=1", 1, 33, 4, "xuid");
	expect_error("-w /a\\ b\\ c x", 1, 13, 1, "belongs to no option");
	expect_error("-w /x -p wq", 1, 11, 1, "permission");
	expect_error("-w x", 1, 4, 1, "relative");
	expect_error("-a always,exit -F uid=0 -F key=kk", 1, 32, 2, "key needs");
	expect_error("-w /x -kabc!=d", 1, 9, 6, "unknown field");
	expect_error("-b 64 -D", 1, 7, 2, "crashes");
	expect_error("foo", 1, 1, 3, "no option");
	expect_error("-w /x\004 -k k", 1, 6, 1, "reads past its end");
	expect_error("-a always,foo", 1, 11, 3, "a list");
}

static void all_errors_in_one_run(void **unused)
{
	(void)unused;
	struct parsed p = parse("-w /1\nfoo\n-w /2\nbar\n-i\nbaz\n-w /3\n");
	assert_int_equal(p.ds.errors, 3);
	assert_true(p.ds.list[0].stops);
	assert_true(p.ds.list[1].stops);
	assert_false(p.ds.list[2].stops);
	assert_int_equal(p.rs->nrequests, 3);
	assert_int_equal(p.rs->nloaded, 1);
	assert_false(p.rs->ignore_errors); /* the load ended before -i */
	done(&p);

	p = parse("-c\nfoo\n-w /1\n-b 7 -w rel\n-w /2\n");
	assert_int_equal(p.ds.errors, 2);
	assert_false(p.ds.list[0].stops);
	assert_true(p.rs->ignore_errors);
	assert_int_equal(p.rs->nloaded, 3); /* the setting acted before its line failed */
	assert_int_equal(p.rs->requests[1].kind, REQ_SET);
	done(&p);
}

static void lines_are_kept(void **unused)
{
	(void)unused;
	struct parsed p = parse("# head\n\n-w /x\n  # in\n-w /y");
	assert_int_equal(p.rs->nlines, 5);
	assert_true(p.rs->lines[0].comment);
	assert_true(p.rs->lines[1].comment);
	assert_false(p.rs->lines[2].comment);
	assert_true(p.rs->lines[3].comment);
	assert_string_equal(p.rs->lines[3].text, "  # in");
	assert_ptr_equal(p.rs->requests[1].line, &p.rs->lines[4]);
	assert_int_equal(p.rs->requests[1].rule->line->at.line, 5);
	assert_true(p.rs->requests[1].rule->watch);
	done(&p);
}

static void bytes_nul_and_long_lines(void **unused)
{
	(void)unused;
	struct parsed p = parse_n("-w /x\0 junk\n-w /y", 17);
	assert_int_equal(p.ds.errors, 0);
	assert_int_equal(p.rs->nrequests, 2);
	done(&p);

	struct str text = {0};
	str_addc(&text, '#');
	for (int i = 1; i < 6143; i++)
		str_addc(&text, 'x');
	str_add(&text, "-w /tail\n-w /next\n");
	p = parse(text.s);
	assert_int_equal(p.rs->nlines, 3);
	assert_int_equal(p.rs->nrequests, 2);
	assert_int_equal(p.rs->lines[1].at.line, 1);
	assert_int_equal(p.rs->lines[1].at.column, 6144);
	assert_int_equal(p.rs->lines[2].at.line, 2);
	assert_int_equal(p.ds.n, 1);
	assert_int_equal(p.ds.list[0].severity, SEV_WARNING);
	done(&p);
	str_free(&text);
}

static void the_callers_getopt_survives(void **unused)
{
	(void)unused;
	char a0[] = "p", a1[] = "-xy", a2[] = "-z", *argv[] = {a0, a1, a2, NULL};
	optind = 1;
	assert_int_equal(getopt(3, argv, "xyz"), 'x');
	int before = optind;
	struct parsed p = parse("-ic\n-w /x -p r");
	assert_int_equal(optind, before);
	done(&p);
}

static void machines(void **unused)
{
	(void)unused;
	struct lang_env arm = {.machine = MACH_AARCH64, .dirs = dirs};
	struct diags ds = {.arena = arena_new()};
	static const char text[] =
	    "-a always,exit -F arch=b64 -S openat\n-a always,exit -F arch=b32 -S open\n";
	struct ruleset *rs = rules_parse("t", text, sizeof(text) - 1, &arm, &ds);
	assert_int_equal(ds.errors, 0);
	assert_int_equal(rs->requests[0].rule->fields[0].value, 0xC00000B7);
	assert_true(mask_has(rs->requests[0].rule->mask, 56));
	assert_int_equal(rs->requests[1].rule->fields[0].value, 0x40000028);
	assert_true(mask_has(rs->requests[1].rule->mask, 5));
	ruleset_free(rs);
	arena_free(ds.arena);
}

static void account_files(void **unused)
{
	(void)unused;
	char passwd[] = P_tmpdir "/test_lang.XXXXXX", group[] = P_tmpdir "/test_lang.XXXXXX";
	int fd = mkstemp(passwd), gfd = mkstemp(group);
	assert_true(fd >= 0 && gfd >= 0);
	assert_true(
	    dprintf(
		fd,
		"root:x:0:0:::\n# no\nzoe:x:77:7::/:\nzoe:x:78:7::/:\nbroken\nbad:x:no:1:::\nann:x:5:5:::") >
	    0);
	assert_true(dprintf(gfd, "adm:x:44:a,b\n") > 0);
	struct arena *a = arena_new();
	const char *err = NULL;
	struct lang_env with = env;
	with.accounts = accounts_read(a, passwd, group, &err);
	assert_non_null(with.accounts);
	struct diags ds = {.arena = a};
	static const char text[] =
	    "-a always,exit -F uid=zoe -F auid!=ann -F gid=adm\n-a always,exit -F uid=bad\n";
	struct ruleset *rs = rules_parse("t", text, sizeof(text) - 1, &with, &ds);
	assert_int_equal(ds.errors, 1);
	assert_int_equal(rs->nrequests, 1);
	assert_int_equal(rs->requests[0].rule->fields[0].value, 77);
	assert_int_equal(rs->requests[0].rule->fields[1].value, 5);
	assert_int_equal(rs->requests[0].rule->fields[2].value, 44);
	ruleset_free(rs);
	unlink(passwd);
	unlink(group);
	assert_null(accounts_read(a, passwd, NULL, &err));
	assert_non_null(strstr(err, passwd));
	arena_free(a);
	close(fd);
	close(gfd);
}

static void field_table_agrees_with_libaudit(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < field_table_len; i++) {
		const struct field_info *fi = &field_table[i];
		assert_ptr_equal(field_by_id(fi->id), fi);
		if (fi->id != AUDIT_LOGINUID_SET && fi->id != AUDIT_FIELD_COMPARE)
			assert_int_equal(audit_name_to_field(fi->name), (int)fi->id);
	}
	for (int id = 0; id < 256; id++) { /* each field of the library has a row */
		const char *name = audit_field_to_name(id);
		if (name)
			assert_non_null(field_by_id((uint32_t)id));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(canonical_form),
	    cmocka_unit_test(watches_ask_the_list_of_directories),
	    cmocka_unit_test(places),
	    cmocka_unit_test(all_errors_in_one_run),
	    cmocka_unit_test(lines_are_kept),
	    cmocka_unit_test(bytes_nul_and_long_lines),
	    cmocka_unit_test(the_callers_getopt_survives),
	    cmocka_unit_test(machines),
	    cmocka_unit_test(account_files),
	    cmocka_unit_test(field_table_agrees_with_libaudit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
