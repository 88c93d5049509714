/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <string.h>

static const struct field *arch_of(const struct rule *r, enum abi abi)
{
	const struct field *f = rule_field(r, AUDIT_ARCH);
	return f && f->op == AUDIT_EQUAL && f->value == abi_arch(abi) ? f : NULL;
}

static bool same_but_arch(const struct rule *a, const struct rule *b)
{
	if (a->action != b->action || a->nfields != b->nfields)
		return false;
	for (unsigned i = 0; i < a->nfields; i++) {
		const struct field *f = &a->fields[i];
		unsigned j = 0;
		for (; j < b->nfields; j++) {
			const struct field *g = &b->fields[j];
			bool either_arch = f->id == AUDIT_ARCH && g->id == AUDIT_ARCH && f->op == g->op;
			if (either_arch || field_same(f, g))
				break;
		}
		if (j == b->nfields)
			return false;
	}
	return true;
}

/* A number that only one of the two rules has, though it is a call on both ABIs: without arch that call would come in. */
static bool alias(const struct rule *b64, const struct rule *b32, unsigned *nr)
{
	for (*nr = 0; *nr < NR_LIMIT; (*nr)++) {
		bool one = mask_has(b64->mask, *nr) != mask_has(b32->mask, *nr);
		if (one && abi_syscall_name(ABI_64, *nr) && abi_syscall_name(ABI_32, *nr))
			return true;
	}
	return false;
}

static void add_pair(const struct optimized *o, const struct rule *b64, const struct rule *b32, struct arena *a, struct str *out)
{
	unsigned nr;
	str_addf(out, "  lines %s and %s stay two: ", place_name(o, b64, a), place_name(o, b32, a));
	if (alias(b64, b32, &nr))
		str_addf(out, "number %u is %s for b64 and %s for b32, and no perm tells them apart\n", nr,
			 abi_syscall_name(ABI_64, nr), abi_syscall_name(ABI_32, nr));
	else
		str_add(out, "no rule without arch is proved equal to them\n");
}

static void add_full(const struct optimized *o, const struct krule *k, struct arena *a, struct str *out)
{
	const char *why = rule_field(k->rule, AUDIT_PERM) ? "no shorter list of calls is proved equal and cheaper"
							  : "it names no calls and has no perm";
	str_addf(out, "  line %s is tried on every call: %s\n", place_name(o, k->rule, a), why);
}

void report_remains(const struct main_report *m, struct str *out)
{
	const struct kset *k = m->o->kset_after;
	struct arena *names = arena_new();
	size_t exit = 0, before = out->len;
	str_add(out, "\nWhat holds the result up: rules that every call still walks past\n");
	for (size_t i = 0; i < k->n; i++) {
		const struct rule *a = k->rules[i].rule;
		if (k->rules[i].home != HOME_EXIT)
			continue;
		exit++;
		if (cost_mask_count(k->rules[i].mask) == NR_LIMIT)
			add_full(m->o, &k->rules[i], names, out);
		for (size_t j = 0; arch_of(a, ABI_64) && j < k->n; j++) {
			const struct rule *b = k->rules[j].rule;
			if (k->rules[j].home == HOME_EXIT && arch_of(b, ABI_32) && same_but_arch(a, b))
				add_pair(m->o, a, b, names, out);
		}
	}
	if (!exit)
		out->s[out->len = before] = '\0';
	else
		str_addf(out, "  %zu in all on the exit list%s\n", exit,
			 exit > 1 ? "; no other merge of two is proved equal and cheaper" : "");
	arena_free(names);
}
