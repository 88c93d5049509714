/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lint: what a rule set does otherwise than its text says. Reads the rules as they were written, the set that the kernel
 * would hold, and facts about the host; adds diagnostics (lang/codes.h) and, where one can be given, edits that mend
 * them. Linear in the number of rules: a comparison of rules is bounded, and says so when it was cut short.
 */
#ifndef AUDITOPT_LINT_H
#define AUDITOPT_LINT_H

#include "kernel/kernel.h"

/* ---- facts about the host ------------------------------------------------------------------------------------------ */

enum path_kind {
	PATH_UNKNOWN,             /* nothing is known */
	PATH_FILE,                /* anything but the following */
	PATH_DIR,
	PATH_LINK,                /* the last component is a symbolic link */
	PATH_MISSING,             /* its directory is there */
	PATH_NO_PARENT,           /* its directory is not */
};

struct path_fact {
	const char *path;         /* as a rule names it */
	enum path_kind kind;
	const char *target;       /* of a link: where it leads in the end, NULL when nowhere */
	bool target_dir;          /* of a link: that is a directory */
	const char *mount;        /* of a directory: a file system that is mounted below it, NULL: none */
};

struct host {
	struct path_fact *paths;  /* sorted by path */
	size_t npaths;
	bool certain;             /* the host was named: what is missing there is missing where the rules will be loaded */
	int abi32;                /* 32 bit system calls can be made: 1 yes, 0 no, -1 not known */
	int x32, io_uring;        /* the same for the x32 table and for io_uring */
	const char *const *labels; /* types, users and roles of the policy, sorted; NULL: not known */
	size_t nlabels;
};

/*
 * What the host says of the paths that the rules name. root: the directory its files are in, NULL or "" for this
 * host's own. Memory in the arena. Asks the file system only: a question that fails leaves PATH_UNKNOWN.
 */
struct host *host_ask(const struct ruleset *rs, const char *root, struct arena *a);
/* The fact of a path; never NULL. */
const struct path_fact *host_path(const struct host *h, const char *path);

/* ---- the checks ------------------------------------------------------------------------------------------------------ */

struct lint {
	const struct ruleset *rs;
	const struct kset *k;     /* what the kernel would hold after the whole load */
	const struct lang_env *env;
	const struct host *host;  /* NULL: nothing is known, and checks that need it say nothing */
	struct diags *ds;
	struct arena *arena;      /* for the work; ds has its own */
};

struct lint_check {
	const char *name;
	void (*run)(struct lint *l);
};

extern const struct lint_check lint_table[];
extern const size_t lint_table_len;

/* Runs every check of the table. Diagnostics come in the order of the checks; diags_sort orders them by place. */
void lint_run(struct lint *l);
/* By file, line, column; stable. O(n log n). */
void diags_sort(struct diags *ds);

/* ---- for the checks: diagnostics of a rule ---------------------------------------------------------------------------- */

