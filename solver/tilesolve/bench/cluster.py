"""Rating on many cores or machines through Dask: puzzles travel, and come back as rows.

Dask keeps track of workers that come, die and return, and gives what a dead one had to others.
Here puzzles are only put into batches, so that small sheets do not cost more on the way than on
the table, and no more batches are handed over than keep all workers busy.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

from tilesolve.bench.puzzle import Puzzle
from tilesolve.bench.rating import Rated, Settings, failure, rate
from tilesolve.errors import InputError

Client: TypeAlias = Any  # Dask is imported only when a cluster is asked for

BATCH_SECONDS = 1.0
"""Processor seconds that a batch is to take: handing it over costs about a hundredth of that."""

LARGEST_BATCH = 128

PATIENCE = 10.0
"""Seconds that a scheduler may take to answer."""

_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
}
"""What Dask measures of a local cluster and nobody here looks at."""

_AHEAD = 3
"""Batches for each thread: one at work and two waiting."""


def rate_batch(batch: Sequence[Puzzle], settings: Settings) -> list[Rated]:
    """Rate some puzzles on a worker.

    Raises
    ------
    RuntimeError
        If the worker has another version of tilesolve than the run.
    """
    own = Settings().version
    if own != settings.version:
        raise RuntimeError(
            f"a worker has tilesolve {own}, the run {settings.version}; install the same everywhere"
        )
    return [rate(puzzle, settings) for puzzle in batch]


@contextmanager
def connected(address: str | None, workers: int) -> Iterator[Client]:
    """Connect to a scheduler, or start a cluster on this machine and end it afterwards.

    Parameters
    ----------
    address : str or None
        As ``tcp://10.0.0.5:8786``; None starts a local cluster.
    workers : int
        Processes of the local cluster.

    Raises
    ------
    InputError
        Without Dask, or when no scheduler answers.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        message = "a cluster needs Dask: pip install 'tilesolve[cluster]'; --workers 1 does not"
        raise InputError(message, place="--workers") from None
    if address is not None:
        try:
            client = Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise InputError(f"no scheduler answers: {error}", place="--scheduler") from None
        with client:
            yield client
        return
    with (
        dask.config.set(_QUIET),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def rated_by(
    client: Client, puzzles: Iterable[Puzzle], settings: Settings
) -> Iterator[list[Rated]]:
    """Yield results batch by batch, in order of arrival.

    A sheet that a worker dies of several times, as for want of memory, is told as failed; those
    that were in its batch are rated without it.

    Raises
    ------
    InputError
        When workers cannot rate at all, as without tilesolve or with another version of it.
    """
    from distributed import as_completed

    load = _Load(client)
    waiting = iter(puzzles)
    again: list[list[Puzzle]] = []
    running: dict[Any, list[Puzzle]] = {}
    arriving = as_completed([], loop=client.loop, raise_errors=False)
    while True:
        while len(running) < load.window:
            batch = again.pop() if again else list(islice(waiting, load.size))
            if not batch:
                break
            future = client.submit(rate_batch, batch, settings, pure=False)
            running[future] = batch
            arriving.add(future)
        if not running:
            return
        future = next(arriving)
        batch = running.pop(future)
        if future.status == "finished":
            results = future.result()
            load.learn(results)
            yield results
        else:
            failed = given_up(future, batch, settings)
            if failed is not None:
                yield [failed]
            elif len(batch) > 1 and future.status == "error":
                again += [[puzzle] for puzzle in batch]
            else:
                again.append(batch)


@dataclass
class _Load:
    """How much to hand over: batches at a time, and puzzles in one."""

    client: Client
    size: int = 1
    seconds: float = 0.0
    window: int = field(init=False)
    _looked: float = field(init=False)

    def __post_init__(self) -> None:
        self._look()

    def _look(self) -> None:
        threads = sum(self.client.nthreads().values())
        self.window = max(2, _AHEAD * threads)
        self._looked = time.monotonic()

    def learn(self, results: Sequence[Rated]) -> None:
        """Learn from a batch how long a sheet takes; look for new workers now and then."""
        for rated in results:
            self.seconds += (rated.processor - self.seconds) * (0.1 if self.seconds else 1.0)
        self.size = int(min(LARGEST_BATCH, max(1.0, BATCH_SECONDS / max(self.seconds, 1e-6))))
        if time.monotonic() - self._looked > 1.0:
            self._look()


def given_up(future: Any, batch: Sequence[Puzzle], settings: Settings) -> Rated | None:
    """Return the failure of a sheet that kills workers, or None where rating it again may help.

    Raises
    ------
    InputError
        For whatever else went wrong: it would go wrong with every batch.
    """
    from distributed import KilledWorker

    if future.status != "error":  # cancelled or lost: the scheduler has forgotten it
        return None
    error = future.exception()
    if not isinstance(error, KilledWorker):
        raise InputError(f"workers cannot rate: {error}", place="--scheduler")
    if len(batch) > 1:
        return None
    told = f"a worker died of it {error.allowed_failures + 1} times, as for want of memory"
    return failure(batch[0], settings, told)
