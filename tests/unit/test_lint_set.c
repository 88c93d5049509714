/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks of a set as a whole. Every row of the table of diagnostics that such a check emits is tried on its
 * own examples; then rules and how often they have a diagnostic. Where a diagnostic comes with edits, they
 * are carried out and have to take it away.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/event.h"
#include "lint/families.h"
#include "lint/lint.h"

static const char *const dirs[] = {"/etc", "/var/log", "/usr/bin"};
static const struct lang_env x86_64 = {.machine = MACH_86_64, .dirs = dirs, .ndirs = ARRAY_SIZE(dirs)};

/* ---- one set ----------------------------------------------------------------------------------- */

struct linted {
	struct ruleset *rs;
	struct kset *k;
	struct arena *arena;
	struct diags ds;
	const struct host *host;
};

static struct linted lint_of(const char *text, const struct lang_env *env, const struct host *host)
{
	struct linted t = {.arena = arena_new(), .ds = {.arena = arena_new()}, .host = host};
	t.rs = rules_parse("t.rules", text, strlen(text), env, &t.ds);
	t.k = kset_load(t.rs, &t.ds);
	struct lint l = {.rs = t.rs, .k = t.k, .env = env, .host = host, .ds = &t.ds, .arena = t.arena};
	lint_run(&l);
	return t;
}

static void done(struct linted *t)
{
	kset_free(t->k);
	ruleset_free(t->rs);
	arena_free(t->ds.arena);
	arena_free(t->arena);
}

static const struct diag *find(const struct linted *t, enum diag_code code, size_t *count)
{
	const struct diag *first = NULL;
	*count = 0;
	for (size_t i = 0; i < t->ds.n; i++) {
		if (t->ds.list[i].info->code != code)
			continue;
		first = first ? first : &t->ds.list[i];
		(*count)++;
	}
	return first;
}

static void show(const char *text, const struct linted *t)
{
	struct str out = {0};
	for (size_t i = 0; i < t->ds.n; i++)
		diag_print(&t->ds.list[i], false, &out);
	print_message("%s--\n%s", text, str_get(&out));
	str_free(&out);
}

/* ---- carrying edits out ------------------------------------------------------------------------ */

static const struct edit *edit_of(const struct diag *d, enum edit_kind kind, unsigned line)
{
	for (size_t i = 0; i < d->nedits; i++) {
		if (d->edits[i].kind == kind && (kind == EDIT_AT_END || d->edits[i].at.line == line))
			return &d->edits[i];
	}
	return NULL;
}

static void add_edit(struct str *out, const struct edit *e)
{
	if (e)
		str_add(out, e->text);
}

static void carry_out(const char *text, const struct diag *d, struct str *out)
{
	for (unsigned line = 1; *text; line++) {
		size_t n = strcspn(text, "\n");
		n += text[n] == '\n';
		add_edit(out, edit_of(d, EDIT_BEFORE, line));
		const struct edit *replaced = edit_of(d, EDIT_REPLACE, line);
		add_edit(out, replaced);
		if (!replaced && !edit_of(d, EDIT_DELETE, line))
			str_addn(out, text, n);
		text += n;
	}
	add_edit(out, edit_of(d, EDIT_AT_END, 0));
}

/* The text with the edits is read without an error and has the diagnostic less often. */
static void expect_mended(const char *text, const struct diag *d, size_t before, const struct lang_env *env,
			  const struct host *host)
{
	size_t after;
	struct str mended = {0};
	carry_out(text, d, &mended);
	struct linted t = lint_of(str_get(&mended), env, host);
	find(&t, d->info->code, &after);
	if (after >= before || t.ds.errors)
		show(str_get(&mended), &t);
	assert_true(after < before);
	assert_int_equal(t.ds.errors, 0);
	done(&t);
	str_free(&mended);
}

/* ---- the table's own examples ------------------------------------------------------------------ */

static const enum diag_code covered[] = {
    AR_NO_ARCH,       AR_ARCH_MISMATCH,  AR_ONE_ABI,     AR_FAMILY,       AR_NEVER_TASK,
    AR_AT_FORK,       AR_EXCLUDE_ACTION, AR_EXCLUDED,    AR_LIST_ENDS,    AR_AFTER_LOCK,
    AR_NO_DELETE_ALL, AR_NO_BACKLOG,     AR_NO_FAILURE,  AR_PANIC,        AR_PERM_CLASS,
    AR_DISABLED,      AR_DELETES_LOADED, AR_SET_TWICE,   AR_LIST_EMPTY,   AR_FS_ALWAYS,
    AR_X32,           AR_IO_URING,       AR_DIR_PATH,    AR_PATH_MISSING, AR_PARENT_MISSING,
    AR_SYMLINK,       AR_REPLACED,       AR_OTHER_MOUNT, AR_EXE,          AR_LABEL,
    AR_NO_32BIT,      AR_KIND_CHANGES,
};

static void table_examples(void **unused)
{
	(void)unused;
	unsigned tried = 0;
	for (size_t i = 0; i < ARRAY_SIZE(covered); i++) {
		const struct diag_info *info = diag_info(covered[i]);
		assert_non_null(info);
		if (!info->bad)
			continue;
		size_t bad, good;
		struct linted t = lint_of(info->bad, &x86_64, NULL), u = lint_of(info->good, &x86_64, NULL);
		const struct diag *d = find(&t, info->code, &bad);
		find(&u, info->code, &good);
		if (!bad)
			show(info->bad, &t);
		if (good)
			show(info->good, &u);
		assert_true(bad > 0);
		assert_int_equal(good, 0);
		if (d->nedits)
			expect_mended(info->bad, d, bad, &x86_64, NULL);
		done(&t);
		done(&u);
		tried++;
	}
	assert_true(tried >= 20);
}

/* ---- cases ------------------------------------------------------------------------------------- */

struct set_case {
	enum diag_code code;
	unsigned count; /* how often the set has it */
	const char *rules;
	unsigned line;        /* of the first, 0: of the set or not looked at */
	const char *part;     /* of its message, may be NULL */
	int kernel, auditctl; /* of lang_env */
};

#define B64 "-a always,exit -F arch=b64 "
#define B32 "-a always,exit -F arch=b32 "

