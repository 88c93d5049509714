/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which system calls a rule sees: of which architecture, through which of the two tables, and by which other
 * calls the same can be done. A call counts as seen when any rule of the set sees it for at least the same
 * tasks and files.
 */
#include "lint/cover.h"
#include "lint/families.h"
#include "lint/lint.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	SHOWN = 8, /* names of a list that a message gives */
	UNIFIED = 424
}; /* from here on a number is the same call in every table */

struct calls {
	struct lint *l;
	struct cover *cover;
	short other[ABI_COUNT][NR_LIMIT]; /* the number of the same name on the other ABI, -1: none */
	struct place *told;               /* lines of which the reader said that arch is missing, sorted */
	size_t ntold;
};

static const char *const abi_word[ABI_COUNT] = {"b64", "b32"};
static const char *const abi_bits[ABI_COUNT] = {"64", "32"};

static bool has_no_32bit(const struct lint *l)
{
	return l->host && l->host->abi32 == 0;
}

static enum abi other_abi(enum abi abi)
{
	return abi == ABI_64 ? ABI_32 : ABI_64;
}

/* ---- names ------------------------------------------------------------------------------------- */

static const char *call_name(struct lint *l, enum abi abi, unsigned nr)
{
	const char *name = abi_syscall_name(abi, nr);
	return name ? name : arena_printf(l->arena, "%u", nr);
}

struct names {
	struct str text;
	unsigned n;
};

static void names_add(struct names *b, const char *name)
{
	if (b->n < SHOWN)
		str_addf(&b->text, "%s%s", b->n ? ", " : "", name);
	b->n++;
}

static const char *names_end(struct lint *l, struct names *b)
{
	if (b->n > SHOWN)
		str_addf(&b->text, " and %u more", b->n - SHOWN);
	const char *text = arena_strdup(l->arena, str_get(&b->text));
	str_free(&b->text);
	return text;
}

/* Bytes of the word at a column. */
static unsigned word_len(const struct rule *r, unsigned column)
{
	return r->line && column ? (unsigned)strcspn(r->line->text + column - 1, " ") : 0;
}

/* ---- the rule ---------------------------------------------------------------------------------- */

static int field_index(const struct rule *r, uint32_t id)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		if (r->fields[i].id == id)
			return (int)i;
	}
	return -1;
}

/* The only ABI whose calls the rule takes, ABI_COUNT when it takes both or none. */
static enum abi only_abi(const struct krule *k)
{
	bool allowed[ABI_COUNT] = {krule_allows_abi(k, ABI_64), krule_allows_abi(k, ABI_32)};
	if (allowed[ABI_64] == allowed[ABI_32])
		return ABI_COUNT;
	return allowed[ABI_64] ? ABI_64 : ABI_32;
}

/* Letters of a single perm= as bits; 15 where there is none, as then every call counts. */
static unsigned perm_bits(const struct rule *r, bool *has)
{
	const struct field *f = rule_field(r, AUDIT_PERM);
	*has = f && f->op == AUDIT_EQUAL;
	return *has ? f->value : 15;
}

static bool perm_takes(const struct rule *r, enum abi abi, unsigned nr)
{
	bool has;
	unsigned bits = perm_bits(r, &has);
	return !has || (perm_class(abi, nr, NULL) & bits);
}

static bool is_about_names(const struct rule *r)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field_info *info = field_by_id(r->fields[i].id);
		enum field_source from = info ? info->source : FS_KEY;
		if (from == FS_NAMES || from == FS_DIR || from == FS_PATH ||
		    (from == FS_COMPARE && r->fields[i].value < 10))
			return true;
	}
	return false;
}

static bool has_arguments(const struct rule *r)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		if (r->fields[i].id >= AUDIT_ARG0 && r->fields[i].id <= AUDIT_ARG3)
			return true;
	}
	return false;
}

/* ---- no arch, wrong arch ----------------------------------------------------------------------- */

static int by_line(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	int c = strcmp(a->file, b->file);
	return c ? c : a->line < b->line ? -1 : a->line > b->line;
}

