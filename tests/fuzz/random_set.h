/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random rule sets, by a generator whose seed repeats them. Included by the programs of this directory. */
#ifndef AUDITOPT_RANDOM_SET_H
#define AUDITOPT_RANDOM_SET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"

static uint64_t state;

static uint32_t rnd(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n ? (uint32_t)(state >> 33) % n : 0;
}

static const char *pick(const char *const *list, size_t n)
{
	return list[rnd((uint32_t)n)];
}
#define PICK(list) pick((list), ARRAY_SIZE(list))

/* ---- sets ------------------------------------------------------------------------------------------------------------------------ */

static const char *const fields[] = {
	"auid>=1000",   "auid!=unset", "auid=unset",   "auid<60000", "uid=0",       "uid!=0",      "euid=0",     "gid=10",
	"gid!=10",      "egid=10",     "exit=-EACCES", "exit=-EPERM", "success=1",  "success=0",   "success!=1", "a0=0",
	"a1&3",         "a1&=1",       "a2=1",         "a1<2",       "obj_uid=0",   "obj_uid!=0",  "devmajor=8", "filetype=file",
	"filetype!=dir", "pid>5",      "sessionid!=4294967295", "exe=/bin/a", "exe!=/bin/a", "subj_type=t_t", "subj_type!=t_t",
	"saddr_fam=2",  "saddr_fam!=2", "ppid=1",       "a0=2",        "a0!=2",       "a0&2",      "exit>0",      "exit<0",      "egid!=10",   "success<2",
	"sessionid=4294967295", "auid=0", "auid>4294967294", "obj_gid=10", "pers&=8",    "devminor&1",
};
static const char *const calls[] = {
	"open",   "openat", "openat2",  "execve", "unlink", "rename", "chmod",   "fchmod", "lchown", "lremovexattr", "swapon",
	"creat",  "mount",  "truncate", "setuid", "kill",   "getppid", "all",    "quotactl", "ftruncate", "bind",
	"102",    "463",    "0",
};
static const char *const places[] = {"path=/f", "path=/g", "dir=/d", "dir=/e", "inode=7"};
static const char *const perms[] = {"r", "w", "a", "x", "wa", "rw", "rwxa", "wx"};
static const char *const compare[] = {"uid!=euid", "uid=auid", "auid!=obj_uid", "uid=obj_uid"};

static void add_rule(struct str *out)
{
	str_addf(out, "%s %s,exit", rnd(12) ? "-a" : "-A", rnd(4) ? "always" : "never");
	if (rnd(3))
		str_addf(out, " -F arch=%s", rnd(2) ? "b64" : "b32");
	for (uint32_t i = rnd(3); i > 0; i--)
		str_addf(out, " -S %s", PICK(calls));
	bool place = rnd(3) == 0, perm = rnd(3) == 0;
	if (place)
		str_addf(out, " -F %s", PICK(places));
	if (perm)
		str_addf(out, " -F perm=%s", PICK(perms));
	for (uint32_t i = rnd(3); i > 0; i--)
		str_addf(out, " -F %s", PICK(fields));
	if (rnd(8) == 0)
		str_addf(out, " -C %s", PICK(compare));
	if (rnd(4) && (place || perm))
		str_addf(out, " -k %c", 'a' + (char)rnd(2));
	str_addc(out, '\n');
}

static void random_set(struct str *out)
{
	str_add(out, "-c\n");
	if (rnd(8) == 0)
		str_addf(out, "-a never,task -F %s\n", rnd(2) ? "auid=unset" : "uid=5");
	for (uint32_t n = 1 + rnd(6); n > 0; n--)
		add_rule(out);
}

struct set {
	struct ruleset *rs;
	struct kset *k;
};

static struct set load(const char *text, const struct lang_env *env)
{
	struct diags ds = {.arena = arena_new()};
	struct set s = {.rs = rules_parse("random", text, strlen(text), env, &ds)};
	s.k = kset_load(s.rs, &ds);
	arena_free(ds.arena);
	return s;
}

static void unload(struct set *s)
{
	kset_free(s->k);
	ruleset_free(s->rs);
}

#endif