static const struct set_case settings_cases[] = {
    {AR_NO_DELETE_ALL, 0, "# nothing\n", 0, NULL, 0, 0},
    {AR_NO_DELETE_ALL, 0, "-b 8192\n-f 1\n", 0, NULL, 0, 0},
    {AR_NO_DELETE_ALL, 1, "# a\n-w /etc/a -p wa\n-w /etc/b -p wa\n", 0, "-D", 0, 0},
    {AR_NO_DELETE_ALL, 1, "-D -k a\n-w /etc/a -p wa\n", 0, NULL, 0, 0},
    {AR_NO_BACKLOG, 0, "-D\n-b 64\n-w /etc/a -p wa\n", 0, NULL, 0, 0},
    {AR_NO_BACKLOG, 0, "-D\n-a never,task\n", 0, NULL, 0, 0},
    {AR_NO_BACKLOG, 0, "-a never,filesystem -F fstype=debugfs\n", 0, NULL, 0, 0},
    {AR_NO_FAILURE, 1, "-D\n-b 64\n" B64 "-S kill\n", 0, NULL, 0, 0},
    {AR_NO_FAILURE, 0, "-D\n-b 64 -f 0\n" B64 "-S kill\n", 0, NULL, 0, 0},
    {AR_PANIC, 0, "-f 2\n-f 1\n", 0, NULL, 0, 0},
    {AR_PANIC, 1, "-f 1\n-b 64 -f2\n", 2, "halts", 0, 0},
    {AR_AFTER_LOCK, 0, "-w /etc/a -p wa\n-e 2\n", 0, NULL, 0, 0},
    {AR_AFTER_LOCK, 0, "-e 1\n-b 64\n", 0, NULL, 0, 0},
    {AR_AFTER_LOCK, 0, "-e 2\n-w /etc/a -p wa\n", 0, NULL, 0, 0},
    {AR_LOCKED, 1, "-e 2\n-w /etc/a -p wa\n", 2, NULL, 0, 0},
    {AR_AFTER_LOCK, 2, "-e 2\n-b 64\n-f 1\n", 2, "line 1", 0, 0},
    {AR_AFTER_LOCK, 1, "-e 2\n-e 2\n", 2, NULL, 0, 0},
    {AR_AFTER_LOCK, 0, "-e 2\n-D\n", 0, NULL, 0, 0},
    {AR_AFTER_LOCK, 1, "-w /etc/a -p wa\n-e 2\n-D\n", 3, "-D", 0, 0},
    {AR_AFTER_LOCK, 0, "-e 2\n-t\n-q /a,/b\n", 0, NULL, 0, 0},
    {AR_AFTER_LOCK, 1, "-e 2 -b 64\n", 1, NULL, 0, 0},
    {AR_DISABLED, 0, "-e 0\n-w /etc/a -p wa\n-e 1\n", 0, NULL, 0, 0},
    {AR_DISABLED, 0, "-e 0\n", 0, NULL, 0, 0},
    {AR_DISABLED, 0, "-a always,exclude -F msgtype=CWD\n-e 0\n", 0, NULL, 0, 0},
    {AR_DISABLED, 1, "-e 1\n-w /etc/a -p wa\n-e 0\n", 3, NULL, 0, 0},
    {AR_DISABLED, 0, "-w /etc/a -p wa\n-e 2\n-e 0\n", 0, NULL, 0, 0},
    {AR_DELETES_LOADED, 0, "-D\n-D\n-w /etc/a -p wa\n", 0, NULL, 0, 0},
    {AR_DELETES_LOADED, 1, "-w /etc/a -p wa\n-w /etc/b -p wa\n-D\n", 3, "2 rules", 0, 0},
    {AR_DELETES_LOADED, 1, "-w /etc/a -p wa -k foobar\n-w /etc/b -p wa -k b\n-D -k foo\n", 3,
     "`foobar' contains `foo'", 0, 0},
    {AR_DELETES_LOADED, 0, "-w /etc/a -p wa -k foobar\n-D -k fox\n", 0, NULL, 0, 0},
    {AR_DELETES_LOADED, 1, "-w /etc/a -p wa -k a -k foo\n-D -k foo\n", 2, "the rule of line 1", 0, 0},
    {AR_DELETES_LOADED, 0, "-w /etc/a -p wa\n-W /etc/a -p wa\n-D\n", 0, NULL, 0, 0},
    {AR_DELETES_LOADED, 1,
     "-A always,exit -S all -F uid=0\n-w /etc/a -p wa\n-d always,exit -S all -F uid=0\n-D\n", 4,
     "the rule of line 2", 0, 0},
    {AR_SET_TWICE, 0, "-e 0\n-e 1\n", 0, NULL, 0, 0},
    {AR_SET_TWICE, 0, "-b 64\n-r 64\n-f 1\n", 0, NULL, 0, 0},
    {AR_SET_TWICE, 1, "-r 10\n-b 64\n-r 20\n", 1, "line 3 sets 20", 0, 0},
    {AR_SET_TWICE, 1, "--backlog_wait_time 1\n--backlog_wait_time 2\n", 1, NULL, 0, 0},
};

