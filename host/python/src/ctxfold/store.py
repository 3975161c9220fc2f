"""Stores for removed content, which is found again by its handle."""

from __future__ import annotations

import os
import threading
from typing import Any, Awaitable, MutableMapping, Optional, Union

from ._errors import CtxfoldError, OptionError
from ._options import has

#: The number of a handle's digits that a marker shows. These stores use the same digits as the key of a body.
SHORT = 16


class Store:
    """The interface of stores for removed content, the bodies. A handle is the SHA-256 of a body's UTF-8, in 64 hexadecimal
    digits.

    The methods may be called from any thread. With :mod:`ctxfold.aio` they may be coroutine functions.
    """

    def put(self, handle: str, body: str) -> Union[None, Awaitable[None]]:
        """Stores a body. If the same body is already stored, nothing changes.

        Raises if the body could not be stored, for example because a different body has the same first 16 digits.
        """
        raise NotImplementedError

    def get(self, handle: str) -> Union[Optional[str], Awaitable[Optional[str]]]:
        """Returns the body whose handle starts with ``handle`` (at least 16 digits), or None if the store has no such body.

        Raises if the store could not be read.
        """
        raise NotImplementedError


class MappingStore(Store):
    """A store that keeps bodies in an object that behaves like a dict of texts.

    A key is ``prefix`` followed by the first 16 digits of the handle.

    ``max_chars`` limits the total size, in characters. If there is no room for a body, ``store_full`` is raised.
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
    """A store in a directory: one file per body, as used by the command ``ctxfold`` and the Go package.

    Several programs may use a directory at the same time. It is created if needed (mode 0700).
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._path = os.fspath(path)
        os.makedirs(self._path, mode=0o700, exist_ok=True)
        self._remove_unfinished()

    def _remove_unfinished(self) -> None:
        """Removes incomplete files that killed programs left behind more than an hour ago."""
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
        """Returns the path of the file for a body."""
        return os.path.join(self._path, key_of(handle))

    def put(self, handle: str, body: str) -> None:
        """Stores a body. Writes to a temporary file first, so that readers never see an incomplete body.

        Raises ``store_failed`` if the store has a different body under the handle.
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
        """Returns a body, or None if the store does not have it. Raises ``store_failed`` if the
        file's content does not match the handle."""
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
    """Returns whether a body matches a handle, or the first digits of a handle."""
    import hashlib

    return hashlib.sha256(body).hexdigest().startswith(handle.lower())


def stays(handle: str, stored: bytes, body: bytes) -> bool:
    """Returns whether ``stored``, the content that is already stored, is kept when ``body`` is stored under the same
    handle.

    Corrupt content, which does not match the handle, is replaced. A different valid body raises ``store_failed``.
    """
    if stored == body:
        return True
    if holds(key_of(handle), stored):
        raise CtxfoldError("store_failed", f"the store has another body under the handle {key_of(handle)}")
    return False


def store_of(given: Any) -> Optional[Store]:
    """Returns the store that a caller passed, wrapped in a MappingStore if it behaves like a dict."""
    if given is None or has(given, "put", "get"):
        store: Optional[Store] = given
        return store
    if has(given, "__setitem__", "get"):
        return MappingStore(given)
    raise OptionError("a store has put(handle, body) and get(handle), or is like a dict; DirectoryStore(path) keeps files", path="store")


def key_of(handle: str) -> str:
    """Returns the key under which a body is stored: the first 16 digits of its handle, in lower case. Raises OptionError
    if the argument is not a handle, because a model may have made it up."""
    digits = handle.lower()
    if not SHORT <= len(digits) <= 64 or digits.strip("0123456789abcdef"):
        raise OptionError("a handle has from 16 to 64 hexadecimal digits", path="handle")
    return digits[:SHORT]


