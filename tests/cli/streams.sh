# SPDX-License-Identifier: Apache-2.0
# Data on standard output, all else on standard error; full disks, closed pipes and files.
. "$(dirname "$0")/lib.sh"
need_small

# What can be decoded without loss leaves standard error empty.
for name in info packets flow "report --clock insns" graph "flow --ranges" "flow --elements"; do
	# shellcheck disable=SC2086
	run $name "$small"
	expect_rc 0
	expect_err
	[ -s "$tmp/out" ] || fail "no output"
	cp "$tmp/out" "$tmp/plain"

	# -o gets the same bytes.
	# shellcheck disable=SC2086
	run $name "$small" -o "$tmp/file"
	expect_rc 0
	expect_out
	expect_err
	cmp -s "$tmp/file" "$tmp/plain" || fail "-o wrote something else"

	[ -w /dev/full ] || continue
	command="sightline $name $small > /dev/full"
	# shellcheck disable=SC2086
	"$SIGHTLINE" $name "$small" > /dev/full 2> "$tmp/err" < /dev/null
	rc=$?
	: > "$tmp/out"
	expect_rc 2
	expect_err "sightline: cannot write standard output: No space left on device"
	# shellcheck disable=SC2086
	run $name "$small" -o /dev/full
	expect_rc 2
	expect_err "sightline: cannot write /dev/full: No space left on device"
done
for arguments in "report --help" "--version" "completion bash" "--list-options flow" "report --fields help"; do
	[ -w /dev/full ] || continue
	# shellcheck disable=SC2086
	"$SIGHTLINE" $arguments > /dev/full 2> "$tmp/err" < /dev/null
	rc=$?
	command="sightline $arguments > /dev/full"
	: > "$tmp/out"
	expect_rc 2
	expect_err "sightline: cannot write standard output: No space left on device"
done

# A reader that leaves: quiet, whether the signal is there or not.
command="sightline flow | head -1"
{ "$SIGHTLINE" flow "$small" --elements 2> "$tmp/err"; echo $? > "$tmp/rc"; } | head -1 > "$tmp/out"
rc=$(cat "$tmp/rc")
[ "$rc" -eq 141 ] || [ "$rc" -eq 0 ] || fail "a closed pipe"
expect_err
python3 - "$SIGHTLINE" "$small" <<'END' || fail "a closed pipe without SIGPIPE"
import subprocess, sys
child = subprocess.Popen([sys.argv[1], "flow", sys.argv[2], "--elements"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, restore_signals=False)
child.stdout.readline()
child.stdout.close()
error = child.stderr.read()
if child.wait() or error:
    sys.exit(f"exit code {child.returncode}, {error}")
END

# Files that must not be touched.
mkdir "$tmp/copy"
cp "$small"/* "$tmp/copy/"
cp "$tmp/copy/snapshot.ini" "$tmp/before"
run report "$tmp/copy/snapshot.ini" -o "$tmp/copy/snapshot.ini"
expect_rc 2
expect_err "sightline: $tmp/copy/snapshot.ini: is the capture itself: give -o another file"
cmp -s "$tmp/before" "$tmp/copy/snapshot.ini" || fail "the capture was changed"
run report "$small" -o "$tmp/no/such/file"
expect_rc 2
expect_err "sightline: cannot write $tmp/no/such/file: No such file or directory"
echo precious > "$tmp/file"
run report "$tmp/nothing" -o "$tmp/file"
expect_rc 2
expect_equal "the file of a failed command" "$(cat "$tmp/file")" precious
