/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job as files of the image: job.json, and for each set its payloads (length, bytes) and its text. */
#include "lab/inside.h"

#include <stdlib.h>
#include <string.h>

enum { SET_MAX = 256 * 1024 * 1024 };

size_t rule_data_size(const struct audit_rule_data *d)
{
	return sizeof(*d) + d->buflen;
}

static const char *set_path(struct arena *a, size_t set, const char *kind)
{
	return arena_printf(a, LAB_DIR "/set-%zu.%s", set, kind);
}

static const void *keep(struct arena *a, const struct str *s)
{
	char *p = arena_alloc(a, s->len + 1, 1);
	memcpy(p, str_get(s), s->len);
	return p;
}

static bool pack_set(const struct lab_set *s, size_t i, struct image *im, const char **err)
{
	struct str blob = {0};
	for (size_t r = 0; r < s->nrules; r++) {
		struct audit_rule_data *d = rule_to_data(s->rules[r]);
		if (!d) {
			*err = arena_printf(im->arena, "rule %zu of %s has no payload", r + 1, s->name);
			str_free(&blob);
			return false;
		}
		uint32_t size = (uint32_t)rule_data_size(d);
		str_addn(&blob, (const char *)&size, sizeof(size));
		str_addn(&blob, (const char *)d, size);
		free(d);
	}
	image_add(im, set_path(im->arena, i, "data"), keep(im->arena, &blob), blob.len, 0600);
	str_free(&blob);
	if (s->text)
		image_add(im, set_path(im->arena, i, "rules"), s->text, strlen(s->text), 0600);
	return true;
}

static json_t *describe(const struct lab_job *job)
{
	json_t *j = json_object(), *sets = json_array(), *workloads = json_array(), *auids = json_array();
	for (size_t i = 0; i < job->nsets; i++)
		json_array_append_new(sets, json_pack("{s:I,s:b}", "rules", (json_int_t)job->sets[i].nrules,
						      "text", job->sets[i].text != NULL));
	for (size_t i = 0; i < job->nworkloads; i++)
		json_array_append_new(workloads, json_string(job->workloads[i]));
	for (size_t i = 0; i < job->nauids; i++)
		json_array_append_new(auids, json_integer(job->auids[i]));
	json_object_set_new(j, "sets", sets);
	json_object_set_new(j, "workloads", workloads);
	json_object_set_new(j, "auids", auids);
	json_object_set_new(j, "trigger", json_boolean(job->trigger));
	return j;
}

static bool check(const struct lab_job *job, struct arena *a, const char **err)
{
	for (size_t i = 0; i < job->nworkloads; i++) {
		if (!workload_by_id(job->workloads[i])) {
			*err = arena_printf(a, "no workload is called `%s'", job->workloads[i]);
			return false;
		}
	}
	for (size_t i = 0; i < job->nauids; i++) {
		if (job->auids[i] != LAB_UNSET && (job->auids[i] < 0 || job->auids[i] >= UINT32_MAX)) {
			*err = arena_printf(a, "%lld is no login uid", (long long)job->auids[i]);
			return false;
		}
	}
	if (job->nauids == 0 && (job->nworkloads || job->trigger)) {
		*err = "the lab was given no login uid to run as";
		return false;
	}
	return true;
}

bool job_pack(const struct lab_job *job, struct image *im, const char **err)
{
	if (!check(job, im->arena, err))
		return false;
	for (size_t i = 0; i < job->nsets; i++) {
		if (!pack_set(&job->sets[i], i, im, err))
			return false;
	}
	json_t *j = describe(job);
	char *text = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	if (!text) {
		*err = "the job cannot be written as JSON";
		return false;
	}
	image_add(im, LAB_JOB, arena_strdup(im->arena, text), strlen(text), 0600);
	free(text);
	return true;
}

static bool unpack_set(struct arena *a, struct guest_set *s, size_t i, json_t *j, const char **err)
{
	*err = arena_printf(a, "the payloads of set %zu do not hold together", i);
	s->text = json_is_true(json_object_get(j, "text")) ? set_path(a, i, "rules") : NULL;
	struct str blob = {0};
	if (file_read(set_path(a, i, "data"), SET_MAX, &blob) != 0)
		return false;
	const char *data = keep(a, &blob);
	size_t len = blob.len;
	str_free(&blob);
	for (size_t at = 0; at < len;) {
		uint32_t size;
		if (len - at < sizeof(size))
			return false;
		memcpy(&size, data + at, sizeof(size));
		at += sizeof(size);
		if (size > len - at || size < sizeof(struct audit_rule_data))
			return false;
		struct audit_rule_data *d = arena_alloc(a, size, 1);
		memcpy(d, data + at, size);
		at += size;
		if (rule_data_size(d) != size)
			return false;
		*arena_push(a, s->rules, s->nrules) = d;
	}
	return json_integer_value(json_object_get(j, "rules")) == (json_int_t)s->nrules;
}

bool job_unpack(struct arena *a, struct guest_job *job, const char **err)
{
	json_t *j = json_load_file(LAB_JOB, 0, NULL), *e;
	*job = (struct guest_job){0};
	*err = "there is no readable " LAB_JOB;
	if (!j)
		return false;
	size_t i;
	bool ok = true;
	json_array_foreach(json_object_get(j, "sets"), i, e) ok =
	    ok && unpack_set(a, arena_push(a, job->sets, job->nsets), i, e, err);
	json_array_foreach(json_object_get(j, "workloads"), i, e) *
	    arena_push(a, job->workloads, job->nworkloads) = workload_by_id(json_string_value(e));
	json_array_foreach(json_object_get(j, "auids"), i, e) * arena_push(a, job->auids, job->nauids) =
	    json_integer_value(e);
	job->trigger = json_is_true(json_object_get(j, "trigger"));
	json_decref(j);
	return ok;
}
