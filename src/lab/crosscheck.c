/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a set loaded; and, when its text is there, the same text through the real auditctl: both must leave the
 * kernel with the same list.
 */
#include "lab/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_MAX = 64 * 1024 * 1024, SAID_MAX = 2000 };
#define CHECKED_TEXT LAB_DIR "/checked.rules"

/*
 * Control lines that would lock or panic the guest, or change how it runs; none of them is a rule. Their
 * argument may follow at once (-e2), so the two first characters decide.
 */
static bool left_out(const char *line)
{
	static const char *const starts[] = {"-e", "-f", "-r", "-b", "--loginuid-immutable"};
	line += strspn(line, " \t");
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		if (strncmp(line, starts[i], strlen(starts[i])) == 0)
			return true;
	}
	return false;
}

static bool write_checked(const char *text)
{
	struct str in = {0}, out = {0};
	bool ok = file_read(text, TEXT_MAX, &in) == 0;
	char *save = NULL;
	for (char *l = ok ? strtok_r(in.s, "\n", &save) : NULL; l; l = strtok_r(NULL, "\n", &save)) {
		if (!left_out(l))
			str_addf(&out, "%s\n", l);
	}
	ok = ok && file_write(CHECKED_TEXT, str_get(&out), out.len, 0600) == 0;
	str_free(&in);
	str_free(&out);
	return ok;
}

/* auditctl -R; what it says goes to said. Its exit status. */
static int run_auditctl(struct str *said)
{
	int p[2], status = -1;
	if (pipe2(p, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(p[1], 1);
		dup2(p[1], 2);
		execl(LAB_AUDITCTL, "auditctl", "-R", CHECKED_TEXT, (char *)NULL);
		_exit(127);
	}
	close(p[1]);
	char buf[4096];
	ssize_t n;
	while (pid > 0 && (n = read(p[0], buf, sizeof(buf))) > 0) {
		if (said->len < SAID_MAX)
			str_addn(said, buf, (size_t)n);
	}
	close(p[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* "all" comes back from the kernel without its class bits (auditfilter.c: audit_to_entry_common). */
static void show_all(uint32_t mask[AUDIT_BITMASK_SIZE])
{
	for (unsigned nr = 0; nr < NR_LIMIT; nr++) {
		if (!mask_has(mask, nr))
			return;
	}
	memset(mask, 0xff, AUDIT_BITMASK_SIZE * sizeof(*mask));
}

static void dump_data(struct arena *a, const struct audit_rule_data *d, struct str *out)
{
	struct rule r;
	if (d && rule_from_data(a, d, &r)) {
		show_all(r.mask);
		rule_dump(&r, false, out);
	} else {
		str_add(out, d ? "a payload that does not hold together\n" : "no rule\n");
	}
}

static bool same(const struct audit_rule_data *x, const struct audit_rule_data *y)
{
	return rule_data_size(x) == rule_data_size(y) && memcmp(x, y, rule_data_size(x)) == 0;
}

/* The kernel lists rules list by list in order, so the two lists must agree place by place. */
static bool compare(struct arena *a, const struct held *ours, const struct held *theirs, struct str *why)
{
	for (size_t i = 0; i < ours->n || i < theirs->n; i++) {
		const struct audit_rule_data *x = i < ours->n ? ours->list[i] : NULL;
		const struct audit_rule_data *y = i < theirs->n ? theirs->list[i] : NULL;
		if (x && y && same(x, y))
			continue;
		str_addf(why, "rule %zu of the kernel's list\nsent:     ", i + 1);
		dump_data(a, x, why);
		str_add(why, "auditctl: ");
		dump_data(a, y, why);
		return false;
	}
	return true;
}

static void cross_check(struct agent *g, const struct guest_set *s, const struct held *ours, json_t *msg)
{
	struct arena *a = arena_new();
	struct str said = {0}, why = {0};
	struct held theirs;
	if (!write_checked(s->text))
		agent_fail(g, "cannot write " CHECKED_TEXT);
	int status = run_auditctl(&said);
	rules_list(g, a, &theirs);
	bool agrees = compare(a, ours, &theirs, &why);
	if (!agrees && status != 0)
		str_addf(&why, "auditctl ended with status %d: %s", status, str_get(&said));
	json_object_set_new(msg, "checked", json_true());
	json_object_set_new(msg, "agrees", json_boolean(agrees));
	json_object_set_new(msg, "disagreement", json_textn(str_get(&why), why.len));
	rules_clear(g);
	str_free(&said);
	str_free(&why);
	arena_free(a);
}

void load_report(struct agent *g, size_t set)
{
	const struct guest_set *s = &g->job.sets[set];
	struct arena *a = arena_new();
	struct held held;
	json_t *failures = json_array();
	agent_tick(g, "loading set %zu/%zu", set + 1, g->job.nsets);
	rules_load(g, s, failures);
	rules_list(g, a, &held);
	rules_clear(g);
	json_t *msg = json_pack("{s:s,s:I,s:I,s:I,s:o}", "type", "load", "set", (json_int_t)set, "sent",
				(json_int_t)s->nrules, "held", (json_int_t)held.n, "failures", failures);
	if (s->text && access(LAB_AUDITCTL, X_OK) == 0)
		cross_check(g, s, &held, msg);
	agent_send(g, msg);
	arena_free(a);
}
