/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of -F, -C, -S and -p as libaudit 3.0.9 reads them (lib/libaudit.c: audit_rule_fieldpair_data,
 * audit_rule_interfield_comp_data, audit_rule_syscallbyname_data). Its own functions cannot be called here:
 * they ask the kernel for its features.
 */
#include "lang/accounts.h"
#include "lang/calls.h"
#include "lang/parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* ---- numbers ------------------------------------------------------------------------------------- */

bool parse_number(struct scan *s, const char *v, bool minus, bool is_unsigned, uint32_t *out)
{
	bool negative = minus && v[0] == '-' && isdigit((unsigned char)v[1]);
	if (!isdigit((unsigned char)v[0]) && !negative)
		return false;
	char *end;
	errno = 0;
	unsigned long n = is_unsigned && !negative ? strtoul(v, &end, 0) : (unsigned long)strtol(v, &end, 0);
	*out = (uint32_t)n;
	if (*end)
		scan_warn(s, AR_NUMBER_CUT, end, strlen(end), "auditctl ignores `%s' after the number and takes %u", end,
			  *out);
	else if (errno || (negative ? (long)n < INT32_MIN : n > UINT32_MAX))
		scan_warn(s, AR_NUMBER_CUT, v, strlen(v), "the number does not fit in 32 bits: auditctl takes %u", *out);
	return true;
}

static bool number_or_fail(struct scan *s, const char *v, bool minus, bool is_unsigned, const char *what,
			   uint32_t *out)
{
	if (parse_number(s, v, minus, is_unsigned, out))
		return true;
	return scan_fail(s, AR_NUMBER, v, strlen(v), "`%s' is no %s: expected %s", v, what,
			 minus ? "digits (0x for hexadecimal, a leading 0 for octal), one minus allowed"
			       : "digits (0x for hexadecimal, a leading 0 for octal)");
}

/* ---- arch ---------------------------------------------------------------------------------------- */

/* 64 bit machines and their 32 bit side: libaudit, audit_determine_machine. */
static const struct {
	int big, small;
} sides[] = {
    {MACH_86_64, MACH_X86},   {MACH_PPC64, MACH_PPC}, {MACH_S390X, MACH_S390},
    {MACH_AARCH64, MACH_ARM}, {MACH_PPC64LE, -1},     {MACH_IA64, -1},
};

int machine_32(int machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		if (sides[i].big == machine)
			return sides[i].small;
	}
	return machine;
}

bool machine_is_64(int machine)
{
	return machine_32(machine) != machine;
}

static unsigned arch_by_name(const struct scan *s, const char *v)
{
	int machine = s->p->env->machine;
	if (strcasecmp(v, "b64") == 0)
		return machine_is_64(machine) ? audit_machine_to_elf(machine) : 0;
	if (strcasecmp(v, "b32") == 0) {
		machine = machine_32(machine);
		return machine < 0 ? 0 : audit_machine_to_elf(machine);
	}
	machine = audit_name_to_machine(v);
	if (machine < 0) {
		errno = 0;
		unsigned elf = (unsigned)strtoul(v, NULL, 16);
		machine = errno ? -1 : audit_elf_to_machine(elf);
	}
	return machine < 0 ? 0 : audit_machine_to_elf(machine);
}

static bool read_arch(struct scan *s, struct field *f, const char *v)
{
	if (s->syscalls)
		return scan_fail(s, AR_ARCH_LATE, v, strlen(v), "arch stands after -S or -w: expected it before them");
	unsigned elf;
	if (isdigit((unsigned char)v[0])) {
		errno = 0;
		elf = (unsigned)strtoul(v, NULL, 0);
		if (errno || audit_elf_to_machine(elf) < 0)
			elf = 0;
	} else {
		elf = arch_by_name(s, v);
	}
	if (!elf && strcasecmp(v, "b32") == 0)
		return scan_fail(s, AR_ARCH, v, strlen(v), "%s has no 32 bit side: expected b64, or no rule for b32",
				 audit_machine_to_name(s->p->env->machine));
	if (!elf)
		return scan_fail(s, AR_ARCH, v, strlen(v),
				 "unknown architecture `%s': expected b64, b32, a machine name such as x86_64, or its number%s", v,
				 strncasecmp(v, "riscv", 5) == 0 ? " (auditctl 4.0.3 and later can be built to know riscv)" : "");
	s->elf = f->value = elf;
	return true;
}

