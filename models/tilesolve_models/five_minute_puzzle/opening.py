"""Which hexagons to fill before the start (FM8): every choice, from what plans leave empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from tilesolve.answers import Hint, Hints
from tilesolve.budget import Meter
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.model import UNIT
from tilesolve_models.five_minute_puzzle.planning import LOST, Plans
from tilesolve_models.five_minute_puzzle.playing import Playout
from tilesolve_models.five_minute_puzzle.position import Position
from tilesolve_models.five_minute_puzzle.ranking import (
    LOOK,
    PLAY_WORK,
    futures,
    share,
    try_out,
)
from tilesolve_models.five_minute_puzzle.state import Prefill, State, dump_move
from tilesolve_models.five_minute_puzzle.trial import Estimate, Trial

MOST_SPARE = 12
"""Hexagons that a plan leaves empty among which choices are looked for."""


def hint_prefill(state: State, *, count: int, meter: Meter) -> Hints:
    """Rank every choice of 0 to 3 hexagons by the expected final penalty."""
    start = rules.position(state)
    seed = meter.budget.seed
    plans = Plans(start, seed=seed)
    spent = share(meter, 0.25)
    plans.look(start, {}, 0, nodes=LOOK, meter=spent)
    meter.spend(spent.worked)
    guesses = dict(_guesses(start, plans))
    rolls = futures(state.upcoming, start.available.bit_count(), seed)
    openings: dict[int, Plans] = {}

    def play(mask: int, sample: int, meter: Meter) -> float:
        meter.spend(PLAY_WORK)
        if mask not in openings:
            openings[mask] = _opened(plans, mask, meter)
        table = openings[mask]
        game = Playout(table, table.now, state.rules.forgo_may_cross_rolled)
        return game.play(rolls(sample), meter=meter)

    trial = Trial(guesses, play)
    spent = share(meter, 0.85)
    try_out(trial, sorted(guesses, key=lambda mask: guesses[mask]), spent)
    meter.spend(spent.worked)
    ranked = trial.estimates()
    return Hints(
        hints=tuple(_hint(start, plans, each) for each in ranked[:count]),
        exact=False,
        unit=UNIT,
        stopped_by=spent.stopped_by,
        seconds=meter.seconds,
        details={"candidates": len(ranked), "plans": len(plans.plans)},
    )


def _opened(plans: Plans, mask: int, meter: Meter) -> Plans:
    """Return the plans of the sheet with these hexagons filled, the ones known among them."""
    start = plans.now
    opened = Plans(Position(start.edition, mask, start.available), seed=plans.seed)
    for plan in plans.plans:
        laid = sum(plan.values())
        if not laid & mask:
            rest = Position(start.edition, laid | mask, 0)
            opened.add(plan, rest.penalty)
    opened.look(opened.now, {}, 0, nodes=LOOK // 20, meter=meter)
    return opened


def _choices(start: Position) -> Iterator[int]:
    """Yield all choices: none, and one to three hexagons, together or apart."""
    hexagons = [1 << cell for cell in bits(start.edition.hexagons)]
    for size in range(rules.MOST_PREFILLED + 1):
        for chosen in combinations(hexagons, size):
            yield sum(chosen)


def _guesses(start: Position, plans: Plans) -> Iterator[tuple[int, float]]:
    """Yield each choice with a guess of the final penalty.

    A choice is worth the best plan that leaves just these hexagons empty, and a little more if
    there are few such plans; where there is none, about half a piece will be lost.
    """
    edition = start.edition
    ways: Counter[int] = Counter()
    sight: dict[int, int] = {}
    for plan in plans.plans:
        laid = sum(plan.values())
        spare = list(bits(start.empty & ~laid & edition.hexagons))[:MOST_SPARE]
        for size in range(rules.MOST_PREFILLED + 1):
            for chosen in combinations(spare, size):
                mask = sum(1 << cell for cell in chosen)
                penalty = Position(edition, start.filled | laid | mask, 0).penalty
                ways[mask] += 1
                sight[mask] = min(penalty, sight.get(mask, penalty))
    unknown = (plans.best_of_all or 0) + LOST / 2
    for mask in _choices(start):
        if mask in sight:
            yield mask, sight[mask] + 1 / (1 + ways[mask])
        else:
            yield mask, unknown - mask.bit_count()


def _hint(start: Position, plans: Plans, found: Estimate[int]) -> Hint:
    cells = start.edition.cells_of(found.candidate)
    return Hint(
        move=dump_move(Prefill(cells)),
        value=round(found.value, 3),
        standard_error=round(found.error, 3),
        loss=round(found.loss, 3),
        reason=_reason(start, plans, found.candidate),
        cells=cells,
        details={"loss_error": round(found.loss_error, 3), "games": found.games},
    )


def _reason(start: Position, plans: Plans, mask: int) -> str:
    cells = mask.bit_count()
    what = ("Nothing is filled first", "One hexagon is filled first")
    filled = what[cells] if cells < len(what) else f"{cells} hexagons are filled first"
    keeping = [laid for plan in plans.plans if not (laid := sum(plan.values())) & mask]
    if not keeping:
        return f"{filled}; none of the {len(plans.plans)} good endings found leaves them empty."
    best = min(Position(start.edition, laid | mask, 0).penalty for laid in keeping)
    return (
        f"{filled}; {len(keeping)} of the {len(plans.plans)} good endings found go on, the best "
        f"of them ends with {best}."
    )
