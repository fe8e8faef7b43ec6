"""The wire protocol's document, replayed, and the clients, run."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import pytest

from tilesolve.answers import Json
from tilesolve.serve import http, stdio
from tilesolve.serve.request import Limits

DOCS = Path(__file__).parents[2] / "docs"
PATIENCE = 60.0
ENGINE = [sys.executable, "-c", "from tilesolve.serve import stdio; stdio.run()"]


def blocks(language: str) -> list[str]:
    text = (DOCS / "wire-protocol.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def agrees(shown: Json, found: Json) -> bool:
    """Whether a value is as shown, where … is anything."""
    if shown == "…":
        return True
    if isinstance(shown, dict) and isinstance(found, dict):
        more = "…" in shown
        named = {name: value for name, value in shown.items() if name != "…"}
        if not (named.keys() <= found.keys() if more else named.keys() == found.keys()):
            return False
        return all(agrees(value, found[name]) for name, value in named.items())
    if isinstance(shown, list) and isinstance(found, list):
        return len(shown) == len(found) and all(map(agrees, shown, found))
    return bool(shown == found)


def test_there_is_something_to_replay() -> None:
    assert len(blocks("jsonl")) >= 8
    assert len(blocks("http")) >= 7


@pytest.mark.parametrize("block", blocks("jsonl"))
def test_worked_exchanges_on_stdio(block: str) -> None:
    sent = [line[2:] for line in block.splitlines() if line.startswith("→ ")]
    shown = [json.loads(line[2:]) for line in block.splitlines() if line.startswith("← ")]
    sink = io.BytesIO()
    stdio.run(io.BytesIO("\n".join(sent).encode()), sink)
    found = [json.loads(line) for line in sink.getvalue().splitlines()]
    by_id = {json.dumps(message["id"]): message for message in found}
    assert len(by_id) == len(found) == len(shown)
    for message in shown:
        assert agrees(message, by_id[json.dumps(message["id"])]), found


@pytest.fixture(scope="module", name="client")
def _client(served: Callable[..., AbstractContextManager[str]]) -> Iterator[httpx.Client]:
    with (
        served(Limits(workers=1)) as address,
        httpx.Client(base_url=address, timeout=PATIENCE) as client,
    ):
        yield client


def test_worked_exchanges_over_http(client: httpx.Client) -> None:
    job = ""
    for block in blocks("http"):
        asked, _, told = block.strip().partition("\n\n")
        head, _, body = asked.partition("\n")
        method, path = head.split()
        status, _, shown = told.partition("\n")
        headers = {"content-type": "application/json"} if body else {}
        answer = client.request(
            method, path.replace("{job}", job), content=body.encode(), headers=headers
        )
        assert answer.status_code == int(status), head
        if shown.startswith("event: "):
            *_, last = answer.text.strip().split("\n\n")
            for line, part in zip(shown.splitlines(), last.splitlines(), strict=True):
                name, _, value = line.partition(": ")
                assert part.startswith(f"{name}: ")
                content = part.removeprefix(f"{name}: ")
                assert content == value or agrees(json.loads(value), json.loads(content))
        else:
            if method == "GET" and path.endswith("{job}"):
                while answer.json()["status"] in ("waiting", "running"):
                    answer = client.get(path.replace("{job}", job))
            assert agrees(json.loads(shown), answer.json()), answer.text
            job = answer.json().get("job", job)


def test_every_code_is_documented() -> None:
    text = (DOCS / "wire-protocol.md").read_text("utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    documented: dict[str, tuple[int, int]] = {}
    for row in rows:
        codes = re.findall(r"`([a-z-]+)`", row[1])
        numbers = re.findall(r"-\d+", row[2])
        if numbers:
            spread = numbers if len(numbers) == len(codes) else numbers * len(codes)
            documented |= {
                code: (int(number), int(row[3])) for code, number in zip(codes, spread, strict=True)
            }
    assert documented == {code: (stdio.CODES[code], http.STATUS[code]) for code in stdio.CODES}


def _said(command: list[str]) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=True
    )
    return done.stdout


def test_the_python_client() -> None:
    said = _said([sys.executable, str(DOCS / "clients/client.py"), *ENGINE])
    assert said.split()[0] == "yes"
    assert sorted(said.split()[1:]) == list("FILNPTUVWXYZ")


def test_the_javascript_client() -> None:
    node = shutil.which("node")
    if node is None:
        if os.environ.get("TILESOLVE_NO_SKIP"):
            pytest.fail("node is missing")
        pytest.skip("node is not installed")
    said = _said([node, str(DOCS / "clients/client.mjs"), *ENGINE])
    assert said.split()[0] == "yes"
    assert sorted(said.split()[1:]) == list("FILNPTUVWXYZ")


@pytest.mark.parametrize("name", ["client.py", "client.mjs"])
def test_the_clients_stay_short(name: str) -> None:
    lines = (DOCS / "clients" / name).read_text("utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 33
