/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/trigger_want.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* ---- arch and arguments -------------------------------------------------------------------------------- */

static bool abi_allowed(const struct rule *r, enum abi abi)
{
	uint32_t arch = abi == ABI_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_I386;
	for (unsigned i = 0; i < r->nfields; i++)
		if (r->fields[i].id == AUDIT_ARCH && !number_compare(arch, r->fields[i].op, r->fields[i].value))
			return false;
	return true;
}

static bool arg_meets_all(const struct rule *r, uint32_t id, uint32_t value)
{
	for (unsigned i = 0; i < r->nfields; i++)
		if (r->fields[i].id == id && !number_compare(value, r->fields[i].op, r->fields[i].value))
			return false;
	return true;
}

/* A value for one argument: of each field the neighbours of its constant, its lowest bit, all its bits. */
static bool arg_solve(const struct rule *r, uint32_t id, uint32_t *out)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		uint32_t v = r->fields[i].value;
		if (r->fields[i].id != id)
			continue;
		uint32_t candidates[] = {v & -v, v, v + 1, v - 1, 0, UINT32_MAX};
		for (size_t c = r->fields[i].op == AUDIT_BIT_MASK ? 0 : 1; c < ARRAY_SIZE(candidates); c++) {
			if (!arg_meets_all(r, id, candidates[c]))
				continue;
			*out = candidates[c];
			return true;
		}
	}
	return false;
}

/* ---- ids ----------------------------------------------------------------------------------------------- */

static bool id_is_group(uint32_t field)
{
	return field >= AUDIT_GID && field <= AUDIT_FSGID;
}

/* The file system ids follow the effective ones, so a trigger never sets them apart (setresuid(2)). */
static int id_slot(uint32_t field)
{
	static const int slots[] = {
	    [AUDIT_UID] = ID_RUID, [AUDIT_EUID] = ID_EUID, [AUDIT_SUID] = ID_SUID, [AUDIT_FSUID] = ID_EUID,
	    [AUDIT_GID] = ID_RGID, [AUDIT_EGID] = ID_EGID, [AUDIT_SGID] = ID_SGID, [AUDIT_FSGID] = ID_EGID,
	};
	return field >= AUDIT_UID && field <= AUDIT_FSGID ? slots[field] : -1;
}

/* Operands of -C that are no id of the task: what they are when a trigger runs. */
enum { SLOT_OBJECT = ID_COUNT, SLOT_AUID };

struct pair {
	uint32_t number;
	int a, b;
	bool group;
};

/* linux/audit.h, AUDIT_COMPARE_... */
static const struct pair pair_table[] = {
    {AUDIT_COMPARE_UID_TO_OBJ_UID, ID_RUID, SLOT_OBJECT, false},
    {AUDIT_COMPARE_GID_TO_OBJ_GID, ID_RGID, SLOT_OBJECT, true},
    {AUDIT_COMPARE_EUID_TO_OBJ_UID, ID_EUID, SLOT_OBJECT, false},
    {AUDIT_COMPARE_EGID_TO_OBJ_GID, ID_EGID, SLOT_OBJECT, true},
    {AUDIT_COMPARE_AUID_TO_OBJ_UID, SLOT_AUID, SLOT_OBJECT, false},
    {AUDIT_COMPARE_SUID_TO_OBJ_UID, ID_SUID, SLOT_OBJECT, false},
    {AUDIT_COMPARE_SGID_TO_OBJ_GID, ID_SGID, SLOT_OBJECT, true},
    {AUDIT_COMPARE_FSUID_TO_OBJ_UID, ID_EUID, SLOT_OBJECT, false},
    {AUDIT_COMPARE_FSGID_TO_OBJ_GID, ID_EGID, SLOT_OBJECT, true},
    {AUDIT_COMPARE_UID_TO_AUID, ID_RUID, SLOT_AUID, false},
    {AUDIT_COMPARE_UID_TO_EUID, ID_RUID, ID_EUID, false},
    {AUDIT_COMPARE_UID_TO_FSUID, ID_RUID, ID_EUID, false},
    {AUDIT_COMPARE_UID_TO_SUID, ID_RUID, ID_SUID, false},
    {AUDIT_COMPARE_AUID_TO_FSUID, SLOT_AUID, ID_EUID, false},
    {AUDIT_COMPARE_AUID_TO_SUID, SLOT_AUID, ID_SUID, false},
    {AUDIT_COMPARE_AUID_TO_EUID, SLOT_AUID, ID_EUID, false},
    {AUDIT_COMPARE_EUID_TO_SUID, ID_EUID, ID_SUID, false},
    {AUDIT_COMPARE_EUID_TO_FSUID, ID_EUID, ID_EUID, false},
    {AUDIT_COMPARE_SUID_TO_FSUID, ID_SUID, ID_EUID, false},
    {AUDIT_COMPARE_GID_TO_EGID, ID_RGID, ID_EGID, true},
    {AUDIT_COMPARE_GID_TO_FSGID, ID_RGID, ID_EGID, true},
    {AUDIT_COMPARE_GID_TO_SGID, ID_RGID, ID_SGID, true},
    {AUDIT_COMPARE_EGID_TO_FSGID, ID_EGID, ID_EGID, true},
    {AUDIT_COMPARE_EGID_TO_SGID, ID_EGID, ID_SGID, true},
    {AUDIT_COMPARE_SGID_TO_FSGID, ID_SGID, ID_EGID, true},
};

