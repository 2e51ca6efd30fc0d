# SPDX-License-Identifier: Apache-2.0
# report --save and merge: a kept profile has the numbers that report says, and several add up.
. "$(dirname "$0")/lib.sh"
need_small

cat > "$tmp/rows.py" <<'END'
# Functions of a profile by the document of its format, in instructions: name, calls, total, self, shortest, longest call.
import json, lzma, sys
profile = json.load(lzma.open(sys.argv[1]))
strings = profile["strings"]

def rows(table, steps=()):
    columns = profile[table]
    count = len(next(iter(columns.values())))
    result = [dict.fromkeys(("function", "axis", "min", "max", "sum", "calls", "calls_no_exit", "self_insns", "total_insns", "kind", "what", "calls_no_entry", "calls_neither", "rest"), 0) for _ in range(count)]
    for name, values in columns.items():
        before = 0
        for row, value in zip(result, values):
            before = row[name] = value + (before if name in steps else 0)
    return result

functions = rows("functions", ("name", "module"))
ratios = {None: [0, 0]}
for node in rows("nodes"):
    what = node["what"] if node["kind"] == 2 else -1
    own, calls = ratios.setdefault(what, [0, 0]), node["calls"] + node["calls_no_entry"] + node["calls_no_exit"] + node["calls_neither"]
    insns, by = own if own[1] else ratios[None]
    node["self_insns"] += calls * insns // by if by else 0
    for ratio in own, ratios[None]:
        ratio[0] += node["self_insns"]
        ratio[1] += calls
    if node["kind"] == 2:
        f = functions[node["what"]]
        for column in ("calls", "calls_no_exit", "self_insns"):
            f[column] += node[column]
classes = iter(rows("classes"))

def least(number):
    shift = max(0, (number >> 6) - 1)
    return number - (shift << 6) << shift

for d in rows("durations", ("function",)):
    values, at = [], 0
    for _ in range(d["classes"]):
        c = next(classes)
        at += c["step"]
        values.append((least(at) + c["rest"], c["count"]))
    if d["axis"] == 0:
        f = functions[d["function"]]
        f["min"] = d["min"] + (values[0][0] if values else 2**64 - 1)
        f["max"] = d["max"] + (values[-1][0] if values else 0)
        f["total_insns"] += d["sum"] + sum(v * n for v, n in values)
        f["known"] = True
for f in functions:
    calls = f["calls"] + f["calls_no_exit"]
    known = "known" in f
    row = [strings[f["name"]], calls, f["total_insns"], f["self_insns"], f["min"] if known else "", f["max"] if known else ""]
    if calls or f["self_insns"]:
        print(",".join(map(str, row)))
END

run report "$small" --save "$tmp/a.slp" --format csv --clock insns --fields function,calls,total,self,min,max
expect_rc 0
sed 1d "$tmp/out" | tr -d '\r' | sort > "$tmp/report"
python3 "$tmp/rows.py" "$tmp/a.slp" | sort > "$tmp/profile"
cmp -s "$tmp/report" "$tmp/profile" || fail "profile and report differ: $(diff "$tmp/report" "$tmp/profile" | head -5)"

# The same bytes, and whatever is shown.
run report "$small" --clock insns --by module --save "$tmp/b.slp" --jobs 2 --block-bytes 999
cmp -s "$tmp/a.slp" "$tmp/b.slp" || fail "profiles of one capture differ"

run merge "$tmp/a.slp" "$tmp/b.slp" -o "$tmp/c.slp"
expect_rc 0
expect_out
expect_err
python3 "$tmp/rows.py" "$tmp/c.slp" | awk -F , '{ print $1 "," $2 / 2 "," $3 / 2 "," $4 / 2 "," $5 "," $6 }' | sort > "$tmp/half"
awk -F , '{ print $1 "," $2 "," $3 "," $4 "," $5 "," $6 }' "$tmp/profile" | cmp -s - "$tmp/half" || fail "merged with itself: not twice as much"
run merge "$tmp/c.slp" "$tmp/a.slp" "$tmp/a.slp" -o "$tmp/c.slp"
expect_rc 0

# What cannot be.
run report "$small" --function 'f*' --save "$tmp/f.slp"
run merge "$tmp/a.slp" "$tmp/f.slp" -o "$tmp/x.slp"
expect_rc 2
expect_err "sightline: $tmp/f.slp: was made with other options (--function f*) than what it is merged with (): make both alike"
xz -dc "$tmp/a.slp" | sed 's,sightline.profile/2,sightline.profile/1,' | gzip > "$tmp/old.slp"
run merge "$tmp/a.slp" "$tmp/old.slp" -o "$tmp/x.slp"
expect_rc 2
expect_err "sightline: $tmp/old.slp: is a profile of version 1, and this sightline reads version 2: make it again from the capture with report --save"
head -c 2000 "$tmp/a.slp" > "$tmp/cut.slp"
run merge "$tmp/a.slp" "$tmp/cut.slp" -o "$tmp/x.slp"
expect_rc 2
expect_err "sightline: $tmp/cut.slp: cannot be unpacked: it is cut short or damaged"
[ ! -e "$tmp/x.slp" ] || fail "a refused merge wrote a file"
run merge "$tmp/a.slp" "$tmp/b.slp"
expect_rc 2
expect_err_has "-o FILE is missing"
run merge "$tmp/a.slp" -o "$tmp/x.slp"
expect_rc 2
run report "$small" --save "$tmp/no/such.slp"
expect_rc 2
expect_err_has "cannot write $tmp/no/such.slp: No such file or directory"

# Lanes that end before others begin.
if [ -d "$captures/opencsd/juno_r1_1" ]; then
	run report "$captures/opencsd/juno_r1_1" --save "$tmp/juno.slp" --quiet
	expect_rc 0
	run merge "$tmp/juno.slp" "$tmp/juno.slp" -o "$tmp/twice.slp"
	expect_rc 0
fi
exit 0
