/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of triggers. Nothing is executed: planning needs only the rules. Run from the repository root. */
#include "lab/trigger.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const shipped[] = {
    "rules/pci-dss-v3.1.rules",
    "rules/stig.rules",
    "rules/cis.rules",
    "rules/ospp.rules",
    "rules/ospp-main.rules",
    "rules/examples/duplicates.rules",
    "rules/examples/watches.rules",
    "rules/examples/never.rules",
};
static const char *const dirs[] = {"/etc", "/etc/selinux"};
static const struct lang_env env = {.machine = MACH_86_64, .dirs = dirs, .ndirs = ARRAY_SIZE(dirs)};

struct fixture {
	struct arena *arena;
	struct ruleset *set;
	const struct rule **rules;
	size_t n;
	struct trigger_plan *plan;
};

static void take(struct fixture *f, struct ruleset *set, const struct diags *ds)
{
	assert_non_null(set);
	assert_int_equal(ds->errors, 0);
	f->set = set;
	for (size_t i = 0; i < set->nrequests; i++)
		if (set->requests[i].kind == REQ_ADD)
			*arena_push(f->arena, f->rules, f->n) = set->requests[i].rule;
	f->plan = trigger_plan(f->arena, f->rules, f->n);
}

static void load(struct fixture *f, const char *path)
{
	*f = (struct fixture){.arena = arena_new()};
	struct diags ds = {.arena = f->arena};
	take(f, rules_read(path, &env, &ds), &ds);
	assert_true(f->n > 0);
}

static void load_text(struct fixture *f, const char *text)
{
	*f = (struct fixture){.arena = arena_new()};
	struct diags ds = {.arena = f->arena};
	take(f, rules_parse("test", text, strlen(text), &env, &ds), &ds);
}

static void unload(struct fixture *f)
{
	ruleset_free(f->set);
	arena_free(f->arena);
}

/* The trigger made for a rule that names its arch acts on that ABI, with a call the rule names. */
static void check_trigger_fits(const struct trigger *t, const struct rule *r)
{
	const struct field *arch = rule_field(r, AUDIT_ARCH);
	if (arch && arch->op == AUDIT_EQUAL)
		assert_int_equal(arch->value, t->abi == ABI_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_I386);
	assert_true(t->nsteps > 0);
	for (size_t i = 0; i < t->nsteps; i++)
		assert_true(mask_has(r->mask, t->steps[i].nr));
}

static void every_shipped_rule_has_a_trigger(void **state)
{
	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(shipped); s++) {
		struct fixture f;
		load(&f, shipped[s]);
		assert_int_equal(f.plan->nrules, f.n);
		for (size_t i = 0; i < f.n; i++) {
			int t = f.plan->of_rule[i];
			assert_in_range(t, 0, f.plan->n - 1);
			assert_false(f.plan->list[t].negative);
			check_trigger_fits(&f.plan->list[t], f.rules[i]);
		}
		unload(&f);
	}
}

static void assert_same_trigger(const struct trigger *a, const struct trigger *b)
{
	assert_string_equal(a->label, b->label);
	assert_int_equal(a->rule, b->rule);
	assert_int_equal(a->abi, b->abi);
	assert_int_equal(a->auid, b->auid);
	assert_int_equal(a->outcome, b->outcome);
	assert_int_equal(a->open_flags, b->open_flags);
	assert_int_equal(a->fixed, b->fixed);
	assert_memory_equal(a->ids, b->ids, sizeof(a->ids));
	assert_memory_equal(a->arg, b->arg, sizeof(a->arg));
	assert_string_equal(a->object ? a->object->path : "", b->object ? b->object->path : "");
	assert_string_equal(a->exe ? a->exe : "", b->exe ? b->exe : "");
	assert_int_equal(a->nsteps, b->nsteps);
	assert_memory_equal(a->steps, b->steps, a->nsteps * sizeof(*a->steps));
}

