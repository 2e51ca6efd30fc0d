/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPT_H
#define IPT_H
/*
 * Intel PT through libipt. Its query decoder reads packets, binds events and knows the errata of CPUs; where the program
 * goes between two packets we follow ourselves, over runs of instructions that are kept. libipt wants its bytes in one
 * piece: a lane is decoded in windows, from a PSB packet to the next one. At the head of each, up to PSBEND, it is told where
 * execution is, and the flow is joined to that: what follows depends on nothing else. Inside of decoder/ipt/ only.
 */
#include "engine.h"
#include "ipt_time.h"
#include "queue.h"
#include "runs/runs.h"
#include "space.h"

enum {
	IPT_STACK = 64,	  /* return addresses that a CPU remembers to compress returns */
	IPT_SKIPPED = 16, /* bytes that one NOTSYNC shows */
	IPT_PSB_BYTES = 16,
	IPT_HEAD_MAX = 512, /* a packet of each kind that may be in a window's head has 150 bytes */
};

/* Where bytes lie in the lane: they may go on elsewhere. */
struct ipt_place {
	size_t at; /* in held */
	uint64_t offset;
};

/* The lane's bytes, from the window at work on. */
struct ipt_bytes {
	struct sl_bytes in;  /* lent by feed and not yet taken */
	uint8_t *memory;
	size_t cap;
	uint8_t *held;	     /* in memory */
	size_t len;
	struct ipt_place *places; /* in order of at; the first is 0 */
	size_t place_len, place_cap;
	size_t searched;     /* no PSB of interest begins before it */
	size_t window;	     /* length of the window at work; 0: none is */
	size_t head;	     /* bytes of the window's head, which was taken; 0: not, or it is none */
	bool synced;	     /* held[0] begins a PSB */
	bool headed;	     /* whether there is a head is known */
	bool cut;	     /* held is all of a piece: what is lent does not continue it */
	bool started, finishing, ended;
};

struct ipt {
	struct sl_decoder base;
	struct sl_decoder_options options;
	struct pt_config config;
	struct ipt_bytes bytes;

	struct elem_queue queue;
	size_t confirmed; /* elements at the queue's beginning that a packet has followed, after which they hold */
	size_t lent;	  /* of these */
	uint64_t told_to; /* offset of the last element, lent or not */

	/* packets, one after another */
	struct pt_packet_decoder *packets;
	uint64_t packet_at;  /* of the next packet, in the window */
	struct ipt_time time;
	uint64_t cycles;     /* that no element has told yet */

	/* the flow */
	struct pt_query_decoder *query;
	int status;	     /* of the last query */
	uint64_t at;	     /* how far it has read, in the window */
	uint64_t sync_at;    /* the next PSB to begin with is not before it */
	bool in_sync;
	bool enabled;	     /* ip holds */
	bool lost;	     /* tracing is on, but where is not known before the next address */
	uint64_t ip;
	uint8_t isa;
	struct pt_event event; /* that has not happened yet */
	bool has_event;
	enum ipt_bind { IPT_NOW, IPT_AT_IP, IPT_AT_INSN } bind; /* where it will: at event_ip, or by an instruction of its kind */
	uint64_t event_ip, event_at;
	uint64_t stack[IPT_STACK];
	unsigned stack_top, stack_len;
	struct { uint64_t ip, merged; unsigned stack_top, stack_len; } sure; /* the same behind the last element that holds */
	struct sl_context context;
	bool in_transaction;
	uint16_t bus_ratio;
	struct sl_elem nowhere; /* takes elements that there is no memory for */
	int64_t budget;	     /* runs that may still be walked without a packet's asking for them */
	uint64_t spent;	     /* of it, in all */
	unsigned unasked;    /* such runs, one after another */

	uint32_t from;	     /* the run that led to ip; 0: none, or nobody knows */
	bool taken;	     /* ... by its last instruction, which was executed */
	bool joins;	     /* the run at ip may be added to the element of the one before, if that is the last one: */
	size_t open;	     /* the queue's length behind it */

