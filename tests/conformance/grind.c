/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grind.h"

#include "generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 200, FILES_A_BATCH = 50, LINES_A_FILE = 20, SHOWN = 5, LOADS = 200, ENOUGH = 20000 };

struct totals {
	unsigned lines, sent, refused, silent, undefined, crashes, files, stopped, differ, shown;
};

/* Counts a difference; is it to be shown? A fault can show in thousands of lines. */
static bool note(struct totals *sum)
{
	sum->differ++;
	return sum->shown++ < SHOWN;
}

/* ---- lines ------------------------------------------------------------------------------------------ */

/* Does a line read past its end? What auditctl loads then depends on what lies there. */
static bool is_undefined(struct tester *t, const char *line, size_t len)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("line", line, len, &t->env, &ds);
	bool found = false;
	for (size_t i = 0; i < ds.n; i++)
		found |= ds.list[i].info->code == AR_KEPT_BYTE;
	t->codes[AR_KEPT_BYTE] += found;
	ruleset_free(rs);
	arena_free(ds.arena);
	return found;
}

/* The text without its undefined lines. */
static unsigned without_undefined(struct tester *t, const struct str *text, struct str *out)
{
	unsigned left_out = 0;
	for (size_t at = 0; at < text->len;) {
		const char *nl = memchr(text->s + at, '\n', text->len - at);
		size_t n = nl ? (size_t)(nl - text->s) + 1 - at : text->len - at;
		if (is_undefined(t, text->s + at, n))
			left_out++;
		else
			str_addn(out, text->s + at, n);
		at += n;
	}
	return left_out;
}

/* Offset of a line, which counts from 1. */
static size_t line_start(const struct str *text, unsigned line)
{
	size_t at = 0;
	while (--line && at < text->len) {
		const char *nl = memchr(text->s + at, '\n', text->len - at);
		at = nl ? (size_t)(nl - text->s) + 1 : text->len;
	}
	return at;
}

/* ---- reduction -------------------------------------------------------------------------------------- */

static bool differs(struct tester *t, const char *line, size_t len, bool say)
{
	struct str text = {0};
	str_add(&text, "-c\n");
	str_addn(&text, line, len);
	str_addc(&text, '\n');
	struct side x = {0}, y = {0};
	side_auditctl(t, text.s, text.len, &x);
	side_here(t, text.s, text.len, &y);
	size_t at = sides_differ(&x, &y);
	if (say && at != SIZE_MAX)
		sides_show(&x, &y, at);
	side_free(&x);
	side_free(&y);
	str_free(&text);
	return at != SIZE_MAX;
}

static void show_line(const char *what, const struct str *line)
{
	struct str quoted = {0};
	str_add_quoted(&quoted, str_get(line), line->len);
	printf("# %s (%zu bytes): %s\n", what, line->len, str_get(&quoted));
	str_free(&quoted);
}

/* Drops words as long as the two still differ, within a limit of loads. */
static void reduce(struct tester *t, struct str *line)
{
	unsigned loads = 0;
	for (size_t at = 0; at < line->len && loads < LOADS; loads++) {
		const char *space = memchr(line->s + at, ' ', line->len - at);
		size_t end = space ? (size_t)(space - line->s) + 1 : line->len;
		struct str less = {0};
		str_addn(&less, line->s, at);
		str_addn(&less, line->s + end, line->len - end);
		if (less.len && differs(t, less.s, less.len, false)) {
			str_reset(line);
			str_addn(line, less.s, less.len);
			at = 0;
		} else {
			at = end;
		}
		str_free(&less);
	}
}

static void tell(struct tester *t, const struct side *x, const struct side *y, size_t at, const char *text,
		 size_t len)
{
	struct str line = {0};
	str_addn(&line, text, len && text[len - 1] == '\n' ? len - 1 : len);
	show_line("the two differ on", &line);
	sides_show(x, y, at);
	if (differs(t, str_get(&line), line.len, false)) {
		reduce(t, &line);
		show_line("reduced to", &line);
		differs(t, str_get(&line), line.len, true);
	} else {
		puts("# alone the line makes no difference");
	}
	str_free(&line);
}

/* ---- batches of lines ------------------------------------------------------------------------------- */

static void count_lines(const struct side *x, size_t n, struct totals *sum)
{
	for (size_t i = 1; i < n; i++) { /* the first is -c */
		sum->refused += x->reads[i].failed;
		sum->sent += !x->reads[i].failed && x->reads[i].requests.len;
		sum->silent += !x->reads[i].failed && !x->reads[i].requests.len;
	}
}

/* One load. Returns how many bytes of the text are dealt with: all, or up to the line that differs or
 * crashes. */
