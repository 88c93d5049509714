/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * conform AUDITCTL FAKENL DIR (FILE | --cases FILE | --generate LINES SEED)...: gives each text to auditctl
 * -R under the fake netlink and to this library, and compares line by line what is sent and what fails. A
 * text is given as it is and once more behind a line `-c`. TAP on standard output; DIR takes temporary files.
 */
#include "grind.h"
#include "sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compare(struct tester *t, const char *title, const char *first, const char *text, size_t len)
{
	struct str all = {0};
	str_add(&all, first);
	str_addn(&all, text, len);
	struct side x = {0}, y = {0};
	side_auditctl(t, str_get(&all), all.len, &x);
	side_here(t, str_get(&all), all.len, &y);
	size_t at = sides_differ(&x, &y);
	if (!tap(t, at == SIZE_MAX, "%s%s", title, *first ? " (behind -c)" : "")) {
		printf("# line %zu\n", at + 1);
		sides_show(&x, &y, at);
	}
	side_free(&x);
	side_free(&y);
	str_free(&all);
}

static void both(struct tester *t, const char *title, const char *text, size_t len)
{
	compare(t, title, "", text, len);
	compare(t, title, "-c\n", text, len);
}

/* `{HH}` is the byte with that hexadecimal number, `{c*N}` is N times the character c. */
static void add_expanded(struct str *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c;
		unsigned number;
		int used = 0;
		char word[16] = "";
		memcpy(word, s + i, n - i < 15 ? n - i : 15);
		if (sscanf(word, "{%c*%u}%n", &c, &number, &used) == 2 && used) {
			while (number--)
				str_addc(out, c);
		} else if (sscanf(word, "{%2x}%n", &number, &used) == 1 && used == 4) {
			str_addc(out, (char)number);
		} else {
			str_addc(out, s[i]);
			used = 1;
		}
		i += (size_t)used - 1;
	}
}

/* Cases: a line `%% title`, then the text up to the next such line. */
static void run_cases(struct tester *t, const char *path)
{
	struct str file = {0}, text = {0};
	if (file_read(path, 64 << 20, &file) < 0)
		die(path);
	char title[200] = "";
	for (const char *l = str_get(&file); *l;) {
		const char *nl = strchr(l, '\n');
		size_t n = nl ? (size_t)(nl - l) + 1 : strlen(l);
		if (strncmp(l, "%% ", 3) == 0) {
			if (*title)
				both(t, title, str_get(&text), text.len);
			str_reset(&text);
			snprintf(title, sizeof(title), "%.*s", (int)n - 4, l + 3);
		} else if (*title) {
			add_expanded(&text, l, n);
		}
		l += n;
	}
	if (*title)
		both(t, title, str_get(&text), text.len);
	str_free(&text);
	str_free(&file);
}

static void run_file(struct tester *t, const char *path)
{
	struct str text = {0};
	if (file_read(path, 64 << 20, &text) < 0)
		die(path);
	both(t, path, str_get(&text), text.len);
	str_free(&text);
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fputs("usage: conform AUDITCTL FAKENL DIR (FILE | --cases FILE | --generate LINES SEED)...\n",
		      stderr);
		return 2;
	}
	struct tester t = {.auditctl = argv[1],
			   .fakenl = argv[2],
			   .dir = argv[3],
			   .env = {.machine = audit_detect_machine()}};
	for (int i = 4; i < argc; i++) {
		uint32_t lines, seed;
		if (strcmp(argv[i], "--cases") == 0 && i + 1 < argc)
			run_cases(&t, argv[++i]);
		else if (strcmp(argv[i], "--generate") == 0 && i + 2 < argc &&
			 num_u32(argv[i + 1], 10, &lines) && num_u32(argv[i + 2], 10, &seed)) {
			grind(&t, lines, seed);
			i += 2;
		} else {
			run_file(&t, argv[i]);
		}
	}
	printf("1..%u\n", t.n);
	return t.bad ? 1 : 0;
}
