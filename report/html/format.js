// SPDX-License-Identifier: Apache-2.0
// Numbers as text: in tables exactly as the command line has them, on the axis in units that fit.
const grouping = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const twoDecimals = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const grouped = (n) => grouping.format(n);

// A cell of a table whose column has that type; '-' for what is not known, as in the command line's text.
function cellText(value, type) {
	if (value === null || value === undefined)
		return '-';
	if (type === 'count' || type === 'signed')
		return (type === 'signed' && value > 0 ? '+' : '') + grouped(value);
	if (type === 'percent' || type === 'real')
		return twoDecimals.format(value);
	if (type === 'bool')
		return value ? 'yes' : 'no';
	return readable(String(value));
}

const TIME_UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s'], [1, 'ns']];
const COUNT_UNITS = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];

function unitFor(amount, unit) {
	const units = unit === 'ns' ? TIME_UNITS : COUNT_UNITS;
	const [scale, text] = units.find(([least]) => Math.abs(amount) >= least) || units[units.length - 1];
	return { scale, text: unit === 'ns' ? text : `${text} ${unit}`.trim() };
}

// 12345678 as 12.346 ms.
function amountText(amount, unit) {
	const { scale, text } = unitFor(amount, unit);
	return `${(amount / scale).toFixed(scale === 1 ? 0 : 3)} ${text}`;
}

function rateText(period, unit) {
	if (!period || unit !== 'ns')
		return '';
	const hertz = 1e9 / period;
	const [scale, text] = [[1e6, 'MHz'], [1e3, 'kHz'], [1, 'Hz']].find(([least]) => hertz >= least) || [1, 'Hz'];
	return `${(hertz / scale).toPrecision(4)} ${text}`;
}
