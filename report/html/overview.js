// SPDX-License-Identifier: Apache-2.0
// The whole capture in a strip: how busy each moment was, by task, and the part that the timeline shows.
class Overview {
	constructor(state, colors, timeline) {
		Object.assign(this, { state, colors, timeline, canvas: $('overview') });
		this.context = this.canvas.getContext('2d');
		this.ask = onceAFrame(() => this.draw());
		this.made = '';
		new ResizeObserver(() => this.ask()).observe(this.canvas);
		state.listen(() => this.ask());
		this.canvas.onpointerdown = (event) => {
			this.canvas.setPointerCapture(event.pointerId);
			this.lookAt(event);
		};
		this.canvas.onpointermove = (event) => event.buttons & 1 && this.lookAt(event);
		this.canvas.onwheel = (event) => {
			event.preventDefault();
			state.zoom(Math.exp(event.deltaY * 0.0016), this.timeAt(event));
		};
	}
	timeAt(event) {
		const gutter = this.timeline.gutter;
		return (event.offsetX - gutter) / (this.canvas.clientWidth - gutter) * this.state.model.end;
	}
	lookAt(event) {
		const half = (this.state.to - this.state.from) / 2, time = this.timeAt(event);
		this.state.look(time - half, time + half);
	}
	draw() {
		const { canvas, context: g, state, colors } = this, scale = devicePixelRatio, gutter = Math.round(this.timeline.gutter * scale);
		const width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
		if (width <= gutter || !height)
			return;
		const key = [width, height, colors.theme].join();
		if (this.made !== key) {
			Object.assign(canvas, { width, height });
			this.picture = this.drawBusy(width - gutter, height);
			this.made = key;
		}
		g.fillStyle = colors.look.panel;
		g.fillRect(0, 0, width, height);
		g.putImageData(this.picture, gutter, 0);
		drawText(g, 'whole capture', 10 * scale, height / 2, gutter - 14 * scale, `${10.5 * scale}px ${FONT}`, colors.look.muted);
		const x = (time) => gutter + time / state.model.end * (width - gutter);
		g.fillStyle = colors.look.range;
		if (state.range)
			g.fillRect(x(state.range[0]), 0, Math.max(1, x(state.range[1]) - x(state.range[0])), height);
		g.strokeStyle = colors.look.text;
		g.lineWidth = 2 * scale;
		g.strokeRect(x(state.from), scale, Math.max(3 * scale, x(state.to) - x(state.from)), height - 2 * scale);
	}
	// Per pixel how much of it the outermost calls of each track fill, on each other.
	drawBusy(width, height) {
		const image = this.context.createImageData(width, height), pixels = new Uint32Array(image.data.buffer).fill(this.colors.look.back);
		const rows = this.state.model.tracks.map((track) => track.rows[0]).filter(Boolean), perPixel = this.state.model.end / width;
		const full = Math.max(1, this.state.model.lanes.length);
		for (let x = 0; x < width; x++) {
			let y = height;
			for (const row of rows) {
				const part = busyBetween(row, x * perPixel, (x + 1) * perPixel) / perPixel / full;
				const top = Math.max(0, y - Math.round(part * height));
				while (y > top)
					pixels[--y * width + x] = this.colors.tracks[row.owner];
			}
		}
		return image;
	}
}

// How long calls of a row were open between two times.
function busyBetween(row, from, to) {
	const first = row.firstEndingAfter(from), last = row.firstStartingAt(to);
	if (last <= first)
		return 0;
	const before = Math.max(0, from - row.start[first]), behind = Math.max(0, row.end[last - 1] - to);
	return durationBefore(row, last) - durationBefore(row, first) - before - behind;
}
