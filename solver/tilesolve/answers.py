"""What tilesolve answers: values that cannot be built wrong.

Every answer says how sure it is. A yes carries its witness, an optimum has score and bound
equal, and whatever was cut short says by what. Games add figures of their own in `details`,
which go on the wire beside the fields named here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tilesolve.budget import StoppedBy

Cell: TypeAlias = tuple[int, int]
"""A cell as ``(row, column)``, row 0 at the top."""

Json: TypeAlias = Any
"""A value made of dict, list, str, int, float, bool and None."""

Rung: TypeAlias = Literal[
    "trivial", "colouring", "weights", "search", "clausal", "two engines", "exhausted"
]
"""How a no was established, cheapest first; `exhausted` is a whole state graph walked."""


class WrongAnswer(ValueError):
    """An answer was put together that contradicts itself; always a fault of the program."""


def _demand(condition: bool, message: str) -> None:
    if not condition:
        raise WrongAnswer(message)


@dataclass(frozen=True, kw_only=True)
class Violation:
    """One broken rule.

    Parameters
    ----------
    code : str
        Stable, kebab-case: ``overlap``, ``outside``.
    rule : str
        The rule's number in the game's rule text (``SC4``), or empty for the format's own.
    message : str
        One sentence.
    cells, pieces : tuple
        Where and what it is about; may be empty.
    """

    code: str
    message: str
    rule: str = ""
    cells: tuple[Cell, ...] = ()
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the rule checker says of a state or move.

    Examples
    --------
    >>> Verdict().legal
    True
    """

    violations: tuple[Violation, ...] = ()
    complete: bool = False
    score: int | None = None
    details: Mapping[str, Json] = field(default_factory=dict)

    @property
    def legal(self) -> bool:
        """True when no rule is broken."""
        return not self.violations


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why the answer is what it is, in words that a player can check."""

    code: str
    message: str
    cells: tuple[Cell, ...] = ()
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A piece on the sheet."""

    piece: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True)
class PieceFit:
    """One piece alone: how many placements it has now, and one of them."""

    piece: str
    placements: int
    example: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        _demand((self.placements > 0) == bool(self.example), "an example exactly with a placement")


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Can it still fit?

    Parameters
    ----------
    answer : {"yes", "no", "unknown"}
        `unknown` when the budget ran out or only one engine said no.
    witness : tuple of Placed
        A way to do it; only with yes, and empty there only if nothing had to be placed or the
        game's witness is a line, given in `details`.
    reasons : tuple of Reason
        Why not, cheapest first; at least one with no.
    rung : Rung or None
        How a no was established; exactly with no.
    read : mapping
        What was read: numbers of cells, pieces, placements.
    stopped_by : str or None
        Exactly with unknown.
    certificate : JSON
        The proof of a no, for the checker; it travels only when asked for.
    """

    answer: Literal["yes", "no", "unknown"]
    witness: tuple[Placed, ...] = ()
    reasons: tuple[Reason, ...] = ()
    rung: Rung | None = None
    read: Mapping[str, int] = field(default_factory=dict)
    pieces: tuple[PieceFit, ...] = ()
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)
    certificate: Json = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _demand(self.answer == "yes" or not self.witness, "a witness only with yes")
        _demand((self.answer == "no") == (self.rung is not None), "a rung exactly with no")
        _demand(self.answer != "no" or bool(self.reasons), "a no needs a reason")
        _demand(
            (self.answer == "unknown") == (self.stopped_by is not None),
            "stopped_by exactly with unknown",
        )


@dataclass(frozen=True, kw_only=True)
class Best:
    """The best score still possible.

    Parameters
    ----------
    proof : {"optimal", "feasible", "infeasible", "unknown"}
        `feasible`: a score was found, better may exist; `unknown`: nothing found yet.
    score : int or None
        With optimal and feasible.
    bound : int or None
        No play can be better than this; equal to the score when optimal.
    unit : str
        What a score counts, as ``penalty``.
    line : tuple
        Moves in order, as the game's JSON moves, that reach the score.
    stopped_by : str or None
        Exactly with feasible and unknown.
    """

    proof: Literal["optimal", "feasible", "infeasible", "unknown"]
    unit: str
    score: int | None = None
    bound: int | None = None
    line: tuple[Json, ...] = ()
    reasons: tuple[Reason, ...] = ()
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)
    certificate: Json = field(default=None, compare=False)

    def __post_init__(self) -> None:
        found = self.proof in ("optimal", "feasible")
        _demand(found == (self.score is not None), "a score exactly with optimal and feasible")
        _demand(found or not self.line, "a line only with a score")
        _demand(self.proof != "optimal" or self.score == self.bound, "optimal: score == bound")
        _demand(
            (self.proof in ("feasible", "unknown")) == (self.stopped_by is not None),
            "stopped_by exactly when the proof is not final",
        )


@dataclass(frozen=True, kw_only=True)
class Hint:
    """One move to consider.

    Parameters
    ----------
    move : JSON
        As the game's moves are written.
    value : number, str or None
        Its worth in the unit of `Hints`; text for counts above 2**53; None when not known.
    standard_error : float or None
        Where the value is sampled.
    loss : float or None
        What it gives away against the best hint, at least 0.
    reason : str
        One or two sentences.
    """

    move: Json
    value: float | int | str | None
    reason: str
    standard_error: float | None = None
    loss: float | None = None
    cells: tuple[Cell, ...] = ()
    details: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _demand(bool(self.reason), "a hint needs a reason")
        _demand(self.loss is None or self.loss >= 0, "a loss is at least 0")


@dataclass(frozen=True, kw_only=True)
class Hints:
    """Moves ranked, best first; `exact` when every value is exact."""

    hints: tuple[Hint, ...]
    exact: bool
    unit: str
    reasons: tuple[Reason, ...] = ()
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Marginal:
    """In how many solutions one placement occurs."""

    piece: str
    cells: tuple[Cell, ...]
    solutions: int


@dataclass(frozen=True, kw_only=True)
class Count:
    """How many solutions there are; `exact` False means at least this many.

    Parameters
    ----------
    raw : int
        Labelled placements once each; equal copies of a piece are not told apart.
    reduced : int or None
        Orbits under `symmetries`; None when not known.
    symmetries : tuple of str
        The symmetries that the reduced count divides by, in words; identity included.
    """

    raw: int
    exact: bool
    reduced: int | None = None
    symmetries: tuple[str, ...] = ()
    marginals: tuple[Marginal, ...] = ()
    reasons: tuple[Reason, ...] = ()
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _demand(self.exact == (self.stopped_by is None), "stopped_by exactly when not exact")


@dataclass(frozen=True, kw_only=True)
class Witness:
    """One solution: the pieces on the sheet, or the game's own line in `details`."""

    witness: tuple[Placed, ...]
    details: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Solved:
    """The end of a stream of solutions; exhausted when there are no more."""

    solutions: int
    exhausted: bool
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)
    certificate: Json = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _demand(not (self.exhausted and self.stopped_by), "an exhausted search was not stopped")


