"""Tests that this package executes the decisions of the module's jobs: background, idle, provider, prefix, busy models, shared memory."""

import asyncio
import json
import threading

import pytest

import ctxfold
from ctxfold import _records, aio
from conftest import LIMIT, ROOT, SUMMARY, Model, opening
from host import Host


def turns(history, more):
    """Returns the history with some more turns."""
    return history + [{"role": "user" if i % 2 == 0 else "assistant", "content": f"More, part {i}."} for i in range(more)]


def test_a_compaction_in_the_background(history):
    ready = threading.Event()

    def summarize(request):
        ready.wait(LIMIT)
        return SUMMARY

    size = ctxfold.estimate(history)["tokens"]
    policy = {"window": {"tokens": size + 2_000, "reserve": 0}, "gate": {"ratio": 1, "start": 0.8, "target": 0.3}, "passes": [{"pass": "fold"}]}
    compactor = ctxfold.Compactor(policy, summarize=summarize)
    first = compactor.fit(history)
    assert not first.changed and first.messages is history and first.background is not None
    assert compactor.fit(history).messages is history  # the call does not wait for the background compaction
    ready.set()
    first.background.result(LIMIT)
    later = compactor.fit(turns(history, 2))
    assert later.known and not later.changed and len(later.messages) < len(history)
    assert later.background is None


@pytest.mark.parametrize("why", ["forced", "edited"])
def test_a_compaction_in_the_background_that_became_useless(history, why):
    first = threading.Event()
    hangs = threading.Event()

    def summarize(request):
        if not first.is_set():
            first.set()
            hangs.wait(LIMIT)
        return SUMMARY

    size = ctxfold.estimate(history)["tokens"]
    policy = {"window": {"tokens": size + 2_000, "reserve": 0}, "gate": {"ratio": 1, "start": 0.8, "target": 0.3}, "passes": [{"pass": "fold"}]}
    compactor = ctxfold.Compactor(policy, summarize=summarize)
    background = compactor.fit(history).background
    assert first.wait(LIMIT)
    assert compactor.fit(history).background is background, "one at a time"
    if why == "forced":
        assert compactor.fit(history, options={"force": True}).changed
    else:
        at = max(i for i, message in enumerate(history) if message["role"] == "user" and i < 0.75 * len(history))
        assert at > len(history) / 2, "another conversation begins alike by less"
        other = compactor.fit([*history[:at], {"role": "user", "content": "Something else."}, *history[at + 1 :]])
        assert other.background is not background
    background.result(LIMIT)
    assert not hangs.is_set()
    hangs.set()


def test_a_compaction_in_the_background_with_asyncio(history):
    async def work():
        ready = asyncio.Event()

        async def summarize(request):
            await ready.wait()
            return SUMMARY

        size = ctxfold.estimate(history)["tokens"]
        policy = {"window": {"tokens": size + 2_000, "reserve": 0}, "gate": {"ratio": 1, "start": 0.8, "target": 0.3}, "passes": [{"pass": "fold"}]}
        compactor = aio.Compactor(policy, summarize=summarize)
        first = await compactor.fit(history)
        assert not first.changed and first.background is not None
        ready.set()
        await first.background
        assert (await compactor.fit(history)).known

    asyncio.run(work())


@pytest.mark.parametrize("why", ["idle", "model"])
def test_a_cold_cache(history, monkeypatch, why):
    size = ctxfold.estimate(history)["tokens"]
    policy = {"window": {"tokens": 2 * size}, "gate": {"idle": 300, "cold": 0.3}}
    compactor = ctxfold.Compactor(policy)
    now = _records.now()
    assert not compactor.fit(history, next={"model": "a"}).changed
    assert not compactor.fit(history, next={"model": "a"}).changed
    if why == "idle":
        monkeypatch.setattr(_records.time, "time", lambda: now / 1000 + 400)
    cold = compactor.fit(turns(history, 1), next={"model": "b" if why == "model" else "a"})
    assert cold.changed and cold.report["cold"] == {"idle": "idle", "model": "model_changed"}[why]
    with pytest.raises(ctxfold.OptionError, match="next has model and provider"):
        compactor.fit(history, next={"modell": "a"})


def test_the_providers_own_compaction(anthropic):
    asked = []

    def summarize(request):
        asked.append(request)
        if "provider" in request:
            return {"messages": [{"role": "assistant", "content": [{"type": "compaction", "content": "All is well."}]}]}
        return SUMMARY

    policy = {"format": "anthropic", "window": {"tokens": 16_000}, "summary": {"provider": True}}
    fitted = ctxfold.Compactor(policy, summarize=summarize).fit(anthropic)
    assert asked[0]["provider"]["path"] == "/v1/messages" and fitted.report["summary"]["source"] == "provider"
    assert "compaction" in json.dumps(fitted.messages)


