/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LATENCY_H
#define LATENCY_H
/* What latency and histogram collect. Inside of analysis/sinks only. */
#include "sl_histogram.h"
#include "sl_latency.h"
#include "sl_map.h"
#include "sl_spread.h"

enum { WORST_MAX = 100, PLACES_MAX = 1000000, CLASSES_MAX = 65 /* 0, and 64 powers of two */ };

/* One time that a place happened. */
struct happened {
	struct sl_axes at;   /* on the clock of its lane */
	uint64_t offset;
	uint32_t lane;	     /* number in sl_latency.lanes */
	uint32_t stack;
	bool is_a, is_b;
	uint64_t lane_losses, losses; /* of trace before: number of the lane's last one, and of all */
};

/* A value with where it was. */
struct worst {
	uint64_t value;
	struct happened from, to;
};

/* Values on one axis. */
struct measure {
	struct sl_spread spread;
	struct sl_histogram histogram;
	uint64_t min, max;
	struct worst worst[WORST_MAX]; /* descending; of equal ones the first */
	size_t worst_len;
};
/* SL_OK or SL_ERR_NOMEM. */
int measure_add(struct measure *measure, uint64_t value, const struct happened *from, const struct happened *to);
void measure_release(struct measure *measure);

/* Classes of values, from least to greatest, for drawing: so many to each power of two. */
struct measure_class {
	uint64_t least, greatest, count;
};
/* As narrow as they can be without being more than wanted, at most one to each power of two; what is empty between two is one class.
 * Returns how many. */
size_t measure_classes(const struct measure *measure, size_t wanted, struct measure_class ret[CLASSES_MAX]);

struct latency_lane {
	char buffer[64];
	uint8_t trace_id;
	int32_t cpu;
	uint64_t last_loss;  /* number of the last loss of trace on it, among all */
};

struct waiting {
	struct happened from;
	uint64_t losses; /* of all lanes, when it happened */
	bool open;
};

struct sl_latency {
	struct sl_latency_options options;
	uint8_t *symbols;	/* bits of AT_A, AT_B, and that of the leaves */
	struct sl_latency_counts counts;
	struct measure measures[SL_AXIS_COUNT];
	struct latency_lane *lanes;
	size_t lane_count, lane_cap;
	struct sl_map by_lane;	/* sl_lane.index -> number + 1 */
	struct sl_map by_key;	/* task or CPU -> index in waiting + 1 */
	struct waiting *waiting;
	size_t waiting_len, waiting_cap;
	struct happened *kept;	/* ANY: all places; else: pairs on two lanes, one after another */
	size_t kept_len, kept_cap;
	uint64_t losses;
	bool no_memory;
};

/* latency_places.c: what of the two a call is. */
enum { AT_A = 1, AT_B = 2 };
unsigned latency_places_of_call(const struct sl_latency *latency, const struct sl_call *call);
unsigned latency_places_of_piece(const struct sl_latency *latency, const struct sl_piece *piece, uint64_t *ret_address);
/* By symbol: AT_A and AT_B where it is entered, and these << 2 where it is left; NULL when out of memory. */
uint8_t *latency_symbols(const struct sl_latency_options *options);
bool latency_wants_pieces(const struct sl_latency_options *options);
#endif
