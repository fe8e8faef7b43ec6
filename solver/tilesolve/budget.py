"""How long a question may take, and who may stop it.

`Budget` is a value: what was granted. `Watch` is the asker's ear and hand: it hears progress
and may interrupt. A `Meter` is one running question: engines spend on it and read from it why
they must stop.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

T = TypeVar("T")
N = TypeVar("N", int, float)

StoppedBy = Literal["time", "work", "interrupted", "memory"]


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What one question may cost.

    Parameters
    ----------
    seconds : float or None
        Wall-clock seconds; None is no limit.
    work : int or None
        Deterministic work units (search nodes, diagram states, simulated games); None is no
        limit. One worker and a work limit alone give the same answer twice.
    workers : int
        Threads an engine may use, at least 1.
    seed : int
        Seed of everything random, at least 0.
    memory : int or None
        Bytes an engine may hold; None is a quarter of the machine's.

    Examples
    --------
    >>> Budget(seconds=None, work=1000).workers
    1
    """

    seconds: float | None = 60.0
    work: int | None = None
    workers: int = 1
    seed: int = 0
    memory: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds >= 0:
            raise ValueError("seconds must be at least 0")
        if self.work is not None and self.work < 0:
            raise ValueError("work must be at least 0")
        if self.workers < 1:
            raise ValueError("workers must be at least 1")
        if self.seed < 0:
            raise ValueError("seed must be at least 0")


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One line of news from a running engine; absent figures are None."""

    stage: str
    done: float | None = None
    total: float | None = None
    score: int | None = None
    bound: int | None = None


def _never() -> bool:
    return False


def _ignore(progress: Progress) -> None:
    del progress


@dataclass(frozen=True, kw_only=True)
class Watch:
    """The asker's side of a running question.

    Parameters
    ----------
    interrupted : callable
        True once the asker wants the answer now, with what is known.
    report : callable
        Hears `Progress`; called at most a few times a second, from the asking thread.
    """

    interrupted: Callable[[], bool] = _never
    report: Callable[[Progress], None] = _ignore


SILENT = Watch()


class Stopped(Exception):
    """The meter stopped a preparation, which has nothing to answer with yet."""


@dataclass(kw_only=True)
class Meter:
    """One running question: what is spent, and why it must stop.

    The first limit that is hit is kept: a stopped meter stays stopped. `spend` is cheap enough
    for every few hundred nodes of a search, not for every one.

    Examples
    --------
    >>> meter = Meter(budget=Budget(work=10))
    >>> meter.spend(10), meter.spend(1), meter.stopped_by
    (True, False, 'work')
    """

    budget: Budget
    watch: Watch = SILENT
    clock: Callable[[], float] = time.monotonic
    worked: int = 0
    stopped_by: StoppedBy | None = None
    started: float = field(init=False)
    _reported: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def seconds(self) -> float:
        """Seconds since the question was asked."""
        return self.clock() - self.started

    @property
    def remaining_seconds(self) -> float | None:
        """Seconds left, at least 0; None is no limit."""
        limit = self.budget.seconds
        return None if limit is None else max(0.0, limit - self.seconds)

    def share(self, part: float) -> float | None:
        """Return a part of the seconds left, for one stage; None is no limit.

        Examples
        --------
        >>> Meter(budget=Budget(seconds=None)).share(0.5) is None
        True
        """
        remaining = self.remaining_seconds
        return None if remaining is None else remaining * part

    @property
    def remaining_work(self) -> int | None:
        """Work units left, at least 0; None is no limit."""
        limit = self.budget.work
        return None if limit is None else max(0, limit - self.worked)

    def spend(self, work: int = 0) -> bool:
        """Count work done; return whether the engine may go on."""
        self.worked += work
        if self.stopped_by is None:
            self.stopped_by = self._limit_hit()
        return self.stopped_by is None

    def stop(self, reason: StoppedBy) -> None:
        """Stop the question for a reason that the engine found itself."""
        if self.stopped_by is None:
            self.stopped_by = reason

    def part(self, *, seconds: float | None = None, work: int | None = None) -> Meter:
        """Return a meter for one stage, granted at most this much of what is left.

        The stage's meter starts afresh; add its `worked` to this one with `spend` afterwards.
        """
        budget = Budget(
            seconds=least(seconds, self.remaining_seconds),
            work=least(work, self.remaining_work),
            workers=self.budget.workers,
            seed=self.budget.seed,
            memory=self.budget.memory,
        )
        return Meter(budget=budget, watch=self.watch, clock=self.clock)

    def report(self, progress: Progress) -> None:
        """Pass news on, at most ten times a second."""
        now = self.clock()
        if now - self._reported >= 0.1:
            self._reported = now
            self.watch.report(progress)

    def _limit_hit(self) -> StoppedBy | None:
        if self.watch.interrupted():
            return "interrupted"
        if self.budget.work is not None and self.worked > self.budget.work:
            return "work"
        if self.budget.seconds is not None and self.seconds > self.budget.seconds:
            return "time"
        return None


def each(meter: Meter | None, items: Iterable[T], *, stride: int = 1024) -> Iterator[T]:
    """Pass items on and look at a meter's limits once a stride; no work is counted.

    For preparations that may be long and answer nothing by themselves; None is no limit.

    Raises
    ------
    Stopped
        When a limit is hit.

    Examples
    --------
    >>> list(each(Meter(budget=Budget()), "ab"))
    ['a', 'b']
    """
    for number, item in enumerate(items):
        if meter is not None and number % stride == 0 and not meter.spend():
            raise Stopped
        yield item


def least(*limits: N | None) -> N | None:
    """Return the tightest of some limits; None is no limit.

    Examples
    --------
    >>> least(None, 3, 2), least(None, None)
    (2, None)
    """
    return min((limit for limit in limits if limit is not None), default=None)


def memory_allowed(meter: Meter) -> int:
    """Return the bytes a search may hold: what was granted, or a quarter of the machine's."""
    if meter.budget.memory is not None:
        return meter.budget.memory
    return _machine_memory() // 4


@cache  # asked at every step of some searches, and it stays the same
def _machine_memory() -> int:
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # not every system tells
        memory = 4 * 2**30
    try:
        granted = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")
    except OSError:
        return memory
    return min(memory, int(granted)) if granted.strip().isdigit() else memory
