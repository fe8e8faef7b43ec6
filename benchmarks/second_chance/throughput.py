"""How many fit tests a second, and how long do `check`, `fit` and `hint` take?

    python benchmarks/second_chance/throughput.py

One fit test asks whether one placement of one tile still lies on empty squares only. Drawing a
tile updates all of them at once: one ``&`` of two rows of 64-bit words for each candidate. Beside
it stands the same number of words in a bare numpy ``&`` with nothing around it: the ceiling. Then
the questions about positions of one game and on an empty grid, warm, in this process. Processor
seconds; writes ``throughput.md`` beside itself.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from tilesolve.budget import Budget
from tilesolve_models.second_chance.catalogue import catalogue
from tilesolve_models.second_chance.check import check
from tilesolve_models.second_chance.choices import choice_of, options_of
from tilesolve_models.second_chance.dealing import deal
from tilesolve_models.second_chance.deck import named_deck
from tilesolve_models.second_chance.fitting import fit
from tilesolve_models.second_chance.grid import Grid
from tilesolve_models.second_chance.hints import hint
from tilesolve_models.second_chance.policy import learner
from tilesolve_models.second_chance.rules import apply
from tilesolve_models.second_chance.state import Draw, Player, State

OUT = Path(__file__).with_suffix(".md")
DEFAULT = Budget(seconds=2)


def seconds(work: Callable[[], object], times: int) -> float:
    started = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - started) / times


def tests() -> list[str]:
    """Return the fit tests a second, ours and bare numpy's."""
    book = catalogue(Grid(9, 9), named_deck("synthetic").tiles)
    live = book.live(0)
    slots = np.concatenate([book.slots(live, tile) for tile in range(5, 9)])
    placements = sum(mask != 0 for mask in book.masks)
    rows = len(slots)
    left = np.repeat(live[None, :], rows, axis=0)
    right = np.ascontiguousarray(left[::-1])
    ours = statistics.median(seconds(lambda: book.after(live, slots), 20) for _ in range(7))
    bare = statistics.median(seconds(lambda: left & right, 20) for _ in range(7))
    return [
        f"{placements} placements of the synthetic deck on the grid, {rows} candidates drawn in",
        f"one call: {rows * placements / ours:.2g} fit tests a second, bare numpy "
        f"{rows * placements / bare:.2g}: {bare / ours:.0%} of the ceiling.",
    ]


def positions() -> dict[str, State]:
    """Return positions of one game, from the start tile to the end, and the most placements."""
    largest = [tile for tile in named_deck("synthetic").counts if tile.size == 7]
    empty = Player(("." * 9,) * 9)
    found = {
        "two tiles of 7 on an empty grid": State(
            (empty,), turned_up=(largest[0], largest[1]), deck=named_deck("synthetic"),
            standard=False, marked=None,
        )
    }  # fmt: skip
    state = deal(random.Random(5))
    while options := options_of(state, state.players[0]):
        name = "start tile" if state.phase == "start" else f"{state.players[0].empties} empty"
        found[name] = state
        tile, mask = options[learner(choice_of(state, state.players[0], options, random.Random(1)))]
        state = apply(state, Draw(tile, state.grid.cells(mask)))
    return found


def questions() -> list[str]:
    lines = [
        "| position | placements | check, ms | fit, ms | hint, s | by the clock | its error |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    asked = positions()
    hint(asked["start tile"], count=10, budget=Budget(seconds=0.2))
    for name, state in asked.items():
        checked = seconds(partial(check, state), 9)
        fitted = seconds(partial(fit, state, budget=DEFAULT), 9)
        wall, cpu = time.monotonic(), time.process_time()
        hints = hint(state, count=10, budget=DEFAULT)
        cpu, wall = time.process_time() - cpu, time.monotonic() - wall
        error = "exact" if hints.exact else f"{hints.hints[0].standard_error:.2f}"
        lines.append(
            f"| {name} | {len(options_of(state, state.players[0]))} | {1e3 * checked:.2f} "
            f"| {1e3 * fitted:.2f} | {cpu:.2f} | {wall:.2f} | {error} |"
        )
    return lines


def main() -> None:
    """Measure, and write the table."""
    text = [
        "# Second Chance: fit tests a second, and the time that questions take",
        "",
        "Made by `throughput.py`: processor seconds of one core, warm; a hint has its default",
        "budget of 2 s by the clock.",
        "",
        *tests(),
        "",
        *questions(),
    ]
    OUT.write_text("\n".join(text) + "\n", "utf-8")


if __name__ == "__main__":
    main()