def test_a_request_appended_to_the_conversation(history):
    asked = []

    def summarize(request):
        asked.append(request)
        return SUMMARY

    policy = {"window": {"tokens": 64_000}, "summary": {"request": "prefix"}}
    body = {"model": "gpt-5", "stream": True, "messages": history}
    fitted = ctxfold.Compactor(policy, summarize=summarize, prefix=True).fit(body, options={"force": True})
    sent = asked[0]["conversation"]["sent"]
    assert fitted.changed and sent["model"] == "gpt-5" and sent.get("stream") is not True
    assert sent["messages"][: len(sent["messages"]) - 1] == history[: len(sent["messages"]) - 1]
    assert sent["messages"][-1]["role"] == "user"


class Busy(Exception):
    status_code = 429

    class response:
        headers = {"retry-after": "0.05"}


def test_a_busy_model_is_asked_again(history):
    asked = []

    def summarize(request):
        asked.append(request)
        if len(asked) == 1:
            raise Busy("too many requests")
        return SUMMARY

    fitted = ctxfold.Compactor(window=16_000, summarize=summarize, concurrency=1).fit(history)
    ids = [each["id"] for each in asked]
    assert ids[0] == ids[1] and len(ids) == len(set(ids)) + 1 and fitted.report["summary"]["source"] == "model"


def test_a_model_that_stays_busy_is_spared(history, monkeypatch):
    class Gone(Busy):
        class response:
            headers = {"retry-after": "3600"}

    asked = []

    def summarize(request):
        asked.append(request)
        raise Gone("too many requests")

    compactor = ctxfold.Compactor(window=16_000, summarize=summarize, concurrency=1)
    assert compactor.fit(history).report["summary"]["source"] == "local" and len(asked) == 1
    now = _records.now()
    monkeypatch.setattr(_records.time, "time", lambda: now / 1000 + 600)  # the model asked for a delay of an hour
    assert compactor.fit(history).known and len(asked) == 1


def test_two_programs_share_a_memory(history):
    class Memory:
        """A memory that two programs read before either of them writes."""

        def __init__(self):
            self.texts = {}

        def load(self, key):
            return self.texts.get(key)

        def save(self, key, text):
            self.texts[key] = text

    memory = Memory()
    model = Model()
    for number in range(3):
        other = [*opening(number), *history]
        assert ctxfold.Compactor(window=16_000, summarize=model, memory=memory).fit(other).changed
    assert json.loads(memory.texts["default"])["version"] == 3
    asked = len(model.requests)
    for number in range(3):
        other = [*opening(number), *history]
        assert ctxfold.Compactor(window=16_000, summarize=model, memory=memory).fit(other).known
    assert len(model.requests) == asked


class Shared:
    """A memory that behaves like a database shared by several processes."""

    def __init__(self):
        self.texts, self.leases, self.lock, self.waits = {}, {}, threading.Lock(), 0

    def load(self, key):
        return self.texts.get(key)

    def save(self, key, text):
        raise AssertionError("not when processes share it")

    def swap(self, key, old, new):
        with self.lock:
            if self.texts.get(key) != old:
                return False
            self.texts[key] = new
            return True

    def lease(self, keys, holder, seconds):
        with self.lock:
            if any(self.leases.get(key, holder) != holder for key in keys):
                self.waits += 1
                return False
            self.leases[keys[0]] = holder
            return True

    def release(self, key, holder):
        with self.lock:
            if self.leases.get(key) == holder:
                del self.leases[key]


