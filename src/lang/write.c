/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A rule as a line of a rules file. The text is made as readable as it can be and then read back: only a text
 * that gives the same payload is returned, so a wrong guess here costs a name, never a meaning.
 */
#include "lang/calls.h"
#include "lang/parse.h"

#include <string.h>

enum {
	LINE_LIMIT = 6000, /* below auditctl's buffer, with room for what a user appends */
};

/* How a text is tried: the next way is taken when the one before does not read back. BY_PERM leaves the calls to perm. */
enum way { AS_WATCH, BY_PERM, WITH_NAMES, WITH_NUMBERS, WAYS };

struct writer {
	const struct rule *r;
	const struct lang_env *env;
	enum way way;
	int release;
	struct str *out;
};

static void add_escaped(struct str *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == ' ' || s[i] == '\\')
			str_addc(out, '\\');
		str_addc(out, s[i]);
	}
}

/* ---- values -------------------------------------------------------------------------------------- */

static void add_arch(const struct writer *w, uint32_t elf)
{
	int machine = w->env->machine, small = machine_32(machine), named = audit_elf_to_machine(elf);
	const char *name = named < 0 ? NULL : audit_machine_to_name(named);
	if (machine_is_64(machine) && elf == audit_machine_to_elf(machine))
		str_add(w->out, "b64");
	else if (small >= 0 && elf == audit_machine_to_elf(small))
		str_add(w->out, "b32");
	else if (name)
		str_add(w->out, name);
	else
		str_addf(w->out, "0x%x", elf);
}

static void add_exit(struct str *out, uint32_t value)
{
	int32_t n = (int32_t)value;
	const char *name = n < 0 && n > -4096 ? audit_errno_to_name(-n) : NULL;
	struct str minus = {0};
	if (name)
		str_addf(&minus, "-%s", name);
	if (name && audit_name_to_errno(minus.s) == n)
		str_add(out, minus.s);
	else
		str_addf(out, "%d", n);
	str_free(&minus);
}

static void add_perm(struct str *out, uint32_t perm)
{
	static const struct {
		uint32_t bit;
		char letter;
	} letters[] = {
	    {AUDIT_PERM_READ, 'r'}, {AUDIT_PERM_WRITE, 'w'}, {AUDIT_PERM_EXEC, 'x'}, {AUDIT_PERM_ATTR, 'a'}};
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
		if (perm & letters[i].bit)
			str_addc(out, letters[i].letter);
	}
}

/* A name when it reads back to the same value, else the number. */
static void add_named(struct str *out, const char *name, int back, uint32_t value)
{
	if (name && (uint32_t)back == value)
		str_add(out, name);
	else
		str_addf(out, "%u", value);
}

static void add_number(struct str *out, uint32_t value, bool minus)
{
	if (minus && value >= UINT32_C(0xfffff000))
		str_addf(out, "%d", (int32_t)value);
	else if (minus && value > 9)
		str_addf(out, "0x%x", value);
	else
		str_addf(out, "%u", value);
}

static void add_value(const struct writer *w, const struct field *f, const struct field_info *fi)
{
	const char *name;
	switch (fi->kind) {
	case FK_UID:
	case FK_SESSION:
		if (f->value == UINT32_MAX)
			str_add(w->out, "unset");
		else
			str_addf(w->out, "%u", f->value);
		return;
	case FK_EXIT:
		add_exit(w->out, f->value);
		return;
	case FK_ARCH:
		add_arch(w, f->value);
		return;
	case FK_MSGTYPE:
		name = audit_msg_type_to_name((int)f->value);
		add_named(w->out, name, name ? audit_name_to_msg_type(name) : -1, f->value);
		return;
	case FK_FSTYPE:
		name = audit_fstype_to_name((int)f->value);
		add_named(w->out, name, name ? audit_name_to_fstype(name) : -1, f->value);
		return;
	case FK_FILETYPE:
		name = audit_ftype_to_name((int)f->value);
		add_named(w->out, name, name ? audit_name_to_ftype(name) : -1, f->value);
		return;
	case FK_PERM:
		add_perm(w->out, f->value);
		return;
	case FK_TEXT:
	case FK_PATH:
	case FK_KEY:
		add_escaped(w->out, f->text, f->value);
		return;
	case FK_SNUMBER:
		add_number(w->out, f->value, true);
		return;
	case FK_NUMBER:
	case FK_GID:
	case FK_SADDR:
	case FK_COMPARE:
		add_number(w->out, f->value, false);
		return;
	}
}

/* ---- parts of the line --------------------------------------------------------------------------- */

/* The key that auditctl collects and appends: the last field, with `='. */
static const struct field *collected_key(const struct rule *r)
{
	const struct field *last = r->nfields ? &r->fields[r->nfields - 1] : NULL;
	return last && last->id == AUDIT_FILTERKEY && last->op == AUDIT_EQUAL ? last : NULL;
}

