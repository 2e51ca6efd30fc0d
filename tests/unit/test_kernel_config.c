/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's .config, and the functions of its options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare/kernel_config.h"

static struct sl_kernel_config *parse(const char *text)
{
	struct sl_kernel_config *config;
	struct sl_diag diag = { "" };

	assert_int_equal(sl_kernel_config_parse("a.config", strdup(text), &config, &diag), SL_OK);
	return config;
}

void test_kernel_config__values(void **state)
{
	struct sl_kernel_config *config = parse("#\n# Automatically generated\nCONFIG_SMP=y\r\n# CONFIG_HZ_100 is not set\nCONFIG_HZ=250\n"
						"CONFIG_CC_VERSION_TEXT=\"gcc = 12\"\nCONFIG_M=m\n#CONFIG_X=y\n\nCONFIG_\n");

	(void)state;
	assert_int_equal(config->count, 5);
	assert_string_equal(config_value(config, "CONFIG_SMP"), "y");
	assert_string_equal(config_value(config, "CONFIG_HZ_100"), "n");
	assert_string_equal(config_value(config, "CONFIG_HZ"), "250");
	assert_string_equal(config_value(config, "CONFIG_CC_VERSION_TEXT"), "\"gcc = 12\"");
	assert_string_equal(config_value(config, "CONFIG_M"), "m");
	assert_string_equal(config_value(config, "CONFIG_X"), "n");
	sl_kernel_config_free(config);
}

void test_kernel_config__what_is_none(void **state)
{
	struct sl_kernel_config *config;
	struct sl_diag diag = { "" };

	(void)state;
	assert_int_equal(sl_kernel_config_parse("a.txt", strdup("hello\n"), &config, &diag), SL_ERR_FORMAT);
	assert_string_equal(diag.text, "a.txt: is no kernel's .config: it has no line CONFIG_...=");
}

void test_kernel_config__functions_of_options(void **state)
{
	static const char more[] = "[option]\nCONFIG_PREEMPT_TRACER = mine\nCONFIG_NEW = new_*\n", wrong[] = "[option]\nPREEMPT = x\n";
	struct sl_config_map *map;
	struct sl_diag diag = { "" };

	(void)state;
	assert_int_equal(sl_config_map_new(&map), SL_OK);
	assert_non_null(strstr(config_patterns(map, "CONFIG_PREEMPT_TRACER"), "preempt_count_add"));
	assert_null(config_patterns(map, "CONFIG_NEW"));
	assert_int_equal(sl_config_map_add_text(map, "more.ini", strdup(more), strlen(more), &diag), SL_OK);
	assert_string_equal(config_patterns(map, "CONFIG_PREEMPT_TRACER"), "mine");
	assert_string_equal(config_patterns(map, "CONFIG_NEW"), "new_*");
	assert_non_null(config_patterns(map, "CONFIG_DEBUG_PREEMPT"));
	assert_int_equal(sl_config_map_add_text(map, "wrong.ini", strdup(wrong), strlen(wrong), &diag), SL_ERR_FORMAT);
	assert_non_null(strstr(diag.text, "wrong.ini:2: PREEMPT=x: expected CONFIG_... = patterns"));
	sl_config_map_free(map);
}
