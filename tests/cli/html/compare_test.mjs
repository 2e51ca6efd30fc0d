// SPDX-License-Identifier: Apache-2.0
// compare_test.mjs MODULES PAGE COMPARE.json HOSTILE: a page of compare --html in a browser. COMPARE.json is what compare --format json says of the same
// profiles, HOSTILE a page of names that mean harm.
import { readFileSync } from 'node:fs';
import { holds, openPage, runTests, same, withBrowser } from './browser.mjs';

const [modules, file, compareFile, hostileFile] = process.argv.slice(2);
const lines = readFileSync(compareFile, 'utf8').trim().split('\n').map((line) => JSON.parse(line)).filter((row) => !row.schema);
const rowsOf = (name) => lines.filter((row) => row.table === name).map(({ table, ...row }) => row);
const functions = rowsOf('functions'), unit = Object.keys(functions[0])[0].slice('difference_'.length);
const real = (n) => n.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const shown = (key, value) => {
	if (value === null)
		return '-';
	if (typeof value === 'boolean')
		return value ? 'yes' : 'no';
	return typeof value === 'number' ? (key.startsWith('difference_') && value > 0 ? '+' : '') + real(value) : value;
};

// All rows of the table of functions, by their columns' headings, whatever is in sight.
async function tableTexts(page) {
	return page.evaluate(async () => {
		const box = document.querySelector('#functions .table'), rows = new Map();
		for (let top = 0; top <= box.scrollHeight; top += 200) {
			box.scrollTop = top;
			await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
			for (const row of box.querySelectorAll('tbody tr:not(.space)'))
				rows.set(Number(row.getAttribute('aria-rowindex')), [...row.cells].map((cell) => cell.textContent));
		}
		box.scrollTop = 0;
		return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
	});
}

// Where a box of the flame graph is, in the window.
const placeOf = (page, number) => page.evaluate((at) => {
	const { boxes } = sightline.flame.boxes, box = boxes[at], canvas = document.querySelector('#view-flame canvas').getBoundingClientRect();
	return { name: box.node.name, x: canvas.x + box.x + box.width / 2, y: canvas.y + box.depth * 18 + 9, width: box.width, parts: box.node.totals };
}, number);