static const struct set_case lists_cases[] = {
    {AR_NEVER_TASK, 0, "-D\n-a task,never\n", 0, NULL, 0, 0},
    {AR_NEVER_TASK, 1, "-w /etc/a -p wa\n" B64 "-S kill\n-a never,task\n", 3, "2 rules", 0, 0},
    {AR_NEVER_TASK, 0, "-a never,task\n-a never,exit -S all\n", 0, NULL, 0, 0},
    {AR_NEVER_TASK, 0, "-a never,task\n-a never,exclude -F msgtype=CWD\n", 0, NULL, 0, 0},
    {AR_NEVER_TASK, 0, "-a always,task -F uid=0\n-a never,task\n-w /etc/a -p wa\n", 0, NULL, 0, 0},
    {AR_NEVER_TASK, 0, "-a never,task -F uid=1000\n-w /etc/a -p wa\n", 0, NULL, 0, 0},
    {AR_NEVER_TASK, 1, "-a never,task -F auid=unset\n-w /etc/a -p wa\n" B64 "-S kill -F auid=0\n", 1,
     "1 of 2 rules", 0, 0},
    {AR_NEVER_TASK, 0, "-a never,task -F auid=unset\n" B64 "-S kill -F auid>=1000 -F auid!=unset\n", 0, NULL,
     0, 0},
    {AR_NEVER_TASK, 1, "-a never,task -F auid=-1\n" B64 "-S kill -F auid>=1000\n", 1, NULL, 0, 0},
    {AR_NEVER_TASK, 1, "-a never,task -F exe!=/usr/bin/make\n-w /etc/a -p wa\n", 1, NULL, 0, 0},
    {AR_AT_FORK, 1, "-a never,task -F arch=b64\n", 1, "meets no task", 0, 0},
    {AR_AT_FORK, 1, "-a never,task -F exe!=/usr/bin/make\n", 1, "selects nothing", 0, 0},
    {AR_AT_FORK, 0, "-a never,task -F exe=/usr/bin/make\n", 0, NULL, KERNEL(5, 15), 0},
    {AR_AT_FORK, 1, "-a never,task -F a0=1 -F uid=0\n", 1, NULL, 0, 0},
    {AR_AT_FORK, 0, "-a never,task -F uid=0 -F gid=0 -F auid=1 -F pid=4 -F subj_type=x_t -F pers=0\n", 0,
     NULL, 0, 0},
    {AR_EXCLUDE_ACTION, 1, "-a exclude,always -F msgtype=CWD\n", 1, NULL, 0, 0},
    {AR_EXCLUDE_ACTION, 0, "-a exclude,never -F msgtype=CWD\n", 0, NULL, 0, 0},
    {AR_EXCLUDED, 1, "-a never,exclude -F msgtype=CWD\n", 1, "every CWD record is dropped", 0, 0},
    {AR_EXCLUDED, 1, "-a never,exclude -F msgtype>=USER_AUTH -F msgtype<=USER_MGMT\n", 1,
     "USER_AUTH, USER_ACCT, USER_MGMT", 0, 0},
    {AR_EXCLUDED, 1, "-a never,exclude -F msgtype=SYSCALL\n", 1, "no other records", 0, 0},
    {AR_EXCLUDED, 1, "-a never,exclude -F uid=0\n", 1, "whatever its type", 0, 0},
    {AR_EXCLUDED, 1, "-a never,user -F subj_type=crond_t\n", 1, "message of user space", 0, 0},
    {AR_EXCLUDED, 0, "-a always,user -F uid=0\n", 0, NULL, 0, 0},
    {AR_EXCLUDED, 0, "-a never,exclude -F msgtype=DAEMON_START\n", 0, NULL, 0, 0},
    {AR_EXCLUDED, 0, "-a never,user -F msgtype=SYSCALL\n", 0, NULL, 0, 0},
    {AR_EXCLUDED, 0, "-a never,exclude\n", 0, NULL, 0, 0},
    {AR_LIST_ENDS, 1, "-a never,user -F euid=0\n-a never,user -F uid=1\n", 1, "the 1 rule behind it", 0, 0},
    {AR_LIST_ENDS, 1, "-a never,user -F uid=0 -F sessionid=1\n", 1, "sessionid", 0, 0},
    {AR_LIST_ENDS, 1, "-a never,user -F exe=/usr/bin/x -k a\n", 1, "key", 0, 0},
    {AR_LIST_ENDS, 0,
     "-a never,exclude -F uid=0 -F gid=0 -F auid=1 -F pid=1 -F exe=/usr/bin/x -F subj_role=r -F "
     "msgtype=AVC\n",
     0, NULL, 0, 0},
    {AR_LIST_EMPTY, 1, "-a always,exclude\n", 1, "exclude", 0, 0},
    {AR_LIST_EMPTY, 0, "-a never,task\n" B64 "-S all\n", 0, NULL, 0, 0},
    {AR_FS_ALWAYS, 1, "-a filesystem,always -F fstype=tracefs\n", 1, NULL, 0, 0},
    {AR_FS_ALWAYS, 0, "-a filesystem,never -F fstype=tracefs\n", 0, NULL, 0, 0},
};

