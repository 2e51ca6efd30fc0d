// SPDX-License-Identifier: Apache-2.0
// The blocks of the page: base64 of gzip.
function bytesOfBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text), bytes = new Uint8Array(binary.length);
	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

// Null where the page has none of it.
async function blockBytes(id) {
	const node = $(id);
	if (!node)
		return null;
	const packed = bytesOfBase64(node.textContent);
	node.remove();
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}
