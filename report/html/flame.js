// SPDX-License-Identifier: Apache-2.0
// Calls by path as boxes: as wide as their total, below what called them (an icicle) or on it (a flame graph).
const FLAME_ROW = 18;

class Flame {
	constructor(state, colors, source) {
		Object.assign(this, { state, colors, source, node: $('view-flame'), boxes: [], top: null, upright: true });
		this.canvas = make('canvas', { tabIndex: 0, role: 'img', 'aria-label': 'Flame graph; the call tree has the same numbers' });
		this.scroller = make('div', { className: 'flame' }, this.canvas);
		this.line = make('span', { className: 'muted' });
		this.task = make('select', { 'aria-label': 'Task', onchange: () => this.source.choose(this.task.value) },
			make('option', { value: '', textContent: 'all tasks' }), ...state.model.tracks.map((track) => make('option', { value: track.number, textContent: track.name })));
		const flip = button('Icicle', 'Flame graph or icicle', () => {
			this.upright = !this.upright;
			flip.textContent = this.upright ? 'Icicle' : 'Flame graph';
			this.ask();
		});
		this.node.replaceChildren(make('div', { className: 'caption' }, make('h2', { textContent: 'Flame graph' }), this.task, flip,
			button('Whole', 'Undo the zoom', () => this.zoomTo(null)), this.line), this.scroller);
		this.context = this.canvas.getContext('2d');
		this.ask = onceAFrame(() => this.draw());
		new ResizeObserver(() => this.ask()).observe(this.scroller);
		this.canvas.onpointermove = (event) => this.point(event);
		this.canvas.onpointerleave = (event) => showTip([], event);
		this.canvas.onclick = (event) => this.click(event);
		source.listen(() => this.zoomTo(null));
		state.listen(() => this.ask());
	}
	zoomTo(node) {
		this.top = node;
		this.ask();
	}
	draw() {
		if (this.state.tab !== 'flame' || !this.scroller.clientWidth)
			return;
		const root = this.source.root(), top = this.top || root, scale = devicePixelRatio, width = this.scroller.clientWidth;
		this.boxes = layBoxes(top, width);
		const depth = this.boxes.reduce((most, box) => Math.max(most, box.depth + 1), 1), height = Math.max(depth * FLAME_ROW, this.scroller.clientHeight - 4);
		Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
		Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
		for (const box of this.boxes)
			box.y = this.upright ? height - (box.depth + 1) * FLAME_ROW : box.depth * FLAME_ROW;
		this.paint(scale);
		this.line.textContent = `${this.source.title()}: ${grouped(top.total)} ${this.state.model.unit}`;
	}
	paint(scale) {
		const { context: g, state } = this, matches = state.text ? matcher(state.text) : null;
		g.setTransform(scale, 0, 0, scale, 0, 0);
		g.font = `11px ${FONT}`;
		g.textBaseline = 'middle';
		const group = state.group >= 0 ? state.model.groups[state.group] : null;
		for (const { node, x, y, width } of this.boxes) {
			const dim = (matches && !matches(node.name)) || (!matches && group && !node.isOf(group));
			const color = pathColor(node), shown = dim ? mixed(color, this.colors.look.back, 0.3) : color;
			g.fillStyle = cssColor(shown);
			g.fillRect(x, y, Math.max(0.5, width - 0.5), FLAME_ROW - 1);
			if (width > 24) {
				g.fillStyle = dim ? this.colors.look.muted : inkOn(color);
				g.fillText(fitted(g, node.label, width - 7), x + 4, y + FLAME_ROW / 2);
			}
		}
	}
	boxAt(event) {
		const x = event.offsetX, y = event.offsetY;
		return this.boxes.find((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + FLAME_ROW);
	}
	point(event) {
		const box = this.boxAt(event);
		showTip(box ? this.describe(box.node) : [], event);
	}
	describe(node) {
		const unit = this.state.model.unit, whole = this.source.root().total || 1;
		return [node.label, `total ${grouped(node.total)} ${unit} (${cellText(100 * node.total / whole, 'percent')} %)`,
			`self ${grouped(node.self)} ${unit} \u00b7 ${grouped(node.calls)} calls`];
	}
	click(event) {
		const box = this.boxAt(event);
		if (!box)
			return;
		this.zoomTo(box.node === this.top ? box.node.parent : box.node);
		if (box.node.kind === PATH.FUNCTION)
			this.state.set({ group: this.state.model.groupNamed(box.node.name, box.node.module), call: null });
	}
}

// Boxes of a node and what is below it, those that are wide enough to be seen.
function layBoxes(top, width) {
	const boxes = [], scale = width / (top.total || 1);
	const place = (node, x, depth) => {
		const own = node.total * scale;
		if (own < 0.3)
			return;
		boxes.push({ node, x, depth, width: own });
		let at = x;
		for (const child of node.children) {
			place(child, at, depth + 1);
			at += child.total * scale;
		}
	};
	place(top, 0, 0);
	return boxes;
}

function pathColor(node) {
	if (node.kind === PATH.GAP || node.kind === PATH.BEYOND || !node.parent)
		return pixel(150, 156, 164);
	return colorOfName({ name: node.name, module: node.module, level: node.kind === PATH.LEVEL });
}
