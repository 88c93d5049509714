/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cost: what a loaded set costs on a system call, in kernel instructions, from about thirty coefficients. Modelled
 * figures; the lab gives counted ones. The price of a set is a sum: the state of the task, the names collected, one
 * step for each rule of the exit list up to the first that matches, and the rules met in the buckets of the names.
 */
#ifndef AUDITOPT_COST_H
#define AUDITOPT_COST_H

#include "kernel/kernel.h"

/* ---- calibration --------------------------------------------------------------------------------------- */

/* One calibration: instructions per step, for one kernel. Read from a file under bench/calibration/. */
struct coefficients {
	char kernel[64];          /* release the figures were counted on */
	double off;               /* getppid without audit context */
	double no_rules;          /* added: context, no counted rule */
	double counted;           /* added: at least one counted rule, a daemon registered */
	double disabled;          /* added to off: context, auditing switched off again by -e 0 */
	double list;              /* added: the exit list holds a rule at all */
	double mask_miss;         /* an exit rule whose mask lacks the call */
	double mask_hit;          /* an exit rule whose mask has the call, before its first field */
	double arch;              /* one evaluated arch field; other fields of its class take field[] */
	double path;              /* one evaluated path field, met in the bucket of another inode */
	double field[FC_OBJ_LABEL + 1]; /* one evaluated field, by cost class; of perm the part that is always paid */
	double field_per_name;    /* added for each name to a field that looks at every name's numbers */
	double obj_label_per_name; /* the same for labels of objects */
	double perm_bit;          /* added to a perm field for each of r, w and a in its value */
	double ppid_once;         /* added to the first ppid field of a system call */
	double stop_never;        /* a matching rule: applied and the list left */
	double name;              /* collecting one name */
	double notify;            /* one file system notification, on a file system with watches or dir rules */
	double hash_probe;        /* a path or inode rule met in its bucket, mask hit, before its fields */
	double event;             /* writing an event with three records, for the caller alone */
	double record;            /* each further record */
	double task;              /* task creation: each rule of the task list, before its fields */
};

/* Reads a calibration file (JSON); 0 or a negative errno, *err then says what was expected (in the arena). */
int coefficients_read(const char *path, struct coefficients *out, struct arena *a, const char **err);
/* The same from text that is already there; the text need not end in NUL. */
int coefficients_parse(const char *text, size_t len, struct coefficients *out, struct arena *a, const char **err);
/* The figures built in from the shipped file for Debian 12's kernel; valid for the life of the process. */
const struct coefficients *coefficients_default(void);

/* ---- one call ------------------------------------------------------------------------------------------ */

/*
 * What a call looks like to the model. Fields that number, ABI, auid and uid decide are decided by them; all ids of
 * the caller are uid, and opens are for reading. What stays unknown is taken as if the call were none of those that
 * rules look for: a test for equality fails, any other test succeeds.
 */
struct call {
	enum abi abi;
	unsigned nr;
	unsigned names;           /* names the call collects (0: getppid, read, write) */
	uint32_t auid, uid;       /* of the caller; 4294967295 = unset */
};

/* A call of that number with the names and notifications of the table of calls. */
struct call call_of(enum abi abi, unsigned nr, uint32_t auid, uint32_t uid);
/* Names a number collects at the least when it succeeds, on this ABI: 0 for calls that take no path. */
unsigned call_names(enum abi abi, unsigned nr);
/* File system notifications it causes for the paths it takes. */
unsigned call_notifications(enum abi abi, unsigned nr);
/* abi_syscall_number, and the kernel's own name where libaudit's table has another (pread64 is its pread). */
int call_number(enum abi abi, const char *name);

/*
 * Instructions one krule adds to that call when the walk reaches it: of an exit rule the step, of a path or inode
 * rule the step times its expected number of meetings (names / 32 buckets), 0 of rules on other lists.
 */
double cost_rule_on_call(const struct coefficients *c, const struct krule *k, const struct call *call);

