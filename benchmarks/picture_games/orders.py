"""Count anew the orders that are kept for 8 x 8: ``python benchmarks/picture_games/orders.py``.

Takes some five processor minutes and two gigabytes, and writes the game's data file.
"""

from __future__ import annotations

import json
from pathlib import Path

import tilesolve_models.new_year_puzzle as game
from tilesolve.budget import Budget, Meter
from tilesolve_models.new_year_puzzle.chances import Knowledge
from tilesolve_models.new_year_puzzle.growth import sequences
from tilesolve_models.new_year_puzzle.joined import family
from tilesolve_models.new_year_puzzle.turns import Turn
from tilesolve_models.picture_grid import grid_of

COMMENT = (
    "In how many orders 0, 1, ... 60 cards of the 8 x 8 picture can be turned up from its four "
    "open corners so that all fit. Made by benchmarks/picture_games/orders.py."
)


def main() -> None:
    grid = grid_of(8, 8)
    ground = Turn.of(Knowledge(grid, grid.corners, 0)).ground
    meter = Meter(budget=Budget(seconds=None))
    sets = [ground.cards]
    joined = family(ground, sets, meter=meter, most=1_000_000)
    assert joined is not None  # nothing stops an unlimited meter
    found = sequences(joined, sets, meter=meter)
    assert found is not None
    numbers = [str(number) for number in found[0]]
    path = Path(game.__file__).parent / "data/orders.json"
    text = json.dumps({"comment": COMMENT, "numbers": numbers}, indent=0)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
