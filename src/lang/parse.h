/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the reader: a line's words, and the state of one line while its options act. */
#ifndef AUDITOPT_LANG_PARSE_H
#define AUDITOPT_LANG_PARSE_H

#include "lang/lang.h"

/* ---- words --------------------------------------------------------------------------------------- */

enum {
	BUFFER = 6144, /* auditctl.c, fileopt: what one read of a line can hold, with the NUL */
	WORDS_MAX = BUFFER / 2 + 4,
};

struct words {
	char *argv[WORDS_MAX]; /* argv[0] is the program's name; NULL ends it. getopt moves them around */
	int argc;
	char *dropped; /* the first word beyond the limit, or NULL */
	char *runs_on; /* a word that ends in a lone kept byte: auditctl reads past its end; or NULL */
	char buf[BUFFER];
	uint16_t raw[BUFFER]; /* of each byte of buf: its offset in the line as written */
};

/*
 * Cuts a line (at most BUFFER - 1 bytes) into words, escapes resolved. limited: only so many words are kept as the line's
 * length allows for.
 */
void words_split(struct words *w, const char *text, size_t len, bool limited);

/* ---- state --------------------------------------------------------------------------------------- */

struct parser { /* of one text */
	const struct lang_env *env;
	struct diags *diags;
	struct ruleset *rs;
	const char **dirs; /* env->dirs, sorted */
	bool ignore;       /* -i or -c was met */
	bool stopped;      /* auditctl reads no further */
	struct mender *mender; /* of oddities.c; NULL until one is needed */
	struct words words;
};

enum { UNSET = 0x80 }; /* no list yet: AUDIT_FILTER_UNSET of libaudit.h */

struct scan { /* of one line; begins afresh with each */
	struct parser *p;
	struct words *w;
	const struct line *line;
	struct rule rule;
	uint32_t add, del; /* list, or UNSET */
	bool multiple;     /* one of -a -A -d was met */
	bool exclude;
	uint32_t elf; /* last arch given, or the machine's once -S needed one; 0: none yet */
	bool syscalls, perm, exe, fstype; /* what makes a rule worth a key */
	const char *key_at;               /* the word of the first key */
	char key[AUDIT_MAX_KEY_LEN + 2];
	bool failed, crashed;
};

/* Reports at a place of the line; where points into the words, or is NULL for the line as a whole. Sets
 * s->failed. */
bool scan_fail(struct scan *s, enum diag_code code, const char *where, size_t width, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
void scan_warn(struct scan *s, enum diag_code code, const char *where, size_t width, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
/* The release of auditctl in force, and whether it has a trait. */
int scan_release(const struct scan *s);
/* "auditctl 4.0.4", of the release in force. */
const char *scan_auditctl(const struct scan *s);
bool scan_has(const struct scan *s, enum release_trait t);
/* Column of a place in the words; 0 when it is in none. */
uint16_t scan_column(const struct scan *s, const char *where);
/* List of the rule so far, UNSET when none was given. */
uint32_t scan_list(const struct scan *s);

/* ---- values: all false after an error, which has been reported ----------------------------------- */

/* One `-F` text such as uid=0; cuts pair in place. */
bool parse_field(struct scan *s, char *pair);
/* One `-C` text such as uid!=euid; cuts pair in place. */
bool parse_compare(struct scan *s, char *pair);
/* One `-S` list. */
bool parse_syscalls(struct scan *s, char *list);
/* Letters of -p or perm= to bits. */
bool parse_perm(struct scan *s, const char *letters, uint32_t *out);
/* C notation with its oddities: digits first, junk after it ignored (with a warning), low 32 bits. */
bool parse_number(struct scan *s, const char *v, bool minus, bool is_unsigned, uint32_t *out);

/* Names of a -C pair in libaudit's order; NULL when there is no such pair. */
struct pair {
	uint32_t left, right, number;
};
const struct pair *pair_by_number(uint32_t number);
/* Machine of the 32 bit side (MACH_X86 for MACH_86_64 ...), or the same machine. */
int machine_32(int machine);
bool machine_is_64(int machine);

/* ---- lines --------------------------------------------------------------------------------------- */

struct ruleset *ruleset_new(void);
void parser_init(struct parser *p, const struct lang_env *env, struct diags *diags, struct ruleset *rs);
/* Parses one line, no comment and of the buffer's size at most, and appends its requests. False when it fails. */
bool parse_line(struct parser *p, const struct line *line);
/* Nothing, spaces, or a comment: as auditctl sees it, not awk. */
bool line_is_comment(const char *text, size_t len);
/*
 * Cuts a text into lines as auditctl reads them, and appends them to the rule set. start: where the text
 * begins (a line number and a column above 1 when it is the middle of a file).
 */
void lines_cut(struct ruleset *rs, struct place start, const char *text, size_t len);
/* Parses all lines of the rule set in order; ends p's work. */
void parse_lines(struct parser *p);

/* ---- what is no text of rules -------------------------------------------------------------------- */

/*
 * Parses a line, comments too, and where bytes stand in it that a shell, an editor or another system would take otherwise
 * than auditctl does (tabs, quotes, carriage returns ...), says so once, instead of what follows from them.
 */
void mend_line(struct parser *p, struct line *line);
/* Behind the last line: what is told once a file. */
void mend_finish(struct parser *p);

#endif
