"""Worker processes that answer questions and can be killed.

Each worker is a program of its own (`tilesolve.serve.worker`) that reads questions and
cancellations as lines and writes news and one answer a question. A thread of the server speaks
with each of them; a worker that dies costs its own question one clear refusal, no more.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field

from tilesolve.answers import Json
from tilesolve.budget import StoppedBy
from tilesolve.serve.remains import remains
from tilesolve.serve.request import Limits, News, Outcome, Refusal, Refused, Request

ANSWERER = "tilesolve.serve.desk:answer"
_TICK = 0.1


def _deaf(news: News) -> None:
    del news


@dataclass(eq=False)
class Job:
    """A question on its way.

    `heard` is called with news and `done` once with the outcome, both from a thread of the pool.
    """

    request: Request
    done: Callable[[Outcome], None]
    heard: Callable[[News], None] = _deaf
    seconds: float | None = None
    cancelled: bool = False
    running: bool = False
    deadline: float | None = None
    _worker: _Worker | None = None
    _told: bool = False


class Pool:
    """Worker processes behind one queue.

    Parameters
    ----------
    limits : Limits
        Number of workers, length of the queue, grace before killing.
    answerer : str
        ``module:function`` that answers in the worker; for tests.
    """

    def __init__(self, limits: Limits, *, answerer: str = ANSWERER) -> None:
        self._limits = limits
        self._answerer = answerer
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._workers = [_Worker(self, number) for number in range(limits.workers)]
        self._clock = threading.Thread(target=self._watch_time, name="clock", daemon=True)
        for worker in self._workers:
            worker.thread.start()
        self._clock.start()

    @property
    def load(self) -> dict[str, int]:
        """How many questions run and wait."""
        with self._changed:
            running = sum(worker.job is not None for worker in self._workers)
            return {"running": running, "waiting": len(self._waiting)}

    @property
    def processes(self) -> tuple[int, ...]:
        """Ids of the worker processes that live."""
        return tuple(
            worker.process.pid
            for worker in self._workers
            if worker.process is not None and worker.process.poll() is None
        )

    def warm(self) -> None:
        """Start all workers now; otherwise each starts with its first question."""
        for worker in self._workers:
            worker.start()

    def submit(self, job: Job) -> None:
        """Queue a job.

        Raises
        ------
        Refused
            With code ``busy`` when the queue is full.
        """
        with self._changed:
            if self._closed:
                raise Refused(Refusal(code="busy", message="the server is going down"))
            free = sum(worker.job is None for worker in self._workers)
            if len(self._waiting) >= self._limits.queue + free:
                message = f"{self._limits.queue} questions are waiting already, try again later"
                raise Refused(Refusal(code="busy", message=message))
            self._waiting.append(job)
            self._changed.notify()

    def cancel(self, job: Job) -> None:
        """Ask for the answer now, with what is known; a worker that does not obey is killed."""
        with self._changed:
            job.cancelled = True
            worker = job._worker
            if worker is not None:
                worker.interrupt(job)

    def forget(self, job: Job) -> None:
        """Drop a job whose client has gone: out of the queue, or cancelled where it runs."""
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)
        self.cancel(job)

    def close(self) -> None:
        """End all workers; jobs that run are refused."""
        with self._changed:
            self._closed = True
            waiting = list(self._waiting)
            self._waiting.clear()
            self._changed.notify_all()
        refusal = Refusal(code="worker-died", message="the server is going down")
        for job in waiting:
            job.done(Outcome(refusal=refusal))
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.thread.join(timeout=5)

    def _next(self, worker: _Worker) -> Job | None:
        """Return the next job for a worker, or None when the pool is closed."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            worker.job = self._waiting.popleft()
            return worker.job

    def _watch_time(self) -> None:
        while not self._closed:
            time.sleep(_TICK)
            now = time.monotonic()
            with self._changed:
                late = [
                    worker
                    for worker in self._workers
                    if worker.job is not None
                    and worker.job.deadline is not None
                    and now > worker.job.deadline
                ]
            for worker in late:
                worker.overrun = True
                worker.kill()


