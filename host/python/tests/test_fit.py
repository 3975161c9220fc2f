import asyncio
import copy
import json
import threading
import time

import pytest

import ctxfold
import ctxfold.aio
from ctxfold import _records
from conftest import LIMIT, SUMMARY, Model, opening


def test_a_compaction_is_made_once_and_remembered(history, model):
    compactor = ctxfold.Compactor(window=16_000, summarize=model)
    first = compactor.fit(history)
    assert first.changed and not first.known and first.report["summary"]["source"] == "model"
    assert first.report["tokens"]["after"] < 11_200 < first.report["tokens"]["before"]
    asked = len(model.requests)
    second = compactor.fit(history + [{"role": "user", "content": "Go on."}])
    assert second.known and not second.changed and len(model.requests) == asked
    assert second.messages[:-1] == first.messages


def test_kept_messages_are_the_same_objects_and_the_history_is_not_changed(history, model):
    before = copy.deepcopy(history)
    fitted = ctxfold.Compactor(window=16_000, summarize=model).fit(history)
    kept = [each for each in fitted.messages if any(each is own for own in history)]
    assert len(kept) >= 2 and kept[-1] is history[-1]
    assert len(kept) < len(fitted.messages)
    assert history == before


def test_nothing_to_do_gives_the_same_list(history):
    fitted = ctxfold.fit(history, window=200_000)
    assert fitted.messages is history and fitted.report["reason"] == "under_budget"
    assert ctxfold.fit((), window=1000).messages == ()


def test_every_kind_of_messages_comes_back_as_it_was_given(history):
    wanted = ctxfold.Compactor(window=16_000).fit(history).messages
    text = json.dumps(history, indent=1)
    body = {"model": "gpt-5", "messages": history, "temperature": 0.5}
    for given in (text, text.encode(), bytearray(text.encode()), tuple(history), body):
        made = ctxfold.Compactor(window=16_000).fit(given).messages
        assert type(made) is type(given)
        inner = json.loads(made) if isinstance(made, (str, bytes, bytearray)) else made
        assert list(inner["messages"] if isinstance(inner, dict) else inner)[-1] == wanted[-1]
        if isinstance(given, dict):
            assert made["temperature"] == 0.5 and made["messages"][-1] is history[-1]


def test_text_stays_byte_for_byte(history):
    """Numbers, spaces and the order of keys stay, all of which a parser would change."""
    odd = '{"role": "user",  "content": "é\\u00e9", "n": 1.10, "big": 123456789012345678901234567890, "e": 1E400}'
    text = "[" + ",\n".join(json.dumps(each) for each in history) + ",\n" + odd + "]"
    compactor = ctxfold.Compactor(window=16_000, format="openai-chat")
    made = compactor.fit(text).messages
    assert isinstance(made, str) and odd in made and made != text
    assert ctxfold.Compactor(window=16_000, format="openai-chat").fit(text.encode()).messages == made.encode()
    short = '[ {"role":"user","content":"1.10"} ]'
    assert ctxfold.fit(short, window=16_000).messages is short


def test_an_id_that_is_no_text_is_refused(history):
    for fit in (ctxfold.fit, lambda history, **options: ctxfold.Compactor(window=16_000).fit(history, id=options["id"])):
        with pytest.raises(ctxfold.OptionError, match="id is a text, such as '42', not 42") as caught:
            fit(history, window=16_000, id=42)
        assert caught.value.path == "id"
        with pytest.raises(ctxfold.OptionError, match="id is a text, not None "):  # "None" would be one id for all
            fit(history, window=16_000, id=None)


@pytest.mark.parametrize("call", ["fit", "Fit"])
def test_unknown_options_are_refused(call, history):
    with pytest.raises(ctxfold.OptionError, match="did you mean window?") as caught:
        if call == "fit":
            ctxfold.fit(history, windw=3)
        else:
            ctxfold.Compactor(windw=3)
    assert caught.value.code == "invalid_option" and caught.value.path == "windw"
    assert isinstance(caught.value, TypeError)
    for size in ("max_tokens", "context_window", "tokens"):
        with pytest.raises(ctxfold.OptionError, match="did you mean window"):
            ctxfold.fit(history, **{size: 8000})
    with pytest.raises(ctxfold.OptionError, match="did you mean options=.'force': True."):
        ctxfold.fit(history, window=8000, force=True)
    with pytest.raises(ctxfold.OptionError, match="given as text are JSON"):
        ctxfold.fit("hello", window=8000)
    with pytest.raises(ctxfold.OptionError, match="policy\\['gate'\\]"):
        ctxfold.fit(history, gate={"ratio": 0.5})
    with pytest.raises(ctxfold.CtxfoldError, match="did you mean \"gate\"") as caught:
        ctxfold.fit(history, policy={"gat": {}})
    assert caught.value.code == "unknown_field" and caught.value.path == "policy.gat"
    for wrong in ({"window": "big"}, {"summarize": 3}, {"concurrency": 0}, {"summary_timeout": 0}, {"store": 3}, {"memory": 3}):
        with pytest.raises(ctxfold.OptionError):
            ctxfold.fit(history, **wrong)


