/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of system calls and of io_uring's operations, as a release of auditctl knows them. Private to lang. */
#ifndef AUDITOPT_CALLS_H
#define AUDITOPT_CALLS_H

#include <linux/audit.h>
#include <stdbool.h>
#include <stdint.h>

/* Number of a call's name on a machine (MACH_...), -1 when that release knows none. */
int named_call(const char *name, int machine, int release);
/* A name that a later release knows on that machine: its number and that release; -1 when there is none. */
int later_call(const char *name, int machine, int *release);
/* Of a call that a machine lacks and x86_64 has: what is called there instead; NULL when nothing is known. */
const char *instead_of_call(const char *name);
/* Number of an io_uring operation by name, -1 when that release has none. */
int uring_number(const char *name, int release);
/* A name that a later release knows: its number and that release; -1 when there is none. */
int later_uring(const char *name, int *release);
/* The reverse; NULL when that release has none. */
const char *uring_name(unsigned number, int release);
/* Adds all operations that have a name. */
void uring_all(int release, uint32_t mask[AUDIT_BITMASK_SIZE]);
/*
 * Adds the calls that perm stands for to this release, of those that the machine has. bits: AUDIT_PERM_... The first call that
 * the machine lacks, or NULL; the text is static.
 */
const char *perm_calls(uint32_t bits, int machine, int release, uint32_t mask[AUDIT_BITMASK_SIZE]);

#endif
