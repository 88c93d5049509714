/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trigger: what the guest does so that the kernel records events for the rules of a set, and what is left of
 * the records when everything that differs from run to run is taken away. Planning needs no privilege and
 * touches nothing; preparing and executing change files, ids and times of the system they run on, and so
 * refuse to run anywhere but in the guest: as pid 1, with the guest's mark (LAB_MARK) in place.
 */
#ifndef AUDITOPT_TRIGGER_H
#define AUDITOPT_TRIGGER_H

#include "kernel/kernel.h"

#define LAB_MARK "/auditopt-lab"            /* exists in the guest only */
#define TRIGGER_DIR "/run/auditopt-trigger" /* files of the triggers' own */
#define TRIGGER_WORD "\001auditopt-trigger" /* argv[1] of a program started by a trigger */

/* ---- calls: one row each (trigger_calls.c) ------------------------------------------------------------- */

enum call_flags {
	CALL_FORK = 1,        /* changes or replaces its process: made in a child of its own */
	CALL_OPEN = 2,        /* takes open flags: in a1, a2 or struct open_how */
	CALL_NAME = 4,        /* removes or replaces the name it is given */
	CALL_EXEC = 8,        /* takes the path of a program */
	CALL_XATTR = 16,      /* leaves an extended attribute */
	CALL_SECOND_DIR = 32, /* wants the second name to be a directory */
	CALL_FD = 64,         /* gives a descriptor, to be closed again */
	CALL_INET = 128,      /* its address is one of IPv4 unless the rule asks for another family */
};

/* What an unprivileged process is refused with EPERM. */
enum call_eperm {
	EPERM_FOREIGN, /* O_NOATIME, chmod, chown ... on a file of somebody else */
	EPERM_STICKY,  /* a name in a sticky directory */
	EPERM_SEALED,  /* cutting a memory file that is sealed against it; refused to root too */
};

struct call_row {
	const char *name; /* as libaudit names it, on either ABI */
	const char *args; /* one letter an argument, trigger_run.c arg_value() */
	unsigned flags;
	enum call_eperm eperm;
};

extern const struct call_row call_table[];
extern const size_t call_table_len;

struct call_denied {
	const char *name;
	const char *reason; /* why no trigger ever makes this call */
};

extern const struct call_denied call_denied_table[];
extern const size_t call_denied_table_len;
/* The reason why this number is never called on this ABI, or NULL. Numbers without a name are denied too. */
const char *call_denied(enum abi abi, unsigned nr);
/* The row of a number, or NULL. */
const struct call_row *call_row_of(enum abi abi, unsigned nr);

/* ---- the plan ------------------------------------------------------------------------------------------ */

enum trigger_outcome { OUTCOME_ANY, OUTCOME_SUCCESS, OUTCOME_EACCES, OUTCOME_EPERM, OUTCOME_ENOENT };

enum step_variant {
	STEP_PLAIN,
	STEP_NOTDIR, /* open with O_DIRECTORY on a file: fails after the name was looked up */
	STEP_OVER,   /* rename something over the object instead of the object away */
	STEP_SECOND, /* the second name, which does not exist: made by the call */
	STEP_NULL,   /* every argument a null pointer or -1 */
};

struct trigger_step {
	uint16_t nr;
	uint16_t variant; /* enum step_variant */
	int16_t row;      /* in call_table; -1: no row, which goes with STEP_NULL only */
};

enum { ID_RUID, ID_EUID, ID_SUID, ID_RGID, ID_EGID, ID_SGID, ID_COUNT };
enum { TRIGGER_AUID_CALLER = -2 };

/* The later one wins on one path. */
enum object_kind { OBJECT_FILE, OBJECT_PROGRAM, OBJECT_EXE, OBJECT_DIR };

/* What has to exist. */
struct trigger_object {
	const char *path;
	enum object_kind kind; /* PROGRAM ends at once with status 0; EXE is this program */
	mode_t mode;
};

/* Where a step acts when its trigger names no object; by outcome and call, trigger_place(). */
enum place_id {
	PLACE_PLAIN,
	PLACE_PROGRAM,
	PLACE_OPEN,
	PLACE_FOREIGN,
	PLACE_CLOSED,
	PLACE_STICKY,
	PLACE_ABSENT,
	PLACE_COUNT
};
extern const struct trigger_object place_table[PLACE_COUNT];

struct trigger {
	const char *label; /* "rule 3 (key) b64, /etc/passwd": unique enough for a report */
	int rule;          /* index of the first rule it was made for; -1: the sweep */
	bool negative;     /* made so that one field of the rule is not met */
	enum abi abi;
	bool low_pointers; /* int $0x80: pointers are made below 4 GiB */
	int64_t auid;      /* TRIGGER_AUID_CALLER, or the only login uid for which it makes sense */
	uint32_t ids[ID_COUNT];
	enum trigger_outcome outcome;
	const struct trigger_object *object; /* acted on; NULL: a place of the triggers' own */
	const char *exe;                     /* program to make the calls as; NULL: this process */
	uint32_t open_flags;
	uint32_t family; /* of socket addresses, AF_...; 0: by call */
	uint32_t fixed;  /* bit i: argument i has the value arg[i] unless it is a pointer */
	uint32_t arg[4];
	struct trigger_step *steps;
	size_t nsteps;
};

struct trigger_plan {
	struct trigger *list;
	size_t n;
	const struct trigger_object **objects; /* directories before what lies in them */
	size_t nobjects;
	int *of_rule; /* for each rule its first trigger, -1 if there is nothing that could be done for it */
	size_t nrules;
};

enum { TRIGGER_CALLS = 12 }; /* different system calls of one rule that a trigger makes */

/*
 * A trigger or more for each rule: its calls with every field met, as far as that can be arranged, then with
 * one field not met; then a sweep over all numbers that any rule names. The same rules give the same plan.
 * Memory in the arena.
 */
struct trigger_plan *trigger_plan(struct arena *a, const struct rule *const *rules, size_t n);

/* ---- acting: in the guest only ------------------------------------------------------------------------- */

/*
 * Makes the objects; once, before any rule is loaded. 0 or a negative errno: -EPERM outside the guest.
 * Programs and libraries of the guest itself are left as they are.
 */
int trigger_prepare(const struct trigger_plan *p);
/*
 * Makes the calls in a process that was born with login uid auid (-1: left unset), waits for it, and puts the
 * objects back. 0, or a negative errno when the calls could not be made (their own failures are what is
 * wanted). Does nothing for an object that trigger_prepare could not make.
 */
int trigger_execute(const struct trigger *t, int64_t auid);
/* First thing in main: true when this process was started by a trigger; it has then done its calls and must
 * exit. */
bool trigger_exec_stub(int argc, char **argv);

/* ---- events -------------------------------------------------------------------------------------------- */

struct audit_record {
	unsigned type;    /* AUDIT_SYSCALL ... */
	const char *text; /* "audit(1700000000.123:45): arch=..."; need not end in NUL */
	size_t len;
};

/*
 * One line an event, sorted, without what differs from run to run: times, serials, pids, sessions, addresses,
 * inode numbers. Records of user space and of configuration changes, and LOGIN records without a SYSCALL
 * record, are left out. Memory in the arena.
 */
void event_normalize(struct arena *a, const struct audit_record *records, size_t n, const char ***lines,
		     size_t *nlines);

#endif
