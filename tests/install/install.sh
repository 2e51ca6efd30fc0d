#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into a DESTDIR, and builds and runs a small program with what lies there, shared and static.
set -eu
if [ -n "${SL_SANITIZE:-}" ]; then
	echo "skipped: a sanitizer build is not installed"
	exit 77
fi
dest=$(mktemp -d)
trap 'rm -rf "$dest"' EXIT
DESTDIR=$dest cmake --install "$SL_BINARY_DIR" >"$dest/log"

fail() {
	echo "FAILED: $*"
	exit 1
}
pc=$(find "$dest" -name sightline.pc)
export PKG_CONFIG_PATH="${pc%/*}"
prefix=$dest/usr/local
lib=$(pkg-config --variable=libdir sightline)
"$prefix/bin/sightline" --version >/dev/null || fail "the installed program does not run"
[ -f "$prefix/share/man/man1/sightline.1" ] || fail "no man page"

expected="$(sed -n 's/.*define SL_VERSION "\(.*\)"/\1/p' "$SL_SOURCE_DIR/base/sl_base.h") snapshot 1"
cc=${CC:-gcc}
# shellcheck disable=SC2046 # the flags are words
$cc -std=c11 -Wall -Wextra -Wpedantic -Werror -o "$dest/shared" "$SL_SOURCE_DIR/tests/install/consumer.c" \
	$(pkg-config --cflags --libs sightline)
[ "$(LD_LIBRARY_PATH=$lib "$dest/shared" "$SL_SOURCE_DIR/fixtures/small")" = "$expected" ] || fail "shared: $expected"
mkdir "$dest/archive"
cp "$lib/libsightline.a" "$dest/archive"
# shellcheck disable=SC2046
$cc -std=c11 -o "$dest/static" "$SL_SOURCE_DIR/tests/install/consumer.c" -L"$dest/archive" \
	$(pkg-config --static --cflags --libs sightline | sed "s,-L$lib,,")
[ "$("$dest/static" "$SL_SOURCE_DIR/fixtures/small")" = "$expected" ] || fail "static: $expected"

foreign=$(nm -D --defined-only "$lib/libsightline.so" | awk '{ print $3 }' | grep -v '^sl_' || true)
[ -z "$foreign" ] || fail "libsightline.so exports" $foreign
for header in "$prefix/include/sightline"/*.h; do
	echo "#include <${header##*/}>" | $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -xc \
		$(pkg-config --cflags sightline) - || fail "${header##*/} does not stand alone"
done

if command -v dpkg-shlibdeps >/dev/null; then
	# With this generator cpack does not build first: a test must not.
	(cd "$SL_BINARY_DIR" && cpack -D CPACK_CMAKE_GENERATOR=Ninja -B "$dest/deb") >"$dest/log" 2>&1 || { cat "$dest/log"; fail "cpack"; }
	dpkg-deb -c "$dest"/deb/*.deb >"$dest/contents"
	grep -q '/usr/bin/sightline$' "$dest/contents" || fail "no program in the .deb"
	dpkg-deb -f "$dest"/deb/*.deb Depends | grep -q libopencsd || fail "the .deb does not depend on libopencsd"
else
	echo "cpack not tested: no dpkg-shlibdeps (apt-get install dpkg-dev)"
fi
