"""ctxfold for Python: the module as the shared library of examples/c, by ctypes."""

import ctypes
import json


class CtxfoldError(Exception):
    """An error answer: code is stable and listed in docs/ABI.md; path and offset lead to the place."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.path, self.offset = error["code"], error["path"], error["offset"]


class Compactor:
    """One instance of the module. It serves one thread at a time."""

    def __init__(self, library):
        lib = ctypes.CDLL(library)
        text, size = ctypes.c_char_p, ctypes.c_size_t
        lib.ctxfold_new.restype = ctypes.c_void_p
        lib.ctxfold_delete.argtypes = [ctypes.c_void_p]
        lib.ctxfold_call.restype = ctypes.c_void_p
        lib.ctxfold_call.argtypes = [ctypes.c_void_p, text, text, size, ctypes.POINTER(size)]
        lib.ctxfold_member.restype = ctypes.c_void_p
        lib.ctxfold_member.argtypes = [ctypes.c_char_p, size, text, ctypes.POINTER(size)]
        self._free = ctypes.CDLL(None).free
        self._free.argtypes = [ctypes.c_void_p]
        self._lib, self._instance = lib, lib.ctxfold_new()
        if not self._instance:
            raise MemoryError("the module cannot be started")

    def close(self):
        self._lib.ctxfold_delete(self._instance)
        self._instance = None

    def call(self, op, request):
        """Runs an operation of docs/ABI.md; request and answer are bytes of JSON."""
        size = ctypes.c_size_t()
        answer = self._lib.ctxfold_call(self._instance, op.encode(), request, len(request), ctypes.byref(size))
        if not answer:
            raise RuntimeError(f"{op} did not answer: there is no such operation, or no memory")
        try:
            out = ctypes.string_at(answer, size.value)
        finally:
            self._free(answer)
        if out.startswith(b'{"error":'):
            raise CtxfoldError(json.loads(out)["error"])
        return out

    def member(self, text, key):
        """The value of a key of a JSON object, byte for byte: parsing and writing it anew could change it."""
        size = ctypes.c_size_t()
        buffer = ctypes.create_string_buffer(text, len(text))
        at = self._lib.ctxfold_member(buffer, len(text), key.encode(), ctypes.byref(size))
        return ctypes.string_at(at, size.value) if at else None

    def compact(self, messages, policy, summarize, state=None):
        """Compacts messages (bytes of JSON). summarize(request) returns the summary as text, or raises: then ctxfold writes
        a digest in its place. Returns the messages as bytes, the report and the state."""
        head = {"policy": policy} if state is None else {"policy": policy, "state": state}
        answer = self._request("plan", head, messages)
        while requests := json.loads(answer).get("requests"):
            plan = json.loads(self.member(answer, "plan"))
            answer = self._request("step", {"plan": plan, "summaries": [self._ask(summarize, r) for r in requests]}, messages)
        report, state = (json.loads(self.member(answer, key)) for key in ("report", "state"))
        return self.member(answer, "messages"), report, state

    def _request(self, op, head, messages):
        return self.call(op, json.dumps(head).encode()[:-1] + b',"messages":' + messages + b"}")

    @staticmethod
    def _ask(summarize, request):
        try:
            return {"id": request["id"], "text": summarize(request)}
        except Exception as e:  # whatever the model does, no message may be lost
            return {"id": request["id"], "error": str(e) or type(e).__name__}
