// SPDX-License-Identifier: Apache-2.0
// Puts the page of compare together.
const VIEWS = [{ name: 'functions', text: 'Functions' }, { name: 'flame', text: 'Flame graph' }, { name: 'call', text: 'Side by side' }, { name: 'tables', text: 'Tables' }];
const TABLES = ['config', 'call', 'lenses', 'sides', 'matches', 'sum'];

function makeVerdict(model) {
	const [row] = model.table('verdict').rows;
	$('title').textContent = $('title').title = readable(document.title);
	$('sentence').textContent = readable(model.value('verdict', row, 'sentence'), Infinity);
	$('sides').replaceChildren(...model.table('sides').rows.map((side, i) => sideLine(model, side, i)), sumLine(model));
}

function sideLine(model, row, side) {
	const value = (name) => model.value('sides', row, name), units = value('units'), runs = value('runs');
	const axes = ['insns', 'cycles', 'ns'].filter((axis) => value(axis) !== null).map((axis) => `${cellText(value(axis), 'real').replace(/\.00$/, '')} ${axis}`);
	return make('span', {}, make('b', { className: `side-${SIDES[side].toLowerCase()}`, textContent: SIDES[side] }), readable(value('name') || ''), `: ${axes.join(', ')} `,
		model.per ? `a call of ${readable(model.per)}, of which it has ${grouped(units)}` : `a run, of which it has ${grouped(runs)}`);
}

// Whether the parts are the whole.
function sumLine(model) {
	const [row] = model.table('sum').rows, value = (name) => model.value('sum', row, name);
	return make('span', { id: 'sum', textContent: value('adds_up') ? `The parts add up to the whole: ${model.amount(value('parts'))}.` :
		`The parts (${model.amount(value('parts'))}) do not add up to the whole (${model.amount(value('whole'))}): please report this.` });
}

function showTables(model) {
	const shown = TABLES.filter((name) => model.tables.has(name) && model.table(name).rows.length);
	const without = model.tables.has('config') ? [] : [make('p', { className: 'about', textContent: 'With --config of both kernels there is a table of the options that explain the difference.' })];
	$('view-tables').replaceChildren(make('div', { className: 'caption' }, make('h2', { textContent: 'Tables' })), ...without, ...shown.map((name) => pageTable(model.table(name), name)));
}

async function start() {
	const model = new Comparison(readFacts(new TextDecoder().decode(await blockBytes('facts'))));
	const state = new Choices({ model, tab: 'functions', text: '', row: null }), colors = new Colors({ names: [], tracks: [] });
	makeTabs(state, VIEWS);
	makeSearch(state);
	makeTheme(state, colors);
	makeVerdict(model);
	const functions = new DeltaFunctions(state);
	new DeltaDetail(state);
	const flame = new DeltaFlame(state, colors), sides = new SidesView(state, colors);
	showTables(model);
	state.set({ row: model.functions.rows[0] || null });
	document.documentElement.dataset.ready = String(Math.round(performance.now()));
	globalThis.sightline = { state, model, functions, flame, sides }; // for tests, and for the curious
}

start().catch((error) => {
	notice(`This page cannot be shown: ${error.message}. It needs a browser of 2023 or later (Chrome 109, Firefox 115, Safari 16.4).`);
	throw error;
});
