// SPDX-License-Identifier: Apache-2.0
// What is under the pointer: lines of text beside it, the first of them bold. No lines: nothing is shown.
function showTip(lines, event) {
	const tip = $('tip');
	tip.hidden = !lines.length;
	if (tip.hidden)
		return;
	tip.replaceChildren(...lines.map((line, i) => make(i ? 'div' : 'b', { textContent: line })));
	tip.style.left = `${Math.max(4, Math.min(innerWidth - tip.offsetWidth - 8, event.clientX + 14))}px`;
	tip.style.top = `${event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18}px`;
}
