"""Reads the exceptions that SDKs raise for failed model calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import text_of
from ._operations import Operations

if TYPE_CHECKING:
    from .types import Failure, Verdict


def failure_of(error: BaseException) -> "Failure":
    """Returns the HTTP status and the provider's message from an SDK's exception, such as OpenAI's or Anthropic's.

    It reads the text of the exception and its attributes ``status_code`` or ``status``, ``code``, ``body`` and
    ``response``. Whatever the exception lacks is left out.
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
    """Returns all text in an error: its message, its code, and the provider's response."""
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
    """Classifies the failure of a model call by its exception. ``overflow`` means that the conversation did not fit."""
    return Operations().classify_error(failure_of(error))


def is_overflow(error: BaseException) -> bool:
    """Returns whether a model call failed because the conversation did not fit in the model's context window."""
    return classify(error)["overflow"]
