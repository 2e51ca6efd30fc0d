/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ROBUST_H
#define ROBUST_H
/* A snapshot copied to a temporary directory, and one damage after another done to its files. */
#include "sl_base.h"

enum role { ROLE_INI, ROLE_TRACE, ROLE_IMAGE };

struct victim {
	char *path;    /* of the copy */
	uint8_t *data; /* the undamaged bytes */
	size_t len;
	enum role role;
};
struct victims {
	char dir[64];
	struct victim *items;
	size_t len, cap;
	size_t trace_bytes;
};

/* Copies the regular files of the directory from (not of its subdirectories). 0, or -1. */
int victims_copy(const char *from, struct victims *ret);
/* Removes the copy. */
void victims_remove(struct victims *victims);

enum { CUTS = 50, FLIPS = 200, CASES = CUTS + FLIPS };
/*
 * Case n of CASES: the first CUTS cut the trace buffers, the others flip bits of one file each, mostly of a
 * buffer. Returns the file damaged (to be repaired with victim_repair), or NULL where there is nothing to
 * damage.
 */
const struct victim *victims_damage(const struct victims *victims, unsigned n, uint64_t seed, char *what,
				    size_t cap);
void victim_repair(const struct victim *victim);

/* Everything that the program does with a capture, output thrown away. The image of *kept, if any, is used;
 * else the capture's own is loaded, and left in *kept where keep. Any result is fine; coming back is the
 * point. */
struct sl_image;
void robust_run(const char *dir, unsigned n, struct sl_image **kept, bool keep);
#endif
