/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lang: the language of auditctl. Text in, requests to the kernel out, with where each came from; and back to text.
 * Nothing here asks the kernel or opens a netlink socket: names come from libaudit's tables, from the account files
 * and the list of directories in struct lang_env.
 */
#ifndef AUDITOPT_LANG_H
#define AUDITOPT_LANG_H

#include <libaudit.h>
#include "base/base.h"
#include "lang/codes.h"
#include "lang/release.h"

/* ---- fields: one row each, and everything about a field is derived from its row ---------------------------------- */

enum field_kind {       /* what its value is, and how text becomes it */
	FK_NUMBER,      /* digits, C notation */
	FK_SNUMBER,     /* digits, one minus allowed */
	FK_UID,         /* number, minus, `unset`, or a user name */
	FK_GID,         /* number or a group name */
	FK_EXIT,        /* number or errno name */
	FK_ARCH,
	FK_MSGTYPE,
	FK_FSTYPE,
	FK_FILETYPE,
	FK_PERM,
	FK_SADDR,
	FK_SESSION,
	FK_COMPARE,     /* pair number of -C */
	FK_TEXT,        /* SELinux names: any text */
	FK_PATH,        /* path, dir, exe */
	FK_KEY,
};

enum field_source {      /* what the kernel looks at; decides how model and proof treat it */
	FS_TASK,         /* a number of the task or the system call, one value an event */
	FS_GROUP,        /* gid, egid: the id and, for = and !=, the supplementary groups */
	FS_RESULT,       /* exit, success: absent when the task dies */
	FS_ARCH,
	FS_PERM,         /* by number, arch and open flags only */
	FS_SADDR,        /* absent when no address was copied */
	FS_NAMES,        /* one of the names collected (existential): obj_*, dev*, inode, filetype */
	FS_LABEL,        /* subject label */
	FS_EXE,
	FS_DIR,
	FS_PATH,         /* decides placement: the rule hangs on an inode */
	FS_COMPARE,
	FS_RECORD,       /* msgtype, fstype: lists of their own */
	FS_KEY,
};

enum field_cost {        /* by the work in kernel/auditsc.c:audit_filter_rules, cheapest first */
	FC_FREE, FC_SCALAR, FC_PPID, FC_PERM, FC_GROUPS, FC_NAMES, FC_DIR, FC_LABEL, FC_EXE, FC_OBJ_LABEL,
};

enum { OPS_ALL = 0xff, OPS_ORDER = 0x3f, OPS_EQ = 0x03, OPS_ONLY_EQ = 0x01 }; /* bits: = != < <= > >= & &= */

struct field_info {
	uint32_t id;             /* AUDIT_... of linux/audit.h */
	const char *name;        /* as libaudit prints it */
	enum field_kind kind;
	enum field_source source;
	enum field_cost cost;
	uint8_t kernel_ops;      /* operators the kernel accepts (OPS_...) */
	bool exit_only;          /* auditctl: only with the exit list */
	bool exclude_ok;         /* auditctl 3.0: allowed with exclude */
	bool at_fork;            /* evaluated for real on the task list */
};

extern const struct field_info field_table[];
extern const size_t field_table_len;
/* NULL when there is no such field. O(1) amortised over the table's size. */
const struct field_info *field_by_id(uint32_t id);
/* Bit of an operator value (AUDIT_EQUAL ...) in the OPS_ masks; 0 for an unknown one. */
uint8_t op_bit(uint32_t op);
/* "=", "!=", ... as written; "?" for an unknown one. */
const char *op_text(uint32_t op);
bool field_is_text(uint32_t id); /* its value travels in the buffer: text, path, key */

/* ---- rules --------------------------------------------------------------------------------------------------------- */

struct field {
	uint32_t id;
	uint32_t op;             /* AUDIT_EQUAL ... */
	uint32_t value;          /* of text fields: its length in bytes */
	uint16_t column, width;  /* where its text stands in the line, from 1, and its bytes; 0: nowhere */
	const char *text;        /* of text fields: the bytes, NUL-terminated beyond value; else NULL */
};

struct place {                   /* where something was written; lines and columns count from 1, columns in bytes */
	const char *file;
	unsigned line, column;
};

