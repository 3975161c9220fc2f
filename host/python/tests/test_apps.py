"""Tests apps that change messages after the cut, and random apps: each compaction is made only once. SEED repeats one
app, SEEDS sets their number."""

import asyncio
import json
import os
import random

import pytest

import ctxfold
from ctxfold import aio
from conftest import SUMMARY, Model

TURNS = 60
POLICY = {"format": "openai-chat", "window": {"tokens": 8000, "reserve": 500}}


def asks(turn):
    return {"role": "user", "content": f"Question {turn}: what is in file {turn}?"}


def tells(turn):
    return {"role": "assistant", "content": f"Answer {turn}. {'The file has lines, words and letters. ' * 30}"}


def found(call):
    return f"Context {call}: {'It was found. ' * (20 + call % 5)}"


def user(text):
    return {"role": "user", "content": text}


#: Functions that change a history that ends with the question of a turn, as some apps do before each call.
HABITS = {
    "plain": lambda given, turn, call: given,
    "retrieved context in the newest message": lambda given, turn, call: [
        *given[:-1],
        user(f"{found(call)}\n\n{asks(turn)['content']}"),
    ],
    "retrieved context in front of it": lambda given, turn, call: [
        *given[:-1],
        user(found(call)),
        {"role": "assistant", "content": "I have read it."},
        given[-1],
    ],
    "a clock in the system prompt": lambda given, turn, call: [
        {"role": "system", "content": f"It is 10:{call}."},
        *given,
    ],
    "a reminder that moves on": lambda given, turn, call: [
        *given[:-1],
        user(f"{asks(turn)['content']}\n\n<reminder>Call {call}. Be brief.</reminder>"),
    ],
    "a reminder after the newest message": lambda given, turn, call: [*given, user(f"Reminder {call}: be brief.")],
    "the question before is reworded": lambda given, turn, call: (
        [*given[:-3], user(f"Question {turn - 1}, in words of call {call}?"), *given[-2:]] if turn > 2 else given
    ),
    "the turn before is deleted": lambda given, turn, call: (
        [*given[:-3], given[-1]] if turn > 2 and call % 2 else given
    ),
    "the newest answer is regenerated": lambda given, turn, call: (
        [*given[:-2], {"role": "assistant", "content": f"Attempt {call}. {tells(turn - 1)['content']}"}, given[-1]]
        if turn > 2
        else given
    ),
}


def histories(habit):
    """Yields each history that an app sends, twice per turn."""
    history = []
    for call in range(2 * TURNS):
        turn = call // 2
        if call % 2 == 0:
            history.append(asks(turn))
        yield HABITS[habit](list(history), turn, call)
        if call % 2 == 1:
            history.append(tells(turn))


def blocking(habit):
    model, made = Model(), 0
    compactor = ctxfold.Compactor(POLICY, summarize=model)
    for history in histories(habit):
        made += compactor.fit(history).changed
    return made, len(model.requests)


def over_a_memory(habit):
    """Returns a function that calls ``fit``, with compactions in a memory of the caller."""
    model, made, memory = Model(), 0, {}
    for history in histories(habit):
        made += ctxfold.Compactor(POLICY, summarize=model, memory=memory).fit(history).changed
    return made, len(model.requests)


def awaited(habit):
    asked = []

    async def model(request):
        asked.append(request)
        return SUMMARY

    async def work():
        compactor, made = aio.Compactor(POLICY, summarize=model), 0
        for history in histories(habit):
            made += (await compactor.fit(history)).changed
        return made

    return asyncio.run(work()), len(asked)


def live(habit):
    """Returns a function that replaces the messages of a conversation before each model call."""
    model, made, history = Model(), 0, []
    with ctxfold.Conversation(ctxfold.Compactor(POLICY, summarize=model)) as conversation:
        for call in range(2 * TURNS):
            turn = call // 2
            if call % 2 == 0:
                history.append(asks(turn))
            given = HABITS[habit](list(history), turn, call)
            conversation.set_messages(given)
            done = conversation.after_turn()
            if done is not None and done.changed:
                made += 1
                # The digest is followed by the app's own messages, not by those that its habit has inserted.
                digest = [each for each in conversation.messages if each not in given]
                kept = [each for each in history[:-1] if each in conversation.messages]
                history = [*digest, *kept, asks(turn)]
            if call % 2 == 1:
                history.append(tells(turn))
    return made, len(model.requests)


@pytest.mark.parametrize("way", [blocking, over_a_memory, awaited, live])
def test_what_changes_behind_the_cut_costs_nothing(way):
    compactions, calls = way("plain")
    assert 3 <= compactions <= 6 and calls <= compactions
    for habit in [each for each in HABITS if each != "plain"]:
        made, asked = way(habit)
        # Retrieved text is sent too, so the window fills up a little earlier.
        assert abs(made - compactions) <= 1 and asked <= calls + 1, f"{habit}: {made}, {asked}, not {compactions}, {calls}"


KINDS = ["append"] * 5 + ["edit", "delete", "regenerate", "branch", "back", "volatile", "remind", "reload", "undo", "again"]
WORDS = "the file src/limit.py has a bucket of 40 tokens größer and nobody reads it".split()


