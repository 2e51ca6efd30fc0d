/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_ELEM_H
#define SL_ELEM_H
/*
 * Elements: what a decoder makes of a lane's bytes. Each is a step of the program or a statement about the trace.
 * Trouble in the trace is an element too (SL_ELEM_GAP), never a return code.
 */
#include "sl_base.h"
#include "sl_image.h"

enum sl_elem_kind {
	SL_ELEM_RANGE,		   /* count instructions from range.start to before range.end were executed */
	SL_ELEM_RANGE_NO_PATH,	   /* ... of which only the number and both ends are known (Q elements) */
	SL_ELEM_EXCEPTION,	   /* count: exception number; address: preferred return address if FLAG_ADDRESS; of
				    * SL_X86_UNKNOWN, range.end: where it is handled, or 0 */
	SL_ELEM_EXCEPTION_RETURN,
	SL_ELEM_CONTEXT,	   /* context: what the following ranges run in */
	SL_ELEM_TIME,		   /* value: timestamp, of what came before it; ITM: count is TC, and it restarts at gaps */
	SL_ELEM_CYCLES,		   /* count: cycles since the last count */
	SL_ELEM_EVENT,		   /* count: event bits or number; value 1: trigger. Intel PT: the core to bus ratio changed to count */
	SL_ELEM_MARKER,		   /* the place of an element that comes later (ETE timestamp marker); ITM: value is the
				    * global timestamp */
	SL_ELEM_TRANSACTION,	   /* count: enum sl_transaction */
	SL_ELEM_MESSAGE,	   /* software trace (STM, ITM): message */
	SL_ELEM_GAP,		   /* count: enum sl_gap; address: where execution went, for SL_GAP_NO_IMAGE */
	SL_ELEM_END,		   /* end of the lane */
	SL_ELEM_TASK,		   /* count: the task whose trace begins here, told by the capture and not by the trace;
				    * value 0: nobody knows whose it is */
	SL_ELEM_SPACE,		   /* count: the core of the image whose memory the following ranges ran in */
	SL_ELEM_KINDS,
};

enum sl_gap {
	SL_GAP_START,	      /* before the first sync point of the lane */
	SL_GAP_FILTER,	      /* tracing was off or filtered, and starts here (Trace On) */
	SL_GAP_OVERFLOW,      /* the trace unit lost data, and restarts here (Trace On) */
	SL_GAP_DEBUG,	      /* restart after debug state (Trace On) */
	SL_GAP_LOST_SYNC,     /* overflow or discard packet: waits for the next sync point */
	SL_GAP_BAD_PACKET,    /* bytes that are no valid packet: waits for the next sync point */
	SL_GAP_RESET,	      /* the decoder was reset (start of a piece): waits for the next sync point */
	SL_GAP_NO_IMAGE,      /* execution at address, where no image is known */
	SL_GAP_NO_ADDRESS,    /* the address is not known until the next address packet */
	SL_GAP_DECODE_ERROR,  /* the bytes contradict the protocol: the decoder gave up until the next sync point */
	SL_GAP_RUNAWAY,	      /* the walk through the image found no branch for far too long: wrong image */
	SL_GAP_UNTRUSTED,     /* analysis only: trace was decoded here, and contradicts what it tells later. address: where the flow was
			       * when that showed */
	SL_GAP_IMAGE,	      /* the same, again and again: the image is not the program that ran */
	SL_GAPS,
};

/* Type of the last instruction of a range: values as OpenCSD numbers them. */
enum sl_last { SL_LAST_OTHER, SL_LAST_BRANCH, SL_LAST_INDIRECT, SL_LAST_ISB, SL_LAST_DSB, SL_LAST_WFI, SL_LAST_TSTART };
/* What kind of branch it is. */
enum sl_branch { SL_BRANCH_PLAIN, SL_BRANCH_CALL, SL_BRANCH_RETURN, SL_BRANCH_ERET, SL_BRANCH_IMPLIED_RETURN };

