/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_IMAGE_H
#define SL_IMAGE_H
/*
 * The bytes and the names of what ran. An image is built by one thread (add, then seal) and is read afterwards by
 * any number of threads without locks.
 *
 * An image holds modules (files, with symbols in the file's own addresses), mappings (where a module's symbols and
 * bytes lie at run time) and one view per core: the mappings of that core first, those of the other cores and of
 * the user behind them, cut so that none overlap.
 */
#include "sl_base.h"
#include "sl_notes.h"

/* Who executes: what selects bytes where several programs share addresses. */
struct sl_space {
	uint32_t context_id, vmid;
	uint8_t el;	   /* exception level 0..3 */
	uint8_t security;  /* enum sl_security */
};

/* Where bytes are visible, as a set: bits of exception level and security state (snapshot `space=` key). */
enum sl_space_mask {
	SL_SPACE_EL1S = 0x1,
	SL_SPACE_EL1N = 0x2,
	SL_SPACE_EL2N = 0x4,
	SL_SPACE_EL3 = 0x8,
	SL_SPACE_EL2S = 0x10,
	SL_SPACE_EL1R = 0x20,
	SL_SPACE_EL2R = 0x40,
	SL_SPACE_ROOT = 0x80,
	SL_SPACE_S = SL_SPACE_EL1S | SL_SPACE_EL2S | SL_SPACE_EL3,
	SL_SPACE_N = SL_SPACE_EL1N | SL_SPACE_EL2N,
	SL_SPACE_R = SL_SPACE_EL1R | SL_SPACE_EL2R,
	SL_SPACE_ANY = 0xff,
};

enum sl_isa { SL_ISA_UNKNOWN, SL_ISA_A64, SL_ISA_A32, SL_ISA_T32, SL_ISA_JAZELLE, SL_ISA_X86_64, SL_ISA_X86_32, SL_ISA_X86_16 };
static inline bool sl_isa_is_x86(unsigned isa) { return isa >= SL_ISA_X86_64 && isa <= SL_ISA_X86_16; }

#define SL_CORE_ANY UINT32_MAX

struct sl_image;

/* A new, empty image. SL_OK or SL_ERR_NOMEM. */
int sl_image_new(struct sl_image **ret);
void sl_image_free(struct sl_image *image);

/* A file inside of another, as a library in an APK. */
struct sl_part {
	uint64_t offset, len;
	const char *name; /* of both: what it is called here; one name, one part */
};

/* Where a dump or a file is put. */
struct sl_place {
	uint32_t core;	     /* index of the core whose memory it is, or SL_CORE_ANY */
	uint8_t space;	     /* enum sl_space_mask */
	uint64_t address;    /* of the first byte taken */
	uint64_t offset;     /* of that byte in the file */
	uint64_t len;	     /* 0: to the end of the file */
	bool address_known;  /* false: sl_image_add_elf takes the file's own addresses */
	uint64_t slide;	     /* added to these */
	const struct sl_part *part; /* what of the file is meant by "file" above; NULL: all */
};

/*
 * Adds a raw memory dump: len bytes at offset of the file path. Where the file is an ELF, its symbols and lines
 * come along, moved by what puts the dump's bytes at the dump's address. A dump may overlap others: the first one
 * added for a core wins, and the rest of a later one is kept.
 * SL_OK, SL_ERR_IO (file missing: recorded as wanted, see sl_image_missing), SL_ERR_FORMAT (offset or length beyond
 * the file), SL_ERR_NOMEM.
 */
int sl_image_add_dump(struct sl_image *image, const char *path, const struct sl_place *place,
		      struct sl_notes *notes, struct sl_diag *diag);
/* Records a dump that may not be read, as the above does for one that is not there. SL_OK or SL_ERR_NOMEM. */
int sl_image_add_missing(struct sl_image *image, const char *path, const struct sl_place *place);
/* The same for one that is there and is another build's. */
int sl_image_add_refused(struct sl_image *image, const char *path, const struct sl_place *place);

/*
 * Adds an ELF executable, shared object or kernel module at its own addresses, moved by place->slide, or so that its first
 * loaded byte lies at place->address. A separate debug file is looked for by build id and by .gnu_debuglink under
 * debug_dirs (NULL-terminated, may be NULL; /usr/lib/debug is always tried).
 * SL_OK, SL_ERR_IO, SL_ERR_FORMAT, SL_ERR_UNSUPPORTED (a machine that no trace here comes from), SL_ERR_NOMEM.
 */
int sl_image_add_elf(struct sl_image *image, const char *path, const struct sl_place *place,
		     const char *const *debug_dirs, struct sl_notes *notes, struct sl_diag *diag);

