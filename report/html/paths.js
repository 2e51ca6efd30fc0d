// SPDX-License-Identifier: Apache-2.0
// Calls by path. Of the whole capture the command line counted them; of a part, or of one task, they are counted here by the same rules: what was
// asked for (system calls, faults) lies below who asked, interrupts lie at the root.
const PATH = { FUNCTION: 0, LEVEL: 1, TASK: 2, GAP: 3, BEYOND: 4 };
const INTERRUPT = /: (irq|fiq|serror)\]$/;

class PathNode {
	constructor(parent, kind, name, module) {
		Object.assign(this, { parent, kind, name, module, label: readable(name), calls: 0, total: 0, self: 0, children: [], byKey: null });
	}
	child(kind, name, module) {
		const key = `${kind}\0${name}\0${module}`;
		this.byKey = this.byKey || new Map();
		let node = this.byKey.get(key);
		if (!node) {
			node = new PathNode(this, kind, name, module);
			this.children.push(node);
			this.byKey.set(key, node);
		}
		return node;
	}
	isOf(function_) {
		return this.kind === PATH.FUNCTION && this.name === function_.name && (this.module || '') === (function_.module || '');
	}
	// Calls action of all nodes, parents first.
	walk(action) {
		const waiting = [this];
		while (waiting.length) {
			const node = waiting.pop();
			action(node);
			waiting.push(...node.children);
		}
	}
}

// Those that the page has. Rows come in preorder.
function pathsOfPage(paths) {
	const root = new PathNode(null, PATH.TASK, 'all', ''), names = new Map(), open = [root];
	for (const [kind, depth, id, calls, total, self, name, module] of paths.rows) {
		if (name !== undefined)
			names.set(id, [name, module]);
		const node = new PathNode(open[depth], kind, ...names.get(id));
		Object.assign(node, { calls, total, self });
		open[depth].children.push(node);
		open[depth + 1] = node;
	}
	root.total = paths.whole;
	return root;
}

// Of calls of these tracks that begin from a time on, up to another.
function pathsOfRange(model, tracks, from, to) {
	const root = new PathNode(null, PATH.TASK, 'all', '');
	for (const track of tracks) {
		if (track.rows[0])
			addCalls(model, root, root, track.rows[0], 0, track.rows[0].count, { from, to, next: track.rows.map(() => 0) });
	}
	sumTotals(root);
	return root;
}

// Calls of a row from first to before last, below a node; range.next says where in each row the calls of the next caller begin.
function addCalls(model, root, parent, row, first, last, range) {
	const costs = model.costs(row);
	for (let i = first; i < last; i++) {
		const name = model.names[row.name[i]], below = row.below, kids = costs.kids[i];
		const begin = range.next[row.depth + 1];
		if (kids)
			range.next[row.depth + 1] += kids;
		if (row.end[i] < range.from || row.start[i] >= range.to) {
			skipCalls(model, below, begin, kids, range);
			continue;
		}
		const at = name.level && INTERRUPT.test(name.name) ? root : parent;
		const node = at.child(name.level ? PATH.LEVEL : PATH.FUNCTION, name.name, name.module);
		if (row.start[i] >= range.from && !(row.flagsOf(i) & FLAG.NO_COSTS)) {
			node.calls += row.flagsOf(i) & FLAG.NO_ENTRY ? 0 : 1;
			node.self += costs.self[i];
		}
		if (below && below.count && kids)
			addCalls(model, root, node, below, begin, begin + kids, range);
	}
}

// What lies below calls that do not count.
function skipCalls(model, row, first, count, range) {
	while (row && row.count && count) {
		const { kids } = model.costs(row);
		let below = 0;
		for (let i = first; i < first + count; i++)
			below += kids[i];
		first = range.next[row.depth + 1];
		range.next[row.depth + 1] += below;
		count = below;
		row = row.below;
	}
}

function sumTotals(node) {
	node.total = node.self;
	for (const child of node.children) {
		sumTotals(child);
		node.total += child.total;
	}
	node.children = node.children.filter((child) => child.total || child.calls);
}

// Who calls a function: below it its callers, with what the function took there. A call inside of another one of it counts for self only.
function callersOf(root, function_) {
	const top = new PathNode(null, PATH.FUNCTION, function_.name, function_.module);
	root.walk((node) => {
		if (!node.isOf(function_))
			return;
		const total = outermost(node, function_) ? node.total : 0;
		for (let at = node, to = top; ; to = to.child(at.kind, at.name, at.module)) {
			to.calls += node.calls;
			to.total += total;
			to.self += node.self;
			at = at.parent;
			if (!at || !at.parent)
				break;
		}
	});
	return top;
}

function outermost(node, function_) {
	for (let at = node.parent; at; at = at.parent) {
		if (at.isOf(function_))
			return false;
	}
	return true;
}

// What a function calls, wherever it is called.
function calleesOf(root, function_) {
	const top = new PathNode(null, PATH.FUNCTION, function_.name, function_.module);
	root.walk((node) => {
		if (node.isOf(function_) && outermost(node, function_))
			mergeInto(top, node);
	});
	return top;
}

function mergeInto(to, from) {
	to.calls += from.calls;
	to.total += from.total;
	to.self += from.self;
	for (const child of from.children)
		mergeInto(to.child(child.kind, child.name, child.module), child);
}