/* Keys joined by 0x01 are written one by one; a first part that is empty can only be written together with
 * the byte. */
static void add_keys(const struct writer *w, const struct field *f, const char *option)
{
	size_t at = 0;
	bool whole = f->value && f->text[0] == AUDIT_KEY_SEPARATOR;
	do {
		const char *sep = whole ? NULL : memchr(f->text + at, AUDIT_KEY_SEPARATOR, f->value - at);
		size_t n = sep ? (size_t)(sep - f->text) - at : f->value - at;
		str_add(w->out, option);
		add_escaped(w->out, f->text + at, n);
		at += n;
		if (at < f->value && at + 1 == f->value && sep) /* an empty last part */
			str_add(w->out, " -F key=");
		at += sep ? 1 : 0;
	} while (at < f->value);
}

static unsigned perms(const struct rule *r)
{
	unsigned n = 0;
	for (unsigned i = 0; i < r->nfields; i++)
		n += r->fields[i].id == AUDIT_PERM;
	return n;
}

static void add_field(const struct writer *w, const struct field *f)
{
	const struct field_info *fi = field_by_id(f->id);
	const struct pair *p = f->id == AUDIT_FIELD_COMPARE ? pair_by_number(f->value) : NULL;
	if (p && rule_list(w->r) == AUDIT_FILTER_EXIT) {
		str_addf(w->out, " -C %s%s%s", field_by_id(p->left)->name, op_text(f->op),
			 field_by_id(p->right)->name);
		return;
	}
	/* Where -F perm= adds calls, -p does not: it needs a field before it, and sets all perm fields to one value. */
	bool first = f == w->r->fields, only = f->id == AUDIT_PERM && f->op == AUDIT_EQUAL && perms(w->r) == 1;
	if (only && !first && w->way != BY_PERM && release_has(w->release, T_PERM_ADDS)) {
		str_add(w->out, " -p ");
		add_perm(w->out, f->value);
		return;
	}
	/* In capitals a key is an ordinary field and stays at its place. */
	bool placed_key = f->id == AUDIT_FILTERKEY && f->op == AUDIT_EQUAL;
	str_addf(w->out, " -F %s%s", placed_key ? "KEY" : fi->name, op_text(f->op));
	add_value(w, f, fi);
}

/*
 * Without an arch field a number counts on both ABIs, and a name would say what it means on one of them only: so a name
 * stands there only where the other ABI's call of that number has it too.
 */
static const char *call_name(const struct writer *w, int nr, int machine, bool arch)
{
	if (rule_list(w->r) == AUDIT_FILTER_URING_EXIT)
		return w->way == WITH_NAMES ? uring_name((unsigned)nr, w->release) : NULL;
	const char *name = w->way == WITH_NAMES && machine >= 0 ? audit_syscall_to_name(nr, machine) : NULL;
	if (!name || arch || machine != MACH_86_64)
		return name;
	return audit_name_to_syscall(name, MACH_X86) == nr ? name : NULL;
}

static void add_syscalls(const struct writer *w, int machine, bool arch)
{
	const struct rule *r = w->r;
	str_add(w->out, "-S ");
	if (mask_is_all(r->mask)) {
		str_add(w->out, "all");
		return;
	}
	if (mask_is_empty(r->mask)) {
		str_addc(w->out, ',');
		return;
	}
	const char *comma = "";
	for (unsigned nr = 0; nr < AUDIT_BITMASK_SIZE * 32; nr++) {
		if (!mask_has(r->mask, nr))
			continue;
		const char *name = call_name(w, (int)nr, machine, arch);
		str_add(w->out, comma);
		if (name && rule_list(r) == AUDIT_FILTER_URING_EXIT)
			str_add(w->out, name);
		else
			add_named(w->out, name, name ? audit_name_to_syscall(name, machine) : -1, nr);
		comma = ",";
	}
}

static const char *list_word(uint32_t list)
{
	static const char *const words[8] = {
	    [AUDIT_FILTER_USER] = "user",     [AUDIT_FILTER_TASK] = "task",
	    [AUDIT_FILTER_EXIT] = "exit",     [AUDIT_FILTER_EXCLUDE] = "exclude",
	    [AUDIT_FILTER_FS] = "filesystem", [AUDIT_FILTER_URING_EXIT] = "io_uring",
	};
	return words[list];
}

static bool needs_syscalls_for_key(const struct rule *r)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		uint32_t id = r->fields[i].id;
		if (id == AUDIT_WATCH || id == AUDIT_DIR || id == AUDIT_PERM || id == AUDIT_EXE ||
		    id == AUDIT_FSTYPE)
			return false;
	}
	return rule_field(r, AUDIT_FILTERKEY);
}

