/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a rule comes to under the auditctl that was named, against what it is under 3.0: there the text means
 * what the manual page says of it. The whole set is read a second time.
 */
#include "lint/lint.h"
#include "prove/select.h"

#include <string.h>

enum { NAMES_MAX = 4 };

struct calls {
	uint32_t lost[AUDIT_BITMASK_SIZE], won[AUDIT_BITMASK_SIZE];
};

/* Where the rule can match through one table: numbers of its mask, of the class of its perm. */
static void matched(const struct lint *l, const struct rule *r, enum abi abi,
		    uint32_t mask[AUDIT_BITMASK_SIZE])
{
	const struct field *perm = rule_field(r, AUDIT_PERM);
	uint32_t class[AUDIT_BITMASK_SIZE] = {0};
	mask_expand(r->mask, mask);
	if (!perm || perm->op != AUDIT_EQUAL || l->env->machine != MACH_86_64)
		return;
	perm_mask(abi, perm->value, class);
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		/* a call that joined its class later is none that is missed on a kernel of today */
		if (!mask_has(class, nr) || perm_class_uncertain(abi, nr))
			mask[nr / 32] &= ~(UINT32_C(1) << nr % 32);
	}
}

static void compare_calls(const struct lint *l, const struct rule *was, const struct rule *is, enum abi abi,
			  struct calls *c)
{
	uint32_t before[AUDIT_BITMASK_SIZE], after[AUDIT_BITMASK_SIZE];
	matched(l, was, abi, before);
	matched(l, is, abi, after);
	for (size_t i = 0; i < AUDIT_BITMASK_SIZE; i++) {
		c->lost[i] = before[i] & ~after[i];
		c->won[i] = after[i] & ~before[i];
	}
}

static const char *names(struct lint *l, const uint32_t mask[AUDIT_BITMASK_SIZE], uint32_t arch)
{
	struct str b = {0};
	unsigned n = 0;
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		const char *name =
		    mask_has(mask, nr) ? audit_syscall_to_name((int)nr, audit_elf_to_machine(arch)) : NULL;
		if (name && ++n <= NAMES_MAX)
			str_addf(&b, "%s%s", n > 1 ? ", " : "", name);
	}
	if (n > NAMES_MAX)
		str_addf(&b, " and %u more", n - NAMES_MAX);
	const char *text = arena_strdup(l->arena, str_get(&b));
	str_free(&b);
	return text;
}

/* The table that the rule is for; -1: both or neither. */
static int one_table(const struct lint *l, const struct rule *r, const uint32_t archs[2])
{
	const struct field *arch = rule_field(r, AUDIT_ARCH);
	if (!arch || arch->op != AUDIT_EQUAL || l->env->machine != MACH_86_64)
		return -1;
	return arch->value == archs[0] ? ABI_64 : arch->value == archs[1] ? ABI_32 : -1;
}

static void report(struct lint *l, const struct rule *was, const struct rule *is)
{
	const struct field *perm = rule_field(is, AUDIT_PERM);
	uint32_t archs[2];
	struct calls c;
	lint_archs(l, archs);
	int table = one_table(l, is, archs);
	if (!perm || memcmp(was->mask, is->mask, sizeof(is->mask)) == 0)
		return;
	compare_calls(l, was, is, table < 0 ? ABI_64 : (enum abi)table, &c);
	uint32_t arch = table < 0 ? archs[0] : archs[table];
	unsigned i = (unsigned)(perm - is->fields);
	/* what perm can match at all is known of one machine only */
	if (!mask_is_empty(c.lost) && l->env->machine == MACH_86_64)
		lint_field(l, AR_PERM_WIDENED, is, i,
			   "%s leaves the rule only the calls of auditctl's own table: %s go unrecorded",
			   lint_text(l, is, i), names(l, c.lost, arch));
	if (!mask_is_empty(c.won))
		lint_field(l, AR_PERM_WIDENED, is, i, "%s adds system calls that the rule does not name: %s",
			   lint_text(l, is, i), names(l, c.won, arch));
}

static size_t line_of(const struct ruleset *rs, size_t request)
{
	return (size_t)(rs->requests[request].line - rs->lines);
}

/* Both readings meet at their lines, which add one rule at most; one that fails in either is the reader's to
 * tell. */
static void compare(struct lint *l, const struct ruleset *again)
{
	size_t j = 0;
	for (size_t i = 0; i < l->rs->nrequests; i++) {
		if (l->rs->requests[i].kind != REQ_ADD)
			continue;
		while (j < again->nrequests &&
		       (line_of(again, j) < line_of(l->rs, i) || again->requests[j].kind != REQ_ADD))
			j++;
		if (j < again->nrequests && line_of(again, j) == line_of(l->rs, i))
			report(l, again->requests[j].rule, l->rs->requests[i].rule);
	}
}

/* Kernels before 5.3 take the operator of filetype and do not look at it (audit-kernel 114). */
static void check_filetype(struct lint *l, const struct krule *k)
{
	for (unsigned i = 0; i < k->nfields; i++) {
		const struct field *f = &k->fields[i];
		if (f->id != AUDIT_FILETYPE || f->op == AUDIT_EQUAL)
			continue;
		struct diag *d = lint_field(l, AR_KERNEL_FIELD, k->rule, i, "this kernel takes %s as if it had = (5.3 on it counts)",
					    lint_text(l, k->rule, i));
		diag_set_severity(l->ds, d, SEV_WARNING);
	}
}

void lint_targets(struct lint *l)
{
	for (size_t i = 0; l->k && l->k->kernel < KERNEL(5, 3) && i < l->k->n; i++)
		check_filetype(l, &l->k->rules[i]);
	if (!l->env->auditctl || l->env->auditctl == AUDITCTL_DEFAULT)
		return;
	struct lang_env env = *l->env;
	struct diags ds = {.arena = arena_new()};
	env.auditctl = AUDITCTL_DEFAULT;
	struct ruleset *again = rules_again(l->rs, &env, &ds);
	compare(l, again);
	ruleset_free(again);
	arena_free(ds.arena);
}
