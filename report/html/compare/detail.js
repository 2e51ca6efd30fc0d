// SPDX-License-Identifier: Apache-2.0
// The selected function: its numbers on both sides, and how its calls spread.
const PAIRS = [['calls', 'calls_?'], ['self', 'self_?_*'], ['total', 'total_?_*'], ['avg', 'avg_?_*'], ['p50', 'p50_?_*'], ['p99', 'p99_?_*'], ['max', 'max_?_*']];

class DeltaDetail {
	constructor(state) {
		Object.assign(this, { state, model: state.model, node: $('detail') });
		state.listen((changed) => changed.has('row') && this.show());
		this.show();
	}
	show() {
		const { row } = this.state;
		if (!row) {
			this.node.replaceChildren(make('p', { className: 'muted', textContent: 'Choose a function to see its calls on both sides.' }));
			return;
		}
		const name = readable(this.model.nameOf(row)), other = this.value('other'), verdict = this.value('verdict');
		this.node.replaceChildren(make('h3', { textContent: name, title: name }), make('p', { className: 'muted', textContent: readable(this.value('module') || '') }),
			make('p', { textContent: [verdict, other && `in B: ${readable(other)}`].filter(Boolean).join('; ') || 'no difference that is more than chance' }), this.numbers(), this.interval(),
			spreadFigure(this.model, row));
	}
	value(name) {
		return this.model.value('functions', this.state.row, name);
	}
	numbers() {
		const head = make('tr', {}, ...['', ...SIDES, 'change'].map((text) => make('th', { scope: 'col', textContent: text })));
		return make('table', { 'aria-label': 'Numbers of both sides' }, make('thead', {}, head), make('tbody', {}, ...PAIRS.map((pair) => this.pairRow(pair))));
	}
	pairRow([heading, column]) {
		const values = SIDES.map((side) => this.value(column.replace('?', side.toLowerCase()))), [a, b] = values;
		const change = a > 0 && b !== null ? 100 * (b / a - 1) : null, sign = change > 0 ? '+' : '';
		return make('tr', {}, make('th', { scope: 'row', className: 'text', textContent: heading }), ...values.map((value) => make('td', { textContent: cellText(value, 'real') })),
			make('td', { className: change > 0 ? 'more' : change < 0 ? 'less' : '', textContent: change === null ? '-' : `${sign}${cellText(change, 'percent')} %` }));
	}
	interval() {
		const low = this.value('avg_low_*'), high = this.value('avg_high_*');
		return low === null ? '' : make('p', { className: 'muted', textContent: `95 % confidence: the mean changed by ${this.model.amount(low)} to ${this.model.amount(high)}.` });
	}
}
