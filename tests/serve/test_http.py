"""The HTTP server, asked over a socket as any client would."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import httpx
import jsonschema
import pytest

from tilesolve.answers import Json
from tilesolve.errors import InputError
from tilesolve.serve import http
from tilesolve.serve.request import Limits

PATIENCE = 60.0
SIXTY = {"state": {"sheet": "6x10", "pieces": "pentominoes"}, "cover": True}
LIMITS = Limits(seconds=30, workers=2, queue=2, cells=3000, pieces=100, body=50_000, grace=20)


Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture(scope="module", name="engine")
def _engine(served: Serve) -> Iterator[httpx.Client]:
    """The engine itself."""
    with served(LIMITS) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
        yield client


@pytest.fixture(scope="module", name="acted")
def _acted(served: Serve) -> Iterator[httpx.Client]:
    """A server whose workers do what the state says: wait, hang, die."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        with (
            served(LIMITS, "answerers:answer") as address,
            httpx.Client(base_url=address, timeout=PATIENCE) as client,
        ):
            yield client


def act(operation: str) -> Json:
    return {"state": {"operation": operation}}


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def load(client: httpx.Client) -> tuple[int, int]:
    health = client.get("/healthz").json()
    return health["running"], health["waiting"]


def test_games_and_health(engine: httpx.Client) -> None:
    games = engine.get("/v1/games").json()
    assert {"null", "polyform"} <= {game["game"] for game in games["games"]}
    assert games["limits"]["seconds"] == 30
    assert engine.get("/healthz").json()["status"] == "ok"


def test_questions_are_answered(engine: httpx.Client) -> None:
    fit = engine.post("/v1/polyform/fit", json=SIXTY)
    assert fit.status_code == 200
    assert fit.json()["answer"] == "yes"
    assert len(fit.json()["witness"]) == 12
    best = engine.post("/v1/null/best", json={"state": {"counters": 5}, "comment": "five"})
    assert best.json()["score"] == 3
    new = engine.post("/v1/null/new", json={"counters": 2})
    assert new.json() == {"state": {"game": "null", "counters": 2, "moves": 0}}


def test_an_illegal_position_is_a_result(engine: httpx.Client) -> None:
    sheet = {"rows": [".."], "placed": [{"piece": "I2", "cells": [[0, 1], [0, 2]]}]}
    body = {"state": {"sheet": sheet, "pieces": ["I2"]}}
    for operation in ("check", "fit", "moves"):
        answer = engine.post(f"/v1/polyform/{operation}", json=body)
        assert answer.status_code == 200
        assert answer.json()["violations"]


@pytest.mark.parametrize(
    ("target", "body", "status", "code", "path"),
    [
        ("/v1/chess/best", {"state": {}}, 404, "unknown-game", None),
        ("/v1/null/castle", {"state": {}}, 404, "not-offered", None),
        ("/v1/null/best", {}, 422, "bad-input", "$"),
        ("/v1/null/best", [], 422, "bad-input", "$"),
        ("/v1/null/best", {"state": {"counters": "1"}}, 422, "bad-input", "$.state.counters"),
        ("/v1/null/best", {"state": {"counters": 1}, "x": 1}, 422, "bad-input", "$.x"),
        ("/v1/null/best?jobs=1", {"state": {"counters": 1}}, 422, "bad-input", None),
        ("/v1/null/best?job=yes", {"state": {"counters": 1}}, 422, "bad-input", None),
        (
            "/v1/null/best",
            {"state": {"counters": 1}, "budget": {"seconds": 31}},
            422,
            "limit",
            "$.budget.seconds",
        ),
        ("/v1/polyform/fit", {"state": "60x60"}, 422, "limit", "$.state"),
        (
            "/v1/polyform/fit",
            {"state": {"sheet": "2x2", "pieces": ["I2*101"]}},
            422,
            "limit",
            "$.state",
        ),
        (
            "/v1/polyform/fit",
            {"state": {"sheet": "9x9", "comment": "x" * 50_000}},
            413,
            "too-large",
            None,
        ),
    ],
)
def test_refusals(
    engine: httpx.Client, target: str, body: Json, status: int, code: str, path: str | None
) -> None:
    answer = engine.post(target, json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error.get("path")) == (status, code, path)
    assert error["message"]


