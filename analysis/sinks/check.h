/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_H
#define CHECK_H
/* What check has found, lane by lane. Inside of analysis/ only. */
#include "compare.h"
#include "sl_callstack.h"
#include "sl_flow_check.h"
#include "sl_sinks.h"

/* What holds of every trace, whoever decodes it. */
enum check_rule {
	CHECK_FLOW,  /* a range begins where the one before has led, and an unconditional branch is taken */
	CHECK_WALK,  /* no walk through the image runs for ever */
	CHECK_TIME,  /* timestamps do not run backwards */
	CHECK_STACK, /* the function on top of the stack is that of the program counter */
	CHECK_RULES,
};
struct check_broken {
	uint64_t count;
	uint64_t offset, address; /* of the first time; address: 0 where there is none */
	uint64_t was, is;	  /* TIME: ticks; STACK: symbol ids */
};

/* The packets around the difference: the last that were seen before it, and some behind. */
enum { CHECK_PACKETS = 2048, CHECK_PACKETS_BEFORE = 4, CHECK_PACKETS_BEHIND = 3, CHECK_PACKET_BYTES = 24 };
struct check_packet {
	uint64_t offset, len;
	char name[28];
	uint8_t bytes[CHECK_PACKET_BYTES];
};
struct check_packets {
	struct check_packet *ring; /* CHECK_PACKETS of them; NULL: none are kept */
	uint64_t seen, stop;	   /* packets so far; how many are taken once the difference is known (0: not yet) */
};

struct check_lane {
	char buffer[64], source[64];
	uint8_t trace_id;
	enum sl_engine engine, against;
	uint64_t bytes, elems, insns;
	struct compare compare;
	struct check_packets packets;
	struct check_broken broken[CHECK_RULES];
};

struct sl_check {
	const struct sl_image *image;
	struct check_lane *lanes;
	size_t len, cap;
};

/* Bytes of a buffer that are in no lane, no frame and no loss. */
uint64_t check_unaccounted(const struct sl_buffer_result *buffer);

/* check_rules.c: the rules for one lane, while it runs. */
struct check_rules {
	const struct sl_image *image;
	struct check_broken *broken; /* CHECK_RULES of them */
	bool timed;		     /* timestamps of one source, which never run backwards */
	uint64_t last_tick;
	struct sl_flow_check flow;
	struct sl_callstack *stack;
	uint32_t *entered; /* by depth: symbol of the frame; UINT32_MAX where it was not entered here */
	size_t entered_len, entered_cap;
	bool no_memory;
};
int check_rules_init(struct check_rules *rules, const struct sl_image *image, const struct sl_lane *lane,
		     struct check_broken *broken);
int check_rules_elems(struct check_rules *rules, const struct sl_elem *elems, size_t len);
void check_rules_finish(struct check_rules *rules);
void check_rules_release(struct check_rules *rules);
#endif
