"""Storage for the jobs' records, and the leases that coordinate jobs."""

from __future__ import annotations

import threading
import time
import weakref
from collections import OrderedDict
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._errors import OptionError
from ._options import has
from ._steps import Ask, Launched, Steps, Until

#: The maximum total size of records in this process, in characters.
KEPT_CHARACTERS = 64 << 20


def now() -> int:
    """Returns the current time in milliseconds since 1970."""
    return int(time.time() * 1000)


class Leases:
    """Leases that are valid only within this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: Dict[str, Tuple[str, int, Launched]] = {}

    def take(self, keys: List[str], holder: str, ttl: int) -> bool:
        """Leases the first key to the holder, or renews its lease, unless another holder has a lease on one of the
        keys. ``ttl`` is in milliseconds. Returns whether the holder has the lease."""
        from concurrent.futures import Future

        at = now()
        with self._lock:
            for key in keys:
                other = self._all.get(key)
                if other is not None and other[0] != holder and other[1] > at:
                    return False
            mine = self._all.get(keys[0])
            ended = mine[2] if mine is not None and mine[0] == holder else Future()
            self._all[keys[0]] = (holder, at + ttl, ended)
            return True

    def release(self, key: str, holder: str) -> None:
        with self._lock:
            mine = self._all.get(key)
            if mine is None or mine[0] != holder:
                return
            del self._all[key]
        mine[2].set_result(None)

    def ended(self, keys: List[str]) -> List[Launched]:
        """Returns futures, each of which is done when the lease on one of the keys is released."""
        with self._lock:
            return [self._all[key][2] for key in keys if key in self._all]

    def enter(self, key: str) -> Steps[str]:
        """Waits for the lease on a key, without a timeout. Returns the holder's name, which :meth:`release` needs."""
        holder = f"{id(self):x} {time.perf_counter_ns():x} {threading.get_ident():x}"
        while not self.take([key], holder, 1 << 40):
            yield Until(self.ended([key]), None)
        return holder


class Behind:
    """A job that runs in the background."""

    def __init__(self, id: int, owner: str = "", keys: Sequence[str] = ()) -> None:
        from concurrent.futures import Future

        self.id = id
        self.owner = owner
        #: The keys of the last lease that the job requested.
        self.keys = list(keys)
        #: A future that is done when the job has ended.
        self.ended: Any = None
        #: A future that is done when the job should stop.
        self.stopped: Launched = Future()

    def stop(self) -> None:
        if not self.stopped.done():
            self.stopped.set_result(None)


class Records:
    """Records in this process. If they exceed the size limit, the least recently used ones are removed."""

    #: Whether a call fails if its records cannot be loaded or saved.
    required = False

    def __init__(self, most: int = KEPT_CHARACTERS) -> None:
        self.leases = Leases()
        #: The background jobs, by number.
        self.background: Dict[int, Behind] = {}
        self._begun = 0
        self._most = most
        self._size = 0
        self._all: "OrderedDict[str, Tuple[str, int]]" = OrderedDict()
        self._saved = 0
        self._lock = threading.Lock()

    def begin(self, owner: str, keys: Sequence[str]) -> Behind:
        """Registers a job that begins in the background. ``owner`` identifies the history that it
        compacts, and ``keys`` are the keys of its lease."""
        with self._lock:
            self._begun += 1
            behind = self.background[self._begun] = Behind(self._begun, owner, keys)
            return behind

    def running(self, owner: str) -> List[Dict[str, Any]]:
        """Returns the numbers and keys of an owner's background jobs, except those without keys."""
        with self._lock:
            return [{"id": each.id, "keys": each.keys} for each in self.background.values() if each.owner == owner and each.keys]

    def lease(self, keys: List[str], holder: str, ttl: int) -> Steps[bool]:
        yield from ()
        return self.leases.take(keys, holder, ttl)

    def release(self, key: str, holder: str) -> Steps[None]:
        yield from ()
        self.leases.release(key, holder)

    def load(self, key: str) -> Steps[Dict[str, Any]]:
        yield from ()
        with self._lock:
            if key not in self._all:
                return {}
            self._all.move_to_end(key)
            record, revision = self._all[key]
            return {"record": record, "revision": str(revision)}

    def save(self, key: str, record: str, revision: str) -> Steps[bool]:
        yield from ()
        with self._lock:
            old, number = self._all.pop(key, ("", 0))
            if str(number or "") != revision:
                self._all[key] = (old, number)
                return False
            self._saved += 1
            self._all[key] = (record, self._saved)
            self._size += len(record) - len(old)
            while self._size > self._most and len(self._all) > 1:
                self._size -= len(self._all.popitem(last=False)[1][0])
            return True


