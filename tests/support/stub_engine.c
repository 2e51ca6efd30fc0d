/* SPDX-License-Identifier: Apache-2.0 */
#include "stub_engine.h"

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "sl_array.h"

struct stub_plan stub_plan;

struct stub {
	struct sl_decoder base, *inner;
	struct stub_plan plan;
	uint64_t seen;
	struct sl_elem *elems;
	size_t len, cap;
};

static void stub_free(struct sl_decoder *base)
{
	struct stub *stub = (struct stub *)base;

	sl_decoder_free(stub->inner);
	free(stub->elems);
	free(stub);
}

static void stub_feed(struct sl_decoder *base, struct sl_bytes in)
{
	sl_decoder_feed(((struct stub *)base)->inner, in);
}

static void stub_finish(struct sl_decoder *base)
{
	sl_decoder_finish(((struct stub *)base)->inner);
}

static void stub_restart(struct sl_decoder *base)
{
	sl_decoder_restart(((struct stub *)base)->inner);
}

static void take(struct stub *stub, const struct sl_elem *e)
{
	bool here = stub->seen++ == stub->plan.at;
	unsigned times = !here ? 1 : stub->plan.fault == STUB_DROPS ? 0 : stub->plan.fault == STUB_REPEATS ? 2 : 1;

	while (times--) {
		if (SL_ARRAY_PUSH(&stub->elems, &stub->len, &stub->cap, *e) < 0)
			abort();
		stub->elems[stub->len - 1].count += here && stub->plan.fault == STUB_CHANGES;
	}
}

static int stub_lend(struct sl_decoder *base, struct sl_elem **ret, size_t *ret_len)
{
	struct stub *stub = (struct stub *)base;
	struct sl_elem *elems;
	size_t len;

	stub->len = 0;
	while (!stub->len) {
		int result = sl_decoder_lend(stub->inner, &elems, &len);

		if (result != SL_OK)
			return result;
		for (size_t i = 0; i < len; i++)
			take(stub, &elems[i]);
	}
	*ret = stub->elems;
	*ret_len = stub->len;
	return SL_OK;
}

int stub_decoder_new(const struct sl_trace_config *config, const struct sl_decoder_options *options,
		     struct sl_decoder **ret, struct sl_diag *diag)
{
	static const struct sl_engine_ops ops = { stub_free, stub_feed, stub_finish, stub_restart, stub_lend };
	struct sl_decoder_options inner = *options;
	struct stub *stub;
	int result;

	if (options->engine != SL_ENGINE_FAST)
		return sl_decoder_new(config, options, ret, diag);
	stub = calloc(1, sizeof(*stub));
	if (!stub)
		abort();
	stub->base.ops = &ops;
	stub->base.kind = SL_ENGINE_FAST;
	stub->plan = stub_plan;
	inner.engine = SL_ENGINE_OPENCSD;
	result = sl_decoder_new(config, &inner, &stub->inner, diag);
	if (result < 0)
		free(stub);
	else
		*ret = &stub->base;
	return result;
}