@dataclass(eq=False)
class _Worker:
    """One worker process and the thread that speaks with it."""

    pool: Pool
    number: int
    process: subprocess.Popen[bytes] | None = None
    job: Job | None = None
    overrun: bool = False
    thread: threading.Thread = field(init=False)
    _starting: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        name = f"worker {self.number}"
        self.thread = threading.Thread(target=self._serve, name=name, daemon=True)

    def start(self) -> subprocess.Popen[bytes]:
        """Return the process, started if need be, also where the last one was killed idle."""
        if self.process is not None and self.process.poll() is not None:
            self._bury()
        with self._starting:
            if self.process is None:
                command = [sys.executable, "-m", "tilesolve.serve.worker", self.pool._answerer]
                self.process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            return self.process

    def kill(self) -> None:
        """End the process at once; its thread notices."""
        with self._starting:
            if self.process is not None:
                self.process.kill()

    def interrupt(self, job: Job) -> None:
        """Tell the process that its question is to be answered now; the pool's lock is held."""
        grace = time.monotonic() + self.pool._limits.grace
        job.deadline = min(job.deadline or grace, grace)
        if job.running and not job._told:
            job._told = True
            self._write({"cancel": True})

    def _serve(self) -> None:
        while (job := self.pool._next(self)) is not None:
            outcome = self._ask(job)
            with self.pool._changed:
                self.job = None
                job._worker = None
            job.done(outcome)
        self._bury()

    def _bury(self) -> int:
        """Wait for the end of the process, close its pipes and return its exit code."""
        with self._starting:
            process, self.process = self.process, None
        if process is None:
            return 0
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what was still to be written goes nowhere
                if pipe is not None:
                    pipe.close()
        return process.wait()

    def _ask(self, job: Job) -> Outcome:
        self.overrun = False
        try:
            process = self.start()
        except OSError as error:
            return _refused("failed", f"no worker process could be started: {error.strerror}")
        started = time.monotonic()
        with self.pool._changed:
            job._worker = self
            job._told = job.cancelled
            if job.seconds is not None and job.deadline is None:
                job.deadline = time.monotonic() + job.seconds + self.pool._limits.grace
        # Outside the lock: a long question to a worker that is just starting takes a while.
        self._write({**asdict(job.request), "cancelled": job._told})
        with self.pool._changed:
            job.running = True
            if job.cancelled:
                self.interrupt(job)
        heard: list[News] = []
        outcome = self._listen(process, job, heard)
        if outcome is not None:
            return outcome
        ended = process.wait()
        self._bury()
        if not self.overrun:
            return _refused("worker-died", f"the worker process ended ({ended})")
        stopped_by: StoppedBy = "interrupted" if job.cancelled else "time"
        known = remains(job.request, heard, stopped_by, seconds=time.monotonic() - started)
        if known is None:
            return _refused("overrun", "it took longer than was granted, and was ended")
        return Outcome(answer=json.dumps(known, separators=(",", ":")).encode())

    def _listen(
        self, process: subprocess.Popen[bytes], job: Job, heard: list[News]
    ) -> Outcome | None:
        """Pass news on until the answer comes; None when the process ends before it.

        What may be all that is left is put into `heard`: the parts and the last score.
        """
        assert process.stdout is not None
        score: list[News] = []
        for line in process.stdout:
            kind, _, content = line.rstrip(b"\n").partition(b" ")
            match kind:
                case b"progress":
                    news = News(content=content)
                    if "score" in news.value:
                        score = [news]
                    job.heard(news)
                case b"part":
                    heard.append(News(content=content, kind="part"))
                    job.heard(heard[-1])
                case b"answer":
                    return Outcome(answer=content)
                case b"refusal":
                    return Outcome(refusal=Refusal.read(json.loads(content)))
        heard += score
        return None

    def _write(self, message: Json) -> None:
        """Send a line; a process that has ended is noticed where its answer is awaited."""
        process = self.process
        if process is None or process.stdin is None:
            return
        with suppress(OSError):
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()


def _refused(code: str, message: str) -> Outcome:
    return Outcome(refusal=Refusal.read({"code": code, "message": message}))