static uint32_t slot_value(const uint32_t ids[ID_COUNT], int slot)
{
	if (slot == SLOT_OBJECT)
		return 0;
	return slot == SLOT_AUID ? WANT_AUID_USER : ids[slot];
}

static const struct pair *pair_of(const struct field *f)
{
	for (size_t i = 0; f->id == AUDIT_FIELD_COMPARE && i < ARRAY_SIZE(pair_table); i++)
		if (pair_table[i].number == f->value)
			return &pair_table[i];
	return NULL;
}

/* Do these ids meet the fields of the rule about users (or, with group, about groups)? *any: there is such a
 * field. */
static bool ids_meet(const struct rule *r, const uint32_t ids[ID_COUNT], bool group, bool *any)
{
	bool ok = true;
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		const struct pair *p = pair_of(f);
		int slot = id_slot(f->id);
		if (p && p->group == group) {
			*any = true;
			ok = ok && number_compare(slot_value(ids, p->a), f->op, slot_value(ids, p->b));
		} else if (slot >= 0 && id_is_group(f->id) == group) {
			*any = true;
			ok = ok && number_compare(ids[slot], f->op, f->value);
		}
	}
	return ok;
}

enum { ID_CANDIDATES = 2 + 2 * AUDIT_MAX_FIELDS };

static size_t id_candidates(const struct rule *r, bool group, bool unprivileged, uint32_t out[ID_CANDIDATES])
{
	size_t n = 0;
	out[n++] = unprivileged ? WANT_AUID_USER : 0;
	out[n++] = unprivileged ? 0 : WANT_AUID_USER;
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		if (id_slot(f->id) < 0 || id_is_group(f->id) != group || f->value >= UINT32_MAX - 1 || n > 8)
			continue; /* more constants than that are a rule that nobody writes; the search is
				     cubic */
		out[n++] = f->value;
		out[n++] = f->value + 1;
	}
	return n;
}

/* Tries every choice of three ids; keeps the default when none fits. True when a field asks for ids at all.
 */
static bool ids_solve(const struct rule *r, bool group, bool unprivileged, uint32_t ids[ID_COUNT])
{
	uint32_t c[ID_CANDIDATES], try[ID_COUNT];
	size_t n = id_candidates(r, group, unprivileged, c);
	int first = group ? ID_RGID : ID_RUID;
	bool any = false;
	memcpy(try, ids, sizeof(try));
	for (size_t k = 0; k < n * n * n; k++) {
		try[first] = c[k % n]; /* the real id changes first: privileges hang on the effective one */
		try[first + 2] = c[k / n % n];
		try[first + 1] = c[k / n / n];
		if (ids_meet(r, try, group, &any)) {
			memcpy(ids, try, sizeof(try));
			break;
		}
	}
	return any;
}

/* ---- login uid ----------------------------------------------------------------------------------------- */

static bool auid_meets(const struct rule *r, uint32_t auid)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		if (f->id == AUDIT_LOGINUID && !number_compare(auid, f->op, f->value))
			return false;
		if (f->id == AUDIT_LOGINUID_SET && !number_compare(auid != UINT32_MAX, f->op, f->value))
			return false;
	}
	return true;
}

/* Most rules are met unset or as a user; some only by one login uid, say root's. */
static int64_t auid_solve(const struct rule *r)
{
	if (auid_meets(r, UINT32_MAX) || auid_meets(r, WANT_AUID_USER))
		return TRIGGER_AUID_CALLER;
	for (unsigned i = 0; i < r->nfields; i++) {
		uint32_t v = r->fields[i].value;
		const uint32_t candidates[] = {v, v + 1, v - 1, 0};
		for (size_t c = 0; r->fields[i].id == AUDIT_LOGINUID && c < ARRAY_SIZE(candidates); c++)
			if (candidates[c] != UINT32_MAX && auid_meets(r, candidates[c]))
				return candidates[c];
	}
	return TRIGGER_AUID_CALLER;
}

/* ---- outcome ------------------------------------------------------------------------------------------- */

static enum trigger_outcome outcome_of_errno(int32_t value)
{
	switch (value) {
	case -EACCES:
		return OUTCOME_EACCES;
	case -EPERM:
		return OUTCOME_EPERM;
	case -ENOENT:
		return OUTCOME_ENOENT;
	default:
		return value < 0 ? OUTCOME_ANY : OUTCOME_SUCCESS;
	}
}

