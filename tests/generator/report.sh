#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# report.sh [--list] BUILD GEN [whole|damaged|timed|parts|guests|machines|x86_64|machine-x86_64]: sightline report says of every function what the truth says: of captures without faults calls, self and
# total; of damaged ones never more calls or instructions than there were, with the loss told. What is not so yet lies in known_differences.tsv; --list
# prints lines for it.
set -eu
list=
if [ "$1" = --list ]; then
	list=--list
	shift
fi
gen=$2 part=$3
export SL_BUILD="$1"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# compare NAME [--damaged]: $tmp/capture, however it is held.
compare() {
	name=$1 how=${2:-}
	capture=$tmp/capture
	set --
	[ ! -e "$capture/perf.data" ] || capture=$capture/perf.data
	[ ! -d "$tmp/capture/root" ] || set -- -- --symfs "$tmp/capture/root"
	if [ -e "$capture/sightline.args" ]; then
		# shellcheck disable=SC2046 # an option a line
		set -- -- $(sed "s|^--image=|&$capture/|" "$capture/sightline.args")
		capture=$capture/trace.bin
	fi
	# shellcheck disable=SC2086 # nothing, or an option
	python3 -B "$SL_SOURCE_DIR/tests/generator/report_truth.py" $list $how --known "$name" "$capture" "$tmp/capture/truth" "$@" || {
		echo "FAIL: $name"
		failed=1
	}
}

# whole NAME GEN_OPTIONS...
whole() {
	name=$1
	shift
	rm -rf "$tmp/capture"
	"$gen" --out "$tmp/capture" --context-id "$@" >/dev/null
	compare "$name"
}

model="--insns 300000 --interrupt-every 1000"
perf="--container perf --cpus 2 --processes 2 --timestamps 1000"
# shellcheck disable=SC2086 # options are words
model_captures() {
	whole model $model
	whole model-ete $model --protocol ete --return-stack 8 --cycles 4
	whole model-user $model --user-only --cpus 2 --broadcast
	whole model-pinned $model --cpus 3 --processes 2 --pinned --threads 3 --timestamps 500 --speculation 4
	whole model-migrates $model --cpus 3 --processes 2 --threads 3 --timestamps 500
	whole model-perf $model $perf --pinned
	whole model-perf-pieces $model $perf --pinned --piece 2K
	whole model-perf-per-thread $model $perf --per-thread
}

# damaged NAME FAULT N GEN_OPTIONS...: by sightline-gen-mangle; FAULT "made": as the options say.
damaged() {
	name=$1 fault=$2 n=$3
	shift 3
	rm -rf "$tmp/capture"
	# shellcheck disable=SC2086
	"$gen" --out "$tmp/capture" $model --context-id "$@" >/dev/null
	[ "$fault" = made ] || "$gen-mangle" "$tmp/capture" "$fault" "$n"
	compare "$name" --damaged
}

# shellcheck disable=SC2086
damaged_captures() {
	damaged overflow made 0 --overflow-every 2000
	damaged overflow-discards made 0 --overflow-every 2000 --overflow-discards
	damaged overflow-perf made 0 $perf --pinned --overflow-every 1000 --overflow-runs 20
	damaged pieces-lost made 0 $perf --pinned --piece 4K --lose-pieces 8
	damaged pieces-truncated made 0 $perf --pinned --piece 4K --truncate-pieces 8
	damaged truncate truncate 1000
	damaged truncate-perf truncate 3000 $perf --pinned
	damaged wrap wrap 8192 --cpus 2 --pinned
	damaged lose-frames lose-frames 200
	damaged lose-frames-perf lose-frames 200 $perf --pinned --shared-sink
	damaged flip-bits flip-bits 50000
	damaged flip-bits-perf flip-bits 50000 $perf --pinned
	damaged remove-image remove-image 1
	damaged stale-image stale-image 4
}

# damaged_guest ARCH PROGRAM PROTOCOL: of $tmp/log; an A32 or T32 program as each protocol, with each kind of damage that needs no 64-bit image.
damaged_guest() {
	for fault in made truncate wrap lose-frames flip-bits; do
		rm -rf "$tmp/capture"
		set -- "$1" "$2" "$3"
		[ $fault != made ] || set -- "$@" --overflow-every 500
		arch=$1 program=$2 protocol=$3
		shift 3
		"$gen" --out "$tmp/capture" --log "$tmp/log.log" --elf "$SL_BUILD/guests/$arch/$program" --protocol "$protocol" --return-stack 8 "$@" >/dev/null
		[ $fault = made ] || "$gen-mangle" "$tmp/capture" $fault 500
		compare "$arch-$program-$protocol-$fault" --damaged
		set -- "$arch" "$program" "$protocol"
	done
}

# timed "UNITS" GEN_OPTIONS...: durations are right within their resolution. Where nearly all are bounds, time.sh looks at each call.
timed() {
	units=$1
	shift
	rm -rf "$tmp/capture"
	# shellcheck disable=SC2086
	"$gen" --out "$tmp/capture" $model --context-id "$@" >/dev/null
	timed_capture "$tmp/capture" "$units"
}

# timed_capture CAPTURE "UNITS"
timed_capture() {
	for unit in $2; do
		python3 -B "$SL_SOURCE_DIR/tests/generator/report_truth.py" --unit "$unit" "$1" "$1/truth" || {
			echo "FAIL: $1, $unit"
			failed=1
		}
	done
}

