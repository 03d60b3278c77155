r"""Writes unicode.json: the code points that \w, \d and \s match in Python's re; str.split() splits at those of \s.

    python3 tests/golden/unicode.py
"""
import json
import pathlib
import re
import sys
import unicodedata

CLASSES = {"word": r"\w", "digit": r"\d", "space": r"\s"}
CHARACTERS = [code for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]


def ranges(pattern):
    """The first and last code point of each range; ranges do not include surrogates."""
    found, matches = [], re.compile(pattern).match
    for code in CHARACTERS:
        if matches(chr(code)):
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return found


assert all((len(f"a{chr(code)}b".split()) == 2) == bool(re.match(r"\s", chr(code))) for code in CHARACTERS)
about = {"about": r"first and last code points of \w, \d and \s in Python's re; made by unicode.py",
         "unidata": unicodedata.unidata_version, **{name: ranges(pattern) for name, pattern in CLASSES.items()}}
rows = [f'"{key}":{json.dumps(value, separators=(",", ":"))}' for key, value in about.items()]
pathlib.Path(__file__).with_name("unicode.json").write_text("{%s}\n" % ",\n".join(rows))
