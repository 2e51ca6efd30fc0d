/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ETM4_ENCODE_H
#define ETM4_ENCODE_H
/*
 * ETMv4 and ETE instruction trace packets, written byte by byte: one function a packet type. What a packet
 * leaves to the reader's memory (address history, last timestamp) is kept here, so that each call emits a
 * packet that means what its arguments say. The order of the packets is the caller's: etm4_flow.h knows the
 * rules.
 *
 * For tests and for making captures: want of memory aborts.
 */
#include "sl_base.h"

enum etm4_is { ETM4_IS0, ETM4_IS1 }; /* instruction set of an address: A64 and A32, or T32 */

struct etm4_config {
	bool ete;		  /* ETE instead of ETMv4 */
	uint8_t minor;		  /* ETMv4.minor: Ignore packets need 3, a VMID of more than one byte 1 */
	bool commit_mode_0;	  /* TRCIDR0.COMMOPT 0: cycle counts carry a number of commits */
	uint32_t max_speculation; /* TRCIDR8 */
	bool address32;		  /* no 64-bit addresses */
	uint8_t vmid_bytes;	  /* 0: no VMID in contexts; 1, 2 or 4 */
	bool context_id;	  /* 4 bytes of context id in contexts */
	bool cycle_counts;
	uint32_t cycle_threshold;
	bool timestamps;
	bool return_stack;
	bool q_elements;
};

/* A register of the trace unit that the configuration fixes. */
struct etm4_reg {
	const char *name;
	uint32_t offset; /* word number, as snapshots write it behind the name */
	uint32_t value;
};
#define ETM4_REGS 14
/* Fills ret; TRCDEVARCH is among them for ETE only. The number of registers. */
size_t etm4_registers(const struct etm4_config *config, uint8_t trace_id, struct etm4_reg ret[ETM4_REGS]);

struct etm4_context {
	uint8_t el;	  /* 0..3 */
	uint8_t security; /* enum sl_security: 0 secure, 1 non-secure, 2 root, 3 realm (the last two: ETE) */
	bool is64;
	uint32_t context_id, vmid; /* written where the configuration has them */
};

struct etm4_address {
	uint64_t address;
	enum etm4_is is;
};

struct etm4_writer {
	struct etm4_config config;
	uint8_t *data;
	size_t len, cap;
	struct etm4_address history[3]; /* as the reader has it; [0] is the latest */
	unsigned history_len;		/* entries known since Trace Info */
	uint64_t timestamp;
	bool timestamp_known;
};

void etm4_init(struct etm4_writer *w, const struct etm4_config *config);
void etm4_release(struct etm4_writer *w);
void etm4_byte(struct etm4_writer *w, unsigned byte);

/* Synchronisation and loss */
void etm4_async(struct etm4_writer *w);
struct etm4_trace_info {
	bool cycle_counts;
	uint8_t conditional; /* INFO bits 3:1 */
	bool p0_load, p0_store;
	bool in_transaction;			    /* ETE */
	uint32_t key, speculation, cycle_threshold; /* sections that are 0 are left out */
};
void etm4_trace_info(struct etm4_writer *w, const struct etm4_trace_info *info);
void etm4_trace_on(struct etm4_writer *w);
void etm4_overflow(struct etm4_writer *w);
void etm4_discard(struct etm4_writer *w);
void etm4_ignore(struct etm4_writer *w);

/* Time. The second form is the one of streams with cycle counting; cycles: since the last cycle count, 20
 * bits. */
void etm4_timestamp(struct etm4_writer *w, uint64_t value);
void etm4_timestamp_cycles(struct etm4_writer *w, uint64_t value, uint32_t cycles);
void etm4_timestamp_marker(struct etm4_writer *w);
/* commits: only in commit mode 0. count: cycles, at least the threshold. */
void etm4_cycles_f1(struct etm4_writer *w, uint32_t commits, uint32_t count);
void etm4_cycles_f1_unknown(struct etm4_writer *w, uint32_t commits);
void etm4_cycles_f2(struct etm4_writer *w, uint32_t commits, uint32_t count);
void etm4_cycles_f3(struct etm4_writer *w, uint32_t commits, uint32_t count);
/* The shortest of the three. */
void etm4_cycles(struct etm4_writer *w, uint32_t commits, uint32_t count);