static void note_told(struct calls *c)
{
	for (size_t i = 0; i < c->l->ds->n; i++) {
		if (c->l->ds->list[i].info->code == AR_NUMBER_DIFFERS)
			*arena_push(c->l->arena, c->told, c->ntold) = c->l->ds->list[i].at;
	}
	if (c->ntold)
		qsort(c->told, c->ntold, sizeof(*c->told), by_line);
}

static bool is_told(const struct calls *c, const struct rule *r)
{
	return r->line && c->ntold && bsearch(&r->line->at, c->told, c->ntold, sizeof(*c->told), by_line);
}

/* "62 is kill for 64 bit programs and ustat for 32 bit ones"; NULL when the number means the same to both. */
static const char *two_meanings(struct lint *l, unsigned nr)
{
	const char *a = abi_syscall_name(ABI_64, nr), *b = abi_syscall_name(ABI_32, nr);
	if (nr >= UNIFIED || (!a && !b) || (a && b && strcmp(a, b) == 0))
		return NULL;
	return arena_printf(l->arena, "%u is %s for 64 bit programs and %s for 32 bit ones", nr,
			    a ? a : "no call", b ? b : "no call");
}

static void check_no_arch(struct calls *c, const struct krule *k)
{
	const struct rule *r = k->rule;
	struct lint *l = c->l;
	if (!r->calls_at || mask_is_all(r->mask) || field_index(r, AUDIT_ARCH) >= 0 || is_told(c, r) ||
	    has_no_32bit(l))
		return;
	const char *first = NULL;
	unsigned n = 0;
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		const char *text = mask_has(k->mask, nr) ? two_meanings(l, nr) : NULL;
		first = first ? first : text;
		n += text != NULL;
	}
	if (!n)
		return;
	struct diag *d =
	    lint_calls(l, AR_NO_ARCH, r, "without arch the number is matched on both tables, and %s%s", first,
		       n > 1 ? arena_printf(l->arena, " (%u of the numbers differ)", n) : "");
	if (r->list_at && r->list_at < r->calls_at) /* arch must stand behind the list and before -S */
		lint_edit_words(l, d, r, r->list_at + word_len(r, r->list_at), 0, " -F arch=b64");
	d->loses = r->action == AUDIT_ALWAYS; /* the calls that have these numbers in the other table */
}

static void check_arch(struct calls *c, const struct krule *k)
{
	const struct rule *r = k->rule;
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		if (f->id != AUDIT_ARCH || f->op != AUDIT_EQUAL || f->value == abi_arch(ABI_64) ||
		    f->value == abi_arch(ABI_32))
			continue;
		int machine = audit_elf_to_machine(f->value);
		const char *name = machine < 0 ? NULL : audit_machine_to_name(machine);
		lint_field(
		    c->l, AR_ARCH_MISMATCH, r, i,
		    "no system call of an x86_64 kernel has the architecture %s: the rule matches nothing",
		    name ? name : "of this number");
	}
}

/* ---- one ABI ----------------------------------------------------------------------------------- */

/* Every number that a rule for all calls takes, as far as its perm leaves them and every kernel has them in
 * its class. */
static void whole_mask(const struct rule *r, enum abi abi, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	bool has;
	unsigned bits = perm_bits(r, &has);
	perm_mask(abi, bits, mask);
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		if (!has)
			mask_add(mask, nr);
		else if (mask_has(mask, nr) && perm_class_uncertain(abi, nr))
			mask[nr / 32] &= ~(UINT32_C(1) << nr % 32);
	}
}

/* The calls of the rule that exist on the other ABI. */
static void named_mask(const struct calls *c, const struct krule *k, enum abi abi,
		       uint32_t mask[AUDIT_BITMASK_SIZE])
{
	bool has;
	uint32_t class[AUDIT_BITMASK_SIZE];
	perm_mask(abi, perm_bits(k->rule, &has), class);
	memset(mask, 0, AUDIT_BITMASK_SIZE * sizeof(mask[0]));
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		int to = mask_has(k->mask, nr) && (!has || mask_has(class, nr)) ? c->other[abi][nr] : -1;
		if (to >= 0)
			mask_add(mask, (unsigned)to);
	}
}

static const char *mask_names(struct lint *l, enum abi abi, const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	struct names b = {0};
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		if (mask_has(mask, nr))
			names_add(&b, call_name(l, abi, nr));
	}
	return names_end(l, &b);
}

