#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/target/collect-sysfs.sh on a made-up /sys, /proc and /dev, under each shell that is here.
set -eu
: "${SL_SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
script=$SL_SOURCE_DIR/scripts/target/collect-sysfs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "FAIL ($shell): $*" >&2
	exit 1
}
# has FILE LINE: the file has exactly this line.
has() { grep -qxF -- "$2" "$1" || fail "$1 lacks '$2': $(cat "$1")"; }
lacks() { ! grep -qF -- "$2" "$1" || fail "$1 has '$2'"; }
# put FILE TEXT
put() {
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "$2" >"$1"
}

root=$work/root
dev=$root/sys/bus/coresight/devices

# etm4 NAME CPU ID DEVARCH ENABLED
etm4() {
	put "$dev/$1/cpu" "$2"
	put "$dev/$1/enable_source" "$5"
	put "$dev/$1/cyc_threshold" 0x100
	put "$dev/$1/mgmt/trcconfig" 0x811
	put "$dev/$1/mgmt/trctraceid" "$3"
	put "$dev/$1/mgmt/trcauthstatus" 0xcc
	put "$dev/$1/mgmt/trcdevarch" "$4"
	for n in 0 1 2 3 8 9 10 11 12 13; do
		put "$dev/$1/trcidr/trcidr$n" "0x4$n"
	done
}
etm4 etm0 0 0x10 0x47724a13 1
etm4 etm1 1 0x11 0x47705a13 1
etm4 etm2 2 0x12 0x47724a13 0
put "$dev/etm3/cpu" 3
put "$dev/etm3/enable_source" 1
put "$dev/etm3/mgmt/etmcr" 0x1000
put "$dev/etm3/mgmt/etmidr" 0x411cf312
put "$dev/etm3/mgmt/etmtraceidr" 0x13
put "$dev/stm0/enable_source" 1
put "$dev/stm0/traceid" 0x20
put "$dev/stm0/mgmt/tcsr" 0x5
put "$dev/tmc_etr0/enable_sink" 1
put "$dev/tmc_etr0/mgmt/rsz" 0x400
put "$dev/tmc_etf0/enable_sink" 0
put "$root/sys/devices/system/cpu/cpu0/regs/identification/midr_el1" 0x00000000410fd034
put "$root/sys/devices/system/cpu/cpu1/regs/identification/midr_el1" 0x00000000410fd490
put "$root/proc/cpuinfo" "processor	: 3
CPU implementer	: 0x41
CPU part	: 0xc0f"
put "$root/dev/tmc_etr0" "sixteen bytes..."
put "$root/dev/tmc_etf0" "other"
put "$root/proc/kallsyms" "ffffffc008000000 T _text"
put "$root/proc/modules" "one 16384 0 - Live 0xffffffc000000000"
put "$root/proc/42/maps" "00400000-00401000 r-xp 00000000 00:01 1 /bin/app"
put "$root/proc/42/comm" app
put "$root/proc/config.gz" config
put "$root/sys/kernel/notes" notes
put "$root/sys/module/one/notes/.note.gnu.build-id" id

check_default() {
	out=$work/out
	$shell "$script" -r "$root" -o "$out" -p 42 2>"$work/err" || fail "exit code $?: $(cat "$work/err")"
	has "$out/snapshot.ini" metadata=trace.ini
	has "$out/snapshot.ini" device0=cpu_0.ini
	has "$out/snapshot.ini" device6=stm_0.ini
	has "$out/cpu_0.ini" type=Cortex-A53
	has "$out/cpu_1.ini" type=ARM-AA64
	has "$out/cpu_3.ini" type=Cortex-A15
	has "$out/etm_0.ini" type=ETM4
	has "$out/etm_0.ini" TRCCONFIGR=0x811
	has "$out/etm_0.ini" TRCTRACEIDR=0x10
	has "$out/etm_0.ini" TRCIDR13=0x413
	has "$out/etm_0.ini" TRCCCCTLR=0x100
	lacks "$out/etm_0.ini" TRCIDR3
	has "$out/etm_1.ini" type=ETE
	has "$out/etm_3.ini" type=PTM1.1
	has "$out/etm_3.ini" ETMIDR=0x411cf312
	has "$out/stm_0.ini" STMTCSR=0x00200005
	has "$out/trace.ini" buffers=tmc_etr0
	has "$out/trace.ini" etm0=tmc_etr0
	has "$out/trace.ini" stm0=tmc_etr0
	has "$out/trace.ini" cpu_3=etm3
	lacks "$out/trace.ini" etm2
	cmp -s "$out/tmc_etr0.bin" "$root/dev/tmc_etr0" || fail "the sink's bytes differ"
	[ ! -e "$out/tmc_etf0.bin" ] || fail "a disabled sink was read"
	cmp -s "$out/kallsyms" "$root/proc/kallsyms" || fail "kallsyms differ"
	cmp -s "$out/maps-42.txt" "$root/proc/42/maps" || fail "maps differ"
	for file in modules.txt kernel-notes.bin kernel-config.gz module-one-build-id.bin sysfs-tmc_etr0.txt; do
		[ -s "$out/$file" ] || fail "$file is missing"
	done
	has "$out/sysfs-tmc_etr0.txt" "mgmt/rsz 0x400"
	grep -q "ETMCCER cannot be read" "$work/err" || fail "a missing register was not told"
	if $shell "$script" -r "$root" -o "$out" 2>"$work/err"; then
		fail "an existing directory was taken"
	fi
	rm -r "$out"
}

check_choices() {
	out=$work/out
	put "$root/proc/kallsyms" "0000000000000000 T _text"
	$shell "$script" -r "$root" -o "$out" -s tmc_etf0 -s tmc_etr0 2>"$work/err" || fail "exit code $?"
	has "$out/trace.ini" buffers=tmc_etf0,tmc_etr0
	has "$out/trace.ini" etm1=tmc_etf0
	has "$out/trace.ini" etm1=tmc_etr0
	[ ! -e "$out/kallsyms" ] || fail "addresses of zero were kept"
	grep -q kptr_restrict "$work/err" || fail "hidden addresses were not told"
	put "$root/proc/kallsyms" "ffffffc008000000 T _text"
	rm -r "$out"
	for args in "-s ../x" "-s tmc_none" "-p 1x" "-q" "extra"; do
		code=0
		# shellcheck disable=SC2086
		$shell "$script" -r "$root" -o "$out" $args 2>"$work/err" || code=$?
		[ $code -eq 2 ] || fail "'$args' gave exit code $code"
		[ ! -e "$out" ] || fail "'$args' left a directory"
	done
	$shell "$script" -h >"$work/help" || fail "-h failed"
	grep -q "^usage:" "$work/help" || fail "-h printed no usage"
}

tried=0
for shell in sh dash "busybox sh" bash; do
	command -v "${shell%% *}" >/dev/null || continue
	check_default
	check_choices
	tried=$((tried + 1))
done
[ $tried -gt 0 ]
echo "collect_sysfs: $tried shells"
