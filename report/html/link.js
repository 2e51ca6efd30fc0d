// SPDX-License-Identifier: Apache-2.0
// The view in the address, so that it can be kept and sent: what is looked at, the function, the range, markers.
const LINK_PARTS = ['from', 'to', 'fn', 'file', 'call', 'range', 'marks', 'tab', 'find', 'lens'];

function linkOf(state) {
	const parts = new URLSearchParams(), group = state.group >= 0 ? state.model.groups[state.group] : null;
	const put = (key, value) => value !== null && value !== '' && parts.set(key, value);
	put('tab', state.tab === 'timeline' ? null : state.tab);
	put('from', Math.round(state.from));
	put('to', Math.round(state.to));
	put('fn', group && group.name);
	put('file', group && group.module);
	put('call', state.call && [state.call.row.owner, state.call.row.depth, state.call.index].join('.'));
	put('range', state.range && state.range.join('-'));
	put('marks', state.markers.filter((time) => time !== null).join('-'));
	put('find', state.text);
	put('lens', [...state.lenses].join(','));
	return `#${parts}`;
}

const numbersOf = (text) => (text || '').split(/[-.]/).filter(Boolean).map(Number).filter(Number.isFinite);

// What is not there in this capture is passed over.
function followLink(state, hash) {
	const parts = new URLSearchParams(hash.replace(/^#/, ''));
	if (!LINK_PARTS.some((part) => parts.has(part)))
		return;
	const [markA = null, markB = null] = numbersOf(parts.get('marks')), range = numbersOf(parts.get('range')), call = numbersOf(parts.get('call'));
	const track = call.length === 3 && state.model.tracks.find((one) => one.number === call[0]), row = track && track.rows[call[1]];
	state.set({ tab: tabs.some(({ name }) => name === parts.get('tab')) ? parts.get('tab') : 'timeline', text: parts.get('find') || '', markers: [markA, markB],
		    group: state.model.groupNamed(parts.get('fn') || '', parts.get('file') || ''), range: range.length === 2 && range[0] < range[1] ? range : null,
		    call: row && call[2] < row.count ? { row, index: call[2] } : null, lenses: new Set((parts.get('lens') || '').split(',').filter(Boolean)) });
	const from = Number(parts.get('from')), to = Number(parts.get('to'));
	if (to > from)
		state.look(from, to);
}
