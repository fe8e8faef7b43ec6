"""The middle end: one table of operations for the command line, the library and the servers.

A request names a game, an operation, a state and what it may cost; the service loads the state,
refuses what the rules forbid, clamps the budget, runs the game's function, re-checks what comes
back with the game's rules, and hands the answer on, as values or as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

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
    WrongAnswer,
)
from tilesolve.budget import SILENT, Budget, Meter, Watch, least
from tilesolve.errors import IllegalState, InputError, NotOffered
from tilesolve.game import OPERATIONS, Game, Parameter
from tilesolve.registry import game_ids, get_game, loadable_games
from tilesolve.wire import Node, dump

ALWAYS = ("check", "show", "read", "convert", "moves", "apply")
"""Operations that every game has."""

DEFAULT_GAME = "polyform"

HINT_SECONDS = 2.0
DEFAULT_SECONDS = 60.0

Result: TypeAlias = (
    Verdict
    | Fit
    | Best
    | Hints
    | Count
    | Explanation
    | Verification
    | Difficulty
    | Simulation
    | Json
)


@dataclass(frozen=True)
class Limits:
    """The most that a request may ask for; None is no limit."""

    seconds: float | None = None
    work: int | None = None
    workers: int | None = None

    def clamp(self, budget: Budget) -> Budget:
        """Return the budget with nothing above the limits.

        Examples
        --------
        >>> Limits(seconds=5).clamp(Budget(seconds=None)).seconds
        5
        """
        return replace(
            budget,
            seconds=least(budget.seconds, self.seconds),
            work=least(budget.work, self.work),
            workers=min(budget.workers, self.workers or budget.workers),
        )


UNLIMITED = Limits()


@dataclass(frozen=True)
class Question:
    """A state of a game, loaded: what operations are asked of."""

    game: Game[Any, Any]
    state: Any


def game_of(node: Node) -> Game[Any, Any]:
    """Return the game that a state file belongs to; a bare sheet is a polyform puzzle.

    Examples
    --------
    >>> game_of(Node({"game": "null", "counters": 3})).info.id
    'null'
    """
    if node.is_object and "game" in node.value:
        named = node.mapping()["game"]
        try:
            return get_game(named.string())
        except InputError as error:
            raise named.error(error.message) from None
    return get_game(DEFAULT_GAME)


def load(node: Node) -> Question:
    """Read a state file of any game.

    A polyform puzzle may also be a bare sheet: a short name, a list of rows, or a sheet object.

    Examples
    --------
    >>> load(Node("6x10")).game.info.id
    'polyform'
    """
    game = game_of(node)
    bare = not node.is_object or not ({"game", "sheet"} & node.value.keys())
    return Question(
        game, game.load(Node({"sheet": node}, node.path, node.source) if bare else node)
    )


def budget_for(operation: str, **limits: Any) -> Budget:
    """Return the default budget of an operation with some limits set.

    Examples
    --------
    >>> budget_for("hint").seconds, budget_for("fit").seconds
    (2.0, 60.0)
    """
    seconds = HINT_SECONDS if operation == "hint" else DEFAULT_SECONDS
    return replace(Budget(seconds=seconds), **limits)


def ask(
    question: Question,
    operation: str,
    *,
    budget: Budget | None = None,
    watch: Watch = SILENT,
    limits: Limits = UNLIMITED,
    parameters: Mapping[str, Node] | None = None,
) -> Result | Iterator[Witness | Solved]:
    """Ask one question.

    Parameters
    ----------
    operation : str
        One that the game offers, or one of `ALWAYS`.
    parameters : mapping of str to Node
        The operation's own settings, as `parameters_of` lists them.

    Returns
    -------
    answer or iterator
        The operation's answer; `solve` yields `Witness` values and one `Solved`. A state that
        the rules forbid gives its `Verdict`.

    Raises
    ------
    InputError, NotOffered
        For parameters and operations that are not understood.

    Examples
    --------
    >>> ask(load(Node({"game": "null", "counters": 3})), "best").score
    2
    """
    given = dict(parameters or {})
    if operation == "show" and "marginals" in given:
        return _heat_map(question, given, budget=budget, watch=watch, limits=limits)
    if operation in ALWAYS:
        keywords = read_parameters(question.game, operation, given)
        if operation == "convert":
            granted = limits.clamp(budget or budget_for(operation))
            return _convert(question, **keywords, budget=granted, watch=watch)
        return _ALWAYS[operation](question, **keywords)
    function = question.game.operation(operation)
    if function is None or operation == "new":
        offered = (*ALWAYS, *question.game.info.operations)
        raise NotOffered(question.game.info.id, operation, offered)
    granted = limits.clamp(budget or budget_for(operation))
    keywords = read_parameters(question.game, operation, given)
    proven = operation in PROVEN and keywords.pop("proof", False)
    if operation == "best" and proven:
        keywords["proof"] = True  # adding up a proof that nothing is better takes time
    try:
        answer = function(question.state, budget=granted, watch=watch, **keywords)
        if operation == "solve":
            return _guarded(map(_with_certificate, answer) if proven else answer)
        _recheck(question, answer)
    except IllegalState as error:
        return error.verdict
    except InputError as error:
        raise _at_setting(error, given) from None
    return _with_certificate(answer) if proven else answer


def _at_setting(error: InputError, given: Mapping[str, Node]) -> InputError:
    """Return a game's error about one of its settings with the place where that was given."""
    setting = given.get(error.place)
    return error if setting is None else setting.error(error.message)


