import asyncio
import json
import threading

import pytest

import ctxfold
from ctxfold import aio
from conftest import LIMIT, SUMMARY


def run(coroutine):
    return asyncio.run(coroutine)


class Model:
    def __init__(self, wait=0.0):
        self.requests = []
        self.wait = wait

    async def __call__(self, request):
        self.requests.append(request)
        await asyncio.sleep(self.wait)
        return {"text": SUMMARY, "finish_reason": "stop"}


def test_fit(history):
    async def work():
        model, memory = Model(), {}
        first = await aio.fit(history, window=16_000, summarize=model, memory=memory)
        assert first.changed and first.messages[-1] is history[-1]
        asked = len(model.requests)
        assert (await ctxfold.aio.fit(history, window=16_000, summarize=model, memory=memory)).known
        assert len(model.requests) == asked
        # Both drivers share the memory, and return the same messages.
        assert ctxfold.fit(history, window=16_000, memory=memory).messages == first.messages

    run(work())


def test_blocking_functions_do_not_block_the_loop(history):
    async def work():
        ticked = threading.Event()

        async def tick():
            await asyncio.sleep(0)
            ticked.set()

        def summarize(request):
            nonlocal ticking
            ticking = asyncio.run_coroutine_threadsafe(tick(), loop)
            assert ticked.wait(LIMIT), "the loop is blocked"
            return SUMMARY

        loop, ticking = asyncio.get_running_loop(), None

        fitted = await aio.Compactor(window=16_000, summarize=summarize).fit(history)
        assert fitted.changed and fitted.report["summary"]["source"] == "model" and ticking is not None

    run(work())


def test_a_cancelled_task_changes_nothing(history):
    async def work():
        model = Model(wait=3600)
        memory = {}
        compactor = aio.Compactor(window=16_000, summarize=model, memory=memory)
        task = asyncio.ensure_future(compactor.fit(history))
        while not model.requests:
            await asyncio.sleep(0.005)
        other = asyncio.ensure_future(compactor.fit(history))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert memory == {}
        model.wait = 0
        assert (await other).changed  # the second call waited for the first one

    run(work())


def test_a_model_that_hangs(history):
    compactor = aio.Compactor(window=16_000, summarize=Model(wait=3600), summary_timeout=0.05)
    summary = run(compactor.fit(history)).report["summary"]
    assert summary["source"] == "local" and summary["why"] == "summarizer_failed"


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("error", [ValueError("away"), StopIteration("away"), asyncio.CancelledError("away"), GeneratorExit("away")])
def test_what_a_model_raises_is_contained(history, error, awaited):
    def fails(_):
        raise error

    async def fails_awaited(_):
        raise error

    model = fails_awaited if awaited else fails
    summary = run(aio.Compactor(window=16_000, summarize=model).fit(history)).report["summary"]
    assert summary["source"] == "local" and summary["why"] == "summarizer_failed" and summary["error"]


def test_what_a_store_raises_is_an_error(history):
    class Store:
        def get(self, handle):
            return None

        def put(self, handle, body):
            raise StopIteration("full")

    compactor = aio.Compactor(window=16_000, store=Store(), policy={"archive": "bodies"})
    with pytest.raises(ctxfold.CtxfoldError, match="full") as raised:
        run(compactor.fit(history))
    assert raised.value.code == "store_failed"


def test_calls_for_one_conversation_make_one_compaction(history):
    async def work():
        compactor = aio.Compactor(window=16_000, summarize=Model(wait=0.01))
        return await asyncio.gather(*(compactor.fit(history) for _ in range(5)))

    results = run(work())
    assert sorted(each.changed for each in results) == [False] * 4 + [True]
    assert len({json.dumps(each.messages) for each in results}) == 1


def test_stores_and_memories_may_be_asynchronous(history):
    class Store:
        def __init__(self):
            self.bodies = {}

        async def put(self, handle, body):
            await asyncio.sleep(0)
            self.bodies[handle[:16]] = body

        async def get(self, handle):
            return self.bodies.get(handle[:16])

    class Memory:
        kept = {}

        async def load(self, key):
            return self.kept.get(key)

        async def save(self, key, json):
            self.kept[key] = json

    async def work():
        compactor = aio.Compactor(window=16_000, summarize=Model(), store=Store(), memory=Memory())
        done = await compactor.compact(history)
        assert (await compactor.restore_all(done.messages, state=done.state)).messages == history
        assert (await compactor.search("the tests", done.messages, state=done.state))["results"]
        assert await compactor.recall({"handle": done.archive[0]["handle"]}, done.messages)
        assert (await compactor.fit(history)).changed and (await compactor.fit(history)).known

    run(work())
    with pytest.raises(ctxfold.OptionError, match="ctxfold.aio"):
        ctxfold.Compactor(window=16_000, store=Store()).compact(history)


def test_unknown_options(history):
    with pytest.raises(ctxfold.OptionError, match="did you mean window?"):
        aio.fit(history, windw=3)


def test_conversation(history):
    async def work():
        compactor = aio.Compactor(window=16_000, summarize=Model(), store={})
        async with aio.Conversation(compactor, history) as conversation:
            done = await conversation.after_turn()
            assert done is not None and done.changed and conversation.messages[-1] is history[-1]
            assert await conversation.append({"role": "user", "content": "Go on."}) < 11_200
            assert await conversation.after_turn() is None

            async def send(messages):
                return len(messages)

            assert await conversation.call(send) == len(conversation.messages)
            restored = await conversation.restore()
            assert restored.changed and conversation.messages[:-1] == history

    run(work())
