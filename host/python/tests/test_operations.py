import hashlib
import json
import os
import time
from pathlib import Path

import pytest

import ctxfold
from conftest import ROOT, SUMMARY

LOST = [{"role": "user", "content": "Read a.txt."}, {"role": "tool", "tool_call_id": "7", "content": "one two three"}]


def test_plan_and_step(history):
    pending = ctxfold.plan(history, window=16_000)
    assert isinstance(pending, ctxfold.Pending) and pending.report["reason"] == "needs_summaries"
    pending.plan = json.loads(json.dumps(pending.plan))
    while isinstance(pending, ctxfold.Pending):
        summaries = [{"id": each["id"], "text": SUMMARY} for each in pending.requests]
        pending = ctxfold.step(pending.plan, summaries, history)
    assert pending.changed and pending.state["round"] == 1 and pending.messages[-1] is history[-1]
    again = ctxfold.plan(pending.messages, window=16_000, state=pending.state)
    assert isinstance(again, ctxfold.Done) and again.messages is pending.messages


def test_compact_and_its_state(history, model):
    compactor = ctxfold.Compactor(window=16_000, summarize=model)
    done = compactor.compact(history)
    assert done.changed and done.state["round"] == 1
    assert compactor.compact(done.messages, state=done.state).messages is done.messages


def test_small_operations(history):
    assert ctxfold.info()["name"] == "ctxfold"
    assert ctxfold.detect(history)["format"] == "openai-chat"
    assert ctxfold.check(history, window=16_000)["due"]
    assert ctxfold.estimate(history)["tokens"] == ctxfold.check(history, window=16_000)["tokens"]
    assert ctxfold.estimate(text="How is the weather?", policy={"estimator": "runes3.6"})["tokens"] == 6
    assert len(ctxfold.prints(history)) == len(history)
    assert ctxfold.limit_tool_output("1\n2\n3\n4\n5\n6\n7\n8", {"max_chars": 10, "spill_chars": 8})["spilled"]
    assert ctxfold.recall_tool(format="anthropic")["name"] == "recall"
    usage = {"message": -1, "total_tokens": 190_000}
    assert ctxfold.check(history, window=200_000, usage=usage)["source"] == "measured"


def test_validate_repair_convert():
    validation = ctxfold.validate(LOST, format="openai-chat")
    assert not validation["valid"] and validation["violations"][0]["rule"] == "OC3"
    repaired = ctxfold.repair(LOST, format="openai-chat")
    assert repaired.messages == LOST[:1] and repaired.messages[0] is LOST[0]
    converted = ctxfold.convert([{"role": "system", "content": "Be short."}, *LOST[:1]], "anthropic", format="openai-chat")
    assert converted.valid and converted.system == "Be short." and converted.messages == LOST[:1]
    text = ctxfold.convert(json.dumps(LOST[:1]), "anthropic", format="openai-chat")
    assert isinstance(text.messages, str) and json.loads(text.messages) == LOST[:1]


def test_digests(history, model):
    done = ctxfold.Compactor(window=16_000, summarize=model).compact(history)
    found = ctxfold.digests(done.messages, state=done.state)
    assert [each["kind"] for each in found if each["own"]][:1] == ["digest"]


def test_session_files():
    file = (
        '{"sessionId":"f763","projectHash":"7e89"}\n'
        '{"id":"1","timestamp":"2026-03-01T10:00:00.000Z","type":"user","content":"Read a.txt."}\n'
        '{"id":"2","timestamp":"2026-03-01T10:00:01.000Z","type":"gemini","content":"One two.","model":"gemini-3-pro"}\n'
    )
    opened = ctxfold.open_session(file)
    assert opened["kind"] == "gemini-cli" and len(opened["messages"]) == 2
    assert ctxfold.check(opened, window=1000)["messages"] == 2
    assert ctxfold.save_session(file, opened["messages"]) == file
    shorter = ctxfold.save_session(file, opened["messages"][:1])
    assert ctxfold.open_session(shorter)["messages"] == opened["messages"][:1]


def test_raw_calls():
    assert json.loads(ctxfold.call("check", b"{}"))["error"]["code"] == "missing_field"
    with pytest.raises(ctxfold.CtxfoldError, match="unknown_op"):
        ctxfold.call("nothing", b"{}")


