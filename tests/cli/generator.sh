#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Captures of the model in each container: what the library decodes is what was executed, call by call, without a note.
. "$(dirname "$0")/lib.sh"

generator=$SL_BINARY_DIR/fixtures/generator
count=0

# made OPTION...: makes $tmp/capture and leaves its path for sightline in $capture.
made() {
	rm -rf "$tmp/capture"
	count=$((count + 1))
	"$generator/sightline-gen" --out "$tmp/capture" --insns 100000 --seed $count --interrupt-every 1000 --context-id \
		--flow --calls "$@" >/dev/null || fail "sightline-gen $*"
	capture=$tmp/capture
	args=
	[ ! -e "$capture/perf.data" ] || capture=$tmp/capture/perf.data
	[ ! -e "$capture/sightline.args" ] || args=$capture/sightline.args
	[ -z "$args" ] || capture=$capture/trace.bin
}

# true_as CHECK_OPTIONS GEN_OPTION...
true_as() {
	how=$1
	shift
	made "$@"
	"$generator/sightline-gen-check" $how "$capture" "$tmp/capture/truth" $args >"$tmp/check.txt" || {
		cat "$tmp/check.txt" >&2
		fail "$*: the capture is not what was executed"
	}
	grep -q ' 0 notes: true$' "$tmp/check.txt" || fail "$*: $(grep note "$tmp/check.txt")"
}

true_as "" --container snapshot
true_as "" --container snapshot --protocol ete --return-stack 8 --cycles 4
true_as "" --container snapshot --cpus 3 --processes 2 --pinned --threads 3 --timestamps 500 --speculation 4
true_as "" --container snapshot --user-only --cpus 2 --broadcast
true_as "" --container raw
true_as "" --container raw --unframed
perf="--container perf --cpus 2 --pinned --processes 2 --timestamps 1000"
for version in 0 1 2; do
	true_as "" $perf --perf-version $version
	true_as "" $perf --perf-version $version --hw-id 0 --build-ids
	true_as "" $perf --perf-version $version --hw-id 1 --unframed
done
true_as "" $perf --shared-sink --hw-id 1
# Each piece starts the decoder anew: calls end without exit, and one that is cut at its first instruction counts again.
true_as "--counts=at-most" $perf --piece 2K
true_as "--counts=at-most" $perf --piece 2K --shared-sink
true_as "--counts=at-most" $perf --per-thread
true_as "--counts=at-most" $perf --per-thread --hw-id 1 --unframed --piece 2K

# A check that sees no difference would see none here either.
made --container snapshot
printf '\377' | dd of="$tmp/capture/trace.bin" bs=1 seek=3000 conv=notrunc 2>/dev/null
! "$generator/sightline-gen-check" "$capture" "$tmp/capture/truth" >"$tmp/check.txt" || fail "a damaged trace was found true"

# What is lost by an overflow or with a piece is missing; nothing is made up in its place.
# (Counts: where trace begins anew at the first instruction of a loop, the library takes it for a call.)
true_as "--damaged --counts=at-most" --container snapshot --overflow-every 2000
true_as "--damaged --counts=at-most" $perf --piece 2K --overflow-every 1000 --overflow-runs 20
grep -q '^overflow' "$tmp/capture/faults.tsv" || fail "no overflow was made"

# damage FAULT N GEN_OPTION...: what the capture says afterwards goes to check.txt, and faults.tsv has at least a line.
damage() {
	fault=$1
	n=$2
	shift 2
	made "$@"
	"$generator/sightline-gen-mangle" "$tmp/capture" "$fault" "$n" || fail "$fault"
	[ "$(wc -l <"$tmp/capture/faults.tsv")" -ge 2 ] || fail "$fault: nothing was damaged"
	"$generator/sightline-gen-check" --damaged --counts=at-most "$capture" "$tmp/capture/truth" >"$tmp/check.txt" ||
		[ $? = 1 ] || fail "$fault: it could not be checked"
}

