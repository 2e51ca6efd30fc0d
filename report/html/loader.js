// SPDX-License-Identifier: Apache-2.0
// Rows that lie beside the page, where `sightline view` serves it: each is fetched when it is wanted, with those above it.
class Loader {
	constructor(model, lists) {
		Object.assign(this, { model, lists, asked: new Map(), places: [], listeners: [] });
		let at = 0;
		for (const list of lists) {
			this.places.push(at);
			at += list.slice(4).reduce((sum, length) => sum + length, 0);
		}
	}
	listen(action) {
		this.listeners.push(action);
	}
	load(row) {
		if (!this.asked.has(row))
			this.asked.set(row, this.fetch(row));
		return this.asked.get(row);
	}
	async fetch(row) {
		const number = this.model.rows.indexOf(row), list = this.lists[number], length = list.slice(4).reduce((sum, one) => sum + one, 0);
		const above = row.kind === 'calls' && row.depth ? this.model.trackRows.get(row.owner)[row.depth - 1] : null, from = this.places[number];
		const [answer] = await Promise.all([fetch('columns', { headers: { Range: `bytes=${from}-${from + length - 1}` } }), above && this.load(above)]);
		if (answer.status !== 206)
			throw new Error(`the server answers ${answer.status}`);
		takeRow(row, above, new Uint8Array(await answer.arrayBuffer()), list);
		this.model.changed(above);
		this.listeners.forEach((listener) => listener());
	}
	// Those that are wanted at first, a few at a time.
	async loadOutermost(depth) {
		const rows = this.model.rows.filter((row) => row.depth < depth).sort((a, b) => a.depth - b.depth);
		for (let i = 0; i < rows.length; i += 6)
			await Promise.all(rows.slice(i, i + 6).map((row) => this.load(row)));
	}
}
