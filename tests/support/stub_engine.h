/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STUB_ENGINE_H
#define STUB_ENGINE_H
/* A decoder that is OpenCSD's, but for one element: for tests of what compares engines. */
#include "sl_decoder.h"

enum stub_fault { STUB_NONE, STUB_DROPS, STUB_CHANGES, STUB_REPEATS };
/* What stub_decoder_new's decoders do to the element with this number of a lane; its count grows where it is changed. */
struct stub_plan {
	enum stub_fault fault;
	uint64_t at;
};
extern struct stub_plan stub_plan;
/* As sl_decoder_new; SL_ENGINE_FAST is the stub, all else is what it is. */
int stub_decoder_new(const struct sl_trace_config *config, const struct sl_decoder_options *options,
		     struct sl_decoder **ret, struct sl_diag *diag);
#endif
