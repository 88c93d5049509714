/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One qemu: start, read, stop. */
#include "lab/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The guest's ends of the channels, where qemu is told to find them. */
enum { FD_CONSOLE = 3, FD_RESULTS = 4 };

/*
 * Kernel parameters (Documentation/admin-guide/kernel-parameters.txt). With -icount shift=0 the TSC counts
 * instructions at 1 GHz, so telling its rate makes one instruction exactly one nanosecond. Address
 * randomization and the random stack offset would move figures. kthread_prio: RCU must run beside the
 * benchmarks' real-time priority.
 */
#define CMDLINE                                                                                              \
	"console=ttyS0 loglevel=6 panic=-1 oops=panic rdinit=/init nokaslr norandmaps "                      \
	"randomize_kstack_offset=off "                                                                       \
	"cryptomgr.notests mitigations=off lsm= rcutree.kthread_prio=60 audit_backlog_limit=65536 "
#define CMDLINE_EXACT "tsc=reliable clocksource=tsc tsc_early_khz=1000000 "

static const char **arguments(struct arena *a, const struct guest_setup *s)
{
	const char *line =
	    arena_printf(a, CMDLINE "%s%s", s->wall_clock ? "" : CMDLINE_EXACT, s->audit ? "" : "audit=0");
	const char *const fixed[] = {
	    s->parts->qemu,
	    "-nodefaults",
	    "-no-user-config",
	    "-display",
	    "none",
	    "-no-reboot",
	    "-nic",
	    "none",
	    "-machine",
	    "q35,usb=off,vmport=off,hpet=off",
	    "-m",
	    "1024",
	    "-smp",
	    "1",
	    "-rtc",
	    "base=2024-01-01,clock=vm",
	    "-chardev",
	    arena_printf(a, "socket,id=console,fd=%d", FD_CONSOLE),
	    "-serial",
	    "chardev:console",
	    "-chardev",
	    arena_printf(a, "socket,id=results,fd=%d", FD_RESULTS),
	    "-device",
	    arena_printf(a, "isa-debugcon,iobase=%d,chardev=results", LAB_PORT),
	    "-kernel",
	    s->parts->kernel,
	    "-initrd",
	    s->image,
	    "-append",
	    line,
	};
	const char **argv = NULL;
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		*arena_push(a, argv, n) = fixed[i];
	const char *const kvm[] = {"-accel", "kvm", "-cpu", "host", NULL};
	const char *const wall[] = {"-accel", "tcg", "-cpu", "qemu64", NULL};
	/* qemu64 has no fast string instructions, which would count once an element. */
	const char *const exact[] = {"-accel", "tcg", "-cpu", "qemu64", "-icount", "shift=0,sleep=off", NULL};
	const char *const *more = s->parts->kvm ? kvm : s->wall_clock ? wall : exact;
	do
		*arena_push(a, argv, n) = *more;
	while (*more++);
	return argv;
}

