"""The journal of a run: every result on a line of its own as it arrives, never twice.

A run that is killed at any moment leaves whole lines and at most one torn one at the end, which
is cut off when the journal is opened again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from tilesolve.answers import Json
from tilesolve.bench.rating import Rated
from tilesolve.errors import InputError

SUFFIX = ".journal"


def beside(out: Path) -> Path:
    """Return the journal's place beside a run's output.

    Examples
    --------
    >>> str(beside(Path("results.csv")))
    'results.csv.journal'
    """
    return out.with_name(out.name + SUFFIX)


@dataclass
class Journal:
    """An open journal: where each key's line begins, and whether it tells an error."""

    file: BinaryIO
    places: dict[str, int] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)

    def __contains__(self, key: str) -> bool:
        return key in self.places

    def add(self, results: Iterable[Rated]) -> list[Rated]:
        """Write results down, in one go; those that stand there already are left out."""
        new: list[Rated] = []
        lines = bytearray()
        end = self.file.seek(0, os.SEEK_END)
        for rated in results:
            if rated.key in self.places:
                continue
            self.places[rated.key] = end + len(lines)
            if rated.failed:
                self.failed.add(rated.key)
            lines += rated.line.encode() + b"\n"
            new.append(rated)
        self.file.write(lines)
        self.file.flush()
        return new

    def forget_failed(self) -> None:
        """Forget the results that tell an error, so that they can be had anew."""
        for key in self.failed:
            del self.places[key]
        self.failed.clear()

    def row(self, key: str) -> Json:
        """Return the row of a key that stands there."""
        self.file.seek(self.places[key])
        return json.loads(self.file.readline())


@contextmanager
def opened(path: Path) -> Iterator[Journal]:
    """Open a journal, a new one or one that a run left behind.

    Raises
    ------
    InputError
        If it cannot be opened, another run writes to it, or a line in it is no row.
    """
    try:
        file = path.open("a+b")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source=str(path)) from None
    with file:
        _lock(file, path)
        _cut_torn_line(file)
        journal = Journal(file)
        for place, row in _rows(file, path):
            journal.places[row["key"]] = place
            journal.failed.discard(row["key"])
            if "error" in row:
                journal.failed.add(row["key"])
        yield journal
        file.flush()
        os.fsync(file.fileno())


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: two runs into one file are the user's to avoid
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InputError("another run is writing to it", source=str(path)) from None


def _cut_torn_line(file: BinaryIO) -> None:
    """Cut off what stands behind the last end of a line."""
    end = file.seek(0, os.SEEK_END)
    block, place = b"", end
    while place and b"\n" not in block:
        step = min(place, 1 << 16)
        place -= step
        file.seek(place)
        block = file.read(step)
    whole = place + block.rfind(b"\n") + 1
    if whole < end:
        file.truncate(whole)


def _rows(file: BinaryIO, path: Path) -> Iterator[tuple[int, Json]]:
    file.seek(0)
    place = 0
    for number, line in enumerate(file, start=1):
        try:
            row = json.loads(line)
            row["key"]
        except (ValueError, KeyError, TypeError):
            message = "no row of results; is this the journal of a run?"
            raise InputError(message, place=f"line {number}", source=str(path)) from None
        yield place, row
        place += len(line)
