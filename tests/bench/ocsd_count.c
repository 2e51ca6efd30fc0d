/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The yardstick of scripts/bench: ocsd_count SNAPSHOT_DIRECTORY. As little as a client of OpenCSD's C API can
 * do with the first buffer of an ETMv4 snapshot: a decoder a source, memory from the dumps of cpu_0, and a
 * callback that counts. The files are trusted; this is no part of the product.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <opencsd/c_api/opencsd_c_api.h>

#include "sl_file.h"

struct counts {
	uint64_t elements, ranges, instructions;
};

static void die(const char *what, const char *where)
{
	fprintf(stderr, "ocsd_count: %s: %s\n", where, what);
	exit(2);
}

static ocsd_datapath_resp_t count(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				  const ocsd_generic_trace_elem *elem)
{
	struct counts *counts = (struct counts *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	counts->elements++;
	if (elem->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
		counts->ranges++;
		counts->instructions += elem->num_instr_range;
	}
	return OCSD_RESP_CONT;
}

static FILE *open_in(const char *dir, const char *name)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (!file)
		die("cannot open", path);
	return file;
}

static struct sl_file map_in(const char *dir, const char *name)
{
	struct sl_file file;
	struct sl_diag diag;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (sl_file_map(path, &file, &diag) < 0)
		die(diag.text, path);
	return file;
}

/* The next key=value of an ini file, annotations in parentheses cut off. */
static bool next_pair(FILE *file, char key[64], char value[256])
{
	char line[512];

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63[^=([]%*[^=]=%255[^\r\n]", key, value) == 2 ||
		    sscanf(line, "%63[^=([]=%255[^\r\n]", key, value) == 2)
			return true;
	}
	return false;
}

static void set_register(ocsd_etmv4_cfg *config, const char *name, uint32_t value)
{
	const struct {
		const char *name;
		uint32_t *place;
	} registers[] = {
		{ "TRCCONFIGR", &config->reg_configr }, { "TRCTRACEIDR", &config->reg_traceidr },
		{ "TRCIDR0", &config->reg_idr0 },	{ "TRCIDR1", &config->reg_idr1 },
		{ "TRCIDR2", &config->reg_idr2 },	{ "TRCIDR8", &config->reg_idr8 },
	};

	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		if (strcmp(registers[i].name, name) == 0)
			*registers[i].place = value;
	}
}

static void add_source(dcd_tree_handle_t tree, const char *dir, const char *name)
{
	ocsd_etmv4_cfg config = { .arch_ver = ARCH_V8, .core_prof = profile_CortexA };
	FILE *file = open_in(dir, name);
	char key[64], value[256];
	unsigned char id;

	while (next_pair(file, key, value))
		set_register(&config, key, (uint32_t)strtoul(value, NULL, 0));
	fclose(file);
	if (ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER, &config,
				   &id) != OCSD_OK)
		die("no decoder", name);
}

static void add_memory(dcd_tree_handle_t tree, const char *dir, const char *name)
{
	FILE *file = open_in(dir, name);
	char key[64], value[256], dump[256] = "";

	while (next_pair(file, key, value)) {
		if (strcmp(key, "file") == 0) {
			strcpy(dump, value);
		} else if (strcmp(key, "address") == 0) {
			struct sl_file bytes = map_in(dir, dump);

			if (ocsd_dt_add_buffer_mem_acc(tree, strtoull(value, NULL, 0), OCSD_MEM_SPACE_ANY,
						       bytes.data, (uint32_t)bytes.len) != OCSD_OK)
				die("dump not added", dump);
		}
	}
	fclose(file);
}

static dcd_tree_handle_t make_tree(const char *dir)
{
	dcd_tree_handle_t tree =
		ocsd_create_dcd_tree(OCSD_TRC_SRC_FRAME_FORMATTED, OCSD_DFRMTR_FRAME_MEM_ALIGN);
	FILE *file = open_in(dir, "snapshot.ini");
	char key[64], value[256];

	if (tree == C_API_INVALID_TREE_HANDLE)
		die("no decode tree", dir);
	while (next_pair(file, key, value)) {
		if (strncmp(value, "etm_", 4) == 0)
			add_source(tree, dir, value);
	}
	fclose(file);
	add_memory(tree, dir, "cpu_0.ini");
	return tree;
}

static void feed(dcd_tree_handle_t tree, struct sl_file trace)
{
	uint32_t used = 0;
	ocsd_trc_index_t at = 0;
	ocsd_datapath_resp_t response = OCSD_RESP_CONT;

	while (at < trace.len && OCSD_DATA_RESP_IS_CONT(response)) {
		size_t left = trace.len - (size_t)at;

		response =
			ocsd_dt_process_data(tree, OCSD_OP_DATA, at, (uint32_t)(left < 65536 ? left : 65536),
					     trace.data + at, &used);
		at += used;
	}
	ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, &used);
	if (at < trace.len)
		die("decoding stopped", "trace");
}

int main(int argc, char **argv)
{
	struct counts counts = { 0 };
	char key[64], value[256] = "";
	dcd_tree_handle_t tree;
	FILE *file;

	if (argc != 2)
		die("usage: ocsd_count SNAPSHOT_DIRECTORY", "arguments");
	tree = make_tree(argv[1]);
	ocsd_dt_set_gen_elem_outfn(tree, count, &counts);
	file = open_in(argv[1], "trace.ini");
	while (next_pair(file, key, value) && strcmp(key, "file") != 0)
		;
	fclose(file);
	feed(tree, map_in(argv[1], value));
	ocsd_destroy_dcd_tree(tree);
	printf("%llu elements, %llu ranges, %llu instructions\n", (unsigned long long)counts.elements,
	       (unsigned long long)counts.ranges, (unsigned long long)counts.instructions);
	return 0;
}
