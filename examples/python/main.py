"""Compacts a transcript: main.py LIBRARY WINDOW < transcript.json > shorter.json"""

import sys

from ctxfold import Compactor, CtxfoldError


def summarize(request):
    # A program would ask its model here, with request["system"] and request["prompt"].
    return "## Goal\nFinish what the user asked for.\n\n## Progress\nThe \"first\" half is done."


if len(sys.argv) != 3:
    sys.exit(__doc__)
compactor = Compactor(sys.argv[1])
try:
    messages, report, _ = compactor.compact(sys.stdin.buffer.read(), {"window": {"tokens": int(sys.argv[2])}}, summarize)
except CtxfoldError as e:
    sys.exit(f"{e} (at {e.path}, byte {e.offset})")
sys.stdout.buffer.write(messages)
print(report["tokens"], file=sys.stderr)
compactor.close()
