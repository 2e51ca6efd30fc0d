// SPDX-License-Identifier: Apache-2.0
// Puts it all together.
const tabs = [{ name: 'timeline', text: 'Timeline' }, { name: 'flame', text: 'Flame graph' }, { name: 'tree', text: 'Call tree' },
	      { name: 'sandwich', text: 'Callers' }, { name: 'events', text: 'Events' }, { name: 'health', text: 'Health' }];
const KEYS = [['W S', 'zoom in, out'], ['A D', 'move'], ['drag, wheel', 'move, zoom; on names: scroll'], ['Shift + drag', 'choose a range: all tables are of it then'],
	      ['M', 'marker A, then B'], ['R', 'range between the markers'], ['[ ]', 'previous, next call of the function'], ['F, double click', 'look at the call'],
	      ['0', 'whole capture'], ['/', 'search; /pattern/ is a regular expression'], ['click on a task', 'close or open it; with Shift: pin it on top'], ['C P', 'the same for the task of the selected call'], ['Esc', 'take all choices back']];

function makeHeader(state, colors) {
	const model = state.model;
	$('title').textContent = readable(document.title);
	$('title').title = readable(document.title);
	$('facts-line').textContent = [counted(model.calls, 'call'), counted(model.tracks.length, 'task'), counted(model.lanes.length, 'CPU'), amountText(model.end, model.unit)].join(' \u00b7 ');
	$('copy-link').onclick = () => {
		history.replaceState(null, '', linkOf(state));
		if (navigator.clipboard)
			navigator.clipboard.writeText(location.href).catch(() => {});
		say('The address of the page is this view now.');
	};
	if (model.leftOut) {
		const there = `the ${grouped(model.calls)} calls of the outermost ${model.depth} levels`, rest = `${grouped(model.leftOut)} deeper ones`;
		notice(model.loader ? `Here are ${there}; ${rest} come as they are scrolled to. Until then tables of a range are without them.` :
			`The timeline has ${there}: ${rest} are not in this page. All tables are of all calls; of a range they are of those that are here.`);
	}
}

const counted = (count, what) => `${grouped(count)} ${what}${count === 1 ? '' : 's'}`;

// Costs are read while nothing else is to be done, so that the first range does not wait for it.
function readAhead(model) {
	const rows = [...model.callRows].sort((a, b) => b.depth - a.depth), idle = globalThis.requestIdleCallback || ((action) => setTimeout(action, 50));
	const next = () => {
		const row = rows.shift();
		if (row && row.count)
			model.costs(row);
		if (rows.length)
			idle(next);
	};
	idle(next);
}

function makeTools(state, lenses) {
	const keys = $('keys'), toggle = () => {
		keys.hidden = !keys.hidden;
		$('help-button').setAttribute('aria-expanded', String(!keys.hidden));
	};
	keys.replaceChildren(make('dl', {}, ...KEYS.map(([key, text]) => make('div', {}, make('dt', { textContent: key }), make('dd', { textContent: text })))));
	$('help-button').onclick = toggle;
	addEventListener('keydown', (event) => {
		if (event.key === '?' && event.target.tagName !== 'INPUT' || event.key === 'Escape' && !keys.hidden)
			toggle();
	});
	$('hint').textContent = 'W S zoom \u00b7 A D move \u00b7 M marker \u00b7 [ ] previous, next call \u00b7 Shift + drag: range';
	$('lens-picks').replaceChildren(...lenses.names.map((lens) => lensPick(state, lens)));
}

function lensPick(state, lens) {
	const box = make('input', { type: 'checkbox' });
	box.onchange = () => {
		const next = new Set(state.lenses);
		next[box.checked ? 'add' : 'delete'](lens);
		state.set({ lenses: next });
	};
	state.listen(() => { box.checked = state.lenses.has(lens); });
	return make('label', { title: `Show events of the lens ${lens} as a lane` }, box, readable(lens));
}

function makeRangeBar(state) {
	$('range-clear').onclick = () => state.set({ range: null });
	state.listen(() => {
		const { range, model } = state;
		$('range-bar').hidden = !range;
		if (range)
			$('range-text').textContent = `Tables are of the calls that begin between ${amountText(range[0], model.unit)} and ${amountText(range[1], model.unit)} (${grouped(range[1] - range[0])} ${model.unit}); each is counted whole.`;
	});
}

// Screen readers hear what the timeline shows.
function tellChanges(state) {
	state.listen((changed) => {
		if (changed.has('call') && state.call)
			say(describePlace(state.model, { ...state.call, others: 0, time: null }).join(', '));
		else if (changed.has('markers') && state.markers[1] !== null)
			say(differenceText(state));
	});
}

async function start() {
	const facts = readFacts(new TextDecoder().decode(await blockBytes('facts'))), model = new Model(facts, await blockBytes('columns'));
	if (model.loader)
		await model.loader.loadOutermost(model.depth);
	const state = new State(model), colors = new Colors(model), lenses = new Lenses(model), paths = new PathSource(state);
	makeTabs(state, tabs);
	makeHeader(state, colors);
	makeTools(state, lenses);
	makeRangeBar(state);
	makeSearch(state);
	makeTheme(state, colors);
	tellChanges(state);
	const timeline = new Timeline(state, colors, lenses), functions = new Functions(state, colors);
	new Overview(state, colors, timeline);
	new TimelineInput(state, timeline);
	new Detail(state, colors, functions);
	new Flame(state, colors, paths);
	new CallTree(state, paths);
	new Sandwich(state, paths);
	showPage($('view-events'), 'Events', model, EVENT_TABLES, 'No lens saw an event: none of the functions that they look for ran.');
	showPage($('view-health'), 'Health', model, HEALTH_TABLES, '');
	followLink(state, location.hash);
	addEventListener('hashchange', () => followLink(state, location.hash));
	timeline.draw();
	document.documentElement.dataset.ready = String(Math.round(performance.now()));
	readAhead(model);
	globalThis.sightline = { state, model, timeline, functions, paths, rangeRows, pathsOfPage, pathsOfRange }; // for tests, and for the curious
}

start().catch((error) => {
	notice(`This page cannot be shown: ${error.message}. It needs a browser of 2023 or later (Chrome 109, Firefox 115, Safari 16.4).`);
	throw error;
});