/* ---- one reader a kind of value ------------------------------------------------------------------ */

static bool read_uid(struct scan *s, struct field *f, const char *v)
{
	if (parse_number(s, v, true, true, &f->value))
		return true;
	if (strcmp(v, "unset") == 0) {
		f->value = UINT32_MAX;
		return true;
	}
	if (accounts_uid(s->p->env->accounts, v, &f->value))
		return true;
	return scan_fail(s, AR_USER, v, strlen(v),
			 "unknown user `%s': expected a number, `unset' or the name of an account%s", v,
			 audit_name_to_field(v) > 0 ? " (-C compares two fields)" : "");
}

static bool read_gid(struct scan *s, struct field *f, const char *v)
{
	if (parse_number(s, v, false, false, &f->value) || accounts_gid(s->p->env->accounts, v, &f->value))
		return true;
	return scan_fail(s, AR_GROUP, v, strlen(v), "unknown group `%s': expected a number or the name of a group%s", v,
			 audit_name_to_field(v) > 0 ? " (-C compares two fields)" : "");
}

static bool read_exit(struct scan *s, struct field *f, const char *v)
{
	if (parse_number(s, v, true, false, &f->value))
		return true;
	f->value = (uint32_t)audit_name_to_errno(v);
	if (f->value)
		return true;
	return scan_fail(s, AR_VALUE, v, strlen(v),
			 "unknown error `%s': expected a number or an errno name such as -EACCES", v);
}

static bool read_msgtype(struct scan *s, struct field *f, const char *v)
{
	if (parse_number(s, v, false, false, &f->value))
		return true;
	int type = audit_name_to_msg_type(v);
	if (type <= 0)
		return scan_fail(s, AR_VALUE, v, strlen(v),
				 "unknown record type `%s': expected a number or a name such as AVC", v);
	f->value = (uint32_t)type;
	return true;
}

static uint32_t fstype_by_name(const struct scan *s, const char *v)
{
	if (scan_has(s, T_CGROUP) && strcasecmp(v, "cgroup") == 0)
		return CGROUP_SUPER_MAGIC;
	if (scan_has(s, T_CGROUP) && strcasecmp(v, "cgroup2") == 0)
		return CGROUP2_SUPER_MAGIC;
	return (uint32_t)audit_name_to_fstype(v);
}

static bool read_fstype(struct scan *s, struct field *f, const char *v)
{
	if (!parse_number(s, v, false, true, &f->value))
		f->value = fstype_by_name(s, v);
	if (f->value != UINT32_MAX)
		return true;
	return scan_fail(s, AR_VALUE, v, strlen(v),
			 "unknown file system type `%s': expected a number, tracefs or debugfs", v);
}

static bool read_filetype(struct scan *s, struct field *f, const char *v)
{
	int type = audit_name_to_ftype(v);
	if (type < 0)
		return scan_fail(s, AR_VALUE, v, strlen(v),
		    "unknown file type `%s': expected file, dir, socket, link, character, block or fifo", v);
	f->value = (uint32_t)type;
	return true;
}

bool parse_perm(struct scan *s, const char *letters, uint32_t *out)
{
	static const struct {
		char letter;
		uint32_t bit;
	} perms[] = {
	    {'r', AUDIT_PERM_READ}, {'w', AUDIT_PERM_WRITE}, {'x', AUDIT_PERM_EXEC}, {'a', AUDIT_PERM_ATTR}};

	size_t len = strlen(letters);
	if (len > 4)
		return scan_fail(s, AR_PERM, letters, len,
				 "`%s' is too long: expected one to four letters of r, w, x, a", letters);
	*out = 0;
	for (const char *c = letters; *c; c++) {
		uint32_t bit = 0;
		for (size_t i = 0; i < ARRAY_SIZE(perms); i++) {
			if (tolower((unsigned char)*c) == perms[i].letter)
				bit = perms[i].bit;
		}
		if (!bit)
			return scan_fail(s, AR_PERM, c, 1, "no such permission in `%s': expected letters of r, w, x, a", letters);
		*out |= bit;
	}
	return true;
}

