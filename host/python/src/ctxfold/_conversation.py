"""One conversation whose messages stay in the module, as work that either driver runs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, List, Optional, Sequence, Tuple, TypeVar, cast

from . import _archive
from ._base import Compacting
from ._core import Instance
from ._errors import CtxfoldError, OptionError, TrapError
from ._fitting import keep, options_of
from ._memories import Flights
from ._module import Answer, Json, MemoryUsage, run, value_of, values
from ._results import Done
from ._redact import redactions
from ._steps import Ask, Steps, Summaries, Work
from ._transcript import apply, transcript
from ._json import loads
from .failures import failure_of

if TYPE_CHECKING:
    from . import types

Msg = TypeVar("Msg")

STILL = "the conversation does not fit in the context window, and a compaction did not help"

#: What makes the compactions of one conversation wait for each other.
ONE = ("",)


class Held(Generic[Msg]):
    """A conversation. Its session in an instance of its own is a cache: where it is gone, it is opened again."""

    def __init__(self, compactor: Compacting, messages: Sequence[Msg], state: Optional["types.State"]) -> None:
        self.messages: List[Msg] = list(messages)
        self.state = state
        self._compactor = compactor
        self._lock = threading.Lock()
        self._flights = Flights()
        self._instance: Optional[Instance] = None
        self._session: Optional[int] = None

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

    def compact(self, options: Dict[str, Any]) -> Steps[Done[List[Msg]]]:
        """Compacts. Messages appended while a summary is written stay after the result."""
        mine = yield from self._flights.enter("", ONE)
        try:
            return (yield from self._compact(options))
        finally:
            self._flights.leave(mine)

    def _compact(self, given: Dict[str, Any]) -> Steps[Done[List[Msg]]]:
        compactor = self._compactor
        options = options_of(given, None, compactor._model, compactor._store)
        if compactor._model.redact:
            options["redact"] = redactions(compactor._model.redact, transcript(self.messages).piece)
        answer, length = yield Work(lambda: self._round("plan", {"options": options}))
        while "plan" in answer:
            summaries = yield Summaries(loads(answer["requests"]), compactor._model)
            head = {"plan": Json(answer["plan"]), "summaries": summaries}
            answer, length = yield Work(lambda: self._round("step", head))
        of = values(answer, "edits")
        try:
            yield from keep(compactor._store, of.get("archive") or [])
        except BaseException:
            self.close()  # the session holds a result that the caller never got: open it again
            raise
        return self._take(answer, of, length)

    def restore(self, handles: Optional[Sequence[str]]) -> Steps[Done[List[Msg]]]:
        """Restores what compactions removed."""
        mine = yield from self._flights.enter("", ONE)
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
            self._flights.leave(mine)

    def forced(self, limit: int, recovering: bool) -> Steps[Done[List[Msg]]]:
        """Compacts regardless of the gate. ``limit`` is the window from a provider's error; 0 if it named no window."""
        options: Dict[str, Any] = {"force": True}
        if limit > 0:
            try:
                yield from self.check({"window": limit})
                options["window"] = limit
            except CtxfoldError as error:
                if error.code != "out_of_range":  # the policy's reserve does not fit in it
                    raise
        done = yield from self.compact(options)
        before = done.report["tokens"]["before"]
        if done.changed or not recovering or before == 0:
            return done
        # It fits in the window that is known, but only by the estimate.
        return (yield from self.compact({"force": True, "no_reserve": True, "window": refused_window(before)}))

    def call(self, send: Callable[[List[Msg]], Any]) -> Steps[Any]:
        """Calls a model, and calls it again after a compaction if the conversation does not fit."""
        for again in (False, True):
            try:
                return (yield Ask(lambda: send(list(self.messages)), "send"))
            except OptionError:
                raise
            except Exception as error:
                failure = failure_of(error)
                verdict = yield Work(lambda: self._compactor.classify_error(failure))
                if not verdict["overflow"]:
                    raise
                if again:
                    raise CtxfoldError("still_overflow", STILL) from error
                done = yield from self.forced(verdict.get("limit_tokens") or 0, True)
                if not done.changed:
                    raise CtxfoldError("still_overflow", STILL) from error
        raise AssertionError

    def replace(self, messages: Sequence[Msg]) -> Steps[None]:
        """Replaces all messages."""
        mine = yield from self._flights.enter("", ONE)
        try:
            other = Held(self._compactor, messages, self.state)
            yield from other.check()  # reads them: where one has a fault, the conversation stays as it is
            with self._lock:
                self.messages, self.state = other.messages, other.state
                self._instance, self._session = other._instance, other._session
        finally:
            self._flights.leave(mine)

    def close(self) -> None:
        """Frees the module's memory. The conversation stays usable; the next call reads it again."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._instance = self._session = None

    def _round(self, op: str, head: Dict[str, Any]) -> Tuple[Answer, int]:
        """One plan or step, and how many messages it was made for."""
        with self._lock:
            return self._ask(op, head), len(self.messages)

    def _take(self, answer: Answer, of: Dict[str, Any], length: int) -> Done[List[Msg]]:
        """Replaces the messages with the result and what was appended since."""
        with self._lock:
            given = self.messages[:length]
            kept = apply(given, loads(answer["edits"]))
            if kept is not given:
                self.messages = [*kept, *self.messages[length:]]
            self.state = of.get("state")
            return Done(list(self.messages), of["report"], self.state, of.get("archive") or [])

    def _ask(self, op: str, head: Dict[str, Any], added: Optional[List[Msg]] = None) -> Answer:
        """Runs an operation on the session. Opens the session first, and again if its instance was replaced."""
        source = transcript(added) if added is not None else None
        for again in (False, True):
            if self._instance is None or self._session is None:
                self._open()
            assert self._instance is not None
            try:
                return run(self._instance, op, {**head, "session": self._session}, source)
            except CtxfoldError as error:
                if isinstance(error, TrapError):
                    self._forget()
                if again or error.code != "session_closed":
                    raise
                self._session = None
        raise AssertionError

    def _open(self) -> None:
        compactor = self._compactor
        self._instance = self._instance or compactor._module.instance()
        options = {**options_of({}, None, compactor._model, compactor._store), "answer": "edits"}
        source = transcript(self.messages) if self.messages else None
        head = {"policy": compactor._policy, "options": options, "state": self.state}
        self._session = value_of(run(self._instance, "session_open", head, source), "session")


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
        """The memory of the conversation's own instance; None before the first call."""
        return self._held.usage

    def close(self) -> None:
        """Frees the module's memory. The conversation stays usable; the next call reads it again."""
        self._held.close()


def refused_window(tokens: int) -> int:
    """The window to compact for if a provider refuses messages that fit in the known window."""
    return max(1, tokens * 7 // 10)