@dataclass(frozen=True, kw_only=True)
class WayOut:
    """A small change that makes it possible, shown with a solution.

    `without` are placements that are taken back for it.
    """

    change: str
    witness: tuple[Placed, ...]
    without: tuple[Placed, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why not: the smallest conflict found, and what would make it possible."""

    answer: Literal["yes", "no", "unknown"]
    rung: Rung | None = None
    reasons: tuple[Reason, ...] = ()
    conflict: Mapping[str, Json] = field(default_factory=dict)
    ways_out: tuple[WayOut, ...] = ()
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)
    certificate: Json = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _demand((self.answer == "no") == (self.rung is not None), "a rung exactly with no")


@dataclass(frozen=True, kw_only=True)
class Verification:
    """Whether a certificate proves what it claims; unknown when the checker was stopped."""

    accepted: Literal["yes", "no", "unknown"]
    rung: str
    claim: str
    message: str
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        _demand(
            (self.accepted == "unknown") == (self.stopped_by is not None),
            "stopped_by exactly with unknown",
        )


@dataclass(frozen=True, kw_only=True)
class Difficulty:
    """How hard it is: a grade of 1 to 10 from named measures."""

    grade: float
    measures: Mapping[str, Json]
    hardest_technique: str | None = None
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _demand(1 <= self.grade <= 10, "a grade is from 1 to 10")


@dataclass(frozen=True, kw_only=True)
class PolicyScore:
    """How one policy did over many games.

    `standard_error` is None after a single game, which says nothing of the spread.
    `distribution` maps a final score, as text, to the number of games that ended with it.
    """

    policy: str
    games: int
    mean: float
    standard_error: float | None
    distribution: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """Many games by policy; the same seed gives the same table."""

    policies: tuple[PolicyScore, ...]
    seed: int
    unit: str
    optimum: Json = None
    stopped_by: StoppedBy | None = None
    seconds: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)


Answer: TypeAlias = (
    Verdict
    | Fit
    | Best
    | Hints
    | Count
    | Witness
    | Solved
    | Explanation
    | Verification
    | Difficulty
    | Simulation
)
