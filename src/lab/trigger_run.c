/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/trigger_run.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { JOB_STEPS = 64, HANDLE_BYTES = 128, LIMIT_SECONDS = 5, BUFFER = 4096 };

/* All that a process needs to make the calls; no pointers, so that it can be handed to another program. */
struct job {
	enum abi abi;
	enum trigger_outcome outcome;
	bool has_object;
	enum object_kind kind;
	mode_t mode;
	char object[PATH_MAX];
	bool privileged;
	uint32_t open_flags, family, fixed, arg[4];
	int fd, sealed,
	    mount; /* the object open for reading and writing, a sealed memory file, the file system */
	struct {
		unsigned bytes;
		int type;
		unsigned char data[HANDLE_BYTES];
	} handle;
	size_t nsteps;
	struct trigger_step steps[JOB_STEPS];
};

/* Mapped below 4 GiB, so that a 32-bit call can be given pointers into it. */
struct low {
	struct job job;
	struct trigger_object place; /* what the current step acts on */
	char path[PATH_MAX], second[PATH_MAX];
	char word[sizeof(TRIGGER_WORD)], text[16], empty[1], xattr[32], buffer[BUFFER];
	struct utsname uts;
	struct open_how how;
	union {
		struct sockaddr_un un;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} address;
	socklen_t address_len;
	int socket;
	uint32_t call_args[3];
	uint32_t argv32[4], env32[1];
	uint64_t argv64[4], env64[1];
};

static struct low *low_map(void)
{
	struct low *l = mmap(NULL, sizeof(struct low), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	return l == MAP_FAILED ? NULL : l;
}

static uint32_t addr32(const void *p)
{
	return (uint32_t)(uintptr_t)p;
}

/* ---- one call ------------------------------------------------------------------------------------------ */

/*
 * The 32-bit gate works from 64-bit code too: arguments in ebx, ecx, edx, esi, edi, and the upper registers
 * come back as the kernel pleases (arch/x86/entry/entry_64_compat.S, entry_INT80_compat).
 */
static long call32(unsigned nr, const uint64_t a[6])
{
	long ret;
	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"((uint64_t)nr), "b"((uint64_t)(uint32_t)a[0]), "c"((uint64_t)(uint32_t)a[1]),
			   "d"((uint64_t)(uint32_t)a[2]), "S"((uint64_t)(uint32_t)a[3]),
			   "D"((uint64_t)(uint32_t)a[4])
			 : "memory", "cc", "r8", "r9", "r10", "r11");
	return (int32_t)ret;
}

