/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FRAME_ENCODE_H
#define FRAME_ENCODE_H
/*
 * Several sources' bytes into the 16-byte frames of a CoreSight formatter (IHI 0029E, D4), as a trace buffer
 * stores them or as a TPIU sends them. For tests and for making captures: want of memory aborts.
 */
#include "sl_base.h"

struct frame_options {
	unsigned fsync_every;	  /* TPIU: a full sync before the first frame and after so many; 0: none */
	unsigned hsync_every;	  /* TPIU: a half sync after so many pairs of bytes inside a frame; 0: none */
	unsigned repeat_id_every; /* the ID again after so many frames without one (a formatter: 10); 0: never
				   */
};

struct frame_encoder {
	struct frame_options options;
	uint8_t *data;
	size_t len, cap;
	uint8_t frame[16];
	unsigned fill; /* bytes of the frame in use, 0..14 */
	int id;	       /* as the reader has it; -1: unknown */
	int held_id;   /* the byte held back, to know whether an ID follows it; -1: none */
	uint8_t held;
	unsigned frames, pairs, frames_without_id;
};

void frame_encoder_init(struct frame_encoder *enc, const struct frame_options *options);
void frame_encoder_release(struct frame_encoder *enc);
/* Bytes of a source; id 1..0x6f (above: reserved, 0x7f would look like a sync), or 0 (null: padding). */
void frame_put(struct frame_encoder *enc, uint8_t id, const uint8_t *data, size_t len);
/* Fills the frame with null bytes. enc->data then ends with a whole frame, and the next one names its ID. */
void frame_flush(struct frame_encoder *enc);
/* As a trace buffer does at a stop: flushes, then writes four full syncs, where a reader starts anew. */
void frame_barrier(struct frame_encoder *enc);
/* A full sync, between frames only: flushes. */
void frame_fsync(struct frame_encoder *enc);
#endif