timed_captures() {
	timed "cycles ns" --cycles 0 --timestamps 1000
	timed "cycles ns" --cycles 0 --timestamps 20000 --protocol ete --return-stack 8
	timed "cycles ns" --cycles 0 --timestamps 1000 --cpus 2 --processes 2 --pinned --noise 300 --miss 20:90
	timed "cycles ns" --cycles 0 --timestamps 500 --cpus 3 --processes 2 --threads 3
	timed "cycles ns" --cycles 64 --timestamps 5000
	fixtures=$SL_SOURCE_DIR/fixtures
	for fixture in "$fixtures/demo" "$fixtures/small" "$fixtures"/generated/*-etm* "$fixtures"/generated/*-ete "$fixtures"/generated/*-ptm; do
		timed_capture "$fixture" "cycles ns"
	done
}

# parts "UNITS" GEN_OPTIONS...: the same of each task and each level alone.
parts() {
	units=$1
	shift
	rm -rf "$tmp/capture"
	# shellcheck disable=SC2086
	"$gen" --out "$tmp/capture" $model --context-id --calls "$@" >/dev/null
	for unit in $units; do
		python3 -B "$SL_SOURCE_DIR/tests/generator/parts_truth.py" "$unit" "$tmp/capture" "$tmp/capture/truth" || {
			echo "FAIL: parts: $*, $unit"
			failed=1
		}
	done
}

parts_captures() {
	parts "insns cycles ns" --cycles 0 --timestamps 1000 --cpus 2 --processes 2 --pinned
	parts "insns cycles ns" --cycles 0 --timestamps 500 --cpus 3 --processes 2 --threads 3
	parts "insns cycles ns" --cycles 4 --timestamps 1000 --protocol ete --return-stack 8 --cpus 2 --processes 2 --pinned --noise 300 --miss 20:90
	parts insns --timestamps 1000 --cpus 2 --processes 2 --pinned # in ns nearly all are bounds, of which time.sh looks at each
}

pt="--protocol ipt --container raw --unframed"
need_intel_pt() {
	! "$SIGHTLINE" info "$SL_SOURCE_DIR/fixtures/generated/x86_64-ipt/trace.bin" --protocol ipt 2>&1 | grep -q 'built without libipt' ||
		{ echo "skipped: built without libipt"; exit 77; }
}

need() {
	command -v "$1" >/dev/null || { echo "skipped: $1 is missing"; exit 77; }
}

guest_captures() {
	need qemu-aarch64
	[ -d "$SL_BUILD/guests/arm" ] || { echo "skipped: no guest programs"; exit 77; }
	for program in calls plt exceptions syscalls polling faults; do
		for arch in aarch64 arm thumb; do
			"$SL_SOURCE_DIR/scripts/log-guest" $arch $program "$tmp/log" >/dev/null
			for protocol in etmv4 ptm etmv3; do
				[ $arch != aarch64 ] || [ $protocol = etmv4 ] || continue
				whole "$arch-$program-$protocol" --log "$tmp/log.log" --elf "$SL_BUILD/guests/$arch/$program" \
					--protocol $protocol --return-stack 8
				case $program-$arch in
				*-aarch64) ;;
				calls-* | exceptions-*) damaged_guest $arch $program $protocol ;;
				esac
			done
		done
	done
}

# shellcheck disable=SC2086 # options are words
x86_captures() {
	need qemu-x86_64
	need_intel_pt
	[ -d "$SL_BUILD/guests/x86_64" ] || { echo "skipped: no guest programs"; exit 77; }
	for program in calls plt exceptions syscalls polling faults; do
		"$SL_SOURCE_DIR/scripts/log-guest" x86_64 $program "$tmp/log" >/dev/null
		whole "x86_64-$program" --log "$tmp/log.log" --elf "$SL_BUILD/guests/x86_64/$program" $pt
		whole "x86_64-$program-compressed" --log "$tmp/log.log" --elf "$SL_BUILD/guests/x86_64/$program" $pt --return-stack 8 --cycles 4
	done
}

# shellcheck disable=SC2086
x86_machine_captures() {
	need qemu-system-x86_64
	need_intel_pt
	[ -e "$SL_BUILD/guests/initrd-x86_64.gz" ] || { echo "skipped: no guest programs"; exit 77; }
	[ -e "$SL_BUILD/guest-kernel/vmlinuz-amd64" ] || { echo "skipped: no kernel"; exit 77; }
	names=$SL_BUILD/guest-kernel/kallsyms-amd64
	[ ! -e "$names" ] || kernel_names="--elf $names"
	for program in signals queue; do # one boot is 20 s
		"$SL_SOURCE_DIR/scripts/log-guest" system-x86_64 $program "$tmp/log" >/dev/null
		whole "machine-x86_64-$program" --log "$tmp/log.log" --int "$tmp/log.int" --elf "$SL_BUILD/guests/x86_64/$program" \
			${kernel_names:-} --timestamps 1000 $pt
	done
}

machine_captures() {
	need qemu-system-aarch64
	[ -e "$SL_BUILD/guests/initrd-aarch64.gz" ] || { echo "skipped: no guest programs"; exit 77; }
	[ -e "$SL_BUILD/guest-kernel/vmlinuz-arm64" ] || { echo "skipped: no kernel"; exit 77; }
	for program in signals threads timer queue; do
		"$SL_SOURCE_DIR/scripts/log-guest" system $program "$tmp/log" >/dev/null
		whole "machine-$program" --log "$tmp/log.log" --int "$tmp/log.int" --elf "$SL_BUILD/guests/aarch64/$program" \
			--timestamps 1000
	done
}

case $part in
whole) model_captures ;;
damaged) damaged_captures ;;
timed) timed_captures ;;
parts) parts_captures ;;
guests) guest_captures ;;
machines) machine_captures ;;
x86_64) x86_captures ;;
machine-x86_64) x86_machine_captures ;;
esac
exit $failed