static bool outcome_meets(const struct rule *r, int32_t code)
{
	for (unsigned i = 0; i < r->nfields; i++) {
		const struct field *f = &r->fields[i];
		if (f->id == AUDIT_EXIT && !number_compare((uint32_t)code, f->op, f->value))
			return false;
		/* The kernel compares 1 for success and 2 for failure with 1 or 2 for the rule's value. */
		if (f->id == AUDIT_SUCCESS && !number_compare(code < 0 ? 2 : 1, f->op, f->value ? 1 : 2))
			return false;
	}
	return true;
}

static enum trigger_outcome outcome_solve(const struct rule *r)
{
	const int32_t codes[] = {0, 3, -EACCES, -EPERM, -ENOENT};
	if (!rule_field(r, AUDIT_EXIT) && !rule_field(r, AUDIT_SUCCESS))
		return OUTCOME_ANY;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (outcome_meets(r, codes[i]))
			return outcome_of_errno(codes[i]);
	return OUTCOME_ANY;
}

/* ---- all together -------------------------------------------------------------------------------------- */

static const char *text_of(const struct rule *r, uint32_t id)
{
	const struct field *f = rule_field(r, id);
	return f && f->op == AUDIT_EQUAL && f->text && f->text[0] == '/' ? f->text : NULL;
}

/* The family a rule asks for, by name or by the length of the address, which is a2 of connect and bind. */
static uint32_t family_of(const struct rule *r, const struct want *w)
{
	const struct field *f = rule_field(r, AUDIT_SADDR_FAM);
	if (f && f->op == AUDIT_EQUAL)
		return f->value;
	if (w->fixed & 1u << 2 && w->arg[2] == sizeof(struct sockaddr_in6))
		return AF_INET6;
	return w->fixed & 1u << 2 && w->arg[2] == sizeof(struct sockaddr_in) ? AF_INET : 0;
}

void want_of_rule(const struct rule *r, struct want *w)
{
	memset(w, 0, sizeof(*w));
	for (int abi = 0; abi < ABI_COUNT; abi++)
		w->abi[abi] = abi_allowed(r, (enum abi)abi);
	w->path = text_of(r, AUDIT_WATCH);
	w->dir = text_of(r, AUDIT_DIR);
	w->exe = text_of(r, AUDIT_EXE);
	const struct field *perm = rule_field(r, AUDIT_PERM);
	if (perm && perm->op == AUDIT_EQUAL)
		w->perm = perm->value;
	for (uint32_t i = 0; i < 4; i++)
		if (rule_field(r, AUDIT_ARG0 + i) && arg_solve(r, AUDIT_ARG0 + i, &w->arg[i]))
			w->fixed |= 1u << i;
	w->family = family_of(r, w);
	w->outcome = outcome_solve(r);
	bool unprivileged = w->outcome == OUTCOME_EACCES || w->outcome == OUTCOME_EPERM;
	bool users = ids_solve(r, false, unprivileged, w->ids);
	bool groups = ids_solve(r, true, unprivileged, w->ids);
	w->has_ids = users || groups;
	w->auid = auid_solve(r);
}

static void ids_all(uint32_t ids[ID_COUNT], uint32_t value)
{
	for (int i = 0; i < ID_COUNT; i++)
		ids[i] = value;
}

static bool break_outcome(struct want *w)
{
	if (w->outcome == OUTCOME_ANY || w->has_ids)
		return false; /* other ids would break two fields at once */
	w->outcome = w->outcome == OUTCOME_SUCCESS ? OUTCOME_EACCES : OUTCOME_SUCCESS;
	ids_all(w->ids, w->outcome == OUTCOME_EACCES ? WANT_AUID_USER : 0);
	return true;
}

static bool break_args(struct want *w)
{
	for (int i = 0; i < 4; i++)
		if (w->fixed & 1u << i)
			w->arg[i] = w->arg[i] == 0; /* the solution 0 becomes 1, any other 0 */
	return w->fixed != 0;
}

bool want_break(struct want *w, enum want_break what)
{
	switch (what) {
	case BREAK_OBJECT:
		if (!w->path && !w->dir)
			return false;
		w->path = place_table[w->perm & PERM_X ? PLACE_PROGRAM : PLACE_PLAIN].path;
		w->dir = NULL;
		return true;
	case BREAK_PERM:
		if (!w->perm || (w->perm & (PERM_R | PERM_W)) == (PERM_R | PERM_W))
			return false;
		w->perm = w->perm & PERM_R ? PERM_W : PERM_R;
		return true;
	case BREAK_OUTCOME:
		return break_outcome(w);
	case BREAK_IDS:
		if (!w->has_ids)
			return false;
		ids_all(w->ids, w->ids[ID_EUID] || w->ids[ID_RUID] != w->ids[ID_EUID] ? 0 : WANT_AUID_USER);
		return true;
	case BREAK_ARG:
		return break_args(w);
	case BREAK_EXE:
		if (!w->exe)
			return false;
		w->exe = NULL;
		return true;
	default:
		return false;
	}
}
