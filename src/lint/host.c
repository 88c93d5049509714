/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the rules do on this host: its paths, programs, labels and entries. One finding a path, however many
 * rules name it. Sources: kernel/audit_watch.c:audit_get_nd (the last component of path= is not followed),
 * kernel/audit_tree.c: audit_add_tree_rule (all of dir= must exist), kernel/audit_fsnotify.c:audit_alloc_mark
 * (exe=).
 */
#include "lint/lint.h"

#include <stdlib.h>
#include <string.h>

struct use {         /* a rule's naming of a path */
	size_t path; /* in host->paths */
	const struct krule *k;
	unsigned field;
};

struct uses {
	const struct use *list;
	size_t n;
};

static const struct field *use_field(const struct use *u)
{
	return &u->k->rule->fields[u->field];
}

/* ---- gathering --------------------------------------------------------------------------------- */

static int by_path_then_order(const void *x, const void *y)
{
	const struct use *a = x, *b = y;
	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	if (a->k->request != b->k->request)
		return a->k->request < b->k->request ? -1 : 1;
	return a->field < b->field ? -1 : a->field > b->field;
}

static struct uses gather(struct lint *l)
{
	struct use *list = NULL;
	size_t n = 0;
	for (size_t i = 0; i < l->k->n; i++) {
		const struct krule *k = &l->k->rules[i];
		for (unsigned j = 0; j < k->rule->nfields; j++) {
			const struct field *f = &k->rule->fields[j];
			if (f->id != AUDIT_WATCH && f->id != AUDIT_DIR && f->id != AUDIT_EXE)
				continue;
			const struct path_fact *fact = host_path(l->host, f->text);
			if (fact->kind != PATH_UNKNOWN)
				*arena_push(l->arena, list, n) =
				    (struct use){(size_t)(fact - l->host->paths), k, j};
		}
	}
	if (n)
		qsort(list, n, sizeof(*list), by_path_then_order);
	return (struct uses){list, n};
}

/* ---- reporting --------------------------------------------------------------------------------- */

typedef bool use_test(const struct path_fact *f, const struct use *u);

/* Adds the other rules to which the same applies. */
static void relate_others(struct lint *l, struct diag *d, const struct path_fact *f, struct uses of,
			  const struct use *first, use_test *applies)
{
	enum { SHOWN = 8 };
	unsigned shown = 0;
	for (size_t i = 0; i < of.n && shown < SHOWN; i++) {
		const struct use *u = &of.list[i];
		if (u == first || !applies(f, u) || !u->k->rule->line ||
		    u->k->rule->line == first->k->rule->line)
			continue;
		diag_relate(l->ds, d, u->k->rule->line->at, "names the same path");
		shown++;
	}
}

/* In each rule to which it applies the path becomes another: the field's name too where one is given. */
static void edit_all(struct lint *l, struct diag *d, const struct path_fact *f, struct uses of,
		     use_test *applies, const char *name, const char *path)
{
	/* Below /proc a link leads to what the reader is. */
	if (!path || strpbrk(path, " \\\n=<>&!") || strncmp(path, "/proc/", 6) == 0)
		return;
	for (size_t i = 0; i < of.n; i++) {
		const struct use *u = &of.list[i];
		const struct field *have = use_field(u);
		if (!applies(f, u) || have->op != AUDIT_EQUAL)
			continue;
		if (u->k->rule->watch && have->id != AUDIT_EXE)
			lint_edit_words(l, d, u->k->rule, have->column, have->width, path);
		else
			lint_edit_words(
			    l, d, u->k->rule, have->column, have->width,
			    arena_printf(l->arena, "%s=%s", name ? name : field_by_id(have->id)->name, path));
	}
}

static const struct use *first_use(const struct path_fact *f, struct uses of, use_test *applies)
{
	for (size_t i = 0; i < of.n; i++) {
		const struct use *u = of.list + i;
		if (applies(f, u))
			return u;
	}
	return NULL;
}

/* The diagnostic at the first rule to which the test applies, with the others related; NULL when there is
 * none. */
