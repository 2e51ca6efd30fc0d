# SPDX-License-Identifier: Apache-2.0
# The completion scripts load, and complete what the table of options says.
. "$(dirname "$0")/lib.sh"

command -v bash > /dev/null || skip "no bash"
"$SIGHTLINE" completion bash > "$tmp/bash" || fail "completion bash"
bash -n "$tmp/bash" || fail "syntax of the bash script"

# complete WORD...: what bash would offer for the last of the words.
complete()
{
	command="completion of: $*"
	rc=0
	bash --norc -c '
		. "$1"
		shift
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_sightline
		printf "%s\n" "${COMPREPLY[@]}"
	' complete "$tmp/bash" "$@" > "$tmp/out" 2> "$tmp/err"
	paste -s -d ' ' "$tmp/out"
}

# expect_completion WANT WORD...
expect_completion()
{
	want=$1
	shift
	expect_equal "completion" "$(complete "$@")" "$want"
	[ ! -s "$tmp/err" ] || fail "bash said something"
}

expect_completion "info packets flow report compare merge graph events latency histogram export view check import completion help" sightline ""
expect_completion "report" sightline re
expect_completion "--sort" sightline report --so
expect_completion "text json csv" sightline report --format ""
expect_completion "json" sightline report --format j
expect_completion "json" sightline report --format = j
expect_completion "text json csv" sightline report --format =
expect_completion "insns" sightline flow x --clock i
expect_completion "opencsd fast" sightline check --against ""
expect_completion "bash zsh fish" sightline completion ""
expect_completion "report" sightline help rep
expect_completion "--reg --recursion --repairs" sightline report --re
expect_completion "" sightline report --limit ""
mkdir "$tmp/files"
: > "$tmp/files/a capture"
expect_completion "$tmp/files/a capture" sightline report "$tmp/files/a"
expect_completion "$tmp/files/a capture" sightline report --image "$tmp/files/a"
expect_completion "" sightline import -o "$tmp/files/a"

for name in info packets flow report graph events latency histogram export view check import; do
	"$SIGHTLINE" --list-options $name | cut -f 1 | sort > "$tmp/want"
	complete sightline $name -- > /dev/null
	sort "$tmp/out" | cmp -s - "$tmp/want" || fail "options of $name"
done

if command -v zsh > /dev/null; then
	"$SIGHTLINE" completion zsh > "$tmp/zsh"
	zsh -n "$tmp/zsh" || fail "syntax of the zsh script"
	zsh -f -c 'autoload -U compinit && compinit -D -u && . "$1" && [[ $_comps[sightline] == _sightline ]]' zsh "$tmp/zsh" ||
		fail "the zsh script does not load"
fi
if command -v fish > /dev/null; then
	"$SIGHTLINE" completion fish > "$tmp/fish"
	fish --no-execute "$tmp/fish" || fail "syntax of the fish script"
	HOME=$tmp fish -c "source $tmp/fish; complete -C 'sightline report --form'" | grep -q -e '--format' ||
		fail "fish does not complete --format"
fi
exit 0
