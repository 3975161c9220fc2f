"""What ``fit`` remembers: which compaction replaces which beginning of a history."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ._errors import CtxfoldError, OptionError, text_of
from ._steps import Ask, Steps, Wait

if TYPE_CHECKING:
    from concurrent.futures import Future

FIRST_SECONDS = 60
LONGEST_SECONDS = 3600

#: How many compactions are remembered in this process, and under one key of a memory; the module reads no more of a list.
REMEMBERED, REMEMBERED_KEPT = 256, 64


#: How many of the newest messages are expected to be others in the next call.
VOLATILE = 4


class Remembered(NamedTuple):
    """A compaction as the module returned it, with the members that this package adds."""

    json: str
    messages: int
    print: str
    sent_messages: int
    sent: str
    #: How often in a row the model gave no summary, and when to ask it again, in seconds since 1970: then the entry counts for nothing.
    tries: int
    again: float
    #: How many messages of a list that continued from what was sent before the same compaction replaces, and their print; 0 and "" without one.
    given_messages: int = 0
    given: str = ""

    def counts(self) -> bool:
        return not self.tries or time.time() < self.again


def remembered(text: str) -> Optional[Remembered]:
    """Parses an entry. Returns None for a text that is not an entry; that costs only a compaction."""
    try:
        entry: Dict[str, Any] = json.loads(text)
        given = entry.get("given") or {}
        # tries and again are ours alone: the module passes over members that it does not know.
        return Remembered(
            text, entry["messages"], entry["print"], entry["sent_messages"], entry["sent"],
            entry.get("tries", 0), entry.get("again", 0), given.get("messages", 0), given.get("print", ""),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def provisional(made: str, tries: int) -> str:
    """An entry whose digest was made because the model failed, for the ``tries`` th time in a row."""
    again = int(time.time()) + min(FIRST_SECONDS * 2 ** (tries - 1), LONGEST_SECONDS)
    return f'{made[:-1]},"tries":{tries},"again":{again}}}'


def covers(entry: Remembered, prints: Sequence[str]) -> int:
    """How many messages of a list an entry represents; 0 where the list does not begin with them."""
    if _at(prints, entry.messages) == entry.print:
        return entry.messages
    if _at(prints, entry.given_messages) == entry.given:
        return entry.given_messages
    return entry.sent_messages if _at(prints, entry.sent_messages) == entry.sent else 0


def matching(entries: Sequence[Remembered], prints: Sequence[str]) -> List[Remembered]:
    """The entries that represent a beginning of a list: the one of most messages is the last."""
    found = [(covers(each, prints), each.messages, index) for index, each in enumerate(entries)]
    return [entries[index] for messages, _, index in sorted(found) if messages > 0]


def find(entries: Sequence[Remembered], prints: Sequence[str]) -> Optional[Remembered]:
    """The entry that represents most of a list."""
    found = matching(entries, prints)
    return found[-1] if found else None


def _at(prints: Sequence[str], messages: int) -> Optional[str]:
    return prints[messages - 1] if 0 < messages <= len(prints) else None


class Memories:
    """Entries in this process. Of more than there is room for, the one that was used longest ago is forgotten."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._all: "OrderedDict[Tuple[str, str], Remembered]" = OrderedDict()
        self._lock = threading.Lock()

    def of(self, key: str) -> Steps[List[Remembered]]:
        yield from ()
        with self._lock:
            return [each for (of, _), each in self._all.items() if of == key]

    def add(self, key: str, made: str) -> Steps[None]:
        yield from ()
        entry = remembered(made)
        if entry is None:
            return
        with self._lock:
            self._all[key, entry.print] = entry
            self._all.move_to_end((key, entry.print))
            while len(self._all) > self._most:
                self._all.popitem(last=False)

    def used(self, key: str, entry: Remembered) -> None:
        with self._lock:
            if (key, entry.print) in self._all:
                self._all.move_to_end((key, entry.print))


class KeptMemories(Memories):
    """Entries in the caller's mapping: anything like a dict of texts. Each value is a list as JSON."""

    def __init__(self, memory: Any, most: int = REMEMBERED_KEPT) -> None:
        super().__init__(most)
        if not (hasattr(memory, "__setitem__") and hasattr(memory, "get")):
            if not (hasattr(memory, "load") and hasattr(memory, "save")):
                raise OptionError("a memory is like a dict of texts, or has load and save", path="memory")
        self._memory = memory

    def of(self, key: str) -> Steps[List[Remembered]]:
        load = getattr(self._memory, "load", None) or self._memory.get
        text = yield from _told("read", lambda: load(key))
        try:
            entries = json.loads(text) if text else []
        except ValueError:
            return []
        found = [remembered(each) for each in entries if isinstance(each, str)]
        return [each for each in found if each is not None]

    def add(self, key: str, made: str) -> Steps[None]:
        entry = remembered(made)
        others = yield from self.of(key)
        kept = [each.json for each in others if entry is None or each.print != entry.print]
        text = json.dumps([*kept, made][-self._most :])
        save = getattr(self._memory, "save", None) or self._memory.__setitem__
        yield from _told("kept", lambda: save(key, text))

    def used(self, key: str, entry: Remembered) -> None:
        pass


def _told(what: str, work: Any) -> Steps[Any]:
    try:
        return (yield Ask(work, "memory"))
    except OptionError:
        raise
    except Exception as error:
        raise CtxfoldError("memory_failed", f"what fit remembers cannot be {what}: {text_of(error)}") from error


class Flights:
    """Compactions that are being made: calls for the same conversation wait for them, and find what they have made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: List[Tuple[str, Sequence[str], "Future[None]"]] = []

    def enter(self, key: str, prints: Sequence[str]) -> Steps["Future[None]"]:
        """Waits for compactions of a prefix of this history. Returns the ticket to pass to :meth:`leave` at the end."""
        from concurrent.futures import Future

        while True:
            with self._lock:
                other = next((each for each in self._all if each[0] == key and _begins(prints, each[1])), None)
                if other is None:
                    mine: "Future[None]" = Future()
                    self._all.append((key, prints, mine))
                    return mine
            yield Wait(other[2])

    def leave(self, mine: "Future[None]") -> None:
        with self._lock:
            self._all = [each for each in self._all if each[2] is not mine]
        mine.set_result(None)


def _begins(prints: Sequence[str], beginning: Sequence[str]) -> bool:
    """Reports whether a history begins with another one, whatever the newest messages of that are."""
    newest = VOLATILE if len(beginning) >= 2 * VOLATILE else 0
    last = len(beginning) - newest
    return _at(prints, last) == _at(beginning, last)