class App:
    """An app that uses ``fit``, with a user who does everything that users do."""

    def __init__(self, seed):
        self.memory, self.store, self.model = {}, {}, Model()
        self.words, self.talk, self.shelved, self.asked, self.given = 0, [], [], None, []
        self.made = []
        self.start()

    def start(self):
        self.compactor = ctxfold.Compactor(
            {"format": "openai-chat", "window": {"tokens": 3000, "reserve": 200}, "archive": "places"},
            summarize=self.model,
            memory=self.memory,
            store=self.store,
        )

    def text(self, draw, most):
        self.words += 1
        return f"Words {self.words}: {' '.join(draw.choices(WORDS, k=1 + draw.randrange(most)))}."

    def rest(self, draw):
        messages = []
        for _ in range(draw.randrange(3)):
            call = {"name": "read", "arguments": json.dumps({"path": f"f{self.words}.py"})}
            tool = {"id": f"c{self.words}", "type": "function", "function": call}
            messages.append({"role": "assistant", "content": None, "tool_calls": [tool]})
            messages.append({"role": "tool", "tool_call_id": tool["id"], "content": self.text(draw, 300)})
        return [*messages, {"role": "assistant", "content": self.text(draw, 200)}]

    def do(self, kind, back, draw):
        """Performs an action, and returns the history to send afterwards."""
        if kind == "again" and self.given:
            return self.given
        if self.asked:
            self.talk = [*self.talk, [self.asked, *self.rest(draw)]]
        self.asked = user(self.text(draw, 40))
        at = len(self.talk) - 1 - back
        if at >= 0:
            self.talk = list(self.talk)
            if kind == "edit":
                self.talk[at] = [user(self.text(draw, 40)), *self.talk[at][1:]]
            elif kind == "regenerate":
                self.talk[at] = [self.talk[at][0], *self.rest(draw)]
            elif kind == "delete":
                del self.talk[at]
            elif kind == "branch":
                self.shelved.append(self.talk)
                self.talk = self.talk[:at]
            elif kind == "back" and self.shelved:
                n = draw.randrange(len(self.shelved))
                self.talk, self.shelved[n] = self.shelved[n], self.talk
            elif kind == "undo":
                self.asked = self.talk.pop()[0]
        if kind == "reload":
            self.start()
        given = [message for turn in self.talk for message in turn]
        if kind == "volatile":
            given.append(user(f"Retrieved: {self.text(draw, 60)}"))
        elif kind == "remind":
            given += [self.asked, user(f"Reminder: {self.text(draw, 10)}")]
        else:
            given.append(self.asked)
        return given

    def live(self, kind, back, draw):
        self.given = given = self.do(kind, back, draw)
        asked = len(self.model.requests)
        fitted = self.compactor.fit(given)
        tokens = fitted.report["tokens"]
        assert tokens["after"] <= tokens["limit"] or fitted.report.get("over"), "it does not fit"
        assert len(self.model.requests) - asked <= fitted.changed * (2 + tokens["before"] / 1000), "calls of the model"
        assert fitted.messages[-1] is given[-1], "the newest message is the app's own"
        violations = self.compactor.validate(fitted.messages)["violations"]
        assert not violations, violations
        assert self.compactor.restore_all(fitted.messages).messages == given, "the history comes back"
        sent = {id(message) for message in fitted.messages}
        for replaced, kept in self.made:
            if given[: len(replaced)] == replaced:
                assert fitted.known or fitted.changed, "nothing is known of a beginning that was compacted"
                n = sum(id(message) in sent for message in given[: len(replaced)])
                assert n <= kept, f"{n} of {len(replaced)} messages are sent that were compacted"
        if fitted.changed:
            cut = json.loads(self.memory["default"])["entries"][-1]["entry"]["messages"]
            replaced = given[:cut]
            assert all(replaced != other for other, _ in self.made), f"{cut} messages were compacted a second time"
            self.made.append((replaced, sum(id(message) in sent for message in replaced)))


def lived(seed, deeds):
    app = App(seed)
    for n, (kind, back, own) in enumerate(deeds):
        try:
            app.live(kind, back, random.Random(own))
        except AssertionError as error:
            return app, f"deed {n} ({kind} {back} {own}): {error}"
    return app, ""


def test_random_apps():
    first = int(os.environ.get("SEED", "0"))
    seeds = int(os.environ.get("SEEDS", "1" if "SEED" in os.environ else "100" if os.environ.get("CTXFOLD_LONG") else "6"))
    compactions = 0
    for seed in range(first, first + seeds):
        draw = random.Random(seed)
        deeds = [
            (draw.choice(KINDS), draw.randrange(30 if draw.randrange(6) == 0 else 3), draw.getrandbits(30))
            for _ in range(60)
        ]
        app, wrong = lived(seed, deeds)
        compactions += len(app.made)
        if not wrong:
            continue
        for n in reversed(range(len(deeds))):
            _, still = lived(seed, deeds[:n] + deeds[n + 1 :])
            if still:
                deeds, wrong = deeds[:n] + deeds[n + 1 :], still
        pytest.fail(f"SEED={seed}: {wrong}\nafter {deeds}")
    assert compactions >= 5 * seeds
