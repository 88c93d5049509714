/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts about a host, asked from its files. Paths are looked up as the kernel does it when a rule is loaded
 * (kernel/audit_watch.c:audit_get_nd): links are followed, but for the last component; a slash at the end
 * follows it too.
 */
#include "lint/lint.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- looking up below a root ------------------------------------------------------------------- */

struct lookup {
	const char *root; /* "" for the host's own */
	struct str at;    /* as far as resolved, "" for the root itself */
	struct str rest;  /* what is to come */
	unsigned links;
};

static int look(const struct lookup *u, struct stat *st)
{
	struct str full = {0};
	str_addf(&full, "%s%s", u->root, u->at.len ? str_get(&u->at) : "/");
	int rc = lstat(str_get(&full), st) == 0 ? 0 : -errno;
	str_free(&full);
	return rc;
}

static void cut_last(struct str *path)
{
	while (path->len && path->s[path->len - 1] != '/')
		path->s[--path->len] = '\0';
	if (path->len)
		path->s[--path->len] = '\0';
}

/* What a link names comes before the rest; an absolute one begins at the root again. */
static int follow(struct lookup *u)
{
	enum { LINKS = 40 }; /* MAXSYMLINKS of include/linux/namei.h */
	char target[PATH_MAX];
	struct str full = {0}, next = {0};
	str_addf(&full, "%s%s", u->root, str_get(&u->at));
	ssize_t n = readlink(str_get(&full), target, sizeof(target));
	int err = errno;
	str_free(&full);
	if (n < 0)
		return -err;
	if (n == 0 || (size_t)n == sizeof(target) || ++u->links > LINKS)
		return -ELOOP;
	str_addn(&next, target, (size_t)n);
	str_addf(&next, "/%s", str_get(&u->rest));
	str_free(&u->rest);
	u->rest = next;
	if (target[0] == '/')
		str_reset(&u->at);
	else
		cut_last(&u->at);
	return 0;
}

/* Takes the first component off the rest; false when none is left. *last: no other follows. */
static bool component(struct lookup *u, struct str *name, bool *last)
{
	const char *s = str_get(&u->rest);
	s += strspn(s, "/");
	size_t n = strcspn(s, "/");
	str_reset(name);
	if (!n)
		return false;
	str_addn(name, s, n);
	*last = !s[n + strspn(s + n, "/")];
	struct str rest = {0};
	str_add(&rest, s + n);
	str_free(&u->rest);
	u->rest = rest;
	return true;
}

/* One step; 0 or a negative errno. */
static int step(struct lookup *u, const char *name, bool stay_on_link)
{
	struct stat st;
	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		cut_last(&u->at);
		return 0;
	}
	int err = look(u, &st);
	if (!err && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	if (err)
		return err;
	str_addf(&u->at, "/%s", name);
	err = look(u, &st);
	return !err && S_ISLNK(st.st_mode) && !stay_on_link ? follow(u) : err;
}

/* 0 and the path below the root in u->at, or a negative errno. */
static int walk(struct lookup *u, const char *path, bool follow_last)
{
	struct str name = {0};
	bool last = false;
	int err = 0;
	str_reset(&u->at);
	str_reset(&u->rest);
	str_add(&u->rest, path);
	u->links = 0;
	while (!err && component(u, &name, &last))
		err = step(u, str_get(&name), last && !follow_last);
	str_free(&name);
	return err;
}

static bool is_nowhere(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ELOOP;
}

/* ---- one path ---------------------------------------------------------------------------------- */

static const char *resolved(const struct lookup *u, struct arena *a)
{
	return arena_strdup(a, u->at.len ? str_get(&u->at) : "/");
}

/* Where the directory of the path is, PATH_DIR when it is there. */
static enum path_kind ask_parent(struct lookup *u, const char *path)
{
	struct str parent = {0};
	struct stat st;
	str_add(&parent, path);
	cut_last(&parent);
	int err = walk(u, str_get(&parent), true);
	str_free(&parent);
	if (!err)
		err = look(u, &st);
	if (!err && !S_ISDIR(st.st_mode))
		err = -ENOTDIR;
	return !err ? PATH_DIR : is_nowhere(err) ? PATH_NO_PARENT : PATH_UNKNOWN;
}

static void ask_target(struct lookup *u, struct path_fact *f, struct arena *a)
{
	struct stat st;
	if (walk(u, f->path, true) || look(u, &st))
		return;
	f->target = resolved(u, a);
	f->target_dir = S_ISDIR(st.st_mode);
}