static struct diag *report(struct lint *l, enum diag_code code, const struct path_fact *f, struct uses of,
			   use_test *applies, const char *message)
{
	const struct use *u = first_use(f, of, applies);
	if (!u)
		return NULL;
	struct diag *d = lint_field(l, code, u->k->rule, u->field, "%s", message);
	relate_others(l, d, f, of, u, applies);
	return d;
}

/* ---- missing ----------------------------------------------------------------------------------- */

static bool is_exe(const struct use *u)
{
	return use_field(u)->id == AUDIT_EXE;
}

static bool is_dir(const struct use *u)
{
	return use_field(u)->id == AUDIT_DIR;
}

static bool is_path(const struct use *u)
{
	return use_field(u)->id == AUDIT_WATCH;
}

/*
 * The kernel refuses the rule. A -w is a path wherever stat says no directory when auditctl loads it: read as
 * a directory elsewhere, it is one that is missing here.
 */
static bool is_refused(const struct path_fact *f, const struct use *u)
{
	return f->kind == PATH_NO_PARENT || (f->kind == PATH_MISSING && is_dir(u) && !u->k->rule->watch);
}

static bool is_later(const struct path_fact *f, const struct use *u)
{
	return f->kind == PATH_MISSING && is_path(u);
}

static bool is_later_watch(const struct path_fact *f, const struct use *u)
{
	return is_later(f, u) && u->k->rule->watch;
}

static bool is_exe_missing(const struct path_fact *f, const struct use *u)
{
	return f->kind == PATH_MISSING && is_exe(u);
}

static void check_refused(struct lint *l, const struct path_fact *f, struct uses of)
{
	const char *slash = strrchr(f->path, '/');
	const char *parent =
	    arena_strndup(l->arena, f->path, slash == f->path ? 1 : (size_t)(slash - f->path));
	const char *what = f->kind == PATH_MISSING
			       ? arena_printf(l->arena, "%s does not exist, and dir= must", f->path)
			       : arena_printf(l->arena, "%s is no directory here", parent);
	struct diag *d = report(
	    l, AR_PARENT_MISSING, f, of, is_refused,
	    arena_printf(l->arena, "%s: the kernel refuses the rule with `No such file or directory'", what));
	if (!d || !l->host->certain || l->rs->ignore_errors)
		return;
	diag_set_severity(l->ds, d, SEV_ERROR);
	d->stops = true;
}

static void check_missing(struct lint *l, const struct path_fact *f, struct uses of)
{
	check_refused(l, f, of);
	if (first_use(f, of, is_later_watch))
		report(l, AR_PATH_MISSING, f, of, is_later,
		       arena_printf(l->arena,
				    "%s does not exist: the watch is of a file of this name, should it be "
				    "made, and not of what is below it, "
				    "should it become a directory",
				    f->path));
	else
		report(l, AR_PATH_MISSING, f, of, is_later,
		       arena_printf(l->arena, "%s does not exist: the rule records nothing until it is made",
				    f->path));
	report(l, AR_EXE, f, of, is_exe_missing,
	       arena_printf(l->arena, "%s does not exist: no program is it until it is made", f->path));
}

/* ---- links ------------------------------------------------------------------------------------- */

/* Made anew by the programs that change it, so that the link is what a rule has to watch (timedatectl(1)). */
static bool is_changed_as_link(const char *path)
{
	return strcmp(path, "/etc/localtime") == 0;
}

static bool is_link_dir(const struct path_fact *f, const struct use *u)
{
	return f->kind == PATH_LINK && is_dir(u);
}

static bool is_link_path(const struct path_fact *f, const struct use *u)
{
	return f->kind == PATH_LINK && is_path(u) && !is_changed_as_link(f->path);
}

static bool is_link_exe(const struct path_fact *f, const struct use *u)
{
	return f->kind == PATH_LINK && is_exe(u);
}

