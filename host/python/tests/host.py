# A host in 60 lines
import json, random, time, uuid
from ctxfold import call  # call(operation, request) -> answer, both bytes: what every host has


class Host:
    CAN = ["load", "save", "lease", "put", "ask", "wait"]

    def __init__(self, policy, summarize):
        self.policy, self.summarize = policy, summarize
        self.records, self.leases, self.bodies = {}, {}, {}  # in a server: a database

    def fit(self, messages, owner):
        """Returns the JSON of what to send for a history, which is given as JSON."""
        settings = {"now": self.now(), "seed": random.getrandbits(32), "owner": owner, "can": self.CAN}
        progress = self.module("loop_start", {"policy": self.policy, "settings": settings}, messages)
        while "job" in progress:
            results = [each for effect in progress["effects"] for each in self.execute(effect)]
            if not results:  # nothing to do but to wait
                time.sleep(max(0, min(e["until"] for e in progress["effects"] if "until" in e) - self.now()) / 1000)
            head = {"job": progress["job"], "event": {"now": self.now(), "results": results}}
            progress = self.module("loop_event", head, messages)
        [self.execute(effect) for effect in progress["effects"]]
        if "failure" in progress:
            raise RuntimeError(progress["failure"]["message"])
        return json.dumps(progress["result"]["messages"])

    def module(self, operation, head, messages):
        request = json.dumps(head)[:-1] + ', "messages": ' + messages + "}"
        answer = json.loads(call(operation, request.encode()))
        if "error" in answer:
            raise ValueError(answer["error"]["message"])
        return answer

    def execute(self, effect):
        do = getattr(self, effect["effect"], None)  # without wait and cancel: there is nothing to do for them
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
        if "if_revision" in e and self.records.get(e["keys"][0], ("", ""))[1] != e["if_revision"]:
            return {"done": False}
        if "holder" in e and self.leases.get(e["lease"], ("", 0))[0] != e["holder"]:
            return {"done": False}
        self.records.update((key, (e["record"], uuid.uuid4().hex)) for key in e["keys"])
        return {"done": True}

    def lease(self, e):
        others = (self.leases.get(key, ("", 0)) for key in e["keys"])
        if any(holder != e["holder"] and until > self.now() for holder, until in others):
            return {"done": False}
        self.leases[e["keys"][0]] = (e["holder"], self.now() + e["ttl"])
        return {"done": True}

    def release(self, e):
        if self.leases.get(e["keys"][0], ("", 0))[0] == e["holder"]:
            del self.leases[e["keys"][0]]

    def put(self, e):
        self.bodies[e["handle"]] = e["body"]

    def ask(self, e):
        return {"summary": {"text": self.summarize(e["request"]["system"], e["request"]["prompt"])}}