static bool read_saddr(struct scan *s, struct field *f, const char *v)
{
	f->value = (uint32_t)strtoul(v, NULL, 0);
	if (f->value >= AF_MAX)
		return scan_fail(s, AR_VALUE, v, strlen(v),
				 "no address family has the number %u: expected less than %d", f->value,
				 AF_MAX);
	if (!isdigit((unsigned char)v[0]))
		scan_warn(s, AR_VALUE_ZERO, v, strlen(v), "auditctl knows no names of address families: `%s' is taken as %u",
			  v, f->value);
	return true;
}

static bool read_session(struct scan *s, struct field *f, const char *v)
{
	if (parse_number(s, v, true, true, &f->value))
		return true;
	f->value = strcmp(v, "unset") == 0 ? UINT32_MAX : 0;
	if (!f->value)
		scan_warn(s, AR_VALUE_ZERO, v, strlen(v), "`%s' is no number and not `unset': auditctl takes 0", v);
	return true;
}

static bool read_text(struct scan *s, struct field *f, const struct field_info *fi, const char *v)
{
	size_t len = strlen(v), max = fi->kind == FK_KEY ? AUDIT_MAX_KEY_LEN : PATH_MAX;
	if (len > max)
		return scan_fail(s, AR_TEXT_LENGTH, v, len, "the value has %zu bytes: expected at most %zu", len, max);
	f->value = (uint32_t)len;
	f->text = arena_strndup(s->p->rs->arena, v, len);
	return true;
}

/* Of plain numbers only inode goes through strtoul; it shows from 2^63 on. */
static bool read_value(struct scan *s, struct field *f, const struct field_info *fi, const char *v)
{
	switch (fi->kind) {
	case FK_NUMBER:
	case FK_COMPARE:
		return number_or_fail(s, v, false, fi->id == AUDIT_INODE, "number", &f->value);
	case FK_SNUMBER:
		return number_or_fail(s, v, true, true, "number", &f->value);
	case FK_UID:
		return read_uid(s, f, v);
	case FK_GID:
		return read_gid(s, f, v);
	case FK_EXIT:
		return read_exit(s, f, v);
	case FK_ARCH:
		return read_arch(s, f, v);
	case FK_MSGTYPE:
		return read_msgtype(s, f, v);
	case FK_FSTYPE:
		return read_fstype(s, f, v);
	case FK_FILETYPE:
		return read_filetype(s, f, v);
	case FK_PERM:
		return parse_perm(s, v, &f->value);
	case FK_SADDR:
		return read_saddr(s, f, v);
	case FK_SESSION:
		return read_session(s, f, v);
	case FK_TEXT:
	case FK_PATH:
	case FK_KEY:
		return read_text(s, f, fi, v);
	}
	return false;
}

/* ---- -F ------------------------------------------------------------------------------------------ */

/* In the order libaudit looks for them, each anywhere in the text. */
static const struct {
	const char *text;
	uint32_t op;
} searched[] = {
    {"!=", AUDIT_NOT_EQUAL},
    {">=", AUDIT_GREATER_THAN_OR_EQUAL},
    {"<=", AUDIT_LESS_THAN_OR_EQUAL},
    {"&=", AUDIT_BIT_TEST},
    {"=", AUDIT_EQUAL},
    {">", AUDIT_GREATER_THAN},
    {"<", AUDIT_LESS_THAN},
    {"&", AUDIT_BIT_MASK},
};

static char *cut_at_operator(char *pair, uint32_t *op)
{
	for (size_t i = 0; i < ARRAY_SIZE(searched); i++) {
		char *at = strstr(pair, searched[i].text);
		if (!at)
			continue;
		*op = searched[i].op;
		*at = '\0';
		return at + strlen(searched[i].text);
	}
	return NULL;
}

static bool kernel_is_before(const struct scan *s, int kernel)
{
	const struct lang_env *env = s->p->env;
	int audit = env->kernel_audit ? env->kernel_audit : env->kernel;
	return audit && audit < kernel;
}