@pytest.mark.parametrize("body", [b"", b"nonsense", b'{"a":1,"a":2}', b"\xff", b"[" * 40_000])
def test_what_is_not_json(engine: httpx.Client, body: bytes) -> None:
    answer = engine.post(
        "/v1/null/best", content=body, headers={"content-type": "application/json"}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "not-json")


def test_other_content_types_hosts_paths_and_methods(engine: httpx.Client) -> None:
    plain = engine.post("/v1/null/best", content=b"{}", headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    assert engine.get("/healthz", headers={"host": "rebound.example"}).status_code == 400
    assert engine.get("/v1/nothing").status_code == 404
    assert engine.get("/v1/null/best").status_code == 405
    assert engine.get("/v1/jobs/0000").json()["error"]["code"] == "not-found"
    assert engine.delete("/v1/jobs/0000").status_code == 404
    assert engine.get("/v1/jobs/0000/events").status_code == 404


def test_no_other_page_may_ask_unless_told(engine: httpx.Client, served: Serve) -> None:
    question = {"Origin": "https://there.example", "Access-Control-Request-Method": "POST"}
    assert "access-control-allow-origin" not in engine.options("/healthz", headers=question).headers
    with served(Limits(workers=1), cors=["https://there.example"]) as address:
        allowed = httpx.options(f"{address}/v1/null/best", headers=question)
        other = httpx.options(
            f"{address}/v1/null/best", headers={**question, "Origin": "https://else.example"}
        )
    assert allowed.headers["access-control-allow-origin"] == "https://there.example"
    assert "access-control-allow-origin" not in other.headers


def test_a_job_from_beginning_to_end(acted: httpx.Client) -> None:
    started = acted.post("/v1/null/fit?job=true", json=act("wait"))
    assert started.status_code == 202
    where = started.headers["location"]
    assert where == f"/v1/jobs/{started.json()['job']}"
    until(lambda: "progress" in acted.get(where).json())
    record = acted.get(where).json()
    assert record["status"] == "running"
    assert record["progress"]["stage"] == "waiting"
    ended = acted.delete(where).json()
    assert ended["status"] == "done"
    assert ended["answer"]["stopped_by"] == "interrupted"
    assert acted.get(where).status_code == 404


def test_events_of_a_job(acted: httpx.Client) -> None:
    where = acted.post("/v1/null/fit?job=true", json=act("parts")).headers["location"]
    for _ in range(2):  # as it goes, and once more when it is over
        text = acted.get(f"{where}/events").text
        events = [block.split("\n") for block in text.strip().split("\n\n")]
        assert [event[0] for event in events] == ["event: part"] * 3 + ["event: answer"]
        assert json.loads(events[3][1].removeprefix("data: ")) == {"solutions": 3}


def test_events_show_improving_scores(acted: httpx.Client) -> None:
    where = acted.post("/v1/null/fit?job=true", json=act("wait")).headers["location"]
    scores = []
    with acted.stream("GET", f"{where}/events") as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                scores.append(json.loads(line.removeprefix("data: ")).get("score"))
                if len(scores) == 3:
                    threading.Thread(target=lambda: acted.delete(where)).start()
    assert scores[:3] == [1, 2, 3]
    assert scores[-1] is None


def test_a_refused_job_says_so(acted: httpx.Client) -> None:
    where = acted.post("/v1/null/fit?job=true", json=act("refuse")).headers["location"]
    until(lambda: acted.get(where).json()["status"] == "refused")
    assert acted.get(where).json()["error"]["path"] == "$.state.rows"
    assert acted.get(f"{where}/events").text.startswith("event: refusal\n")


def test_a_client_that_goes_away_stops_its_work(acted: httpx.Client) -> None:
    assert load(acted) == (0, 0)
    with pytest.raises(httpx.ReadTimeout):
        acted.post("/v1/null/fit", json=act("wait"), timeout=0.5)
    until(lambda: load(acted) == (0, 0))


def test_a_killed_worker_is_one_clear_error_and_harms_nobody_else(acted: httpx.Client) -> None:
    other = acted.post("/v1/null/fit?job=true", json=act("wait")).headers["location"]
    until(lambda: "progress" in acted.get(other).json())
    answers: list[httpx.Response] = []
    asking = threading.Thread(
        target=lambda: answers.append(acted.post("/v1/null/fit", json=act("die")))
    )
    asking.start()
    asking.join(PATIENCE)
    assert answers[0].status_code == 503
    assert answers[0].json()["error"]["code"] == "worker-died"
    assert acted.get(other).json()["status"] == "running"
    again = acted.post("/v1/null/fit", json=act("echo"))
    assert again.status_code == 200
    assert acted.delete(other).json()["answer"]["stopped_by"] == "interrupted"


def test_killing_a_worker_from_outside(acted: httpx.Client) -> None:
    pid = acted.post("/v1/null/fit", json=act("echo")).json()["pid"]
    os.kill(pid, signal.SIGTERM)
    answers = [acted.post("/v1/null/fit", json=act("echo")) for _ in range(4)]
    # Only a question that meets the process as it dies is told so.
    assert sum(answer.status_code != 200 for answer in answers) <= 1
    assert answers[-1].status_code == 200


def test_a_fault_of_the_engine_is_said_without_its_traceback(acted: httpx.Client) -> None:
    answer = acted.post("/v1/null/fit", json=act("fail"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "failed")
    assert "Traceback" not in answer.text


def test_a_full_queue_is_said(acted: httpx.Client) -> None:
    jobs = [acted.post("/v1/null/fit?job=true", json=act("wait")) for _ in range(5)]
    assert [job.status_code for job in jobs] == [202] * 4 + [429]
    assert jobs[-1].headers["retry-after"] == "1"
    assert jobs[-1].json()["error"]["code"] == "busy"
    for job in jobs[:4]:
        acted.delete(job.headers["location"])
    assert load(acted) == (0, 0)


def test_openapi_validates_bodies_and_answers(engine: httpx.Client) -> None:
    document = engine.get("/openapi.json").json()
    schemas = document["components"]
    assert "/v1/jobs/{job}/events" in document["paths"]
    for target, body in (
        ("/v1/polyform/fit", SIXTY),
        ("/v1/null/best", {"state": {"game": "null", "counters": 5}, "budget": {"seconds": 1}}),
        ("/v1/null/hint", {"state": {"game": "null", "counters": 5}, "count": 1}),
        ("/v1/null/check", {"state": {"game": "null", "counters": 5}, "move": {"take": 9}}),
        ("/v1/null/moves", {"state": {"game": "null", "counters": 5}, "limit": 1}),
        ("/v1/null/apply", {"state": {"game": "null", "counters": 5}, "move": {"take": 9}}),
        ("/v1/null/new", {"counters": 3}),
    ):
        post = document["paths"][target]["post"]
        expected = post["requestBody"]["content"]["application/json"]["schema"]
        returned = post["responses"]["200"]["content"]["application/json"]["schema"]
        jsonschema.validate(body, {**expected, "components": schemas})
        answer = engine.post(target, json=body).json()
        jsonschema.validate(answer, {**returned, "components": schemas})
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**body, "unknown": 1}, {**expected, "components": schemas})


def test_an_address_in_use_is_one_sentence() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(InputError, match="cannot listen on"),
    ):
        http.run(port=taken.getsockname()[1])