static long call_make(enum abi abi, unsigned nr, const uint64_t a[6])
{
	if (abi == ABI_32)
		return call32(nr, a);
	return syscall((long)nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Where a step acts when the trigger names no object: a place where calls of this kind have the wanted
 * outcome. */
static enum place_id place_of(const struct job *j, const struct call_row *row)
{
	static const enum place_id refused[] = {
	    [EPERM_FOREIGN] = PLACE_FOREIGN,
	    [EPERM_STICKY] = PLACE_STICKY,
	    [EPERM_SEALED] = PLACE_FOREIGN,
	};
	switch (j->outcome) {
	case OUTCOME_EACCES:
		return PLACE_CLOSED;
	case OUTCOME_EPERM:
		return refused[row->eperm];
	case OUTCOME_ENOENT:
		return PLACE_ABSENT;
	default:
		if (row->flags & CALL_EXEC)
			return PLACE_PROGRAM;
		return j->privileged ? PLACE_PLAIN : PLACE_OPEN;
	}
}

static bool is_sealed(const struct job *j, const struct call_row *row)
{
	return !j->has_object && j->outcome == OUTCOME_EPERM && row->eperm == EPERM_SEALED;
}

static uint64_t flags_of(const struct job *j, const struct call_row *row, const struct trigger_step *s,
			 unsigned index)
{
	uint64_t flags = index < 4 && j->fixed & 1u << index ? j->arg[index] : j->open_flags;
	if (j->outcome == OUTCOME_EPERM && row->eperm == EPERM_FOREIGN)
		flags |= O_NOATIME; /* open(2): EPERM unless the caller owns the file */
	if (s->variant == STEP_NOTDIR)
		flags |= O_DIRECTORY;
	if (s->variant == STEP_SECOND)
		flags |= O_CREAT | O_WRONLY;
	return flags;
}

static const void *argv_of(struct low *l, enum abi abi)
{
	l->argv32[0] = addr32(l->path);
	l->argv32[1] = addr32(l->word);
	l->argv64[0] = (uintptr_t)l->path;
	l->argv64[1] = (uintptr_t)l->word;
	return abi == ABI_32 ? (const void *)l->argv32 : l->argv64;
}

static const void *how_of(struct low *l, const struct call_row *row, const struct trigger_step *s)
{
	l->how.flags = flags_of(&l->job, row, s, 4); /* a2 is a pointer here: no field can fix it */
	l->how.mode = l->how.flags & O_CREAT ? 0640 : 0;
	return &l->how;
}

static const void *socket_args_of(struct low *l)
{
	l->call_args[0] = (uint32_t)l->socket;
	l->call_args[1] = addr32(&l->address);
	l->call_args[2] = l->address_len;
	return l->call_args;
}

/* The pointers among the letters of call_row.args; false for a letter that stands for a number. */
static bool arg_pointer(struct low *l, const struct call_row *row, const struct trigger_step *s, char letter,
			uint64_t *out)
{
	const void *p;
	switch (letter) {
	case 'p':
		p = s->variant == STEP_OVER || s->variant == STEP_SECOND ? l->second : l->path;
		break;
	case 'q':
		p = s->variant == STEP_OVER ? l->path : l->second;
		break;
	case 'n':
		p = NULL;
		break;
	case 't':
	case 'v':
		p = l->text;
		break;
	case 'b':
		p = l->buffer;
		break;
	case 'x':
		p = l->xattr;
		break;
	case 'e':
		p = l->empty;
		break;
	case 'H':
		p = l->uts.nodename;
		break;
	case 'D':
		p = l->uts.domainname;
		break;
	case 'a':
		p = &l->address;
		break;
	case 'A':
		p = argv_of(l, l->job.abi);
		break;
	case 'E':
		p = l->job.abi == ABI_32 ? (const void *)l->env32 : l->env64;
		break;
	case 'k':
		p = &l->job.handle;
		break;
	case 'o':
		p = how_of(l, row, s);
		break;
	case 'c':
		p = socket_args_of(l);
		break;
	default:
		return false;
	}
	*out = (uintptr_t)p;
	return true;
}

static uint64_t arg_number(const struct low *l, const struct call_row *row, char letter)
{
	switch (letter) {
	case '1':
		return 1;
	case '2':
		return 2;
	case '-':
		return (uint64_t)-1;
	case 'd':
		return (uint64_t)AT_FDCWD;
	case 'm':
		return 0640;
	case 'M':
		return S_IFREG | 0640;
	case 'h':
		return (uint64_t)(is_sealed(&l->job, row) ? l->job.sealed : l->job.fd);
	case 'B':
		return 64;
	case 'V':
		return 1;
	case 'L':
		return strlen(l->uts.nodename);
	case 'N':
		return strlen(l->uts.domainname);
	case 'O':
		return sizeof(struct open_how);
	case 'l':
		return l->address_len;
	case 's':
		return (uint64_t)l->socket;
	case 'S':
		return (uint64_t)getpid();
	case 'K':
		return (uint64_t)l->job.mount;
	case 'R':
		return 32; /* MS_REMOUNT: refused where nothing is mounted, and asks for no file system module
			    */
	case 'T':
		return 16; /* PTRACE_ATTACH */
	default:
		return 0; /* '0' */
	}
}

static uint64_t arg_value(struct low *l, const struct call_row *row, const struct trigger_step *s,
			  unsigned index)
{
	uint64_t value;
	char letter = row->args[index];
	if (arg_pointer(l, row, s, letter, &value))
		return value;
	if (letter == 'f')
		return flags_of(&l->job, row, s, index);
	/* A signal goes to nobody else, whatever the rule says. */
	if (index < 4 && letter != 'S' && l->job.fixed & 1u << index)
		return l->job.arg[index];
	return arg_number(l, row, letter);
}

/* ---- one step ------------------------------------------------------------------------------------------ */

/* A name beside the object, or the discard port of this host. */
static void address_set(struct low *l, uint32_t family)
{
	size_t n = strlen(l->second);
	memset(&l->address, 0, sizeof(l->address));
	if (family == AF_INET6) {
		l->address.in6 = (struct sockaddr_in6){AF_INET6, htons(9), 0, IN6ADDR_LOOPBACK_INIT, 0};
		l->address_len = sizeof(l->address.in6);
	} else if (family == AF_INET) {
		l->address.in = (struct sockaddr_in){AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}, {0}};
		l->address_len = sizeof(l->address.in);
	} else {
		l->address.un.sun_family = AF_UNIX;
		if (n < sizeof(l->address.un.sun_path))
			memcpy(l->address.un.sun_path, l->second, n);
		else
			memcpy(l->address.un.sun_path + 1, "auditopt", n = 9);
		l->address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1);
	}
}

