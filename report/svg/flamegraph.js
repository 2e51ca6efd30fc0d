/* SPDX-License-Identifier: Apache-2.0 */
/* A click zooms in, search lights up names, and the line below says what the pointer is at. */
"use strict";
(function () {
	const svg = document.documentElement, frames = [...svg.querySelectorAll("g.f")];
	const line = svg.querySelector("#line"), found = svg.querySelector("#found"), reset = svg.querySelector("#reset");
	const left = 10, width = 1180, character = 6.6, whole = Number(svg.dataset.whole), unit = svg.dataset.unit;

	for (const frame of frames) {
		frame.start = Number(frame.dataset.start);
		frame.total = Number(frame.dataset.total);
		frame.depth = Number(frame.dataset.depth);
		frame.name = frame.dataset.name;
		frame.rect = frame.querySelector("rect");
		frame.text = frame.querySelector("text");
	}

	function place(frame, from, span) {
		const first = Math.max(frame.start, from), last = Math.min(frame.start + frame.total, from + span);
		const x = left + (first - from) / span * width, w = (last - first) / span * width;

		frame.style.display = last > first && w >= 0.1 ? "" : "none";
		frame.rect.setAttribute("x", x.toFixed(2));
		frame.rect.setAttribute("width", Math.max(w, 0.1).toFixed(2));
		const room = Math.floor((w - 6) / character);
		frame.text.setAttribute("x", (x + 3).toFixed(2));
		frame.text.textContent = room < 3 ? "" : frame.name.length <= room ? frame.name : frame.name.slice(0, room - 1) + "\u2026";
	}

	/* What lies above a frame or below it stays; what it is part of fades. */
	function zoom(to) {
		const from = to ? to.start : 0, span = to ? to.total : whole;

		for (const frame of frames) {
			place(frame, from, span);
			frame.classList.toggle("outer", Boolean(to) && frame.depth < to.depth);
		}
		reset.style.display = to ? "" : "none";
	}

	/* A frame inside of one that matches is in its sum already. */
	function search(text) {
		let sum = 0, end = -1;

		for (const frame of frames) {
			const hit = text !== "" && frame.name.toLowerCase().includes(text.toLowerCase());

			frame.classList.toggle("hit", hit);
			if (hit && frame.start >= end) {
				sum += frame.total;
				end = frame.start + frame.total;
			}
		}
		found.textContent = text === "" ? "" : `${text}: ${sum.toLocaleString("en")} ${unit}, ${(100 * sum / whole).toFixed(2)} %`;
	}

	function ask() {
		const text = prompt("Part of a name:", "");

		if (text !== null)
			search(text);
	}

	for (const frame of frames) {
		const title = frame.querySelector("title").textContent;

		frame.addEventListener("click", () => zoom(frame));
		frame.addEventListener("mouseover", () => { line.textContent = title; });
		frame.addEventListener("mouseout", () => { line.textContent = ""; });
	}
	reset.addEventListener("click", () => zoom(null));
	svg.querySelector("#search").addEventListener("click", ask);
	window.addEventListener("keydown", (event) => {
		if (event.key === "Escape") {
			zoom(null);
			search("");
		} else if (event.key === "/" || (event.key === "f" && event.ctrlKey)) {
			event.preventDefault();
			ask();
		}
	});
	zoom(null);
})();
