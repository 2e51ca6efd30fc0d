/* SPDX-License-Identifier: Apache-2.0 */
/* The ini of one device: a core with its memory dumps, or a trace source with its registers. */
#include "snapshot.h"

#include "sl_array.h"
#include "sl_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	uint8_t mask;
} spaces[] = {
	{ "EL1S", SL_SPACE_EL1S }, { "EL1N", SL_SPACE_EL1N }, { "EL1R", SL_SPACE_EL1R },
	{ "EL2S", SL_SPACE_EL2S }, { "EL2", SL_SPACE_EL2N },  { "EL2N", SL_SPACE_EL2N },
	{ "EL2R", SL_SPACE_EL2R }, { "EL3", SL_SPACE_EL3 },   { "ROOT", SL_SPACE_ROOT },
	{ "S", SL_SPACE_S },	   { "N", SL_SPACE_N },	      { "R", SL_SPACE_R },
	{ "ANY", SL_SPACE_ANY },   { "H", SL_SPACE_EL2N },    { "P", SL_SPACE_EL1N },
	{ "NP", SL_SPACE_EL1N },   { "SP", SL_SPACE_EL1S },
};

static int parse_space(const struct sl_ini *ini, const struct sl_ini_key *key, uint8_t *ret,
		       struct sl_diag *diag)
{
	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
		if (strcasecmp(key->value, spaces[i].name) == 0) {
			*ret = spaces[i].mask;
			return SL_OK;
		}
	}
	return sl_ini_expected(ini, key,
			       "one of EL1S EL1N EL1R EL2S EL2 EL2N EL2R EL3 ROOT S N R ANY H P NP SP", diag);
}

static int add_dump_key(struct sl_snap_dump *dump, const struct sl_ini_key *key, struct sl_notes *notes,
			struct sl_diag *diag)
{
	const struct sl_ini *ini = dump->ini;
	char shown[80];

	if (strcasecmp(key->name, "file") == 0) {
		if (!*key->value)
			return sl_ini_expected(ini, key, "the name of a file", diag);
		dump->file = sl_snapshot_file_name(key);
		dump->line = key->line;
		return SL_OK;
	}
	if (strcasecmp(key->name, "address") == 0) {
		dump->place.address_known = true;
		return sl_ini_number(ini, key, UINT64_MAX, &dump->place.address, diag);
	}
	if (strcasecmp(key->name, "length") == 0)
		return sl_ini_number(ini, key, UINT64_MAX, &dump->place.len, diag);
	if (strcasecmp(key->name, "offset") == 0)
		return sl_ini_number(ini, key, UINT64_MAX, &dump->place.offset, diag);
	if (strcasecmp(key->name, "space") == 0)
		return parse_space(ini, key, &dump->place.space, diag);
	sl_ini_note(
		ini, key->line, notes,
		"key '%s' of a dump is not known and is ignored: expected file, address, length, offset or space",
		sl_printable(key->name, shown, sizeof(shown)));
	return SL_OK;
}

static int add_dump(struct sl_snap_device *device, const struct sl_ini_section *section,
		    struct sl_notes *notes, struct sl_diag *diag)
{
	const struct sl_ini *ini = device->ini;
	struct sl_snap_dump dump = { .ini = ini, .place.space = SL_SPACE_ANY };

	for (size_t i = section->first; i < section->first + section->count; i++) {
		int result = add_dump_key(&dump, &ini->keys[i], notes, diag);

		if (result < 0)
			return result;
	}
	if (!dump.file || !dump.place.address_known)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s:%u: [dump] without %s: expected file= and address=", ini->file,
			       section->line, dump.file ? "address=" : "file=");
	if (SL_ARRAY_PUSH(&device->dumps, &device->dump_len, &device->dump_cap, dump) < 0)
		return sl_fail(diag, SL_ERR_NOMEM, "%s: %s", ini->file, sl_strerror(SL_ERR_NOMEM));
	return SL_OK;
}

/* NAME(annotation)=value: kept where NAME is a register that decoding needs. */
static int add_reg(struct sl_snap_device *device, const struct sl_ini_key *key, struct sl_diag *diag)
{
	char name[32];
	size_t len = strcspn(key->name, "( \t");
	enum sl_reg reg;
	uint64_t value;
	int result;

	if (len >= sizeof(name))
		return SL_OK;
	memcpy(name, key->name, len);
	name[len] = '\0';
	if (sl_reg_parse(name, &reg) < 0)
		return SL_OK;
	result = sl_ini_number(device->ini, key, UINT32_MAX, &value, diag);
	if (result == SL_OK)
		sl_config_set(&device->config, reg, (uint32_t)value);
	return result;
}

static int add_section(struct sl_snap_device *device, const struct sl_ini_section *section,
		       struct sl_notes *notes, struct sl_diag *diag)
{
	int result = SL_OK;

	if (device->core && strncasecmp(section->name, "dump", 4) == 0)
		return add_dump(device, section, notes, diag);
	if (device->core || strcasecmp(section->name, "regs") != 0)
		return SL_OK;
	for (size_t i = section->first; i < section->first + section->count && result == SL_OK; i++)
		result = add_reg(device, &device->ini->keys[i], diag);
	return result;
}

static int missing_key(const struct sl_ini *ini, const char *key, struct sl_diag *diag)
{
	return sl_fail(diag, SL_ERR_FORMAT,
		       "%s: no [device] %s=: expected name=, class= and type= of a device", ini->file, key);
}

/* Name, class and type; SL_END for a device that decoding does not need. */
static int identify(struct sl_snap_device *device, struct sl_diag *diag)
{
	const struct sl_ini *ini = device->ini;
	const struct sl_ini_key *name = sl_ini_find(ini, "device", "name");
	const struct sl_ini_key *kind = sl_ini_find(ini, "device", "class");
	const struct sl_ini_key *type = sl_ini_find(ini, "device", "type");
	const struct sl_ini_key *legacy = sl_ini_find(ini, "global", "core");

	/* Snapshots before version 1.0 have one core, and no [device]. */
	if (!name && !kind && legacy) {
		device->core = true;
		device->name = "cpu_0";
		device->type = legacy->value;
		device->type_line = legacy->line;
		return SL_OK;
	}
	if (!name || !*name->value)
		return missing_key(ini, "name", diag);
	if (!kind)
		return missing_key(ini, "class", diag);
	device->core = strcasecmp(kind->value, "core") == 0;
	if (!device->core && strcasecmp(kind->value, "trace_source") != 0)
		return SL_END;
	if (!type && !device->core)
		return missing_key(ini, "type", diag);
	device->name = name->value;
	device->type = type ? type->value : NULL;
	device->type_line = type ? type->line : kind->line;
	return SL_OK;
}

int sl_snapshot_add_device(struct sl_snapshot *snap, const struct sl_ini *ini, struct sl_notes *notes,
			   struct sl_diag *diag)
{
	struct sl_snap_device device = { .ini = ini };
	int result = identify(&device, diag);

	for (size_t i = 0; i < ini->section_len && result == SL_OK; i++)
		result = add_section(&device, &ini->sections[i], notes, diag);
	if (result == SL_OK &&
	    SL_ARRAY_PUSH(&snap->devices, &snap->device_len, &snap->device_cap, device) < 0)
		result = sl_fail(diag, SL_ERR_NOMEM, "%s: %s", ini->file, sl_strerror(SL_ERR_NOMEM));
	if (result != SL_OK)
		free(device.dumps);
	return result < 0 ? result : SL_OK;
}
