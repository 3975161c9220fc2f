"""Operations as sequences of steps. They are written once, as generators, and run by two drivers: a blocking one, and
one for asyncio."""

from __future__ import annotations

import contextvars
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Mapping, Optional, Sequence, TypeVar, Union

from ._errors import OptionError, text_of

if TYPE_CHECKING:
    from ._redact import FindSecrets
    from .types import SummaryRequest

T = TypeVar("T")

ASYNCHRONOUS = "{} is asynchronous: use ctxfold.aio, whose functions are awaited"

#: A future of concurrent.futures, or of asyncio.
Launched = Any

#: Calls a model to answer a request. Returns the summary, with the finish reason if known, or an awaitable of these.
Summarize = Callable[["SummaryRequest"], Any]


class Work:
    """A step that calls the module."""

    def __init__(self, run: Callable[[], Any]) -> None:
        self.run = run


class Ask:
    """A step that calls one of the caller's functions. ``name`` identifies the function in errors. With asyncio it may return
    an awaitable."""

    def __init__(self, run: Callable[[], Any], name: str) -> None:
        self.run = run
        self.name = name


class Launch:
    """A step that begins a concurrent call of one of the caller's functions. Yields a future of its result."""

    def __init__(self, run: Callable[[], Any], name: str) -> None:
        self.run = run
        self.name = name


class Cancel:
    """A step that cancels a concurrent call whose result is no longer needed."""

    def __init__(self, launched: Launched) -> None:
        self.launched = launched


class Begin:
    """A step that begins other steps, which run independently and may outlive the call. Yields a future that is done
    when they have ended."""

    def __init__(self, steps: "Steps[Any]") -> None:
        self.steps = steps


class Until:
    """A step that waits until one of several futures is done, but not beyond a given time. Yields the futures that
    are done."""

    def __init__(self, futures: Sequence[Launched], until: Optional[int]) -> None:
        self.futures = futures
        #: The end of the wait in milliseconds since 1970; None means no limit.
        self.until = until

    def seconds(self) -> Optional[float]:
        return None if self.until is None else max(0.0, self.until / 1000 - time.time())


class Model:
    """The settings for requesting summaries."""

    def __init__(
        self,
        summarize: Optional[Summarize],
        timeout: Optional[float],
        concurrency: int,
        redact: Optional["FindSecrets"] = None,
        prefix: bool = False,
    ) -> None:
        self.summarize = summarize
        #: Finds secrets, which no summarizer must get.
        self.redact = redact
        #: The time limit for one call of ``summarize`` in seconds; None means no limit.
        self.timeout = timeout
        #: The maximum number of concurrent requests.
        self.concurrency = concurrency
        #: Whether ``summarize`` can send requests that extend the conversation.
        self.prefix = prefix

    def asked(self) -> Summarize:
        """Returns the function ``summarize``, which must be set."""
        assert self.summarize is not None
        return self.summarize


Effect = Union[Work, Ask, Launch, Cancel, Begin, Until]
Steps = Generator[Effect, Any, T]


def run(steps: Steps[T]) -> T:
    """Runs the steps of an operation, and blocks until they are done. Returns their result."""
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
        return _not_awaitable(effect.run(), effect.name)
    if isinstance(effect, Launch):
        launch = effect
        return _thread(lambda: _not_awaitable(launch.run(), launch.name), "ctxfold-summary")
    if isinstance(effect, Begin):
        steps = effect.steps
        return _thread(lambda: run(steps), "ctxfold-background")
    if isinstance(effect, Until):
        from concurrent.futures import FIRST_COMPLETED, wait

        if effect.futures:
            return list(wait(effect.futures, timeout=effect.seconds(), return_when=FIRST_COMPLETED).done)
        time.sleep(effect.seconds() or 0)
        return []
    return None  # a thread cannot be stopped: it ends when the function returns


def _not_awaitable(value: Any, name: str) -> Any:
    """Returns a value, but raises if it is an awaitable, which only ctxfold.aio supports. ``name`` is that of the
    caller's function."""
    if not hasattr(value, "__await__"):
        return value
    close = getattr(value, "close", None)
    if close:
        close()
    raise OptionError(ASYNCHRONOUS.format(name))


def _thread(work: Callable[[], Any], name: str) -> Launched:
    """Runs work in its own thread, which does not keep the process alive. Returns a future of its result. ``name`` is
    that of the thread."""
    from concurrent.futures import Future

    future: Launched = Future()
    context = contextvars.copy_context()

    def target() -> None:
        future.set_running_or_notify_cancel()  # a running future can't be cancelled, so setting its result can't fail
        try:
            future.set_result(context.run(work))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=target, name=name, daemon=True).start()
    return future


def given_by(launched: Any, id: int) -> Dict[str, Any]:
    """Returns the result of an ``ask`` effect, given the future of a call of ``summarize``: the summary, or the error of the
    call. An OptionError is raised instead, because the program has to correct it."""
    try:
        error = launched.exception()
    except BaseException as cancelled:  # cancelled by the function itself, not by us
        error = cancelled
    if error is None:
        return {"id": id, "summary": summary(launched.result())}
    if isinstance(error, OptionError):
        raise error
    return {"id": id, "error": text_of(error), "failure": call_failure_of(error)}


def call_failure_of(error: BaseException) -> Dict[str, Any]:
    """Returns what an SDK's exception says about the provider's response, from which the module decides whether to call
    again."""
    from .failures import failure_of

    failure: Dict[str, Any] = {**failure_of(error)}
    headers = getattr(getattr(error, "response", None), "headers", None) or getattr(error, "headers", None)
    for name in ("retry-after", "retry-after-ms", "x-should-retry"):
        try:
            failure[name.removeprefix("x-").replace("-", "_")] = str(headers[name])  # type: ignore[index]
        except (KeyError, TypeError):
            pass
    return failure


def summary(given: Any) -> Dict[str, Any]:
    """Converts the return value of ``summarize`` to the module's form of a summary. Anything else becomes an error,
    which the module counts as a failed call."""
    if isinstance(given, str):
        return {"text": given} if given else {"error": "the summary is empty"}
    if isinstance(given, Mapping) and (isinstance(given.get("text"), str) or isinstance(given.get("messages"), list)):
        return {key: given[key] for key in ("text", "messages", "finish_reason", "usage") if given.get(key) is not None}
    return {"error": "summarize returned neither a text nor a dict with a text or messages"}
