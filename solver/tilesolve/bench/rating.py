"""One puzzle rated: a pure function that can run anywhere, and the row it gives."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any

from tilesolve import service
from tilesolve.answers import Difficulty, Json, Verdict
from tilesolve.bench.puzzle import Puzzle
from tilesolve.budget import Budget
from tilesolve.errors import TilesolveError
from tilesolve.wire import Node, dump

WORK = 20_000_000
"""Work granted to one sheet: the same on every machine, a few seconds at most."""

MEMORY = 2**30
"""Bytes that an engine may hold, the same on every machine too."""


@dataclass(frozen=True)
class Settings:
    """How every sheet of a run is rated.

    Parameters
    ----------
    work, memory : int
        The budget of one sheet.
    seconds : float or None
        A limit of time; with one the results depend on the machine.
    seed : int
        Seed of what is random.
    parameters : mapping
        The operation's own settings, as JSON.
    version : str
        Version of tilesolve that rates them; another one rates anew.
    """

    work: int = WORK
    memory: int = MEMORY
    seconds: float | None = None
    seed: int = 0
    parameters: Mapping[str, Json] = field(default_factory=dict)
    version: str = field(default_factory=lambda: version("tilesolve"))

    @cached_property
    def text(self) -> str:
        """All of it as text, for keys."""
        told = {
            "work": self.work,
            "memory": self.memory,
            "seconds": self.seconds,
            "seed": self.seed,
            "parameters": dict(self.parameters),
            "version": self.version,
        }
        return json.dumps(told, sort_keys=True)

    @property
    def budget(self) -> Budget:
        """The budget of one sheet."""
        return Budget(seconds=self.seconds, work=self.work, seed=self.seed, memory=self.memory)


@dataclass(frozen=True)
class Rated:
    """A row as it is written down, with what a run needs to know of it.

    Parameters
    ----------
    key : str
        Of puzzle, options and version.
    line : str
        The row as one line of JSON, without its end.
    processor : float
        Processor seconds that it took.
    failed : bool
        Whether the row tells an error.
    """

    key: str
    line: str
    processor: float
    failed: bool


def rate(puzzle: Puzzle, settings: Settings) -> Rated:
    """Rate one puzzle; whatever goes wrong with it is told in its row.

    Examples
    --------
    >>> rated = rate(Puzzle.of("tiny", {"sheet": "2x2", "pieces": "I2*2"}), Settings())
    >>> row = json.loads(rated.line)
    >>> row["name"], row["measures"]["solutions"], rated.failed
    ('tiny', 2, False)
    >>> json.loads(rate(Puzzle.of("odd", {"sheet": 5}), Settings()).line)["error"]
    '$.sheet: expected an object, found 5'
    """
    if not puzzle.text:
        return failure(puzzle, settings, puzzle.error)
    started, processor = time.perf_counter(), time.thread_time()
    told = _rating(json.loads(puzzle.text), settings)
    took = time.perf_counter() - started, time.thread_time() - processor
    return _row(puzzle, settings, told, took)


def failure(puzzle: Puzzle, settings: Settings, error: str) -> Rated:
    """Return the row of a puzzle that could not be rated.

    Examples
    --------
    >>> json.loads(failure(Puzzle("x.json", "", "empty"), Settings(), "empty").line)["error"]
    'empty'
    """
    return _row(puzzle, settings, {"error": error}, (0.0, 0.0))


def _row(
    puzzle: Puzzle, settings: Settings, told: dict[str, Json], took: tuple[float, float]
) -> Rated:
    seconds, processor = took
    row = {
        "key": puzzle.key(settings.text),
        "name": puzzle.name,
        **told,
        **({"puzzle": json.loads(puzzle.text)} if puzzle.text else {}),
        "seed": settings.seed,
        "work": settings.work,
        "version": settings.version,
        "python": platform.python_version(),
        "seconds": round(seconds, 4),
    }
    line = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return Rated(row["key"], line, processor, "error" in told)


def _rating(value: Json, settings: Settings) -> dict[str, Json]:
    try:
        question = service.load(Node(value))
        known: dict[str, Json] = {"game": question.game.info.id}
        parameters = {name: Node(given, name) for name, given in settings.parameters.items()}
        answer: Any = service.ask(
            question, "difficulty", budget=settings.budget, parameters=parameters
        )
    except TilesolveError as error:
        return {"error": str(error)}
    except Exception as error:  # a fault of the program is this row's, too: the others go on
        return {"error": f"{type(error).__name__}: {error}"}
    if isinstance(answer, Verdict):
        return {**known, "error": "; ".join(broken.message for broken in answer.violations)}
    assert isinstance(answer, Difficulty)
    told = dump(answer)
    del told["seconds"]
    told["parts"] = told.pop("grade_parts", {})
    told.pop("weights", None)
    return {**known, **told}
