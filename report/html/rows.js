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
	// It has nothing until it is filled.
	constructor(kind, owner, depth, size) {
		Object.assign(this, { kind, owner, depth, size, count: 0, flags: null, below: null, costs: null, bytes: null, places: [], levels: [], sums: new Float64Array(1),
				      start: new Float64Array(0), end: new Float64Array(0), name: new Uint32Array(0) });
	}
	// bytes: what its columns are in, from these places on.
	fill(bytes, places, above) {
		Object.assign(this, { bytes, places, count: this.size, start: new Float64Array(this.size), end: new Float64Array(this.size), name: new Uint32Array(this.size) });
		readSpans(this, above);
		indexRow(this);
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
function readSpans(row, above) {
	const { bytes } = row, gap = new Varints(bytes, row.places[COLUMN.GAP]), duration = new Varints(bytes, row.places[COLUMN.DURATION]);
	const kids = above && new Varints(above.bytes, above.places[COLUMN.KIDS]), { start, end, count } = row;
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

// All rows of the timeline, without what is in them; lists are what the facts say of each: kind, owner, depth, count, and the length of each column.
const makeRows = (lists) => lists.map((list) => new Row(...list.slice(0, 4)));

// What is in them, where the page has it: columns one behind the other, in each the rows in their order.
function fillRows(rows, lists, bytes) {
	const places = rows.map(() => []), above = new Map();
	let at = 0;
	for (let column = 0; column < COLUMN.COUNT; column++) {
		rows.forEach((row, i) => {
			places[i].push(at);
			at += lists[i][4 + column];
		});
	}
	const order = rows.map((row, i) => i).sort((a, b) => rows[a].depth - rows[b].depth);
	for (const i of order) {
		const row = rows[i], calls = row.kind === 'calls';
		row.fill(bytes, places[i], calls && row.depth ? above.get(`${row.owner}.${row.depth - 1}`) : null);
		if (calls)
			above.set(`${row.owner}.${row.depth}`, row);
	}
}

// One row alone, with all its columns.
function takeRow(row, above, bytes, list) {
	let at = 0;
	row.fill(bytes, list.slice(4).map((length) => (at += length) - length), above);
}

// What each call of a row cost: total, self, and how many calls of the row below it has (which are the next ones there). Read when
// it is wanted first. Below the deepest row that the page has nothing is known: there callees count as self.
function costsOf(row) {
	if (row.costs)
		return row.costs;
	const { bytes } = row, kids = new Varints(bytes, row.places[COLUMN.KIDS]), pause = new Varints(bytes, row.places[COLUMN.PAUSE]);
	const rest = new Varints(bytes, row.places[COLUMN.REST]), below = row.below && row.below.count && costsOf(row.below);
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
