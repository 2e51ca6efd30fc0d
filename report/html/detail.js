// SPDX-License-Identifier: Apache-2.0
// The selected function: its numbers, how its calls spread, and the slowest of them.
const SLOWEST = 10, BARS = 60;

class Detail {
	constructor(state, colors, functions) {
		Object.assign(this, { state, colors, functions, model: state.model, node: $('detail') });
		state.listen((changed) => {
			if (['group', 'picked'].some((key) => changed.has(key)) || ((changed.has('range') || changed.has('settling')) && !state.settling))
				this.show();
		});
		this.show();
	}
	show() {
		const row = this.functions.rows.find((one) => this.functions.isPicked(one)), { group } = this.state;
		if (group < 0 && !row) {
			this.node.replaceChildren(make('p', { className: 'muted', textContent: 'Choose a function in the table or a call in the timeline to see how its calls spread.' }));
			return;
		}
		const name = group >= 0 ? this.model.groups[group] : { name: row[0], module: row[1] };
		this.node.replaceChildren(make('h3', { textContent: readable(name.name), title: readable(name.name) }), make('p', { className: 'muted', textContent: readable(name.module || '') }));
		if (row)
			this.node.append(this.numbers(row));
		if (group >= 0)
			this.node.append(...this.calls(group, row));
		else
			this.node.append(make('p', { className: 'muted', textContent: 'None of its calls is in the timeline.' }));
	}
	value(row, name) {
		return row[this.functions.at(`${name}_${this.model.unit}`)] ?? null;
	}
	numbers(row) {
		const unit = this.model.unit, wanted = ['calls', `total_${unit}`, `self_${unit}`, 'self_percent', `min_${unit}`, `avg_${unit}`, `p50_${unit}`, `p90_${unit}`,
						      `p99_${unit}`, `p999_${unit}`, `max_${unit}`, `stdev_${unit}`];
		const columns = wanted.map((want) => this.functions.columns.find((column) => column.name === want)).filter(Boolean);
		return make('dl', {}, ...columns.map((column) => make('div', { title: column.help }, make('dt', { textContent: column.heading }),
			make('dd', { textContent: cellText(row[column.at], column.type) }))));
	}
	// Complete calls of the range, by their total.
	calls(group, row) {
		const range = this.state.range || [0, Infinity], found = [];
		for (const sparse of this.model.callsOf(group)) {
			const { total } = this.model.costs(sparse.row);
			for (const index of sparse.index) {
				const start = sparse.row.start[index];
				if (isComplete(sparse.row.flagsOf(index)) && start >= range[0] && start < range[1])
					found.push({ row: sparse.row, index, total: total[index] });
			}
		}
		found.sort((a, b) => b.total - a.total || a.row.start[a.index] - b.row.start[b.index]);
		if (!found.length)
			return [make('p', { className: 'muted', textContent: 'No call was seen from entry to exit.' })];
		return [this.histogram(found.map((call) => call.total), row), make('h4', { textContent: 'Slowest calls' }), this.slowest(found.slice(0, SLOWEST))];
	}
	slowest(calls) {
		const unit = this.model.unit;
		return make('ol', { className: 'slowest' }, ...calls.map(({ row, index, total }) => make('li', {},
			make('button', { onclick: () => this.state.goTo(row, index), title: 'Look at it' }, make('b', { textContent: `${grouped(total)} ${unit}` }),
				make('span', { textContent: `at ${amountText(row.start[index], unit)}` }), make('span', { textContent: this.model.trackOf(row).name })))));
	}
	// Classes of the same width on a logarithmic axis, in SVG. totals descend. Percentiles are those of the table, where they are known.
	histogram(totals, row) {
		const low = Math.log(Math.max(1, totals[totals.length - 1])), high = Math.log(Math.max(1, totals[0])) + 1e-9, width = (high - low) / BARS || 1;
		const counts = new Array(BARS).fill(0);
		for (const total of totals)
			counts[Math.min(BARS - 1, Math.floor((Math.log(Math.max(1, total)) - low) / width))]++;
		const most = Math.max(...counts), unit = this.model.unit;
		const bars = counts.map((count, i) => svg('rect', { x: i * 5, width: 4, y: 60 - (count ? Math.max(1.5, 58 * count / most) : 0), height: 60 },
			svg('title', {}, `${amountText(Math.exp(low + i * width), unit)} and more: ${grouped(count)} calls`)));
		const known = ['p50', 'p99'].filter((name) => row && this.value(row, name) !== null);
		const marks = known.map((name) => {
			const x = (Math.log(Math.max(1, this.value(row, name))) - low) / width * 5;
			return svg('line', { x1: x, x2: x, y1: 0, y2: 60 });
		});
		const label = `How ${grouped(totals.length)} calls spread${known.length ? `; lines are ${known.join(' and ')}` : ''}`;
		return make('figure', {}, svg('svg', { viewBox: `0 0 ${BARS * 5} 60`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, ...bars, ...marks),
			make('figcaption', {}, make('span', { textContent: amountText(totals[totals.length - 1], unit) }), make('span', { textContent: known.length ? `lines: ${known.join(', ')}` : '' }),
				make('span', { textContent: amountText(totals[0], unit) })));
	}
}
