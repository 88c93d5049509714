/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings: what `check' found, for a terminal, as JSON (schema auditopt-check/1, tests/schema/check.json) and as SARIF
 * 2.1.0. Reads results only.
 */
#ifndef AUDITOPT_FINDINGS_H
#define AUDITOPT_FINDINGS_H

#include "lint/lint.h"

struct findings {
	const struct checked *sets;
	size_t nsets;
	const struct lang_env *env;
	const char *old;          /* of a comparison: the set that the findings are new against; else NULL */
	bool color, brief;        /* text only: escapes for a terminal; no explanations below the findings */
};

/* False: there is no such text (jansson is out of memory, a text cannot be JSON); *out is then empty. */
bool findings_text(const struct findings *f, struct str *out);
bool findings_json(const struct findings *f, struct str *out);
bool findings_sarif(const struct findings *f, struct str *out);
/* "3 files, 20 rules, 1 error, 2 warnings, 0 notes". */
void findings_summary(const struct findings *f, struct str *out);

const char *severity_name(enum severity s);
/* The long form of one code. */
void explain_code(const struct diag_info *info, struct str *out);
/* All codes as a table in Markdown. */
void explain_table(struct str *out);

#endif
