/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same line under other releases of auditctl, other kernels, other machines: what is sent, or what is said. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lint/lint.h"

/* Findings of a target, as names with their lines; those that any set can have are left out. */
static void findings(const struct lang_env *env, const char *text, struct str *out, struct str *dump)
{
	static const enum diag_code general[] = {AR_NO_DELETE_ALL, AR_NO_BACKLOG, AR_NO_FAILURE, AR_ONE_ABI, AR_FAMILY, AR_EVERY_CALL,
						 AR_EXCLUDE_ACTION, AR_EXCLUDED, AR_LIST_ENDS, AR_NO_ARCH, AR_ALL_CALLS};
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("case", text, strlen(text), env, &ds);
	struct kset *k = kset_load(rs, &ds);
	struct lint l = {.rs = rs, .k = k, .env = env, .ds = &ds, .arena = arena_new()};
	lint_run(&l);
	diags_sort(&ds);
	for (size_t i = 0; i < ds.n; i++) {
		bool skip = false;
		for (size_t j = 0; j < ARRAY_SIZE(general); j++)
			skip = skip || ds.list[i].info->code == general[j];
		if (!skip)
			str_addf(out, "%s%s", out->len ? " " : "", ds.list[i].info->name);
	}
	for (size_t i = 0; i < rs->nloaded; i++)
		request_dump(&rs->requests[i], dump);
	arena_free(l.arena);
	kset_free(k);
	ruleset_free(rs);
	arena_free(ds.arena);
}

