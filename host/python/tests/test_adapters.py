"""Tests the adapters with objects in the shapes that the packages document. None of the packages is installed."""

import asyncio
import copy
import json
import sys
import types

import pytest

import ctxfold
from ctxfold import _transcript, aio
from ctxfold import anthropic as for_anthropic
from ctxfold import langchain as for_langchain
from ctxfold import openai as for_openai
from ctxfold import pydantic_ai as for_pydantic_ai
from conftest import SUMMARY, Model


class Object:
    """An object like the SDKs' pydantic models: it has attributes, and model_dump omits those that were not set."""

    def __init__(self, **set_):
        self.__dict__.update(set_)

    def model_dump(self, *, mode="python", exclude_unset=False, exclude=None):
        assert mode == "json"
        dump = lambda value: (
            value.model_dump(mode=mode, exclude_unset=exclude_unset) if isinstance(value, Object)
            else [dump(each) for each in value] if isinstance(value, list) else value
        )  # fmt: skip
        unset = {} if exclude_unset else {"refusal": None}
        return {key: dump(value) for key, value in {**unset, **self.__dict__}.items() if key not in (exclude or ())}


def objects(history):
    """Returns a history as the OpenAI client has it: the user's messages as dicts, the model's as the client's objects."""
    made = []
    for message in history:
        if message["role"] == "assistant":
            calls = [Object(**{**each, "function": Object(**each["function"])}) for each in message.get("tool_calls", [])]
            message = Object(**{**message, **({"tool_calls": calls} if calls else {})})
        made.append(message)
    return made


class TooLong(Exception):
    status_code = 400
    body = {"code": "context_length_exceeded", "message": "maximum context length is 16000 tokens"}


class Client:
    """The part of a client that is called. It rejects the first calls of its conversation as too long."""

    def __init__(self, answer, refuse=0, awaited=False):
        self.bodies = []
        self.refuse = refuse

        def create(**body):
            self.bodies.append(body)
            if self.refuse:
                self.refuse -= 1
                raise TooLong("bad request")
            return answer

        async def later(**body):
            return create(**body)

        self.create = later if awaited else create
        self.chat = types.SimpleNamespace(completions=self)
        self.responses = self.messages = self


CHAT = Object(choices=[Object(message=Object(role="assistant", content=SUMMARY), finish_reason="stop")])


def test_objects_of_the_openai_client(history):
    live = objects(history)
    fitted = ctxfold.Compactor(window=16_000, summarize=Model()).fit(live)
    assert fitted.changed and any(each is live[-1] for each in fitted.messages)
    assert json.loads(_transcript.transcript(live).piece) == history


def test_openai_chat(history):
    live = objects(history)
    asked, client = Client(CHAT), Client(CHAT)
    compactor = ctxfold.Compactor(window=16_000, summarize=for_openai.summarizer(asked, "small", temperature=0))
    create = for_openai.compacting_chat(client, compactor)
    assert create(model="gpt-5", messages=live, stream=False, timeout=object()) is CHAT
    (body,) = client.bodies
    assert body["model"] == "gpt-5" and body["stream"] is False and len(body["messages"]) < len(live)
    assert body["messages"][-1] is live[-1]
    question = asked.bodies[0]
    assert set(question) == {"model", "messages", "max_completion_tokens", "temperature"}
    assert [each["role"] for each in question["messages"]] == ["system", "user"]


def test_a_refused_call_is_made_once_more(history):
    client = Client(CHAT, refuse=1)
    create = for_openai.compacting_chat(client, ctxfold.Compactor(window=400_000, summarize=Model()))
    assert create(model="x", messages=history) is CHAT
    first, second = client.bodies
    assert len(first["messages"]) == len(history) > len(second["messages"])
    client = Client(CHAT, refuse=5)
    create = for_openai.compacting_chat(client, ctxfold.Compactor(window=400_000, summarize=Model()))
    with pytest.raises(TooLong):
        create(model="x", messages=history)
    assert len(client.bodies) == 2


def test_openai_responses():
    items = []
    for i in range(40):
        items.append({"role": "user", "content": f"Read {i}.txt."})
        items.append(Object(type="function_call", call_id=f"c{i}", name="read", arguments=json.dumps({"path": f"{i}.txt"})))
        items.append({"type": "function_call_output", "call_id": f"c{i}", "output": f"word{i} " * 200})
        items.append(Object(type="message", role="assistant", content=[Object(type="output_text", text=f"Done {i}.", annotations=[])]))
    response = Object(status="completed", output_text=SUMMARY, incomplete_details=None)
    client, asked = Client(response), Client(response)
    summarize = for_openai.responses_summarizer(asked, "small")
    create = for_openai.compacting_responses(client, ctxfold.Compactor(window=4_000, summarize=summarize))
    create(model="gpt-5", input=items, instructions="Be short.")
    sent = client.bodies[0]["input"]
    assert len(sent) < len(items) and sent[-1] is items[-1]
    assert asked.bodies and asked.bodies[0]["store"] is False
    create(model="gpt-5", input=items, previous_response_id="resp_1")
    assert client.bodies[1]["input"] is items
    create(model="gpt-5", input="a text")
    assert client.bodies[2]["input"] == "a text"
    cut = Object(status="incomplete", output_text="half", incomplete_details=Object(reason="max_output_tokens"))
    request = {"id": "1", "system": "s", "prompt": "p", "max_output_tokens": 10}
    assert for_openai.responses_summarizer(Client(cut), "small")(request)["finish_reason"] == "max_output_tokens"


