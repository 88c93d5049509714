/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job from start to end: parts, image, one guest or two, report. */
#include "lab/inside.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 120, SAY_MS = 2000, GUESTS = 2 };

struct run {
	struct lab_report *report;
	const struct lab_options *options;
	const struct lab_job *job;
	struct parts parts;
	const char *dir, *image;
	int slot; /* of dir in the clean-up */
	struct gather gather;
	struct guest guests[GUESTS];
	struct source sources[GUESTS];
	size_t nguests;
	const char *err;
};

static bool make_dir(struct run *r)
{
	int err;
	r->dir = temp_dir(r->report->arena, "auditopt-lab", &r->slot, &err);
	if (!r->dir) {
		r->err = arena_printf(r->report->arena, "cannot make a directory to work in: %s", strerror(-err));
		return false;
	}
	r->image = path_join(r->report->arena, r->dir, "image");
	return true;
}

static void remove_dir(struct run *r)
{
	if (!r->dir)
		return;
	unlink(r->image);
	rmdir(r->dir);
	cleanup_forget(r->slot);
}

/* The accounts auditctl looks names up in should be those the rules were read with. */
static bool add_accounts(struct image *im, const struct lab_options *o, const char **err)
{
	const char *const from[] = {o->passwd ? o->passwd : "/etc/passwd",
				    o->group ? o->group : "/etc/group"};
	static const char *const to[] = {"/etc/passwd", "/etc/group"};
	for (size_t i = 0; i < ARRAY_SIZE(to); i++) {
		struct str s = {0};
		int bad = file_read(from[i], 16 * 1024 * 1024, &s);
		if (!bad)
			image_add(im, to[i], arena_strndup(im->arena, str_get(&s), s.len), s.len, 0644);
		str_free(&s);
		if (bad) {
			*err = arena_printf(im->arena, "cannot read %s: %s", from[i], strerror(-bad));
			return false;
		}
	}
	return true;
}

static bool make_image(struct run *r)
{
	struct image im = {.arena = arena_new()};
	const char *err = NULL;
	bool ok = add_accounts(&im, r->options, &err) && image_add_programs(&im, r->parts.auditctl, &err) &&
		  job_pack(r->job, &im, &err) && image_write(&im, r->image, &err);
	if (!ok)
		r->err = arena_strdup(r->report->arena, err);
	arena_free(im.arena);
	return ok;
}

static bool start(struct run *r, bool audit)
{
	struct guest *g = &r->guests[r->nguests];
	struct source *s = &r->sources[r->nguests++];
	const struct guest_setup setup = {&r->parts, r->image, audit, r->options->wall_clock};
	g->name = audit ? "lab" : "lab without audit";
	*s = (struct source){.gather = &r->gather, .guest = g, .audit = audit, .said = "booting"};
	return guest_start(g, &setup, &r->err);
}

/* ---- while it runs
 * ------------------------------------------------------------------------------------------------ */

/* What the guest last said, with the lines a terminal can show. */
static const char *with_tail(struct run *r, const struct guest *g, const char *what)
{
	struct str b = {0};
	str_addf(&b, "%s: %s", g->name, what);
	const char *from = g->tail, *end = g->tail + g->tail_len;
	unsigned lines = 0;
	for (const char *p = end; p > from && lines < 20; p--) {
		if (p[-1] == '\n' && ++lines == 20)
			from = p;
	}
	if (from < end)
		str_add(&b, "\nlast lines of the guest's console:\n");
	for (; from < end; from++) {
		unsigned char c = (unsigned char)*from;
		if (c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f))
			str_addc(&b, (char)c);
	}
	const char *text = arena_strndup(r->report->arena, str_get(&b), b.len);
	str_free(&b);
	return text;
}

