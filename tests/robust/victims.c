/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "robust.h"
#include "sl_array.h"
#include "sl_file.h"

static int write_whole(const char *path, const uint8_t *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t done = fd < 0 ? -1 : write(fd, data, len);

	if (fd >= 0)
		close(fd);
	return done == (ssize_t)len ? 0 : -1;
}

/* Whether the snapshot's trace.ini, in whatever form, mentions the file. */
static bool is_trace(const char *trace_ini, const char *name)
{
	return trace_ini && strstr(trace_ini, name) != NULL;
}

static int copy_one(struct victims *victims, const char *from, const char *name, const char *trace_ini)
{
	const char *dot = strrchr(name, '.');
	struct victim victim = { .role = ROLE_IMAGE };
	struct sl_file file;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", from, name);
	if (sl_file_map(path, &file, NULL) < 0)
		return 0; /* a directory */
	if (dot && strcmp(dot, ".ini") == 0)
		victim.role = ROLE_INI;
	else if (is_trace(trace_ini, name))
		victim.role = ROLE_TRACE;
	snprintf(path, sizeof(path), "%s/%s", victims->dir, name);
	victim.path = strdup(path);
	victim.data = malloc(file.len + 1);
	victim.len = file.len;
	if (!victim.path || !victim.data || write_whole(path, file.data, file.len) < 0)
		return -1;
	if (file.len)
		memcpy(victim.data, file.data, file.len);
	sl_file_unmap(&file);
	if (victim.role == ROLE_TRACE)
		victims->trace_bytes += victim.len;
	return SL_ARRAY_PUSH(&victims->items, &victims->len, &victims->cap, victim);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct victim *)a)->path, ((const struct victim *)b)->path);
}

int victims_copy(const char *from, struct victims *ret)
{
	char path[4096], *trace_ini = NULL;
	struct dirent *entry;
	size_t len;
	int result = 0;
	DIR *dir = opendir(from);

	*ret = (struct victims){ .dir = "/tmp/sl_robust_XXXXXX" };
	snprintf(path, sizeof(path), "%s/trace.ini", from);
	sl_file_read_text(path, 1 << 20, &trace_ini, &len, NULL);
	if (!dir || !mkdtemp(ret->dir))
		return -1;
	while (result == 0 && (entry = readdir(dir)) != NULL)
		result = copy_one(ret, from, entry->d_name, trace_ini);
	closedir(dir);
	free(trace_ini);
	/* The order of readdir() is not the same everywhere; that of the cases is. */
	qsort(ret->items, ret->len, sizeof(*ret->items), by_path);
	return result;
}

void victims_remove(struct victims *victims)
{
	for (size_t i = 0; i < victims->len; i++) {
		unlink(victims->items[i].path);
		free(victims->items[i].path);
		free(victims->items[i].data);
	}
	free(victims->items);
	rmdir(victims->dir);
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* The n-th file (modulo their number) of a role. */
static const struct victim *pick(const struct victims *victims, enum role role, uint64_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < victims->len; i++)
		count += victims->items[i].role == role && victims->items[i].len;
	if (!count)
		return NULL;
	n %= count;
	for (size_t i = 0; i < victims->len; i++) {
		if (victims->items[i].role == role && victims->items[i].len && n-- == 0)
			return &victims->items[i];
	}
	return NULL;
}

static void flip(const struct victim *victim, uint64_t *random, char *what, size_t cap)
{
	int fd = open(victim->path, O_WRONLY);
	unsigned flips = 1 + (unsigned)(next_random(random) % 4);
	size_t used = (size_t)snprintf(what, cap, "%s flipped at", victim->path);

	while (fd >= 0 && flips--) {
		size_t at = (size_t)(next_random(random) % victim->len);
		uint8_t byte = victim->data[at] ^ (uint8_t)(1 + next_random(random) % 255);

		if (pwrite(fd, &byte, 1, (off_t)at) != 1)
			break;
		if (used < cap)
			used += (size_t)snprintf(what + used, cap - used, " %zu=%02x", at, byte);
	}
	close(fd);
}

const struct victim *victims_damage(const struct victims *victims, unsigned n, uint64_t seed, char *what,
				    size_t cap)
{
	uint64_t random = seed ^ n;
	const struct victim *victim;

	next_random(&random);
	if (n < CUTS) {
		size_t cut;

		victim = pick(victims, ROLE_TRACE, n);
		if (!victim)
			return NULL;
		cut = victim->len * n / CUTS;
		snprintf(what, cap, "%s cut to %zu bytes", victim->path, cut);
		return truncate(victim->path, (off_t)cut) == 0 ? victim : NULL;
	}
	victim = pick(victims,
		      n % 8 == 0   ? ROLE_INI
		      : n % 8 == 1 ? ROLE_IMAGE
				   : ROLE_TRACE,
		      next_random(&random));
	if (victim)
		flip(victim, &random, what, cap);
	return victim;
}

void victim_repair(const struct victim *victim)
{
	if (write_whole(victim->path, victim->data, victim->len) < 0)
		abort();
}
