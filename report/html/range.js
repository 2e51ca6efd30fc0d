// SPDX-License-Identifier: Apache-2.0
// What functions took in a part of the capture: of calls that begin in it, whole. For the whole capture calls, total and self are those of
// the table of functions, which the command line counted.
function rangeSums(model, from, to) {
	const count = model.groups.length;
	const sums = { calls: new Float64Array(count), found: new Float64Array(count), open: new Float64Array(count), total: new Float64Array(count),
		       self: new Float64Array(count), durations: [] };
	const each = { counts: new Uint32Array(count + 1) };
	for (const row of model.callRows)
		addRow(model, row, from, to, sums, each);
	sums.durations = sortedDurations(model, from, to, each.counts);
	return sums;
}

const isComplete = (flags) => !(flags & (FLAG.NO_ENTRY | FLAG.NO_EXIT | FLAG.NO_COSTS));

function addRow(model, row, from, to, sums, each) {
	const { total, self } = model.costs(row), last = row.firstStartingAt(to);
	for (let i = row.firstStartingAt(from); i < last; i++) {
		const name = row.name[i], flags = row.flags ? row.flags[i] : 0;
		if (flags & FLAG.NO_COSTS || row.isLevel[name])
			continue;
		const group = model.groupOf[name];
		sums.self[group] += self[i];
		if (!(flags & FLAG.RECURSIVE))
			sums.total[group] += total[i];
		sums.calls[group] += flags & FLAG.NO_ENTRY ? 0 : 1;
		sums.found[group] += flags & FLAG.NO_ENTRY ? 1 : 0;
		sums.open[group] += flags & FLAG.NO_EXIT ? 1 : 0;
		if (isComplete(flags))
			each.counts[group + 1]++;
	}
}

// Per group the durations of its complete calls, ascending.
function sortedDurations(model, from, to, counts) {
	const places = new Float64Array(counts.length);
	for (let i = 1; i < counts.length; i++)
		places[i] = places[i - 1] + counts[i];
	const begins = places.slice(), all = new Float64Array(places[places.length - 1]);
	for (const row of model.callRows) {
		const { total } = model.costs(row), last = row.firstStartingAt(to);
		for (let i = row.firstStartingAt(from); i < last; i++) {
			if (!row.isLevel[row.name[i]] && isComplete(row.flagsOf(i)))
				all[places[model.groupOf[row.name[i]]]++] = total[i];
		}
	}
	return model.groups.map((_, group) => all.subarray(begins[group], begins[group + 1]).sort());
}

// By nearest rank: the value that so many of them do not exceed.
const percentile = (sorted, perMille) => sorted[Math.max(0, Math.ceil(sorted.length * perMille / 1000) - 1)];

// Rows for the columns of the table of functions; what a part cannot know is null.
function rangeRows(model, table, from, to) {
	const sums = rangeSums(model, from, to), all = sums.self.reduce((sum, self) => sum + self, 0);
	const rows = [];
	model.groups.forEach((name, group) => {
		if (sums.calls[group] || sums.found[group] || sums.self[group])
			rows.push(rangeRow(model, table, sums, group, all));
	});
	return rows;
}

function rangeRow(model, table, sums, group, all) {
	const name = model.groups[group], sorted = sums.durations[group], unit = model.unit;
	const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
	const spread = Math.sqrt(sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / sorted.length);
	const known = { function: name.name, module: name.module, calls: sums.calls[group], missing_entry: sums.found[group], missing_exit: sums.open[group],
			missing: sums.found[group] || sums.open[group] ? `(${sums.found[group]}/${sums.open[group]})` : '',
			[`total_${unit}`]: sums.total[group], [`self_${unit}`]: sums.self[group], self_percent: all ? 100 * sums.self[group] / all : null,
			total_percent: all ? 100 * sums.total[group] / all : null };
	if (sorted.length)
		Object.assign(known, { [`min_${unit}`]: sorted[0], [`avg_${unit}`]: mean, [`max_${unit}`]: sorted[sorted.length - 1], [`stdev_${unit}`]: spread,
				       [`p50_${unit}`]: percentile(sorted, 500), [`p90_${unit}`]: percentile(sorted, 900), [`p99_${unit}`]: percentile(sorted, 990),
				       [`p999_${unit}`]: percentile(sorted, 999) });
	return table.columns.map((column) => known[column.name] ?? null);
}
