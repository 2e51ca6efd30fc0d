// SPDX-License-Identifier: Apache-2.0
// The selected function between who calls it and what it calls.
class Sandwich {
	constructor(state, source) {
		Object.assign(this, { state, source, shown: null });
		const pick = (node) => state.set({ group: state.model.groupNamed(node.name, node.module), call: null });
		this.callers = new Tree(state.model, 'Callers', pick);
		this.callees = new Tree(state.model, 'Callees', pick);
		this.title = make('h2', { textContent: 'Callers and callees' });
		this.line = make('span', { className: 'muted' });
		this.trees = make('div', { className: 'halves' },
			make('div', { className: 'half' }, make('h3', { textContent: 'Callers: below it who called it, with its numbers there' }), this.callers.node),
			make('div', { className: 'half' }, make('h3', { textContent: 'Callees: what it called, wherever it ran' }), this.callees.node));
		$('view-sandwich').replaceChildren(make('div', { className: 'caption' }, this.title, this.line), this.trees);
		state.listen(() => this.show());
		source.listen(() => this.show());
	}
	show() {
		const { state, source } = this;
		if (state.tab !== 'sandwich')
			return;
		this.trees.hidden = state.group < 0;
		if (state.group < 0) {
			this.line.textContent = 'Choose a function: in the table of functions, in the timeline or in the flame graph.';
			return;
		}
		const root = source.root(), function_ = state.model.groups[state.group];
		if (this.shown === `${state.group}` && this.root === root)
			return;
		Object.assign(this, { shown: `${state.group}`, root });
		this.title.textContent = readable(function_.name);
		this.line.textContent = source.title();
		this.callers.show(callersOf(root, function_), root.total, 'calls');
		this.callees.show(calleesOf(root, function_), root.total);
	}
}
