"""The questions as Python functions.

A *sheet* is a short name (``"6x10"``), a list of rows, an object in the shape of a sheet or state
file, or a `pathlib.Path` to one. *Pieces* are names (``"pentominoes"``, ``"F,I*2"``), a list or an
object in the shape of a pieces file, or a path. Every question takes ``budget``, ``watch`` and the
game's own settings as keywords; what the rules forbid raises `IllegalState`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

from tilesolve import service
from tilesolve.answers import (
    Best,
    Count,
    Difficulty,
    Explanation,
    Fit,
    Hints,
    Json,
    Simulation,
    Solved,
    Verdict,
    Verification,
    Witness,
)
from tilesolve.budget import SILENT, Budget, Watch
from tilesolve.errors import IllegalState, InputError
from tilesolve.files import pieces_node, puzzle_node, sheet_node, value_node
from tilesolve.wire import Node

SheetLike: TypeAlias = str | Path | Sequence[str] | Mapping[str, Json] | service.Question
PiecesLike: TypeAlias = str | Path | Sequence[Json] | Mapping[str, Json] | None


def load(sheet: SheetLike, pieces: PiecesLike = None) -> service.Question:
    """Read a puzzle or a game's state once, to ask several questions of it.

    Raises
    ------
    InputError
        Naming the place and what would be right.

    Examples
    --------
    >>> load("6x10", "pentominoes").game.info.id
    'polyform'
    """
    if isinstance(sheet, service.Question):
        return sheet
    given = None if pieces is None else _node(pieces, "pieces")
    whole = puzzle_node(_node(sheet, "sheet"), given, None)
    return service.load(whole)


def _node(value: Any, name: str) -> Node:
    if isinstance(value, Path):
        return sheet_node(str(value)) if name == "sheet" else pieces_node(str(value))
    return Node(_plain(value), source=name)


def _plain(value: Any) -> Json:
    """Return Python values as JSON has them: tuples as lists, mappings as dicts."""
    if isinstance(value, Mapping):
        return {str(key): _plain(content) for key, content in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(content) for content in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise InputError(f"a {type(value).__name__} is no JSON value")


def _ask(
    operation: str,
    sheet: SheetLike,
    pieces: PiecesLike,
    budget: Budget | None,
    watch: Watch,
    settings: Mapping[str, Any],
) -> Any:
    question = load(sheet, pieces)
    nodes = {
        name: Node(_plain(value), name) for name, value in settings.items() if value is not None
    }
    answer = service.ask(question, operation, budget=budget, watch=watch, parameters=nodes)
    if isinstance(answer, Verdict) and operation != "check":
        raise IllegalState(answer)
    return answer


def fit(
    sheet: SheetLike,
    pieces: PiecesLike = None,
    *,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    **settings: Any,
) -> Fit:
    """Answer whether all these pieces can still be placed.

    Examples
    --------
    >>> fit("4x5", "tetrominoes", cover=True).rung
    'colouring'
    """
    return cast(Fit, _ask("fit", sheet, pieces, budget, watch, settings))


def best(
    sheet: SheetLike,
    pieces: PiecesLike = None,
    *,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    **settings: Any,
) -> Best:
    """Return the best score still possible, with its bound and proof.

    Examples
    --------
    >>> best({"game": "null", "counters": 5}).score
    3
    """
    return cast(Best, _ask("best", sheet, pieces, budget, watch, settings))


def hint(
    sheet: SheetLike,
    pieces: PiecesLike = None,
    *,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    **settings: Any,
) -> Hints:
    """Return the next moves, best first, each with its value and a reason.

    Examples
    --------
    >>> hint({"game": "null", "counters": 5}).hints[0].move
    {'take': 2}
    """
    return cast(Hints, _ask("hint", sheet, pieces, budget, watch, settings))


def check(sheet: SheetLike, pieces: PiecesLike = None, *, move: Json = None) -> Verdict:
    """Say whether a position or move is legal, and which rules it breaks.

    Examples
    --------
    >>> [violation.code for violation in check(["FF"], ["F"]).violations]
    ['wrong-shape']
    """
    return cast(Verdict, _ask("check", sheet, pieces, None, SILENT, {"move": move}))


def count(
    sheet: SheetLike,
    pieces: PiecesLike = None,
    *,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    **settings: Any,
) -> Count:
    """Return how many solutions there are, up to symmetry too.

    Examples
    --------
    >>> found = count("2x3", "dominoes*")
    >>> found.raw, found.reduced
    (3, 2)
    """
    return cast(Count, _ask("count", sheet, pieces, budget, watch, settings))


def solve(
    sheet: SheetLike,
    pieces: PiecesLike = None,
    *,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    **settings: Any,
) -> Iterator[Witness | Solved]:
    """Yield solutions one by one, then one `Solved`.

    Examples
    --------
    >>> *solutions, end = solve("2x3", "dominoes*")
    >>> len(solutions), end.exhausted
    (3, True)
    """
    answers = _ask("solve", sheet, pieces, budget, watch, settings)
    return cast("Iterator[Witness | Solved]", answers)


def explain(
    sheet: SheetLike,
    pieces: PiecesLike = None,
    *,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    **settings: Any,
) -> Explanation:
    """Say why it does not fit, and what would make it possible.

    Examples
    --------
    >>> explain("4x5", "tetrominoes", cover=True).rung
    'colouring'
    """
    return cast(Explanation, _ask("explain", sheet, pieces, budget, watch, settings))


def verify(
    sheet: SheetLike,
    pieces: PiecesLike = None,
    *,
    proof: Json | Path,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    **settings: Any,
) -> Verification:
    """Follow a certificate from the puzzle alone, without any engine.

    Parameters
    ----------
    proof : JSON or Path
        The `certificate` of an answer of `fit`, `best`, `explain` or of the end of `solve`, or
        a file that holds it.

    Raises
    ------
    InputError
        If it is no certificate.

    Examples
    --------
    >>> certificate = fit("4x5", "tetrominoes", cover=True).certificate
    >>> verify("4x5", "tetrominoes", proof=certificate).accepted
    'yes'
    """
    given = value_node("proof", str(proof)).value if isinstance(proof, Path) else proof
    answer = _ask("verify", sheet, pieces, budget, watch, {**settings, "proof": given})
    return cast(Verification, answer)


def difficulty(
    sheet: SheetLike,
    pieces: PiecesLike = None,
    *,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    **settings: Any,
) -> Difficulty:
    """Return how hard a sheet is: a grade from named measures.

    Examples
    --------
    >>> difficulty("2x2", "dominoes*").measures["cells"]
    4
    """
    return cast(Difficulty, _ask("difficulty", sheet, pieces, budget, watch, settings))


def simulate(
    sheet: SheetLike,
    *,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    **settings: Any,
) -> Simulation:
    """Play whole games by policy from a state, or from a game's standard start by its id."""
    if isinstance(sheet, str) and sheet in service.game_ids():
        sheet = service.Question(service.get_game(sheet), None)
    return cast(Simulation, _ask("simulate", sheet, None, budget, watch, settings))


def show(sheet: SheetLike, pieces: PiecesLike = None) -> str:
    """Return a position as text.

    Examples
    --------
    >>> "A" in show(["A."])
    True
    """
    from tilesolve.draw import text

    return text.render(_ask("show", sheet, pieces, None, SILENT, {}))


def new(game: str, *, seed: int = 0, **settings: Any) -> Json:
    """Return a new state of a game as JSON: a starter or a random deal.

    Examples
    --------
    >>> new("null", counters=3)
    {'game': 'null', 'counters': 3, 'moves': 0}
    """
    found = service.get_game(game)
    nodes = {name: Node(_plain(value), name) for name, value in settings.items()}
    return found.dump(service.new_state(found, {**nodes, "seed": Node(seed, "seed")}))


def games() -> tuple[str, ...]:
    """Return the ids of the installed games.

    Examples
    --------
    >>> "polyform" in games()
    True
    """
    return service.game_ids()