/* The same rule for the other ABI, on a line before it: what differs in arch meets no event of the other. */
static void edit_twin(struct lint *l, struct diag *d, const struct rule *r, unsigned arch, enum abi abi,
		      const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	if (!r->line || r->line->part || r->fields[arch].op != AUDIT_EQUAL)
		return;
	struct rule twin = *r;
	twin.fields[arch].value = abi_arch(abi);
	memcpy(twin.mask, mask, sizeof(twin.mask));
	struct str text = {0};
	if (rule_write(&twin, l->env, &text)) {
		str_addc(&text, '\n');
		diag_edit(l->ds, d, EDIT_BEFORE, r->line->at, str_get(&text));
	}
	str_free(&text);
}

/* All 32 bit calls of some tasks, whatever they touch: meant to make 32 bit programs conspicuous, not half of
 * a pair. */
static bool is_catch_all(const struct rule *r, enum abi only)
{
	bool perm;
	perm_bits(r, &perm);
	return only == ABI_32 && mask_is_all(r->mask) && !perm && !is_about_names(r) &&
	       field_index(r, AUDIT_EXE) < 0;
}

static bool leave_missing(const struct covered *s, enum abi abi, uint32_t mask[AUDIT_BITMASK_SIZE])
{
	bool any = false;
	for (unsigned w = 0; w < AUDIT_BITMASK_SIZE; w++) {
		mask[w] &= ~s->cover[abi][w];
		any = any || mask[w];
	}
	return any;
}

/* What was said of one rule is not said again of others with the same fields, nor of narrower ones behind it.
 */
static void told(struct covered *s, enum abi abi, const uint32_t mask[AUDIT_BITMASK_SIZE])
{
	for (unsigned w = 0; w < AUDIT_BITMASK_SIZE; w++) {
		s->mask[abi][w] |= mask[w];
		s->cover[abi][w] |= mask[w];
	}
}

static void check_one_abi(struct calls *c, const struct krule *k, struct covered *s)
{
	const struct rule *r = k->rule;
	struct lint *l = c->l;
	enum abi abi = only_abi(k), other = other_abi(abi);
	if (abi == ABI_COUNT || is_catch_all(r, abi) || has_no_32bit(l) || !cover_ask(c->cover, s))
		return;
	uint32_t mask[AUDIT_BITMASK_SIZE];
	bool whole = mask_is_all(r->mask);
	if (whole)
		whole_mask(r, other, mask);
	else
		named_mask(c, k, abi, mask);
	if (!leave_missing(s, other, mask))
		return;
	unsigned arch = (unsigned)field_index(r, AUDIT_ARCH);
	struct diag *d =
	    whole ? lint_field(l, AR_ONE_ABI, r, arch,
			       "only %s bit calls are recorded: no rule as wide as this one is for arch=%s",
			       abi_bits[abi], abi_word[other])
		  : lint_field(l, AR_ONE_ABI, r, arch,
			       "only %s bit calls are recorded: no rule as wide as this one sees %s of %s "
			       "bit programs",
			       abi_bits[abi], mask_names(l, other, mask), abi_bits[other]);
	told(s, other, mask);
	edit_twin(l, d, r, arch, other, whole ? r->mask : mask);
}

/* ---- families ---------------------------------------------------------------------------------- */

struct gap {                /* what one rule lacks */
	struct str missing; /* for a message: "renameat2 beside rename, renameat" */
	struct str words;   /* for -S, each behind a comma */
	uint32_t mask[AUDIT_BITMASK_SIZE];
	unsigned n;
};

static bool kernel_has(const struct lint *l, const struct family_call *fc)
{
	return fc->since <= (l->env->kernel ? l->env->kernel : KERNEL_DEFAULT);
}

static bool is_missing(struct lint *l, const struct rule *r, const struct covered *s, enum abi abi,
		       const struct family_call *fc)
{
	int nr = fc->nr[abi];
	if (nr < 0 || (fc->flags & CALL_ASKS) || !kernel_has(l, fc) || cover_has(s, abi, (unsigned)nr))
		return false;
	return perm_takes(r, abi, (unsigned)nr) && !((fc->flags & CALL_NO_NAME) && is_about_names(r));
}

