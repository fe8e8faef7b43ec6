"""Questions under way on a server: waited for, or left as jobs and looked at later."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from tilesolve.answers import Json
from tilesolve.serve.pool import Job, Pool
from tilesolve.serve.request import News, Outcome, Refusal, Refused, Request

MOST_NEWS = 1000
"""How much news of a job is kept for those who begin to listen late."""

PATIENCE = 60.0
"""Seconds after which a job that nobody looks at is stopped."""

KEPT = 600.0
"""Seconds for which a finished job is kept."""

MOST_JOBS = 256


@dataclass(eq=False)
class Task:
    """A request on its way through the pool, seen from the event loop."""

    pool: Pool
    request: Request
    news: deque[News] = field(default_factory=lambda: deque(maxlen=MOST_NEWS))
    told: int = 0
    outcome: Outcome | None = None
    listeners: int = 0
    looked_at: float = field(default_factory=time.monotonic)
    job: Job = field(init=False)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.job = Job(
            self.request,
            done=lambda outcome: _safely(loop, self._end, outcome),
            heard=lambda news: _safely(loop, self._hear, news),
            seconds=self.request.budget.get("seconds"),
        )

    def start(self) -> None:
        """Queue it; `Refused` if the queue is full."""
        self.pool.submit(self.job)

    async def wait(self) -> Outcome:
        """Wait for the outcome."""
        while self.outcome is None:
            await self._changed.wait()
        return self.outcome

    async def follow(self) -> AsyncGenerator[News | Outcome, None]:
        """Yield the news kept and to come, and last the outcome."""
        seen = self.told - len(self.news)
        self.listeners += 1
        try:
            while True:
                changed = self._changed
                fresh = min(self.told - seen, len(self.news))
                seen = self.told
                for news in list(self.news)[len(self.news) - fresh :]:
                    yield news
                if self.outcome is not None:
                    yield self.outcome
                    return
                if seen == self.told:
                    await changed.wait()
        finally:
            self.listeners -= 1
            self.looked_at = time.monotonic()

    def _hear(self, news: News) -> None:
        self.news.append(news)
        self.told += 1
        self._wake()

    def _end(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.looked_at = time.monotonic()
        self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        if self.outcome is not None:
            self._changed.set()
        changed.set()


def _safely(loop: asyncio.AbstractEventLoop, call: Json, value: News | Outcome) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call, value)


class Jobs:
    """Tasks that clients come back for, by a name that cannot be guessed."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._tasks: dict[str, Task] = {}

    def add(self, task: Task) -> str:
        """Start a task and return its name.

        Raises
        ------
        Refused
            With code ``busy``.
        """
        if len(self._tasks) >= MOST_JOBS:
            self.sweep(kept=0.0)
        if len(self._tasks) >= MOST_JOBS:
            raise Refused(Refusal(code="busy", message=f"{MOST_JOBS} jobs are under way already"))
        task.start()
        name = secrets.token_hex(8)
        self._tasks[name] = task
        return name

    def get(self, name: str) -> Task | None:
        """Return a task and remember that somebody looked."""
        task = self._tasks.get(name)
        if task is not None:
            task.looked_at = time.monotonic()
        return task

    def remove(self, name: str) -> None:
        """Forget a task."""
        self._tasks.pop(name, None)

    def sweep(self, *, patience: float = PATIENCE, kept: float = KEPT) -> None:
        """Stop what nobody waits for, and forget what nobody fetched."""
        now = time.monotonic()
        for name, task in list(self._tasks.items()):
            waited = 0.0 if task.listeners else now - task.looked_at
            if task.outcome is None and waited > patience:
                self._pool.cancel(task.job)
            elif task.outcome is not None and waited >= kept:
                del self._tasks[name]


def dump(name: str, task: Task) -> dict[str, Json]:
    """Return a job as JSON."""
    fields: dict[str, Json] = {"job": name, "status": _status(task)}
    progress = [news for news in task.news if news.kind == "progress"]
    if progress:
        fields["progress"] = progress[-1].value
    if task.outcome is not None:
        if task.outcome.refusal is not None:
            fields["error"] = task.outcome.refusal.dump()
        else:
            fields["answer"] = task.outcome.value
    return fields


def _status(task: Task) -> str:
    if task.outcome is None:
        return "running" if task.job.running else "waiting"
    return "done" if task.outcome.refusal is None else "refused"
