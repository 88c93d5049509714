/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be wrong with rules: one row each. The number is stable: pipelines and suppressions name it. 0xx is reading a
 * file and its options, 04x-06x a rule's parts, 07x the kernel's refusals, 1xx what a loaded rule silently does, 2xx
 * what it does on this host, 3xx what it does under another auditctl, kernel or machine.
 */
#ifndef AUDITOPT_CODES_H
#define AUDITOPT_CODES_H

enum severity { SEV_ERROR, SEV_WARNING, SEV_NOTE };

enum diag_code {
	AR_FILE = 1,
	AR_LONG_LINE,
	AR_CARRIAGE_RETURN,
	AR_TAB,
	AR_KEPT_BYTE,
	AR_WORDS_DROPPED,
	AR_JOINED,
	AR_SUPERSEDED,
	AR_QUOTES,
	AR_NUL,
	AR_BYTE_ORDER_MARK,
	AR_STALE_INDENT,
	AR_NO_FILES,

	AR_NO_OPTION = 20,
	AR_UNKNOWN_OPTION,
	AR_STRAY_WORD,
	AR_TRAILING_COMMENT,
	AR_SETTING,
	AR_NOT_IN_FILE,
	AR_EXTRA_WORDS,
	AR_CRASH,
	AR_MESSAGE,
	AR_EQUIVALENT,
	AR_SIGNAL,
	AR_LINE_ENDED,
	AR_LIST_ACTION,
	AR_TWO_LISTS,
	AR_POSSIBLE,
	AR_NO_LIST,
	AR_SYSCALLS_ON_LIST,

	AR_FIELD = 40,
	AR_PAIR,
	AR_FIELD_LIST,
	AR_OPERATOR,
	AR_NUMBER,
	AR_NUMBER_CUT,
	AR_USER,
	AR_GROUP,
	AR_ARCH,
	AR_ARCH_LATE,
	AR_SYSCALL,
	AR_NO_SYSCALL,
	AR_NUMBER_DIFFERS,
	AR_VALUE,
	AR_VALUE_ZERO,
	AR_PERM,
	AR_PERM_PLACE,
	AR_COMPARE,
	AR_TEXT_LENGTH,
	AR_FIELDS,
	AR_KEY_ALONE,
	AR_KEY_LENGTH,
	AR_KEY_SEPARATOR,
	AR_WATCH_PATH,
	AR_WATCH_PATTERN,
	AR_WATCH_PLACE,

	AR_REFUSED = 70,
	AR_EXISTS,
	AR_NOT_THERE,
	AR_LOCKED,

	AR_SAME_RULE = 100,
	AR_SHADOWED,
	AR_KEY_NEVER,
	AR_PART_SHADOWED,
	AR_CONTRADICTION,
	AR_COMPARED_PART,
	AR_UNSIGNED,
	AR_UNSET_AUID,
	AR_NO_ARCH,
	AR_ARCH_MISMATCH,
	AR_ONE_ABI,
	AR_FAMILY,
	AR_NEVER_TASK,
	AR_AT_FORK,
	AR_EXCLUDE_ACTION,
	AR_EXCLUDED,
	AR_LIST_ENDS,
	AR_AFTER_LOCK,
	AR_NO_DELETE_ALL,
	AR_NO_BACKLOG,
	AR_NO_FAILURE,
	AR_PANIC,
	AR_EVERY_CALL,
	AR_OWN_DELETION,
	AR_PERM_CLASS,
	AR_X32,
	AR_IO_URING,
	AR_REDUNDANT_FIELD,
	AR_DIR_PATH,
	AR_ALL_CALLS,
	AR_DISABLED,
	AR_DELETES_LOADED,
	AR_SET_TWICE,
	AR_LIST_EMPTY,
	AR_FS_ALWAYS,

	AR_PATH_MISSING = 200,
	AR_PARENT_MISSING,
	AR_SYMLINK,
	AR_REPLACED,
	AR_OTHER_MOUNT,
	AR_EXE,
	AR_LABEL,
	AR_NO_32BIT,
	AR_KIND_CHANGES,

	AR_PERM_WIDENED = 300,
	AR_PREPEND_DELETES,
	AR_WATCH_SLOW,
	AR_WATCH_FIELDS,
	AR_LIST_UNKNOWN,
	AR_CALL_VERSION,
	AR_KERNEL_FIELD,
	AR_KERNEL_LIST,
	AR_MACHINE,
};

struct diag_info {
	enum diag_code code;
	enum severity severity;
	const char *name;        /* a word for suppressions and reports: "unknown-field" */
	const char *title;       /* what is wrong, a phrase */
	const char *effect;      /* what then happens, one sentence */
	const char *remedy;      /* what to write instead, one sentence */
	const char *bad, *good;  /* rules that have it, and how they should be; NULL where no text alone shows it */
};

extern const struct diag_info diag_table[];
extern const unsigned diag_table_len;
/* The row of a code; every enumerator has one. */
const struct diag_info *diag_info(enum diag_code code);
/* By "AR014", "ar14" or name; NULL when there is none. */
const struct diag_info *diag_by_name(const char *text);

#endif
