"""The operations of the module that need no model and no store, as methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypeVar, Union, cast

from . import _json
from ._errors import OptionError
from ._loop import options_of
from ._module import Answer, MemoryUsage, Module, answered, raw, value_of, values
from ._options import checked, without_none
from ._results import Converted, Done, Pending
from ._transcript import Transcript, transcript

if TYPE_CHECKING:
    from . import types

M = TypeVar("M")
Policy = Mapping[str, Any]

#: The instances that are shared by all compactors without a memory limit of their own.
_shared: Optional[Module] = None


def shared_module() -> Module:
    global _shared
    if _shared is None:
        _shared = Module()
    return _shared


def policy_of(
    policy: Optional[Policy], window: Any, model: Optional[str], format: Optional[str]
) -> Optional[Policy]:
    """Returns the policy with the keys ``window``, ``model`` and ``format``, which callers may pass
    as separate arguments. Raises OptionError if the policy is not a dict or the window is
    invalid."""
    if window is not None:
        window = window_of(window)
    if policy is not None and not isinstance(policy, Mapping):
        raise OptionError("a policy is a dict (docs/reference/policy.md)", path="policy")
    own = without_none({"model": model, "format": format})
    if window is not None:
        own["window"] = {**((policy or {}).get("window") or {}), **window}
    return {**(policy or {}), **own} if own else policy


def window_of(window: Any) -> Dict[str, Any]:
    """Returns the policy's ``window`` for a number of tokens or ``"unlimited"``. Raises OptionError for anything else."""
    if window == "unlimited":
        return {"unlimited": True}
    if isinstance(window, int) and not isinstance(window, bool) and window > 0:
        return {"tokens": window}
    none = not isinstance(window, bool) and (window == 0 or window != window)
    raise OptionError(
        "window is the model's context window in tokens, such as 200_000, or \"unlimited\", "
        f"not {window!r}; policy['window'] has more",
        path="window",
        code="unknown_window" if none else "invalid_option",
    )


