/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/labjob.h"

int labjob_option(struct labjob *j, int c, const char *value)
{
	switch (c) {
	case 'K':
		j->kernel = value;
		return 1;
	case 'W':
		if (!workload_by_id(value)) {
			cmd_trouble("no workload `%s': `auditopt bench --list' names them", value);
			return -1;
		}
		*arena_push(j->arena, j->workloads, j->nworkloads) = value;
		return 1;
	case 'T':
		j->no_triggers = true;
		return 1;
	case 'B':
		j->no_bench = true;
		return 1;
	default:
		return 0;
	}
}

/* All workloads that make system calls: the CPU controls would only show that the lab counts well. */
static void all_workloads(const struct labjob *j, const char ***list, size_t *n)
{
	for (size_t i = 0; i < workload_table_len; i++) {
		if (workload_table[i].calls)
			*arena_push(j->arena, *list, *n) = workload_table[i].id;
	}
}

struct lab_report *labjob_run(const struct labjob *j, const struct rule_options *rules, const struct labjob_set in[2])
{
	static const int64_t auids[] = {LAB_UNSET, 1000};
	const char **workloads = j->workloads;
	size_t nworkloads = j->nworkloads;
	if (j->no_bench)
		nworkloads = 0;
	else if (!nworkloads)
		all_workloads(j, &workloads, &nworkloads);
	struct lab_set sets[2];
	for (int i = 0; i < 2; i++)
		sets[i] = (struct lab_set){set_names[i], in[i].rules, in[i].n, in[i].text};
	struct lab_options o = {.kernel = j->kernel, .passwd = rules->passwd, .group = rules->group, .progress = cmd_progress()};
	struct lab_job job = {
		.sets = sets,
		.nsets = 2,
		.workloads = workloads,
		.nworkloads = nworkloads,
		.baselines = nworkloads > 0,
		.trigger = !j->no_triggers,
		.auids = auids,
		.nauids = ARRAY_SIZE(auids),
	};
	struct lab_report *r = lab_run(&o, &job);
	cmd_progress_end();
	return r;
}

bool labjob_misloads(const struct lab_report *r)
{
	for (size_t i = 0; i < r->nloads; i++) {
		const struct lab_load *l = &r->loads[i];
		if (l->nfailures || l->sent != l->held || (l->checked && !l->agrees))
			return true;
	}
	return false;
}

bool labjob_differs(const struct lab_report *r)
{
	struct arena *a = arena_new();
	bool differs = labjob_misloads(r) || events_compare(r, a).n > 0;
	arena_free(a);
	return differs;
}
