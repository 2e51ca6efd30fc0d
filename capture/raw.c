/* SPDX-License-Identifier: Apache-2.0 */
/* A dump without any description: what a snapshot would say about it comes from the user's options. */
#include "cores.h"
#include "capture.h"

#include "sl_array.h"
#include "sl_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_ID_LAST = 0x7f };

struct shown {
	char text[80];
};

static const char *show(struct shown *ret, const char *text)
{
	return sl_printable(text, ret->text, sizeof(ret->text));
}

static int no_memory(struct sl_diag *diag)
{
	return sl_fail(diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
}

static int unknown_reg(const char *text, struct sl_diag *diag)
{
	struct shown shown;
	char names[400];
	size_t used = 0;

	for (unsigned i = 0; i < SL_REGS && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %s", sl_reg_name(i));
	return sl_fail(diag, SL_ERR_FORMAT, "register '%s': no such register: expected one of%s",
		       show(&shown, text), names);
}

static int add_reg(struct sl_trace_config *config, const char *text, struct sl_diag *diag)
{
	size_t len = strcspn(text, "=");
	struct shown shown;
	enum sl_reg reg;
	uint64_t value;
	char name[32];

	if (text[len] != '=')
		return sl_fail(diag, SL_ERR_FORMAT, "register '%s': expected NAME=VALUE", show(&shown, text));
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name)), text);
	if (sl_reg_parse(name, &reg) < 0)
		return unknown_reg(text, diag);
	if (sl_parse_u64(text + len + 1, &value) < 0 || value > UINT32_MAX)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "register '%s': expected a number of at most 32 bits, as in %s=0x1",
			       show(&shown, text), sl_reg_name(reg));
	sl_config_set(config, reg, (uint32_t)value);
	return SL_OK;
}

static enum sl_reg id_reg(enum sl_protocol protocol)
{
	switch (protocol) {
	case SL_PROTOCOL_STM:
		return SL_REG_STMTCSR;
	case SL_PROTOCOL_ITM:
		return SL_REG_ITMTCR;
	case SL_PROTOCOL_ETMV4:
	case SL_PROTOCOL_ETE:
		return SL_REG_TRCTRACEIDR;
	default:
		return SL_REG_ETMTRACEIDR;
	}
}

/* Puts a trace id where the protocol's register holds it. */
static void set_trace_id(struct sl_trace_config *config, uint32_t id)
{
	enum sl_reg reg = id_reg(config->protocol);
	bool shared = reg == SL_REG_STMTCSR || reg == SL_REG_ITMTCR;

	sl_config_set(config, reg, shared ? (config->regs[reg] & ~0x7f0000u) | id << 16 : id);
}

static int add_trace_id(struct sl_trace_config *config, const char *text, enum sl_framing framing,
			struct sl_diag *diag)
{
	struct shown shown;
	uint64_t id = 0;

	if (text && (sl_parse_u64(text, &id) < 0 || id > TRACE_ID_LAST))
		return sl_fail(diag, SL_ERR_FORMAT, "trace id '%s': expected a number from 0x01 to 0x6f",
			       show(&shown, text));
	if (config->protocol == SL_PROTOCOL_IPT || (!text && sl_config_has(config, id_reg(config->protocol))))
		return SL_OK;
	/* Where a buffer has one source, its id is only a name. */
	if (!text && framing != SL_FRAMING_NONE)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "the source's trace id is not known: give --trace-id, as in 0x10");
	set_trace_id(config, (uint32_t)id);
	return SL_OK;
}

/* Registers, and whether they suffice: who types them wants to know at once. */
static int read_config(const struct sl_raw_options *raw, enum sl_framing framing, struct sl_trace_config *ret,
		       struct sl_diag *diag)
{
	struct sl_trace_config config = { 0 }, complete;
	struct sl_diag lacks;
	struct shown shown;
	int result;

	if (sl_protocol_parse(raw->protocol, &config.protocol) < 0)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "protocol '%s': expected etmv3, ptm, etmv4, ete, stm, itm or ipt",
			       show(&shown, raw->protocol));
	for (const char *const *reg = raw->regs; reg && *reg; reg++) {
		result = add_reg(&config, *reg, diag);
		if (result < 0)
			return result;
	}
	result = add_trace_id(&config, raw->trace_id, framing, diag);
	if (result < 0)
		return result;
	complete = config;
	result = sl_config_complete(&complete, &lacks);
	if (result < 0)
		return sl_fail(diag, result, "%s (--reg)", lacks.text);
	*ret = config;
	return SL_OK;
}

static int add_pair(struct sl_snap_pairs *pairs, const char *left, const char *right)
{
	struct sl_snap_pair pair = { left, right, 0 };

	return SL_ARRAY_PUSH(&pairs->items, &pairs->len, &pairs->cap, pair);
}

static int describe(struct sl_capture *cap, const char *path, const struct sl_raw_options *raw,
		    const struct sl_trace_config *config, enum sl_framing framing)
{
	const char *slash = strrchr(path, '/');
	struct sl_snap_buffer buffer = { .name = sl_capture_keep(cap, slash ? slash + 1 : path),
					 .file = sl_capture_keep(cap, path),
					 .framing = framing };
	struct sl_snap_device source = { .name = sl_protocol_name(config->protocol),
					 .type = sl_protocol_name(config->protocol),
					 .config = *config };
	struct sl_snap_device core = { .name = "cpu_0",
				       .core = true,
				       .type = raw->core ? sl_capture_keep(cap, raw->core) : NULL };
	struct sl_snapshot *snap = &cap->snap;
	bool has_core = config->protocol != SL_PROTOCOL_STM && config->protocol != SL_PROTOCOL_ITM;

	if (!buffer.name || !buffer.file || (raw->core && !core.type))
		return SL_ERR_NOMEM;
	if (SL_ARRAY_PUSH(&snap->buffers, &snap->buffer_len, &snap->buffer_cap, buffer) < 0 ||
	    SL_ARRAY_PUSH(&snap->devices, &snap->device_len, &snap->device_cap, source) < 0 ||
	    add_pair(&snap->source_buffers, source.name, buffer.name) < 0)
		return SL_ERR_NOMEM;
	if (has_core && (SL_ARRAY_PUSH(&snap->devices, &snap->device_len, &snap->device_cap, core) < 0 ||
			 add_pair(&snap->core_sources, core.name, source.name) < 0))
		return SL_ERR_NOMEM;
	return SL_OK;
}

int sl_raw_describe(struct sl_capture *cap, const char *path, const struct sl_raw_options *raw,
		    struct sl_diag *diag)
{
	enum sl_framing framing = SL_FRAMING_CORESIGHT;
	struct sl_trace_config config;
	enum sl_core_profile profile;
	enum sl_arch arch;
	struct shown shown;
	int result;

	if (raw->framing && sl_framing_parse(raw->framing, &framing) < 0)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "framing '%s': expected none, coresight, tpiu, tpiu-hsync or dstream",
			       show(&shown, raw->framing));
	if (raw->core && sl_core_parse(raw->core, &profile, &arch) < 0)
		return sl_fail(
			diag, SL_ERR_FORMAT,
			"core '%s' is not known: expected a name like Cortex-A53, or ARMv7-A, ARMv8-R, "
			"ARMv8-M, ARM-AA64",
			show(&shown, raw->core));
	result = read_config(raw, framing, &config, diag);
	if (result < 0)
		return result;
	if (config.protocol == SL_PROTOCOL_IPT)
		framing = SL_FRAMING_NONE;
	result = describe(cap, path, raw, &config, framing);
	return result < 0 ? no_memory(diag) : SL_OK;
}
