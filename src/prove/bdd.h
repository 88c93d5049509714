/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hash-consed decision diagrams with integer terminals (Bryant 1986; multi-terminal). One manager for a proof: two
 * functions are equal exactly when their nodes are the same number.
 */
#ifndef AUDITOPT_BDD_H
#define AUDITOPT_BDD_H

#include "base/base.h"

typedef uint32_t node;            /* index; the terminals 0 and 1 are BDD_FALSE and BDD_TRUE */
enum { BDD_FALSE = 0, BDD_TRUE = 1 };

struct bdd;

/* max_nodes bounds memory (16 bytes a node and as much again for the caches). Freed by bdd_free. */
struct bdd *bdd_new(size_t max_nodes);
void bdd_free(struct bdd *b);
/* More nodes were needed than allowed: every result since is meaningless, the proof must be given up. */
bool bdd_overflowed(const struct bdd *b);
size_t bdd_size(const struct bdd *b);

/* A new variable, below all earlier ones in the order. */
unsigned bdd_new_var(struct bdd *b);
unsigned bdd_nvars(const struct bdd *b);
node bdd_var(struct bdd *b, unsigned var);
/* Terminal with a value >= 2 of the caller's choosing; the same value gives the same node. */
node bdd_terminal(struct bdd *b, unsigned value);
bool bdd_is_terminal(const struct bdd *b, node n);
unsigned bdd_value(const struct bdd *b, node n);

/* if c then t else e; c has the terminals 0 and 1 only. */
node bdd_ite(struct bdd *b, node c, node t, node e);
static inline node bdd_and(struct bdd *b, node x, node y)
{
	return bdd_ite(b, x, y, BDD_FALSE);
}
static inline node bdd_or(struct bdd *b, node x, node y)
{
	return bdd_ite(b, x, BDD_TRUE, y);
}
static inline node bdd_not(struct bdd *b, node x)
{
	return bdd_ite(b, x, BDD_FALSE, BDD_TRUE);
}

/*
 * An assignment under which f and g differ, with few variables set: value[var] is 0, 1 or -1 (either). value has
 * room for all variables. False when f == g. O(nodes).
 */
bool bdd_difference(struct bdd *b, node f, node g, signed char *value);
/* Value of f under an assignment; unset variables count as 0. */
unsigned bdd_eval(const struct bdd *b, node f, const signed char *value);

#endif
