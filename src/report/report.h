/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report: what the main job found, for a terminal and as JSON (schema auditopt-report/1, written down in README). Reads
 * results only; decides nothing.
 */
#ifndef AUDITOPT_REPORT_H
#define AUDITOPT_REPORT_H

#include <jansson.h>
#include "lab/lab.h"
#include "optimize/optimize.h"

struct main_report {
	const char *input, *sha256;       /* path as given; of its bytes */
	const struct optimized *o;
	const struct coefficients *coefficients;
	const struct lang_env *env;
	const struct lab_report *lab;     /* NULL: not verified */
	const char *rules_file, *json_file, *rollback_file; /* NULL: not written */
};

/* ---- two sets compared by what the guest recorded ---- */

enum { SET_OLD, SET_NEW };
extern const char *const set_names[];     /* "old", "new": the names of the two sets in every lab job of this kind */

struct event_difference {
	const char *trigger;
	int64_t auid;
	const char *only_old, *only_new;  /* first event line that only one side has; NULL: none on that side */
	size_t lines_old, lines_new;      /* how many such lines each side has */
};

struct event_comparison {
	size_t triggers, events;          /* trigger runs per set; events seen under the old set */
	size_t rules, rules_seen;         /* rules with a trigger of their own; those whose trigger recorded something */
	struct event_difference *list;
	size_t n;
};

/* Texts point into the report. O(triggers x events). */
struct event_comparison events_compare(const struct lab_report *lab, struct arena *a);

/* The figure of a workload under a set for a login uid; NULL when it was not measured. */
const struct lab_figure *lab_figure_of(const struct lab_report *lab, const char *set, const char *workload, int64_t auid);

/* ---- text ---- */

void report_summary(const struct main_report *m, struct str *out);
void report_rules(const struct main_report *m, size_t top, struct str *out);
void report_changes(const struct main_report *m, struct str *out);
/* Where a rule was read: the line's number, behind its file's name where the rules come from several. "0": made here. */
const char *place_name(const struct optimized *o, const struct rule *r, struct arena *a);
/* Which rules of the result every call still pays for, and why they cannot go. */
void report_remains(const struct main_report *m, struct str *out);
void report_lab(const struct lab_report *lab, struct str *out);
void report_files(const struct main_report *m, struct str *out);

/* ---- JSON ---- */

/* The whole report; indented, with a newline at the end. False: it has no text (see json_out). */
bool report_json(const struct main_report *m, struct str *out);
/* The lab's part: loads, figures, events. New reference. */
json_t *report_lab_json(const struct lab_report *lab);

#endif
