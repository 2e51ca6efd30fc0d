/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that the traced program wrote: perf-PID.map, jit-PID.dump. They are named by a process id, so one of another
 * machine, or of another time, would say what is not true; and /tmp is everybody's.
 */
#include "perf_images.h"

#include "sl_file.h"
#include "sl_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct side {
	const struct sl_capture *cap;
	const char *path, *name; /* name: the last part of path */
	struct sl_notes *notes;
	char **ret;
};

static void note_stranger(const struct side *side, const char *path)
{
	char shown[256];

	sl_notes_add(side->notes,
		     "%s is not read: it is not a file of yours or of root, and others may write there; if you trust it, give a "
		     "folder with a copy as --symfs DIR",
		     sl_printable(path, shown, sizeof(shown)));
}

/* dir/name if it is a file, of an owner who is trusted where owners matter. SL_OK or SL_ERR_NOMEM. */
static int try_below(struct side *side, const char *dir, const char *name, const uid_t *owner)
{
	char *path = NULL;
	struct stat st;
	bool file;
	int result = *side->ret ? SL_END : sl_path_inside(dir, name, side->cap->allow_outside, &path, NULL);

	if (result == SL_ERR_NOMEM)
		return result;
	if (result != SL_OK)
		return SL_OK;
	file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
	if (file && (!owner || st.st_uid == *owner || st.st_uid == geteuid() || st.st_uid == 0)) {
		*side->ret = path;
		return SL_OK;
	}
	if (file)
		note_stranger(side, path);
	free(path);
	return SL_OK;
}

static bool is_this_host(const struct perf_file *file)
{
	const char *recorded = perf_file_hostname(file);
	char name[256];

	return recorded && gethostname(name, sizeof(name)) == 0 && strnlen(name, sizeof(name)) < sizeof(name) &&
	       strcmp(recorded, name) == 0;
}

/* Whether anybody may write to a folder, as to /tmp: what lies there may come from any program of this machine. */
static bool is_shared(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 && st.st_mode & S_IWOTH;
}

/* In the folder that path lies in. */
static int try_beside(struct side *side, const char *path, const uid_t *owner)
{
	char *dir = strdup(path), *slash;
	int result;

	if (!dir)
		return SL_ERR_NOMEM;
	slash = strrchr(dir, '/');
	while (slash && slash > dir && !slash[1]) { /* recording/ */
		*slash = '\0';
		slash = strrchr(dir, '/');
	}
	if (slash)
		slash[slash == dir] = '\0';
	if (is_shared(slash ? dir : ".") && !is_this_host(side->cap->perf->file))
		result = SL_OK;
	else
		result = try_below(side, slash ? dir : ".", side->name, owner);
	free(dir);
	return result;
}

/* In a recording's directory, and beside the recording. Who wrote it is believed. */
static int try_recording(struct side *side)
{
	const char *path = side->cap->perf->path, *dir = perf_file_dir(side->cap->perf->file);
	struct stat st;
	int result = SL_OK;

	if (strcmp(path, "-") == 0 || stat(path, &st) < 0)
		return SL_OK;
	if (dir)
		result = try_below(side, dir, side->name, &st.st_uid);
	return result == SL_OK ? try_beside(side, path, &st.st_uid) : result;
}

/* At its own path: lstat, because a link that a stranger left in /tmp may lead anywhere. */
static int try_own_path(struct side *side)
{
	struct stat st;

	if (side->path[0] != '/' || !is_this_host(side->cap->perf->file) || lstat(side->path, &st) < 0)
		return SL_OK;
	if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0)) {
		note_stranger(side, side->path);
		return SL_OK;
	}
	*side->ret = strdup(side->path);
	return *side->ret ? SL_OK : SL_ERR_NOMEM;
}

int perf_side_file(const struct sl_capture *cap, const char *path, struct sl_notes *notes, char **ret)
{
	const char *slash = strrchr(path, '/'), *symfs = cap->perf->symfs;
	struct side side = { .cap = cap, .path = path, .name = slash ? slash + 1 : path, .notes = notes, .ret = ret };
	int result = SL_OK;

	*ret = NULL;
	if (symfs)
		result = try_below(&side, symfs, path + strspn(path, "/"), NULL);
	if (symfs && result == SL_OK)
		result = try_below(&side, symfs, side.name, NULL);
	if (result == SL_OK)
		result = try_recording(&side);
	if (result == SL_OK && !*ret && !symfs)
		result = try_own_path(&side);
	return result;
}
