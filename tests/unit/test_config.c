/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sl_config.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static struct sl_trace_config etm4(uint32_t configr)
{
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_ETMV4 };

	sl_config_set(&config, SL_REG_TRCCONFIGR, configr);
	sl_config_set(&config, SL_REG_TRCTRACEIDR, 0x10);
	sl_config_set(&config, SL_REG_TRCIDR0, 0x28000EA1);
	sl_config_set(&config, SL_REG_TRCIDR2, 0x00000488);
	return config;
}

static struct sl_trace_config etm3(enum sl_protocol protocol, uint32_t cr, uint32_t ccer)
{
	struct sl_trace_config config = { .protocol = protocol };

	sl_config_set(&config, SL_REG_ETMCR, cr);
	sl_config_set(&config, SL_REG_ETMIDR, 0x411CF312);
	sl_config_set(&config, SL_REG_ETMCCER, ccer);
	sl_config_set(&config, SL_REG_ETMTRACEIDR, 0x13);
	return config;
}

void test_config__protocol_names_parse_back(void **state)
{
	enum sl_protocol protocol;

	(void)state;
	for (unsigned i = 0; i < SL_PROTOCOLS; i++) {
		assert_int_equal(sl_protocol_parse(sl_protocol_name(i), &protocol), SL_OK);
		assert_int_equal(protocol, i);
	}
	assert_null(sl_protocol_name(SL_PROTOCOLS));
}

void test_config__snapshot_types_are_protocols(void **state)
{
	static const struct {
		const char *text;
		enum sl_protocol protocol;
	} rows[] = {
		{ "ETM4", SL_PROTOCOL_ETMV4 },	  { "ETM4.2", SL_PROTOCOL_ETMV4 },
		{ "etm3.5", SL_PROTOCOL_ETMV3 },  { "PTM1.1", SL_PROTOCOL_PTM },
		{ "PFT1.0", SL_PROTOCOL_PTM },	  { "ETE", SL_PROTOCOL_ETE },
		{ "ETMv4.1", SL_PROTOCOL_ETMV4 }, { "STM", SL_PROTOCOL_STM },
		{ "itm", SL_PROTOCOL_ITM },
	};
	enum sl_protocol protocol;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(sl_protocol_parse(rows[i].text, &protocol), SL_OK);
		assert_int_equal(protocol, rows[i].protocol);
	}
}

void test_config__other_types_are_refused(void **state)
{
	static const char *const rows[] = { "", ".", "ETM", "ETM5", "ETM44", "PTM2.0", "funnel", "ET" };
	enum sl_protocol protocol;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(sl_protocol_parse(rows[i], &protocol), SL_ERR_FORMAT);
}

void test_config__register_names_parse_back(void **state)
{
	enum sl_reg reg;

	(void)state;
	for (unsigned i = 0; i < SL_REGS; i++) {
		assert_int_equal(sl_reg_parse(sl_reg_name(i), &reg), SL_OK);
		assert_int_equal(reg, i);
	}
	assert_null(sl_reg_name(SL_REGS));
	assert_int_equal(sl_reg_parse("trcIDR13", &reg), SL_OK);
	assert_int_equal(reg, SL_REG_TRCIDR13);
	assert_int_equal(sl_reg_parse("TRCIDR14", &reg), SL_ERR_FORMAT);
	assert_int_equal(sl_reg_parse("TRCIDR", &reg), SL_ERR_FORMAT);
}

void test_config__trace_id_is_where_the_protocol_has_it(void **state)
{
	struct sl_trace_config config = etm4(1);

	(void)state;
	config.regs[SL_REG_TRCTRACEIDR] = 0xff90;
	assert_int_equal(sl_config_trace_id(&config), 0x10);
	config = etm3(SL_PROTOCOL_PTM, 0, 0);
	assert_int_equal(sl_config_trace_id(&config), 0x13);
	config.protocol = SL_PROTOCOL_STM;
	sl_config_set(&config, SL_REG_STMTCSR, 0x00A00005);
	assert_int_equal(sl_config_trace_id(&config), 0x20);
	config.protocol = SL_PROTOCOL_ITM;
	sl_config_set(&config, SL_REG_ITMTCR, 0x00140000);
	assert_int_equal(sl_config_trace_id(&config), 0x14);
}

void test_config__complete_fills_defaults(void **state)
{
	struct sl_trace_config config = etm4(1);

	(void)state;
	assert_int_equal(sl_config_complete(&config, NULL), SL_OK);
	assert_int_equal(config.regs[SL_REG_TRCIDR1], 0x4100F403);
	assert_true(sl_config_has(&config, SL_REG_TRCIDR13));
	assert_false(sl_config_has(&config, SL_REG_TRCDEVARCH));
	assert_false(sl_config_has(&config, SL_REG_TRCCCCTLR));
	config.protocol = SL_PROTOCOL_ETE;
	sl_config_set(&config, SL_REG_TRCIDR1, 0x4100FFF3);
	assert_int_equal(sl_config_complete(&config, NULL), SL_OK);
	assert_int_equal(config.regs[SL_REG_TRCDEVARCH], 0x47705A13);
	assert_int_equal(config.regs[SL_REG_TRCIDR1], 0x4100FFF3);
}