/* True where the file begins like an ELF. */
bool sl_is_elf(const char *path);

#define SL_BUILD_ID_MAX 64
struct sl_elf_id {
	enum sl_isa isa; /* SL_ISA_A64, SL_ISA_A32, SL_ISA_X86_64 or SL_ISA_X86_32 */
	uint8_t build_id[SL_BUILD_ID_MAX];
	size_t build_id_len; /* 0: it has none */
	bool without_code;   /* a debug file: the code's sections are there, but not their bytes */
};
/* Which program a file (part: NULL) or a part of it is: SL_OK; SL_ERR_IO, SL_ERR_FORMAT or SL_ERR_UNSUPPORTED where it is no ELF that could be used. */
int sl_elf_identify(const char *path, const struct sl_part *part, struct sl_elf_id *ret);
/* The value of a symbol of its .symtab. SL_OK; SL_END where it has none of that name; else as above. */
int sl_elf_find_symbol(const char *path, const char *name, uint64_t *ret);

/*
 * Adds names from a text: System.map, nm, kallsyms (address type name [module]) or address name. Lines that are
 * none are counted and noted. Addresses are moved by slide.
 * SL_OK, SL_ERR_IO, SL_ERR_FORMAT (no line is a symbol), SL_ERR_NOMEM.
 */
int sl_image_add_symbol_text(struct sl_image *image, const char *path, uint64_t slide, struct sl_notes *notes,
			     struct sl_diag *diag);
/* The same of a text in memory, of which a copy is kept; label stands for its path. SL_OK, SL_ERR_FORMAT, SL_ERR_NOMEM. */
int sl_image_add_symbol_bytes(struct sl_image *image, const char *label, struct sl_bytes bytes, struct sl_notes *notes,
			      struct sl_diag *diag);
/* The address of a name in such a text. SL_OK; SL_END where it is not in it; SL_ERR_IO, SL_ERR_LIMIT or SL_ERR_NOMEM. */
int sl_symbol_text_find(const char *path, const char *name, uint64_t *ret);
/* Whether a file looks like such a text (its first lines do). */
bool sl_is_symbol_text(const char *path);

/*
 * Adds one name, at the run-time addresses that it has for core (SL_CORE_ANY: for all). No other core sees it. It counts
 * where no file that is mapped there names the address, and where nothing is mapped at all. size 0: to the next one of that
 * core. Where two overlap, the last one that was added has the address. module_name is what a report shows as module. An
 * empty name adds nothing. SL_OK or SL_ERR_NOMEM.
 */
int sl_image_add_symbol(struct sl_image *image, uint32_t core, uint64_t address, uint64_t size, const char *name,
			const char *module_name);

/*
 * Where programs share addresses, each address space is a "core" of its own, and tasks (thread ids, as the trace's
 * context id or VMID tells them) run in them. sl_image_separate: no core sees another one's memory, only what belongs to
 * SL_CORE_ANY (the kernel). SL_OK or SL_ERR_NOMEM.
 */
void sl_image_separate(struct sl_image *image);
int sl_image_add_task(struct sl_image *image, uint32_t task, uint32_t core);
/* The core that a task runs in; fallback where it is not known. */
uint32_t sl_image_task_core(const struct sl_image *image, uint32_t task, uint32_t fallback);

/* Times between which something ran, both included: nobody knows it more exactly. */
struct sl_window {
	uint64_t from_ns, to_ns;
};
#define SL_WINDOW_ANY ((struct sl_window){ 0, UINT64_MAX })

/*
 * The memory of a core may change while it is traced (exec, dlclose and dlopen, a JIT compiler). Each change starts a
 * generation; the first is that before all changes. What may have been seen in a window of time is a view, a core of its
 * own: of one generation, of two in a row, or of any in a row where there are few, else of all.
 */
struct sl_view {
	uint32_t first, last; /* generation */
};
/* How many views count generations have, and the i-th of them; count is at least 1. */
size_t sl_view_count(size_t generations);
struct sl_view sl_view_at(size_t generations, size_t i);
/*
 * The memory of core changes at the times changes_ns, ascending, which are copied; the i-th view of its count + 1
 * generations is core first_view + i. Once a core, in ascending order of first_view. SL_OK or SL_ERR_NOMEM.
 */
int sl_image_add_changes(struct sl_image *image, uint32_t core, const uint64_t *changes_ns, size_t count,
			 uint32_t first_view);
