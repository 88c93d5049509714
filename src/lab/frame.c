/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/inside.h"

#include <string.h>

/* Adler-32, RFC 1950 section 9. */
static uint32_t adler32(const char *s, size_t n)
{
	uint32_t a = 1, b = 0;
	for (size_t i = 0; i < n; i++) {
		a = (a + (unsigned char)s[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

void frame_add(struct str *out, const char *body, size_t len)
{
	str_addf(out, "%zu %08x ", len, adler32(body, len));
	str_addn(out, body, len);
	str_addc(out, '\n');
}

enum frame_state frame_take(const char *buf, size_t len, const char **body, size_t *body_len, size_t *used)
{
	size_t digits = 0, n = 0;
	while (digits < len && buf[digits] >= '0' && buf[digits] <= '9' && digits < 9)
		n = n * 10 + (size_t)(buf[digits++] - '0');
	if (digits == len)
		return digits > 8 ? FRAME_DAMAGED : FRAME_MORE;
	if (digits == 0 || digits > 8 || n > FRAME_MAX || buf[digits] != ' ')
		return FRAME_DAMAGED;
	size_t head = digits + 10;
	if (len < head)
		return FRAME_MORE;
	char hex[9] = {0};
	uint32_t sum;
	memcpy(hex, buf + digits + 1, 8);
	if (buf[head - 1] != ' ' || strspn(hex, "0123456789abcdef") != 8 || !num_u32(hex, 16, &sum))
		return FRAME_DAMAGED;
	if (len < head + n + 1)
		return FRAME_MORE;
	if (buf[head + n] != '\n' || adler32(buf + head, n) != sum)
		return FRAME_DAMAGED;
	*body = buf + head;
	*body_len = n;
	*used = head + n + 1;
	return FRAME_WHOLE;
}
