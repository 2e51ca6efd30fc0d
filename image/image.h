/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_H
#define IMAGE_H
/* What an image consists of; shared by the files of this folder only. */
#include "sl_file.h"
#include "sl_image.h"
#include "sl_map.h"
#include "symbols.h"

/* A piece of a file that is loaded: a PT_LOAD, or a section of a relocatable file as laid out. */
struct segment {
	uint64_t vaddr, offset, len; /* len: of bytes in the file */
	bool exec;
	bool unplaced; /* of a relocatable file: where it lies in memory does not follow from where the file does */
};

struct module {
	struct sl_module pub;
	uint32_t index;
	char *path, *name;
	struct sl_file file;
	bool elf;	    /* parsed as ELF; else its own addresses are the run-time ones */
	bool relocatable;   /* ET_REL */
	bool code_stripped; /* a debug file: it has names, but not the code */
	bool code_in_rel;   /* ET_REL whose code has relocations that nobody applied */
	bool code_behind_plt; /* ET_REL with code behind a section whose size only the loader knows */
	bool debug_tried;
	char *debug_path; /* separate debug file, or NULL */
	struct sl_file debug;
	uint8_t isa; /* of all its code, or SL_ISA_UNKNOWN */
	uint8_t build_id[SL_BUILD_ID_MAX];
	struct segment *segments;
	size_t segment_count, segment_cap;
	struct syms syms;
	struct spans spans;  /* of syms, in the module's own addresses */
	struct sl_map pages; /* block number -> symbol id, for code without symbol */
};

struct mapping {
	uint64_t start, end; /* run-time */
	uint64_t bias;
	const uint8_t *data; /* byte at start; NULL: names only */
	uint64_t offset;     /* of it in the file */
	struct module *module;
	uint32_t core;
	uint8_t space;
	bool named; /* the module's symbols apply */
};

enum { SPACE_BITS = 8 };

/* Mappings of one core, or all, cut: which are seen where. */
struct layer {
	uint32_t core;
	struct spans cover;	       /* of struct mapping, whatever the space */
	struct spans bits[SPACE_BITS]; /* the same as seen by each bit of a space mask; empty unless
					  image->spaces */
	struct spans names;	       /* of struct sym */
};

/* A name that was added by itself, and those of one core, or of SL_CORE_ANY, cut. */
struct added {
	struct sym sym;
	uint32_t core;
};
struct core_names {
	uint32_t core;
	struct spans spans;
};

struct strings {
	struct string_block *last;
};

struct sl_image {
	struct module **modules;
	size_t module_count, module_cap;
	struct sl_map by_path; /* hash of path -> index + 1 */
	struct mapping *mappings;
	size_t mapping_count, mapping_cap;
	struct sl_missing *missing;
	size_t missing_count, missing_cap;
	struct strings strings;
	char **texts; /* symbol texts, which names point into */
	size_t text_count, text_cap;
	struct syms text_syms;
	struct added *added;
	size_t added_count, added_cap;
	struct sl_map by_name; /* hash of a name that sl_image_add_symbol() was given for a module -> index + 1 */
	bool private_cores;    /* a core sees nothing of another one's memory */
	struct sl_map tasks;   /* task -> core + 1 */
	struct sl_map changing; /* core -> number of its changes + 1 */
	struct changes *changes;
	size_t change_count, change_cap;

	/* from here on: made by sealing */
	bool sealed;
	bool spaces;	   /* a mapping is not seen from everywhere */
	struct layer *own; /* sorted by core */
	size_t own_count;
	struct layer common; /* SL_CORE_ANY first, then those of all cores */
	struct spans text_spans;
	struct core_names *names; /* sorted by core */
	size_t name_count;
	unsigned page_shift;
	struct sl_symbol *symbols;
	size_t symbol_count, symbol_cap;
	struct sl_mapping *listed;
};

/* len bytes of text as a string that lives as long as the image; NULL when out of memory. */
char *image_string(struct sl_image *image, const char *text, size_t len);

/* A new module; path is copied, and name too (NULL: base name of path). */
int image_new_module(struct sl_image *image, const char *path, const char *name, struct module **ret);
/* The module of a file or a part of it (NULL: all), which is mapped where it is new. SL_OK, SL_ERR_IO with diag,
 * SL_ERR_NOMEM. */
int image_file_module(struct sl_image *image, const char *path, const struct sl_part *part, struct module **ret,
		      struct sl_diag *diag);
/* The module of a name that is no file's, and whose symbols are told one by one: by_name (hash of a name -> index + 1) has
 * those that were asked for; path is given to a new one. SL_OK or SL_ERR_NOMEM. */
int image_named_module(struct sl_image *image, struct sl_map *by_name, const char *path, const char *name, uint32_t *ret);
/* Maps a file, or a part of it. */
int image_map(const char *path, const struct sl_part *part, struct sl_file *ret, struct sl_diag *diag);

/* What is at a run-time address. */
struct found {
	struct sym *sym;       /* NULL: mapped code without symbol */
	struct module *module; /* NULL: neither mapped nor named */
	uint64_t bias;
	uint64_t page;	      /* without symbol: first address of its block, in the module's own */
	struct window window; /* run-time addresses with the same answer */
};
void image_find(const struct sl_image *image, uint32_t core, uint64_t address, struct found *ret);

/* names.c: sorts and cuts what was added by name; then those that only core sees (SL_CORE_ANY: that all do). */
int image_settle_added(struct sl_image *image);
const struct spans *image_added(const struct sl_image *image, uint32_t core);

/* view.c: builds the layers. ids.c: numbers what they show. */
int image_build_layers(struct sl_image *image);
int image_number_symbols(struct sl_image *image);

/* generations.c */
void image_release_changes(struct sl_image *image);
/* The core that a view is of; else view itself. */
uint32_t image_changing_core(const struct sl_image *image, uint32_t view);

/* demangle.c: name as a person writes it, in buffer (cap bytes), or NULL where it is not mangled. */
const char *demangle(const char *name, char *buffer, size_t cap);
#endif
