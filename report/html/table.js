// SPDX-License-Identifier: Apache-2.0
// A table of any number of rows, of which those in sight are made. For screen readers it is a table with its number of rows.
const TABLE_ROW = 24, TABLE_SPARE = 8;

class Table {
	// columns: {name, heading, help, type, at: where a row has its value}. options: label, sort, draw (row, column) -> node or null, pick(row),
	// picked(row), fixedOrder, plain: all rows are made, as high as their text.
	constructor(columns, options = {}) {
		Object.assign(this, { columns, options, rows: [], shown: [], sort: options.sort || null, focus: 0 });
		this.head = make('thead');
		this.body = make('tbody');
		this.table = make('table', { 'aria-label': options.label || '' }, this.head, this.body);
		this.node = make('div', { className: 'table', tabIndex: 0, role: 'region', 'aria-label': options.label || '', onscroll: onceAFrame(() => this.fill()) }, this.table);
		this.node.onkeydown = (event) => this.key(event);
		if (!options.plain)
			new ResizeObserver(() => this.fill()).observe(this.node);
		this.setColumns(columns);
	}
	setColumns(columns) {
		this.columns = columns;
		this.head.replaceChildren(make('tr', {}, ...columns.map((column) => this.headCell(column))));
		this.fill();
	}
	headCell(column) {
		const sorted = this.sort && this.sort.name === column.name ? (this.sort.down ? 'descending' : 'ascending') : 'none';
		const mark = { descending: ' \u25be', ascending: ' \u25b4', none: '' }[sorted];
		const cell = make('th', { scope: 'col', title: column.help, className: isText(column) ? 'text' : '', 'aria-sort': sorted });
		cell.append(this.options.fixedOrder ? column.heading : make('button', { textContent: column.heading + mark, onclick: () => this.sortBy(column) }));
		return cell;
	}
	sortBy(column) {
		const same = this.sort && this.sort.name === column.name;
		this.sort = { name: column.name, down: same ? !this.sort.down : !isText(column) };
		this.order();
		this.setColumns(this.columns);
	}
	// keep: which rows are shown; all of them without.
	setRows(rows, keep) {
		this.rows = keep ? rows.filter(keep) : rows;
		this.order();
		this.table.setAttribute('aria-rowcount', this.shown.length + 1);
		this.fill();
	}
	order() {
		const column = this.sort && this.columns.find((one) => one.name === this.sort.name);
		this.shown = column ? sortedRows(this.rows, column, this.sort.down) : this.rows;
	}
	fill() {
		if (this.options.plain) {
			this.body.replaceChildren(...this.shown.map((row, i) => this.rowNode(row, i)));
			return;
		}
		const first = Math.max(0, Math.floor(this.node.scrollTop / TABLE_ROW) - TABLE_SPARE);
		const last = Math.min(this.shown.length, first + Math.ceil((this.node.clientHeight || 400) / TABLE_ROW) + 2 * TABLE_SPARE);
		const rows = this.shown.slice(first, last).map((row, i) => this.rowNode(row, first + i));
		this.body.replaceChildren(spacer(first * TABLE_ROW, this.columns.length), ...rows, spacer((this.shown.length - last) * TABLE_ROW, this.columns.length));
	}
	rowNode(row, number) {
		const picked = this.options.picked && this.options.picked(row);
		const node = make('tr', { className: picked ? 'picked' : '', 'aria-rowindex': number + 2 }, ...this.columns.map((column) => this.cell(row, column)));
		if (picked)
			node.setAttribute('aria-selected', 'true');
		if (this.options.pick) {
			node.classList.add('pick');
			node.onclick = () => this.options.pick(row);
		}
		return node;
	}
	cell(row, column) {
		const own = this.options.draw && this.options.draw(row, column), text = own ? '' : cellText(row[column.at], column.type);
		const cell = make('td', { className: isText(column) ? 'text' : '', title: text.length > 24 ? text : '' });
		cell.append(own || text);
		return cell;
	}
	key(event) {
		const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (!by || !this.options.pick || event.target !== this.node || !this.shown.length)
			return;
		event.preventDefault();
		const now = this.shown.findIndex((row) => this.options.picked(row));
		const next = Math.max(0, Math.min(this.shown.length - 1, now < 0 ? 0 : now + by));
		this.options.pick(this.shown[next]);
		this.show(next);
	}
	show(number) {
		const top = number * TABLE_ROW, room = this.node.clientHeight - 2 * TABLE_ROW;
		if (top < this.node.scrollTop || top > this.node.scrollTop + room)
			this.node.scrollTop = Math.max(0, top - room / 2);
	}
}

const isText = (column) => ['string', 'tree', 'addr', 'hex', 'bool'].includes(column.type);
const spacer = (height, columns) => {
	const node = make('tr', { className: 'space', 'aria-hidden': 'true' }, make('td', { colSpan: columns }));
	node.firstChild.style.height = `${Math.max(0, height)}px`;
	node.hidden = height <= 0;
	return node;
};

// What is not known comes last, whichever way; ties keep their order.
function sortedRows(rows, column, down) {
	const value = (row) => row[column.at], sign = down ? -1 : 1;
	return [...rows].sort((a, b) => {
		const x = value(a), y = value(b);
		if (x === null || y === null)
			return (x === null) - (y === null);
		return x < y ? -sign : x > y ? sign : 0;
	});
}

// Columns of a table of the page, with where their values stand.
const placedColumns = (table) => table.columns.map((column, at) => ({ ...column, at }));
