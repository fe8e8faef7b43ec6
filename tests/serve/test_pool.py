"""Worker processes: answers, news, cancelling, and what a death costs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tilesolve.answers import Json
from tilesolve.serve.pool import Job, Pool
from tilesolve.serve.request import Limits, News, Outcome, Refused, Request

PATIENCE = 30.0


@dataclass(eq=False)
class Asker:
    """Asks a pool and waits for what comes."""

    pool: Pool
    news: list[News] = field(default_factory=list)
    heard: threading.Event = field(default_factory=threading.Event)

    def job(self, operation: str, body: Json = None, seconds: float | None = None) -> Waiting:
        question = Request(game="null", operation=operation, body=body)
        waiting = Waiting()
        waiting.job = Job(question, done=waiting.end, heard=self.hear, seconds=seconds)
        self.pool.submit(waiting.job)
        return waiting

    def ask(self, operation: str, body: Json = None, seconds: float | None = None) -> Outcome:
        return self.job(operation, body, seconds).outcome

    def hear(self, news: News) -> None:
        self.news.append(news)
        self.heard.set()


class Waiting:
    """A job's outcome, when it comes; more than one is a fault."""

    def __init__(self) -> None:
        self.job: Job
        self._outcomes: list[Outcome] = []
        self._ended = threading.Event()

    def end(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        self._ended.set()

    @property
    def outcome(self) -> Outcome:
        assert self._ended.wait(PATIENCE)
        [outcome] = self._outcomes
        return outcome


@pytest.fixture(name="pooled")
def _pooled(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Asker]]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    pools: list[Pool] = []

    def make(workers: int = 1, queue: int = 8, grace: float = 20.0) -> Asker:
        limits = Limits(workers=workers, queue=queue, grace=grace)
        pools.append(Pool(limits, answerer="answerers:answer"))
        return Asker(pools[-1])

    yield make
    for pool in pools:
        pool.close()
        assert pool.processes == ()


def test_a_worker_answers_again_and_again(pooled: Callable[..., Asker]) -> None:
    asker = pooled()
    answers = [asker.ask("echo", {"n": number, "text": "ä\n"}).value for number in range(5)]
    assert [answer["echo"] for answer in answers] == [{"n": n, "text": "ä\n"} for n in range(5)]
    assert len({answer["pid"] for answer in answers}) == 1


def test_no_process_before_the_first_question(pooled: Callable[..., Asker]) -> None:
    asker = pooled(workers=3)
    assert asker.pool.processes == ()
    asker.ask("echo")
    assert len(asker.pool.processes) == 1


def test_several_at_once(pooled: Callable[..., Asker]) -> None:
    asker = pooled(workers=2)
    slow = asker.job("wait")
    assert asker.heard.wait(PATIENCE)
    assert asker.ask("echo", 1).value["echo"] == 1
    asker.pool.cancel(slow.job)
    assert slow.outcome.value["stopped_by"] == "interrupted"


def test_news_comes_before_the_answer(pooled: Callable[..., Asker]) -> None:
    asker = pooled()
    assert asker.ask("parts").value == {"solutions": 3}
    assert [(news.kind, news.content) for news in asker.news] == [
        ("part", b'{"number":0}'),
        ("part", b'{"number":1}'),
        ("part", b'{"number":2}'),
    ]


def test_a_cancelled_question_answers_with_what_is_known(pooled: Callable[..., Asker]) -> None:
    asker = pooled()
    waiting = asker.job("wait")
    assert asker.heard.wait(PATIENCE)
    asker.pool.cancel(waiting.job)
    answer = waiting.outcome.value
    assert answer["stopped_by"] == "interrupted"
    assert answer["rounds"] > 0
    assert asker.ask("echo", "next").value["echo"] == "next"


def test_cancelled_while_it_waits_in_the_queue(pooled: Callable[..., Asker]) -> None:
    asker = pooled()
    first, second = asker.job("wait"), asker.job("wait")
    asker.pool.cancel(second.job)
    asker.pool.cancel(first.job)
    assert second.outcome.value == {"stopped_by": "interrupted", "rounds": 0}


def test_a_forgotten_question_leaves_the_queue(pooled: Callable[..., Asker]) -> None:
    asker = pooled()
    first, second = asker.job("wait"), asker.job("echo")
    assert asker.heard.wait(PATIENCE)
    asker.pool.forget(second.job)
    asker.pool.forget(first.job)
    assert first.outcome.value["stopped_by"] == "interrupted"
    assert asker.ask("echo").value
    assert not second._outcomes


