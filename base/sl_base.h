/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_BASE_H
#define SL_BASE_H
/*
 * What every layer shares: results, borrowed bytes, and the one line that an open or load call leaves for a
 * person. Library code never prints, logs or exits.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SL_VERSION "0.1.0"

/* 0 is success, positive a documented outcome that is no error, negative one of these. */
enum sl_result {
	SL_END = 1,		  /* nothing more to yield */
	SL_OK = 0,
	SL_ERR_NOMEM = -1,
	SL_ERR_IO = -2,		  /* a file cannot be read or written; errno said why */
	SL_ERR_FORMAT = -3,	  /* a container or image file is malformed */
	SL_ERR_CONFIG = -4,	  /* the stream's registers are missing or contradict each other */
	SL_ERR_UNSUPPORTED = -5,  /* well formed, but this build cannot decode it */
	SL_ERR_LIMIT = -6,	  /* a size in the input is beyond what is sane to allocate */
};
/* A short English phrase for a result; static, never NULL. */
const char *sl_strerror(int result);

/* Filled by open and load calls on failure: what, where (file, offset), why, what to do; one line. */
struct sl_diag {
	char text[512];
};
/* Formats into diag (which may be NULL) and returns result, so that a caller can `return sl_fail(...)`. */
int sl_fail(struct sl_diag *diag, int result, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A borrowed run of bytes and its position in its stream. */
struct sl_bytes {
	const uint8_t *data;
	size_t len;
	uint64_t offset;
};

#ifdef __cplusplus
}
#endif
#endif
