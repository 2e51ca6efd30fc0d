// SPDX-License-Identifier: Apache-2.0
// The selected function: its numbers on both sides, and how its calls spread.
const PAIRS = [['calls', 'calls_?'], ['self', 'self_?_*'], ['self a call', 'self_?_*', 'calls_?'], ['total', 'total_?_*'], ['avg', 'avg_?_*'], ['p50', 'p50_?_*'], ['p99', 'p99_?_*'], ['max', 'max_?_*']];

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
	pairRow([heading, column, by]) {
		const of = (name, side) => this.value(name.replace('?', side.toLowerCase()));
		const values = SIDES.map((side) => (by ? quotient(of(column, side), of(by, side)) : of(column, side))), [a, b] = values;
		return make('tr', {}, make('th', { scope: 'row', className: 'text', textContent: heading }), ...values.map((value) => this.cell(value, column)),
			make('td', { className: a === null || b === null ? '' : b > a ? 'more' : b < a ? 'less' : '', textContent: changeText(a, b) }));
	}
	// Times in units that fit, and exactly where the pointer rests.
	cell(value, column) {
		const exact = cellText(value, 'real');
		return make('td', { textContent: value !== null && this.model.unit === 'ns' && column.endsWith('*') ? amountText(value, 'ns') : exact, title: exact });
	}
	interval() {
		const low = this.value('avg_low_*'), high = this.value('avg_high_*');
		return low === null ? '' : make('p', { className: 'muted', textContent: `95 % confidence: the mean changed by ${this.model.amount(low)} to ${this.model.amount(high)}.` });
	}
}

const quotient = (sum, count) => (sum === null || !count ? null : sum / count);

// In percent, and where that says little, how many times as much.
function changeText(a, b) {
	if (!(a > 0) || b === null)
		return '-';
	return b >= 10 * a ? `\u00d7 ${(b / a).toLocaleString('en-US', { maximumSignificantDigits: 3 })}` : `${b > a ? '+' : ''}${cellText(100 * (b / a - 1), 'percent')} %`;
}
