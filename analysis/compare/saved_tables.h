/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAVED_TABLES_H
#define SAVED_TABLES_H
/*
 * A kept profile as the tables of its file, column by column: what one table tells already, another one tells only the
 * difference to, so that most columns are zero and left out. docs/formats/profile.md. Inside of analysis/compare only.
 */
#include "saved.h"

struct saved_column {
	const char *name;
	uint16_t offset, size; /* in a row: an unsigned number of 1, 4 or 8 bytes */
	bool steps;	       /* is written as the difference to the row before */
};
struct saved_table {
	const char *name;
	const struct saved_column *columns; /* the first one is always written */
	size_t column_count, row_size;
};
enum saved_table_number { TABLE_FUNCTIONS, TABLE_NODES, TABLE_DURATIONS, TABLE_CLASSES, TABLE_EVENTS, TABLE_LANES, TABLES };
extern const struct saved_table saved_tables[TABLES];

uint64_t saved_get(const struct saved_column *column, const void *row);
/* False: the value does not fit. */
bool saved_put(const struct saved_column *column, void *row, uint64_t value);

/* Of a function: calls and self without what its nodes have, total without the complete calls. */
struct packed_function {
	uint32_t name, module;
	uint64_t calls[SL_SAVED_LACKS];
	struct sl_axes self, total;
	uint64_t unevenness;
};
/* Of a function on an axis: all but the first three without what the classes of its histogram tell; own, which is of as many
 * calls, without sum and squares; work without what it is where all calls have as many instructions. */
struct packed_durations {
	uint32_t function, axis, classes;
	uint64_t count, sum, squares_low, squares_high, min, max, bounds, resolution;
	uint64_t own_sum, own_low, own_high, work_low, work_high, unevenness, own_unevenness;
};
struct packed_class {
	uint64_t step, count; /* from the class before (the first: from 0); values in it */
};

/* Rows of all tables; nodes, events and lanes are as they are in the profile. */
struct packed {
	void *rows[TABLES];
	size_t counts[TABLES], caps[TABLES];
};
void packed_release(struct packed *packed);
/* Nodes, events and lanes are borrowed from saved. SL_OK or SL_ERR_NOMEM. */
int packed_make(const struct sl_saved *saved, struct packed *ret);

/* What the classes of a histogram tell by themselves, as if each value were the least of its class. */
void packed_derive(const struct packed_class *classes, size_t count, struct packed_durations *ret);
/* ret = left - right, or left + right. */
void packed_without(struct packed_durations *left, const struct packed_durations *right);
void packed_with(struct packed_durations *left, const struct packed_durations *right);
/* own and work without what is told already, or with it again. insns: that its calls have by themselves, together. */
void packed_own_without(struct packed_durations *d, uint64_t insns);
void packed_own_with(struct packed_durations *d, uint64_t insns);
/* To functions what the nodes of each have together, or from them. */
void packed_add_nodes(struct packed_function *functions, const struct sl_saved_node *nodes, size_t count, bool take_away);
#endif
