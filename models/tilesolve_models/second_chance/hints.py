"""Hints: every placement that may be drawn, by the empties to expect, and why.

The value of a move is that of the player's own grid, played on by the learned policy; what is
left out of account at a table is said under ``assumed``.
"""

from __future__ import annotations

import random
from collections import Counter

from tilesolve.answers import Hint, Hints, Reason
from tilesolve.budget import SILENT, Budget, Meter, StoppedBy, Watch
from tilesolve.errors import InputError
from tilesolve.simulate.statistics import mean_of
from tilesolve_models.second_chance.asking import UNIT, assumed, require_legal, seat_of
from tilesolve_models.second_chance.choices import Options, book_of, choice_of, copies, options_of
from tilesolve_models.second_chance.endgame import Endgame, TooDeep
from tilesolve_models.second_chance.ending import outcomes
from tilesolve_models.second_chance.foresight import (
    Futures,
    Ranked,
    Ranking,
    cards_of,
    levelled,
    ranking,
)
from tilesolve_models.second_chance.notation import dump_move
from tilesolve_models.second_chance.policy import Choice
from tilesolve_models.second_chance.rules import (
    awaiting_cards,
    ended,
    open_placements,
    seats_to_act,
)
from tilesolve_models.second_chance.state import Bonus, Draw, Pass, Player, State
from tilesolve_models.second_chance.words import reason_of

RACE, LEVEL = 0.5, 0.7
"""What the race may take of the budget, and what levelling may take of the rest; what is left
over is for the last batch under way and for the reasons."""

CHANCES = 400
"""Futures through which waiting for a second chance is played, where it is not exact."""


def hint(
    state: State, *, count: int, budget: Budget, watch: Watch = SILENT, player: str = ""
) -> Hints:
    """Rank what the next player may do by the empty squares expected at the end.

    Parameters
    ----------
    count : int
        Hints at most.
    player : str
        Who asks, at a table; empty is the next in seat order.

    Returns
    -------
    Hints
        Every placement with its value and standard error, none where values are exact. The
        detail ``by`` of a hint says whether it was simulated or, with little budget, valued by
        the learned worth alone; ``loss_error`` is the standard error of its loss.

    Raises
    ------
    IllegalState
        If the state breaks rules.
    InputError
        For a player who is not at the table or has nothing to do now.
    """
    require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    nothing = _nothing(state)
    if nothing is not None:
        return Hints(hints=(), exact=True, unit=UNIT, reasons=(nothing,), seconds=meter.seconds)
    seat = seat_of(state, player)
    if seat not in seats_to_act(state):
        raise InputError(f"{player} has nothing to do now", place="player")
    asking = state.players[seat]
    if state.phase == "bonus":
        return _squares(state, asking, count, meter)
    options = options_of(state, asking)
    if not options:
        return _waiting(state, asking, meter)
    return _draws(state, asking, options, count, meter)


def _nothing(state: State) -> Reason | None:
    """Return why there is nothing to hint at."""
    if ended(state):
        return Reason(code=ended(state), message=outcomes(state)[0].message)
    if awaiting_cards(state):
        number = awaiting_cards(state)
        message = f"no card is turned up: name {number} in 'turned_up'"
        return Reason(code="cards-due", message=message)
    if not seats_to_act(state):
        message = (
            "everybody has acted: the cards turned up go to 'seen', and what is due next begins "
            "(a second chance for those who wait, or the next round)"
        )
        return Reason(code="nothing-to-do", message=message)
    if state.remaining is None and state.phase != "bonus":
        message = "the deck is not known ('deck' is null), so nobody can say what may still come"
        return Reason(code="deck-unknown", message=message)
    return None


def _draws(
    state: State,
    player: Player,
    options: Options,
    count: int,
    meter: Meter,
) -> Hints:
    choice = choice_of(state, player, options, random.Random(meter.budget.seed))
    found, stopped_by = _ranked(choice, meter)
    best = found.options[0].value
    hints = []
    for ranked in found.options[:count]:
        tile, mask = options[ranked.option]
        move = Draw(tile, state.grid.cells(mask), player.name)
        hints.append(
            Hint(
                move=dump_move(move),
                value=round(ranked.value, 4),
                standard_error=None if found.exact else round(ranked.standard_error, 4),
                loss=round(max(0.0, ranked.value - best), 4),
                reason=reason_of(choice, ranked.option),
                cells=move.cells,
                details=_sampled(ranked, exact=found.exact),
            )
        )
    return Hints(
        hints=tuple(hints),
        exact=found.exact,
        unit=UNIT,
        stopped_by=stopped_by,
        seconds=meter.seconds,
        details={"placements": len(options), **_assumed(state)},
    )