static const struct set_case calls_cases[] = {
    {AR_NO_ARCH, 1, "-a always,exit -S 62 -F uid=0\n", 1, "62 is kill for 64 bit programs and ustat", 0, 0},
    {AR_NO_ARCH, 0, "-a always,exit -S kill -F uid=0\n", 0, NULL, 0, 0},
    {AR_NUMBER_DIFFERS, 1, "-a always,exit -S kill -F uid=0\n", 1, NULL, 0, 0},
    {AR_NO_ARCH, 1, "-S kill -a always,exit -F uid=0\n", 1, NULL, 0, 0},
    {AR_NO_ARCH, 0, "-a always,exit -S 437\n", 0, NULL, 0, 0},
    {AR_NO_ARCH, 0, "-a always,exit -S openat2\n", 0, NULL, 0, 0},
    {AR_NO_ARCH, 0, "-a always,exit -S all -F uid=0\n", 0, NULL, 0, 0},
    {AR_NO_ARCH, 0, "-w /etc/a -p wa\n-a always,exit -F path=/etc/b -F perm=wa\n", 0, NULL, 0, 0},
    {AR_ARCH_MISMATCH, 1, "-a always,exit -F arch=aarch64 -S kill\n", 1, "aarch64", 0, 0},
    {AR_ARCH_MISMATCH, 0,
     B64 "-S kill\n-a always,exit -F arch=i686 -S kill\n-a always,exit -F arch=x86_64 -S tkill\n", 0, NULL, 0,
     0},
    {AR_ARCH_MISMATCH, 0, "-a always,exit -F arch!=aarch64 -S all -F uid=0\n", 0, NULL, 0, 0},

    {AR_ONE_ABI, 1, B64 "-S mount -F auid>=1000\n", 1, "mount of 32 bit", 0, 0},
    {AR_ONE_ABI, 1, B64 "-S mount,umount2\n" B32 "-S mount\n", 1, "sees umount2", 0, 0},
    {AR_ONE_ABI, 0, B64 "-S mount -k a\n" B32 "-S mount -k b\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 0,
     B32 "-S mount -F auid>=1000 -F auid!=unset\n" B64 "-S mount -F auid!=unset -F auid>=1000\n", 0, NULL, 0,
     0},
    {AR_ONE_ABI, 1, B64 "-S mount -F auid>=1000\n" B32 "-S mount\n", 2, "64 bit programs", 0, 0},
    {AR_ONE_ABI, 1, B64 "-S mount\n" B32 "-S mount -F auid>=1000\n", 1, "32 bit programs", 0, 0},
    {AR_ONE_ABI, 1, B64 "-S mount -F auid>=1000\n" B32 "-S mount -F auid>=500\n", 2, NULL, 0, 0},
    {AR_ONE_ABI, 0, B64 "-S mount -F auid>=500\n" B32 "-S mount -F auid>499\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-S mount -F auid=500\n" B32 "-S mount -F auid!=unset\n", 2, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-S mount -F exit=-EPERM\n" B32 "-S mount -F success=0\n", 2, NULL, 0, 0},
    {AR_ONE_ABI, 0, B64 "-S mount -F uid=5\n" B64 "-S kill\n" B32 "-S all -k 32bit\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 0, B32 "-S all -F auid>=1000\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 1, B32 "-S kill\n", 1, "kill of 64 bit", 0, 0},
    {AR_ONE_ABI, 0, B32 "-S chown32,socketcall,stime\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 0, B64 "-S accept,newfstatat\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 0, "-a never,exit -F arch=b64 -S mount\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 0, B64 "-S mount\n-a never,exit -F arch=b32 -S mount\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-F path=/etc/a -F perm=wa\n", 1, "arch=b32", 0, 0},
    {AR_ONE_ABI, 1, B32 "-F path=/etc/a -F perm=wa\n", 1, "arch=b64", 0, 0},
    {AR_ONE_ABI, 0, B64 "-F path=/etc/a -F perm=wa\n" B32 "-F path=/etc/a -F perm=wa\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-F path=/etc/a -F perm=wa\n" B32 "-F path=/etc/a -F perm=rwa\n", 2, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-F path=/etc/a -F perm=wa\n" B32 "-F path=/etc/a -F perm=w\n", 1, NULL, 0, 0},
    {AR_ONE_ABI, 0, B64 "-S chmod -F path=/etc/a\n-w /etc/a -p a\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-S chmod -F path=/etc/a/b -F uid=0\n" B32 "-S chmod -F dir=/etc/a/\n", 2, NULL, 0,
     0},
    {AR_ONE_ABI, 0, B64 "-S chmod -F path=/etc/a/b -F uid=0\n-a always,exit -F dir=/ -F perm=a\n", 0, NULL, 0,
     0},
    {AR_ONE_ABI, 0, B64 "-F dir=/opt/a/ -F perm=wa\n-w /opt/a -p wa\n", 0, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-S chmod -F path=/etc/ab\n-w /etc/a -p a\n", 1, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-S chmod -F dir=/etc\n-w /etc/a -p a\n", 1, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-F path=/etc/a -F uid=7 -F perm=a\n" B32 "-F path=/etc/a -F uid<9 -F perm=a\n", 2,
     "arch=b64", 0, 0},
    {AR_ONE_ABI, 1,
     B64 "-F path=/etc/a -F gid=7 -F perm=a\n" B32 "-F path=/etc/a -F gid<9 -F perm=a\n" B64
	 "-F path=/etc/a -F gid<9 -F perm=a\n",
     1, "arch=b32", 0, 0},
    {AR_ONE_ABI, 1, B64 "-S chmod -F path=/etc/a\n-w /etc/a -p r\n", 1, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-S chmod -F path=/etc/a\n-w /etc/b -p a\n", 1, NULL, 0, 0},
    {AR_ONE_ABI, 1, B64 "-S kill -F a1=9 -k a\n" B64 "-S kill -F a1=9 -k b\n", 1, NULL, 0, 0},

    {AR_FAMILY, 1, B64 "-S rename,renameat\n", 1, "renameat2 beside rename, renameat", 0, 0},
    {AR_FAMILY, 0, B64 "-S rename,renameat,renameat2\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0, B64 "-S rename,renameat\n" B64 "-S renameat2 -k other\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0, B64 "-S rename,renameat -F auid=1\n" B64 "-S rename,renameat,renameat2\n", 0, NULL, 0, 0},
    {AR_FAMILY, 1, B64 "-S rename,renameat\n" B64 "-S renameat2 -F auid=1\n", 1, NULL, 0, 0},
    {AR_FAMILY, 1, B64 "-S rename,renameat\n" B32 "-S renameat2,rename,renameat\n", 1, NULL, 0, 0},
    {AR_FAMILY, 0, B64 "-S rename,renameat\n-a never,exit -S 316\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0, "-a never,exit -F arch=b64 -S rename\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0, B64 "-S chmod,fchmod,fchmodat\n", 0, NULL, 0, 0},
    {AR_FAMILY, 1, B64 "-S chmod,fchmod,fchmodat\n", 1, "fchmodat2 (452)", KERNEL(6, 6), 0},
    {AR_FAMILY, 0, B64 "-S open,creat,openat,open_by_handle_at\n", 0, NULL, KERNEL(5, 4), 0},
    {AR_FAMILY, 1, B64 "-S open,creat,openat,open_by_handle_at\n", 1, "openat2", 0, 0},
    {AR_FAMILY, 1, B64 "-S setxattr,lsetxattr,fsetxattr\n", 1, "setxattrat (463)", KERNEL(6, 13), 0},
    {AR_FAMILY, 1, B32 "-S chown,fchown,lchown,fchownat\n", 1, "chown32, fchown32, lchown32", 0, 0},
    {AR_FAMILY, 0, B64 "-S chown,fchown,lchown,fchownat\n", 0, NULL, 0, 0},
    {AR_FAMILY, 1, B64 "-S unlink\n", 1, "sees unlinkat beside unlink; rmdir beside unlinkat:", 0, 0},
    {AR_FAMILY, 1, B64 "-S unlink,unlinkat\n", 1, "rmdir beside unlinkat", 0, 0},
    {AR_FAMILY, 1, B64 "-S truncate\n", 1, "ftruncate", 0, 0},
    {AR_FAMILY, 0, B64 "-S truncate -F path=/etc/a\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0, B64 "-S truncate -F dir=/etc\n", 0, NULL, 0, 0},
    {AR_FAMILY, 1, B64 "-S execve -F euid=0\n", 1, "execveat", 0, 0},
    {AR_FAMILY, 0, B64 "-S execveat\n" B64 "-S creat,open_by_handle_at -F uid=0\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0, "-a always,exit -F arch!=b32 -S rename\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0, B64 "-S ptrace -F a0=4\n", 0, NULL, 0, 0},
    {AR_FAMILY, 1, B64 "-S ptrace\n", 1, "process_vm_readv, process_vm_writev", 0, 0},
    {AR_FAMILY, 0, B64 "-S process_vm_writev\n", 0, NULL, 0, 0},
    {AR_FAMILY, 1, B64 "-S settimeofday,adjtimex -k t\n" B64 "-S clock_settime -F a0=0 -k t\n", 1,
     "sees clock_adjtime beside", 0, 0},
    {AR_FAMILY, 1, B32 "-S connect\n", 1, "socketcall", 0, 0},
    {AR_FAMILY, 0, B64 "-S connect\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0, B32 "-S socketcall\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0, B64 "-S sethostname\n" B64 "-S delete_module\n", 0, NULL, 0, 0},
    {AR_FAMILY, 1, B64 "-S init_module,delete_module\n", 1, "finit_module", 0, 0},
    {AR_FAMILY, 0, B64 "-F path=/etc/a -F perm=wa\n-w /etc/b -p x\n" B64 "-S all -F uid=0\n", 0, NULL, 0, 0},
    {AR_FAMILY, 0,
     B64 "-S open -F path=/etc/a\n" B32 "-S open -F path=/etc/a\n-w /etc/a -p rwxa\n" B64
	 "-S open_by_handle_at -F path=/etc/a\n" B32 "-S open_by_handle_at -F path=/etc/a\n",
     0, NULL, 0, 0},
    {AR_FAMILY, 1, B64 "-S openat,open_by_handle_at -F dir=/etc -F perm=r\n", 1,
     "sees open, openat2 beside openat:", 0, 0},
    {AR_FAMILY, 1,
     B64 "-S chmod,fchmod -k a\n" B64 "-S chmod,fchmod -F auid!=5 -k b\n" B64 "-S fchmod -k c\n", 1, NULL, 0,
     0},
    {AR_FAMILY, 1, "-a always,exit -F arch=i386 -S clock_settime,clock_adjtime,settimeofday,adjtimex,stime\n",
     1, "clock_settime64, clock_adjtime64", 0, 0},

    {AR_PERM_CLASS, 1, B64 "-S read,openat -F path=/etc/a -F perm=r\n", 1, "perm=r never matches read", 0, 0},
    {AR_PERM_CLASS, 1, B64 "-S read -F path=/etc/a -F perm=r\n", 1, "records nothing", 0, 0},
    {AR_PERM_CLASS, 1, B64 "-S chmod -F path=/etc/a -F perm=w\n", 1, NULL, 0, 0},
    {AR_PERM_CLASS, 0, B64 "-S chmod,open,openat2,truncate -F path=/etc/a -F perm=wa\n", 0, NULL, 0, 0},
    {AR_PERM_CLASS, 0, B64 "-S all -F path=/etc/a -F perm=x\n" B64 "-F path=/etc/b -F perm=x\n", 0, NULL, 0,
     0},
    {AR_PERM_CLASS, 0, B64 "-S execve -F path=/etc/a -F perm=x\n", 0, NULL, 0, 0},
    {AR_PERM_CLASS, 0, B64 "-F path=/etc/a -F perm=r\n", 0, NULL, 0, RELEASE(4, 0, 0)},

    {AR_REPLACED, 1, "-w /etc/passwd -p a\n-w /etc/shadow -p wa\n-w /etc/group -p r\n-w /etc/issue -p a\n", 1,
     "perm=a", 0, 0},
    {AR_REPLACED, 1, B64 "-S openat -F inode=7 -F devmajor=8\n", 1, "inode 7", 0, 0},
    {AR_REPLACED, 0, B64 "-S openat -F inode!=7\n-a never,exit -F arch=b64 -S openat -F inode=7\n", 0, NULL,
     0, 0},
};

static void try_case(const struct set_case *c)
{
	struct lang_env env = x86_64;
	env.kernel = c->kernel;
	env.auditctl = c->auditctl;
	struct linted t = lint_of(c->rules, &env, NULL);
	size_t n;
	const struct diag *d = find(&t, c->code, &n);
	if (n != c->count || (d && c->part && !strstr(d->message, c->part)))
		show(c->rules, &t);
	assert_int_equal(n, c->count);
	if (d && c->line)
		assert_int_equal(d->at.line, c->line);
	if (d && c->part)
		assert_non_null(strstr(d->message, c->part));
	if (d && d->nedits)
		expect_mended(c->rules, d, n, &env, NULL);
	done(&t);
}

static void settings(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(settings_cases); i++)
		try_case(&settings_cases[i]);
}

static void lists(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(lists_cases); i++)
		try_case(&lists_cases[i]);
}

static void calls(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(calls_cases); i++)
		try_case(&calls_cases[i]);
}

/* More selections than are compared one by one: those of the very same fields are found all the same. */
static void many_selections(void **unused)
{
	(void)unused;
	enum { MANY = 3 * 64 };
	struct str text = {0};
	for (unsigned i = 0; i < MANY; i++)
		str_addf(&text, B64 "-S swapon -F uid=%u -F auid>=%u\n", i, i);
	for (unsigned i = 0; i < MANY; i++)
		str_addf(&text, B32 "-S swapon -F auid>=%u -F uid=%u\n", i, i);
	size_t n;
	struct linted t = lint_of(str_get(&text), &x86_64, NULL);
	find(&t, AR_ONE_ABI, &n);
	assert_int_equal(n, 0);
	done(&t);
	str_add(&text, B64 "-S swapon -F uid=77777\n");
	t = lint_of(str_get(&text), &x86_64, NULL);
	const struct diag *d = find(&t, AR_ONE_ABI, &n);
	assert_int_equal(n, 1);
	assert_int_equal(d->at.line, 2 * MANY + 1);
	done(&t);
	str_free(&text);
}

static void severities(void **unused)
{
	(void)unused;
	static const struct {
		const char *rules;
		enum diag_code code;
		enum severity severity;
	} cases[] = {
	    {"-a never,exclude -F msgtype=AVC\n", AR_EXCLUDED, SEV_WARNING},
	    {"-a never,exclude -F msgtype=AVC -F subj_type=x_t\n", AR_EXCLUDED, SEV_NOTE},
	    {"-a never,exclude -F msgtype=CWD\n", AR_EXCLUDED, SEV_NOTE},
	    {"-a never,exclude -F msgtype=USER_CMD\n", AR_EXCLUDED, SEV_WARNING},
	    {"-e 2\n-b 64\n", AR_AFTER_LOCK, SEV_ERROR},
	    {"-i\n-e 2\n-b 64\n", AR_AFTER_LOCK, SEV_WARNING},
	    {"-a never,task\n-w /etc/a -p wa\n", AR_NEVER_TASK, SEV_WARNING},
	    {"-a never,task -F auid=unset\n-w /etc/a -p wa\n", AR_NEVER_TASK, SEV_NOTE},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t n;
		struct linted t = lint_of(cases[i].rules, &x86_64, NULL);
		const struct diag *d = find(&t, cases[i].code, &n);
		assert_int_equal(n, 1);
		assert_int_equal(d->severity, cases[i].severity);
		done(&t);
	}
}

/* What an edit makes of a line, word for word. */
static void edits(void **unused)
{
	(void)unused;
	static const struct {
		const char *rules;
		enum diag_code code;
		const char *mended;
	} cases[] = {
	    {"# top\n-w /etc/a -p wa\n", AR_NO_DELETE_ALL, "# top\n-D\n-w /etc/a -p wa\n"},
	    {"-e 2\n-b 64\n", AR_AFTER_LOCK, "-b 64\n-e 2\n"},
	    {"-b 1\n-f 1\n-b 2\n", AR_SET_TWICE, "-f 1\n-b 2\n"},
	    {B64 "-S chmod,fchmod,fchmodat -k a\n", AR_FAMILY, B64 "-S chmod,fchmod,fchmodat,452 -k a\n"},
	    {B64 "-S mount -F uid=0 -k m\n", AR_ONE_ABI,
	     B32 "-S mount -F uid=0 -F key=m\n" B64 "-S mount -F uid=0 -k m\n"},
	    {"-a always,exit -S 62 -F uid=0\n", AR_NO_ARCH, B64 "-S 62 -F uid=0\n"},
	    {"-a always,exclude -F msgtype=CWD\n", AR_EXCLUDE_ACTION, "-a never,exclude -F msgtype=CWD\n"},
	    {B64 "-S read,openat -F path=/etc/a -F perm=r\n", AR_PERM_CLASS,
	     B64 "-S openat -F path=/etc/a -F perm=r\n"},
	};
	struct lang_env env = x86_64;
	env.kernel = KERNEL(6, 6);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t n;
		struct str out = {0};
		struct linted t = lint_of(cases[i].rules, &env, NULL);
		const struct diag *d = find(&t, cases[i].code, &n);
		assert_non_null(d);
		carry_out(cases[i].rules, d, &out);
		assert_string_equal(str_get(&out), cases[i].mended);
		str_free(&out);
		done(&t);
	}
}

/* ---- findings against the kernel's own decision
 * --------------------------------------------------------------- */

static uint32_t seed = 20260701;

static unsigned random_below(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 16) % n;
}

