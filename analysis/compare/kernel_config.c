/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's .config, and which functions its options are known by. */
#include <stdlib.h>
#include <string.h>

#include "kernel_config.h"
#include "sl_array.h"
#include "sl_file.h"
#include "sl_text.h"

enum { CONFIG_MAX = 8 << 20 };

extern const unsigned char sl_shipped_options[];
extern const size_t sl_shipped_options_len;

static const char not_set[] = " is not set";

static int by_name(const void *left, const void *right)
{
	const struct config_value *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int add(struct sl_kernel_config *config, const char *name, const char *value)
{
	const struct config_value entry = { name, value };

	return SL_ARRAY_PUSH(&config->values, &config->count, &config->cap, entry);
}

/* CONFIG_X=value, or # CONFIG_X is not set; all else is comment. */
static int take_line(struct sl_kernel_config *config, char *line)
{
	size_t len = strlen(line), tail = strlen(not_set);
	char *equals = strchr(line, '=');

	if (strncmp(line, "CONFIG_", 7) == 0 && equals) {
		*equals = '\0';
		return add(config, line, equals + 1);
	}
	if (strncmp(line, "# CONFIG_", 9) == 0 && len > 2 + tail && strcmp(line + len - tail, not_set) == 0) {
		line[len - tail] = '\0';
		return add(config, line + 2, "n");
	}
	return SL_OK;
}

static int take_lines(struct sl_kernel_config *config)
{
	char *rest = config->text, *line;
	int result = SL_OK;

	while (result == SL_OK && (line = strsep(&rest, "\n")))
		result = take_line(config, sl_trim(line));
	if (config->count)
		qsort(config->values, config->count, sizeof(*config->values), by_name);
	return result;
}

int sl_kernel_config_parse(const char *file, char *text, struct sl_kernel_config **ret, struct sl_diag *diag)
{
	struct sl_kernel_config *config = calloc(1, sizeof(*config));
	int result;

	if (!config) {
		free(text);
		return SL_ERR_NOMEM;
	}
	config->text = text;
	result = take_lines(config);
	if (result == SL_OK && !config->count)
		result = sl_fail(diag, SL_ERR_FORMAT, "%s: is no kernel's .config: it has no line CONFIG_...=", file);
	if (result < 0)
		sl_kernel_config_free(config);
	else
		*ret = config;
	return result;
}

int sl_kernel_config_read(const char *path, struct sl_kernel_config **ret, struct sl_diag *diag)
{
	char *text;
	size_t len;
	int result = sl_file_read_text(path, CONFIG_MAX, &text, &len, diag);

	return result < 0 ? result : sl_kernel_config_parse(path, text, ret, diag);
}

void sl_kernel_config_free(struct sl_kernel_config *config)
{
	if (!config)
		return;
	free(config->values);
	free(config->text);
	free(config);
}

const char *config_value(const struct sl_kernel_config *config, const char *name)
{
	const struct config_value key = { name, NULL }, *found = NULL;

	if (config->count)
		found = bsearch(&key, config->values, config->count, sizeof(*config->values), by_name);
	return found ? found->value : "n";
}

static int check_map(const struct sl_ini *ini, struct sl_diag *diag)
{
	for (size_t i = 0; i < ini->section_len; i++) {
		if (strcmp(ini->sections[i].name, "option") != 0)
			return sl_fail(diag, SL_ERR_FORMAT, "%s:%u: [%s]: expected option", ini->file, ini->sections[i].line,
				       ini->sections[i].name);
	}
	for (size_t i = 0; i < ini->key_len; i++) {
		if (strncmp(ini->keys[i].name, "CONFIG_", 7) != 0 || !*ini->keys[i].value)
			return sl_ini_expected(ini, &ini->keys[i], "CONFIG_... = patterns of functions", diag);
	}
	return SL_OK;
}

int sl_config_map_new(struct sl_config_map **ret)
{
	struct sl_config_map *map = calloc(1, sizeof(*map));
	int result = map ? rules_add_shipped(&map->rules, "options.ini", sl_shipped_options, sl_shipped_options_len, check_map) : SL_ERR_NOMEM;

	if (result < 0)
		sl_config_map_free(map);
	else
		*ret = map;
	return result;
}

int sl_config_map_add_file(struct sl_config_map *map, const char *path, struct sl_diag *diag)
{
	return rules_add_file(&map->rules, path, check_map, diag);
}

int sl_config_map_add_text(struct sl_config_map *map, const char *file, char *text, size_t len, struct sl_diag *diag)
{
	return rules_add_text(&map->rules, file, text, len, check_map, diag);
}

void sl_config_map_free(struct sl_config_map *map)
{
	if (!map)
		return;
	rules_release(&map->rules);
	free(map);
}

const char *config_patterns(const struct sl_config_map *map, const char *option)
{
	for (size_t i = map->rules.len; i-- > 0;) {
		const struct sl_ini_key *key = sl_ini_find(&map->rules.files[i], "option", option);

		if (key)
			return key->value;
	}
	return NULL;
}
