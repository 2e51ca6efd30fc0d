// SPDX-License-Identifier: Apache-2.0
// view_test.mjs MODULES PAGE REPORT.json HOSTILE CUT: a page in a browser. REPORT.json is what report --format json says of the same capture,
// HOSTILE a page of names that mean harm, CUT one without its deepest calls.
import { readFileSync } from 'node:fs';
import { holds, openPage, runTests, same, withBrowser } from './browser.mjs';

const [modules, file, reportFile, hostileFile, cutFile] = process.argv.slice(2);
const report = readFileSync(reportFile, 'utf8').trim().split('\n').map((line) => JSON.parse(line)).filter((row) => row.table === 'functions' && row.function !== undefined);
const unit = Object.keys(report[0]).find((key) => key.startsWith('self_') && key !== 'self_percent').slice(5);

const grouped = (n) => n.toLocaleString('en-US');
const texts = { count: grouped, real: (n) => n.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }) };
const shown = (key, value) => {
	if (value === null)
		return '-';
	return typeof value === 'number' ? (/percent|avg|stdev|ipc|per_root/.test(key) ? texts.real : texts.count)(value) : String(value);
};

// Functions of one name and file together: [name, file, numbers...].
function namesSummed(rows) {
	const sums = new Map();
	for (const [name, module, ...numbers] of rows) {
		const sum = sums.get(`${name}\t${module}`) || numbers.map(() => 0);
		sums.set(`${name}\t${module}`, sum.map((value, i) => value + numbers[i]));
	}
	return [...sums].filter(([, sum]) => sum.some((value) => value)).map(([key, sum]) => `${key}\t${sum.join('\t')}`).sort();
}

// All rows of the table of functions, as text, whatever is in sight.
async function tableTexts(page) {
	return page.evaluate(async () => {
		const box = document.querySelector('#functions .table'), rows = new Map();
		for (let top = 0; top <= box.scrollHeight; top += 200) {
			box.scrollTop = top;
			await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
			for (const row of box.querySelectorAll('tbody tr:not(.space)'))
				rows.set(row.getAttribute('aria-rowindex'), [...row.cells].map((cell) => cell.textContent));
		}
		box.scrollTop = 0;
		return [...rows.values()];
	});
}

