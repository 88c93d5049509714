/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Process 1 of the guest. The kernel boots without audit=1, so this process and the drain exist before audit
 * is first enabled and have no audit context for life (kernel/auditsc.c: audit_alloc): whatever rules are
 * loaded, nothing they do is ever recorded. Their children, born later, are ordinary.
 */
#include "lab/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The way out is a byte port of qemu (isa-debugcon): no driver, no buffer, no interrupt that would still be
 * sending in the middle of a measurement. A port permission is inherited by children (ioperm(2)).
 */
static void port_open(void)
{
	/* The device reads as this value; nothing there reads as 0xff. */
	if (ioperm(LAB_PORT, 1, 1) == 0 && inb(LAB_PORT) == LAB_PORT_READS)
		return;
	fprintf(stderr, "auditopt: no way to the host: %s\n", strerror(errno));
	reboot(RB_POWER_OFF);
}

void agent_send(struct agent *g, json_t *msg)
{
	char *text = json_dumps(msg, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(msg);
	if (!text)
		agent_fail(g, "a message could not be written as JSON");
	struct str frame = {0};
	/* cppcheck-suppress nullPointerRedundantCheck ; agent_fail does not return */
	frame_add(&frame, text, strlen(text));
	free(text);
	outsb(LAB_PORT, frame.s, frame.len);
	str_free(&frame);
}

static void send_text(struct agent *g, const char *type, const char *fmt, va_list ap)
{
	struct str text = {0};
	str_vaddf(&text, fmt, ap);
	agent_send(g, json_pack("{s:s,s:o}", "type", type, "text", json_textn(str_get(&text), text.len)));
	str_free(&text);
}

void agent_tick(struct agent *g, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	send_text(g, "tick", fmt, ap);
	va_end(ap);
}

static _Noreturn void power_off(void)
{
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

_Noreturn void agent_fail(struct agent *g, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	send_text(g, "trouble", fmt, ap);
	va_end(ap);
	if (getpid() == 1)
		power_off();
	_exit(2);
}

static int wait_for(pid_t pid)
{
	int status = -1;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool set_loginuid(int64_t auid)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%lld", (long long)auid);
	int fd = open("/proc/self/loginuid", O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, (size_t)n) == n;
	if (fd >= 0)
		close(fd);
	return ok;
}

int agent_as(struct agent *g, int64_t auid, int (*work)(void *ctx), void *ctx)
{
	pid_t outer = fork();
	if (outer < 0)
		agent_fail(g, "cannot fork: %s", strerror(errno));
	if (outer > 0)
		return wait_for(outer);
	if (auid != LAB_UNSET && !set_loginuid(auid))
		agent_fail(g, "cannot set the login uid to %lld: %s", (long long)auid, strerror(errno));
	pid_t inner = fork();
	if (inner == 0)
		_exit(work(ctx));
	_exit(inner < 0 ? 126 : wait_for(inner));
}

static void mount_one(struct agent *g, const char *type, const char *at)
{
	mkdir(at, 0755);
	if (mount(type, at, type, 0, NULL) < 0 && errno != EBUSY)
		agent_fail(g, "cannot mount %s: %s", at, strerror(errno));
}

static void loopback_up(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq r = {.ifr_flags = IFF_UP | IFF_RUNNING};
	memcpy(r.ifr_name, "lo", 3);
	if (fd >= 0) {
		ioctl(fd, SIOCSIFFLAGS, &r);
		close(fd);
	}
}

/* Real-time benchmarks may use all of the only processor. */
static void no_throttle(struct agent *g)
{
	int fd = open("/proc/sys/kernel/sched_rt_runtime_us", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, "-1", 2) != 2)
			agent_fail(g, "real-time tasks cannot have the whole processor");
		close(fd);
	}
}

static void hello(struct agent *g)
{
	struct utsname u;
	uname(&u);
	agent_send(g, json_pack("{s:s,s:s,s:b}", "type", "hello", "release", u.release, "audit", g->nl >= 0));
}

/* What audit=0 on the command line means for the job: only the benchmarks, as they are without audit. */
static bool audit_wanted(void)
{
	struct str line = {0};
	bool off = file_read("/proc/cmdline", 65536, &line) == 0 && strstr(line.s, "audit=0");
	str_free(&line);
	return !off;
}

static void set_up(struct agent *g)
{
	const char *err = NULL;
	mount_one(g, "proc", "/proc");
	mount_one(g, "sysfs", "/sys");
	mount_one(g, "tmpfs", "/tmp");
	mount_one(g, "tmpfs", "/dev/shm");
	loopback_up();
	no_throttle(g);
	set_aumessage_mode(MSG_QUIET, DBG_NO);
	if (!job_unpack(g->arena, &g->job, &err))
		agent_fail(g, "%s", err);
	if (!audit_wanted())
		return;
	g->nl = audit_open();
	if (g->nl < 0)
		agent_fail(g, "the guest's kernel has no audit: %s", strerror(errno));
	drain_start(g);
}

static void work(struct agent *g)
{
	hello(g);
	paths_create(g);
	if (g->nl >= 0 && audit_set_enabled(g->nl, 1) <= 0)
		agent_fail(g, "audit cannot be enabled");
	for (size_t i = 0; g->nl >= 0 && i < g->job.nsets; i++)
		load_report(g, i);
	/* Only now: what is watched gets a content of its own, also the accounts in which auditctl looks names up. */
	if (g->job.trigger && g->nl >= 0)
		trigger_prepare_all(g);
	if (g->job.nworkloads)
		measure_all(g);
	if (g->job.trigger && g->nl >= 0)
		trigger_all(g);
	agent_send(g, json_pack("{s:s}", "type", "done"));
}

void lab_agent(void)
{
	struct agent g = {.arena = arena_new(), .nl = -1};
	port_open();
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	set_up(&g);
	work(&g);
	power_off();
}
