// SPDX-License-Identifier: Apache-2.0
// A capture as the page holds it: tables, names, tracks, lanes and their rows of calls.
class Model {
	// bytes: the columns; null where they lie beside the page.
	constructor(facts, bytes) {
		const timeline = facts.timeline;
		Object.assign(this, { tables: facts.tables, paths: facts.paths, unit: timeline.unit || facts.paths.unit, end: Math.max(1, timeline.end),
				      about: timeline.about, calls: timeline.calls, leftOut: timeline.left_out, depth: timeline.depth });
		this.names = timeline.name.map(([name, module, level]) => ({ name, module, level: level === 1, label: readable(name) }));
		this.isLevel = Uint8Array.from(this.names, (name) => (name.level ? 1 : 0));
		this.reasons = timeline.reason.map(([reason]) => reason);
		this.rows = makeRows(timeline.rows);
		this.tracks = timeline.track.map(([name], number) => ({ number, name: readable(name), rows: [] }));
		this.lanes = timeline.lane.map(([cpu], number) => ({ number, label: cpu < 0 ? `lane ${number}` : `CPU ${cpu}`, runs: null, losses: null }));
		this.placeRows();
		this.groupNames();
		this.loader = bytes ? null : new Loader(this, timeline.rows);
		if (bytes)
			fillRows(this.rows, timeline.rows, bytes);
	}
	placeRows() {
		for (const row of this.rows) {
			row.isLevel = this.isLevel;
			if (row.kind === 'calls')
				this.tracks[row.owner].rows[row.depth] = row;
			else
				this.lanes[row.owner][row.kind] = row;
		}
		for (const track of this.tracks)
			track.rows.forEach((row, depth) => { row.below = track.rows[depth + 1] || null; });
		this.trackRows = new Map(this.tracks.map((track) => [track.number, track.rows]));
		this.tracks = this.tracks.filter((track) => track.rows.length);
		this.callRows = this.tracks.flatMap((track) => track.rows.filter(Boolean));
	}
	// Functions of one name and file are one to look at: several symbols may have it.
	groupNames() {
		const groups = new Map();
		this.groups = [];
		this.groupOf = Uint32Array.from(this.names, (name) => {
			const key = `${name.name}\0${name.module}`;
			if (!groups.has(key)) {
				groups.set(key, this.groups.length);
				this.groups.push(name);
			}
			return groups.get(key);
		});
		this.groupKeys = groups;
	}
	// The group of a function; -1 where no call of it is in the timeline.
	groupNamed(name, module) {
		const group = this.groupKeys.get(`${name}\0${module || ''}`);
		return group === undefined ? -1 : group;
	}
	costs(row) {
		return row.count ? costsOf(row) : { total: [], self: [], kids: [] };
	}
	// More calls came: what was counted without them is counted again. above: of which row they are the calls.
	changed(above) {
		if (above)
			above.costs = null;
		this.lastGroup = -1;
	}
	table(key) {
		return this.tables.get(key);
	}
	trackOf(row) {
		return this.tracks.find((track) => track.number === row.owner);
	}
	// Calls of a group, per row of calls: rows that have none are left out. Each is {row, index, start, end}.
	callsOf(group) {
		if (this.lastGroup !== group) {
			this.lastGroup = group;
			this.lastCalls = this.callRows.map((row) => sparseRow(row, (name) => this.groupOf[name] === group)).filter((sparse) => sparse.index.length);
		}
		return this.lastCalls;
	}
}

// The calls of a row whose name is wanted.
function sparseRow(row, wants) {
	const wanted = new Uint8Array(row.isLevel.length);
	for (let name = 0; name < wanted.length; name++)
		wanted[name] = wants(name) ? 1 : 0;
	let count = 0;
	for (let i = 0; i < row.count; i++)
		count += wanted[row.name[i]];
	const sparse = { row, index: new Uint32Array(count), start: new Float64Array(count), end: new Float64Array(count) };
	for (let i = 0, to = 0; count && i < row.count; i++) {
		if (wanted[row.name[i]]) {
			sparse.index[to] = i;
			sparse.start[to] = row.start[i];
			sparse.end[to++] = row.end[i];
		}
	}
	return sparse;
}
