"""Builds the module's option ``redact`` from the caller's function (docs/guides/redact.md)."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional

from . import _json

#: Finds the secrets in one text of a message. Returns a list of texts, or of dicts with ``text`` and ``placeholder``; None if there
#: are none.
FindSecrets = Callable[[str], Any]

MIN_BYTES = 4
MAX_PLACEHOLDER = 100


def redactions(find: Optional[FindSecrets], piece: bytes) -> Optional[Dict[str, Any]]:
    """Returns the option ``redact`` for the secrets in the messages; None if there are none. A text for which ``find`` fails
    is replaced completely."""
    if find is None:
        return None
    try:
        messages = _json.loads(piece)
    except (ValueError, RecursionError):
        return None  # the module reports the error
    found: Dict[str, Dict[str, Any]] = {}
    failed: List[Dict[str, Any]] = []
    for text in _texts(messages):
        try:
            for each in _secrets(find, text):
                found.setdefault(each["text"], each)
        except Exception:
            failed.append({"text": text, "whole": True, "failed": True})
    every = [*found.values(), *failed]
    return {"texts": every} if every else None


def _secrets(find: FindSecrets, text: str) -> List[Dict[str, Any]]:
    """Calls ``find`` and returns the secrets. Raises an error if the result is unusable."""
    given = find(text)
    if given is None:
        return []
    if isinstance(given, (str, bytes, Mapping)):
        raise TypeError("redact returns a list")
    secrets: List[Dict[str, Any]] = []
    for each in given:
        secret: Mapping[str, Any] = {"text": each} if isinstance(each, str) else each
        found, placeholder = secret["text"], secret.get("placeholder") or ""
        if found not in text or len(found.encode()) < MIN_BYTES or len(placeholder.encode()) > MAX_PLACEHOLDER:
            raise ValueError("not a text that can be replaced")
        secrets.append({"text": found, "placeholder": placeholder} if placeholder else {"text": found})
    return secrets


def _texts(messages: Any) -> List[str]:
    """Returns each distinct string in a value once, except keys and the values of ``role`` and ``type``. They are in
    the order of the value."""
    texts: Dict[str, None] = {}
    pending: List[Any] = [messages]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            if value:
                texts[value] = None
        elif isinstance(value, list):
            pending.extend(value)
        elif isinstance(value, dict):
            pending.extend(
                each for key, each in value.items() if not (isinstance(each, str) and key in ("role", "type"))
            )
    return list(texts)
