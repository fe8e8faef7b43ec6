"""Count anew what is kept for 8 x 8: ``python benchmarks/picture_games/orders.py``.

Takes some twenty processor minutes and four gigabytes, and writes the game's data file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tilesolve_models.new_year_puzzle as game
from tilesolve.budget import Budget, Meter
from tilesolve_models.new_year_puzzle.chances import Knowledge, weights_of
from tilesolve_models.new_year_puzzle.growth import sequences
from tilesolve_models.new_year_puzzle.joined import family
from tilesolve_models.new_year_puzzle.rounded import chances
from tilesolve_models.new_year_puzzle.symmetries import first_image
from tilesolve_models.new_year_puzzle.turns import Turn
from tilesolve_models.picture_grid import Grid, cards_of, grid_of

COMMENT = (
    "8 x 8. numbers: in how many orders 0, 1, ... 60 cards can be turned up from the four open "
    "corners so that all fit. remembered: with one card remembered, for each set of unknown cards "
    "that counts, orders (divided by k!, rounded) and bounds on the errors of the chances. Made by "
    "benchmarks/picture_games/orders.py."
)
COLUMNS = 36
"""Cards turned up, for rounded numbers: more of them fit one time in ten to the power of eleven."""


def main() -> None:
    grid = grid_of(8, 8)
    kept = {"comment": COMMENT, "numbers": exactly(grid), "remembered": list(remembered(grid))}
    path = Path(game.__file__).parent / "data/orders.json"
    path.write_text(json.dumps(kept, indent=0) + "\n", encoding="utf-8")


def exactly(grid: Grid) -> list[str]:
    """Return the numbers before the first flip."""
    ground = Turn.of(Knowledge(grid, grid.corners, 0)).ground
    meter, sets = Meter(budget=Budget(seconds=None)), [ground.cards]
    joined = family(ground, sets, meter=meter, most=1_000_000)
    assert joined is not None  # nothing stops an unlimited meter
    found = sequences(joined, sets, meter=meter)
    assert found is not None
    return [str(number) for number in found[0]]


def homes(grid: Grid) -> list[int]:
    """Return the first of each class of cards that do not fit at the start."""
    cards = grid.everything & ~grid.corners & ~grid.beside(grid.corners)
    known = [Knowledge(grid, grid.corners, 1 << card) for card in cards_of(cards)]
    return [each.known.bit_length() - 1 for each in known if first_image(each) == each]


def remembered(grid: Grid) -> Iterator[dict[str, Any]]:
    """Yield what is kept for the positions after one flip that failed."""
    weights = weights_of(grid, None, reshuffle=False)
    for home in homes(grid):
        turn = Turn.of(Knowledge(grid, grid.corners, 1 << home))
        sets, meter = turn.wanted(weights), Meter(budget=Budget(seconds=None))
        joined = family(turn.ground, sets, meter=meter, most=10_000_000)
        assert joined is not None
        found = chances(joined, sets, meter=meter, columns=COLUMNS)
        assert found is not None
        yield {
            "home": list(grid.cell(home)),
            "orders": found.orders.tolist(),
            "errors": [[_up(error) for error in row] for row in found.errors.tolist()],
        }


def _up(error: float) -> float:
    """Return a bound of few digits; rounding to three is less than the hundredth added."""
    return float(f"{1.01 * error:.3g}")


if __name__ == "__main__":
    main()
