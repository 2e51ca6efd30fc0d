// SPDX-License-Identifier: Apache-2.0
// Mouse, touch and keys on the timeline.
const ZOOM_STEP = 0.7, MOVE_STEP = 0.2, CLICK_SLACK = 4;

class TimelineInput {
	constructor(state, timeline) {
		Object.assign(this, { state, timeline, canvas: timeline.canvas, pointers: new Map(), pointer: null, drag: null });
		this.canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
		this.canvas.onpointerdown = (event) => this.down(event);
		this.canvas.onpointermove = (event) => this.move(event);
		this.canvas.onpointerup = (event) => this.up(event);
		this.canvas.onpointercancel = (event) => this.forget(event);
		this.canvas.onpointerleave = () => { this.pointer = null; this.tip(null); };
		this.canvas.ondblclick = (event) => {
			const { row, index } = this.at(event);
			if (row && row.kind === 'calls')
				state.goTo(row, index);
		};
		addEventListener('keydown', (event) => this.key(event));
	}
	at(event) {
		const box = this.canvas.getBoundingClientRect();
		return this.timeline.at(event.clientX - box.left, event.clientY - box.top);
	}
	wheel(event) {
		event.preventDefault();
		const { time } = this.at(event), sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
		if (time === null || event.altKey)
			this.timeline.scrollTo(this.timeline.scroll + event.deltaY);
		else if (event.shiftKey || sideways)
			this.state.move((event.deltaX || event.deltaY) / this.canvas.clientWidth);
		else
			this.state.zoom(Math.exp(event.deltaY * 0.0016), time);
	}
	down(event) {
		const place = this.at(event);
		this.canvas.setPointerCapture(event.pointerId);
		this.pointers.set(event.pointerId, event);
		if (this.pointers.size === 2)
			this.drag = this.beginPinch();
		else if (place.time !== null)
			this.drag = { event, place, from: this.state.from, to: this.state.to, scroll: this.timeline.scroll, selects: event.shiftKey, moved: false };
		else if (place.lane && place.lane.track)
			this.timeline.toggle(place.lane.track, event.shiftKey || event.altKey ? 'pinned' : 'collapsed');
	}
	beginPinch() {
		const [a, b] = this.pointers.values();
		return { pinch: true, moved: true, distance: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), from: this.state.from, to: this.state.to,
			 around: this.timeline.at((a.clientX + b.clientX) / 2 - this.canvas.getBoundingClientRect().left, RULER).time };
	}
	move(event) {
		if (this.pointers.has(event.pointerId))
			this.pointers.set(event.pointerId, event);
		this.pointer = this.at(event);
		if (!this.drag)
			this.tip(event);
		else if (this.drag.pinch)
			this.movePinch();
		else
			this.moveDrag(event);
	}
	movePinch() {
		if (this.pointers.size !== 2 || this.drag.around === null)
			return;
		const [a, b] = this.pointers.values(), { around, from, to, distance } = this.drag;
		const factor = distance / Math.max(10, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
		this.state.look(around - (around - from) * factor, around + (to - around) * factor);
	}
	moveDrag(event) {
		const { drag, state } = this, dx = event.clientX - drag.event.clientX, dy = event.clientY - drag.event.clientY;
		drag.moved = drag.moved || Math.abs(dx) + Math.abs(dy) > CLICK_SLACK;
		if (!drag.moved)
			return;
		this.tip(null);
		if (drag.selects) {
			const time = this.pointer.time ?? state.from;
			drag.range = [Math.round(Math.min(drag.place.time, time)), Math.round(Math.max(drag.place.time, time))];
			state.set({ range: drag.range, settling: true });
			return;
		}
		const by = dx * drag.place.perPixel;
		state.look(drag.from - by, drag.to - by);
		this.timeline.scrollTo(drag.scroll - dy);
	}
	up(event) {
		const { drag } = this;
		this.forget(event);
		if (drag && !drag.moved)
			this.click(drag.place);
		if (drag && drag.selects && drag.moved)
			this.state.set({ settling: false });
	}
	forget(event) {
		this.pointers.delete(event.pointerId);
		this.drag = null;
	}
	click({ row, index }) {
		if (row && row.kind === 'calls')
			this.state.selectCall(row, index);
		else
			this.state.set({ call: null, group: -1 });
	}
	tip(event) {
		const place = event && this.at(event);
		showTip(place ? describePlace(this.state.model, place) : [], event);
	}
	key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
			return;
		const action = this.actions()[event.key.length === 1 ? event.key.toLowerCase() : event.key];
		const arrow = event.key.startsWith('Arrow');
		if (!action || this.state.tab !== 'timeline' || (arrow && event.target !== this.canvas))
			return;
		event.preventDefault();
		action();
	}
	// The track of the selected call, or that under the pointer.
	toggleHere(which) {
		const { state, timeline } = this, lane = this.pointer && this.pointer.lane, track = state.call ? state.model.trackOf(state.call.row) : lane && lane.track;
		if (track)
			timeline.toggle(track, which);
	}
	actions() {
		const { state, timeline } = this, here = this.pointer && this.pointer.time !== null ? this.pointer.time : (state.from + state.to) / 2;
		const zoomIn = () => state.zoom(ZOOM_STEP, here), zoomOut = () => state.zoom(1 / ZOOM_STEP, here);
		return {
			w: zoomIn, '+': zoomIn, s: zoomOut, '-': zoomOut,
			a: () => state.move(-MOVE_STEP), d: () => state.move(MOVE_STEP),
			ArrowLeft: () => state.move(-MOVE_STEP), ArrowRight: () => state.move(MOVE_STEP),
			ArrowUp: () => timeline.scrollTo(timeline.scroll - 3 * ROW_HEIGHT), ArrowDown: () => timeline.scrollTo(timeline.scroll + 3 * ROW_HEIGHT),
			m: () => state.mark(Math.round(here)), '[': () => state.step(-1), ']': () => state.step(1),
			c: () => this.toggleHere('collapsed'), p: () => this.toggleHere('pinned'),
			f: () => state.call && state.goTo(state.call.row, state.call.index), 0: () => state.look(0, state.model.end),
			r: () => state.markers[1] !== null && state.set({ range: [...state.markers].sort((a, b) => a - b) }),
			Escape: () => state.set({ markers: [null, null], range: null, group: -1, call: null }),
		};
	}
}

