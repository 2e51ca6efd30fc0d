/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_H
#define ENGINE_H
/*
 * What decodes behind sl_decoder.h. An engine's decoder begins with a struct sl_decoder, and its constructor
 * takes a configuration that sl_config_complete() has passed. The operations mean what sl_decoder_... says.
 */
#include "sl_decoder.h"

struct sl_engine_ops {
	void (*free)(struct sl_decoder *dec);
	void (*feed)(struct sl_decoder *dec, struct sl_bytes in);
	void (*finish)(struct sl_decoder *dec);
	void (*restart)(struct sl_decoder *dec);
	int (*lend)(struct sl_decoder *dec, struct sl_elem **ret, size_t *ret_len);
};

/* The same for what decodes parts of a lane at once; an engine has its own seams. */
struct sl_part_ops {
	bool (*can_fork)(const struct sl_decoder *dec);
	int (*fork)(const struct sl_decoder *dec, struct sl_decoder **ret);
	int (*mark)(struct sl_decoder *dec, struct sl_seam **mark);
	void (*mark_free)(struct sl_seam *mark);
	int (*resume)(struct sl_decoder *dec, const struct sl_seam *mark, void *moment_ctx);
	int (*foresee)(struct sl_decoder *dec, struct sl_seam *now, struct sl_bytes lane, void *moment_ctx,
		       struct sl_seam **mark, uint64_t *ret_offset);
	bool (*join)(struct sl_seam *before, const struct sl_seam *begin, struct sl_seam *end);
	void (*exchange)(struct sl_decoder *dec, struct sl_elem **elems, size_t *cap);
};

/* An engine's seam begins with this. */
struct sl_seam {
	const struct sl_part_ops *ops;
};

struct sl_decoder {
	const struct sl_engine_ops *ops;
	const struct sl_part_ops *part_ops; /* NULL: it decodes a lane from the first byte to the last */
	struct sl_elem *lent;  /* by the engine, and not yet handed out by sl_decoder_next() */
	size_t lent_len;
	enum sl_engine kind;   /* sl_decoder_new() sets it */
	struct sl_mark *marks; /* since it last lent */
	size_t mark_len, mark_cap;
	uint64_t merged;       /* ranges in other ones' elements */
};

/* SL_OK or SL_ERR_NOMEM. */
int engine_mark(struct sl_decoder *dec, enum sl_mark_kind kind, uint64_t offset, uint64_t address);

/* The fast engine: ETMv4 and ETE. Whether it can do what is asked: not without elements, nor what nobody traces. */
bool e4_covers(const struct sl_trace_config *config, const struct sl_decoder_options *options);
int e4_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	   struct sl_diag *diag);
/* The same for PTM, and for ETMv3 without data trace. Packets are told, but not spelt out. */
bool ptm_covers(const struct sl_trace_config *config, const struct sl_decoder_options *options);
int ptm_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	    struct sl_diag *diag);
bool etm3_covers(const struct sl_trace_config *config, const struct sl_decoder_options *options);
int etm3_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	     struct sl_diag *diag);
/* OpenCSD: all protocols but ITM. Our own: ITM, which the packaged OpenCSD has not. */
int ocsd_new(const struct sl_trace_config *config, const struct sl_decoder_options *options,
	     struct sl_decoder **ret, struct sl_diag *diag);
int itm_new(const struct sl_trace_config *config, const struct sl_decoder_options *options,
	    struct sl_decoder **ret, struct sl_diag *diag);
/* Intel PT; SL_ERR_UNSUPPORTED where this was built without libipt. */
int ipt_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	    struct sl_diag *diag);
#endif
