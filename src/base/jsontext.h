/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a JSON string. */
#ifndef AUDITOPT_JSONTEXT_H
#define AUDITOPT_JSONTEXT_H

#include <jansson.h>

/*
 * The text as it is when it is UTF-8; else with every byte outside 0x20-0x7e as \xNN, since JSON holds
 * nothing but UTF-8. Never NULL.
 */
json_t *json_textn(const char *s, size_t len);
/* The same for a text that ends in NUL; null for NULL. */
json_t *json_text(const char *s);

#endif
