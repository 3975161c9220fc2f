"""The vectors of testdata/vectors: every request gives the very bytes of its answer. This file is all that a host has to do for that."""

import base64
import json
import os
from pathlib import Path

import pytest

import ctxfold
from ctxfold._core import Instance

VECTORS = Path(__file__).resolve().parents[3] / "testdata" / "vectors"
#: More of them where the environment says so: hostile input, as `make test-hosts` writes it.
HOSTILE = Path(os.environ.get("CTXFOLD_HOSTILE", "/nowhere"))
FILES = [*sorted(VECTORS.glob("*.json")), *([HOSTILE] if HOSTILE.exists() else [])]
OPERATIONS = ctxfold.info()["ops"]


def request_of(vector):
    """A request is kept as a text, or in base64 where it is no text."""
    return vector["request"].encode() if "request" in vector else base64.b64decode(vector["request_base64"])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_vectors(file):
    instance = Instance()
    for vector in json.loads(file.read_text()):
        if vector.get("full") or vector["op"] not in OPERATIONS:
            continue  # only the full build answers so
        answer = instance.call(vector["op"], (request_of(vector),))
        assert answer.decode() == vector["answer"], vector["name"]
