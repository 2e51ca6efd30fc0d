/* SPDX-License-Identifier: Apache-2.0 */
#include "ocsd.h"

#include <pthread.h>
#include <string.h>

/* The bytes at address, which the last run mostly holds. */
struct sl_bytes ocsd_code_at(struct ocsd_decoder *dec, uint8_t space, uint64_t address)
{
	uint64_t skip = address - dec->code_address;

	if (space != dec->code_space || skip >= dec->code.len) {
		dec->code = sl_image_run(dec->options.image, dec->space.core, space, address, &dec->code_address);
		dec->code_space = space;
		skip = address - dec->code_address;
	}
	if (!dec->code.len)
		return (struct sl_bytes){ 0 };
	return (struct sl_bytes){ dec->code.data + skip, dec->code.len - skip, 0 };
}

/* What OpenCSD asks for the program's bytes. A short answer makes it report the address as not accessible. */
static uint32_t on_memory(const void *ctx, const ocsd_vaddr_t address, const ocsd_mem_space_acc_t space,
			  const uint32_t want, uint8_t *ret)
{
	struct ocsd_decoder *dec = (struct ocsd_decoder *)(uintptr_t)ctx;
	uint32_t done = 0;

	if (dec->walk_budget < want) {
		dec->runaway = true;
		return 0;
	}
	dec->walk_budget -= want;
	while (done < want) {
		struct sl_bytes run = ocsd_code_at(dec, (uint8_t)space, address + done);
		size_t n = run.len < want - done ? run.len : want - done;

		if (!n)
			break;
		memcpy(ret + done, run.data, n);
		done += (uint32_t)n;
	}
	return done;
}

static ocsd_core_profile_t profile_of(const struct sl_trace_config *config)
{
	switch (config->profile) {
	case SL_PROFILE_M:
		return profile_CortexM;
	case SL_PROFILE_R:
		return profile_CortexR;
	default:
		return profile_CortexA;
	}
}

static ocsd_arch_version_t arch_of(const struct sl_trace_config *config)
{
	switch (config->arch) {
	case SL_ARCH_V7:
		return ARCH_V7;
	case SL_ARCH_V8:
		return ARCH_V8;
	default:
		return ARCH_AA64;
	}
}

union any_config {
	ocsd_etmv3_cfg etmv3;
	ocsd_ptm_cfg ptm;
	ocsd_etmv4_cfg etmv4;
	ocsd_ete_cfg ete;
	ocsd_stm_cfg stm;
};

