// SPDX-License-Identifier: Apache-2.0
// Calls in columns: a row is what lies side by side without an overlap, in order of time.
const FLAG = { NO_ENTRY: 1, NO_EXIT: 2, TAIL: 4, REPAIRED: 8, RECURSIVE: 1 << 9, MOVED: 1 << 10, NO_COSTS: 1 << 11 };
const COLUMN = { GAP: 0, DURATION: 1, NAME: 2, KIDS: 3, PAUSE: 4, REST: 5, COUNT: 6 };

// Numbers of seven bits a byte, lowest first.
class Varints {
	constructor(bytes, at) {
		this.bytes = bytes;
		this.at = at;
	}
	next() {
		let byte = this.bytes[this.at++], value = byte & 127;
		for (let weight = 128; byte > 127; weight *= 128) {
			byte = this.bytes[this.at++];
			value += (byte & 127) * weight;
		}
		return value;
	}
	nextSigned() {
		const value = this.next();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}
}

class Row {
	constructor(kind, owner, depth, count, room, from) {
		Object.assign(this, { kind, owner, depth, count, flags: null, below: null, costs: null, places: [] });
		this.start = room.start.subarray(from, from + count);
		this.end = room.end.subarray(from, from + count);
		this.name = room.name.subarray(from, from + count);
		this.levels = null;
		this.sums = null;
	}
	flagsOf(i) {
		return this.flags ? this.flags[i] : 0;
	}
	// First one that ends behind a time, and first one that starts at it or later.
	firstEndingAfter(time) {
		return lowerBound(this.end, time, 0, this.count, true);
	}
	firstStartingAt(time) {
		return lowerBound(this.start, time, 0, this.count, false);
	}
}

// The first index from low on, below high, whose value is not below the limit (or, after, is above it).
function lowerBound(values, limit, low, high, after) {
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (values[middle] < limit || (after && values[middle] === limit))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// The first call of a caller is told from where that began, all others from where the one before them ended.
function readSpans(row, above, bytes) {
	const gap = new Varints(bytes, row.places[COLUMN.GAP]), duration = new Varints(bytes, row.places[COLUMN.DURATION]);
	const kids = above && new Varints(bytes, above.places[COLUMN.KIDS]), { start, end, count } = row;
	let time = 0;
	for (let i = 0, caller = -1, brothers = 0; i < count; i++) {
		if (kids && !brothers) {
			while (!brothers)
				brothers = nextKids(kids, ++caller, above);
			time = above.start[caller];
		}
		brothers--;
		start[i] = time += gap.next();
		end[i] = time += duration.next();
	}
	readNames(row, new Varints(bytes, row.places[COLUMN.NAME]));
}

function nextKids(kids, caller, above) {
	if (caller >= above.count)
		throw new Error('its data are damaged');
	return kids.next();
}

function readNames(row, name) {
	const calls = row.kind === 'calls';
	for (let i = 0; i < row.count; i++) {
		const value = name.next();
		row.name[i] = calls ? value >>> 1 : value;
		if (calls && value & 1) {
			row.flags = row.flags || new Uint16Array(row.count);
			row.flags[i] = name.next();
		}
	}
}

// All rows of the timeline; lists are what the facts say of each: kind, owner, depth, count, and the length of each column.
function readRows(bytes, lists) {
	const total = lists.reduce((sum, list) => sum + list[3], 0);
	const room = { start: new Float64Array(total), end: new Float64Array(total), name: new Uint32Array(total) };
	let from = 0;
	const rows = lists.map((list) => {
		from += list[3];
		return new Row(...list.slice(0, 4), room, from - list[3]);
	});
	placeColumns(rows, lists);
	const above = new Map(rows.map((row) => [`${row.owner}.${row.depth + 1}`, row]).filter(([, row]) => row.kind === 'calls'));
	for (const row of [...rows].sort((a, b) => a.depth - b.depth)) {
		readSpans(row, row.kind === 'calls' && row.depth ? above.get(`${row.owner}.${row.depth}`) : null, bytes);
		indexRow(row);
	}
	return rows;
}

// Columns stand one behind the other, in each the rows in their order.
function placeColumns(rows, lists) {
	let at = 0;
	for (let column = 0; column < COLUMN.COUNT; column++) {
		rows.forEach((row, i) => {
			row.places[column] = at;
			at += lists[i][4 + column];
		});
	}
}

// What each call of a row cost: total, self, and how many calls of the row below it has (which are the next ones there). Read when
// it is wanted first. Below the deepest row that the page has nothing is known: there callees count as self.
function costsOf(row, bytes) {
	if (row.costs)
		return row.costs;
	const kids = new Varints(bytes, row.places[COLUMN.KIDS]), pause = new Varints(bytes, row.places[COLUMN.PAUSE]);
	const rest = new Varints(bytes, row.places[COLUMN.REST]), below = row.below && costsOf(row.below, bytes);
	const costs = { total: new Float64Array(row.count), self: new Float64Array(row.count), kids: new Uint32Array(row.count) };
	let child = 0;
	for (let i = 0; i < row.count; i++) {
		const total = row.end[i] - row.start[i] - pause.nextSigned(), own = rest.nextSigned(), count = costs.kids[i] = kids.next();
		const known = !(row.flagsOf(i) & FLAG.NO_COSTS), callees = below ? askedOf(row.below, child, count) : 0;
		child += count;
		costs.total[i] = known ? total : 0;
		costs.self[i] = known ? total - callees + own : 0;
	}
	row.costs = costs;
	return costs;
}

// What some calls of a row ran for their caller: that of a level which interrupted it is not of it.
function askedOf(row, first, count) {
	const { total } = row.costs;
	let sum = 0;
	for (let i = first; i < first + count; i++)
		sum += row.isLevel[row.name[i]] ? 0 : total[i];
	return sum;
}
