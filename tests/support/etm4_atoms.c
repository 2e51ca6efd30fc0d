/* SPDX-License-Identifier: Apache-2.0 */
/* The atom packets of etm4_encode.h: IHI 0064H.b 6.4, "Atom instruction trace packets". */
#include "etm4_encode.h"

#include <assert.h>

/* Atom format 1 */
void etm4_atom_f1(struct etm4_writer *w, unsigned atom)
{
	etm4_byte(w, 0xf6 | (atom & 1));
}

/* Atom format 2 */
void etm4_atom_f2(struct etm4_writer *w, unsigned atoms)
{
	etm4_byte(w, 0xd8 | (atoms & 3));
}

/* Atom format 3 */
void etm4_atom_f3(struct etm4_writer *w, unsigned atoms)
{
	etm4_byte(w, 0xf8 | (atoms & 7));
}

/* Atom format 4: NEEE NNNN NENE ENEN, oldest first */
void etm4_atom_f4(struct etm4_writer *w, unsigned pattern)
{
	etm4_byte(w, 0xdc | (pattern & 3));
}

/* Atom format 5: NEEEE NNNNN NENEN ENENE, oldest first */
void etm4_atom_f5(struct etm4_writer *w, unsigned pattern)
{
	etm4_byte(w, pattern == 0 ? 0xf5 : 0xd4 + pattern);
}

/* Atom format 6: COUNT + 3 times E, then E (A 0) or N (A 1) */
void etm4_atom_f6(struct etm4_writer *w, unsigned taken, unsigned last)
{
	assert(taken >= 3 && taken <= 23);
	etm4_byte(w, (last & 1 ? 0xc0 : 0xe0) + taken - 3);
}

static const struct {
	uint8_t atoms, count, header;
} patterns[] = {
	{ 0x1e, 5, 0xf5 }, { 0x00, 5, 0xd5 }, { 0x0a, 5, 0xd6 }, { 0x15, 5, 0xd7 },
	{ 0x0e, 4, 0xdc }, { 0x00, 4, 0xdd }, { 0x0a, 4, 0xde }, { 0x05, 4, 0xdf },
};

static unsigned leading_taken(uint32_t atoms, unsigned count)
{
	unsigned n = 0;

	while (n < count && atoms >> n & 1)
		n++;
	return n;
}

/* One packet for the oldest of the atoms; how many it took. */
static unsigned put_atom_packet(struct etm4_writer *w, uint32_t atoms, unsigned count)
{
	unsigned taken = leading_taken(atoms, count);

	if (taken >= 3 && count >= 4) {
		taken = taken == count ? count - 1 : taken;
		taken = taken > 23 ? 23 : taken;
		etm4_atom_f6(w, taken, atoms >> taken & 1);
		return taken + 1;
	}
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (count >= patterns[i].count &&
		    (atoms & ((1u << patterns[i].count) - 1)) == patterns[i].atoms) {
			etm4_byte(w, patterns[i].header);
			return patterns[i].count;
		}
	}
	if (count >= 3)
		etm4_atom_f3(w, atoms);
	else if (count == 2)
		etm4_atom_f2(w, atoms);
	else
		etm4_atom_f1(w, atoms);
	return count >= 3 ? 3 : count;
}

void etm4_atoms(struct etm4_writer *w, uint32_t atoms, unsigned count)
{
	assert(count <= 32);
	while (count > 0) {
		unsigned used = put_atom_packet(w, atoms, count);

		atoms = used == 32 ? 0 : atoms >> used;
		count -= used;
	}
}
