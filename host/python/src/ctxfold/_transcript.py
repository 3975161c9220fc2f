"""The caller's messages, and conversion of results to the same type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Dict, List, Optional, Tuple

from . import _json
from ._errors import CtxfoldError, OptionError

#: The keys under which request bodies hold their messages.
LISTS = ("messages", "input", "contents")


class Transcript:
    """The messages of one call.

    ``piece`` holds the messages as JSON. ``answer`` is the kind of answer to request, which depends on the messages' type.
    """

    piece: bytes
    answer: str

    def restore(self, answer: Dict[str, bytes]) -> Any:
        """Returns the messages of an answer, in the type that the caller passed."""
        raise NotImplementedError


class _Text(Transcript):
    """JSON text, as str or bytes."""

    answer = "messages"

    def __init__(self, given: Any) -> None:
        self._given = given
        if isinstance(given, str):
            try:
                self.piece = given.encode()
            except UnicodeEncodeError:  # unpaired surrogates, which UTF-8 cannot represent
                self.piece = given.encode("utf-8", "backslashreplace")
        else:
            self.piece = bytes(given)

    def restore(self, answer: Dict[str, bytes]) -> Any:
        messages = _member(answer, "messages")
        if messages == self.piece:
            return self._given
        if isinstance(self._given, str):
            return messages.decode()
        return bytearray(messages) if isinstance(self._given, bytearray) else messages


class _Live(Transcript):
    """A list of messages, or a request body that contains one. In results, kept messages are the caller's own objects."""

    answer = "edits"

    def __init__(self, given: Any) -> None:
        self._given = given
        self._key: Optional[str] = None
        source = given
        if isinstance(given, Mapping):
            self._key = next((name for name in LISTS if _is_list(given.get(name))), None)
            source = given if self._key is None else given[self._key]
        # A copy, because edits refer to the messages as they were sent, and the caller may append to its list meanwhile.
        self._sent: List[Any] = list(source) if _is_list(source) else []
        self.piece = _json.dumps(given, "messages")

    def restore(self, answer: Dict[str, bytes]) -> Any:
        edits = _json.loads(_member(answer, "edits"))
        kept = apply(self._sent, edits)
        if kept is self._sent:
            return self._given
        given = self._given if self._key is None else self._given[self._key]
        messages: Any = tuple(kept) if isinstance(given, tuple) else kept
        return messages if self._key is None else {**self._given, self._key: messages}


def transcript(messages: Any) -> Transcript:
    """Returns a Transcript for the messages that the caller passed. Raises OptionError if they are neither JSON text, nor a
    list, nor a request body."""
    if isinstance(messages, (str, bytes, bytearray, memoryview)):
        if isinstance(messages, str) and messages.strip()[:1] not in ("", "[", "{"):
            raise OptionError(
                'messages given as text are JSON: a list such as [{"role":"user","content":"hello"}], or a request body; '
                'for one message, give [{"role": "user", "content": "hello"}]',
                path="messages",
            )
        return _Text(messages)
    if _is_list(messages) or isinstance(messages, Mapping):
        return _Live(messages)
    if isinstance(getattr(messages, "messages", None), list):
        raise OptionError("give the messages of the result, not the result: result.messages", path="messages")
    raise OptionError(
        f"messages are a list of messages, a request body or JSON text, not {type(messages).__name__}", path="messages"
    )


def apply(messages: Sequence[Any], edits: List[Dict[str, Any]]) -> Any:
    """Applies the ``edits`` of an answer to a list of messages.

    Kept messages are the same objects as before. The list is not modified; if nothing changes, the
    list itself is returned.
    """
    if len(edits) == 1 and edits[0].get("keep") == [0, len(messages)] or not edits and not messages:
        return messages
    out: List[Any] = []
    for edit in edits:
        keep: Optional[Tuple[int, int]] = edit.get("keep")
        if keep is not None:
            out.extend(messages[keep[0] : keep[1]])
        else:
            out.append(edit["message"] if "set" in edit else edit["insert"])
    return out


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview))


def _member(answer: Dict[str, bytes], name: str) -> bytes:
    try:
        return answer[name]
    except KeyError:
        raise CtxfoldError(
            "invalid_option",
            "the plan was made for messages of another kind: go on with a list where it was a list, else with text or bytes",
            path="plan",
        ) from None
