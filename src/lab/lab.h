/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lab: a throw-away guest (qemu) with a stock kernel, in which rule sets are loaded, measured and triggered. Nothing
 * of it touches the audit state of this machine.
 */
#ifndef AUDITOPT_LAB_H
#define AUDITOPT_LAB_H

#include "bench/bench.h"
#include "lang/lang.h"

struct lab_options {
	const char *kernel;       /* NULL: this host's readable /boot/vmlinuz-*, else the one make deps unpacked */
	const char *auditctl;     /* the real one, for cross-checking; NULL: found likewise; "" : none */
	const char *passwd, *group; /* account files auditctl sees in the guest; NULL: this host's */
	unsigned limit_s;         /* host seconds without a message after which the guest is killed; 0: 120 */
	bool wall_clock;          /* no -icount: time like a real machine, figures not exact */
	const struct progress *progress;
};

enum { LAB_UNSET = -1 };

struct lab_set {                  /* one rule set to load, in order, into an empty kernel */
	const char *name;
	const struct rule *const *rules;
	size_t nrules;
	const char *text;         /* the rules file, for the cross-check with auditctl -R; NULL: no cross-check */
};

/* What to do with each set. Every step starts from an empty rule list and ends with one. */
struct lab_job {
	const struct lab_set *sets;
	size_t nsets;
	const char *const *workloads;   /* ids; benchmarks run for every set in the order A B B A; n = 0: none */
	size_t nworkloads;
	bool baselines;           /* also measure: no rules; and (a second boot) audit=0 */
	bool trigger;             /* run the triggers of the union (sets in order, each rule once) on every set */
	const int64_t *auids;     /* login uids to run as: LAB_UNSET or a uid; each its own column */
	size_t nauids;
};

struct lab_figure {
	const char *set;          /* name of the set; "audit off", "no rules" for the baselines */
	const char *workload;
	int64_t auid;
	double median, mean, min; /* guest instructions an operation */
	double value;             /* the one to quote: the lower of the repeated blocks', by the workload's centre */
	double spread;            /* largest minus smallest of the repeated blocks' values: 0 where the lab is exact */
};

struct lab_load {                 /* how a set loaded */
	const char *set;
	size_t sent, held;        /* rules sent, rules listed afterwards */
	const char *const *failures; /* "rule 3: Rule exists" */
	size_t nfailures;
	bool checked;             /* auditctl loaded the text too ... */
	bool agrees;              /* ... and the kernel listed the same payloads */
	const char *disagreement; /* first difference as dump lines */
};

struct lab_events {               /* what one trigger made the kernel record under one set */
	const char *set;
	int64_t auid;
	size_t trigger;           /* index into triggers */
	const char *const *events; /* one normalized line an event, sorted: what must agree between sets */
	size_t nevents;
};

struct lab_report {
	struct arena *arena;
	char kernel[128];         /* release the guest said */
	char qemu[128];
	bool exact;               /* -icount was used and the first and last empty-set figures agreed (medians, 0.5 %) */
	struct lab_figure *figures;
	size_t nfigures;
	struct lab_load *loads;
	size_t nloads;
	const char **triggers;    /* a label each */
	int *trigger_rule;        /* rule index (in the union) it was made for */
	size_t ntriggers;
	struct lab_events *events;
	size_t nevents;
	const char *error;        /* NULL, or what went wrong, with the tail of the console */
};

/*
 * Runs a job in one guest (two with baselines). Never NULL; report->error says what failed: no qemu, no kernel, a guest
 * that hung (killed), panicked or sent damaged results. Guest, files and sockets are gone on return and on SIGINT.
 */
struct lab_report *lab_run(const struct lab_options *o, const struct lab_job *job);
void lab_report_free(struct lab_report *r);

/* The program as pid 1 of the guest. Does not return. */
void lab_agent(void);

#endif
