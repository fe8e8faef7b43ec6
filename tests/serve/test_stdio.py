"""JSON-RPC lines, spoken to a process as a client does."""

from __future__ import annotations

import io
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilesolve.answers import Json
from tilesolve.serve import stdio
from tilesolve.serve.request import UNLIMITED, Limits

PATIENCE = 60.0
SIXTY = {"state": {"sheet": "6x10", "pieces": "pentominoes"}, "cover": True}


def asked(number: Json, method: str, params: Json = None) -> Json:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


def conversation(*lines: Json, limits: Limits = UNLIMITED, answerer: str = "") -> list[Json]:
    """Return all that is said after these lines and the end of the input."""
    texts = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    sink = io.BytesIO()
    extra = {"answerer": answerer} if answerer else {}
    stdio.run(io.BytesIO(b"\n".join(texts) + b"\n"), sink, limits=limits, **extra)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def answers(said: list[Json]) -> dict[Json, Json]:
    """Return the answer or error to each id; two to one id are a fault."""
    final = [message for message in said if "id" in message]
    assert len({json.dumps(message["id"]) for message in final}) == len(final)
    return {message["id"]: message.get("result", message.get("error")) for message in final}


class Client:
    """A program that runs the engine and speaks with it."""

    def __init__(self) -> None:
        program = "from tilesolve.serve import stdio; stdio.run(answerer='answerers:answer')"
        self.process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.said: queue.Queue[Json] = queue.Queue()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.put(json.loads(line))

    def send(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def next(self) -> Json:
        return self.said.get(timeout=PATIENCE)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0
        self.reader.join()
        self.process.stdout.close()


@pytest.fixture(name="client")
def _client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    client = Client()
    yield client
    client.close()


@pytest.fixture(autouse=True)
def _answerers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


def test_initialize_says_what_there_is() -> None:
    [message] = conversation(asked(1, "initialize"))
    described = message["result"]
    assert described["protocol"] == 1
    assert described["engine"]["name"] == "tilesolve"
    games = {game["game"]: game for game in described["games"]}
    assert {"null", "polyform"} <= games.keys()
    null = games["null"]
    assert (null["unit"], null["sense"]) == ("moves", "minimise")
    always = {"check", "show", "read", "convert", "moves", "apply"}
    assert always | {"fit", "best", "hint", "new"} == set(null["operations"])
    assert null["schemas"]["state"]["required"] == ["game", "counters"]


def test_several_requests_each_get_one_answer() -> None:
    said = conversation(
        asked(1, "null/best", {"state": {"counters": 5}}),
        asked("two", "polyform/fit", SIXTY),
        asked(3, "null/check", {"state": {"counters": 1}, "move": {"take": 2}}),
        asked(4, "null/apply", {"state": {"counters": 3}, "move": {"take": 2}}),
        asked(5, "null/new", {"counters": 4, "seed": 1}),
    )
    found = answers(said)
    assert found[1]["score"] == 3
    assert found["two"]["answer"] == "yes"
    assert found[3]["violations"][0]["code"] == "too-many"
    assert found[4] == {"state": {"game": "null", "counters": 1, "moves": 1}}
    assert found[5] == {"state": {"game": "null", "counters": 4, "moves": 0}}


def test_an_illegal_position_is_a_result() -> None:
    state = {"sheet": {"rows": [".."], "placed": [{"piece": "I2", "cells": [[0, 1], [0, 2]]}]}}
    [message] = conversation(asked(1, "polyform/fit", {"state": {**state, "pieces": ["I2"]}}))
    assert message["result"]["violations"]
    assert "answer" not in message["result"]


@pytest.mark.parametrize(
    ("method", "params", "number", "code", "path"),
    [
        ("chess/best", {"state": {}}, -32601, "unknown-game", None),
        ("null/castle", {"state": {}}, -32601, "not-offered", None),
        ("nothing", {}, -32601, "unknown-game", None),
        ("null/best", {}, -32602, "bad-input", "$"),
        ("null/best", {"state": {"counters": -1}}, -32602, "bad-input", "$.state.counters"),
        ("null/best", {"state": {"countres": 1}}, -32602, "bad-input", "$.state"),
        ("null/best", {"state": {"counters": 1}, "moves": 3}, -32602, "bad-input", "$.moves"),
        (
            "null/best",
            {"state": {"game": "polyform", "counters": 1}},
            -32602,
            "bad-input",
            "$.state.game",
        ),
        (
            "null/best",
            {"state": {"counters": 1}, "budget": {"seconds": "x"}},
            -32602,
            "bad-input",
            "$.budget.seconds",
        ),
        (
            "null/best",
            {"state": {"counters": 1}, "budget": {"hours": 1}},
            -32602,
            "bad-input",
            "$.budget",
        ),
        ("null/best", {"state": {"counters": 1}, "progress": 1}, -32602, "bad-input", "$.progress"),
        (
            "polyform/fit",
            {"state": {"sheet": ["..", ".?"]}},
            -32602,
            "bad-input",
            "$.state.sheet[1]",
        ),
        ("null/show", {"state": {"counters": 1}, "x": 1}, -32602, "bad-input", "$.x"),
        ("cancel", {}, -32602, "bad-input", "$"),
    ],
)
def test_errors_name_the_place(
    method: str, params: Json, number: int, code: str, path: str | None
) -> None:
    [message] = conversation(asked(7, method, params))
    assert message["id"] == 7
    assert message["error"]["code"] == number
    assert message["error"]["data"]["code"] == code
    assert message["error"]["data"].get("path") == path


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b"nonsense", -32700),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"initialize"}', -32700),
        (b"\xff", -32700),
        (b"[" * 5000, -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"initialize"}', -32700),
        (b"[]", -32600),
        (b"3", -32600),
        (b'{"id":1,"method":"initialize"}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"initialize"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"initialize"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize","extra":0}', -32600),
        (b" " * 5999 + b"{" + b"x" * 6000, -32600),
    ],
)
def test_messages_that_are_no_requests_are_answered_and_survived(line: bytes, number: int) -> None:
    said = conversation(line, asked("next", "initialize"), limits=Limits(body=6000))
    assert [message.get("error", {}).get("code") for message in said] == [number, None]
    assert said[1]["id"] == "next"


