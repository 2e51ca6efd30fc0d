// SPDX-License-Identifier: Apache-2.0
// detail_level_test.mjs SCRIPTS: what a pixel shows, against the same counted one by one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = ['rows.js', 'detail_level.js'].map((name) => readFileSync(join(process.argv[2], name), 'utf8')).join('\n');
const level = new Function(`${source}; return { longestCall, indexRow, durationBetween, lowerBound, gallop };`)();

// The same numbers each time.
let seed = 1;
const dice = (sides) => {
	seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
	return Math.floor(seed / 2 ** 32 * sides);
};

function makeRow(count) {
	const row = { count, start: new Float64Array(count), end: new Float64Array(count) };
	for (let i = 0, at = 0; i < count; i++) {
		row.start[i] = at += dice(9);
		row.end[i] = at += dice(100) ? dice(9) : dice(10000);
	}
	level.indexRow(row);
	return row;
}

function check(row, low, high, limit) {
	const durations = Array.from({ length: high - low }, (_, i) => row.end[low + i] - row.start[low + i]), best = level.longestCall(row, low, high);
	const sum = durations.reduce((all, duration) => all + duration, 0), first = row.start.findIndex((start, i) => i >= low && start >= limit);
	return best >= low && best < high && row.end[best] - row.start[best] === Math.max(...durations) && level.durationBetween(row, low, high) === sum &&
		level.gallop(row.start, limit, low, row.count) === (first < 0 ? row.count : first);
}

for (const count of [1, 2, 15, 16, 17, 33, 255, 256, 257, 4095, 4096, 4097, 9000]) {
	const row = makeRow(count);
	for (let i = 0; i < 200; i++) {
		const low = dice(count), high = low + 1 + dice(count - low), limit = dice(row.end[count - 1] + 2);
		if (!check(row, low, high, limit)) {
			console.log(`wrong: ${count} calls, ${low} to ${high}, ${limit}`);
			process.exit(1);
		}
	}
}
