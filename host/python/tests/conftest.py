import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

#: The time in seconds after which a waiting test has failed. No machine is so busy that a passing
#: test takes longer.
LIMIT = 1200

SUMMARY = '## Goal\nFinish what the user asked for.\n\n## Progress\nThe "first" half is done.'


class Model:
    """A model that always returns the same summary, and counts its calls."""

    def __init__(self, text=SUMMARY):
        self.text = text
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        return self.text


def opening(number):
    """Returns the first messages of a conversation, which differ from those of all other conversations.

    Conversations that differ in their first message alone would share a compaction.
    """
    return [
        {"role": "user", "content": f"Conversation {number}."},
        {"role": "assistant", "content": f"This is conversation {number}."},
    ]


@pytest.fixture
def model():
    return Model()


@pytest.fixture
def history():
    return json.loads((ROOT / "testdata" / "sample.openai.json").read_text())


@pytest.fixture
def anthropic():
    return json.loads((ROOT / "testdata" / "sample.anthropic.json").read_text())


def pytest_configure(config):
    config.addinivalue_line("markers", "long: takes minutes; runs where CTXFOLD_LONG is set")


def pytest_collection_modifyitems(items):
    if not os.environ.get("CTXFOLD_LONG"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="CTXFOLD_LONG is not set"))
