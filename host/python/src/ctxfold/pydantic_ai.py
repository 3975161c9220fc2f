"""An adapter for the message history of Pydantic AI, converted to JSON by
``ModelMessagesTypeAdapter.dump_python(messages, mode="json")``.

::

    from pydantic_ai.messages import ModelMessagesTypeAdapter
    from ctxfold import Compactor
    from ctxfold.pydantic_ai import history_processor

    compactor = Compactor(window=128_000, summarize=summarize)
    agent = Agent(model, history_processors=[history_processor(compactor, ModelMessagesTypeAdapter)])

With :class:`ctxfold.aio.Compactor` the processor is a coroutine function, which Pydantic AI accepts too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from ._base import Compacting

Message = Dict[str, Any]
Part = Dict[str, Any]


def history_processor(compactor: "Compacting", adapter: Any) -> Callable[[List[Any]], Any]:
    """Returns a function for an agent's ``history_processors`` that compacts a history so that it fits in the window.
    ``adapter`` is ``ModelMessagesTypeAdapter``. Kept messages are the same objects."""
    fit = fitter(compactor)

    def back(messages: List[Any], dumped: List[Message], fitted: List[Message]) -> List[Any]:
        own = {id(each): message for each, message in zip(dumped, messages)}
        return [own[id(each)] if id(each) in own else adapter.validate_python([each])[0] for each in fitted]

    def blocking(messages: List[Any]) -> List[Any]:
        dumped = adapter.dump_python(messages, mode="json")
        return back(messages, dumped, fit(dumped))

    async def awaited(messages: List[Any]) -> List[Any]:
        dumped = adapter.dump_python(messages, mode="json")
        return back(messages, dumped, await fit(dumped))

    return awaited if compactor.awaited else blocking


def fitter(compactor: "Compacting") -> Callable[..., Any]:
    """Returns a function that takes a history as JSON and returns the messages to send. Kept messages are the same dicts;
    if only some parts of a message are changed, its other parts are kept. With :class:`ctxfold.aio.Compactor` the function is
    a coroutine function."""
    policy: Any = {**(compactor._policy or {}), "format": "native"}
    given: Any = compactor

    def blocking(messages: Sequence[Message], **options: Any) -> List[Message]:
        wire = Wire(messages)
        return wire.back(given.fit(wire.messages, policy=policy, **options).messages)

    async def awaited(messages: Sequence[Message], **options: Any) -> List[Message]:
        wire = Wire(messages)
        return wire.back((await given.fit(wire.messages, policy=policy, **options)).messages)

    return awaited if compactor.awaited else blocking


class Place(NamedTuple):
    """The origin of a message in the wire format: the index of the Pydantic AI message, and the index of its part or,
    for a response, None."""

    message: int
    part: Optional[int]


class Wire:
    """A history in the wire format ``native``, which has one message for each part of a request and one for each response."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._given = messages
        self.messages: List[Message] = []
        self._places: Dict[int, Place] = {}
        self._results: Dict[Tuple[str, str], Place] = {}
        self._responses: Dict[str, Place] = {}
        for i, message in enumerate(messages):
            if message.get("kind") == "response":
                self._put(_response(message), Place(i, None))
                continue
            for j, part in enumerate(message["parts"]):
                self._put(_part(part), Place(i, j))

    def _put(self, message: Message, place: Place) -> None:
        self.messages.append(message)
        self._places[id(message)] = place
        if message["role"] == "tool_result":
            self._results[message["tool_name"], message["tool_call_id"]] = place
        elif message["role"] == "assistant":
            for part in message["content"]:
                if part["type"] == "tool_call":
                    self._responses[part["id"]] = place

    def back(self, fitted: Sequence[Message]) -> List[Message]:
        """Converts messages in the wire format back to Pydantic AI messages. Kept messages are the same objects."""
        out: List[Message] = []
        at: Optional[int] = None  # the message whose parts are being collected
        parts: List[Part] = []

        def flush() -> None:
            nonlocal at
            if at is not None:
                own = self._given[at]
                whole = len(parts) == len(own["parts"]) and all(a is b for a, b in zip(parts, own["parts"]))
                out.append(own if whole else {**own, "parts": list(parts)})
            at = None
            parts.clear()

        for message in fitted:
            place = self._places.get(id(message))
            changed = place is None
            if place is None and message["role"] == "tool_result":
                place = self._results.get((message.get("tool_name", ""), message.get("tool_call_id", "")))
            if place is None or place.part is None:
                flush()
                out.append(self._given[place.message] if place else self._new(message))
                continue
            if place.message != at:
                flush()
                at = place.message
            part = self._given[place.message]["parts"][place.part]
            parts.append({**part, "content": message["content"]} if changed else part)
        flush()
        return out

    def _new(self, message: Message) -> Message:
        if message["role"] != "assistant":
            text = message.get("content", message.get("summary", ""))
            return {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": _joined(text)}]}
        content = message["content"]
        if isinstance(content, str):
            return {"kind": "response", "parts": [{"part_kind": "text", "content": content}]}
        ids = [part["id"] for part in content if part["type"] == "tool_call"]
        place = next((self._responses[each] for each in ids if each in self._responses), None)
        parts = [each for each in map(_new_part, content) if each is not None]
        if place is None:
            return {"kind": "response", "parts": parts}
        own = self._given[place.message]
        same = {(each["part_kind"], str(each.get("tool_call_id") or each.get("content"))): each for each in own["parts"]}
        kept = [same.get((each["part_kind"], str(each.get("tool_call_id") or each.get("content"))), each) for each in parts]
        return {**own, "parts": kept}


def _part(part: Part) -> Message:
    """Converts a part of a request to a message."""
    kind, content = part["part_kind"], part.get("content")
    if kind == "system-prompt":
        return {"role": "system", "content": content}
    if kind == "tool-return" or kind == "retry-prompt" and part.get("tool_name"):
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        return {
            "role": "tool_result", "tool_call_id": part["tool_call_id"], "tool_name": part["tool_name"], "content": text,
            "is_error": kind == "retry-prompt",
        }  # fmt: skip
    if isinstance(content, str):
        return {"role": "user", "content": content}
    return {"role": "user", "content": [_content(each) for each in content or []]}


def _content(item: Any) -> Part:
    """Converts one item of a user's prompt. A file stays in the history; the module only gets its size."""
    if isinstance(item, str):
        return {"type": "text", "text": item}
    if not isinstance(item, dict) or "kind" not in item:
        return {"type": "text", "text": json.dumps(item, ensure_ascii=False)}
    media = str(item.get("media_type") or item["kind"])
    kind = next((each for each in ("image", "audio") if media.startswith(each)), "file")
    data = item.get("data")
    return {"type": kind, "data_length": len(data) if isinstance(data, str) else 0}


def _response(message: Message) -> Message:
    content: List[Part] = []
    for part in message["parts"]:
        kind = part["part_kind"]
        if kind == "text":
            content.append({"type": "text", "text": part["content"]})
        elif kind == "thinking":
            content.append({"type": "reasoning", "text": part["content"]})
        elif kind == "tool-call":
            content.append(
                {"type": "tool_call", "id": part["tool_call_id"], "name": part["tool_name"], "input": _arguments(part.get("args"))}
            )
        else:  # calls of the provider's own tools, and files, which stay with their message
            content.append({"type": "text", "text": json.dumps(part, ensure_ascii=False)})
    return {"role": "assistant", "content": content}


def _new_part(part: Part) -> Optional[Part]:
    if part["type"] == "tool_call":
        return {"part_kind": "tool-call", "tool_name": part["name"], "args": part["input"], "tool_call_id": part["id"]}
    if part["type"] in ("text", "reasoning"):
        return {"part_kind": "text" if part["type"] == "text" else "thinking", "content": part["text"]}
    return None


def _arguments(given: Any) -> Any:
    if not isinstance(given, str):
        return given or {}
    try:
        value = json.loads(given)
    except ValueError:
        return {"arguments": given}
    return value if isinstance(value, dict) else {"arguments": value}


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("type") == "text")
