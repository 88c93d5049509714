/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exemptions of whole tasks. They are losses always; what exactly goes is said, rule by rule and program by program. */
#include "optimize/search.h"

static bool already_there(const struct search *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (rule_list(s->rules[i]) == AUDIT_FILTER_TASK && s->rules[i]->nfields == 0)
			return true;
	}
	return false;
}

static struct rule *task_rule(struct search *s)
{
	struct rule *r = arena_one(s->arena, struct rule);
	*r = (struct rule){.flags = AUDIT_FILTER_TASK, .action = AUDIT_NEVER, .added = true, .line = s->n ? s->rules[s->n - 1]->line : NULL};
	return r;
}

static bool append(struct search *s, struct rule *r, const char *reason, const char **notes, size_t nnotes)
{
	const struct rule **rules = arena_array(s->arena, const struct rule *, s->n + 2);
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		rules[n++] = s->rules[i];
	rules[n++] = r;
	/* the model prices calls of audited tasks, for which nothing changes */
	struct proposal p = {.rules = rules, .n = n, .new = r, .reason = reason, .notes = notes, .nnotes = nnotes,
			     .equal_cost = true};
	return search_propose(s, &p);
}

/*
 * Programs that set their own loginuid after they were created, and what they do afterwards (from the sources of
 * OpenSSH, util-linux, cronie and systemd): each is exempt from the write of its loginuid until it ends.
 */
static const char *const own_loginuid[] = {
	"sshd: the privileged monitor of each session (session bookkeeping, pty); the user's shell and commands stay audited",
	"login: its utmp and lastlog work; the shell stays audited",
	"cron: the process between the daemon and the job; the job stays audited",
	"systemd units with PAMName=: the main process of the unit for life, systemd --user itself among them, and a program "
	"started directly as such a unit (systemd-run -p PAMName=...); their children stay audited",
	"servers that open a session and serve the user in the same process (some FTP, mail and file servers): everything that "
	"session does",
	"any service that writes its own /proc/self/loginuid: everything it does afterwards; also a deliberate way around auditing",
};

static void add_note(struct search *s, const char ***notes, size_t *n, const char *note)
{
	*arena_push(s->arena, *notes, *n) = note;
}

bool pass_never_task_unset(struct search *s)
{
	if (already_there(s))
		return false;
	struct rule *r = task_rule(s);
	rule_add_field(r, AUDIT_LOGINUID, AUDIT_EQUAL, UINT32_MAX);
	const char **notes = NULL;
	size_t n = 0, lost = 0;
	for (size_t i = 0; i < s->k->n; i++) {
		const struct krule *k = &s->k->rules[i];
		const char *event;
		bool syscall_rule = k->home == HOME_EXIT || k->home == HOME_HASH;
		if (!syscall_rule || k->rule->action != AUDIT_ALWAYS || !rule_matches_unset_auid(k, s->arena, &event))
			continue;
		lost++;
		add_note(s, &notes, &n, arena_printf(s->arena, "given up by daemons: events of %s, key %s, such as: %s",
						     rule_origin(s, k->rule), rule_key(k->rule) ? rule_key(k->rule) : "(none)",
						     event ? event : "not decided"));
	}
	if (!lost)
		add_note(s, &notes, &n, "no always rule can match a task whose loginuid is unset at the time of the call");
	add_note(s, &notes, &n, "given up besides: what a task does after it has set its own loginuid:");
	for (size_t i = 0; i < ARRAY_SIZE(own_loginuid); i++)
		add_note(s, &notes, &n, own_loginuid[i]);
	add_note(s, &notes, &n, "given up besides: the SYSCALL companions of AVC and LOGIN records of such tasks, and ANOM_LINK, "
				"ANOM_CREAT and FANOTIFY records");
	add_note(s, &notes, &n, "tasks that exist before the rule is loaded keep their audit context and its cost: restart services, "
				"or reboot");
	add_note(s, &notes, &n, arena_printf(s->arena, "calls on a file system that holds watches still pay for its notifications: "
							"about %.0f instructions each", s->o->coefficients->notify));
	add_note(s, &notes, &n, "cheaper in events: -a never,exit -F auid=unset as the first rule, where every rule requires a set "
				"loginuid; --loginuid-immutable keeps a set loginuid from being changed");
	return append(s, r, "tasks born without a loginuid get no audit context: their calls cost what they cost with audit=0", notes,
		      n);
}

bool pass_never_task_all(struct search *s)
{
	if (already_there(s))
		return false;
	static const char *notes[] = {
		"given up: every SYSCALL event of every task created after the load; only records that need no system call context "
		"remain (AVC alone, USER_*, LOGIN ...)",
		"the other rules keep matching only for tasks that existed before",
	};
	return append(s, task_rule(s), "no new task gets an audit context", notes, ARRAY_SIZE(notes));
}