class KeptRecords(Records):
    """Records in an object that the caller passed. It behaves like a dict of texts, or has ``load`` and ``save``."""

    required = True

    def __init__(self, memory: Any) -> None:
        super().__init__()
        if not has(memory, "__setitem__", "get") and not has(memory, "load", "save"):
            raise OptionError("a memory is like a dict of texts, or has load(key) and save(key, text)", path="memory")
        self._memory = memory
        with _LOCK:
            self.leases = _LEASES.setdefault(id(memory), self.leases)
        self._load = getattr(memory, "load", None) or memory.get
        self._save = getattr(memory, "save", None) or memory.__setitem__

    def load(self, key: str) -> Steps[Dict[str, Any]]:
        text: Optional[str] = yield Ask(lambda: self._load(key), "memory")
        return {"record": text, "revision": _revision(text)} if isinstance(text, str) and text else {}

    def save(self, key: str, record: str, revision: str) -> Steps[bool]:
        """Saves a record unless its revision has changed. Within this process this is atomic, so that no other job saves between
        the comparison and the change."""
        holder = yield from self.leases.enter(f"save {key}")
        try:
            found = yield from self.load(key)
            if found.get("revision", "") != revision:
                return False
            yield Ask(lambda: self._save(key, record), "memory")
            return True
        finally:
            self.leases.release(f"save {key}", holder)


class SharedRecords(KeptRecords):
    """Records that several processes share. The caller's object also has ``lease``, ``release`` and ``swap``."""

    def lease(self, keys: List[str], holder: str, ttl: int) -> Steps[bool]:
        return bool((yield Ask(lambda: self._memory.lease(keys, holder, ttl / 1000), "memory")))

    def release(self, key: str, holder: str) -> Steps[None]:
        """Releases a lease. A failure is ignored, because the lease then expires."""
        try:
            yield Ask(lambda: self._memory.release(key, holder), "memory")
        except OptionError:
            raise
        except Exception:
            pass

    def save(self, key: str, record: str, revision: str) -> Steps[bool]:
        old: Optional[str] = yield Ask(lambda: self._load(key), "memory")
        if (_revision(old) if old else "") != revision:
            return False
        return bool((yield Ask(lambda: self._memory.swap(key, old, record), "memory")))


#: The leases for callers' memory objects, by the ``id`` of the object. All records over one object share its leases.
_LEASES: "weakref.WeakValueDictionary[int, Leases]" = weakref.WeakValueDictionary()
_LOCK = threading.Lock()


def _revision(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def records_of(memory: Any) -> Records:
    """Returns the records for the memory object that the caller passed; without one, they are kept in this process. Raises
    OptionError if the object lacks a method."""
    if memory is None:
        return Records()
    if not hasattr(memory, "lease"):
        return KeptRecords(memory)
    if not has(memory, "lease", "release", "swap"):
        raise OptionError("a memory with lease has load(key) and save(key, text), and release and swap too", path="memory")
    return SharedRecords(memory)


def execute(records: Records, effect: Mapping[str, Any]) -> Steps[Dict[str, Any]]:
    """Executes an effect that loads or saves a record, or takes or releases a lease, and returns its result. Failures
    of the caller's memory are raised."""
    name, keys = effect["effect"], effect["keys"]
    if name == "load":
        return (yield from records.load(keys[0]))
    if name == "save":
        return {"done": (yield from records.save(keys[0], effect["record"], effect.get("if_revision", "")))}
    return {"done": (yield from records.lease(keys, effect["holder"], effect["ttl"]))}
