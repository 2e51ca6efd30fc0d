/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_TIMELINE_H
#define SL_TIMELINE_H
/*
 * Calls on a time axis, as they begin and end: what the timeline sink writes and report/ turns into files of other
 * viewers. A track is what a task did; its calls nest. Calls of a track come in order, and what MARK and RUN tell of a
 * lane; one order of all there is not.
 */
#include "sl_base.h"
#include "sl_span.h"

enum sl_timeline_kind {
	SL_TIMELINE_BEGIN, /* a call, or a level that an exception opened, begins */
	SL_TIMELINE_END,   /* ... the one of the track that began last ends */
	SL_TIMELINE_MARK,  /* the lane lost trace here: name says why */
	SL_TIMELINE_RUN,   /* the track runs on this lane from now on, and no other; NULL: nobody does */
};

enum {	/* besides SL_SPAN_NO_ENTRY and so on */
	SL_TIMELINE_LEVEL = 1 << 8,	 /* an exception's level, not a function */
	SL_TIMELINE_RECURSIVE = 1 << 9,	 /* END: of a function that is further down in the same level: its total is in
					  * that one's */
	SL_TIMELINE_MOVED = 1 << 10,	 /* END: goes on on another track, since its task moved to another CPU, whose
					  * clock is another; BEGIN: ... and came from one */
};

struct sl_timeline_track {
	uint32_t id; /* dense, from 0 on */
	bool has_task;
	uint64_t task; /* thread, process or context id */
	const char *name;
};

struct sl_timeline_event {
	enum sl_timeline_kind kind;
	unsigned flags;
	const struct sl_timeline_track *track;
	uint32_t lane;	/* dense, from 0 on: a traced CPU */
	int64_t cpu;	/* -1: not known */
	uint64_t at;	/* in the head's unit */
	uint32_t name_id; /* the same for the same name and module */
	const char *name, *module; /* module may be NULL */
	uint32_t depth;	  /* calls and levels of the track below it */
	uint64_t offset, address; /* of the trace byte, and of the first instruction seen; 0: none */
	uint64_t start; /* END */
	bool costs;	/* END: what follows is known, as it is of all but what MOVED */
	/*
	 * What it ran with its callees, and without them and without levels, while its task ran. Sums over all calls of a
	 * name (of totals: of those that are not RECURSIVE) are exactly what report says, which rounds once: so a single
	 * one may be off by 1.
	 */
	uint64_t total, self;
};

struct sl_timeline_head {
	const char *unit; /* "ns", "cycles", "insns" */
	const char *about; /* one sentence: what the axis is, and where it begins */
	uint32_t lanes;	   /* above all lane */
	/* The name and module of an id; strings live until close. */
	const char *(*name)(const void *ctx, uint32_t name_id, const char **ret_module);
	const void *ctx;
};

/* What an event points to is lent for the call. */
struct sl_timeline_ops {
	void (*begin)(void *out, const struct sl_timeline_head *head); /* head lives until close */
	void (*event)(void *out, const struct sl_timeline_event *event);
	int (*close)(void *out); /* frees out; the first error (SL_ERR_IO, SL_ERR_NOMEM) sticks until here */
};
struct sl_timeline {
	const struct sl_timeline_ops *ops;
	void *out;
};
#endif
