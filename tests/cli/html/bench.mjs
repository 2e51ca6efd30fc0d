// SPDX-License-Identifier: Apache-2.0
// bench.mjs MODULES PAGE...: how large a page is, when it is ready, and how long frames take while it is moved and zoomed, as a table.
import { statSync } from 'node:fs';
import { openPage, withBrowser } from './browser.mjs';

const FRAMES = 90;

// Frames of a browser that shows 60 a second; draw is what the page itself takes of one.
async function frames(page, name, place) {
	return page.evaluate(async ([count, body]) => {
		const { state, timeline } = sightline, place = new Function('i', 'end', `return ${body};`), spans = [], draws = [];
		const draw = timeline.draw.bind(timeline), frame = () => new Promise((done) => requestAnimationFrame(done));
		timeline.draw = () => {
			const began = performance.now();
			draw();
			draws.push(performance.now() - began);
		};
		timeline.ask = (() => { let asked = false; return () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; timeline.draw(); }); } }; })();
		let last = await frame();
		for (let i = 0; i < count; i++) {
			state.look(...place(i, state.model.end));
			const now = await frame();
			spans.push(now - last);
			last = now;
		}
		const rank = (list, share) => list.sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))].toFixed(1);
		return { frame: rank(spans, 0.5), frame95: rank(spans, 0.95), draw: rank(draws, 0.5) };
	}, [FRAMES, place]);
}

const VIEWS = [['whole capture', '[(i % 2), end - 1]'], ['10 %, moved', '[end * (0.3 + i * 0.001), end * (0.4 + i * 0.001)]'],
	       ['1 %, moved', '[end * (0.3 + i * 0.0001), end * (0.31 + i * 0.0001)]'], ['zoomed in', '[end * (0.41 - 0.41 * 0.9 ** i), end * (0.41 + 0.59 * 0.9 ** i)]']];

await withBrowser(process.argv[2], async (context) => {
	console.log('| page | size MB | ready s | view | frame median ms | frame p95 ms | drawing median ms |\n|---|---|---|---|---|---|---|');
	for (const file of process.argv.slice(3)) {
		const { page } = await openPage(context, file, { width: 1600, height: 900 }), ready = await page.evaluate(() => Number(document.documentElement.dataset.ready));
		const calls = await page.evaluate(() => sightline.model.calls);
		await page.waitForTimeout(4000);
		for (const [name, place] of VIEWS) {
			const { frame, frame95, draw } = await frames(page, name, place);
			console.log(`| ${calls.toLocaleString('en-US')} calls | ${(statSync(file).size / 1e6).toFixed(2)} | ${(ready / 1000).toFixed(2)} | ${name} | ${frame} | ${frame95} | ${draw} |`);
		}
		const range = await page.evaluate(() => {
			const { state } = sightline, began = performance.now();
			state.set({ range: [Math.round(state.model.end * 0.2), Math.round(state.model.end * 0.6)] });
			return performance.now() - began;
		});
		console.log(`| | | | tables of a range of 40 % | ${range.toFixed(0)} | | |`);
		await page.close();
	}
});
