/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_TABLE_H
#define SL_TABLE_H
/*
 * Rows: what sinks write and report/ prints. A sink knows columns and values, a writer knows a format; neither
 * knows the other.
 */
#include "sl_base.h"

enum sl_type {
	SL_TYPE_COUNT,	  /* u: a count or an amount in the unit that the column's name ends with */
	SL_TYPE_SIGNED,	  /* i: the same where it may be negative; text shows the sign */
	SL_TYPE_PERCENT,  /* d: 0..100 */
	SL_TYPE_REAL,	  /* d */
	SL_TYPE_ADDR,	  /* u: printed as 0x..., a string in JSON */
	SL_TYPE_HEX,	  /* u: a small number printed as 0x and two digits or more (trace ids); a string in JSON */
	SL_TYPE_STRING,	  /* s: UTF-8 or not; writers escape it */
	SL_TYPE_BOOL,	  /* u: 0 or 1 */
	SL_TYPE_BAR,	  /* d: 0..1 of the longest bar; text draws it */
	SL_TYPE_TREE,	  /* s, of a row at depth in a tree whose rows come in preorder: text draws the tree. One
			   * column a table, none where rows stream */
};

struct sl_column {
	const char *name;     /* in JSON, CSV, --fields and --sort; carries the unit: "total_ns" */
	const char *heading;  /* in text */
	const char *help;     /* one phrase for --fields help and the man page */
	enum sl_type type;
	unsigned width;	 /* of the text column where rows stream; 0: as wide as its heading. SL_COLUMN_RARE: rows
			  * do not stream, and where people choose no columns text leaves it out */
};
#define SL_COLUMN_RARE UINT32_MAX

/* A value, or none ("-" in text, null in JSON, empty in CSV). */
struct sl_cell {
	bool known;
	uint32_t depth;	/* TREE: 0 for a root */
	union {
		uint64_t u;
		int64_t i;
		double d;
		const char *s;	/* borrowed for the call of row() */
	};
};
static inline struct sl_cell sl_cell_none(void) { return (struct sl_cell){ 0 }; }
static inline struct sl_cell sl_cell_u64(uint64_t u) { return (struct sl_cell){ .known = true, .u = u }; }
static inline struct sl_cell sl_cell_i64(int64_t i) { return (struct sl_cell){ .known = true, .i = i }; }
static inline struct sl_cell sl_cell_real(double d) { return (struct sl_cell){ .known = true, .d = d }; }
static inline struct sl_cell sl_cell_str(const char *s) { return (struct sl_cell){ .known = s != NULL, .s = s }; }
static inline struct sl_cell sl_cell_tree(uint32_t depth, const char *s)
{
	return (struct sl_cell){ .known = s != NULL, .depth = depth, .s = s };
}

struct sl_meta {
	const char *key, *value;  /* facts about the whole table; strings in JSON */
};

struct sl_table_head {
	const char *schema;  /* "sightline.report/1": the command and the version of its columns */
	const char *name;    /* "functions", "account": a command may write several tables */
	const char *title;   /* a line above the table in text; may be NULL */
	const struct sl_column *columns;
	size_t column_count;
	const struct sl_meta *meta;
	size_t meta_count;
	bool stream;  /* many rows that must not be kept: text uses the columns' widths instead of measuring */
};

struct sl_table_ops {
	void (*begin)(void *out, const struct sl_table_head *head);  /* head lives until end() */
	void (*row)(void *out, const struct sl_cell *cells);	     /* head->column_count of them */
	void (*end)(void *out);
	int (*close)(void *out);  /* frees out; the first error (SL_ERR_IO, SL_ERR_NOMEM) sticks until here */
};
struct sl_table {
	const struct sl_table_ops *ops;
	void *out;
};
#endif
