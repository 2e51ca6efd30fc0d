/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "spool.h"

enum { STREAMS = 3, NUMBERS = 20000 };

static uint64_t number_at(uint32_t stream, uint64_t i)
{
	return i * i * i * (stream + 1) << (i % 40);
}

/* Numbers of all sizes, in turns, over many blocks. */
void test_spool__streams_come_back_one_by_one(void **state)
{
	struct spool_reader reader;
	struct spool *spool;
	uint64_t value;

	(void)state;
	assert_int_equal(spool_new(&spool), SL_OK);
	for (uint64_t i = 0; i < NUMBERS; i++) {
		for (uint32_t stream = 0; stream < STREAMS; stream++)
			spool_put_number(spool, stream * 2, number_at(stream, i));
	}
	assert_int_equal(spool_streams(spool), STREAMS * 2 - 1);
	for (uint32_t stream = 0; stream < STREAMS; stream++) {
		spool_read(spool, stream * 2, &reader);
		for (uint64_t i = 0; i < NUMBERS; i++) {
			assert_true(spool_next_number(&reader, &value));
			assert_int_equal(value, number_at(stream, i));
		}
		assert_false(spool_next_number(&reader, &value));
	}
	spool_read(spool, 1, &reader);
	assert_false(spool_next_number(&reader, &value));
	assert_int_equal(spool_result(spool), SL_OK);
	spool_free(spool);
}

void test_spool__bytes_are_as_many_as_were_put(void **state)
{
	static const uint8_t bytes[5000] = { 1 };
	struct spool_reader reader;
	const uint8_t *got;
	struct spool *spool;
	uint64_t sum = 0;
	size_t len;

	(void)state;
	assert_int_equal(spool_new(&spool), SL_OK);
	for (int i = 0; i < 4; i++)
		spool_put(spool, 0, bytes, sizeof(bytes));
	assert_int_equal(spool_length(spool, 0), 4 * sizeof(bytes));
	spool_read(spool, 0, &reader);
	while ((len = spool_next(&reader, &got)) != 0)
		sum += len;
	assert_int_equal(sum, 4 * sizeof(bytes));
	spool_free(spool);
}