/* OpenCSD's name of the decoder, its protocol, and the configuration; NULL where this version has none. */
static const char *fill_config(const struct sl_trace_config *c, union any_config *ret, ocsd_trace_protocol_t *protocol)
{
	const uint32_t *r = c->regs;

	memset(ret, 0, sizeof(*ret));
	switch (c->protocol) {
	case SL_PROTOCOL_ETMV3:
		*protocol = OCSD_PROTOCOL_ETMV3;
		ret->etmv3 = (ocsd_etmv3_cfg){ r[SL_REG_ETMIDR], r[SL_REG_ETMCR], r[SL_REG_ETMCCER],
					       r[SL_REG_ETMTRACEIDR], arch_of(c), profile_of(c) };
		return OCSD_BUILTIN_DCD_ETMV3;
	case SL_PROTOCOL_PTM:
		*protocol = OCSD_PROTOCOL_PTM;
		ret->ptm = (ocsd_ptm_cfg){ r[SL_REG_ETMIDR], r[SL_REG_ETMCR], r[SL_REG_ETMCCER],
					   r[SL_REG_ETMTRACEIDR], arch_of(c), profile_of(c) };
		return OCSD_BUILTIN_DCD_PTM;
	case SL_PROTOCOL_ETMV4:
		*protocol = OCSD_PROTOCOL_ETMV4I;
		ret->etmv4 = (ocsd_etmv4_cfg){
			.reg_idr0 = r[SL_REG_TRCIDR0], .reg_idr1 = r[SL_REG_TRCIDR1], .reg_idr2 = r[SL_REG_TRCIDR2],
			.reg_idr8 = r[SL_REG_TRCIDR8], .reg_idr9 = r[SL_REG_TRCIDR9], .reg_idr10 = r[SL_REG_TRCIDR10],
			.reg_idr11 = r[SL_REG_TRCIDR11], .reg_idr12 = r[SL_REG_TRCIDR12],
			.reg_idr13 = r[SL_REG_TRCIDR13], .reg_configr = r[SL_REG_TRCCONFIGR],
			.reg_traceidr = r[SL_REG_TRCTRACEIDR], .arch_ver = arch_of(c), .core_prof = profile_of(c),
		};
		return OCSD_BUILTIN_DCD_ETMV4I;
	case SL_PROTOCOL_ETE:
		*protocol = OCSD_PROTOCOL_ETE;
		ret->ete = (ocsd_ete_cfg){
			.reg_idr0 = r[SL_REG_TRCIDR0], .reg_idr1 = r[SL_REG_TRCIDR1], .reg_idr2 = r[SL_REG_TRCIDR2],
			.reg_idr8 = r[SL_REG_TRCIDR8], .reg_devarch = r[SL_REG_TRCDEVARCH],
			.reg_configr = r[SL_REG_TRCCONFIGR], .reg_traceidr = r[SL_REG_TRCTRACEIDR],
			.arch_ver = arch_of(c), .core_prof = profile_of(c),
		};
		return OCSD_BUILTIN_DCD_ETE;
	case SL_PROTOCOL_STM:
		*protocol = OCSD_PROTOCOL_STM;
		/* 256 masters, 65,536 channels: what the STM-500 has, and OpenCSD's own default */
		ret->stm = (ocsd_stm_cfg){ .reg_tcsr = r[SL_REG_STMTCSR], .reg_devid = 0xff, .reg_feat3r = 0x10000,
					   .hw_event = HwEvent_Unknown_Disabled };
		return OCSD_BUILTIN_DCD_STM;
	default:
		return NULL;
	}
}

static void destroy(struct ocsd_decoder *dec)
{
	if (dec->tree != C_API_INVALID_TREE_HANDLE)
		ocsd_destroy_dcd_tree(dec->tree);
	dec->tree = C_API_INVALID_TREE_HANDLE;
}

/*
 * Without the last word of the address space: OpenCSD compares the ends of what it reads and of what it has kept, the former
 * wraps around to 0, so that any page it has kept holds that word, and it copies what lies up to 2^64 bytes beside it.
 */
static ocsd_err_t add_memory(struct ocsd_decoder *dec)
{
	return ocsd_dt_add_callback_mem_acc(dec->tree, 0, UINT64_MAX - 4, OCSD_MEM_SPACE_ANY, on_memory, dec);
}

/* A tree with one decoder, whose packets and elements come to us. */
static ocsd_err_t make_tree(struct ocsd_decoder *dec, const char *name, const void *config)
{
	unsigned char id = 0;
	int flags = dec->options.packets_only ? OCSD_CREATE_FLG_PACKET_PROC : OCSD_CREATE_FLG_FULL_DECODER;
	ocsd_err_t err;

	dec->tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	if (dec->tree == C_API_INVALID_TREE_HANDLE)
		return OCSD_ERR_MEM;
	err = ocsd_dt_create_decoder(dec->tree, name, flags, config, &id);
	/* The callbacks go in after the decoder: OpenCSD answers FATAL_NOT_INIT the other way round. */
	if (!err)
		err = ocsd_dt_attach_packet_callback(dec->tree, id, OCSD_C_API_CB_PKT_MON,
						     (void *)(uintptr_t)ocsd_on_packet, dec);
	if (!err && !dec->options.packets_only)
		err = ocsd_dt_set_gen_elem_outfn(dec->tree, ocsd_on_element, dec);
	if (!err && !dec->options.packets_only && dec->options.image)
		err = add_memory(dec);
	return err;
}

