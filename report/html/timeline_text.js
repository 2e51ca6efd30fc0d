// SPDX-License-Identifier: Apache-2.0
// What is written and drawn over the timeline's rows.
function drawTimelineText(view, gutter, top) {
	const { context: g, canvas } = view;
	g.textBaseline = 'middle';
	g.save();
	g.beginPath();
	g.rect(gutter, top, canvas.width - gutter, canvas.height - top);
	g.clip();
	drawLabels(view, gutter, top);
	drawRange(view, gutter, top);
	drawSelectedCall(view, gutter, top);
	g.restore();
	const marks = placeMarkers(view, gutter);
	drawRuler(view, gutter, top, marks);
	drawGutter(view, gutter, top);
	drawMarkers(view, marks);
}

const LABELS_MAX = 600;
function drawLabels({ context: g, painter, scale, state, colors }, gutter, top) {
	g.font = `${11 * scale}px ${FONT}`;
	for (const label of painter.labels.slice(0, LABELS_MAX)) {
		const calls = label.row.kind === 'calls', faded = calls && state.group >= 0;
		const lit = faded && state.model.groupOf[label.name] === state.group;
		const inset = (label.torn ? 10 : 4) * scale, text = calls ? state.model.names[label.name].label : trackName(state.model, label.name);
		g.fillStyle = faded && !lit ? colors.look.muted : inkOn(calls ? colors.names[label.name] : label.color);
		g.fillText(fitted(g, text, label.width - inset - 3 * scale), gutter + label.left + inset, top + label.y + ROW_HEIGHT * scale / 2 + scale / 2);
	}
}

function trackName(model, number) {
	const track = model.tracks.find((one) => one.number === number);
	return track ? track.name : '';
}

const xOf = (view, gutter, time) => gutter + (time - view.state.from) / (view.state.to - view.state.from) * (view.canvas.width - gutter);

function drawRange(view, gutter, top) {
	const { state, context: g, colors } = view;
	if (!state.range)
		return;
	const [from, to] = state.range.map((time) => xOf(view, gutter, time));
	g.fillStyle = colors.look.range;
	g.fillRect(from, top, Math.max(1, to - from), view.canvas.height - top);
}

function drawSelectedCall(view, gutter, top) {
	const { state, scale, context: g, colors } = view, lane = state.call && view.lanes.find((one) => one.row === state.call.row);
	if (!lane)
		return;
	const { row, index } = state.call, from = Math.max(gutter - 4, xOf(view, gutter, row.start[index]));
	const to = Math.min(view.canvas.width + 4, xOf(view, gutter, row.end[index]));
	if (to < gutter || from > view.canvas.width)
		return;
	g.strokeStyle = colors.look.text;
	g.lineWidth = 2 * scale;
	g.strokeRect(from, top + (lane.top - view.scroll) * scale, Math.max(3 * scale, to - from), lane.height * scale);
}

// Steps of 1, 2 or 5 that leave room for their labels.
function rulerStep(span, width) {
	const least = span / Math.max(1, width / 110), power = 10 ** Math.floor(Math.log10(least));
	return Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least));
}

function drawRuler(view, gutter, top, marks) {
	const { state, scale, context: g, colors, canvas } = view, span = state.to - state.from;
	const step = rulerStep(span, (canvas.width - gutter) / scale), { scale: unit, text } = unitFor(state.to, state.model.unit);
	const decimals = Math.min(9, Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9)));
	g.save();
	g.beginPath();
	g.rect(gutter, 0, canvas.width - gutter, canvas.height);
	g.clip();
	g.font = `${10.5 * scale}px ${FONT}`;
	for (let time = Math.ceil(state.from / step) * step; time < state.to; time += step) {
		const x = Math.round(xOf(view, gutter, time)) + 0.5;
		g.fillStyle = colors.look.grid;
		g.fillRect(x, top - 6 * scale, scale, canvas.height);
		const label = `${(time / unit).toFixed(decimals)} ${text}`, left = x + 4 * scale, right = left + widthOf(g, label);
		g.fillStyle = colors.look.muted;
		if (right <= canvas.width && !marks.some((mark) => left < mark.right + 3 && right > mark.left - 3))
			g.fillText(label, left, top / 2);
	}
	g.restore();
	g.fillStyle = colors.look.line;
	g.fillRect(0, top - scale, canvas.width, scale);
}

