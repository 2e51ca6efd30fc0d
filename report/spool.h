/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_SPOOL_H
#define SL_SPOOL_H
/*
 * Streams of bytes that are written in turns and read one after another, in one temporary file: a format that wants all of a
 * track in one place is written so, in memory that does not grow with the calls (8 bytes of 4096). Internal to report/.
 */
#include "sl_base.h"

struct spool;
int spool_new(struct spool **ret);
void spool_free(struct spool *spool);
/* Appends to a stream, made where it is new. What could not be kept is remembered until spool_result. */
void spool_put(struct spool *spool, uint32_t stream, const void *data, size_t len);
/* The same for a number, seven bits a byte, lowest first. */
void spool_put_number(struct spool *spool, uint32_t stream, uint64_t value);
uint32_t spool_streams(const struct spool *spool);
uint64_t spool_length(const struct spool *spool, uint32_t stream);
/* SL_OK, SL_ERR_IO or SL_ERR_NOMEM. */
int spool_result(const struct spool *spool);

/* Reads a stream from its beginning: when all is written. */
struct spool_reader {
	struct spool *spool;
	uint32_t stream;
	uint64_t at;
	size_t used, len;
	uint8_t block[4096];
};
void spool_read(struct spool *spool, uint32_t stream, struct spool_reader *ret);
/* The next bytes, borrowed until the next call; 0 at the end, also where they could not be read. */
size_t spool_next(struct spool_reader *reader, const uint8_t **ret);
/* False at the end. */
bool spool_next_number(struct spool_reader *reader, uint64_t *ret);
#endif
