import decimal
import enum
import math

import pytest

import ctxfold


def kept(messages):
    """Returns the messages that reach the module, judging by the text that it returns."""
    return ctxfold._transcript.transcript(messages).piece


def test_values_survive():
    class Colour(str, enum.Enum):
        RED = "red"

    message = {"role": "user", "content": "ä 𝄞 \u2028 \x7f \"", "n": [0.1, 1e308, -0.0, 2**70, True, None], "c": Colour.RED}
    piece = kept([message])
    assert piece == (
        '[{"role":"user","content":"ä 𝄞 \u2028 \x7f \\"","n":[0.1,1e+308,-0.0,1180591620717411303424,true,null],"c":"red"}]'
    ).encode()


def test_half_surrogates_are_written_as_escapes():
    assert kept([{"role": "user", "content": "a\ud83d\\"}]) == b'[{"role":"user","content":"a\\ud83d\\\\"}]'
    text = '[{"role":"user","content":"\ud83d"}]'
    assert kept(text) == b'[{"role":"user","content":"\\ud83d"}]'
    assert ctxfold.fit(text, window=1000, format="openai-chat").messages is text
    long = [{"role": "user", "content": "word " * 400 + "\ud83d"}, {"role": "assistant", "content": "b " * 400}] * 20
    long.append({"role": "user", "content": "end"})
    fitted = ctxfold.fit(long, window=2000, format="openai-chat")
    assert fitted.changed and fitted.messages[-1] is long[-1]
    for each in fitted.messages:
        each["content"].encode()


@pytest.mark.parametrize(
    "bad, path",
    [
        (math.nan, "messages[1].content"),
        (math.inf, "messages[1].content"),
        (b"bytes", "messages[1].content"),
        ({1, 2}, "messages[1].content"),
        (decimal.Decimal("1.1"), "messages[1].content"),
        ({"a": [{"b c": object()}]}, "messages[1].content.a[0]['b c']"),
    ],
)
def test_what_is_no_json_is_named(bad, path):
    with pytest.raises(ctxfold.CtxfoldError) as caught:
        ctxfold.fit([{"role": "user", "content": "a"}, {"role": "user", "content": bad}], window=1000)
    assert (caught.value.code, caught.value.path) == ("not_serializable", path)


def test_a_circle_is_named():
    circle = {"role": "user"}
    circle["content"] = circle
    with pytest.raises(ctxfold.CtxfoldError, match="not_serializable"):
        ctxfold.fit([circle], window=1000)


@pytest.mark.parametrize("given", [None, 3, object(), {1: 2}.keys()])
def test_what_are_no_messages(given):
    with pytest.raises(ctxfold.OptionError, match="messages are a list"):
        ctxfold.fit(given, window=1000)


def test_a_result_in_the_place_of_its_messages():
    fitted = ctxfold.fit([{"role": "user", "content": "a"}], window=1000)
    with pytest.raises(ctxfold.OptionError, match="result.messages"):
        ctxfold.fit(fitted, window=1000)


def test_objects_that_hold_messages():
    import collections
    import dataclasses

    @dataclasses.dataclass
    class Message:
        role: str
        content: str

    messages = [Message("user", "one"), collections.UserDict(role="assistant", content="two"), {"role": "user", "content": "end"}]
    assert kept(messages) == b'[{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"role":"user","content":"end"}]'
    assert ctxfold.fit(messages, window=1000, format="openai-chat").messages is messages


def test_the_caller_may_append_while_a_summary_is_written(history):
    def summarize(request):
        history.append({"role": "user", "content": "meanwhile"})
        return "## Goal\n" + "The work goes on. " * 20

    before = len(history)
    fitted = ctxfold.fit(history, window=16_000, summarize=summarize, memory={})
    assert len(history) > before and all(each.get("content") != "meanwhile" for each in fitted.messages)
