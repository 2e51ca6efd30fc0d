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
/* Of a function on an axis: all but the first three without what its histogram tells, or where that has not all calls, squares without those of the mean; own
 * without what the function ran by itself, or sum; own squares without squares, or those of the mean; work without what it is where all calls have as many
 * instructions, and of instructions without own squares. */
struct packed_durations {
	uint32_t function, axis, classes;
	uint64_t count, sum, squares_low, squares_high, min, max, bounds, resolution;
	uint64_t own_sum, own_low, own_high, work_low, work_high, unevenness, own_unevenness;
};
/* Of a histogram, ascending: how many classes from the row before (the first: from class 0), what the value is above the least of
 * its class, and how often. While it is worked with, step is the value itself. */
struct packed_class {
	uint64_t step, rest, count;
};
/* A path of calls, in preorder: its parent is so many levels up from the row before, 0 being that row itself; self without what rows before let expect. */
struct packed_node {
	uint8_t kind;
	uint32_t up, what;
	uint64_t calls[SL_SAVED_LACKS];
	struct sl_axes self, beyond;
};

/* Rows of all tables; events and lanes are as they are in the profile. */
struct packed {
	void *rows[TABLES];
	size_t counts[TABLES], caps[TABLES];
};
void packed_release(struct packed *packed);
/* Events and lanes are borrowed from saved. SL_OK or SL_ERR_NOMEM. */
int packed_make(const struct sl_saved *saved, struct packed *ret);

/* What the rows of a histogram tell by themselves. They hold values. */
void packed_derive(const struct packed_class *classes, size_t count, struct packed_durations *ret);
/* From values to steps and back. False: they do not fit in 64 bits, or not in their class. */
void packed_steps(struct packed_class *classes, size_t count);
bool packed_values(struct packed_class *classes, size_t count);
/* Without what told tells, or with it again: sum, squares, min, max. */
void packed_without(struct packed_durations *d, const struct packed_durations *told);
void packed_with(struct packed_durations *d, const struct packed_durations *told);
/* What a function ran by itself on an axis, where that is what its complete calls did: all of its calls are. NULL: they are not. */
const uint64_t *packed_own_of(const struct sl_saved_function *function, uint32_t axis);
/* own and work without what is told already, or with it again. self: of packed_own_of; insns: that its calls have by themselves, together. */
void packed_own_without(struct packed_durations *d, const uint64_t *self, uint64_t insns);
void packed_own_with(struct packed_durations *d, const uint64_t *self, uint64_t insns);
/* saved_nodes.c: nodes, which are in preorder, as rows. SL_OK or SL_ERR_NOMEM. */
int packed_make_nodes(const struct sl_saved *saved, struct packed_node *ret);
/* Takes away from self what rows before let expect, or adds it again. Each what of a function is below functions. SL_OK or SL_ERR_NOMEM. */
int packed_code_nodes(struct packed_node *rows, size_t count, size_t functions, unsigned axes, bool take_away);
/* To functions what the nodes of each have together, or from them. */
void packed_add_nodes(struct packed_function *functions, const struct sl_saved_node *nodes, size_t count, bool take_away);
#endif
