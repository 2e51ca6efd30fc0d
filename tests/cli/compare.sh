# SPDX-License-Identifier: Apache-2.0
# compare: a capture and its profile say the same, one against itself differs in nothing, parts add up, and what is refused.
. "$(dirname "$0")/lib.sh"
need_small
demo=$SL_SOURCE_DIR/fixtures/demo

run report "$small" --save "$tmp/small.slp"
run report "$demo" --save "$tmp/demo.slp"

for clock in auto insns cycles; do
	run compare "$small" "$tmp/small.slp" --clock $clock
	expect_rc 0
	expect_out_has "Between A and B there is no difference that is more than chance."
	run compare "$small" "$small" --clock $clock --format json --table functions
	! grep -q '"significant":true' "$tmp/out" || fail "a capture differs from itself"
	run compare "$demo" "$small" --clock $clock --format json
	cp "$tmp/out" "$tmp/captures"
	run compare "$tmp/demo.slp" "$tmp/small.slp" --clock $clock --format json
	cmp -s "$tmp/captures" "$tmp/out" || fail "captures and profiles differ: --clock $clock"
	run compare "$tmp/demo.slp" "$tmp/small.slp" --clock $clock --table sum
	expect_out_has "yes"
done

# Numbers are those of report; functions of one name in one module are taken together, and said to be.
run report "$demo" --clock insns --format csv --fields function,calls,self
sed 1d "$tmp/out" | tr -d '\r' | awk -F , '{ calls[$1] += $2; self[$1] += $3 } END { for (f in calls) print f "," calls[f] "," self[f] }' | sort > "$tmp/report"
run compare "$tmp/demo.slp" "$tmp/demo.slp" --clock insns --format csv --fields function,calls_a,self_b --limit 10000
sed 1d "$tmp/out" | tr -d '\r' | awk -F , '$2 != "" { printf "%s,%d,%d\n", $1, $2, $3 }' | sort > "$tmp/compare"
cmp -s "$tmp/report" "$tmp/compare" || fail "report and compare: $(diff "$tmp/report" "$tmp/compare" | head -5)"
run compare "$tmp/demo.slp" "$tmp/demo.slp" --table matches --format csv
expect_out_has "ambiguous: taken together,2,2,announce,,demo.elf"

# Of one call, and what it is divided by. What the tree shows by itself adds up, whatever is left out.
run compare "$demo" "$small" --per handle_irq --clock insns --table tree --format csv --min-percent 10
expect_rc 0
tr -d '\r' < "$tmp/out" | awk -F , 'NR == 2 { whole = $1 } NR > 1 { sum += $2 } END { exit !(sum - whole < 0.001 && whole - sum < 0.001) }' ||
	fail "the column self does not add up"

# A profile of another version.
xz -dc "$tmp/demo.slp" | sed 's,sightline.profile/2,sightline.profile/1,' | gzip > "$tmp/old.slp"
run compare "$tmp/old.slp" "$demo"
expect_rc 2
expect_err "sightline: $tmp/old.slp: is a profile of version 1, and this sightline reads version 2: make it again from the capture with report --save"

# Rules for names of one's own.
printf '[alias]\nhandle_irq = [interrupt]\nsys_write = [interrupt]\n' > "$tmp/names.ini"
run compare "$demo" "$small" --names "$tmp/names.ini" --per '[interrupt]' --table sides
expect_rc 0
printf '[nothing]\na = b\n' > "$tmp/names.ini"
run compare "$demo" "$small" --names "$tmp/names.ini"
expect_rc 2
expect_err "sightline: $tmp/names.ini:1: [nothing]: expected prefix, suffix or alias"

printf 'CONFIG_HZ=100\n' > "$tmp/a.config"
printf 'CONFIG_HZ=250\n' > "$tmp/b.config"
printf '[option]\nCONFIG_HZ = handle_irq\n' > "$tmp/map.ini"
run compare "$demo" "$small" --config "$tmp/a.config" --config "$tmp/b.config" --config-map "$tmp/map.ini" --table config --format csv
expect_rc 0
expect_out_has "CONFIG_HZ,100,250,"
run compare "$demo" "$small" --config "$tmp/a.config"
expect_rc 2
expect_err "sightline: compare: --config is wanted twice, the first for A and the second for B"
run compare "$demo" "$small" --config-map "$tmp/map.ini"
expect_rc 2
expect_err "sightline: compare: --config-map goes with --config"
run compare "$demo" "$small" --config "$tmp/a.config" --config "$tmp/report"
expect_rc 2
expect_err_has "report: is no kernel's .config"
run compare "$demo" "$small" --config "$tmp/a.config" --config "$tmp/b.config" --config-map "$tmp/a.config"
expect_rc 2
expect_err_has "a.config"

# Limits.
run compare "$demo" "$demo" --fail-if total:+0 --fail-if 'calls(*):+0' --fail-if 'p99(*):+0%' --fail-if 'self(memcpy):-0' --table verdict
expect_rc 0
expect_err
run compare "$demo" "$small" --clock insns --quiet --fail-if total:-80% --fail-if 'calls(memcpy):-1' --fail-if 'calls(memcpy):+0' --table verdict
expect_rc 1
expect_err "sightline: compare: failed: total:-80%: 961817 insns in A, 132478 insns in B (-86.2 %)
sightline: compare: failed: calls(memcpy):-1: memcpy: 863 in A, 99 in B (-88.5 %)"
run compare "$demo" "$demo" --fail-if 'p99(nobody):+5%' --table verdict
expect_rc 0
expect_err "sightline: warning: --fail-if p99(nobody):+5%: there is no such thing on either side"
for limit in total total:5% 'p98(f):+1' 'p99:+1' 'p99(f)+1' 'p99(f):+' 'p99(f):+x' 'p99():+1' 'p99(f):+1%%'; do
	run compare "$tmp/no.slp" "$demo" --fail-if "$limit"
	expect_rc 2
	expect_err_has "--fail-if $limit: expected WHAT(FUNCTION):+N"
done

# Several runs: three of the same are one, and one of each pair is told.
run compare "$demo" "$demo" -- "$demo" --table verdict
expect_rc 2
run compare --table verdict "$demo" "$tmp/demo.slp" -- "$demo"
expect_rc 0
expect_out_has "Between A and B there is no difference that is more than chance."
run compare --table sides --format csv --clock insns "$demo" "$demo" -- "$small"
expect_out_has "A,demo,2,,2,961817"
run compare "$demo" "$demo" "$small"
expect_rc 2
expect_err_has "of several runs, those of A come before --"
run compare "$demo" --
expect_rc 2

run compare "$demo" "$small" --per nobody
expect_rc 1
expect_err "sightline: compare: A or B has no call of 'nobody'; 'sightline graph' says what calls what"
run compare "$demo"
expect_rc 2
run compare "$demo" "$small" --fields nothing
expect_rc 2
run compare "$demo" "$tmp/no.slp"
expect_rc 2
run compare "$small" "$small" --function 'f*' --quiet
expect_rc 0
run report "$small" --function 'f*' --save "$tmp/f.slp"
run compare "$tmp/small.slp" "$tmp/f.slp"
expect_rc 0
expect_err_has "A and B were made with other options"
exit 0
