"""Jobs of the module: it decides, and this carries out what it asks for (docs/inside/loop.md)."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple

from . import _json
from ._errors import CtxfoldError, OptionError, text_of
from ._module import Answer, Json
from ._records import Records, execute, now
from ._redact import redactions
from ._steps import Ask, Begin, Cancel, Launch, Launched, Model, Steps, Until, Work, given_by
from ._transcript import Transcript
from .store import Store

if TYPE_CHECKING:
    from .types import JobSettings

#: Runs an operation with the members of a request. The messages, or the session, are added where that is asked for.
Call = Callable[[str, Mapping[str, Any], bool], Answer]


class Stopped(Exception):
    """Somebody has ended a job in the background."""


class TurnHost:
    """What a conversation does for the job of a turn."""

    #: Is done when somebody wants the job to end; None if nobody can.
    stopped: Optional[Launched] = None

    def enter(self) -> Steps[Dict[str, Any]]:
        """Waits until no other job compacts the conversation."""
        raise NotImplementedError

    def before(self) -> Dict[str, Any]:
        """What the conversation says about a compaction that is about to begin."""
        raise NotImplementedError

    def begin(self, effect: Mapping[str, Any]) -> Steps[None]:
        """Begins a compaction in the background, unless one runs."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ends the compaction in the background."""
        raise NotImplementedError