def _with_certificate(answer: Any) -> Any:
    """Return an answer with its certificate, if it has one, among what goes on the wire."""
    if getattr(answer, "certificate", None) is None:
        return answer
    return replace(answer, details={**answer.details, "certificate": answer.certificate})


def _guarded(answers: Iterator[Witness | Solved]) -> Iterator[Witness | Solved] | Verdict:
    """Start a stream, so that an illegal state is an answer and not a late error."""
    try:
        first = next(answers)
    except IllegalState as error:
        return error.verdict
    return _chained(first, answers)


def _chained(
    first: Witness | Solved, rest: Iterator[Witness | Solved]
) -> Iterator[Witness | Solved]:
    yield first
    yield from rest


def new_state(game: Game[Any, Any], parameters: Mapping[str, Node]) -> Any:
    """Return a new state of a game; ``seed`` defaults to 0.

    Examples
    --------
    >>> new_state(get_game("null"), {"counters": Node(4)}).counters
    4
    """
    if game.new is None:
        raise NotOffered(game.info.id, "new", (*ALWAYS, *game.info.operations))
    keywords = read_parameters(game, "new", dict(parameters))
    keywords.setdefault("seed", 0)
    return game.new(**keywords)


_A_MOVE = Parameter(name="move", kind="json", help="a move, as the game's schema describes it")

_OWN: Mapping[str, tuple[Parameter, ...]] = {
    "check": (_A_MOVE,),
    "apply": (_A_MOVE,),
    "moves": (Parameter(name="limit", kind="integer", least=0, most=10**6, help="moves at most"),),
    "convert": (Parameter(name="to", kind="string", help="json, text, svg or one of the game's"),),
    "hint": (Parameter(name="count", kind="integer", least=1, most=10**6, help="hints at most"),),
    "solve": (Parameter(name="limit", kind="integer", least=0, help="solutions at most"),),
    "show": (
        Parameter(name="marginals", kind="boolean", help="how often each cell is covered by what"),
    ),
    "simulate": (
        Parameter(name="games", kind="integer", least=1, most=10**7, help="games to play"),
        Parameter(name="policies", kind="json", help="names of policies, or none for all"),
    ),
    "new": (Parameter(name="seed", kind="integer", least=0, help="seed of what is random"),),
}
"""What an operation takes in every game."""

PROVEN = ("fit", "best", "solve", "explain")
"""Operations whose no can be certified, in games that have `verify`."""

_PROOF = Parameter(name="proof", kind="boolean", help="give the certificate too, for verify")

_MISSING: Mapping[str, Mapping[str, Any]] = {
    "hint": {"count": 10},
    "solve": {"limit": None},
    "simulate": {"games": 100, "policies": ()},
}


def parameters_of(game: Game[Any, Any], operation: str) -> tuple[Parameter, ...]:
    """Return all parameters of a game's operation, the common ones first."""
    proof = (_PROOF,) if operation in PROVEN and game.verify is not None else ()
    return (*_OWN.get(operation, ()), *proof, *game.info.operations.get(operation, ()))


def read_parameters(
    game: Game[Any, Any], operation: str, given: Mapping[str, Node]
) -> dict[str, Any]:
    """Read an operation's settings into keywords.

    Raises
    ------
    InputError
        For a setting the operation does not have, or a value it cannot take.
    """
    known = {parameter.name: parameter for parameter in parameters_of(game, operation)}
    keywords = dict(_MISSING.get(operation, {}))
    for name, node in given.items():
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise node.error(f"'{name}' is no setting of {operation} here; known are: {listed}")
        keywords[name] = known[name].read(node)
    if operation == "simulate":
        keywords["policies"] = _policies(game, keywords["policies"])
    return keywords