def test_anthropic(anthropic):
    answer = Object(content=[Object(type="thinking", thinking="…"), Object(type="text", text=SUMMARY)], stop_reason="end_turn")
    client, asked = Client(answer), Client(answer)
    live = [
        {**each, "content": [Object(**block) for block in each["content"]]} if isinstance(each["content"], list) else each
        for each in (anthropic["messages"] if isinstance(anthropic, dict) else anthropic)
    ]
    compactor = ctxfold.Compactor(window=16_000, summarize=for_anthropic.summarizer(asked, "haiku"))
    create = for_anthropic.compacting(client, compactor)
    create(model="claude-sonnet-4-5", max_tokens=100, system="Be short.", messages=live)
    (body,) = client.bodies
    assert len(body["messages"]) < len(live) and body["messages"][-1] is live[-1] and body["system"] == "Be short."
    assert set(asked.bodies[0]) == {"model", "system", "messages", "max_tokens"}
    assert compactor.fit(body["messages"], policy={"format": "anthropic", "window": {"tokens": 16_000}}).messages is body["messages"]


def test_clients_that_are_awaited(history):
    async def work():
        asked, client = Client(CHAT, awaited=True), Client(CHAT, refuse=1, awaited=True)
        compactor = aio.Compactor(window=16_000, summarize=for_openai.summarizer(asked, "small"))
        create = for_openai.compacting_chat(client, compactor)
        assert await create(model="gpt-5", messages=history) is CHAT
        assert len(client.bodies[0]["messages"]) < len(history) and asked.bodies

    asyncio.run(work())


class BaseMessage:
    """A message like langchain_core.messages.BaseMessage: model_dump returns all fields, and the class determines the type."""

    kind = ""

    def __init__(self, content, **fields):
        fields.pop("additional_kwargs", None)
        fields.pop("response_metadata", None)
        self.content = content
        self.fields = fields
        self.additional_kwargs = {}
        self.response_metadata = {"stop_reason": "end_turn"}

    def model_dump(self, mode="python"):
        assert mode == "json"
        own = {"content": self.content, "additional_kwargs": {}, "response_metadata": {}, "type": self.kind, "name": None, "id": None}
        return {**own, **self.fields}


class HumanMessage(BaseMessage):
    kind = "human"


class AIMessage(BaseMessage):
    kind = "ai"


class SystemMessage(BaseMessage):
    kind = "system"


class ToolMessage(BaseMessage):
    kind = "tool"


def langchain_history():
    messages = [SystemMessage("Be short.", id="s")]
    for i in range(30):
        call = {"name": "read", "args": {"path": f"{i}.txt"}, "id": f"c{i}", "type": "tool_call"}
        messages += [
            HumanMessage(f"Read {i}.txt.", id=f"h{i}"),
            AIMessage("", tool_calls=[call], invalid_tool_calls=[], usage_metadata=None, id=f"a{i}"),
            ToolMessage(f"word{i} " * 200, tool_call_id=f"c{i}", artifact=None, status="success", id=f"t{i}"),
            AIMessage(f"It is {i}.", tool_calls=[], invalid_tool_calls=[], usage_metadata=None, id=f"b{i}"),
        ]
    return messages


