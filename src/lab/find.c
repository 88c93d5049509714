/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define QEMU "qemu-system-x86_64"

static const char *find_in_path(struct arena *a, const char *name)
{
	const char *path = getenv("PATH");
	char *dirs = arena_strdup(a, path ? path : "/usr/bin:/bin"), *save = NULL;
	for (char *d = strtok_r(dirs, ":", &save); d; d = strtok_r(NULL, ":", &save)) {
		const char *full = path_join(a, d, name);
		if (access(full, X_OK) == 0)
			return full;
	}
	return NULL;
}

static bool ask_version(const char *qemu, char *out, size_t size)
{
	int p[2];
	if (pipe2(p, O_CLOEXEC) < 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(p[1], 1);
		int null = open("/dev/null", O_RDWR);
		dup2(null, 0);
		dup2(null, 2);
		execl(qemu, qemu, "--version", (char *)NULL);
		_exit(127);
	}
	close(p[1]);
	FILE *f = pid > 0 ? fdopen(p[0], "r") : NULL;
	bool ok = f && fgets(out, (int)size, f);
	if (f)
		fclose(f);
	else
		close(p[0]);
	int status = -1;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	out[ok ? strcspn(out, "\n") : 0] = '\0';
	return ok;
}

/* The newest by the version order of names, as boot loaders choose (strverscmp(3)). */
static const char *host_kernel(struct arena *a)
{
	DIR *d = opendir("/boot");
	char *best = NULL;
	struct dirent *e;
	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, "vmlinuz-", 8) != 0 || (best && strverscmp(e->d_name, best) <= 0))
			continue;
		if (access(path_join(a, "/boot", e->d_name), R_OK) == 0)
			best = arena_strdup(a, e->d_name);
	}
	if (d)
		closedir(d);
	return best ? path_join(a, "/boot", best) : NULL;
}

/* What `make deps` unpacked. */
static const char *lab_file(struct arena *a, const char *name, int mode)
{
	const char *dir = getenv("AUDITOPT_LAB_DIR");
	const char *path = path_join(a, dir && *dir ? dir : AUDITOPT_LAB_DIR, name);
	return access(path, mode) == 0 ? path : NULL;
}

static const char *find_auditctl(struct arena *a)
{
	static const char *const places[] = {"/usr/sbin/auditctl", "/sbin/auditctl"};
	const char *found = lab_file(a, "auditctl", X_OK);
	for (size_t i = 0; !found && i < ARRAY_SIZE(places); i++) {
		if (access(places[i], R_OK) == 0)
			found = places[i];
	}
	return found;
}

/* /dev/kvm may be there and not work: nested guests, containers. */
static bool kvm_works(void)
{
	int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool ok = ioctl(fd, KVM_GET_API_VERSION, 0) == KVM_API_VERSION;
	int vm = ok ? ioctl(fd, KVM_CREATE_VM, 0) : -1;
	if (vm >= 0)
		close(vm);
	close(fd);
	return vm >= 0;
}

bool parts_find(struct arena *a, const struct lab_options *o, struct parts *p, const char **err)
{
	*p = (struct parts){.kvm = o->wall_clock && kvm_works()};
	p->qemu = find_in_path(a, QEMU);
	if (!p->qemu || !ask_version(p->qemu, p->version, sizeof(p->version))) {
		*err = "the lab needs " QEMU " (package qemu-system-x86)";
		return false;
	}
	p->kernel = o->kernel ? o->kernel : host_kernel(a);
	if (!p->kernel)
		p->kernel = lab_file(a, "vmlinuz", R_OK);
	if (!p->kernel) {
		*err = "the lab needs a kernel: no readable /boot/vmlinuz-* here and `make deps` has not "
		       "unpacked one";
		return false;
	}
	if (access(p->kernel, R_OK) < 0) {
		*err = arena_printf(a, "cannot read the kernel %s: %s", p->kernel, strerror(errno));
		return false;
	}
	if (!o->auditctl)
		p->auditctl = find_auditctl(a);
	else if (*o->auditctl)
		p->auditctl = o->auditctl;
	return true;
}
