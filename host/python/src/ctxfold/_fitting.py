"""Compactions, as work that either driver runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _json
from ._errors import CtxfoldError, OptionError, text_of
from ._memories import Flights, Memories, Remembered, find, matching, provisional
from ._module import Answer, Json, Module, value_of, values
from ._redact import redactions
from ._results import Done, Fitted
from ._steps import Ask, Model, Steps, Summaries, Work
from ._transcript import Transcript
from .store import Store

if TYPE_CHECKING:
    from .types import Body

#: Up to so many entries the module itself looks which one fits; of more, prints tell. It is given no more of them.
FEW = 8


class Fitting:
    """One history, and the operations on it."""

    def __init__(
        self,
        module: Module,
        source: Transcript,
        *,
        policy: Optional[Mapping[str, Any]],
        options: Mapping[str, Any],
        model: Model,
        store: Optional[Store],
    ) -> None:
        self._module = module
        self.source = source
        self.policy = policy
        self.options = options_of(options, source, model, store)
        self.model = model
        self.store = store
        self._prints: Optional[List[str]] = None

    def prints(self) -> Steps[List[str]]:
        """The fingerprints of the first message, of the first two messages, and so on."""
        if self._prints is None:
            answer = yield from self._ask("prints", {"policy": self.policy, "options": self.options})
            self._prints = value_of(answer, "prints")
        return self._prints or []

    def begin(self, known: Sequence[Remembered]) -> Steps[Answer]:
        return self._ask("fit", {"policy": self.policy, "options": self.options, "memory": _list(known)})

    def summarized(self, answer: Answer, known: Sequence[Remembered]) -> Steps[Tuple[Answer, bool]]:
        """Asks for summaries until an answer is final. Reports whether any summary failed."""
        failed = False
        while "plan" in answer:
            summaries = yield Summaries(_json.loads(answer["requests"]), self.model)
            failed = failed or any("error" in each for each in summaries)
            plan = Json(answer["plan"])
            answer = yield from self._ask("step", {"plan": plan, "summaries": summaries, "memory": _list(known)})
        return answer, failed

    def result(self, answer: Answer) -> Fitted[Any]:
        return Fitted(
            messages=self.source.restore(answer),
            report=value_of(answer, "report"),
            known=value_of(answer, "known") is not None and value_of(answer, "known") >= 0,
            archive=value_of(answer, "archive") or [],
        )

    def _ask(self, op: str, head: Dict[str, Any]) -> Steps[Answer]:
        answer: Answer = yield Work(lambda: self._module.call(op, head, self.source))
        return answer


class Fits:
    """What calls with one memory share: at most one compaction runs at a time for a conversation."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self._flights = Flights()

    def fit(self, fitting: Fitting, id: str) -> Steps[Fitted[Any]]:
        """Returns what to send for a history."""
        while True:
            known = yield from self._known(id, fitting)
            answer = yield from fitting.begin(known)
            index = value_of(answer, "known")
            if 0 <= index < len(known):
                self._memories.used(id, known[index])
            if "plan" not in answer and not value_of(answer, "report")["changed"]:
                return fitting.result(answer)
            prints = yield from fitting.prints()
            mine = yield from self._flights.enter(id, prints)
            try:
                # Another call may have been faster while this one looked or waited.
                now = yield from self._current(id)
                if find(now, prints) != find(known, prints):
                    continue
                answer, failed = yield from fitting.summarized(answer, known)
                fitted = fitting.result(answer)
                yield from keep(fitting.store, fitted.archive)
                yield from self._remember(id, answer, prints if failed else None)
                return fitted
            finally:
                self._flights.leave(mine)

    def _current(self, id: str) -> Steps[List[Remembered]]:
        entries = yield from self._memories.of(id)
        return [each for each in entries if each.counts()]

    def _known(self, id: str, fitting: Fitting) -> Steps[List[Remembered]]:
        """The entries that may be of the beginning of the history."""
        entries = yield from self._current(id)
        if len(entries) <= FEW:
            return entries
        prints = yield from fitting.prints()
        return matching(entries, prints)[-FEW:]

    def _remember(self, id: str, answer: Answer, failed: Optional[List[str]]) -> Steps[None]:
        """Keeps an entry. ``failed`` are the prints of a history for which the model gave no summary: it is asked again later."""
        memory = answer.get("memory")
        if memory is None:
            return
        made = memory.decode()
        if failed is not None:
            before = find((yield from self._memories.of(id)), failed)
            made = provisional(made, (before.tries if before else 0) + 1)
        yield from self._memories.add(id, made)


def compact(fitting: Fitting, module: Module, state: Optional[Mapping[str, Any]]) -> Steps[Done[Any]]:
    """A compaction of a transcript that the caller replaces with the result."""
    head = {"policy": fitting.policy, "options": fitting.options, "state": state}
    answer: Answer = yield Work(lambda: module.call("plan", head, fitting.source))
    answer, _ = yield from fitting.summarized(answer, ())
    of = values(answer, "messages", "edits", "memory")
    yield from keep(fitting.store, of.get("archive") or [])
    return Done(fitting.source.restore(answer), of["report"], of.get("state"), of.get("archive") or [])


def options_of(
    given: Mapping[str, Any], source: Optional[Transcript], model: Model, store: Optional[Store]
) -> Dict[str, Any]:
    """The options of a request: what the caller wants of this one call, and what the host knows and needs itself."""
    options = dict(given)
    if source is not None and source.answer == "edits":
        options["answer"] = "edits"
    if store is not None:
        options["archive"] = "bodies"
    redact = None if source is None else redactions(model.redact, source.piece)
    if redact:
        options["redact"] = redact
    if model.summarize is None:
        options["summary"] = {**(options.get("summary") or {}), "mode": "local"}
    return options


def keep(store: Optional[Store], bodies: Sequence["Body"]) -> Steps[None]:
    """Keeps the bodies of an answer, which is not used unless all of them are kept."""
    if store is None:
        return
    put = store.put
    for body in bodies:
        try:
            yield Ask(lambda: put(body["handle"], body["body"]), "store")
        except OptionError:
            raise
        except Exception as error:
            raise CtxfoldError(
                "store_failed", f"a body could not be stored, and nothing was changed: {text_of(error)}"
            ) from error


def _list(known: Sequence[Remembered]) -> Optional[Json]:
    """The member ``memory`` of a request."""
    return Json(f"[{','.join(each.json for each in known)}]".encode()) if known else None
