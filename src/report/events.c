/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <string.h>

const char *const set_names[] = {"old", "new"};

const struct lab_figure *lab_figure_of(const struct lab_report *lab, const char *set, const char *workload, int64_t auid)
{
	for (size_t i = 0; i < lab->nfigures; i++) {
		const struct lab_figure *f = &lab->figures[i];
		if (f->auid == auid && strcmp(f->set, set) == 0 && strcmp(f->workload, workload) == 0)
			return f;
	}
	return NULL;
}

static const struct lab_events *events_of(const struct lab_report *lab, const char *set, size_t trigger, int64_t auid)
{
	for (size_t i = 0; i < lab->nevents; i++) {
		const struct lab_events *e = &lab->events[i];
		if (e->trigger == trigger && e->auid == auid && strcmp(e->set, set) == 0)
			return e;
	}
	return NULL;
}

/* Both lists are sorted: the lines that one has and the other lacks. */
static void find_differences(const struct lab_events *a, const struct lab_events *b, struct event_difference *d)
{
	size_t i = 0, j = 0, nb = b ? b->nevents : 0;
	while (i < a->nevents || j < nb) {
		int c = i == a->nevents ? 1 : j == nb ? -1 : strcmp(a->events[i], b->events[j]);
		if (c < 0 && !d->only_old)
			d->only_old = a->events[i];
		if (c > 0 && !d->only_new)
			d->only_new = b->events[j];
		d->lines_old += c < 0;
		d->lines_new += c > 0;
		i += c <= 0;
		j += c >= 0;
	}
}

static void count_rules(const struct lab_report *lab, struct event_comparison *c, struct arena *a)
{
	int max = -1;
	for (size_t i = 0; i < lab->ntriggers; i++)
		max = lab->trigger_rule[i] > max ? lab->trigger_rule[i] : max;
	bool *has = arena_array(a, bool, (size_t)(max + 2)), *seen = arena_array(a, bool, (size_t)(max + 2));
	for (size_t i = 0; i < lab->ntriggers; i++) {
		if (lab->trigger_rule[i] >= 0)
			has[lab->trigger_rule[i]] = true;
	}
	for (size_t i = 0; i < lab->nevents; i++) {
		int rule = lab->trigger_rule[lab->events[i].trigger];
		if (rule >= 0 && lab->events[i].nevents && strcmp(lab->events[i].set, set_names[SET_OLD]) == 0)
			seen[rule] = true;
	}
	for (int i = 0; i <= max; i++) {
		c->rules += has[i];
		c->rules_seen += seen[i];
	}
}

struct event_comparison events_compare(const struct lab_report *lab, struct arena *a)
{
	struct event_comparison c = {0};
	for (size_t i = 0; i < lab->nevents; i++) {
		const struct lab_events *old = &lab->events[i];
		if (strcmp(old->set, set_names[SET_OLD]) != 0)
			continue;
		const struct lab_events *new = events_of(lab, set_names[SET_NEW], old->trigger, old->auid);
		struct event_difference d = {.trigger = lab->triggers[old->trigger], .auid = old->auid};
		c.triggers++;
		c.events += old->nevents;
		find_differences(old, new, &d);
		if (!new || d.only_old || d.only_new)
			*arena_push(a, c.list, c.n) = d;
	}
	count_rules(lab, &c, a);
	return c;
}
