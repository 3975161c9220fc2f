"""Live conversations, whose messages stay in the module. The code is written as steps that both drivers can run."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, List, Mapping, Optional, Sequence, Type, TypeVar, cast

from . import _archive
from ._base import Compacting
from ._core import Instance
from ._errors import CtxfoldError, OptionError, TrapError, text_of
from ._loop import Job, kept_of, log, logging_failure
from ._module import Answer, Json, MemoryUsage, Room, run, value_of, values
from ._results import Done
from ._records import Behind, Leases
from ._redact import redactions
from ._steps import Ask, Begin, Steps, Work
from ._transcript import apply, transcript
from ._json import loads
from .failures import failure_of

if TYPE_CHECKING:
    from . import types

Msg = TypeVar("Msg")
Made = TypeVar("Made", bound=Compacting)

#: Returns how important calls and messages are, or None.
Scoring = Optional[Callable[[Sequence[Msg]], Optional["types.Score"]]]

STILL = "the conversation does not fit in the context window, and a compaction did not help"

#: The key of the lease that serializes the compactions of a conversation.
ONE = "conversation"


class Compaction(Behind, Generic[Msg]):
    """A compaction that runs in the background."""

    done: Optional[Done[List[Msg]]] = None


class Turn(Generic[Msg]):
    """One turn of a conversation. ``running`` is the conversation's background compaction, if there is one. If the turn
    is itself a background compaction, that is ``own``.
    """

    def __init__(
        self, held: "ConversationState[Msg]", running: Optional[Compaction[Msg]], own: Optional[Compaction[Msg]] = None
    ) -> None:
        self._held = held
        self._running = running
        self._mine: Optional[str] = None
        self.own = own
        self.done: Optional[Done[List[Msg]]] = None

    def enter(self) -> Steps[Dict[str, Any]]:
        """Waits until no other job is compacting the conversation."""
        self._mine = yield from self._held.enter()
        return {}

    def leave(self) -> None:
        """Ends the turn, so that the next turn can begin."""
        if self.own is not None:
            self.own.done = self.done
            self._held.background = None
        if self._mine is not None:
            self._held.leave(self._mine)

    def before(self) -> Dict[str, Any]:
        """Returns the redactions and the scores for a compaction that is about to begin."""
        given = {"redact": self._held.redactions(), "score": self._held.scores()}
        return {name: value for name, value in given.items() if value}

    def begin(self, effect: Mapping[str, Any]) -> Steps[None]:
        """Starts a compaction in the background, unless one is running. ``effect`` contains the
        settings of the new job."""
        if self._held.background is None and "settings" in effect:
            yield from self._held.begin(effect["settings"])

    def stop(self) -> None:
        """Cancels the background compaction. Does nothing if none is running."""
        if self._running is not None:
            self._running.stop()

    def waited(self) -> Optional[Done[List[Msg]]]:
        """Returns the result of the background compaction if this turn has waited for it and it changed the messages.
        Otherwise returns None."""
        behind = self._running
        return behind.done if behind is not None and behind.done is not None and behind.done.changed else None


def compactor_of(given: Made, kind: "Type[Made]") -> Made:
    """Returns the compactor of a conversation, and raises an :class:`OptionError` for anything else, such as a policy or a
    compactor of the other module."""
    if isinstance(given, kind):
        return given
    module = "ctxfold.aio" if kind.__module__.endswith(".aio") else "ctxfold"
    raise OptionError(f"compactor is a {module}.{kind.__name__}", path="compactor")


class ConversationState(Generic[Msg]):
    """The state of a conversation. The session in the module is only a cache. It has an instance of its own, and is opened
    again if it is lost.
    """

    def __init__(
        self, compactor: Compacting, messages: Sequence[Msg], state: Optional["types.State"], score: "Scoring[Msg]" = None
    ) -> None:
        self.messages: List[Msg] = list(messages)
        self.state = state
        self._score = score
        self._compactor = compactor
        self._lock = threading.Lock()
        self._leases = Leases()
        self._begun = 0
        self._notes: Any = None
        self._edited = False
        #: The compaction in the background.
        self.background: Optional[Compaction[Msg]] = None
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
        """Appends messages and returns the estimated tokens of all messages. If one is invalid, none is appended."""
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
        """Compacts if compaction is due, or starts a background compaction if it will be due soon. Returns None if
        nothing was compacted."""
        return self.turn("after", {"usage": usage} if usage else {})

    def before_turn(self, options: Dict[str, Any], next: Mapping[str, Any]) -> Steps[Optional[Done[List[Msg]]]]:
        """Compacts if compaction is due, or if the prompt cache is cold. Returns None if nothing was compacted."""
        return self.turn("before", options, **next)

    def compact(self, **settings: Any) -> Steps[Done[List[Msg]]]:
        """Compacts even if compaction is not due."""
        done = yield from self.turn("forced", {}, **settings)
        assert done is not None
        return done

    def turn(self, moment: str, options: Dict[str, Any], **settings: Any) -> Steps[Optional[Done[List[Msg]]]]:
        """Runs a turn; the module decides what to do. Returns the result of the compaction that the turn made or waited
        for, or None."""
        host = Turn(self, self.background)
        running = self.background.id if self.background is not None else 0
        turn: Dict[str, Any] = {"moment": moment, "running": running, "notes": self._notes}
        if self._edited:
            self._edited, turn["edited"] = False, True
        return self.run(host, options, {**settings, "operation": "plan", "turn": turn})

    def run(self, host: "Turn[Msg]", options: Dict[str, Any], settings: Any) -> Steps[Optional[Done[List[Msg]]]]:
        """Runs the job of a turn or of a background compaction. Messages that are appended while a summary is being
        written are put after the result. Returns None if nothing was compacted. If it fails, the messages stay
        unchanged."""
        compactor, length = self._compactor, 0

        def call(op: str, head: Mapping[str, Any], needs: bool) -> Answer:
            nonlocal length
            if not needs:
                return compactor._module.call(op, head)
            with self._lock:
                length = len(self.messages)
                return self._ask(op, head)

        job = Job(call, compactor._model, compactor._store, turn=host, own=host.own)
        try:
            answer = yield from job.run({"options": options}, settings)
            if host.own is None:
                self._notes = job.notes
            if answer:
                host.done = self._take(answer, values(answer, "edits"), length)
                return host.done
        except BaseException:
            with self._lock:
                self._forget()  # the session may hold a result that the caller never got: open it again
            raise
        finally:
            host.leave()
        self.state = (job.check or {}).get("state") or self.state
        return host.waited()

    def redactions(self) -> Any:
        redact = self._compactor._model.redact
        return redactions(redact, transcript(self.messages).piece) if redact else None

    def scores(self) -> Optional["types.Score"]:
        return self._score(self.messages) if self._score is not None else None

    def enter(self) -> Steps[str]:
        """Waits until no other compaction of the conversation is running. Returns the holder's name, which leaving
        needs."""
        return self._leases.enter(ONE)

    def leave(self, mine: str) -> None:
        self._leases.release(ONE, mine)

    def begin(self, settings: Mapping[str, Any]) -> Steps[None]:
        """Starts a compaction in the background, as the module requested."""
        self._begun += 1
        behind: Compaction[Msg] = Compaction(self._begun)
        self.background = behind
        behind.ended = yield Begin(logging_failure(self.run(Turn(self, None, behind), {}, kept_of(settings))))

    def _instead(self) -> Steps[str]:
        """Cancels the background compaction and waits for the conversation's lease."""
        if self.background is not None:
            self.background.stop()
        return self.enter()

    def restore(self, handles: Optional[Sequence[str]]) -> Steps[Done[List[Msg]]]:
        """Restores contents that compactions removed: all, or those with the given handles."""
        mine = yield from self._instead()
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
                    self.state, self._edited = done.state, True
            return done
        finally:
            self.leave(mine)

    def call(self, send: Callable[[List[Msg]], Any]) -> Steps[Any]:
        """Calls a model, and calls it again after a compaction if the conversation does not fit.

        If it still does not fit, CtxfoldError is raised with the code ``still_overflow``. Other errors of ``send`` are
        raised unchanged.
        """
        try:
            yield from self.turn("call", {})
        except OptionError:
            raise
        except CtxfoldError as error:
            log({"name": "not_compacted", "message": text_of(error)})
        for again in (False, True):
            try:
                return (yield Ask(lambda: send(list(self.messages)), "send"))
            except OptionError:
                raise
            except Exception as error:
                failure = failure_of(error)
                try:
                    if not again:
                        yield from self.compact(refusal=failure)
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
        """Replaces all messages. If one is invalid, the conversation stays unchanged."""
        mine = yield from self._instead()
        try:
            with self._lock:
                before, self.messages = self.messages, list(messages)
                try:
                    self._reopen()
                except BaseException:  # one of them may be invalid
                    self.messages = before
                    raise
                self._edited = True
        finally:
            self.leave(mine)

    def close(self) -> None:
        """Frees the module's memory, and cancels a background compaction."""
        if self.background is not None:
            self.background.stop()
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._instance = self._session = None

    def _take(self, answer: Answer, of: Dict[str, Any], length: int) -> Done[List[Msg]]:
        """Replaces the first ``length`` messages with the result. Messages that were appended since then come after
        it."""
        with self._lock:
            given = self.messages[:length]
            kept = apply(given, loads(answer["edits"]))
            if kept is not given:
                self.messages = [*kept, *self.messages[length:]]
            self.state = of.get("state")
            return Done(list(self.messages), of["report"], self.state, of.get("archive") or [])

    def _ask(self, op: str, head: Mapping[str, Any], added: Optional[List[Msg]] = None) -> Answer:
        """Runs an operation on the session. If the session is not open, or its instance was replaced, it is opened
        first. ``added`` are messages that the operation appends. Raises CtxfoldError if it fails."""
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

    def _reopen(self) -> None:
        """Opens a session with the messages, in the same instance. The previous one is closed first, for its memory."""
        closed, self._session = self._session, None
        try:
            if self._instance is not None and closed is not None:
                run(self._instance, "session_close", {"session": closed})
            self._open()
        except TrapError:
            self._forget()
            raise

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
    """The part of a conversation that is independent of the driver."""

    def __init__(self, held: ConversationState[Msg]) -> None:
        self._held = held

    @property
    def messages(self) -> List[Msg]:
        """The messages to send: the whole conversation, compacted. Each change creates a new list. Do not modify the list or
        its messages.
        """
        return self._held.messages

    @property
    def state(self) -> Optional["types.State"]:
        """The state of the last compaction. Store it with the messages."""
        return self._held.state

    @property
    def memory_usage(self) -> Optional[MemoryUsage]:
        """The memory of the conversation's own instance of the module; None while it has none."""
        return self._held.usage

    @property
    def background(self) -> Any:
        """A future, or with asyncio a task, that is done when the running background compaction has ended. None if
        none is running.
        """
        behind = self._held.background
        return None if behind is None else behind.ended

    def close(self) -> None:
        """Frees the module's memory, and cancels a background compaction. The conversation stays usable; the next
        call loads its messages again.
        """
        self._held.close()
