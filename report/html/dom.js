// SPDX-License-Identifier: Apache-2.0
// Elements. Text of strangers goes in as text, never as markup.
const $ = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
	const node = document.createElement(tag);
	for (const [key, value] of Object.entries(properties)) {
		if (key in node)
			node[key] = value;
		else
			node.setAttribute(key, value);
	}
	node.append(...children);
	return node;
}

function svg(tag, attributes, ...children) {
	const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
	for (const [key, value] of Object.entries(attributes))
		node.setAttribute(key, value);
	node.append(...children);
	return node;
}

function button(text, title, action) {
	return make('button', { textContent: text, title, onclick: action });
}

// A name as it can be shown: control characters and those that turn the direction of text become visible, and it ends somewhere.
const NAME_MAX = 300;
function readable(name, most = NAME_MAX) {
	const cut = name.length > most ? name.slice(0, most) + '\u2026' : name;
	return cut.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');
}

// Once a frame, however often it is asked for.
function onceAFrame(action) {
	let asked = false;
	return () => {
		if (asked)
			return;
		asked = true;
		requestAnimationFrame(() => {
			asked = false;
			action();
		});
	};
}
