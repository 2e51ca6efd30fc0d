# SPDX-License-Identifier: Apache-2.0
# export: every format is read back by a reader that knows nothing of how it was written; its sums are report's.
. "$(dirname "$0")/lib.sh"
demo=$SL_SOURCE_DIR/fixtures/demo
need_small

# What report says on an axis, once each.
for axis in cycles time insns; do
	"$SIGHTLINE" report "$demo" --quiet --format csv --fields all --clock $axis -o "$tmp/$axis.csv" || fail "report"
done

# written FORMAT AXIS: into $tmp/file
written()
{
	rm -rf "$tmp/file"
	run export "$demo" -f "$1" --clock "$2" -o "$tmp/file"
	expect_rc 0
	expect_out
	expect_err
}

read_back()
{
	python3 "$(dirname "$0")/export_reader.py" "$@" > "$tmp/difference" || fail "$1: $(cat "$tmp/difference")"
}

for format in csv json chrome; do
	for axis in cycles time insns; do
		written $format $axis
		read_back $format "$tmp/file" "$tmp/$axis.csv"
	done
done

# The same bytes for any number of jobs, and on standard output.
written chrome time
run export "$demo" -f chrome --clock time -j 1 --block-bytes 1000
expect_rc 0
cmp -s "$tmp/file" "$tmp/out" || fail "the bytes depend on how it is decoded"

# A filter leaves calls out, and not their numbers.
run export "$small" -f csv --function memcpy --clock insns
expect_rc 0
"$SIGHTLINE" report "$small" --quiet --format csv --fields all --clock insns --function memcpy -o "$tmp/memcpy.csv"
cp "$tmp/out" "$tmp/file"
read_back csv "$tmp/file" "$tmp/memcpy.csv"
run export "$small" -f csv --function nosuch
expect_rc 1
expect_err_has "nothing was exported: no call matches --function or --module"

run export "$small"
expect_rc 2
expect_out
expect_err "sightline: export: give the format with -f NAME
try 'sightline export -h'"
run export "$small" -f xml
expect_rc 2
expect_err_has "option '--format': 'xml' is none of chrome, "
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
