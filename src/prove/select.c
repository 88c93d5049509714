/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fields compare: Linux 6.1, kernel/auditsc.c:audit_filter_rules, kernel/auditfilter.c:audit_comparator.
 */
#include "prove/select.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets of numbers ------------------------------------------------------------------------------- */

enum { SPANS_MAX = AUDIT_MAX_FIELDS + 2 }; /* each != cuts one set in two */

static unsigned spans_of(uint32_t op, uint32_t v, struct span s[2])
{
	unsigned n = 0;
	switch (op) {
	case AUDIT_EQUAL:
		s[n++] = (struct span){v, v};
		break;
	case AUDIT_NOT_EQUAL:
		if (v > 0)
			s[n++] = (struct span){0, v - 1};
		if (v < UINT32_MAX)
			s[n++] = (struct span){v + 1, UINT32_MAX};
		break;
	case AUDIT_LESS_THAN:
		if (v > 0)
			s[n++] = (struct span){0, v - 1};
		break;
	case AUDIT_LESS_THAN_OR_EQUAL:
		s[n++] = (struct span){0, v};
		break;
	case AUDIT_GREATER_THAN:
		if (v < UINT32_MAX)
			s[n++] = (struct span){v + 1, UINT32_MAX};
		break;
	case AUDIT_GREATER_THAN_OR_EQUAL:
		s[n++] = (struct span){v, UINT32_MAX};
		break;
	default:
		break;
	}
	return n;
}

/* Success is kept as 1 and failure as 2, and the field's value means one of them: AUDITSC_SUCCESS for all but
 * 0. */
enum { SUCCEEDED = 1, FAILED_CALL = 2 };

static unsigned spans_of_success(const struct field *f, struct span s[2])
{
	unsigned n = 0;
	for (uint32_t state = SUCCEEDED; state <= FAILED_CALL; state++) {
		if (number_compare(state, f->op, f->value ? SUCCEEDED : FAILED_CALL))
			s[n++] = (struct span){state, state};
	}
	return n;
}

/* Whether the login uid is set is a question about its value. */
static unsigned spans_of_login(const struct field *f, struct span s[2])
{
	unsigned n = 0;
	if (number_compare(1, f->op, f->value))
		s[n++] = (struct span){0, UINT32_MAX - 1};
	if (number_compare(0, f->op, f->value))
		s[n++] = (struct span){UINT32_MAX, UINT32_MAX};
	if (n == 2) {
		s[0].hi = UINT32_MAX;
		n = 1;
	}
	return n;
}

unsigned field_spans(const struct field *f, struct span spans[2], bool *bits)
{
	*bits = f->op == AUDIT_BIT_MASK || f->op == AUDIT_BIT_TEST;
	if (*bits)
		return 0;
	if (f->id == AUDIT_SUCCESS)
		return spans_of_success(f, spans);
	if (f->id == AUDIT_LOGINUID_SET)
		return spans_of_login(f, spans);
	return spans_of(f->op, f->value, spans);
}

static unsigned spans_meet(const struct span *a, unsigned na, const struct span *b, unsigned nb,
			   struct span *out)
{
	unsigned n = 0;
	for (unsigned i = 0, j = 0; i < na && j < nb;) {
		uint32_t lo = a[i].lo > b[j].lo ? a[i].lo : b[j].lo,
			 hi = a[i].hi < b[j].hi ? a[i].hi : b[j].hi;
		if (lo <= hi)
			out[n++] = (struct span){lo, hi};
		if (a[i].hi < b[j].hi)
			i++;
		else
			j++;
	}
	return n;
}

/* Every number of b is one of a. */
static bool spans_inside(const struct span *a, unsigned na, const struct span *b, unsigned nb)
{
	for (unsigned i = 0, j = 0; j < nb; j++) {
		while (i < na && a[i].hi < b[j].lo)
			i++;
		if (i == na || a[i].lo > b[j].lo || a[i].hi < b[j].hi)
			return false;
	}
	return true;
}

