// SPDX-License-Identifier: Apache-2.0
// Runs the script of a flame graph against a document that has just what it asks for: node flamegraph_run.js FILE.svg
// Prints "frames N, zoomed M, found TEXT": of all frames, of those that are seen when the widest inner one is clicked, and
// what a search for its name says.
"use strict";
const fs = require("fs");
const vm = require("vm");
const source = fs.readFileSync(process.argv[2], "utf8");
const unescape = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#39;/g, "'")
	.replace(/&amp;/g, "&");

class Element {
	constructor(attributes, children) {
		this.dataset = {};
		this.attributes = {};
		this.style = {};
		this.children = children || {};
		this.listeners = {};
		this.textContent = "";
		const classes = new Set();
		this.classList = { toggle: (name, on) => (on ? classes.add(name) : classes.delete(name)), has: (name) => classes.has(name) };
		for (const [, key, value] of attributes.matchAll(/([\w-]+)="([^"]*)"/g)) {
			if (key.startsWith("data-"))
				this.dataset[key.slice(5)] = unescape(value);
			this.attributes[key] = value;
		}
	}
	setAttribute(key, value) { this.attributes[key] = value; }
	addEventListener(kind, call) { this.listeners[kind] = call; }
	querySelector(name) { return this.children[name]; }
}

const frames = [...source.matchAll(/<g class="f"([^>]*)>(.*)<\/g>/g)].map(([, attributes, inner]) => {
	const children = { rect: new Element(inner.match(/<rect([^>]*)\/>/)[1]), text: new Element(""), title: new Element("") };

	children.title.textContent = unescape(inner.match(/<title>(.*)<\/title>/)[1]);
	return new Element(attributes, children);
});
const svg = new Element(source.match(/<svg([^>]*)>/)[1]);
for (const id of ["line", "found", "reset", "search"])
	svg.children["#" + id] = new Element("");
svg.querySelectorAll = () => frames;
let typed = "";
const keys = {};
const world = { document: { documentElement: svg }, window: { addEventListener: (kind, call) => { keys[kind] = call; } }, prompt: () => typed };
vm.runInNewContext(source.match(/<script><!\[CDATA\[([\s\S]*)\]\]><\/script>/)[1], world);

const inner = frames.filter((frame) => Number(frame.dataset.depth) > 0);
const widest = inner.reduce((a, b) => (Number(a.dataset.total) >= Number(b.dataset.total) ? a : b));
widest.listeners.click();
const seen = frames.filter((frame) => frame.style.display === "").length;
if (widest.children.rect.attributes.width !== "1180.00")
	throw new Error("the frame that was clicked is not as wide as all");
typed = widest.dataset.name;
svg.children["#search"].listeners.click();
console.log(`frames ${frames.length}, zoomed ${seen}, found ${svg.children["#found"].textContent}`);
keys.keydown({ key: "Escape" });
if (frames.some((frame) => frame.style.display !== "" || frame.classList.has("hit")))
	throw new Error("Escape does not show all again");
