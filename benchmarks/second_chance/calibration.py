"""Are the values of hints unbiased, and do their standard errors cover?

    python benchmarks/second_chance/calibration.py [--positions 300] [--plays 1500]

Positions of many games, one of each, are asked for hints. The best, the middle and the worst
placement are then played out by the learned policy through fresh futures, which is what a hint's
value speaks of. Writes ``calibration.md`` beside itself; the same on every machine.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tilesolve.budget import Budget
from tilesolve.simulate.statistics import Mean, mean_of
from tilesolve.wire import Node
from tilesolve_models.second_chance.choices import book_of, choice_of, copies, options_of
from tilesolve_models.second_chance.dealing import deal
from tilesolve_models.second_chance.foresight import Futures, cards_of
from tilesolve_models.second_chance.grid import Grid
from tilesolve_models.second_chance.hints import hint
from tilesolve_models.second_chance.notation import load_move
from tilesolve_models.second_chance.policy import learner
from tilesolve_models.second_chance.rules import apply
from tilesolve_models.second_chance.state import Draw, State

OUT = Path(__file__).with_suffix(".md")
LATEST, STRAY, ENDS = 14, 0.1, 60
"""Draws before a position at most, share of them by chance, and futures played from it."""


@dataclass(frozen=True)
class Case:
    """What was said of a placement, and how its games ended."""

    empty: int
    said: float
    error: float
    simulated: bool
    ended: Mean

    @property
    def gap(self) -> float:
        """How much more was said than came."""
        return self.said - self.ended.mean

    @property
    def miss(self) -> float:
        """The gap in standard errors, those of both sides together."""
        return self.gap / math.hypot(self.error, self.ended.standard_error or 0.0, 1e-9)


def position(number: int) -> State | None:
    """Return a position of game `number` with a choice to make, or None where it ended before."""
    rng = random.Random(f"calibration {number}")
    state = deal(rng)
    for _ in range(rng.randrange(LATEST)):
        options = options_of(state, state.players[0])
        if not options:
            return None
        choice = choice_of(state, state.players[0], options, rng)
        chosen = rng.randrange(len(options)) if rng.random() < STRAY else learner(choice)
        tile, mask = options[chosen]
        state = apply(state, Draw(tile, state.grid.cells(mask)))
    return state if len(options_of(state, state.players[0])) >= 3 else None


def ended(state: State, filled: int) -> Mean:
    """Return how games end that go on with these squares filled."""
    book = book_of(state)
    lives = book.live(filled)[None, :]
    futures = Futures(book, lives, cards_of(copies(book, state)), 10**6)
    futures.prepare([0], range(ENDS))
    return mean_of(futures.play(0, sample) for sample in range(ENDS))


def cases(state: State, plays: int) -> tuple[Case, ...] | None:
    """Return the best, the middle and the worst hint and how they end; None for exact ones."""
    found = hint(state, count=10**6, budget=Budget(seconds=None, work=plays))
    if found.exact:
        return None
    listed = found.hints
    result = []
    for each in (listed[0], listed[len(listed) // 2], listed[-1]):
        move = load_move(Node(each.move), state)
        assert isinstance(move, Draw)
        grid: Grid = state.grid
        filled = state.players[0].filled | grid.mask(move.cells)
        said, error = float(each.value or 0), float(each.standard_error or 0)
        simulated = each.details["by"] == "simulation"
        empty = state.players[0].empties
        result.append(Case(empty, said, error, simulated, ended(state, filled)))
    return tuple(result)


def row(label: str, listed: list[Case]) -> str:
    gaps = mean_of(case.gap for case in listed)
    misses = np.array([case.miss for case in listed])
    return (
        f"| {label} | {len(listed)} | {statistics.fmean(c.said for c in listed):.2f} "
        f"| {statistics.fmean(c.ended.mean for c in listed):.2f} "
        f"| {gaps.mean:+.3f} ± {gaps.standard_error or 0:.3f} "
        f"| {statistics.fmean(c.error for c in listed):.2f} "
        f"| {misses.std():.2f} | {100 * np.mean(abs(misses) <= 1):.0f} % "
        f"| {100 * np.mean(abs(misses) <= 2):.0f} % |"
    )


def main() -> None:
    """Ask, play, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--plays", type=int, default=1500, help="about a second a hint")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    found: list[tuple[Case, ...]] = []
    number = 0
    while len(found) < arguments.positions:
        state = position(number)
        number += 1
        asked = None if state is None else cases(state, arguments.plays)
        if asked is not None:
            found.append(asked)
            if len(found) % 20 == 0:
                print(len(found), row("best", [each[0] for each in found]), flush=True)
    every = [case for each in found for case in each]
    groups = {name: [e[i] for e in found] for i, name in enumerate(("best", "middle", "worst"))}
    for name, least, most in (("50 and more", 50, 81), ("25 to 49", 25, 49), ("below 25", 0, 24)):
        groups[f"with {name} empty"] = [c for c in every if least <= c.empty <= most]
    groups["simulated"] = [case for case in every if case.simulated]
    groups["by the learned worth alone"] = [case for case in every if not case.simulated]
    rows = [row(name, listed) for name, listed in groups.items() if listed]
    text = f"""# Second Chance: what the values of hints are worth

{len(found)} positions of as many games on the synthetic deck, {arguments.plays} plays a hint. Said
is a hint's value; the games after it were then played to their ends {ENDS} times by the learned
policy. The gap is said minus ended. In errors of both sides together the gap should have spread
1, 68 % within one and 95 % within two. Made by `calibration.py`.

| hints | number | said | ended | gap | stated error | spread | within 1 | within 2 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
    arguments.out.write_text(text + "\n".join(rows) + "\n", "utf-8")


if __name__ == "__main__":
    main()
