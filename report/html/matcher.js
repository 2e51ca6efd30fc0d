// SPDX-License-Identifier: Apache-2.0
// Whether a name has the text of the search in it, in any case; between slashes it is a pattern.
function matcher(text) {
	const pattern = /^\/(.+)\/$/.exec(text);
	if (pattern) {
		try {
			const expression = new RegExp(pattern[1], 'i');
			return (name) => expression.test(name);
		} catch {
			return () => false;
		}
	}
	const wanted = text.toLowerCase();
	return (name) => name.toLowerCase().includes(wanted);
}