// What is told of a place: lines, the first one is the most important.
function describePlace(model, { row, index, others, lane, time, perPixel }) {
	const loss = lane && lane.losses && time !== null && lossNear(model, lane.losses, time, perPixel);
	if (loss)
		return [`trace missing: ${loss}`];
	if (!row)
		return [];
	const duration = amountText(row.end[index] - row.start[index], model.unit), begins = `begins at ${amountText(row.start[index], model.unit)}`;
	const more = others ? [`the longest of ${grouped(others + 1)} here`] : [];
	if (row.kind === 'runs')
		return [trackName(model, row.name[index]), `${duration} \u00b7 ${begins}`, ...more];
	const name = model.names[row.name[index]], flags = row.flagsOf(index), costs = row.costs;
	const spent = costs && !(flags & FLAG.NO_COSTS) ? [`total ${amountText(costs.total[index], model.unit)} \u00b7 self ${amountText(costs.self[index], model.unit)}`] : [];
	return [name.label, `${duration} \u00b7 ${begins}`, ...spent, ...(name.module ? [readable(name.module)] : []), ...flagTexts(flags), ...more];
}

function flagTexts(flags) {
	return [[FLAG.NO_ENTRY, 'found running: its entry was not traced'], [FLAG.NO_EXIT, 'its exit was not traced'], [FLAG.TAIL, 'entered or left by a jump'],
		[FLAG.REPAIRED, 'inferred to keep the call stack right'], [FLAG.MOVED, 'goes on on another CPU, or came from one']]
		.filter(([flag]) => flags & flag).map(([, text]) => text);
}

function lossNear(model, row, time, perPixel) {
	const first = row.firstStartingAt(time - 4 * perPixel), last = row.firstStartingAt(time + perPixel), more = last - first - 1;
	return last > first ? model.reasons[row.name[first]] + (more > 0 ? `, and ${grouped(more)} more here` : '') : '';
}
