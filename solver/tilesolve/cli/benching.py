"""The commands that rate and make many sheets: bench, bench report, generate."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer
from typer.core import TyperGroup

from tilesolve.cli.asking import NO, UNKNOWN, YES, Settings

if TYPE_CHECKING:
    from tilesolve.answers import Json
    from tilesolve.bench.run import News, Outcome, Told
    from tilesolve.generate import Made
    from tilesolve.geometry.shape import Forms


class _RunsByDefault(TyperGroup):
    """A group whose command ``run`` need not be written: ``bench a.json`` runs."""

    def parse_args(self, context: Any, args: list[str]) -> list[str]:
        """Put ``run`` before arguments that name no command."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = ["run", *args]
        return super().parse_args(context, args)


bench = typer.Typer(
    name="bench",
    cls=_RunsByDefault,
    help="Rate many sheets (bench SHEETS... --out FILE), or look at the results (bench report).",
    no_args_is_help=True,
)

Quiet = Annotated[bool, typer.Option("--quiet", help="no progress and no notes on stderr")]
Seed = Annotated[int, typer.Option("--seed", help="seed of what is random", min=0)]
NamedForms = Annotated[
    Optional[str],  # noqa: UP045  # typer reads this at run time, also under Python 3.11
    typer.Option("--forms", help="named sets are: free, one-sided or fixed"),
]
Cover = Annotated[
    Optional[bool],  # noqa: UP045  # as above
    typer.Option("--cover/--packing", help="leave no cell open / only place the pieces"),
]
Weights = Annotated[
    Optional[str],  # noqa: UP045  # as above
    typer.Option("--weights", metavar="FILE", help="other weights of the grade, a file or JSON"),
]


