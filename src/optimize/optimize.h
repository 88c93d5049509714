/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * optimize: rewrites of a rule set, one pass each, searched to a fixed point. A pass only proposes; what it proposes is
 * taken when the prover finds it equal (or the loss was allowed by name) and the cost model finds it no dearer.
 */
#ifndef AUDITOPT_OPTIMIZE_H
#define AUDITOPT_OPTIMIZE_H

#include "cost/cost.h"
#include "prove/prove.h"

enum pass_kind { PASS_LOSSLESS, PASS_ASSUMING, PASS_LOSS };

struct search;

struct pass {
	const char *name;
	enum pass_kind kind;
	const char *needs;        /* the --assume or --allow name; NULL for a lossless one */
	const char *what;         /* one line */
	const char *condition;    /* when it holds, and the source of that */
	bool (*run)(struct search *s); /* proposes; true when something was taken */
	bool removes;             /* only takes rules away */
};

extern const struct pass pass_table[];
extern const size_t pass_table_len;

/* Facts about the host that may be assumed by name, and losses that may be allowed; one row each. */
struct option_name {
	const char *name, *what;
};
extern const struct option_name assumption_table[], loss_table[];
extern const size_t assumption_table_len, loss_table_len;

struct change {
	const struct pass *pass;
	const struct rule **old, **new;
	size_t nold, nnew;
	const char *reason;       /* why this one, in terms of these rules */
	const char *needs;        /* assumption or loss it rests on; NULL: none */
	struct proof proof;       /* of this step, at the level it was proved for */
	enum level level;
	double cost_before, cost_after; /* modelled instructions per call, mean of calls and profiles */
	const char **notes;       /* of a loss: what is given up, by whom, alternatives */
	size_t nnotes;
};

struct optimize_options {
	const char *const *assume, *const *allow;
	size_t nassume, nallow;
	const struct coefficients *coefficients;
	const struct lang_env *env;
	const struct progress *progress;
};

struct optimized {
	struct arena *arena;
	const struct rule **before, **after; /* in load order */
	size_t nbefore, nafter;
	struct kset *kset_before, *kset_after;
	struct change *changes;
	size_t nchanges;
	struct proof proof;       /* before against after, without the losses of the never-task kind */
	enum level level;         /* it was proved for */
	bool several_files;       /* the rules come from more than one: a line number alone says too little */
	size_t tried, refused;    /* proposals made; those the prover or the model turned down */
};

/*
 * Reduces what k holds. k and its rules must outlive the result. Never fails: without a provable gain, after is before.
 * Deterministic. Freed by optimized_free.
 */
struct optimized *optimize(const struct kset *k, const struct optimize_options *o);
void optimized_free(struct optimized *r);
/* Does a change take part that the proof leaves out: one that exempts whole tasks? */
bool exempts_tasks(const struct optimized *r);

struct output_info {              /* for the head of the reduced file */
	const char *input, *sha256;
	const char *version;
};

/*
 * The reduced rules file: a header, the input's comments and settings, rules that stay as they were written, new ones
 * with a note of the lines they replace. *err is set and false returned when a rule cannot be written, or when the text
 * read back is not exactly the intended set: nothing may be written to a file then.
 */
bool output_rules(const struct ruleset *in, const struct optimized *r, const struct lang_env *env,
		  const struct output_info *info, struct str *out, const char **err);
/*
 * Was rule i of before a -w whose rewriting rests on what its path was found to be? auditctl asks anew at each load. Then
 * *path and *dir are set.
 */
bool output_path_type(const struct optimized *r, size_t i, const char **path, bool *dir);
/* The input as it was loaded, for going back. */
void output_rollback(const struct ruleset *in, struct str *out);

#endif
