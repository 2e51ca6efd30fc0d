# SPDX-License-Identifier: Apache-2.0
# The manual pages and the table of options say the same: each option is in the page of each command that takes it, with
# its letter and argument, and no page has another.
. "$(dirname "$0")/lib.sh"
man=$SL_SOURCE_DIR/docs/man

# A page with its parts put in.
whole()
{
	while IFS= read -r line; do
		case $line in
		@*@)
			part=$(echo "$line" | tr -d @ | tr 'A-Z_' 'a-z-')
			cat "$man/parts/$part.scd" || fail "$1 wants a part that is not there"
			;;
		*) printf '%s\n' "$line" ;;
		esac
	done < "$1"
}

for name in "" info packets flow report merge compare graph latency histogram export view check import; do
	page=$man/sightline${name:+-$name}.1.scd
	whole "$page" > "$tmp/page"
	# *-o* _FILE_, *--output* _FILE_ -> --output<TAB>-o<TAB>FILE
	grep '^\*-' "$tmp/page" | tr -d '*_' | awk '{
		letter = ""; at = 1
		if ($1 ~ /^-[a-z],?$/) { letter = substr($1, 1, 2); at = ($1 ~ /,$/) ? 2 : 3 }
		print $at "\t" letter "\t" $(at + 1)
	}' | sort > "$tmp/in_page"
	run --list-options "$name"
	expect_rc 0
	cut -f 1-3 "$tmp/out" | sort > "$tmp/in_table"
	diff "$tmp/in_page" "$tmp/in_table" > "$tmp/diff" ||
		fail "$page (<) and the table of options (>) differ: $(grep '^[<>]' "$tmp/diff" | paste -s -d ';')"
	grep -q "^# NAME" "$tmp/page" || fail "$page has no NAME"
	if command -v scdoc > /dev/null; then
		scdoc < "$tmp/page" > /dev/null || fail "scdoc does not take $page"
	fi
done

# What a page says of choices must be what the parser takes.
for choice in $("$SIGHTLINE" info --format x 2>&1 x | sed -n "s/.* none of //p" | tr -d ,); do
	grep -q "\*$choice\*" "$man/parts/output-options.scd" || fail "--format $choice is not in the manual"
done
for choice in $("$SIGHTLINE" info --table x x 2>&1 | sed -n "s/.* none of //p" | tr -d ,); do
	grep -q "\*$choice\*" "$man/sightline-info.1.scd" || fail "--table $choice is not in the manual"
done
for choice in $("$SIGHTLINE" check --against x x 2>&1 | sed -n "s/.* none of //p" | tr -d ,) \
	$("$SIGHTLINE" check --table x x 2>&1 | sed -n "s/.* none of //p" | tr -d ,); do
	grep -q "[*_]$choice[*_]" "$man/sightline-check.1.scd" || fail "$choice is not in the manual of check"
done
for choice in $("$SIGHTLINE" info --framing x x 2>&1 | sed -n "s/.* none of //p" | tr -d ,); do
	grep -q "\*$choice\*" "$man/parts/capture-options.scd" || fail "--framing $choice is not in the manual"
done
for choice in $("$SIGHTLINE" export -f x x 2>&1 | sed -n "s/.* none of //p" | tr -d ,); do
	grep -q "\*$choice\*" "$man/sightline-export.1.scd" || fail "export --format $choice is not in the manual"
done
