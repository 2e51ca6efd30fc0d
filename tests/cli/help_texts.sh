# SPDX-License-Identifier: Apache-2.0
# Help and version: on standard output, exit code 0; -h fits a screen of 80 columns and 24 lines.
. "$(dirname "$0")/lib.sh"

widest()
{
	awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }' "$tmp/out"
}

for name in "" info packets flow report graph latency histogram export view check import completion; do
	for form in -h --help; do
		# shellcheck disable=SC2086
		run $name $form
		expect_rc 0
		expect_err
		expect_out_has "usage: sightline ${name:-COMMAND}"
		[ "$(widest)" -le 80 ] || fail "wider than 80 columns"
		[ "$form" = --help ] || [ "$(wc -l < "$tmp/out")" -le 24 ] || fail "longer than a screen"
	done
	expect_out_has "Exit code: 0 "
	cp "$tmp/out" "$tmp/long"
	# shellcheck disable=SC2086
	run help $name
	expect_rc 0
	cmp -s "$tmp/out" "$tmp/long" || fail "help $name is not $name --help"
	# Every option but the hidden ones is in --help.
	run --list-options "$name"
	expect_rc 0
	cut -f 1 "$tmp/out" | while read -r option; do
		grep -q -e "$option" "$tmp/long" || fail "$name --help lacks $option"
	done || exit 1
	! grep -q -e fake-stderr -e block-bytes "$tmp/long" || fail "hidden options are in $name --help"
done

run --version
expect_rc 0
expect_err
grep -qE '^sightline [0-9]+\.[0-9]+\.[0-9]+ \(OpenCSD [0-9.]+\)$' "$tmp/out" || fail "version"

# Help wins over what else is on the line, needs no capture, and takes values of other options as such.
run report --limit 3 -h
expect_rc 0
run report --fields help
expect_rc 0
expect_out_has "self_percent"
expect_out_has "share of self in the whole"
run report --fields help --clock cycles --format csv
expect_rc 0
expect_out_has "self_cycles,"