const tests = {
	async 'the sentence is on top'({ page }) {
		same('sentence', await page.textContent('#sentence'), rowsOf('verdict')[0].sentence);
		const sides = await page.textContent('#sides');
		for (const side of rowsOf('sides'))
			holds(`${side.name} is there`, sides.includes(side.name));
		holds('the sum is checked', (await page.textContent('#sum')).startsWith('The parts add up to the whole: '));
	},
	async 'numbers are those of compare'({ page }) {
		await page.click('text=Columns');
		for (const box of await page.$$('.chooser input:not(:checked)'))
			await box.check();
		const keys = await page.evaluate(() => sightline.functions.table.columns.map((column) => column.name)), got = await tableTexts(page);
		same('columns', [...keys].sort(), Object.keys(functions[0]).sort());
		same('rows', got, functions.map((row) => keys.map((key) => shown(key, row[key]))));
	},
	async 'a column sorts'({ page }) {
		await page.click('#functions th button:text("avg B")');
		const got = (await tableTexts(page)).map((row) => row[0]), value = (row) => row[`avg_b_${unit}`];
		const want = functions.filter((row) => value(row) !== null).map(value).sort((a, b) => b - a);
		const values = new Map(functions.map((row) => [row.function, value(row)]));
		holds('no name comes twice', values.size === functions.length);
		same('order', got.map((name) => values.get(name)).filter((one) => one !== null), want);
	},
	async 'the search chooses functions'({ page }) {
		const name = functions[3].function;
		await page.fill('#search', name);
		same('rows', (await tableTexts(page)).map((row) => row[0]), functions.map((row) => row.function).filter((one) => one.toLowerCase().includes(name.toLowerCase())));
	},
	async 'a click on a row shows its numbers and how its calls spread'({ page }) {
		const both = functions.findIndex((row) => row[`p50_a_${unit}`] !== null && row[`p50_b_${unit}`] !== null), row = functions[both];
		await page.fill('#search', row.function);
		await page.click(`#functions tbody tr.pick td:text-is("${row.function}")`);
		same('its name', await page.textContent('#detail h3'), row.function);
		const quotient = await page.$$eval('#detail tbody tr', (rows) => [...rows].find((one) => one.cells[0].textContent === 'self a call').innerText.split('\t'));
		same('self a call', quotient.slice(1, 3), ['a', 'b'].map((side) => real(row[`self_${side}_${unit}`] / row[`calls_${side}`])));
		const p99 = await page.$$eval('#detail tbody tr', (rows) => [...rows].find((one) => one.cells[0].textContent === 'p99').innerText.split('\t'));
		same('p99', p99.slice(1, 3), [row[`p99_a_${unit}`], row[`p99_b_${unit}`]].map((value) => shown('', value)));
		for (const side of ['a', 'b']) {
			holds(`bars of ${side}`, await page.$$eval(`#detail figure rect.${side}`, (bars) => bars.length) > 0);
			same(`median of ${side}`, await page.$$eval(`#detail figure line.${side}`, (marks) => marks.length), 1);
		}
		const parts = await page.$$eval('#detail figure rect.b title', (titles) => titles.map((title) => Number(/: ([0-9.,]+) %/.exec(title.textContent)[1].replaceAll(',', ''))));
		holds('they are all of its calls', Math.abs(parts.reduce((sum, part) => sum + part, 0) - 100) < 0.5);
		holds('the legend tells both', /A: [1-9].*B: [1-9]/.test(await page.textContent('#detail figure .legend')));
	},
	async 'the flame graph is the tree, and zooms'({ page }) {
		await page.click('#tab-flame');
		await page.waitForFunction(() => sightline.flame.boxes.boxes.length > 5);
		const tree = await page.evaluate(() => {
			const all = [], walk = (node) => { all.push([node.name, node.totals, node.difference, node.own]); node.children.forEach(walk); };
			walk(sightline.model.root);
			return all;
		});
		same('nodes', tree, rowsOf('tree').map((row) => [row.function, [row.total_a, row.total_b], row.difference, row.self_difference]));
		const whole = await placeOf(page, 0), number = await page.evaluate(() => sightline.flame.boxes.boxes.findIndex((box) => box.depth === 2 && box.width > 40 && box.width < 800));
		const box = await placeOf(page, number);
		holds('as wide as its part of B', Math.abs(box.width / whole.width - box.parts[1] / whole.parts[1]) < 0.001);
		await page.mouse.move(box.x, box.y);
		holds('the tip is of it', (await page.innerText('#tip')).startsWith(box.name));
		await page.mouse.click(box.x, box.y);
		await page.waitForFunction((width) => sightline.flame.boxes.boxes[0]?.width === width && sightline.flame.boxes.boxes[0]?.node === sightline.flame.top && sightline.flame.top.depth === 2, whole.width);
		same('it is on top', (await placeOf(page, 0)).name, box.name);
		await page.selectOption('#view-flame select[aria-label=Widths]', '0');
		await page.click('#view-flame button:text("Whole")');
		await page.waitForFunction(() => sightline.flame.boxes.side === 0 && sightline.flame.boxes.boxes[0]?.node === sightline.model.root);
		const total = rowsOf('tree')[0].total_a;
		holds('widths of A', await page.evaluate((of) => sightline.flame.boxes.boxes.every(({ node, width }) => Math.abs(width / sightline.flame.boxes.boxes[0].width - node.totals[0] / of) < 0.001), total));
	},
	async 'both sides are on one scale'({ page }) {
		await page.click('#tab-call');
		await page.waitForFunction(() => sightline.sides.pair.every(({ boxes }) => boxes.length));
		const [root] = rowsOf('tree'), [a, b] = await page.evaluate(() => sightline.sides.pair.map(({ boxes }) => boxes[0]).map(({ x, width }) => [x, width]));
		same('from one edge', [a[0], b[0]], [0, 0]);
		holds('their widths are their totals', Math.abs(a[1] / b[1] - root.total_a / root.total_b) < 0.001);
		holds('it is said what it is', (await page.innerText('#view-call .about')).includes('These are means'));
	},
	async 'callees are in the order in which they first ran'({ page }) {
		await page.click('#tab-call');
		await page.waitForFunction(() => sightline.sides.pair.every(({ boxes }) => boxes.length));
		const sides = await page.evaluate(() => sightline.sides.pair.map(({ boxes }) => boxes.filter(({ depth }) => depth === 1).sort((a, b) => a.x - b.x).map(({ node }) => node.name)));
		const depths = await page.evaluate(() => sightline.model.table('tree').rows.map((row) => row[row.length - 1][0])), tree = rowsOf('tree');
		for (const [side, key] of ['first_a', 'first_b'].entries()) {
			const want = tree.filter((row, i) => depths[i] === 1).sort((a, b) => (a[key] ?? Infinity) - (b[key] ?? Infinity)).map((row) => row.function);
			holds(`${key}: several are seen`, sides[side].length > 1);
			same(key, sides[side], want.filter((name) => sides[side].includes(name)));
		}
		same('not in one order by chance', sides[0].length > 1 && tree.filter((row, i) => depths[i] === 1).map((row) => row.function).filter((name) => sides[0].includes(name)).join() !== sides[0].join(), true);
	},
	async 'what the pointer is on has a frame on both sides'({ page }) {
		await page.click('#tab-call');
		await page.waitForFunction(() => sightline.sides.pair.every(({ boxes }) => boxes.length));
		const at = await page.evaluate(() => {
			const [a, b] = sightline.sides.pair, box = b.boxes.find(({ node, width }) => node.depth > 0 && width > 8 && a.boxes.some((one) => one.node === node && one.width > 2));
			const canvas = b.canvas.getBoundingClientRect();
			return { x: canvas.x + box.x + box.width / 2, y: canvas.y + box.depth * 18 + 9, want: sightline.sides.pair.map(({ boxes }) => boxes.find((one) => one.node === box.node).width) };
		});
		await page.mouse.move(at.x, at.y);
		const got = await page.$$eval('#view-call .mark', (marks) => marks.filter((mark) => !mark.hidden).map((mark) => parseFloat(mark.style.width)));
		holds('as wide as what they are around', got.length === 2 && got.every((width, side) => Math.abs(width - at.want[side]) < 0.01));
		await page.mouse.move(5, 5);
		same('gone with the pointer', await page.$$eval('#view-call .mark', (marks) => marks.every((mark) => mark.hidden)), true);
	},
	async 'shares take out how long runs are'({ page }) {
		await page.click('#tab-flame');
		await page.waitForFunction(() => sightline.flame.boxes.boxes.length > 5);
		const changeOfRoot = () => page.evaluate(() => { const [a, b] = sightline.flame.amounts(sightline.model.root); return b - a; });
		holds('amounts differ', await changeOfRoot() !== 0);
		await page.selectOption('#view-flame select[aria-label=Colours]', 'shares');
		same('the whole is the same share', await changeOfRoot(), 0);
	},
	async 'the other tables are there'({ page }) {
		await page.click('#tab-tables');
		for (const name of ['config', 'lenses', 'sides', 'sum'])
			holds(name, (await page.innerText(`[data-table=${name}]`)).length > 20);
		const [option] = rowsOf('config');
		same('the option', await page.textContent('[data-table=config] tbody tr td'), option.option);
	},
	async 'light and dark'({ page }) {
		const theme = () => page.evaluate(() => document.documentElement.dataset.theme), before = await theme();
		await page.click('#theme');
		holds('it changes', before !== await theme());
	},
	async 'nothing is cut at 200 %'({ page }) {
		await page.setViewportSize({ width: 720, height: 450 });
		holds('the selected function has the whole width', await page.evaluate(() => document.getElementById('detail').clientWidth > 0.95 * innerWidth));
		for (const tab of ['functions', 'flame', 'call', 'tables']) {
			await page.click(`#tab-${tab}`);
			same(`${tab} is as wide as the window`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
		}
	},
	async 'keys reach it'({ page }) {
		await page.focus('#functions .table');
		const first = await page.textContent('#detail h3');
		await page.keyboard.press('ArrowDown');
		holds('arrows go on', first !== await page.textContent('#detail h3'));
		await page.keyboard.press('/');
		same('the search', await page.evaluate(() => document.activeElement.id), 'search');
	},
};

async function testHostile(context) {
	const { page, trouble } = await openPage(context, hostileFile);
	for (const row of await page.$$('#functions tbody tr.pick'))
		await row.click({ timeout: 5000 }).catch(() => {});
	for (const tab of ['flame', 'call', 'tables', 'functions']) {
		await page.click(`#tab-${tab}`);
		for (let x = 50; x < 1400; x += 150)
			await page.mouse.move(x, 330);
	}
	same('nothing ran', await page.evaluate(() => globalThis.harm), undefined);
	same('no element came of a name', await page.evaluate(() => document.querySelectorAll('img, svg [onload], svg[onload], script:not(:last-of-type), [onmouseover]').length), 0);
	same('a long one has an end', await page.evaluate(() => Math.max(...[...document.querySelectorAll('td')].map((cell) => cell.textContent.length)) < 400), true);
	same('no control characters', await page.evaluate(() => /[\u0000-\u0008\u001b\u202e]/.test(document.body.innerText)), false);
	same('hostile: no trouble', trouble, []);
}

await withBrowser(modules, (context) => runTests(context, file, tests, { others: { 'names that mean harm': () => testHostile(context) }, timeout: 10000 }));