struct line {                    /* one line of input, kept so that a writer can put comments back */
	struct place at;
	const char *text;        /* without the newline */
	size_t len;
	bool comment;            /* blank or comment */
	bool failed;             /* auditctl loads nothing of it and says so, or crashes */
	bool stops;              /* it is the one that ends the load */
	bool part;               /* not one whole line of its file: cut, or joined with another file's */
};

struct rule {                    /* exactly the payload auditctl would send, see dump */
	uint32_t flags;          /* list, plus AUDIT_FILTER_PREPEND */
	uint32_t action;         /* AUDIT_NEVER or AUDIT_ALWAYS */
	uint32_t mask[AUDIT_BITMASK_SIZE];
	unsigned nfields;
	struct field fields[AUDIT_MAX_FIELDS];
	bool watch;              /* written as -w */
	uint16_t list_at, calls_at; /* columns of the list and action (or the watched path) and of the first -S list; 0: none */
	bool added;              /* by a pass, from no rule of the input: line only says where it is to stand */
	const struct line *line; /* NULL: of no text */
};

static inline uint32_t rule_list(const struct rule *r)
{
	return r->flags & 0x7;
}
static inline bool mask_has(const uint32_t mask[AUDIT_BITMASK_SIZE], unsigned nr)
{
	return nr < AUDIT_BITMASK_SIZE * 32 && (mask[nr / 32] >> (nr % 32) & 1);
}
static inline void mask_add(uint32_t mask[AUDIT_BITMASK_SIZE], unsigned nr)
{
	if (nr < AUDIT_BITMASK_SIZE * 32)
		mask[nr / 32] |= UINT32_C(1) << (nr % 32);
}
bool mask_is_all(const uint32_t mask[AUDIT_BITMASK_SIZE]); /* all 2048 bits */
bool mask_is_empty(const uint32_t mask[AUDIT_BITMASK_SIZE]);
/* The first field with that id, or NULL. */
const struct field *rule_field(const struct rule *r, uint32_t id);
/* The key text (keys joined by \001), or NULL. */
const char *rule_key(const struct rule *r);

enum request_kind {
	REQ_ADD, REQ_DELETE,     /* rule */
	REQ_SET,                 /* mask, name, value */
	REQ_DELETE_ALL,          /* key: NULL or the -k of -D */
	REQ_TRIM, REQ_EQUIV,     /* text: the mount pair */
	REQ_FEATURE,             /* name, value: --loginuid-immutable, --reset-lost ... */
	REQ_OTHER,               /* user message, status, list, signal: nothing of the rules depends on it */
};

struct request {
	enum request_kind kind;
	struct rule *rule;
	uint32_t mask;           /* AUDIT_STATUS_... of REQ_SET */
	const char *name;        /* of settings: enabled, failure, rate_limit, backlog_limit, backlog_wait_time ... */
	uint32_t value;
	const char *key, *text;
	const struct line *line;
};

struct ruleset {
	struct arena *arena;     /* owns everything below; freed by ruleset_free */
	struct line *lines;
	size_t nlines;
	struct request *requests; /* in the order auditctl would send them, failed lines left out */
	size_t nrequests;
	size_t nloaded;          /* the first so many are what auditctl gets to before an error stops it; else all */
	int kernel;              /* of the env it was read with: the one whose audit code is asked */
	bool ignore_errors;      /* -i or -c was met before an error stopped the load: failed lines do not stop it */
};

/* ---- diagnostics ----------------------------------------------------------------------------------------------------- */

enum edit_kind { EDIT_REPLACE, EDIT_DELETE, EDIT_BEFORE, EDIT_AT_END }; /* of a line; AT_END: of its file */

struct edit {                    /* a step that mends what a diagnostic tells of */
	enum edit_kind kind;
	struct place at;         /* the line; its column counts for nothing */
	const char *text;        /* whole lines, each with its newline; NULL for EDIT_DELETE */
};

struct related {                 /* another place that the diagnostic speaks of */
	struct place at;
	const char *what;        /* "the rule that decides first" */
};

