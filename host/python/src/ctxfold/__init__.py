"""ctxfold keeps the conversation of a language model within its context window.

::

    import ctxfold

    fitted = ctxfold.fit(messages, window=32_000, summarize=summarize)
    client.chat.completions.create(model=model, messages=fitted.messages)

Keep the whole history and pass all of it each turn: :func:`fit` makes a compaction when one is due, remembers it, and
applies it from then on. Use :class:`Compactor` if your program replaces its transcript with the result, and
:class:`Conversation` for a live conversation. :mod:`ctxfold.aio` has the same functions and classes for asyncio, and
:mod:`ctxfold.types` has the types of requests and answers. :mod:`ctxfold.openai`, :mod:`ctxfold.anthropic`,
:mod:`ctxfold.langchain` and :mod:`ctxfold.pydantic_ai` are adapters for these packages.

Messages are lists of dicts or of an SDK's objects, request bodies, or JSON as str or bytes. Kept messages are the same
objects, or the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._compactor import Compactor, Conversation, fit
from ._errors import CtxfoldError, OptionError, TrapError
from ._module import MemoryUsage
from ._operations import Operations
from ._results import Converted, Done, FitResult, Pending
from .failures import classify, failure_of, is_overflow
from .store import DirectoryStore, MappingStore, Store

if TYPE_CHECKING:
    from . import aio as aio
    from . import types as types

__version__ = "0.2.0"

_operations = Operations()
call = _operations.call
check = _operations.check
convert = _operations.convert
detect = _operations.detect
digests = _operations.digests
estimate = _operations.estimate
info = _operations.info
limit_tool_output = _operations.limit_tool_output
open_session = _operations.open_session
plan = _operations.plan
prints = _operations.prints
recall_tool = _operations.recall_tool
repair = _operations.repair
restore = _operations.restore
save_session = _operations.save_session
step = _operations.step
validate = _operations.validate

__all__ = [
    "Compactor", "Conversation", "Converted", "CtxfoldError", "DirectoryStore", "Done", "FitResult", "MappingStore",
    "MemoryUsage", "OptionError", "Pending", "Store", "TrapError", "aio", "call", "check", "classify", "convert", "detect", "digests",
    "estimate", "failure_of", "fit", "info", "is_overflow", "limit_tool_output", "memory_usage", "open_session", "plan",
    "prints", "recall_tool", "repair", "restore", "save_session", "step", "types", "validate",
]  # fmt: skip


def memory_usage() -> MemoryUsage:
    """Returns the memory of the shared instances of the module: limit, current and peak, in bytes."""
    return _operations.memory_usage


def __getattr__(name: str) -> Any:
    """Imports ``ctxfold.aio`` and ``ctxfold.types`` on first use, because importing asyncio takes longer than importing
    everything else."""
    if name in ("aio", "types"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