function drawGutter(view, gutter, top) {
	const { state, scale, context: g, colors, canvas } = view;
	g.fillStyle = colors.look.panel;
	g.fillRect(0, 0, gutter, canvas.height);
	g.fillStyle = colors.look.line;
	g.fillRect(gutter - scale, 0, scale, canvas.height);
	g.save();
	g.beginPath();
	g.rect(0, top, gutter, canvas.height);
	g.clip();
	for (const lane of view.lanes) {
		const y = top + (lane.top - view.scroll) * scale;
		if (y + lane.height * (lane.rows || 1) * scale < top || y > canvas.height || !lane.label)
			continue;
		if (lane.track)
			drawTrackName(view, lane, y, gutter);
		else
			drawText(g, lane.label, 10 * scale, y + lane.height * scale / 2, gutter - 14 * scale, `600 ${11 * scale}px ${FONT}`, colors.look.text);
	}
	g.restore();
	g.fillStyle = colors.look.line;
	g.fillRect(0, top - scale, gutter, scale);
	drawText(g, `unit: ${state.model.unit}`, 10 * scale, top / 2, gutter - 14 * scale, `${10.5 * scale}px ${FONT}`, colors.look.muted);
}

function drawText(g, text, x, y, width, font, color) {
	g.font = font;
	g.fillStyle = color;
	g.fillText(fitted(g, text, width), x, y);
}

// The triangle says whether it is open; a dot in the corner, that it is pinned.
function drawTrackName(view, lane, y, gutter) {
	const { state, scale, context: g, colors } = view, closed = state.collapsed.has(lane.track.number), pinned = state.pinned.has(lane.track.number);
	g.fillStyle = cssColor(colors.tracks[lane.track.number]);
	g.fillRect(3 * scale, y, 3 * scale, lane.rows * (ROW_HEIGHT + 1) * scale - scale);
	const text = `${closed ? '\u25b8' : '\u25be'} ${pinned ? '\u25cf ' : ''}${lane.label}`;
	drawText(g, text, 10 * scale, y + lane.height * scale / 2, gutter - 14 * scale, `600 ${11 * scale}px ${FONT}`, colors.look.text);
}

// Flags of markers and the difference between them, all in the ruler: {left, right, text, color}.
function placeMarkers(view, gutter) {
	const { state, scale, context: g, colors, canvas } = view, marks = [];
	state.markers.forEach((time, i) => {
		const left = time === null ? -1 : Math.round(xOf(view, gutter, time));
		if (left >= gutter && left <= canvas.width)
			marks.push({ left, right: left + 14 * scale, text: 'AB'[i], color: colors.look.marks[i], line: true });
	});
	if (state.markers[0] === null || state.markers[1] === null)
		return marks;
	g.font = `600 ${11 * scale}px ${FONT}`;
	const text = differenceText(state), width = widthOf(g, text) + 14 * scale, middle = (xOf(view, gutter, state.markers[0]) + xOf(view, gutter, state.markers[1])) / 2;
	const left = Math.max(gutter + 4, Math.min(canvas.width - width - 4, middle - width / 2)), flags = marks.map((mark) => mark.right).filter((right) => right - 14 * scale < left + width && right > left);
	return [...marks, { left, right: left + width, text, color: colors.look.text, low: flags.length > 0 }];
}

function drawMarkers(view, marks) {
	const { scale, context: g, colors, canvas } = view, ruler = RULER * scale;
	for (const mark of marks) {
		const top = mark.low ? ruler + 3 * scale : 3 * scale, height = ruler - 6 * scale;
		g.fillStyle = mark.color;
		if (mark.line)
			g.fillRect(mark.left, 0, Math.max(1, Math.round(1.5 * scale)), canvas.height);
		g.beginPath();
		g.roundRect(mark.left, top, mark.right - mark.left, height, mark.line ? 0 : height / 2);
		g.fill();
		g.font = `700 ${(mark.line ? 10 : 11) * scale}px ${FONT}`;
		g.fillStyle = mark.line ? '#ffffff' : cssColor(colors.look.back);
		g.fillText(mark.text, mark.left + (mark.line ? 4 : 7) * scale, top + height / 2 + scale / 2);
	}
}

function differenceText(state) {
	const difference = Math.abs(state.markers[1] - state.markers[0]), rate = rateText(difference, state.model.unit);
	return `\u0394 ${amountText(difference, state.model.unit)}${rate ? `  (${rate})` : ''}`;
}
