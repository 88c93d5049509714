/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of sets and what must be said of them: the rewrites that hold, and the counter-examples of those that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "prove/bdd.h"
#include "prove/prove.h"

struct set {
	struct arena *arena;
	struct ruleset *rs;
	struct kset *k;
};

static struct set load(const char *text)
{
	struct set s = {.arena = arena_new()};
	struct lang_env env = {.machine = audit_name_to_machine("x86_64"), .dirs = (const char *const[]){"/d"}, .ndirs = 1};
	struct diags ds = {.arena = s.arena};
	s.rs = rules_parse("test", text, strlen(text), &env, &ds);
	s.k = kset_load(s.rs, &ds);
	for (size_t i = 0; i < ds.errors; i++)
		print_message("%s: %s\n", text, ds.list[i].message);
	assert_int_equal(ds.errors, 0);
	return s;
}

static void unload(struct set *s)
{
	kset_free(s->k);
	ruleset_free(s->rs);
	arena_free(s->arena);
}

static const struct pair {
	const char *name;
	enum level level;
	bool no_mac, no_abi32;
	enum verdict want;
	const char *a, *b;
} pairs[] = {
	{"the same", LEVEL_E3, false, false, PROOF_EQUAL, "-w /etc/passwd -p wa -k p", "-w /etc/passwd -p wa -k p"},
	{"nothing", LEVEL_E3, false, false, PROOF_EQUAL, "", ""},
	{"field order", LEVEL_E3, false, false, PROOF_EQUAL, "-a always,exit -F arch=b64 -S open -F auid>=1000 -F uid=0 -k a",
	 "-a always,exit -F uid=0 -F auid>=1000 -F arch=b64 -S open -k a"},
	{"another key", LEVEL_E1, false, false, PROOF_DIFFERENT, "-a always,exit -F arch=b64 -S open -k a",
	 "-a always,exit -F arch=b64 -S open -k b"},
	{"another key, keys left out", LEVEL_E0, false, false, PROOF_EQUAL, "-a always,exit -F arch=b64 -S open -k a",
	 "-a always,exit -F arch=b64 -S open -k b"},
	{"a duplicate in other order", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F arch=b64 -S open -F auid=1 -F uid=2 -k a\n-a always,exit -F arch=b64 -S open -F uid=2 -F auid=1 -k a",
	 "-a always,exit -F arch=b64 -S open -F auid=1 -F uid=2 -k a"},
	{"the only counted rule, dead, leaves with its program", LEVEL_E3, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F exe=/bin/a -F exit=-1 -F exit=-2", ""},
	{"counted rules that leave with other programs", LEVEL_E3, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F exe=/bin/a -F exit=-1 -F exit=-2\n-a always,exit -F exe=/usr/bin/b -F exit=-1 -F exit=-2",
	 "-a always,exit -F exe=/bin/a -F exit=-1 -F exit=-2"},
	{"two counted rules that leave together", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F exe=/bin/a -F exit=-1 -F exit=-2\n-a always,exit -F exe=/bin/a -F exit=-1 -F exit=-3",
	 "-a always,exit -F exe=/bin/a -F exit=-1 -F exit=-2"},
	{"a counted rule that goes with its directory stays in the counter", LEVEL_E3, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F dir=/d -F exe=/bin/a -F uid=0 -k k\n-a always,exit -F exe=/bin/a -k k", "-a always,exit -F exe=/bin/a -k k"},
	{"two counted rules that go with one directory", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F dir=/d -F exe=/bin/a -F uid=0 -k k\n-a always,exit -F dir=/d -F exe=/bin/a -k k",
	 "-a always,exit -F dir=/d -F exe=/bin/a -k k"},
	{"the only rule that covers kill leaves with its program", LEVEL_E2, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F arch=b64 -S kill -F exe=/bin/a -F exit=-1 -F exit=-2\n-a always,exit -F arch=b64 -S pidfd_send_signal",
	 "-a always,exit -F arch=b64 -S pidfd_send_signal"},
	{"a0 is the lower half of what perm looks at in a socketcall", LEVEL_E3, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F arch=b32 -S socketcall -F a0=2 -k a\n-a always,exit -F arch=b32 -S socketcall -F perm=w -k a",
	 "-a always,exit -F arch=b32 -S socketcall -F perm=w -k a"},
	{"the other way round", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F arch=b32 -S socketcall -F a0=2 -k a\n-a always,exit -F arch=b32 -S socketcall -F perm=w -k a",
	 "-a always,exit -F arch=b32 -S socketcall -F a0=2 -k a"},
	{"the later of two keys", LEVEL_E1, false, false, PROOF_EQUAL,
	 "-a always,exit -F arch=b64 -S open -k a\n-a always,exit -F arch=b64 -S open -k b", "-a always,exit -F arch=b64 -S open -k a"},
	{"the earlier of two keys", LEVEL_E1, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F arch=b64 -S open -k a\n-a always,exit -F arch=b64 -S open -k b", "-a always,exit -F arch=b64 -S open -k b"},
	{"a narrower one behind", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -S openat -k a\n-a always,exit -S openat -F uid=0 -k b", "-a always,exit -S openat -k a"},
	{"shielding", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-a always,exit -S openat -F uid=0 -k k\n-a never,exit -F path=/etc\n-a always,exit -S openat -k k",
	 "-a never,exit -F path=/etc\n-a always,exit -S openat -k k"},
	{"a never between", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-a always,exit -S open -F uid=0 -k k\n-a never,exit -S open -F uid=0\n-a always,exit -S open -k k",
	 "-a never,exit -S open -F uid=0\n-a always,exit -S open -k k"},
	{"several together cover one", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -S open -F uid<10 -k k\n-a always,exit -S open -F uid>=10 -k k\n-a always,exit -S open -F gid=7 -k x",
	 "-a always,exit -S open -F uid<10 -k k\n-a always,exit -S open -F uid>=10 -k k"},
	{"path is not inside dir", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F dir=/d -F perm=wa -k k\n-a always,exit -F path=/d/f -F perm=wa -k k", "-a always,exit -F dir=/d -F perm=wa -k k"},
	{"perm=w inside perm=wa", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F dir=/d -F perm=wa -k k\n-a always,exit -F dir=/d -F perm=w -k k", "-a always,exit -F dir=/d -F perm=wa -k k"},
	{"merged over a never", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F arch=b64 -S open -k k\n-a never,exit -F arch=b64 -S unlink\n-a always,exit -F arch=b64 -S unlink -k k",
	 "-a always,exit -F arch=b64 -S open,unlink -k k\n-a never,exit -F arch=b64 -S unlink"},
	{"merged", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F arch=b64 -S open -k k\n-a always,exit -F arch=b64 -S unlink -k k", "-a always,exit -F arch=b64 -S open,unlink -k k"},
	{"arch dropped with aliases", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F arch=b64 -S rename -k k\n-a always,exit -F arch=b32 -S rename -k k", "-a always,exit -S 82,38 -k k"},
	{"arch dropped, equal numbers", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F arch=b64 -S openat2 -k k\n-a always,exit -F arch=b32 -S openat2 -k k", "-a always,exit -S 437 -k k"},
	{"perm as ABI filter", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F arch=b64 -S execve -F euid=0 -k k\n-a always,exit -F arch=b32 -S execve -F euid=0 -k k",
	 "-a always,exit -S 59,11 -F perm=x -F euid=0 -k k"},
	{"perm filter with half the open modes", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F arch=b64 -S open -k k\n-a always,exit -F arch=b32 -S open -k k", "-a always,exit -S 2,5 -F perm=r -k k"},
	{"perm filter with both open modes", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F arch=b64 -S open -k k\n-a always,exit -F arch=b32 -S open -k k", "-a always,exit -S 2,5 -F perm=rw -k k"},
	{"unlink is swapon on i386", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F arch=b64 -S unlink -k k\n-a always,exit -F arch=b32 -S unlink -k k", "-a always,exit -S 87,10 -F perm=w -k k"},
	{"pair of path rules with perm", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -F arch=b64 -F path=/f -F perm=wa -k k\n-a always,exit -F arch=b32 -F path=/f -F perm=wa -k k",
	 "-a always,exit -F path=/f -F perm=wa -k k"},
	{"pair of path rules without perm: io_uring workers", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-a always,exit -F arch=b64 -F path=/f -k k\n-a always,exit -F arch=b32 -F path=/f -k k", "-a always,exit -F path=/f -k k"},
	{"-w is path, perm, key", LEVEL_E3, false, false, PROOF_EQUAL, "-w /f -p wa -k k", "-a always,exit -F path=/f -F perm=wa -k k"},
	{"narrowed to its class", LEVEL_E3, false, false, PROOF_EQUAL, "-w /x -p x -k y\n-w /d -p x -k k",
	 "-w /x -p x -k y\n-a always,exit -S 59,11,322,358 -F dir=/d -F perm=x -k k"},
	{"narrowed without execveat", LEVEL_E0, false, false, PROOF_DIFFERENT, "-w /x -p x -k y\n-w /d -p x -k k",
	 "-w /x -p x -k y\n-a always,exit -S 59,11,322 -F dir=/d -F perm=x -k k"},
	{"the last rule over kill", LEVEL_E2, false, false, PROOF_DIFFERENT, "-w /d -p x -k k",
	 "-a always,exit -S 59,11,322,358 -F dir=/d -F perm=x -k k"},
	{"the last rule over kill, events only", LEVEL_E1, false, false, PROOF_EQUAL, "-w /d -p x -k k",
	 "-a always,exit -S 59,11,322,358 -F dir=/d -F perm=x -k k"},
	{"b32 chmod has chown32 beside it", LEVEL_E0, false, false, PROOF_DIFFERENT, "-w /f -p a -k k",
	 "-a always,exit -F arch=b64 -F path=/f -F perm=a -k k"},
	{"narrowed without perm", LEVEL_E0, false, false, PROOF_DIFFERENT, "-a always,exit -F path=/f -k k",
	 "-a always,exit -S 2,257 -F path=/f -k k"},
	{"contradiction", LEVEL_E3, false, false, PROOF_EQUAL, "-w /f -p r -k k\n-a always,exit -S open -F uid=0 -F uid=1 -k k", "-w /f -p r -k k"},
	{"two groups are no contradiction", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-w /f -p r -k k\n-a always,exit -S open -F gid=0 -F gid=10 -k k", "-w /f -p r -k k"},
	{"unset is at least 1000", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-w /f -p r -k k\n-a always,exit -S open -F auid=unset -F auid>=1000 -k k", "-w /f -p r -k k"},
	{"success with exit=-EACCES can be", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-w /f -p r -k k\n-a always,exit -S open -F success=1 -F exit=-EACCES -k k", "-w /f -p r -k k"},
	{"exit<0 never", LEVEL_E3, false, false, PROOF_EQUAL, "-w /f -p r -k k\n-a always,exit -S open -F exit<0 -k k", "-w /f -p r -k k"},
	{"auid!=unset beside auid<60000", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-a always,exit -S open -F auid>=1000 -F auid<60000 -F auid!=unset -k k", "-a always,exit -S open -F auid>=1000 -F auid<60000 -k k"},
	{"auid!=unset beside auid>=1000", LEVEL_E0, false, false, PROOF_DIFFERENT,
	 "-a always,exit -S open -F auid>=1000 -F auid!=unset -k k", "-a always,exit -S open -F auid>=1000 -k k"},
	{"perm fits no call", LEVEL_E3, false, false, PROOF_EQUAL, "-w /f -p r -k k\n-a always,exit -F arch=b64 -S getppid -F perm=w -k k",
	 "-w /f -p r -k k"},
	{"b32 only", LEVEL_E0, false, false, PROOF_DIFFERENT, "-w /f -p r -k k\n-a always,exit -F arch=b32 -S all -k k", "-w /f -p r -k k"},
	{"b32 only, no such entry", LEVEL_E3, false, true, PROOF_EQUAL, "-w /f -p r -k k\n-a always,exit -F arch=b32 -S all -k k",
	 "-w /f -p r -k k"},
	{"never at the end mutes companions", LEVEL_E3, false, false, PROOF_DIFFERENT, "-w /f -p r -k k\n-a never,exit -S getppid",
	 "-w /f -p r -k k"},
	{"never at the end, events only", LEVEL_E1, false, false, PROOF_EQUAL, "-w /f -p r -k k\n-a never,exit -S getppid", "-w /f -p r -k k"},
	{"never at the end, quiet call", LEVEL_E3, true, false, PROOF_EQUAL, "-w /f -p r -k k\n-a never,exit -F arch=b64 -S getppid",
	 "-w /f -p r -k k"},
	{"never at the end, write is a LOGIN", LEVEL_E3, true, false, PROOF_DIFFERENT, "-w /f -p r -k k\n-a never,exit -F arch=b64 -S write",
	 "-w /f -p r -k k"},
	{"never in front of a path rule", LEVEL_E1, false, false, PROOF_DIFFERENT, "-a never,exit -S open\n-w /f -p r -k k",
	 "-w /f -p r -k k"},
	{"sticky key of a never rule", LEVEL_E1, false, false, PROOF_DIFFERENT, "-a always,exit -F path=/f\n-a never,exit -S openat -k n",
	 "-a always,exit -F path=/f\n-a never,exit -S openat -k m"},
	{"path rules change places", LEVEL_E0, false, false, PROOF_UNDECIDED, "-w /f -p w -k a\n-w /g -p w -k b",
	 "-w /g -p w -k b\n-w /f -p w -k a"},
	{"an exit rule passes a path rule of other calls", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-w /f -p w -k a\n-a always,exit -F arch=b64 -S setuid -k b", "-a always,exit -F arch=b64 -S setuid -k b\n-w /f -p w -k a"},
	{"an exit rule passes a path rule of its call", LEVEL_E1, false, false, PROOF_DIFFERENT,
	 "-w /f -p w -k a\n-a always,exit -F arch=b64 -S unlink -k b", "-a always,exit -F arch=b64 -S unlink -k b\n-w /f -p w -k a"},
	{"bits", LEVEL_E3, false, false, PROOF_EQUAL, "-a always,exit -F arch=b64 -S open -F a1&3 -F a1&1 -k k",
	 "-a always,exit -F arch=b64 -S open -F a1&1 -k k"},
	{"all bits", LEVEL_E0, false, false, PROOF_DIFFERENT, "-a always,exit -F arch=b64 -S open -F a1&=3 -k k",
	 "-a always,exit -F arch=b64 -S open -F a1&3 -k k"},
	{"open for writing only by its flags", LEVEL_E3, false, false, PROOF_EQUAL,
	 "-w /x -p x -k y\n-a always,exit -F arch=b64 -S open -F perm=w -F a1=0 -k k", "-w /x -p x -k y"},
	{"never,task", LEVEL_E0, false, false, PROOF_DIFFERENT, "-w /f -p w -k a", "-w /f -p w -k a\n-a never,task -F auid=unset"},
	{"task rules that see nothing at fork", LEVEL_E0, false, false, PROOF_DIFFERENT, "-a never,task -F uid=5",
	 "-a never,task -F uid=6"},
	{"exclude rules are left alone", LEVEL_E0, false, false, PROOF_UNDECIDED, "-a always,exclude -F msgtype=CWD",
	 "-a always,exclude -F msgtype=PROCTITLE"},
};

static void test_pairs(void **state)
{
	(void)state;
	size_t wrong = 0;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct pair *p = &pairs[i];
		struct set a = load(p->a), b = load(p->b);
		struct prove_options o = {.level = p->level, .no_mac = p->no_mac, .no_abi32 = p->no_abi32};
		struct proof r = prove(a.k, b.k, &o, a.arena), back = prove(b.k, a.k, &o, a.arena);
		if (r.verdict != p->want || back.verdict != p->want) {
			print_message("%s: got %d and %d, want %d (%s: %s / %s / %s)\n", p->name, r.verdict, back.verdict, p->want,
				      r.reason ? r.reason : "", r.witness.event ? r.witness.event : "",
				      r.witness.a ? r.witness.a : "", r.witness.b ? r.witness.b : "");
			wrong++;
		}
		if (r.verdict == PROOF_DIFFERENT)
			assert_non_null(r.witness.event);
		unload(&a);
		unload(&b);
	}
	assert_int_equal(wrong, 0);
}

/* What every proof rests on: the diagrams against plain arithmetic. */
static void test_bdd_truth_tables(void **state)
{
	(void)state;
	struct bdd *b = bdd_new(100000);
	unsigned v[3];
	for (int i = 0; i < 3; i++)
		v[i] = bdd_new_var(b);
	node f = bdd_ite(b, bdd_var(b, v[0]), bdd_terminal(b, 7), bdd_ite(b, bdd_and(b, bdd_var(b, v[1]), bdd_not(b, bdd_var(b, v[2]))),
								      bdd_terminal(b, 9), BDD_FALSE));
	for (unsigned bits = 0; bits < 8; bits++) {
		signed char value[3] = {bits & 1, bits >> 1 & 1, bits >> 2 & 1};
		unsigned want = value[0] ? 7 : value[1] && !value[2] ? 9 : 0;
		assert_int_equal(bdd_eval(b, f, value), want);
	}
	node again = bdd_ite(b, bdd_not(b, bdd_var(b, v[0])),
			     bdd_ite(b, bdd_or(b, bdd_not(b, bdd_var(b, v[1])), bdd_var(b, v[2])), BDD_FALSE, bdd_terminal(b, 9)),
			     bdd_terminal(b, 7));
	assert_int_equal(f, again);
	signed char value[3];
	assert_false(bdd_difference(b, f, again, value));
	assert_true(bdd_difference(b, f, BDD_FALSE, value));
	assert_int_not_equal(bdd_eval(b, f, value), 0);
	bdd_free(b);
}

static void test_bdd_limit(void **state)
{
	(void)state;
	struct bdd *b = bdd_new(16);
	node f = BDD_TRUE;
	for (int i = 0; i < 40; i++)
		f = bdd_and(b, f, bdd_var(b, bdd_new_var(b)));
	assert_true(bdd_overflowed(b));
	bdd_free(b);
	struct set x = load("-a always,exit -S open -F auid>=1000 -F auid<60000 -k k"), y = load("-a always,exit -S open -F auid>=1000 -k k");
	struct prove_options o = {.level = LEVEL_E3, .max_nodes = 20};
	assert_int_equal(prove(x.k, y.k, &o, x.arena).verdict, PROOF_UNDECIDED);
	unload(&x);
	unload(&y);
}

static void test_unset_auid(void **state)
{
	(void)state;
	static const struct {
		const char *fields;
		bool matches;
	} cases[] = {
		{"-F auid!=unset", false}, {"-F auid=1000", false},   {"-F auid<1000", false},  {"-F auid<=60000", false},
		{"-F auid>=1000", true},   {"-F auid!=1000", true},   {"-F uid=0", true},       {"-F auid=unset", true},
		{"-F auid>=1000 -F auid!=unset", false},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[200];
		snprintf(text, sizeof(text), "-a always,exit -S open %s -k k", cases[i].fields);
		struct set s = load(text);
		const char *event;
		assert_int_equal(rule_matches_unset_auid(&s.k->rules[0], s.arena, &event), cases[i].matches);
		unload(&s);
	}
}

static void test_unmatched(void **state)
{
	(void)state;
	struct set s = load("-a always,exit -F arch=b64 -S open -k k\n-a always,exit -F arch=b32 -S unlink -k k\n-w /f -p x -k x");
	uint32_t m64[AUDIT_BITMASK_SIZE], m32[AUDIT_BITMASK_SIZE];
	unmatched_calls(s.k, ABI_64, m64);
	unmatched_calls(s.k, ABI_32, m32);
	assert_false(mask_has(m64, 2));      /* open */
	assert_true(mask_has(m32, 2));
	assert_false(mask_has(m32, 10));     /* unlink */
	assert_true(mask_has(m64, 10));
	assert_false(mask_has(m64, 59));     /* execve */
	assert_false(mask_has(m32, 11));
	assert_true(mask_has(m64, 39) && mask_has(m32, 39));
	unload(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bdd_truth_tables), cmocka_unit_test(test_bdd_limit), cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_unset_auid),       cmocka_unit_test(test_unmatched),
	};
	return cmocka_run_group_tests_name("prove", tests, NULL, NULL);
}
