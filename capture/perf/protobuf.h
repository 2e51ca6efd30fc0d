/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROTOBUF_H
#define PROTOBUF_H
/* The fields of a protobuf message, one by one. Format: protobuf.dev, "Encoding". Inside of capture/perf/ only. */
#include "sl_base.h"

struct pb_field {
	uint64_t number;
	bool is_bytes;	       /* a string or a message, else a number */
	uint64_t value;
	struct sl_bytes bytes;
};

/* Takes the next field off message. SL_OK, SL_END behind the last one, SL_ERR_FORMAT where there is none. */
int pb_next(struct sl_bytes *message, struct pb_field *ret);
#endif