static void the_same_rules_give_the_same_plan(void **state)
{
	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(shipped); s++) {
		struct fixture a, b;
		load(&a, shipped[s]);
		load(&b, shipped[s]);
		assert_int_equal(a.plan->n, b.plan->n);
		for (size_t i = 0; i < a.plan->n; i++)
			assert_same_trigger(&a.plan->list[i], &b.plan->list[i]);
		assert_int_equal(a.plan->nobjects, b.plan->nobjects);
		for (size_t i = 0; i < a.plan->nobjects; i++) {
			assert_string_equal(a.plan->objects[i]->path, b.plan->objects[i]->path);
			assert_int_equal(a.plan->objects[i]->kind, b.plan->objects[i]->kind);
		}
		unload(&a);
		unload(&b);
	}
}

static void check_safe(const struct trigger *t)
{
	assert_true(t->low_pointers == (t->abi == ABI_32));
	assert_in_range(t->nsteps, 1, 64);
	for (size_t i = 0; i < t->nsteps; i++) {
		const struct trigger_step *s = &t->steps[i];
		assert_null(call_denied(t->abi, s->nr));
		if (s->row < 0) {
			assert_int_equal(s->variant, STEP_NULL);
			continue;
		}
		assert_ptr_equal(call_row_of(t->abi, s->nr), &call_table[s->row]);
	}
}

static void nothing_denied_gets_in(void **state)
{
	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(shipped); s++) {
		struct fixture f;
		load(&f, shipped[s]);
		for (size_t i = 0; i < f.plan->n; i++)
			check_safe(&f.plan->list[i]);
		unload(&f);
	}
	/* Every number there is, by number and on both ABIs. */
	struct fixture f;
	struct str text = {0};
	str_add(&text, "-a never,exit -S ");
	for (unsigned nr = 0; nr < 460; nr++)
		str_addf(&text, "%s%u", nr ? "," : "", nr);
	str_add(&text, "\n-a always,exit -S all -F auid=1000 -k all\n");
	load_text(&f, str_get(&text));
	assert_true(f.plan->n > 10);
	for (size_t i = 0; i < f.plan->n; i++)
		check_safe(&f.plan->list[i]);
	unload(&f);
	str_free(&text);
}

static void tables_hold_together(void **state)
{
	(void)state;
	for (size_t i = 0; i < call_table_len; i++) {
		const struct call_row *c = &call_table[i];
		int nr64 = audit_name_to_syscall(c->name, MACH_86_64),
		    nr32 = audit_name_to_syscall(c->name, MACH_X86);
		assert_true(nr64 >= 0 || nr32 >= 0);
		assert_true(strlen(c->args) <= 5); /* what the 32-bit gate passes in registers here */
		assert_int_equal(strspn(c->args, "pqntvbxeHDaAEkocfhBVLNOlsSKRTmMd012-"), strlen(c->args));
		if (c->flags & CALL_OPEN)
			assert_true(strpbrk(c->args, "fo") != NULL);
		if (nr64 >= 0) {
			assert_null(call_denied(ABI_64, (unsigned)nr64));
			assert_ptr_equal(call_row_of(ABI_64, (unsigned)nr64), c);
		}
	}
	for (size_t i = 0; i < call_denied_table_len; i++) {
		const char *name = call_denied_table[i].name;
		int nr64 = audit_name_to_syscall(name, MACH_86_64),
		    nr32 = audit_name_to_syscall(name, MACH_X86);
		assert_true(nr64 >= 0 || nr32 >= 0);
		if (nr64 >= 0)
			assert_string_equal(call_denied(ABI_64, (unsigned)nr64), call_denied_table[i].reason);
		if (nr32 >= 0)
			assert_string_equal(call_denied(ABI_32, (unsigned)nr32), call_denied_table[i].reason);
	}
	assert_non_null(call_denied(ABI_64, 350)); /* a number without a name */
}