static void socket_set(struct low *l, const struct call_row *row)
{
	uint32_t family = l->job.family;
	if (family != AF_INET && family != AF_INET6 && family != AF_UNIX)
		family = row->flags & CALL_INET ? AF_INET : AF_UNIX;
	l->socket = socket((int)family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	address_set(l, family);
}

/* Says what the step acts on, and brings about what has to be there. */
static void step_set(struct low *l, const struct call_row *row, const struct trigger_step *s)
{
	const struct job *j = &l->job;
	l->place = j->has_object ? (struct trigger_object){j->object, j->kind, j->mode}
				 : place_table[place_of(j, row)];
	if (is_sealed(j, row))
		snprintf(l->path, sizeof(l->path), "/proc/self/fd/%d", j->sealed);
	else
		snprintf(l->path, sizeof(l->path), "%s", l->place.path);
	object_second(l->place.path, l->second);
	strcpy(l->xattr, j->outcome == OUTCOME_EACCES ? "user.auditopt" : "trusted.auditopt");
	if (s->variant == STEP_OVER)
		(void)object_write(l->second, l->place.kind == OBJECT_DIR ? OBJECT_FILE : l->place.kind,
				   l->place.mode);
	if (row->flags & CALL_SECOND_DIR)
		(void)mkdir(l->second, 0755);
	l->socket = -1;
	if (strpbrk(row->args, "sc"))
		socket_set(l, row);
}

static void step_unset(const struct low *l, const struct call_row *row)
{
	if (l->socket >= 0)
		close(l->socket);
	if (row->flags & CALL_XATTR)
		(void)lremovexattr(l->place.path, l->xattr);
	if (l->place.path != place_table[PLACE_ABSENT].path)
		object_restore(&l->place);
}

/* In a child of its own: what the call does to its process ends with it. */
static void call_forked(enum abi abi, unsigned nr, const char *letters, uint64_t a[6])
{
	pid_t pid = fork();
	if (pid == 0) {
		alarm(LIMIT_SECONDS);
		for (unsigned i = 0; letters[i]; i++)
			if (letters[i] == 'S')
				a[i] = (uint64_t)getpid();
		call_make(abi, nr, a);
		_exit(0);
	}
	int status = 0;
	while (pid > 0 && waitpid(pid, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFSTOPPED(status)) { /* it stopped itself: not even its alarm would end it */
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

static void step_run(struct low *l, const struct trigger_step *s)
{
	const struct call_row *row = s->row >= 0 ? &call_table[s->row] : NULL;
	uint64_t a[6] = {0};
	if (call_denied(l->job.abi, s->nr))
		return;
	if (!row || s->variant == STEP_NULL) {
		a[0] = a[1] = (uint64_t)-1; /* no descriptor, no process, no address, no length */
		for (unsigned i = 0; i < 4; i++)
			if (l->job.fixed & 1u << i)
				a[i] = l->job.arg[i];
		call_forked(l->job.abi, s->nr, "", a);
		return;
	}
	step_set(l, row, s);
	for (unsigned i = 0; i < ARRAY_SIZE(a) && row->args[i]; i++)
		a[i] = arg_value(l, row, s, i);
	if (row->flags & CALL_FORK) {
		call_forked(l->job.abi, s->nr, row->args, a);
	} else {
		long ret = call_make(l->job.abi, s->nr, a);
		if (ret >= 0 && row->flags & CALL_FD)
			close((int)ret);
	}
	step_unset(l, row);
}

static void job_run(struct low *l)
{
	strcpy(l->word, TRIGGER_WORD);
	strcpy(l->text, "t");
	uname(&l->uts);
	for (size_t i = 0; i < l->job.nsteps; i++)
		step_run(l, &l->job.steps[i]);
}

/* ---- the process that makes the calls ------------------------------------------------------------------ */

static bool job_needs(const struct job *j, const char *letters)
{
	for (size_t i = 0; i < j->nsteps; i++)
		if (j->steps[i].row >= 0 && strpbrk(call_table[j->steps[i].row].args, letters))
			return true;
	return false;
}

/* What has to be opened while the process still may. */
static void job_open(struct job *j)
{
	const struct call_row any = {"", "", 0, EPERM_FOREIGN};
	const char *path = j->has_object ? j->object : place_table[place_of(j, &any)].path;
	int id;
	j->fd = j->sealed = j->mount = -1;
	if (job_needs(j, "h"))
		j->fd = open(path, O_RDWR | O_NOFOLLOW);
	if (!j->has_object && j->outcome == OUTCOME_EPERM) {
		j->sealed = memfd_create("auditopt", MFD_ALLOW_SEALING);
		if (j->sealed < 0 || write(j->sealed, "x", 1) != 1 ||
		    fcntl(j->sealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
			close(j->sealed);
			j->sealed = -1;
		}
	}
	if (job_needs(j, "k")) {
		j->mount = open("/", O_RDONLY | O_DIRECTORY);
		j->handle.bytes = HANDLE_BYTES;
		(void)syscall(SYS_name_to_handle_at, AT_FDCWD, path, &j->handle, &id, 0);
	}
}

static int ids_set(const uint32_t id[ID_COUNT])
{
	if (syscall(SYS_setgroups, 0, NULL) != 0 ||
	    syscall(SYS_setresgid, id[ID_RGID], id[ID_EGID], id[ID_SGID]) != 0 ||
	    syscall(SYS_setresuid, id[ID_RUID], id[ID_EUID], id[ID_SUID]) != 0)
		return -errno;
	return 0;
}

/* Goes on as another program, which finds the job behind a descriptor. */
static int job_exec(const struct low *l, const char *exe, const uint32_t ids[ID_COUNT])
{
	char number[16];
	struct job copy = l->job;
	int fd = memfd_create("auditopt-job", 0);
	if (fd < 0 || write(fd, &copy, sizeof(copy)) != sizeof(copy) || lseek(fd, 0, SEEK_SET) != 0)
		return -EIO;
	snprintf(number, sizeof(number), "%d", fd);
	int rc = ids_set(ids);
	if (rc != 0)
		return rc;
	char *const env[] = {NULL};
	execve(exe, (char *const[]){(char *)exe, (char *)TRIGGER_WORD, number, NULL}, env);
	return -errno;
}

static void limits_set(void)
{
	const struct rlimit none = {0, 0}, files = {256, 256};
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)setrlimit(RLIMIT_NOFILE, &files);
	(void)close_range(3, ~0u, 0); /* the same numbers in every run */
	umask(0);
	alarm(LIMIT_SECONDS);
}

static int worker(const struct trigger *t)
{
	limits_set();
	struct low *l = low_map();
	if (!l)
		return -ENOMEM;
	struct job *j = &l->job;
	*j = (struct job){.abi = t->abi,
			  .outcome = t->outcome,
			  .has_object = t->object != NULL,
			  .privileged = t->ids[ID_EUID] == 0,
			  .open_flags = t->open_flags,
			  .family = t->family,
			  .fixed = t->fixed,
			  .nsteps = t->nsteps};
	memcpy(j->arg, t->arg, sizeof(j->arg));
	memcpy(j->steps, t->steps, t->nsteps * sizeof(*t->steps));
	if (t->object) {
		j->kind = t->object->kind;
		j->mode = t->object->mode;
		snprintf(j->object, sizeof(j->object), "%s", t->object->path);
	}
	job_open(j);
	if (t->exe)
		return job_exec(l, t->exe, t->ids);
	int rc = ids_set(t->ids);
	if (rc == 0)
		job_run(l);
	return rc;
}

/* Waits; the exit status of a child of ours is an errno. */
static int child_result(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -ETIME;
}

static int loginuid_set(int64_t auid)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%lld", (long long)auid);
	int fd = open("/proc/self/loginuid", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int rc = write(fd, text, (size_t)n) == n ? 0 : -errno;
	close(fd);
	return rc;
}

/* A task's audit context is decided at its birth, so the one with the login uid makes another that is born
 * with it. */
static int parent(const struct trigger *t, int64_t auid)
{
	int rc = auid < 0 ? 0 : loginuid_set(auid);
	if (rc != 0)
		return rc;
	pid_t pid = fork();
	if (pid == 0)
		_exit(-worker(t));
	return pid < 0 ? -errno : child_result(pid);
}

static bool in_guest(void)
{
	return access(LAB_MARK, F_OK) == 0;
}

int trigger_prepare(const struct trigger_plan *p)
{
	if (getpid() != 1 || !in_guest())
		return -EPERM;
	mode_t mask = umask(0);
	int rc = 0;
	for (size_t i = 0; i < p->nobjects && rc == 0; i++) {
		/* A rule may name what nobody can make, say below /proc; its triggers then do nothing. */
		int made = object_make(p->objects[i]);
		if (strncmp(p->objects[i]->path, TRIGGER_DIR, strlen(TRIGGER_DIR)) == 0)
			rc = made;
	}
	umask(mask);
	return rc;
}

/* A directory was there before any trigger, with a mode of its own. */
static void dir_restore(const char *path, const struct stat *before)
{
	struct stat now;
	if (!S_ISDIR(before->st_mode) || lstat(path, &now) != 0)
		return;
	if (now.st_uid != before->st_uid || now.st_gid != before->st_gid)
		(void)lchown(path, before->st_uid, before->st_gid);
	if (now.st_mode != before->st_mode)
		(void)chmod(path, before->st_mode & 07777);
}

/*
 * A rule may look at process numbers (pid, ppid, the arguments of kill), so each trigger is given the same ones under
 * every set: the next process gets the number behind this one (pid_namespaces(7); the kernel has the file with
 * CONFIG_CHECKPOINT_RESTORE, as distributions set it).
 */
static void number_next(void)
{
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	static const char last[] = "2000";
	(void)!write(fd, last, sizeof(last) - 1);
	close(fd);
}

static int run(const struct trigger *t, int64_t auid)
{
	number_next();
	/* A queue that one set's trigger made would be in the way of the other's; without CONFIG_IPC_NS it is. */
	(void)unshare(CLONE_NEWIPC);
	pid_t pid = fork();
	if (pid == 0)
		_exit(-parent(t, t->auid == TRIGGER_AUID_CALLER ? auid : t->auid));
	return pid < 0 ? -errno : child_result(pid);
}

int trigger_execute(const struct trigger *t, int64_t auid)
{
	struct stat before = {0};
	if (getpid() != 1 || !in_guest())
		return -EPERM;
	if (t->nsteps > JOB_STEPS)
		return -E2BIG;
	if (t->object && (!object_is_whole(t->object) || lstat(t->object->path, &before) != 0))
		return 0;
	int rc = run(t, auid);
	mode_t mask = umask(0);
	if (t->object) {
		object_restore(t->object);
		dir_restore(t->object->path, &before);
	}
	for (size_t i = 0; !t->object && i < PLACE_ABSENT; i++)
		object_restore(&place_table[i]);
	umask(mask);
	return rc;
}

bool trigger_exec_stub(int argc, char **argv)
{
	uint32_t fd;
	if (argc < 2 || strcmp(argv[1], TRIGGER_WORD) != 0)
		return false;
	if (argc != 3 || !in_guest() || !num_u32(argv[2], 10, &fd))
		return true;
	struct low *l = low_map();
	if (l && read((int)fd, &l->job, sizeof(l->job)) == sizeof(l->job) && l->job.nsteps <= JOB_STEPS) {
		close((int)fd);
		job_run(l);
	}
	return true;
}
