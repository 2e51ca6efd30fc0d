/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENCODER_TRIAL_H
#define ENCODER_TRIAL_H
/* One property: what an encoder was told is what sl_decoder finds in its bytes. */
#include "encoder.h"
#include "frame_mux.h"
#include "generated_flow.h"
#include "random_program.h"
#include "sl_decoder.h"
#include "sl_demux.h"

/* The packet types that were seen, by name. */
struct packet_names {
	char names[64][32];
	unsigned long counts[64];
	size_t len;
};
void packet_seen(struct packet_names *names, const char *name);
unsigned long packet_count(const struct packet_names *names, const char *name);

struct trial {
	const struct program *program;
	const struct sl_image *image; /* of the program */
	struct gen_encoder_options options;
	struct walk_options walk;
	const uint8_t *exception_numbers;
	unsigned overflow_every; /* runs between faults; 0: none */
	unsigned trigger_every;
	unsigned gap_every; /* runs between holes in the log; 0: none */
	uint64_t skip_bytes;			/* the decoder sees only what comes behind them */
	const struct frame_mux_options *frames; /* NULL, or: through a formatter, beside another source */
	enum sl_framing framing;
	unsigned may_miss; /* steps at the end that the decoder may hold back */
	const char *name;
	struct packet_names *packets; /* adds to these */
	uint64_t lost[2];	      /* events, by enum gen_lost */
	uint64_t cycles_told, cycles_found, times, bytes;
	uint64_t confirmed; /* sync points at which the flow was where they say */
	uint64_t targets; /* exceptions whose return address is that of the branch before */
};
/* All parts of a program as a sealed image. */
struct sl_image *program_image(const struct program *program);
/* How a decoder has to be told of such an encoder's trace. */
void encoder_config(const struct gen_encoder_options *options, enum program_arch arch, struct sl_trace_config *ret);
/* Encodes the walk, decodes it, compares. The cycles are for the caller to compare. */
bool trial_run(struct trial *trial);
#endif
