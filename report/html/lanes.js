// SPDX-License-Identifier: Apache-2.0
// Which rows stand where in the timeline: CPUs, chosen lenses, then tracks, pinned ones first.
const ROW_HEIGHT = 16, LANE_SPACE = 6;

// Each is {top, height, row, kind, track or lane, label}; top counts from the first one. Rows of calls that a lens chose have calls instead.
function layLanes(state, lensCalls) {
	const model = state.model, lanes = [];
	let top = 0;
	const add = (lane, space = 1) => {
		lanes.push({ top, height: ROW_HEIGHT, ...lane });
		top += ROW_HEIGHT + space;
	};
	for (const lane of model.lanes)
		add({ kind: 'cpu', row: lane.runs, losses: lane.losses, label: lane.label }, 2);
	for (const lens of state.lenses)
		add({ kind: 'lens', calls: lensCalls(lens), label: lens }, 2);
	top += LANE_SPACE;
	const order = [...model.tracks].sort((a, b) => state.pinned.has(b.number) - state.pinned.has(a.number));
	for (const track of order) {
		const rows = state.collapsed.has(track.number) ? track.rows.slice(0, 1) : track.rows;
		rows.forEach((row, depth) => add({ kind: 'calls', row, track, label: depth ? '' : track.name, depth, rows: rows.length }));
		top += LANE_SPACE;
	}
	return { lanes, height: top };
}
