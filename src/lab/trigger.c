/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/trigger_want.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const struct trigger_object place_table[PLACE_COUNT] = {
    [PLACE_PLAIN] = {TRIGGER_DIR "/plain", OBJECT_FILE, 0640},
    [PLACE_PROGRAM] = {TRIGGER_DIR "/program", OBJECT_PROGRAM, 0755},
    [PLACE_OPEN] = {TRIGGER_DIR "/open/file", OBJECT_FILE, 0666},
    [PLACE_FOREIGN] = {TRIGGER_DIR "/foreign", OBJECT_FILE, 0666},
    [PLACE_CLOSED] = {TRIGGER_DIR "/closed/file", OBJECT_FILE, 0666},
    [PLACE_STICKY] = {TRIGGER_DIR "/sticky/file", OBJECT_FILE, 0644},
    /* never made: a name below a directory that is there */
    [PLACE_ABSENT] = {TRIGGER_DIR "/absent/file", OBJECT_FILE, 0},
};

static const struct trigger_object place_dirs[] = {
    {TRIGGER_DIR, OBJECT_DIR, 0755},
    {TRIGGER_DIR "/open", OBJECT_DIR, 0777},
    {TRIGGER_DIR "/closed", OBJECT_DIR, 0700},
    {TRIGGER_DIR "/sticky", OBJECT_DIR, 01777},
};

enum { SWEEP_STEPS = 48, SWEEP_DIRS = 8, SWEEP_FILES = 4, NEGATIVE_STEPS = 3 };

struct planner {
	struct arena *arena;
	struct trigger_plan *plan;
	struct trigger_object **objects; /* writable; the plan shows them as constant */
	size_t nobjects;
	uint32_t sweep[ABI_COUNT][AUDIT_BITMASK_SIZE];
};

/* ---- objects ------------------------------------------------------------------------------------------- */

/* The path without trailing slashes, which the kernel ignores for dir and auditctl removes from -w. */
static const char *tidy(struct arena *a, const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	return arena_strndup(a, path, n);
}

static struct trigger_object *object_add(struct planner *p, const char *path, enum object_kind kind,
					 mode_t mode)
{
	for (size_t i = 0; i < p->nobjects; i++) {
		struct trigger_object *o = p->objects[i];
		if (strcmp(o->path, path) != 0)
			continue;
		if (kind > o->kind) {
			o->kind = kind;
			o->mode = mode;
		}
		return o;
	}
	struct trigger_object *o = arena_one(p->arena, struct trigger_object);
	*o = (struct trigger_object){path, kind, mode};
	*arena_push(p->arena, p->objects, p->nobjects) = o;
	return o;
}

/* What the rule watches, made an object: the file itself, or a file below the directory. NULL: it watches
 * nothing. */
static const struct trigger_object *object_of(struct planner *p, const struct want *w)
{
	if (w->dir) {
		const char *dir = tidy(p->arena, w->dir);
		if (strcmp(dir, "/") == 0)
			dir = "";
		else
			object_add(p, dir, OBJECT_DIR, 0755);
		if (w->perm & PERM_X)
			return object_add(p, arena_printf(p->arena, "%s/.auditopt-program", dir),
					  OBJECT_PROGRAM, 0755);
		return object_add(p, arena_printf(p->arena, "%s/.auditopt-file", dir), OBJECT_FILE, 0640);
	}
	if (!w->path || strcmp(w->path, "/") == 0 || strlen(w->path) >= PATH_MAX - 32)
		return NULL;
	if (w->perm & PERM_X)
		return object_add(p, tidy(p->arena, w->path), OBJECT_PROGRAM, 0755);
	return object_add(p, tidy(p->arena, w->path), OBJECT_FILE, 0640);
}

static int by_path(const void *a, const void *b)
{
	return strcmp((*(struct trigger_object *const *)a)->path, (*(struct trigger_object *const *)b)->path);
}