def _policies(game: Game[Any, Any], given: Node | tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(given, Node):
        return given or game.policies
    if given.is_string:
        return tuple(
            Node(name, given.path).string(*game.policies) for name in given.value.split(",")
        )
    return tuple(item.string(*game.policies) for item in given.items()) or game.policies


def _check(question: Question, move: Node | None = None) -> Verdict:
    verdict: Verdict = question.game.check(question.state, _move(question, move))
    return verdict


def _show(question: Question, marginals: bool = False) -> Json:
    del marginals  # drawn by `_heat_map`
    return question.game.picture(question.state)


def _heat_map(question: Question, given: Mapping[str, Node], **granted: Any) -> Json:
    """Return the picture of how often each cell is covered by what, over all solutions."""
    if not given["marginals"].boolean():
        return _show(question, **read_parameters(question.game, "show", given))
    answer: Any = ask(question, "count", parameters=given, **granted)
    illustrate = question.game.illustrate
    picture = illustrate(question.state, answer) if illustrate is not None else None
    if picture is not None or isinstance(answer, Verdict):
        return picture or answer
    plain = question.game.picture(question.state)
    if not answer.exact:
        why = "the budget ended before all solutions were counted"
    else:
        why = "nothing is left to place" if answer.raw else "there is no solution"
    return replace(plain, notes=(*plain.notes, f"no heat map: {why}"))


def _read(question: Question) -> Json:
    """Return the state as it was understood, short forms written out."""
    return {"state": question.game.dump(question.state)}


def _moves(question: Question, limit: int = 10_000) -> Json:
    found: list[Json] = []
    verdict = question.game.check(question.state)
    if not verdict.legal:
        return verdict
    for move in question.game.moves(question.state):
        if len(found) == limit:
            return {"moves": found, "exhausted": False}
        found.append(question.game.dump_move(move))
    return {"moves": found, "exhausted": True}


def _apply(question: Question, move: Node | None = None) -> Json:
    if move is None:
        raise InputError("the field 'move' is missing", place="$")
    read = _move(question, move)
    verdict = question.game.check(question.state, read)
    if not verdict.legal:
        return verdict
    return {"state": question.game.dump(question.game.apply(question.state, read))}


def _move(question: Question, move: Node | None) -> Any:
    return None if move is None else question.game.load_move(move, question.state)


def _convert(question: Question, to: str = "json", **granted: Any) -> Json:
    return {"format": to, "text": convert(question, to, **granted)}


_ALWAYS: Mapping[str, Callable[..., Any]] = {
    "check": _check,
    "show": _show,
    "read": _read,
    "moves": _moves,
    "apply": _apply,
}


def _recheck(question: Question, answer: Any) -> None:
    """Hold every hinted move against the game's rules before anyone sees it."""
    if not isinstance(answer, Hints):
        return
    game = question.game
    for hint in answer.hints:
        if hint.move is None:
            continue
        move = game.load_move(Node(hint.move, "$.hints"), question.state)
        verdict = game.check(question.state, move)
        if not verdict.legal:
            raise WrongAnswer(f"a hint breaks the rules: {verdict.violations[0].message}")


FORMATS = ("json", "text", "svg")
"""Formats that every state converts to; a game may have more."""


class Unfinished(InputError):
    """The budget ended before a state was written in another format; more of it may do."""


def convert(question: Question, target: str, *, budget: Budget, watch: Watch = SILENT) -> str:
    r"""Write a state in another format: JSON, text, SVG, or one of the game's own.

    Raises
    ------
    InputError
        For a format that the game does not have, or a state too large for it; `Unfinished` if
        the budget ended first.

    Examples
    --------
    >>> convert(load(Node({"game": "null", "counters": 2})), "json", budget=Budget())
    '{"game": "null", "counters": 2, "moves": 0}\n'
    """
    game = question.game
    known = (*FORMATS, *game.formats)
    if target not in known:
        listed = ", ".join(known)
        raise InputError(f"{game.info.id} has no format '{target}'; it has: {listed}")
    if target == "json":
        return json.dumps(game.dump(question.state), ensure_ascii=False) + "\n"
    from tilesolve.draw import svg, text

    if target == "text":
        return text.render(game.picture(question.state)) + "\n"
    if target == "svg":
        return svg.render(game.picture(question.state))
    meter = Meter(budget=budget, watch=watch)
    written = game.formats[target](question.state, meter=meter)
    if written is None and meter.stopped_by in (None, "memory"):
        raise InputError(f"too large to be written as {target}")
    if written is None:
        raise Unfinished(f"not written as {target} in time ({meter.stopped_by})")
    return written


def illegal_json(verdict: Verdict) -> Json:
    """Return what an operation answers when the rules forbid the state.

    Examples
    --------
    >>> illegal_json(Verdict())
    {'violations': []}
    """
    return {"violations": dump(verdict.violations)}


def describe(game: Game[Any, Any]) -> Json:
    """Return what a game says of itself, as JSON."""
    info = game.info
    operations = {}
    for operation in (*ALWAYS, *info.operations):
        operations[operation] = [dump(p) for p in parameters_of(game, operation)]
    return {
        "game": info.id,
        "title": info.title,
        "unit": info.unit,
        "sense": info.sense,
        "operations": operations,
        "rules": [dump(option) for option in info.rule_options],
        "policies": list(game.policies),
        "schemas": {"state": dump(info.state_schema), "move": dump(info.move_schema)},
    }


def games() -> tuple[Json, ...]:
    """Return the description of every installed game that can be imported."""
    return tuple(describe(get_game(game)) for game in loadable_games())


__all__ = [
    "ALWAYS",
    "OPERATIONS",
    "UNLIMITED",
    "Limits",
    "Question",
    "ask",
    "budget_for",
    "convert",
    "describe",
    "game_ids",
    "game_of",
    "games",
    "get_game",
    "illegal_json",
    "load",
    "new_state",
    "parameters_of",
    "read_parameters",
]