@pytest.mark.parametrize(
    ("operation", "code"),
    [("fail", "failed"), ("deep", "failed"), ("refuse", "bad-input"), ("what", "not-offered")],
)
def test_refusals_leave_the_worker_alive(
    pooled: Callable[..., Asker], operation: str, code: str
) -> None:
    asker = pooled()
    before = asker.ask("echo").value["pid"]
    refusal = asker.ask(operation).refusal
    assert refusal is not None
    assert refusal.code == code
    assert asker.ask("echo").value["pid"] == before


def test_a_refusal_keeps_place_and_offer(pooled: Callable[..., Asker]) -> None:
    asker = pooled()
    refused, unknown = asker.ask("refuse").refusal, asker.ask("what").refusal
    assert refused is not None
    assert unknown is not None
    assert (refused.path, refused.message) == ("$.state.rows", "expected a list, found 3")
    assert unknown.offered == ("echo", "wait")


def test_noise_on_standard_output_does_not_matter(pooled: Callable[..., Asker]) -> None:
    assert pooled().ask("print").value == {}


@pytest.mark.parametrize("operation", ["die", "wait"])
def test_a_death_costs_one_clear_error_and_harms_nobody_else(
    pooled: Callable[..., Asker], operation: str
) -> None:
    asker = pooled(workers=2)
    other = asker.job("wait")
    assert asker.heard.wait(PATIENCE)
    [living] = asker.pool.processes
    waiting = asker.job(operation)
    if operation == "wait":
        deadline = time.monotonic() + PATIENCE
        while not (fresh := set(asker.pool.processes) - {living}) or not waiting.job.running:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.kill(fresh.pop(), signal.SIGTERM)
    refusal = waiting.outcome.refusal
    assert refusal is not None
    assert refusal.code == "worker-died"
    assert asker.ask("echo", "again").value["echo"] == "again"
    asker.pool.cancel(other.job)
    assert other.outcome.value["stopped_by"] == "interrupted"
    assert living in asker.pool.processes


@pytest.mark.parametrize("how", ["cancelled", "out of time"])
def test_a_worker_that_does_not_obey_is_killed(pooled: Callable[..., Asker], how: str) -> None:
    asker = pooled(grace=0.2)
    waiting = asker.job("hang", seconds=0.1 if how == "out of time" else None)
    if how == "cancelled":
        asker.pool.cancel(waiting.job)
    refusal = waiting.outcome.refusal
    assert refusal is not None
    assert refusal.code == "overrun"
    assert asker.ask("echo", 1).value["echo"] == 1


@pytest.mark.parametrize(
    ("operation", "does", "news", "known"),
    [
        ("fit", "hang", 0, {"answer": "unknown"}),
        ("explain", "hang", 0, {"answer": "unknown"}),
        ("best", "hang", 0, {"proof": "unknown"}),
        ("best", "score and hang", 3, {"proof": "feasible", "score": 7, "bound": 2}),
        ("count", "hang", 0, {"raw": 0, "exact": False}),
        ("hint", "hang", 0, {"hints": []}),
        ("simulate", "hang", 0, {"policies": [], "seed": 0}),
        ("solve", "part and hang", 1, {"witnesses": [{"witness": []}], "solutions": 1}),
    ],
)
def test_what_was_reported_is_left_of_a_worker_that_had_to_be_ended(
    pooled: Callable[..., Asker], operation: str, does: str, news: int, known: Json
) -> None:
    asker = pooled(grace=0.3)
    waiting = asker.job(operation, {"state": {"operation": does}})
    deadline = time.monotonic() + PATIENCE
    while len(asker.news) < news:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    asker.pool.cancel(waiting.job)
    answer = waiting.outcome.value
    assert {**answer, **known, "stopped_by": "interrupted"} == answer
    if operation not in ("solve", "simulate"):
        assert answer["reasons"][0]["code"] == "worker-ended"


def test_a_full_queue_is_said(pooled: Callable[..., Asker]) -> None:
    asker = pooled(queue=2)
    jobs = [asker.job("wait")]
    assert asker.heard.wait(PATIENCE)
    jobs += [asker.job("wait"), asker.job("wait")]
    with pytest.raises(Refused) as refused:
        asker.job("echo")
    assert refused.value.refusal.code == "busy"
    assert "2 questions" in refused.value.refusal.message
    for waiting in jobs:
        asker.pool.cancel(waiting.job)
    assert [waiting.outcome.refusal for waiting in jobs] == [None] * 3


def test_closing_ends_all_and_answers_all(pooled: Callable[..., Asker]) -> None:
    asker = pooled()
    jobs = [asker.job("hang"), asker.job("echo")]
    asker.pool.close()
    refusals = [waiting.outcome.refusal for waiting in jobs]
    assert [refusal and refusal.code for refusal in refusals] == ["worker-died"] * 2
    assert asker.pool.processes == ()
    with pytest.raises(Refused):
        asker.job("echo")
