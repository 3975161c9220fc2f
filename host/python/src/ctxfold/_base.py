"""Code shared by the blocking and the asynchronous compactors."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Dict, Literal, Mapping, Optional, Tuple, Union, cast
from uuid import UUID

from . import _json
from ._errors import OptionError
from ._loop import Call, Job, options_of
from ._module import Module, value_of, values
from ._operations import Operations, Policy, policy_of, shared_module
from ._options import checked, without_none
from ._records import Records, records_of
from ._redact import FindSecrets, redactions
from ._results import Done, FitResult
from ._steps import Model, Steps, Summarize
from ._transcript import Transcript, transcript
from .failures import failure_of
from .store import Store, store_of

if TYPE_CHECKING:
    from . import types

#: The defaults for the time limit of one summary, in seconds, and for the number of concurrent requests.
TIMEOUT, CONCURRENCY = 120.0, 4


class Compacting(Operations):
    """The part of a compactor that is independent of the driver, which runs the steps of an operation."""

    #: Whether methods that need a model or a store are coroutine functions.
    awaited: bool

    @checked
    def __init__(
        self,
        policy: Optional["types.Policy"] = None,
        *,
        window: Union[int, Literal["unlimited"], None] = None,
        model: Optional[str] = None,
        format: Optional["types.Format"] = None,
        summarize: Optional[Summarize] = None,
        summary_timeout: Optional[float] = TIMEOUT,
        concurrency: int = CONCURRENCY,
        store: Any = None,
        memory: Any = None,
        redact: Optional[FindSecrets] = None,
        memory_limit: int = 0,
        prefix: bool = False,
    ) -> None:
        """``window`` (in tokens, or ``"unlimited"``), ``model`` and ``format`` are keys of the policy that may be given separately.

        ``summarize`` calls a model. It gets a request (``system``, ``prompt``, ``max_output_tokens``) and returns the
        text, a dict with ``text`` and ``finish_reason``, or a dict with the ``messages`` of a provider's own compaction
        (``summary.provider`` in the policy). With ``prefix`` it also gets requests that extend the conversation. It must
        then send ``request["conversation"]["sent"]``, so that the provider reads the conversation from its prompt cache.
        If it raises an SDK's exception for an overloaded provider (such as status 429, 503 or 529), it is called again
        after the delay that the provider asks for. Each call may take ``summary_timeout`` seconds, and up to ``concurrency``
        threads call it at the same time. If it fails, or if there is no ``summarize``, digests are written without a
        model.

        ``store`` keeps removed content. It is a :class:`Store` or an object that behaves like a dict of texts.

        ``memory`` is where :meth:`fit` remembers its compactions; the default is this process. It is an object that
        behaves like a dict of texts, or one with ``load(key)`` and ``save(key, text)``. A memory that several processes
        share needs three more methods, so that only one process makes a compaction. ``swap(key, old, new)`` replaces
        the text only if it equals ``old`` (None if there is none), and returns whether it did. ``lease(keys, holder,
        seconds)`` leases the first key to the holder for that time, unless another holder has a lease on one of the
        keys. ``release(key, holder)`` ends a lease.

        ``redact`` finds secrets in one text of the messages, which no summarizer, digest or store must get. It returns
        None, or a list of texts or of dicts with ``text`` and ``placeholder``. If it raises, or returns a text that the
        message does not contain, the whole text is replaced (docs/guides/redact.md).

        ``memory_limit`` bounds the memory of each instance of the module, in bytes; 0 means 4 GiB.
        """
        super().__init__(policy, window=window, model=model, format=format, memory_limit=memory_limit)
        self._model = model_of(summarize, summary_timeout, concurrency, redact, prefix)
        self._store = store_of(store)
        self._records = records_of(memory)

    def _fitted(
        self,
        source: Transcript,
        id: str,
        policy: Any,
        options: Any,
        usage: Any,
        next: Optional[Mapping[str, Any]],
        refused: Optional[BaseException],
    ) -> Steps[FitResult[Any]]:
        own = self._policy if policy is None else policy_of(policy, None, None, None)
        settings: Any = {"owner": owner_of(id), **next_of(next), **({"refusal": failure_of(refused)} if refused is not None else {})}
        return fitted(self._module, self._records, self._model, self._store, source, own, options, usage, settings)

    def _compacted(
        self, source: Transcript, state: Any, policy: Any, options: Any, usage: Any
    ) -> Steps[Done[Any]]:
        own = self._policy if policy is None else policy_of(policy, None, None, None)
        job = Job(calling(self._module, source), self._model, self._store)
        head = {"policy": own, "options": options_of(options, usage, source, self._redactions(source)), "state": state}
        answer = yield from job.run(head, {"now": 0, "operation": "plan"})
        of = values(answer, "messages", "edits")
        return Done(source.restore(answer), of["report"], of.get("state"), of.get("archive") or [])

    def _redactions(self, source: Transcript) -> Any:
        return redactions(self._model.redact, source.piece)

    def _restoring(self, policy: Any, state: Any, source: Optional[Transcript]) -> Dict[str, Any]:
        return self._head(policy, None, None, None, None, state, None, source)


def model_of(
    summarize: Optional[Summarize],
    summary_timeout: Optional[float],
    concurrency: int,
    redact: Optional[FindSecrets] = None,
    prefix: bool = False,
) -> Model:
    if summarize is not None and not callable(summarize):
        raise OptionError("summarize is a function", path="summarize")
    if summary_timeout is not None and not summary_timeout > 0:
        raise OptionError("summary_timeout is above 0, in seconds", path="summary_timeout")
    if concurrency < 1:
        raise OptionError("concurrency is 1 or more", path="concurrency")
    if redact is not None and not callable(redact):
        raise OptionError("redact is a function", path="redact")
    return Model(summarize, summary_timeout, concurrency, redact, prefix)


def calling(module: Module, source: Transcript) -> Call:
    """Returns a function that runs a job's operations on the messages of ``source``."""
    return lambda op, head, needs: module.call(op, head, source if needs else None)