/* The fact but for its mount; *where: the path without links, of a directory only. */
static void ask_path(struct lookup *u, struct path_fact *f, const char **where, struct arena *a)
{
	struct stat st;
	size_t n = strlen(f->path);
	bool slash = n > 1 && f->path[n - 1] == '/';
	struct str path = {0};
	str_addn(&path, f->path, n);
	while (path.len > 1 && path.s[path.len - 1] == '/')
		path.s[--path.len] = '\0';
	f->kind = ask_parent(u, str_get(&path));
	if (f->kind == PATH_DIR) {
		int err = walk(u, str_get(&path), slash);
		err = err ? err : look(u, &st);
		if (err)
			f->kind = is_nowhere(err) ? PATH_MISSING : PATH_UNKNOWN;
		else if (S_ISDIR(st.st_mode))
			*where = resolved(u, a);
		else
			f->kind = S_ISLNK(st.st_mode) ? PATH_LINK : PATH_FILE;
	}
	str_free(&path);
	if (f->kind == PATH_LINK)
		ask_target(u, f, a);
}

/* ---- mounts ------------------------------------------------------------------------------------ */

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Space, tab, newline and backslash stand as \ooo there (proc(5), mountinfo). */
static const char *unescaped(struct arena *a, const char *s, size_t n)
{
	char *out = arena_strndup(a, s, n);
	size_t to = 0;
	for (size_t i = 0; i < n; i++, to++) {
		bool octal = s[i] == '\\' && i + 3 < n && s[i + 1] >= '0' && s[i + 1] <= '3';
		out[to] =
		    octal ? (char)((s[i + 1] - '0') << 6 | (s[i + 2] - '0') << 3 | (s[i + 3] - '0')) : s[i];
		i += octal ? 3 : 0;
	}
	out[to] = '\0';
	return out;
}

struct mounts {
	const char **list; /* mount points below the root, sorted */
	size_t n;
};

static void add_mount(struct mounts *m, const char *line, const char *root, struct arena *a)
{
	enum { MOUNT_POINT = 4 }; /* fields before it */
	for (unsigned i = 0; i < MOUNT_POINT; i++) {
		line += strcspn(line, " \n");
		line += *line == ' ';
	}
	const char *at = unescaped(a, line, strcspn(line, " \n"));
	size_t n = strlen(root);
	if (strncmp(at, root, n) == 0 && at[n] == '/')
		*arena_push(a, m->list, m->n) = at + n;
}

static struct mounts read_mounts(const char *root, struct arena *a)
{
	enum { MOUNTS_MAX = 16 << 20 };
	struct mounts m = {0};
	struct str text = {0};
	char *real = *root ? realpath(root, NULL) : NULL;
	const char *below = real && strcmp(real, "/") != 0 ? real : "";
	if ((!*root || real) && file_read("/proc/self/mountinfo", MOUNTS_MAX, &text) == 0) {
		for (const char *s = str_get(&text); *s; s += *s == '\n') {
			add_mount(&m, s, below, a);
			s += strcspn(s, "\n");
		}
	}
	if (m.n)
		qsort(m.list, m.n, sizeof(*m.list), by_text);
	free(real);
	str_free(&text);
	return m;
}