/* Fields of which no two others together allow what neither does alone. */
static void random_rule(struct str *out)
{
	static const char *const names[] = {"rename", "renameat", "renameat2", "chmod", "fchmod", "fchmodat"};
	static const char *const fields[] = {" -F uid=1",  " -F uid=2",        " -F auid>=1",  " -F auid>=3",
					     " -F auid=2", " -F exit=-EACCES", " -F success=0"};
	str_addf(out, "-a always,exit -F arch=%s", random_below(2) ? "b64" : "b32");
	for (unsigned n = 1 + random_below(3); n > 0; n--)
		str_addf(out, " -S %s", names[random_below(ARRAY_SIZE(names))]);
	for (unsigned n = random_below(3); n > 0; n--)
		str_add(out, fields[random_below(ARRAY_SIZE(fields))]);
	str_addf(out, " -k k%u\n", random_below(100000));
}

/* Some event of the call that the one set records and the other does not. */
static bool gains(const struct kset *less, const struct kset *more, enum abi abi, unsigned nr)
{
	static const uint32_t auids[] = {0, 1, 2, 3, UINT32_MAX}, exits[] = {0, (uint32_t)-13, (uint32_t)-1};
	for (unsigned i = 0; i < 3 * ARRAY_SIZE(auids) * ARRAY_SIZE(exits); i++) {
		uint32_t auid = auids[i / 3 % ARRAY_SIZE(auids)], code = exits[i / 3 / ARRAY_SIZE(auids)];
		struct event_number numbers[] = {{AUDIT_UID, i % 3, true},
						 {AUDIT_LOGINUID, auid, true},
						 {AUDIT_LOGINUID_SET, auid != UINT32_MAX, true},
						 {AUDIT_EXIT, code, true}};
		struct event e = {.kind = EV_SYSCALL,
				  .abi = abi,
				  .nr = nr,
				  .has_result = true,
				  .success = code == 0,
				  .numbers = numbers,
				  .nnumbers = ARRAY_SIZE(numbers)};
		if (!kernel_decide(less, &e).recorded && kernel_decide(more, &e).recorded)
			return true;
	}
	return false;
}

