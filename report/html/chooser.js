// SPDX-License-Identifier: Apache-2.0
// Which columns of a table are shown: at first those that are not rare.
class ColumnChooser {
	// show(columns) is called with those that are wanted, now and whenever that changes.
	constructor(columns, show) {
		Object.assign(this, { columns, show, wanted: new Set(columns.filter((column) => !column.rare).map((column) => column.name)) });
		this.node = make('fieldset', { hidden: true, className: 'chooser' }, make('legend', { textContent: 'Columns' }), ...columns.map((column) => this.pick(column)));
		this.button = button('Columns', 'Which columns are shown', () => { this.node.hidden = !this.node.hidden; });
		this.changed();
	}
	pick(column) {
		const box = make('input', { type: 'checkbox', checked: this.wanted.has(column.name) });
		box.onchange = () => {
			this.wanted[box.checked ? 'add' : 'delete'](column.name);
			this.changed();
		};
		return make('label', { title: column.help }, box, column.heading);
	}
	changed() {
		this.show(this.columns.filter((column) => this.wanted.has(column.name)));
	}
}
