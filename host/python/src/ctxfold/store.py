"""Stores of removed content, by handle."""

from __future__ import annotations

import os
import threading
from typing import Any, Awaitable, MutableMapping, Optional, Union

from ._errors import CtxfoldError, OptionError

#: Digits of a handle that a marker names, and by which the stores of this package keep a body.
SHORT = 16


class Store:
    """Keeps bodies. A handle is the SHA-256 of the body's UTF-8 in 64 hexadecimal digits.

    Its methods may be called from any thread. With :mod:`ctxfold.aio` they may be coroutines.
    """

    def put(self, handle: str, body: str) -> Union[None, Awaitable[None]]:
        """Keeps a body. An existing one stays unchanged, and another one under the same 16 digits raises.

        If it raises, the body was not kept.
        """
        raise NotImplementedError

    def get(self, handle: str) -> Union[Optional[str], Awaitable[Optional[str]]]:
        """The body whose handle begins with these digits, 16 or more; None if the store has no such body."""
        raise NotImplementedError


class MappingStore(Store):
    """A store over anything like a dict of texts. Keys are the prefix and 16 digits.

    ``max_chars`` bounds what it holds together; a body that it has no room for is refused with ``store_full``.
    """

    def __init__(
        self, mapping: Optional[MutableMapping[str, str]] = None, *, prefix: str = "", max_chars: Optional[int] = None
    ) -> None:
        self._mapping: MutableMapping[str, str] = {} if mapping is None else mapping
        self._prefix = prefix
        self._max = max_chars
        self._lock = threading.Lock()
        self._size = 0 if max_chars is None else sum(map(len, self._mapping.values()))

    def put(self, handle: str, body: str) -> None:
        key = self._prefix + key_of(handle)
        with self._lock:
            there = self._mapping.get(key)
            if there is not None and stays(handle, there.encode(), body.encode()):
                return
            more = len(body) - len(there or "")
            if self._max is not None and self._size + more > self._max:
                raise CtxfoldError("store_full", f"the store has no room for {more} more characters")
            self._mapping[key] = body
            self._size += more

    def get(self, handle: str) -> Optional[str]:
        return self._mapping.get(self._prefix + key_of(handle))


class DirectoryStore(Store):
    """A store in a directory: a file for each body, as those of the command ``ctxfold`` and of the Go package.

    Several programs may use one directory at the same time. The directory is made where there is none (mode 0700).
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._path = os.fspath(path)
        os.makedirs(self._path, mode=0o700, exist_ok=True)
        self._remove_unfinished()

    def _remove_unfinished(self) -> None:
        """Removes files of programs that were killed while they wrote them, after an hour."""
        import re
        import time

        with os.scandir(self._path) as files:
            for file in files:
                if re.fullmatch(r"new-[a-z0-9_]+", file.name) is None:
                    continue
                try:
                    if file.is_file(follow_symlinks=False) and time.time() - file.stat().st_mtime > 3600:
                        os.unlink(file.path)
                except OSError:
                    pass  # another program has removed it

    def path(self, handle: str) -> str:
        """The file of a body."""
        return os.path.join(self._path, key_of(handle))

    def put(self, handle: str, body: str) -> None:
        """Writes a file, under another name first: nobody ever reads half a body.

        Raises ``store_failed`` if there is another body under the handle.
        """
        import tempfile

        path, data = self.path(handle), body.encode()
        try:
            with open(path, "rb") as there:
                if stays(handle, there.read(), data):
                    return
        except FileNotFoundError:
            pass
        handle_, name = tempfile.mkstemp(prefix="new-", dir=self._path)
        try:
            with os.fdopen(handle_, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise

    def get(self, handle: str) -> Optional[str]:
        """Reads a file. Raises ``store_failed`` where it does not hold the body of the handle."""
        path = self.path(handle)
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return None
        if not holds(handle, data):
            raise CtxfoldError("store_failed", f"{path} does not hold the body of its handle")
        return data.decode()


def holds(handle: str, body: bytes) -> bool:
    """Whether a body matches a handle, or the first digits of one."""
    import hashlib

    return hashlib.sha256(body).hexdigest().startswith(handle.lower())


def stays(handle: str, there: bytes, body: bytes) -> bool:
    """Whether what is stored stays when a body is put under its handle.

    What is no body of these digits is replaced; another body raises ``store_failed``.
    """
    if there == body:
        return True
    if holds(key_of(handle), there):
        raise CtxfoldError("store_failed", f"the store has another body under the handle {key_of(handle)}")
    return False


def store_of(given: Any) -> Optional[Store]:
    """The store that a caller has given: one, or what a MappingStore can be made over."""
    if given is None or (hasattr(given, "put") and hasattr(given, "get")):
        store: Optional[Store] = given
        return store
    if hasattr(given, "__setitem__") and hasattr(given, "get"):
        return MappingStore(given)
    raise OptionError("a store has put and get, or is like a dict", path="store")


def key_of(handle: str) -> str:
    """The digits that a body is kept by. Raises for what is no handle, which a model may have made up."""
    digits = handle.lower()
    if not SHORT <= len(digits) <= 64 or digits.strip("0123456789abcdef"):
        raise OptionError("a handle has from 16 to 64 hexadecimal digits", path="handle")
    return digits[:SHORT]


