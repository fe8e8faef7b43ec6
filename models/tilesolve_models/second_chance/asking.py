"""What all questions about a state begin with: is it legal, and whose grid is meant?"""

from __future__ import annotations

from tilesolve.errors import IllegalState, InputError
from tilesolve_models.second_chance.check import check
from tilesolve_models.second_chance.rules import seats_to_act
from tilesolve_models.second_chance.state import State

UNIT = "empty squares"


def require_legal(state: State) -> None:
    """Raise `IllegalState` if the state breaks rules."""
    verdict = check(state)
    if not verdict.legal:
        raise IllegalState(verdict)


def seat_of(state: State, player: str) -> int:
    """Return the seat of a named player who is to act, or of the next to act.

    Where nobody is to act it is the first seat.

    Raises
    ------
    InputError
        For a name that is not at the table, or of one who has nothing to do now.
    """
    seats = seats_to_act(state)
    if not player:
        return seats[0] if seats else 0
    names = [each.name for each in state.players if each.name]
    if player not in names:
        listed = ", ".join(names) or "nobody by name"
        raise InputError(f"'{player}' does not play here; at the table: {listed}", place="player")
    seat = state.seat(player)
    if seat not in seats:
        raise InputError(f"{player} has nothing to do now", place="player")
    return seat