def test_blank_lines_and_a_bom_are_nothing() -> None:
    [message] = conversation(
        b"", b"  ", b"\xef\xbb\xbf" + json.dumps(asked(1, "initialize")).encode()
    )
    assert message["result"]


def test_windows_line_ends_and_a_last_line_without_an_end() -> None:
    lines = [json.dumps(asked(number, "initialize")).encode() for number in (1, 2)]
    sink = io.BytesIO()
    stdio.run(io.BytesIO(b"\r\n".join([lines[0], b"", lines[1]])), sink)
    said = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert set(answers(said)) == {1, 2}


def test_what_has_no_id_is_not_answered() -> None:
    said = conversation(
        {"jsonrpc": "2.0", "method": "null/best", "params": {"state": {"counters": 1}}},
        {"jsonrpc": "2.0", "method": "cancel", "params": {"id": 3}},
    )
    assert said == []


def test_shutdown_answers_what_was_asked_before() -> None:
    said = conversation(
        asked(1, "null/best", {"state": {"counters": 5}}),
        asked(2, "shutdown"),
        asked(3, "initialize"),
    )
    assert set(answers(said)) == {1, 2}


def test_limits_are_named() -> None:
    found = answers(
        conversation(
            asked(1, "null/best", {"state": {"counters": 1}, "budget": {"seconds": 11}}),
            asked(2, "null/best", {"state": {"counters": 1}, "budget": {"workers": 3}}),
            asked(3, "polyform/fit", {"state": {"sheet": "6x10"}}),
            asked(4, "polyform/fit", {"state": {"sheet": "2x2", "pieces": ["I2*9"]}}),
            asked(5, "null/best", {"state": {"counters": 1}, "budget": {"seconds": None}}),
            asked(6, "null/best", {"state": {"counters": 1}, "budget": {"work": 101}}),
            asked(7, "null/best", {"state": {"counters": 1}, "budget": {"memory": 65}}),
            limits=Limits(seconds=10, workers=2, cells=59, pieces=8, work=100, memory=64),
        )
    )
    assert {found[number]["data"]["code"] for number in range(1, 8)} == {"limit"}
    assert [found[number]["data"]["path"] for number in range(1, 8)] == [
        "$.budget.seconds",
        "$.budget.workers",
        "$.state",
        "$.state",
        "$.budget.seconds",
        "$.budget.work",
        "$.budget.memory",
    ]


