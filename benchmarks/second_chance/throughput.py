"""How many fit tests a second? ``python benchmarks/second_chance/throughput.py``.

One fit test asks whether one placement of one tile still lies on empty squares only. Drawing a
tile updates all of them at once: one ``&`` of two rows of 64-bit words for each candidate. Beside
it stands the same number of words in a bare numpy ``&`` with nothing around it: the ceiling.
Processor seconds, median of seven.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from tilesolve_models.second_chance.catalogue import catalogue
from tilesolve_models.second_chance.deck import named_deck
from tilesolve_models.second_chance.grid import Grid


def seconds(work: Callable[[], object], times: int) -> float:
    started = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - started) / times


def main() -> None:
    book = catalogue(Grid(9, 9), named_deck("synthetic").tiles)
    live = book.live(0)
    slots = np.concatenate([book.slots(live, tile) for tile in range(5, 9)])
    placements = sum(mask != 0 for mask in book.masks)
    rows = len(slots)
    left = np.repeat(live[None, :], rows, axis=0)
    right = np.ascontiguousarray(left[::-1])
    ours = statistics.median(seconds(lambda: book.after(live, slots), 20) for _ in range(7))
    bare = statistics.median(seconds(lambda: left & right, 20) for _ in range(7))
    print(f"{placements} placements on the grid, {rows} candidates drawn in one call")
    print(f"fit tests a second: {rows * placements / ours:.3g}")
    print(f"bare numpy and:     {rows * placements / bare:.3g}")
    print(f"share of the ceiling: {bare / ours:.0%}")


if __name__ == "__main__":
    main()
