# SPDX-License-Identifier: Apache-2.0
# A perf.data as capture: --symfs, standard input, the directory form, what info says of it, and what is refused.
. "$(dirname "$0")/lib.sh"
need_small
perf=$SL_SOURCE_DIR/fixtures/corpus/perf_capture/whole
HOME=$tmp/home
export HOME

run report "$perf" --symfs "$small" --limit 1 --fields function,module,calls,self_insns --table functions
expect_rc 0
expect_out_has 'fib       demo.elf    126       2,909'
cp "$tmp/out" "$tmp/report"

# Without the files: exit code 1, and what was looked for.
run report "$perf" --quiet
expect_rc 1
expect_out
expect_err_has 'nothing could be decoded: only gaps by no image'
expect_err_has '; not read: /target/demo.elf (--symfs DIR finds copies of them in DIR)'
run info "$perf" --table images
expect_rc 0
expect_out_has '/target/demo.elf  prog (4242)  0x40080000  0x40082000     no'

run info "$perf" --symfs "$small" --table recording
expect_rc 0
expect_out_has '5.15.0'
expect_out_has ' per thread'
expect_out_has '2400 bytes, pieces 1'

# Offsets of notes are of a file that is named once, before them.
head -c 3000 "$perf" > "$tmp/cut"
run info "$tmp/cut" --table advice --format csv
expect_rc 0
expect_out_has "/cut: the offsets below are those of this file"
expect_out_has 'thread 4242: 328 bytes of trace are not in the file (AUX records: 1, the first at offset 0x330)'
expect_equal "lines that name the file of the offsets" "$(grep -c 'the offsets below' "$tmp/out")" 1

# Who was recorded, and what is to be done better.
run info "$perf" --symfs "$small" --table processes --format csv
expect_rc 0
expect_out_has '4242,prog,1,1,1,0,0,'
run info "$perf" --table processes --format csv
expect_out_has '4242,prog,1,1,0,1,0,'
run info "$perf" --symfs "$small" --table cpus --format json
expect_rc 0
expect_out_has '"id":"0x10","id_from":"HW_ID record","sink":"0x1234","aux_bytes":2400,"pieces":1'
run info "$perf" --symfs "$small" --table verdict
expect_out_has 'decodes: '
run info "$perf" --table verdict
expect_out_has 'does not decode: none of the trace bytes lead to instructions'
expect_out_has '(most for /target/demo.elf)'
run info "$perf" --table next_recording --format csv
expect_rc 0
expect_out_has 'topic,advice'
for table in recording cpus processes next_recording; do
	run info "$small" --table "$table"
	expect_rc 1
	expect_out
	expect_err "sightline: $small: a snapshot has no table '$table': only a perf.data tells how it was recorded"
done

# Other forms of the same recording.
mkdir "$tmp/perf.data"
cp "$perf" "$tmp/perf.data/data"
run report "$tmp/perf.data" --symfs "$small" --limit 1 --fields function,module,calls,self_insns --table functions
expect_rc 0
cmp -s "$tmp/out" "$tmp/report" || fail "the directory form should give the file's report"
command="sightline report - < $perf"
"$SIGHTLINE" report - --symfs "$small" --limit 1 --fields function,module,calls,self_insns --table functions \
	< "$perf" > "$tmp/out" 2> "$tmp/err"
rc=$?
expect_rc 0
cmp -s "$tmp/out" "$tmp/report" || fail "standard input should give the file's report"

# Code without a file: names of it, and what to do about it.
run info "$SL_SOURCE_DIR/fixtures/corpus/perf_capture/names" --table images
expect_rc 0
expect_out_has 'BPF program bpf_a: its code is not in the recording; record with perf record --kcore'
run info "$SL_SOURCE_DIR/fixtures/corpus/perf_capture/names" --table advice
expect_out_has '/tmp/jit-100.dump: the code that process 100 compiled is not here'

# No perf.data, and one that is not imported.
printf 'PERFILE2' > "$tmp/short"
run info "$tmp/short"
expect_rc 2
expect_err_has "sightline: $tmp/short"
run info -
expect_rc 2
expect_err_has 'is no perf.data'
run import "$perf" -o "$tmp/snapshot"
expect_rc 2
expect_err_has 'a perf.data describes itself and is not imported'
