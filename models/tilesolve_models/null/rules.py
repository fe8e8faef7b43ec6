"""The rules of the null game: take one or two counters until none is left.

It exists to be the smallest complete game: copy this folder to begin a new one.

N1: a move takes 1 or 2 counters, never more than there are. The fewer moves the better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilesolve.answers import Json, Verdict, Violation
from tilesolve.wire import Node

ID = "null"


@dataclass(frozen=True)
class State:
    """`counters` left and `moves` made, both at least 0."""

    counters: int
    moves: int = 0


@dataclass(frozen=True)
class Take:
    """Take this many counters."""

    take: int


def load(node: Node) -> State:
    """Read a state.

    Examples
    --------
    >>> load(Node({"game": "null", "counters": 5}))
    State(counters=5, moves=0)
    """
    fields = node.object("moves", required=("game", "counters"))
    fields["game"].string(ID)
    moves = fields["moves"].integer(0) if "moves" in fields else 0
    return State(fields["counters"].integer(0, 1000), moves)


def dump(state: State) -> Json:
    """Write a state; `load` reads it back."""
    return {"game": ID, "counters": state.counters, "moves": state.moves}


def load_move(node: Node, state: State) -> Take:
    """Read a move, as ``{"take": 2}``."""
    del state
    return Take(node.object(required=("take",))["take"].integer())


def dump_move(move: Take) -> Json:
    """Write a move."""
    return {"take": move.take}


def check(state: State, move: Take | None = None) -> Verdict:
    """Say which rules a move breaks.

    Examples
    --------
    >>> [violation.code for violation in check(State(1), Take(2)).violations]
    ['too-many']
    """
    violations = () if move is None else tuple(_broken(state, move))
    return Verdict(violations=violations, complete=state.counters == 0, score=state.moves)


def _broken(state: State, move: Take) -> Iterator[Violation]:
    if move.take not in (1, 2):
        message = f"a move takes 1 or 2 counters, not {move.take}"
        yield Violation(code="wrong-number", rule="N1", message=message)
    elif move.take > state.counters:
        message = f"{move.take} cannot be taken, {state.counters} left"
        yield Violation(code="too-many", rule="N1", message=message)


def moves(state: State) -> Iterator[Take]:
    """Yield the legal moves, the larger first."""
    for take in (2, 1):
        if take <= state.counters:
            yield Take(take)


def apply(state: State, move: Take) -> State:
    """Return the state after a legal move."""
    return State(state.counters - move.take, state.moves + 1)
