/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OCSD_H
#define OCSD_H
/* One OpenCSD decode tree per lane, behind sl_decoder.h. Inside of decoder/opencsd only. */
#include <opencsd/c_api/opencsd_c_api.h>

#include "engine.h"
#include "return_depth.h"
#include "space.h"
#include "speculation.h"

/*
 * OpenCSD sees the lane in chunks of this size, however it is fed: its output then cannot depend on the feeding,
 * and what one chunk can make it allocate is bounded.
 */
enum { CHUNK_BYTES = 256, Q_PENDING = 32, OCSD_SLEEPS = 256 };

/* A range, and whether a WFI lies in it. */
struct ocsd_sleep {
	uint64_t start, end;
	uint8_t isa, sleeps; /* flags of the range */
};

/* Names of packet types, asked of OpenCSD once a type. */
struct packet_name {
	int type;
	char name[28];
};

struct ocsd_decoder {
	struct sl_decoder base;
	dcd_tree_handle_t tree;
	struct sl_decoder_options options;
	enum sl_protocol protocol;
	struct sl_trace_config config;
	ocsd_trace_protocol_t ocsd_protocol;
	uint32_t max_speculation;

	struct sl_bytes in;	      /* lent by feed and not yet copied */
	uint8_t chunk[CHUNK_BYTES];
	uint32_t chunk_len;
	uint64_t chunk_offset;	      /* of chunk[0] in the lane */
	bool finishing, ended;
	bool at_end;		      /* what comes now was cut by the end of the lane */
	bool renewed;		      /* the tree is not the lane's first */
	bool told_no_sync;	      /* since then */

	struct elem_queue queue;

	uint64_t q_offsets[Q_PENDING]; /* of Q packets whose element has not come yet, oldest first */
	unsigned q_len;

	bool can_cancel;	      /* ETMv3: the last element is an instruction */
	bool counts_returns;	      /* ETMv4: return stack and no speculation */
	struct return_depth returns;
	struct speculation *speculation; /* where the trace unit speculates, else NULL */
	bool exception_returns_are_p0, transactions_are_p0; /* they can be committed: Armv7-M; TRCIDR0.COMMTRANS 0 */

	struct space space;
	bool nonsecure;		      /* what the last packet of PTM or ETMv3 said */
	struct sl_bytes code;	      /* the run of the image that was read last, and where it lies */
	uint64_t code_address;
	uint8_t code_space;
	uint64_t walk_budget;	      /* image bytes that may still be read for what was fed so far */
	bool runaway;
	struct ocsd_sleep sleeps[OCSD_SLEEPS]; /* that were looked at last, by their start */

	struct packet_name *names;
	size_t names_len, names_cap;
	char text[1024];
};

/* setup.c: the tree for dec->config; a new one in the place of one that is there. */
int ocsd_setup(struct ocsd_decoder *dec, struct sl_diag *diag);
void ocsd_destroy(struct ocsd_decoder *dec);

/* setup.c: the program's bytes are others from now on. */
void ocsd_forget_code(struct ocsd_decoder *dec);

/* setup.c: the image's bytes at address; none where there are none. */
struct sl_bytes ocsd_code_at(struct ocsd_decoder *dec, uint8_t space, uint64_t address);
/* sleep.c: the flags of a range that say whether a WFI or WFE lies in it. */
uint8_t ocsd_sleeps(struct ocsd_decoder *dec, uint8_t isa, uint64_t start, uint64_t end);

/* element.c: OpenCSD's element callback; appends to the queue. */
ocsd_datapath_resp_t ocsd_on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				     const ocsd_generic_trace_elem *elem);

/*
 * OpenCSD's index is 32 bits wide as packaged, and wraps in lanes above 4 GiB: the full offset, which lies at or
 * before the end of the chunk that is being processed.
 */
static inline uint64_t ocsd_offset(const struct ocsd_decoder *dec, ocsd_trc_index_t index)
{
	uint64_t end = dec->chunk_offset + dec->chunk_len;

	uint32_t before = (uint32_t)end - (uint32_t)index;

	return before >> 31 ? end : end - before; /* PTM counts zeros in front of an A-sync more than once */
}

/* task.c: before the packet at offset is decoded. */
void ocsd_space_packet(struct ocsd_decoder *dec, const void *packet, uint64_t offset);

/* packet.c: the offset of the Q packet that an element comes from, whose own index OpenCSD may leave unset. */
uint64_t ocsd_q_offset(struct ocsd_decoder *dec, uint64_t index);

/* packet.c: OpenCSD's packet monitor. */
void ocsd_on_packet(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index, const void *packet,
		    const uint32_t size, const uint8_t *data);
#endif
