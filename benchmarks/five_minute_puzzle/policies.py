"""Policies of 5 Minuten Puzzle against each other and against the optimum of the same rolls.

    python benchmarks/five_minute_puzzle/policies.py                 # all parts, half an hour
    python benchmarks/five_minute_puzzle/policies.py --part times    # a minute
    python benchmarks/five_minute_puzzle/policies.py --part a        # seven minutes; b likewise
    python benchmarks/five_minute_puzzle/policies.py --part default  # nine minutes

Writes ``policies.md`` beside this file; a part replaces its own sections. Rolls are frozen by the
seed; what depends on the machine is how much the policy ``hint`` can do in its seconds.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import islice
from pathlib import Path

from tilesolve.answers import Simulation
from tilesolve.budget import Budget, Progress, Watch
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.scoring import best
from tilesolve_models.five_minute_puzzle.sheets import SYNTHETIC, shipped
from tilesolve_models.five_minute_puzzle.simulation import POLICIES, simulate
from tilesolve_models.five_minute_puzzle.state import Draw, State

TARGET = Path(__file__).with_name("policies.md")
SEED = 2021


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=tuple(PARTS), action="append")
    asked = parser.parse_args()
    for part in asked.part or PARTS:
        replace_sections("\n".join(PARTS[part]()))


def replace_sections(text: str) -> None:
    """Put sections into the table, in the place of those with the same titles."""
    before = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    sections = {part.split("\n")[0]: part.strip() for part in before.split("\n## ")[1:]}
    sections |= {part.split("\n")[0]: part.strip() for part in f"\n{text}".split("\n## ")[1:]}
    whole = ["\n".join(heading()).strip(), *(f"## {part}" for part in sections.values())]
    TARGET.write_text("\n\n".join(whole) + "\n", encoding="utf-8")


def heading() -> Iterator[str]:
    yield "# 5 Minuten Puzzle: policies and times"
    yield ""
    yield (
        f"tilesolve {version('tilesolve')}, Python {platform.python_version()}, ortools "
        f"{version('ortools')}, {os.cpu_count()} cores ({platform.machine()}), load average "
        f"{os.getloadavg()[0]:.1f}; one worker. Made anew by "
        "`python benchmarks/five_minute_puzzle/policies.py`."
    )
    yield ""


def table(start: State, title: str, games: int, seconds: float) -> Iterator[str]:
    """Yield the table of all policies over the same games."""
    watch = Watch(report=lambda news: report(title, news))
    found = simulate(
        start,
        games=games,
        policies=POLICIES,
        budget=Budget(seconds=None, seed=SEED),
        watch=watch,
        hint_seconds=seconds,
    )
    yield f"## {title}: {games} paired games, {seconds} s a hint, seed {SEED}"
    yield ""
    yield "| policy | mean | standard error | above the optimum | final penalties |"
    yield "| --- | --- | --- | --- | --- |"
    above = found.details["above_optimum"]
    for score in found.policies:
        gap = above[score.policy]
        yield (
            f"| {score.policy} | {score.mean:.2f} | {score.standard_error or 0:.2f} "
            f"| {gap['mean']:.2f} ± {gap['standard_error'] or 0:.2f} "
            f"| {spread(score.distribution)} |"
        )
    optimum = found.optimum
    yield (
        f"| optimum | {optimum['mean']:.2f} | {optimum['standard_error'] or 0:.2f} | 0 "
        f"| {spread(optimum['distribution'])} |"
    )
    yield ""
    yield closed(found)


def closed(found: Simulation) -> str:
    above = found.details["above_optimum"]
    share = 1 - above["hint"]["mean"] / above["greedy"]["mean"]
    return f"The hints close {share:.0%} of greedy's distance to the optimum."


def spread(distribution: object) -> str:
    assert isinstance(distribution, dict)
    return ", ".join(f"{score}: {times}" for score, times in distribution.items())


def best_times() -> Iterator[str]:
    """Yield how long proofs take in the warm process."""
    start = State(shipped(SYNTHETIC[0]))
    best(start, budget=Budget())
    yield "## `best`, warm process, one worker"
    yield ""
    yield "| question | result | seconds |"
    yield "| --- | --- | --- |"
    for title, state, prefill in (
        ("side A, all twelve pieces, free order", start, 0),
        ("side A, best three hexagons pre-filled", start, 3),
        ("side B, all twelve pieces, free order", State(shipped(SYNTHETIC[1])), 0),
        ("side B, best three hexagons pre-filled", State(shipped(SYNTHETIC[1])), 3),
    ):
        answer, seconds = timed(state, prefill)
        yield f"| {title} | {answer} | {seconds:.2f} |"
    for title, careful in (("touching most", True), ("anywhere", False)):
        times = [timed(midgame(number, careful), 0)[1] for number in range(50)]
        middle, slowest = statistics.median(times), max(times)
        yield (
            f"| side A, 50 positions with six pieces drawn {title} "
            f"| all proven | median {middle:.2f}, slowest {slowest:.2f} |"
        )
    rolled = [timed(State(start.edition, rolls=dice(number)), 0)[1] for number in range(20)]
    yield (
        "| side A, twelve known rolls, 20 games | all proven "
        f"| median {statistics.median(rolled):.2f}, slowest {max(rolled):.2f} |"
    )
    yield ""


def timed(state: State, prefill: int) -> tuple[str, float]:
    begun = time.perf_counter()
    answer = best(state, budget=Budget(seconds=120), prefill=prefill)
    seconds = time.perf_counter() - begun
    if answer.proof != "optimal":
        raise SystemExit(f"not proven: {answer}")
    return f"{answer.score}, proven", seconds


def dice(number: int) -> tuple[int, ...]:
    chance = random.Random(f"{SEED}/{number}")
    return tuple(chance.randint(1, 6) for _ in range(12))


def midgame(number: int, careful: bool) -> State:
    """Return a position with six pieces drawn, at the place that touches most or anywhere."""
    chance = random.Random(f"{SEED}/{number}")
    state = State(shipped(SYNTHETIC[0]))
    while len(state.history) < 6:
        draws = [move for move in islice(rules.moves(state), 2000) if isinstance(move, Draw)]
        chance.shuffle(draws)
        state = rules.apply(
            state, max(draws, key=lambda m: touching(state, m)) if careful else draws[0]
        )
    return state


def touching(state: State, move: Draw) -> int:
    edition, filled = state.edition, rules.position(state).filled
    near = [edition.near[edition.numbers[cell]] for cell in move.cells]
    return sum(6 - around.bit_count() + (around & filled).bit_count() for around in near)


def report(title: str, news: Progress) -> None:
    print(f"\r{title}: {news.done} of {news.total}", end="", file=sys.stderr, flush=True)


def games_on(side: int, games: int, seconds: float) -> Iterator[str]:
    """Yield the table of one side."""
    name = SYNTHETIC[side]
    yield from table(State(shipped(name)), f"`{name}`", games, seconds)


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "times": best_times,
    "a": lambda: games_on(0, 200, 0.2),
    "b": lambda: games_on(1, 200, 0.2),
    "default": lambda: games_on(0, 30, 2.0),
}


if __name__ == "__main__":
    main()
