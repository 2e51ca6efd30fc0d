/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_CONFIG_H
#define KERNEL_CONFIG_H
/* Inside of analysis/compare only; sl_compare.h has the rest. */
#include "rules.h"
#include "sl_compare.h"

struct config_value {
	const char *name, *value;
};
/* By name, ascending. */
struct sl_kernel_config {
	char *text; /* what the strings point into */
	struct config_value *values;
	size_t count, cap;
};
struct sl_config_map {
	struct rules rules;
};

/* "n" where an option is not set or not there. */
const char *config_value(const struct sl_kernel_config *config, const char *name);
/* What an option's functions are called, with blanks between; NULL: not known. */
const char *config_patterns(const struct sl_config_map *map, const char *option);
#endif
