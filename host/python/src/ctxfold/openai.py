"""An adapter for the OpenAI client and compatible servers. Messages may be dicts or the client's own objects.

::

    from openai import OpenAI
    from ctxfold import Compactor
    from ctxfold.openai import compacting_chat, summarizer

    client = OpenAI()
    create = compacting_chat(client, Compactor(window=128_000, summarize=summarizer(client, "gpt-5-mini")))
    answer = create(model="gpt-5", messages=history)
    history.append(answer.choices[0].message)

With ``AsyncOpenAI`` pass a :class:`ctxfold.aio.Compactor`, and await ``create``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict

from . import _adapters

if TYPE_CHECKING:
    from ._base import Compacting
    from .types import SummaryRequest


def compacting_chat(client: Any, compactor: "Compacting") -> Callable[..., Any]:
    """Wraps ``client.chat.completions.create``. Pass the whole history in ``messages``; the request contains messages that fit in
    the window."""
    return _adapters.compacting(client.chat.completions.create, compactor, "messages", "openai-chat", ())


def compacting_responses(client: Any, compactor: "Compacting") -> Callable[..., Any]:
    """Wraps ``client.responses.create``. Pass the whole history in ``input``. Calls with ``previous_response_id`` or
    ``conversation`` are passed through, because the provider stores their history."""
    held = ("previous_response_id", "conversation")
    return _adapters.compacting(client.responses.create, compactor, "input", "openai-responses", held)


def summarizer(client: Any, model: str, **more: Any) -> Callable[["SummaryRequest"], Any]:
    """Returns a ``summarize`` that uses Chat Completions. ``more`` contains arguments that are passed in each call,
    such as ``temperature``."""

    def ask(request: "SummaryRequest") -> Any:
        messages = [{"role": "system", "content": request["system"]}, {"role": "user", "content": request["prompt"]}]
        return client.chat.completions.create(
            **{"model": model, "messages": messages, "max_completion_tokens": request["max_output_tokens"], **more}
        )

    def read(response: Any) -> Dict[str, Any]:
        choice = response.choices[0]
        return {"text": choice.message.content or "", "finish_reason": _adapters.finished(choice.finish_reason)}

    return _adapters.summarizer(ask, read)


def responses_summarizer(client: Any, model: str, **more: Any) -> Callable[["SummaryRequest"], Any]:
    """Returns a ``summarize`` that uses the Responses API and asks the provider to store nothing. ``more`` contains
    arguments that are passed in each call."""

    def ask(request: "SummaryRequest") -> Any:
        own: Dict[str, Any] = {"model": model, "instructions": request["system"], "input": request["prompt"], "store": False}
        return client.responses.create(**{**own, "max_output_tokens": request["max_output_tokens"], **more})

    def read(response: Any) -> Dict[str, Any]:
        details = getattr(response, "incomplete_details", None)
        done = "stop" if response.status == "completed" else getattr(details, "reason", None)
        return {"text": response.output_text, "finish_reason": _adapters.finished(done)}

    return _adapters.summarizer(ask, read)