/* OpenCSD keeps what it has read; only ETMv4's decoder forgets it, and that where a context changes. */
void ocsd_forget_code(struct ocsd_decoder *dec)
{
	dec->code = (struct sl_bytes){ 0 };
	memset(dec->sleeps, 0, sizeof(dec->sleeps));
	if (dec->options.packets_only)
		return;
	if (ocsd_dt_remove_mem_acc(dec->tree, 0, OCSD_MEM_SPACE_ANY) != OCSD_OK || add_memory(dec) != OCSD_OK)
		dec->queue.no_memory = true;
}

/*
 * OpenCSD 1.3.3's C API has no packet monitor for ETE (it answers NO_PROTOCOL). But its ETE decoder is its ETMv4
 * decoder with another configuration: the one that an ETMv4 source has whose TRCIDR1[11:4] hold the version that ETE
 * keeps in TRCDEVARCH[15:12] and [19:16].
 */
static ocsd_err_t make_ete_tree(struct ocsd_decoder *dec, const ocsd_ete_cfg *ete)
{
	uint32_t version = (ete->reg_devarch >> 12 & 0xf) << 8 | (ete->reg_devarch >> 16 & 0xf) << 4;
	ocsd_etmv4_cfg config = {
		.reg_idr0 = ete->reg_idr0, .reg_idr1 = (ete->reg_idr1 & ~0xff0u) | version, .reg_idr2 = ete->reg_idr2,
		.reg_idr8 = ete->reg_idr8, .reg_configr = ete->reg_configr, .reg_traceidr = ete->reg_traceidr,
		.arch_ver = ete->arch_ver, .core_prof = ete->core_prof,
	};

	destroy(dec);
	dec->ocsd_protocol = OCSD_PROTOCOL_ETMV4I;
	return make_tree(dec, OCSD_BUILTIN_DCD_ETMV4I, &config);
}

/* OpenCSD keeps a list of its trees, and a lane may have to replace its tree while others decode. */
static pthread_mutex_t trees = PTHREAD_MUTEX_INITIALIZER;

static ocsd_err_t make_any_tree(struct ocsd_decoder *dec, const char *name, const union any_config *any)
{
	ocsd_err_t err;

	/* Silence: OpenCSD's error log is shared by all trees, and not safe where several threads decode. */
	ocsd_def_errlog_init(OCSD_ERR_SEV_NONE, 0);
	err = make_tree(dec, name, any);
	if (err == OCSD_ERR_NO_PROTOCOL && dec->ocsd_protocol == OCSD_PROTOCOL_ETE)
		err = make_ete_tree(dec, &any->ete);
	return err;
}

void ocsd_destroy(struct ocsd_decoder *dec)
{
	pthread_mutex_lock(&trees);
	destroy(dec);
	pthread_mutex_unlock(&trees);
}

int ocsd_setup(struct ocsd_decoder *dec, struct sl_diag *diag)
{
	union any_config any;
	const char *name = fill_config(&dec->config, &any, &dec->ocsd_protocol);
	ocsd_err_t err;

	if (!name)
		return sl_fail(diag, SL_ERR_UNSUPPORTED,
			       "%s cannot be decoded by OpenCSD %s, which this program is built with; a newer one can",
			       sl_protocol_name(dec->protocol), ocsd_get_version_str());
	pthread_mutex_lock(&trees);
	destroy(dec);
	err = make_any_tree(dec, name, &any);
	pthread_mutex_unlock(&trees);
	if (err == OCSD_ERR_MEM)
		return SL_ERR_NOMEM;
	if (err)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "OpenCSD refuses the registers of this %s source (error 0x%04x); check them against the "
			       "trace unit's manual",
			       sl_protocol_name(dec->protocol), (unsigned)err);
	return SL_OK;
}
