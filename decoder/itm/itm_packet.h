/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ITM_PACKET_H
#define ITM_PACKET_H
/* One packet of the ITM and the DWT: DDI 0403E.e, appendix D4. Knows no stream. */
#include "sl_base.h"

enum itm_kind {
	ITM_ASYNC,
	ITM_OVERFLOW,
	ITM_TS_LOCAL,
	ITM_GTS_1, /* value: bits 25:0 of the global timestamp, or as many as it has */
	ITM_GTS_2, /* value: the bits from 26 on */
	ITM_EXTENSION,
	ITM_SWIT,   /* software wrote to a stimulus port */
	ITM_DWT,    /* hardware event */
	ITM_PARSED, /* those above are packets; those below is what becomes of bytes that are none */
	ITM_NOTSYNC = ITM_PARSED,
	ITM_BAD_SEQUENCE,
	ITM_RESERVED,
	ITM_INCOMPLETE_EOT,
	ITM_KINDS,
};

/* Bits of source in ITM_GTS_1. */
enum { ITM_CLOCK_CHANGED = 1, ITM_WRAPPED = 2 };

struct itm_packet {
	enum itm_kind kind;
	uint8_t source; /* SWIT: port; DWT: discriminator; TS_LOCAL: TC; EXTENSION: 1 if from hardware */
	uint8_t bits;	/* of value; 0 where the packet has none */
	uint64_t value;
};

/* Bytes that parsing looks at; no packet but ITM_ASYNC can be longer. */
enum { ITM_WINDOW_BYTES = 16 };

/*
 * The packet that bytes begin with. Its length; 0 where more bytes are needed (with a whole window: all of it
 * is zeros, of an ITM_ASYNC that is longer); -n where the first n are no packet: -1 for a reserved header.
 */
int itm_packet_parse(const uint8_t *bytes, size_t len, struct itm_packet *ret);

/* "ITM_SWIT"; static. */
const char *itm_kind_name(enum itm_kind kind);
/* What the packet says. */
void itm_packet_text(const struct itm_packet *packet, char *ret, size_t cap);
#endif