static unsigned calls_of(const struct kset *k, enum abi abi, unsigned nr)
{
	unsigned n = 0;
	for (size_t i = 0; i < k->n; i++)
		n += krule_allows_abi(&k->rules[i], abi) && mask_has(k->rules[i].mask, nr);
	return n;
}

/* Every call that the edits add to some rule has events that are recorded only then. */
static unsigned expect_gains(const char *text, const struct linted *t, const struct diag *d)
{
	struct str mended = {0};
	carry_out(text, d, &mended);
	struct linted u = lint_of(str_get(&mended), &x86_64, NULL);
	unsigned added = 0;
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
			if (calls_of(t->k, abi, nr) == calls_of(u.k, abi, nr))
				continue;
			if (!gains(t->k, u.k, abi, nr)) {
				print_message("line %u, call %u of ABI %d: %s\n", d->at.line, nr, abi,
					      d->message);
				print_message("%s--\n%s", text, str_get(&mended));
			}
			assert_true(gains(t->k, u.k, abi, nr));
			added++;
		}
	}
	done(&u);
	str_free(&mended);
	return added;
}

static void findings_hold(void **unused)
{
	(void)unused;
	enum { SETS = 200 };
	unsigned added = 0;
	for (unsigned i = 0; i < SETS; i++) {
		struct str text = {0};
		for (unsigned n = 1 + random_below(8); n > 0; n--)
			random_rule(&text);
		struct linted t = lint_of(str_get(&text), &x86_64, NULL);
		for (size_t j = 0; j < t.ds.n; j++) {
			enum diag_code code = t.ds.list[j].info->code;
			if (code == AR_FAMILY || code == AR_ONE_ABI)
				added += expect_gains(str_get(&text), &t, &t.ds.list[j]);
		}
		done(&t);
		str_free(&text);
	}
	assert_true(added > SETS);
}

/* Numbers of the table of families are libaudit's, where that knows the name. */
static void family_numbers(void **unused)
{
	(void)unused;
	unsigned known = 0;
	for (size_t i = 0; i < family_calls_len; i++) {
		const struct family_call *f = &family_calls[i];
		for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
			int nr = abi_syscall_number(abi, f->name);
			bool other = f->family == FAM_SOCKET || f->family == FAM_ACCEPT; /* of one ABI each */
			if (nr < 0 || (other && f->nr[abi] < 0))
				continue;
			if (nr != f->nr[abi])
				print_message("%s\n", f->name);
			assert_int_equal(nr, f->nr[abi]);
			known++;
		}
	}
	assert_true(known > 150);
}

/* ---- a host ------------------------------------------------------------------------------------ */

static char root[] = "/tmp/lint-set-XXXXXX";

static void make(const char *path, const char *link)
{
	char full[256];
	snprintf(full, sizeof(full), "%s%s", root, path);
	if (link) {
		assert_int_equal(symlink(link, full), 0);
	} else if (path[strlen(path) - 1] == '/') {
		assert_int_equal(mkdir(full, 0755), 0);
	} else {
		FILE *f = fopen(full, "w");
		assert_non_null(f);
		fclose(f);
	}
}

