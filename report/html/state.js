// SPDX-License-Identifier: Apache-2.0
// What of a timeline is looked at.
class State extends Choices {
	constructor(model) {
		super();
		this.model = model;
		this.from = 0;
		this.to = model.end;
		this.group = -1;	// the selected function
		this.call = null;	// the selected call: {row, index}
		this.markers = [null, null];
		this.range = null;	// [from, to] that tables are of; null: all
		this.text = '';		// of the search
		this.tab = 'timeline';
		this.collapsed = new Set();
		this.pinned = new Set();
		this.lenses = new Set();
	}
	look(from, to) {
		const least = Math.min(this.model.end, this.model.unit === 'ns' ? 20 : 8);
		const span = Math.min(Math.max(to - from, least), this.model.end);
		const begin = Math.max(0, Math.min(from, this.model.end - span));
		this.set({ from: begin, to: begin + span });
	}
	zoom(factor, around) {
		this.look(around - (around - this.from) * factor, around + (this.to - around) * factor);
	}
	move(share) {
		const by = (this.to - this.from) * share;
		this.look(this.from + by, this.to + by);
	}
	selectCall(row, index) {
		this.set({ call: { row, index }, group: this.model.groupOf[row.name[index]] });
	}
	// Selects a call and looks at it with some of what is around.
	goTo(row, index) {
		const span = Math.max(row.end[index] - row.start[index], 1);
		this.set({ tab: 'timeline' });
		this.look(row.start[index] - span * 0.75, row.end[index] + span * 0.75);
		this.selectCall(row, index);
	}
	// The next (1) or previous (-1) call of the selected function, on any track.
	step(direction) {
		const best = this.group < 0 ? null : this.neighbour(direction);
		if (!best)
			return;
		this.selectCall(best.row, best.index);
		if (best.start < this.from || best.start > this.to) {
			const half = (this.to - this.from) / 2;
			this.look(best.start - half, best.start + half);
		}
	}
	neighbour(direction) {
		const own = this.call && this.model.groupOf[this.call.row.name[this.call.index]] === this.group;
		const here = own ? this.call.row.start[this.call.index] : direction > 0 ? this.from - 1 : this.to + 1;
		let best = null;
		for (const sparse of this.model.callsOf(this.group)) {
			const i = direction > 0 ? lowerBound(sparse.start, here, 0, sparse.start.length, true) : lowerBound(sparse.start, here, 0, sparse.start.length, false) - 1;
			const start = sparse.start[i];
			if (start !== undefined && (!best || (start - best.start) * direction < 0))
				best = { row: sparse.row, index: sparse.index[i], start };
		}
		return best;
	}
	mark(time) {
		const [first, second] = this.markers;
		this.set({ markers: first === null || second !== null ? [time, null] : [first, time] });
	}
}
