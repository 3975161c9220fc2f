"""Instances of the module, one for each call that runs at the same time."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from . import _json
from ._core import Instance, members
from ._errors import CtxfoldError, TrapError
from ._transcript import Transcript

#: The members of a response: names, with the values as JSON.
Answer = Dict[str, bytes]

MIB = 1 << 20

#: An instance without sessions that has more memory than this after a call is discarded.
KEPT_BYTES = 64 * MIB

#: An instance with sessions and more bytes of memory than ROOMY_BYTES is replaced after CALM_CALLS consecutive calls
#: that each used at most 1/CALM_SHARE of its memory.
ROOMY_BYTES = 32 * MIB
CALM_CALLS = 64
CALM_SHARE = 32


class Json(bytes):
    """Text that is already JSON, so it is put into a request unchanged."""


class MemoryUsage(NamedTuple):
    """The memory of the module's instances, in bytes."""

    #: The maximum for one instance.
    limit: int
    #: The memory of idle instances, or of a conversation's own instance.
    current: int
    #: The largest instance so far.
    peak: int
    #: The number of these instances.
    instances: int
    #: How many instances were replaced because of a trap.
    traps: int


class Room:
    """Decides when to replace an instance that holds a session. Replacing it means reading the conversation again, which is
    worth it once the instance has much more memory than it needs."""

    def __init__(self) -> None:
        self._opened = 0  # bytes of memory after the session was opened
        self._calm = 0  # consecutive calls that used little of the memory
        self._left = 0  # bytes of memory of the last instance that was replaced after calm calls
        self._patience = 0  # the number of calm calls before that replacement

    def opened(self, memory: int) -> None:
        """Records that the session was opened, and the memory of its instance in bytes."""
        self._opened, self._calm = memory, 0

    def outgrown(self, memory: int, used: int) -> bool:
        """Returns whether to replace the instance after a call. ``memory`` is the instance's memory, and ``used`` the size
        of the request and the response, both in bytes.
        """
        self._calm = 0 if used * CALM_SHARE > memory else self._calm + 1
        if memory > max(2 * KEPT_BYTES, 2 * self._opened):
            return True
        # If the last replacement has not halved the memory, the next one waits twice as long.
        patience = max(CALM_CALLS, 2 * self._patience) if memory > self._left // 2 else CALM_CALLS
        if memory <= ROOMY_BYTES or self._calm < patience:
            return False
        self._left, self._patience = memory, patience
        return True


class Module:
    """A pool of instances with the same memory limit."""

    def __init__(self, limit: int = 0) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._idle: List[Instance] = []
        self._peak = 0
        self._traps = 0
        if hasattr(os, "register_at_fork"):
            import weakref

            me = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _unlock(me()))

    def call(self, op: str, head: Mapping[str, Any], source: Optional[Transcript] = None) -> Answer:
        """Runs an operation in an idle instance. Members of the request whose value is None are left out. Returns the
        members of the response, undecoded. Raises CtxfoldError if it is an error."""
        with self.lent() as instance:
            return run(instance, op, head, source)

    @contextmanager
    def lent(self) -> Iterator[Instance]:
        """Lends an idle instance, or a new one if none is idle, for one call."""
        with self._lock:
            instance = self._idle.pop() if self._idle else None
        if instance is None:
            instance = self.instance()
        traps = instance.memory()[3]
        try:
            yield instance
        finally:
            self._back(instance, traps)

    def instance(self) -> Instance:
        """Creates an instance for exclusive use."""
        return Instance(self._limit)

    def _back(self, instance: Instance, traps: int) -> None:
        _, current, peak, now = instance.memory()
        with self._lock:
            self._peak = max(self._peak, peak)
            self._traps += now - traps
            if current <= KEPT_BYTES and len(self._idle) < (os.cpu_count() or 1):
                self._idle.append(instance)

    @property
    def usage(self) -> MemoryUsage:
        """The sizes of the pool's instances, in bytes, and counts of instances and traps."""
        with self._lock:
            sizes = [each.memory() for each in self._idle]
            limit = sizes[0][0] if sizes else self._limit
            return MemoryUsage(limit, sum(each[1] for each in sizes), self._peak, len(sizes), self._traps)


def _unlock(module: Optional[Module]) -> None:
    if module is not None:
        module._lock = threading.Lock()


def run(instance: Instance, op: str, head: Mapping[str, Any], source: Optional[Transcript] = None) -> Answer:
    """Runs an operation in an instance. ``head`` holds the members of the request, and ``source`` its messages.
    Returns the members of the response, undecoded. Raises CtxfoldError if it is an error."""
    pieces: List[bytes] = []
    size = 0
    for key, value in head.items():
        if value is None:
            continue
        json = value if isinstance(value, Json) else _json.dumps(value, key)
        pieces.append(b'%s"%s":' % (b"," if pieces else b"{", key.encode()))
        pieces.append(json)
        size += len(pieces[-2]) + len(json)
    if source is not None:
        pieces.append(b'%s"messages":' % (b"," if pieces else b"{"))
        size += len(pieces[-1])
        pieces.append(source.piece)
    pieces.append(b"}" if pieces else b"{}")
    return answered(instance, op, tuple(pieces), size if source is not None else -1)


def answered(instance: Instance, op: str, pieces: Tuple[bytes, ...], messages_at: int = -1) -> Answer:
    """Runs an operation on a request that is passed as several pieces. Returns the members of the response,
    undecoded. Raises CtxfoldError if the response is an error; ``messages_at`` is the offset of the messages, which
    are the piece before the last, or -1 if there are none."""
    answer = raw(instance, op, pieces)
    if not answer.startswith(b'{"error":'):
        return members(answer)
    raise _error(_json.loads(answer)["error"], messages_at, len(pieces[-2]) if messages_at >= 0 else 0)


def raw(instance: Instance, op: str, pieces: Tuple[bytes, ...]) -> bytes:
    """Runs an operation on a request that is passed as several pieces, and returns the whole response unchanged.
    Raises CtxfoldError for an unknown operation, and TrapError if the instance was stopped."""
    try:
        answer = instance.call(op, pieces)
    except ValueError as error:
        raise CtxfoldError("unknown_op", str(error)) from None
    if isinstance(answer, bytes):
        return answer
    code, message = answer
    limit = instance.memory()[0] // MIB
    raise TrapError(
        f"{op} was ended: {message}. The instance has a memory limit of {limit} MiB; a new one has taken its place, and nothing "
        "was changed",
        code=code,
    )


def _error(error: Dict[str, Any], messages_at: int, size: int) -> CtxfoldError:
    """Returns the exception for an error response. If the error is in the messages, its offset is converted to one that
    counts from the start of the caller's messages.
    """
    path, offset = error["path"], error["offset"]
    if 0 <= messages_at <= offset:
        path, offset = path or "messages", min(offset - messages_at, size)
    return CtxfoldError(error["code"], error["message"], path=path, offset=offset)


def value_of(answer: Answer, name: str) -> Any:
    """Returns the decoded value of a member, or None if there is no such member."""
    json = answer.get(name)
    return None if json is None else _json.loads(json)


def values(answer: Answer, *without: str) -> Dict[str, Any]:
    """Returns the decoded values of all members except those in ``without``. The keys are the members' names."""
    return {key: _json.loads(json) for key, json in answer.items() if key not in without}
