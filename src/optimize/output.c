/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "optimize/search.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

struct writer {
	const struct ruleset *in;
	const struct optimized *r;
	const struct lang_env *env;
	struct str *out;
	size_t next;              /* the rule of r->after to be written next */
	size_t *anchor;           /* of each rule of r->after: index of the line it belongs to */
	struct str comments;      /* of the group being read; written with its first rule that stays */
	bool rule_seen;           /* the comments belong to rules that came already */
	const char *err;
};

/* The column tells the pieces apart in which auditctl reads a line longer than its buffer. */
static bool same_place(const struct line *a, const struct line *b)
{
	return a && b && a->at.line == b->at.line && a->at.column == b->at.column && strcmp(a->at.file, b->at.file) == 0;
}

static size_t line_index(const struct ruleset *in, const struct line *l)
{
	for (size_t i = 0; i < in->nlines; i++) {
		if (same_place(&in->lines[i], l))
			return i;
	}
	return in->nlines;
}

static bool was_there(const struct optimized *r, const struct rule *rule)
{
	for (size_t i = 0; i < r->nbefore; i++) {
		if (r->before[i] == rule)
			return true;
	}
	return false;
}

/*
 * A comment made here. What it quotes (names of files, lines that do not load) may hold anything, and auditctl reads what
 * stands behind a newline, or beyond its buffer (auditctl.c:fileopt), as a line of its own: so both are kept out.
 */
PRINTF_LIKE(2, 3) static void add_comment(struct str *out, const char *fmt, ...)
{
	enum { COMMENT_LIMIT = 2000 };
	struct str text = {0};
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	str_add(out, "# ");
	for (size_t i = 0; i < text.len && i < COMMENT_LIMIT; i++)
		str_addc(out, iscntrl((unsigned char)text.s[i]) ? '?' : text.s[i]);
	str_add(out, text.len > COMMENT_LIMIT ? "...\n" : "\n");
	str_free(&text);
}

static void flush_comments(struct writer *w)
{
	str_addn(w->out, str_get(&w->comments), w->comments.len);
	str_reset(&w->comments);
}

/* A pass that was at work on a rule, in the order of the passes' first work on it. */
static void add_pass(struct str *passes, const char *name)
{
	const char *found = strstr(str_get(passes), name);
	bool whole = found && (found == passes->s || found[-1] == ' ') && (found[strlen(name)] == ',' || !found[strlen(name)]);
	if (!whole)
		str_addf(passes, "%s%s", passes->len ? ", " : "", name);
}

/* What a rule came from, in the end: the changes are a forest whose leaves are input lines. */
static void origins(struct writer *w, const struct rule *rule, struct str *lines, struct str *passes)
{
	const struct optimized *r = w->r;
	for (size_t i = r->nchanges; i > 0; i--) {
		const struct change *c = &r->changes[i - 1];
		if (!c->nnew || c->new[0] != rule)
			continue;
		for (size_t j = 0; j < c->nold; j++)
			origins(w, c->old[j], lines, passes);
		add_pass(passes, c->pass->name);
		return;
	}
	if (!rule->line)
		return;
	str_add(lines, lines->len ? ", " : "");
	if (r->several_files)
		str_addf(lines, "%s:", rule->line->at.file);
	str_addf(lines, "%u", rule->line->at.line);
}

static void write_note(struct writer *w, const struct rule *rule)
{
	struct str lines = {0}, passes = {0};
	origins(w, rule, &lines, &passes);
	const char *by = passes.len ? passes.s : "?";
	if (lines.len)
		add_comment(w->out, "in place of line%s %s (%s)", strchr(lines.s, ',') ? "s" : "", lines.s, by);
	else
		add_comment(w->out, "added (%s)", by);
	str_free(&lines);
	str_free(&passes);
}

/* The only request of its line can be written as it stood. */
static bool alone_on_line(const struct ruleset *in, const struct line *l)
{
	size_t n = 0;
	for (size_t i = 0; i < in->nrequests; i++)
		n += same_place(in->requests[i].line, l);
	return n == 1;
}

static void write_rule(struct writer *w, const struct rule *rule)
{
	flush_comments(w);
	if (was_there(w->r, rule) && rule->line && alone_on_line(w->in, rule->line)) {
		str_addn(w->out, rule->line->text, rule->line->len);
		str_addc(w->out, '\n');
		return;
	}
	if (!was_there(w->r, rule))
		write_note(w, rule);
	if (!rule_write(rule, w->env, w->out)) {
		struct str dump = {0};
		rule_dump(rule, false, &dump);
		w->err = arena_printf(w->r->arena, "no line of auditctl's language gives the rule %s", str_get(&dump));
		str_free(&dump);
	}
	str_addc(w->out, '\n');
}

