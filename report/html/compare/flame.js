// SPDX-License-Identifier: Apache-2.0
// The flame graph of the difference: as wide as one side has it, in the colour of what changed.
const RED = pixel(211, 60, 44), BLUE = pixel(38, 104, 190);

class DeltaFlame extends PathsView {
	constructor(state, colors) {
		super(state, colors);
		Object.assign(this, { side: 1, shares: false });
		this.boxes = new Boxes('Flame graph of the difference; the table tree of the command line has the same numbers', colors,
			{ color: (node) => changeColor(this.amounts(node), colors), below: (node) => node.children, describe: (node) => describePath(this.model, node), pick: (node) => this.pick(node) });
		this.line = make('span', { className: 'muted' });
		this.scroller = make('div', { className: 'scroll' }, this.boxes.node);
		const sides = make('select', { 'aria-label': 'Widths', onchange: () => { this.side = Number(sides.value); this.ask(); } },
			make('option', { value: '1', textContent: 'widths of B' }), make('option', { value: '0', textContent: 'widths of A' }));
		const kinds = make('select', { 'aria-label': 'Colours', onchange: () => { this.shares = kinds.value === 'shares'; this.ask(); } },
			make('option', { value: 'amounts', textContent: `colours of what ${this.model.per ? 'a call' : 'a run'} has` }),
			make('option', { value: 'shares', textContent: 'colours of shares of the whole' }));
		$('view-flame').replaceChildren(make('div', { className: 'caption' }, make('h2', { textContent: 'Flame graph of the difference' }), sides, kinds,
			button('Whole', 'Undo the zoom', () => this.zoomTo(this.model.root)), this.line), this.legend(), this.scroller);
		this.watch(this.scroller);
	}
	legend() {
		const chip = (color, text) => {
			const box = make('i', color ? {} : { className: 'same' });
			if (color)
				box.style.background = cssColor(color);
			return make('span', {}, box, text);
		};
		return make('p', { className: 'about legend' }, chip(RED, 'B has more of it (full: only B has it)'), chip(BLUE, 'B has less (full: only A has it)'),
			chip(null, 'as much on both sides'), make('span', { textContent: '\u00b7 what is only on the other side has no width' }));
	}
	// What is told by colour: of A, and of B. Shares are for runs of different lengths, where all would be red.
	amounts({ totals }) {
		return this.shares ? totals.map((total, side) => total / (this.model.root.totals[side] || 1)) : totals;
	}
	draw() {
		if (this.state.tab !== 'flame' || !this.scroller.clientWidth)
			return;
		this.boxes.draw(this.top, this.side, this.top.totals[this.side], this.scroller.clientWidth, this.state.text ? matcher(this.state.text) : null);
		const sign = this.top.difference > 0 ? '+' : '';
		this.line.textContent = `${readable(this.top.name)}: ${this.model.amount(this.top.totals[0])} in A, ${this.model.amount(this.top.totals[1])} in B (${sign}${this.model.amount(this.top.difference)})`;
	}
}

// What part of the larger side changed, and which way.
function changeOf([a, b]) {
	const most = Math.max(a, b);
	return most > 0 ? (b - a) / most : 0;
}

function changeColor(amounts, colors) {
	const change = changeOf(amounts), plain = colors.theme === 'dark' ? pixel(70, 75, 84) : pixel(222, 225, 229);
	return change ? mixed(change > 0 ? RED : BLUE, plain, 0.15 + 0.85 * Math.abs(change)) : plain;
}