struct diag {
	const struct diag_info *info;
	enum severity severity;  /* of info, but for what a set that ignores errors (-i, -c) survives */
	struct place at;
	const char *message;     /* what is wrong and what was expected, one sentence */
	const char *line;        /* text of the line, for the caret; may be NULL */
	unsigned width;          /* bytes under the caret, at least 1 */
	bool stops;              /* auditctl would end the load here */
	struct edit *edits;      /* all of them together mend it; none: only its author can */
	size_t nedits;
	bool loses;              /* with them less is recorded than before */
	struct related *related;
	size_t nrelated;
};

struct diags {
	struct arena *arena;
	struct diag *list;
	size_t n, errors;
};

/* ---- reading --------------------------------------------------------------------------------------------------------- */

struct accounts;                 /* names to ids; read from account files */
/* Reads passwd(5) and group(5) files; a NULL path means the host's name service is asked at look-up. NULL + *err on failure. */
struct accounts *accounts_read(struct arena *a, const char *passwd, const char *group, const char **err);

struct lang_env {                /* what a line means besides its text; a plain struct of facts */
	int machine;             /* MACH_... of libaudit: the target's; audit_detect_machine() for this one */
	struct accounts *accounts; /* NULL: the host's */
	const char *const *dirs; /* paths that -w takes as directories; NULL: stat() of this host decides */
	size_t ndirs;
	const char *root;        /* the directory in which the host's files are asked for; NULL: / */
	int auditctl;            /* the release that loads the file, RELEASE(3, 0, 9); 0: that one */
	int kernel;              /* the kernel that takes the rules, KERNEL(6, 1); 0: that one */
	int kernel_audit;        /* the kernel whose audit code that one has; 0: its own */
};

/*
 * Reads rules text. Always returns a rule set (what could be read); everything wrong is in diags, all errors of the
 * text in one run. Linear in the text.
 */
struct ruleset *rules_parse(const char *file, const char *text, size_t len, const struct lang_env *env,
			    struct diags *diags);
/*
 * The same for a path: a file, "-" for standard input, or a directory that is merged as augenrules does; there each
 * line keeps its own file and number. NULL only when it cannot be opened (then there is a diagnostic).
 */
struct ruleset *rules_read(const char *path, const struct lang_env *env, struct diags *diags);
/* The same lines as another env reads them: another auditctl, another machine. rs must outlive the result. */
struct ruleset *rules_again(const struct ruleset *rs, const struct lang_env *env, struct diags *diags);
void ruleset_free(struct ruleset *rs);
/* Would augenrules read a file of that name in a rules.d directory? */
bool rules_d_name(const char *name);

/* ---- writing --------------------------------------------------------------------------------------------------------- */

/* One line of `dump`, with newline: the request as the kernel would receive it. */
void request_dump(const struct request *q, struct str *out);
void rule_dump(const struct rule *r, bool delete, struct str *out);
/*
 * The rule as a line of a rules file, no newline, as readable as it can be (names where the arch is known, numbers
 * elsewhere). Reading it back with env gives the same payload: false if no text can (then nothing is added).
 */
bool rule_write(const struct rule *r, const struct lang_env *env, struct str *out);
/* The payload as libaudit's structure; caller frees with free(). */
struct audit_rule_data *rule_to_data(const struct rule *r);
/* The reverse; false when data does not hold together. Texts go to the arena. */
bool rule_from_data(struct arena *a, const struct audit_rule_data *d, struct rule *out);
/* Same field, operator and value, texts by content. */
bool field_same(const struct field *a, const struct field *b);
/* Same payload byte for byte (flags, action, mask, fields in order). */
bool rule_same(const struct rule *a, const struct rule *b);

/* "file:line:column: error: message [AR014]" with the line and a caret; with escapes for a terminal where color is asked for. */
void diag_print(const struct diag *d, bool color, struct str *out);
/* The new diagnostic, valid until the next one is added. */
struct diag *diag_add(struct diags *ds, enum diag_code code, struct place at, const struct line *line, unsigned width,
		      const char *fmt, ...) PRINTF_LIKE(6, 7);
void diag_set_severity(struct diags *ds, struct diag *d, enum severity sev);
/* Adds an edit or a place to a diagnostic; texts are copied. */
void diag_edit(struct diags *ds, struct diag *d, enum edit_kind kind, struct place at, const char *text);
void diag_relate(struct diags *ds, struct diag *d, struct place at, const char *what);

#endif
