/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the guests into the report. Whatever they say is checked before it is used as an index. */
#include "lab/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(struct arena *a, json_t *msg, const char *key)
{
	json_t *j = json_object_get(msg, key);
	return arena_strndup(a, json_is_string(j) ? json_string_value(j) : "", json_string_length(j));
}

static json_int_t int_of(json_t *msg, const char *key)
{
	json_t *j = json_object_get(msg, key);
	return json_is_integer(j) ? json_integer_value(j) : INT32_MIN;
}

/* The set a message speaks of; NULL when there is none with that number. */
static const struct lab_set *set_of(const struct source *s, json_t *msg)
{
	json_int_t i = int_of(msg, "set");
	return i >= 0 && (size_t)i < s->gather->job->nsets ? &s->gather->job->sets[i] : NULL;
}

static const char **texts_of(struct arena *a, json_t *list, size_t *n)
{
	const char **out = NULL;
	size_t i;
	json_t *e;
	json_array_foreach(list, i, e) * arena_push(a, out, *n) =
	    arena_strndup(a, json_string_value(e) ? json_string_value(e) : "", json_string_length(e));
	return out;
}

static bool on_hello(struct source *s, json_t *msg)
{
	struct lab_report *r = s->gather->report;
	snprintf(r->kernel, sizeof(r->kernel), "%s", text_of(r->arena, msg, "release"));
	return json_is_true(json_object_get(msg, "audit")) == s->audit;
}

static bool on_tick(struct source *s, json_t *msg)
{
	snprintf(s->said, sizeof(s->said), "%s", text_of(s->gather->report->arena, msg, "text"));
	return true;
}

static bool on_trouble(struct source *s, json_t *msg)
{
	s->trouble = text_of(s->gather->report->arena, msg, "text");
	return true;
}

static bool on_load(struct source *s, json_t *msg)
{
	struct lab_report *r = s->gather->report;
	const struct lab_set *set = set_of(s, msg);
	json_int_t sent = int_of(msg, "sent"), held = int_of(msg, "held");
	if (!set || sent < 0 || held < 0)
		return false;
	struct lab_load *l = arena_push(r->arena, r->loads, r->nloads);
	*l = (struct lab_load){.set = set->name, .sent = (size_t)sent, .held = (size_t)held};
	l->failures = texts_of(r->arena, json_object_get(msg, "failures"), &l->nfailures);
	l->checked = json_is_true(json_object_get(msg, "checked"));
	l->agrees = json_is_true(json_object_get(msg, "agrees"));
	if (l->checked && !l->agrees)
		l->disagreement = text_of(r->arena, msg, "disagreement");
	return true;
}

static bool on_figure(struct source *s, json_t *msg)
{
	struct gather *g = s->gather;
	json_int_t number = int_of(msg, "block");
	const struct workload *w = workload_by_id(text_of(g->report->arena, msg, "workload"));
	if (!w || number < 0 || (int_of(msg, "set") != -1 && !set_of(s, msg)))
		return false;
	*arena_push(g->report->arena, g->blocks, g->nblocks) = (struct block){
	    .audit = s->audit,
	    .set = (long)int_of(msg, "set"),
	    .number = (size_t)number,
	    .auid = int_of(msg, "auid"),
	    .workload = w,
	    .median = json_number_value(json_object_get(msg, "median")),
	    .mean = json_number_value(json_object_get(msg, "mean")),
	    .min = json_number_value(json_object_get(msg, "min")),
	};
	return true;
}

static bool on_triggers(struct source *s, json_t *msg)
{
	struct lab_report *r = s->gather->report;
	json_t *rules = json_object_get(msg, "rules");
	r->triggers = texts_of(r->arena, json_object_get(msg, "labels"), &r->ntriggers);
	r->trigger_rule = arena_array(r->arena, int, r->ntriggers + 1);
	for (size_t i = 0; i < r->ntriggers; i++)
		r->trigger_rule[i] = (int)json_integer_value(json_array_get(rules, i));
	return json_array_size(rules) == r->ntriggers;
}

