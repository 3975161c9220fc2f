"""Runs the vectors of testdata/vectors: every request must return exactly the bytes of its answer. A host needs no more code than this for
it."""

import base64
import json
import os
from pathlib import Path

import pytest

import ctxfold
from ctxfold._core import Instance

VECTORS = Path(__file__).resolve().parents[3] / "testdata" / "vectors"
#: A folder with further vectors, if the environment names one: hostile input, as written by `make test-hosts`.
HOSTILE = Path(os.environ.get("CTXFOLD_HOSTILE", "/nowhere"))
FILES = [*sorted(VECTORS.glob("*.json")), *([HOSTILE] if HOSTILE.exists() else [])]
OPERATIONS = ctxfold.info()["ops"]


def request_of(vector):
    """Returns the request of a vector, which is text, or base64 if it is not UTF-8."""
    return vector["request"].encode() if "request" in vector else base64.b64decode(vector["request_base64"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_vectors(file):
    instance = Instance()
    for vector in json.loads(file.read_text()):
        if vector.get("full") or vector["op"] not in OPERATIONS:
            continue  # its answer differs in the usual, smaller module
        answer = instance.call(vector["op"], (request_of(vector),))
        assert answer.decode() == vector["answer"], vector["name"]
