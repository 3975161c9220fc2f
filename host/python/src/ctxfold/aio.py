"""The same for asyncio: ``fit``, :class:`Compactor` and :class:`Conversation` with methods to await.

``summarize``, the methods of a store and those of a memory may be coroutines; other functions run in a thread. The
module also works in a thread, without the GIL. Methods that need no model and no store, such as ``check``, are the
blocking ones of :class:`Compactor` (``await asyncio.to_thread(compactor.check, messages)`` keeps it off the loop).

Cancelling the task aborts its compaction; nothing has changed then.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Coroutine, List, Literal, Mapping, Optional, Sequence, Set, TypeVar, Union, cast

from . import _archive
from ._base import CONCURRENCY, TIMEOUT, Compacting, next_of, shared_fits
from ._conversation import Held, Live
from ._options import checked, without_none
from ._redact import FindSecrets
from ._results import Done, Fitted
from ._steps import Ask, Begin, Effect, Launch, Steps, Summarize, Until, Work
from ._transcript import transcript

if TYPE_CHECKING:
    from . import types

M = TypeVar("M")
T = TypeVar("T")
Msg = TypeVar("Msg")


async def _run(steps: Steps[T]) -> T:
    """Runs the work without blocking the event loop."""
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
        return _task(_run(effect.steps))
    if isinstance(effect, Until):
        return await _until(effect)
    effect.launched.cancel()
    return None


#: Keeps independent tasks alive, because asyncio only holds weak references to them.
_tasks: Set["asyncio.Task[Any]"] = set()


def _task(work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
    """A separate task, because its cancellation must be distinguishable from that of the compaction."""
    task = asyncio.ensure_future(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())  # the result may never be read
    return task


async def _until(effect: Until) -> List[Any]:
    """The futures that are done. Futures of other threads are wrapped while waiting."""
    waits = {each if asyncio.isfuture(each) else asyncio.wrap_future(each): each for each in effect.futures}
    if not waits:
        await asyncio.sleep(effect.seconds() or 0)
        return []
    done, _ = await asyncio.wait(waits, timeout=effect.seconds(), return_when=asyncio.FIRST_COMPLETED)
    return [waits[each] for each in done]


async def _asked(run: Callable[[], Any]) -> Any:
    """The result of a caller's function, which may be an awaitable."""
    value = await asyncio.to_thread(_stopped, run)
    return await value if hasattr(value, "__await__") else value


def _stopped(run: Callable[[], Any]) -> Any:
    """The result of a function. A StopIteration is converted, because an asyncio future cannot hold it and awaiting it
    would never end."""
    try:
        return run()
    except StopIteration as error:
        raise RuntimeError(f"StopIteration: {error}") from error


class Compactor(Compacting):
    """:class:`ctxfold.Compactor` for asyncio."""

    awaited = True

    @checked
    async def fit(
        self,
        messages: M,
        *,
        id: str = "default",
        policy: Optional["types.Policy"] = None,
        options: Optional["types.Options"] = None,
        usage: Optional["types.Counted"] = None,
        next: Optional[Mapping[str, Optional[str]]] = None,
        refused: Optional[BaseException] = None,
    ) -> Fitted[M]:
        """Returns what to send for a whole history, as :func:`fit` does. Each compactor has its own memory of compactions."""
        return await _run(self._fitted(transcript(messages), id, policy, options, usage, next, refused))

    @checked
    async def compact(
        self,
        messages: M,
        *,
        state: Optional["types.State"] = None,
        policy: Optional["types.Policy"] = None,
        options: Optional["types.Options"] = None,
        usage: Optional["types.Counted"] = None,
    ) -> Done[M]:
        """Compacts messages if that is due, for programs that replace their list with the result and store its state with the list."""
        return await _run(self._compacted(transcript(messages), state, policy, options, usage))

    @checked
    async def restore_all(
        self,
        messages: M,
        *,
        handles: Optional[Sequence[str]] = None,
        state: Optional["types.State"] = None,
        policy: Optional["types.Policy"] = None,
    ) -> Done[M]:
        """Restores what compactions removed and the store has: all of it, or the contents of some handles."""
        source = transcript(messages)
        store = _archive.store_in(self._store)
        head = self._restoring(policy, state, source)
        return await _run(_archive.restore(self._module, store, source, head, handles))

    @checked
    async def search(
        self,
        query: str,
        messages: Any = None,
        *,
        handles: Optional[Sequence[str]] = None,
        limit: Optional[int] = None,
        roles: Optional[List[str]] = None,
        after: Optional[str] = None,
        before: Optional[str] = None,
        state: Optional["types.State"] = None,
        policy: Optional["types.Policy"] = None,
    ) -> "types.Found":
        """Like :meth:`ctxfold.Compactor.search`."""
        source = None if messages is None else transcript(messages)
        asked = without_none({"query": query, "limit": limit, "roles": roles, "after": after, "before": before})
        head = self._restoring(policy, state, source)
        return await _run(_archive.search(self._module, _archive.store_in(self._store), asked, source, head, handles))

    @checked
    async def recall(
        self,
        arguments: Any,
        messages: Any = None,
        *,
        state: Optional["types.State"] = None,
        policy: Optional["types.Policy"] = None,
    ) -> str:
        """Like :meth:`ctxfold.Compactor.recall`."""
        source = None if messages is None else transcript(messages)
        head = self._restoring(policy, state, source)
        return await _run(_archive.recall(self._module, _archive.store_in(self._store), arguments, source, head))


