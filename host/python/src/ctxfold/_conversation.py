"""One conversation whose messages stay in the module, as work that either driver runs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, List, Mapping, Optional, Sequence, TypeVar, cast

from . import _archive
from ._base import Compacting
from ._core import Instance
from ._errors import CtxfoldError, OptionError, TrapError
from ._loop import Job, options_of
from ._module import Answer, Json, MemoryUsage, Room, run, value_of, values
from ._results import Done
from ._records import Leases
from ._redact import redactions
from ._steps import Ask, Steps, Work
from ._transcript import apply, transcript
from ._json import loads
from .failures import failure_of

if TYPE_CHECKING:
    from . import types

Msg = TypeVar("Msg")

STILL = "the conversation does not fit in the context window, and a compaction did not help"

#: What makes the compactions of one conversation wait for each other.
ONE = "conversation"


class Held(Generic[Msg]):
    """A conversation. Its session in an instance of its own is a cache: where it is gone, it is opened again."""

    def __init__(self, compactor: Compacting, messages: Sequence[Msg], state: Optional["types.State"]) -> None:
        self.messages: List[Msg] = list(messages)
        self.state = state
        self._compactor = compactor
        self._lock = threading.Lock()
        self._leases = Leases()
        self._instance: Optional[Instance] = None
        self._session: Optional[int] = None
        self._room = Room()

    @property
    def usage(self) -> Optional[MemoryUsage]:
        with self._lock:
            if self._instance is None:
                return None
            limit, current, peak, traps = self._instance.memory()
            return MemoryUsage(limit, current, peak, 1, traps)

    def append(self, messages: Sequence[Msg]) -> Steps[int]:
        """Appends messages and returns the tokens of all messages. If one is invalid, none is appended."""
        added = list(messages)

        def work() -> int:
            with self._lock:
                answer = self._ask("session_append", {}, added)
                self.messages = [*self.messages, *added]
                return cast(int, value_of(answer, "tokens"))

        return cast(int, (yield Work(work)))

    def check(self, options: Optional[Dict[str, Any]] = None) -> Steps["types.Check"]:
        def work() -> Any:
            with self._lock:
                check = values(self._ask("check", {"options": options or None}))
                self.state = check.get("state") or self.state
                return check

        return cast("types.Check", (yield Work(work)))

    def after_turn(self, usage: Optional["types.Counted"]) -> Steps[Optional[Done[List[Msg]]]]:
        """Compacts if that is due."""
        check = yield from self.check({"usage": usage} if usage else None)
        if not check["due"]:
            return None
        return (yield from self.compact({"usage": usage} if usage else {}))

    def compact(self, options: Dict[str, Any], refusal: Optional["types.Failure"] = None) -> Steps[Done[List[Msg]]]:
        """Compacts. Messages appended while a summary is written stay after the result. ``refusal`` is a call of a model that failed."""
        mine = yield from self._leases.enter(ONE)
        try:
            return (yield from self._compact(options, refusal))
        finally:
            self._leases.release(ONE, mine)

    def _compact(self, given: Dict[str, Any], refusal: Optional["types.Failure"]) -> Steps[Done[List[Msg]]]:
        compactor, length = self._compactor, 0

        def call(op: str, head: Mapping[str, Any], needs: bool) -> Answer:
            nonlocal length
            if not needs:
                return compactor._module.call(op, head)
            with self._lock:
                length = len(self.messages)
                return self._ask(op, head)

        options = options_of(given, None, compactor._model)
        if compactor._model.redact:
            options["redact"] = redactions(compactor._model.redact, transcript(self.messages).piece)
        settings: Any = {"operation": "plan", **({"refusal": refusal} if refusal else {})}
        try:
            answer = yield from Job(call, compactor._model, compactor._store).run({"options": options}, settings)
        except BaseException:
            self.close()  # the session may hold a result that the caller never got: open it again
            raise
        return self._take(answer, values(answer, "edits"), length)

    def restore(self, handles: Optional[Sequence[str]]) -> Steps[Done[List[Msg]]]:
        """Restores what compactions removed."""
        mine = yield from self._leases.enter(ONE)
        try:
            compactor = self._compactor
            store = _archive.store_in(compactor._store)
            with self._lock:
                sent = self.messages
                source = transcript(sent)
                head = compactor._head(compactor._policy, None, None, None, None, self.state, None, source)
            done: Done[Any] = yield from _archive.restore(compactor._module, store, source, head, handles)
            if done.changed:
                with self._lock:
                    self._forget()
                    self.messages = [*done.messages, *self.messages[len(sent) :]]
                    self.state = done.state
            return done
        finally:
            self._leases.release(ONE, mine)

    def call(self, send: Callable[[List[Msg]], Any]) -> Steps[Any]:
        """Calls a model, and calls it again after a compaction if the conversation does not fit."""
        for again in (False, True):
            try:
                return (yield Ask(lambda: send(list(self.messages)), "send"))
            except OptionError:
                raise
            except Exception as error:
                failure = failure_of(error)
                try:
                    if not again:
                        yield from self.compact({}, failure)
                        continue
                    verdict = yield Work(lambda: self._compactor.classify_error(failure))
                    code = "still_overflow" if verdict["overflow"] else "not_overflow"
                except CtxfoldError as failed:
                    if failed.code not in ("not_overflow", "still_overflow"):
                        raise
                    code = failed.code
                if code == "not_overflow":
                    raise
                raise CtxfoldError(code, STILL) from error
        raise AssertionError

    def replace(self, messages: Sequence[Msg]) -> Steps[None]:
        """Replaces all messages."""
        mine = yield from self._leases.enter(ONE)
        try:
            other = Held(self._compactor, messages, self.state)
            yield from other.check()  # reads them: where one has a fault, the conversation stays as it is
            with self._lock:
                self.messages, self.state = other.messages, other.state
                self._instance, self._session, self._room = other._instance, other._session, other._room
        finally:
            self._leases.release(ONE, mine)

    def close(self) -> None:
        """Frees the module's memory. The conversation stays usable; the next call reads it again."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._instance = self._session = None

    def _take(self, answer: Answer, of: Dict[str, Any], length: int) -> Done[List[Msg]]:
        """Replaces the messages with the result and what was appended since."""
        with self._lock:
            given = self.messages[:length]
            kept = apply(given, loads(answer["edits"]))
            if kept is not given:
                self.messages = [*kept, *self.messages[length:]]
            self.state = of.get("state")
            return Done(list(self.messages), of["report"], self.state, of.get("archive") or [])

    def _ask(self, op: str, head: Mapping[str, Any], added: Optional[List[Msg]] = None) -> Answer:
        """Runs an operation on the session. Opens the session first, and again if its instance was replaced."""
        source = transcript(added) if added is not None else None
        for again in (False, True):
            if self._instance is None or self._session is None:
                self._open()
            assert self._instance is not None
            try:
                answer = run(self._instance, op, {**head, "session": self._session}, source)
            except CtxfoldError as error:
                if isinstance(error, TrapError):
                    self._forget()
                if again or error.code != "session_closed":
                    raise
                self._session = None
                continue
            used = sum(map(len, answer.values())) + (len(source.piece) if source else 0)
            if self._room.outgrown(self._instance.memory()[1], used):
                self._forget()
            return answer
        raise AssertionError

    def _open(self) -> None:
        compactor = self._compactor
        self._instance = self._instance or compactor._module.instance()
        options: Dict[str, Any] = {"answer": "edits"}
        if compactor._store is not None:
            options["archive"] = "bodies"
        if compactor._model.summarize is None:
            options["summary"] = {"mode": "local"}
        source = transcript(self.messages) if self.messages else None
        head = {"policy": compactor._policy, "options": options, "state": self.state}
        self._session = value_of(run(self._instance, "session_open", head, source), "session")
        self._room.opened(self._instance.memory()[1])


class Live(Generic[Msg]):
    """A conversation without the driver that runs its work."""

    def __init__(self, held: Held[Msg]) -> None:
        self._held = held

    @property
    def messages(self) -> List[Msg]:
        """What to send: all messages, compacted. Each change makes a new list. Do not change it or its messages in place."""
        return self._held.messages

    @property
    def state(self) -> Optional["types.State"]:
        """The state of the last compaction. Store it with the messages."""
        return self._held.state

    @property
    def memory_usage(self) -> Optional[MemoryUsage]:
        """The memory of the conversation's own instance; None while it has none."""
        return self._held.usage

    def close(self) -> None:
        """Frees the module's memory. The conversation stays usable; the next call reads it again."""
        self._held.close()
