"""`hint` of the New-Year puzzle: the flip worth most, with reasons in words."""

from __future__ import annotations

from dataclasses import dataclass

from tilesolve.answers import Cell, Hint, Hints, Json
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.simulate.race import Standing
from tilesolve_models.new_year_puzzle import rules
from tilesolve_models.new_year_puzzle.chances import Knowledge
from tilesolve_models.new_year_puzzle.model import (
    knowledge_of,
    legal_view,
    unknown_place,
)
from tilesolve_models.new_year_puzzle.search import (
    ROUNDS,
    UNKNOWN,
    Prospect,
    Trials,
    candidates,
    chosen,
    rank,
)
from tilesolve_models.new_year_puzzle.state import Flip, State, dump_move


def hint(
    state: State,
    *,
    count: int,
    budget: Budget,
    watch: Watch = SILENT,
    remember: int | None = None,
    rounds: int = ROUNDS,
) -> Hints:
    """Rank flips: fewest flips to the end for one player, best point difference for several.

    The point difference is a player's points minus the mean of the others'. A flip other than
    the usual one (a remembered card that fits, else an unknown one) comes first only if it is
    clearly better: by four standard errors of the paired difference, or, after some hundred
    samples, by the 2.6 at which a race lets candidates go.

    Parameters
    ----------
    count : int
        Hints at most.
    remember : int or None
        Cards that everybody remembers, those seen last; None is all of them.
    rounds : int
        Rounds of turns that a game of several players is followed for; 0 is to its end.
    """
    meter = Meter(budget=budget, watch=watch)
    seen = legal_view(state, remember)
    unit = "flips" if len(seen.players) == 1 else "points ahead"
    if rules.complete(seen):
        note = {"note": "the picture is complete"}
        return Hints(hints=(), exact=True, unit=unit, seconds=meter.seconds, details=note)
    prospect = prospect_of(seen, remember)
    trials = Trials(prospect.deal, budget.seed, rounds)
    choices = candidates(trials.deal_once())
    standings = rank(trials, choices, players=len(seen.players), meter=meter)
    first = chosen(standings, choices[0])
    ordered = sorted(standings, key=lambda standing: standing.candidate != first)
    adviser = _Adviser(seen, knowledge_of(seen))
    hints = tuple(adviser.hint(standing, ordered[0]) for standing in ordered)
    if not hints:
        hints = (adviser.untried(choices[0]),)
    return Hints(
        hints=hints[:count],
        exact=False,
        unit=unit,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={"samples": max((standing.samples for standing in standings), default=0)},
    )


def prospect_of(state: State, remember: int | None) -> Prospect:
    """Return what simulation deals from, of a position as its players know it."""
    field = rules.grid(state)
    return Prospect(
        grid=field,
        lying=field.mask(state.open),
        known=tuple(field.card(each.home) for each in state.known),
        stack=state.stack,
        points=tuple(player.points for player in state.players),
        to_move=state.seat(state.to_move),
        remember=remember,
        reshuffle=state.reshuffle,
    )


@dataclass(frozen=True)
class _Adviser:
    """Puts standings into words."""

    state: State
    knowledge: Knowledge

    def hint(self, standing: Standing[int], first: Standing[int]) -> Hint:
        error = standing.standard_error
        worse = standing.difference - first.difference
        return Hint(
            move=self._move(standing.candidate),
            value=round(standing.mean, 3),
            standard_error=None if error is None else round(error, 3),
            loss=max(0.0, round(worse, 3)),
            reason=self._reason(standing.candidate),
            cells=self._cells(standing.candidate),
        )

    def untried(self, card: int) -> Hint:
        """Return the hint for a flip that there was no time to try out."""
        move, cells = self._move(card), self._cells(card)
        return Hint(move=move, value=None, reason=self._reason(card), cells=cells)

    def _place(self, card: int) -> Cell:
        if card == UNKNOWN:
            place = unknown_place(self.state)
            assert place is not None  # a candidate only if there is one
            return place
        home = self.knowledge.grid.cell(card)
        return next(each.at for each in self.state.known if each.home == home)

    def _move(self, card: int) -> Json:
        return dump_move(Flip(flip=self._place(card)))

    def _cells(self, card: int) -> tuple[Cell, ...]:
        if card == UNKNOWN:
            return (self._place(card),)
        return (self._place(card), self.knowledge.grid.cell(card))

    def _reason(self, card: int) -> str:
        knowledge, field = self.knowledge, self.knowledge.grid
        near = field.beside(knowledge.open)
        if card == UNKNOWN:
            possible = knowledge.unknown.bit_count()
            favourable = (near & knowledge.unknown).bit_count()
            return f"an unknown card: {favourable} of {possible} would fit"
        home = list(field.cell(card))
        if not near >> card & 1:
            return f"belongs to {home} and does not fit: shows the others nothing new"
        opened = knowledge.chain(knowledge.open | 1 << card) & ~knowledge.open
        more = opened.bit_count() - 1
        follow = f"; {more} remembered cards can follow" if more > 1 else ""
        follow = "; a remembered card can follow" if more == 1 else follow
        return f"belongs to {home} and fits for certain{follow}"
