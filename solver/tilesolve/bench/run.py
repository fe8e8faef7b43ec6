"""One run: what stands in the journal is not rated again, the rest is, and all becomes a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tilesolve.bench import table
from tilesolve.bench.journal import beside, opened
from tilesolve.bench.puzzle import Puzzle
from tilesolve.bench.rating import Rated, Settings, rate
from tilesolve.errors import InputError


@dataclass(frozen=True)
class Place:
    """Where sheets are rated.

    Parameters
    ----------
    workers : int
        Processes on this machine; 1 rates in this one.
    scheduler : str or None
        Address of a Dask scheduler, instead.
    """

    workers: int = 1
    scheduler: str | None = None


@dataclass(frozen=True)
class Outcome:
    """How a run went.

    Parameters
    ----------
    sheets : int
        Different ones asked for.
    repeated : int
        Sheets that were the same as one before.
    rated : int
        Rated now; the others stood in the journal.
    failed : int
        Rows of the table that tell an error.
    """

    sheets: int
    repeated: int
    rated: int
    failed: int


@dataclass(frozen=True)
class News:
    """How far a run is: sheets done of all, and those of them that were done before."""

    done: int
    total: int
    before: int
    failed: int


Told: TypeAlias = Callable[[News], None]


def bench(
    puzzles: Sequence[Puzzle],
    out: Path,
    settings: Settings,
    *,
    place: Place = Place(),
    retry: bool = False,
    told: Told = lambda news: None,
) -> Outcome:
    """Rate puzzles and write the table; each result is written down as it arrives.

    The journal stands beside the table and stays there: after a kill, or with more sheets, the
    same command rates what is missing.

    Parameters
    ----------
    out : Path
        ``.parquet``, ``.csv`` or ``.jsonl``.
    retry : bool
        Rate sheets again whose rows tell an error.
    told : callable
        Hears how far it is after every batch.

    Raises
    ------
    InputError
        For files that cannot be written, without puzzles, or without what `place` needs.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> out = Path(folder.name) / "small.jsonl"
    >>> sheets = [Puzzle.of(name, {"sheet": name, "pieces": "I2*"}) for name in ("2x2", "2x3")]
    >>> bench(sheets, out, Settings())
    Outcome(sheets=2, repeated=0, rated=2, failed=0)
    >>> bench(sheets, out, Settings()).rated
    0
    >>> folder.cleanup()
    """
    table.format_of(out)
    if not puzzles:
        raise InputError("no sheets to rate; name some, or a family with --sheets")
    asked = {puzzle.key(settings.text): puzzle for puzzle in reversed(puzzles)}
    order = list(dict.fromkeys(puzzle.key(settings.text) for puzzle in puzzles))
    with opened(beside(out)) as journal:
        if retry:
            journal.forget_failed()
        left = [asked[key] for key in order if key not in journal]
        before = done = len(order) - len(left)
        failed = sum(key in journal.failed for key in order)
        told(News(done, len(order), before, failed))
        with results_of(left, settings, place) as arriving:
            for batch in arriving:
                new = journal.add(batch)
                done += len(new)
                failed += sum(rated.failed for rated in new)
                told(News(done, len(order), before, failed))
        table.write(out, lambda: (journal.row(key) for key in order))
    return Outcome(len(order), len(puzzles) - len(order), len(left), failed)


@contextmanager
def results_of(
    puzzles: Sequence[Puzzle], settings: Settings, place: Place
) -> Iterator[Iterator[list[Rated]]]:
    """Give the results in order of arrival, some at a time."""
    if place.workers == 1 and place.scheduler is None:
        yield ([rate(puzzle, settings)] for puzzle in puzzles)
        return
    from tilesolve.bench.cluster import connected, rated_by

    with connected(place.scheduler, place.workers) as client:
        yield rated_by(client, puzzles, settings)
