/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of ini files: all that is parsed lies in the text, and each key in its section. */
#include "sl_ini.h"

#include <stdlib.h>
#include <string.h>

static void use(const struct sl_ini *ini)
{
	size_t keys = 0;

	for (size_t i = 0; i < ini->section_len; i++) {
		const struct sl_ini_section *section = &ini->sections[i];
		size_t at = 0;

		if (section->first != keys || !sl_ini_next(ini, section->name, &at))
			abort();
		keys += section->count;
	}
	if (keys != ini->key_len)
		abort();
	for (size_t i = 0; i < ini->key_len; i++) {
		uint64_t value = 0;

		if (strpbrk(ini->keys[i].name, "=;#\r\n") || strpbrk(ini->keys[i].value, ";#\r\n"))
			abort();
		if (sl_ini_number(ini, &ini->keys[i], UINT32_MAX, &value, NULL) == SL_OK &&
		    value > UINT32_MAX)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct sl_ini ini;
	struct sl_diag diag = { "" };

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (sl_ini_parse("a.ini", text, size, &ini, &diag) == SL_OK) {
		use(&ini);
		sl_ini_release(&ini);
	} else if (!*diag.text || strpbrk(diag.text, "\n\033")) {
		abort();
	}
	return 0;
}