static void gap_add(struct gap *g, enum abi abi, const struct family_call *fc, bool first)
{
	int machine = abi == ABI_64 ? MACH_86_64 : MACH_X86;
	unsigned nr = (unsigned)fc->nr[abi];
	mask_add(g->mask, nr);
	if (audit_name_to_syscall(fc->name, machine) == (int)nr)
		str_addf(&g->words, ",%s", fc->name);
	else
		str_addf(&g->words, ",%u", nr);
	str_addf(&g->missing, "%s%s", first ? (g->n ? "; " : "") : ", ", fc->name);
	if (audit_name_to_syscall(fc->name, machine) != (int)nr)
		str_addf(&g->missing, " (%u)", nr);
	g->n++;
}

/* The rows [from, to) are one family. */
static void gap_family(struct calls *c, const struct krule *k, const struct covered *s, enum abi abi,
		       size_t from, size_t to, struct gap *g)
{
	struct names have = {0};
	for (size_t i = from; i < to; i++) {
		const struct family_call *fc = &family_calls[i];
		unsigned nr = (unsigned)fc->nr[abi];
		if (fc->nr[abi] < 0 || (fc->flags & CALL_ASKED) || !perm_takes(k->rule, abi, nr))
			continue;
		if (mask_has(k->mask, nr) || mask_has(g->mask, nr))
			names_add(&have, fc->name);
	}
	const char *beside = names_end(c->l, &have);
	unsigned before = g->n;
	for (size_t i = from; have.n && i < to; i++) {
		const struct family_call *fc = &family_calls[i];
		if (is_missing(c->l, k->rule, s, abi, fc) && !mask_has(g->mask, (unsigned)fc->nr[abi]))
			gap_add(g, abi, fc, g->n == before);
	}
	if (g->n > before)
		str_addf(&g->missing, " beside %s", beside);
}

static void gap_families(struct calls *c, const struct krule *k, const struct covered *s, enum abi abi,
			 struct gap *g)
{
	for (size_t from = 0, to; from < family_calls_len; from = to) {
		for (to = from + 1;
		     to < family_calls_len && family_calls[to].family == family_calls[from].family; to++)
			;
		gap_family(c, k, s, abi, from, to, g);
	}
}

/*
 * Not of a rule with arguments: where an argument stands differs from call to call, so that each such rule is
 * of one call and the others of the family need rules of their own.
 */
static void check_families(struct calls *c, const struct krule *k, struct covered *s)
{
	const struct rule *r = k->rule;
	struct lint *l = c->l;
	enum abi abi = only_abi(k);
	/* With arch!= the names were looked up on the side that the rule leaves out. */
	const struct field *arch = rule_field(r, AUDIT_ARCH);
	if (abi == ABI_COUNT || arch->op != AUDIT_EQUAL || !r->calls_at || mask_is_all(r->mask) ||
	    has_arguments(r) || (abi == ABI_32 && has_no_32bit(l)) || !cover_ask(c->cover, s))
		return;
	struct gap g = {0};
	for (unsigned before = UINT_MAX; before != g.n;) { /* what is missing may have relatives of its own */
		before = g.n;
		gap_families(c, k, s, abi, &g);
	}
	if (g.n) {
		struct diag *d = lint_calls(
		    l, AR_FAMILY, r, "no rule as wide as this one sees %s: the same can be done through %s",
		    str_get(&g.missing), g.n == 1 ? "it" : "them");
		told(s, abi, g.mask);
		lint_edit_words(l, d, r, r->calls_at + word_len(r, r->calls_at), 0, str_get(&g.words));
	}
	str_free(&g.missing);
	str_free(&g.words);
}

/* ---- perm -------------------------------------------------------------------------------------- */

static const char *perm_letters(struct lint *l, unsigned bits)
{
	return arena_printf(l->arena, "%s%s%s%s", bits & PERM_R ? "r" : "", bits & PERM_W ? "w" : "",
			    bits & PERM_X ? "x" : "", bits & PERM_A ? "a" : "");
}

/* Name of a number that a rule of both ABIs or of one speaks of. */
static const char *rule_call_name(struct lint *l, const struct krule *k, unsigned nr)
{
	return call_name(l, only_abi(k) == ABI_32 ? ABI_32 : ABI_64, nr);
}

