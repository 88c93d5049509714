/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks are chained; a request larger than a block gets a block of its own. */
struct block {
	struct block *next;
	size_t used, size;
	max_align_t data[];
};

struct arena {
	struct block *first;
};

enum { BLOCK_SIZE = 64 * 1024 };

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

struct arena *arena_new(void)
{
	return must(calloc(1, sizeof(struct arena)));
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	for (struct block *b = a->first; b;) {
		struct block *next = b->next;
		free(b);
		b = next;
	}
	free(a);
}

static struct block *block_new(size_t size)
{
	if (size > SIZE_MAX - sizeof(struct block))
		abort();
	struct block *b = must(calloc(1, sizeof(struct block) + size));
	b->size = size;
	return b;
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		abort();
	bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);

	struct block *b = a->first;
	if (!b || b->size - b->used < bytes) {
		if (b && bytes > BLOCK_SIZE / 4) {   /* keep filling the current block afterwards */
			struct block *own = block_new(bytes);
			own->used = bytes;
			own->next = b->next;
			b->next = own;
			return own->data;
		}
		b = block_new(bytes > BLOCK_SIZE ? bytes : BLOCK_SIZE);
		b->next = a->first;
		a->first = b;
	}
	void *p = (char *)b->data + b->used;
	b->used += bytes;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1, 1);
	if (n)
		memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *s = NULL;
	int n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	char *copy = arena_strndup(a, s, (size_t)n);
	free(s);
	return copy;
}

/* Capacity is implied by n: full exactly at 0, 4, 8, 16, 32 ... elements. */
void *arena_grow(struct arena *a, void *array, size_t n, size_t size)
{
	bool full = n == 0 || (n >= 4 && (n & (n - 1)) == 0);
	if (!full)
		return array;
	void *bigger = arena_alloc(a, n == 0 ? 4 : n * 2, size);
	if (n)
		memcpy(bigger, array, n * size);
	return bigger;
}