def owner_of(id: Any) -> str:
    """Returns ``id``, which identifies a conversation or a user. Raises OptionError if it is not a
    string, for example a number from a database."""
    if not isinstance(id, str):
        # only the text of a number or a UUID differs from conversation to conversation
        such = f", such as {str(id)!r}" if isinstance(id, (int, UUID)) and not isinstance(id, bool) else ""
        raise OptionError(f"id is a text{such}, not {id!r}", path="id")
    return id


def next_of(next: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """Returns the settings that describe the next model call. Raises OptionError for a name other than ``model`` and
    ``provider``."""
    for name in next or {}:
        if name not in ("model", "provider"):
            raise OptionError("next has model and provider", path="next")
    return without_none(next or {})


def fitted(
    module: Module,
    records: Records,
    model: Model,
    store: Optional[Store],
    source: Transcript,
    policy: Any,
    options: Optional[Mapping[str, Any]],
    usage: Any,
    settings: Any,
) -> Steps[FitResult[Any]]:
    """Fits a history into the context window and returns the messages to send. ``options`` and
    ``usage`` are those of this call, and ``settings`` those of the job."""
    job = Job(calling(module, source), model, store, records)
    answer = yield from job.run({"policy": policy, "options": options_of(options, usage, source, redactions(model.redact, source.piece))}, settings)
    return FitResult(
        messages=source.restore(answer),
        report=value_of(answer, "report"),
        known=value_of(answer, "known") >= 0,
        archive=value_of(answer, "archive") or [],
        background=job.background,
    )


class SharedFits:
    """The state that calls of the module-level function ``fit`` share if they have an equal policy and the same store and
    memory."""

    #: The maximum number of policies; the least recently used one is removed.
    MOST = 64

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: "OrderedDict[Tuple[Any, ...], Tuple[Records, Optional[Store], Any, Any]]" = OrderedDict()

    def fit(
        self,
        messages: Any,
        *,
        id: str,
        policy: Any,
        window: Union[int, Literal["unlimited"], None],
        model: Optional[str],
        format: Optional[str],
        store: Any,
        memory: Any,
        options: Optional[Mapping[str, Any]],
        usage: Optional[Mapping[str, Any]],
        next: Optional[Mapping[str, Any]],
        **asking: Any,
    ) -> Steps[FitResult[Any]]:
        full: Optional[Policy] = policy_of(cast(Optional[Policy], policy), window, model, format)
        key = (_json.dumps(full, "policy"), id_of(store), id_of(memory))
        with self._lock:
            there = self._all.pop(key, None)
            if there is None:
                there = records_of(memory), store_of(store), store, memory
            self._all[key] = there
            while len(self._all) > self.MOST:
                self._all.popitem(last=False)
        asked = model_of(**asking)
        settings = {"owner": owner_of(id), **next_of(next)}
        return fitted(shared_module(), there[0], asked, there[1], transcript(messages), full, options, usage, settings)


def id_of(value: Any) -> int:
    """Returns a number that identifies an object while it is kept alive; 0 for None. Two objects that live at the
    same time have different numbers."""
    return 0 if value is None else id(value)


#: The shared state of the functions ``fit`` of both drivers.
shared_fits = SharedFits()
