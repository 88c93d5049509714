/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDITOPT_TESTS_GRIND_H
#define AUDITOPT_TESTS_GRIND_H

#include "sides.h"

/*
 * Compares so many generated lines, each judged for itself behind -c, and small generated files, where the
 * load has to stop at the same line; then, of 20000 lines on, asks whether they had everything in them.
 */
void grind(struct tester *t, unsigned lines, uint64_t seed);

#endif
