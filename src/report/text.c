/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"
#include "report/table.h"

#include <string.h>

enum { LINE_WIDTH = 120 };

struct shape {                    /* what counts in a set besides its rules' number */
	size_t exit, hash, every; /* exit list; path rules; exit rules tried on every call */
};

static struct shape shape_of(const struct kset *k)
{
	struct shape s = {0};
	for (size_t i = 0; i < k->n; i++) {
		const struct krule *r = &k->rules[i];
		s.exit += r->home == HOME_EXIT;
		s.hash += r->home == HOME_HASH;
		s.every += r->home == HOME_EXIT && cost_mask_count(r->mask) == NR_LIMIT;
	}
	return s;
}

static double unnamed_cost(const struct main_report *m, const struct kset *k)
{
	struct arena *a = arena_new();
	struct cost_report *r = cost_report(m->coefficients, k, a);
	double cost = call_cost_total(&r->unnamed.by[CALLER_SERVICE]);
	arena_free(a);
	return cost;
}

static double one_rule_cost(const struct coefficients *c)
{
	return c->off + c->no_rules + c->counted;
}

void report_summary(const struct main_report *m, struct str *out)
{
	const struct optimized *o = m->o;
	struct shape was = shape_of(o->kset_before), is = shape_of(o->kset_after);
	double before = unnamed_cost(m, o->kset_before), after = unnamed_cost(m, o->kset_after);
	double one = one_rule_cost(m->coefficients);

	str_addf(out, "%s\n", m->input);
	str_addf(out, "  rules                    %4zu in, %4zu out\n", o->nbefore, o->nafter);
	str_addf(out, "  exit list                %4zu    -> %4zu   (every call walks it)\n", was.exit, is.exit);
	str_addf(out, "  tried on every call      %4zu    -> %4zu\n", was.every, is.every);
	str_addf(out, "  path rules               %4zu    -> %4zu   (met only by calls on such files)\n", was.hash, is.hash);
	str_addf(out, "  a call that no rule names, modelled: %.0f -> %.0f instructions, %.2f -> %.2f times a one-rule set\n", before,
		 after, before / one, after / one);
	str_addf(out, "  proof, input against output: %s at level %s",
		 o->proof.verdict == PROOF_EQUAL ? "equal" : o->proof.verdict == PROOF_DIFFERENT ? "DIFFERENT" : "UNDECIDED",
		 level_name(o->level));
	if (exempts_tasks(o))
		str_add(out, ", but NOT for the tasks that an allowed loss exempts");
	str_addf(out, " (%zu views of ABI and call, %zu told apart, %zu diagram nodes; %zu proposals, %zu turned down)\n",
		 o->proof.views, o->proof.groups, o->proof.nodes, o->tried, o->refused);
	for (size_t i = 0; i < o->nbefore; i++) {
		const char *path;
		bool dir;
		if (output_path_type(o, i, &path, &dir))
			str_addf(out, "  assumed: %s is %s where the rules are loaded\n", path,
				 dir ? "a directory" : "no directory");
	}
}

const char *place_name(const struct optimized *o, const struct rule *r, struct arena *a)
{
	if (!r->line)
		return "0";
	if (o->several_files)
		return arena_printf(a, "%s:%u", r->line->at.file, r->line->at.line);
	return arena_printf(a, "%u", r->line->at.line);
}

/* ---- rules by cost ------------------------------------------------------------------------------------------------------------ */

static const char *rule_text(const struct main_report *m, const struct rule *r, struct arena *a)
{
	struct str s = {0};
	bool as_written = r->line && !r->line->comment;
	for (size_t i = 0; as_written && i < m->o->nbefore; i++) {
		if (m->o->before[i] == r) {
			const char *text = arena_strndup(a, r->line->text, r->line->len);
			return text;
		}
	}
	if (!rule_write(r, m->env, &s))
		rule_dump(r, false, &s);
	const char *text = arena_strndup(a, str_get(&s), strcspn(str_get(&s), "\n"));
	str_free(&s);
	return text;
}

