// SPDX-License-Identifier: Apache-2.0
// What compare found: its tables, the paths of both sides as a tree, how the calls of each function spread.
const SIDES = ['A', 'B'];

class Comparison {
	constructor(facts) {
		this.tables = new Map([...facts.tables].map(([key, table]) => [key.replace('compare.', ''), table]));
		this.functions = this.table('functions');
		this.unit = this.functions.meta.unit;
		this.per = this.functions.meta.per === 'whole' ? '' : this.functions.meta.per;
		this.rowAt = new Map();
		this.functions.rows.forEach((row) => this.rowAt.has(this.nameOf(row)) || this.rowAt.set(this.nameOf(row), row));
		this.root = treeOf(this.table('tree'));
		this.spreads = spreadsOf(this.table('histograms'), this.functions.rows);
	}
	table(name) {
		return this.tables.get(name);
	}
	// The value of a row's column; 'difference_*' stands for difference_ with the unit.
	value(table, row, name) {
		return row[this.table(table).index.get(name.replace('*', this.unit))];
	}
	nameOf(row) {
		return this.value('functions', row, 'function');
	}
	// What numbers are of.
	whole() {
		return this.per ? `all calls of ${readable(this.per)}` : 'whole runs';
	}
	amount(value) {
		return `${twoDecimals.format(value).replace(/\.00$/, '')} ${this.unit === 'insns' ? 'instructions' : this.unit}`;
	}
}

// Nodes hold pairs: of A, and of B.
function treeOf(table) {
	const at = (name) => table.index.get(name), pair = (row, name) => [row[at(`${name}_a`)], row[at(`${name}_b`)]], above = [];
	for (const row of table.rows) {
		const [depth, name] = row[at('function')], parent = above[depth - 1] || null;
		const node = { name, depth, parent, children: [], totals: pair(row, 'total'), calls: pair(row, 'calls'), first: pair(row, 'first'),
			       difference: row[at('difference')], own: row[at('self_difference')] };
		if (parent)
			parent.children.push(node);
		above[depth] = node;
	}
	return above[0];
}

// A node's children in the order in which a side first ran them; what has none, like missing trace, comes last.
function inOrder(node, side) {
	const place = ({ first }) => first[side] ?? Infinity;
	node.ordered ||= [];
	return node.ordered[side] ||= [...node.children].sort((a, b) => (place(a) < place(b) ? -1 : Number(place(a) > place(b))));
}

// By row of the table of functions: for each side its classes, as [least, greatest, calls].
function spreadsOf(table, rows) {
	const spreads = new Map(rows.map((row) => [row, [[], []]]));
	for (const [place, side, ...range] of table.rows)
		spreads.get(rows[place])[SIDES.indexOf(side)].push(range);
	return spreads;
}
