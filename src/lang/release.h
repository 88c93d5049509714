/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Releases of auditctl and of the kernel, and what the former do otherwise. */
#ifndef AUDITOPT_RELEASE_H
#define AUDITOPT_RELEASE_H

#include <stdbool.h>

/* A release as a number: 3.0.9 is 30009. */
enum { AUDITCTL_DEFAULT = 30009 };
#define RELEASE(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
/* A kernel version as a number; the stable level does not matter here. */
#define KERNEL(major, minor) ((major) * 1000 + (minor))
enum { KERNEL_DEFAULT = KERNEL(6, 1) };

enum release_trait {
	T_WORD_LIMIT,          /* keeps a third of a line's length in words */
	T_CRASHES,             /* -D and -l look at a word that is not there */
	T_OWN_BYTES,           /* 0x04 and 0x07 stand for escaped characters inside */
	T_PERM_ADDS,           /* -F perm= adds system calls of a table of its own to the mask */
	T_PERM_OPEN2,          /* ... with the calls that table got later */
	T_IO_URING,            /* knows the io_uring list */
	T_PERM_FILTERS,        /* ... but for those that the machine lacks, instead of failing on them */
	T_LIST_ANY_CASE,       /* list names in any case; an unknown one written second is sent on */
	T_EXCLUDE_ANY_FIELD,   /* does not look at the fields of exclude rules */
	T_PREPEND_DELETES,     /* -A deletes */
	T_DELETE_MISSING,      /* -d is gone */
	T_WATCH_FIRST,         /* refuses -w behind anything else */
	T_WATCH_SLOW,          /* says that watches are slow */
	T_KEY_SEPARATOR,       /* refuses 0x01 in a key, also of -D and -l */
	T_HELP_WORD,           /* knows --help */
	T_HELP_SUCCEEDS,
	T_SIGNAL_STATE,        /* --signal takes stop, reload ... */
	T_CGROUP,              /* knows cgroup and cgroup2 as file system types */
	T_TRIMS_RETURN,        /* its augenrules drops a carriage return at a line's end */
	T_PARTS_NAMES,         /* ... and takes the name of a file with spaces as several names */
	T_COUNT,
};

/* Bytes that "4.0.4" needs. */
enum { RELEASE_TEXT = 16 };
/* "4.0.4" of 40004, written to text. */
const char *release_text(int release, char text[RELEASE_TEXT]);
bool release_has(int release, enum release_trait t);
/* "3.0", "4.1", "3.1.5" to a number, a line of releases being its last one; -1 for what was never released. */
int release_by_name(const char *text);
/* "5.15", "6.1.141", "4.18.0-553.el8" to KERNEL(major, minor), from 2.6.32 to 7.x; -1 for what is none. */
int kernel_by_name(const char *text);
/* The kernel whose audit code the named one has, where its distribution brought that up; else the same number. */
int kernel_audit_by_name(const char *text);

#endif
