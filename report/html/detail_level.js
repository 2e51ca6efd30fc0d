// SPDX-License-Identifier: Apache-2.0
// What a pixel shows of the many calls that lie in it: the longest one, and how much of it they fill. Both exactly: nothing is sampled.
const FAN = 16, FAN_BITS = 4;

// The index of the longest call of each block of 16, of each block of 16 such blocks, and so on; sums of durations up to each block.
function indexRow(row) {
	const { start, end, count } = row, blocks = Math.ceil(count / FAN);
	const sums = new Float64Array(blocks + 1), first = new Uint32Array(blocks);
	for (let block = 0, i = 0; block < blocks; block++) {
		let best = i, longest = -1, sum = 0;
		for (const last = Math.min(count, i + FAN); i < last; i++) {
			const duration = end[i] - start[i];
			sum += duration;
			if (duration > longest) {
				longest = duration;
				best = i;
			}
		}
		first[block] = best;
		sums[block + 1] = sums[block] + sum;
	}
	row.sums = sums;
	row.levels = [first];
	while (row.levels[row.levels.length - 1].length > FAN)
		row.levels.push(longestOfBlocks(row, row.levels[row.levels.length - 1]));
}

function longestOfBlocks(row, lower) {
	const upper = new Uint32Array(Math.ceil(lower.length / FAN));
	for (let block = 0; block < upper.length; block++) {
		let best = lower[block * FAN];
		for (let i = block * FAN; i < Math.min(lower.length, (block + 1) * FAN); i++)
			best = longer(row, lower[i], best);
		upper[block] = best;
	}
	return upper;
}

const longer = (row, a, b) => (row.end[a] - row.start[a] > row.end[b] - row.start[b] ? a : b);

// The longest call from index low to before high.
function longestCall(row, low, high) {
	let best = low, level = -1;
	const at = (i) => (level < 0 ? i : row.levels[level][i]);
	for (; high - low > 2 * FAN && level + 1 < row.levels.length; level++) {
		for (; low % FAN; low++)
			best = longer(row, at(low), best);
		for (; high % FAN; high--)
			best = longer(row, at(high - 1), best);
		low >>>= FAN_BITS;
		high >>>= FAN_BITS;
	}
	for (; low < high; low++)
		best = longer(row, at(low), best);
	return best;
}

// How long all calls before an index are together.
function durationBefore(row, index) {
	let sum = row.sums[index >>> FAN_BITS];
	for (let i = index & ~(FAN - 1); i < index; i++)
		sum += row.end[i] - row.start[i];
	return sum;
}

// As lowerBound from low on, where what is looked for is near.
function gallop(values, limit, low, high) {
	let step = 1, probe = low;
	while (probe < high && values[probe] < limit) {
		low = probe + 1;
		probe += step;
		step *= 2;
	}
	return lowerBound(values, limit, low, Math.min(probe, high), false);
}