void test_config__missing_registers_are_named(void **state)
{
	struct sl_trace_config config = etm4(1);
	struct sl_diag diag;

	(void)state;
	config.set &= ~(1u << SL_REG_TRCIDR0 | 1u << SL_REG_TRCIDR2);
	assert_int_equal(sl_config_complete(&config, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "TRCIDR0, TRCIDR2"));
	assert_null(strstr(diag.text, "TRCCONFIGR"));
	config = etm3(SL_PROTOCOL_ETMV3, 0, 0);
	config.set &= ~(1u << SL_REG_ETMCCER);
	assert_int_equal(sl_config_complete(&config, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "ETMCCER"));
	config = (struct sl_trace_config){ .protocol = SL_PROTOCOL_STM };
	assert_int_equal(sl_config_complete(&config, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "STMTCSR"));
	config.protocol = SL_PROTOCOL_ITM;
	assert_int_equal(sl_config_complete(&config, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "ITMTCR"));
}

void test_config__absurd_speculation_depth_is_refused(void **state)
{
	struct sl_trace_config config = etm4(1);
	struct sl_diag diag;

	(void)state;
	sl_config_set(&config, SL_REG_TRCIDR8, 4096);
	assert_int_equal(sl_config_complete(&config, &diag), SL_OK);
	sl_config_set(&config, SL_REG_TRCIDR8, 4097);
	assert_int_equal(sl_config_complete(&config, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "TRCIDR8"));
}

void test_config__etm4_bits_in_words(void **state)
{
	struct sl_trace_config config = etm4(0x1);
	struct sl_config_facts facts;

	(void)state;
	sl_config_facts(&config, &facts);
	assert_false(facts.branch_broadcast || facts.cycle_count || facts.context_id || facts.vmid ||
		     facts.conditional || facts.timestamp || facts.return_stack || facts.q_elements ||
		     facts.data_trace);
	assert_int_equal(facts.context_id_bytes, 0);
	assert_int_equal(facts.timestamp_bits, 0);
	config = etm4(1u << 6 | 1u << 11 | 1u << 12);
	sl_config_facts(&config, &facts);
	assert_true(facts.context_id && facts.timestamp && facts.return_stack);
	assert_false(facts.cycle_count || facts.vmid || facts.branch_broadcast || facts.q_elements);
	assert_int_equal(facts.context_id_bytes, 4);
	assert_int_equal(facts.timestamp_bits, 64);
	config = etm4(1u << 3 | 1u << 7 | 1u << 10 | 1u << 13 | 1u << 17);
	sl_config_facts(&config, &facts);
	assert_true(facts.branch_broadcast && facts.vmid && facts.conditional && facts.q_elements &&
		    facts.data_trace);
	assert_false(facts.timestamp || facts.return_stack);
}

void test_config__cycle_threshold_needs_its_register(void **state)
{
	struct sl_trace_config config = etm4(1u << 4);
	struct sl_config_facts facts;

	(void)state;
	sl_config_facts(&config, &facts);
	assert_true(facts.cycle_count);
	assert_false(facts.cycle_threshold_known);
	sl_config_set(&config, SL_REG_TRCCCCTLR, 0xf100);
	sl_config_facts(&config, &facts);
	assert_true(facts.cycle_threshold_known);
	assert_int_equal(facts.cycle_threshold, 0x100);
	sl_config_set(&config, SL_REG_TRCCONFIGR, 1);
	sl_config_facts(&config, &facts);
	assert_false(facts.cycle_threshold_known);
}

void test_config__etm3_and_ptm_bits_in_words(void **state)
{
	struct sl_trace_config config = etm3(SL_PROTOCOL_PTM, 0x30001000 | 1u << 14, 0x34C01AC2);
	struct sl_config_facts facts;

	(void)state;
	sl_config_facts(&config, &facts);
	assert_true(facts.cycle_count && facts.timestamp && facts.return_stack);
	assert_false(facts.branch_broadcast || facts.data_trace);
	assert_int_equal(facts.context_id_bytes, 1);
	assert_int_equal(facts.timestamp_bits, 64);
	config = etm3(SL_PROTOCOL_ETMV3, 0x30000108 | 3u << 14, 0x144008F2);
	sl_config_facts(&config, &facts);
	assert_true(facts.branch_broadcast && facts.data_trace && facts.timestamp);
	assert_false(facts.return_stack || facts.cycle_count);
	assert_int_equal(facts.context_id_bytes, 4);
	assert_int_equal(facts.timestamp_bits, 48);
	config = etm3(SL_PROTOCOL_ETMV3, 0x980, 0);
	sl_config_facts(&config, &facts);
	assert_true(facts.branch_broadcast);
	assert_false(facts.data_trace || facts.timestamp || facts.context_id);
}

void test_config__software_trace_tells_timestamps(void **state)
{
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_STM };
	struct sl_config_facts facts;

	(void)state;
	sl_config_set(&config, SL_REG_STMTCSR, 0x00A00007);
	sl_config_facts(&config, &facts);
	assert_true(facts.timestamp);
	config.protocol = SL_PROTOCOL_ITM;
	sl_config_set(&config, SL_REG_ITMTCR, 0x00010005);
	sl_config_facts(&config, &facts);
	assert_false(facts.timestamp);
	sl_config_set(&config, SL_REG_ITMTCR, 0x00010805);
	sl_config_facts(&config, &facts);
	assert_true(facts.timestamp);
}
