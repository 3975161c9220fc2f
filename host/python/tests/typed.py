"""A typed program, which mypy --strict checks. It is never run."""

from __future__ import annotations

from typing import Dict, List, Optional

import ctxfold
from ctxfold import aio
from ctxfold.types import Policy, Report, State, Summary, SummaryRequest

Message = Dict[str, str]
policy: Policy = {"preset": "default", "window": {"tokens": 32_000}, "passes": [{"pass": "clear", "keep_recent": 3}]}


def summarize(request: SummaryRequest) -> str:
    return request["system"] + request["prompt"]


def blocking(history: List[Message]) -> List[Message]:
    fitted = ctxfold.fit(history, window=32_000, summarize=summarize, policy=policy)
    report: Report = fitted.report
    print(report["tokens"]["after"], fitted.known)
    return fitted.messages


def text(history: str) -> str:
    return ctxfold.fit(history, window=32_000).messages


def loop(history: List[Message]) -> Optional[State]:
    made = ctxfold.plan(history, policy=policy)
    while isinstance(made, ctxfold.Pending):
        answers: List[Summary] = [{"id": each["id"], "text": summarize(each)} for each in made.requests]
        made = ctxfold.step(made.plan, answers, history)
    return made.state


async def awaited(history: List[Message]) -> List[Message]:
    compactor = aio.Compactor(policy, summarize=summarize, store={})
    async with aio.Conversation(compactor, history) as conversation:
        await conversation.after_turn()
        return conversation.messages