/* Of one line: the part of its dump that matters (NULL: not looked at), and its findings. */
static const struct {
	const char *auditctl, *kernel;
	int machine;
	const char *text, *dump, *found;
} cases[] = {
#define X86 MACH_86_64
    /* perm that names calls */
    {"3.0", "6.1", X86, "-a always,exit -F arch=b64 -F perm=x -F uid=0", "syscalls=all", ""},
    {"3.1.2", "6.1", X86, "-a always,exit -F arch=b64 -F perm=x -F uid=0", "syscalls=all", ""},
    {"3.1.3", "6.1", X86, "-a always,exit -F arch=b64 -F perm=x -F uid=0", "syscalls=59 ", "perm-widened"},
    {"3.1", "6.1", X86, "-a always,exit -F arch=b64 -F perm=x -F uid=0", "syscalls=59 ", "perm-widened"},
    {"4.0", "6.1", X86, "-a always,exit -F arch=b64 -F perm=x -F uid=0", "syscalls=59 ", "perm-widened"},
    {"4.2", "6.1", X86, "-a always,exit -F arch=b64 -F perm=x -F uid=0", "syscalls=59,322 ", ""},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b32 -F perm=x -F uid=0", "syscalls=11 ", "perm-widened"},
    {"4.1", "6.1", X86, "-a always,exit -F perm=x -F uid=0", "syscalls=all", ""},
    {"4.1", "6.1", X86, "-a always,exit -F perm=x -F arch=b64", "syscalls=all", ""},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b64 -F perm=a -F arch=b32", "", "arch-late"},
    {"3.0", "6.1", X86, "-a always,exit -F arch=b64 -F perm=a -F arch=b64", "syscalls=all", ""},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b64 -S openat -F path=/f -F perm=x", "syscalls=59,257 ", "perm-widened"},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b64 -S all -F path=/f -F perm=x", "syscalls=all", ""},
    {"4.1", "6.1", X86, "-a always,exit -S 257 -F path=/f -F perm=x", "syscalls=59,257 ", "perm-widened"},
    {"4.1", "6.1", X86, "-w /f -p wa", "syscalls=all", "watch-slow"},
    {"4.1", "6.1", X86, "-b 64 -f 1 -a always,exit -F arch=b64 -F perm=x -F uid=0", "syscalls=59 ", "perm-widened"},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b64 -F path=/f -p x", "syscalls=all", ""},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b32 -F path=/f -F perm=a", NULL, "perm-widened"},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b64 -F path=/f -F perm=a", NULL, ""},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b64 -F path=/f -F perm=r -F uid=0", "syscalls=2,89,179,191,192,193,194,195,196,257,267,437 ", ""},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b64 -F path=/f -F perm=w -F uid=0",
     "syscalls=2,49,76,77,82,83,84,85,86,87,88,133,163,167,179,257,258,259,263,264,265,266,285,316,437 ", ""},
    {"4.2", "6.1", X86, "-a always,exit -F arch=b64 -F path=/f -F perm=x -F perm=a -F uid=0", "syscalls=59,86,90,91,92,93,94,188,189,190,197,198,199,260,265,268,322,452,463,466,469 ", ""},
    {"4.2", "6.1", X86, "-a always,exit -F arch=b64 -F path=/f -F perm=r -F uid=0", ",257,267,437,464,465,468 ", ""},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b64 -S openat -F path=/f -p x", "syscalls=257 ", ""},
    {"4.1", "6.1", X86, "-a always,exit -F path=/f -F perm=x -F arch=b64 -S openat", "syscalls=257 ", ""},

    /* lists */
    {"3.0", "6.1", X86, "-a always,io_uring -S openat", "", "list-unknown"},
    {"3.0", "6.1", X86, "-a io_uring,always -S openat", "", "list-unknown"},
    {"3.1", "6.1", X86, "-a always,io_uring -S openat -F uid=0", "list=io_uring action=always syscalls=18 ", ""},
    {"4.1", "6.1", X86, "-a io_uring,never -S sendmsg,7", "list=io_uring action=never syscalls=7,9 ", ""},
    {"4.1", "6.1", X86, "-a always,io_uring -S all -F uid=0", "syscalls=9,10,13,16,17,18,19,28,", ""},
    {"4.1", "6.1", X86, "-a always,io_uring -S mount", "", "unknown-syscall"},
    {"3.1", "6.1", X86, "-a always,io_uring -S all -F uid=0", ",44,46,48 ", ""},
    {"4.0.3", "6.1", X86, "-a always,io_uring -S all -F uid=0", ",44,46,48,50,51,52,53 ", ""},
    {"4.0.4", "6.1", X86, "-a always,io_uring -S all -F uid=0", ",44,46,48,50,51,52,53,54,55,56,57 ", ""},
    {"3.1", "6.1", X86, "-a always,io_uring -S bind", "", "call-version"},
    {"3.1", "6.1", X86, "-a always,io_uring -S 56 -F uid=0", "syscalls=56 ", ""},
    {"4.1", "6.1", X86, "-a always,io_uring -S BIND -F uid=0", "syscalls=56 ", ""},
    {"4.1", "6.1", X86, "-a always,io_uring -S fchmodat2", "", "unknown-syscall"},
    {"4.1", "6.1", X86, "-a always,io_uring -F arch=b64 -S openat", "", "field-on-list"},
    {"4.1", "6.1", X86, "-a always,io_uring -S openat -F exit=-EPERM", "[exit = 4294967295]", ""},
    {"4.1", "5.15", X86, "-a always,io_uring -S openat", NULL, "kernel-list"},
    {"3.0", "6.1", X86, "-a always,EXIT -S 1", "", "list-action"},
    {"3.1", "6.1", X86, "-a always,EXIT -S 1", "list=exit", ""},
    {"3.1", "6.1", X86, "-a Exit,always -S 1", "list=exit", ""},
    {"3.1", "6.1", X86, "-a exit,ALWAYS -S 1", "", "list-action"},
    {"3.0", "6.1", X86, "-a always,foo -S 1", "", "list-action"},
    {"3.1", "6.1", X86, "-a always,foo -S 1", "flags=4294967295", "refused"},
    {"3.1", "5.15", X86, "-a always,foo -S 1", "flags=4294967295", "refused"},
    {"3.1", "6.1", X86, "-a foo,always -S 1", "", "list-action"},

    /* exclude */
    {"3.0", "6.1", X86, "-a never,exclude -F euid=0", "", "field-on-list"},
    {"3.1", "6.1", X86, "-a never,exclude -F euid=0", "[euid = 0]", ""},
    {"3.1", "6.1", X86, "-a never,exclude -F ppid=1", "", "field-on-list"},
    {"3.1", "6.1", X86, "-a never,exclude -F sessionid=1", "[sessionid = 1]", ""},
    {"4.0", "6.1", X86, "-a never,exclude -F exe=/bin/a -k b", "[key = \"b\"]", ""},
    {"3.0", "6.1", X86, "-a never,exclude -F exe=/bin/a -k b", "", "field-on-list"},
    {"3.0", "4.4", X86, "-a never,exclude -F uid=0", "", "kernel-field"},
    {"3.1", "4.4", X86, "-a never,exclude -F uid=0", "[uid = 0]", "kernel-field"},
    {"3.1", "4.4", X86, "-a never,exclude -F euid=0", "", "field-on-list"},
    {"3.0", "4.8", X86, "-a never,exclude -F uid=0", "[uid = 0]", ""},
    {"3.0", "4.4", X86, "-a never,exclude -F msgtype=CWD", "[msgtype = 1307]", ""},

    /* adding, deleting */
    {"4.0.3", "6.1", X86, "-A always,exit -S 1 -F uid=0", "ADD", ""},
    {"4.0.4", "6.1", X86, "-A always,exit -S 1 -F uid=0", "DEL", "rule-not-there prepend-deletes"},
    {"4.1.0", "6.1", X86, "-A always,exit -S 1 -F uid=0", "DEL", "rule-not-there prepend-deletes"},
    {"4.1.1", "6.1", X86, "-A always,exit -S 1 -F uid=0", "ADD", ""},
    {"4.0.4", "6.1", X86, "-d always,exit -S 1", "", "unknown-option"},
    {"4.1", "6.1", X86, "-d always,exit -S 1", "DEL", "rule-not-there"},

    /* watches, keys, words */
    {"4.1.1", "6.1", X86, "-S 1 -w /f", NULL, "watch-slow"},
    {"3.0", "6.1", X86, "-S open -w /f", "[path = \"/f\"]", ""},
    {"4.1.2", "6.1", X86, "-S open -w /f", "", "watch-fields"},
    {"4.1.2", "6.1", X86, "-w /f -F uid=0", "[uid = 0]", "watch-slow"},
    {"4.1", "6.1", X86, "-w /f -k a\001b", "[key = \"a\\x01b\"]", "watch-slow key-separator"},
    {"4.2", "6.1", X86, "-w /f -k a\001b", "", "watch-slow key-separator"},
    {"4.1", "6.1", X86, "-w /x -k a -k b -k c -k d -k e -k f -k g -k h -k i -k j -k l -k m -p r", "[perm = 15]", "watch-slow words-dropped"},
    {"4.2", "6.1", X86, "-w /x -k a -k b -k c -k d -k e -k f -k g -k h -k i -k j -k l -k m -p r", "[perm = 4]", "watch-slow"},
    {"3.0", "6.1", X86, "-h", "", "not-in-file"},
    {"4.1.4", "6.1", X86, "-h", NULL, ""},
    {"4.1.0", "6.1", X86, "--help", "", "unknown-option"},
    {"4.1.1", "6.1", X86, "--help", "", "not-in-file"},
    {"4.1.4", "6.1", X86, "--help", "OTHER", ""},
    {"4.1", "6.1", X86, "-D -k a\001b", "DELETE_ALL", ""},
    {"4.2", "6.1", X86, "-D -k a\001b", "", "key-separator"},
    {"4.2", "6.1", X86, "-l -k a\001b", "", "key-separator"},
    {"4.2", "6.1", X86, "-l -k ab", "OTHER", ""},
    {"3.0", "6.1", X86, "--signal stop", "", "signal"},
    {"3.1", "6.1", X86, "--signal stop", NULL, ""},
    {"4.1", "6.1", X86, "-a never,filesystem -F fstype=cgroup2", "", "value"},
    {"4.2", "6.1", X86, "-a never,filesystem -F fstype=cgroup2", "[fstype = 1667723888]", ""},

    /* names of calls */
    {"3.0", "6.1", X86, "-a always,exit -F arch=b64 -S fchmodat2", "", "call-version"},
    {"3.0", "6.1", X86, "-a always,exit -F arch=b64 -S 452 -F uid=0", "syscalls=452 ", ""},
    {"4.0", "6.1", X86, "-a always,exit -F arch=b64 -S fchmodat2 -F uid=0", "syscalls=452 ", ""},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b32 -S setxattrat -F uid=0", "syscalls=463 ", ""},
    {"4.0", "6.1", X86, "-a always,exit -F arch=b64 -S setxattrat -F uid=0", NULL, ""},
    {"4.0.0", "6.1", X86, "-a always,exit -F arch=b64 -S setxattrat -F uid=0", "", "call-version"},
    {"4.0.3", "6.1", X86, "-a always,exit -F arch=b64 -S setxattrat -F uid=0", "", "call-version"},
    {"4.0.4", "6.1", X86, "-a always,exit -F arch=b64 -S setxattrat -F uid=0", "syscalls=463 ", ""},
    {"4.1", "6.1", X86, "-a always,exit -F arch=b64 -S no_such_call", "", "unknown-syscall"},

    /* kernels */
    {"3.0", "3.2", X86, "-a always,exit -S 1 -C uid!=euid", NULL, "kernel-field"},
    {"3.0", "3.10", X86, "-a always,exit -S 1 -C uid!=euid", NULL, ""},
    {"3.0", "4.2", X86, "-a always,exit -S 1 -F exe=/bin/a", NULL, "kernel-field"},
    {"3.0", "4.18", X86, "-a always,exit -S 1 -F exe=/bin/a", NULL, ""},
    {"3.0", "4.9", X86, "-a always,exit -S 1 -F sessionid=1", NULL, "kernel-field"},
    {"3.0", "4.18", X86, "-a always,exit -S 1 -F saddr_fam=2", NULL, "kernel-field"},
    {"3.0", "5.15", X86, "-a always,exit -S 1 -F saddr_fam=2", NULL, ""},
    {"3.0", "4.14", X86, "-a never,filesystem -F fstype=tracefs", NULL, "kernel-list"},
    {"3.0", "4.15", X86, "-a never,filesystem -F fstype=tracefs", NULL, ""},
    {"3.0", "4.10", X86, "-a always,exit -S 1 -F sessionid=1", NULL, ""},
    {"3.0", "5.2", X86, "-a always,exit -S 1 -F saddr_fam=2", NULL, "kernel-field"},
    {"3.0", "5.3", X86, "-a always,exit -S 1 -F saddr_fam=2", NULL, ""},
    {"3.0", "4.17", X86, "-a always,exit -S 1 -F exe!=/bin/a", NULL, "kernel-field"},
    {"3.0", "4.18", X86, "-a always,exit -S 1 -F exe!=/bin/a", NULL, ""},
    {"3.0", "4.18", X86, "-a always,user -F exe=/bin/a", NULL, "kernel-field"},
    {"3.0", "4.19", X86, "-a always,user -F exe=/bin/a", NULL, ""},
    {"3.0", "5.2", X86, "-a always,exit -S 1 -F pers&1", NULL, "refused"},
    {"3.0", "5.3", X86, "-a always,exit -S 1 -F pers&1", NULL, ""},
    {"3.0", "5.2", X86, "-a always,exit -S 1 -F subj_type>a", NULL, ""},
    {"3.0", "5.3", X86, "-a always,exit -S 1 -F subj_type>a", NULL, "refused"},
    {"3.0", "5.2", X86, "-a always,exit -S 1 -F path!=/f", NULL, "refused"},
    {"3.0", "5.2", X86, "-a always,exit -S 1 -F filetype!=dir", NULL, "kernel-field"},
    {"3.0", "5.2", X86, "-a always,exit -S 1 -F filetype=dir", NULL, ""},
    {"3.0", "5.3", X86, "-a always,exit -S 1 -F filetype!=dir", NULL, ""},
    {"3.0", "5.2", X86, "-a always,exit -S 1 -F uid&1", NULL, "refused"},
    {"3.0", "4.18.0-80.el8", X86, "-a always,exit -S 1 -F saddr_fam=2", NULL, "kernel-field"},
    {"3.0", "4.18.0-553.el8_10.x86_64", X86, "-a always,exit -S 1 -F saddr_fam=2", NULL, ""},
    {"3.0", "4.18.0-553.el8_10.x86_64", X86, "-a always,user -F exe=/bin/a", NULL, ""},

    /* machines */
    {"3.0", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -S open -F uid=0", "", "machine"},
    {"3.0", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -S openat -F uid=0", "syscalls=56 ", ""},
    {"3.0", "6.1", MACH_AARCH64, "-a always,exit -F arch=b32 -S open -F uid=0", "syscalls=5 ", ""},
    {"3.0", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -S no_such_call", "", "unknown-syscall"},
    {"4.1", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -F path=/f -F perm=x -F uid=0", "syscalls=221 ", ""},
    {"4.0.2", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -F path=/f -F perm=x -F uid=0", "syscalls=221 ", ""},
    {"4.0.2", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -F path=/f -F perm=wa", "", "machine"},
    {"4.0.2", "6.1", MACH_AARCH64, "-a always,exit -F arch=b32 -F path=/f -F perm=wa -F uid=0", "syscalls=5,8,9,10,14,15,16,38,39,40,51,", ""},
    {"4.0.2", "6.1", MACH_AARCH64, "-a always,exit -F path=/f -F perm=wa -F arch=b64", "syscalls=all", ""},
    {"4.0.2", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -F path=/f -p wa", "syscalls=all", ""},
    {"4.0.2", "6.1", MACH_S390X, "-a always,exit -F arch=b64 -F path=/f -F perm=wa -F uid=0", NULL, ""},
    {"4.0.4", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -F path=/f -F perm=a -F uid=0", "syscalls=5,6,7,14,15,16,37,52,53,54,55 ", ""},
    {"3.0", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -F path=/f -F perm=wa", "syscalls=all", ""},
    {"3.0", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -S openat -F path!=/f", NULL, "refused"},
    {"3.0", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -S 56 -F uid=0 -F uid&1", NULL, "refused"},
    {"4.1", "5.15", MACH_AARCH64, "-a always,io_uring -S openat", NULL, "kernel-list"},
    {"4.1", "6.1", MACH_AARCH64, "-a always,exit -F arch=b64 -S fchmodat2 -F uid=0", "syscalls=452 ", ""},
    {"3.0", "6.1", MACH_PPC64LE, "-a always,exit -F arch=b32 -S open", "", "unknown-arch"},
    {"3.0", "6.1", MACH_PPC64LE, "-a always,exit -F arch=b64 -S open -F uid=0", "syscalls=5 ", ""},
    {"3.0", "6.1", MACH_S390X, "-a always,exit -F arch=b64 -S open -F uid=0", "syscalls=5 ", ""},
    {"3.0", "6.1", MACH_S390X, "-a always,exit -F arch=b32 -S chown32 -F uid=0", "syscalls=212 ", ""},
    {"3.0", "6.1", MACH_S390X, "-a always,exit -F arch=b64 -S arch_prctl", "", "machine"},
};

static void each_case(void **state)
{
	(void)state;
	unsigned wrong = 0;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct lang_env env = {.machine = cases[i].machine,
					     .dirs = (const char *const[]){"/d"},
					     .ndirs = 1,
					     .auditctl = release_by_name(cases[i].auditctl),
					     .kernel = kernel_by_name(cases[i].kernel),
					     .kernel_audit = kernel_audit_by_name(cases[i].kernel)};
		struct str found = {0}, dump = {0};
		assert_true(env.auditctl > 0 && env.kernel > 0);
		findings(&env, cases[i].text, &found, &dump);
		bool sent = !cases[i].dump || (*cases[i].dump ? strstr(str_get(&dump), cases[i].dump) != NULL : dump.len == 0);
		if (!sent || strcmp(str_get(&found), cases[i].found) != 0) {
			print_message("auditctl %s, kernel %s, %s:\n  %s\n  found:  %s\n  wanted: %s\n  sent:   %s", cases[i].auditctl,
				      cases[i].kernel, audit_machine_to_name(cases[i].machine), cases[i].text, str_get(&found),
				      cases[i].found, str_get(&dump));
			print_message("  wanted: %s\n", cases[i].dump ? cases[i].dump : "anything");
			wrong++;
		}
		str_free(&found);
		str_free(&dump);
	}
	assert_int_equal(wrong, 0);
}

/* What a release reads it also finds words for: the text reads back to the same payload under that release. */
static void written(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct lang_env env = {.machine = cases[i].machine, .auditctl = release_by_name(cases[i].auditctl)};
		struct diags ds = {.arena = arena_new()};
		struct ruleset *rs = rules_parse("case", cases[i].text, strlen(cases[i].text), &env, &ds);
		for (size_t j = 0; j < rs->nrequests; j++) {
			struct str text = {0};
			bool add = rs->requests[j].kind == REQ_ADD && rs->requests[j].rule->flags != UINT32_MAX;
			if (add && !rule_write(rs->requests[j].rule, &env, &text))
				fail_msg("auditctl %s has no words for %s", cases[i].auditctl, cases[i].text);
			str_free(&text);
		}
		ruleset_free(rs);
		arena_free(ds.arena);
	}
}

static void versions(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int release, kernel;
	} texts[] = {
	    {"3.0", 30009, KERNEL(3, 0)},      {"3.1", 30105, KERNEL(3, 1)}, {"3.0.9", 30009, KERNEL(3, 0)}, {"4.0.5", 40005, KERNEL(4, 0)},
	    {"4.0.6", -1, KERNEL(4, 0)},       {"4", -1, -1},                {"", -1, -1},                   {"5.0", -1, KERNEL(5, 0)},
	    {"6.1.141", -1, KERNEL(6, 1)},     {"4.18.0-553.el8", -1, KERNEL(4, 18)}, {"2.6.32", -1, KERNEL(2, 6)}, {"2.4", -1, -1},
	    {"6.1x", -1, -1},                  {"x6.1", -1, -1},             {"6.12+", -1, -1},
	    {"2.6", -1, -1},                   {"2.6.31", -1, -1},           {"7.1.2-3.fc50", -1, KERNEL(7, 1)}, {"8.0", -1, -1},
	};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(release_by_name(texts[i].text), texts[i].release);
		assert_int_equal(kernel_by_name(texts[i].text), texts[i].kernel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_case),
	    cmocka_unit_test(written),
	    cmocka_unit_test(versions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
