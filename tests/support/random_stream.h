/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RANDOM_STREAM_H
#define RANDOM_STREAM_H
/* Seeded lanes for two engines to decode. Want of memory aborts. */
#include "engine_pair.h"

struct random_stream {
	struct sl_trace_config config;
	struct sl_image *image;
	uint8_t *data;
	size_t len;
	char what[160]; /* what it is made of, for a message */
};
/* A random program (random_program.h) through an encoder with random options, of ETMv4 or ETE. */
void program_stream(uint64_t seed, struct random_stream *ret);
/*
 * Random packets of ETMv4 or ETE that a trace unit could send, over random code of A64, or of A32 and T32: addresses,
 * atoms, exceptions and contexts do not belong to one another, and the engines have to walk whatever lies there.
 */
void packet_stream(uint64_t seed, struct random_stream *ret);
/*
 * A random program of A32 and T32 through an encoder with random options, of PTM or ETMv3. One in eight is decoded over random
 * bytes instead.
 */
void ptm_stream(uint64_t seed, struct random_stream *ret);
void etm3_stream(uint64_t seed, struct random_stream *ret);
/* A random program of x86-64 as Intel PT. */
void ipt_stream(uint64_t seed, struct random_stream *ret);
/* Flips bits, cuts, repeats and moves bytes. */
void stream_damage(struct random_stream *stream, uint64_t seed);
void stream_release(struct random_stream *stream);

/* A sealed image of these bytes at this address, and at another unless that is the same. */
struct sl_image *bytes_image(const void *data, size_t len, uint64_t address, uint64_t second);
#endif
