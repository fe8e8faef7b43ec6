"""Which hexagons to fill before the start (FM8): choices that plans leave empty, played out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from tilesolve.answers import Hint, Hints
from tilesolve.budget import Meter
from tilesolve.placement.problem import bits
from tilesolve.simulate.race import race
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.model import UNIT
from tilesolve_models.five_minute_puzzle.packing import Packing
from tilesolve_models.five_minute_puzzle.planning import SLACK, Plans, Playout, find_plans
from tilesolve_models.five_minute_puzzle.position import Position
from tilesolve_models.five_minute_puzzle.ranking import MOST_SAMPLES, PLAY_WORK, futures, share
from tilesolve_models.five_minute_puzzle.state import Prefill, State, dump_move

TRIPLES = 6
"""Choices of as many hexagons as allowed that are played out; smaller ones get one each."""


@dataclass(frozen=True)
class _Choice:
    """Cells filled first, and the plans that go on from there."""

    mask: int
    plans: Plans


def hint_prefill(state: State, *, count: int, meter: Meter) -> Hints:
    """Rank choices of 0 to 3 hexagons by the expected final penalty.

    There are thousands of choices; those ranked are the ones that many plans leave empty, and
    none, one and two hexagons for comparison.
    """
    start = rules.position(state)
    rolled_too = state.rules.forgo_may_cross_rolled
    part = share(meter, 0.25)
    found = find_plans(start, (), seed=meter.budget.seed, meter=part)
    meter.spend(part.worked)
    masks = list(_masks(start, [plan.empty for plan in found]))
    choices = []
    for number, mask in enumerate(masks):
        now = Position(start.edition, mask, start.available)
        part = share(meter, 0.6 / (len(masks) - 0.5 * number))
        plans = find_plans(now, (), seed=meter.budget.seed, meter=part)
        meter.spend(part.worked)
        plans = _best_first((*_filled_in(found, now), *plans))
        choices.append(_Choice(mask, Plans(now, plans, rolled_too=rolled_too)))
    rolls = futures(state.upcoming, start.available.bit_count(), meter.budget.seed)

    def play(choice: _Choice, sample: int) -> float:
        meter.spend(PLAY_WORK)
        game = Playout.after(choice.plans, choice.plans.now, choice.plans.every)
        return game.play(rolls(sample))

    standings = race(choices, play, meter=meter, sense="minimise", most=MOST_SAMPLES)
    standings = tuple(sorted(standings, key=lambda standing: standing.difference))
    hints = tuple(
        Hint(
            move=dump_move(Prefill(start.edition.cells_of(standing.candidate.mask))),
            value=round(standing.mean, 3),
            standard_error=standing.standard_error and round(standing.standard_error, 3),
            loss=round(max(0.0, standing.difference), 3),
            reason=_reason(standing.candidate),
            cells=start.edition.cells_of(standing.candidate.mask),
        )
        for standing in standings[:count]
    )
    return Hints(
        hints=hints,
        exact=False,
        unit=UNIT,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={"candidates": len(masks)},
    )


def _filled_in(plans: tuple[Packing, ...], now: Position) -> Iterator[Packing]:
    """Yield the plans that leave empty what is filled now, without those cells."""
    for plan in plans:
        if plan.empty & now.filled == now.filled:
            empty = plan.empty & ~now.filled
            rest = Position(now.edition, now.edition.everything & ~empty, 0)
            yield Packing(plan.lays, empty, rest.penalty)


def _best_first(plans: tuple[Packing, ...]) -> tuple[Packing, ...]:
    different = {frozenset(plan.lays): plan for plan in plans}
    least = min((plan.penalty for plan in plans), default=0)
    kept = [plan for plan in different.values() if plan.penalty <= least + SLACK]
    return tuple(sorted(kept, key=lambda plan: plan.penalty))


def _masks(start: Position, spare: list[int]) -> Iterator[int]:
    """Yield the choices that most plans leave empty, the largest first, and none."""
    hexagons = start.edition.hexagons
    for size in range(rules.MOST_PREFILLED, 0, -1):
        counted: Counter[int] = Counter()
        for empty in spare:
            free = list(bits(empty & hexagons))[:12]
            counted.update(sum(1 << cell for cell in some) for some in combinations(free, size))
        most = TRIPLES if size == rules.MOST_PREFILLED else 1
        yield from (mask for mask, _ in sorted(counted.items(), key=_often)[:most])
    yield 0


def _often(entry: tuple[int, int]) -> tuple[int, int]:
    return -entry[1], entry[0]


def _reason(choice: _Choice) -> str:
    cells = choice.mask.bit_count()
    plans = choice.plans.plans
    filled = {0: "nothing is filled first", 1: "one hexagon is filled first"}.get(
        cells, f"{cells} hexagons are filled first"
    )
    if not plans:
        return f"{filled[:1].upper()}{filled[1:]}; no plan was found in time."
    return (
        f"{filled[:1].upper()}{filled[1:]}; {len(plans)} plans were found, the best of them ends "
        f"with {plans[0].penalty}."
    )