/* At field i of the rule; where the text has no such place, at the line. */
struct diag *lint_field(struct lint *l, enum diag_code code, const struct rule *r, unsigned i, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
/* At the -S list of the rule, or its list and action where there is none. */
struct diag *lint_calls(struct lint *l, enum diag_code code, const struct rule *r, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* At the list and action (or watched path). */
struct diag *lint_rule(struct lint *l, enum diag_code code, const struct rule *r, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Of the set as a whole: at its first file, without a line. */
struct diag *lint_set(struct lint *l, enum diag_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Field i as it stands in the text, or as it would be written. In l->arena. */
const char *lint_text(struct lint *l, const struct rule *r, unsigned i);
/* AUDIT_ARCH_ of the machine's 64 and 32 bit tables; 0 where it has none. */
void lint_archs(const struct lint *l, uint32_t archs[2]);
/* "file:line" or, in the file of from, "line N": how one rule is named in a message about another. In l->arena. */
const char *lint_name(struct lint *l, const struct line *of, const struct line *from);
/*
 * An edit that replaces width bytes at a column of the rule's line (column 0: nothing is added and false returned).
 * text "" takes them out, with the space before them.
 */
bool lint_edit_words(struct lint *l, struct diag *d, const struct rule *r, unsigned column, unsigned width, const char *text);
/* The same for a whole field, with its -F or -C. */
bool lint_edit_drop(struct lint *l, struct diag *d, const struct rule *r, unsigned i);
/* An edit that takes the rule's line away; false when something else stands on it. */
bool lint_edit_delete(struct lint *l, struct diag *d, const struct krule *k);
/* An edit that adds words to the end of the rule's line, before its key if it ends in one. */
void lint_edit_append(struct lint *l, struct diag *d, const struct rule *r, const char *words);

/* ---- the checks, one file each --------------------------------------------------------------------------------------- */

void lint_settings(struct lint *l);   /* settings.c: -D -b -f -e, their order, what comes behind */
void lint_lists(struct lint *l);      /* lists.c: task, user, exclude and filesystem lists */
void lint_calls_check(struct lint *l); /* calls.c: arch, the two tables, families, perm classes */
void lint_values(struct lint *l);     /* values.c: one rule's fields against each other */
void lint_order(struct lint *l);      /* order.c: rules against earlier ones */
void lint_host(struct lint *l);       /* host.c: paths, programs, labels, entries of the kernel */
void lint_targets(struct lint *l);    /* targets.c: other releases, kernels and machines */

/* ---- a whole set, from its path ------------------------------------------------------------------------------------- */

struct diag_filter {              /* which diagnostics are wanted, by the rows of diag_table */
	bool *only, *ignore;      /* NULL: all, none */
};

/*
 * Takes a list of codes or names with commas or spaces: those alone, or not those; several lists of a kind add up. A file that
 * cannot be read is told of all the same. False: *bad is the word that is neither, or the list when it names nothing.
 */
bool filter_add(struct diag_filter *f, const char *list, bool only, struct arena *a, const char **bad);

struct check_options {
	const struct lang_env *env;
	bool ask_host;            /* ask the files below root what they say of the paths */
	const char *root;         /* NULL: this host's */
	bool other_kernel;        /* the kernel there is not the one that takes the rules: its entries are not asked for */
	const char *const *labels; /* of the policy that will be loaded, sorted; NULL: as the host says */
	size_t nlabels;
	const struct diag_filter *filter;
	bool no_notes;
};

struct checked {                  /* one file or directory, checked; freed by checked_free */
	const char *path;
	struct arena *arena;
	struct ruleset *rs;       /* NULL: it could not be read */
	struct kset *k;           /* as if nothing ended the load */
	struct diags ds;          /* sorted by place */
	size_t rules, count[3];   /* rules read; diagnostics by severity */
};

/*
 * Reads, loads, checks. The findings are those of the whole file, also behind a line that ends the load: that one tells how
 * much is lost by it.
 */
void check_path(const char *path, const struct check_options *o, struct checked *c);
void checked_free(struct checked *c);
/* Frees the rules, which are most of it; findings and counts stay. */
void checked_release(struct checked *c);
/*
 * Findings that new has and old has not: of one code, about the same text, saying the same, and no worse than in old. Others
 * are dropped from new. O(n log n).
 */
void checked_subtract(struct checked *new, const struct checked *old);

/* ---- mending ---------------------------------------------------------------------------------------------------------- */

/*
 * Which diagnostics are mended in one go: those with edits whose lines no earlier one touches. less: also those that leave
 * less recorded. chosen has ds->n elements. Returns how many. O(edits log edits).
 */
size_t edits_choose(const struct diags *ds, bool less, bool *chosen);
/* The text of one file with the edits for it of the chosen diagnostics; all else byte for byte. */
void edits_apply(const struct diags *ds, const bool *chosen, const char *file, const char *text, size_t len, struct str *out);

#endif
