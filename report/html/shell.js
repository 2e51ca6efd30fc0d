// SPDX-License-Identifier: Apache-2.0
// What is around the views of a page: tabs, search, light or dark, what is said.
function makeTabs(state, tabs) {
	const buttons = tabs.map(({ name, text }) => make('button', { id: `tab-${name}`, textContent: text, role: 'tab', 'aria-controls': `view-${name}`, onclick: () => state.set({ tab: name }) }));
	$('tabs').replaceChildren(...buttons);
	const show = () => tabs.forEach(({ name }, i) => {
		buttons[i].setAttribute('aria-selected', String(state.tab === name));
		$(`view-${name}`).hidden = state.tab !== name;
	});
	state.listen((changed) => changed.has('tab') && show());
	show();
}

function makeSearch(state) {
	const field = $('search');
	field.oninput = () => state.set({ text: field.value });
	state.listen((changed) => {
		if (changed.has('text') && field.value !== state.text)
			field.value = state.text;
	});
	addEventListener('keydown', (event) => {
		if (event.target === field && event.key === 'Escape')
			field.blur();
		else if (event.key === '/' && event.target.tagName !== 'INPUT') {
			event.preventDefault();
			field.focus();
		}
	});
}

function makeTheme(state, colors) {
	$('theme').onclick = () => {
		colors.choose(colors.theme === 'dark' ? 'light' : 'dark');
		state.set({ theme: colors.theme });
	};
}

function say(text) {
	$('live').textContent = text;
}

function notice(text) {
	$('notice').textContent = text;
	$('notice').hidden = false;
}
