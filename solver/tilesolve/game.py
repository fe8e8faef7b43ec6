"""What a game is to the rest of tilesolve: a record of pure functions over immutable states.

A game is a value, `Game`, that is found by entry point. The functions every game has are its
required fields; an operation that it does not offer is None there and absent from
`GameInfo.operations`, so nothing has to be inherited and nothing can be half implemented.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Generic, Literal, TypeVar

from tilesolve.answers import Json, Verdict
from tilesolve.draw.picture import Picture
from tilesolve.wire import Node

State = TypeVar("State")
Move = TypeVar("Move")

OPERATIONS = (
    "fit",
    "best",
    "hint",
    "count",
    "solve",
    "explain",
    "verify",
    "difficulty",
    "simulate",
    "new",
)
"""All operations beyond check and show, which every game has."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """An operation's own setting, as ``moves`` of ``best`` in LET'S KLACK.

    Parameters
    ----------
    name : str
        The keyword that the operation takes, and the field on the wire.
    kind : {"integer", "number", "boolean", "string", "json"}
        `json` values arrive as `Node`.
    choices : tuple of str
        For strings: the only values allowed.
    least, most : int or None
        For integers and numbers: the range allowed.
    """

    name: str
    kind: Literal["integer", "number", "boolean", "string", "json"]
    help: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None

    def read(self, node: Node) -> Any:
        """Return the value that a request gives, or raise `InputError`."""
        match self.kind:
            case "integer":
                return node.integer(self.least, self.most)
            case "number":
                return node.number(self.least)
            case "boolean":
                return node.boolean()
            case "string":
                return node.string(*self.choices)
            case "json":
                return node


@dataclass(frozen=True, kw_only=True)
class RuleOption:
    """A named reading of a doubtful rule, set in a state's ``"rules"``."""

    name: str
    rule: str
    default: Json
    choices: tuple[Json, ...]
    help: str


@dataclass(frozen=True, kw_only=True)
class GameInfo:
    """What a game says of itself.

    Parameters
    ----------
    id : str
        As in ``"game": "second-chance"``.
    title : str
        For people.
    unit : str
        What a score counts, plural: ``empty squares``.
    sense : {"minimise", "maximise"}
        Which way a score is better.
    operations : mapping
        Operations offered, each with its own parameters.
    rule_options : tuple of RuleOption
        Named readings.
    state_schema, move_schema : mapping
        JSON Schema of the state file and of a move.
    """

    id: str
    title: str
    unit: str
    sense: Literal["minimise", "maximise"]
    operations: Mapping[str, tuple[Parameter, ...]]
    rule_options: tuple[RuleOption, ...] = ()
    state_schema: Mapping[str, Json] = field(default_factory=dict)
    move_schema: Mapping[str, Json] = field(default_factory=dict)


Operation = Callable[..., Any]
"""An operation's function; what each takes is said in `Game`."""


def imported(place: str) -> Operation:
    """Return an operation that lives in a module of its own, imported when it is first asked.

    One question needs one engine: the modules of all the others need not be read for it.

    Parameters
    ----------
    place : str
        As ``package.module:function``.

    Examples
    --------
    >>> imported("math:isqrt")(17)
    4
    """
    module, _, name = place.partition(":")

    def operation(*given: Any, **settings: Any) -> Any:
        return getattr(import_module(module), name)(*given, **settings)

    operation.__name__ = operation.__qualname__ = name
    return operation


"""An operation's function; what each takes is said in `Game`."""


@dataclass(frozen=True, kw_only=True)
class Game(Generic[State, Move]):
    """A game: its information, its rules, and the questions it answers.

    Every operation takes the state first and then keywords only: ``budget``
    (`tilesolve.budget.Budget`), ``watch`` (`tilesolve.budget.Watch`, for progress and
    interruption) and the parameters that `info` names for it, each of which has a default.

    Parameters
    ----------
    info : GameInfo
        What the game says of itself.
    load, dump : callable
        ``load(node) -> state`` raises `InputError` for what cannot be understood; a state that
        breaks rules loads. ``load(Node(dump(state))) == state``.
    load_move, dump_move : callable
        The same for moves, which are structures, never numbers; ``load_move(node, state)``.
    check : callable
        ``check(state, move=None) -> Verdict``: all broken rules at once. No solver in it.
    moves : callable
        ``moves(state) -> iterator``: legal moves, lazily, in a fixed order.
    apply : callable
        ``apply(state, move) -> state`` for a legal move.
    picture : callable
        ``picture(state) -> Picture``.
    fit, best, count, explain, difficulty, verify : callable or None
        ``op(state, *, budget, watch, ...)`` gives `Fit`, `Best`, `Count`, `Explanation`,
        `Difficulty`, `Verification`; `verify` takes the certificate as ``proof``.
    hint : callable or None
        ``hint(state, *, count, budget, watch, ...) -> Hints``; `count` is how many at most.
    solve : callable or None
        ``solve(state, *, limit, budget, watch, ...)`` yields `Witness` values, then one `Solved`.
    simulate : callable or None
        ``simulate(state, *, games, policies, budget, watch, ...) -> Simulation``; `state` may be
        None for the game's standard start, `policies` are names from `policies`, or empty for
        all of them.
    new : callable or None
        ``new(*, seed, ...) -> state``: a starter or a random deal.
    policies : tuple of str
        Named players for `simulate`.
    illustrate : callable or None
        ``illustrate(state, answer) -> Picture or None``: the picture of an answer, as a
        witness on its sheet or a colouring; None where there is nothing to draw.
    formats : mapping of str to callable
        Formats beyond JSON, text and SVG that a state converts to:
        ``write(state, *, meter) -> str or None``, None when it would be too large.
    starter : callable or None
        ``starter() -> {file name: JSON}``: the files that a beginner starts from, with
        comments; None writes the state of `new`.

    Raises
    ------
    ValueError
        If `info.operations` and the operations given differ.
    """

    info: GameInfo
    load: Callable[[Node], State]
    dump: Callable[[State], Json]
    load_move: Callable[[Node, State], Move]
    dump_move: Callable[[Move], Json]
    check: Callable[..., Verdict]
    moves: Callable[[State], Iterator[Move]]
    apply: Callable[[State, Move], State]
    picture: Callable[[State], Picture]
    fit: Operation | None = None
    best: Operation | None = None
    hint: Operation | None = None
    count: Operation | None = None
    solve: Operation | None = None
    explain: Operation | None = None
    verify: Operation | None = None
    difficulty: Operation | None = None
    simulate: Operation | None = None
    new: Operation | None = None
    policies: tuple[str, ...] = ()
    illustrate: Callable[[State, Any], Picture | None] | None = None
    formats: Mapping[str, Callable[..., str | None]] = field(default_factory=dict)
    starter: Callable[[], Mapping[str, Json]] | None = None

    def __post_init__(self) -> None:
        given = {name for name in OPERATIONS if getattr(self, name) is not None}
        if given != set(self.info.operations):
            raise ValueError(f"{self.info.id}: operations given and named differ: {given}")

    def operation(self, name: str) -> Operation | None:
        """Return the function of an operation, or None when it is not offered."""
        function: Operation | None = getattr(self, name) if name in OPERATIONS else None
        return function
