/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel holds after a load: order, duplicates, rules taken back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kernel.h"

struct loaded {
	struct arena *arena;
	struct diags ds;
	struct ruleset *rs;
	struct kset *k;
};

static struct loaded load(const char *text)
{
	struct loaded l = {.arena = arena_new()};
	struct lang_env env = {.machine = MACH_86_64};
	l.ds.arena = l.arena;
	l.rs = rules_parse("t", text, strlen(text), &env, &l.ds);
	l.k = kset_load(l.rs, &l.ds);
	return l;
}

static void unload(struct loaded *l)
{
	kset_free(l->k);
	ruleset_free(l->rs);
	arena_free(l->arena);
}

/* The keys in the order of the walk, joined by blanks. */
static void expect_keys(const char *text, const char *keys, const char *complaint)
{
	struct loaded l = load(text);
	struct str got = {0};
	for (size_t i = 0; i < l.k->n; i++)
		str_addf(&got, "%s%s", i ? " " : "", rule_key(l.k->rules[i].rule));
	assert_string_equal(str_get(&got), keys);
	assert_int_equal(l.ds.n, complaint ? 1 : 0);
	if (complaint)
		assert_non_null(strstr(l.ds.list[0].message, complaint));
	str_free(&got);
	unload(&l);
}

static void walks_in_order(void **state)
{
	(void)state;
	expect_keys("-a exit,always -S 1 -k a\n-a exit,always -S 2 -k b\n", "a b", NULL);
	expect_keys("-A exit,always -S 1 -k a\n-a exit,always -S 2 -k b\n-A exit,always -S 3 -k c\n", "c a b", NULL);
}

static void refuses_the_same(void **state)
{
	(void)state;
	expect_keys("-a exit,always -S 1 -k a\n-a exit,always -S 1 -k a\n-a exit,always -S 2 -k b\n", "a",
		    "Rule exists");
	expect_keys("-c\n-a exit,always -S 1 -k a\n-a exit,always -S 1 -k a\n-a exit,always -S 2 -k b\n", "a b",
		    "Rule exists");
	/* what is held has lost the prepend bit: audit_compare_rule finds no twin of a prepended rule */
	expect_keys("-A exit,always -S 1 -k a\n-A exit,always -S 1 -k a\n", "a a", NULL);
	expect_keys("-a exit,always -S 1 -k a\n-a exit,never -S 1 -k a\n", "a a", NULL);
	expect_keys("-a exit,always -S 1 -F uid=1 -k a\n-a exit,always -S 1 -F uid=2 -k a\n", "a a", NULL);
}

static void takes_back(void **state)
{
	(void)state;
	expect_keys("-a exit,always -S 1 -k a\n-a exit,always -S 2 -k b\n-d exit,always -S 1 -k a\n", "b", NULL);
	expect_keys("-a exit,always -S 1 -k a\n-d exit,always -S 1 -k a\n-a exit,always -S 1 -k a\n", "a", NULL);
	/* of two that are the same the first of the list goes, which is the prepended one: audit_find_rule */
	expect_keys("-a exit,always -S 1 -k a\n-a exit,always -S 2 -k b\n-A exit,always -S 1 -k a\n-d exit,always -S 1 -k a\n",
		    "a b", NULL);
	expect_keys("-a exit,always -S 2 -k b\n-a exit,always -S 1 -k a\n-A exit,always -S 1 -k a\n-d exit,always -S 1 -k a\n",
		    "b a", NULL);
	expect_keys("-d exit,always -S 1 -k a\n", "", "No such file");
	expect_keys("-a exit,always -S 1 -k aa\n-a exit,always -S 2 -k b\n-a exit,always -S 3 -k ba\n-D -k a\n", "b",
		    NULL);
	expect_keys("-a exit,always -S 1 -k a\n-A exit,always -S 2 -k b\n-D\n-a exit,always -S 1 -k c\n", "c", NULL);
}

/* More than the index starts with, every second one taken back, in an order that is not the list's. */
static void many(void **state)
{
	(void)state;
	enum { N = 3000 };
	struct str text = {0};
	for (int i = 0; i < N; i++)
		str_addf(&text, "-%c exit,always -S 1 -F a0=%d -k k\n", i % 7 ? 'a' : 'A', i);
	for (int i = N - 2; i >= 0; i -= 2)
		str_addf(&text, "-d exit,always -S 1 -F a0=%d -k k\n", i);
	struct loaded l = load(str_get(&text));
	assert_int_equal(l.ds.n, 0);
	assert_int_equal(l.k->n, N / 2);
	for (size_t i = 0; i < l.k->n; i++) {
		uint32_t a0 = l.k->rules[i].fields[0].value, next = i + 1 < l.k->n ? l.k->rules[i + 1].fields[0].value : 0;
		assert_int_equal(a0 % 2, 1);
		assert_int_equal(l.k->rules[i].order, i);
		if (a0 % 7 == 0 && i + 1 < l.k->n)
			assert_true(next % 7 ? next == 1 : next < a0); /* the last prepended comes first */
		else if (i + 1 < l.k->n)
			assert_true(next > a0);
	}
	unload(&l);
	str_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(walks_in_order),
	    cmocka_unit_test(refuses_the_same),
	    cmocka_unit_test(takes_back),
	    cmocka_unit_test(many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
