"""An adapter for LangChain and LangGraph. Their messages are recognized by the method ``model_dump``.

::

    from langgraph.prebuilt import create_react_agent
    from ctxfold import Compactor
    from ctxfold.langchain import pre_model_hook, summarizer

    compactor = Compactor(window=128_000, summarize=summarizer(model))
    agent = create_react_agent(model, tools, pre_model_hook=pre_model_hook(compactor))

The agent's state and its checkpoints keep the whole history, but the model gets messages that fit in its window. With
``agent.ainvoke`` pass a :class:`ctxfold.aio.Compactor`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Sequence

from . import _adapters

if TYPE_CHECKING:
    from ._base import Compacting
    from .types import SummaryRequest

#: The class names in langchain_core.messages, by message type.
CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}

#: The metadata members in which the providers' packages put the finish reason.
REASONS = ("finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason")


def pre_model_hook(compactor: "Compacting") -> Callable[[Mapping[str, Any]], Any]:
    """Returns a hook for ``create_react_agent`` that converts the ``messages`` of a state to ``llm_input_messages``
    that fit in the window."""
    fit = fitter(compactor)

    def blocking(state: Mapping[str, Any]) -> Dict[str, Any]:
        return {"llm_input_messages": fit(state["messages"])}

    async def awaited(state: Mapping[str, Any]) -> Dict[str, Any]:
        return {"llm_input_messages": await fit(state["messages"])}

    return awaited if compactor.awaited else blocking


def fitter(compactor: "Compacting") -> Callable[..., Any]:
    """Returns a function that takes a history and returns the messages to send, for example for a ``RunnableLambda`` in front
    of a model.

    Kept messages are the same objects. With :class:`ctxfold.aio.Compactor` the function is a coroutine function.
    """
    policy: Any = {**(compactor._policy or {}), "format": "langchain"}
    given: Any = compactor

    def blocking(messages: Sequence[Any], **options: Any) -> List[Any]:
        wire = [_dump(each) for each in messages]
        return _back(messages, wire, given.fit(wire, policy=policy, **options).messages)

    async def awaited(messages: Sequence[Any], **options: Any) -> List[Any]:
        wire = [_dump(each) for each in messages]
        return _back(messages, wire, (await given.fit(wire, policy=policy, **options)).messages)

    return awaited if compactor.awaited else blocking


def summarizer(model: Any, *, awaited: bool = False) -> Callable[["SummaryRequest"], Any]:
    """Returns a ``summarize`` that calls a chat model with ``model.invoke`` or, if ``awaited`` is
    set, with ``model.ainvoke``. Set ``awaited`` in asynchronous programs."""
    invoke = model.ainvoke if awaited else model.invoke

    def ask(request: "SummaryRequest") -> Any:
        return invoke([("system", request["system"]), ("human", request["prompt"])])

    def read(response: Any) -> Dict[str, Any]:
        metadata = getattr(response, "response_metadata", None) or {}
        reason = next((metadata[key] for key in REASONS if metadata.get(key)), None)
        return {"text": _text(response.content), "finish_reason": reason}

    return _adapters.summarizer(ask, read)


def _dump(message: Any) -> Any:
    return message.model_dump(mode="json") if hasattr(message, "model_dump") else message


def _back(messages: Sequence[Any], wire: Sequence[Any], fitted: Sequence[Any]) -> List[Any]:
    """Returns the caller's own objects for kept messages, and objects of the same classes for new ones."""
    own = {id(each): message for each, message in zip(wire, messages)}
    classes = {each["type"]: type(message) for each, message in zip(wire, messages) if isinstance(each, dict) and "type" in each}
    return [own[id(each)] if id(each) in own else _load(each, classes) for each in fitted]


def _load(message: Dict[str, Any], classes: Dict[str, Any]) -> Any:
    kind = message.get("type", "")
    # If the caller uses the package's message classes, the package is loaded. Otherwise messages are dicts, which it also accepts.
    make = classes.get(kind) or getattr(sys.modules.get("langchain_core.messages"), CLASSES.get(kind, ""), None)
    return make(**{key: value for key, value in message.items() if key != "type"}) if make else message


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(each if isinstance(each, str) else each.get("text", "") for each in content)