def test_memory_is_granted_in_megabytes() -> None:
    puzzle = {"sheet": "8x8", "pieces": "pentominoes"}
    params = {"state": puzzle, "cover": False, "budget": {"memory": 1}, "engine": "diagram"}
    [message] = conversation(asked(1, "polyform/count", params))
    assert message["result"]["stopped_by"] == "memory"


def test_budgets_may_be_as_large_as_anybody_likes() -> None:
    budget = {"seconds": 1e9, "work": 10**18, "workers": 1, "seed": 2**63 - 1}
    [message] = conversation(asked(1, "null/best", {"state": {"counters": 3}, "budget": budget}))
    assert message["result"]["score"] == 2


def test_the_same_budget_gives_the_same_answer_twice() -> None:
    params = {**SIXTY, "budget": {"seconds": None, "work": 5000, "seed": 3}}
    found = answers(
        conversation(asked(1, "polyform/fit", params), asked(2, "polyform/fit", params))
    )
    assert {**found[1], "seconds": 0} == {**found[2], "seconds": 0}


def test_progress_when_asked_for_and_cancel_still_answers(client: Client) -> None:
    client.send(asked(1, "null/best", {"state": {"counters": 1}}))
    assert client.next()["error"]["data"]["code"] == "not-offered"  # the tests' answerer
    client.send(asked(2, "null/fit", {"state": {"operation": "wait"}, "progress": True}))
    news = client.next()
    assert news["method"] == "progress"
    assert news["params"]["id"] == 2
    assert news["params"]["score"] >= 1
    assert "bound" not in news["params"]
    client.send(asked(3, "cancel", {"id": 2}))
    said = [client.next()]
    while "result" not in said[-1] or said[-1]["id"] != 2:
        said.append(client.next())
    assert said[-1]["result"]["stopped_by"] == "interrupted"
    found = answers(said)
    assert found.get(3, {"found": True}) == {"found": True}


def test_no_progress_unless_asked_for(client: Client) -> None:
    client.send(asked(1, "null/fit", {"state": {"operation": "wait"}}))
    client.send(asked(1, "null/fit", {"state": {"operation": "echo"}}))
    assert "under way" in client.next()["error"]["message"]
    client.send({"jsonrpc": "2.0", "method": "cancel", "params": {"id": 1}})
    assert client.next()["result"]["stopped_by"] == "interrupted"


def test_a_dead_worker_is_one_error(client: Client) -> None:
    client.send(asked(1, "null/fit", {"state": {"operation": "die"}}))
    assert client.next()["error"]["data"]["code"] == "worker-died"
    client.send(asked(2, "null/fit", {"state": {"operation": "echo"}}))
    assert client.next()["result"]["echo"]


def test_parts_come_before_the_answer(client: Client) -> None:
    client.send(asked(1, "null/fit", {"state": {"operation": "parts"}, "progress": True}))
    parts = [client.next() for _ in range(3)]
    assert [(part["method"], part["params"]) for part in parts] == [
        ("part", {"id": 1, "number": number}) for number in range(3)
    ]
    assert client.next()["result"] == {"solutions": 3}


def test_the_last_answer_is_given_after_the_input_has_ended(client: Client) -> None:
    client.send(asked(1, "null/fit", {"state": {"operation": "echo"}}))
    client.close()
    assert client.next()["id"] == 1
