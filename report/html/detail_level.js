// SPDX-License-Identifier: Apache-2.0
// What a pixel shows of the many calls that lie in it: the longest one, and how much of it they fill. Both exactly: nothing is sampled.
const FAN = 16, FAN_BITS = 4;

// The longest call of each block of 16, of each block of 16 such blocks, and so on: {index, duration}; sums of durations up to each block.
function indexRow(row) {
	const { start, end, count } = row, blocks = Math.ceil(count / FAN);
	const sums = new Float64Array(blocks + 1), first = { index: new Uint32Array(blocks), duration: new Float64Array(blocks) };
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
		first.index[block] = best;
		first.duration[block] = longest;
		sums[block + 1] = sums[block] + sum;
	}
	row.sums = sums;
	row.levels = [first];
	while (row.levels[row.levels.length - 1].index.length > FAN)
		row.levels.push(longestOfBlocks(row.levels[row.levels.length - 1]));
}

function longestOfBlocks(lower) {
	const blocks = Math.ceil(lower.index.length / FAN), upper = { index: new Uint32Array(blocks), duration: new Float64Array(blocks) };
	for (let block = 0; block < blocks; block++) {
		const best = longestIn(lower.duration, block * FAN, block * FAN, Math.min(lower.index.length, (block + 1) * FAN));
		upper.index[block] = lower.index[best];
		upper.duration[block] = lower.duration[best];
	}
	return upper;
}

// The index of the greatest of values: at best, or from low to before high.
function longestIn(values, best, low, high) {
	let longest = values[best];
	for (let i = low; i < high; i++) {
		if (values[i] > longest) {
			longest = values[i];
			best = i;
		}
	}
	return best;
}

// The same of the durations of a row's calls.
function longestOf({ start, end }, best, low, high) {
	let longest = end[best] - start[best];
	for (let i = low; i < high; i++) {
		const duration = end[i] - start[i];
		if (duration > longest) {
			longest = duration;
			best = i;
		}
	}
	return best;
}

// The longest call from index low to before high.
function longestCall(row, low, high) {
	if (high - low <= 2 * FAN)
		return longestOf(row, low, low, high);
	let first = Math.ceil(low / FAN), last = high >>> FAN_BITS, best = longestOf(row, longestOf(row, low, low, first * FAN), last * FAN, high);
	for (const { index, duration } of row.levels) {
		const inner = last - first > 2 * FAN ? Math.ceil(first / FAN) * FAN : last, outer = last - first > 2 * FAN ? last & ~(FAN - 1) : last;
		if (first < last) {
			const block = longestIn(duration, longestIn(duration, first, first, inner), outer, last);
			best = longer(row, index[block], best);
		}
		if (inner === last)
			break;
		first = inner >>> FAN_BITS;
		last = outer >>> FAN_BITS;
	}
	return best;
}

const longer = (row, a, b) => (row.end[a] - row.start[a] > row.end[b] - row.start[b] ? a : b);

// How long all calls before an index are together.
function durationBefore(row, index) {
	return row.sums[index >>> FAN_BITS] + durationOf(row, index & ~(FAN - 1), index);
}

function durationOf(row, low, high) {
	const { start, end } = row;
	let sum = 0;
	for (let i = low; i < high; i++)
		sum += end[i] - start[i];
	return sum;
}

// ... all from low to before high.
const durationBetween = (row, low, high) => (high - low <= 2 * FAN ? durationOf(row, low, high) : durationBefore(row, high) - durationBefore(row, low));

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
