// SPDX-License-Identifier: Apache-2.0
// A mean call (or run) of both sides above each other, as a timeline: callees in the order in which they first ran, on one scale, from one left edge, functions
// in one colour. What the pointer is on has a frame on both sides.
class SidesView extends PathsView {
	constructor(state, colors) {
		super(state, colors);
		this.pair = SIDES.map((name) => new Boxes(`Paths of ${name}`, colors,
			{ color: (node) => colorOfName({ name: node.name, module: '', level: node.name.startsWith('[') }), describe: (node) => describePath(this.model, node), pick: (node) => this.pick(node),
			  below: inOrder, over: (node) => this.pair.forEach((boxes) => boxes.outline(node)) }));
		this.heads = SIDES.map(() => make('h3'));
		this.scroller = make('div', { className: 'scroll' }, ...this.pair.map((boxes, side) => make('div', { className: 'pair' }, this.heads[side], boxes.node)));
		const about = `Both sides on one scale: what is wider takes longer. These are means, of ${this.model.whole()}: callees stand in the order in which they first ran, all calls of a path as one. A profile holds sums, not when each call ran.`;
		$('view-call').replaceChildren(make('div', { className: 'caption' }, make('h2', { textContent: this.model.per ? 'A mean call on both sides' : 'A mean run on both sides' }),
			button('Whole', 'Undo the zoom', () => this.zoomTo(this.model.root))), make('p', { className: 'about', textContent: about }), this.scroller);
		this.watch(this.scroller);
	}
	draw() {
		if (this.state.tab !== 'call' || !this.scroller.clientWidth)
			return;
		const matches = this.state.text ? matcher(this.state.text) : null, whole = Math.max(...this.top.totals);
		this.pair.forEach((boxes, side) => {
			boxes.draw(this.top, side, whole, this.scroller.clientWidth, matches);
			this.heads[side].textContent = `${SIDES[side]}: ${readable(this.top.name)}, ${this.model.amount(this.top.totals[side])}`;
		});
	}
}
