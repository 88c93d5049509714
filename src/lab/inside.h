/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the pieces of the lab share. Host side: find the parts, build the image, run qemu, gather the report.
 * Guest side: agent (process 1), drain (the audit daemon), load, measure, trigger. Between them: a job in
 * files of the image going in, framed JSON messages through a port of qemu's coming out. The guest knows sets
 * by index only; the names stay on the host, for they may be any bytes.
 */
#ifndef AUDITOPT_LAB_INSIDE_H
#define AUDITOPT_LAB_INSIDE_H

#include <jansson.h>
#include "base/jsontext.h"
#include "lab/lab.h"
#include "lab/trigger.h"

/* ---- frame.c: messages that show when they were damaged
 * -------------------------------------------------------- */

enum { FRAME_MAX = 16 * 1024 * 1024 };
enum frame_state { FRAME_WHOLE, FRAME_MORE, FRAME_DAMAGED };
/* Adds "<length> <adler32 in hex> <body>\n". */
void frame_add(struct str *out, const char *body, size_t len);
/* Looks at the start of buf. WHOLE: *body, *body_len (inside buf) and *used are set; MORE: the rest is still
 * to come. */
enum frame_state frame_take(const char *buf, size_t len, const char **body, size_t *body_len, size_t *used);

/* ---- files of the image
 * ------------------------------------------------------------------------------------------- */

#define LAB_DIR "/lab"
#define LAB_JOB LAB_DIR "/job.json"
#define LAB_AUDITCTL LAB_DIR "/auditctl"

/* isa-debugcon, where the guest writes; not its usual port 0x402, to which the firmware talks. */
enum { LAB_PORT = 0xe9, LAB_PORT_READS = 0xe9 };

struct image_file {
	const char *path;
	const void *data;
	size_t len;
	mode_t mode;
};

struct image {
	struct arena *arena;
	struct image_file *files;
	size_t nfiles;
};

/* The data is not copied. */
void image_add(struct image *im, const char *path, const void *data, size_t len, mode_t mode);
/* This program as /init with the libraries it runs with, and auditctl (NULL: none) with those it needs. */
bool image_add_programs(struct image *im, const char *auditctl, const char **err);
/* Writes the initramfs. */
bool image_write(const struct image *im, const char *path, const char **err);

/* ---- job.c: the job, written by the host and read by the guest
 * -------------------------------------------------------- */

struct guest_set {
	struct audit_rule_data **rules;
	size_t nrules;
	const char *text; /* path of the text, NULL: none */
};

struct guest_job {
	struct guest_set *sets;
	size_t nsets;
	const struct workload **workloads;
	size_t nworkloads;
	int64_t *auids;
	size_t nauids;
	bool trigger;
};

bool job_pack(const struct lab_job *job, struct image *im, const char **err);
bool job_unpack(struct arena *a, struct guest_job *job, const char **err);
size_t rule_data_size(const struct audit_rule_data *d);

/* ---- find.c: what the lab is made from
 * ---------------------------------------------------------------------------------- */

struct parts {
	const char *qemu, *kernel, *auditctl; /* auditctl NULL: none */
	char version[128];                    /* of qemu */
	bool kvm;
};

bool parts_find(struct arena *a, const struct lab_options *o, struct parts *p, const char **err);

/* ---- guest.c: one qemu
 * -------------------------------------------------------------------------------------------------- */

enum { TAIL_SIZE = 4096 };

struct guest {
	const char *name;             /* for messages: "lab", "lab without audit" */
	pid_t pid;                    /* -1: not running */
	int slot;                     /* of the clean-up */
	int console, results, errors; /* -1: closed */
	struct str in;                /* bytes of results not yet taken */
	char tail[TAIL_SIZE];         /* last bytes of console and qemu's errors */
	size_t tail_len;
	bool done;        /* said so */
	int64_t heard_ms; /* when the last message came, CLOCK_MONOTONIC */
};

struct guest_setup {
	const struct parts *parts;
	const char *image;
	bool audit, wall_clock;
};

bool guest_start(struct guest *g, const struct guest_setup *s, const char **err);
/* Reads what is there. Calls take for each message; false: damaged or taken badly, *err says which. */
bool guest_read(struct guest *g, short revents[3], bool (*take)(void *ctx, json_t *msg, const char **err),
		void *ctx, const char **err);
/* Kills qemu if it runs, closes everything. Wait status of qemu, or -1. */
int guest_stop(struct guest *g);
int64_t now_ms(void);

/* ---- report.c: messages into a report
 * --------------------------------------------------------------------------------------- */

struct block { /* one workload in one block of the guest's order */
	bool audit;
	long set; /* -1: no rules */
	size_t number;
	int64_t auid;
	const struct workload *workload;
	double median, mean, min;
};

struct gather {
	struct lab_report *report;
	const struct lab_job *job;
	struct block *blocks;
	size_t nblocks;
};

struct source { /* one guest's way into the gathering */
	struct gather *gather;
	struct guest *guest;
	bool audit;
	char said[160];      /* its last tick, for progress */
	const char *trouble; /* it gave up because of this */
};

/* ctx is a struct source. False with *err when the message makes no sense. */
bool gather_message(void *ctx, json_t *msg, const char **err);
/* Blocks into figures, once everything has come. */
void gather_figures(struct gather *g, bool wall_clock);

/* ---- the agent: inside the guest
 * ----------------------------------------------------------------------------------------------- */

struct drain;
struct trigger_plan;

struct agent {
	struct arena *arena;
	int nl; /* control socket of audit; -1: audit is off */
	struct drain *drain;
	struct guest_job job;
	struct trigger_plan *plan;
};

void agent_send(struct agent *g, json_t *msg); /* takes the reference */
void agent_tick(struct agent *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Says what is wrong; process 1 powers off, any other ends. */
_Noreturn void agent_fail(struct agent *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* In a child born after its parent took the login uid (LAB_UNSET: left alone): runs work, waits. Its exit
 * status. */
int agent_as(struct agent *g, int64_t auid, int (*work)(void *ctx), void *ctx);

/* drain.c: the audit daemon */
struct record {
	uint32_t type, len;
	char text[]; /* NUL-terminated beyond len */
};
void drain_start(struct agent *g);
void drain_keep(struct agent *g); /* forget and keep what comes from now on */
/* Waits until the kernel has handed over every record; lost ones are fatal. */
void drain_wait(struct agent *g);
/* The same, then the records since drain_keep, valid until the next drain_keep; the array is in the arena. */
size_t drain_settle(struct agent *g, struct arena *a, const struct record ***list);

/* load.c */
struct held {
	struct audit_rule_data **list;
	size_t n;
};
void rules_list(struct agent *g, struct arena *a, struct held *out);
/* Sends all; what the kernel said of those it refused goes to failures (may be NULL). */
void rules_load(struct agent *g, const struct guest_set *s, json_t *failures);
void rules_clear(struct agent *g);
void load_report(struct agent *g, size_t set);

void paths_create(struct agent *g); /* paths.c */
void measure_all(struct agent *g);  /* measure.c */
/* lab_trigger.c */
void trigger_prepare_all(struct agent *g); /* makes the plan and its objects, before any rule */
void trigger_all(struct agent *g);

#endif
