import threading

import pytest

import ctxfold
from conftest import SUMMARY, Model


class TooLong(Exception):
    status_code = 400

    def __init__(self, tokens, limit):
        super().__init__(f"prompt is too long: {tokens} tokens > {limit} maximum")


def test_a_live_conversation(history):
    model = Model()
    compactor = ctxfold.Compactor(window=16_000, summarize=model)
    with ctxfold.Conversation(compactor) as conversation:
        compactions = 0
        for message in history:
            tokens = conversation.append(message)
            assert conversation.check()["tokens"] == tokens
            if message["role"] == "assistant" and not message.get("tool_calls"):
                done = conversation.after_turn()
                compactions += done is not None and done.changed
        assert compactions >= 2 and conversation.state["round"] == compactions
        assert conversation.messages[-1] is history[-1]
        memory = conversation.memory_usage
        assert 0 < memory.current <= memory.peak <= memory.limit
    assert conversation.memory_usage is None
    assert conversation.append({"role": "user", "content": "Once more."}) > 0


def test_a_host_says_how_much_calls_matter():
    messages = [{"role": "user", "content": "Find the ship."}]
    for i in range(12):
        call = {"id": f"s{i}", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"s{i}", "content": f"harbour {i}, pier {3 * i}; " * 120})
    messages.append({"role": "user", "content": "Where is it?"})
    policy = {"format": "openai-chat", "window": {"tokens": 9000, "reserve": 0}, "gate": {"target": 0.9}, "summary": {"mode": "local"}}
    given = []

    def score(messages):
        given.extend(messages)
        return {"calls": [{"id": "s8", "score": -1}]}

    compactor = ctxfold.Compactor(policy)
    done = ctxfold.Conversation(compactor, messages, score=score).compact()
    first = done.report["actions"][0]
    assert given == messages and (first["pass"], first["message"]) == ("score", 18)
    assert ctxfold.Conversation(compactor, messages, score=lambda _: None).compact().changed
    broken = ctxfold.Conversation(compactor, messages, score=lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        broken.compact()
    assert broken.messages == messages


def test_it_is_what_compact_makes(history, model):
    compactor = ctxfold.Compactor(window=16_000, summarize=model)
    conversation = ctxfold.Conversation(compactor, history)
    assert conversation.after_turn().messages == compactor.compact(history).messages


def test_messages_that_come_while_a_summary_is_written(history):
    late = {"role": "user", "content": "And hurry."}
    lock = threading.Lock()

    def summarize(request):
        with lock:
            if late not in conversation.messages:
                conversation.append(late)
        return SUMMARY

    conversation = ctxfold.Conversation(ctxfold.Compactor(window=16_000, summarize=summarize), history)
    assert conversation.after_turn().changed
    assert conversation.messages[-1] is late and conversation.messages[-2] is history[-1]


def test_a_message_with_a_fault_is_not_put(history):
    conversation = ctxfold.Conversation(ctxfold.Compactor(window=16_000), history)
    with pytest.raises(ctxfold.CtxfoldError, match="missing_role"):
        conversation.append({"role": "user", "content": "a"}, {"content": "b"})
    assert conversation.messages == history


def test_a_store_that_fails_changes_nothing(history, model):
    full = ctxfold.MappingStore(max_chars=10)
    conversation = ctxfold.Conversation(ctxfold.Compactor(window=16_000, summarize=model, store=full), history)
    with pytest.raises(ctxfold.CtxfoldError, match="store_failed"):
        conversation.after_turn()
    assert conversation.messages == history and conversation.check()["due"]


def test_restore_and_set_messages(history, model):
    conversation = ctxfold.Conversation(ctxfold.Compactor(window=16_000, summarize=model, store={}), history)
    assert conversation.compact().changed
    assert conversation.restore().changed and conversation.messages == history
    assert conversation.compact().changed
    instance = conversation._held._instance
    conversation.set_messages(history[:3])
    assert conversation.messages == history[:3] and conversation.check()["messages"] == 3
    assert conversation._held._instance is instance  # another one would take as much memory again
    with pytest.raises(ctxfold.CtxfoldError):
        conversation.set_messages([{"content": "no role"}])
    assert conversation.messages == history[:3]


def test_a_call_that_does_not_fit_is_made_once_more(history, model):
    conversation = ctxfold.Conversation(ctxfold.Compactor(window=200_000, summarize=model), history)
    sent = []

    def send(messages):
        sent.append(len(messages))
        if len(sent) == 1:
            raise TooLong(70_000, 32_000)
        return "answer"

    assert conversation.call(send) == "answer"
    assert sent[0] == len(history) and sent[1] < sent[0]
    assert conversation.check()["tokens"] < 32_000


def test_a_call_that_never_fits(history, model):
    conversation = ctxfold.Conversation(ctxfold.Compactor(window=200_000, summarize=model), history)

    def send(messages):
        raise TooLong(70_000, 60_000)

    with pytest.raises(ctxfold.CtxfoldError, match="still_overflow") as caught:
        conversation.call(send)
    assert isinstance(caught.value.__cause__, TooLong)


def test_what_is_no_overflow_comes_back(history):
    conversation = ctxfold.Conversation(ctxfold.Compactor(window=200_000), history)
    with pytest.raises(KeyError):
        conversation.call(lambda messages: {}["nothing"])


def test_a_coroutine_function_is_refused(history):
    async def send(messages):
        return messages

    with pytest.raises(ctxfold.OptionError, match="send is asynchronous: use ctxfold.aio"):
        ctxfold.Conversation(ctxfold.Compactor(window=200_000), history).call(send)


def test_threads_append_at_the_same_time(history):
    conversation = ctxfold.Conversation(ctxfold.Compactor(window=200_000))
    threads = [
        threading.Thread(target=lambda: [conversation.append({"role": "user", "content": "x"}) for _ in range(20)])
        for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(conversation.messages) == 80 and conversation.check()["messages"] == 80
