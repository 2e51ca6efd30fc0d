// SPDX-License-Identifier: Apache-2.0
// Text on a canvas, and as much of it as there is room for.
const FONT = '"DejaVu Sans",system-ui,sans-serif';

// How wide texts are, by font: measuring takes long, and most texts come again with the next frame.
const widths = new Map();
function widthOf(context, text) {
	const key = context.font + text;
	let width = widths.get(key);
	if (width === undefined) {
		if (widths.size > 20000)
			widths.clear();
		widths.set(key, width = context.measureText(text).width);
	}
	return width;
}

// As much of a text as is not wider.
function fitted(context, text, width) {
	if (widthOf(context, text) <= width)
		return text;
	let low = 0, high = text.length;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (widthOf(context, text.slice(0, middle) + '\u2026') <= width)
			low = middle;
		else
			high = middle - 1;
	}
	return low > 1 ? text.slice(0, low) + '\u2026' : '';
}
