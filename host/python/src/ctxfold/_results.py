"""The results of operations that return messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, List, Optional, TypeVar

if TYPE_CHECKING:
    from .types import Body, Loss, Marker, Plan, Report, State, SummaryRequest

#: The type of messages that the caller passed.
M = TypeVar("M")


@dataclass
class FitResult(Generic[M]):
    """The result of ``fit``: the messages to send, and what was done to get them."""

    #: The messages, in the same type as the caller's. Kept messages are the same objects; if nothing changed, this is the
    #: caller's list itself.
    messages: M
    #: What was done, and why, with the sizes before and after.
    report: "Report"
    #: Whether an earlier compaction replaces the beginning of the history.
    known: bool
    #: The content that this call removed, if the policy requests it. If there is a store, the content is already in it.
    archive: List["Body"] = field(default_factory=list)
    #: A future of ``concurrent.futures``, or an asyncio task, that is done when the background compaction of this
    #: history (``gate.start`` of the policy) has ended. None if the module requested none.
    background: Any = None

    @property
    def changed(self) -> bool:
        """Whether a compaction was made in this call."""
        return self.report["changed"]


@dataclass
class Done(Generic[M]):
    """A finished compaction, repair or restoration."""

    messages: M
    report: "Report"
    #: The state to store with the messages and pass to the next call. None if there is nothing to store.
    state: Optional["State"] = None
    archive: List["Body"] = field(default_factory=list)
    #: Restorations only: the markers that remain in the messages.
    markers: List["Marker"] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return self.report["changed"]


@dataclass
class Pending:
    """A compaction that needs summaries. Have a model answer its requests, and continue with ``step``."""

    #: Plain data, which can be stored. Another process can continue the plan.
    plan: "Plan"
    requests: List["SummaryRequest"]
    report: "Report"


@dataclass
class Converted(Generic[M]):
    """Messages in another wire format."""

    messages: M
    #: The wire formats that the messages were converted from and to.
    source: str
    target: str
    #: Whether a provider with the new format would accept the messages.
    valid: bool
    #: The content that was changed or lost.
    lost: List["Loss"]
    report: "Report"
    #: The system prompt, if the new format has it outside the messages.
    system: Any = None
