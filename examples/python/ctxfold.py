"""ctxfold for Python by ctypes, over the shared library of host/c: what a host needs where nothing can be compiled."""

import ctypes
import json


class CtxfoldError(Exception):
    """An error answer: code is stable and listed in docs/ABI.md; path and offset lead to the place."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.path, self.offset = error["code"], error["path"], error["offset"]


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def bytes(self):
        return ctypes.string_at(self.data, self.length) if self.data else None


class Answer(ctypes.Structure):
    _fields_ = (
        [("status", ctypes.c_int), ("json", ctypes.c_void_p), ("length", ctypes.c_size_t)]
        + [(name, Text) for name in ("messages", "edits", "report", "state")]
        + [(name, ctypes.c_char_p) for name in ("code", "message", "path", "within")]
        + [("offset", ctypes.c_size_t), ("kept", ctypes.c_void_p)]
    )


class Compactor:
    """One instance of the module. It serves one thread at a time."""

    def __init__(self, library):
        lib = ctypes.CDLL(library)
        lib.ctxfold_new.restype = ctypes.c_void_p
        lib.ctxfold_new.argtypes = [ctypes.c_void_p]
        lib.ctxfold_delete.argtypes = [ctypes.c_void_p]
        lib.ctxfold_call.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Answer)]
        lib.ctxfold_answer_free.argtypes = [ctypes.POINTER(Answer)]
        lib.ctxfold_member.restype = Text
        lib.ctxfold_member.argtypes = [Text, ctypes.c_char_p]
        self._lib, self._instance = lib, lib.ctxfold_new(None)
        if not self._instance:
            raise MemoryError("the module cannot be started")

    def close(self):
        self._lib.ctxfold_delete(self._instance)
        self._instance = None

    def call(self, op, request):
        """Runs an operation of docs/ABI.md; request and answer are bytes of JSON."""
        answer = Answer()
        try:
            if self._lib.ctxfold_call(self._instance, op.encode(), request, len(request), ctypes.byref(answer)):
                texts = {name: getattr(answer, name).decode() for name in ("code", "message", "path")}
                raise CtxfoldError({**texts, "offset": answer.offset})
            return ctypes.string_at(answer.json, answer.length)
        finally:
            self._lib.ctxfold_answer_free(ctypes.byref(answer))

    def member(self, text, key):
        """The value of a key of a JSON object, byte for byte: parsing and writing it anew could change it."""
        buffer = ctypes.create_string_buffer(text, len(text))
        return self._lib.ctxfold_member(Text(ctypes.addressof(buffer), len(text)), key.encode()).bytes()

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
