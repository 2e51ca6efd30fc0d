/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences that OpenCSD 1.3.3 crashes on must be refused, and those that real trace units send let through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "speculation.h"

/* One packet a letter: e an E atom, a an address, c an address with context, t a timestamp, x an exception, q a Q element
 * without address, o overflow; C commits 1, M mispredicts, X cancels 1, F cancels 1 and mispredicts, G does so and
 * adds an atom. */
static bool passes(const char *packets, uint64_t max_depth)
{
	struct speculation spec = { .max_depth = max_depth };
	bool safe = true;

	for (; *packets; packets++) {
		struct speculation_packet p = { .count = 1 };

		switch (*packets) {
		case 'e': p.step = SPEC_ATOMS; break;
		case 'a': p.step = SPEC_ADDRESS; break;
		case 'c': p.step = SPEC_CONTEXT_ADDRESS; break;
		case 't': p.step = SPEC_KEPT; break;
		case 'x':
		case 'q': p.step = SPEC_P0_OPEN; break;
		case 'o': p.step = SPEC_LOST; break;
		case 'C': p.step = SPEC_COMMIT; break;
		case 'M': p.step = SPEC_MISPREDICT; p.count = 0; break;
		case 'X': p.step = SPEC_CANCEL; break;
		case 'F': p.step = SPEC_MISPREDICT; break;
		case 'G': p.step = SPEC_MISPREDICT; p.atoms = 1; break;
		default: fail();
		}
		safe = speculation_take(&spec, &p);
	}
	return safe;
}

void test_speculation__what_trace_units_send(void **state)
{
	(void)state;
	assert_true(passes("ceeF", 8));	   /* the second atom was wrong: cancelled, the first one mispredicted */
	assert_true(passes("ceM", 8));
	assert_true(passes("ceaM", 8));	   /* an address after the atom: skipped */
	assert_true(passes("cetM", 8));	   /* a timestamp after the atom */
	assert_true(passes("ceeXeC", 8));
	assert_true(passes("cexaC", 8));   /* an exception with its address, committed */
	assert_true(passes("cexC", 8));	   /* ... the atom before it is, the exception waits */
}

void test_speculation__what_makes_opencsd_crash(void **state)
{
	(void)state;
	assert_false(passes("M", 8));	   /* nothing to take back */
	assert_false(passes("aM", 8));	   /* an address, and no atom behind it */
	assert_false(passes("ceCaG", 8));  /* the atom before is committed, the new one cancelled */
	assert_false(passes("ceatM", 8));  /* an address below a timestamp: erased in the middle */
	assert_false(passes("ceoM", 8));   /* lost with the overflow */
	assert_false(passes("X", 8));	   /* cancels more than there is */
	assert_false(passes("qC", 8));	   /* commits what has no address yet */
	assert_false(passes("xC", 8));
}

void test_speculation__depth_commits_the_oldest(void **state)
{
	(void)state;
	assert_true(passes("ceeeM", 2));
	assert_false(passes("ceeeXXX", 2));  /* the first of the three is committed: nothing left for the third cancel */
	assert_false(passes("ceaM", 0));
}
