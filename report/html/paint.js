// SPDX-License-Identifier: Apache-2.0
// Rows of calls into the memory of a canvas. A call of less than a pixel and a half shares its pixel with its neighbours: of them it shows
// the longest one, faded by how much of the pixel they fill. So it costs what there are pixels, not calls.
const LEAST_WIDTH = 1.5, LABEL_WIDTH = 26;

class Painter {
	constructor(context) {
		this.context = context;
	}
	begin(width, height, scale, look) {
		if (!this.image || this.image.width !== width || this.image.height !== height) {
			this.image = this.context.createImageData(width, height);
			this.pixels = new Uint32Array(this.image.data.buffer);
			this.line = new Uint32Array(width);
		}
		Object.assign(this, { width, height, scale, look, labels: [] });
		this.pixels.fill(look.back);
	}
	see(from, to) {
		this.from = from;
		this.to = to;
		this.perPixel = (to - from) / this.width;
	}
	x(time) {
		return (time - this.from) / this.perPixel;
	}
	// One row at y, with the colour of each name.
	row(row, y, height, colors, wantsLabels) {
		const { start, end, name, count } = row, least = LEAST_WIDTH * this.perPixel;
		this.line.fill(this.look.back);
		for (let i = row.firstEndingAfter(this.from); i < count && start[i] < this.to;) {
			if (end[i] - start[i] >= least) {
				this.wide(row, i, y, colors[name[i]], wantsLabels);
				i++;
			} else {
				i = this.narrow(row, i, colors);
			}
		}
		this.copy(y, height);
	}
	wide(row, i, y, color, wantsLabels) {
		const left = Math.max(0, Math.floor(this.x(row.start[i]))), right = Math.min(this.width, Math.max(left + 1, Math.floor(this.x(row.end[i]))));
		this.line.fill(color, left, right);
		if (right - left > 4 && row.start[i] >= this.from)
			this.line[left] = mixed(color, pixel(0, 0, 0), 0.72);
		if (row.flags && row.flags[i] & (FLAG.NO_ENTRY | FLAG.NO_EXIT))
			this.torn(left, right, row.flags[i], row.start[i] >= this.from, row.end[i] <= this.to);
		if (wantsLabels && right - left > LABEL_WIDTH * this.scale)
			this.labels.push({ row, name: row.name[i], left, width: right - left, y, color, torn: row.start[i] >= this.from && row.flagsOf(i) & FLAG.NO_ENTRY });
	}
	// An end that was not traced: stripes.
	torn(left, right, flags, startsHere, endsHere) {
		const width = Math.min(Math.floor((right - left) / 2), Math.round(6 * this.scale));
		for (let i = 0; i < width; i += 2) {
			if (flags & FLAG.NO_ENTRY && startsHere)
				this.line[left + i] = this.look.back;
			if (flags & FLAG.NO_EXIT && endsHere)
				this.line[right - 1 - i] = this.look.back;
		}
	}
	// All calls that begin in the pixel of call i, which is narrow; the index behind them.
	narrow(row, i, colors) {
		const at = Math.max(0, Math.floor(this.x(row.start[i])));
		if (at >= this.width)
			return row.count;
		let next = gallop(row.start, this.from + (at + 1) * this.perPixel, i + 1, row.count);
		if (next - i > 1 && (row.end[next - 1] - row.start[next - 1]) / this.perPixel >= LEAST_WIDTH)
			next--;
		const covered = durationBetween(row, i, next) / this.perPixel, color = colors[row.name[longestCall(row, i, next)]];
		const under = this.line[at] === this.look.back;
		this.line[at] = covered >= 1 || !under ? color : mixed(color, this.look.back, 0.38 + 0.62 * Math.sqrt(covered));
		return next;
	}
	copy(y, height) {
		for (let line = Math.max(0, y); line < Math.min(this.height, y + height); line++)
			this.pixels.set(this.line, line * this.width);
	}
	// Some calls of a row over what is there: each is at least a pixel wide.
	sparse(calls, y, height, color) {
		const { start, end } = calls;
		for (let i = lowerBound(end, this.from, 0, end.length, true); i < end.length && start[i] < this.to;) {
			const left = Math.max(0, Math.floor(this.x(start[i]))), right = Math.min(this.width, Math.max(left + 1, Math.floor(this.x(end[i]))));
			for (let line = Math.max(0, y); line < Math.min(this.height, y + height); line++)
				this.pixels.fill(color, line * this.width + left, line * this.width + right);
			i = Math.max(i + 1, gallop(start, this.from + right * this.perPixel - this.perPixel / 2, i + 1, end.length));
		}
	}
	show(x, y) {
		this.context.putImageData(this.image, x, y);
	}
}