class Half:
    """An object that has some of the methods of a store or of a memory; their values need not be functions."""

    def __init__(self, **members):
        self.__dict__.update(members)


@pytest.mark.parametrize("wrong", [
    {}.get, [], "x", Half(), ctxfold.MappingStore, Half(get=len), Half(put=1, get=2), Half(put=print), Half(get=len, __setitem__=1),
])  # fmt: skip
def test_a_store_of_the_wrong_shape_is_refused_before_a_compaction_needs_it(wrong, history):
    for call in (ctxfold.fit, lambda history, **options: ctxfold.Compactor(**options)):
        with pytest.raises(ctxfold.OptionError, match="a store has put\\(handle, body\\) and get\\(handle\\)") as caught:
            call(history[:1], window=16_000, store=wrong)
        assert caught.value.code == "invalid_option" and caught.value.path == "store"


@pytest.mark.parametrize("wrong", [
    [], "x", Half(), dict, Half(load=len), Half(load=1, save=2), Half(get=len),
    Half(load=len, save=len, lease=len), Half(load=len, save=len, lease=len, release=1, swap=len),
])  # fmt: skip
def test_a_memory_of_the_wrong_shape_is_refused_before_a_compaction_needs_it(wrong, history):
    for call in (ctxfold.fit, lambda history, **options: ctxfold.Compactor(**options)):
        with pytest.raises(ctxfold.OptionError, match="a memory .* has load\\(key\\) and save\\(key, text\\)") as caught:
            call(history[:1], window=16_000, memory=wrong)
        assert caught.value.code == "invalid_option" and caught.value.path == "memory"


@pytest.mark.parametrize("wrong", [None, {}, {"window": {"tokens": 9000}}, [], "x", ctxfold.Compactor, ctxfold.aio.Compactor(window=9000)])
def test_a_conversation_needs_a_compactor(wrong):
    with pytest.raises(ctxfold.OptionError, match="compactor is a ctxfold.Compactor") as caught:
        ctxfold.Conversation(wrong)
    assert caught.value.code == "invalid_option" and caught.value.path == "compactor"
    with pytest.raises(ctxfold.OptionError, match="compactor is a ctxfold.aio.Compactor"):
        ctxfold.aio.Conversation(ctxfold.Compactor(window=9000))


def test_errors_say_where(history):
    with pytest.raises(ctxfold.CtxfoldError) as caught:
        ctxfold.check('[{"role":"user","content":"a"},{"content":"b"}]', format="openai-chat", window=100)
    error = caught.value
    assert (error.code, error.path, error.offset) == ("missing_role", "messages[1]", 31)
    import pickle

    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.path, again.offset, str(again)) == (error.code, error.path, error.offset, str(error))
    option = pickle.loads(pickle.dumps(ctxfold.OptionError("x", path="y")))
    assert isinstance(option, ctxfold.OptionError) and option.path == "y"


def test_a_model_that_fails_costs_no_message_and_is_asked_again_later(history, monkeypatch):
    def broken(request):
        raise RuntimeError("the provider is busy")

    memory = {}
    failing = ctxfold.Compactor(window=16_000, summarize=broken, memory=memory)
    first = failing.fit(history)
    assert first.report["summary"] == {**first.report["summary"], "source": "local", "why": "summarizer_failed"}
    assert "the provider is busy" in first.report["summary"]["error"]
    model = Model()
    working = ctxfold.Compactor(window=16_000, summarize=model, memory=memory)
    assert working.fit(history).known and not model.requests
    now = _records.time.time()
    monkeypatch.setattr(_records.time, "time", lambda: now + 67)
    anew = working.fit(history)
    assert anew.changed and anew.report["summary"]["source"] == "model" and model.requests
    monkeypatch.setattr(_records.time, "time", lambda: now + 4000)
    assert working.fit(history).known


