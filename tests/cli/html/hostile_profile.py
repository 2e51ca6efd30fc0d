#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hostile_profile.py FROM TO: a kept profile whose names mean harm to who shows them as markup."""
import json
import lzma
import sys

HARM = ["</script><script>globalThis.harm=1</script>", "<img src=x onerror=globalThis.harm=1>", "<svg onload=globalThis.harm=1>", "\"onmouseover=globalThis.harm=1 x=\"",
        "a\u202eb\u001bc", "@DATA@@SCRIPT@", "x" * 10000, "javascript:globalThis.harm=1"]

profile = json.loads(lzma.open(sys.argv[1]).read())
profile["strings"] = [f"{HARM[i % len(HARM)]}{text}" if text else text for i, text in enumerate(profile["strings"])]
with lzma.open(sys.argv[2], "wt", encoding="utf-8") as out:
    json.dump(profile, out, ensure_ascii=False)