	struct space space;
	struct code code;
	struct run_tables tables;
	struct runs *runs;
};

/* ipt.c: the first PSB packet of these bytes; NULL: none. */
const uint8_t *ipt_find_psb(const uint8_t *bytes, size_t len);
/* Where the next PSB packet of the window begins, from a place on; the window's length where there is none. */
uint64_t ipt_next_psb(const struct ipt *d, uint64_t from);
/* The lane's offset of a byte of the window. */
uint64_t ipt_offset_apart(const struct ipt *d, uint64_t at);
static inline uint64_t ipt_offset(const struct ipt *d, uint64_t at)
{
	return d->bytes.place_len == 1 ? d->bytes.places[0].offset + at : ipt_offset_apart(d, at);
}
/* An element, at the packet that the flow has come to. Never NULL: no_memory of the queue is set where there is none. */
struct sl_elem *ipt_push(struct ipt *d, uint64_t at, enum sl_elem_kind kind);
/* What was pushed so far holds. */
static inline void ipt_confirm(struct ipt *d)
{
	d->confirmed = d->queue.len;
	d->unasked = 0;
}

/*
 * ipt_packet.c: tells packets and times up to a place in the window. A time is that of what was executed by now; cycles are
 * counted to the packet behind them, and are told with what that one tells of.
 */
void ipt_packets_until(struct ipt *d, uint64_t at);
void ipt_tell_cycles(struct ipt *d);
/* Bytes that are no packets. */
void ipt_tell_skipped(struct ipt *d, uint64_t at, size_t len);

/*
 * ipt_head.c: from the PSB at held[0] to behind PSBEND. False where what is held does not tell whether there is such a head; else
 * bytes.headed is set, and if there is one, bytes.head, and the flow is at the address that it tells.
 */
bool ipt_take_head(struct ipt *d);
/* Takes over what the head at held[0] says of the state, as if it had been so before. */
void ipt_take_status(struct ipt *d);

/* ipt_cpu.c: the CPU of CPUID.1:EAX and its errata; below 0 where libipt does not know it. */
int ipt_set_cpu(struct pt_config *config, uint32_t eax);

/* ipt_walk.c: goes on in the window; false at its end. */
bool ipt_walk(struct ipt *d);
/* Back to behind the last element that holds: what was walked since lies in front of packets that are not there yet. */
void ipt_rewind(struct ipt *d);
/* Nothing of what came before counts any more. */
void ipt_forget(struct ipt *d);
/* Gives up, for a reason of libipt's, until the next PSB. */
void ipt_give_up(struct ipt *d, int error);
/* The flow goes on where a PSB says that it is, if it leads there, or else anew; known: tracing is on there. */
void ipt_join(struct ipt *d, bool known, uint64_t ip);
/* Whose memory it is may have changed. */
void ipt_ask_moment(struct ipt *d);
/* Execution goes on at ip. */
void ipt_go_to(struct ipt *d, uint64_t ip);

/* ipt_event.c: takes the next event, and finds out where it happens. */
void ipt_event_take(struct ipt *d);
/* Whether the last instruction of a run, which is executed, is the one that an event of IPT_AT_INSN belongs to. */
bool ipt_event_is_of(const struct pt_event *event, const struct run *run, const struct run_cold *cold);
/* A packet of a head that tells a state. */
void ipt_event_status(struct ipt *d, const struct pt_packet *packet);
/* It happens: d->event, which is used up. */
void ipt_event_apply(struct ipt *d);

/* ipt_parts.c */
extern const struct sl_part_ops ipt_part_ops;
/* ipt.c: what is held becomes so many bytes, which lie at an offset in the lane. SL_OK or SL_ERR_NOMEM. */
int ipt_hold(struct ipt_bytes *b, const uint8_t *data, size_t len, const struct ipt_place *places, size_t place_len);
#endif
