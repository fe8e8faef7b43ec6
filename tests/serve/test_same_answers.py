"""One table of cases, asked on the command line, on stdio and over HTTP."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tilesolve.answers import Json
from tilesolve.cli import main
from tilesolve.serve import stdio
from tilesolve.serve.request import UNLIMITED

PENTOMINOES = {"game": "polyform", "sheet": "6x10", "pieces": "pentominoes"}
SMALL = {"game": "polyform", "sheet": ["....", "...."], "pieces": ["L4*2"]}
HEXES = {"game": "polyform", "sheet": "hex:2x3", "pieces": ["I3*2"]}
ILLEGAL = {"game": "polyform", "sheet": ["FF"], "pieces": ["F"]}


@dataclass(frozen=True)
class Case:
    """A question with its settings, and the work it may take."""

    operation: str
    state: Json
    settings: dict[str, Json] = field(default_factory=dict)
    work: int | None = None

    @property
    def game(self) -> str:
        return str(self.state["game"])

    @property
    def body(self) -> Json:
        budget = {} if self.work is None else {"work": self.work, "seconds": None}
        return {"state": self.state, **self.settings, "budget": budget}


CASES = [
    Case("fit", PENTOMINOES, {"cover": True}, 100_000),
    Case("fit", PENTOMINOES, {"cover": True}, 2),
    Case("fit", PENTOMINOES, {"each": True}),
    Case("fit", {**PENTOMINOES, "sheet": "4x5", "pieces": "tetrominoes"}, {"cover": True}),
    Case("fit", SMALL, {"cover": False, "engine": "search"}),
    Case("fit", HEXES, {"cover": True}, 10_000),
    Case("fit", ILLEGAL),
    Case("check", ILLEGAL),
    Case("check", SMALL, {"move": {"piece": "L4", "cells": [[0, 0], [0, 1], [0, 2], [1, 0]]}}),
    Case("check", SMALL, {"move": {"piece": "L4", "cells": [[0, 0], [0, 1], [0, 2], [1, 1]]}}),
    Case("best", SMALL, {}, 100_000),
    Case("best", ILLEGAL),
    Case("fit", {"game": "null", "counters": 3}),
    Case("best", {"game": "null", "counters": 7}),
    Case("hint", {"game": "null", "counters": 7}),
    Case("moves", {"game": "null", "counters": 7}),
]


def normal(text: str | bytes) -> str:
    """The answer as one line, its fields in their order, without the times."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: timeless(part) for name, part in value.items() if name != "seconds"}
        return [timeless(part) for part in value] if isinstance(value, list) else value

    return json.dumps(timeless(json.loads(text)))


def on_the_command_line(case: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    file = folder / "state.json"
    file.write_text(json.dumps(case.state))
    arguments = [case.operation, str(file), "--json", "--quiet"]
    for name, value in case.settings.items():
        text = value if isinstance(value, str) else json.dumps(value)
        arguments += ["--move", text] if name == "move" else ["--set", f"{name}={text}"]
    if case.work is not None:
        arguments += ["--work", str(case.work)]
    with pytest.raises(SystemExit):
        main(arguments)
    printed = capsys.readouterr()
    assert not printed.err
    return printed.out


@pytest.fixture(scope="module", name="said")
def _said() -> dict[int, str]:
    """What stdio answers to all cases, asked at once."""
    lines = [
        {"jsonrpc": "2.0", "id": n, "method": f"{case.game}/{case.operation}", "params": case.body}
        for n, case in enumerate(CASES)
    ]
    sink = io.BytesIO()
    stdio.run(io.BytesIO("\n".join(map(json.dumps, lines)).encode()), sink)
    messages = [json.loads(line) for line in sink.getvalue().splitlines()]
    return {message["id"]: json.dumps(message["result"]) for message in messages}


@pytest.fixture(scope="module", name="client")
def _client(served: Callable[..., AbstractContextManager[str]]) -> Iterator[httpx.Client]:
    with served(UNLIMITED) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client


@pytest.mark.parametrize("number", range(len(CASES)))
def test_three_faces_say_the_same(
    number: int,
    said: dict[int, str],
    client: httpx.Client,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = CASES[number]
    posted = client.post(f"/v1/{case.game}/{case.operation}", json=case.body)
    assert posted.status_code == 200, posted.text
    over_http = normal(posted.content)
    assert over_http == normal(said[number])
    assert over_http == normal(on_the_command_line(case, tmp_path, capsys))


def test_the_command_serves_stdio() -> None:
    question = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "null/best",
        "params": {"state": {"counters": 2}},
    }
    done = subprocess.run(
        [sys.executable, "-c", "from tilesolve.cli import main; main()", "serve", "--stdio"],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["result"]["score"] == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_the_command_serves_http_until_interrupted() -> None:
    command = [sys.executable, "-c", "from tilesolve.cli import main; main()", "serve", "--port=0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        where = next(line for line in process.stderr if "http://" in line)
        assert "http://127.0.0.1:" in where
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(30) == 0
    assert "Traceback" not in rest
