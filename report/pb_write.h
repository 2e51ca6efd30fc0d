/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_PB_WRITE_H
#define SL_PB_WRITE_H
/* Protocol buffers' wire format, written (protobuf.dev: Encoding). Internal to report/. */
#include "sl_base.h"

struct pb {
	uint8_t *data;
	size_t len, cap;
	bool no_memory; /* something is missing */
};
void pb_release(struct pb *pb);
void pb_varint(struct pb *pb, uint64_t value);
/* Fields of numbers, strings (what is no UTF-8 becomes U+FFFD) and bytes. */
void pb_uint(struct pb *pb, unsigned field, uint64_t value);
void pb_string(struct pb *pb, unsigned field, const char *text);
void pb_bytes(struct pb *pb, unsigned field, const void *data, size_t len);
/* A message inside: what is written between the two. */
size_t pb_open(struct pb *pb, unsigned field);
void pb_close(struct pb *pb, size_t opened);
#endif
