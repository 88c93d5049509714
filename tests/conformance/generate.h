/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines of rules, made at random from a grammar and then damaged a little, so that about half of them load.
 * The same seed gives the same lines.
 */
#ifndef AUDITOPT_TESTS_GENERATE_H
#define AUDITOPT_TESTS_GENERATE_H

#include "base/base.h"

struct gen;

/* Never NULL; to be freed with gen_free. */
struct gen *gen_new(uint64_t seed);
void gen_free(struct gen *g);
/* Adds one line without its newline; its bytes are any but the newline. */
void gen_line(struct gen *g, struct str *out);
/* Adds a small file: lines, mostly good ones, some of them -i or -c, perhaps without the final newline. */
void gen_file(struct gen *g, struct str *out);
/* A number below n, which is above 0. */
unsigned gen_below(struct gen *g, unsigned n);
/* Names what was never used so far of the grammar's rows, the fields and the kinds of damage, each with a
 * newline; how many. */
unsigned gen_unused(const struct gen *g, struct str *out);

#endif