static bool on_events(struct source *s, json_t *msg)
{
	struct lab_report *r = s->gather->report;
	const struct lab_set *set = set_of(s, msg);
	json_int_t trigger = int_of(msg, "trigger");
	if (!set || trigger < 0 || (size_t)trigger >= r->ntriggers)
		return false;
	struct lab_events *e = arena_push(r->arena, r->events, r->nevents);
	*e = (struct lab_events){.set = set->name, .auid = int_of(msg, "auid"), .trigger = (size_t)trigger};
	e->events = texts_of(r->arena, json_object_get(msg, "lines"), &e->nevents);
	return true;
}

static bool on_done(struct source *s, json_t *msg)
{
	(void)msg;
	s->guest->done = true;
	return true;
}

static const struct kind {
	const char *type;
	bool (*take)(struct source *s, json_t *msg);
} kinds[] = {
    {"hello", on_hello},   {"tick", on_tick},         {"trouble", on_trouble}, {"load", on_load},
    {"figure", on_figure}, {"triggers", on_triggers}, {"events", on_events},   {"done", on_done},
};

bool gather_message(void *ctx, json_t *msg, const char **err)
{
	struct source *s = ctx;
	const char *type = json_string_value(json_object_get(msg, "type"));
	for (size_t i = 0; type && i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].type, type) != 0)
			continue;
		if (!kinds[i].take(s, msg))
			*err = arena_printf(s->gather->report->arena,
					    "a `%s' message of the guest makes no sense", type);
		return *err == NULL;
	}
	*err = "the guest sent a message of an unknown kind";
	return false;
}

/* ---- figures
 * ------------------------------------------------------------------------------------------------------ */

static double value_of(const struct block *b)
{
	return b->workload->centre == BENCH_MEDIAN ? b->median : b->mean;
}

/* All blocks of one set, workload and login uid as one figure; nothing when there are none. */
static void add_figure(struct gather *g, const char *name, bool audit, long set, const struct workload *w,
		       int64_t auid)
{
	struct lab_report *r = g->report;
	struct lab_figure f = {.set = name, .workload = w->id, .auid = auid};
	double low = 0, high = 0;
	size_t n = 0;
	for (size_t i = 0; i < g->nblocks; i++) {
		const struct block *b = &g->blocks[i];
		if (b->audit != audit || b->set != set || b->workload != w || b->auid != auid)
			continue;
		double v = value_of(b);
		low = n == 0 || v < low ? v : low;
		high = n == 0 || v > high ? v : high;
		f.min = n == 0 || b->min < f.min ? b->min : f.min;
		f.median += b->median;
		f.mean += b->mean;
		n++;
	}
	if (n == 0)
		return;
	f.median /= (double)n;
	f.mean /= (double)n;
	f.value = low;             /* what disturbs a block only ever adds instructions */
	f.spread = high - low;
	*arena_push(r->arena, r->figures, r->nfigures) = f;
}

static void add_figures(struct gather *g, const char *name, bool audit, long set)
{
	for (size_t w = 0; w < g->job->nworkloads; w++) {
		for (size_t i = 0; i < g->job->nauids; i++)
			add_figure(g, name, audit, set, workload_by_id(g->job->workloads[w]),
				   g->job->auids[i]);
	}
}

/*
 * The empty set was measured first and last: where one process works alone and the median is the figure, both must be
 * the same number, but for a few instructions in thousands: opens and copies may find a cache in another state.
 */
static bool near(double x, double y)
{
	return fabs(x - y) <= 0.005 * x;
}

static bool agree(const struct gather *g)
{
	for (size_t i = 0; i < g->nblocks; i++) {
		for (size_t k = 0; k < i; k++) {
			const struct block *a = &g->blocks[i], *b = &g->blocks[k];
			if (a->set == -1 && b->set == -1 && a->audit == b->audit &&
			    a->workload == b->workload && a->auid == b->auid &&
			    a->workload->centre == BENCH_MEDIAN && !a->workload->two_processes && !near(value_of(a), value_of(b)))
				return false;
		}
	}
	return true;
}

void gather_figures(struct gather *g, bool wall_clock)
{
	if (g->job->baselines) {
		add_figures(g, "audit off", false, -1);
		add_figures(g, "no rules", true, -1);
	}
	for (size_t i = 0; i < g->job->nsets; i++)
		add_figures(g, g->job->sets[i].name, true, (long)i);
	g->report->exact = !wall_clock && agree(g);
}
