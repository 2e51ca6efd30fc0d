# SPDX-License-Identifier: Apache-2.0
# export: every format is read back by a reader that knows nothing of how it was written; its sums are report's.
. "$(dirname "$0")/lib.sh"
demo=$SL_SOURCE_DIR/fixtures/demo
need_small

# What report says on an axis, once each.
for case in small:cycles small:insns demo:time demo:insns; do
	capture=$SL_SOURCE_DIR/fixtures/${case%:*}
	"$SIGHTLINE" report "$capture" --quiet --format csv --fields all --clock ${case#*:} -o "$tmp/$case.csv" || fail "report"
	"$SIGHTLINE" export "$capture" --quiet -f csv --clock ${case#*:} -o "$tmp/$case.calls.csv" || fail "export"
done

# written FORMAT CAPTURE:AXIS: into $tmp/file
written()
{
	rm -rf "$tmp/file"
	run export "$SL_SOURCE_DIR/fixtures/${2%:*}" -f "$1" --clock "${2#*:}" -o "$tmp/file"
	expect_rc 0
	expect_out
	expect_err
}

read_back()
{
	python3 "$(dirname "$0")/export_reader.py" "$@" > "$tmp/difference" || fail "$1: $(cat "$tmp/difference")"
}

# has PROGRAM: where it is missing, what it reads is not tested, which is said.
has()
{
	command -v "$1" > /dev/null && return
	echo "not tested: no $1"
	return 1
}

# checked FORMAT CAPTURE:AXIS...
checked()
{
	format=$1
	shift
	for case; do
		written "$format" "$case"
		read_back "$format" "$tmp/file" "$tmp/$case.csv" "$tmp/$case.calls.csv"
	done
}

checked csv small:cycles demo:time demo:insns
checked json small:cycles demo:time
checked chrome small:cycles demo:time demo:insns
checked speedscope small:cycles demo:time demo:insns
has protoc && checked perfetto small:cycles small:insns demo:time

checked folded small:cycles demo:time demo:insns
checked flamegraph small:insns demo:time
checked pprof small:cycles demo:time
has callgrind_annotate && checked callgrind small:cycles small:insns demo:time
if has node; then
	written flamegraph demo:insns
	node "$(dirname "$0")/flamegraph_run.js" "$tmp/file" > "$tmp/script" 2>&1 || fail "the script: $(cat "$tmp/script")"
	grep -qE '^frames [0-9]{2,}, zoomed [0-9]+, found .*: [0-9,]+ insns, [0-9.]+ %$' "$tmp/script" || fail "$(cat "$tmp/script")"
fi
# Lines, branches, instructions: held against the list of ranges, and another reader of line tables.
for case in small:insns demo:insns; do
	elf=$SL_SOURCE_DIR/fixtures/${case%:*}/demo.elf
	"$SIGHTLINE" flow "${elf%/*}" --quiet --ranges -o "$tmp/ranges" || fail "flow"
	for format in lcov autofdo; do
		has llvm-addr2line || break
		written $format $case
		read_back $format "$tmp/file" "$tmp/$case.csv" "$tmp/$case.calls.csv" "$tmp/ranges" "$elf"
		cp "$tmp/file" "$tmp/$format"
	done
done
if has genhtml; then
	genhtml --quiet --branch-coverage --ignore-errors source -o "$tmp/html" "$tmp/lcov" > "$tmp/genhtml" 2>&1 || fail "$(cat "$tmp/genhtml")"
	grep -q "controller.c" "$tmp/html/machine/index.html" || fail "genhtml shows no file"
fi
# create_llvm_prof 0.19 reads DWARF 4, which the demo has not: it is compiled anew, to the same code.
if has create_llvm_prof && has aarch64-linux-gnu-gcc; then
	guest=$SL_SOURCE_DIR/fixtures/guest/machine
	free="-ffreestanding -nostdlib -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fno-ident"
	for source in start.S kernel.c queue.c controller.c workers.c lib.c; do
		# shellcheck disable=SC2086 # flags are words
		aarch64-linux-gnu-gcc $free -gdwarf-4 -O1 -foptimize-sibling-calls -march=armv8-a -mgeneral-regs-only -mstrict-align \
			-c "$guest/$source" -o "$tmp/${source%.*}.o" || fail "$source cannot be compiled"
	done
	(cd "$tmp" && aarch64-linux-gnu-gcc -nostdlib -static -no-pie -Wl,-n -Wl,--build-id=sha1 -Wl,-T,"$guest/link.ld" \
		start.o kernel.o queue.o controller.o workers.o lib.o -o again.elf) || fail "the demo cannot be linked"
	aarch64-linux-gnu-objcopy -O binary -j .text "$tmp/again.elf" "$tmp/again.text"
	aarch64-linux-gnu-objcopy -O binary -j .text "$demo/demo.elf" "$tmp/demo.text"
	if cmp -s "$tmp/again.text" "$tmp/demo.text"; then
		create_llvm_prof -profiler text -profile "$tmp/autofdo" -binary "$tmp/again.elf" -format text -out "$tmp/file" \
			> "$tmp/log" 2>&1 || fail "create_llvm_prof: $(cat "$tmp/log")"
		read_back llvm_prof "$tmp/file" "$tmp/demo:insns.csv"
	else
		echo "not tested: another compiler makes other code"
	fi
fi
run export "$demo" -f folded --by task --levels apart
expect_rc 0
expect_out_has "[task "
run export "$small" -f csv --by task
expect_rc 2
expect_err_has "--by and --levels are for calls by path"

# The same bytes for any number of jobs, and on standard output.
written chrome demo:time
run export "$demo" -f chrome --clock time -j 1 --block-bytes 1000
expect_rc 0
cmp -s "$tmp/file" "$tmp/out" || fail "the bytes depend on how it is decoded"

for format in perfetto speedscope; do
	written $format demo:cycles
	run export "$demo" -f $format --clock cycles -j 1 --block-bytes 1000
	cmp -s "$tmp/file" "$tmp/out" || fail "$format: the bytes depend on how it is decoded"
done

# A filter leaves calls out, and not their numbers.
run export "$small" -f csv --function memcpy --clock insns
expect_rc 0
"$SIGHTLINE" report "$small" --quiet --format csv --fields all --clock insns --function memcpy -o "$tmp/memcpy.csv"
cp "$tmp/out" "$tmp/file"
read_back csv "$tmp/file" "$tmp/memcpy.csv"
run export "$small" -f csv --function nosuch
expect_rc 1
expect_err_has "nothing was exported: no call matches --function or --module"

# The file is served once, to who asks this machine for it; nobody else gets anything.
if has curl; then
	written perfetto small:cycles
	"$SIGHTLINE" export "$small" --quiet -f perfetto --clock cycles --open --port 0 > "$tmp/link" 2> "$tmp/err" &
	server=$!
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ -s "$tmp/link" ] && break
		sleep 1
	done
	url=$(sed 's/.*url=//' "$tmp/link")
	case $(cat "$tmp/link") in
	"https://ui.perfetto.dev/#!/?url=http://127.0.0.1:"*"/trace.pftrace") ;;
	*) fail "the link is '$(cat "$tmp/link")'" ;;
	esac
	status() { curl -s -o "$tmp/served" -w '%{http_code}' "$@"; }
	expect_equal "another name" "$(status "${url%/*}/etc/passwd")" 404
	expect_equal "a way up" "$(status --path-as-is "${url%/*}/../../etc/passwd")" 404
	expect_equal "another host" "$(status -H 'Host: evil.example' "$url")" 403
	expect_equal "another method" "$(status -X POST -d x "$url")" 405
	expect_equal "a preflight" "$(status -X OPTIONS "$url")" 204
	curl -s -I "$url" | tr -d '\r' > "$tmp/head"
	grep -qx "Access-Control-Allow-Origin: https://ui.perfetto.dev" "$tmp/head" || fail "CORS: $(cat "$tmp/head")"
	expect_equal "the file" "$(status "$url")" 200
	cmp -s "$tmp/served" "$tmp/file" || fail "what was served is not the file"
	wait $server
	expect_equal "exit code of the server" $? 0
fi
run export "$small" -f csv --open
expect_rc 2
expect_err_has "--open is for -f perfetto"

run export "$small"
expect_rc 2
expect_out
expect_err "sightline: export: give the format with -f NAME
try 'sightline export -h'"
run export "$small" -f xml
expect_rc 2
expect_err_has "option '--format': 'xml' is none of perfetto, chrome, "
run export "$small" -f chrome -o "$tmp/none/file"
expect_rc 2
expect_err_has "cannot write $tmp/none/file"
if [ -w /dev/full ]; then
	run export "$demo" -f chrome -o /dev/full
	expect_rc 2
	expect_err_has "cannot write /dev/full"
fi
run export "$small" -f chrome --clock time --freq 0
expect_rc 2
exit 0
