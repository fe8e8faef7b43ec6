"""What has happened at the table: second chances due, the end, the ranking, the solo series."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilesolve.answers import Json
from tilesolve_models.second_chance.rules import (
    awaiting_cards,
    bonus_due,
    ended,
    is_full,
    seats_to_act,
)
from tilesolve_models.second_chance.state import Player, State

SOLO_TARGET = 10
SOLO_GAMES = 3

_ENDS = {
    "all-out": "everybody has dropped out",
    "deck-out": "fewer than two cards are left for the next round",
    "too-few-cards": "fewer cards are left than players who need a second chance",
    "grid-full": "a grid is full",
}


@dataclass(frozen=True)
class Outcome:
    """Something the rules say of a state that is no violation.

    Parameters
    ----------
    code : str
        Stable, kebab-case.
    rule : str
        The rule's number.
    players : tuple of str
        Whom it is about; empty names are left out.
    """

    code: str
    rule: str
    message: str
    players: tuple[str, ...] = ()

    def dump(self) -> Json:
        """Write the outcome."""
        names = {"players": [name for name in self.players if name]}
        dumped = {"code": self.code, "rule": self.rule, "message": self.message}
        return {**dumped, **names} if names["players"] else dumped


@dataclass(frozen=True)
class Place:
    """A player's place in the ranking; tied players share it."""

    place: int
    player: str
    empties: int
    one: bool
    out: int | None

    def dump(self) -> Json:
        """Write the place."""
        dumped = {"place": self.place, "empties": self.empties, "bonus": self.one}
        name = {"player": self.player} if self.player else {}
        return {**name, **dumped, **({} if self.out is None else {"out": self.out})}


def outcomes(state: State) -> tuple[Outcome, ...]:
    """Return what is due or over, in the order of the rules.

    Examples
    --------
    >>> state = State((Player(("AA", "AA")),), marked=None, standard=False)
    >>> [outcome.code for outcome in outcomes(state)]
    ['grid-full']
    """
    return tuple(_outcomes(state))


def _outcomes(state: State) -> Iterator[Outcome]:
    end = ended(state)
    if not end:
        yield from _due(state)
        return
    yield Outcome(end, "SC8", f"the game is over: {_ENDS[end]}")
    if len(state.players) > 1:
        yield _winners(state)
    elif len(state.series) == SOLO_GAMES - 1:
        yield _series(state)


def _due(state: State) -> Iterator[Outcome]:
    if state.phase == "second_chance":
        names = tuple(state.players[seat].name for seat in seats_to_act(state))
        if len(names) > 1:
            order = ", ".join(names)
            message = f"{len(names)} players get a second chance, in seat order {order}"
            yield Outcome("several-second-chances", "SC6", message, names)
        else:
            yield Outcome("second-chance-due", "SC4", "a second chance is due", names)
    elif state.phase == "bonus" and bonus_due(state):
        names = tuple(state.players[seat].name for seat in bonus_due(state))
        yield Outcome("bonus-due", "SC7", "a 1 is written into one empty square", names)
    elif state.phase == "round" and awaiting_cards(state):
        yield Outcome("cards-due", "SC2", "two cards are turned up next")


def ranking(state: State) -> tuple[Place, ...]:
    """Return all players, fewest empty squares first (SC9).

    Of players with equally many the ones who wrote a 1 come first, except that full grids share
    the win. Who dropped out keeps his place.

    Examples
    --------
    >>> table = State((Player(("A.",), "Ann"), Player(("1.",), "Bob")), marked=None, table=True)
    >>> [(place.place, place.player) for place in ranking(table)]
    [(1, 'Bob'), (2, 'Ann')]
    """
    ranked = sorted(state.players, key=_rank)
    return tuple(
        Place(
            place=1 + sum(_rank(other) < _rank(player) for other in ranked),
            player=player.name,
            empties=player.empties,
            one=bool(player.ones),
            out=player.out,
        )
        for player in ranked
    )


def _rank(player: Player) -> tuple[int, bool]:
    return player.empties, not player.ones and not is_full(player)


def _winners(state: State) -> Outcome:
    places = ranking(state)
    winners = tuple(place.player for place in places if place.place == 1)
    empties = places[0].empties
    listed = " and ".join(winners)
    tied = [place for place in places if place.empties == empties]
    if len(winners) > 1:
        return Outcome("win-shared", "SC9", f"{listed} share the win with {empties} empty", winners)
    if len(tied) > 1:
        message = f"{listed} wins: {len(tied)} players have {empties} empty, the 1 decides"
        return Outcome("win-by-bonus", "SC9", message, winners)
    return Outcome("win", "SC9", f"{listed} wins with {empties} empty", winners)


def _series(state: State) -> Outcome:
    total = sum(state.series) + state.players[0].empties
    met = total < SOLO_TARGET
    word = "is met" if met else "is missed"
    message = f"{total} empty squares in {SOLO_GAMES} games; fewer than {SOLO_TARGET} {word}"
    return Outcome("solo-target-met" if met else "solo-target-missed", "SC10", message)
