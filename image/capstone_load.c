/* SPDX-License-Identifier: Apache-2.0 */
#include "capstone_load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
/* Of the version whose header this was built with: structures differ between them. */
#define LIBRARY "libcapstone.so." TEXT(CS_API_MAJOR)

static struct capstone functions;
static bool loaded;

/* A pointer to data becomes one to a function byte by byte: C has no conversion between them. */
static bool find(void *library, const char *name, void *ret, size_t size)
{
	void *symbol = dlsym(library, name);

	memcpy(ret, &symbol, size);
	return symbol;
}

/* It stays as long as the program does. */
static void load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	loaded = library && find(library, "cs_open", &functions.open, sizeof(functions.open)) &&
		 find(library, "cs_close", &functions.close, sizeof(functions.close)) &&
		 find(library, "cs_malloc", &functions.alloc, sizeof(functions.alloc)) &&
		 find(library, "cs_free", &functions.free, sizeof(functions.free)) &&
		 find(library, "cs_disasm_iter", &functions.disasm_iter, sizeof(functions.disasm_iter));
}

const struct capstone *capstone_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return loaded ? &functions : NULL;
}