static void rules_table(const struct main_report *m, const struct kset *k, size_t top, struct str *out)
{
	struct arena *a = arena_new();
	struct cost_report *r = cost_report(m->coefficients, k, a);
	struct table *t = table_new(a);
	table_column(t, TABLE_RIGHT, "any call");
	table_column(t, TABLE_RIGHT, "mean call");
	table_column(t, TABLE_RIGHT, "calls");
	table_column(t, TABLE_RIGHT, "line");
	table_column(t, TABLE_LEFT, "rule");
	table_fit(t, LINE_WIDTH, TABLE_CUT);
	for (size_t i = 0; i < r->nrules && i < top; i++) {
		const struct cost_rule *c = &r->rules[i];
		const struct rule *rule = c->rule->rule;
		table_cellf(t, "%.1f", c->unnamed);
		table_cellf(t, "%.1f", c->mean);
		if (c->calls >= NR_LIMIT)
			table_cell(t, "all");
		else
			table_cellf(t, "%u", c->calls);
		table_cell(t, place_name(m->o, rule, a));
		table_cell(t, rule_text(m, rule, a));
	}
	table_print(t, out);
	if (r->nrules > top) {
		double rest = 0;
		for (size_t i = top; i < r->nrules; i++)
			rest += r->rules[i].unnamed;
		str_addf(out, "... and %zu more rules, together %.1f on any call\n", r->nrules - top, rest);
	}
	arena_free(a);
}

void report_rules(const struct main_report *m, size_t top, struct str *out)
{
	str_addf(out, "\nRules by cost, as read (modelled instructions; calibrated on %s)\n", m->coefficients->kernel);
	str_add(out, "any call: added to a call that no rule names; mean call: to the mean of the shipped profiles\n");
	rules_table(m, m->o->kset_before, top, out);
}

/* ---- changes -------------------------------------------------------------------------------------------------------------------- */

static void add_proof(const struct change *c, struct str *out)
{
	const struct proof *p = &c->proof;
	if (p->verdict == PROOF_EQUAL)
		str_addf(out, "      proof: equal at %s%s%s (%zu of %zu views told apart)\n", level_name(c->level),
			 c->needs ? (c->pass->kind == PASS_LOSS ? ", allowed: " : ", assuming ") : "", c->needs ? c->needs : "",
			 p->groups, p->views);
	else
		str_addf(out, "      LOSS, allowed: %s\n", c->needs);
	if (p->witness.event && c->pass->kind == PASS_LOSS)
		str_addf(out, "      witness: %s\n        before: %s\n        after: %s\n", p->witness.event, p->witness.a, p->witness.b);
}

static void add_rule_line(const struct main_report *m, const struct rule *r, const char *sign, struct arena *a, struct str *out)
{
	str_addf(out, "      %s ", sign);
	if (r->line && strcmp(sign, "-") == 0)
		str_addf(out, "%s: ", place_name(m->o, r, a));
	str_addf(out, "%s\n", rule_text(m, r, a));
}

static void add_change(const struct main_report *m, size_t i, struct arena *a, struct str *out)
{
	const struct change *c = &m->o->changes[i];
	str_addf(out, "%4zu. %s: %s\n", i + 1, c->pass->name, c->reason);
	for (size_t j = 0; j < c->nold; j++)
		add_rule_line(m, c->old[j], "-", a, out);
	for (size_t j = 0; j < c->nnew; j++)
		add_rule_line(m, c->new[j], "+", a, out);
	add_proof(c, out);
	str_addf(out, "      mean call: %.1f -> %.1f instructions\n", c->cost_before, c->cost_after);
	for (size_t j = 0; j < c->nnotes; j++)
		str_addf(out, "      note: %s\n", c->notes[j]);
}

void report_changes(const struct main_report *m, struct str *out)
{
	struct arena *a = arena_new();
	str_addf(out, "\nChanges (%zu)\n", m->o->nchanges);
	for (size_t i = 0; i < m->o->nchanges; i++)
		add_change(m, i, a, out);
	if (!m->o->nchanges)
		str_add(out, "  none: nothing that is proved equal makes the set cheaper\n");
	arena_free(a);
}

/* ---- the lab ---------------------------------------------------------------------------------------------------------------------- */

static const char *auid_text(int64_t auid, struct arena *a)
{
	return auid == LAB_UNSET ? "unset" : arena_printf(a, "%lld", (long long)auid);
}

static void add_figure(struct table *t, const struct lab_figure *f)
{
	if (f)
		table_cellf(t, "%.0f", f->value);
	else
		table_cell(t, "-");
}

