/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/jsonout.h"
#include "report/report.h"

#include "base/jsontext.h"

#include <stdlib.h>
#include <string.h>

static json_t *rule_json(const struct main_report *m, const struct rule *r)
{
	struct str line = {0}, dump = {0};
	json_t *o = json_object();
	if (r->line) {
		json_object_set_new(o, "file", json_text(r->line->at.file));
		json_object_set_new(o, "line", json_integer(r->line->at.line));
	}
	if (rule_write(r, m->env, &line))
		json_object_set_new(o, "rule", json_text(str_get(&line)));
	rule_dump(r, false, &dump);
	if (dump.len)
		dump.s[dump.len - 1] = '\0';
	json_object_set_new(o, "payload", json_text(str_get(&dump)));
	str_free(&line);
	str_free(&dump);
	return o;
}

static json_t *rules_json(const struct main_report *m, const struct rule *const *rules, size_t n)
{
	json_t *a = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, rule_json(m, rules[i]));
	return a;
}

static json_t *proof_json(const struct proof *p, enum level level)
{
	static const char *const verdicts[] = {"equal", "different", "undecided"};
	json_t *o = json_object();
	json_object_set_new(o, "verdict", json_text(verdicts[p->verdict]));
	json_object_set_new(o, "level", json_text(level_name(level)));
	json_object_set_new(o, "reason", json_text(p->reason));
	json_object_set_new(o, "views", json_integer((json_int_t)p->views));
	json_object_set_new(o, "told_apart", json_integer((json_int_t)p->groups));
	if (p->witness.event) {
		json_t *w = json_object();
		json_object_set_new(w, "event", json_text(p->witness.event));
		json_object_set_new(w, "before", json_text(p->witness.a));
		json_object_set_new(w, "after", json_text(p->witness.b));
		json_object_set_new(o, "witness", w);
	}
	return o;
}

static json_t *change_json(const struct main_report *m, const struct change *c)
{
	static const char *const kinds[] = {"lossless", "assumption", "loss"};
	json_t *o = json_object(), *notes = json_array();
	json_object_set_new(o, "pass", json_text(c->pass->name));
	json_object_set_new(o, "kind", json_text(kinds[c->pass->kind]));
	json_object_set_new(o, "condition", json_text(c->pass->condition));
	json_object_set_new(o, "needs", json_text(c->needs));
	json_object_set_new(o, "reason", json_text(c->reason));
	json_object_set_new(o, "old", rules_json(m, c->old, c->nold));
	json_object_set_new(o, "new", rules_json(m, c->new, c->nnew));
	json_object_set_new(o, "proof", proof_json(&c->proof, c->level));
	json_object_set_new(o, "cost_before", json_real(c->cost_before));
	json_object_set_new(o, "cost_after", json_real(c->cost_after));
	for (size_t i = 0; i < c->nnotes; i++)
		json_array_append_new(notes, json_text(c->notes[i]));
	json_object_set_new(o, "notes", notes);
	return o;
}

static json_t *costs_json(const struct main_report *m, const struct kset *k)
{
	struct arena *a = arena_new();
	struct cost_report *r = cost_report(m->coefficients, k, a);
	json_t *list = json_array();
	for (size_t i = 0; i < r->nrules; i++) {
		const struct cost_rule *c = &r->rules[i];
		json_t *o = rule_json(m, c->rule->rule);
		json_object_set_new(o, "any_call", json_real(c->unnamed));
		json_object_set_new(o, "mean_call", json_real(c->mean));
		json_object_set_new(o, "calls", json_integer(c->calls));
		json_array_append_new(list, o);
	}
	arena_free(a);
	return list;
}

/* ---- the lab ------------------------------------------------------------------------------------------------------------------- */

static json_t *auid_json(int64_t auid)
{
	return auid == LAB_UNSET ? json_string("unset") : json_integer(auid);
}

