/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prove: do two loaded sets treat every event alike? Answered exactly for numbers and their operators, system call
 * masks, ABI and perm classes; what depends on files, labels and programs is an atom that may be true or false, so
 * that a proof holds whatever the file system or the policy does.
 *
 * For each ABI and system call number (and for io_uring workers, and for task creation) the live rules of a set are
 *   - a sequence of path rules, which must be the same in both sets, in the same order, since which of them decides
 *     depends on the order in which the kernel met the names (kernel/auditsc.c:audit_filter_inodes
 *     ends with the first name that has a rule); and
 *   - a decision list of exit rules: a function from the event to (place among the path rules, action, key), which
 *     must be the same function. Decision diagrams make that a comparison of two numbers.
 */
#ifndef AUDITOPT_PROVE_H
#define AUDITOPT_PROVE_H

#include "kernel/event.h"

enum level {
	LEVEL_E0,                 /* the same system calls are recorded */
	LEVEL_E1,                 /* ... with the same key */
	LEVEL_E2,                 /* ... and the same auxiliary records (PATH, OBJ_PID ...) */
	LEVEL_E3,                 /* ... and the same companions of AVC and other kernel records */
};
const char *level_name(enum level l);

enum verdict { PROOF_EQUAL, PROOF_DIFFERENT, PROOF_UNDECIDED };

struct prove_options {
	enum level level;
	bool no_mac;              /* assumed: no security module writes records; quiet calls then have no companions */
	bool no_abi32;            /* assumed: the kernel cannot be entered by 32-bit system calls */
	bool no_witness;          /* equal or not is all that is asked: a difference is then reported as undecided */
	size_t max_nodes;         /* 0: four million */
};

struct witness {
	const char *event;        /* one line, readable */
	const char *a, *b;        /* what each set does with it */
};

struct proof {
	enum verdict verdict;
	const char *reason;       /* of an undecided or different one; NULL when equal */
	struct witness witness;   /* when different */
	size_t views, groups, nodes; /* ABI and number pairs; those told apart; diagram nodes */
};

/* Is b, at that level, the same as a? Texts go to the arena. */
struct proof prove(const struct kset *a, const struct kset *b, const struct prove_options *o, struct arena *arena);

/*
 * Can an always rule match a task whose loginuid is unset? True when it can or when that
 * cannot be decided; then *event is such an event.
 */
bool rule_matches_unset_auid(const struct krule *r, struct arena *arena, const char **event);

/* Without a security module no kernel record can start inside this call, so it has no companions. */
bool call_is_quiet(enum abi abi, unsigned nr);
/* Numbers that no always rule of the set can match on that ABI: what a short circuit may cover. None if undecided. */
void unmatched_calls(const struct kset *k, enum abi abi, uint32_t mask[AUDIT_BITMASK_SIZE]);

#endif
