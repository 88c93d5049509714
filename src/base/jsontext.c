/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/jsontext.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

json_t *json_textn(const char *s, size_t len)
{
	json_t *j = json_stringn(s, len);
	if (j)
		return j;
	struct str b = {0};
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c >= 0x20 && c < 0x7f)
			str_addc(&b, (char)c);
		else
			str_addf(&b, "\\x%02x", c);
	}
	j = json_stringn(str_get(&b), b.len);
	str_free(&b);
	if (!j)
		abort(); /* plain ASCII: only memory can be lacking */
	return j;
}

json_t *json_text(const char *s)
{
	return s ? json_textn(s, strlen(s)) : json_null();
}