# share_at_least PERCENT: of the code that was reported happened as reported.
share_at_least() {
	awk -v least="$1" '/ stretches, / { bytes += $5; wrong += $11 } END { exit !(bytes > 0 && (bytes - wrong) * 100 >= least * bytes) }' \
		"$tmp/check.txt" || { cat "$tmp/check.txt"; fail "$fault: less than $1 % is true"; }
}

# Where trace only ends or begins elsewhere, all that is left is true.
damage truncate 1000 --container snapshot
share_at_least 100
damage wrap 8192 --container snapshot --cpus 2
share_at_least 100
# Bytes that are wrong or missing inside can look like others: most is true.
damage lose-frames 200 --container snapshot
share_at_least 95
damage flip-bits 50000 --container snapshot
share_at_least 90
damage flip-bits 50000 $perf
share_at_least 90
damage lose-frames 200 $perf --shared-sink
share_at_least 90
damage remove-image 1 --container snapshot
! grep -q '^[1-9][0-9]* instructions' "$tmp/check.txt" || fail "instructions without an image"
damage stale-image 4 --container snapshot
grep -q 'NOT true$' "$tmp/check.txt" || fail "another build's image was found true"

# The same seed makes the same capture.
made --container perf --cpus 2 --seed 7
cp -r "$tmp/capture" "$tmp/first_one"
made --container perf --cpus 2 --seed 7
diff -r "$tmp/capture" "$tmp/first_one" || fail "the same seed makes another capture"

# Input for measuring: as many instructions as it says, on one clock.
SL_BUILD=$SL_BINARY_DIR SESSION_BYTES=100000 "$SL_SOURCE_DIR/scripts/bench-input" 300K "$tmp/bench" >/dev/null || fail "bench-input"
wanted=$(awk 'NR == 2 { print $1 }' "$tmp/bench/count.tsv")
found=$("$SIGHTLINE" info "$tmp/bench" --table ids --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "instructions") c = i }
	NR > 1 { n += $c } END { print n }')
[ "$wanted" = "$found" ] || fail "bench-input: $found instructions instead of $wanted"

# Latencies have the shape that was asked for: one call in 20 takes 50,000 cycles more, at 1 GHz.
made --container snapshot --insns 1M --slow "handle_irq:20:50000"
awk -F '\t' '$1 == "handle_irq" && $2 == "ns" { found = 1; good = $8 < 50000 && $9 < 50000 && $10 >= 50000 && $10 < 120000 }
	END { exit !(found && good) }' "$tmp/capture/truth/latencies.tsv" || fail "slow calls: $(grep handle_irq "$tmp/capture/truth/latencies.tsv")"

# perf 6.1 finds each instruction, the kernel's by kcore_dir.
case $(perf --version 2>/dev/null) in
"perf version 6.1"*)
	for options in "" "--perf-version 0" "--unframed" "--build-ids --piece 16K"; do
		made --container perf --cpus 2 --processes 2 $options
		found=$(HOME=$tmp perf script -i "$tmp/capture/perf.data" --symfs "$tmp/capture/root" --itrace=i1 -F ip 2>/dev/null | wc -l)
		wanted=$(awk 'NR == 2 { print $1 }' "$tmp/capture/made.tsv")
		[ "$found" = "$wanted" ] || fail "perf $options: $found instructions instead of $wanted"
	done
	;;
esac

# The model is A64 code, which these cannot trace.
for protocol in ptm etmv3 ipt; do
	rc=0
	"$generator/sightline-gen" --out "$tmp/refused" --protocol $protocol >"$tmp/out" 2>"$tmp/err" || rc=$?
	expect_rc 2
	expect_err "sightline-gen: --protocol: it cannot trace A64 code; give --log of a program that it can"
	[ ! -e "$tmp/refused" ] || fail "$protocol: refused, and made"
done