static bool perm_ever_takes(const struct krule *k, unsigned nr)
{
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		if (krule_allows_abi(k, abi) && perm_takes(k->rule, abi, nr))
			return true;
	}
	return false;
}

/* One -S list and no other: what is left of it can be written anew. */
static bool has_one_list(const struct rule *r)
{
	const char *first = r->line ? strstr(r->line->text, "-S") : NULL;
	return first && !strstr(first + 2, "-S");
}

static void check_perm(struct calls *c, const struct krule *k)
{
	const struct rule *r = k->rule;
	struct lint *l = c->l;
	bool has;
	unsigned bits = perm_bits(r, &has);
	/* A release that adds calls to the mask leaves no telling which ones were written. */
	bool adds = release_has(l->env->auditctl ? l->env->auditctl : AUDITCTL_DEFAULT, T_PERM_ADDS);
	if (!has || adds || !r->calls_at || mask_is_all(r->mask))
		return;
	struct names dead = {0};
	struct str live = {0};
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		if (!mask_has(k->mask, nr))
			continue;
		if (perm_ever_takes(k, nr))
			str_addf(&live, "%s%s", live.len ? "," : "", rule_call_name(l, k, nr));
		else
			names_add(&dead, rule_call_name(l, k, nr));
	}
	const char *names = names_end(l, &dead);
	if (dead.n) {
		struct diag *d =
		    lint_calls(l, AR_PERM_CLASS, r, "perm=%s never matches %s%s", perm_letters(l, bits),
			       names, live.len ? "" : ": the rule records nothing");
		if (live.len && has_one_list(r))
			lint_edit_words(l, d, r, r->calls_at, word_len(r, r->calls_at), str_get(&live));
	}
	str_free(&live);
}

/* ---- other ways into the kernel ---------------------------------------------------------------- */

/*
 * Only where the host is known to have them: distributions build x32 in but leave it off, or leave it out,
 * and many turn io_uring off, so that a note about kernels in general would stand on every set and tell
 * nobody anything.
 */
static void check_entries(struct lint *l)
{
	bool records = false, uring = false;
	for (size_t i = 0; i < l->k->n; i++) {
		const struct krule *k = &l->k->rules[i];
		records = records ||
			  ((k->home == HOME_EXIT || k->home == HOME_HASH) && k->rule->action == AUDIT_ALWAYS);
		uring = uring || rule_list(k->rule) == AUDIT_FILTER_URING_EXIT;
	}
	if (!l->host || !records)
		return;
	if (l->host->x32 == 1)
		lint_set(l, AR_X32, "this kernel takes x32 calls, and no rule can match them");
	if (l->host->io_uring == 1 && !uring)
		lint_set(l, AR_IO_URING,
			 "this kernel offers io_uring, and no rule of the set is on the io_uring list: rules "
			 "that name "
			 "system calls or perm never see what is done through it, and those with arch or dir "
			 "not what its "
			 "workers do");
}

/* ---- all of it --------------------------------------------------------------------------------- */

static void find_others(struct calls *c)
{
	for (enum abi abi = 0; abi < ABI_COUNT; abi++) {
		for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
			const char *name = abi_syscall_name(abi, nr);
			int to = name ? abi_syscall_number(other_abi(abi), name) : -1;
			c->other[abi][nr] = (short)(to < NR_LIMIT ? to : -1);
		}
	}
}

static void check_rule(struct calls *c, size_t i)
{
	const struct krule *k = &c->l->k->rules[i];
	struct covered *s = cover_selection(c->cover, i);
	if (!s)
		return;
	check_arch(c, k);
	check_no_arch(c, k);
	check_perm(c, k);
	if (k->rule->action != AUDIT_ALWAYS) /* a call that never does not name is recorded */
		return;
	check_families(c, k, s);
	check_one_abi(c, k, s);
}

void lint_calls_check(struct lint *l)
{
	if (!l->k || l->env->machine != MACH_86_64)
		return;
	struct calls *c = arena_one(l->arena, struct calls);
	*c = (struct calls){.l = l, .cover = cover_of(l->k, l->arena)};
	find_others(c);
	note_told(c);
	for (size_t i = 0; i < l->k->n; i++)
		check_rule(c, i);
	check_entries(l);
}