/* Reads what poll found for one guest. False: r->err is set. */
static bool serve(struct run *r, size_t i, const struct pollfd *p)
{
	struct guest *g = &r->guests[i];
	short revents[3] = {p[0].revents, p[1].revents, p[2].revents};
	const char *err = NULL;
	char before[sizeof(r->sources[i].said)];
	memcpy(before, r->sources[i].said, sizeof(before));
	bool ok = guest_read(g, revents, gather_message, &r->sources[i], &err);
	if (strcmp(before, r->sources[i].said) != 0)
		progress_say(r->options->progress, "%s: %s", g->name, r->sources[i].said);
	if (!ok)
		r->err = with_tail(r, g, err);
	else if (r->sources[i].trouble)
		r->err = with_tail(r, g, r->sources[i].trouble);
	else if (g->done)
		guest_stop(g);
	else if (g->results < 0)
		r->err = with_tail(r, g, "the guest ended before its work was done");
	return r->err == NULL;
}

static bool in_time(struct run *r, size_t i, int64_t *said_ms)
{
	struct guest *g = &r->guests[i];
	unsigned limit = r->options->limit_s ? r->options->limit_s : LIMIT_S;
	int64_t now = now_ms(), quiet = now - g->heard_ms;
	if (quiet > (int64_t)limit * 1000) {
		r->err = with_tail(r, g,
				   arena_printf(r->report->arena, "no message for %u s (%s): stopped", limit,
						r->sources[i].said));
		return false;
	}
	if (quiet > SAY_MS && now - *said_ms > SAY_MS) {
		*said_ms = now;
		progress_say(r->options->progress, "%s: %s (%lld s)", g->name, r->sources[i].said,
			     (long long)quiet / 1000);
	}
	return true;
}

static bool attend(struct run *r)
{
	int64_t said_ms[GUESTS] = {0};
	for (;;) {
		struct pollfd p[GUESTS * 3];
		size_t running = 0;
		for (size_t i = 0; i < GUESTS; i++) {
			const struct guest *g = &r->guests[i];
			bool live = i < r->nguests && !g->done;
			p[i * 3] = (struct pollfd){live ? g->console : -1, POLLIN, 0};
			p[i * 3 + 1] = (struct pollfd){live ? g->errors : -1, POLLIN, 0};
			p[i * 3 + 2] = (struct pollfd){live ? g->results : -1, POLLIN, 0};
			running += live;
		}
		if (running == 0)
			return true;
		if (poll(p, GUESTS * 3, 1000) < 0 && errno != EINTR) {
			r->err = arena_printf(r->report->arena, "poll: %s", strerror(errno));
			return false;
		}
		for (size_t i = 0; i < r->nguests; i++) {
			if (!r->guests[i].done && (!serve(r, i, &p[i * 3]) || !in_time(r, i, &said_ms[i])))
				return false;
		}
	}
}

static void run(struct run *r)
{
	struct lab_report *report = r->report;
	progress_say(r->options->progress, "lab: building the guest");
	if (!parts_find(report->arena, r->options, &r->parts, &r->err))
		return;
	snprintf(report->qemu, sizeof(report->qemu), "%s", r->parts.version);
	if (!make_dir(r) || !make_image(r) || !start(r, true))
		return;
	if (r->job->baselines && r->job->nworkloads && !start(r, false))
		return;
	if (attend(r))
		gather_figures(&r->gather, r->options->wall_clock);
}

struct lab_report *lab_run(const struct lab_options *o, const struct lab_job *job)
{
	struct arena *a = arena_new();
	struct lab_report *report = arena_one(a, struct lab_report);
	report->arena = a;
	struct run r = {.report = report, .options = o, .job = job, .slot = -1};
	r.gather = (struct gather){.report = report, .job = job};
	run(&r);
	for (size_t i = 0; i < r.nguests; i++)
		guest_stop(&r.guests[i]);
	remove_dir(&r);
	report->error = r.err;
	return report;
}

void lab_report_free(struct lab_report *r)
{
	if (r)
		arena_free(r->arena);
}
