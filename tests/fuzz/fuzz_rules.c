/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz_rules [ITERATIONS [SEED [FILE...]]]: changes lines of the files (or of a few built in) at random,
 * reads them, and asks of every rule that its text and its payload read back to the same rule. Same seed,
 * same run. Ends with status 1 at the first rule that does not, after printing the text.
 */
#include "lint/lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct corpus {
	struct arena *arena;
	const char **lines;
	size_t n;
};

static uint64_t state;

/* xorshift64*: any good generator does, this one is the same everywhere. */
static uint32_t draw(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * UINT64_C(2685821657736338717)) >> 33) % below;
}

static const char *const seeds[] = {
    "-w /etc/passwd -p wa -k identity",
    "-a always,exit -F arch=b64 -S open,openat -F exit=-EACCES -F auid>=1000 -F auid!=unset -k access",
    "-a never,exit -F exe=/usr/bin/x -C uid!=euid -F a1&=0x40",
    "-A exclude,always -F msgtype=CWD",
    "-a never,filesystem -F fstype=tracefs",
    "-a task,never -F subj_type=t",
    "-b 8192 -f 1 -e 2",
    "-d always,exit -S all -F dir=/a\\ b -F perm=rx -F key=a -F key=b",
};

static const char *const pieces[] = {
    "-F ",         "-S ",   " -k ", " -p ",  "-w ",      "-a ",         "-A ",     "-d ",
    " -C ",        "!=",    ">=",   "&=",    "=",        ",",           "\\ ",     "\\\\",
    "\n",          "key=",  "KEY=", "unset", "arch=b32", "exit=-EPERM", "-D",      " -i",
    "-c\n",        "\t",    "\r",   "#",     " ",        "/",           "0x",      "-1",
    "4294967295",  "all",   "\x01", "\x04",  "\x07",     "path=/x",     "dir=/y/", "filetype=file",
    "saddr_fam=2", "uid=0", "--",
};

static void read_lines(struct corpus *c, const char *text)
{
	char *copy = arena_strdup(c->arena, text), *save = NULL;
	for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		*arena_push(c->arena, c->lines, c->n) = l;
}

static void mutate(struct str *b)
{
	struct str out = {0};
	size_t at = draw((uint32_t)b->len + 1), gone = 0;
	str_addn(&out, str_get(b), at);
	switch (draw(4)) {
	case 0:
		str_addc(&out, (char)draw(256));
		break;
	case 1:
		str_add(&out, pieces[draw(ARRAY_SIZE(pieces))]);
		break;
	case 2:
		gone = draw(8);
		break;
	default:
		str_addc(&out, (char)draw(256));
		gone = 1;
		break;
	}
	if (gone > b->len - at)
		gone = b->len - at;
	str_addn(&out, str_get(b) + at + gone, b->len - at - gone);
	str_free(b);
	*b = out;
}

static void make_text(const struct corpus *c, struct str *text)
{
	for (unsigned lines = 1 + draw(3); lines; lines--) {
		struct str line = {0};
		str_add(&line, c->lines[draw((uint32_t)c->n)]);
		for (unsigned n = draw(5); n; n--)
			mutate(&line);
		if (draw(200) == 0)
			for (unsigned n = draw(8000); n; n--)
				str_addc(&line, "x ,\\"[draw(4)]);
		str_addn(text, str_get(&line), line.len);
		str_addc(text, '\n');
		str_free(&line);
	}
}

static bool rule_holds(const struct rule *r, const struct lang_env *env, unsigned *written)
{
	struct arena *a = arena_new();
	struct audit_rule_data *d = rule_to_data(r);
	struct rule back;
	bool ok = rule_from_data(a, d, &back) && rule_same(r, &back);
	free(d);
	struct str text = {0}, dump = {0};
	rule_dump(r, false, &dump);
	if (ok && rule_write(r, env, &text)) {
		struct diags ds = {.arena = a};
		struct ruleset *rs = rules_parse("written", text.s, text.len, env, &ds);
		ok = rs->nrequests == 1 && rs->requests[0].rule && rule_same(rs->requests[0].rule, r);
		ruleset_free(rs);
		++*written;
	}
	if (!ok)
		printf("does not read back: %s%s\n", str_get(&dump), str_get(&text));
	str_free(&text);
	str_free(&dump);
	arena_free(a);
	return ok;
}

/* Whatever was read, the checks must come to an end, and their places must lie in the text. */
static void lint_text_of(struct ruleset *rs, const struct lang_env *env, struct diags *ds)
{
	struct kset *k = kset_load(rs, ds);
	struct lint l = {.rs = rs, .k = k, .env = env, .ds = ds, .arena = arena_new()};
	lint_run(&l);
	diags_sort(ds);
	arena_free(l.arena);
	kset_free(k);
}

static bool try_text(const struct str *text, const struct lang_env *env, unsigned *rules, unsigned *written)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("fuzz", text->s, text->len, env, &ds);
	struct str out = {0};
	bool ok = true;
	lint_text_of(rs, env, &ds);
	for (size_t i = 0; i < ds.n; i++)
		diag_print(&ds.list[i], i % 2, &out);
	for (size_t i = 0; i < rs->nrequests && ok; i++) {
		request_dump(&rs->requests[i], &out);
		if (!rs->requests[i].rule)
			continue;
		++*rules;
		ok = rule_holds(rs->requests[i].rule, env, written);
	}
	str_free(&out);
	ruleset_free(rs);
	arena_free(ds.arena);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned long iterations = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
	state = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 20240601;
	struct corpus c = {.arena = arena_new()};
	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++)
		read_lines(&c, seeds[i]);
	for (int i = 3; i < argc; i++) {
		struct str text = {0};
		if (file_read(argv[i], 64 << 20, &text) == 0)
			read_lines(&c, str_get(&text));
		str_free(&text);
	}
	static const char *const dirs[] = {"/etc", "/var/log", "/a b"};
	struct lang_env env = {.machine = MACH_86_64, .dirs = dirs, .ndirs = ARRAY_SIZE(dirs)};
	unsigned rules = 0, written = 0;
	bool ok = true;
	for (unsigned long i = 0; i < iterations && ok; i++) {
		struct str text = {0};
		make_text(&c, &text);
		ok = try_text(&text, &env, &rules, &written);
		if (!ok)
			printf("text %lu: %s\n", i, text.s);
		str_free(&text);
	}
	arena_free(c.arena);
	printf("%lu texts, %u rules, %u of them written and read back\n", iterations, rules, written);
	return ok ? 0 : 1;
}
