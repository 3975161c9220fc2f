"""Rejects unknown options, because a misspelled option would otherwise have no effect, without any error."""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterable, Mapping, Optional, TypeVar, cast

from ._errors import OptionError

#: Option names that other packages use for the size of the context window.
SIZES = frozenset((
    "maxtokens", "maxinputtokens", "maxcontexttokens", "contextwindow", "contextlength", "contextsize", "tokenlimit", "tokenbudget", "tokens", "limit",
))  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])

#: The keys of a policy (docs/reference/policy.md), which are often passed as options by mistake.
POLICY = (
    "preset", "format", "model", "estimator", "window", "gate", "passes", "summary", "pins", "wire_safe", "open_calls",
    "max_bytes", "prices", "log", "archive", "thinking", "repair", "last_resort",
)  # fmt: skip


def checked(function: F) -> F:
    """Makes a function raise an :class:`OptionError` for an unknown option. The error suggests the option that was
    probably meant."""
    code = function.__code__
    names = [name for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if name != "self"]
    known = frozenset(names)

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        if not known.issuperset(given):
            refuse(given, names, function.__qualname__.replace(".__init__", ""))
        return function(*args, **given)

    return cast(F, call)


def refuse(given: Iterable[str], names: Iterable[str], of: str) -> None:
    """Raises an :class:`OptionError` for the first of the ``given`` names that is not in ``names``.
    ``of`` is the name of the function or class that has these options."""
    names = list(names)
    for name in given:
        if name in names:
            continue
        meant = _size(name, names) or _call(name, names) or likely(name, names)
        if meant is None and "policy" in names:
            key = likely(name, POLICY)
            meant = key and f"policy['{key}']"
        hint = f"did you mean {meant}?" if meant else f"it has {', '.join(names)}"
        raise OptionError(f"{of} has no option {name}: {hint}", path=name)


def _size(name: str, names: "list[str]") -> Optional[str]:
    if name.replace("_", "").lower() not in SIZES:
        return None
    if "window" in names:
        return "window"
    return "policy['window']['tokens']" if "policy" in names else None


def _call(name: str, names: "list[str]") -> Optional[str]:
    return "options={'force': True}" if name == "force" and "options" in names else None


def likely(given: str, names: Iterable[str]) -> Optional[str]:
    """Returns the known name that is most similar to a given name, if any is similar enough. Otherwise returns
    None."""
    import difflib

    plain = {name.replace("_", "").lower(): name for name in names}
    near = difflib.get_close_matches(given.replace("_", "").lower(), list(plain), n=1)
    return plain[near[0]] if near else None


def has(value: Any, *methods: str) -> bool:
    """Returns whether value is an object other than a class and has all of the given methods."""
    return not isinstance(value, type) and all(callable(getattr(value, name, None)) for name in methods)


def without_none(given: Mapping[str, Any]) -> "dict[str, Any]":
    """Returns the members whose value is not None."""
    return {key: value for key, value in given.items() if value is not None}
