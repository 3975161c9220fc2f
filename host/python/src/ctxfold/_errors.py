"""The exceptions of ctxfold."""

from __future__ import annotations

from typing import Any, Tuple


class CtxfoldError(Exception):
    """An error of the module or of this package. Nothing was changed.

    ``code`` is stable; docs/reference/errors.md lists the codes of the module. This package adds ``invalid_option``,
    ``not_serializable`` (messages that JSON cannot represent), ``memory_limit`` and ``trap`` (:class:`TrapError`),
    ``store_failed`` and ``store_full``, ``memory_failed`` (the memory of ``fit`` could not be read or saved),
    ``still_overflow`` (the conversation does not fit even after a compaction) and ``closed``. ``path`` leads to the
    invalid value, such as ``messages[3].content``; ``offset`` counts bytes of UTF-8 from the start of the caller's
    messages if ``path`` begins with ``messages``, else from the start of the request.
    """

    def __init__(self, code: str, message: str, *, path: str = "", offset: int = 0) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.path = path
        self.offset = offset

    def __str__(self) -> str:
        at = f" (at {self.path}, byte {self.offset})" if self.path else ""
        return f"{self.code}: {self.message}{at}"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _again, (type(self), self.code, self.message, self.path, self.offset)


class OptionError(CtxfoldError, TypeError):
    """An unknown option, or one with an invalid value: ``invalid_option``."""

    def __init__(self, message: str, *, path: str = "", code: str = "invalid_option", offset: int = 0) -> None:
        super().__init__(code, message, path=path, offset=offset)


class TrapError(CtxfoldError):
    """The instance of the module was stopped by an error during the call. The code is ``memory_limit`` if the call
    needs more memory than the limit allows, otherwise ``trap``.

    The instance has been replaced, so the next call works.
    """

    def __init__(self, message: str, *, path: str = "", code: str = "trap", offset: int = 0) -> None:
        super().__init__(code, message, path=path, offset=offset)


def _again(kind: Any, code: str, message: str, path: str, offset: int) -> CtxfoldError:
    if kind is CtxfoldError:
        return CtxfoldError(code, message, path=path, offset=offset)
    error: CtxfoldError = kind(message, path=path, code=code, offset=offset)
    return error


def text_of(error: BaseException) -> str:
    """Returns the text of an exception, or the name of its type if the text is empty."""
    return str(error) or type(error).__name__
