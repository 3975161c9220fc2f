"""Tests that secrets found by the function ``redact`` reach no summarizer, digest or store."""

import asyncio
import json
import re
import unittest

import ctxfold
from ctxfold import aio

KEY = re.compile(r"sk-[a-z0-9]+")


def history():
    messages = []
    for i in range(30):
        text = f"step {i} uses sk-secret{i % 3}\n{'words ' * 60}"
        if i == 2:
            text = f"raises, hush {text}"
        if i == 4:
            text = f"nonsense, hush {text}"
        messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "done"}]
    return messages


def redact(text):
    if "raises" in text:
        raise ValueError("the redactor fails")
    if "nonsense" in text:
        return ["what is not in it"]
    return [{"text": key, "placeholder": "[KEY]"} if key == "sk-secret1" else key for key in KEY.findall(text)]


class RedactTest(unittest.TestCase):
    def ways(self, compactor):
        def live(messages):
            with ctxfold.Conversation(compactor, messages) as conversation:
                return conversation.compact()

        def free(messages):
            model, store = compactor._model, compactor._store
            return ctxfold.fit(messages, window=1500, summarize=model.summarize, store=store, redact=model.redact)

        async def awaited(messages):
            model, store = compactor._model, compactor._store
            return await aio.fit(messages, window=1500, summarize=model.summarize, store=store, redact=model.redact)

        return {
            "fit": lambda messages: compactor.fit(messages),
            "compact": lambda messages: compactor.compact(messages),
            "conversation": live,
            "the function fit": free,
            "the function fit, awaited": lambda messages: asyncio.run(awaited(messages)),
        }

    def test_nothing_found_gets_out(self):
        for name in self.ways(None):
            with self.subTest(name):
                asked, store, given = [], {}, history()

                def summarize(request):
                    asked.append(request["system"] + request["prompt"])
                    raise RuntimeError("no model")

                compactor = ctxfold.Compactor(window=1500, summarize=summarize, store=store, redact=redact)
                done = self.ways(compactor)[name](given)
                written = [message for message in done.messages if message not in given]
                self.assertTrue(done.changed and asked and written and store)
                kept = "".join(store.values())
                for text in (*asked, kept, json.dumps(written)):
                    self.assertNotRegex(text, r"sk-[a-z0-9]|hush")
                for placeholder in ("[REDACTED:2]", "[KEY]", "[REDACTED: not checked]"):
                    self.assertIn(placeholder, kept)
                self.assertEqual(done.report["redacted"]["failed"], 2)
                self.assertTrue(any("sk-secret" in message["content"] for message in done.messages))

    def test_plans(self):
        planned = ctxfold.Compactor(window=1500, redact=redact).plan(history())
        self.assertNotRegex(json.dumps(planned.requests), r"sk-[a-z0-9]|hush")

    def test_a_function_is_wanted(self):
        with self.assertRaises(ctxfold.OptionError):
            ctxfold.Compactor(redact="sk-")
        with self.assertRaises(ctxfold.OptionError):
            ctxfold.fit(history(), window=1500, redact="sk-")


if __name__ == "__main__":
    unittest.main()