def test_langchain(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_core.messages", types.SimpleNamespace(HumanMessage=HumanMessage))
    messages = langchain_history()

    class ChatModel:
        asked = []

        def invoke(self, prompt):
            self.asked.append(prompt)
            return AIMessage([{"type": "text", "text": SUMMARY}])

        async def ainvoke(self, prompt):
            return self.invoke(prompt)

    hook = for_langchain.pre_model_hook(ctxfold.Compactor(window=4_000, summarize=for_langchain.summarizer(ChatModel())))
    sent = hook({"messages": messages})["llm_input_messages"]
    assert len(sent) < len(messages) and sent[0] is messages[0] and sent[-1] is messages[-1]
    assert all(isinstance(each, BaseMessage) for each in sent)
    assert [role for role, _ in ChatModel.asked[0]] == ["system", "human"]
    assert hook({"messages": [*messages, HumanMessage("Go on.")]})["llm_input_messages"][1].content == sent[1].content
    assert messages[3].content == "word0 " * 200

    async def work():
        compactor = aio.Compactor(window=4_000, summarize=for_langchain.summarizer(ChatModel(), awaited=True))
        later = await for_langchain.pre_model_hook(compactor)({"messages": messages})
        assert [each.content for each in later["llm_input_messages"]] == [each.content for each in sent]

    asyncio.run(work())


STAMP = "2026-03-01T10:00:00Z"


def pydantic_ai_history():
    """Returns a history as ModelMessagesTypeAdapter.dump_python(messages, mode="json") does."""
    messages = []
    for i in range(30):
        first = [{"content": "Be short.", "timestamp": STAMP, "dynamic_ref": None, "part_kind": "system-prompt"}] if i == 0 else []
        prompt = f"Read {i}.txt." if i % 2 else [f"Read {i}.txt.", {"kind": "binary", "media_type": "image/png", "data": "aGk="}]
        usage = {"input_tokens": 10, "output_tokens": 5}
        messages += [
            {"parts": [*first, {"content": prompt, "timestamp": STAMP, "part_kind": "user-prompt"}], "instructions": None, "kind": "request"},
            {"parts": [
                {"content": "Let me see.", "id": None, "signature": None, "part_kind": "thinking"},
                {"tool_name": "read", "args": json.dumps({"path": f"{i}.txt"}), "tool_call_id": f"c{i}", "part_kind": "tool-call"},
                {"tool_name": "read", "args": {"path": f"{i}.md"}, "tool_call_id": f"d{i}", "part_kind": "tool-call"},
            ], "usage": usage, "model_name": "m", "timestamp": STAMP, "kind": "response", "finish_reason": "tool_call"},
            {"parts": [
                {"tool_name": "read", "content": f"word{i} " * 200, "tool_call_id": f"c{i}", "metadata": None, "timestamp": STAMP, "part_kind": "tool-return"},
                {"tool_name": "read", "content": "no such file", "tool_call_id": f"d{i}", "timestamp": STAMP, "part_kind": "retry-prompt"},
            ], "instructions": None, "kind": "request"},
            {"parts": [{"content": f"It is {i}.", "id": None, "part_kind": "text"}], "usage": usage, "model_name": "m", "timestamp": STAMP, "kind": "response"},
        ]  # fmt: skip
    return messages


def paired(messages):
    """Checks that every call has its result in the next request."""
    for message, behind in zip(messages, [*messages[1:], {"parts": []}]):
        calls = [part["tool_call_id"] for part in message["parts"] if part["part_kind"] == "tool-call"]
        results = [part["tool_call_id"] for part in behind["parts"] if part["part_kind"] in ("tool-return", "retry-prompt")]
        assert calls == results
    return True


def test_pydantic_ai():
    messages = pydantic_ai_history()
    before = copy.deepcopy(messages)
    fit = for_pydantic_ai.fitter(ctxfold.Compactor(window=4_000, summarize=Model()))
    fitted = fit(messages)
    assert messages == before and len(fitted) < len(messages) and fitted[-1] is messages[-1]
    assert paired(fitted) and fitted[0]["parts"][0]["part_kind"] == "system-prompt"
    new = [each for each in fitted if not any(each is own for own in messages)]
    assert any("session digest" in part["content"] for each in new for part in each["parts"] if isinstance(part.get("content"), str))
    more = [*messages, {"parts": [{"content": "Go on.", "part_kind": "user-prompt"}], "kind": "request"}]
    again = fit(more)
    assert again[-1] is more[-1] and again[: len(fitted)] == fitted
    assert fit(messages[:2]) == messages[:2] and fit(messages[:2])[0] is messages[0]


def test_pydantic_ai_keeps_the_parts_that_stay():
    messages = pydantic_ai_history()
    policy = {"passes": [{"pass": "clear", "keep_recent": 2}]}
    fitted = for_pydantic_ai.fitter(ctxfold.Compactor(policy, window=200_000))(messages, options={"force": True})
    assert len(fitted) == len(messages) and paired(fitted)
    cleared = [(own, each) for own, each in zip(messages, fitted) if own is not each]
    assert cleared
    for own, each in cleared:
        assert each["kind"] == "request" and each["instructions"] is None
        for was, is_ in zip(own["parts"], each["parts"]):
            assert is_ is was or {**is_, "content": 0} == {**was, "content": 0}


def test_pydantic_ai_processor():
    class Adapter:
        """An adapter like pydantic's TypeAdapter."""

        def dump_python(self, messages, mode):
            return [copy.deepcopy(each.json) for each in messages]

        def validate_python(self, messages):
            return [types.SimpleNamespace(json=each) for each in messages]

    live = [types.SimpleNamespace(json=each) for each in pydantic_ai_history()]
    process = for_pydantic_ai.history_processor(ctxfold.Compactor(window=4_000, summarize=Model()), Adapter())
    made = process(live)
    assert len(made) < len(live) and made[-1] is live[-1] and paired([each.json for each in made])

    async def work():
        later = for_pydantic_ai.history_processor(aio.Compactor(window=4_000, summarize=Model()), Adapter())
        assert len(await later(live)) == len(made)

    asyncio.run(work())
