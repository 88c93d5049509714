/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cost/cost.h"

#include <stdlib.h>

/* The shipped file itself becomes part of the program, so its figures exist once. The path is below the top
 * folder, where make runs. */
__asm__(".section .rodata\n"
	".global auditopt_calibration\n"
	".type auditopt_calibration, @object\n"
	"auditopt_calibration:\n"
	".incbin \"bench/calibration/debian-12-6.1-cloud-amd64.json\"\n"
	".global auditopt_calibration_end\n"
	".type auditopt_calibration_end, @object\n"
	"auditopt_calibration_end:\n"
	".byte 0\n"
	".previous\n");

extern const char auditopt_calibration[];
extern const char auditopt_calibration_end[];

const struct coefficients *coefficients_default(void)
{
	static struct coefficients c; /* filled at the first call, the same ever after */
	static bool filled;
	if (!filled) {
		struct arena *a = arena_new();
		const char *err = NULL;
		size_t len = (size_t)(auditopt_calibration_end - auditopt_calibration);
		/* The file was part of the build: that it cannot be read is a broken build, no input error.
		 */
		if (coefficients_parse(auditopt_calibration, len, &c, a, &err))
			abort();
		arena_free(a);
		filled = true;
	}
	return &c;
}
