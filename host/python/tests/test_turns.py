"""Tests conversations between model calls: compactions in the background, and with a cold prompt cache."""

import asyncio
import threading
import time

import pytest

import ctxfold
import ctxfold.aio
from conftest import LIMIT, SUMMARY, Model

POLICY = {"format": "openai-chat", "window": {"tokens": 6000}, "gate": {"start": 0.5, "target": 0.3}, "passes": [{"pass": "fold", "keep_tokens": 600}]}


def talk(first, last):
    """Returns messages of about 120 tokens each."""
    text = "The hull needs paint and the mast needs rope. " * 10
    return [{"role": "assistant" if i % 2 else "user", "content": f"Part {i}: {text}"} for i in range(first, last)]


class Slow(Model):
    """A model that answers only when the test lets it."""

    def __init__(self):
        super().__init__()
        self.let = threading.Event()
        self.asked = threading.Event()

    def __call__(self, request):
        self.asked.set()
        assert self.let.wait(LIMIT)
        return super().__call__(request)


def compactor(model, kind=ctxfold.Compactor, **more):
    return kind({**POLICY, **more}, summarize=model)


def soon(conversation):
    """Appends enough messages for a background compaction to begin."""
    while conversation.background is None:
        start = len(conversation.messages)
        conversation.append(*talk(start, start + 2))
        assert conversation.after_turn() is None


def test_a_turn_does_not_wait_for_the_background():
    model = Slow()
    conversation = ctxfold.Conversation(compactor(model))
    soon(conversation)
    count = len(conversation.messages)
    background = conversation.background
    late = {"role": "user", "content": "And hurry."}
    conversation.append(late)
    assert conversation.after_turn() is None and conversation.background is background, "one at a time"
    model.let.set()
    background.result(LIMIT)
    assert conversation.background is None and len(model.requests) == 1
    assert len(conversation.messages) < count and conversation.messages[-1] is late and conversation.state["round"] == 1
    assert conversation.after_turn() is None and conversation.background is None


def test_a_turn_at_the_limit_waits_for_the_background():
    model = Slow()
    conversation = ctxfold.Conversation(compactor(model))
    soon(conversation)
    start = len(conversation.messages)
    while not conversation.check()["due"]:
        conversation.append(*talk(start, start + 1))
        start += 1
    threading.Timer(0.3, model.let.set).start()
    done = conversation.after_turn()
    assert done is not None and done.changed and model.let.is_set()
    assert len(model.requests) == 1 and not conversation.check()["due"]


def test_a_model_that_fails_in_the_background_is_left_alone_until_the_conversation_has_grown():
    calls = []

    def fails(request):
        calls.append(request)
        raise RuntimeError("the model is away")

    conversation = ctxfold.Conversation(compactor(fails))
    soon(conversation)
    conversation.background.result(LIMIT)
    before = list(conversation.messages)
    assert conversation.after_turn() is None and conversation.background is None
    assert conversation.messages == before and len(calls) == 1
    soon(conversation)
    assert len(conversation.messages) > len(before)


@pytest.mark.parametrize("instead", ["set_messages", "compact", "close"])
def test_what_takes_the_place_of_the_background(instead):
    model = Slow()
    conversation = ctxfold.Conversation(compactor(model))
    soon(conversation)
    assert model.asked.wait(LIMIT)
    background, messages = conversation.background, list(conversation.messages)
    if instead == "compact":
        threading.Timer(0.3, model.let.set).start()
        assert conversation.compact().changed
    elif instead == "set_messages":
        conversation.set_messages(messages[:-2])
        assert conversation.messages == messages[:-2]
    else:
        conversation.close()
    background.result(LIMIT)
    assert conversation.background is None
    if instead == "close":
        assert conversation.messages == messages
    model.let.set()
    if instead != "compact":
        soon(conversation)  # a stopped compaction does not count as a failed attempt


def test_a_cold_prompt_cache(monkeypatch):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    policy = {"window": {"tokens": 6000}, "gate": {"idle": 1, "target": 0.1}, "passes": [{"pass": "fold", "keep_tokens": 200}], "format": "openai-chat"}
    model = Model()
    conversation = ctxfold.Conversation(ctxfold.Compactor(policy, summarize=model), talk(0, 20))
    assert conversation.before_turn() is None, "the first call is not idle"
    assert conversation.after_turn() is None
    assert conversation.before_turn(options={"idle": 500}).changed
    conversation.append(*talk(20, 40))
    assert conversation.after_turn() is None and conversation.before_turn(next={"model": "a"}) is None
    assert conversation.before_turn(next={"model": "b"}).changed, "another model"
    conversation.append(*talk(40, 60))
    assert conversation.after_turn() is None
    now += 1.2
    sizes = []
    conversation.call(lambda messages: sizes.append(len(messages)))
    assert sizes[0] < 22 and len(model.requests) == 3


def test_a_turn_that_has_nothing_to_do_asks_the_module_once(monkeypatch):
    conversation = ctxfold.Conversation(compactor(Model()), talk(0, 4))
    conversation.check()
    calls = []
    ask = conversation._held._ask
    monkeypatch.setattr(conversation._held, "_ask", lambda op, *more: calls.append(op) or ask(op, *more))
    assert conversation.after_turn() is None and calls == ["loop_start"]


def test_with_asyncio():
    async def main():
        let = asyncio.Event()

        async def summarize(request):
            await let.wait()
            return SUMMARY

        conversation = ctxfold.aio.Conversation(compactor(summarize, ctxfold.aio.Compactor))
        count = 0
        while conversation.background is None:
            await conversation.append(*talk(count, count + 2))
            count += 2
            assert await conversation.after_turn() is None
        background = conversation.background
        while not (await conversation.check())["due"]:
            await conversation.append(*talk(count, count + 1))
            count += 1
        asyncio.get_running_loop().call_later(0.3, let.set)
        done = await conversation.after_turn()
        assert done is not None and done.changed
        await background
        let.clear()
        while conversation.background is None:
            await conversation.append(*talk(count, count + 2))
            count += 2
            await conversation.after_turn()
        messages = list(conversation.messages)
        background = conversation.background
        await conversation.set_messages(messages[:-1])
        await background
        assert conversation.messages == messages[:-1] and conversation.background is None

    asyncio.run(main())
