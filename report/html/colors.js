// SPDX-License-Identifier: Apache-2.0
// Colours of calls: one a name, near each other within a file. They are kept as what a canvas' memory holds (ABGR).
const pixel = (r, g, b) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
const channels = (color) => [color & 255, (color >>> 8) & 255, (color >>> 16) & 255];

function hashOf(text) {
	let hash = 2166136261;
	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return hash >>> 0;
}

function ofHsl(hue, saturation, light) {
	const spread = saturation * Math.min(light, 1 - light);
	const channel = (n) => {
		const k = (n + hue / 30) % 12;
		return Math.round(255 * (light - spread * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
	};
	return pixel(channel(0), channel(8), channel(4));
}

function colorOfName(name) {
	if (name.level)
		return ofHsl(338, 0.55, 0.52);
	const hash = hashOf(name.name), hue = hashOf(name.module || '') % 360;
	return ofHsl((hue + (hash % 200) - 100 + 360) % 360, 0.3 + (hash >>> 8) % 25 / 100, 0.45 + (hash >>> 16) % 22 / 100);
}

const colorOfTrack = (track) => ofHsl((track.number * 137.5 + 205) % 360, 0.42, 0.56);
const mixed = (color, base, share) => pixel(...channels(color).map((value, i) => Math.round(value * share + channels(base)[i] * (1 - share))));
const cssColor = (color) => `rgb(${channels(color).join(',')})`;

// What to write on a colour with.
function inkOn(color) {
	const [r, g, b] = channels(color);
	return r * 0.299 + g * 0.587 + b * 0.114 > 140 ? '#10151c' : '#ffffff';
}

const themes = {
	light: { back: pixel(255, 255, 255), band: pixel(246, 247, 249), loss: pixel(196, 43, 28), text: '#1f2328', muted: '#57606a', line: '#d8dee4', panel: '#f6f7f9',
		 grid: 'rgba(0,0,0,.07)', range: 'rgba(9,105,218,.15)', marks: ['#c62828', '#1b7a34'] },
	dark: { back: pixel(22, 24, 29), band: pixel(29, 32, 39), loss: pixel(255, 110, 90), text: '#e6edf3', muted: '#9aa4b0', line: '#30363d', panel: '#1b1e24',
		grid: 'rgba(255,255,255,.08)', range: 'rgba(80,150,255,.22)', marks: ['#ff6b6b', '#4cc26b'] },
};

class Colors {
	constructor(model) {
		this.model = model;
		this.names = Uint32Array.from(model.names, colorOfName);
		this.tracks = new Uint32Array(model.tracks.reduce((most, track) => Math.max(most, track.number + 1), 0));
		for (const track of model.tracks)
			this.tracks[track.number] = colorOfTrack(track);
		this.choose(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
	}
	choose(theme) {
		this.theme = theme;
		this.look = themes[theme];
		this.faded = this.names.map((color) => mixed(color, this.look.back, 0.22));
		document.documentElement.dataset.theme = theme;
	}
}
