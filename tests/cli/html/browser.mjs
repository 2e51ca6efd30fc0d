// SPDX-License-Identifier: Apache-2.0
// What the tests of pages share: a browser that is alone, pages that are watched, checks that name what they check.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
	       '--disable-component-update', '--disable-sync'];

export async function withBrowser(modules, action) {
	const { chromium } = createRequire(resolve(modules, 'node_modules', 'x'))('playwright-core');
	const profile = mkdtempSync(join(tmpdir(), 'sightline-browser-'));
	const context = await chromium.launchPersistentContext(profile, { executablePath: process.env.SL_CHROMIUM || '/usr/bin/chromium', args: FLAGS,
		viewport: { width: 1440, height: 900 }, chromiumSandbox: false });
	try {
		await action(context);
	} finally {
		await context.close();
		rmSync(profile, { recursive: true, force: true });
	}
}

// Opens a file or an address and waits until it is ready; what it asks the network for but those that are allowed and what goes wrong in it goes to trouble.
export async function openPage(context, file, { hash = '', theme = 'light', width = 1440, height = 900, allowed = [] } = {}) {
	const page = await context.newPage(), url = file.startsWith('http:') ? file : pathToFileURL(file).href, trouble = [];
	await page.emulateMedia({ colorScheme: theme });
	await page.setViewportSize({ width, height });
	page.on('request', (request) => ![url, ...allowed].includes(request.url().split('#')[0]) && trouble.push(`request: ${request.url().slice(0, 200)}`));
	page.on('console', (message) => ['error', 'warning'].includes(message.type()) && trouble.push(`console: ${message.text()}`));
	page.on('pageerror', (error) => trouble.push(`error: ${error.stack}`));
	page.on('dialog', (dialog) => { trouble.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
	await page.goto(url + hash);
	await page.waitForFunction(() => document.documentElement.dataset.ready || !document.getElementById('notice').hidden, null, { timeout: 60000 });
	return { page, trouble };
}

export function same(what, got, want) {
	const a = JSON.stringify(got), b = JSON.stringify(want);
	if (a !== b)
		throw new Error(`${what}: got ${String(a).slice(0, 600)}, expected ${String(b).slice(0, 600)}`);
}

export function holds(what, truth) {
	if (!truth)
		throw new Error(`${what}: does not hold`);
}

// Runs tests, each on a page of the file of its own, which has to be without trouble; then other actions, which open what they need. The exit code
// says whether all hold. timeout: of each step on such a page, in ms; 0: the browser's own.
export async function runTests(context, file, tests, { others = {}, timeout = 0 } = {}) {
	const run = async (name, action) => {
		try {
			await action();
			console.log(`ok: ${name}`);
		} catch (error) {
			process.exitCode = 1;
			console.log(`FAIL: ${name}: ${error.message}`);
		}
	};
	for (const [name, test] of Object.entries(tests)) {
		const { page, trouble } = await openPage(context, file);
		if (timeout)
			page.setDefaultTimeout(timeout);
		await run(name, async () => {
			await test({ page, context });
			same('no trouble', trouble, []);
		});
		await page.close();
	}
	for (const [name, action] of Object.entries(others))
		await run(name, action);
}
