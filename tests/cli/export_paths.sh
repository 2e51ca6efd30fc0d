# SPDX-License-Identifier: Apache-2.0
# export of calls by path: sums are report's, whoever reads the file.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/export/export_lib.sh"
reported small:cycles small:insns demo:time demo:insns

checked folded small:cycles demo:time demo:insns
checked flamegraph small:insns demo:time
checked pprof small:cycles demo:time
has callgrind_annotate && checked callgrind small:cycles small:insns demo:time
if has node; then
	written flamegraph demo:insns
	node "$here/flamegraph_run.js" "$tmp/file" > "$tmp/script" 2>&1 || fail "the script: $(cat "$tmp/script")"
	grep -qE '^frames [0-9]{2,}, zoomed [0-9]+, found .*: [0-9,]+ insns, [0-9.]+ %$' "$tmp/script" || fail "$(cat "$tmp/script")"
fi
run export "$demo" -f folded --by task --levels apart
expect_rc 0
expect_out_has "[task "
run export "$small" -f csv --by task
expect_rc 2
expect_err_has "--by and --levels are for calls by path"
exit 0
