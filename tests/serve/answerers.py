"""Answering functions for the worker processes of the tests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from tilesolve.answers import Json
from tilesolve.budget import Progress, Watch
from tilesolve.errors import InputError, NotOffered
from tilesolve.serve.request import Request


def answer(request: Request, *, watch: Watch, part: Callable[[Json], None]) -> Json:
    """Do what the operation says, or the state where the games' operations are asked."""
    state = request.body.get("state") if isinstance(request.body, dict) else None
    named = state.get("operation") if isinstance(state, dict) else None
    match named or request.operation:
        case "echo":
            return {"echo": request.body, "pid": os.getpid()}
        case "print":
            print("noise on standard output")
            return {}
        case "wait":
            return _wait(watch)
        case "hang":
            _hang()
        case "score and hang":
            for score in (9, 7):
                watch.report(Progress(stage="best", score=score, bound=2))
            watch.report(Progress(stage="proving"))
            _hang()
        case "part and hang":
            part({"witness": []})
            _hang()
        case "die":
            os._exit(7)
        case "fail":
            raise RuntimeError("a fault of the engine")
        case "deep":
            raise RecursionError
        case "refuse":
            raise InputError("expected a list, found 3", place="$.state.rows")
        case "parts":
            for number in range(3):
                part({"number": number})
            return {"solutions": 3}
    raise NotOffered(request.game, request.operation, ["echo", "wait"])


def _hang() -> None:
    while True:
        time.sleep(0.05)


def _wait(watch: Watch) -> Json:
    """Report until interrupted."""
    rounds = 0
    while not watch.interrupted():
        rounds += 1
        watch.report(Progress(stage="waiting", done=rounds, score=rounds, bound=None))
        time.sleep(0.01)
    return {"stopped_by": "interrupted", "rounds": rounds}
