// SPDX-License-Identifier: Apache-2.0
// compare_screenshots.mjs MODULES PAGE PREFIX: PREFIX.png of the functions and PREFIX-sides.png of both sides in light, PREFIX-dark.png of the flame graph in dark; with SL_ALL_PICTURES set
// all views in both.
import { openPage, same, withBrowser } from './browser.mjs';

const [modules, file, prefix] = process.argv.slice(2);
const wanted = { light: { functions: '', call: '-sides' }, dark: { flame: '-dark' } };

// The first function whose calls were seen on both sides.
function pickOnBothSides() {
	const { state, model } = sightline;
	state.set({ row: model.functions.rows.find((row) => model.spreads.get(row).every((classes) => classes.length)) || state.row });
}

await withBrowser(modules, async (context) => {
	for (const [theme, best] of Object.entries(wanted)) {
		const { page, trouble } = await openPage(context, file, { theme, width: 1280, height: 800 });
		for (const tab of ['functions', 'flame', 'call', 'tables']) {
			if (tab === 'functions')
				await page.evaluate(pickOnBothSides);
			await page.click(`#tab-${tab}`);
			await page.waitForTimeout(200);
			if (tab in best)
				await page.screenshot({ path: `${prefix}${best[tab]}.png` });
			else if (process.env.SL_ALL_PICTURES)
				await page.screenshot({ path: `${prefix}-${tab}-${theme}.png` });
		}
		same('trouble', trouble, []);
		await page.close();
	}
});
