// SPDX-License-Identifier: Apache-2.0
// Paths of one side as boxes: as wide as their total, callees below what called them.
const BOX_ROW = 18;

class Boxes {
	// label; color(node) -> pixel; describe(node) -> lines; pick(node); below(node, side): its callees, from left to right; over(node): where the pointer is, or null.
	constructor(label, colors, options) {
		Object.assign(this, { colors, options, boxes: [], mark: make('div', { className: 'mark', hidden: true }) });
		this.canvas = make('canvas', { tabIndex: 0, role: 'img', 'aria-label': label });
		this.node = make('div', { className: 'boxes' }, this.canvas, this.mark);
		this.canvas.onpointermove = (event) => this.point(event);
		this.canvas.onpointerleave = (event) => this.tell(null, event);
		this.canvas.onclick = (event) => {
			const box = this.boxAt(event);
			if (box)
				options.pick(box.node);
		};
	}
	// Of a side (0 or 1), from top on; whole is what is as wide as the canvas.
	draw(top, side, whole, width, matches) {
		const scale = devicePixelRatio, context = this.canvas.getContext('2d');
		this.side = side;
		this.boxes = layPaths(top, side, width / (whole || 1), this.options.below);
		this.outline(this.marked);
		const height = BOX_ROW * this.boxes.reduce((most, box) => Math.max(most, box.depth + 1), 1);
		Object.assign(this.canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
		Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
		context.setTransform(scale, 0, 0, scale, 0, 0);
		context.font = `11px ${FONT}`;
		context.textBaseline = 'middle';
		for (const box of this.boxes)
			this.paint(context, box, matches);
	}
	paint(context, { node, x, depth, width }, matches) {
		const dim = matches && !matches(node.name), color = this.options.color(node), shown = dim ? mixed(color, this.colors.look.back, 0.3) : color;
		context.fillStyle = cssColor(shown);
		context.fillRect(x, depth * BOX_ROW, Math.max(0.5, width - 0.5), BOX_ROW - 1);
		if (width <= 24)
			return;
		context.fillStyle = dim ? this.colors.look.muted : inkOn(color);
		context.fillText(fitted(context, readable(node.name), width - 7), x + 4, depth * BOX_ROW + BOX_ROW / 2);
	}
	boxAt({ offsetX, offsetY }) {
		return this.boxes.find(({ x, depth, width }) => offsetX >= x && offsetX < x + width && Math.floor(offsetY / BOX_ROW) === depth);
	}
	point(event) {
		this.tell(this.boxAt(event), event);
	}
	tell(box, event) {
		showTip(box ? this.options.describe(box.node) : [], event);
		this.options.over?.(box ? box.node : null);
	}
	// Puts a frame around a node, where it is seen.
	outline(node) {
		this.marked = node;
		const box = node && this.boxes.find((one) => one.node === node);
		this.mark.hidden = !box;
		if (box)
			Object.assign(this.mark.style, { left: `${box.x}px`, top: `${box.depth * BOX_ROW}px`, width: `${Math.max(2, box.width)}px`, height: `${BOX_ROW - 1}px` });
	}
}

// Those that are wide enough to be seen.
function layPaths(top, side, scale, below) {
	const boxes = [], left = [[top, 0, 0]];
	while (left.length) {
		const [node, x, depth] = left.pop(), width = node.totals[side] * scale;
		if (width < 0.3)
			continue;
		boxes.push({ node, x, depth, width });
		let at = x;
		for (const child of below(node, side)) {
			left.push([child, at, depth + 1]);
			at += child.totals[side] * scale;
		}
	}
	return boxes;
}

function describePath(model, node) {
	const text = (values) => values.map((value) => (value === null ? '-' : twoDecimals.format(value).replace(/\.00$/, ''))).join(' \u2192 ');
	const sign = node.difference > 0 ? '+' : '';
	return [readable(node.name), `with callees: ${text(node.totals)} ${model.unit} (${sign}${model.amount(node.difference)})`,
		`of it by itself: ${node.own > 0 ? '+' : ''}${model.amount(node.own)}`, `calls: ${text(node.calls)}`];
}

// A view of boxes: draws anew where anything changes, and zooms to the path that is picked, or out of it. Its class has draw().
class PathsView {
	constructor(state, colors) {
		Object.assign(this, { state, colors, model: state.model, top: state.model.root });
		this.ask = onceAFrame(() => this.draw());
	}
	watch(node) {
		new ResizeObserver(() => this.ask()).observe(node);
		this.state.listen(() => this.ask());
	}
	zoomTo(node) {
		this.top = node;
		this.ask();
	}
	pick(node) {
		this.zoomTo(node === this.top && node.parent ? node.parent : node);
		this.state.set({ row: this.model.rowAt.get(node.name) || this.state.row });
	}
}