const tests = {
	async 'numbers are those of report'({ page }) {
		await page.click('text=Columns');
		for (const box of await page.$$('.chooser input:not(:checked)'))
			await box.check();
		const keys = Object.keys(report[0]).filter((key) => key !== 'table'), got = await tableTexts(page);
		const want = report.map((row) => keys.map((key) => shown(key, row[key])));
		const key = (row) => row.join('\t');
		same('rows', got.map(key).sort(), want.map(key).sort());
		same('order', got.map((row) => row[keys.indexOf(`self_${unit}`)]), report.map((row) => grouped(row[`self_${unit}`])));
	},
	async 'the whole as a range is the whole'({ page }) {
		const got = await page.evaluate(() => {
			const { model, functions, rangeRows } = sightline, wanted = ['function', 'module', 'calls', `total_${model.unit}`, `self_${model.unit}`];
			return rangeRows(model, functions.source, 0, Infinity).map((row) => wanted.map((name) => row[functions.at(name)]));
		});
		same('sums', namesSummed(got), namesSummed(report.map((row) => [row.function, row.module, row.calls, row[`total_${unit}`], row[`self_${unit}`]])));
	},
	async 'paths of the calls are paths of the command line'({ page }) {
		const [got, want] = await page.evaluate(() => {
			const { model, pathsOfPage, pathsOfRange } = sightline;
			const list = (root) => {
				const lines = new Map();
				root.walk((node) => {
					const names = [];
					for (let at = node; at.parent; at = at.parent)
						names.unshift(at.name);
					if (node.parent && node.kind < 2)
						lines.set(names.join(';'), (lines.get(names.join(';')) || 0) + node.self);
				});
				return [...lines].filter(([, self]) => self).map(([path, self]) => `${path} ${self}`).sort();
			};
			return [list(pathsOfRange(model, model.tracks, 0, Infinity)), list(pathsOfPage(model.paths))];
		});
		same('paths', got, want);
	},
	async 'a click on a row lights its calls'({ page }) {
		const pixels = () => page.evaluate(() => { sightline.timeline.draw(); return document.getElementById('timeline').toDataURL(); });
		const before = await pixels();
		await page.click('#functions tbody tr.pick:nth-child(4)');
		same('the row is selected', await page.getAttribute('#functions tbody tr.pick:nth-child(4)', 'aria-selected'), 'true');
		holds('the timeline looks other', before !== await pixels());
		const name = await page.textContent('#functions tr.picked td');
		same('the pane is of it', await page.textContent('#detail h3'), name);
	},
	async 'the slowest call is a click away'({ page }) {
		const row = report.find((one) => one[`max_${unit}`] !== null && one.calls > 20);
		await page.fill('#search', row.function);
		await page.click(`#functions td span:text-is("${row.function}")`);
		same('its text', await page.textContent('.slowest button b'), `${grouped(row[`max_${unit}`])} ${unit}`);
		await page.click('.slowest button');
		const [call, from, to] = await page.evaluate(() => {
			const { state, model } = sightline, { row, index } = state.call;
			return [{ start: row.start[index], end: row.end[index], total: model.costs(row).total[index], name: model.names[row.name[index]].name }, state.from, state.to];
		});
		same('the call', [call.name, call.total], [row.function, row[`max_${unit}`]]);
		holds('it is in sight', from <= call.start && call.end <= to && to - from < 4 * (call.end - call.start) + 100);
	},
	async 'next and previous call'({ page }) {
		await page.click('#functions tbody tr.pick:nth-child(3)');
		const starts = [];
		for (const key of [']', ']', ']', '[', '[']) {
			await page.keyboard.press(key);
			starts.push(await page.evaluate(() => sightline.state.call.row.start[sightline.state.call.index]));
		}
		holds('they ascend', starts[0] < starts[1] && starts[1] < starts[2]);
		same('and go back', starts.slice(3), [starts[1], starts[0]]);
	},
	async 'tasks close and are pinned'({ page }) {
		const lanes = () => page.evaluate(() => sightline.timeline.lanes.filter((lane) => lane.track).map((lane) => [lane.track.number, lane.depth]));
		const before = await lanes(), box = await (await page.$('#timeline')).boundingBox();
		const [second, top] = await page.evaluate(() => { const lane = sightline.timeline.lanes.filter((one) => one.track && !one.depth)[1]; return [lane.track.number, lane.top]; });
		await page.mouse.click(box.x + 60, box.y + 24 + top + 8);
		const closed = await lanes();
		same('one row is left', closed.filter(([number]) => number === second).length, 1);
		same('of the others all', closed.filter(([number]) => number !== second), before.filter(([number]) => number !== second));
		await page.mouse.click(box.x + 60, box.y + 24 + top + 8);
		same('and open again', await lanes(), before);
		await page.click('#timeline', { modifiers: ['Shift'], position: { x: 60, y: 24 + top + 8 } });
		same('it is on top', (await lanes())[0][0], second);
		await page.evaluate(() => sightline.state.step(1));
		await page.click('#functions tbody tr.pick:nth-child(3)');
		await page.keyboard.press(']');
		const count = (await lanes()).length;
		await page.keyboard.press('c');
		holds('C closes that of the call', (await lanes()).length < count);
	},
	async 'two fingers zoom'({ page, context }) {
		const input = await context.newCDPSession(page), box = await (await page.$('#timeline')).boundingBox(), y = box.y + 100;
		const touch = (type, ...places) => input.send('Input.dispatchTouchEvent', { type, touchPoints: places.map((x, id) => ({ x: box.x + x, y, id })) });
		await input.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
		const span = () => page.evaluate(() => sightline.state.to - sightline.state.from), before = await span();
		await touch('touchStart', 600, 800);
		for (let i = 1; i <= 5; i++)
			await touch('touchMove', 600 - 20 * i, 800 + 20 * i);
		await touch('touchEnd');
		const after = await span();
		holds('half of it is seen', Math.abs(after / before - 0.5) < 0.05);
		await touch('touchStart', 600);
		await touch('touchMove', 500);
		await touch('touchEnd');
		same('one moves', Math.round(await span()), Math.round(after));
	},
	async 'markers measure'({ page }) {
		const box = await (await page.$('#timeline')).boundingBox();
		for (const x of [500, 900]) {
			await page.mouse.move(box.x + x, box.y + 60);
			await page.keyboard.press('m');
		}
		const [markers, perPixel] = await page.evaluate(() => [sightline.state.markers, (sightline.state.to - sightline.state.from) / (document.getElementById('timeline').clientWidth - sightline.timeline.gutter)]);
		holds('their difference', Math.abs(markers[1] - markers[0] - 400 * perPixel) <= 2 * perPixel + 1);
		holds('it is told', (await page.textContent('#live')).startsWith('\u0394 '));
	},
	async 'a range makes all tables anew'({ page }) {
		const box = await (await page.$('#timeline')).boundingBox(), before = await page.evaluate(() => sightline.paths.root().total);
		await page.keyboard.down('Shift');
		await page.mouse.move(box.x + 500, box.y + 200);
		await page.mouse.down();
		await page.mouse.move(box.x + 650, box.y + 200, { steps: 5 });
		await page.mouse.up();
		await page.keyboard.up('Shift');
		const [range, told, self, paths] = await page.evaluate(() => {
			const { state, functions, model, paths } = sightline;
			return [state.range, functions.rows.reduce((sum, row) => sum + row[functions.at('calls')], 0), functions.rows.reduce((sum, row) => sum + row[functions.at(`self_${model.unit}`)], 0), paths.root()];
		});
		const counted = await page.evaluate(() => sightline.model.callRows.reduce((sum, row) => {
			const { range } = sightline.state;
			for (let i = 0; i < row.count; i++)
				sum += row.start[i] >= range[0] && row.start[i] < range[1] && !row.isLevel[row.name[i]] && !(row.flagsOf(i) & (1 | 1 << 11));
			return sum;
		}, 0));
		holds('a part', range && range[0] > 0 && told > 0 && told < report.reduce((sum, row) => sum + row.calls, 0));
		same('its calls', told, counted);
		const pathSelf = await page.evaluate(() => { let sum = 0; sightline.paths.root().walk((node) => { sum += node.kind === 0 ? node.self : 0; }); return sum; });
		same('table and flame graph', pathSelf, self);
		await page.click('#tab-flame');
		await page.waitForFunction(() => document.querySelector('#view-flame .muted').textContent.startsWith('the range'));
		await page.click('#tab-timeline');
		await page.click('#range-clear');
		same('and back', await page.evaluate(() => sightline.paths.root().total), before);
	},
	async 'a link is the view'({ page, context }) {
		await page.evaluate(() => sightline.state.set({ range: [1000, 200000], markers: [5000, 9000], text: 'a', tab: 'timeline', lenses: new Set(sightline.timeline.lenses.names) }));
		await page.evaluate(() => sightline.state.look(3000, 50000));
		await page.click('#functions tbody tr.pick:nth-child(2)');
		await page.click('#copy-link');
		const view = (of) => of.evaluate(() => { const { state } = sightline; return [state.from, state.to, state.range, state.markers, state.text, state.group, [...state.lenses]]; });
		const again = await openPage(context, file, { hash: new URL(page.url()).hash });
		same('the view', await view(again.page), await view(page));
		same('no trouble', again.trouble, []);
		await again.page.close();
		for (const hash of ['#from=x&to=&call=9.9.9&range=5-1&marks=a-b&tab=none&lens=no', '#call=0.0.99999999', '#%', '#from=1e308&to=1e309']) {
			const odd = await openPage(context, file, { hash });
			same(`no trouble with ${hash}`, odd.trouble, []);
			await odd.page.close();
		}
	},
	async 'all views show something'({ page }) {
		for (const tab of ['flame', 'tree', 'sandwich', 'events', 'health']) {
			await page.click(`#tab-${tab}`);
			same(`${tab} is chosen`, await page.getAttribute(`#tab-${tab}`, 'aria-selected'), 'true');
			holds(`${tab} is there`, (await page.innerText(`#view-${tab}`)).length > 20);
		}
		holds('the account is', (await page.innerText('#view-health')).includes('whole = self + gaps'));
		await page.click('#tab-tree');
		const [first, second] = await page.$$eval('#view-tree tbody tr:not(.space)', (rows) => rows.slice(0, 2).map((row) => row.cells[2].textContent));
		holds('the tree descends', Number(first.replaceAll(',', '')) >= Number(second.replaceAll(',', '')));
		await page.click('#view-tree tbody tr:nth-child(3) button.name');
		same('a name in it leads on', await page.getAttribute('#tab-sandwich', 'aria-selected'), 'true');
	},
	async 'nothing is cut at 200 %'({ page }) {
		await page.setViewportSize({ width: 720, height: 450 });
		for (const tab of ['timeline', 'flame', 'tree', 'health']) {
			await page.click(`#tab-${tab}`);
			same(`${tab} is as wide as the window`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
		}
		await page.setViewportSize({ width: 1440, height: 900 });
	},
	async 'keys reach all of it'({ page }) {
		await page.click('#tab-timeline');
		await page.evaluate(() => document.activeElement.blur());
		const reached = new Set();
		for (let i = 0; i < 60; i++) {
			await page.keyboard.press('Tab');
			reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName));
		}
		for (const want of ['tab-timeline', 'tab-health', 'search', 'timeline', 'table'])
			holds(`${want} is reached by Tab`, reached.has(want));
		await page.focus('#functions .table');
		await page.keyboard.press('ArrowDown');
		const first = await page.textContent('#detail h3');
		await page.keyboard.press('ArrowDown');
		holds('arrows go on', first !== await page.textContent('#detail h3'));
		const before = await page.evaluate(() => sightline.state.to - sightline.state.from);
		await page.keyboard.press('w');
		holds('W zooms', before > await page.evaluate(() => sightline.state.to - sightline.state.from));
	},
};

