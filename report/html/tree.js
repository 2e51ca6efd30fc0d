// SPDX-License-Identifier: Apache-2.0
// Trees as tables whose rows open: the call tree, callers, callees.
class Tree {
	constructor(model, label, pick) {
		Object.assign(this, { model, pick, open: new Set(), root: null });
		const column = (name, heading, type, help) => ({ name, heading, type, help, at: name });
		this.columns = [column('label', 'path', 'tree', 'function, below who called it'), column('calls', 'calls', 'count', 'entries seen'),
				column('total', `total ${model.unit}`, 'count', 'with callees'), column('share', 'total %', 'percent', 'share of the whole'),
				column('self', `self ${model.unit}`, 'count', 'without callees'), column('module', 'module', 'string', 'file that holds it')];
		this.table = new Table(this.columns, { label, fixedOrder: true, draw: (row, of) => this.draw(row, of) });
		this.node = this.table.node;
	}
	// by: which number siblings are sorted by.
	show(root, whole, by = 'total') {
		Object.assign(this, { root, whole: whole || 1, by });
		this.open = new Set([root]);
		for (let node = root; node.children.length === 1 && this.open.size < 100; node = node.children[0])
			this.open.add(node.children[0]);
		this.fill();
	}
	fill() {
		const rows = [];
		const add = (node, depth) => {
			rows.push({ node, depth, label: node.label, calls: node.calls, total: node.total, share: 100 * node.total / this.whole, self: node.self, module: node.module });
			if (this.open.has(node))
				[...node.children].sort((a, b) => b[this.by] - a[this.by]).forEach((child) => add(child, depth + 1));
		};
		add(this.root, 0);
		this.table.setRows(rows);
	}
	draw(row, column) {
		if (column.name !== 'label')
			return null;
		const { node } = row, open = this.open.has(node), place = make('span', { className: 'branch', title: row.label });
		place.style.paddingLeft = `${Math.min(row.depth, 40) * 14}px`;
		const turn = make('button', { textContent: node.children.length ? (open ? '\u25be' : '\u25b8') : '\u00b7', disabled: !node.children.length, 'aria-expanded': String(open),
			'aria-label': `${open ? 'close' : 'open'} ${row.label}`, onclick: () => this.turn(node) });
		place.append(turn, this.pick && node.kind === PATH.FUNCTION ? make('button', { className: 'name', textContent: row.label, onclick: () => this.pick(node) }) : row.label);
		return place;
	}
	turn(node) {
		if (!this.open.delete(node))
			this.open.add(node);
		this.fill();
	}
}

// Where paths come from: the page's, or those of the range or of one task.
class PathSource {
	constructor(state) {
		Object.assign(this, { state, track: null, made: null, listeners: [] });
		state.listen((changed) => {
			if ((changed.has('range') || changed.has('settling')) && !state.settling)
				this.renew();
		});
	}
	listen(action) {
		this.listeners.push(action);
	}
	choose(number) {
		this.track = this.state.model.tracks.find((track) => String(track.number) === number) || null;
		this.renew();
	}
	renew() {
		this.made = null;
		this.listeners.forEach((listener) => listener());
	}
	root() {
		const { model, range } = this.state;
		if (!this.made && !range && !this.track)
			this.made = pathsOfPage(model.paths);
		else if (!this.made)
			this.made = pathsOfRange(model, this.track ? [this.track] : model.tracks, ...(range || [0, Infinity]));
		return this.made;
	}
	title() {
		return [this.state.range ? 'the range' : 'whole capture', this.track ? this.track.name : 'all tasks'].join(', ');
	}
}

class CallTree {
	constructor(state, source) {
		const tree = new Tree(state.model, 'Call tree', (node) => state.set({ group: state.model.groupNamed(node.name, node.module), call: null, tab: 'sandwich' }));
		const line = make('span', { className: 'muted' });
		$('view-tree').replaceChildren(make('div', { className: 'caption' }, make('h2', { textContent: 'Call tree' }), line), tree.node);
		const show = () => {
			if (state.tab !== 'tree')
				return;
			const root = source.root();
			if (tree.root !== root)
				tree.show(root, root.total);
			line.textContent = `${source.title()}: children and self make a total`;
		};
		state.listen(show);
		source.listen(show);
	}
}
