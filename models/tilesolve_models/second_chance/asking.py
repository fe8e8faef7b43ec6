"""What all questions about a state begin with: is it legal, and whose grid is meant?"""

from __future__ import annotations

from dataclasses import replace

from tilesolve.errors import IllegalState, InputError
from tilesolve_models.second_chance.check import check
from tilesolve_models.second_chance.rules import bonus_due, seats_to_act
from tilesolve_models.second_chance.state import State

UNIT = "empty squares"

ALONE = (
    "every grid is looked at by itself: cards that others take for second chances, grids that they "
    "fill and the bonus (SC7) are left out"
)
"""What is assumed at a table of several players."""


def require_legal(state: State) -> None:
    """Raise `IllegalState` if the state breaks rules."""
    verdict = check(state)
    if not verdict.legal:
        raise IllegalState(verdict)


def assumed(state: State) -> tuple[str, ...]:
    """Return what is taken for granted of a state by a question about one grid."""
    return (*state.assumed, ALONE) if len(state.players) > 1 else state.assumed


def seat_of(state: State, player: str) -> int:
    """Return the seat of a named player, or of the next to act.

    Where nobody is to act it is the first seat.

    Raises
    ------
    InputError
        For a name that is not at the table.
    """
    if not player:
        return next(iter(seats_to_act(state)), 0)
    names = [each.name for each in state.players if each.name]
    if player not in names:
        listed = ", ".join(names) or "nobody by name"
        raise InputError(f"'{player}' does not play here; at the table: {listed}", place="player")
    return state.seat(player)


def own_grid(state: State, player: str = "") -> State:
    """Return a named player's grid by itself, or that of the next to act.

    What is left to him of the round comes first: nothing, if he has drawn; a second chance, if
    he waits.
    """
    seat = seat_of(state, player)
    own = state.players[seat]
    alone = replace(state, players=(replace(own, name="", this_round=""),), table=False, turn="")
    gone = replace(alone, seen=(*state.seen, *state.turned_up), turned_up=())
    following = replace(gone, phase="round", round=state.round + 1)
    if own.out is not None:
        return alone if seat in bonus_due(state) and state.phase == "bonus" else following
    match state.phase:
        case "start":
            return replace(gone, phase="round") if own.filled else alone
        case "bonus":
            return following if state.table else alone
        case _ if own.this_round == "drew":
            return following
        case "round":
            return replace(gone, phase="second_chance") if own.this_round == "waits" else alone
        case "second_chance":
            return alone if seat == next(iter(seats_to_act(state)), seat) else gone
