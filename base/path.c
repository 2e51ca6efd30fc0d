/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sl_file.h"

static char *join(const char *dir, const char *name)
{
	size_t dir_len = strlen(dir), name_len = strlen(name);
	char *path = malloc(dir_len + name_len + 2);

	if (!path)
		return NULL;
	memcpy(path, dir, dir_len);
	if (dir_len && dir[dir_len - 1] != '/')
		path[dir_len++] = '/';
	memcpy(path + dir_len, name, name_len + 1);
	return path;
}

/* True where the components of name climb above where they started, links aside. */
static bool climbs_out(const char *name)
{
	size_t depth = 0;

	while (*name) {
		size_t n = strcspn(name, "/");

		if (n == 2 && memcmp(name, "..", 2) == 0) {
			if (!depth--)
				return true;
		} else if (n && !(n == 1 && *name == '.')) {
			depth++;
		}
		name += n;
		name += *name == '/';
	}
	return false;
}

/* True where inner, both resolved, is outer or lies below it. */
static bool lies_below(const char *outer, const char *inner)
{
	size_t n = strlen(outer);

	if (n == 1)
		return true; /* "/" */
	return strncmp(outer, inner, n) == 0 && (inner[n] == '/' || inner[n] == '\0');
}

/*
 * SL_OK where path, with its links followed, lies in dir. A file that is not there passes: whoever opens it
 * says so. What cannot be resolved for another reason is refused, for it might open all the same.
 */
static int check_links(const char *dir, const char *path, const char *name, struct sl_diag *diag)
{
	char *inner = realpath(path, NULL);
	char *outer = inner ? realpath(dir, NULL) : NULL;
	int result = SL_OK;

	if (inner && outer && !lies_below(outer, inner))
		result = sl_fail(
			diag, SL_ERR_FORMAT,
			"'%s' leads out of '%s' by a symbolic link, to '%s'; use --allow-outside to follow it",
			name, dir, inner);
	else if (!outer && errno != ENOENT && errno != ENOTDIR)
		result = sl_fail(diag, SL_ERR_FORMAT,
				 "cannot tell whether '%s' lies in '%s': %s; see --allow-outside", name, dir,
				 strerror(errno));
	free(inner);
	free(outer);
	return result;
}

int sl_path_inside(const char *dir, const char *name, bool allow_outside, char **ret, struct sl_diag *diag)
{
	char *path;
	int result;

	if (!*dir)
		dir = ".";
	if (!allow_outside && (*name == '/' || climbs_out(name)))
		return sl_fail(diag, SL_ERR_FORMAT, "'%s' lies outside '%s'; use --allow-outside to read it",
			       name, dir);
	path = *name == '/' ? strdup(name) : join(dir, name);
	if (!path)
		return sl_fail(diag, SL_ERR_NOMEM, "'%s': %s", name, sl_strerror(SL_ERR_NOMEM));
	result = allow_outside ? SL_OK : check_links(dir, path, name, diag);
	if (result < 0) {
		free(path);
		return result;
	}
	*ret = path;
	return SL_OK;
}
