"""An adapter for the Anthropic client. Messages may be dicts, with the client's own objects as their content.

::

    from anthropic import Anthropic
    from ctxfold import Compactor
    from ctxfold.anthropic import compacting, summarizer

    client = Anthropic()
    create = compacting(client, Compactor(window=200_000, summarize=summarizer(client, "claude-haiku-4-5")))
    answer = create(model="claude-sonnet-4-5", max_tokens=4096, system=system, messages=history)
    history.append({"role": "assistant", "content": answer.content})

With ``AsyncAnthropic`` pass a :class:`ctxfold.aio.Compactor`, and await ``create``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict

from . import _adapters

if TYPE_CHECKING:
    from ._base import Compacting
    from .types import SummaryRequest


def compacting(client: Any, compactor: "Compacting") -> Callable[..., Any]:
    """Wraps ``client.messages.create``. Pass the whole history in ``messages``; the request contains messages that fit in the
    window."""
    return _adapters.compacting(client.messages.create, compactor, "messages", "anthropic", ())


def summarizer(client: Any, model: str, **more: Any) -> Callable[["SummaryRequest"], Any]:
    """Returns a ``summarize`` that uses the Messages API. ``more`` contains arguments that are passed in each call,
    such as ``temperature``."""

    def ask(request: "SummaryRequest") -> Any:
        messages = [{"role": "user", "content": request["prompt"]}]
        own: Dict[str, Any] = {"model": model, "system": request["system"], "messages": messages}
        return client.messages.create(**{**own, "max_tokens": request["max_output_tokens"], **more})

    def read(response: Any) -> Dict[str, Any]:
        text = "".join(block.text for block in response.content if block.type == "text")
        return {"text": text, "finish_reason": _adapters.finished(response.stop_reason)}

    return _adapters.summarizer(ask, read)