/* spans_meet leaves neighbours apart (0-4, 5-9) only where an operand had them apart; no operand of ours has.
 */
static bool spans_same(const struct need *a, const struct need *b)
{
	return a->nspans == b->nspans &&
	       (!a->nspans || memcmp(a->spans, b->spans, a->nspans * sizeof(*a->spans)) == 0);
}

static bool is_full(const struct need *n)
{
	if (n->id == AUDIT_SUCCESS)
		return n->nspans == 2;
	return n->nspans == 1 && n->spans[0].lo == 0 && n->spans[0].hi == UINT32_MAX;
}

/* ---- needs ------------------------------------------------------------------------------------------- */

static uint32_t number_id(uint32_t id)
{
	return id == AUDIT_LOGINUID_SET ? AUDIT_LOGINUID : id;
}

static enum need_kind kind_of(const struct field *f)
{
	const struct field_info *fi = field_by_id(f->id);
	bool bits = f->op == AUDIT_BIT_MASK || f->op == AUDIT_BIT_TEST;
	if (!fi || bits || field_is_text(f->id))
		return NEED_SAME;
	switch (fi->source) {
	case FS_TASK:
	case FS_RESULT:
	case FS_SADDR:
	case FS_RECORD:
		return NEED_NUMBER;
	case FS_NAMES:
		return fi->kind == FK_FILETYPE ? NEED_SAME : NEED_ONE_OF;
	case FS_GROUP: /* = and != look at the supplementary groups as well */
		return f->op == AUDIT_EQUAL || f->op == AUDIT_NOT_EQUAL ? NEED_SAME : NEED_NUMBER;
	case FS_PERM:
		return f->op == AUDIT_EQUAL ? NEED_PERM : NEED_SAME;
	default:
		return NEED_SAME;
	}
}

static bool may_be_absent(uint32_t id)
{
	const struct field_info *fi = field_by_id(id);
	return fi && (fi->source == FS_RESULT || fi->source == FS_SADDR);
}

static struct need need_of(const struct field *f, struct arena *a)
{
	struct need n = {.kind = kind_of(f), .id = f->id, .op = f->op, .value = f->value, .text = f->text};
	bool bits;
	if (n.kind != NEED_NUMBER && n.kind != NEED_ONE_OF)
		return n;
	n.id = number_id(f->id);
	n.op = n.value = 0;
	n.absent = may_be_absent(n.id);
	n.spans = arena_array(a, struct span, 2);
	n.nspans = field_spans(f, n.spans, &bits);
	return n;
}

static bool need_same(const struct need *a, const struct need *b)
{
	return a->kind == b->kind && a->id == b->id && a->op == b->op && a->value == b->value &&
	       !a->text == !b->text && (!a->text || memcmp(a->text, b->text, a->value) == 0) &&
	       spans_same(a, b);
}

static int by_need(const void *x, const void *y)
{
	const struct need *a = x, *b = y;
	const uint32_t left[] = {a->id, a->kind, a->op, a->value, a->nspans},
		       right[] = {b->id, b->kind, b->op, b->value, b->nspans};
	for (size_t i = 0; i < ARRAY_SIZE(left); i++) {
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	}
	if (a->text && b->text)
		return memcmp(a->text, b->text, a->value);
	return a->nspans ? memcmp(a->spans, b->spans, a->nspans * sizeof(*a->spans)) : 0;
}

static uint64_t mix(uint64_t h, const void *data, size_t len)
{
	const unsigned char *c = data;
	for (size_t i = 0; i < len; i++)
		h = (h ^ c[i]) * UINT64_C(1099511628211); /* FNV-1a */
	return h;
}

static uint64_t hash_need(uint64_t h, const struct need *n)
{
	uint32_t words[] = {n->kind, n->id, n->op, n->value};
	h = mix(h, words, sizeof(words));
	if (n->text)
		h = mix(h, n->text, n->value);
	return n->nspans ? mix(h, n->spans, n->nspans * sizeof(*n->spans)) : h;
}