class Job:
    """What the effects of a job are executed with."""

    def __init__(
        self,
        call: Call,
        model: Model,
        store: Optional[Store],
        records: Optional[Records] = None,
        turn: Optional[TurnHost] = None,
    ) -> None:
        self._turn = turn
        #: Of a turn: what it leaves for the next one, and the check if it has compacted nothing.
        self.notes: Any = None
        self.check: Any = None
        self._call = call
        self._model = model
        self._store = store
        self._records = records
        self._running: Dict[Launched, int] = {}
        self._leases: Dict[str, str] = {}
        self._cause: Optional[BaseException] = None
        #: Ends with the compaction in the background that this job has begun; None if it has begun none.
        self.background: Any = None

    def run(self, head: Mapping[str, Any], settings: "JobSettings") -> Steps[Answer]:
        """Runs a job, and returns the members of its result; none for a job in the background that found nothing to do."""
        mine: Dict[str, Any] = {**settings, "now": now(), "seed": random.getrandbits(32), "can": self._can(), **self._limits()}
        answer = yield Work(lambda: self._call("loop_start", {**head, "settings": mine}, True))
        if "notes" in answer:
            self.notes = _json.loads(answer["notes"])
        try:
            while "job" in answer:
                event = {"now": 0, "results": (yield from self._execute(answer, head))}
                event["now"] = now()
                job, needs = Json(answer["job"]), "needs_messages" in answer
                answer = yield Work(lambda: self._call("loop_event", {"job": job, "event": event}, needs))
            yield from self._execute(answer, head)
        except GeneratorExit:
            raise
        except BaseException:
            yield from self._leave()
            raise
        finally:
            for running in self._running:
                running.cancel()
        if "failure" in answer:
            failure = _json.loads(answer["failure"])
            at = {"path": failure.get("path", ""), "offset": failure.get("offset", 0)}
            raise CtxfoldError(failure["code"], failure["message"], **at) from self._cause
        if "check" in answer:
            self.check = _json.loads(answer["check"])
        return answer_of(answer["result"])

    def _can(self) -> List[str]:
        can = ["wait", "emit", "begin", "cancel", "release"]
        if self._model.summarize is not None:
            can.append("ask")
        if self._store is not None:
            can.append("put")
        if self._records is not None:
            can += ["load", "save", "lease"]
        if self._turn is not None:
            can += ["enter", "before", "stop"]
        return can

    def _limits(self) -> Dict[str, Any]:
        model, records = self._model, self._records
        timeout = -1 if model.timeout is None else max(1, round(model.timeout * 1000))
        return {
            "summary_timeout": timeout, "concurrency": model.concurrency, "prefix": model.prefix, "records": "owner",
            "records_required": records is not None and records.required,
        }  # fmt: skip

    def _execute(self, answer: Answer, head: Mapping[str, Any]) -> Steps[List[Dict[str, Any]]]:
        """Executes the effects of an answer. Returns results as soon as there are any, or none when the time is over."""
        results: List[Dict[str, Any]] = []
        until: Optional[int] = None
        leases: List[str] = []
        for effect in _json.loads(answer["effects"]):
            name = effect["effect"]
            if name == "wait":
                until, leases = effect["until"], [effect["key"]] if "key" in effect else []
            elif name == "ask":
                self._running[(yield self._asking(effect))] = effect["id"]
            elif name == "cancel":
                yield from self._cancel(effect["target"])
            elif name == "begin":
                yield from self._begin(effect, head)
            elif name == "stop":
                self._of_turn().stop()
            elif name == "emit":
                log(effect["notice"])
            elif name == "release":
                yield from self._release(effect["keys"][0], effect["holder"])
            else:
                result = yield from self._stored(effect)
                if "id" in effect:
                    results.append({**result, "id": effect["id"]})
        if results or "job" not in answer:
            return results
        ended = self._records.leases.ended(leases) if self._records is not None else []
        stopped = self._turn.stopped if self._turn is not None else None
        done: List[Launched] = yield Until([*self._running, *ended, *([stopped] if stopped is not None else [])], until)
        if stopped in done and stopped is not None:
            raise Stopped
        return [given_by(each, self._running.pop(each)) for each in done if each in self._running]

    def _asking(self, effect: Mapping[str, Any]) -> Launch:
        request = effect["request"]
        if "sent" in effect:
            request["conversation"]["sent"] = effect["sent"]
        return Launch(partial(self._model.asked(), request), "summarize")

    def _cancel(self, target: int) -> Steps[None]:
        for running, id in list(self._running.items()):
            if id == target:
                del self._running[running]
                yield Cancel(running)

    def _of_turn(self) -> TurnHost:
        assert self._turn is not None
        return self._turn

    def _begin(self, effect: Mapping[str, Any], head: Mapping[str, Any]) -> Steps[None]:
        if self._turn is not None:
            yield from self._turn.begin(effect)
            return
        settings = effect["settings"]
        other = Job(self._call, self._model, self._store, self._records)
        kept: Any = {key: value for key, value in settings.items() if key not in ("now", "seed")}
        self.background = yield Begin(told(other.run(head, kept)))

    def _leave(self) -> Steps[None]:
        """Releases the leases of a job that was ended from outside."""
        for key, holder in list(self._leases.items()):
            yield from self._release(key, holder)

    def _release(self, key: str, holder: str) -> Steps[None]:
        assert self._records is not None
        self._leases.pop(key, None)
        yield from self._records.release(key, holder)

    def _stored(self, effect: Mapping[str, Any]) -> Steps[Dict[str, Any]]:
        """Executes an effect on a store or one of a turn, and returns its result."""
        if effect["effect"] == "enter":
            return (yield from self._of_turn().enter())
        if effect["effect"] == "before":
            return self._of_turn().before()
        try:
            if effect["effect"] == "put":
                assert self._store is not None
                yield Ask(partial(self._store.put, effect["handle"], effect["body"]), "store")
                return {}
            assert self._records is not None
            result = yield from execute(self._records, effect)
            if effect["effect"] == "lease" and result.get("done"):
                self._leases[effect["keys"][0]] = effect["holder"]
            return result
        except OptionError:
            raise
        except Exception as error:
            self._cause = error
            return {"error": text_of(error)}


def told(steps: Steps[Any]) -> Steps[None]:
    """Work in the background: what it fails with is logged, since nobody may ask for it."""
    try:
        yield from steps
    except Stopped:
        pass
    except Exception as error:
        log({"name": "background_failed", "message": text_of(error)})
        raise


def log(notice: Mapping[str, str]) -> None:
    import logging

    logging.getLogger("ctxfold").warning("%s: %s", notice["name"], notice["message"])


def answer_of(result: bytes) -> Answer:
    """The members of a result."""
    from ._core import members

    return {} if result == b"null" else members(result)


def options_of(given: Mapping[str, Any], source: Optional[Transcript], model: Model) -> Dict[str, Any]:
    """The options of a job: what the caller wants of this one call, and what only the host knows."""
    options = dict(given)
    if source is not None and source.answer == "edits":
        options["answer"] = "edits"
    redact = None if source is None else redactions(model.redact, source.piece)
    if redact:
        options["redact"] = redact
    return options