class Operations:
    """The operations that need no model and no store. Every method may be called from any number of threads.

    The methods raise :class:`ctxfold.CtxfoldError`: :class:`ctxfold.OptionError` for an argument of the wrong kind, and
    otherwise with a code of docs/reference/errors.md.
    """

    @checked
    def __init__(
        self,
        policy: Optional["types.Policy"] = None,
        *,
        window: Union[int, Literal["unlimited"], None] = None,
        model: Optional[str] = None,
        format: Optional["types.Format"] = None,
        memory_limit: int = 0,
    ) -> None:
        """``window`` (in tokens, or ``"unlimited"``), ``model`` and ``format`` are keys of the policy that may be given separately.

        ``memory_limit`` bounds the memory of each instance of the module, in bytes; 0 means 4 GiB. A call needs about three times
        the size of its messages.
        """
        self._policy = policy_of(cast(Optional[Policy], policy), window, model, format)
        self._module = Module(memory_limit) if memory_limit else shared_module()

    @property
    def memory_usage(self) -> MemoryUsage:
        """The memory of the module's instances: limit, current and peak, in bytes."""
        return self._module.usage

    def call(self, op: "types.Operation", request: bytes) -> bytes:
        """Runs an operation on a request in the form that docs/reference/abi.md defines. Returns the answer unchanged, even if
        it is ``{"error":…}``."""
        with self._module.lent() as instance:
            return raw(instance, op, (request,))

    def info(self) -> "types.Info":
        """Returns the version, the limits and the operations of this module."""
        return cast("types.Info", values(self._module.call("info", {})))

    @checked
    def detect(self, messages: Any, *, policy: Optional["types.Policy"] = None) -> "types.Detection":
        """Returns the wire formats that the messages may have, the most likely first. Raises
        :class:`CtxfoldError` if they are neither a list of messages nor a request body."""
        answer = self._module.call("detect", {"policy": policy}, transcript(messages))
        return cast("types.Detection", values(answer))

    @checked
    def estimate(
        self,
        messages: Any = None,
        *,
        text: Optional[str] = None,
        window: Union[int, Literal["unlimited"], None] = None,
        model: Optional[str] = None,
        format: Optional["types.Format"] = None,
        policy: Optional["types.Policy"] = None,
        options: Optional["types.Options"] = None,
        state: Optional["types.State"] = None,
        usage: Optional["types.Counted"] = None,
    ) -> "types.Estimate":
        """Estimates the tokens of messages, in total and for each, or of a text. Give either ``messages`` or
        ``text``."""
        head = self._head(policy, window, model, format, options, state, usage)
        source = None if text is not None else transcript(messages)
        return cast("types.Estimate", values(self._module.call("estimate", {**head, "text": text}, source)))

    @checked
    def check(
        self,
        messages: Any,
        *,
        window: Union[int, Literal["unlimited"], None] = None,
        model: Optional[str] = None,
        format: Optional["types.Format"] = None,
        policy: Optional["types.Policy"] = None,
        options: Optional["types.Options"] = None,
        state: Optional["types.State"] = None,
        usage: Optional["types.Counted"] = None,
    ) -> "types.Check":
        """Reports whether a compaction is due, and why, without planning one. If ``usage`` is
        given, the answer also has the state, updated with that count."""
        head = self._head(policy, window, model, format, options, state, usage)
        return cast("types.Check", values(self._module.call("check", head, transcript(messages))))

    @checked
    def plan(
        self,
        messages: M,
        *,
        window: Union[int, Literal["unlimited"], None] = None,
        model: Optional[str] = None,
        format: Optional["types.Format"] = None,
        policy: Optional["types.Policy"] = None,
        options: Optional["types.Options"] = None,
        state: Optional["types.State"] = None,
        usage: Optional["types.Counted"] = None,
    ) -> Union[Pending, Done[M]]:
        """Begins a compaction, for programs that call the model themselves. Continue a pending plan with
        :meth:`step`. Returns a :class:`Pending` with requests for summaries, or a :class:`Done` if none are
        needed."""
        source = transcript(messages)
        head = self._head(policy, window, model, format, options, state, usage, source, True)
        planned: Union[Pending, Done[M]] = self._planned(self._module.call("plan", head, source), source)
        return planned

    @checked
    def step(
        self, plan: "types.Plan", summaries: Sequence["types.Summary"], messages: M
    ) -> Union[Pending, Done[M]]:
        """Continues a plan. Pass the messages that were passed to :meth:`plan`; newer messages may follow them.
        ``summaries`` answer the requests of the plan, by their ``id``. Returns a :class:`Done`, or a :class:`Pending`
        if the plan needs more summaries."""
        source = transcript(messages)
        answer = self._module.call("step", {"plan": plan, "summaries": summaries}, source)
        planned: Union[Pending, Done[M]] = self._planned(answer, source)
        return planned

    @checked
    def prints(
        self,
        messages: Any,
        *,
        format: Optional["types.Format"] = None,
        policy: Optional["types.Policy"] = None,
    ) -> List[str]:
        """Returns the fingerprints of the first message, of the first two messages, and so on (docs/reference/abi.md)."""
        head = self._head(policy, None, None, format, None, None, None)
        return cast(List[str], value_of(self._module.call("prints", head, transcript(messages)), "prints"))

    @checked
    def validate(
        self,
        messages: Any,
        *,
        format: Optional["types.Format"] = None,
        policy: Optional["types.Policy"] = None,
        state: Optional["types.State"] = None,
    ) -> "types.Validation":
        """Lists the places where messages break the rules of their wire format, and what :meth:`repair` would do about
        them."""
        head = self._head(policy, None, None, format, None, state, None)
        return cast("types.Validation", values(self._module.call("validate", head, transcript(messages))))

    @checked
    def repair(
        self,
        messages: M,
        *,
        format: Optional["types.Format"] = None,
        policy: Optional["types.Policy"] = None,
        state: Optional["types.State"] = None,
    ) -> Done[M]:
        """Repairs the places where messages break the rules of their wire format, without compacting them. Places that no
        repair can fix are listed in ``report["left"]``."""
        source = transcript(messages)
        head = self._head(policy, None, None, format, None, state, None, source)
        done: Done[M] = self._done(self._module.call("repair", head, source), source)
        return done

    @checked
    def convert(
        self,
        messages: M,
        to: "types.Format",
        *,
        format: Optional["types.Format"] = None,
        policy: Optional["types.Policy"] = None,
    ) -> Converted[M]:
        """Converts messages to another wire format, and lists the content that is lost. Raises ``unknown_format`` if
        there is no such format."""
        source = transcript(messages)
        head = self._head(policy, None, None, format, None, None, None)
        answer = self._module.call("convert", {**head, "to": to}, source)
        of = values(answer, "messages")
        made: Any = _json.loads(answer["messages"]) if source.answer == "edits" else source.restore(answer)
        return Converted(
            messages=made,
            source=of["from"], target=of["to"], valid=of["valid"], lost=of["lost"], report=of["report"], system=of.get("system"),
        )  # fmt: skip

    @checked
    def restore(
        self,
        messages: M,
        bodies: Sequence["types.Kept"] = (),
        *,
        format: Optional["types.Format"] = None,
        policy: Optional["types.Policy"] = None,
        state: Optional["types.State"] = None,
    ) -> Done[M]:
        """Restores contents that compactions removed. Without ``bodies``, only lists the messages' markers in ``markers``."""
        source = transcript(messages)
        head = self._head(policy, None, None, format, None, state, None, source)
        done: Done[M] = self._done(self._module.call("restore", {**head, "bodies": list(bodies)}, source), source)
        return done

    def handles_in(self, bodies: Sequence["types.Kept"]) -> "types.NamedHandles":
        """Returns the handles that archived contents name, and the handles of corrupt contents, which do not match their handle."""
        return cast("types.NamedHandles", values(self._module.call("restore", {"bodies": list(bodies)})))

    @checked
    def digests(
        self,
        messages: Any,
        *,
        format: Optional["types.Format"] = None,
        policy: Optional["types.Policy"] = None,
        state: Optional["types.State"] = None,
    ) -> List["types.Digest"]:
        """Lists the messages that compactions wrote, with their contents, for programs that show a conversation."""
        head = self._head(policy, None, None, format, None, state, None)
        answer = self._module.call("digests", head, transcript(messages))
        return cast('List["types.Digest"]', value_of(answer, "digests"))

    @checked
    def recall_tool(self, *, format: Optional["types.Format"] = None) -> Dict[str, Any]:
        """Returns the definition of a tool with which a model can read removed content, for ``tools`` in a request of this format."""
        head = self._head(None, None, None, format, None, None, None)
        return cast(Dict[str, Any], value_of(self._module.call("recall", head), "tool"))

    def open_session(self, file: Union[str, bytes]) -> "types.Opened":
        """Extracts the live conversation from the text of a coding agent's session file. The result
        has ``messages``. Raises ``unknown_session`` if it is not a session file."""
        request = file if isinstance(file, bytes) else file.encode()
        with self._module.lent() as instance:
            return cast("types.Opened", values(answered(instance, "open", (request,))))

    @checked
    def save_session(
        self, file: str, messages: Any, *, tokens: Optional[int] = None, time: Optional[str] = None
    ) -> str:
        """Returns the session file with its conversation replaced by these messages. ``tokens`` is
        ``report["tokens"]["before"]`` of the compaction that made them. ``time`` is the time of saving in ISO 8601.
        Raises ``cannot_save`` if the file's format has no place for the messages."""
        head = {"file": file, "tokens": tokens, "time": time}
        saved = values(self._module.call("save", without_none(head), transcript(messages)))
        return file.encode()[: saved["kept"]].decode() + cast(str, saved["text"])

    def classify_error(self, failure: "types.Failure") -> "types.Verdict":
        """Returns why a model call failed, for example because the conversation does not fit.
        :func:`ctxfold.failure_of` converts an exception to a ``failure``."""
        return cast("types.Verdict", values(self._module.call("classify_error", {"arguments": failure})))

    def limit_tool_output(
        self, text: str, limits: Optional["types.OutputLimits"] = None
    ) -> "types.LimitedOutput":
        """Shortens a tool's output before it becomes part of the transcript. Without ``limits``, the defaults in
        docs/reference/abi.md apply."""
        answer = self._module.call("limit_tool_output", {"text": text, "arguments": limits or {}})
        return cast("types.LimitedOutput", values(answer))

    def _head(
        self,
        policy: Any,
        window: Union[int, Literal["unlimited"], None],
        model: Optional[str],
        format: Optional[str],
        options: Any,
        state: Any,
        usage: Any,
        source: Optional[Transcript] = None,
        plans: bool = False,
    ) -> Dict[str, Any]:
        """Returns the members of a request that precede its messages. ``plans`` adds the members that only ``plan`` takes."""
        own = options_of(options, usage, source, self._redactions(source) if plans and source is not None else None)
        policy = policy_of(self._policy if policy is None else policy, window, model, format)
        return {"policy": policy, "options": own or None, "state": state}

    def _redactions(self, source: Transcript) -> Any:
        """Returns the redactions for the messages; None if no function finds secrets in them."""
        return None

    def _planned(self, answer: Answer, source: Transcript) -> Any:
        if "plan" not in answer:
            return self._done(answer, source)
        of = values(answer)
        return Pending(plan=of["plan"], requests=of["requests"], report=of["report"])

    @staticmethod
    def _done(answer: Answer, source: Transcript) -> Any:
        of = values(answer, "messages", "edits")
        return Done(
            messages=source.restore(answer), report=of["report"], state=of.get("state"),
            archive=of.get("archive") or [], markers=of.get("markers") or [],
        )  # fmt: skip
