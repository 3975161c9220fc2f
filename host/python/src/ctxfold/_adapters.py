"""Code shared by the adapters. No adapter imports the package that it adapts: it recognizes that package's objects by
their attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Tuple

from ._errors import CtxfoldError

if TYPE_CHECKING:
    from .types import SummaryRequest

#: The members of a request body, besides the messages, that name the model, add to the size or control the reasoning.
BESIDE = ("model", "system", "instructions", "tools", "functions", "thinking", "reasoning", "reasoning_effort")


def finished(reason: Any) -> str:
    """Returns the finish reason of a client that always reports one. If it is missing, the output
    was cut off; the result is then ``incomplete``, so that the summary is requested again.
    """
    return reason if isinstance(reason, str) and reason else "incomplete"


def summarizer(
    ask: Callable[["SummaryRequest"], Any], read: Callable[[Any], Dict[str, Any]]
) -> Callable[["SummaryRequest"], Any]:
    """Returns a ``summarize`` for a blocking or an asynchronous client. ``ask`` calls the client, and ``read`` extracts the
    summary from the response."""

    def summarize(request: "SummaryRequest") -> Any:
        response = ask(request)
        return _later(response, read) if hasattr(response, "__await__") else read(response)

    return summarize


async def _later(response: Any, read: Callable[[Any], Dict[str, Any]]) -> Dict[str, Any]:
    return read(await response)


def compacting(create: Callable[..., Any], compactor: Any, name: str, format: str, held: Tuple[str, ...]) -> Callable[..., Any]:
    """Wraps a client's ``create`` method so that the history in its argument ``name`` is fitted before it is sent.

    If the provider rejects a call as too long, the history is compacted further and the call is repeated once. If one
    of the arguments in ``held`` is given, the call is passed through unchanged, because then the provider stores the
    history. With :class:`ctxfold.aio.Compactor` the result is a coroutine function.
    """

    def passes(body: Mapping[str, Any]) -> bool:
        return not isinstance(body.get(name), (list, tuple)) or any(body.get(key) is not None for key in held)

    def request(body: Mapping[str, Any]) -> Dict[str, Any]:
        beside = {key: body[key] for key in BESIDE if _is_given(body.get(key))}
        return {**beside, name: list(body[name])}

    policy = {**(compactor._policy or {}), "format": format}

    def blocking(**body: Any) -> Any:
        if passes(body):
            return create(**body)
        history = request(body)
        fitted = compactor.fit(history, policy=policy)
        try:
            return create(**{**body, name: fitted.messages[name]})
        except Exception as error:
            try:
                fitted = compactor.fit(history, policy=policy, refused=error)
            except CtxfoldError as failed:
                if failed.code in ("not_overflow", "still_overflow"):
                    raise error from None
                raise
        return create(**{**body, name: fitted.messages[name]})

    async def awaited(**body: Any) -> Any:
        if passes(body):
            return await create(**body)
        history = request(body)
        fitted = await compactor.fit(history, policy=policy)
        try:
            return await create(**{**body, name: fitted.messages[name]})
        except Exception as error:
            try:
                fitted = await compactor.fit(history, policy=policy, refused=error)
            except CtxfoldError as failed:
                if failed.code in ("not_overflow", "still_overflow"):
                    raise error from None
                raise
        return await create(**{**body, name: fitted.messages[name]})

    return awaited if compactor.awaited else blocking


def _is_given(value: Any) -> bool:
    """Returns whether an argument is a non-empty text, list or dict. SDKs represent omitted arguments with special
    objects."""
    return isinstance(value, (str, list, tuple, dict)) and bool(value)