/*
 * Kernels before 4.8 take any field on the exclude list and look at msgtype alone. auditctl 3.0 asks for
 * AUDIT_FEATURE_BITMAP_EXCLUDE_EXTEND and refuses without; later ones do not (libaudit.c, audit_rule_fieldpair_data).
 */
static bool old_exclude(struct scan *s, const char *name)
{
	if (!scan_has(s, T_EXCLUDE_ANY_FIELD))
		return scan_fail(s, AR_KERNEL_FIELD, name, strlen(name),
				 "%s takes msgtype alone on the exclude list of this kernel (others from 4.8 on)", scan_auditctl(s));
	scan_warn(s, AR_KERNEL_FIELD, name, strlen(name), "this kernel does not look at %s on the exclude list (4.8 on)", name);
	diag_set_severity(s->p->diags, &s->p->diags->list[s->p->diags->n - 1], SEV_WARNING);
	return true;
}

/* Where libaudit allows a field; the list is AUDIT_FILTER_... or UNSET. */
static bool field_fits_list(struct scan *s, const struct field_info *fi, const char *name)
{
	uint32_t list = scan_list(s);
	size_t w = strlen(name);
	bool excludes = list == AUDIT_FILTER_EXCLUDE, old = excludes && kernel_is_before(s, KERNEL(4, 8));
	bool any = excludes && !old && scan_has(s, T_EXCLUDE_ANY_FIELD);
	bool exits = list == AUDIT_FILTER_EXIT || list == AUDIT_FILTER_URING_EXIT || (any && fi->id == AUDIT_PERM);
	if (excludes && !any && !fi->exclude_ok)
		return scan_fail(s, AR_FIELD_LIST, name, w,
				 "%s cannot be used with the exclude list: expected msgtype, pid, uid, gid, "
				 "auid, exe or subj_*",
				 name);
	if (old && fi->id != AUDIT_MSGTYPE && fi->id != AUDIT_FILTERKEY)
		return old_exclude(s, name);
	if (fi->id == AUDIT_ARCH && list == AUDIT_FILTER_URING_EXIT)
		return scan_fail(s, AR_FIELD_LIST, name, w, "operations of io_uring have no arch");
	if (fi->exit_only && !exits)
		return scan_fail(s, AR_FIELD_LIST, name, w, "%s can only be used with the exit list", name);
	if (fi->id == AUDIT_MSGTYPE && !excludes && list != AUDIT_FILTER_USER)
		return scan_fail(s, AR_FIELD_LIST, name, w, "%s can only be used with the exclude and user lists", name);
	if (fi->id == AUDIT_SESSIONID && !any && list != AUDIT_FILTER_USER && list != AUDIT_FILTER_EXIT)
		return scan_fail(s, AR_FIELD_LIST, name, w, "%s can only be used with the exit and user lists", name);
	if (fi->id == AUDIT_FSTYPE && list != AUDIT_FILTER_FS)
		return scan_fail(s, AR_FIELD_LIST, name, w, "%s can only be used with the filesystem list", name);
	return true;
}

/* libaudit looks at the operators of a few fields only; all else is left to the kernel. */
static bool field_takes_op(struct scan *s, const struct field_info *fi, const char *name, uint32_t op)
{
	switch (fi->id) {
	case AUDIT_PERM:
		if (op != AUDIT_EQUAL)
			return scan_fail(s, AR_OPERATOR, name, strlen(name) + 1,
					 "perm has the operator %s: expected =", op_text(op));
		return true;
	case AUDIT_ARCH:
	case AUDIT_FSTYPE:
	case AUDIT_INODE:
	case AUDIT_EXE:
		if (op != AUDIT_EQUAL && op != AUDIT_NOT_EQUAL)
			return scan_fail(s, AR_OPERATOR, name, strlen(name) + 1,
					 "%s has the operator %s: expected = or !=", name, op_text(op));
		return true;
	default:
		return true;
	}
}

static bool worth_a_key(const struct scan *s)
{
	return s->syscalls || s->perm || s->exe || s->fstype;
}

static void note_field(struct scan *s, uint32_t id)
{
	s->perm |= id == AUDIT_PERM || id == AUDIT_WATCH || id == AUDIT_DIR;
	s->exe |= id == AUDIT_EXE;
	s->fstype |= id == AUDIT_FSTYPE;
}

