#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# robust.sh PROGRAM [OPTIONS]: runs it on the snapshots of fixtures/ and of ../shared/captures (SIGHTLINE_SHARED).
set -eu
program=$1
shift
shared=${SIGHTLINE_SHARED:-$SL_SOURCE_DIR/../shared}
set -- "$@" $(find "$SL_SOURCE_DIR/fixtures" "$shared/captures" -name snapshot.ini 2>/dev/null | sort | sed 's,/snapshot.ini$,,')
exec "$program" "$@"
