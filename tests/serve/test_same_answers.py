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
from tilesolve.registry import game_ids
from tilesolve.serve import stdio
from tilesolve.serve.desk import operations
from tilesolve.serve.request import UNLIMITED

TABLE = json.loads((Path(__file__).parent / "cases.json").read_text("utf-8"))
"""States by name, questions of every game about them, and what is refused with its place."""

WIRE_ONLY = {"apply"}
"""Operations that no command asks: a person edits the file."""


@dataclass(frozen=True)
class Case:
    """A question with its settings, the work it may take, and the field that must be so."""

    operation: str
    game: str
    state: Json = None
    settings: dict[str, Json] = field(default_factory=dict)
    work: int | None = None
    seed: int = 0
    shows: dict[str, Json] = field(default_factory=dict)

    @property
    def body(self) -> Json:
        budget: dict[str, Json] = {"seed": self.seed}
        if self.work is not None:
            budget |= {"work": self.work, "seconds": None}
        state = {} if self.state is None else {"state": self.state}
        return {**state, **self.settings, "budget": budget}


def _case(entry: Json) -> Case:
    state = entry.get("state")
    given = TABLE["states"][state] if isinstance(state, str) else state
    game = entry["game"] if given is None else given["game"]
    names = ("operation", "settings", "work", "seed", "shows")
    return Case(game=game, state=given, **{name: entry[name] for name in names if name in entry})


CASES = [_case(entry) for entry in TABLE["cases"]]
REFUSED = [(_case(entry), entry["path"], entry["message"]) for entry in TABLE["refused"]]


