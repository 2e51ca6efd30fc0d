// SPDX-License-Identifier: Apache-2.0
// Lenses: which calls are events of a kind, as the table of events says; as lanes of the timeline.
class Lenses {
	constructor(model) {
		this.model = model;
		this.made = new Map();
		const table = model.table('events.events');
		this.names = table ? [...new Set(table.rows.map((row) => row[table.index.get('lens')]))] : [];
	}
	callsOf(lens) {
		if (!this.made.has(lens))
			this.made.set(lens, this.find(lens));
		return this.made.get(lens);
	}
	// Of all tracks together, by their beginning.
	find(lens) {
		const table = this.model.table('events.events'), column = (name) => table.index.get(name), wanted = new Set();
		for (const row of table.rows) {
			if (row[column('lens')] === lens)
				wanted.add(row[column('event')]);
		}
		const rows = this.model.callRows.map((row) => sparseRow(row, (name) => wanted.has(this.model.names[name].name)));
		const calls = rows.flatMap((sparse) => Array.from(sparse.start, (start, i) => [start, sparse.end[i]]));
		calls.sort((a, b) => a[0] - b[0]);
		return { start: Float64Array.from(calls, ([start]) => start), end: runningMaximum(calls) };
	}
}

// Calls of several tracks overlap: what is searched for by its end must ascend.
function runningMaximum(calls) {
	let latest = 0;
	return Float64Array.from(calls, ([, end]) => (latest = Math.max(latest, end)));
}
