/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cores.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

void test_cores__names_have_a_profile_and_an_architecture(void **state)
{
	static const struct {
		const char *type;
		enum sl_core_profile profile;
		enum sl_arch arch;
	} rows[] = {
		{ "Cortex-A5", SL_PROFILE_A, SL_ARCH_V7 },     { "Cortex-A15", SL_PROFILE_A, SL_ARCH_V7 },
		{ "Cortex-A53", SL_PROFILE_A, SL_ARCH_V8 },    { "cortex-a57", SL_PROFILE_A, SL_ARCH_V8 },
		{ "Cortex_A55", SL_PROFILE_A, SL_ARCH_V8 },    { "Cortex-A77", SL_PROFILE_A, SL_ARCH_V8 },
		{ "Cortex-A510", SL_PROFILE_A, SL_ARCH_AA64 }, { "Cortex-X2", SL_PROFILE_A, SL_ARCH_AA64 },
		{ "Neoverse-N1", SL_PROFILE_A, SL_ARCH_V8 },   { "Neoverse N2", SL_PROFILE_A, SL_ARCH_AA64 },
		{ "Cortex-R5", SL_PROFILE_R, SL_ARCH_V7 },     { "Cortex-R52", SL_PROFILE_R, SL_ARCH_V8 },
		{ "Cortex-R82", SL_PROFILE_R, SL_ARCH_AA64 },  { "Cortex-M0+", SL_PROFILE_M, SL_ARCH_V7 },
		{ "Cortex-M7", SL_PROFILE_M, SL_ARCH_V7 },     { "Cortex-M33", SL_PROFILE_M, SL_ARCH_V8 },
		{ "Cortex-M85", SL_PROFILE_M, SL_ARCH_V8 },    { "ARMv7-A", SL_PROFILE_A, SL_ARCH_V7 },
		{ "ARMv7-M", SL_PROFILE_M, SL_ARCH_V7 },       { "ARMv8-A", SL_PROFILE_A, SL_ARCH_V8 },
		{ "ARMv8.2-A", SL_PROFILE_A, SL_ARCH_V8 },     { "ARMv8.3-A", SL_PROFILE_A, SL_ARCH_AA64 },
		{ "armv8-r", SL_PROFILE_R, SL_ARCH_V8 },       { "ARMv8.1-M", SL_PROFILE_M, SL_ARCH_V8 },
		{ "ARMv9-A", SL_PROFILE_A, SL_ARCH_AA64 },     { "ARMv9.2-A", SL_PROFILE_A, SL_ARCH_AA64 },
		{ "ARM-AA64", SL_PROFILE_A, SL_ARCH_AA64 },    { "ARM-AA64-R", SL_PROFILE_R, SL_ARCH_AA64 },
		{ "ARM-aa64-M", SL_PROFILE_M, SL_ARCH_AA64 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		enum sl_core_profile profile = SL_PROFILE_A;
		enum sl_arch arch = SL_ARCH_UNKNOWN;

		assert_int_equal(sl_core_parse(rows[i].type, &profile, &arch), SL_OK);
		assert_int_equal(profile, rows[i].profile);
		assert_int_equal(arch, rows[i].arch);
	}
}

void test_cores__other_names_are_not_guessed(void **state)
{
	static const char *const rows[] = { "",		"Cortex",    "Cortex-A", "Cortex-A5x", "Cortex-A99",
					    "ARMv",	"ARMv10-A",  "ARMv5-A",	 "ARMv8.-A",   "ARMv8-",
					    "ARMv8-AA", "ARM-AA64x", "Kryo",	 "x86" };
	enum sl_core_profile profile;
	enum sl_arch arch;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(sl_core_parse(rows[i], &profile, &arch), SL_ERR_FORMAT);
}

void test_cores__trace_unit_tells_of_unknown_cores(void **state)
{
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_ETMV4 };

	(void)state;
	assert_int_equal(sl_core_guess(&config), SL_ARCH_AA64);
	sl_config_set(&config, SL_REG_TRCIDR2, 0x488);
	assert_int_equal(sl_core_guess(&config), SL_ARCH_AA64);
	sl_config_set(&config, SL_REG_TRCIDR2, 0x484);
	assert_int_equal(sl_core_guess(&config), SL_ARCH_V8);
	config.protocol = SL_PROTOCOL_ETE;
	assert_int_equal(sl_core_guess(&config), SL_ARCH_AA64);
	config.protocol = SL_PROTOCOL_PTM;
	assert_int_equal(sl_core_guess(&config), SL_ARCH_V7);
	config.protocol = SL_PROTOCOL_STM;
	assert_int_equal(sl_core_guess(&config), SL_ARCH_UNKNOWN);
}

void test_cores__generic_types_parse_back(void **state)
{
	static const enum sl_core_profile profiles[] = { SL_PROFILE_A, SL_PROFILE_R, SL_PROFILE_M };
	static const enum sl_arch archs[] = { SL_ARCH_V7, SL_ARCH_V8, SL_ARCH_AA64 };

	(void)state;
	for (size_t i = 0; i < 9; i++) {
		enum sl_core_profile profile;
		enum sl_arch arch;

		assert_int_equal(sl_core_parse(sl_core_type(profiles[i / 3], archs[i % 3]), &profile, &arch),
				 SL_OK);
		assert_int_equal(profile, profiles[i / 3]);
		assert_int_equal(arch, archs[i % 3]);
	}
}