def test_processes_that_share_a_memory_make_one_compaction(history):
    memory, model = Shared(), Model()
    together = threading.Barrier(3)

    def summarize(request):
        while not memory.waits:  # waits until another job has found the lease taken
            threading.Event().wait(0.001)
        return model(request)

    results = []

    def process():
        compactor = ctxfold.Compactor(window=16_000, summarize=summarize, memory=memory)
        together.wait()
        results.append(compactor.fit(history))

    threads = [threading.Thread(target=process) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(each.changed for each in results) == [False, False, True]
    assert len({json.dumps(each.messages) for each in results}) == 1 and not memory.leases


def test_a_cancelled_task_releases_a_shared_lease(history):
    async def work():
        memory, asked = Shared(), asyncio.Event()

        async def summarize(request):
            asked.set()
            await asyncio.sleep(600)

        task = asyncio.ensure_future(aio.Compactor(window=16_000, summarize=summarize, memory=memory).fit(history))
        await asked.wait()
        assert memory.leases
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not memory.leases and not memory.texts

    asyncio.run(work())


def test_what_earlier_versions_have_kept(history, model):
    """Records are read that earlier versions wrote: Python's list of texts, JavaScript's list of entries, Go's records, and those of the C
    library."""
    memory = {}
    ctxfold.fit(history, window=16_000, summarize=model, memory=memory)
    entry = json.loads(memory["default"])["entries"][0]["entry"]
    for kept in (
        [json.dumps({**entry, "tries": 1, "again": 1_700_000_000})],
        [{**entry, "tries": 1, "again": 9_700_000_000_000}],
        {"version": 2, "entry": entry, "degraded": {"tries": 1, "again": 4_700_000_000}},
        {"version": 1, "tries": 0, "again": 0, "entries": [{"tries": 0, "again": 0, "entry": entry}]},
    ):
        memory["default"] = json.dumps(kept)
        assert ctxfold.fit(history, window=16_000, memory=memory).known, kept


def test_a_refused_call(history, model):
    class TooLong(Exception):
        status_code = 400

    compactor = ctxfold.Compactor(window=200_000, summarize=model)
    assert not compactor.fit(history).changed
    again = compactor.fit(history, refused=TooLong("prompt is too long: 70000 tokens > 32000 maximum"))
    assert again.changed and again.report["tokens"]["after"] < 32_000
    with pytest.raises(ctxfold.CtxfoldError) as caught:
        compactor.fit(history, refused=TooLong("your card was declined"))
    assert caught.value.code == "not_overflow"


def test_a_store_of_records_that_fails_later(history, model):
    class Memory(dict):
        def __setitem__(self, key, value):
            raise OSError("the disk is full")

    with pytest.raises(ctxfold.CtxfoldError, match="memory_failed.*the disk is full") as caught:
        ctxfold.Compactor(window=16_000, summarize=model, memory=Memory()).fit(history)
    assert isinstance(caught.value.__cause__, OSError)


def test_the_host_of_the_docs(history):
    """The host in docs/start/languages.md, which is host.py here, works."""
    lines = [line for line in (ROOT / "host" / "python" / "tests" / "host.py").read_text().splitlines() if line.strip()]
    assert len(lines) <= 60
    asked = []
    host = Host({"window": {"tokens": 16_000}}, lambda system, prompt: asked.append(prompt) or SUMMARY)
    sent = json.loads(host.fit(json.dumps(history), {"owner": "somebody"}))
    assert asked and len(sent) < len(history) and sent[-1] == history[-1] and host.bodies and not host.leases
    made = len(asked)
    assert json.loads(host.fit(json.dumps(turns(history, 1)), {"owner": "somebody"}))[:-1] == sent and len(asked) == made
    # Another process holds the lease for a moment, and then the model fails.
    host.records.clear()
    waits, lease = [], host.lease
    host.lease = lambda effect: lease(effect) if waits else waits.append(effect) or {"done": False}
    host.summarize = lambda system, prompt: 1 / 0
    assert len(json.loads(host.fit(json.dumps(history), {"owner": "somebody"}))) < len(history) and waits


def test_the_host_of_the_docs_compacts_in_the_background(history):
    ready, asked = threading.Event(), threading.Event()

    def summarize(system, prompt):
        asked.set()
        ready.wait(LIMIT)
        return SUMMARY

    size = ctxfold.estimate(history)["tokens"]
    gate = {"ratio": 1, "start": 0.8, "target": 0.3}
    host = Host({"window": {"tokens": size + 2_000, "reserve": 0}, "gate": gate, "passes": [{"pass": "fold"}]}, summarize)
    before = threading.enumerate()
    text, settings = json.dumps(history), {"owner": "somebody"}
    assert json.loads(host.fit(text, settings)) == history and asked.wait(LIMIT)
    assert json.loads(host.fit(text, settings)) == history, "it is being made"
    ready.set()
    for thread in set(threading.enumerate()) - set(before):
        thread.join(LIMIT)
    assert len(json.loads(host.fit(text, settings))) < len(history) and not host.leases


def test_errors_of_a_history_say_where():
    for compactor in (ctxfold.Compactor(window=100, format="openai-chat"), ctxfold.Compactor(window=100, format="openai-chat", memory={})):
        with pytest.raises(ctxfold.CtxfoldError) as caught:
            compactor.fit('[{"role":"user","content":"a"},{"content":"b"}]')
        assert (caught.value.code, caught.value.path, caught.value.offset) == ("missing_role", "messages[1]", 31)
    with pytest.raises(ctxfold.CtxfoldError) as caught:
        ctxfold.Compactor().fit([{"role": "user", "content": "a"}])
    assert (caught.value.code, caught.value.path) == ("unknown_window", "")
