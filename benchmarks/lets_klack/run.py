"""Measure LET'S KLACK on random deals: ``python benchmarks/lets_klack/run.py [PART [DEALS]]``.

Parts: ``deals`` (how hard random deals are), ``speed`` (fewest moves, table), ``cards`` (special
cards), ``cold`` (one command from nothing), ``peers`` (beside explicit networkx graphs),
``barred`` (covered cards bar the way: up to ten minutes). Without a part all of them are measured
one after the other, and the output is ``results.md`` whole: some twelve minutes.
Times are processor seconds, warm, of the library call, lines replayed by the rules.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from tilesolve.budget import Budget, Meter
from tilesolve_models.lets_klack import explicit, model, rules
from tilesolve_models.lets_klack.deal import deal
from tilesolve_models.lets_klack.outlook import points
from tilesolve_models.lets_klack.position import Rules, State

FREE = Budget(seconds=None)


def timed(calls: Iterable[Callable[[], Any]]) -> tuple[list[float], list[Any]]:
    times, results = [], []
    for call in calls:
        start = time.process_time()
        results.append(call())
        times.append(1000 * (time.process_time() - start))
    return times, results


def row(name: str, times: list[float]) -> None:
    ranked = sorted(times)
    at = [ranked[min(len(ranked) - 1, int(share * len(ranked)))] for share in (0.5, 0.95)]
    mean = statistics.mean(times)
    print(
        f"| {name} | {len(times)} | {mean:.2f} | {at[0]:.2f} | {at[1]:.2f} | {ranked[-1]:.2f} |",
        flush=True,
    )


def head() -> None:
    print("| what | deals | mean ms | median | 95 % | worst |")
    print("| --- | --- | --- | --- | --- | --- |")


def best_of(state: State, budget: Budget = FREE, **parameters: Any) -> Callable[[], Any]:
    return lambda: model.best(state, budget=budget, **parameters)


def deals(number: int) -> None:
    states = [deal(seed) for seed in range(number)]
    scores = [model.best(state, budget=FREE, table=False).score or 0 for state in states]
    covered = [len(state.covered) for state in states]
    print(
        f"{number} deals: mean {statistics.mean(scores):.2f}, "
        f"deviation {statistics.stdev(scores):.2f}, "
        f"range {min(scores)} to {max(scores)}, "
        f"covered in phase 1: {statistics.mean(covered):.2f}"
    )


def speed(number: int) -> None:
    states = [deal(seed) for seed in range(number)]
    head()
    row("fewest moves, line", timed(best_of(state, table=False) for state in states)[0])
    row("with the table for every k", timed(best_of(state) for state in states)[0])


def cards(number: int) -> None:
    states = [deal(seed) for seed in range(number)]
    head()
    for card in ("fly", "away", "again", "swap"):
        held = [replace(state, specials=(card,)) for state in states]
        row(f"{card}, line", timed(best_of(state, table=False) for state in held)[0])
        row(f"{card}, with the table", timed(best_of(state) for state in held)[0])


def barred(number: int, seconds: float = 10.0, first: int = 900) -> None:
    """Seconds of the whole answer, table and all, within a limit; what was proven in it."""
    for cover in ("optional", "automatic"):
        states = [
            deal(seed, options=Rules(jump_covered=False, cover=cover))
            for seed in range(first, first + number)
        ]
        head()
        calls = (best_of(state, Budget(seconds=seconds)) for state in states)
        times, found = timed(calls)
        row(f"covered cards bar the way, cover {cover}", times)
        never = [each for each in found if each.proof == "infeasible"]
        solved = [each for each in found if each.proof == "optimal"]
        possible = [each for each in found if each.proof in ("optimal", "feasible")]
        least = [each for each in never if _least_proven(each)]
        tables = [each for each in found if "by_moves" in each.details]
        mean = statistics.mean(each.score or 0 for each in solved) if solved else 0
        print(
            f"\n{cover}, {seconds:.0f} s each: of {number} deals {len(never) + len(possible)} "
            f"decided, {len(never)} of them impossible (least minus points proven for "
            f"{len(least)}); of {len(possible)} possible ones the fewest moves proven for "
            f"{len(solved)} (mean {mean:.1f}); tables proven {len(tables)}\n"
        )


def _least_proven(found: Any) -> bool:
    leftover = found.details["leftover"]
    return bool(leftover["minus_points"] == leftover["bound"])


def peers(number: int) -> None:
    """Small endings, so that the explicit graph can be built at all."""
    states: list[State] = []
    for seed in range(10 * number):
        state = deal(seed)
        if len(state.blocks) <= 6 and len(states) < number:
            kept = state.blocks[:3]
            gone = tuple(value for value, _ in state.blocks[3:])
            covered = tuple(sorted((*state.covered, *gone)))
            states.append(replace(state, blocks=kept, covered=covered))
    head()
    row("three blocks, this", timed(best_of(state) for state in states)[0])
    calls = (
        (lambda state=state: explicit.outlook(state, points(state), meter=Meter(budget=FREE)))
        for state in states
    )
    row("three blocks, explicit networkx graph", timed(calls)[0])


def cold(number: int) -> None:
    """Processor and wall seconds of whole commands, the interpreter's start included."""
    program = str(Path(sys.executable).with_name("tilesolve"))
    command = [program, "best", "-", "--json", "--quiet"]
    text = json.dumps(rules.dump(deal(4)))
    spent, waited = [], []
    for _ in range(number):
        before, began = os.times(), time.monotonic()
        subprocess.run(command, input=text, text=True, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        waited.append(time.monotonic() - began)
        user = after.children_user - before.children_user
        spent.append(user + after.children_system - before.children_system)
    print(
        f"`tilesolve best deal.json`, {number} times from nothing: processor seconds median "
        f"{statistics.median(spent):.2f}, wall seconds median {statistics.median(waited):.2f}"
    )


PARTS: dict[str, tuple[Callable[[int], None], int]] = {
    "deals": (deals, 5000),
    "speed": (speed, 3000),
    "cards": (cards, 200),
    "cold": (cold, 11),
    "peers": (peers, 10),
    "barred": (barred, 30),
}

HEADING = """# LET'S KLACK: last figures

`python benchmarks/lets_klack/run.py > benchmarks/lets_klack/results.md`. Processor milliseconds,
warm, one core; lines are replayed by the rules inside the time.
"""


def main() -> None:
    parts = sys.argv[1:2] or list(PARTS)
    if len(sys.argv) == 1:
        print(HEADING)
        versions = [f"{name} {metadata.version(name)}" for name in ("numpy", "networkx")]
        print(f"Python {platform.python_version()}, {', '.join(versions)}, {os.cpu_count()} cores.")
    model.best(deal(0), budget=FREE)  # warm: networkx is imported at the first question
    for part in parts:
        function, number = PARTS[part]
        if len(parts) > 1:
            print(f"\n## {part}\n", flush=True)
        function(int(sys.argv[2]) if len(sys.argv) > 2 else number)


if __name__ == "__main__":
    main()
