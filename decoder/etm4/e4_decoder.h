/* SPDX-License-Identifier: Apache-2.0 */
#ifndef E4_DECODER_H
#define E4_DECODER_H
/*
 * The fast engine for ETMv4 and ETE: packets (e4_packet, e4_state), what they leave pending (e4_pending), what is
 * committed of it (e4_commit), and the way through the program (e4_flow). Inside of decoder/etm4 only.
 *
 * Its elements are those of OpenCSD's decoder, in the same order and with the same offsets. That includes what it does
 * on broken input; docs/fast-engine.md lists where they differ on purpose.
 */
#include "e4_pending.h"
#include "e4_state.h"
#include "e4_sync.h"
#include "engine.h"
#include "runs/runs.h"
#include "space.h"
#include "speculation.h"

/* Elements are lent in batches that stay in a cache; a packet without speculation adds no more than E4_PACKET_MAX. */
enum { RETURN_STACK = 16, E4_BATCH = 250, E4_PACKET_MAX = 128 };
/* What a byte of trace may make be read of the image: as decoder/opencsd has it. */
enum { E4_WALK_BYTES = 24 * 512 };

struct e4_return {
	uint64_t address;
	uint8_t isa;
};

/* What merging may change, as it was before a packet that may have to be taken back. */
struct e4_undo {
	struct sl_elem last; /* of the queue, if any */
	uint64_t merged;
};

enum e4_stage {
	E4_NO_SYNC,   /* nobody has been told yet */
	E4_WAIT_SYNC, /* for an A-Sync */
	E4_WAIT_INFO, /* for the Trace Info behind it */
	E4_DECODE,
};

struct e4_decoder {
	struct sl_decoder base;
	struct sl_decoder *lister; /* OpenCSD's, of the same bytes: where packets are wanted; else NULL */
	struct sl_trace_config trace_config;
	struct e4_config config;
	struct e4_headers headers;
	uint8_t hot[192];	/* what the loop of e4_hot.c does with a header below those of atoms */
	struct e4_state state;
	struct space space;
	struct code code;
	struct run_tables tables;

	struct sl_bytes in;	/* lent by feed and not yet used */
	uint8_t *carry;		/* a packet's beginning, where it goes on in what is fed next */
	size_t carry_len, carry_cap;
	uint64_t offset;	/* of the next byte that is fed */
	bool finishing, ended;

	struct e4_sync sync;	/* while not in_sync */
	bool in_sync;
	bool skip_due;		/* skipped bytes from skip_start on are still to be taken in */
	uint64_t skip_start;
	bool skipped_told;	/* a NOT_SYNC packet since in_sync went */

	enum e4_stage stage;
	enum sl_gap gap;	/* why there is no sync */
	struct speculation *speculation; /* where the trace unit speculates, else NULL */
	struct e4_pending pending;
	int64_t depth;		/* of elements that are not committed */
	int64_t commit;		/* what the last packet asked for */
	uint32_t cancel;
	bool mispredict, discard;
	bool waits_for_address; /* an exception or Q element has none yet */
	bool gave_up;		/* the last packet cannot be, in a way that ends all that is known */
	bool overflowed;	/* since the last Trace On */
	bool time_marker_seen;
	uint8_t last_is;

	bool need_context, need_address;
	bool owes_address;	/* since an indirect branch was taken, an exception, or Trace On: no atom comes before it */
	bool moved;		/* otherwise than by instructions: where to, the next address says, and not pc */
	bool sync_due;		/* a Trace Info came, and no address yet */
	uint64_t sync_offset;	/* of it */
	bool lost;		/* an exception lay before pc: until the next address pc is none */
	bool is_64bit, is_secure, el_known;
	uint8_t el;
	struct sl_context context; /* its numbers, and which are known: what a context does not say stays as it was */
	uint64_t pc;		/* where the next atom's run begins, unless run tells */
	uint8_t isa;
	struct runs *runs;	/* of the memory now; NULL: to be looked up */
	uint32_t run;		/* at pc, or 0 */
	uint32_t from;		/* the run before, whose next[from_taken] is to be set; or 0 */
	bool from_taken;
	uint32_t indirect;	/* the run that ended in the last indirect branch; or 0 */
	size_t open;		/* while the queue is so long, run may be merged with its last element; 0: never */
	struct e4_undo undo;

	bool return_stack_on, return_pending;
	struct e4_return returns[RETURN_STACK];
	unsigned return_top;
	int return_count;

	struct elem_queue queue;
};

