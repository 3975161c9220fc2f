# Generated from _compactor.py by `make generate`. Do not edit it.
"""The API for asyncio: coroutine versions of ``fit``, :class:`Compactor` and :class:`Conversation`.

``summarize`` and the methods of a store or a memory may be coroutine functions; other functions run in a thread. The
module also runs in a thread, without the GIL. Methods that need no model and no store, such as ``check``, still block.
To keep one off the event loop, use ``await asyncio.to_thread(compactor.check, messages)``.

If the task is cancelled, its compaction is aborted and nothing has changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Awaitable, Callable, List, Literal, Mapping, Optional, Sequence, TypeVar, Union, cast

from . import _archive
from ._base import CONCURRENCY, TIMEOUT, Compacting, next_of, shared_fits
from ._conversation import ConversationState, Live, Scoring, compactor_of
from ._options import checked, without_none
from ._redact import FindSecrets
from ._results import Done, FitResult
from ._asyncio import run
from ._steps import Summarize
from ._transcript import transcript

if TYPE_CHECKING:
    from . import types

M = TypeVar("M")
T = TypeVar("T")
Msg = TypeVar("Msg")


class Compactor(Compacting):
    """Compacts conversations under one policy, with one model and one store. Any number of threads may use it at once.

    It is :class:`ctxfold.Compactor` for asyncio.
    """

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
    ) -> FitResult[M]:
        """Fits a whole history and returns the messages to send, like :func:`ctxfold.fit`. Each compactor has its own
        memory of compactions.

        ``refused`` is the exception that a model call with the messages of the last fit raised. If they were too long
        for the model, they are compacted further; otherwise this raises ``not_overflow``. If the compaction does not
        help, it raises ``still_overflow``.
        """
        return await run(self._fitted(transcript(messages), id, policy, options, usage, next, refused))

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
        """Compacts messages if compaction is due, for programs that replace their list with the result and store its
        state with the list. If compaction is not due, the result has the same messages. Raises :class:`CtxfoldError`
        if the operation fails."""
        return await run(self._compacted(transcript(messages), state, policy, options, usage))

    @checked
    async def restore_all(
        self,
        messages: M,
        *,
        handles: Optional[Sequence[str]] = None,
        state: Optional["types.State"] = None,
        policy: Optional["types.Policy"] = None,
    ) -> Done[M]:
        """Restores contents that compactions removed: those with the given handles or, by default, everything in the
        store. Contents that the store lacks stay removed."""
        source = transcript(messages)
        store = _archive.store_in(self._store)
        return await run(_archive.restore(self._module, store, source, self._restoring(policy, state, source), handles))

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
        """Finds removed messages that contain the words of a query. Searches the contents with the given handles or,
        by default, all archived contents that the messages name.

        Dates may be days, months or years: ``2025-03-14``, ``2025-03`` or ``2025``. ``limit`` is the maximum number
        of results.
        """
        source = None if messages is None else transcript(messages)
        asked = without_none({"query": query, "limit": limit, "roles": roles, "after": after, "before": before})
        head = self._restoring(policy, state, source)
        return await run(_archive.search(self._module, _archive.store_in(self._store), asked, source, head, handles))

    @checked
    async def recall(
        self,
        arguments: Any,
        messages: Any = None,
        *,
        state: Optional["types.State"] = None,
        policy: Optional["types.Policy"] = None,
    ) -> str:
        """Answers a call of the tool that :meth:`recall_tool` defines. Returns the tool result for the model.

        If the call has a query, it searches only the contents that ``messages`` name, not everything in the store.
        """
        source = None if messages is None else transcript(messages)
        head = self._restoring(policy, state, source)
        return await run(_archive.recall(self._module, _archive.store_in(self._store), arguments, source, head))


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
) -> FitResult[M]:
    """Fits a whole history into the model's context window and returns the messages to send. Earlier compactions are
    applied to the beginning of the history, and a new compaction is made when one is due.

    The program keeps its own list and passes all of it each turn. ``messages`` is a list of dicts or of an SDK's
    objects, a request body, or JSON as str or bytes. The result has the same type, and kept messages are the same
    objects.

    ``window`` is the model's context window in tokens; ``summarize`` and the other options are those of
    :class:`Compactor`. ``id`` identifies the conversation or its user: a compaction that is remembered under one id
    is never used for another. Compactions are remembered for calls with an equal policy and the same ``store`` and
    ``memory`` objects, so create these once. ``usage`` is the provider's token count for the last call. ``next``
    contains the ``model`` and the ``provider`` that will be called next. If the policy has ``gate.idle``, a
    conversation whose prompt cache is cold is compacted even below the limit. With ``gate.start``, a compaction
    starts in the background before it is due, and later calls use it. If the provider rejects the messages because
    they do not fit, fit the same history with ``options={"force": True}`` and send the result.

    If this raises :class:`CtxfoldError`, nothing has changed, and the history may be sent unchanged.
    """
    return await run(
        shared_fits.fit(
            messages, id=id, policy=policy, window=window, model=model, format=format, summarize=summarize,
            summary_timeout=summary_timeout, concurrency=concurrency, store=store, memory=memory, options=options, usage=usage,
            next=next, prefix=prefix, redact=redact,
        )
    )  # fmt: skip


class Conversation(Live[Msg]):
    """A live conversation. The module keeps its messages too, so the cost of a turn depends only on the messages it adds.

    ::

        conversation = Conversation(Compactor(window=200_000, summarize=summarize))
        await conversation.append(message)
        answer = await conversation.call(lambda messages: client.chat.completions.create(model=model, messages=messages))
        await conversation.append(answer.choices[0].message)
        await conversation.after_turn()

    Compactions run one after the other. Messages may be appended by other tasks while a summary is being
    written; they stay after its digest. It is :class:`ctxfold.Conversation` for asyncio.
    """

    @checked
    def __init__(
        self,
        compactor: Compactor,
        messages: Sequence[Msg] = (),
        *,
        state: Optional["types.State"] = None,
        score: Scoring[Msg] = None,
    ) -> None:
        """``state`` is the state of the last compaction of these messages. ``score`` is called when a compaction
        begins; it gets the messages and returns how important calls are, by id, and messages, by index."""
        super().__init__(ConversationState(compactor_of(compactor, Compactor), messages, state, score))

    async def append(self, *messages: Msg) -> int:
        """Appends messages and returns the estimated tokens of all messages. If one is invalid, none is appended."""
        return await run(self._held.append(messages))

    async def set_messages(self, messages: Sequence[Msg]) -> None:
        """Replaces all messages, for example after the user edited an earlier one. If one is invalid, the
        conversation stays unchanged. It waits for a running compaction, but cancels a background one."""
        await run(self._held.replace(messages))

    async def check(self, *, usage: Optional["types.Counted"] = None) -> "types.Check":
        """Reports whether a compaction is due. It compacts nothing. ``usage`` is the provider's count for the last
        call."""
        return await run(self._held.check({"usage": usage} if usage else None))

    async def after_turn(self, *, usage: Optional["types.Counted"] = None) -> Optional[Done[List[Msg]]]:
        """Compacts the conversation if compaction is due. Call it when the model has ended its turn. Returns None if
        compaction was not due.

        If the policy has ``gate.start``, a compaction starts in the background before it is due, and this returns
        None. It waits for a background compaction only at the limit.
        """
        return await run(self._held.after_turn(usage))

    async def before_turn(
        self, *, next: Optional[Mapping[str, Optional[str]]] = None, options: Optional["types.Options"] = None
    ) -> Optional[Done[List[Msg]]]:
        """Compacts the conversation if compaction is due before a model call. If the policy has ``gate.idle``, a
        conversation whose prompt cache is cold is compacted even below the limit. ``next`` contains the ``model`` and
        the ``provider`` of the call. The idle time is measured, unless ``options`` contain it. :meth:`call` compacts
        when the prompt cache is cold or the provider refuses the messages, but not at the limit of the policy."""
        return await run(self._held.before_turn(dict(options or {}), next_of(next)))

    async def compact(self) -> Done[List[Msg]]:
        """Compacts the conversation even if compaction is not due. If that would gain nothing, the result is not
        ``changed``."""
        return await run(self._held.compact())

    async def restore(self, *handles: str) -> Done[List[Msg]]:
        """Restores contents that compactions removed: those with the given handles or, if none are given, everything
        in the store. The conversation continues with the result. Raises ``invalid_option`` without a store."""
        return await run(self._held.restore(handles or None))

    async def call(self, send: Callable[[List[Msg]], Union[T, Awaitable[T]]]) -> T:
        """Calls a model: ``send`` sends the given messages; it may be a coroutine function. If the provider says that they do not fit, the conversation
        is compacted and ``send`` is called a second time, but not a third.

        Raises the exception that ``send`` raised or, if a compaction did not help, ``still_overflow`` with that exception
        as its cause.
        """
        return cast(T, await run(self._held.call(send)))

    async def __aenter__(self) -> "Conversation[Msg]":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
