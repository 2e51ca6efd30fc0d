// SPDX-License-Identifier: Apache-2.0
// Lines of JSON: an object begins a part, arrays are its rows. docs/formats/html-data.md
function readFacts(text) {
	const facts = { tables: new Map(), paths: { unit: '', whole: 0, rows: [] },
			timeline: { unit: '', end: 0, calls: 0, left_out: 0, about: '', name: [], track: [], lane: [], reason: [], rows: [] } };
	let add = () => {};
	for (const line of text.split('\n')) {
		if (line)
			add = line[0] === '{' ? beginPart(facts, JSON.parse(line)) : (add(JSON.parse(line)), add);
	}
	return facts;
}

// What takes the rows of the part that head begins.
function beginPart(facts, head) {
	if (head.timeline) {
		const timeline = Object.assign(facts.timeline, head.timeline);
		return ([kind, ...values]) => (Array.isArray(timeline[kind]) ? timeline[kind].push(values) : timeline.rows.push([kind, ...values]));
	}
	if (head.paths) {
		Object.assign(facts.paths, head.paths);
		return (row) => facts.paths.rows.push(row);
	}
	const table = { ...head, rows: [], index: new Map(head.columns.map((column, i) => [column.name, i])) };
	const key = `${head.schema.replace(/^sightline\.|\/.*$/g, '')}.${head.table}`;
	if (!facts.tables.has(key))
		facts.tables.set(key, table);
	return (row) => table.rows.push(row);
}