/* Whatever holds another object is a directory, also if a rule speaks of it with path=. */
static void objects_finish(struct planner *p)
{
	for (size_t i = 0; i < p->nobjects; i++) {
		struct trigger_object *o = p->objects[i];
		size_t n = strlen(o->path);
		for (size_t k = 0; k < p->nobjects && o->kind != OBJECT_DIR; k++) {
			const char *other = p->objects[k]->path;
			if (strncmp(other, o->path, n) == 0 && other[n] == '/')
				*o = (struct trigger_object){o->path, OBJECT_DIR, 0755};
		}
	}
	qsort(p->objects, p->nobjects, sizeof(struct trigger_object *), by_path);
	p->plan->objects = (const struct trigger_object **)p->objects;
	p->plan->nobjects = p->nobjects;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

static int number_of(enum abi abi, const struct call_row *row)
{
	return audit_name_to_syscall(row->name, abi == ABI_64 ? MACH_86_64 : MACH_X86);
}

static void step_push(struct arena *a, struct trigger *t, unsigned nr, int row, enum step_variant variant)
{
	struct trigger_step *s = arena_push(a, t->steps, t->nsteps);
	*s = (struct trigger_step){(uint16_t)nr, (uint8_t)variant, (int16_t)row};
}

/* One call of the table, and the ways of making it that reach what the plain one does not. */
static void steps_of_row(struct arena *a, struct trigger *t, unsigned nr, int row, const struct want *w)
{
	const struct call_row *c = &call_table[row];
	step_push(a, t, nr, row, STEP_PLAIN);
	if (w->path && c->flags & CALL_OPEN)
		step_push(a, t, nr, row, STEP_NOTDIR);
	if ((w->path || w->dir) && strncmp(c->name, "rename", 6) == 0)
		step_push(a, t, nr, row, STEP_OVER);
	if (w->dir && c->flags & CALL_OPEN && !(w->fixed & 0x6) && (!w->perm || w->perm & PERM_W))
		step_push(a, t, nr, row, STEP_SECOND);
}

/* The numbers of a rule on one ABI that can be tried: its mask, less what its perm field excludes. */
static void rule_mask(const struct rule *r, const struct want *w, enum abi abi,
		      uint32_t mask[AUDIT_BITMASK_SIZE])
{
	uint32_t perm[AUDIT_BITMASK_SIZE] = {0};
	if (w->perm)
		perm_mask(abi, w->perm, perm);
	for (int i = 0; i < AUDIT_BITMASK_SIZE; i++)
		mask[i] = r->mask[i] & (w->perm ? perm[i] : UINT32_MAX);
}

static void steps_make(struct arena *a, struct trigger *t, const uint32_t mask[AUDIT_BITMASK_SIZE], bool all,
		       const struct want *w, size_t limit)
{
	size_t calls = 0;
	for (size_t i = 0; i < call_table_len && calls < limit; i++) {
		int nr = number_of(t->abi, &call_table[i]);
		if (nr < 0 || !mask_has(mask, (unsigned)nr) || call_denied(t->abi, (unsigned)nr))
			continue;
		steps_of_row(a, t, (unsigned)nr, (int)i, w);
		calls++;
	}
	for (unsigned nr = 0; !all && nr < NR_LIMIT && calls < limit; nr++) {
		if (!mask_has(mask, nr) || call_row_of(t->abi, nr) || call_denied(t->abi, nr))
			continue;
		step_push(a, t, nr, -1, STEP_NULL);
		calls++;
	}
}

/* ---- triggers ------------------------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Would do exactly the same. */
static bool trigger_same(const struct trigger *a, const struct trigger *b)
{
	return a->abi == b->abi && a->auid == b->auid && a->outcome == b->outcome && a->object == b->object &&
	       same_text(a->exe, b->exe) && a->open_flags == b->open_flags && a->family == b->family &&
	       a->fixed == b->fixed && memcmp(a->ids, b->ids, sizeof(a->ids)) == 0 &&
	       memcmp(a->arg, b->arg, sizeof(a->arg)) == 0 && a->nsteps == b->nsteps &&
	       memcmp(a->steps, b->steps, a->nsteps * sizeof(*a->steps)) == 0;
}

/* Adds a trigger unless there is one that does the same; the index of either, -1 when it has no step. */
static int trigger_add(struct planner *p, const struct trigger *t)
{
	struct trigger_plan *plan = p->plan;
	if (t->nsteps == 0)
		return -1;
	for (size_t i = 0; i < plan->n; i++)
		if (trigger_same(&plan->list[i], t))
			return (int)i;
	*arena_push(p->arena, plan->list, plan->n) = *t;
	return (int)plan->n - 1;
}

static const char *const break_names[BREAK_COUNT] = {
    [BREAK_OBJECT] = "another file", [BREAK_PERM] = "another access", [BREAK_OUTCOME] = "another result",
    [BREAK_IDS] = "another user",    [BREAK_ARG] = "other arguments", [BREAK_EXE] = "another program",
};

static const char *label_of(struct arena *a, const struct rule *r, int index, const struct trigger *t,
			    const struct want *w, const char *broken)
{
	const char *key = rule_key(r), *what = w->path ? w->path : w->dir;
	struct str key_text = {0};
	if (key)
		str_add_quoted(&key_text, key, strlen(key));
	char *label = arena_printf(a, "rule %d %s %s%s%s%s%s%s%s", index + 1, str_get(&key_text),
				   t->abi == ABI_64 ? "b64" : "b32", what ? " " : "", what ? what : "",
				   w->exe ? " as " : "", w->exe ? w->exe : "", broken ? ", " : "",
				   broken ? broken : "");
	str_free(&key_text);
	return label;
}

static int trigger_make(struct planner *p, const struct rule *r, int index, enum abi abi,
			const struct want *w, const char *broken)
{
	struct trigger t = {
	    .rule = index,
	    .negative = broken != NULL,
	    .abi = abi,
	    .low_pointers = abi == ABI_32,
	    .auid = w->auid,
	    .outcome = w->outcome,
	    .fixed = w->fixed,
	    .object = object_of(p, w),
	    .exe = w->exe ? tidy(p->arena, w->exe) : NULL,
	    .family = w->family,
	    .open_flags = w->perm & PERM_W ? O_WRONLY : O_RDONLY,
	};
	memcpy(t.ids, w->ids, sizeof(t.ids));
	memcpy(t.arg, w->arg, sizeof(t.arg));
	if (t.exe)
		object_add(p, t.exe, OBJECT_EXE, 0755);
	uint32_t mask[AUDIT_BITMASK_SIZE];
	rule_mask(r, w, abi, mask);
	steps_make(p->arena, &t, mask, mask_is_all(r->mask), w, broken ? NEGATIVE_STEPS : TRIGGER_CALLS);
	t.label = label_of(p->arena, r, index, &t, w, broken);
	return trigger_add(p, &t);
}

/* The rule met, on each ABI it allows. */
static void plan_met(struct planner *p, const struct rule *r, int index)
{
	struct want w;
	want_of_rule(r, &w);
	for (int abi = 0; abi < ABI_COUNT; abi++) {
		int made = w.abi[abi] ? trigger_make(p, r, index, (enum abi)abi, &w, NULL) : -1;
		if (p->plan->of_rule[index] < 0)
			p->plan->of_rule[index] = made;
	}
}

/* One field of it not met, where that can be arranged. */
static void plan_missed(struct planner *p, const struct rule *r, int index)
{
	struct want w;
	want_of_rule(r, &w);
	for (int b = 0; b < BREAK_COUNT; b++) {
		struct want other = w;
		if (!want_break(&other, (enum want_break)b))
			continue;
		for (int abi = 0; abi < ABI_COUNT; abi++)
			if (w.abi[abi])
				trigger_make(p, r, index, (enum abi)abi, &other, break_names[b]);
	}
}

/* A rule of the task list is met when a process is born, which every trigger begins with; one call shows
 * whether. */
static void plan_task_rule(struct planner *p, const struct rule *r, int index)
{
	struct want w;
	want_of_rule(r, &w);
	struct trigger t = {.rule = index, .abi = ABI_64, .auid = w.auid};
	memcpy(t.ids, w.ids, sizeof(t.ids));
	uint32_t mask[AUDIT_BITMASK_SIZE] = {0};
	mask_add(mask, (unsigned)audit_name_to_syscall("getppid", MACH_86_64));
	steps_make(p->arena, &t, mask, true, &w, 1);
	t.label = label_of(p->arena, r, index, &t, &w, NULL);
	p->plan->of_rule[index] = trigger_add(p, &t);
}

/* ---- the sweep ----------------------------------------------------------------------------------------- */

static void sweep_collect(struct planner *p, const struct rule *r)
{
	struct want w;
	want_of_rule(r, &w);
	for (int abi = 0; abi < ABI_COUNT; abi++) {
		uint32_t mask[AUDIT_BITMASK_SIZE];
		rule_mask(r, &w, (enum abi)abi, mask);
		bool all = mask_is_all(mask); /* then what is known stands for it */
		for (unsigned nr = 0; w.abi[abi] && nr < NR_LIMIT; nr++)
			if (mask_has(mask, nr) && (!all || call_row_of((enum abi)abi, nr)))
				mask_add(p->sweep[abi], nr);
	}
}

static bool takes_object(const struct call_row *row)
{
	return strpbrk(row->args, "pqhkoac") != NULL;
}

static void sweep_flush(struct planner *p, struct trigger *t, const char *what)
{
	t->label = arena_printf(p->arena, "sweep %s from %u, %s", t->abi == ABI_64 ? "b64" : "b32",
				t->nsteps ? t->steps[0].nr : 0, what);
	trigger_add(p, t);
	t->steps = NULL;
	t->nsteps = 0;
}

/* All collected numbers of one ABI: with null arguments, or those that take a file on one object (NULL:
 * plain). */
static void sweep_one(struct planner *p, enum abi abi, bool null, const struct trigger_object *object,
		      const char *what)
{
	struct trigger t = {
	    .rule = -1,
	    .abi = abi,
	    .low_pointers = abi == ABI_32,
	    .auid = TRIGGER_AUID_CALLER,
	    .object = object,
	    .open_flags = O_RDWR,
	};
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		const struct call_row *row = call_row_of(abi, nr);
		if (!mask_has(p->sweep[abi], nr) || call_denied(abi, nr) ||
		    (!null && !(row && takes_object(row))))
			continue;
		if (null)
			step_push(p->arena, &t, nr, -1, STEP_NULL);
		else
			step_push(p->arena, &t, nr, (int)(row - call_table), STEP_PLAIN);
		if (t.nsteps == SWEEP_STEPS)
			sweep_flush(p, &t, what);
	}
	sweep_flush(p, &t, what);
}

