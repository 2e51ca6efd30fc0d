# SPDX-License-Identifier: Apache-2.0
# export: timelines and rows are read back by readers that know nothing of how they were written; sums are report's.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/export/export_lib.sh"
reported small:cycles small:insns demo:time demo:insns

checked csv small:cycles demo:time demo:insns
checked json small:cycles demo:time
checked chrome small:cycles demo:time demo:insns
checked speedscope small:cycles demo:time demo:insns
modules=$SL_SOURCE_DIR/build/browser
if [ -d "$modules/node_modules/speedscope" ] && has node; then
	node "$here/export/speedscope_schema.mjs" "$modules" "$tmp/file" > "$tmp/told" 2>&1 || fail "speedscope's schema: $(cat "$tmp/told")"
	sed 's/"profiles":/"profile":/' "$tmp/file" > "$tmp/wrong"
	! node "$here/export/speedscope_schema.mjs" "$modules" "$tmp/wrong" > "$tmp/told" || fail "speedscope's schema takes anything"
else
	echo "not tested: speedscope's schema: scripts/setup-browser"
fi
has protoc && checked perfetto small:cycles small:insns demo:time

has babeltrace2 && checked ctf small:insns demo:time demo:insns
run export "$small" -f sqlite -o "$tmp/base.db"
if grep -q "has no sqlite" "$tmp/err"; then
	expect_rc 2
	echo "not tested: this build has no sqlite"
else
	expect_rc 0
	checked sqlite small:cycles demo:time demo:insns
	# What was there before is replaced.
	cp "$tmp/base.db" "$tmp/again.db"
	run export "$small" -f sqlite -o "$tmp/again.db"
	expect_rc 0
	cmp -s "$tmp/base.db" "$tmp/again.db" || fail "sqlite: not the same bytes"
fi
mkdir "$tmp/there"
run export "$small" -f ctf -o "$tmp/there"
expect_rc 2
expect_err_has "cannot write $tmp/there: File exists"
run export "$small" -f ctf
expect_rc 2
expect_err_has "ctf is no stream: give -o"
cp -r "$small" "$tmp/capture"
run export "$tmp/capture" -f sqlite -o "$tmp/capture"
expect_rc 2
expect_err_has "is the capture itself"
# The same bytes for any number of jobs, and on standard output.
written chrome demo:time
run export "$demo" -f chrome --clock time -j 1 --block-bytes 1000
expect_rc 0
cmp -s "$tmp/file" "$tmp/out" || fail "the bytes depend on how it is decoded"

for format in perfetto speedscope; do
	written $format demo:cycles
	run export "$demo" -f $format --clock cycles -j 1 --block-bytes 1000
	cmp -s "$tmp/file" "$tmp/out" || fail "$format: the bytes depend on how it is decoded"
done

# A filter leaves calls out, and not their numbers.
run export "$small" -f csv --function memcpy --clock insns
expect_rc 0
"$SIGHTLINE" report "$small" --quiet --format csv --fields all --clock insns --function memcpy -o "$tmp/memcpy.csv"
cp "$tmp/out" "$tmp/file"
read_back csv "$tmp/file" "$tmp/memcpy.csv"
run export "$small" -f csv --function nosuch
expect_rc 1
expect_err_has "nothing was exported: no call matches --function or --module"

# The file is served once, to who asks this machine for it; nobody else gets anything.
if has curl; then
	written perfetto small:cycles
	"$SIGHTLINE" export "$small" --quiet -f perfetto --clock cycles --open --port 0 > "$tmp/link" 2> "$tmp/err" &
	server=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ -s "$tmp/link" ] && break
		sleep 1
	done
	url=$(sed 's/.*url=//' "$tmp/link")
	case $(cat "$tmp/link") in
	"https://ui.perfetto.dev/#!/?url=http://127.0.0.1:"*"/trace.pftrace") ;;
	*) fail "the link is '$(cat "$tmp/link")'" ;;
	esac
	status() { curl -s -o "$tmp/served" -w '%{http_code}' "$@"; }
	expect_equal "another name" "$(status "${url%/*}/etc/passwd")" 404
	expect_equal "a way up" "$(status --path-as-is "${url%/*}/../../etc/passwd")" 404
	expect_equal "another host" "$(status -H 'Host: evil.example' "$url")" 403
	expect_equal "another method" "$(status -X POST -d x "$url")" 405
	expect_equal "a preflight" "$(status -X OPTIONS "$url")" 204
	curl -s -I "$url" | tr -d '\r' > "$tmp/head"
	grep -qx "Access-Control-Allow-Origin: https://ui.perfetto.dev" "$tmp/head" || fail "CORS: $(cat "$tmp/head")"
	expect_equal "the file" "$(status "$url")" 200
	cmp -s "$tmp/served" "$tmp/file" || fail "what was served is not the file"
	wait $server
	expect_equal "exit code of the server" $? 0
fi
run export "$small" -f csv --open
expect_rc 2
expect_err_has "--open is for -f perfetto"

run export "$small"
expect_rc 2
expect_out
expect_err "sightline: export: give the format with -f NAME
try 'sightline export -h'"
run export "$small" -f xml
expect_rc 2
expect_err_has "option '--format': 'xml' is none of perfetto, chrome, "
run export "$small" -f chrome -o "$tmp/none/file"
expect_rc 2
expect_err_has "cannot write $tmp/none/file"
if [ -w /dev/full ]; then
	run export "$demo" -f chrome -o /dev/full
	expect_rc 2
	expect_err_has "cannot write /dev/full"
fi
run export "$small" -f chrome --clock time --freq 0
expect_rc 2
exit 0
