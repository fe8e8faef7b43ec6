"""A cluster gives what a loop gives, also when a worker is killed and another joins."""

import json
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tilesolve.bench.cluster import given_up, rate_batch, rated_by
from tilesolve.bench.puzzle import Puzzle
from tilesolve.bench.rating import Rated, Settings, rate
from tilesolve.bench.run import Place, bench
from tilesolve.bench.sheets import Source, puzzles
from tilesolve.errors import InputError

SETTINGS = Settings(parameters={"games": 5})
PUZZLES = list(puzzles([], ["random:4x5,holes=3..6,pieces=3..4,count=40,seed=4"], Source()))


def timeless(line: str) -> Any:
    row = json.loads(line)
    del row["seconds"]
    return row


@pytest.mark.filterwarnings("ignore")  # a worker that is killed leaves sockets behind
def test_a_killed_worker_loses_nothing_and_another_may_join() -> None:
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=50,
    )
    with cluster, Client(cluster, set_as_default=False) as client:
        victim = next(iter(client.run(os.getpid).values()))
        found = []
        for number, batch in enumerate(rated_by(client, PUZZLES, SETTINGS)):
            found += batch
            if number == 1:
                os.kill(victim, signal.SIGKILL)
                cluster.scale(2)
        assert len(found) == len({rated.key for rated in found}) == len(PUZZLES)
        told = {rated.key: timeless(rated.line) for rated in found}
    straight = [rate(puzzle, SETTINGS) for puzzle in PUZZLES]
    assert told == {rated.key: timeless(rated.line) for rated in straight}


def test_a_slow_batch_comes_back_with_what_is_done() -> None:
    # A sheet that takes longer than a batch may is rated; what stood behind it is left.
    assert [rated.key for rated in rate_batch(PUZZLES[:3], SETTINGS, longest=0.0)] == [
        rate(PUZZLES[0], SETTINGS).key
    ]
    assert len(rate_batch(PUZZLES[:3], SETTINGS, longest=1e9)) == 3


@pytest.mark.filterwarnings("ignore")
def test_what_a_batch_left_is_handed_over_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import Client

    monkeypatch.setattr("tilesolve.bench.cluster.BATCH_SECONDS", 1e9)  # all in few batches
    monkeypatch.setattr("tilesolve.bench.cluster.rate_batch", in_one_go)
    with Client(
        processes=False, n_workers=1, dashboard_address=None, set_as_default=False
    ) as client:
        batches = list(rated_by(client, PUZZLES, SETTINGS))
    keys = [rated.key for batch in batches for rated in batch]
    assert {len(batch) for batch in batches} == {1}
    assert len(keys) == len(set(keys)) == len(PUZZLES)


def in_one_go(batch: list[Puzzle], settings: Settings) -> list[Rated]:
    return rate_batch(batch, settings, longest=0.0)


@pytest.mark.filterwarnings("ignore")
def test_workers_with_another_version_are_refused() -> None:
    from distributed import Client

    with (
        Client(
            processes=False, n_workers=1, dashboard_address=None, set_as_default=False
        ) as client,
        pytest.raises(InputError, match="install the same everywhere"),
    ):
        list(rated_by(client, PUZZLES[:1], Settings(version="0.0.1")))


def test_a_sheet_that_kills_workers_is_told_as_failed() -> None:
    from distributed import KilledWorker

    def future(status: str, error: Exception | None = None) -> Any:
        return SimpleNamespace(status=status, exception=lambda: error)

    last: Any = "tcp://127.0.0.1:1"
    killed = future("error", KilledWorker("task", last, allowed_failures=3))
    row = given_up(killed, PUZZLES[:1], SETTINGS)
    assert row is not None
    assert row.key == rate(PUZZLES[0], SETTINGS).key
    assert json.loads(row.line)["error"] == ("a worker died of it 4 times, as for want of memory")
    # Sheets that shared a batch with it are rated alone, and forgotten ones again.
    assert given_up(killed, PUZZLES[:2], SETTINGS) is None
    assert given_up(future("lost"), PUZZLES[:1], SETTINGS) is None
    with pytest.raises(InputError, match="workers cannot rate: no module"):
        given_up(future("error", ImportError("no module")), PUZZLES[:2], SETTINGS)


def test_without_dask_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"pip install 'tilesolve\[cluster\]'"):
        bench(PUZZLES[:1], tmp_path / "x.csv", SETTINGS, place=Place(workers=2))


def test_a_scheduler_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesolve.bench.cluster.PATIENCE", 0.5)
    place = Place(scheduler="tcp://127.0.0.1:9")
    with pytest.raises(InputError, match="no scheduler answers"):
        bench(PUZZLES[:1], tmp_path / "x.csv", SETTINGS, place=place)
