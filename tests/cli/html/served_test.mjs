// SPDX-License-Identifier: Apache-2.0
// served_test.mjs MODULES ADDRESS REPORT.json: a page of view, which has not all calls at first. Deeper ones come when they are scrolled to, and then
// all of them add up to what report --format json says.
import { readFileSync } from 'node:fs';
import { holds, openPage, same, withBrowser } from './browser.mjs';

const [modules, address, reportFile] = process.argv.slice(2);
const report = readFileSync(reportFile, 'utf8').trim().split('\n').map((line) => JSON.parse(line)).filter((row) => row.table === 'functions' && row.function !== undefined);
const unit = Object.keys(report[0]).find((key) => key.startsWith('self_') && key !== 'self_percent').slice(5);

await withBrowser(modules, async (context) => {
	const { page, trouble } = await openPage(context, address, { allowed: [`${address}columns`], height: 500 });
	const there = () => page.evaluate(() => sightline.model.callRows.filter((row) => row.count).length);
	const sums = () => page.evaluate(() => {
		const { model, functions, rangeRows } = sightline, rows = rangeRows(model, functions.source, 0, Infinity);
		return ['calls', `total_${model.unit}`, `self_${model.unit}`].map((name) => rows.reduce((sum, row) => sum + row[functions.at(name)], 0));
	});
	const want = ['calls', `total_${unit}`, `self_${unit}`].map((name) => report.reduce((sum, row) => sum + row[name], 0)), before = await there();
	holds('it says what is not there', (await page.innerText('#notice')).includes('come as they are scrolled to'));
	holds('fewer calls at first', (await sums())[0] < want[0]);
	await page.evaluate(async () => {
		for (let top = 0; top < sightline.timeline.height; top += 100) {
			sightline.timeline.scrollTo(top);
			await new Promise((done) => setTimeout(done, 30));
		}
	});
	await page.waitForFunction(() => sightline.model.callRows.every((row) => row.count), null, { timeout: 20000 });
	holds('more rows', await there() > before);
	same('sums', await sums(), want);
	const paths = await page.evaluate(() => {
		const { model, pathsOfRange, pathsOfPage } = sightline, self = (root) => { let sum = 0; root.walk((node) => { sum += node.kind === 0 ? node.self : 0; }); return sum; };
		return [self(pathsOfRange(model, model.tracks, 0, Infinity)), self(pathsOfPage(model.paths))];
	});
	same('paths', paths[0], paths[1]);
	same('no trouble', trouble, []);
});
