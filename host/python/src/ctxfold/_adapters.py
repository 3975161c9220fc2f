"""Code shared by the adapters. None of them imports the package that it is for: objects are recognized by their
attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Tuple

from ._errors import CtxfoldError

if TYPE_CHECKING:
    from .types import SummaryRequest

#: The members of a request body that add to a call's size, or determine how its model thinks.
BESIDE = ("model", "system", "instructions", "tools", "functions", "thinking", "reasoning", "reasoning_effort")


def finished(reason: Any) -> str:
    """The finish reason. Clients for which it is always set report none only if the output was cut off, so the
    summary is requested again.
    """
    return reason if isinstance(reason, str) and reason else "incomplete"


def summarizer(
    ask: Callable[["SummaryRequest"], Any], read: Callable[[Any], Dict[str, Any]]
) -> Callable[["SummaryRequest"], Any]:
    """A ``summarize`` for a client that may block or be awaited: ``ask`` calls it, and ``read`` extracts the text from
    its response."""

    def summarize(request: "SummaryRequest") -> Any:
        response = ask(request)
        return _later(response, read) if hasattr(response, "__await__") else read(response)

    return summarize


async def _later(response: Any, read: Callable[[Any], Dict[str, Any]]) -> Dict[str, Any]:
    return read(await response)


def compacting(create: Callable[..., Any], compactor: Any, name: str, format: str, held: Tuple[str, ...]) -> Callable[..., Any]:
    """Wraps ``create`` of a client whose argument ``name`` is a whole history: the fitted history is sent.

    If the provider rejects a call as too long, it is compacted further and sent once more. Calls whose history the
    provider stores (``held``) are passed through. With :class:`ctxfold.aio.Compactor` the result is a coroutine
    function.
    """

    def passes(body: Mapping[str, Any]) -> bool:
        return not isinstance(body.get(name), (list, tuple)) or any(body.get(key) is not None for key in held)

    def request(body: Mapping[str, Any]) -> Dict[str, Any]:
        beside = {key: body[key] for key in BESIDE if _plain(body.get(key))}
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


def _plain(value: Any) -> bool:
    """Whether a member was given: SDKs use objects of their own for omitted arguments."""
    return isinstance(value, (str, list, tuple, dict)) and bool(value)
