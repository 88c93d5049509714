/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lab job that `verify` and `optimize --verify` share: two sets, measured and triggered, with the baselines. */
#ifndef AUDITOPT_LABJOB_H
#define AUDITOPT_LABJOB_H

#include "cmd/cmd.h"
#include "lab/lab.h"
#include "report/report.h"

struct labjob {
	const char *kernel;           /* --vmlinuz */
	const char **workloads;       /* --workload; none: all that have something to say about rules */
	size_t nworkloads;
	bool no_triggers, no_bench;
	struct arena *arena;
};

#define LABJOB_OPTIONS_LONG                                                                                            \
	{"vmlinuz", required_argument, NULL, 'K'}, {"workload", required_argument, NULL, 'W'},                          \
	    {"no-triggers", no_argument, NULL, 'T'}, {"no-bench", no_argument, NULL, 'B'}
#define LABJOB_OPTIONS_HELP                                                                                            \
	"  --vmlinuz FILE    kernel of the guest (default: this host's readable one, else that of `make deps')\n"     \
	"  --workload NAME   measure only this microbenchmark; may be repeated (default: all)\n"                       \
	"  --no-triggers     do not run the trigger programs that compare what is recorded\n"                          \
	"  --no-bench        do not run the microbenchmarks\n"
/* 1: taken; 0: not one of these; -1: bad value, a message has been printed. */
int labjob_option(struct labjob *j, int c, const char *value);

struct labjob_set {
	const struct rule *const *rules;
	size_t n;
	const char *text;             /* as auditctl would load it */
};

/* Runs old and new (set_names) in the guest, with the accounts the rules were read with. The report is the caller's. */
struct lab_report *labjob_run(const struct labjob *j, const struct rule_options *rules, const struct labjob_set sets[2]);
/* A set did not load whole, or auditctl loaded it otherwise: no loss explains that. */
bool labjob_misloads(const struct lab_report *r);
/* That, or events differ. */
bool labjob_differs(const struct lab_report *r);

#endif