async function testHostile(context) {
	const { page, trouble } = await openPage(context, hostileFile);
	await page.click('#functions tbody tr.pick:nth-child(2)');
	for (const tab of ['flame', 'tree', 'sandwich', 'events', 'health', 'timeline'])
		await page.click(`#tab-${tab}`);
	const box = await (await page.$('#timeline')).boundingBox();
	for (let x = 200; x < 1400; x += 150)
		await page.mouse.move(box.x + x, box.y + 90);
	same('nothing ran', await page.evaluate(() => globalThis.harm), undefined);
	same('no element came of a name', await page.evaluate(() => document.querySelectorAll('img, svg [onload], script:not(:last-of-type), [onmouseover]').length), 0);
	same('all names are there', await page.evaluate(() => sightline.functions.rows.some((row) => row[0].length === 10000)), true);
	same('a long one has an end', await page.evaluate(() => Math.max(...[...document.querySelectorAll('td')].map((cell) => cell.textContent.length)) < 400), true);
	same('no control characters', await page.evaluate(() => /[\u0000-\u0008\u001b\u202e]/.test(document.body.innerText)), false);
	same('hostile: no trouble', trouble, []);
}

async function testCut(context) {
	const { page, trouble } = await openPage(context, cutFile);
	holds('it says that calls are left out', (await page.innerText('#notice')).includes('are not in this page'));
	await page.evaluate(() => sightline.state.set({ range: [0, 100000] }));
	same('cut: no trouble', trouble, []);
}

await withBrowser(modules, (context) => runTests(context, file, tests, { others: { 'names that mean harm': () => testHostile(context), 'a page with a part': () => testCut(context) } }));