def _ranked(choice: Choice, meter: Meter) -> tuple[Ranking, StoppedBy | None]:
    """Return the options ranked, and what stopped the simulation."""
    seed = meter.budget.seed
    race = _stage(meter, RACE)
    found = ranking(choice, meter=race, seed=seed)
    meter.spend(race.worked)
    level = _stage(meter, LEVEL)
    found = levelled(choice, found, meter=level, seed=seed + 1)
    meter.spend(level.worked)
    return found, None if found.exact else race.stopped_by or level.stopped_by


def _stage(meter: Meter, share: float) -> Meter:
    work = meter.remaining_work
    return meter.part(seconds=meter.share(share), work=None if work is None else int(share * work))


def _rounded(error: float | None) -> float | None:
    return None if error is None else round(error, 4)


def _sampled(ranked: Ranked, *, exact: bool) -> dict[str, float | str]:
    if exact:
        return {"by": "exact"}
    known = {"loss_error": round(ranked.gap_error, 4)}
    if not ranked.samples:
        return {"by": "learned worth", **known}
    return {"by": "simulation", "samples": ranked.samples, **known}


def _assumed(state: State) -> dict[str, list[str]]:
    return {"assumed": list(assumed(state))} if assumed(state) else {}


def _squares(state: State, player: Player, count: int, meter: Meter) -> Hints:
    """Rank the squares for the bonus: all are worth the same, for nothing is drawn any more."""
    pockets = sorted(state.grid.pockets(player.filled), key=int.bit_count)
    squares = [cell for pocket in pockets for cell in state.grid.cells(pocket)]
    after = player.empties - 1
    reason = "every empty square is worth the same: nothing more is drawn in this grid"
    if not after:
        reason = "the 1 completes the grid"
    hints = tuple(
        Hint(
            move=dump_move(Bonus(cell, player.name)),
            value=after,
            loss=0.0,
            reason=reason,
            cells=(cell,),
        )
        for cell in squares[:count]
    )
    return Hints(hints=hints, exact=True, unit=UNIT, seconds=meter.seconds)


def _waiting(state: State, player: Player, meter: Meter) -> Hints:
    """Return the one thing to do where nothing fits, and what it leads to."""
    value, error = float(player.empties), None
    stage = _stage(meter, RACE + LEVEL * (1 - RACE))
    reason = "the card does not fit: the player drops out"
    if state.phase != "second_chance":
        value, error = _after_chance(state, player, stage)
        reason = (
            "neither card fits: a second chance comes, and it fits with probability "
            f"{_saving(state, player)}"
        )
    only = Hint(
        move=dump_move(Pass(player.name)),
        value=round(value, 4),
        standard_error=_rounded(error),
        loss=0.0,
        reason=reason,
    )
    return Hints(
        hints=(only,),
        exact=error is None,
        unit=UNIT,
        stopped_by=None if error is None else stage.stopped_by,
        seconds=meter.seconds,
        details=_assumed(state),
    )


def _saving(state: State, player: Player) -> str:
    """Return the probability that the next card fits, not reduced."""
    remaining = state.remaining or Counter()
    total = sum(remaining.values())
    fits = sum(
        n for tile, n in remaining.items() if any(True for _ in open_placements(player, tile))
    )
    return f"{fits}/{total}" if total else "0"


def _after_chance(state: State, player: Player, meter: Meter) -> tuple[float, float | None]:
    remaining = state.remaining or Counter()
    if not remaining:
        return float(player.empties), None
    seconds = meter.remaining_seconds
    part = meter.part(seconds=None if seconds is None else seconds / 2, work=4000)
    try:
        return Endgame(state.grid, part).after_chance(player.filled, remaining), None
    except TooDeep:
        meter.spend(part.worked)
    book = book_of(state)
    lives = book.live(player.filled)[None, :]
    futures = Futures(book, lives, cards_of(copies(book, state)), meter.budget.seed, waiting=True)
    results: list[float] = []
    while len(results) < CHANCES and (meter.spend() or not results):
        samples = range(len(results), len(results) + 20)
        futures.prepare([0], samples)
        results += [futures.play(0, sample) for sample in samples]
        meter.spend(len(samples))
    sampled = mean_of(results)
    return sampled.mean, sampled.standard_error
