"""What is known of a call of a model that failed, whichever SDK made it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import text_of
from ._operations import Operations

if TYPE_CHECKING:
    from .types import Failure, Verdict


def failure_of(error: BaseException) -> "Failure":
    """Reads an exception of OpenAI's, Anthropic's or another SDK: its status and what the provider has said.

    The SDKs' exceptions have ``status_code`` or ``status``, and ``body``, ``response`` or ``message``.
    """
    failure: "Failure" = {}
    response = getattr(error, "response", None)
    for value in (getattr(error, "status_code", None), getattr(error, "status", None), getattr(response, "status_code", None)):
        if isinstance(value, int):
            failure["status"] = value
            break
    failure["body"] = _body(error, response)
    return failure


def _body(error: BaseException, response: Any) -> str:
    """All that the error says: its text, its code, and what the provider has answered."""
    import json

    said = [text_of(error), getattr(error, "code", None), getattr(response, "text", None), getattr(error, "body", None)]
    for i, each in enumerate(said):
        if isinstance(each, (dict, list)):
            try:
                said[i] = json.dumps(each)
            except (TypeError, ValueError):
                said[i] = None
    return "\n".join(dict.fromkeys(each for each in said if isinstance(each, str) and each))


def classify(error: BaseException) -> "Verdict":
    """What a call of a model came to that has raised this; ``overflow`` says that the conversation did not fit."""
    return Operations().classify_error(failure_of(error))


def is_overflow(error: BaseException) -> bool:
    """Whether a call of a model failed because the conversation did not fit in its window."""
    return classify(error)["overflow"]
