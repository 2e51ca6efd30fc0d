# SPDX-License-Identifier: Apache-2.0
# Wrong use: one line that says what is wrong, one that says where help is, exit code 2, nothing on standard output.
. "$(dirname "$0")/lib.sh"

wrong()
{
	text=$1 where=$2
	shift 2
	run "$@"
	expect_rc 2
	expect_out
	expect_err "sightline: $text
try 'sightline $where'"
}

wrong "no command given" "-h"
wrong "unknown command 'reprot' (did you mean 'report'?)" "-h" reprot x
wrong "unknown command 'xyzzy'" "-h" xyzzy
wrong "unknown command '$tmp'; for a capture of this name: sightline report $tmp" "-h" "$tmp"
wrong "unknown command 'xyzzy'" "-h" help xyzzy
wrong "report: no capture given" "report -h" report
wrong "report: no capture given" "report -h" report --limit 5
wrong "unexpected argument 'b': report takes one CAPTURE" "report -h" report a b
wrong "report: the name of CAPTURE is empty" "report -h" report ""
wrong "unknown option '--nosuchthing'" "report -h" report --nosuchthing
wrong "unknown option '--no-page' (did you mean '--no-pager'?)" "report -h" report --no-page
wrong "unknown option '--limt' (did you mean '--limit'?)" "report -h" report --limt=3 x
wrong "unknown option '-x'" "report -h" report -x
wrong "unknown option '-x'" "flow -h" flow -hx
wrong "'--ranges' is an option of flow, not of report" "report -h" report --ranges x
wrong "'--limit' is an option of report, compare, events, latency, histogram, not of flow" "flow -h" flow --limit 3 x
wrong "'--version' is an option of sightline itself, not of report" "report -h" report --version
wrong "'--limit' is an option of report, compare, events, latency, histogram, not of sightline without a command" "-h" --limit 3
wrong "option '--limit' needs a value: N" "report -h" report x --limit
wrong "option '--output' needs a value: FILE" "report -h" report x -o
wrong "option '--quiet' takes no value" "report -h" report --quiet=yes x
wrong "option '--limit': 'ten' is no number (decimal or 0x..)" "report -h" report --limit ten x
wrong "option '--limit': '-1' is no number (decimal or 0x..)" "report -h" report --limit -1 x
wrong "option '--limit': '0x' is no number (decimal or 0x..)" "report -h" report --limit 0x x
wrong "option '--limit': '18446744073709551616' is no number (decimal or 0x..)" "report -h" \
	report --limit 18446744073709551616 x
wrong "option '--limit': 0 is too small: the least is 1" "report -h" report --limit=0 x
wrong "option '--id': 0x80 is too large: the most is 127" "report -h" report --id=0x80 x
wrong "option '--freq': '24MHx' is no number (decimal or 0x.., with k, M or G)" "flow -h" flow --freq 24MHx x
wrong "option '--format': 'xml' is none of text, json, csv" "report -h" report --format xml x
wrong "option '--clock': 'wall' is none of auto, time, cycles, insns" "flow -h" flow --clock=wall x
wrong "--ranges, --elements and --insn exclude each other" "flow -h" flow --ranges --insn x
wrong "--ranges prints plain lines and takes no --format" "flow -h" flow --ranges --format json x
wrong "import: give the directory to make with -o DIR" "import -h" import x
wrong "completion: 'tcsh' is none of bash, zsh, fish" "completion -h" completion tcsh
wrong "completion: no shell given" "completion -h" completion
wrong "--sort: no column 'calsl' (did you mean 'calls'?); --fields help lists all" "report -h" report --sort calsl x

# What is not there, and what is no capture.
run report "$tmp/nothing"
expect_rc 2
expect_out
expect_err_has "$tmp/nothing"
expect_equal "lines of the error" "$(wc -l < "$tmp/err")" 1
run report "$tmp"
expect_rc 2
expect_out
expect_equal "lines of the error" "$(wc -l < "$tmp/err")" 1
run report --reg TRCCONFIGR=1 "$tmp"
expect_rc 2
expect_err "sightline: --reg describes a raw dump: give its --protocol too, or leave --reg out"

# A file that is not there is no file without an address.
need_small
run info "$small" --image "$tmp/nosuch"
expect_rc 2
expect_err_has "nosuch: cannot be opened: No such file or directory"
