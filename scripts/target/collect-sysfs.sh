#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs on the target, after tracing through sysfs: collects the trace buffers, the registers that decode them, and the
# names of what ran into a snapshot directory for `sightline info DIR`. It enables, disables and configures nothing.
# Needs a POSIX shell, cat, cp, mkdir and readlink: dash, bash or busybox.
set -u

usage() {
	cat <<'USAGE'
usage: collect-sysfs.sh [-o DIR] [-s SINK]... [-p PID]... [-r ROOT] [-h]
Collects CoreSight trace that was made through sysfs into a snapshot directory.
  -o DIR   write to DIR, which must not exist yet (default: coresight-snapshot)
  -s SINK  read this sink, for example tmc_etr0 (default: every sink with enable_sink=1)
  -p PID   keep the memory map of this process too
  -r ROOT  look for /sys, /proc and /dev below ROOT (for tests)
  -h       print this
Run it while the sources are still enabled: a disabled one has given its trace id back.
USAGE
}

say() { echo "collect-sysfs: $*" >&2; }
die() {
	say "$*"
	exit 2
}

out=coresight-snapshot sinks='' pids='' root=''
while getopts o:s:p:r:h option; do
	case $option in
	o) out=$OPTARG ;;
	s) sinks="$sinks $OPTARG" ;;
	p) pids="$pids $OPTARG" ;;
	r) root=$OPTARG ;;
	h) usage && exit 0 ;;
	*) usage >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || die "unexpected argument '$1': see -h"

devices=$root/sys/bus/coresight/devices
[ -d "$devices" ] || die "$devices: no such directory: is CoreSight in this kernel, and /sys mounted?"
for name in $sinks; do
	case $name in
	*/*) die "sink '$name': expected a name below $devices" ;;
	esac
	[ -d "$devices/$name" ] || die "sink '$name': no such device below $devices"
done
for pid in $pids; do
	case $pid in
	*[!0-9]*) die "process '$pid': expected a number" ;;
	esac
done
mkdir "$out" || die "$out: cannot be made: name a directory that is not there yet"

# The first word of a file, or nothing where it cannot be read: some registers answer only while their unit is on.
value() {
	word=''
	[ -r "$1" ] && read -r word rest 2>/dev/null <"$1"
	echo "${word:-}"
}

# reg NAME FILE: a line of [regs] where the file tells.
reg() {
	got=$(value "$2")
	[ -n "$got" ] && echo "$1=$got"
}

# need FILE NAME...: complains of registers that an ini lacks.
need() {
	needy=$1
	shift
	for wanted in "$@"; do
		found=no
		while read -r line; do
			case $line in
			"$wanted="*) found=yes ;;
			esac
		done <"$out/$needy"
		[ $found = yes ] || say "$needy: $wanted cannot be read: add it by hand, or the source is not decoded"
	done
}

# The types that every reader of snapshots knows; others go by what is common to all cores of their kind.
core_type() {
	midr=$(value "$root/sys/devices/system/cpu/cpu$1/regs/identification/midr_el1")
	[ -n "$midr" ] || midr=$(midr_of_cpuinfo "$1")
	case $midr in
	*41[0-9a-fA-F]f[cC]05?) echo Cortex-A5 ;;
	*41[0-9a-fA-F]f[cC]07?) echo Cortex-A7 ;;
	*41[0-9a-fA-F]f[cC]08?) echo Cortex-A8 ;;
	*41[0-9a-fA-F]f[cC]09?) echo Cortex-A9 ;;
	*41[0-9a-fA-F]f[cC]0[eE]?) echo Cortex-A17 ;;
	*41[0-9a-fA-F]f[cC]0[fF]?) echo Cortex-A15 ;;
	*41[0-9a-fA-F]f[dD]03?) echo Cortex-A53 ;;
	*41[0-9a-fA-F]f[dD]04?) echo Cortex-A35 ;;
	*41[0-9a-fA-F]f[dD]05?) echo Cortex-A55 ;;
	*41[0-9a-fA-F]f[dD]07?) echo Cortex-A57 ;;
	*41[0-9a-fA-F]f[dD]08?) echo Cortex-A72 ;;
	*41[0-9a-fA-F]f[dD]09?) echo Cortex-A73 ;;
	*41[0-9a-fA-F]f[dD]0[aA]?) echo Cortex-A75 ;;
	*41[0-9a-fA-F]f[dD]0[bB]?) echo Cortex-A76 ;;
	*41[0-9a-fA-F]f[dD]0[dD]?) echo Cortex-A77 ;;
	*) echo "$2" ;;
	esac
}

# 32-bit kernels have no midr_el1: implementer and part of processor N as the register would show them.
midr_of_cpuinfo() {
	[ -r "$root/proc/cpuinfo" ] || return 0
	this='' implementer=''
	while IFS=: read -r key text; do
		text=${text# }
		case $key in
		processor*) this=$text ;;
		"CPU implementer"*) implementer=${text#0x} ;;
		"CPU part"*) [ "$this" = "$1" ] && echo "${implementer}0f${text#0x}0" ;;
		esac
	done <"$root/proc/cpuinfo"
}

# Everything that a device shows, for people: name and value a line.
list_device() {
	for file in "$1"/* "$1"/mgmt/* "$1"/trcidr/* "$1"/reset; do
		[ -f "$file" ] && [ -r "$file" ] && echo "${file#"$1"/} $(value "$file")"
	done >"$out/sysfs-${1##*/}.txt"
}

