/* SPDX-License-Identifier: Apache-2.0 */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_file.h"

enum { FILE_MAX = 1 << 20 };

int rules_add_text(struct rules *rules, const char *file, char *text, size_t len, rules_check_fn *check, struct sl_diag *diag)
{
	struct sl_ini ini;
	int result = sl_ini_parse(file, text, len, &ini, diag);

	if (result < 0)
		return result;
	result = check(&ini, diag);
	if (result == SL_OK)
		result = SL_ARRAY_PUSH(&rules->files, &rules->len, &rules->cap, ini);
	if (result < 0)
		sl_ini_release(&ini);
	return result;
}

int rules_add_file(struct rules *rules, const char *path, rules_check_fn *check, struct sl_diag *diag)
{
	char *text;
	size_t len;
	int result = sl_file_read_text(path, FILE_MAX, &text, &len, diag);

	return result < 0 ? result : rules_add_text(rules, path, text, len, check, diag);
}

int rules_add_shipped(struct rules *rules, const char *file, const unsigned char *text, size_t len, rules_check_fn *check)
{
	char *copy = strdup((const char *)text);

	return copy ? rules_add_text(rules, file, copy, len, check, NULL) : SL_ERR_NOMEM;
}

void rules_release(struct rules *rules)
{
	for (size_t i = 0; i < rules->len; i++)
		sl_ini_release(&rules->files[i]);
	free(rules->files);
	*rules = (struct rules){ NULL, 0, 0 };
}
