/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The triggers, under every set and login uid; what the kernel recorded for each. */
#include "lab/inside.h"
#include "lab/trigger.h"

#include <string.h>

enum { TICK_EVERY = 16 };

static bool is_among(const struct rule *const *rules, size_t n, const struct rule *r)
{
	for (size_t i = 0; i < n; i++) {
		if (rule_same(rules[i], r))
			return true;
	}
	return false;
}

/* One plan for all sets: the same things must happen under each. */
void trigger_prepare_all(struct agent *g)
{
	const struct rule **rules = NULL;
	size_t n = 0;
	for (size_t s = 0; s < g->job.nsets; s++) {
		for (size_t i = 0; i < g->job.sets[s].nrules; i++) {
			struct rule *r = arena_one(g->arena, struct rule);
			if (!rule_from_data(g->arena, g->job.sets[s].rules[i], r))
				agent_fail(g, "rule %zu of set %zu does not hold together", i + 1, s);
			if (!is_among(rules, n, r))
				*arena_push(g->arena, rules, n) = r;
		}
	}
	g->plan = trigger_plan(g->arena, rules, n);
	int rc = trigger_prepare(g->plan);
	if (rc != 0)
		agent_fail(g, "the triggers' files cannot be made: %s", strerror(-rc));
	json_t *labels = json_array(), *of = json_array();
	for (size_t i = 0; i < g->plan->n; i++) {
		const struct trigger *t = &g->plan->list[i];
		json_array_append_new(labels, json_text(t->label));
		json_array_append_new(of, json_integer(t->rule));
	}
	agent_send(g, json_pack("{s:s,s:o,s:o}", "type", "triggers", "labels", labels, "rules", of));
}

static json_t *events_since(struct agent *g, struct arena *a)
{
	const struct record **raw;
	size_t n = drain_settle(g, a, &raw), nlines = 0;
	const char **lines = NULL;
	struct audit_record *records = arena_array(a, struct audit_record, n + 1);
	for (size_t i = 0; i < n; i++)
		records[i] = (struct audit_record){raw[i]->type, raw[i]->text, raw[i]->len};
	event_normalize(a, records, n, &lines, &nlines);
	json_t *list = json_array();
	for (size_t i = 0; i < nlines; i++)
		json_array_append_new(list, json_text(lines[i]));
	return list;
}

static void pull(struct agent *g, size_t set, int64_t auid, size_t t)
{
	struct arena *a = arena_new();
	drain_keep(g);
	int rc = trigger_execute(&g->plan->list[t], auid);
	if (rc != 0)
		agent_fail(g, "trigger %s failed: %s", g->plan->list[t].label, strerror(-rc));
	agent_send(g, json_pack("{s:s,s:I,s:I,s:I,s:o}", "type", "events", "set", (json_int_t)set, "auid",
				(json_int_t)auid, "trigger", (json_int_t)t, "lines", events_since(g, a)));
	arena_free(a);
}

void trigger_all(struct agent *g)
{
	for (size_t s = 0; s < g->job.nsets; s++) {
		rules_load(g, &g->job.sets[s], NULL);
		for (size_t i = 0; i < g->job.nauids; i++) {
			for (size_t t = 0; t < g->plan->n; t++) {
				if (t % TICK_EVERY == 0)
					agent_tick(g, "triggering set %zu/%zu, %zu/%zu", s + 1, g->job.nsets,
						   t, g->plan->n);
				pull(g, s, g->job.auids[i], t);
			}
		}
		rules_clear(g);
	}
}