/* What core is in a window: the smallest view that holds all of it; core itself where it never changes. */
uint32_t sl_image_core_within(const struct sl_image *image, uint32_t core, struct sl_window window);
/* Whether any core changes. */
bool sl_image_changes(const struct sl_image *image);

/* Ends the building: sorts, chooses among aliases, cuts overlaps, names uncovered code by page. Once. */
int sl_image_seal(struct sl_image *image);

/*
 * Bytes ------------------------------------------------------------------------------------------------------
 * The mapped run that begins at address, as core sees it in a space; len 0 where nothing is mapped.
 * The bytes live as long as the image.
 */
struct sl_bytes sl_image_bytes(const struct sl_image *image, uint32_t core, uint8_t space_mask, uint64_t address);
/* The same from its beginning: the mapped run that holds address, and where it starts. */
struct sl_bytes sl_image_run(const struct sl_image *image, uint32_t core, uint8_t space_mask, uint64_t address,
			     uint64_t *ret_start);

/*
 * Names ------------------------------------------------------------------------------------------------------
 * Symbol ids are dense from 1, so that what is kept per symbol is an array; id 0 is code without an image.
 * Code that is mapped but has no symbol is named by its page: "[7ffffff000]" or "[libc.so.6+0x23000]".
 */
struct sl_symbol {
	uint64_t address, size;	 /* in the module's own addresses; run-time ones come from the range */
	const char *name;	 /* demangled where it was mangled */
	const char *raw_name;	 /* as in the file */
	uint32_t module;	 /* index for sl_image_module() */
	uint8_t isa;		 /* enum sl_isa where the symbol or the file tells */
	bool page;		 /* a page without symbols, named by itself */
	bool plt;		 /* a PLT stub, named f@plt */
};
/* A symbol and the run-time addresses that it covers here. id 0: no image and no name, range is [address, address + 1). */
struct sl_symbol_range {
	uint32_t id;
	uint32_t core;	       /* whose memory it is in, as asked for */
	uint64_t start, end;   /* [start, end) has this symbol; it may begin or end inside it */
	uint64_t entry;	       /* run-time address of the symbol's first instruction */
};
struct sl_symbol_range sl_image_symbol_at(const struct sl_image *image, uint32_t core, uint64_t address);
/* id from 1 to sl_image_symbol_count() inclusive; 0 gives the symbol named "[no image]". */
const struct sl_symbol *sl_image_symbol(const struct sl_image *image, uint32_t id);
uint32_t sl_image_symbol_count(const struct sl_image *image);

struct sl_module {
	const char *name;      /* base name: what a report shows */
	const char *path;
	const uint8_t *build_id;
	size_t build_id_len;
	bool has_symbols, has_lines;
	uint64_t base;	       /* of its first loaded segment, in its own addresses */
};
const struct sl_module *sl_image_module(const struct sl_image *image, uint32_t index);
uint32_t sl_image_module_count(const struct sl_image *image);

/* What is mapped, for people: one entry a mapping, in address order per core. */
struct sl_mapping {
	uint64_t start, end;
	uint32_t core, module;
	uint8_t space;
	uint64_t offset;  /* of the byte at start in the module's file */
};
size_t sl_image_mappings(const struct sl_image *image, const struct sl_mapping **ret);

/* Files that were wanted and not found, with the addresses they would have covered. */
struct sl_missing {
	const char *path;
	uint64_t start, end;  /* end 0: unknown */
	uint32_t core;
	bool refused;	      /* a file is there, of another build */
};
size_t sl_image_missing(const struct sl_image *image, const struct sl_missing **ret);

/*
 * Source lines (libdw). Not for hot loops; one caller at a time per sl_lines object.
 */
struct sl_lines;
int sl_lines_new(const struct sl_image *image, struct sl_lines **ret);
void sl_lines_free(struct sl_lines *lines);
/* The line of address; false where there is none. *file is valid until the lines are freed. */
bool sl_lines_at(struct sl_lines *lines, uint32_t core, uint64_t address, const char **file, unsigned *line);

/*
 * Disassembly (capstone). One caller at a time per object.
 */
struct sl_disasm;
/* Loads libcapstone the first time. SL_OK; SL_ERR_NOMEM; SL_ERR_UNSUPPORTED: it is not there. */
int sl_disasm_new(struct sl_disasm **ret);
void sl_disasm_free(struct sl_disasm *disasm);
/* One instruction at address from code: its text into ret (terminated) and its size in bytes, or 0 where the bytes
 * are no instruction (text says ".inst 0x..."). */
unsigned sl_disasm_one(struct sl_disasm *disasm, enum sl_isa isa, struct sl_bytes code, uint64_t address, char *ret,
		       size_t cap);
#endif