static bool write_rule(const struct writer *w)
{
	const struct rule *r = w->r;
	uint32_t list = rule_list(r);
	bool task = list == AUDIT_FILTER_TASK, on_exit = list == AUDIT_FILTER_EXIT || list == AUDIT_FILTER_URING_EXIT;
	bool syscalls = mask_is_all(r->mask) ? needs_syscalls_for_key(r) : !task || !mask_is_empty(r->mask);
	if (w->way == BY_PERM && (!release_has(w->release, T_PERM_ADDS) || !rule_field(r, AUDIT_PERM) || !rule_field(r, AUDIT_ARCH)))
		return false;
	if (w->way == BY_PERM)
		syscalls = false;
	if (!list_word(list) || (r->action != AUDIT_ALWAYS && r->action != AUDIT_NEVER))
		return false;
	if (syscalls && !on_exit) { /* the other lists take -S only before they are named */
		add_syscalls(w, w->env->machine, false);
		str_addc(w->out, ' ');
	}
	str_addf(w->out, "-%c %s,%s", r->flags & AUDIT_FILTER_PREPEND ? 'A' : 'a',
		 r->action == AUDIT_NEVER ? "never" : "always", list_word(list));

	const struct field *key = collected_key(r);
	unsigned end = r->nfields - (key ? 1 : 0);
	/*
	 * where -S goes: behind arch; without one as late as can be, for auditctl 4 adds calls of its own for a perm behind -S,
	 * but in front of a key that is a field of its own: auditctl takes such a key only behind -S
	 */
	unsigned place = end;
	bool arch = false;
	int machine = w->env->machine;
	for (unsigned i = 0; i < end; i++) {
		if (r->fields[i].id == AUDIT_FILTERKEY && place == end)
			place = i;
		if (r->fields[i].id != AUDIT_ARCH)
			continue;
		place = i + 1;
		arch = true;
		machine = audit_elf_to_machine(r->fields[i].value);
	}
	for (unsigned i = 0; i <= end; i++) {
		if (i == place && syscalls && on_exit) {
			str_addc(w->out, ' ');
			add_syscalls(w, machine, arch);
		}
		if (i < end)
			add_field(w, &r->fields[i]);
	}
	if (key)
		add_keys(w, key, " -F key=");
	return true;
}

/* What -w writes: path or dir, perm, and at most a key. */
static bool has_watch_shape(const struct rule *r)
{
	const struct field *f = r->fields;
	return r->flags == AUDIT_FILTER_EXIT && r->action == AUDIT_ALWAYS && mask_is_all(r->mask) &&
	       r->nfields >= 2 && r->nfields <= 3 && (f[0].id == AUDIT_WATCH || f[0].id == AUDIT_DIR) &&
	       f[0].op == AUDIT_EQUAL && f[1].id == AUDIT_PERM && f[1].op == AUDIT_EQUAL &&
	       (r->nfields == 2 || collected_key(r));
}

static bool write_watch(const struct writer *w)
{
	const struct rule *r = w->r;
	if (!r->watch || !has_watch_shape(r))
		return false;
	str_add(w->out, "-w ");
	add_escaped(w->out, r->fields[0].text, r->fields[0].value);
	str_add(w->out, " -p ");
	add_perm(w->out, r->fields[1].value);
	if (r->nfields == 3)
		add_keys(w, &r->fields[2], " -k ");
	return true;
}

/* ---- reading back -------------------------------------------------------------------------------- */

static bool reads_back(const struct rule *r, const struct lang_env *env, const char *text, size_t len)
{
	if (len >= LINE_LIMIT)
		return false;
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("", text, len, env, &ds);
	bool same = !ds.errors && rs->nlines == 1 && rs->nrequests == 1 && rs->requests[0].kind == REQ_ADD &&
		    rule_same(rs->requests[0].rule, r);
	ruleset_free(rs);
	arena_free(ds.arena);
	return same;
}

static bool all_known(const struct rule *r)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		if (!field_by_id(r->fields[i].id))
			return false;
	}
	return true;
}

bool rule_write(const struct rule *r, const struct lang_env *env, struct str *out)
{
	struct str text = {0};
	bool ok = false;
	for (enum way way = AS_WATCH; way < WAYS && !ok && all_known(r); way++) {
		struct writer w = {.r = r,
				   .env = env,
				   .way = way,
				   .release = env->auditctl ? env->auditctl : AUDITCTL_DEFAULT,
				   .out = &text};
		str_reset(&text);
		ok = way == AS_WATCH ? write_watch(&w) : write_rule(&w);
		ok = ok && reads_back(r, env, str_get(&text), text.len);
	}
	if (ok)
		str_addn(out, text.s, text.len);
	str_free(&text);
	return ok;
}
