"""The person at the terminal: Ctrl-C, progress on standard error, and what the console can show."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tilesolve.budget import Progress, Watch


@dataclass
class _Running:
    """What the ticker and the signal handler share about one running question."""

    title: str
    quiet: bool
    started: float = field(default_factory=time.monotonic)
    news: Progress | None = None
    interrupted: bool = False
    done: threading.Event = field(default_factory=threading.Event)


@contextmanager
def watching(title: str, *, quiet: bool) -> Iterator[Watch]:
    """Watch a question: the first Ctrl-C asks for the answer known so far, the second ends.

    After a second a line of progress is shown on standard error, live on a terminal.
    """
    running = _Running(title, quiet)

    def interrupt(number: int, frame: object) -> None:
        del number, frame
        if running.interrupted:
            raise KeyboardInterrupt
        running.interrupted = True

    def hear(progress: Progress) -> None:
        running.news = progress

    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, interrupt) if main else None
    ticker = threading.Thread(target=_tick, args=(running,), daemon=True)
    ticker.start()
    try:
        yield Watch(interrupted=lambda: running.interrupted, report=hear)
    finally:
        running.done.set()
        ticker.join()
        if main:
            signal.signal(signal.SIGINT, before)


def _tick(running: _Running) -> None:
    if running.quiet or running.done.wait(1.0):
        return
    if not sys.stderr.isatty():
        while True:
            print(_line(running), file=sys.stderr, flush=True)
            if running.done.wait(10.0):
                return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(_line(running)) as status:
        while not running.done.wait(0.2):
            status.update(_line(running))


def _line(running: _Running) -> str:
    parts = [f"{running.title}: {time.monotonic() - running.started:.0f} s"]
    news = running.news
    if news is not None:
        parts.append(news.stage)
        if news.done is not None:
            total = "" if news.total is None else f" of {news.total:g}"
            parts.append(f"{news.done:g}{total}")
        if news.score is not None:
            parts.append(f"score {news.score}")
        if news.bound is not None:
            parts.append(f"bound {news.bound}")
    return ", ".join(parts) + " (Ctrl-C: answer with what is known)"


def speaks_unicode() -> bool:
    """Return whether standard output can show box-drawing characters."""
    try:
        "─│┼╱".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def wants_colour() -> bool:
    """Return whether standard output is a terminal and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
