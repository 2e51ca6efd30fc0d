// SPDX-License-Identifier: Apache-2.0
// Pages of plain tables: what lenses saw, and how far the capture can be trusted.
const EVENT_TABLES = ['events.events', 'events.requesters', 'events.tasks', 'events.lenses'];
const HEALTH_TABLES = ['info.verdict', 'info.advice', 'report.account', 'report.clocks', 'report.gaps', 'info.capture', 'info.recording', 'info.gaps', 'info.images', 'info.wanted', 'info.contradictions',
		       'info.sources', 'info.ids', 'info.buffers', 'info.cpus', 'info.processes', 'info.exceptions', 'info.packets', 'info.next_recording', 'report.tasks'];

function showPage(node, title, model, keys, nothing) {
	const shown = keys.filter((key) => model.tables.has(key) && model.table(key).rows.length);
	node.replaceChildren(make('div', { className: 'caption' }, make('h2', { textContent: title })));
	if (title === 'Health' && model.about)
		node.append(make('p', { className: 'about', textContent: model.about }));
	if (!shown.length)
		node.append(make('p', { className: 'about', textContent: nothing }));
	node.append(...shown.map((key) => pageTable(model.table(key), key)));
}

const PLAIN_ROWS = 200, PAGE_ROWS = 20;
function pageTable(source, key) {
	const known = placedColumns(source).filter((column) => source.rows.some((row) => row[column.at] !== null && row[column.at] !== '')), plain = source.rows.length <= PLAIN_ROWS;
	const table = new Table(known, { label: source.title || source.table, plain });
	table.node.classList.add('inset', plain ? 'plain' : 'long');
	if (!plain)
		table.node.style.height = `${PAGE_ROWS * TABLE_ROW}px`;
	table.setRows(source.rows);
	return make('section', { className: 'block', 'data-table': key }, make('h3', { textContent: readable(source.title || source.table.replace(/_/g, ' ')) }), table.node);
}
