/* SPDX-License-Identifier: Apache-2.0 */
#include "decode_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

void decode_config(const struct etm4_config *config, struct sl_trace_config *ret)
{
	struct etm4_reg regs[ETM4_REGS];
	size_t n = etm4_registers(config, 0x10, regs);

	memset(ret, 0, sizeof(*ret));
	ret->protocol = config->ete ? SL_PROTOCOL_ETE : SL_PROTOCOL_ETMV4;
	ret->profile = SL_PROFILE_A;
	ret->arch = SL_ARCH_AA64;
	for (size_t i = 0; i < n; i++) {
		enum sl_reg reg;

		if (sl_reg_parse(regs[i].name, &reg) < 0)
			abort();
		sl_config_set(ret, reg, regs[i].value);
	}
}

static void range_text(const struct sl_elem *e, char *ret, size_t cap)
{
	static const char *const last[] = { "other", "branch", "indirect", "isb", "dsb", "wfi", "tstart" };
	static const char *const branch[] = { "", "/call", "/return", "/eret", "/implied-return" };

	snprintf(ret, cap, "range %" PRIx64 "-%" PRIx64 " %" PRIu32 " %s%s %c%s", e->range.start,
		 e->range.end, e->count, last[sl_elem_last(e)], branch[sl_elem_branch(e)],
		 e->flags & SL_FLAG_EXECUTED ? 'E' : 'N', e->flags & SL_FLAG_CONDITIONAL ? " cond" : "");
}

static void context_text(const struct sl_context *c, char *ret, size_t cap)
{
	static const char *const security[] = { "secure", "nonsecure", "root", "realm" };
	int n = snprintf(ret, cap, "context el%u %s %u-bit", c->el, security[c->security & 3],
			 c->flags & SL_CTX_64BIT ? 64 : 32);

	if (c->flags & SL_CTX_ID)
		n += snprintf(ret + n, cap - (size_t)n, " id %" PRIx32, c->context_id);
	if (c->flags & SL_CTX_VMID)
		snprintf(ret + n, cap - (size_t)n, " vmid %" PRIx32, c->vmid);
}

static void exception_text(const struct sl_elem *e, char *ret, size_t cap)
{
	int n = snprintf(ret, cap, "exception %" PRIu32, e->count);

	if (e->flags & SL_FLAG_ADDRESS)
		n += snprintf(ret + n, cap - (size_t)n, " at %" PRIx64, e->address);
	if (e->flags & SL_FLAG_TARGET)
		snprintf(ret + n, cap - (size_t)n, " target");
}

static void gap_text(const struct sl_elem *e, char *ret, size_t cap)
{
	if (e->flags & SL_FLAG_ADDRESS)
		snprintf(ret, cap, "gap %s %" PRIx64, sl_gap_name(e->count), e->address);
	else
		snprintf(ret, cap, "gap %s", sl_gap_name(e->count));
}

/* Kinds that are their name and one number. */
static void plain_text(const struct sl_elem *e, char *ret, size_t cap)
{
	const char *name = sl_elem_kind_name(e->kind);
	const char *attached = e->flags & SL_FLAG_ATTACHED ? " attached" : "";

	if (e->kind == SL_ELEM_TIME)
		snprintf(ret, cap, "%s %" PRIx64 "%s", name, e->value, attached);
	else if (e->kind == SL_ELEM_MARKER)
		snprintf(ret, cap, "%s %" PRIx64, name, e->value);
	else if (e->kind == SL_ELEM_END || e->kind == SL_ELEM_EXCEPTION_RETURN)
		snprintf(ret, cap, "%s", name);
	else
		snprintf(ret, cap, "%s %" PRIu32 "%s", name, e->count, attached);
}

void elem_text(const struct sl_elem *e, char *ret, size_t cap)
{
	int n = snprintf(ret, cap, "%" PRIu64 " ", e->offset);

	ret += n;
	cap -= (size_t)n;
	if (e->kind == SL_ELEM_RANGE)
		range_text(e, ret, cap);
	else if (e->kind == SL_ELEM_RANGE_NO_PATH)
		snprintf(ret, cap, "no-path %" PRIx64 "-%" PRIx64 " %" PRIu32, e->range.start, e->range.end,
			 e->count);
	else if (e->kind == SL_ELEM_CONTEXT)
		context_text(&e->context, ret, cap);
	else if (e->kind == SL_ELEM_EXCEPTION)
		exception_text(e, ret, cap);
	else if (e->kind == SL_ELEM_GAP)
		gap_text(e, ret, cap);
	else
		plain_text(e, ret, cap);
}

struct text {
	char *data;
	size_t len, cap;
};

static void append(struct text *text, const char *line)
{
	size_t n = strlen(line);

	if (sl_array_reserve((void **)&text->data, &text->cap, 1, text->len + n + 2) < 0)
		abort();
	memcpy(text->data + text->len, line, n);
	text->len += n;
	text->data[text->len++] = '\n';
	text->data[text->len] = '\0';
}

static void drain(struct sl_decoder *dec, struct text *text)
{
	struct sl_elem elems[8];
	char line[160];
	size_t n;
	int result;

	while ((result = sl_decoder_next(dec, elems, 8, &n)) == SL_OK) {
		for (size_t i = 0; i < n; i++) {
			elem_text(&elems[i], line, sizeof(line));
			append(text, line);
		}
	}
	if (result < 0)
		abort();
}

char *decode_text_by(enum sl_engine engine, const struct sl_trace_config *config, const struct sl_image *image,
		     const uint8_t *data, size_t len, size_t chunk)
{
	struct sl_decoder_options options = { .image = image, .engine = engine };
	struct text text = { 0 };
	struct sl_decoder *dec;

	if (sl_decoder_new(config, &options, &dec, NULL) < 0)
		abort();
	for (size_t i = 0; i < len; i += chunk) {
		sl_decoder_feed(dec, (struct sl_bytes){ data + i, len - i < chunk ? len - i : chunk, i });
		drain(dec, &text);
	}
	sl_decoder_finish(dec);
	drain(dec, &text);
	sl_decoder_free(dec);
	return text.data;
}

char *decode_text(const struct sl_trace_config *config, const struct sl_image *image, const uint8_t *data,
		  size_t len, size_t chunk)
{
	return decode_text_by(SL_ENGINE_AUTO, config, image, data, len, chunk);
}