def test_failures():
    class Refused(Exception):
        status_code = 400
        body = {"error": {"message": "prompt is too long: 215000 tokens > 200000 maximum"}}

    class Busy(Exception):
        status_code = 429

    assert ctxfold.is_overflow(Refused("bad request")) and not ctxfold.is_overflow(Busy("slow down"))
    assert ctxfold.classify(Refused("bad request"))["limit_tokens"] == 200_000
    assert ctxfold.failure_of(Busy("slow down")) == {"status": 429, "body": "slow down"}


def stores(tmp_path):
    return [{}, ctxfold.MappingStore({}, prefix="p:"), ctxfold.DirectoryStore(tmp_path / "store")]


@pytest.mark.parametrize("kind", range(3))
def test_nothing_is_lost_with_a_store(kind, tmp_path, history, model):
    store = stores(tmp_path)[kind]
    compactor = ctxfold.Compactor(window=16_000, summarize=model, store=store)
    done = compactor.compact(history)
    assert done.changed and done.archive
    restored = compactor.restore_all(done.messages, state=done.state)
    assert restored.messages == history and not [each for each in restored.markers if each["what"] != "changes"]
    found = compactor.search("the tests", done.messages, state=done.state, limit=3)
    assert found["results"] and found["searched"]["missing"] == []
    answer = compactor.recall({"handle": done.archive[0]["handle"]}, done.messages, state=done.state)
    assert answer and "no body" not in answer
    assert compactor.recall({"query": "the tests"}, done.messages, state=done.state)
    assert compactor.recall({"query": "the tests"}).startswith("Nothing can be searched")
    assert "0123456789abcdef" in compactor.recall({"handle": "0123456789abcdef"})


def test_a_store_that_fails_ends_the_compaction(history, model):
    class Broken(ctxfold.Store):
        def put(self, handle, body):
            raise OSError("the disk is full")

        def get(self, handle):
            return None

    with pytest.raises(ctxfold.CtxfoldError, match="store_failed.*the disk is full"):
        ctxfold.Compactor(window=16_000, summarize=model, store=Broken()).compact(history)
    full = ctxfold.MappingStore(max_chars=10)
    with pytest.raises(ctxfold.CtxfoldError, match="store_failed.*store_full"):
        ctxfold.Compactor(window=16_000, summarize=model, store=full).fit(history)


def test_the_directory_store(tmp_path):
    store = ctxfold.DirectoryStore(tmp_path / "a" / "b")
    body = "ä body"
    handle = hashlib.sha256(body.encode()).hexdigest()
    store.put(handle, body)
    store.put(handle, body)
    assert store.get(handle[:16].upper()) == body and [each.name for each in (tmp_path / "a" / "b").iterdir()] == [handle[:16]]
    assert store.get("0" * 16) is None
    Path(store.path(handle)).write_text("another")
    with pytest.raises(ctxfold.CtxfoldError, match="store_failed"):
        store.get(handle)
    for wrong in ("../../etc/passwd", "12", "g" * 16):
        with pytest.raises(ctxfold.OptionError):
            store.get(wrong)


def test_stores_refuse_other_bodies(tmp_path):
    body = "a body"
    handle = hashlib.sha256(body.encode()).hexdigest()
    for store in ctxfold.MappingStore(max_chars=100), ctxfold.DirectoryStore(tmp_path / "store"):
        store.put(handle, "half")  # a body that does not match the handle
        store.put(handle, body)
        with pytest.raises(ctxfold.CtxfoldError, match="store_failed"):
            store.put(handle, "another body")
        store.put(handle, body)
        assert store.get(handle) == body


def test_the_directory_store_cleans_up(tmp_path):
    for name, age in ("new-a1_b2c3d", 7200), ("new-1", 0), ("new.md", 7200):
        path = tmp_path / name
        path.write_text("x")
        os.utime(path, (time.time() - age, time.time() - age))
    ctxfold.DirectoryStore(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new-1", "new.md"]


def test_the_version_is_that_of_the_other_packages():
    pyproject = (ROOT / "host" / "python" / "pyproject.toml").read_text()
    version = json.loads((ROOT / "js" / "package.json").read_text())["version"]
    assert f'\nversion = "{version}"\n' in pyproject and ctxfold.__version__ == version