enum {
	SL_FLAG_EXECUTED = 1,	 /* RANGE: the last instruction was executed; for a branch: taken */
	SL_FLAG_CONDITIONAL = 2, /* RANGE: the last instruction is conditional */
	SL_FLAG_LAST_16BIT = 4,	 /* RANGE: the last instruction has 2 bytes */
	SL_FLAG_ADDRESS = 8,	 /* address holds one */
	SL_FLAG_ATTACHED = 16,	 /* TIME, CYCLES: belongs to the element before it, which the trace unit sent it with */
	SL_FLAG_MERGED = 16,	 /* RANGE: several, see sl_decoder_options.merge */
	SL_FLAG_TARGET = 32,	 /* EXCEPTION: address is also the target of the branch before it */
	SL_FLAG_SLEEPS = 64,	 /* RANGE: a WFI or WFE is in it, where the core may have slept */
	SL_FLAG_WFI = 32,	 /* RANGE: a WFI is in it; with SL_FLAG_SLEEPS */
	SL_FLAG_MARKER = 64,	 /* EXCEPTION: v7-M data marker only; MESSAGE: with marker */
	SL_FLAG_SEAM = 32,	 /* GAP, start or reset: a piece begins, and the capture tells of no loss before it */
	SL_FLAG_FREQUENCY = 128, /* TIME, MARKER: the clock's frequency changed here */
};

/* Exception numbers of x86: the vector, or what no vector tells. Packets do not name the vector of an interrupt or a fault. */
enum sl_x86_exception {
	SL_X86_SYSCALL = 0x100, SL_X86_SYSENTER, SL_X86_VMCALL,
	SL_X86_UNKNOWN, /* a fault or an interrupt; where it is handled says more */
	SL_X86_INTERRUPT, /* analysis only: its handler says that it is one */
};

enum sl_transaction { SL_TRANSACTION_INIT, SL_TRANSACTION_START, SL_TRANSACTION_COMMIT, SL_TRANSACTION_FAIL };
enum sl_security { SL_SECURE, SL_NONSECURE, SL_ROOT, SL_REALM };

struct sl_context {
	uint32_t context_id, vmid;
	uint8_t el;	   /* 0..3 where SL_CTX_EL */
	uint8_t security;  /* enum sl_security */
	uint8_t flags;	   /* SL_CTX_... */
	uint8_t pad;
};
enum { SL_CTX_ID = 1, SL_CTX_VMID = 2, SL_CTX_EL = 4, SL_CTX_64BIT = 8 };

struct sl_message {
	uint32_t master, channel;
	uint8_t bits;	/* of payload */
	uint8_t kind;	/* enum sl_message_kind */
	uint16_t pad;
};
enum sl_message_kind { SL_MESSAGE_DATA, SL_MESSAGE_FLAG, SL_MESSAGE_TRIGGER, SL_MESSAGE_FREQUENCY, SL_MESSAGE_ERROR, SL_MESSAGE_DWT };

struct sl_elem {
	uint64_t offset;  /* of the packet that it comes from: in the lane's bytes when a decoder yields it, in the
			   * buffer when a sink gets it */
	uint8_t kind;	  /* enum sl_elem_kind */
	uint8_t isa;	  /* enum sl_isa */
	uint8_t last;	  /* RANGE: enum sl_last in the low, enum sl_branch in the high four bits; GAP: of Intel PT, libipt's
			   * reason as sl_gap_reason() knows it, or 0 */
	uint8_t flags;	  /* SL_FLAG_... */
	uint32_t count;	  /* instructions, cycles, exception number, enum sl_gap; MESSAGE: payload, low 32 bits */
	union {
		struct { uint64_t start, end; } range;
		uint64_t address, value;
		struct sl_context context;
		struct sl_message message;
	};
};
_Static_assert(sizeof(struct sl_elem) == 32, "elements are copied by the million");

static inline enum sl_last sl_elem_last(const struct sl_elem *e) { return (enum sl_last)(e->last & 15); }
static inline enum sl_branch sl_elem_branch(const struct sl_elem *e) { return (enum sl_branch)(e->last >> 4); }

/* Whether two elements say the same. Bytes of the union that a kind does not have say nothing, and may differ. */
bool sl_elem_same(const struct sl_elem *a, const struct sl_elem *b);

/* Short lower-case names ("range", "no image") for listings; static, never NULL. */
const char *sl_elem_kind_name(unsigned kind);
const char *sl_gap_name(unsigned gap);
/* One sentence: what the gap means and what to do about it. */
const char *sl_gap_advice(unsigned gap);
/* Why a decoder gave up, where the gap tells ("bad packet"); else NULL. */
const char *sl_gap_reason(const struct sl_elem *gap);
#endif
