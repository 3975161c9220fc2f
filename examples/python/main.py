"""Compacts a transcript: main.py WINDOW < transcript.json > shorter.json"""

import sys

import ctxfold


def summarize(request):
    # A real program would ask its model here, with request["system"] and request["prompt"].
    return '## Goal\nFinish what the user asked for.\n\n## Progress\nThe "first" half is done.'


if len(sys.argv) != 2:
    sys.exit(__doc__)
compactor = ctxfold.Compactor(window=int(sys.argv[1]), summarize=summarize)
try:
    done = compactor.compact(sys.stdin.buffer.read())
except ctxfold.CtxfoldError as error:
    sys.exit(str(error))
sys.stdout.buffer.write(done.messages)
print(done.report["tokens"], file=sys.stderr)