/* Adds a number's set to the one there is for its id; false: there was none. */
static bool merge_number(struct selection *s, const struct need *n, struct arena *a)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct need *have = &s->needs[i];
		if (have->kind != NEED_NUMBER || have->id != n->id)
			continue;
		struct span *out = arena_array(a, struct span, SPANS_MAX);
		have->nspans = spans_meet(have->spans, have->nspans, n->spans, n->nspans, out);
		have->spans = out;
		return true;
	}
	return false;
}

static void add_need(struct selection *s, struct need n, struct arena *a)
{
	if (n.kind == NEED_NUMBER && merge_number(s, &n, a))
		return;
	for (unsigned i = 0; i < s->n; i++) {
		if (need_same(&s->needs[i], &n))
			return;
	}
	s->needs[s->n++] = n;
}

static void drop_full(struct selection *s)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < s->n; i++) {
		if (s->needs[i].kind != NEED_NUMBER || s->needs[i].absent || !is_full(&s->needs[i]))
			s->needs[kept++] = s->needs[i];
	}
	s->n = kept;
}

/* ---- what excludes each other -------------------------------------------------------------------------- */

static bool same_text(const struct field *a, const struct field *b)
{
	return a->value == b->value && (!a->text || memcmp(a->text, b->text, a->value) == 0);
}

/* A task has one label, one program; equality with two different texts, or with one and not with it, cannot
 * hold. */
static bool texts_exclude(const struct field *a, const struct field *b)
{
	const struct field_info *fi = field_by_id(a->id);
	bool single = fi->source == FS_LABEL && (fi->kernel_ops & OPS_ORDER) == OPS_EQ;
	bool equal = same_text(a, b);
	if (a->op == AUDIT_EQUAL && b->op == AUDIT_EQUAL)
		return single && !equal;
	bool opposite = (a->op == AUDIT_EQUAL && b->op == AUDIT_NOT_EQUAL) ||
			(a->op == AUDIT_NOT_EQUAL && b->op == AUDIT_EQUAL);
	return opposite && equal && (single || fi->source == FS_COMPARE || fi->source == FS_GROUP);
}

/* Of a pair of two of the task's ids; with obj_uid or obj_gid each name of the event is asked. */
static bool compares_task_ids(const struct field *f)
{
	return f->id != AUDIT_FIELD_COMPARE || f->value > AUDIT_COMPARE_FSGID_TO_OBJ_GID;
}

static bool fields_exclude(const struct field *a, const struct field *b)
{
	const struct field_info *fi = field_by_id(a->id);
	if (!fi || number_id(a->id) != number_id(b->id))
		return false;
	if (kind_of(a) == NEED_NUMBER && kind_of(b) == NEED_NUMBER) {
		struct span x[2], y[2], both[4];
		bool bits;
		unsigned nx = field_spans(a, x, &bits), ny = field_spans(b, y, &bits);
		return spans_meet(x, nx, y, ny, both) == 0;
	}
	if (a->id == AUDIT_ARCH)
		return a->op == AUDIT_EQUAL && (b->op == AUDIT_EQUAL) == (a->value != b->value);
	return a->id == b->id && compares_task_ids(a) && texts_exclude(a, b);
}

static bool field_alone_fails(const struct field *f)
{
	struct span s[2];
	bool bits;
	enum need_kind kind = kind_of(f);
	if (kind == NEED_PERM)
		return (f->value & (PERM_R | PERM_W | PERM_X | PERM_A)) == 0;
	return (kind == NEED_NUMBER || kind == NEED_ONE_OF) && field_spans(f, s, &bits) == 0;
}

