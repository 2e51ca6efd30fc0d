// SPDX-License-Identifier: Apache-2.0
// screenshots.mjs MODULES PAGE PREFIX: PREFIX-timeline.png and -flame.png in light, PREFIX-dark.png; with SL_ALL_PICTURES set all other views too.
import { openPage, same, withBrowser } from './browser.mjs';

const [modules, file, prefix] = process.argv.slice(2);
const size = { width: 1280, height: 800 };

// A part of it, with a function, its slowest call and two markers.
async function lookAround(page) {
	await page.click('#functions tbody tr.pick:nth-child(3)');
	await page.waitForTimeout(200);
	await page.evaluate(() => {
		const { state, model } = sightline, lenses = sightline.timeline.lenses.names.slice(0, 2);
		const call = model.callsOf(state.group).find((sparse) => sparse.index.length), at = Math.floor(call.index.length / 2), start = call.start[at];
		const span = model.end / 60, from = start - span / 3;
		state.set({ lenses: new Set(lenses) });
		state.look(from, from + span);
		state.selectCall(call.row, call.index[at]);
		state.set({ markers: [Math.round(state.from + (state.to - state.from) * 0.3), Math.round(state.from + (state.to - state.from) * 0.62)] });
	});
}

await withBrowser(modules, async (context) => {
	for (const theme of ['light', 'dark']) {
		const { page, trouble } = await openPage(context, file, { theme, ...size });
		if (theme === 'light') {
			await page.screenshot({ path: `${prefix}-timeline.png` });
			for (const tab of ['flame', 'tree', 'sandwich', 'events', 'health']) {
				if (tab === 'sandwich')
					await page.evaluate(() => sightline.state.set({ group: sightline.model.groupNamed(...sightline.functions.rows[0].slice(0, 2)) }));
				await page.click(`#tab-${tab}`);
				await page.waitForTimeout(200);
				if (process.env.SL_ALL_PICTURES || tab === 'flame')
					await page.screenshot({ path: `${prefix}-${tab}.png` });
			}
		} else {
			await lookAround(page);
			await page.waitForTimeout(300);
			await page.screenshot({ path: `${prefix}-dark.png` });
		}
		same('trouble', trouble, []);
		await page.close();
	}
});
