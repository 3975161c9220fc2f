"""Restores and searches contents that compactions removed and that a store keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ._errors import CtxfoldError
from ._module import Json, Module, value_of, values
from ._results import Done
from ._steps import Ask, Steps, Work
from ._transcript import Transcript
from .store import SHORT, Store

if TYPE_CHECKING:
    from .types import Found, Kept, NamedHandles

NO_SEARCH = "Nothing can be searched here without a handle: call with one."


def store_in(store: Optional[Store]) -> Store:
    if store is None:
        raise CtxfoldError("invalid_option", "there is no store: give one to the compactor", path="store")
    return store


def restore(
    module: Module,
    store: Store,
    source: Transcript,
    head: Mapping[str, Any],
    handles: Optional[Sequence[str]],
) -> Steps[Done[Any]]:
    """Restores the contents with the given handles or, without handles, everything in the store, starting with the last
    compaction."""
    listed: Done[Any] = yield from _restored(module, source, head, [])
    named = [each["handle"] for each in listed.markers] if handles is None else handles
    bodies, corrupt, _ = yield from _collect(module, store, named, handles is None)
    restored = (yield from _restored(module, source, head, bodies)) if bodies else listed
    for marker in restored.markers:
        if _digits(marker["handle"]) in corrupt:
            marker["why"] = "corrupt"
    return restored


def search(
    module: Module,
    store: Store,
    query: Mapping[str, Any],
    source: Optional[Transcript],
    head: Mapping[str, Any],
    handles: Optional[Sequence[str]],
) -> Steps["Found"]:
    """Searches the archived contents that the messages name, directly or through other contents, or only those with the
    given handles."""
    named = list(handles or [])
    if handles is None and source is not None:
        listed: Done[Any] = yield from _restored(module, source, head, [])
        named = [each["handle"] for each in listed.markers]
    bodies, _, asked = yield from _collect(module, store, named, handles is None)
    answer = yield Work(lambda: module.call("search", {**query, "bodies": bodies}))
    found: "Found" = values(answer)  # type: ignore[assignment]
    here = {_digits(each["handle"]) for each in bodies} | {_digits(each) for each in found["searched"]["missing"]}
    found["searched"]["missing"].extend(handle for digits, handle in asked.items() if digits not in here)
    return found


def recall(
    module: Module,
    store: Store,
    arguments: Any,
    source: Optional[Transcript],
    head: Mapping[str, Any],
) -> Steps[str]:
    """Answers a call of the recall tool. If the call is invalid, the answer explains the mistake to
    the model. ``source`` is the transcript that a query searches; None if there is none."""
    asked: Dict[str, Any] = values((yield Work(lambda: module.call("recall", {"arguments": arguments}))))
    if "text" in asked:
        return str(asked["text"])
    handle = asked.get("handle")
    more: Dict[str, Any]
    if "query" in asked:
        if handle is None and source is None:
            return NO_SEARCH
        handles = None if handle is None else [handle]
        more = {"found": (yield from search(module, store, {"query": asked["query"]}, source, head, handles))}
    else:
        body = yield Ask(lambda: store.get(str(handle)), "store")
        if body is not None:
            named = yield from _named(module, [{"handle": str(handle), "body": body}])
            body = None if named["corrupt"] else body
        more = {"body": Json(b"null") if body is None else body}
    answer = yield Work(lambda: module.call("recall", {"arguments": arguments, **more}))
    return str(value_of(answer, "text") or "")


def _restored(module: Module, source: Transcript, head: Mapping[str, Any], bodies: List["Kept"]) -> Steps[Done[Any]]:
    answer = yield Work(lambda: module.call("restore", {**head, "bodies": bodies}, source))
    of = values(answer, "messages", "edits")
    return Done(source.restore(answer), of["report"], of.get("state"), markers=of.get("markers") or [])


def _named(module: Module, bodies: List["Kept"]) -> Steps["NamedHandles"]:
    answer = yield Work(lambda: module.call("restore", {"bodies": bodies}))
    named: "NamedHandles" = values(answer)  # type: ignore[assignment]
    return named


def _collect(
    module: Module, store: Store, handles: Sequence[str], follow: bool
) -> Steps[Tuple[List["Kept"], Set[str], Dict[str, str]]]:
    """Reads the contents with the given handles, each once. With ``follow``, also reads the contents that these name.
    Returns the intact ones, the digits of corrupt ones, and all handles that were read, by their digits."""
    corrupt: Set[str] = set()
    asked: Dict[str, str] = {}
    bodies: List["Kept"] = []
    following = list(handles)
    while following:
        here: List["Kept"] = []
        for handle in following:
            if _digits(handle) in asked:
                continue
            asked[_digits(handle)] = handle
            body = yield Ask(lambda: store.get(handle), "store")
            if isinstance(body, str):
                here.append({"handle": handle, "body": body})
        if not here:
            break
        named = yield from _named(module, here)
        corrupt.update(map(_digits, named["corrupt"]))
        bodies.extend(each for each in here if _digits(each["handle"]) not in corrupt)
        following = list(named["handles"]) if follow else []
    return bodies, corrupt, asked


def _digits(handle: str) -> str:
    """Returns the part of a handle that markers show: its first 16 digits, in lower case."""
    return handle.lower()[:SHORT]