static json_t *figures_json(const struct lab_report *lab)
{
	json_t *list = json_array();
	for (size_t i = 0; i < lab->nfigures; i++) {
		const struct lab_figure *f = &lab->figures[i];
		json_t *o = json_object();
		json_object_set_new(o, "set", json_text(f->set));
		json_object_set_new(o, "workload", json_text(f->workload));
		json_object_set_new(o, "auid", auid_json(f->auid));
		json_object_set_new(o, "value", json_real(f->value));
		json_object_set_new(o, "median", json_real(f->median));
		json_object_set_new(o, "mean", json_real(f->mean));
		json_object_set_new(o, "min", json_real(f->min));
		json_object_set_new(o, "spread", json_real(f->spread));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *loads_json(const struct lab_report *lab)
{
	json_t *list = json_array();
	for (size_t i = 0; i < lab->nloads; i++) {
		const struct lab_load *l = &lab->loads[i];
		json_t *o = json_object(), *failures = json_array();
		json_object_set_new(o, "set", json_text(l->set));
		json_object_set_new(o, "sent", json_integer((json_int_t)l->sent));
		json_object_set_new(o, "held", json_integer((json_int_t)l->held));
		json_object_set_new(o, "auditctl_agrees", l->checked ? json_boolean(l->agrees) : json_null());
		json_object_set_new(o, "disagreement", json_text(l->disagreement));
		for (size_t j = 0; j < l->nfailures; j++)
			json_array_append_new(failures, json_text(l->failures[j]));
		json_object_set_new(o, "refused", failures);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *events_json(const struct lab_report *lab)
{
	struct arena *a = arena_new();
	struct event_comparison c = events_compare(lab, a);
	json_t *o = json_object(), *list = json_array();
	json_object_set_new(o, "triggers", json_integer((json_int_t)c.triggers));
	json_object_set_new(o, "events", json_integer((json_int_t)c.events));
	json_object_set_new(o, "rules", json_integer((json_int_t)c.rules));
	json_object_set_new(o, "rules_seen", json_integer((json_int_t)c.rules_seen));
	for (size_t i = 0; i < c.n; i++) {
		json_t *d = json_object();
		json_object_set_new(d, "trigger", json_text(c.list[i].trigger));
		json_object_set_new(d, "auid", auid_json(c.list[i].auid));
		json_object_set_new(d, "only_old", json_text(c.list[i].only_old));
		json_object_set_new(d, "only_new", json_text(c.list[i].only_new));
		json_object_set_new(d, "lines_old", json_integer((json_int_t)c.list[i].lines_old));
		json_object_set_new(d, "lines_new", json_integer((json_int_t)c.list[i].lines_new));
		json_array_append_new(list, d);
	}
	json_object_set_new(o, "differences", list);
	arena_free(a);
	return o;
}

json_t *report_lab_json(const struct lab_report *lab)
{
	json_t *o = json_object();
	json_object_set_new(o, "kernel", json_text(lab->kernel));
	json_object_set_new(o, "qemu", json_text(lab->qemu));
	json_object_set_new(o, "evidence", json_string(lab->exact ? "counted" : "timed"));
	json_object_set_new(o, "error", json_text(lab->error));
	json_object_set_new(o, "loads", loads_json(lab));
	json_object_set_new(o, "figures", figures_json(lab));
	json_object_set_new(o, "events", events_json(lab));
	return o;
}

/* ---- all ------------------------------------------------------------------------------------------------------------------------ */

static json_t *path_types_json(const struct optimized *o)
{
	json_t *list = json_array();
	for (size_t i = 0; i < o->nbefore; i++) {
		const char *path;
		bool dir;
		if (!output_path_type(o, i, &path, &dir))
			continue;
		json_t *j = json_object();
		json_object_set_new(j, "path", json_text(path));
		json_object_set_new(j, "directory", json_boolean(dir));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *files_json(const struct main_report *m)
{
	json_t *o = json_object();
	json_object_set_new(o, "rules", json_text(m->rules_file));
	json_object_set_new(o, "rollback", json_text(m->rollback_file));
	return o;
}

static size_t exit_list(const struct kset *k)
{
	size_t n = 0;
	for (size_t i = 0; i < k->n; i++)
		n += k->rules[i].home == HOME_EXIT;
	return n;
}

bool report_json(const struct main_report *m, struct str *out)
{
	json_t *o = json_object(), *input = json_object(), *changes = json_array();
	json_object_set_new(o, "schema", json_string("auditopt-report/1"));
	json_object_set_new(o, "version", json_string(AUDITOPT_VERSION));
	json_object_set_new(input, "path", json_text(m->input));
	json_object_set_new(input, "sha256", json_text(m->sha256));
	json_object_set_new(o, "input", input);
	json_object_set_new(o, "rules_in", json_integer((json_int_t)m->o->nbefore));
	json_object_set_new(o, "rules_out", json_integer((json_int_t)m->o->nafter));
	json_object_set_new(o, "exit_list_in", json_integer((json_int_t)exit_list(m->o->kset_before)));
	json_object_set_new(o, "exit_list_out", json_integer((json_int_t)exit_list(m->o->kset_after)));
	json_object_set_new(o, "calibration", json_text(m->coefficients->kernel));
	json_object_set_new(o, "proof", proof_json(&m->o->proof, m->o->level));
	json_object_set_new(o, "assumed_path_types", path_types_json(m->o));
	for (size_t i = 0; i < m->o->nchanges; i++)
		json_array_append_new(changes, change_json(m, &m->o->changes[i]));
	json_object_set_new(o, "changes", changes);
	json_object_set_new(o, "costs_before", costs_json(m, m->o->kset_before));
	json_object_set_new(o, "costs_after", costs_json(m, m->o->kset_after));
	json_object_set_new(o, "lab", m->lab ? report_lab_json(m->lab) : json_null());
	json_object_set_new(o, "files", files_json(m));
	return json_out(o, out);
}
