/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/accounts.h"

#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

struct account {
	const char *name;
	uint32_t id;
	size_t order; /* in the file: of two with one name the first counts, as in getpwnam(3) */
};

struct table {
	bool given;
	struct account *list;
	size_t n;
};

struct accounts {
	struct table users, groups;
};

enum { ACCOUNT_FILE_MAX = 64 << 20 };

static int by_name(const void *a, const void *b)
{
	const struct account *x = a, *y = b;
	int c = strcmp(x->name, y->name);
	return c ? c : (x->order > y->order) - (x->order < y->order);
}

/* name:password:id:...; passwd(5) and group(5) begin alike. Lines of another shape are passed over, as glibc
 * does. */
static void read_line(struct arena *a, char *line, struct table *t)
{
	if (strchr("#+-", line[0]))
		return;
	char *colon = strchr(line, ':');
	char *password_end = colon ? strchr(colon + 1, ':') : NULL;
	if (!password_end)
		return;
	char *id = password_end + 1;
	id[strcspn(id, ":")] = '\0';
	*colon = '\0';
	uint32_t value;
	if (num_u32(id, 10, &value)) {
		struct account *x = arena_push(a, t->list, t->n);
		*x = (struct account){.name = line, .id = value, .order = t->n};
	}
}

static bool read_table(struct arena *a, const char *path, struct table *t, const char **err)
{
	if (!path)
		return true;
	struct str text = {0};
	int e = file_read(path, ACCOUNT_FILE_MAX, &text);
	if (e < 0) {
		*err = arena_printf(a, "%s: %s", path, strerror(-e));
		str_free(&text);
		return false;
	}
	char *copy = arena_strndup(a, str_get(&text), text.len), *save = NULL;
	str_free(&text);
	t->given = true;
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		read_line(a, line, t);
	if (t->n)
		qsort(t->list, t->n, sizeof(*t->list), by_name);
	return true;
}

struct accounts *accounts_read(struct arena *a, const char *passwd, const char *group, const char **err)
{
	struct accounts *ac = arena_one(a, struct accounts);
	if (!read_table(a, passwd, &ac->users, err) || !read_table(a, group, &ac->groups, err))
		return NULL;
	return ac;
}

static bool look_up(const struct table *t, const char *name, uint32_t *id)
{
	size_t low = 0, high = t->n;
	while (low < high) { /* the first of those with this name */
		size_t mid = low + (high - low) / 2;
		if (strcmp(t->list[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == t->n || strcmp(t->list[low].name, name) != 0)
		return false;
	*id = t->list[low].id;
	return true;
}

bool accounts_uid(const struct accounts *ac, const char *name, uint32_t *id)
{
	if (ac && ac->users.given)
		return look_up(&ac->users, name, id);
	const struct passwd *pw = getpwnam(name);
	if (pw)
		*id = pw->pw_uid;
	return pw;
}

bool accounts_gid(const struct accounts *ac, const char *name, uint32_t *id)
{
	if (ac && ac->groups.given)
		return look_up(&ac->groups, name, id);
	const struct group *gr = getgrnam(name);
	if (gr)
		*id = gr->gr_gid;
	return gr;
}
