/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETM3_PACKET_H
#define ETM3_PACKET_H
/*
 * Packets of ETMv3 (Arm IHI 0014Q, 7) without data trace: headers in one table, and a pure reader a payload. Names are
 * those that OpenCSD gives them.
 */
#include "sl_config.h"
#include "sl_elem.h"

enum etm3_type {
	/* what is no packet of the protocol, or not one of this configuration */
	ETM3_NOT_SYNC, ETM3_INCOMPLETE_EOT, ETM3_BAD_SEQUENCE, ETM3_BAD_TRACEMODE, ETM3_RESERVED,
	ETM3_BRANCH_ADDRESS, ETM3_ASYNC, ETM3_CYCLE_COUNT, ETM3_ISYNC, ETM3_ISYNC_CYCLE, ETM3_TRIGGER, ETM3_P_HDR,
	ETM3_IGNORE, ETM3_CONTEXT_ID, ETM3_VMID, ETM3_EXCEPTION_ENTRY, ETM3_EXCEPTION_EXIT, ETM3_TIMESTAMP,
	ETM3_TYPES,
};

/* What of a packet is there. */
enum {
	ETM3_HAS_EXCEPTION = 1,
	ETM3_HAS_CONTEXT_ID = 2,
	ETM3_HAS_STATE = 4,	  /* nonsecure */
	ETM3_HAS_HYP = 8,	  /* hyp */
	ETM3_HAS_ALTERNATIVE = 16, /* whether Thumb is ThumbEE */
	ETM3_HAS_ISA = 32,
	ETM3_CANCELS = 64,	  /* the last instruction that was told did not happen */
	ETM3_HAS_CYCLES = 128,
};

enum etm3_reason { ETM3_REASON_PERIODIC, ETM3_REASON_TRACE_ON, ETM3_REASON_OVERFLOW, ETM3_REASON_DEBUG_EXIT };

struct etm3_packet {
	uint8_t type;	      /* enum etm3_type */
	uint8_t has;	      /* ETM3_HAS_... */
	uint8_t isa;	      /* enum sl_isa, ETM3_ISA_THUMBEE */
	uint8_t address_bits; /* low bits that the address replaces */
	uint8_t second_bits;  /* of an address relative to that one (I-sync) */
	uint8_t atom_count, format; /* of a P-header */
	uint8_t reason;	      /* enum etm3_reason */
	uint8_t vmid;
	uint8_t time_bits;
	bool nonsecure, hyp, alternative;
	uint16_t exception;
	uint16_t atoms;	      /* oldest in bit 0; 1 is E */
	uint32_t address, second, cycles, context_id;
	uint64_t time;
};
enum { ETM3_ISA_THUMBEE = 0x80 };

struct etm3_config {
	bool cycle_accurate, alternative_branches, long_timestamps, virtualization, v7_m, m_profile, has_alternative;
	uint8_t context_id_bytes;
};
/* False: data trace, which is not for us. */
bool etm3_configure(const struct sl_trace_config *config, struct etm3_config *ret);

/* What earlier packets decide on. */
struct etm3_before {
	uint8_t isa;
	bool alternative;
};

/* A reader takes len > 0 bytes from a header on. The bytes that the packet has, or 0 where it goes on beyond len. */
typedef size_t etm3_reader(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			   size_t len, struct etm3_packet *ret);
/* Reads a packet as a reader does. */
etm3_reader etm3_read;
/* "BRANCH_ADDRESS"; static. */
const char *etm3_name(unsigned type);
#endif
