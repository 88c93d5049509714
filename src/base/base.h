/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * base: what every room needs and no library gives as we want it: memory that is freed in one go, strings that
 * grow, numbers that cannot overflow, files that are never half-written, and a clean end on SIGINT.
 */
#ifndef AUDITOPT_BASE_H
#define AUDITOPT_BASE_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* ---- arena: memory of one rule set (or one job), freed as a whole ----------------------------------------- */

struct arena;

/* A new, empty arena. Like all allocation here it never returns NULL: when memory is out, the process aborts. */
struct arena *arena_new(void);
void arena_free(struct arena *a);
/* n * size bytes, zeroed, aligned for any type. Aborts when n * size overflows. */
void *arena_alloc(struct arena *a, size_t n, size_t size);
#define arena_array(a, type, n) ((type *)arena_alloc((a), (n), sizeof(type)))
#define arena_one(a, type) arena_array(a, type, 1)
/* Copies of text; the result ends in NUL. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Grows an array of *n elements kept in the arena so that one more fits; returns the (moved) array. Amortised O(1). */
void *arena_grow(struct arena *a, void *array, size_t n, size_t size);
#define arena_push(a, array, n) \
	((array) = arena_grow((a), (array), (n), sizeof(*(array))), &(array)[(n)++])

/* ---- str: a string that grows -------------------------------------------------------------------------- */

struct str {
	char *s; /* NUL-terminated once anything was added; NULL when empty and new */
	size_t len;
	size_t cap;
};

void str_addn(struct str *b, const char *s, size_t n);
void str_add(struct str *b, const char *s);
void str_addc(struct str *b, char c);
void str_addf(struct str *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void str_vaddf(struct str *b, const char *fmt, va_list ap);
/* Adds s in double quotes; bytes outside 0x20-0x7e, the quote and the backslash become \xNN. */
void str_add_quoted(struct str *b, const char *s, size_t n);
/* Adds s as it can be shown: control bytes, which could steer a terminal or begin a line, become dots. */
void str_add_shown(struct str *b, const char *s);
void str_reset(struct str *b);
void str_free(struct str *b);
static inline const char *str_get(const struct str *b)
{
	return b->s ? b->s : "";
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* The whole text must be a number (base 0: C notation; else that base) in the range; false and *out untouched if not. */
bool num_u32(const char *s, int base, uint32_t *out);
bool num_u64(const char *s, int base, uint64_t *out);

/* ---- files ----------------------------------------------------------------------------------------------- */

/* Reads a whole file ("-": standard input) of at most max bytes. 0, or a negative errno (-EFBIG when larger). */
int file_read(const char *path, size_t max, struct str *out);
/*
 * Writes a file so that a reader sees the old content or the new, never half: a temporary file beside it, synced,
 * renamed over it, directory synced. The temporary name is known to the clean-up. 0, or a negative errno.
 * Behind a symbolic link the file is replaced, not the link. A directory, a device, a pipe is never replaced.
 */
int file_write(const char *path, const void *data, size_t len, mode_t mode);
/*
 * What file_write would replace or make: *out is to be freed. -EISDIR, -EOPNOTSUPP (a device, a pipe), -ENOENT (a link to
 * nothing, an empty name), or another negative errno; then *out is NULL.
 */
int file_target(const char *path, char **out);
/*
 * A new directory NAME.XXXXXX in $TMPDIR or /tmp, known to the clean-up: *slot is to be forgotten when it has been removed.
 * Its path, in the arena; NULL and *err, a negative errno, when there is none.
 */
char *temp_dir(struct arena *a, const char *name, int *slot, int *err);
/* dir + "/" + name, in the arena. */
char *path_join(struct arena *a, const char *dir, const char *name);
/* Lower-case hexadecimal SHA-256 (libmd). */
void sha256_hex(const void *data, size_t len, char out[65]);

/* ---- clean-up: what has to go when the process is told to stop ---------------------------------------------- */

/*
 * Installs handlers that kill the registered processes, remove the registered files, then end the process by that signal:
 * for every signal by which a run usually ends (SIGHUP and SIGPIPE only when they are not ignored already, as by nohup).
 * A file that grows too large is an error of write(2) instead. Called once, by main. At most CLEANUP_MAX entries live at a
 * time.
 */
enum { CLEANUP_MAX = 64 };
void cleanup_install(void);
/* Registers; returns a slot to give back, or -1 when all slots are taken (callers treat that as an error). */
int cleanup_file(const char *path);  /* unlinked */
int cleanup_dir(const char *path);   /* emptied (files only, one level) and removed */
int cleanup_child(pid_t pid);        /* SIGKILL */
/* Forgets an entry without acting on it. */
void cleanup_forget(int slot);
/*
 * Signals wait between the two: what is made there is registered there too, or a signal that comes between the making
 * and the note would leave it behind. A child forked in between must release as well.
 */
void cleanup_hold(sigset_t *old);
void cleanup_release(const sigset_t *old);

/* ---- progress -------------------------------------------------------------------------------------------- */

/* Given to work that may run longer than a second; say() may be NULL. */
struct progress {
	void (*say)(void *ctx, const char *what);
	void *ctx;
};
void progress_say(const struct progress *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
