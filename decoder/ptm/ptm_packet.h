/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PTM_PACKET_H
#define PTM_PACKET_H
/*
 * Packets of the Program Flow Trace protocol 1.0 and 1.1 (Arm IHI 0035B, 4): headers in one table, and a pure reader a
 * payload. Names are those that OpenCSD gives them.
 */
#include "sl_config.h"
#include "sl_elem.h"

enum ptm_type {
	/* what is no packet of the protocol */
	PTM_NOT_SYNC, PTM_INCOMPLETE_EOT, PTM_BAD_SEQUENCE, PTM_RESERVED,
	PTM_BRANCH_ADDRESS, PTM_ASYNC, PTM_ISYNC, PTM_TRIGGER, PTM_WAYPOINT_UPDATE, PTM_IGNORE, PTM_CONTEXT_ID, PTM_VMID,
	PTM_ATOM, PTM_TIMESTAMP, PTM_EXCEPTION_RETURN,
	PTM_TYPES,
};

/* What of a packet is there. */
enum {
	PTM_HAS_CYCLES = 1, PTM_HAS_EXCEPTION = 2, PTM_HAS_CONTEXT_ID = 4,
	PTM_HAS_ALTERNATIVE = 8, /* an exception byte, which says whether Thumb is ThumbEE */
};

enum ptm_reason { PTM_REASON_PERIODIC, PTM_REASON_TRACE_ON, PTM_REASON_OVERFLOW, PTM_REASON_DEBUG_EXIT };

struct ptm_packet {
	uint8_t type;	      /* enum ptm_type */
	uint8_t has;	      /* PTM_HAS_... */
	uint8_t isa;	      /* enum sl_isa of an address; PTM_ISA_THUMBEE */
	uint8_t address_bits; /* low bits that the address replaces */
	uint8_t atoms;	      /* oldest in bit 0; 1 is E */
	uint8_t atom_count;
	uint8_t reason;	      /* enum ptm_reason */
	uint8_t vmid;
	uint8_t time_bits;    /* low bits that the timestamp replaces */
	bool nonsecure;	      /* of an I-sync */
	bool alternative;
	uint16_t exception;
	uint32_t address, cycles, context_id;
	uint64_t time;
};
enum { PTM_ISA_THUMBEE = 0x80 };

/* What of a configuration decides on the meaning of bytes. */
struct ptm_config {
	bool cycle_accurate, long_timestamps, return_stack, barriers;
	uint8_t context_id_bytes;
};
void ptm_configure(const struct sl_trace_config *config, struct ptm_config *ret);

/* What earlier packets decide on. */
struct ptm_before {
	uint8_t isa;
	bool alternative; /* the last exception byte's */
};

/* A reader takes len > 0 bytes from a header on. The bytes that the packet has, or 0 where it goes on beyond len. */
typedef size_t ptm_reader(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			  size_t len, struct ptm_packet *ret);
/* Reads a packet as a reader does. */
ptm_reader ptm_read;
/* "BRANCH_ADDRESS"; static. */
const char *ptm_name(unsigned type);
#endif
