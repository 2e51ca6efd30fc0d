// SPDX-License-Identifier: Apache-2.0
// The timeline: lanes of calls, a ruler above, names to the left, what is marked on top.
const RULER = 24;

class Timeline {
	constructor(state, colors, lenses) {
		Object.assign(this, { state, colors, lenses, canvas: $('timeline'), scroll: 0, frames: 0 });
		this.context = this.canvas.getContext('2d');
		this.painter = new Painter(this.context);
		this.ask = onceAFrame(() => this.draw());
		this.lay();
		new ResizeObserver(() => this.ask()).observe(this.canvas);
		if (state.model.loader)
			state.model.loader.listen(() => this.ask());
		state.listen((changed) => {
			if (['collapsed', 'pinned', 'lenses'].some((key) => changed.has(key)))
				this.lay();
			if (changed.has('call') && state.call)
				this.showRow(state.call.row);
			this.ask();
		});
	}
	lay() {
		Object.assign(this, layLanes(this.state, (lens) => this.lenses.callsOf(lens)));
	}
	// Room for names: less where there is little.
	get gutter() {
		return Math.round(Math.min(190, this.canvas.clientWidth * 0.28));
	}
	scrollTo(y) {
		this.scroll = Math.max(0, Math.min(y, this.height - (this.canvas.clientHeight - RULER) + 8));
		this.ask();
	}
	showRow(row) {
		const track = this.state.model.trackOf(row);
		if (this.state.collapsed.has(track.number) && row.depth)
			this.toggle(track, 'collapsed');
		const lane = this.lanes.find((one) => one.row === row), room = this.canvas.clientHeight - RULER;
		if (lane && (lane.top < this.scroll || lane.top + lane.height > this.scroll + room))
			this.scrollTo(lane.top - room / 3);
	}
	toggle(track, which) {
		const next = new Set(this.state[which]);
		if (!next.delete(track.number))
			next.add(track.number);
		this.state.set({ [which]: next });
	}
	fit() {
		const scale = devicePixelRatio, width = Math.round(this.canvas.clientWidth * scale), height = Math.round(this.canvas.clientHeight * scale);
		if (this.canvas.width !== width || this.canvas.height !== height)
			Object.assign(this.canvas, { width, height });
		this.scale = scale;
		return width > this.gutter * scale && height > RULER * scale;
	}
	draw() {
		if (!this.fit())
			return;
		const { state, painter, scale } = this, gutter = Math.round(this.gutter * scale), top = Math.round(RULER * scale);
		painter.begin(this.canvas.width - gutter, this.canvas.height - top, scale, this.colors.look);
		painter.see(state.from, state.to);
		for (const lane of this.lanes) {
			const y = Math.round((lane.top - this.scroll) * scale), height = Math.round(lane.height * scale);
			if (y + height > 0 && y < painter.height)
				this.paintLane(lane, y, height);
		}
		this.context.fillStyle = cssColor(this.colors.look.back);
		this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
		painter.show(gutter, top);
		drawTimelineText(this, gutter, top);
		this.frames++;
	}
	paintLane(lane, y, height) {
		const { state, painter, colors } = this, selected = state.group >= 0;
		if (state.model.loader && lane.row)
			state.model.loader.load(lane.row);
		if (lane.kind === 'lens')
			painter.sparse(lane.calls, y, height, ofHsl(hashOf(lane.label) % 360, 0.55, 0.5));
		else if (lane.kind === 'cpu' && lane.row)
			painter.row(lane.row, y, height, colors.tracks, true);
		else if (lane.kind === 'calls' && lane.row)
			painter.row(lane.row, y, height, selected ? colors.faded : colors.names, true);
		if (lane.losses)
			painter.sparse(this.lossesOf(lane.losses), y, height, colors.look.loss);
		const calls = selected && lane.kind === 'calls' && state.model.callsOf(state.group).find((sparse) => sparse.row === lane.row);
		if (calls)
			painter.sparse(calls, y, height, colors.names[lane.row.name[calls.index[0]]]);
	}
	// A loss has a place, and no length that is known: it is drawn three pixels wide.
	lossesOf(row) {
		const width = 3 * this.painter.perPixel;
		return { start: row.start, end: row.end.map((end) => end + width) };
	}
	// What lies at a place of the canvas: the time (null: names), the lane, and the call there, the longest where there are several.
	at(x, y) {
		const inside = y >= RULER, lane = inside && this.lanes.find((one) => y - RULER + this.scroll >= one.top && y - RULER + this.scroll < one.top + one.height);
		if (x < this.gutter)
			return { time: null, lane };
		const perPixel = (this.state.to - this.state.from) / (this.canvas.clientWidth - this.gutter);
		const time = this.state.from + (x - this.gutter) * perPixel;
		return { time, perPixel, lane, ...(lane && lane.row ? callNear(lane.row, time, perPixel) : {}) };
	}
}

// The call of a row at a time, or the longest in its pixel.
function callNear(row, time, perPixel) {
	const first = row.firstEndingAfter(time - perPixel / 2), last = row.firstStartingAt(time + perPixel / 2);
	return last > first ? { row, index: longestCall(row, first, last), others: last - first - 1 } : {};
}