static void check_links(struct lint *l, const struct path_fact *f, struct uses of)
{
	const char *to = f->target ? arena_printf(l->arena, "a link to %s", f->target) : "a link to nothing";
	struct diag *d =
	    report(l, AR_SYMLINK, f, of, is_link_dir,
		   arena_printf(l->arena, "%s is %s: dir= does not follow it and covers no file below it",
				f->path, to));
	if (d)
		edit_all(l, d, f, of, is_link_dir, NULL, f->target);
	d = report(
	    l, AR_SYMLINK, f, of, is_link_path,
	    arena_printf(
		l->arena,
		"%s is %s: the rule sees the link made, removed or replaced, and no use of what it leads to",
		f->path, to));
	if (d && !f->target_dir) {
		edit_all(l, d, f, of, is_link_path, NULL, f->target);
		d->loses = true; /* the link's own changes */
	}
	d = report(l, AR_EXE, f, of, is_link_exe,
		   arena_printf(l->arena, "%s is %s: exe compares the file that runs, which is never a link",
				f->path, to));
	if (d && !f->target_dir)
		edit_all(l, d, f, of, is_link_exe, NULL, f->target);
}

/* ---- directories ------------------------------------------------------------------------------- */

static bool is_dir_as_path(const struct path_fact *f, const struct use *u)
{
	return f->kind == PATH_DIR && is_path(u) && !u->k->rule->watch;
}

/* What auditctl finds when it loads the file on this host (it follows links there) is not what the set was
 * read as. */
static bool is_other_kind(const struct path_fact *f, const struct use *u)
{
	bool dir = f->kind == PATH_DIR || (f->kind == PATH_LINK && f->target_dir);
	if (!u->k->rule->watch || is_exe(u) || f->kind == PATH_NO_PARENT)
		return false;
	return dir != is_dir(u);
}

static bool is_tree(const struct path_fact *f, const struct use *u)
{
	return f->mount && is_dir(u);
}

static void check_kind(struct lint *l, const struct path_fact *f, struct uses of)
{
	struct diag *d = report(
	    l, AR_DIR_PATH, f, of, is_dir_as_path,
	    arena_printf(l->arena,
			 "%s is a directory: path= sees what is made and removed in it, and nothing that is "
			 "written to the files there",
			 f->path));
	if (d)
		edit_all(l, d, f, of, is_dir_as_path, "dir", f->path);
	const struct use *u = first_use(f, of, is_other_kind);
	if (u)
		report(l, AR_KIND_CHANGES, f, of, is_other_kind,
		       arena_printf(l->arena, "read as a %s, but here auditctl makes a %s rule of it",
				    is_dir(u) ? "directory" : "file", is_dir(u) ? "path" : "dir"));
	if (f->mount)
		report(l, AR_OTHER_MOUNT, f, of, is_tree,
		       arena_printf(l->arena,
				    "%s is mounted below %s: its files are covered only if it is mounted "
				    "when the rule is loaded",
				    f->mount, f->path));
}

static void check_paths(struct lint *l)
{
	struct uses all = gather(l);
	for (size_t from = 0, to; from < all.n; from = to) {
		const struct path_fact *f = &l->host->paths[all.list[from].path];
		for (to = from + 1; to < all.n && all.list[to].path == all.list[from].path; to++)
			;
		struct uses of = {all.list + from, to - from};
		check_missing(l, f, of);
		check_links(l, f, of);
		check_kind(l, f, of);
	}
}

/* ---- files that are replaced ------------------------------------------------------------------- */

/* Written as a new file that is renamed over the old: shadow-utils, sudo, visudo, glibc's ldconfig, systemd.
 */
static bool is_replaced(const char *path)
{
	static const char *const files[] = {
	    "/etc/passwd",  "/etc/shadow",      "/etc/group",    "/etc/gshadow",   "/etc/security/opasswd",
	    "/etc/sudoers", "/etc/ld.so.cache", "/etc/hostname", "/etc/localtime", "/etc/machine-info",
	};
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (strcmp(path, files[i]) == 0)
			return true;
	}
	return false;
}

/*
 * A watch by path follows the replacement (audit_update_watch), and a rename is in the class of w, so that
 * the usual rule with w is right as it is. A rule for reads or programs does not mean to see changes.
 */
