#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bundled.sh GEN_CHECK: the captures of fixtures/ decode to exactly what ran, and sightline report says of every function what truth/ says. Needs
# neither QEMU nor compilers.
set -eu
check=$1
cd "$SL_SOURCE_DIR/fixtures"
for functions in */truth/functions.tsv */*/truth/functions.tsv; do
	truth=${functions%/*}
	capture=${truth%/truth}
	case $capture in
	*-ipt)
		result=0
		"$check" --ipt "$capture" "$truth" || result=$?
		[ $result = 0 ] || [ $result = 77 ] || { echo "FAIL: $capture"; exit 1; }
		;;
	*)
		"$check" "$capture" "$truth" || { echo "FAIL: $capture"; exit 1; }
		python3 -B "$SL_SOURCE_DIR/tests/generator/report_truth.py" --known "$capture" "$capture" "$truth"
		;;
	esac
done
