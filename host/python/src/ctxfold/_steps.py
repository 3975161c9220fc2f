"""Work that is written once and run by two drivers: one that blocks, and one for asyncio."""

from __future__ import annotations

import contextvars
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, List, Mapping, Optional, Sequence, TypeVar, Union

from ._errors import OptionError, text_of

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ._redact import FindSecrets
    from .types import Summary, SummaryRequest

T = TypeVar("T")

ASYNCHRONOUS = "{} is asynchronous: use ctxfold.aio, whose functions are awaited"

#: The flag of coroutine functions (inspect.CO_COROUTINE; inspect is slow to import).
CO_COROUTINE = 0x80

#: A model's answer to a request: the summary, with why the model ended if that is known. Or what will be one.
Summarize = Callable[["SummaryRequest"], Any]


class Work:
    """A call into the module."""

    def __init__(self, run: Callable[[], Any]) -> None:
        self.run = run


class Ask:
    """A call of a function of the caller's, which ``what`` names; with asyncio it may give an awaitable."""

    def __init__(self, run: Callable[[], Any], what: str) -> None:
        self.run = run
        self.what = what


class Wait:
    """Waits until other work has ended."""

    def __init__(self, future: "Future[None]") -> None:
        self.future = future


class Model:
    """How summaries are asked for."""

    def __init__(
        self,
        summarize: Optional[Summarize],
        timeout: Optional[float],
        concurrency: int,
        redact: Optional["FindSecrets"] = None,
    ) -> None:
        self.summarize = summarize
        #: What must reach no model that summarizes.
        self.redact = redact
        #: Seconds that one summary may take, from when it is asked for; None is no bound.
        self.timeout = timeout
        #: How many are asked for at the same time.
        self.concurrency = concurrency


class Summaries:
    """Asks a model for the summaries of one round; gives a list of answers, one for each request."""

    def __init__(self, requests: Sequence["SummaryRequest"], model: Model) -> None:
        self.requests = requests
        self.model = model


Effect = Union[Work, Ask, Wait, Summaries]
Steps = Generator[Effect, Any, T]


def run(steps: Steps[T]) -> T:
    """Does the work, and blocks until it is done."""
    send: Callable[[], Effect] = lambda: next(steps)
    while True:
        try:
            effect = send()
        except StopIteration as stop:
            done: T = stop.value
            return done
        try:
            result = _perform(effect)
        except BaseException as error:
            thrown = error
            send = lambda: steps.throw(thrown)
        else:
            send = lambda: steps.send(result)


def _perform(effect: Effect) -> Any:
    if isinstance(effect, Work):
        return effect.run()
    if isinstance(effect, Ask):
        return _now(effect.run(), effect.what)
    if isinstance(effect, Wait):
        return effect.future.result()
    return _round(effect.requests, effect.model)


def _now(value: Any, what: str) -> Any:
    """A value that is there; what will be one is for ctxfold.aio."""
    if not hasattr(value, "__await__"):
        return value
    close = getattr(value, "close", None)
    if close:
        close()
    raise OptionError(ASYNCHRONOUS.format(what))


def _round(requests: Sequence["SummaryRequest"], model: Model) -> List["Summary"]:
    """The summaries of one round, by threads. A call that takes too long is left behind; its thread ends with it."""
    from concurrent.futures import FIRST_COMPLETED, Future, wait

    if getattr(getattr(model.summarize, "__code__", None), "co_flags", 0) & CO_COROUTINE:
        raise OptionError(ASYNCHRONOUS.format("summarize"))
    answers: Dict[int, "Summary"] = {}
    waiting = deque(enumerate(requests))
    running: Dict["Future[Any]", int] = {}
    late: Dict["Future[Any]", float] = {}
    while waiting or running:
        while waiting and len(running) < model.concurrency:
            index, request = waiting.popleft()
            future: "Future[Any]" = Future()
            running[future] = index
            if model.timeout is not None:
                late[future] = time.monotonic() + model.timeout
            _start(future, model.summarize, request)
        rest = max(0.0, min(late.values()) - time.monotonic()) if late else None
        done = wait(running, timeout=rest, return_when=FIRST_COMPLETED).done
        for future in done:
            index = running.pop(future)
            late.pop(future, None)
            answers[index] = _answer(requests[index]["id"], future)
        for future in [each for each, at in late.items() if at <= time.monotonic()]:
            index = running.pop(future)
            del late[future]
            answers[index] = {"id": requests[index]["id"], "error": f"no summary within {model.timeout:g} s"}
    return [answers[index] for index in range(len(requests))]


def _start(future: "Future[Any]", summarize: Optional[Summarize], request: "SummaryRequest") -> None:
    context = contextvars.copy_context()

    def work() -> None:
        try:
            assert summarize is not None
            future.set_result(context.run(summarize, request))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, name="ctxfold-summary", daemon=True).start()


def _answer(id: str, future: "Future[Any]") -> "Summary":
    error = future.exception()
    if error is not None:
        return {"id": id, "error": text_of(error)}
    return summary(id, _now(future.result(), "summarize"))


def summary(id: str, given: Any) -> "Summary":
    """The answer to a request, of what ``summarize`` has given."""
    if isinstance(given, str):
        return {"id": id, "text": given}
    if isinstance(given, Mapping) and isinstance(given.get("text"), str):
        made: "Summary" = {"id": id, "text": given["text"]}
        reason = given.get("finish_reason")
        if isinstance(reason, str):
            made["finish_reason"] = reason
        return made
    return {"id": id, "error": "summarize returned neither a text nor a dict with a text"}