static void find_contradiction(const struct krule *r, struct selection *s)
{
	for (unsigned i = 0; i < r->nfields && !s->impossible; i++) {
		for (unsigned j = 0; j <= i && !s->impossible; j++) {
			if (i == j ? !field_alone_fails(&r->fields[i])
				   : !fields_exclude(&r->fields[j], &r->fields[i]))
				continue;
			s->impossible = true;
			s->left = j;
			s->right = i;
		}
	}
	/* three or more that leave nothing together: the last field of that number is named */
	for (unsigned i = 0; i < s->n && !s->impossible; i++) {
		if (s->needs[i].kind != NEED_NUMBER || s->needs[i].nspans)
			continue;
		s->impossible = true;
		for (unsigned j = 0; j < r->nfields; j++) {
			if (number_id(r->fields[j].id) == s->needs[i].id)
				s->left = s->right, s->right = j;
		}
	}
}

/* ---- selections ------------------------------------------------------------------------------------------
 */

static void select_without(const struct krule *r, unsigned without, struct selection *s, struct arena *a)
{
	*s = (struct selection){.needs = arena_array(a, struct need, r->nfields + 1)};
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		if (i != without && f->id != AUDIT_ARCH && f->id != AUDIT_FILTERKEY)
			add_need(s, need_of(f, a), a);
	}
	drop_full(s);
	if (s->n > 1)
		qsort(s->needs, s->n, sizeof(*s->needs), by_need);
	s->hash = UINT64_C(14695981039346656037);
	for (unsigned i = 0; i < s->n; i++)
		s->hash = hash_need(s->hash, &s->needs[i]);
}

void select_rule(const struct krule *r, struct selection *s, struct arena *a)
{
	select_without(r, UINT32_MAX, s, a);
	find_contradiction(r, s);
}

/* Exit and success are there together or not at all. */
static bool has_result(const struct selection *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->needs[i].id == AUDIT_EXIT || s->needs[i].id == AUDIT_SUCCESS)
			return true;
	}
	return false;
}

static bool need_implied(const struct need *a, const struct selection *b)
{
	for (unsigned i = 0; i < b->n; i++) {
		const struct need *have = &b->needs[i];
		if (have->kind != a->kind || have->id != a->id)
			continue;
		if (a->kind == NEED_SAME && need_same(a, have))
			return true;
		if (a->kind == NEED_PERM && (have->value & ~a->value) == 0)
			return true;
		if ((a->kind == NEED_NUMBER || a->kind == NEED_ONE_OF) &&
		    spans_inside(a->spans, a->nspans, have->spans, have->nspans))
			return true;
	}
	return a->kind == NEED_NUMBER && is_full(a) && a->id != AUDIT_SADDR_FAM && has_result(b);
}

bool select_implied(const struct selection *a, const struct selection *b)
{
	for (unsigned i = 0; i < a->n; i++) {
		if (!need_implied(&a->needs[i], b))
			return false;
	}
	return true;
}

bool select_same(const struct selection *a, const struct selection *b)
{
	if (a->hash != b->hash || a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++) {
		if (!need_same(&a->needs[i], &b->needs[i]))
			return false;
	}
	return true;
}

bool select_allows(const struct selection *s, uint32_t id, uint32_t value)
{
	struct span point = {value, value};
	for (unsigned i = 0; i < s->n; i++) {
		const struct need *n = &s->needs[i];
		if (n->kind == NEED_NUMBER && n->id == id && !spans_inside(n->spans, n->nspans, &point, 1))
			return false;
	}
	return true;
}

bool field_is_implied(const struct krule *r, unsigned i, struct arena *a)
{
	const struct field *f = &r->fields[i];
	if (f->id == AUDIT_ARCH || f->id == AUDIT_FILTERKEY || f->id == AUDIT_PERM)
		return false;
	struct selection rest, alone = {0};
	struct need n = need_of(f, a);
	if (n.kind == NEED_NUMBER && !n.absent && is_full(&n))
		return true;
	alone.needs = &n;
	alone.n = 1;
	select_without(r, i, &rest, a);
	return select_implied(&alone, &rest);
}

bool krule_allows_arch(const struct krule *r, const uint32_t archs[2], enum view v)
{
	uint32_t arch = v == VIEW_WORKER ? 0 : archs[v];
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		if (f->id == AUDIT_ARCH && (f->value == arch) != (f->op == AUDIT_EQUAL))
			return false;
	}
	return true;
}
