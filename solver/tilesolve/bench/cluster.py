"""Rating on many cores or machines through Dask: puzzles travel, and come back as rows.

Dask keeps track of workers that come, die and return, and gives what a dead one had to others.
Here puzzles are only put into batches, so that small sheets do not cost more on the way than on
the table, and no more batches are handed over than keep all workers busy. A batch that turns out
slow comes back with what is done, so that nobody waits for a slow sheet but itself.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tilesolve.bench.puzzle import Puzzle
from tilesolve.bench.rating import Rated, Settings, failure, rate
from tilesolve.errors import InputError

Client: TypeAlias = Any  # Dask is imported only when a cluster is asked for

BATCH_SECONDS = 1.0
"""Processor seconds that a batch is to take: handing it over costs about a hundredth of that."""

LONGEST_BATCH = 2 * BATCH_SECONDS
"""Processor seconds after which a batch comes back with what is done of it."""

LARGEST_BATCH = 128

PATIENCE = 10.0
"""Seconds that a scheduler may take to answer."""

_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.admin.tick.interval": "1s",
}
"""A local cluster watches itself less often.

By default Dask looks at itself fifty times a second and at the memory ten times, in each process.
With two workers that takes a twentieth of a second in every second, more than handing over does.
"""

_AHEAD = 3
"""Batches for each thread: one at work and two waiting."""

_PARTS = 8
"""A batch near the end is no less than this part of a whole one."""


def rate_batch(
    batch: Sequence[Puzzle], settings: Settings, longest: float = LONGEST_BATCH
) -> list[Rated]:
    """Rate puzzles on a worker, the first at least, and the next ones while there is time.

    Parameters
    ----------
    longest : float
        Processor seconds after which no other puzzle is begun.

    Returns
    -------
    list of Rated
        Of the first puzzles, in order; what is missing is to be handed over anew.

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
    until = time.thread_time() + longest
    results: list[Rated] = []
    for puzzle in batch:
        results.append(rate(puzzle, settings))
        if time.thread_time() > until:
            break
    return results


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
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # two runs at a time
            silence_logs=50,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def rated_by(
    client: Client, puzzles: Sequence[Puzzle], settings: Settings
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
    waiting = deque(puzzles)
    alone: list[Puzzle] = []
    running: dict[Any, list[Puzzle]] = {}
    arriving = as_completed([], loop=client.loop, raise_errors=False)
    while True:
        while len(running) < load.window:
            if alone:
                batch = [alone.pop()]
            elif waiting:
                batch = [waiting.popleft() for _ in range(load.next_of(len(waiting)))]
            else:
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
            waiting.extendleft(reversed(batch[len(results) :]))
            yield results
        else:
            failed = given_up(future, batch, settings)
            if failed is not None:
                yield [failed]
            elif len(batch) > 1 and future.status == "error":
                alone += batch
            else:
                waiting.extendleft(reversed(batch))


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

    def next_of(self, waiting: int) -> int:
        """Return how many of the waiting puzzles to hand over next.

        Towards the end there are fewer in a batch, so that all workers end together.
        """
        share = -(-waiting // self.window)
        return min(self.size, waiting, max(share, self.size // _PARTS))

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
