/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One concrete event and what the lists make of it: the passes of kernel/auditsc.c taken literally, with at most one
 * collected name. Independent of the symbolic side, so that it can judge the witnesses found there.
 */
#ifndef AUDITOPT_EVENT_H
#define AUDITOPT_EVENT_H

#include "kernel/kernel.h"

enum event_kind {
	EV_SYSCALL,               /* exit of a system call, or of a task inside one */
	EV_WORKER,                /* io_uring operation in a worker: arch and number are 0 there */
	EV_TASK,                  /* creation of a task; values are the creator's */
};

struct fact {                     /* something that is true or not of the event: a field with operator and value */
	uint32_t id, op, value;
	const char *text;
	bool holds;
};

struct event {
	enum event_kind kind;
	enum abi abi;
	unsigned nr;
	bool has_result, success; /* no result: the task died in the call, or the watched file just went away */
	bool has_saddr;
	bool how_read, how_write; /* openat2's access mode */
	bool wide_a0;             /* a0 has bits above the lower 32, which fields do not see and perm does (audit_match_perm) */
	bool newer_class;         /* the kernel has the classes that grew after 6.1 */
	struct event_number {
		uint32_t id, value;
		bool matters;     /* the event depends on it: worth telling */
	} *numbers;               /* fields with one value; those not named are 0 */
	size_t nnumbers;
	uint32_t *groups;         /* supplementary groups */
	size_t ngroups;
	struct fact *facts;       /* names, labels, exe: those not named are false */
	size_t nfacts;
};

struct decision {
	const struct krule *by;   /* the rule that decided; NULL: none matched */
	bool recorded;
	const char *key;          /* NULL: none */
};

uint32_t event_number(const struct event *e, uint32_t id);
/* What the set makes of the event. O(rules x fields). */
struct decision kernel_decide(const struct kset *k, const struct event *e);

#endif