static void check_replaced(struct lint *l, const struct rule *r)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		if (f->id == AUDIT_INODE && f->op == AUDIT_EQUAL && r->action == AUDIT_ALWAYS)
			lint_field(l, AR_REPLACED, r, i,
				   "the rule is of inode %u and not of a name: it ends with the file, and a "
				   "file that is written anew and "
				   "renamed has another number",
				   f->value);
	}
	const struct field *path = rule_field(r, AUDIT_WATCH), *perm = rule_field(r, AUDIT_PERM);
	if (!path || !perm || perm->op != AUDIT_EQUAL || perm->value != 8 || !is_replaced(path->text))
		return;
	lint_field(l, AR_REPLACED, r, (unsigned)(perm - r->fields),
		   "%s is changed by renaming a new file over it, which is w: with perm=a alone that is not "
		   "recorded",
		   path->text);
}

/* ---- labels and 32 bit ------------------------------------------------------------------------- */

static bool is_label_name(uint32_t id)
{
	return id == AUDIT_SUBJ_USER || id == AUDIT_SUBJ_ROLE || id == AUDIT_SUBJ_TYPE ||
	       id == AUDIT_OBJ_USER || id == AUDIT_OBJ_ROLE || id == AUDIT_OBJ_TYPE;
}

static int by_label(const void *key, const void *label)
{
	return strcmp(key, *(const char *const *)label);
}

/* A host without any policy may be another one than the rules are for. */
static void say_label(struct lint *l, const struct rule *r, unsigned i, const char *then)
{
	const struct host *h = l->host;
	struct diag *d = h->nlabels ? lint_field(l, AR_LABEL, r, i, "the policy has no %s: %s", r->fields[i].text, then)
				    : lint_field(l, AR_LABEL, r, i, "no SELinux policy is loaded on this host: %s", then);
	if (!h->nlabels && !h->certain)
		diag_set_severity(l->ds, d, SEV_NOTE);
}

static void check_labels(struct lint *l, const struct rule *r)
{
	const struct host *h = l->host;
	/* There an unresolved name leaves the running result as it is: kernel/auditfilter.c:audit_filter. */
	bool running = rule_list(r) == AUDIT_FILTER_USER || rule_list(r) == AUDIT_FILTER_EXCLUDE;
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		if (is_label_name(f->id) &&
		    !bsearch(f->text, h->labels, h->nlabels, sizeof(*h->labels), by_label))
			say_label(l, r, i, running ? "the field takes the outcome of the one before it" : "the field is never true");
	}
}

/* Every rule of 32 bit calls alone is one finding, at the first of them. */
static void check_32bit(struct lint *l)
{
	const struct krule *first = NULL;
	size_t n = 0;
	for (size_t i = 0; i < l->k->n; i++) {
		const struct krule *k = &l->k->rules[i];
		if ((k->home != HOME_EXIT && k->home != HOME_HASH) || !krule_allows_abi(k, ABI_32) ||
		    krule_allows_abi(k, ABI_64))
			continue;
		first = first && first->request < k->request ? first : k;
		n++;
	}
	for (unsigned i = 0; first && i < first->rule->nfields; i++) {
		if (first->rule->fields[i].id != AUDIT_ARCH)
			continue;
		lint_field(l, AR_NO_32BIT, first->rule, i, "this kernel takes no 32 bit calls: %s",
			   n == 1 ? "the rule matches nothing"
				  : arena_printf(l->arena, "this and %zu other rules match nothing", n - 1));
		return;
	}
}

void lint_host(struct lint *l)
{
	if (!l->k)
		return;
	for (size_t i = 0; i < l->k->n; i++)
		check_replaced(l, l->k->rules[i].rule);
	if (!l->host)
		return;
	check_paths(l);
	for (size_t i = 0; l->host->labels && i < l->k->n; i++)
		check_labels(l, l->k->rules[i].rule);
	if (l->host->abi32 == 0 && l->env->machine == MACH_86_64)
		check_32bit(l);
}
