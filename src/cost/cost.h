/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cost: what a loaded set costs on a system call, in kernel instructions, from a dozen coefficients
 * (kernel-semantics 6, lab-findings C). Modelled figures; the lab gives counted ones.
 */
#ifndef AUDITOPT_COST_H
#define AUDITOPT_COST_H

#include "kernel/kernel.h"

/* One calibration: instructions per step, for one kernel. Read from a file under bench/calibration/. */
struct coefficients {
	char kernel[64];          /* release the figures were counted on */
	double off;               /* getppid without audit context */
	double no_rules;          /* added: context, no counted rule */
	double counted;           /* added: at least one counted rule, a daemon registered */
	double mask_miss;         /* an exit rule whose mask lacks the call */
	double mask_hit;          /* an exit rule whose mask has the call, before its first field */
	double field[FC_OBJ_LABEL + 1]; /* one evaluated field, by cost class */
	double stop_never;        /* a matching never rule: applied and the list left */
	double name;              /* collecting one name */
	double notify;            /* file system notification, for a call on a file system with watches or dir rules */
	double hash_probe;        /* a path or inode rule met in its bucket, mask hit, before its fields */
	double event;             /* writing an event with three records */
	double record;            /* each further record */
	double task;              /* task creation: each rule of the task list */
};

/* Reads a calibration file (JSON); 0 or a negative errno, *err then says what was expected. */
int coefficients_read(const char *path, struct coefficients *out, struct arena *a, const char **err);
/* The figures built in from the shipped file for Debian 12's kernel. */
const struct coefficients *coefficients_default(void);

/* What a call looks like to the model: no name collected unless the call takes one; every field of a rule behind the
 * arch test is assumed to be decided as written in the task facts. */
struct call {
	enum abi abi;
	unsigned nr;
	unsigned names;           /* names the call collects (0: getppid, read, write) */
	uint32_t auid, uid;       /* of the caller; 4294967295 = unset */
};

/* Instructions one krule adds to that call when it does not match. Exact in the model, O(fields). */
double cost_rule_on_call(const struct coefficients *c, const struct krule *k, const struct call *call);
/* Whole call: state, names, walk (until the first rule that must match). */
double cost_call(const struct coefficients *c, const struct kset *k, const struct call *call);
/* Names a number collects at the least on this ABI: 0 for calls that take no path. */
unsigned call_names(enum abi abi, unsigned nr);

/* A mix of system calls; shares sum to 1. */
struct profile {
	const char *name, *what;
	const struct profile_call { const char *syscall; double share; } *calls;
	size_t n;
};
extern const struct profile profile_table[];
extern const size_t profile_table_len;
/* Mean instructions per call of a profile under a set. */
double cost_profile(const struct coefficients *c, const struct kset *k, const struct profile *p);
/* One figure to order candidate sets by: the mean of a call no rule names and of all shipped profiles. */
double cost_score(const struct coefficients *c, const struct kset *k);

#endif