enum { FIELDS_LIMIT = AUDIT_MAX_FIELDS - 1 }; /* libaudit stops one short of the kernel */

static bool room_for_field(struct scan *s, const char *pair)
{
	if (s->rule.nfields < FIELDS_LIMIT)
		return true;
	return scan_fail(s, AR_FIELDS, pair, strlen(pair), "too many fields in the rule: expected at most %d",
			 FIELDS_LIMIT);
}

/* The text before and after the operator; NULL after an error. */
static char *cut_pair(struct scan *s, char *pair, uint32_t *op)
{
	size_t len = strlen(pair);
	char *v = cut_at_operator(pair, op);
	if (!v)
		scan_fail(s, AR_PAIR, pair, len, "no operator in `%s': expected one of = != < <= > >= & &=", pair);
	else if (!*pair)
		scan_fail(s, AR_PAIR, pair, len, "the name of a field is missing before the operator");
	else if (!*v)
		scan_fail(s, AR_PAIR, pair, len, "the value of %s is missing after the operator", pair);
	else
		return v;
	return NULL;
}

/*
 * Later releases make perm= behind an arch, or behind an -S, name the calls of its letters (libaudit.c,
 * audit_rule_fieldpair_data).
 */
static bool widen_by_perm(struct scan *s, const char *letters, uint32_t bits)
{
	if (!s->elf || !scan_has(s, T_PERM_ADDS))
		return true;
	int machine = audit_elf_to_machine(s->elf);
	const char *lacking = perm_calls(bits, machine, scan_release(s), s->rule.mask);
	if (lacking && !scan_has(s, T_PERM_FILTERS))
		return scan_fail(s, AR_MACHINE, letters, strlen(letters),
				 "%s adds %s for this perm, which %s does not have, and fails: expected auditctl 4.0.4 or later, "
				 "or -p in place of -F perm=",
				 scan_auditctl(s), lacking, audit_machine_to_name(machine));
	s->syscalls = true;
	return true;
}

bool parse_field(struct scan *s, char *pair)
{
	if (!room_for_field(s, pair))
		return false;
	size_t width = strlen(pair);
	uint32_t op;
	char *v = cut_pair(s, pair, &op);
	if (!v)
		return false;
	int id = audit_name_to_field(pair);
	const struct field_info *fi = id < 0 ? NULL : field_by_id((uint32_t)id);
	if (!fi)
		return scan_fail(s, AR_FIELD, pair, strlen(pair), "unknown field `%s': expected a name such as uid, path or exit%s",
		    pair,
		    strchr(pair, '=') ? " (the first != >= <= &= of the text counts as the operator)" : "");
	if (!field_fits_list(s, fi, pair))
		return false;
	if (fi->kind == FK_KEY && !worth_a_key(s))
		return scan_fail(s, AR_KEY_ALONE, pair, strlen(pair),
				 "a key needs -S, -w, -p or a path, dir, perm, exe or fstype before it");
	struct field f = {.id = fi->id, .op = op, .column = scan_column(s, pair), .width = (uint16_t)width};
	if (!field_takes_op(s, fi, pair, op) || !read_value(s, &f, fi, v))
		return false;
	note_field(s, fi->id);
	s->rule.fields[s->rule.nfields++] = f;
	return fi->id != AUDIT_PERM || widen_by_perm(s, v, f.value);
}

/* ---- -C ------------------------------------------------------------------------------------------ */

