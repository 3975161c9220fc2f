"""Runs jobs. The module makes the decisions, and this file executes the effects that the module requests
(docs/inside/loop.md).
"""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple

from . import _json
from ._errors import CtxfoldError, OptionError, text_of
from ._module import Answer, Json
from ._options import without_none
from ._records import Behind, Records, execute, now
from ._steps import Ask, Begin, Cancel, Launch, Launched, Model, Steps, Until, Work, given_by
from ._transcript import Transcript
from .store import Store

if TYPE_CHECKING:
    from ._conversation import Turn
    from .types import JobSettings

#: Runs an operation on a request with the given members and, if the last argument is true, with the messages or session.
Call = Callable[[str, Mapping[str, Any], bool], Answer]


class Stopped(Exception):
    """Raised in a background job that was stopped."""


class Job:
    """Executes the effects of one job."""

    def __init__(
        self,
        call: Call,
        model: Model,
        store: Optional[Store],
        records: Optional[Records] = None,
        turn: Optional["Turn[Any]"] = None,
        own: Optional[Behind] = None,
    ) -> None:
        """``own`` is this job's entry in the list of background jobs, if the job runs in the background."""
        self._turn = turn
        self._own = own
        self._owner = ""
        #: For a turn: its notes for the next turn, and its check if it compacted nothing.
        self.notes: Any = None
        self.check: Any = None
        self._call = call
        self._model = model
        self._store = store
        self._records = records
        self._running: Dict[Launched, int] = {}
        self._leases: Dict[str, str] = {}
        self._cause: Optional[BaseException] = None
        #: A future that is done when the background compaction that this job started, or found running, has ended; or
        #: None.
        self.background: Any = None

    def run(self, head: Mapping[str, Any], settings: "JobSettings") -> Steps[Answer]:
        """Runs the job and returns the members of its result. There are none if the job is a turn without a compaction,
        or a background job that had nothing to do. Raises CtxfoldError if the job fails."""
        self._owner = settings.get("owner", "")
        mine: Dict[str, Any] = {**settings, "seed": random.getrandbits(32), "can": self._can(), **self._limits()}
        if self._records is not None:
            loaded = yield from self._stored({"effect": "load", "keys": [self._owner or "default"]})
            mine.update(loaded={**loaded, "id": 0}, running=[] if self._own else self._records.running(self._owner))
        mine["now"] = now()
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
        can = ["wait", "emit", "begin", "stop", "cancel", "release"]
        if self._model.summarize is not None:
            can.append("ask")
        if self._store is not None:
            can.append("put")
        if self._records is not None:
            can += ["load", "save", "lease"]
        if self._turn is not None:
            can += ["enter", "before"]
        return can

    def _limits(self) -> Dict[str, Any]:
        model, records = self._model, self._records
        timeout = -1 if model.timeout is None else max(1, round(model.timeout * 1000))
        return {
            "summary_timeout": timeout, "concurrency": model.concurrency, "prefix": model.prefix, "records": "owner",
            "records_required": records is not None and records.required,
        }  # fmt: skip

    def _execute(self, answer: Answer, head: Mapping[str, Any]) -> Steps[List[Dict[str, Any]]]:
        """Executes the effects that the module requested. Returns as soon as there are results, or without results when
        the time to wait has passed.
        """
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
                self._stop(effect["target"])
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
        stopped = [] if self._own is None else [self._own.stopped]
        done: List[Launched] = yield Until([*self._running, *ended, *stopped], until)
        if stopped and stopped[0].done():
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

    def _of_turn(self) -> "Turn[Any]":
        assert self._turn is not None
        return self._turn

    def _begin(self, effect: Mapping[str, Any], head: Mapping[str, Any]) -> Steps[None]:
        if self._turn is not None:
            yield from self._turn.begin(effect)
            return
        records = self._records
        if records is None:
            return
        known = records.background.get(effect.get("target", 0))
        if known is None and "settings" in effect:
            known = records.begin(self._owner, effect.get("keys", ()))
            other = Job(self._call, self._model, self._store, records, own=known)
            known.ended = yield Begin(logging_failure(other._behind(head, kept_of(effect["settings"]))))
        self.background = known and known.ended

    def _behind(self, head: Mapping[str, Any], settings: Any) -> Steps[None]:
        """Runs this job in the background, and removes it from the background jobs when it has ended."""
        assert self._own is not None and self._records is not None
        try:
            yield from self.run(head, settings)
        finally:
            del self._records.background[self._own.id]

    def _stop(self, target: int) -> None:
        behind = self._records.background.get(target) if self._records is not None else None
        if self._turn is not None:
            self._turn.stop()
        elif behind is not None:
            behind.stop()

    def _leave(self) -> Steps[None]:
        """Releases all leases of the job, for example after it was cancelled from outside."""
        for key, holder in list(self._leases.items()):
            yield from self._release(key, holder)

    def _release(self, key: str, holder: str) -> Steps[None]:
        assert self._records is not None
        self._leases.pop(key, None)
        yield from self._records.release(key, holder)

    def _stored(self, effect: Mapping[str, Any]) -> Steps[Dict[str, Any]]:
        """Executes an effect of a conversation's turn, or one that uses the store or the records, and returns its
        result."""
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
            if effect["effect"] == "lease" and self._own is not None and len(effect["keys"]) > 1:
                self._own.keys = effect["keys"]
            result = yield from execute(self._records, effect)
            if effect["effect"] == "lease" and result.get("done"):
                self._leases[effect["keys"][0]] = effect["holder"]
            return result
        except OptionError:
            raise
        except Exception as error:
            self._cause = error
            return {"error": text_of(error)}


def logging_failure(steps: Steps[Any]) -> Steps[None]:
    """Runs background work. If it fails, logs the error, because the caller may never look at the result."""
    try:
        yield from steps
    except Stopped:
        pass
    except Exception as error:
        log({"name": "background_failed", "message": text_of(error)})
        raise


def kept_of(settings: Mapping[str, Any]) -> Any:
    """Returns the settings that a background job takes over from the call that started it."""
    return {key: value for key, value in settings.items() if key not in ("now", "seed", "can")}


def log(notice: Mapping[str, str]) -> None:
    import logging

    logging.getLogger("ctxfold").warning("%s: %s", notice["name"], notice["message"])


def answer_of(result: bytes) -> Answer:
    """Returns the members of a job's result; none if the result is null."""
    from ._core import members

    return {} if result == b"null" else members(result)


def options_of(given: Optional[Mapping[str, Any]], usage: Any, source: Optional[Transcript], redact: Any) -> Dict[str, Any]:
    """Returns the options of a request: the caller's options and usage for this call, and options that only the host
    can set. Members that are None are left out."""
    own = {"usage": usage, "answer": "edits" if source is not None and source.answer == "edits" else None, "redact": redact or None}
    return {**(given or {}), **without_none(own)}