@checked
async def fit(
    messages: M,
    *,
    window: Union[int, Literal["unlimited"], None] = None,
    model: Optional[str] = None,
    format: Optional["types.Format"] = None,
    summarize: Optional[Summarize] = None,
    policy: Optional["types.Policy"] = None,
    id: str = "default",
    store: Any = None,
    memory: Any = None,
    options: Optional["types.Options"] = None,
    usage: Optional["types.Counted"] = None,
    summary_timeout: Optional[float] = TIMEOUT,
    concurrency: int = CONCURRENCY,
    next: Optional[Mapping[str, Optional[str]]] = None,
    prefix: bool = False,
    redact: Optional[FindSecrets] = None,
) -> Fitted[M]:
    """:func:`ctxfold.fit` for asyncio. Both share their memory."""
    return await _run(
        shared_fits.fit(
            messages, id=id, policy=policy, window=window, model=model, format=format, summarize=summarize,
            summary_timeout=summary_timeout, concurrency=concurrency, store=store, memory=memory, options=options, usage=usage,
            next=next, prefix=prefix, redact=redact,
        )
    )  # fmt: skip


class Conversation(Live[Msg]):
    """:class:`ctxfold.Conversation` for asyncio."""

    @checked
    def __init__(
        self, compactor: Compactor, messages: Sequence[Msg] = (), *, state: Optional["types.State"] = None
    ) -> None:
        """``state`` is the state of the last compaction of these messages."""
        super().__init__(Held(compactor, messages, state))

    async def append(self, *messages: Msg) -> int:
        """Appends messages and returns the estimated tokens of all messages. If one is invalid, none is appended."""
        return await _run(self._held.append(messages))

    async def set_messages(self, messages: Sequence[Msg]) -> None:
        """Replaces all messages, for example after the user edited an earlier one."""
        await _run(self._held.replace(messages))

    async def check(self, *, usage: Optional["types.Counted"] = None) -> "types.Check":
        """Reports whether a compaction is due."""
        return await _run(self._held.check({"usage": usage} if usage else None))

    async def after_turn(self, *, usage: Optional["types.Counted"] = None) -> Optional[Done[List[Msg]]]:
        """Compacts if that is due. Call it when the model has ended its turn. Returns None if nothing was due.

        With ``gate.start`` of the policy a compaction begins in the background before it is due, and this returns None; only at the limit it
        waits for that.
        """
        return await _run(self._held.after_turn(usage))

    async def before_turn(
        self, *, next: Optional[Mapping[str, Optional[str]]] = None, options: Optional["types.Options"] = None
    ) -> Optional[Done[List[Msg]]]:
        """Compacts if that is due before the model is called: with ``gate.idle`` of the policy, a conversation whose prompt cache is cold is
        compacted below the limit too. ``next`` names the ``model`` and the ``provider``; how long the conversation was idle is measured, unless
        ``options`` say it. :meth:`call` does this itself.
        """
        return await _run(self._held.before_turn(dict(options or {}), next_of(next)))

    async def compact(self) -> Done[List[Msg]]:
        """Compacts even if it is not due."""
        return await _run(self._held.compact())

    async def restore(self, *handles: str) -> Done[List[Msg]]:
        """Restores what compactions removed: the contents of these handles, or without handles everything in the store."""
        return await _run(self._held.restore(handles or None))

    async def call(self, send: Callable[[List[Msg]], Union[T, Awaitable[T]]]) -> T:
        """Like :meth:`ctxfold.Conversation.call`; ``send`` may be a coroutine function."""
        return cast(T, await _run(self._held.call(send)))

    async def __aenter__(self) -> "Conversation[Msg]":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