static void plan_sweep(struct planner *p, const struct rule *const *rules, size_t n)
{
	size_t dirs = 0, files = 0;
	for (size_t i = 0; i < n; i++)
		if (rule_list(rules[i]) == AUDIT_FILTER_EXIT)
			sweep_collect(p, rules[i]);
	for (int abi = 0; abi < ABI_COUNT; abi++) {
		sweep_one(p, (enum abi)abi, true, NULL, "null");
		sweep_one(p, (enum abi)abi, false, NULL, "plain");
	}
	for (size_t i = 0; i < n; i++) {
		struct want w;
		want_of_rule(rules[i], &w);
		const struct trigger_object *o =
		    rule_list(rules[i]) == AUDIT_FILTER_EXIT ? object_of(p, &w) : NULL;
		if (!o || o->kind != OBJECT_FILE || (w.dir ? dirs++ >= SWEEP_DIRS : files++ >= SWEEP_FILES))
			continue;
		for (int abi = 0; abi < ABI_COUNT; abi++)
			sweep_one(p, (enum abi)abi, false, o, o->path);
	}
}

struct trigger_plan *trigger_plan(struct arena *a, const struct rule *const *rules, size_t n)
{
	struct planner p = {.arena = a, .plan = arena_one(a, struct trigger_plan)};
	p.plan->of_rule = arena_array(a, int, n ? n : 1);
	p.plan->nrules = n;
	for (size_t i = 0; i < ARRAY_SIZE(place_dirs); i++)
		object_add(&p, place_dirs[i].path, place_dirs[i].kind, place_dirs[i].mode);
	for (size_t i = 0; i < PLACE_ABSENT; i++)
		object_add(&p, place_table[i].path, place_table[i].kind, place_table[i].mode);
	for (size_t i = 0; i < n; i++) {
		p.plan->of_rule[i] = -1;
		if (rule_list(rules[i]) == AUDIT_FILTER_EXIT)
			plan_met(&p, rules[i], (int)i);
		else if (rule_list(rules[i]) == AUDIT_FILTER_TASK)
			plan_task_rule(&p, rules[i], (int)i);
	}
	/* Only now, so that what one rule needs is not taken for another rule's counterexample. */
	for (size_t i = 0; i < n; i++)
		if (rule_list(rules[i]) == AUDIT_FILTER_EXIT)
			plan_missed(&p, rules[i], (int)i);
	plan_sweep(&p, rules, n);
	objects_finish(&p);
	return p.plan;
}