/* AUDIT_COMPARE_... of linux/audit.h, in the order of the numbers; left and right as libaudit prints them. */
static const struct pair pairs[] = {
    {AUDIT_UID, AUDIT_OBJ_UID, AUDIT_COMPARE_UID_TO_OBJ_UID},
    {AUDIT_GID, AUDIT_OBJ_GID, AUDIT_COMPARE_GID_TO_OBJ_GID},
    {AUDIT_EUID, AUDIT_OBJ_UID, AUDIT_COMPARE_EUID_TO_OBJ_UID},
    {AUDIT_EGID, AUDIT_OBJ_GID, AUDIT_COMPARE_EGID_TO_OBJ_GID},
    {AUDIT_LOGINUID, AUDIT_OBJ_UID, AUDIT_COMPARE_AUID_TO_OBJ_UID},
    {AUDIT_SUID, AUDIT_OBJ_UID, AUDIT_COMPARE_SUID_TO_OBJ_UID},
    {AUDIT_SGID, AUDIT_OBJ_GID, AUDIT_COMPARE_SGID_TO_OBJ_GID},
    {AUDIT_FSUID, AUDIT_OBJ_UID, AUDIT_COMPARE_FSUID_TO_OBJ_UID},
    {AUDIT_FSGID, AUDIT_OBJ_GID, AUDIT_COMPARE_FSGID_TO_OBJ_GID},
    {AUDIT_UID, AUDIT_LOGINUID, AUDIT_COMPARE_UID_TO_AUID},
    {AUDIT_UID, AUDIT_EUID, AUDIT_COMPARE_UID_TO_EUID},
    {AUDIT_UID, AUDIT_FSUID, AUDIT_COMPARE_UID_TO_FSUID},
    {AUDIT_UID, AUDIT_SUID, AUDIT_COMPARE_UID_TO_SUID},
    {AUDIT_LOGINUID, AUDIT_FSUID, AUDIT_COMPARE_AUID_TO_FSUID},
    {AUDIT_LOGINUID, AUDIT_SUID, AUDIT_COMPARE_AUID_TO_SUID},
    {AUDIT_LOGINUID, AUDIT_EUID, AUDIT_COMPARE_AUID_TO_EUID},
    {AUDIT_EUID, AUDIT_SUID, AUDIT_COMPARE_EUID_TO_SUID},
    {AUDIT_EUID, AUDIT_FSUID, AUDIT_COMPARE_EUID_TO_FSUID},
    {AUDIT_SUID, AUDIT_FSUID, AUDIT_COMPARE_SUID_TO_FSUID},
    {AUDIT_GID, AUDIT_EGID, AUDIT_COMPARE_GID_TO_EGID},
    {AUDIT_GID, AUDIT_FSGID, AUDIT_COMPARE_GID_TO_FSGID},
    {AUDIT_GID, AUDIT_SGID, AUDIT_COMPARE_GID_TO_SGID},
    {AUDIT_EGID, AUDIT_FSGID, AUDIT_COMPARE_EGID_TO_FSGID},
    {AUDIT_EGID, AUDIT_SGID, AUDIT_COMPARE_EGID_TO_SGID},
    {AUDIT_SGID, AUDIT_FSGID, AUDIT_COMPARE_SGID_TO_FSGID},
};

const struct pair *pair_by_number(uint32_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		if (pairs[i].number == number)
			return &pairs[i];
	}
	return NULL;
}

static const struct pair *pair_by_names(int a, int b)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct pair *p = &pairs[i];
		if (((int)p->left == a && (int)p->right == b) || ((int)p->left == b && (int)p->right == a))
			return p;
	}
	return NULL;
}

bool parse_compare(struct scan *s, char *text)
{
	if (!room_for_field(s, text))
		return false;
	size_t len = strlen(text);
	uint32_t op = AUDIT_NOT_EQUAL;
	char *at = strstr(text, "!="), *right = at ? at + 2 : NULL;
	if (!at) {
		op = AUDIT_EQUAL;
		at = strchr(text, '=');
		right = at ? at + 1 : NULL;
	}
	if (!at)
		return scan_fail(s, AR_COMPARE, text, len, "no operator in `%s': expected = or !=", text);
	*at = '\0';
	if (!*text || !*right)
		return scan_fail(s, AR_COMPARE, text, len,
		    "a field is missing beside the operator: expected two names, as in uid!=euid");
	int a = audit_name_to_field(text), b = audit_name_to_field(right);
	if (a < 0 || b < 0)
		return scan_fail(s, AR_FIELD, a < 0 ? text : right, strlen(a < 0 ? text : right), "unknown field `%s'",
				 a < 0 ? text : right);
	const struct pair *p = pair_by_names(a, b);
	if (!p)
		return scan_fail(s, AR_COMPARE, text, len,
		    "%s and %s cannot be compared: expected two different user or two group fields", text,
		    right);
	if (scan_list(s) != AUDIT_FILTER_EXIT)
		return scan_fail(s, AR_FIELD_LIST, text, len, "-C can only be used with the exit list, given before it");
	s->rule.fields[s->rule.nfields++] =
	    (struct field){.id = AUDIT_FIELD_COMPARE, .op = op, .value = p->number,
			   .column = scan_column(s, text), .width = (uint16_t)len};
	return true;
}