/* Where: context and addresses. NULL as context: the same as before. */
void etm4_context(struct etm4_writer *w, const struct etm4_context *context);
void etm4_address_match(struct etm4_writer *w, unsigned index);
void etm4_address_short(struct etm4_writer *w, struct etm4_address a);
void etm4_address_32(struct etm4_writer *w, struct etm4_address a);
void etm4_address_64(struct etm4_writer *w, struct etm4_address a);
/* The shortest of the four. */
void etm4_address(struct etm4_writer *w, struct etm4_address a);
void etm4_address_32_context(struct etm4_writer *w, struct etm4_address a,
			     const struct etm4_context *context);
void etm4_address_64_context(struct etm4_writer *w, struct etm4_address a,
			     const struct etm4_context *context);
void etm4_address_context(struct etm4_writer *w, struct etm4_address a, const struct etm4_context *context);
/* ETE: the address of the branch itself instead of an atom. The shortest form. */
void etm4_source_address(struct etm4_writer *w, struct etm4_address a);

/* What was executed. Atoms: bit 0 is the oldest, 1 is E. */
void etm4_atom_f1(struct etm4_writer *w, unsigned atom);
void etm4_atom_f2(struct etm4_writer *w, unsigned atoms);
void etm4_atom_f3(struct etm4_writer *w, unsigned atoms);
void etm4_atom_f4(struct etm4_writer *w,
		  unsigned pattern); /* 0 NEEE, 1 NNNN, 2 NENE, 3 ENEN (oldest first) */
void etm4_atom_f5(struct etm4_writer *w, unsigned pattern); /* 0 NEEEE, 1 NNNNN, 2 NENEN, 3 ENENE */
void etm4_atom_f6(struct etm4_writer *w, unsigned taken, unsigned last); /* 3..23 times E, then last */
/* Any number of atoms up to 32 in as few packets as a trace unit would use. */
void etm4_atoms(struct etm4_writer *w, uint32_t atoms, unsigned count);
/* Q: some instructions ran. The address forms are where execution went afterwards. */
void etm4_q(struct etm4_writer *w);
void etm4_q_count(struct etm4_writer *w, uint32_t count);
void etm4_q_match(struct etm4_writer *w, unsigned index, uint32_t count);
void etm4_q_short(struct etm4_writer *w, struct etm4_address a, uint32_t count);
void etm4_q_32(struct etm4_writer *w, struct etm4_address a, uint32_t count);
void etm4_function_return(struct etm4_writer *w); /* v8-M */

/* Exceptions. An address packet (with or without context), by the caller, must follow. */
enum etm4_exception_form {
	ETM4_RETURN_ADDRESS = 1, /* E1:E0 01: the preferred return address follows */
	ETM4_BRANCH_TARGET = 2,	 /* E1:E0 10: it follows, and is the target of the branch before */
};
enum etm4_exception_type { /* A64, A32 and T32 of the A and R profiles */
			   ETM4_PE_RESET,
			   ETM4_DEBUG_HALT,
			   ETM4_CALL,
			   ETM4_TRAP,
			   ETM4_SYSTEM_ERROR,
			   ETM4_INST_DEBUG = 6,
			   ETM4_DATA_DEBUG,
			   ETM4_ALIGNMENT = 10,
			   ETM4_INST_FAULT,
			   ETM4_DATA_FAULT,
			   ETM4_IRQ = 14,
			   ETM4_FIQ,
			   ETM4_TRANSACTION_FAIL = 24,
};
void etm4_exception(struct etm4_writer *w, unsigned type, enum etm4_exception_form form);
/* The two-byte form: types of ten bits and the P bit (v8-M). */
void etm4_exception_wide(struct etm4_writer *w, unsigned type, enum etm4_exception_form form, bool pending);
void etm4_exception_return(struct etm4_writer *w); /* ETMv4 only */

/* Speculation. atoms of mispredict and cancel: 0 none, 1 E, 2 EE, 3 N. */
void etm4_commit(struct etm4_writer *w, uint32_t count);
void etm4_cancel_f1(struct etm4_writer *w, uint32_t count, bool mispredict);
void etm4_cancel_f2(struct etm4_writer *w, unsigned atoms);	       /* cancels 1 */
void etm4_cancel_f3(struct etm4_writer *w, unsigned count, bool atom); /* cancels 2..5 */
void etm4_mispredict(struct etm4_writer *w, unsigned atoms);

void etm4_event(struct etm4_writer *w, unsigned bits); /* 1..15 */

/* ETE. After failure and reset, the next address is where execution goes on. */
void etm4_transaction_start(struct etm4_writer *w);
void etm4_transaction_commit(struct etm4_writer *w);
void etm4_transaction_fail(struct etm4_writer *w);
void etm4_pe_reset(struct etm4_writer *w);
void etm4_instrumentation(struct etm4_writer *w, unsigned el, uint64_t value);
#endif