/* e4_decoder.c */
/* Queues what a packet says, before which may have to be told whose memory it ran in. */
static inline void e4_emit(struct e4_decoder *dec, const struct sl_elem *elem)
{
	space_before(&dec->space, elem->offset);
	queue_add(&dec->queue, elem);
}

/* The packet at offset cannot be: its elements, from mark in the queue on, are taken back, and sync is lost. */
void e4_contradiction(struct e4_decoder *dec, size_t mark, uint64_t offset);

/* The packet at bytes, which is not sought for in a loop; the bytes used, 0 where it goes on beyond len. */
size_t e4_take_one(struct e4_decoder *dec, const uint8_t *bytes, size_t len, uint64_t offset);

/* e4_mark.c */
/* Of what is at that address. */
void e4_mark_at(struct e4_decoder *dec, enum sl_mark_kind kind, uint64_t offset, uint64_t address);
/* Of what is executed now. */
void e4_mark(struct e4_decoder *dec, enum sl_mark_kind kind, uint64_t offset);
/* The trace tells an address, which may be that of a sync point. */
void e4_mark_address(struct e4_decoder *dec, uint64_t address, uint64_t offset);
/* An exception's preferred return address, to which no branch leads. */
void e4_mark_until(struct e4_decoder *dec, uint64_t until, uint64_t offset);
/* What is behind the Trace Info at offset begins anew. */
void e4_mark_sync(struct e4_decoder *dec, uint64_t offset);
static inline void e4_check_address(struct e4_decoder *dec, uint64_t address, uint64_t offset)
{
	if (dec->sync_due | !dec->need_address)
		e4_mark_address(dec, address, offset);
}
/* An atom comes. */
static inline void e4_check_atom(struct e4_decoder *dec, uint64_t offset)
{
	if (dec->owes_address)
		e4_mark(dec, SL_MARK_ATOM, offset);
	dec->owes_address = false;
}

/* e4_hot.c: packets from bytes on, as long as they are atoms and addresses; the bytes used. */
void e4_hot_init(struct e4_decoder *dec);
size_t e4_hot(struct e4_decoder *dec, const uint8_t *bytes, size_t len, uint64_t offset);

/* e4_flow.c */
/* The address that is executed next. */
void e4_flow_at(struct e4_decoder *dec, uint64_t address, uint8_t isa);
/* Settles pc and isa, before the memory or its tables change. */
void e4_flow_settle(struct e4_decoder *dec);
/* What executes has changed: another space, context or security state. */
void e4_flow_memory(struct e4_decoder *dec);
/* The run at pc, of which the last instruction was executed or not. */
void e4_flow_atom(struct e4_decoder *dec, bool executed, uint64_t offset);
/* Looks the run at pc up, as dec->run. False: there is none with a waypoint that is kept. */
bool e4_flow_find(struct e4_decoder *dec);
/* Where execution goes on behind the run id, whose next[] does not say. */
void e4_flow_leave(struct e4_decoder *dec, uint32_t id, bool executed, uint64_t offset);
/* Instructions up to an exception's preferred return address. */
void e4_flow_until(struct e4_decoder *dec, uint64_t until, uint64_t offset);
/* What ETE's source address elements and Q elements say. */
void e4_flow_source(struct e4_decoder *dec, const struct e4_pend *source);
void e4_flow_q(struct e4_decoder *dec, const struct e4_pend *q);
/* Takes the newest return address as where execution goes on, if one is due. False: there is none. */
bool e4_flow_return(struct e4_decoder *dec);
void e4_flow_forget_returns(struct e4_decoder *dec);

/* e4_commit.c */
/* Does what the last packet asked for: commits, cancels, takes back a prediction, discards. */
void e4_resolve(struct e4_decoder *dec);
/* Nothing of what was pending counts any more; there is no sync, and why. */
void e4_reset(struct e4_decoder *dec, enum sl_gap gap);
/* The lane ends: times, counts and events that no instruction follows. */
void e4_commit_end(struct e4_decoder *dec);

/* e4_elements.c: makes elements pending, as the packet at offset says; true where something is to be resolved. */
bool e4_elements(struct e4_decoder *dec, const struct e4_packet *packet, uint64_t offset);
/* A timestamp, with the cycles that came in its packet, or a cycle count. */
void e4_push_time(struct e4_decoder *dec, const struct sl_elem *e, uint32_t attached);
void e4_push_address(struct e4_decoder *dec, const struct e4_address *address, uint64_t offset);

/* e4_parts.c */
extern const struct sl_part_ops e4_part_ops;

static inline uint8_t e4_isa(bool is_64bit, uint8_t is)
{
	return is_64bit ? SL_ISA_A64 : is ? SL_ISA_T32 : SL_ISA_A32;
}
#endif
