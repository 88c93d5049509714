/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What passes see: the set as it is now, and a way to propose a change. */
#ifndef AUDITOPT_SEARCH_H
#define AUDITOPT_SEARCH_H

#include "optimize/optimize.h"

struct search {
	struct arena *arena;
	const struct optimize_options *o;
	const struct pass *pass;          /* the one running */
	const struct rule **rules;        /* as they are now, in load order */
	size_t n;
	struct kset *k;                   /* the same, loaded */
	double score;
	struct optimized *result;
};

struct proposal {
	const struct rule *const *rules;  /* the whole set as it would be */
	size_t n;
	const struct rule *old[2];        /* what goes */
	size_t nold;
	const struct rule *new;           /* what comes; NULL: nothing */
	const char *reason;
	bool equal_cost;                  /* take it although the cost model sees no gain */
	const char **notes;
	size_t nnotes;
};

/* Proves and weighs a proposal; takes it when both agree. */
bool search_propose(struct search *s, const struct proposal *p);
/* The set with a rule put in front; memory in the arena. */
const struct rule **search_prepend(struct search *s, const struct rule *r, size_t *n);
/* What a set would score, and what a call costs there that no rule names; infinity when the kernel refuses a rule of it. */
double search_score(struct search *s, const struct rule *const *rules, size_t n, double *unnamed);
/* The set with rule i replaced by with (NULL: removed) and rule j (SIZE_MAX: none) removed; memory in the arena. */
const struct rule **search_replace(struct search *s, size_t i, const struct rule *with, size_t j, size_t *n);
/* Does the pass exempt whole tasks? The proof of the result leaves those out. */
bool is_task_loss(const struct pass *p);
bool search_assumes(const struct search *s, const char *name);
bool search_allows(const struct search *s, const char *name);
/* The held rule of a rule of the set. */
const struct krule *search_held(const struct search *s, const struct rule *r);

/* ---- rules as passes need them ---- */

/* "line 12", "lines 12 and 13", or the text of a made rule. */
const char *rule_origin(struct search *s, const struct rule *r);
struct rule *rule_copy(struct search *s, const struct rule *r);
/* The same fields as a multiset, leaving out those with the id (UINT32_MAX: none). */
bool rule_same_fields(const struct rule *a, const struct rule *b, uint32_t except);
void rule_drop_field(struct rule *r, uint32_t id);
/* Before the key, which auditctl always sends last. */
void rule_add_field(struct rule *r, uint32_t id, uint32_t op, uint32_t value);
bool mask_subset(const uint32_t a[AUDIT_BITMASK_SIZE], const uint32_t b[AUDIT_BITMASK_SIZE]);
unsigned mask_count(const uint32_t mask[AUDIT_BITMASK_SIZE]);

/* ---- the passes, a file each ---- */

bool pass_dead(struct search *s);
bool pass_duplicate(struct search *s);
bool pass_subsumed(struct search *s);
bool pass_fold(struct search *s);
bool pass_narrow(struct search *s);
bool pass_merge(struct search *s);
bool pass_fields(struct search *s);
bool pass_short_circuit(struct search *s);
bool pass_never_task_unset(struct search *s);
bool pass_never_task_all(struct search *s);

#endif