def test_conversations_compacted_at_the_same_time_are_all_remembered(history, monkeypatch):
    begun = time.time()
    monkeypatch.setattr(time, "time", lambda: begun)  # otherwise, on a busy machine, a lease would end before it is renewed

    class Slow:
        """A memory that responds slowly."""

        def __init__(self):
            self.kept = {}

        def load(self, key):
            text = self.kept.get(key)
            time.sleep(0.02)
            return text

        def save(self, key, text):
            time.sleep(0.02)
            self.kept[key] = text

    memory, model = Slow(), Model()
    several = [[*opening(n), *history] for n in range(4)]

    def fit(messages):
        return ctxfold.Compactor(window=16_000, summarize=model, memory=memory).fit(messages)

    def all_at_once():
        threads = [threading.Thread(target=fit, args=[messages]) for messages in [*several, *several]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    all_at_once()
    alone = Model()
    ctxfold.Compactor(window=16_000, summarize=alone).fit(several[0])
    assert len(model.requests) == len(several) * len(alone.requests), "a compaction was made twice"
    for messages in several:
        fitted = fit(messages)
        assert fitted.known and not fitted.changed

    memory.kept.clear()

    async def awaited():
        compactor = ctxfold.aio.Compactor(window=16_000, memory=memory)
        await asyncio.gather(*(compactor.fit(messages) for messages in several))
        return [await compactor.fit(messages) for messages in several]

    assert all(fitted.known and not fitted.changed for fitted in asyncio.run(awaited()))


@pytest.mark.parametrize("thrown", [KeyError("a key"), SystemExit("the end"), KeyboardInterrupt("a stop")])
def test_whatever_a_model_raises_is_in_the_report(history, thrown):
    def broken(request):
        raise thrown

    compactor = ctxfold.Compactor(window=16_000, summarize=broken)
    with ctxfold.Conversation(compactor, history) as conversation:
        for done in (compactor.fit(history), compactor.compact(history), conversation.compact()):
            summary = done.report["summary"]
            assert summary["source"] == "local" and str(thrown.args[0]) in summary["error"]


def test_what_a_store_or_a_memory_raises_is_an_error_with_its_text(history, model):
    class Broken(dict):
        def get(self, key, default=None):
            raise OSError("the disk is gone")

        def __setitem__(self, key, value):
            raise OSError("the disk is gone")

    for code, options in (("store_failed", {"store": Broken()}), ("memory_failed", {"memory": Broken()})):
        with pytest.raises(ctxfold.CtxfoldError, match="the disk is gone") as caught:
            ctxfold.Compactor(window=16_000, summarize=model, **options).fit(history)
        assert caught.value.code == code


def test_a_model_that_hangs_is_left_behind(history):
    stop = threading.Event()
    fitted = ctxfold.Compactor(window=16_000, summarize=lambda request: stop.wait(30), summary_timeout=0.05).fit(history)
    stop.set()
    assert fitted.report["summary"]["source"] == "local"


def test_what_summarize_gives(history):
    fit = lambda given: ctxfold.Compactor(window=16_000, summarize=lambda request: given).fit(history).report["summary"]
    assert fit({"text": SUMMARY, "finish_reason": "stop"})["source"] == "model"
    assert fit({"text": SUMMARY, "finish_reason": "length"})["source"] == "local"
    assert fit(None)["why"] == "summarizer_failed"

    async def later(request):
        return SUMMARY

    with pytest.raises(ctxfold.OptionError, match="ctxfold.aio"):
        ctxfold.Compactor(window=16_000, summarize=later).fit(history)


def test_concurrency(history):
    running, most, lock, full = 0, 0, threading.Lock(), threading.Event()

    def summarize(request):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == concurrency:
                full.set()
        assert full.wait(LIMIT), "fewer at the same time"
        threading.Event().wait(0.02)  # time for another compaction to begin
        with lock:
            running -= 1
        return SUMMARY

    policy = {"summary": {"max_input_tokens": 6000}}
    for concurrency in (1, 3):
        most = 0
        full.clear()
        ctxfold.Compactor(policy, window=16_000, summarize=summarize, concurrency=concurrency).fit(history)
        assert most == concurrency


def test_calls_for_one_conversation_make_one_compaction(history):
    model = Model()
    compactor = ctxfold.Compactor(window=16_000, summarize=model)
    results = []
    threads = [threading.Thread(target=lambda: results.append(compactor.fit(history))) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(each.changed for each in results) == [False] * 5 + [True]
    assert len({json.dumps(each.messages) for each in results}) == 1


def test_ids_keep_conversations_apart(history, model):
    compactor = ctxfold.Compactor(window=16_000, summarize=model)
    assert compactor.fit(history, id="ann").changed
    assert compactor.fit(history, id="bob").changed
    assert compactor.fit(history, id="ann").known


def test_the_free_function_remembers_by_policy(history, model):
    memory = {}
    first = ctxfold.fit(history, window=16_000, summarize=model, memory=memory)
    asked = len(model.requests)
    assert ctxfold.fit(history, window=16_000, summarize=model, memory=memory).known
    assert len(model.requests) == asked and list(memory) == ["default"]
    assert first.messages == ctxfold.Compactor(window=16_000, memory=memory).fit(history).messages
    memory["default"] = "no JSON"
    assert ctxfold.fit(history, window=16_000, summarize=model, memory=memory).changed


def test_a_memory_that_fails_is_told(history):
    class Broken:
        def load(self, key):
            raise OSError("gone")

        def save(self, key, json):
            raise OSError("gone")

    with pytest.raises(ctxfold.CtxfoldError, match="memory_failed"):
        ctxfold.fit(history, window=16_000, memory=Broken())


def test_many_conversations_are_found_by_prints(history, model):
    compactor = ctxfold.Compactor(window=16_000, summarize=model)
    for i in range(12):
        own = [{"role": "user", "content": f"Conversation {i}."}, *history]
        compactor.fit(own)
    asked = len(model.requests)
    assert compactor.fit([{"role": "user", "content": "Conversation 3."}, *history]).known
    assert len(model.requests) == asked
