"""What operations give that have messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, List, Optional, TypeVar

if TYPE_CHECKING:
    from .types import Body, Loss, Marker, Plan, Report, State, SummaryRequest

#: The kind of the messages: that which was given.
M = TypeVar("M")


@dataclass
class Fitted(Generic[M]):
    """What to send for a whole history."""

    #: In the kind that was given. What is kept are the very objects that were given; the same list where there is nothing to do.
    messages: M
    #: What was done to each message.
    report: "Report"
    #: An earlier compaction is in place of the history's beginning.
    known: bool
    #: What this call has removed, where the policy asks for it. A store has it already.
    archive: List["Body"] = field(default_factory=list)
    #: Ends with the compaction that this call has begun in the background (``gate.start`` of the policy): a future of ``concurrent.futures``,
    #: or a task of asyncio. None if it has begun none.
    background: Any = None

    @property
    def changed(self) -> bool:
        """A compaction was made in this call."""
        return self.report["changed"]


@dataclass
class Done(Generic[M]):
    """A compaction, a repair or a restoration that is done."""

    messages: M
    report: "Report"
    #: To be kept next to the messages, and given to the next call. None where the request had none and nothing should be kept.
    state: Optional["State"] = None
    archive: List["Body"] = field(default_factory=list)
    #: Of a restoration: what in the messages still names a handle.
    markers: List["Marker"] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return self.report["changed"]


@dataclass
class Pending:
    """A compaction that wants summaries: answer the requests, and go on with ``step``."""

    #: Data: it can be stored, and continued with by another process.
    plan: "Plan"
    requests: List["SummaryRequest"]
    report: "Report"


@dataclass
class Converted(Generic[M]):
    """Messages in another wire format."""

    messages: M
    #: The wire formats.
    source: str
    target: str
    #: Nothing is left that the provider of the new format would refuse.
    valid: bool
    #: What is not carried over as it was.
    lost: List["Loss"]
    report: "Report"
    #: The system prompt, where the new format has it next to the messages.
    system: Any = None
