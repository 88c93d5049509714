/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/base.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void str_addn(struct str *b, const char *s, size_t n)
{
	if (n > SIZE_MAX / 4 - b->len)
		abort();
	if (b->len + n + 1 > b->cap) {
		size_t cap = (b->len + n + 1) * 2;
		char *p = realloc(b->s, cap);
		if (!p)
			abort();
		b->s = p;
		b->cap = cap;
	}
	if (n)
		memcpy(b->s + b->len, s, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void str_add(struct str *b, const char *s)
{
	str_addn(b, s, strlen(s));
}

void str_addc(struct str *b, char c)
{
	str_addn(b, &c, 1);
}

void str_vaddf(struct str *b, const char *fmt, va_list ap)
{
	char *s = NULL;
	int n = vasprintf(&s, fmt, ap);
	if (n < 0)
		abort();
	str_addn(b, s, (size_t)n);
	free(s);
}

void str_addf(struct str *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(b, fmt, ap);
	va_end(ap);
}

void str_add_quoted(struct str *b, const char *s, size_t n)
{
	str_addc(b, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c < 0x20 || c > 0x7e || c == '"' || c == '\\')
			str_addf(b, "\\x%02x", c);
		else
			str_addc(b, (char)c);
	}
	str_addc(b, '"');
}

void str_add_shown(struct str *b, const char *s)
{
	for (; *s; s++)
		str_addc(b, (unsigned char)*s < 0x20 || *s == 0x7f ? '.' : *s);
}

void str_reset(struct str *b)
{
	b->len = 0;
	if (b->s)
		b->s[0] = '\0';
}

void str_free(struct str *b)
{
	free(b->s);
	*b = (struct str){0};
}

bool num_u64(const char *s, int base, uint64_t *out)
{
	if (!isalnum((unsigned char)s[0]))
		return false;
	char *end;
	errno = 0;
	unsigned long long v = strtoull(s, &end, base);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

bool num_u32(const char *s, int base, uint32_t *out)
{
	uint64_t v;
	if (!num_u64(s, base, &v) || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	return true;
}

void progress_say(const struct progress *p, const char *fmt, ...)
{
	if (!p || !p->say)
		return;
	struct str b = {0};
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&b, fmt, ap);
	va_end(ap);
	p->say(p->ctx, str_get(&b));
	str_free(&b);
}