@bench.command("run")
def run_bench(
    sheets: Annotated[
        Optional[list[str]],  # noqa: UP045  # as above
        typer.Argument(
            metavar="[SHEETS...]",
            help="files, patterns in quotes, .jsonl with a puzzle a line, names as 6x10, '-'",
        ),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045  # as above
        typer.Option("--out", help="table to write: .parquet, .csv or .jsonl"),
    ] = None,
    families: Annotated[
        Optional[list[str]],  # noqa: UP045  # as above
        typer.Option(
            "--sheets",
            metavar="FAMILY",
            help="calendar; random:5x6,holes=4..8,pieces=3..5,count=100,seed=1; "
            "new:lets-klack,count=100",
        ),
    ] = None,
    pieces: Annotated[
        Optional[str],  # noqa: UP045  # as above
        typer.Option("--pieces", help="pieces for sheets that have none"),
    ] = None,
    workers: Annotated[
        Optional[int],  # noqa: UP045  # as above
        typer.Option("--workers", help="processes; 1 is a plain loop (default: all cores)", min=1),
    ] = None,
    scheduler: Annotated[
        Optional[str],  # noqa: UP045  # as above
        typer.Option("--scheduler", metavar="ADDRESS", help="a Dask scheduler, tcp://host:8786"),
    ] = None,
    work: Annotated[
        Optional[int],  # noqa: UP045  # as above
        typer.Option("--work", help="units of work for each sheet (default 20,000,000)", min=0),
    ] = None,
    seconds: Annotated[
        Optional[float],  # noqa: UP045  # as above
        typer.Option("--time", help="seconds for each sheet; results then depend on it", min=0),
    ] = None,
    memory: Annotated[
        int, typer.Option("--memory", help="megabytes that one sheet may take", min=1)
    ] = 1024,
    seed: Seed = 0,
    forms: NamedForms = None,
    cover: Cover = None,
    weights: Weights = None,
    settings: Annotated[
        Optional[list[str]],  # noqa: UP045  # as above
        typer.Option("--set", metavar="NAME=VALUE", help="a game's own setting of difficulty"),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="rate again the sheets whose rows tell an error")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Rate many sheets; after a kill the same command goes on where it was."""
    from tilesolve.bench.rating import WORK
    from tilesolve.bench.rating import Settings as Rating
    from tilesolve.bench.run import Place, bench
    from tilesolve.bench.sheets import Source, puzzles
    from tilesolve.errors import InputError

    if out is None:
        raise InputError("where to? Name a table with --out results.parquet (or .csv, .jsonl)")
    rating = Rating(
        work=WORK if work is None else work,
        memory=memory * 2**20,
        seconds=seconds,
        seed=seed,
        parameters=_parameters(settings or [], cover, weights),
    )
    asked = list(puzzles(sheets or [], families or [], Source(pieces, _forms(forms))))
    place = Place(_workers(workers, scheduler, quiet), scheduler)
    try:
        with _progress(quiet) as told:
            outcome = bench(asked, out, rating, place=place, retry=retry, told=told)
    except KeyboardInterrupt:
        _say("interrupted; the same command goes on from here", quiet)
        raise typer.Exit(UNKNOWN) from None
    _say(_summary(outcome, out), quiet)
    raise typer.Exit(YES if outcome.failed < outcome.sheets else NO)


@bench.command("report")
def report_bench(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="a table that bench wrote")],
    out: Annotated[Path, typer.Option("--out", help="page to write")] = Path("report.html"),
    quiet: Quiet = False,
) -> None:
    """Make a page of results: sortable table, plots, correlations, CSV; it needs no network."""
    from tilesolve.bench.report import correlations_text, page
    from tilesolve.bench.table import read
    from tilesolve.files import write_whole

    rows = read(results)
    write_whole(out, page(rows, title=results.name))
    print(correlations_text(rows))
    _say(f"wrote {out}", quiet)


def generate(
    frame: Annotated[
        str,
        typer.Argument(
            metavar="SHEET-SPEC",
            help="the frame, as 6x8, with holes and number of pieces: 6x8,holes=4..8,pieces=3..5",
        ),
    ],
    pieces: Annotated[
        str, typer.Argument(metavar="PIECES", help="pieces to choose from: a file or names")
    ],
    grade: Annotated[
        Optional[str],  # noqa: UP045  # as above
        typer.Option("--grade", metavar="A..B", help="only sheets of these grades, 1 to 10"),
    ] = None,
    unique: Annotated[
        bool, typer.Option("--unique", help="only sheets with exactly one solution")
    ] = False,
    count: Annotated[int, typer.Option("--count", help="how many sheets", min=1)] = 1,
    seed: Seed = 0,
    out: Annotated[
        Optional[Path],  # noqa: UP045  # as above
        typer.Option("--out", metavar="FOLDER", help="folder for puzzles, solutions and proofs"),
    ] = None,
    tries: Annotated[
        Optional[int],  # noqa: UP045  # as above
        typer.Option("--tries", help="random sheets to look at (default 2000 for each)", min=1),
    ] = None,
    forms: NamedForms = None,
    weights: Weights = None,
    quiet: Quiet = False,
) -> None:
    """Make sheets that are proven to be solvable, unique or of a grade."""
    from dataclasses import replace
    from itertools import islice

    from tilesolve import generate as making
    from tilesolve.bench.puzzle import plain
    from tilesolve.bench.random_sheets import read_family
    from tilesolve.bench.rating import Settings as Rating
    from tilesolve.cli.terminal import watching
    from tilesolve.files import pieces_node

    grades = making.Grades() if grade is None else making.Grades.read(grade)
    listed = plain(pieces_node(pieces))
    family, _ = read_family(frame, listed, forms=_forms(forms) or "free", source="SHEET-SPEC")
    found = 0
    with watching("generate", quiet=quiet) as watch:
        sheets = making.generated(
            replace(family, seed=seed),
            grades=grades,
            unique=unique,
            settings=Rating(seed=seed, parameters=_parameters([], None, weights)),
            tries=tries or making.TRIES * count,
            watch=watch,
        )
        for made in islice(sheets, count):
            _hand_over(made, f"sheet-{seed}-{made.number}", out, quiet)
            found += 1
    if found < count:
        _say(f"found {found} of {count}; ask for more --tries or a wider range", quiet)
    raise typer.Exit(YES if found == count else UNKNOWN)


def _hand_over(made: Made, name: str, out: Path | None, quiet: bool) -> None:
    """Print a sheet with its proof on one line, or write them to files of a folder."""
    import json

    from tilesolve.files import write_whole
    from tilesolve.wire import dump

    rated = dump(made.difficulty)
    del rated["seconds"]  # the same seed makes the same files
    if out is None:
        told = {"name": name, "grade": rated["grade"], "unique": made.proof is not None}
        proofs = {"witness": made.witness, **({"proof": made.proof} if made.proof else {})}
        line = {**told, "puzzle": made.puzzle, **proofs, "measures": rated["measures"]}
        print(json.dumps(line, ensure_ascii=False), flush=True)
        return
    out.mkdir(parents=True, exist_ok=True)
    written = {"": made.puzzle, ".solution": made.solution, ".difficulty": rated}
    if made.proof is not None:
        written[".proof"] = made.proof
    for kind, value in written.items():
        write_whole(out / f"{name}{kind}.json", json.dumps(value, ensure_ascii=False) + "\n")
    _say(f"wrote {out / name}.json, grade {made.difficulty.grade}", quiet)


def _workers(workers: int | None, scheduler: str | None, quiet: bool) -> int:
    """Return how many processes to rate in: all cores where Dask is there to use them."""
    if workers is not None:
        return workers
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if not cores or cores == 1 or scheduler is not None:
        return 1
    if importlib.util.find_spec("distributed") is None:
        _say("one core only; pip install 'tilesolve[cluster]' uses all", quiet)
        return 1
    return cores


def _parameters(settings: list[str], cover: bool | None, weights: str | None) -> dict[str, Json]:
    from tilesolve.bench.puzzle import plain
    from tilesolve.files import value_node

    given = dict(Settings.read(settings, cover=cover).given)
    parameters = {name: _value(text) for name, text in given.items()}
    if weights is not None:
        parameters["weights"] = plain(value_node("weights", weights))
    return parameters


def _value(text: str) -> Json:
    """Return a setting's value: JSON where it is JSON, else text."""
    from tilesolve.errors import InputError
    from tilesolve.wire import parse

    try:
        return parse(text).value
    except InputError:
        return text


def _forms(forms: str | None) -> Forms | None:
    from tilesolve.wire import Node

    known: dict[str, Forms] = {"free": "free", "one-sided": "one-sided", "fixed": "fixed"}
    return None if forms is None else known[Node(forms, "--forms").string(*known)]


def _summary(outcome: Outcome, out: Path) -> str:
    parts = [f"{outcome.sheets} sheets, {outcome.rated} rated now"]
    if outcome.repeated:
        parts.append(f"{outcome.repeated} more were the same as others")
    if outcome.failed:
        parts.append(f"{outcome.failed} failed, see the column 'error'")
    return f"{', '.join(parts)}; wrote {out}"


def _say(text: str, quiet: bool) -> None:
    if not quiet:
        print(f"tilesolve: {text}", file=sys.stderr, flush=True)


@contextmanager
def _progress(quiet: bool) -> Iterator[Told]:
    """Show on standard error how far a run is and how long it will take."""
    if quiet:
        yield lambda news: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines().told
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    ) as progress:
        task = progress.add_task("rating", total=None)

        def told(news: News) -> None:
            failed = f", {news.failed} failed" if news.failed else ""
            if progress.tasks[0].total is None:  # what was done before says nothing of the speed
                progress.reset(task, total=news.total, completed=news.before)
            progress.update(task, completed=news.done, description=f"rating{failed}")

        yield told


class _Lines:
    """Progress where no terminal is: a line every ten seconds."""

    def __init__(self) -> None:
        import time

        self.clock = time.monotonic
        self.said = self.clock()
        self.first: tuple[float, int] | None = None

    def told(self, news: News) -> None:
        """Say how far it is, if there was nothing said for a while.

        The speed is that since the first result: a cluster takes its time to start.
        """
        now = self.clock()
        if self.first is None and news.done > news.before:
            self.first = now, news.done
        if now - self.said < 10:
            return
        self.said = now
        started, before = self.first or (now, news.done)
        done = news.done - before
        left = (news.total - news.done) * (now - started) / done if done else None
        told = "" if left is None else f", {_duration(left)} left"
        _say(f"{news.done} of {news.total} sheets{told}", False)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
