// SPDX-License-Identifier: Apache-2.0
// The table of functions: of the whole capture as the command line counted it, or of the range.
class Functions {
	constructor(state, colors) {
		Object.assign(this, { state, colors, model: state.model, source: state.model.table('report.functions'), node: $('functions') });
		this.columns = placedColumns(this.source);
		this.table = new Table([], { label: 'Functions', sort: { name: `self_${state.model.unit}`, down: true },
			draw: (row, column) => this.draw(row, column), pick: (row) => state.set({ group: this.groupOf(row), picked: this.nameOf(row), call: null }),
			picked: (row) => this.isPicked(row) });
		this.count = make('span', { className: 'muted' });
		const chooser = new ColumnChooser(this.columns, (columns) => this.table.setColumns(columns));
		this.node.replaceChildren(make('div', { className: 'caption' }, make('h2', { textContent: 'Functions' }), this.count, chooser.button), chooser.node, this.table.node);
		state.listen((changed) => this.changed(changed));
		this.load();
	}
	at(name) {
		return this.source.index.get(name);
	}
	groupOf(row) {
		return this.model.groupNamed(row[this.at('function')], row[this.at('module')]);
	}
	nameOf(row) {
		return `${row[this.at('function')]}\0${row[this.at('module')] || ''}`;
	}
	isPicked(row) {
		const { group, picked } = this.state;
		return group >= 0 ? this.groupOf(row) === group : picked === this.nameOf(row);
	}
	changed(changed) {
		if ((changed.has('range') || changed.has('settling')) && !this.state.settling)
			this.load();
		else if (changed.has('text'))
			this.show();
		if (changed.has('group') || changed.has('picked')) {
			this.table.fill();
			const number = this.table.shown.findIndex((row) => this.isPicked(row));
			if (number >= 0)
				this.table.show(number);
		}
	}
	load() {
		const { range } = this.state;
		this.rows = range ? rangeRows(this.model, this.source, ...range) : this.source.rows;
		this.show();
	}
	show() {
		const matches = matcher(this.state.text);
		this.table.setRows(this.rows, (row) => matches(row[this.at('function')]));
		const shown = this.table.shown.length, all = this.rows.length;
		this.count.textContent = (shown === all ? grouped(all) : `${grouped(shown)} of ${grouped(all)}`) + (this.state.range ? ' \u00b7 of the range' : '');
	}
	draw(row, column) {
		if (column.name === 'function')
			return this.drawName(row);
		if (column.name !== 'self_percent' || row[column.at] === null)
			return null;
		const bar = make('span', { className: 'bar', textContent: cellText(row[column.at], 'percent') });
		bar.style.backgroundSize = `${Math.min(100, row[column.at])}% 100%`;
		return bar;
	}
	drawName(row) {
		const group = this.groupOf(row), chip = make('i', { className: 'chip' }), name = row[this.at('function')];
		if (group >= 0)
			chip.style.background = cssColor(colorOfName(this.model.groups[group]));
		return make('span', { title: readable(name) }, chip, readable(name));
	}
}
