/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef AUDITOPT_TESTS_GRIND_H
#define AUDITOPT_TESTS_GRIND_H

#include "sides.h"

/*
 * Compares so many generated lines, each judged for itself behind -c, and small generated files, where the
 * load has to stop at the same line; then asks whether what was generated had everything in it.
 */
void grind(struct tester *t, unsigned lines, uint64_t seed);

#endif
