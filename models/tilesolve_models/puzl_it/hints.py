"""`hint` of Puzl It: play and victim by the chance to win, with reasons in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tilesolve.answers import Cell, Hint, Hints, Json
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.simulate.race import Standing
from tilesolve_models.puzl_it import rules
from tilesolve_models.puzl_it.model import legal_position
from tilesolve_models.puzl_it.policies import Choice
from tilesolve_models.puzl_it.search import ROUNDS, Scale, Trials, candidates, preferred, rank
from tilesolve_models.puzl_it.state import Move, State, dump_move
from tilesolve_models.puzl_it.table import Table

UNIT = "chance to win"

_ENDS_EVERY = 4  # one sample in so many is played to the end


def hint(
    state: State,
    *,
    count: int,
    budget: Budget,
    watch: Watch = SILENT,
    rounds: int = ROUNDS,
) -> Hints:
    """Rank plays and victims by the chance to win, simulated over the hidden cards.

    The usual move, of a careful player of most connections, comes first unless another leads it
    by one and a half standard errors of the paired difference; the others follow by their chances.

    Only what the player to move sees is used: from a referee's state the others' cards and all
    piles are hidden first. Of a state that is another player's view the hand must be in view.

    Parameters
    ----------
    count : int
        Hints at most.
    rounds : int
        Rounds that a simulated game is followed for before the candidates' shares of the cards
        are compared; 0 follows it to the end, which needs many more samples.
    """
    meter = Meter(budget=budget, watch=watch)
    state = legal_position(state)
    seen = rules.view(state, state.to_move) if state.me is None else state
    table = rules.table_of(seen)
    if table.winner is not None or not table.hand_mask:
        over = table.winner is not None
        note = "the game is over" if over else f"no card in {seen.to_move}'s hand can be named"
        return Hints(hints=(), exact=True, unit=UNIT, seconds=meter.seconds, details={"note": note})
    choices = candidates(table, seen.rules.group, most=max(count, 12))
    trials = Trials(table, seen.rules.group, budget.seed, rounds, _masks(seen), _ENDS_EVERY)
    standings = rank(trials, choices, meter=meter) if len(choices) > 1 else ()
    first = preferred(standings, choices[0])
    standings = tuple(sorted(standings, key=lambda standing: standing.candidate != first))
    adviser = _Adviser(seen, table, trials, trials.chances())
    hints = tuple(adviser.hint(standing, standings[0]) for standing in standings[:count])
    if not hints:
        hints = (adviser.untried(choices[0]),)[:count]
    return Hints(
        hints=hints,
        exact=False,
        unit=UNIT,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details=adviser.outlook(standings),
    )


def _masks(state: State) -> dict[int, int]:
    field, masks = rules.grid(state), dict[int, int]()
    for known in state.known:
        seat = state.place(known.player)
        masks[seat] = masks.get(seat, 0) | field.mask(known.cells)
    return masks


@dataclass(frozen=True)
class _Adviser:
    """Puts standings into words."""

    state: State
    table: Table
    trials: Trials
    scale: Scale

    def hint(self, standing: Standing[Choice], first: Standing[Choice]) -> Hint:
        candidate, error = standing.candidate, standing.standard_error
        loss = self.scale.slope * (standing.difference - first.difference)
        decided = self.trials.decided[candidate]
        return Hint(
            move=self._move(candidate),
            value=round(standing.mean if decided else self.scale.of(standing.mean), 4),
            standard_error=_rounded(error if decided else self.scale.error_of(error)),
            loss=max(0.0, round(loss, 4)),
            reason=self._reason(candidate),
            cells=self._cells(candidate),
        )

    def untried(self, choice: Choice) -> Hint:
        """Return the hint for a choice that there was no need or no time to try out."""
        return Hint(
            move=self._move(choice),
            value=None,
            reason=self._reason(choice),
            cells=self._cells(choice),
        )

    def outlook(self, standings: Iterable[Standing[Choice]]) -> dict[str, Json]:
        """Say who is nearest to going out, who threatens most, and the shares to come."""
        names = [seat.name for seat in self.state.seats]
        others = [player for player in self.table.players if player != self.table.to_move]
        details: dict[str, Json] = {
            "nearest_out": names[min(others, key=self.table.cards)],
        }
        best = next(iter(standings), None)
        if best is not None:
            sums = self.trials.shares[best.candidate]
            shares = [total / sum(sums) for total in sums]
            details["threat"] = names[max(others, key=lambda player: shares[player])]
            details["shares"] = {
                name: round(share, 4) for name, share in zip(names, shares, strict=True)
            }
            details["samples"] = best.samples
        return details

    def _cells(self, choice: Choice) -> tuple[Cell, ...]:
        return self.table.grid.cells_of(choice[0])

    def _move(self, choice: Choice) -> Json:
        victim = None if choice[1] is None else self.state.seats[choice[1]].name
        return dump_move(Move(play=self._cells(choice), steal_from=victim))

    def _reason(self, choice: Choice) -> str:
        play, victim = choice
        table = self.table
        connections = table.connections(play)
        words = [f"{connections} connections" if connections > 1 else "1 connection"]
        if table.takes_blocker(play):
            former = table.blocker
            lost = "" if former is None else f" from {self.state.seats[former].name}"
            words.append(f"takes the Blocker{lost}")
        if victim is None:
            words.append("nobody can be robbed")
        else:
            words.append(self._robbery(victim, connections))
        return "; ".join(words)

    def _robbery(self, victim: int, connections: int) -> str:
        name, held = self.state.seats[victim].name, self.table.cards(victim)
        if connections >= held:
            return f"takes all {held} cards of {name}, who is out"
        others = [player for player in self.table.players if player != self.table.to_move]
        rank = ""
        if len(others) > 1 and held == max(map(self.table.cards, others)):
            rank = ", the richest,"
        elif len(others) > 1 and held == min(map(self.table.cards, others)):
            rank = ", the nearest to going out,"
        return f"robs {name}{rank} of {connections} of {held} cards"


def _rounded(error: float | None) -> float | None:
    return None if error is None else round(error, 4)