static const struct setting {
	uint32_t mask;
	const char *option;
} settings[] = {
	{AUDIT_STATUS_ENABLED, "-e"},
	{AUDIT_STATUS_FAILURE, "-f"},
	{AUDIT_STATUS_RATE_LIMIT, "-r"},
	{AUDIT_STATUS_BACKLOG_LIMIT, "-b"},
	{AUDIT_STATUS_BACKLOG_WAIT_TIME, "--backlog_wait_time"},
};

static void write_setting(struct writer *w, const struct request *q)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		if (settings[i].mask == q->mask) {
			str_addf(w->out, "%s %u\n", settings[i].option, q->value);
			return;
		}
	}
}

static bool loads_alone(const struct writer *w, const struct line *l)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse(l->at.file, l->text, l->len, w->env, &ds);
	bool good = ds.errors == 0;
	ruleset_free(rs);
	arena_free(ds.arena);
	return good;
}

static void write_as_it_stood(struct writer *w, const struct line *l)
{
	if (!loads_alone(w, l)) {
		add_comment(w->out, "not loaded: %.*s", (int)l->len, l->text);
		return;
	}
	str_addn(w->out, l->text, l->len);
	str_addc(w->out, '\n');
}

/*
 * Make-equivalent tags the trees that stand for the rules held by then (kernel/audit_tree.c:audit_tag_tree): a rule of such
 * a directory that came before it must not come after it, nor the other way round.
 */
static bool dirs_stay(const struct writer *w, const struct request *q)
{
	const struct ruleset *in = w->in;
	const struct optimized *r = w->r;
	size_t first = 0, now = (size_t)(q - in->requests);
	for (size_t i = 0; i < now; i++)
		first = in->requests[i].kind == REQ_DELETE_ALL && !in->requests[i].key ? i + 1 : first;
	for (size_t i = first; i < in->nrequests; i++) {
		const struct field *d = in->requests[i].kind == REQ_ADD ? rule_field(in->requests[i].rule, AUDIT_DIR) : NULL;
		bool was = false, is = false;
		for (size_t j = first; d && j < now; j++) {
			const struct field *e = in->requests[j].kind == REQ_ADD ? rule_field(in->requests[j].rule, AUDIT_DIR) : NULL;
			was = was || (e && field_same(d, e));
		}
		for (size_t j = 0; d && j < w->next; j++) {
			const struct field *e = rule_field(r->after[j], AUDIT_DIR);
			is = is || (e && field_same(d, e));
		}
		if (was != is)
			return false;
	}
	return true;
}

/* What a line did although it failed, or did beside a rule, in words that load. */
static void write_control(struct writer *w, const struct request *q, const struct line *l)
{
	if (q->kind == REQ_EQUIV && !dirs_stay(w, q))
		w->err = arena_printf(w->r->arena, "a rule with a directory would change sides with the -q of line %u: it belongs "
						   "behind the last rule", l->at.line);
	if (alone_on_line(w->in, l) && loads_alone(w, l))
		write_as_it_stood(w, l);
	else if (q->kind == REQ_SET)
		write_setting(w, q);
	else if (q->kind == REQ_DELETE_ALL)
		str_addf(w->out, q->key ? "-D -k %s\n" : "-D\n", q->key);
	else
		write_as_it_stood(w, l);
}

static void write_controls(struct writer *w, const struct line *l)
{
	size_t found = 0;
	for (size_t i = 0; i < w->in->nrequests; i++) {
		const struct request *q = &w->in->requests[i];
		if (!same_place(q->line, l))
			continue;
		found++;
		if (q->kind == REQ_ADD || q->kind == REQ_DELETE)
			continue;
		flush_comments(w);
		write_control(w, q, l);
	}
	if (found)
		return;
	flush_comments(w);
	write_as_it_stood(w, l);
}

static void write_line(struct writer *w, size_t i)
{
	const struct line *l = &w->in->lines[i];
	if (l->comment) {
		if (w->rule_seen)
			str_reset(&w->comments);
		w->rule_seen = false;
		str_addn(&w->comments, l->text, l->len);
		str_addc(&w->comments, '\n');
		return;
	}
	w->rule_seen = true;
	write_controls(w, l);
	while (w->next < w->r->nafter && w->anchor[w->next] <= i)
		write_rule(w, w->r->after[w->next++]);
}

bool exempts_tasks(const struct optimized *r)
{
	for (size_t i = 0; i < r->nchanges; i++) {
		if (is_task_loss(r->changes[i].pass))
			return true;
	}
	return false;
}

bool output_path_type(const struct optimized *r, size_t i, const char **path, bool *dir)
{
	const struct rule *rule = r->before[i];
	for (size_t j = 0; rule->watch && j < r->nafter; j++) {
		if (r->after[j] == rule)
			return false;           /* stays a -w, which is looked at anew when it is loaded */
	}
	const struct field *d = rule_field(rule, AUDIT_DIR), *p = rule_field(rule, AUDIT_WATCH);
	if (!rule->watch || (!d && !p))
		return false;
	*path = d ? d->text : p->text;
	*dir = d;
	return true;
}

