/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rule's fields: what they compare in truth, what excludes or implies another, and what every call pays
 * for. */
#include "lint/lint.h"
#include "prove/select.h"

#include <string.h>

/* ---- unsigned comparisons: kernel/auditfilter.c, audit_comparator and audit_uid_comparator -------- */

static bool compares_size(const struct field *f)
{
	const struct field_info *fi = field_by_id(f->id);
	bool number = fi && (fi->kind == FK_UID || fi->kind == FK_GID || fi->kind == FK_EXIT ||
			     fi->kind == FK_NUMBER || fi->kind == FK_SNUMBER || fi->kind == FK_SESSION);
	return number && f->id != AUDIT_SUCCESS && (op_bit(f->op) & OPS_ORDER & ~OPS_EQ);
}

static bool always_holds(const struct field *f)
{
	struct span s[2];
	bool bits;
	return compares_size(f) && field_spans(f, s, &bits) == 1 && s[0].lo == 0 && s[0].hi == UINT32_MAX;
}

/* exit<0 is written for failed calls and exit>=0 for the others. */
static void mend_exit(struct lint *l, struct diag *d, const struct rule *r, unsigned i)
{
	const struct field *f = &r->fields[i];
	bool failed = f->op == AUDIT_LESS_THAN, succeeded = f->op == AUDIT_GREATER_THAN_OR_EQUAL;
	if (f->id == AUDIT_EXIT && f->value == 0 && (failed || succeeded))
		lint_edit_words(l, d, r, f->column, f->width, failed ? "success=0" : "success=1");
	/* as they stand the one is true of no call and the other of every one */
	d->loses = r->action == AUDIT_NEVER ? failed : succeeded;
}

/* True when the field is one that is always or never true. */
static bool check_unsigned(struct lint *l, const struct rule *r, unsigned i)
{
	const struct field *f = &r->fields[i];
	struct span s[2];
	bool bits;
	if (!compares_size(f))
		return false;
	unsigned n = field_spans(f, s, &bits);
	const char *text = lint_text(l, r, i);
	bool full = always_holds(f);
	if (n == 0 || full) {
		struct diag *d =
		    lint_field(l, AR_UNSIGNED, r, i, "%s is %s true: the kernel compares unsigned numbers",
			       text, full ? "always" : "never");
		mend_exit(l, d, r, i);
		return true;
	}
	/* errors are -1 to -4095, which are the largest numbers */
	if (f->id == AUDIT_EXIT && s[0].hi == UINT32_MAX && s[0].lo <= INT32_MAX)
		lint_field(l, AR_UNSIGNED, r, i,
			   "%s also holds for every failed call: errors are large numbers to the kernel",
			   text);
	return false;
}

/* ---- fields against each other ---------------------------------------------------------------------- */

static void say_contradiction(struct lint *l, const struct rule *r, const struct selection *s)
{
	if (s->left == s->right)
		lint_field(l, AR_CONTRADICTION, r, s->right,
			   "%s can never hold, so that the rule matches nothing", lint_text(l, r, s->right));
	else
		lint_field(l, AR_CONTRADICTION, r, s->right,
			   "%s and %s exclude each other: the rule matches nothing", lint_text(l, r, s->left),
			   lint_text(l, r, s->right));
}

/* From the last field back: of two that say the same the later one is told, and of several one at a time. */
static void check_redundant(struct lint *l, const struct krule *k, struct arena *work)
{
	for (unsigned i = k->nfields; i-- > 0;) {
		if (always_holds(&k->fields[i]) || !field_is_implied(k, i, work))
			continue;
		struct diag *d = lint_field(l, AR_REDUNDANT_FIELD, k->rule, i,
					    "%s adds nothing: the other fields of the rule imply it",
					    lint_text(l, k->rule, i));
		lint_edit_drop(l, d, k->rule, i);
		return;
	}
}

/* ---- what it costs and covers ----------------------------------------------------------------------- */

static const struct field *place_field(const struct rule *r)
{
	const struct field *dir = rule_field(r, AUDIT_DIR);
	return dir ? dir : rule_field(r, AUDIT_EXE);
}

static void check_every_call(struct lint *l, const struct krule *k, const struct selection *s)
{
	uint32_t archs[2];
	const struct rule *r = k->rule;
	if (k->home != HOME_EXIT || !mask_is_all(r->mask))
		return;
	lint_archs(l, archs);
	if (s->n == 0 && r->action == AUDIT_ALWAYS && krule_allows_arch(k, archs, VIEW_64)) {
		lint_calls(l, AR_ALL_CALLS, r,
			   "the rule has no field that selects: every system call becomes an event");
		return;
	}
	const struct field *place = place_field(r);
	if (place)
		lint_field(l, AR_EVERY_CALL, r, (unsigned)(place - r->fields),
			   "every system call pays for this rule: %s hangs on no file",
			   lint_text(l, r, (unsigned)(place - r->fields)));
	else
		lint_calls(l, AR_EVERY_CALL, r, "every system call pays for this rule: it names none");
}

/* kernel/audit_watch.c and auditsc.c: the removal of a watched name is filtered while its result is not
 * known. */
static void check_own_deletion(struct lint *l, const struct krule *k, const struct selection *s)
{
	const struct rule *r = k->rule;
	const struct field *perm = rule_field(r, AUDIT_PERM);
	if (k->home != HOME_HASH || !rule_field(r, AUDIT_WATCH) || r->action != AUDIT_ALWAYS)
		return;
	if (perm && perm->op == AUDIT_EQUAL && !(perm->value & PERM_W))
		return;
	for (unsigned i = 0; i < r->nfields; i++) {
		uint32_t id = r->fields[i].id;
		if (id != AUDIT_EXIT && id != AUDIT_SUCCESS)
			continue;
		if (select_allows(s, AUDIT_EXIT, 0) && select_allows(s, AUDIT_SUCCESS, 1))
			lint_field(l, AR_OWN_DELETION, r, i,
				   "with %s the removal of the file itself is not recorded",
				   lint_text(l, r, i));
		return;
	}
}

static void check_rule(struct lint *l, const struct krule *k, struct arena *work)
{
	struct selection s;
	bool told = false;
	for (unsigned i = 0; i < k->rule->nfields; i++)
		told = check_unsigned(l, k->rule, i) || told;
	select_rule(k, &s, work);
	if (s.impossible && !told)
		say_contradiction(l, k->rule, &s);
	if (s.impossible)
		return;
	check_redundant(l, k, work);
	check_every_call(l, k, &s);
	check_own_deletion(l, k, &s);
}

enum { ARENA_RULES = 64 }; /* so many share one arena, which keeps memory small whatever the set's size */

void lint_values(struct lint *l)
{
	struct arena *work = arena_new();
	for (size_t i = 0; i < l->k->n; i++) {
		if (i % ARENA_RULES == ARENA_RULES - 1) {
			arena_free(work);
			work = arena_new();
		}
		check_rule(l, &l->k->rules[i], work);
	}
	arena_free(work);
}
