"""The asyncio driver, which runs work without blocking the event loop."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Coroutine, List, Set, TypeVar

from ._steps import Ask, Begin, Effect, Launch, Steps, Until, Work

T = TypeVar("T")


async def run(steps: Steps[T]) -> T:
    """Runs the steps of an operation without blocking the event loop, and returns their result.
    Exceptions of the steps are raised unchanged."""
    send: Callable[[], Effect] = lambda: next(steps)
    while True:
        try:
            effect = send()
        except StopIteration as stop:
            done: T = stop.value
            return done
        try:
            result = await _perform(effect)
        except BaseException as error:
            thrown = error
            send = lambda: steps.throw(thrown)
        else:
            send = lambda: steps.send(result)


async def _perform(effect: Effect) -> Any:
    if isinstance(effect, Work):
        return await asyncio.to_thread(effect.run)
    if isinstance(effect, Ask):
        return await _asked(effect.run)
    if isinstance(effect, Launch):
        return _task(_asked(effect.run))
    if isinstance(effect, Begin):
        return _task(run(effect.steps))
    if isinstance(effect, Until):
        return await _until(effect)
    effect.launched.cancel()
    return None


#: Keeps independent tasks alive, because asyncio only holds weak references to them.
_tasks: Set["asyncio.Task[Any]"] = set()


def _task(work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
    """Returns a separate task for the work, so that its cancellation can be told apart from that of the compaction."""
    task = asyncio.ensure_future(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())  # the result may never be read
    return task


async def _until(effect: Until) -> List[Any]:
    """Waits, and returns the futures that are done. Futures of other threads are wrapped so that
    asyncio can wait for them. Returns an empty list if the time runs out first."""
    waits = {each if asyncio.isfuture(each) else asyncio.wrap_future(each): each for each in effect.futures}
    if not waits:
        await asyncio.sleep(effect.seconds() or 0)
        return []
    done, _ = await asyncio.wait(waits, timeout=effect.seconds(), return_when=asyncio.FIRST_COMPLETED)
    return [waits[each] for each in done]


async def _asked(run: Callable[[], Any]) -> Any:
    """Calls one of the caller's functions in a thread. If it returns an awaitable, this awaits it
    and returns its result."""
    value = await asyncio.to_thread(_stopped, run)
    return await value if hasattr(value, "__await__") else value


def _stopped(run: Callable[[], Any]) -> Any:
    """Calls a function and converts a StopIteration that it raises: an asyncio future cannot hold one, so awaiting the
    result would never end."""
    try:
        return run()
    except StopIteration as error:
        raise RuntimeError(f"StopIteration: {error}") from error