static bool write_path_types(struct writer *w)
{
	bool any = false;
	for (size_t i = 0; i < w->r->nbefore; i++) {
		const char *path;
		bool dir;
		if (!output_path_type(w->r, i, &path, &dir))
			continue;
		add_comment(w->out, "assumed: %s is %s where this is loaded", path, dir ? "a directory" : "no directory");
		any = true;
	}
	return any;
}

static void write_head(struct writer *w, const struct output_info *info)
{
	const struct optimized *r = w->r;
	add_comment(w->out, "Reduced by auditopt %s from %s", info->version, info->input);
	char release[RELEASE_TEXT];
	str_addf(w->out, "# input SHA-256 %s\n# rules: %zu in, %zu out; for auditctl %s\n", info->sha256, r->nbefore, r->nafter,
		 release_text(w->env->auditctl ? w->env->auditctl : AUDITCTL_DEFAULT, release));
	str_addf(w->out, "# proved for level %s: %s%s\n", level_name(r->level),
		 r->level == LEVEL_E3 ? "same events, keys, record types and companions" : "same events and keys",
		 exempts_tasks(r) ? ", of tasks that are not exempt" : "");
	bool any = false;
	for (size_t i = 0; i < r->nchanges; i++) {
		const struct change *c = &r->changes[i];
		bool again = false;
		for (size_t j = 0; j < i && c->needs; j++)
			again = again || (r->changes[j].needs && strcmp(r->changes[j].needs, c->needs) == 0);
		if (!c->needs || again)
			continue;
		any = true;
		str_addf(w->out, "# %s: %s\n", c->pass->kind == PASS_LOSS ? "loss allowed" : "assumed", c->needs);
	}
	if (!write_path_types(w) && !any)
		str_add(w->out, "# assumed: nothing; lost: nothing\n");
	str_add(w->out, "#\n");
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_rule(const struct request *q)
{
	return q->kind == REQ_ADD || q->kind == REQ_DELETE;
}

/* Settings, features, -D and the like: all of the input's, in its order, and no other. */
static bool same_controls(const struct ruleset *a, const struct ruleset *b)
{
	size_t i = 0, j = 0;
	for (;; i++, j++) {
		while (i < a->nloaded && is_rule(&a->requests[i]))
			i++;
		while (j < b->nloaded && is_rule(&b->requests[j]))
			j++;
		if (i >= a->nloaded || j >= b->nloaded)
			return i >= a->nloaded && j >= b->nloaded;
		const struct request *x = &a->requests[i], *y = &b->requests[j];
		if (x->kind != y->kind || x->mask != y->mask || x->value != y->value || !same_text(x->name, y->name) ||
		    !same_text(x->key, y->key) || !same_text(x->text, y->text))
			return false;
	}
}

/* The text is only good if it means, read back, exactly what was proved. */
static const char *read_back(const struct writer *w)
{
	struct diags ds = {.arena = arena_new()};
	struct ruleset *rs = rules_parse("output", str_get(w->out), w->out->len, w->env, &ds);
	struct kset *k = kset_load(rs, &ds), *want = w->r->kset_after;
	const char *err = ds.errors ? "the written rules do not load" : NULL;
	if (!err && k->n != want->n)
		err = "the written rules are not as many as intended";
	for (size_t i = 0; !err && i < k->n; i++) {
		if (!rule_same(k->rules[i].rule, want->rules[i].rule))
			err = "a written rule reads back as another";
	}
	if (!err && !same_controls(w->in, rs))
		err = "the written settings are not those of the input";
	kset_free(k);
	ruleset_free(rs);
	arena_free(ds.arena);
	return err;
}

bool output_rules(const struct ruleset *in, const struct optimized *r, const struct lang_env *env,
		  const struct output_info *info, struct str *out, const char **err)
{
	struct writer w = {.in = in, .r = r, .env = env, .out = out};
	w.anchor = arena_array(r->arena, size_t, r->nafter + 1);
	for (size_t i = 0; i < r->nafter; i++)
		w.anchor[i] = r->after[i]->line ? line_index(in, r->after[i]->line) : 0;
	write_head(&w, info);
	for (size_t i = 0; i < in->nlines; i++)
		write_line(&w, i);
	while (w.next < r->nafter)
		write_rule(&w, r->after[w.next++]);
	str_free(&w.comments);
	if (!w.err)
		w.err = read_back(&w);
	*err = w.err;
	return !w.err;
}

void output_rollback(const struct ruleset *in, struct str *out)
{
	for (size_t i = 0; i < in->nlines; i++) {
		str_addn(out, in->lines[i].text, in->lines[i].len);
		str_addc(out, '\n');
	}
}