/* ---- -S ------------------------------------------------------------------------------------------ */

/* A name of the table, or a number of at most 2047 in C notation; -1 for neither. */
static int syscall_number(struct scan *s, const char *name, int machine)
{
	bool uring = scan_list(s) == AUDIT_FILTER_URING_EXIT;
	int nr = uring ? uring_number(name, scan_release(s)) : named_call(name, machine, scan_release(s));
	if (nr >= 0)
		return nr;
	uint32_t n;
	if (!parse_number(s, name, false, false, &n) || n >= AUDIT_BITMASK_SIZE * 32)
		return -1;
	return (int)n;
}

/* Why a name is not known: too new for this auditctl, not there on this machine, or wrong. */
static bool fail_syscall(struct scan *s, const char *name, int machine)
{
	size_t w = strlen(name);
	bool uring = scan_list(s) == AUDIT_FILTER_URING_EXIT;
	int release = 0, nr = uring ? later_uring(name, &release) : later_call(name, machine, &release);
	char since[RELEASE_TEXT];
	if (uring && nr < 0)
		return scan_fail(s, AR_SYSCALL, name, w, "unknown operation of io_uring `%s': expected a name or a number below %d", name,
				 AUDIT_BITMASK_SIZE * 32);
	if (nr >= 0)
		return scan_fail(s, AR_CALL_VERSION, name, w,
				 "%s has no name for %s: expected its number, %d (auditctl %s or later has the name)", scan_auditctl(s),
				 name, nr, release_text(release, since));
	const char *instead = instead_of_call(name);
	if (machine != MACH_86_64 && machine != MACH_X86 && audit_name_to_syscall(name, MACH_86_64) >= 0)
		return scan_fail(s, AR_MACHINE, name, w, "%s has no %s%s%s: expected another call, or none",
				 audit_machine_to_name(machine), name, instead ? ", it has " : "", instead ? instead : "");
	return scan_fail(s, AR_SYSCALL, name, w, "unknown system call `%s': expected a name of %s or a number below %d", name,
			 audit_machine_to_name(machine), AUDIT_BITMASK_SIZE * 32);
}

/* A syscall named without arch is looked up on one side only: does the other side give it the same number? */
static void check_other_side(struct scan *s, const char *name, int nr)
{
	int machine = s->p->env->machine, other = machine_32(machine);
	if (other < 0 || other == machine || isdigit((unsigned char)name[0]) || s->add == UNSET ||
	    scan_list(s) == AUDIT_FILTER_URING_EXIT || named_call(name, other, scan_release(s)) == nr)
		return;
	scan_warn(s, AR_NUMBER_DIFFERS, name, strlen(name),
	    "%s without arch is taken as number %d on both 32 and 64 bit, where it differs: give an arch",
	    name, nr);
}

static void add_all(struct scan *s)
{
	if (scan_list(s) == AUDIT_FILTER_URING_EXIT)
		uring_all(scan_release(s), s->rule.mask);
	else
		memset(s->rule.mask, 0xff, sizeof(s->rule.mask));
}

bool parse_syscalls(struct scan *s, char *list)
{
	bool no_arch = !s->elf, any = false;
	if (no_arch)
		s->elf = audit_machine_to_elf(s->p->env->machine);
	int machine = audit_elf_to_machine(s->elf);
	char *save = NULL;
	for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		any = true;
		if (strcmp(name, "all") == 0) {
			add_all(s);
			continue;
		}
		int nr = syscall_number(s, name, machine);
		if (nr < 0)
			return fail_syscall(s, name, machine);
		mask_add(s->rule.mask, (unsigned)nr);
		if (no_arch)
			check_other_side(s, name, nr);
	}
	if (!s->rule.calls_at)
		s->rule.calls_at = scan_column(s, list);
	if (!any)
		scan_warn(s, AR_NO_SYSCALL, list, 1, "no system call is named here: a rule with no other -S never matches");
	s->syscalls = true;
	return true;
}
