/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel: what the kernel does with requests: which rules it holds, on which list, in which order, and what one
 * concrete event makes of them. Facts and their sources: Linux 6.1, kernel/auditfilter.c and kernel/auditsc.c.
 */
#ifndef AUDITOPT_KERNEL_H
#define AUDITOPT_KERNEL_H

#include "lang/lang.h"

/* ---- architectures and system calls ---------------------------------------------------------------------------------- */

enum abi { ABI_64, ABI_32, ABI_COUNT };   /* x86_64 and i386 entry; x32 numbers match no rule (audit_in_mask) */
enum { NR_LIMIT = 2032 };                  /* usable numbers are 0..2031; the 16 above stand for classes */

/* AUDIT_ARCH_... value the kernel compares `arch` with. */
uint32_t abi_arch(enum abi abi);
/* Name of a number on that ABI, NULL when libaudit knows none. */
const char *abi_syscall_name(enum abi abi, unsigned nr);
/* Number of a name, -1 when libaudit knows none. */
int abi_syscall_number(enum abi abi, const char *name);

enum { PERM_X = 1, PERM_W = 2, PERM_R = 4, PERM_A = 8 };
enum open_kind { OPEN_NOT, OPEN_A1, OPEN_A2, OPEN_HOW, OPEN_SOCKETCALL }; /* where perm finds the access mode */
/* How audit_match_perm sees a number: bits that match always; and whether r/w further depend on flags (*open). */
unsigned perm_class(enum abi abi, unsigned nr, enum open_kind *open);
/* The number joined its class after 6.1 (setxattrat ...): on an older kernel perm never matches it. */
bool perm_class_uncertain(enum abi abi, unsigned nr);
/* The mask as the kernel keeps it: class bits replaced by the members of the class. */
void mask_expand(const uint32_t sent[AUDIT_BITMASK_SIZE], uint32_t held[AUDIT_BITMASK_SIZE]);
/* All numbers for which a rule with these perm bits can match, of every kernel this program knows (a superset is safe). */
void perm_mask(enum abi abi, unsigned bits, uint32_t mask[AUDIT_BITMASK_SIZE]);
bool signal_class_intersects(enum abi abi, const uint32_t mask[AUDIT_BITMASK_SIZE]);

/* ---- the loaded set --------------------------------------------------------------------------------------------------------- */

enum home { HOME_USER, HOME_TASK, HOME_EXIT, HOME_HASH, HOME_EXCLUDE, HOME_FILESYSTEM, HOME_URING, HOME_COUNT };

struct krule {
	const struct rule *rule;             /* as sent */
	size_t request;                      /* its index in the rule set's requests */
	enum home home;
	uint32_t mask[AUDIT_BITMASK_SIZE];    /* classes expanded, class bits cleared (audit_to_entry_common) */
	unsigned nfields;
	struct field fields[AUDIT_MAX_FIELDS]; /* auid=unset turned into loginuid_set */
	bool counts, signals;                /* in audit_n_rules, in audit_signals while it is there */
	size_t order;                        /* 0 = highest priority among exit and hash rules; position elsewhere */
};

struct kset {
	struct arena *arena;
	struct krule *rules;                 /* every rule held, by falling priority within exit+hash, list order elsewhere */
	size_t n;
	bool counted;                        /* some rule counts in audit_n_rules and cannot leave it by itself */
	bool signals;                        /* likewise audit_signals */
	uint32_t enabled;                    /* last -e, or 1 */
	int kernel;                          /* KERNEL(..): whose checks the rules passed */
	bool ended;                          /* a failed line or a refused request ended the load before the last request */
};

/*
 * Applies the requests of a rule set to an empty kernel. A request the kernel refuses gets a diagnostic in ds: an
 * error that ends the load there, as in auditctl -R, or a warning when the set ignores errors (-i, -c).
 * The result points into rs, which must outlive it. Freed by kset_free.
 */
struct kset *kset_load(const struct ruleset *rs, struct diags *ds);
/*
 * The same as if no failed line or refused request ended the load: what a reader of the whole file has to know. Only the
 * first diagnostic of an end has `stops'.
 */
struct kset *kset_load_whole(const struct ruleset *rs, struct diags *ds);
/* How the message of a refusal ends that ends the load. */
extern const char kset_ends_load[];
void kset_free(struct kset *k);
/* Leaves every rule out of the two counters: for judging some rules of a set by what they record alone. */
void kset_uncount(struct kset *k);
/* Loads rules given one after the other (no settings) into that kernel; used on what passes make. */
struct kset *kset_of_rules(const struct rule *const *rules, size_t n, int kernel, struct diags *ds);
/* Does the rule count in audit_n_rules: it is on a task, exit or io_uring list. */
bool home_is_counted(enum home h);

/* A number under an operator: unsigned 32 bits, as kernel/auditfilter.c:audit_comparator. */
bool number_compare(uint32_t left, uint32_t op, uint32_t right);
/* The arch fields of a rule allow this ABI (no arch field: yes). */
bool krule_allows_abi(const struct krule *k, enum abi abi);

#endif
