// SPDX-License-Identifier: Apache-2.0
// What is looked at. Who shows it listens; nothing else is shared between the views.
class Choices {
	constructor(values = {}) {
		Object.assign(this, values, { listeners: [] });
	}
	listen(action) {
		this.listeners.push(action);
	}
	// Changes several things, and tells everybody which.
	set(changes) {
		const before = { ...this };
		Object.assign(this, changes);
		const changed = new Set(Object.keys(changes).filter((key) => before[key] !== this[key]));
		if (changed.size)
			this.listeners.forEach((listener) => listener(changed));
	}
}