static size_t run(struct tester *t, const char *lines, size_t len, struct totals *sum)
{
	struct str text = {0};
	str_add(&text, "-c\n");
	str_addn(&text, lines, len);
	struct side x = {0}, y = {0};
	side_auditctl(t, text.s, text.len, &x);
	side_here(t, text.s, text.len, &y);
	size_t at = sides_differ(&x, &y), done = text.len;
	size_t last = at != SIZE_MAX ? at : x.n - 1;
	count_lines(&x, at != SIZE_MAX ? at : x.n, sum);
	sum->crashes += at == SIZE_MAX && x.crashed;
	if (at != SIZE_MAX || x.crashed) {
		unsigned line = last < y.n ? y.reads[last].line : y.n ? y.reads[y.n - 1].line : 1;
		size_t from = line_start(&text, line);
		done = line_start(&text, line + 1);
		if (at != SIZE_MAX && note(sum))
			tell(t, &x, &y, at, text.s + from, done - from);
	}
	side_free(&x);
	side_free(&y);
	str_free(&text);
	return done > 3 ? done - 3 : len;
}

static void batch(struct tester *t, struct gen *g, unsigned n, struct totals *sum)
{
	struct str made = {0}, text = {0};
	for (unsigned i = 0; i < n; i++) {
		gen_line(g, &made);
		str_addc(&made, '\n');
	}
	sum->lines += n;
	sum->undefined += without_undefined(t, &made, &text);
	sum->differ = 0;
	for (size_t at = 0; at < text.len;)
		at += run(t, text.s + at, text.len - at, sum);
	tap(t, !sum->differ, "%u generated lines, to %u", n, sum->lines);
	str_free(&made);
	str_free(&text);
}

/* ---- small files ------------------------------------------------------------------------------------ */

static void one_file(struct tester *t, struct gen *g, struct totals *sum)
{
	struct str made = {0}, text = {0};
	gen_file(g, &made);
	sum->undefined += without_undefined(t, &made, &text);
	struct side x = {0}, y = {0};
	side_auditctl(t, str_get(&text), text.len, &x);
	side_here(t, str_get(&text), text.len, &y);
	size_t at = sides_differ(&x, &y);
	sum->files++;
	sum->stopped += x.n && x.reads[x.n - 1].failed;
	if (at != SIZE_MAX && note(sum)) {
		show_line("a file differs", &text);
		printf("# at line %zu\n", at + 1);
		sides_show(&x, &y, at);
	}
	side_free(&x);
	side_free(&y);
	str_free(&made);
	str_free(&text);
}

/* ---- was everything in it? -------------------------------------------------------------------------- */

/* What a text alone can cause when it is read. */
static const enum diag_code wanted[] = {
    AR_LONG_LINE,
    AR_CARRIAGE_RETURN,
    AR_TAB,
    AR_KEPT_BYTE,
    AR_WORDS_DROPPED,
    AR_QUOTES,
    AR_NUL,
    AR_BYTE_ORDER_MARK,
    AR_NO_OPTION,
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
    AR_FIELD,
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
};

static void ask_for_codes(struct tester *t)
{
	struct str missing = {0};
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!t->codes[wanted[i]])
			str_addf(&missing, " %s", diag_info(wanted[i])->name);
	}
	tap(t, !missing.len, "every diagnostic that a text alone causes was caused%s%s",
	    missing.len ? ", but for" : "", str_get(&missing));
	printf("# diagnostics here:");
	for (unsigned i = 0; i < CODES; i++) {
		if (t->codes[i])
			printf(" AR%03u %lu", i, t->codes[i]);
	}
	putchar('\n');
	str_free(&missing);
}

static void ask_for_rows(struct tester *t, const struct gen *g)
{
	struct str unused = {0};
	gen_unused(g, &unused);
	tap(t, !unused.len, "every row of the grammar, every field and every kind of damage was generated");
	for (const char *l = str_get(&unused); *l; l += strcspn(l, "\n") + 1)
		printf("# never generated: %.*s\n", (int)strcspn(l, "\n"), l);
	str_free(&unused);
}

void grind(struct tester *t, unsigned lines, uint64_t seed)
{
	struct gen *g = gen_new(seed);
	struct totals sum = {0};
	memset(t->codes, 0, sizeof(t->codes));
	while (sum.lines < lines)
		batch(t, g, lines - sum.lines < BATCH ? lines - sum.lines : BATCH, &sum);
	printf("# seed %llu: %u lines: %u sent something, %u were refused, %u good ones sent nothing, %u "
	       "crashed auditctl, "
	       "%u undefined ones left out\n",
	       (unsigned long long)seed, sum.lines, sum.sent, sum.refused, sum.silent, sum.crashes,
	       sum.undefined);
	tap(t, sum.sent * 10 > lines * 4 && sum.refused * 10 > lines * 3, "about half of the lines load");
	while (sum.files < lines / LINES_A_FILE) {
		sum.differ = 0;
		for (unsigned i = 0; i < FILES_A_BATCH; i++)
			one_file(t, g, &sum);
		tap(t, !sum.differ, "%d generated files, to %u", FILES_A_BATCH, sum.files);
	}
	printf("# %u files, %u of them stopped by an error\n", sum.files, sum.stopped);
	if (lines >= ENOUGH) {
		ask_for_rows(t, g);
		ask_for_codes(t);
	}
	gen_free(g);
}
