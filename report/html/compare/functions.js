// SPDX-License-Identifier: Apache-2.0
// The table of functions: what each adds to the difference.
class DeltaFunctions {
	constructor(state) {
		Object.assign(this, { state, model: state.model });
		this.table = new Table([], { label: 'Functions', draw: (row, column) => this.draw(row, column), pick: (row) => state.set({ row }), picked: (row) => state.row === row });
		this.count = make('span', { className: 'muted' });
		const chooser = new ColumnChooser(withLead(placedColumns(this.model.functions)), (columns) => this.table.setColumns(columns));
		$('functions').replaceChildren(make('div', { className: 'caption' }, make('h2', { textContent: readable(this.model.functions.title) }), this.count, chooser.button), chooser.node,
			this.table.node);
		state.listen((changed) => this.changed(changed));
		this.show();
	}
	changed(changed) {
		if (changed.has('text'))
			this.show();
		if (changed.has('row')) {
			this.table.fill();
			const number = this.table.shown.indexOf(this.state.row);
			if (number >= 0)
				this.table.show(number);
		}
	}
	show() {
		const matches = matcher(this.state.text), all = this.model.functions.rows.length;
		this.table.setRows(this.model.functions.rows, (row) => matches(this.model.nameOf(row)));
		const shown = this.table.shown.length;
		this.count.textContent = shown === all ? grouped(all) : `${grouped(shown)} of ${grouped(all)}`;
	}
	draw(row, column) {
		const value = row[column.at];
		if (!column.name.startsWith('difference_') || !value)
			return null;
		return make('span', { className: value > 0 ? 'more' : 'less', textContent: `${value > 0 ? '+' : ''}${cellText(value, column.type)}` });
	}
}

// What a row is about comes first.
const LEAD = ['function', 'verdict'];
const withLead = (columns) => [...LEAD.map((name) => columns.find((column) => column.name === name)), ...columns.filter((column) => !LEAD.includes(column.name))];