static const struct trigger *first(struct fixture *f, const char *text)
{
	load_text(f, text);
	assert_true(f->n >= 1);
	assert_in_range(f->plan->of_rule[0], 0, f->plan->n - 1);
	return &f->plan->list[f->plan->of_rule[0]];
}

static void refused_calls_are_made_by_a_user(void **state)
{
	(void)state;
	struct fixture f;
	const struct trigger *t = first(&f, "-a always,exit -F arch=b64 -S open -F a1&0100 -F exit=-EACCES "
					    "-F auid>=1000 -F auid!=unset -k k\n");
	assert_int_equal(t->outcome, OUTCOME_EACCES);
	assert_int_not_equal(t->ids[ID_EUID], 0);
	assert_int_equal(t->fixed, 1u << 1);
	assert_int_equal(t->arg[1], 0100);
	assert_int_equal(t->auid, TRIGGER_AUID_CALLER);
	unload(&f);
	t = first(&f, "-a always,exit -F arch=b32 -S unlink -F exit=-EPERM -k k\n");
	assert_int_equal(t->outcome, OUTCOME_EPERM);
	assert_int_not_equal(t->ids[ID_EUID], 0);
	assert_int_equal(t->abi, ABI_32);
	unload(&f);
	t = first(&f, "-a always,exit -F arch=b64 -S unlink -F success=0 -k k\n");
	assert_int_equal(t->outcome, OUTCOME_EACCES);
	unload(&f);
	t = first(&f, "-a always,exit -F arch=b64 -S unlink -F success=1 -k k\n");
	assert_int_equal(t->outcome, OUTCOME_SUCCESS);
	unload(&f);
}

static void ids_are_found(void **state)
{
	(void)state;
	struct fixture f;
	const struct trigger *t =
	    first(&f, "-a always,exit -F arch=b64 -S execve -C uid!=euid -F euid=0 -k k\n");
	assert_int_equal(t->ids[ID_EUID], 0);
	assert_int_not_equal(t->ids[ID_RUID], 0);
	unload(&f);
	t = first(&f, "-a always,exit -F arch=b64 -S execve -C gid!=egid -F egid=0 -k k\n");
	assert_int_equal(t->ids[ID_EGID], 0);
	assert_int_not_equal(t->ids[ID_RGID], 0);
	assert_int_equal(t->ids[ID_RUID], t->ids[ID_EUID]);
	unload(&f);
	t = first(&f, "-a always,exit -F arch=b64 -S unlink -F uid>=500 -F uid!=1000 -F fsuid=33 -k k\n");
	assert_true(t->ids[ID_RUID] >= 500 && t->ids[ID_RUID] != 1000);
	assert_int_equal(t->ids[ID_EUID], 33);
	unload(&f);
	t = first(&f, "-a always,exit -F arch=b64 -S setxattr -F auid=0 -k k\n");
	assert_int_equal(t->auid, 0);
	unload(&f);
}

static void objects_follow_the_rule(void **state)
{
	(void)state;
	struct fixture f;
	const struct trigger *t =
	    first(&f, "-a always,exit -F arch=b64 -F dir=/var/log/audit/ -F perm=r -k k\n");
	assert_string_equal(t->object->path, "/var/log/audit/.auditopt-file");
	assert_int_equal(t->object->kind, OBJECT_FILE);
	assert_int_equal(t->open_flags, O_RDONLY);
	unload(&f);
	t = first(&f, "-a always,exit -F path=/usr/bin/su -F perm=x -k k\n"
		      "-a always,exit -F arch=b64 -S setuid -F a0=0 -F exe=/usr/bin/su -k l\n");
	assert_string_equal(t->object->path, "/usr/bin/su");
	assert_int_equal(t->object->kind, OBJECT_EXE); /* both rules' needs in one file */
	assert_string_equal(call_table[t->steps[0].row].name, "execve");
	const struct trigger *su = &f.plan->list[f.plan->of_rule[1]];
	assert_string_equal(su->exe, "/usr/bin/su");
	assert_int_equal(su->fixed, 1);
	unload(&f);
	/* path= on what another rule takes for a directory */
	t = first(&f, "-a always,exit -F path=/etc/net -F perm=wa -k k\n-w /etc/net/hosts -p wa -k k\n");
	assert_int_equal(t->object->kind, OBJECT_DIR);
	unload(&f);
	/* what is above comes first */
	t = first(&f, "-w /a/b/c -p wa\n-a always,exit -F dir=/a -F perm=wa\n");
	for (size_t i = 1; i < f.plan->nobjects; i++)
		assert_true(strcmp(f.plan->objects[i - 1]->path, f.plan->objects[i]->path) < 0);
	unload(&f);
}