# etm4_ini DEVICE NAME: ETMv4 or ETE. TRCDEVARCH tells them apart, for not every kernel names them apart.
etm4_ini() {
	type=ETM4
	arch=$(value "$1/mgmt/trcdevarch")
	if [ -n "$arch" ]; then
		[ $((arch & 0xffff)) -eq $((0x5a13)) ] && type=ETE
	else
		case $2 in
		ete*) type=ETE ;;
		esac
	fi
	printf '[device]\nname=%s\nclass=trace_source\ntype=%s\n\n[regs]\n' "$2" $type
	reg TRCCONFIGR "$1/mgmt/trcconfig"
	reg TRCTRACEIDR "$1/mgmt/trctraceid"
	reg TRCAUTHSTATUS "$1/mgmt/trcauthstatus"
	reg TRCDEVARCH "$1/mgmt/trcdevarch"
	reg TRCCCCTLR "$1/cyc_threshold"
	for n in 0 1 2 8 9 10 11 12 13; do
		reg TRCIDR$n "$1/trcidr/trcidr$n"
	done
	return 0
}

# etm3_ini DEVICE NAME: ETMv3 or PTM, which ETMIDR tells apart.
etm3_ini() {
	type=ETM3.5
	id=$(value "$1/mgmt/etmidr")
	[ -n "$id" ] && [ $((id >> 8 & 15)) -eq 3 ] && type=PTM1.1
	printf '[device]\nname=%s\nclass=trace_source\ntype=%s\n\n[regs]\n' "$2" $type
	reg ETMCR "$1/mgmt/etmcr"
	reg ETMIDR "$1/mgmt/etmidr"
	reg ETMCCER "$1/mgmt/etmccer"
	reg ETMTRACEIDR "$1/mgmt/etmtraceidr"
	return 0
}

# stm_ini DEVICE NAME: the trace id is part of STMTCSR, but kernels show it in a file of its own too.
stm_ini() {
	tcsr=$(value "$1/mgmt/tcsr")
	id=$(value "$1/traceid")
	printf '[device]\nname=%s\nclass=trace_source\ntype=STM\n\n[regs]\n' "$2"
	if [ -n "$tcsr" ] && [ -n "$id" ] && [ $((tcsr >> 16 & 127)) -eq 0 ]; then
		printf 'STMTCSR=0x%08x\n' $((tcsr | id << 16))
	elif [ -n "$tcsr" ]; then
		echo "STMTCSR=$tcsr"
	fi
	return 0
}

core_ini() {
	printf '[device]\nname=cpu_%s\nclass=core\ntype=%s\n' "$1" "$2" >"$out/cpu_$1.ini"
	device_list="$device_list cpu_$1.ini"
}

# add_etm DEVICE
add_etm() {
	name=${1##*/}
	cpu=$(value "$1/cpu")
	case $cpu in
	'' | *[!0-9]*)
		say "$name: its cpu is not told: taken for cpu $next_cpu"
		cpu=$next_cpu
		;;
	esac
	next_cpu=$((cpu + 1))
	ini=etm_$cpu.ini
	if [ -e "$1/mgmt/etmcr" ] || [ -e "$1/mgmt/etmidr" ]; then
		etm3_ini "$1" "$name" >"$out/$ini"
		need "$ini" ETMCR ETMIDR ETMCCER ETMTRACEIDR
		core_ini "$cpu" "$(core_type "$cpu" ARMv7-A)"
	else
		etm4_ini "$1" "$name" >"$out/$ini"
		need "$ini" TRCCONFIGR TRCTRACEIDR TRCIDR0 TRCIDR2
		core_ini "$cpu" "$(core_type "$cpu" ARM-AA64)"
	fi
	device_list="$device_list $ini"
	source_list="$source_list $name"
	core_sources="$core_sources cpu_$cpu=$name"
}