/* The first mount below a directory; NULL when there is none. O(log mounts). */
static const char *mount_below(const struct mounts *m, const char *dir, struct arena *a)
{
	const char *prefix = arena_printf(a, "%s/", strcmp(dir, "/") == 0 ? "" : dir);
	size_t low = 0, high = m->n, n = strlen(prefix);
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (strcmp(m->list[mid], prefix) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->n && strncmp(m->list[low], prefix, n) == 0 ? m->list[low] : NULL;
}

/* ---- ways into the kernel ---------------------------------------------------------------------- */

enum { CONFIG_MAX = 1 << 20 };

/* The last value of NAME=VALUE that begins a line or a word, its first character; 0 when there is none. */
static char setting(const char *text, const char *name)
{
	size_t n = strlen(name);
	char value = '\0';
	for (const char *s = text; (s = strstr(s, name)); s += n) {
		bool begins = s == text || s[-1] == '\n' || s[-1] == ' ';
		if (begins && s[n] == '=')
			value = s[n + 1];
	}
	return value;
}

static bool is_yes(char c)
{
	return c && strchr("yY1", c);
}

/* Built in, and on unless built to be off; the command line decides over that. Where it is not known, it may.
 */
static int entry(const char *config, const char *cmdline, const char *built, const char *off,
		 const char *option)
{
	if (!is_yes(setting(config, built)))
		return 0;
	bool is_off = is_yes(setting(config, off));
	if (!cmdline)
		return is_off ? -1 : 1;
	char asked = setting(cmdline, option);
	return asked ? is_yes(asked) : !is_off;
}

/* CONFIG_X86_X32_DISABLED and syscall.x32 are Debian's; other kernels have x32 or not. */
static void take_config(struct host *h, const char *config, const char *cmdline)
{
	if (!is_yes(setting(config, "CONFIG_X86_64")))
		return;
	h->abi32 = entry(config, cmdline, "CONFIG_IA32_EMULATION", "CONFIG_IA32_EMULATION_DEFAULT_DISABLED",
			 "ia32_emulation");
	h->x32 = entry(config, cmdline, "CONFIG_X86_X32_ABI", "CONFIG_X86_X32_DISABLED", "syscall.x32");
	h->io_uring = is_yes(setting(config, "CONFIG_IO_URING"));
}

/* This host's own kernel. */
static void ask_running(struct host *h)
{
	struct str config = {0}, cmdline = {0}, uring = {0}, path = {0};
	struct utsname u;
	if (uname(&u) == 0)
		str_addf(&path, "/boot/config-%s", u.release);
	if (path.len && file_read("/proc/cmdline", CONFIG_MAX, &cmdline) == 0 &&
	    file_read(str_get(&path), CONFIG_MAX, &config) == 0)
		take_config(h, str_get(&config), str_get(&cmdline));
	/* There where io_uring is built in, since 6.6: 0 for everybody, 1 for a group, 2 for nobody. */
	if (file_read("/proc/sys/kernel/io_uring_disabled", CONFIG_MAX, &uring) == 0)
		h->io_uring = str_get(&uring)[0] != '2';
	/* selinuxfs is mounted as soon as a policy is loaded: without one there is no name that could be resolved */
	static const char *const none[] = {NULL};
	if (access("/sys/fs/selinux/enforce", F_OK) != 0)
		h->labels = none;
	str_free(&config);
	str_free(&cmdline);
	str_free(&uring);
	str_free(&path);
}

/* The kernel below a root, when there is one and no other. */
static void ask_installed(struct host *h, const char *root, struct arena *a)
{
	const char *boot = arena_printf(a, "%s/boot", root), *only = NULL;
	unsigned n = 0;
	DIR *d = opendir(boot);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (strncmp(e->d_name, "config-", 7) != 0)
			continue;
		only = arena_printf(a, "%s/%s", boot, e->d_name);
		n++;
	}
	if (d)
		closedir(d);
	struct str config = {0};
	if (n == 1 && file_read(only, CONFIG_MAX, &config) == 0)
		take_config(h, str_get(&config), NULL);
	str_free(&config);
}

/* ---- all of them ------------------------------------------------------------------------------- */

static bool names_path(const struct field *f)
{
	return (f->id == AUDIT_WATCH || f->id == AUDIT_DIR || f->id == AUDIT_EXE) && f->text[0] == '/';
}

static const char **list_paths(const struct ruleset *rs, struct arena *a, size_t *n)
{
	const char **list = NULL;
	size_t all = 0;
	for (size_t i = 0; i < rs->nrequests; i++) {
		const struct rule *r = rs->requests[i].kind == REQ_ADD ? rs->requests[i].rule : NULL;
		for (unsigned j = 0; r && j < r->nfields; j++) {
			if (names_path(&r->fields[j]))
				*arena_push(a, list, all) = r->fields[j].text;
		}
	}
	if (all)
		qsort(list, all, sizeof(*list), by_text);
	*n = 0;
	for (size_t i = 0; i < all; i++) {
		if (*n == 0 || strcmp(list[*n - 1], list[i]) != 0)
			list[(*n)++] = list[i];
	}
	return list;
}

struct host *host_ask(const struct ruleset *rs, const char *root, struct arena *a)
{
	struct host *h = arena_one(a, struct host);
	struct lookup u = {.root = root && strcmp(root, "/") != 0 ? root : ""};
	*h = (struct host){.abi32 = -1, .x32 = -1, .io_uring = -1, .certain = root && *root};
	const char **paths = list_paths(rs, a, &h->npaths);
	h->paths = arena_array(a, struct path_fact, h->npaths + 1);
	struct mounts mounts = read_mounts(u.root, a);
	for (size_t i = 0; i < h->npaths; i++) {
		const char *where = NULL;
		h->paths[i].path = arena_strdup(a, paths[i]);
		ask_path(&u, &h->paths[i], &where, a);
		if (where)
			h->paths[i].mount = mount_below(&mounts, where, a);
	}
	if (*u.root)
		ask_installed(h, u.root, a);
	else
		ask_running(h);
	str_free(&u.at);
	str_free(&u.rest);
	return h;
}

static int by_path(const void *key, const void *fact)
{
	return strcmp(key, ((const struct path_fact *)fact)->path);
}

const struct path_fact *host_path(const struct host *h, const char *path)
{
	static const struct path_fact unknown = {.path = "", .kind = PATH_UNKNOWN};
	const struct path_fact *f =
	    h && h->npaths ? bsearch(path, h->paths, h->npaths, sizeof(*h->paths), by_path) : NULL;
	return f ? f : &unknown;
}
