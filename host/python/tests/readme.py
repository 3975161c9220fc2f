"""Runs the Python code in README.md, in the current interpreter and folder."""

import os
import re
import sys
import tempfile
from pathlib import Path

text = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
assert len(blocks) == 4 and len(blocks[0].split("\n\n", 1)[1].splitlines()) + 1 <= 5, "the first example has five lines"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
import ctxfold

assert "site-packages" in ctxfold.__file__, ctxfold.__file__
print("README.md: its examples run with", sys.version.split()[0], "over", ctxfold.__file__)
