"""Converts Python values to JSON for the module, and back."""

from __future__ import annotations

import json
import math
from typing import Any, Optional

from ._errors import CtxfoldError

#: Decodes values of the module's answers.
loads = json.loads


def dumps(value: Any, path: str) -> bytes:
    """Returns a value as JSON in UTF-8. Unpaired surrogates are escaped, since UTF-8 cannot represent them.

    Pydantic models, dataclasses, mappings and iterables are converted to dicts and lists. Raises ``not_serializable``
    for other values; ``path`` is the path of ``value`` for that error.
    """
    try:
        text = _encoder.encode(value)
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        found = _culprit(value, path, 0)
        raise CtxfoldError(
            "not_serializable", f"{found or path} cannot be written as JSON: {error}", path=found or path
        ) from error
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def _default(value: Any) -> Any:
    """Converts an object that JSON has no type for. The encoder calls it. Raises TypeError if there is no way to convert it."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):  # as the SDKs serialize their own messages
        hidden = getattr(value, "__api_exclude__", None)
        return dump(mode="json", exclude_unset=True, **({"exclude": hidden} if hidden else {}))
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    if hasattr(value, "__iter__") and not isinstance(value, (bytes, bytearray, memoryview, set, frozenset)):
        return list(value)
    raise TypeError(f"a {type(value).__name__} is no JSON")


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_default)

_DEEP = 600


def _culprit(value: Any, path: str, depth: int) -> Optional[str]:
    """Returns the path of the first value that JSON cannot represent. Returns None if there is none."""
    if depth > _DEEP:
        return path
    if isinstance(value, float):
        return None if math.isfinite(value) else path
    if value is None or isinstance(value, (str, int)):
        return None
    if isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, (str, int, float, type(None))):
                return path
            name = f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"
            found = _culprit(each, path + name, depth + 1)
            if found:
                return found
        return None
    if isinstance(value, (list, tuple)):
        for i, each in enumerate(value):
            found = _culprit(each, f"{path}[{i}]", depth + 1)
            if found:
                return found
        return None
    try:
        return _culprit(_default(value), path, depth + 1)
    except Exception:
        return path
