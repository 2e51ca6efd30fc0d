// SPDX-License-Identifier: Apache-2.0
// How the calls of a function spread on both sides: parts of all calls of a side, in classes of one width on a logarithmic axis.
const SPREAD_BARS = 60, SPREAD_HEIGHT = 100;

function spreadFigure(model, row) {
	const sides = model.spreads.get(row), all = sides.flat();
	if (!all.length)
		return make('p', { className: 'muted', textContent: noSpread(model, row) });
	const scale = spreadScale(all), parts = sides.map((classes) => spreadParts(classes, scale)), most = Math.max(...parts.flat());
	const drawing = svg('svg', { viewBox: `0 0 ${SPREAD_BARS * 5} ${SPREAD_HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': spreadLabel(sides) });
	parts.forEach((part, side) => drawing.append(...spreadBars(model, part, side, most, scale)));
	sides.forEach((classes, side) => drawing.append(...medianLine(model, row, side, scale)));
	return make('figure', {}, drawing, make('figcaption', {}, make('span', { textContent: amountText(scale.value(0), model.unit) }),
		make('span', { textContent: 'dashed: p50' }), make('span', { textContent: amountText(scale.value(SPREAD_BARS), model.unit) })), sideLegend(model, sides));
}

function noSpread(model, row) {
	const means = SIDES.map((side) => model.value('functions', row, `avg_${side.toLowerCase()}_*`));
	return means.every((mean) => mean === null) ? 'No call was seen from entry to exit on either side.' : 'All its calls are shorter than the clock can tell.';
}

const callsOf = (classes) => classes.reduce((sum, [, , calls]) => sum + calls, 0);
const spreadLabel = (sides) => `How calls spread: ${sides.map((classes, side) => `${grouped(callsOf(classes))} of ${SIDES[side]}`).join(', ')}`;

// From the least to the greatest of both sides, with some room.
function spreadScale(classes) {
	const logarithm = (value) => Math.log(Math.max(1, value)), room = 1.04;
	const low = logarithm(Math.min(...classes.map(([least]) => least)) / room), high = logarithm(Math.max(...classes.map(([, greatest]) => greatest)) * room) + 1e-9;
	const width = (high - low) / SPREAD_BARS;
	return { place: (value) => Math.max(0, Math.min(SPREAD_BARS - 1e-6, (logarithm(value) - low) / width)), value: (place) => Math.exp(low + place * width) };
}

// Of what share of the calls each bar is: a class is spread over the bars that it covers.
function spreadParts(classes, scale) {
	const parts = new Array(SPREAD_BARS).fill(0), all = callsOf(classes);
	for (const [least, greatest, calls] of classes) {
		const first = Math.floor(scale.place(least)), last = Math.floor(scale.place(greatest));
		for (let i = first; i <= last; i++)
			parts[i] += calls / all / (last - first + 1);
	}
	return parts;
}

function spreadBars(model, parts, side, most, scale) {
	return parts.map((part, i) => [part, i]).filter(([part]) => part).map(([part, i]) => {
		const height = Math.max(1.5, (SPREAD_HEIGHT - 4) * part / most);
		return svg('rect', { class: SIDES[side].toLowerCase(), x: i * 5, width: 5, y: SPREAD_HEIGHT - height, height },
			svg('title', {}, `${SIDES[side]}: ${cellText(100 * part, 'percent')} % of its calls from ${amountText(scale.value(i), model.unit)} on`));
	});
}

function medianLine(model, row, side, scale) {
	const median = model.value('functions', row, `p50_${SIDES[side].toLowerCase()}_*`), x = 5 * scale.place(median);
	return median === null ? [] : [svg('line', { class: SIDES[side].toLowerCase(), x1: x, x2: x, y1: 0, y2: SPREAD_HEIGHT })];
}

function sideLegend(model, sides) {
	const chips = sides.map((classes, side) => make('span', {}, make('i', { className: `side-${SIDES[side].toLowerCase()}` }), `${SIDES[side]}: ${grouped(callsOf(classes))} calls`));
	const short = model.unit === 'insns' ? '' : make('p', { className: 'muted', textContent: 'Calls that are shorter than the clock can tell are not drawn.' });
	return make('div', {}, make('p', { className: 'legend' }, ...chips), short);
}
