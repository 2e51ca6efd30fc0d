// SPDX-License-Identifier: Apache-2.0
// The flame graph of the difference: as wide as one side has it, in the colour of what changed.
const RED = pixel(211, 60, 44), BLUE = pixel(38, 104, 190);

class DeltaFlame {
	constructor(state, colors) {
		Object.assign(this, { state, colors, model: state.model, top: state.model.root, side: 1 });
		this.boxes = new Boxes('Flame graph of the difference; the table tree of the command line has the same numbers', colors,
			{ color: (node) => changeColor(node, colors), describe: (node) => describePath(this.model, node), pick: (node) => this.pick(node) });
		this.line = make('span', { className: 'muted' });
		this.scroller = make('div', { className: 'scroll' }, this.boxes.node);
		const sides = make('select', { 'aria-label': 'Widths', onchange: () => { this.side = Number(sides.value); this.ask(); } },
			make('option', { value: '1', textContent: 'widths of B' }), make('option', { value: '0', textContent: 'widths of A' }));
		$('view-flame').replaceChildren(make('div', { className: 'caption' }, make('h2', { textContent: 'Flame graph of the difference' }), sides,
			button('Whole', 'Undo the zoom', () => this.zoomTo(this.model.root)), this.line), this.legend(), this.scroller);
		this.ask = onceAFrame(() => this.draw());
		new ResizeObserver(() => this.ask()).observe(this.scroller);
		state.listen(() => this.ask());
	}
	legend() {
		const chip = (color) => { const node = make('i'); node.style.background = cssColor(color); return node; };
		this.chips = make('p', { className: 'about legend' }, chip(RED), 'B has more of it (full: only B has it)', chip(BLUE), 'B has less (full: only A has it)',
			make('i', { className: 'same' }), 'as much on both sides', make('span', { textContent: '\u00b7 what is only on the other side has no width' }));
		return this.chips;
	}
	zoomTo(node) {
		this.top = node;
		this.ask();
	}
	pick(node) {
		this.zoomTo(node === this.top && node.parent ? node.parent : node);
		this.state.set({ row: this.model.rowAt.get(node.name) || this.state.row });
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
function changeOf({ totals: [a, b] }) {
	const most = Math.max(a, b);
	return most > 0 ? (b - a) / most : 0;
}

function changeColor(node, colors) {
	const change = changeOf(node), plain = colors.theme === 'dark' ? pixel(70, 75, 84) : pixel(222, 225, 229);
	return change ? mixed(change > 0 ? RED : BLUE, plain, 0.15 + 0.85 * Math.abs(change)) : plain;
}
