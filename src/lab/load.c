/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules into the guest's kernel and out again. */
#include "lab/inside.h"

#include <errno.h>
#include <string.h>

void rules_list(struct agent *g, struct arena *a, struct held *out)
{
	struct audit_reply rep;
	*out = (struct held){0};
	if (audit_request_rules_list_data(g->nl) <= 0)
		agent_fail(g, "the kernel does not list its rules");
	for (;;) {
		int n = audit_get_reply(g->nl, &rep, GET_REPLY_BLOCKING, 0);
		if (n <= 0)
			agent_fail(g, "the list of rules broke off: %s", strerror(-n));
		if (rep.type == NLMSG_DONE)
			return;
		if (rep.type != AUDIT_LIST_RULES)
			continue;
		size_t size = rule_data_size(rep.ruledata);
		struct audit_rule_data *d = arena_alloc(a, size, 1);
		memcpy(d, rep.ruledata, size);
		*arena_push(a, out->list, out->n) = d;
	}
}

void rules_load(struct agent *g, const struct guest_set *s, json_t *failures)
{
	for (size_t i = 0; i < s->nrules; i++) {
		struct audit_rule_data *d = s->rules[i];
		int rc = audit_add_rule_data(g->nl, d, (int)d->flags, (int)d->action);
		if (rc > 0 || !failures)
			continue;
		struct str why = {0};
		str_addf(&why, "rule %zu: %s", i + 1, rc == -EEXIST ? "Rule exists" : strerror(-rc));
		json_array_append_new(failures, json_textn(why.s, why.len));
		str_free(&why);
	}
}

void rules_clear(struct agent *g)
{
	struct arena *a = arena_new();
	struct held held, left;
	rules_list(g, a, &held);
	for (size_t i = 0; i < held.n; i++) {
		int rc = audit_delete_rule_data(g->nl, held.list[i], (int)held.list[i]->flags,
						(int)held.list[i]->action);
		if (rc <= 0)
			agent_fail(g, "the kernel does not delete a rule it holds: %s", strerror(-rc));
	}
	rules_list(g, a, &left);
	if (left.n)
		agent_fail(g, "%zu rules are left after all were deleted", left.n);
	arena_free(a);
}