/* Where the instructions of a call go. Writing an event is kept apart: what is recorded is not the model's to change. */
struct call_cost {
	double state;             /* the call itself (taken as small as getppid) and the state of the task */
	double names;             /* collecting names */
	double notify;            /* notifications caused by watches and dir rules */
	double walk;              /* exit list, up to the first rule that matches */
	double buckets;           /* path and inode rules */
	double task;              /* task list, on calls that create a task */
	double event;             /* writing the event, when the deciding rule is an always rule; else 0 */
	const struct krule *decides; /* the exit rule that matches; NULL: none */
	bool exempt;              /* a never rule of the task list took the caller's context away */
};

/* each, unless NULL, has k->n entries: what each rule added, 0 for those that the walk did not reach. */
struct call_cost cost_call_parts(const struct coefficients *c, const struct kset *k, const struct call *call,
				 double *each);
/* Sum of the parts without the event. */
double call_cost_total(const struct call_cost *p);
/* Whole call: state, names, walk (until the first rule that must match), without writing an event. */
double cost_call(const struct coefficients *c, const struct kset *k, const struct call *call);
/* A number on this ABI that collects no name and that as few rules as possible name: getppid unless a rule has it. */
unsigned cost_unnamed_call(const struct kset *k, enum abi abi);
/* Numbers in a mask, the 16 class bits left out; NR_LIMIT: all. */
unsigned cost_mask_count(const uint32_t mask[AUDIT_BITMASK_SIZE]);

/* ---- mixes of calls ------------------------------------------------------------------------------------ */

/* A mix of 64-bit system calls by one kind of caller. */
struct profile {
	const char *name, *what;
	uint32_t auid, uid;       /* of its processes: services run with auid unset, logins with a user's */
	const struct profile_call {
		const char *syscall;  /* kernel name; NULL: all others, none of which takes a path */
		double share;         /* percent; users divide by their sum, which rounding keeps from being 100 */
	} *calls;
	size_t n;
};
extern const struct profile profile_table[];
extern const size_t profile_table_len;
/* Mean instructions per call of a profile under a set, events not counted. */
double cost_profile(const struct coefficients *c, const struct kset *k, const struct profile *p);
/* Adds to each[] (k->n entries) what each rule adds to the mean call of the profile. */
void cost_profile_rules(const struct coefficients *c, const struct kset *k, const struct profile *p, double *each);
/*
 * One figure to order candidate sets by, smaller is better: the mean of a call no rule names (half of them with auid
 * unset, half with a user's) and of all shipped profiles, each with the same weight.
 */
double cost_score(const struct coefficients *c, const struct kset *k);

/* ---- one set, looked at from all sides ----------------------------------------------------------------- */

enum cost_caller { CALLER_SERVICE, CALLER_USER, CALLER_COUNT }; /* auid unset; auid and uid 1000 */
struct call cost_caller_call(enum cost_caller who, enum abi abi, unsigned nr);

struct cost_rule {
	const struct krule *rule;
	double mean;              /* added to the mean call, over all shipped profiles */
	double *profiles;         /* the same for each profile of profile_table */
	double unnamed;           /* added to a call no rule names, mean of the callers */
	unsigned calls;           /* numbers in its mask; NR_LIMIT: all */
};

enum { DEAREST = 3 };

struct cost_row {                 /* one system call */
	enum abi abi;
	unsigned nr;
	const char *name;         /* NULL: libaudit knows none */
	struct call_cost by[CALLER_COUNT];
	double one_rule;          /* what it costs under a single watch it does not meet */
	unsigned ndearest;        /* rules that add most for the dearer caller, dearest first */
	struct {
		const struct krule *rule;
		double adds;
	} dearest[DEAREST];
};

struct cost_report {
	size_t lists[HOME_COUNT]; /* rules by home */
	size_t full;              /* exit rules tried on every number */
	size_t full_dirs;         /* dir rules among them */
	double score;             /* cost_score */
	double *profiles;         /* cost_profile of each */
	struct cost_row unnamed;  /* a call no rule names, 64 bit */
	struct cost_rule *rules;  /* all rules, most expensive first: by mean, then unnamed, then as loaded */
	size_t nrules;
	struct cost_row *rows;    /* all calls that a profile or a rule names, dearest first */
	size_t nrows;
};

/* Memory is the arena's; points into k. */
struct cost_report *cost_report(const struct coefficients *c, const struct kset *k, struct arena *a);
/* One row of it. */
struct cost_row cost_row(const struct coefficients *c, const struct kset *k, enum abi abi, unsigned nr);

#endif