static int make_root(void **unused)
{
	(void)unused;
	if (!mkdtemp(root))
		return -1;
	static const char *const names[] = {"/etc/",         "/etc/passwd", "/etc/dir/", "/usr/", "/usr/bin/",
					    "/usr/bin/dash", "/run/",       "/run/utmp", "/var/"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		make(names[i], NULL);
	make("/bin", "usr/bin");
	make("/usr/bin/sh", "dash");
	make("/var/run", "/run");
	make("/etc/linked", "../etc/dir");
	make("/etc/escape", "../../../../../../etc/passwd");
	make("/etc/nowhere", "gone");
	make("/etc/loop", "loop");
	make("/etc/localtime", "/usr/bin/dash");
	make("/etc/through", "passwd/x");
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *w)
{
	(void)st;
	(void)type;
	(void)w;
	return remove(path);
}

static int remove_root(void **unused)
{
	(void)unused;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void facts(void **unused)
{
	(void)unused;
	static const struct {
		const char *path;
		enum path_kind kind;
		const char *target;
		bool target_dir;
	} cases[] = {
	    {"/etc/passwd", PATH_FILE, NULL, false},
	    {"/etc/dir", PATH_DIR, NULL, false},
	    {"/etc/dir/", PATH_DIR, NULL, false},
	    {"/etc/linked", PATH_LINK, "/etc/dir", true},
	    {"/etc/linked/", PATH_DIR, NULL, false},
	    {"/etc/linked/x", PATH_MISSING, NULL, false},
	    {"/etc/escape", PATH_LINK, "/etc/passwd", false},
	    {"/etc/nowhere", PATH_LINK, NULL, false},
	    {"/etc/nowhere/", PATH_MISSING, NULL, false},
	    {"/etc/loop", PATH_LINK, NULL, false},
	    {"/etc/loop/x", PATH_NO_PARENT, NULL, false},
	    {"/etc/through", PATH_LINK, NULL, false},
	    {"/etc/passwd/x", PATH_NO_PARENT, NULL, false},
	    {"/etc/gone/x", PATH_NO_PARENT, NULL, false},
	    {"/etc/gone", PATH_MISSING, NULL, false},
	    {"/bin/dash", PATH_FILE, NULL, false},
	    {"/bin/sh", PATH_LINK, "/usr/bin/dash", false},
	    {"/bin", PATH_LINK, "/usr/bin", true},
	    {"/var/run/utmp", PATH_FILE, NULL, false},
	    {"/etc/../etc/./passwd", PATH_FILE, NULL, false},
	    {"/", PATH_DIR, NULL, false},
	    {"/never-named", PATH_UNKNOWN, NULL, false},
	};
	struct str text = {0};
	for (size_t i = 0; i + 1 < ARRAY_SIZE(cases); i++)
		str_addf(&text, B64 "-S openat -F dir=%s\n", cases[i].path);
	struct linted t = lint_of(str_get(&text), &x86_64, NULL);
	const struct host *h = host_ask(t.rs, root, t.arena);
	assert_true(h->certain);
	assert_int_equal(h->npaths, ARRAY_SIZE(cases) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct path_fact *f = host_path(h, cases[i].path);
		if (f->kind != cases[i].kind)
			print_message("%s\n", cases[i].path);
		assert_int_equal(f->kind, cases[i].kind);
		assert_int_equal(f->target_dir, cases[i].target_dir);
		assert_int_equal(!f->target, !cases[i].target);
		if (f->target)
			assert_string_equal(f->target, cases[i].target);
	}
	str_free(&text);
	done(&t);
}

/* This host's own: nothing is certain, and a directory with a mount below has one. */
static void own_facts(void **unused)
{
	(void)unused;
	const char *rules = B64 "-S openat -F dir=/\n" B64 "-S openat -F dir=/no-such-directory-here\n";
	struct linted t = lint_of(rules, &x86_64, NULL);
	const struct host *h = host_ask(t.rs, NULL, t.arena);
	assert_false(h->certain);
	assert_int_equal(host_path(h, "/")->kind, PATH_DIR);
	assert_int_equal(host_path(h, "/no-such-directory-here")->kind, PATH_MISSING);
	assert_null(host_path(h, "/no-such-directory-here")->mount);
	if (access("/proc/self/mountinfo", R_OK) == 0)
		assert_non_null(host_path(h, "/")->mount);
	done(&t);
}

static void write_file(const char *path, const char *text)
{
	char full[256];
	snprintf(full, sizeof(full), "%s%s", root, path);
	assert_int_equal(file_write(full, text, strlen(text), 0644), 0);
}

/* The one kernel of a root, as it was built: its command line is not known. */
static void installed_kernel(void **unused)
{
	(void)unused;
	static const struct {
		const char *config;
		int abi32, x32, io_uring;
	} cases[] = {
	    {"CONFIG_X86_64=y\nCONFIG_IA32_EMULATION=y\nCONFIG_IO_URING=y\n", 1, 0, 1},
	    {"CONFIG_X86_64=y\n# CONFIG_IA32_EMULATION is not set\n# CONFIG_IO_URING is not set\n", 0, 0, 0},
	    {"CONFIG_X86_64=y\nCONFIG_IA32_EMULATION=y\nCONFIG_IA32_EMULATION_DEFAULT_DISABLED=y\n", -1, 0,
	     0},
	    {"CONFIG_X86_64=y\nCONFIG_X86_X32_ABI=y\n", 0, 1, 0},
	    {"CONFIG_X86_64=y\nCONFIG_X86_X32_ABI=y\nCONFIG_X86_X32_DISABLED=y\n", 0, -1, 0},
	    {"CONFIG_ARM64=y\nCONFIG_IO_URING=y\n", -1, -1, -1},
	};
	struct linted t = lint_of("-D\n", &x86_64, NULL);
	assert_int_equal(host_ask(t.rs, root, t.arena)->abi32, -1);
	make("/boot/", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		write_file("/boot/config-6.1", cases[i].config);
		const struct host *h = host_ask(t.rs, root, t.arena);
		assert_int_equal(h->abi32, cases[i].abi32);
		assert_int_equal(h->x32, cases[i].x32);
		assert_int_equal(h->io_uring, cases[i].io_uring);
	}
	write_file("/boot/config-6.1", cases[0].config);
	write_file("/boot/config-6.2", cases[0].config);
	assert_int_equal(host_ask(t.rs, root, t.arena)->abi32, -1);
	done(&t);
}

static const struct set_case host_cases[] = {
    {AR_PATH_MISSING, 1,
     "-w /etc/gone -p wa\n" B64 "-F path=/etc/gone -F perm=r\n" B64 "-F path=/etc/passwd -F perm=r\n", 1,
     "not of what is below", 0, 0},
    {AR_PATH_MISSING, 1, B64 "-F path=/etc/gone -F perm=r\n", 1, "until it is made", 0, 0},
    {AR_PATH_MISSING, 0, "-w /var/log -p wa\n", 0, NULL, 0, 0},
    {AR_PATH_MISSING, 0, "-w /etc/passwd -p wa\n-w /etc/nowhere -p wa\n", 0, NULL, 0, 0},
    {AR_PARENT_MISSING, 0, "-w /etc/gone -p wa\n", 0, NULL, 0, 0},
    {AR_PARENT_MISSING, 1, "-w /etc/gone/x -p wa\n" B64 "-S kill -F exe=/etc/gone/x\n", 1,
     "/etc/gone is no directory", 0, 0},
    {AR_PARENT_MISSING, 1, B64 "-F dir=/etc/gone -F perm=r\n", 1, "dir= must", 0, 0},
    {AR_PARENT_MISSING, 0, B64 "-F dir=/etc/dir/ -F perm=r\n" B64 "-F dir=/etc/passwd -F perm=r\n", 0, NULL,
     0, 0},
    {AR_SYMLINK, 1, B64 "-F dir=/etc/linked -F perm=r -k a\n" B32 "-F dir=/etc/linked -F perm=r -k a\n", 1,
     "a link to /etc/dir", 0, 0},
    {AR_SYMLINK, 0, B64 "-F dir=/etc/linked/ -F perm=r\n", 0, NULL, 0, 0},
    {AR_SYMLINK, 1, B64 "-F path=/etc/escape -F perm=r\n", 1, "a link to /etc/passwd", 0, 0},
    {AR_SYMLINK, 1, "-w /etc/escape -p wa -k a\n", 1, NULL, 0, 0},
    {AR_SYMLINK, 1, "-w /etc/nowhere -p wa -k a\n", 1, "nothing", 0, 0},
    {AR_SYMLINK, 0, "-w /etc/localtime -p wa\n-w /var/run/utmp -p wa\n-w /bin/dash -p x\n", 0, NULL, 0, 0},
    {AR_EXE, 1, B64 "-S kill -F exe=/usr/bin/sh\n" B64 "-S tkill -F exe=/usr/bin/sh\n", 1, "/usr/bin/dash", 0,
     0},
    {AR_EXE, 1, B64 "-S kill -F exe=/usr/bin/gone\n", 1, "does not exist", 0, 0},
    {AR_EXE, 0, B64 "-S kill -F exe=/bin/dash\n", 0, NULL, 0, 0},
    {AR_DIR_PATH, 1, B64 "-F path=/etc/dir -F perm=wa -k a\n", 1, "/etc/dir is a directory", 0, 0},
    {AR_DIR_PATH, 0, "-w /etc/dir -p wa\n" B64 "-F dir=/etc/dir -F perm=r\n", 0, NULL, 0, 0},
    {AR_KIND_CHANGES, 1, "-w /etc/dir -p wa\n", 1, "read as a file", 0, 0},
    {AR_KIND_CHANGES, 1, "-w /var/log -p wa\n", 1, "read as a directory", 0, 0},
    {AR_KIND_CHANGES, 0, "-w /etc -p wa\n-w /etc/passwd -p wa\n-w /etc/gone -p wa\n", 0, NULL, 0, 0},
    {AR_OTHER_MOUNT, 0, "-w /etc -p wa\n", 0, NULL, 0, 0},
};

static void host(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(host_cases); i++) {
		const struct set_case *c = &host_cases[i];
		struct linted read = lint_of(c->rules, &x86_64, NULL);
		struct host *h = host_ask(read.rs, root, read.arena);
		h->certain = false;
		struct linted t = lint_of(c->rules, &x86_64, h);
		size_t n;
		const struct diag *d = find(&t, c->code, &n);
		if (n != c->count || (d && c->part && !strstr(d->message, c->part)))
			show(c->rules, &t);
		assert_int_equal(n, c->count);
		if (d && c->line)
			assert_int_equal(d->at.line, c->line);
		if (d && c->part)
			assert_non_null(strstr(d->message, c->part));
		if (d && d->nedits)
			expect_mended(c->rules, d, n, &x86_64, h);
		done(&t);
		done(&read);
	}
}

/* On a host that was named a missing directory stops the load. */
static void certain(void **unused)
{
	(void)unused;
	static const struct {
		const char *rules;
		bool certain;
		enum severity severity;
	} cases[] = {
	    {"-w /etc/gone/x -p wa\n", true, SEV_ERROR},
	    {"-w /etc/gone/x -p wa\n", false, SEV_WARNING},
	    {"-i\n-w /etc/gone/x -p wa\n", true, SEV_WARNING},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct linted read = lint_of(cases[i].rules, &x86_64, NULL);
		struct host *h = host_ask(read.rs, root, read.arena);
		h->certain = cases[i].certain;
		struct linted t = lint_of(cases[i].rules, &x86_64, h);
		size_t n;
		const struct diag *d = find(&t, AR_PARENT_MISSING, &n);
		assert_int_equal(n, 1);
		assert_int_equal(d->severity, cases[i].severity);
		assert_int_equal(d->stops, cases[i].severity == SEV_ERROR);
		assert_int_equal(t.ds.errors, cases[i].severity == SEV_ERROR);
		done(&t);
		done(&read);
	}
}

/* Facts that are not of files. */
static void entries(void **unused)
{
	(void)unused;
	static const char *const labels[] = {"init_t", "passwd_t", "system_r"};
	static struct path_fact mounted[] = {{.path = "/etc", .kind = PATH_DIR, .mount = "/etc/mounted"}};
	static const struct host none = {.abi32 = -1, .x32 = -1, .io_uring = -1};
	static const struct host no32 = {.abi32 = 0, .x32 = 0, .io_uring = 0};
	static const struct host all = {.abi32 = 1, .x32 = 1, .io_uring = 1};
	static const struct host named = {
	    .abi32 = -1, .x32 = -1, .io_uring = -1, .labels = labels, .nlabels = 3};
	static const struct host mount = {
	    .paths = mounted, .npaths = 1, .abi32 = -1, .x32 = -1, .io_uring = -1};
	static const struct {
		const struct host *host;
		enum diag_code code;
		unsigned count;
		const char *rules;
	} cases[] = {
	    {&none, AR_NO_32BIT, 0, B32 "-S kill\n"},
	    {&no32, AR_NO_32BIT, 1, B32 "-S kill\n" B32 "-S tkill\n"},
	    {&no32, AR_NO_32BIT, 0, B64 "-S kill\n-w /etc/a -p wa\n"},
	    {&no32, AR_FAMILY, 0, B32 "-S chown\n"},
	    {&all, AR_FAMILY, 1, B32 "-S chown\n"},
	    {&no32, AR_ONE_ABI, 0, B64 "-S mount\n"},
	    {&all, AR_ONE_ABI, 1, B64 "-S mount\n"},
	    {&no32, AR_NO_ARCH, 0, "-a always,exit -S 62\n"},
	    {&no32, AR_X32, 0, B64 "-S kill\n"},
	    {&none, AR_X32, 0, B64 "-S kill\n"},
	    {&all, AR_X32, 1, B64 "-S kill\n" B64 "-S tkill\n"},
	    {&all, AR_X32, 0, "-a never,task\n"},
	    {&all, AR_IO_URING, 1, B64 "-S kill\n-w /etc/a -p wa\n"},
	    {&none, AR_IO_URING, 0, B64 "-S kill\n"},
	    {&named, AR_LABEL, 1, B64 "-S kill -F subj_type=init_t -F obj_type=gone_t\n"},
	    {&named, AR_LABEL, 0, B64 "-S kill -F subj_type=init_t -F subj_role=system_r -F subj_sen=s0\n"},
	    {&none, AR_LABEL, 0, B64 "-S kill -F subj_type=gone_t\n"},
	    {&mount, AR_OTHER_MOUNT, 1, "-w /etc -p wa\n" B64 "-F dir=/etc -F perm=r\n"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t n;
		struct linted t = lint_of(cases[i].rules, &x86_64, cases[i].host);
		find(&t, cases[i].code, &n);
		if (n != cases[i].count)
			show(cases[i].rules, &t);
		assert_int_equal(n, cases[i].count);
		done(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(table_examples),
	    cmocka_unit_test(settings),
	    cmocka_unit_test(lists),
	    cmocka_unit_test(calls),
	    cmocka_unit_test(severities),
	    cmocka_unit_test(many_selections),
	    cmocka_unit_test(findings_hold),
	    cmocka_unit_test(edits),
	    cmocka_unit_test(facts),
	    cmocka_unit_test(own_facts),
	    cmocka_unit_test(installed_kernel),
	    cmocka_unit_test(host),
	    cmocka_unit_test(certain),
	    cmocka_unit_test(entries),
	    cmocka_unit_test(family_numbers),
	};
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
