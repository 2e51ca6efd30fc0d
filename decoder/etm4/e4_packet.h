/* SPDX-License-Identifier: Apache-2.0 */
#ifndef E4_PACKET_H
#define E4_PACKET_H
/*
 * Packets of ETMv4 (IHI 0064H, 6) and ETE (DDI 0487, D5): headers in one table, and a pure reader a payload.
 * Names are those that OpenCSD gives them.
 */
#include "sl_config.h"

enum e4_type {
	/* what is no packet of the protocol */
	E4_NOT_SYNC, E4_INCOMPLETE_EOT, E4_BAD_SEQUENCE, E4_RESERVED, E4_RESERVED_CFG,
	/* what begins with an extension header */
	E4_ASYNC, E4_DISCARD, E4_OVERFLOW, E4_EXTENSION,
	E4_TRACE_INFO, E4_TIMESTAMP, E4_TRACE_ON, E4_FUNC_RET, E4_EXCEPT, E4_PE_RESET, E4_TRANS_FAIL, E4_EXCEPT_RTN,
	E4_ITE, E4_TRANS_ST, E4_TRANS_COMMIT, E4_CCNT_F1, E4_CCNT_F2, E4_CCNT_F3, E4_NUM_DS_MKR, E4_UNNUM_DS_MKR,
	E4_COMMIT, E4_CANCEL_F1, E4_CANCEL_F1_MISPRED, E4_MISPREDICT, E4_CANCEL_F2, E4_CANCEL_F3,
	E4_COND_I_F1, E4_COND_I_F2, E4_COND_I_F3, E4_COND_FLUSH, E4_COND_RES_F1, E4_COND_RES_F2, E4_COND_RES_F3,
	E4_COND_RES_F4, E4_IGNORE, E4_EVENT, E4_CTXT, E4_ADDR_CTXT_L_32IS0, E4_ADDR_CTXT_L_32IS1,
	E4_ADDR_CTXT_L_64IS0, E4_ADDR_CTXT_L_64IS1, E4_TS_MARKER, E4_ADDR_MATCH, E4_ADDR_S_IS0, E4_ADDR_S_IS1,
	E4_ADDR_L_32IS0, E4_ADDR_L_32IS1, E4_ADDR_L_64IS0, E4_ADDR_L_64IS1, E4_Q, E4_SRC_ADDR_MATCH,
	E4_SRC_ADDR_S_IS0, E4_SRC_ADDR_S_IS1, E4_SRC_ADDR_L_32IS0, E4_SRC_ADDR_L_32IS1, E4_SRC_ADDR_L_64IS0,
	E4_SRC_ADDR_L_64IS1, E4_ATOM_F1, E4_ATOM_F2, E4_ATOM_F3, E4_ATOM_F4, E4_ATOM_F5, E4_ATOM_F6,
	E4_TYPES,
};

/* What of a packet is there. */
enum {
	E4_HAS_CONTEXT = 1, /* info, and with the next two: which numbers */
	E4_HAS_CONTEXT_ID = 2,
	E4_HAS_VMID = 4,
	E4_HAS_COUNT = 8,   /* cycles, or the instructions of a Q element */
	E4_HAS_ADDRESS = 16,
	E4_HAS_THRESHOLD = 32,
	E4_HAS_COMMIT = 64,
};

struct e4_packet {
	uint8_t type;	      /* enum e4_type */
	uint8_t has;	      /* E4_HAS_... */
	uint8_t is;	      /* instruction set bit of an address */
	uint8_t address_bits; /* low bits that the address replaces: 64, 32 or fewer; 0: an entry of the address stack */
	uint8_t info;	      /* of a context: EL in bits 1:0, SF 4, NS 5, NSE 3; entry of the address stack; event number */
	uint8_t atom_count;
	uint8_t time_bits;
	bool same_address;    /* exception: its address is that of the branch before it, too */
	uint32_t atoms;	      /* oldest in bit 0; 1 is E */
	uint32_t count;	      /* cycles (beyond the threshold where above it), exception number, instructions of Q */
	uint32_t elements;    /* to be committed or cancelled; speculation depth of a Trace Info */
	uint32_t context_id, vmid, threshold, trace_info;
	uint64_t value;	      /* address, timestamp, software payload */
};

/* What of a configuration decides on the meaning of bytes. */
struct e4_config {
	uint8_t version;     /* major in the high, minor in the low four bits; from 0x50 on: ETE */
	uint8_t context_id_bytes, vmid_bytes;
	bool commit_option_1; /* TRCIDR0.COMMOPT: cycle counts do not commit */
	bool cycle_counts, q_elements, conditional, m_profile, function_returns, exception_returns, transactions_are_p0, has_time_marker;
	uint32_t cycle_mask, max_speculation;
};
void e4_configure(const struct sl_trace_config *config, struct e4_config *ret);
static inline bool e4_is_ete(const struct e4_config *c) { return c->version >= 0x50; }

/* A reader takes len > 0 bytes from a header on. The bytes that the packet has, or 0 where it goes on beyond len. */
typedef size_t e4_reader(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret);
struct e4_header {
	const char *name;
	uint8_t mask, value;
	uint8_t type, when;
	e4_reader *read;
};

/* Which entry of the table each header byte is, with one configuration. */
struct e4_headers {
	const struct e4_header *of[256];
};
void e4_headers_init(const struct e4_config *config, struct e4_headers *ret);
/* Reads a packet as a reader does. */
size_t e4_read(const struct e4_headers *headers, const struct e4_config *config, const uint8_t *bytes, size_t len,
	       struct e4_packet *ret);
/* "I_ATOM_F3"; static. */
const char *e4_name(unsigned type);

/* e4_read.c: the readers. */
e4_reader e4_read_nothing, e4_read_reserved, e4_read_reserved_cfg, e4_read_extension, e4_read_trace_info,
	e4_read_timestamp, e4_read_exception, e4_read_ite, e4_read_ccnt_f1, e4_read_ccnt_f2, e4_read_ccnt_f3,
	e4_read_elements, e4_read_mispredict, e4_read_cancel_f3, e4_read_context, e4_read_address_context,
	e4_read_match, e4_read_short, e4_read_long, e4_read_q, e4_read_event, e4_read_atoms, e4_read_cond_f1,
	e4_read_cond_2, e4_read_cond_res_f1;
#endif