add_stm() {
	name=${1##*/}
	stm_ini "$1" "$name" >"$out/stm_$stm_count.ini"
	need "stm_$stm_count.ini" STMTCSR
	device_list="$device_list stm_$stm_count.ini"
	source_list="$source_list $name"
	stm_count=$((stm_count + 1))
}

# Enabled sources, or all trace units where none is: then at least their registers are kept.
any_enabled=no
for device in "$devices"/*; do
	[ "$(value "$device/enable_source")" = 1 ] && any_enabled=yes
done
[ $any_enabled = yes ] || say "no source is enabled, so trace ids may be gone: run this before disabling them"

device_list='' source_list='' core_sources='' next_cpu=0 stm_count=0
for device in "$devices"/*; do
	case ${device##*/} in
	etm* | ete* | ptm* | *.etm | *.ptm)
		list_device "$device"
		if [ $any_enabled = no ] || [ "$(value "$device/enable_source")" = 1 ]; then
			add_etm "$device"
		fi
		;;
	stm* | *.stm)
		list_device "$device"
		[ "$(value "$device/enable_source")" = 1 ] && add_stm "$device"
		;;
	tmc_* | etb* | trbe* | *.etf | *.etb | *.etr)
		list_device "$device"
		;;
	esac
done
[ -n "$source_list" ] || say "no trace source found below $devices"

# The sinks last: reading one may stop it, and with it the sources.
if [ -z "$sinks" ]; then
	for device in "$devices"/*; do
		[ "$(value "$device/enable_sink")" = 1 ] && sinks="$sinks ${device##*/}"
	done
fi
buffer_list=''
for name in $sinks; do
	if cat "$root/dev/$name" >"$out/$name.bin"; then
		[ -s "$out/$name.bin" ] || say "$name: is empty: nothing was traced into it"
		buffer_list="$buffer_list $name"
	else
		say "$name: /dev/$name cannot be read: its trace is missing"
		rm -f "$out/$name.bin"
	fi
done
[ -n "$buffer_list" ] || say "no sink was read: enable one, or name it with -s"

{
	printf '[trace_buffers]\nbuffers='
	comma=''
	for name in $buffer_list; do
		printf '%s%s' "$comma" "$name"
		comma=,
	done
	echo
	for name in $buffer_list; do
		printf '\n[%s]\nname=%s\nfile=%s.bin\nformat=coresight\n' "$name" "$name" "$name"
	done
	# Which source ends in which sink is not told: with several sinks each source is looked for in each.
	printf '\n[source_buffers]\n'
	for source in $source_list; do
		for name in $buffer_list; do
			echo "$source=$name"
		done
	done
	printf '\n[core_trace_sources]\n'
	for pair in $core_sources; do
		echo "$pair"
	done
} >"$out/trace.ini"

# keep FILE NAME: a copy where it can be read. cat, because files of /proc have no size.
keep() {
	[ -r "$root$1" ] || return 1
	cat "$root$1" >"$out/$2" 2>/dev/null || return 1
	[ -s "$out/$2" ] || { rm -f "$out/$2" && return 1; }
}

# Addresses are all zero where kernel.kptr_restrict hides them: such a list would name everything wrongly.
keep_kallsyms() {
	[ -r "$root/proc/kallsyms" ] || return 1
	while read -r address rest; do
		case $address in
		*[1-9a-fA-F]*)
			keep /proc/kallsyms kallsyms
			return
			;;
		esac
	done <"$root/proc/kallsyms"
	return 1
}

keep_kallsyms || say "kallsyms tells no addresses: run as root, with sysctl kernel.kptr_restrict=0"
keep /proc/modules modules.txt
keep /proc/iomem iomem.txt
keep /proc/version version.txt
keep /proc/cmdline cmdline.txt
keep /proc/cpuinfo cpuinfo.txt
keep /sys/kernel/notes kernel-notes.bin || say "/sys/kernel/notes cannot be read: the kernel's build id is not kept"
keep /proc/config.gz kernel-config.gz || keep "/boot/config-$(uname -r)" kernel-config.txt
for module in "$root"/sys/module/*/notes/.note.gnu.build-id; do
	[ -r "$module" ] || continue
	name=${module#"$root"/sys/module/}
	keep "${module#"$root"}" "module-${name%%/*}-build-id.bin"
done
for pid in $pids; do
	keep "/proc/$pid/maps" "maps-$pid.txt" || say "process $pid: its map cannot be read"
	keep "/proc/$pid/comm" "comm-$pid.txt"
done

{
	printf '[snapshot]\nversion=1.0\ndescription=Collected through sysfs\n\n[device_list]\n'
	n=0
	for ini in $device_list; do
		echo "device$n=$ini"
		n=$((n + 1))
	done
	printf '\n[trace]\nmetadata=trace.ini\n'
} >"$out/snapshot.ini"
say "wrote $out"
[ -n "$source_list" ] && [ -n "$buffer_list" ] || exit 1
exit 0
