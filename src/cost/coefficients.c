/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cost/cost.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MAX = 1 << 20 };
static const char schema[] = "auditopt-calibration/1";

/* clang-format off */
/* Where each figure of a file goes; a file has all of these and no other. */
static const struct {
	const char *name;
	size_t at;
} slots[] = {
#define SLOT(member) {#member, offsetof(struct coefficients, member)}
#define FIELD(name, class) {name, offsetof(struct coefficients, field) + (class) * sizeof(double)}
	SLOT(off),
	SLOT(no_rules),
	SLOT(counted),
	SLOT(disabled),
	SLOT(list),
	SLOT(mask_miss),
	SLOT(mask_hit),
	SLOT(arch),
	SLOT(path),
	FIELD("field_free", FC_FREE),
	FIELD("field_scalar", FC_SCALAR),
	FIELD("field_ppid", FC_PPID),
	FIELD("field_perm", FC_PERM),
	FIELD("field_groups", FC_GROUPS),
	FIELD("field_names", FC_NAMES),
	FIELD("field_dir", FC_DIR),
	FIELD("field_label", FC_LABEL),
	FIELD("field_exe", FC_EXE),
	FIELD("field_obj_label", FC_OBJ_LABEL),
	SLOT(field_per_name),
	SLOT(obj_label_per_name),
	SLOT(perm_bit),
	SLOT(ppid_once),
	SLOT(stop_never),
	SLOT(name),
	SLOT(notify),
	SLOT(hash_probe),
	SLOT(event),
	SLOT(record),
	SLOT(task),
#undef SLOT
#undef FIELD
};
/* clang-format on */

static double *slot(struct coefficients *c, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
		if (strcmp(slots[i].name, name) == 0)
			return (double *)((char *)c + slots[i].at);
	}
	return NULL;
}

static int bad(struct arena *a, const char **err, const char *what, const char *name)
{
	*err = arena_printf(a, "%s `%s'", what, name);
	return -EINVAL;
}

static int read_figures(json_t *figures, struct coefficients *out, struct arena *a, const char **err)
{
	const char *name;
	json_t *figure;
	json_object_foreach(figures, name, figure)
	{
		double *to = slot(out, name);
		if (!to)
			return bad(a, err, "unknown coefficient", name);
		json_t *value = json_object_get(figure, "value");
		if (!json_is_number(value) || !isfinite(json_number_value(value)) ||
		    json_number_value(value) < 0)
			return bad(a, err, "expected a number of instructions, not negative, as value of",
				   name);
		*to = json_number_value(value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(slots); i++) {
		if (!json_object_get(figures, slots[i].name))
			return bad(a, err, "missing coefficient", slots[i].name);
	}
	return 0;
}

static int read_root(json_t *root, struct coefficients *out, struct arena *a, const char **err)
{
	const char *says = json_string_value(json_object_get(root, "schema"));
	if (!says || strcmp(says, schema) != 0)
		return bad(a, err, "expected a JSON object with schema", schema);
	const char *kernel = json_string_value(json_object_get(root, "kernel"));
	if (!kernel || !*kernel || strlen(kernel) >= sizeof(out->kernel))
		return bad(a, err, "expected a text of 1 to 63 bytes as", "kernel");
	json_t *figures = json_object_get(root, "coefficients");
	if (!json_is_object(figures))
		return bad(a, err, "expected an object as", "coefficients");
	snprintf(out->kernel, sizeof(out->kernel), "%s", kernel);
	return read_figures(figures, out, a, err);
}

int coefficients_parse(const char *text, size_t len, struct coefficients *out, struct arena *a,
		       const char **err)
{
	json_error_t where;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
	if (!root) {
		*err = arena_printf(a, "line %d, column %d: %s", where.line, where.column, where.text);
		return -EINVAL;
	}
	struct coefficients got = {0};
	int rc = read_root(root, &got, a, err);
	json_decref(root);
	if (rc == 0)
		*out = got;
	return rc;
}

int coefficients_read(const char *path, struct coefficients *out, struct arena *a, const char **err)
{
	struct str text = {0};
	int rc = file_read(path, FILE_MAX, &text);
	if (rc)
		*err = arena_printf(a, "cannot read it: %s", strerror(-rc));
	else
		rc = coefficients_parse(str_get(&text), text.len, out, a, err);
	str_free(&text);
	return rc;
}
