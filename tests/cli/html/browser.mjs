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
