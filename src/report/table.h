/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table: text tables for a terminal. Cells are UTF-8; a code point counts as one cell of the screen. What a terminal
 * would obey (control characters) and what is no UTF-8 is shown as `?': cells often hold text from foreign files.
 */
#ifndef AUDITOPT_TABLE_H
#define AUDITOPT_TABLE_H

#include "base/base.h"

enum table_align { TABLE_LEFT, TABLE_RIGHT };
enum table_overflow { TABLE_CUT, TABLE_WRAP }; /* end in an ellipsis; go on in the next line */

struct table;

/* A new table without columns; memory is the arena's. */
struct table *table_new(struct arena *a);
/* Adds a column; all columns come before the first cell. */
void table_column(struct table *t, enum table_align align, const char *header);
/* Adds the next cell, from left to right; the row after the last column begins by itself. Texts are copied. */
void table_cell(struct table *t, const char *text);
void table_cellf(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Leaves the rest of the current row empty; nothing when no cell of it was added. */
void table_row_end(struct table *t);
/* At most width code points (at least 1) for the last column added so far. */
void table_limit(struct table *t, size_t width, enum table_overflow overflow);
/* Makes the last column added give way until a line has at most width code points, but not below 16. */
void table_fit(struct table *t, size_t width, enum table_overflow overflow);
/* Header in bold, by an ANSI sequence: only for a terminal. Off at first. */
void table_bold(struct table *t, bool bold);
/* The table with its header; lines have no blanks at the end. Nothing when there is no column. */
void table_print(const struct table *t, struct str *out);
/* Code points a text takes when printed. */
size_t table_width(const char *text);

#endif
