/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fields as decision diagrams. A number is 32 variables, so every operator is exact; a fact (file, label, program) is
 * one variable for each field, operator and value, unless its operators are negations of each other.
 */
#ifndef AUDITOPT_ATOMS_H
#define AUDITOPT_ATOMS_H

#include "kernel/event.h"
#include "prove/bdd.h"

struct view {                     /* where an event can come from */
	enum event_kind kind;
	enum abi abi;
	unsigned nr;
	unsigned perm;            /* class bits of the number */
	enum open_kind open;
	bool uncertain;           /* in its class only on newer kernels */
};

struct atoms;

struct atoms *atoms_new(struct bdd *b, struct arena *a);
/* The condition of a rule without its arch and perm fields: the same in every view of system calls. */
node atoms_base(struct atoms *t, const struct krule *r);
/* Its arch and perm fields in a view. */
node atoms_in_view(struct atoms *t, const struct krule *r, const struct view *v);
/* The condition of a rule of the task list. */
node atoms_at_fork(struct atoms *t, const struct krule *r);
/* The loginuid is unset. */
node atoms_unset_auid(struct atoms *t);
/* First field that the translation does not understand, or NULL: then no verdict may be built on it. */
const char *atoms_refused(const struct atoms *t);
/* The concrete event of an assignment in a view; memory in the atoms' arena. */
struct event *atoms_event(struct atoms *t, const struct view *v, const signed char *value);
/* The event in words. */
const char *atoms_describe(struct atoms *t, const struct event *e);

#endif