/* Without arch both ABIs are tried; each counterexample misses the rule in one thing and says in which. */
static void both_abis_and_counterexamples(void **state)
{
	(void)state;
	struct fixture f;
	bool abi[ABI_COUNT] = {false}, other_file = false, other_access = false;
	load_text(&f, "-w /etc/passwd -p wa -k accounts\n");
	for (size_t i = 0; i < f.plan->n; i++) {
		const struct trigger *t = &f.plan->list[i];
		if (t->rule < 0)
			continue;
		abi[t->abi] = true;
		if (!t->negative)
			assert_string_equal(t->object->path, "/etc/passwd");
		else if (strcmp(t->object->path, "/etc/passwd") != 0)
			other_file = true;
		else
			other_access = t->open_flags == O_RDONLY;
	}
	assert_true(abi[ABI_64] && abi[ABI_32] && other_file && other_access);
	unload(&f);
}

static void rules_that_cannot_be_met(void **state)
{
	(void)state;
	struct fixture f;
	load_text(&f,
		  "-a always,exit -F arch=b64 -S reboot,exit_group -k k\n-a always,exclude -F msgtype=CWD\n");
	assert_int_equal(f.n, 2);
	assert_int_equal(f.plan->of_rule[0], -1);
	assert_int_equal(f.plan->of_rule[1], -1);
	unload(&f);
	load_text(&f, "-a never,task -F auid=unset\n");
	assert_int_equal(f.plan->of_rule[0], 0);
	unload(&f);
	load_text(&f, "");
	assert_int_equal(f.plan->nrules, 0);
	unload(&f);
}

/* All that changes something refuses to work where it is not process 1 of the guest. */
static void nothing_happens_outside_the_guest(void **state)
{
	(void)state;
	struct fixture f;
	const struct trigger *t = first(&f, "-w /etc/passwd -p wa -k accounts\n");
	assert_int_equal(trigger_prepare(f.plan), -EPERM);
	assert_int_equal(trigger_execute(t, 1000), -EPERM);
	assert_int_equal(access(TRIGGER_DIR, F_OK), -1);
	unload(&f);
	char name[] = "auditopt", word[] = TRIGGER_WORD, check[] = "check", fd[] = "0";
	assert_false(trigger_exec_stub(1, (char *[]){name, NULL}));
	assert_false(trigger_exec_stub(2, (char *[]){name, check, NULL}));
	assert_true(trigger_exec_stub(2, (char *[]){name, word, NULL}));
	assert_true(trigger_exec_stub(3, (char *[]){name, word, fd, NULL}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_shipped_rule_has_a_trigger),
	    cmocka_unit_test(the_same_rules_give_the_same_plan),
	    cmocka_unit_test(nothing_denied_gets_in),
	    cmocka_unit_test(tables_hold_together),
	    cmocka_unit_test(refused_calls_are_made_by_a_user),
	    cmocka_unit_test(ids_are_found),
	    cmocka_unit_test(objects_follow_the_rule),
	    cmocka_unit_test(both_abis_and_counterexamples),
	    cmocka_unit_test(rules_that_cannot_be_met),
	    cmocka_unit_test(nothing_happens_outside_the_guest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