/* Between fork and exec: only calls that are safe there. */
static _Noreturn void become_qemu(const char **argv, int console, int results, int errors, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	int null = open("/dev/null", O_RDWR);
	/* Out of the way of the numbers that are about to be used. */
	console = fcntl(console, F_DUPFD, 10);
	results = fcntl(results, F_DUPFD, 10);
	errors = fcntl(errors, F_DUPFD, 10);
	dup2(null, 0);
	dup2(errors, 1);
	dup2(errors, 2);
	dup2(console, FD_CONSOLE);
	dup2(results, FD_RESULTS);
	close_range(FD_RESULTS + 1, ~0U, 0);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* SIGINT from the terminal goes to the whole group; whoever started qemu ends it. */
	setpgid(0, 0);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

static bool launch(struct guest *g, const char **argv, int console, int results, int errors)
{
	sigset_t old;
	cleanup_hold(&old);
	pid_t parent = getpid();
	g->pid = fork();
	if (g->pid == 0)
		become_qemu(argv, console, results, errors, parent);
	if (g->pid > 0)
		g->slot = cleanup_child(g->pid);
	cleanup_release(&old);
	return g->pid > 0 && g->slot >= 0;
}

bool guest_start(struct guest *g, const struct guest_setup *s, const char **err)
{
	struct arena *a = arena_new();
	int console[2] = {-1, -1}, results[2] = {-1, -1}, errors[2] = {-1, -1};
	bool ok = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, console) == 0 &&
		  socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, results) == 0 &&
		  pipe2(errors, O_CLOEXEC) == 0;
	g->pid = g->slot = -1;
	g->console = console[0];
	g->results = results[0];
	g->errors = errors[0];
	g->heard_ms = now_ms();
	ok = ok && launch(g, arguments(a, s), console[1], results[1], errors[1]);
	if (!ok)
		*err = "cannot start qemu: out of processes or files";
	const int far[] = {console[1], results[1], errors[1]};
	for (size_t i = 0; i < ARRAY_SIZE(far); i++) {
		if (far[i] >= 0)
			close(far[i]);
	}
	arena_free(a);
	return ok;
}

static void keep_tail(struct guest *g, const char *s, size_t n)
{
	if (n > TAIL_SIZE) {
		s += n - TAIL_SIZE;
		n = TAIL_SIZE;
	}
	size_t keep = g->tail_len < TAIL_SIZE - n ? g->tail_len : TAIL_SIZE - n;
	memmove(g->tail, g->tail + g->tail_len - keep, keep);
	memcpy(g->tail + keep, s, n);
	g->tail_len = keep + n;
}

/* One read; closes at the end of file. Bytes read. */
static size_t read_some(int *fd, char *buf, size_t size)
{
	ssize_t n;
	do
		n = read(*fd, buf, size);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return (size_t)n;
	close(*fd);
	*fd = -1;
	return 0;
}

static bool take_frames(struct guest *g, bool (*take)(void *, json_t *, const char **), void *ctx,
			const char **err)
{
	size_t at = 0;
	const char *body;
	size_t len, used;
	enum frame_state st = FRAME_MORE;
	bool ok = true;
	while (ok && at < g->in.len &&
	       (st = frame_take(g->in.s + at, g->in.len - at, &body, &len, &used)) == FRAME_WHOLE) {
		json_t *msg = json_loadb(body, len, JSON_ALLOW_NUL, NULL);
		ok = msg && take(ctx, msg, err);
		if (!msg)
			*err = "a message of the guest is not JSON";
		json_decref(msg);
		g->heard_ms = now_ms();
		at += used;
	}
	if (ok && st == FRAME_DAMAGED) {
		*err = "a message of the guest was damaged on its way";
		ok = false;
	}
	memmove(g->in.s, g->in.s + at, g->in.len - at);
	g->in.len -= at;
	return ok;
}

bool guest_read(struct guest *g, short revents[3], bool (*take)(void *ctx, json_t *msg, const char **err),
		void *ctx, const char **err)
{
	char buf[65536];
	if (revents[0])
		keep_tail(g, buf, read_some(&g->console, buf, sizeof(buf)));
	if (revents[1])
		keep_tail(g, buf, read_some(&g->errors, buf, sizeof(buf)));
	if (!revents[2])
		return true;
	str_addn(&g->in, buf, read_some(&g->results, buf, sizeof(buf)));
	return take_frames(g, take, ctx, err);
}

int guest_stop(struct guest *g)
{
	int status = -1;
	if (g->pid > 0) {
		sigset_t old;
		kill(g->pid, SIGKILL);
		cleanup_hold(&old); /* its number is another process's once it has been waited for */
		while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
			;
		cleanup_forget(g->slot);
		cleanup_release(&old);
		g->pid = -1;
	}
	int *const fds[] = {&g->console, &g->results, &g->errors};
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	str_free(&g->in);
	return status;
}
