"""Sheets made to measure: random ones that are kept when they have been proven to be as wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tilesolve import service
from tilesolve.answers import Difficulty, Json, Solved, Verification, Witness
from tilesolve.bench.random_sheets import RandomSheets
from tilesolve.bench.rating import Settings
from tilesolve.budget import SILENT, Progress, Watch
from tilesolve.errors import InputError
from tilesolve.wire import Node, dump

TRIES = 2_000
"""Random sheets looked at for each one wanted, unless more are asked for."""


@dataclass(frozen=True)
class Grades:
    """Grades from `least` to `most`."""

    least: float = 1.0
    most: float = 10.0

    @classmethod
    def read(cls, text: str) -> Grades:
        """Read ``3..5`` or ``4``.

        Raises
        ------
        InputError
            For anything else, or grades outside 1 to 10.

        Examples
        --------
        >>> Grades.read("3..5.5")
        Grades(least=3.0, most=5.5)
        """
        first, _, second = text.partition("..")
        try:
            grades = cls(float(first), float(second or first))
        except ValueError:
            message = f"expected a grade or a range as 3..5, found '{text}'"
            raise InputError(message, place="--grade") from None
        if not 1 <= grades.least <= grades.most <= 10:
            message = f"'{text}' is no range of grades; they go from 1 to 10"
            raise InputError(message, place="--grade")
        return grades

    def __contains__(self, grade: float) -> bool:
        return self.least <= grade <= self.most


@dataclass(frozen=True)
class Made:
    """A sheet with the proof of what it was made to be.

    Parameters
    ----------
    number : int
        Of the random sheet; family, seed and number give it again.
    puzzle : JSON
        The state file.
    witness : JSON
        A solution: that it is solvable.
    proof : JSON
        The certificate that there is no other; None where that was not wanted.
    difficulty : Difficulty
        Grade and measures.
    """

    number: int
    puzzle: Json
    witness: Json
    proof: Json
    difficulty: Difficulty

    @property
    def solution(self) -> Json:
        """The puzzle solved, for ``tilesolve check``."""
        sheet = self.puzzle["sheet"]
        placed = [*sheet.get("placed", ()), *self.witness]
        return {**self.puzzle, "sheet": {**sheet, "placed": placed}}


def generated(
    family: RandomSheets,
    *,
    grades: Grades = Grades(),
    unique: bool = False,
    settings: Settings | None = None,
    tries: int = TRIES,
    watch: Watch = SILENT,
) -> Iterator[Made]:
    """Yield sheets of a family that have a solution and a grade within range.

    Parameters
    ----------
    unique : bool
        Only those with exactly one solution, proven by a certificate that the checker accepts.
    settings : Settings or None
        How a sheet is rated; work is limited and time is not, so a seed gives the same sheets.
    tries : int
        How many sheets to look at.

    Examples
    --------
    >>> from tilesolve.bench.random_sheets import read_family
    >>> family, _ = read_family("4x4,pieces=3", "tetrominoes")
    >>> made = next(generated(family, unique=True))
    >>> made.proof["claim"]["kind"], len(made.witness), made.difficulty.measures["solutions"]
    ('unique', 3, 1)
    """
    rating = settings or Settings()
    for looked, (number, made) in enumerate(islice(family.numbered(), tries)):
        if watch.interrupted():
            return
        watch.report(Progress(stage="sheets", done=looked, total=tries))
        puzzle = {"game": service.DEFAULT_GAME, **made, "goal": "cover"}
        question = service.load(Node(puzzle))
        solved = _solved(question, rating, unique=unique)
        if solved is None:
            continue
        rated: Any = service.ask(
            question,
            "difficulty",
            budget=rating.budget,
            parameters=_nodes(rating.parameters),
        )
        if rated.stopped_by is None and rated.grade in grades:
            witness, proof = solved
            yield Made(number, question.game.dump(question.state), witness, proof, rated)


def _nodes(parameters: Mapping[str, Json]) -> dict[str, Node]:
    return {name: Node(value, name) for name, value in parameters.items()}


def _solved(
    question: service.Question, rating: Settings, *, unique: bool
) -> tuple[Json, Json] | None:
    """Return a solution, and the certificate that it is the only one if that is wanted."""
    wanted = {"unique": Node(True)} if unique else {"limit": Node(1)}
    answers: Any = service.ask(question, "solve", budget=rating.budget, parameters=wanted)
    witness: Json = None
    for answer in answers:
        if isinstance(answer, Witness):
            witness = dump(answer.witness)
        elif isinstance(answer, Solved) and unique:
            proven = answer.details.get("unique") == "yes" and answer.certificate is not None
            if not (proven and _accepted(question, answer.certificate, rating)):
                return None
            return witness, answer.certificate
    return None if witness is None else (witness, None)


def _accepted(question: service.Question, certificate: Json, rating: Settings) -> bool:
    """Return whether the checker, which trusts no engine, follows the certificate."""
    checked = service.ask(
        question, "verify", budget=rating.budget, parameters={"proof": Node(certificate)}
    )
    return isinstance(checked, Verification) and checked.accepted == "yes"