def normal(value: Json) -> str:
    """The answer as one line, its fields in their order, without the times."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: timeless(part) for name, part in value.items() if name != "seconds"}
        return [timeless(part) for part in value] if isinstance(value, list) else value

    return json.dumps(timeless(value))


def command(case: Case, file: Path) -> list[str]:
    """The command line that asks a case."""
    settings = dict(case.settings)
    if case.operation in ("read", "convert"):
        return ["convert", str(file), "--to", str(settings.get("to", "json")), "--quiet"]
    words = [case.operation, str(file) if case.state is not None else case.game]
    words += ["--seed", str(settings.pop("seed", case.seed))]
    if case.operation != "new":
        words += ["--json", "--quiet"]
    if case.operation == "simulate":
        words += ["--games", str(settings.pop("games"))]
        words += [word for name in settings.pop("policies") for word in ("--policy", name)]
    for name, value in settings.items():
        text = value if isinstance(value, str) else json.dumps(value)
        words += ["--move", text] if name == "move" else ["--set", f"{name}={text}"]
    return words if case.work is None else [*words, "--work", str(case.work)]


def on_the_wire(case: Case, printed: str) -> Json:
    """What a command printed, as the wire has it: it prints lines and texts, not objects."""
    match case.operation:
        case "convert":
            return {"format": case.settings["to"], "text": printed}
        case "read" | "new":
            return {"state": json.loads(printed)}
        case "solve":
            *witnesses, end = map(json.loads, printed.splitlines())
            return end if "violations" in end else {"witnesses": witnesses, **end}
    return json.loads(printed)


@dataclass(frozen=True)
class Printed:
    """What a command printed, and how it ended."""

    out: str
    err: str
    code: int


def run(case: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    file = folder / "state.json"
    file.write_text(json.dumps(case.state))
    with pytest.raises(SystemExit) as ended:
        main(command(case, file))
    said = capsys.readouterr()
    return Printed(said.out, said.err, int(ended.value.code or 0))


@pytest.fixture(scope="module", name="said")
def _said() -> dict[int, Json]:
    """What stdio says to all cases and then to all that is refused, asked at once."""
    asked = [*CASES, *(case for case, _, _ in REFUSED)]
    lines = [
        {"jsonrpc": "2.0", "id": n, "method": f"{case.game}/{case.operation}", "params": case.body}
        for n, case in enumerate(asked)
    ]
    sink = io.BytesIO()
    stdio.run(io.BytesIO("\n".join(map(json.dumps, lines)).encode()), sink)
    messages = [json.loads(line) for line in sink.getvalue().splitlines()]
    assert sorted(message["id"] for message in messages) == list(range(len(asked)))
    return {message["id"]: message for message in messages}


@pytest.fixture(scope="module", name="client")
def _client(served: Callable[..., AbstractContextManager[str]]) -> Iterator[httpx.Client]:
    with served(UNLIMITED) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client


def name(case: Case) -> str:
    return f"{case.game}-{case.operation}"


@pytest.mark.parametrize("number", range(len(CASES)), ids=map(name, CASES))
def test_three_faces_say_the_same(
    number: int,
    said: dict[int, Json],
    client: httpx.Client,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = CASES[number]
    posted = client.post(f"/v1/{case.game}/{case.operation}", json=case.body)
    assert posted.status_code == 200, posted.text
    answer = posted.json()
    assert {name: answer.get(name) for name in case.shows} == case.shows
    assert normal(answer) == normal(said[number]["result"])
    if case.operation not in WIRE_ONLY:
        printed = run(case, tmp_path, capsys)
        assert not printed.err
        assert normal(answer) == normal(on_the_wire(case, printed.out))


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_three_faces_refuse_the_same(
    number: int,
    said: dict[int, Json],
    client: httpx.Client,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    case, path, message = REFUSED[number]
    posted = client.post(f"/v1/{case.game}/{case.operation}", json=case.body)
    assert posted.status_code == 422
    error = posted.json()["error"]
    assert (error["code"], error["path"]) == ("bad-input", path)
    assert message in error["message"]
    assert said[len(CASES) + number]["error"]["data"] == error
    printed = run(case, tmp_path, capsys)
    assert (printed.out, printed.code) == ("", 2)
    assert printed.err.endswith(f": {error['message']}\n")
    assert printed.err.count("\n") == 1
    if path.startswith("$.state"):
        assert f": {path.replace('$.state', '$')}: " in printed.err


def test_the_table_asks_everything_that_is_offered() -> None:
    asked = {(case.game, case.operation) for case in CASES}
    offered = {(game, asks) for game in game_ids() for asks in operations(game)}
    assert {(game, asks) for game, asks in offered - asked if asks != "verify"} == set()


def test_three_faces_check_the_same_proof(
    client: httpx.Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = TABLE["states"]["tetrominoes"]
    sheet, proof = tmp_path / "sheet.json", tmp_path / "proof.json"
    sheet.write_text(json.dumps(state))
    with pytest.raises(SystemExit):
        main(["fit", str(sheet), "--cover", "--proof", str(proof), "--quiet"])
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["verify", str(sheet), str(proof), "--cover", "--json", "--quiet"])
    printed = json.loads(capsys.readouterr().out)
    body = {"state": state, "cover": True, "proof": json.loads(proof.read_text())}
    posted = client.post("/v1/polyform/verify", json=body).json()
    sink = io.BytesIO()
    question = {"jsonrpc": "2.0", "id": 1, "method": "polyform/verify", "params": body}
    stdio.run(io.BytesIO(json.dumps(question).encode()), sink)
    assert posted["accepted"] == "yes"
    assert normal(posted) == normal(printed)
    assert normal(posted) == normal(json.loads(sink.getvalue())["result"])


def test_three_faces_have_the_same_schemas(
    client: httpx.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["schema"])
    printed = json.loads(capsys.readouterr().out)
    sink = io.BytesIO()
    stdio.run(io.BytesIO(b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}\n'), sink)
    described = json.loads(sink.getvalue())["result"]
    posted = client.get("/v1/games").json()
    assert {**posted, "limits": None} == {**described, "limits": None}
    for game in described["games"]:
        for part, named in (("state", game["game"]), ("move", f"{game['game']}-move")):
            dialect = {"$schema": printed[named]["$schema"]}
            assert json.dumps({**dialect, **game["schemas"][part]}) == json.dumps(printed[named])


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
