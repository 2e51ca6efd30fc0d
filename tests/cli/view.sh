# SPDX-License-Identifier: Apache-2.0
# view: what is served, to whom, and in a browser where there is one.
. "$(dirname "$0")/lib.sh"
here=$SL_SOURCE_DIR/tests/cli/html
modules=$SL_SOURCE_DIR/build/browser
demo=$SL_SOURCE_DIR/fixtures/demo
need_small
server=

# Serves in the background until the test ends; its address goes to $url.
served()
{
	: > "$tmp/address"
	"$SIGHTLINE" view "$@" --quiet --port 0 > "$tmp/address" 2> "$tmp/err" < /dev/null &
	server=$!
	trap 'kill $server 2> /dev/null; rm -rf "$tmp"' EXIT
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -s "$tmp/address" ] && break
		sleep 1
	done
	url=$(cat "$tmp/address")
	case $url in
	http://127.0.0.1:*/) ;;
	*) fail "the address is '$url': $(cat "$tmp/err")" ;;
	esac
}

run view "$small" --port 0 --output "$tmp/x"
expect_rc 2
run view "$tmp/none"
expect_rc 2
command -v curl > /dev/null || skip "no curl"
served "$demo" --html-calls 10000

status() { curl -s -m 20 -o "$tmp/got" -w '%{http_code}' "$@"; }
expect_equal "the page" "$(status "$url")" 200
grep -q "connect-src 'self'" "$tmp/got" || fail "the page may not ask for more"
expect_equal "all columns" "$(status "${url}columns")" 200
cp "$tmp/got" "$tmp/columns"
size=$(wc -c < "$tmp/columns")
expect_equal "a part" "$(status -H 'Range: bytes=100-299' "${url}columns")" 206
tail -c +101 "$tmp/columns" | head -c 200 | cmp -s - "$tmp/got" || fail "the part is another one"
expect_equal "the rest" "$(status -H "Range: bytes=$((size - 7))-" "${url}columns")" 206
tail -c 7 "$tmp/columns" | cmp -s - "$tmp/got" || fail "the rest is another one"
expect_equal "more than there is" "$(status -H "Range: bytes=5-$((size + 5))" "${url}columns")" 206
expect_equal "its size" "$(wc -c < "$tmp/got")" "$((size - 5))"
expect_equal "behind the end" "$(status -H "Range: bytes=$size-" "${url}columns")" 416
for range in bytes=9-3 bytes=-5 bytes=x-y lines=1-2 bytes=99999999999999999999-; do
	status -H "Range: $range" "${url}columns" > "$tmp/status"
	grep -qE '^(200|416)$' "$tmp/status" || fail "$range: $(cat "$tmp/status")"
done
expect_equal "another name" "$(status "${url}etc/passwd")" 404
expect_equal "another host" "$(status -H 'Host: evil.example' "$url")" 403
expect_equal "another method" "$(status -X POST -d x "$url")" 405
curl -s -I "$url" | grep -qi '^access-control' && fail "others may read it"
# A connection that says nothing keeps nobody waiting.
python3 - "$url" << 'EOF' || fail "a silent connection holds others up"
import socket, sys, time, urllib.request
port = int(sys.argv[1].rstrip("/").rsplit(":", 1)[1])
silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
began = time.monotonic()
assert urllib.request.urlopen(sys.argv[1], timeout=20).status == 200
assert time.monotonic() - began < 5
EOF

"$SIGHTLINE" report "$demo" --quiet --format json -o "$tmp/demo.json"
if ! command -v node > /dev/null || [ ! -x "${SL_CHROMIUM:-/usr/bin/chromium}" ] || [ ! -d "$modules/node_modules/playwright-core" ]; then
	echo "not tested in a browser: scripts/setup-browser"
	exit 0
fi
node "$here/served_test.mjs" "$modules" "$url" "$tmp/demo.json" > "$tmp/told" 2>&1 || fail "$(cat "$tmp/told")"
kill -0 $server || fail "it ended by itself"
