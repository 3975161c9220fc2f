# A host in 60 lines
import json, random, threading, time, uuid
from ctxfold import call  # call(operation, request) -> answer, both as bytes: the function that every host provides


class Host:
    CAN = ["load", "save", "lease", "put", "ask", "wait", "begin"]

    def __init__(self, policy, summarize):
        self.policy, self.summarize = policy, summarize
        self.records, self.leases, self.bodies, self.lock = {}, {}, {}, threading.Lock()  # a server would use a database

    def fit(self, messages, settings):
        """Returns the messages to send, as JSON, for a history given as JSON. The settings name the history's owner."""
        head = {"policy": self.policy, "settings": {**settings, "now": self.now(), "seed": random.getrandbits(32), "can": self.CAN}}
        progress = self.module("loop_start", head, messages)
        while "job" in progress:
            results = [each for effect in progress["effects"] for each in self.execute(effect, messages)]
            if not results:  # there is nothing to do but wait
                time.sleep(max(0, min(e["until"] for e in progress["effects"] if "until" in e) - self.now()) / 1000)
            head = {"job": progress["job"], "event": {"now": self.now(), "results": results}}
            progress = self.module("loop_event", head, messages)
        [self.execute(effect, messages) for effect in progress.get("effects", [])]
        if failure := progress.get("failure") or progress.get("error"):
            raise RuntimeError(failure["message"])
        return json.dumps((progress["result"] or {}).get("messages"))  # a background job may have had nothing to do

    def module(self, operation, head, messages):
        return json.loads(call(operation, (json.dumps(head)[:-1] + ', "messages": ' + messages + "}").encode()))

    def execute(self, effect, messages):
        if effect["effect"] == "begin":
            threading.Thread(target=self.fit, args=[messages, effect["settings"]]).start()
        do = getattr(self, effect["effect"], None)  # wait and cancel need no action
        try:
            result = do(effect) if do else None
        except Exception as error:
            result = {"error": str(error)}
        return [{**(result or {}), "id": effect["id"]}] if "id" in effect else []

    def now(self):
        return int(time.time() * 1000)

    def load(self, e):
        found = ((i, self.records[key]) for i, key in enumerate(e["keys"]) if key in self.records)
        return next(({"at": i, "record": r, "revision": v} for i, (r, v) in found), {})

    def save(self, e):
        with self.lock:
            _, revision = self.records.get(e["keys"][0], ("", ""))
            if revision == e.get("if_revision", revision) and ("holder" not in e or self.holder(e["lease"]) == e["holder"]):
                self.records.update((key, (e["record"], uuid.uuid4().hex)) for key in e["keys"])
                return {"done": True}

    def lease(self, e):
        with self.lock:
            if all(self.holder(key) in ("", e["holder"]) for key in e["keys"]):
                self.leases[e["keys"][0]] = (e["holder"], self.now() + e["ttl"])
                return {"done": True}

    def release(self, e):
        if self.holder(e["keys"][0]) == e["holder"]:
            del self.leases[e["keys"][0]]

    def holder(self, key):
        holder, until = self.leases.get(key, ("", 0))
        return holder if until > self.now() else ""

    def put(self, e):
        self.bodies[e["handle"]] = e["body"]

    def ask(self, e):
        return {"summary": {"text": self.summarize(e["request"]["system"], e["request"]["prompt"])}}