static void figures_table(const struct lab_report *lab, struct str *out)
{
	struct arena *a = arena_new();
	struct table *t = table_new(a);
	size_t unsettled = 0;
	table_column(t, TABLE_LEFT, "workload");
	table_column(t, TABLE_LEFT, "auid");
	static const char *const columns[] = {"audit off", "no rules", "old", "new"};
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		table_column(t, TABLE_RIGHT, columns[i]);
	table_column(t, TABLE_RIGHT, "new/old");
	table_column(t, TABLE_RIGHT, "saved");
	table_column(t, TABLE_RIGHT, "spread");
	for (size_t i = 0; i < lab->nfigures; i++) {
		const struct lab_figure *old = &lab->figures[i];
		if (strcmp(old->set, set_names[SET_OLD]) != 0)
			continue;
		const struct lab_figure *new = lab_figure_of(lab, set_names[SET_NEW], old->workload, old->auid);
		table_cell(t, old->workload);
		table_cell(t, auid_text(old->auid, a));
		add_figure(t, lab_figure_of(lab, "audit off", old->workload, old->auid));
		add_figure(t, lab_figure_of(lab, "no rules", old->workload, old->auid));
		add_figure(t, old);
		add_figure(t, new);
		if (new && old->value > 0) {
			double spread = old->spread > new->spread ? old->spread : new->spread;
			bool settled = spread <= 0.01 * old->value;
			unsettled += !settled;
			table_cellf(t, "%s%.3f", settled ? "" : "~", new->value / old->value);
			table_cellf(t, "%.0f", old->value - new->value);
			table_cellf(t, "%.0f", spread);
		}
		table_row_end(t);
	}
	table_print(t, out);
	if (unsettled)
		str_add(out, "~ repeated blocks of one set differ by more than 1 %: no verdict from this row\n");
	arena_free(a);
}

/* Each line of a text, indented. */
static void add_lines(const char *text, struct str *out)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (n)
			str_addf(out, "    %.*s\n", (int)n, text);
	}
}

static void add_loads(const struct lab_report *lab, struct str *out)
{
	for (size_t i = 0; i < lab->nloads; i++) {
		const struct lab_load *l = &lab->loads[i];
		str_addf(out, "  %s set: %zu rules sent, %zu held", l->set, l->sent, l->held);
		if (l->checked)
			str_add(out, l->agrees ? "; auditctl loads the file to the same rules" : "; auditctl loads the file DIFFERENTLY");
		str_addc(out, '\n');
		if (l->checked && !l->agrees && l->disagreement)
			add_lines(l->disagreement, out);
		for (size_t j = 0; j < l->nfailures; j++)
			str_addf(out, "    refused: %s\n", l->failures[j]);
	}
}

static void add_events(const struct lab_report *lab, struct str *out)
{
	struct arena *a = arena_new();
	struct event_comparison c = events_compare(lab, a);
	enum { SHOWN = 10 };
	if (lab->ntriggers) {
		str_addf(out, "Events: %zu triggers run under each set, %zu events under the old one; %zu of the "
			      "%zu rules of both sets that have triggers of their own recorded; ",
			 c.triggers, c.events, c.rules_seen, c.rules);
		str_addf(out, c.n ? "%zu triggers DIFFER:\n" : "no trigger differs\n", c.n);
	}
	for (size_t i = 0; i < c.n && i < SHOWN; i++) {
		const struct event_difference *d = &c.list[i];
		str_addf(out, "  auid %s, %s\n", auid_text(d->auid, a), d->trigger);
		if (d->only_old)
			str_addf(out, "    only old: %s\n", d->only_old);
		if (d->only_new)
			str_addf(out, "    only new: %s\n", d->only_new);
	}
	if (c.n > SHOWN)
		str_addf(out, "  ... and %zu more\n", c.n - SHOWN);
	arena_free(a);
}

void report_lab(const struct lab_report *lab, struct str *out)
{
	str_addf(out, "\nMeasured in the lab: kernel %s, %s\n", lab->kernel, lab->qemu);
	if (lab->error) {
		str_addf(out, "  FAILED: %s\n", lab->error);
		return;
	}
	add_loads(lab, out);
	if (lab->nfigures) {
		str_add(out, lab->exact ? "Instructions per operation, counted. The empty set gave the same figures first and last; spread: between repeated "
				 "blocks of one set\n"
					: "Nanoseconds per operation, timed: not exact\n");
		figures_table(lab, out);
	}
	add_events(lab, out);
}

void report_files(const struct main_report *m, struct str *out)
{
	const struct {
		const char *what, *path;
	} files[] = {{"reduced rules", m->rules_file}, {"JSON report", m->json_file}, {"rollback", m->rollback_file}};
	str_add(out, "\nFiles\n");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (files[i].path)
			str_addf(out, "  %-14s %s\n", files[i].what, files[i].path);
	}
}
