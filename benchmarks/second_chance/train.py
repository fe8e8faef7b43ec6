"""Learn the worth of Second Chance positions from games, and write it into the game's data.

    python benchmarks/second_chance/train.py [--games 4000] [--rounds 2]

Games are played by the current worth, with some moves at random among the promising ones.
Positions met on the way are played out to the end several times, and a network is fitted to the
mean empties. With the same numpy the same weights come out. They are not the weights that ship,
which an earlier script made; in 400 games they played about as well (2.62 against 2.48 empties,
standard errors 0.1).
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tilesolve_models.second_chance import worth
from tilesolve_models.second_chance.catalogue import Catalogue, Numbers, catalogue
from tilesolve_models.second_chance.deck import Deck, named_deck
from tilesolve_models.second_chance.grid import Grid
from tilesolve_models.second_chance.lockstep import Tables, finish
from tilesolve_models.second_chance.playout import deal, play_on
from tilesolve_models.second_chance.policy import Choice, learner, rated
from tilesolve_models.second_chance.worth import Reals, Worth

OUT = Path(worth.__file__).parent / "data" / "worth.json"
HIDDEN, PLAYOUTS, EXPLORE, KEPT = 32, 8, 0.12, 0.4


@dataclass
class Met:
    """A position after a draw, and what may still come."""

    counts: Numbers
    remaining: Numbers
    expected: float


def positions(book: Catalogue, deck: Deck, seed: int) -> list[Met]:
    """Play one game and return some of the positions it met, played out."""
    rng = random.Random(f"train {seed}")
    met: list[Met] = []

    def explore(choice: Choice) -> int:
        drawn = learner(choice)
        if rng.random() < EXPLORE:
            options, _ = rated(choice, most=4)
            drawn = int(options[rng.randrange(len(options))])
        if rng.random() < KEPT:
            met.append(played_out(book, choice, drawn, rng))
        return drawn

    game = deal(book, deck, Grid(9, 9).mask([(4, 4)]), rng)
    choice = game.start(book, rng)
    live = choice.after(np.array([explore(choice)]))[0]
    play_on(book, live, game.pile, explore, rng)
    return met


def played_out(book: Catalogue, choice: Choice, drawn: int, rng: random.Random) -> Met:
    """Play the position after a draw to its end, through several orders of the cards left."""
    live = choice.after(np.array([drawn]))
    cards = [tile for tile, copies in enumerate(choice.remaining) for _ in range(copies)]
    orders = [rng.sample(cards, len(cards)) for _ in range(PLAYOUTS)]
    tables = Tables.of(np.repeat(live, PLAYOUTS, axis=0), orders, len(book.tiles))
    expected = float(np.mean(finish(book, tables)))
    return Met(book.counts(live)[0], choice.remaining.copy(), expected)


def fitted(figures: Reals, expected: Reals, *, epochs: int = 60, batch: int = 256) -> Worth:
    """Return the network of least squares, by Adam with a falling step."""
    mean, spread = figures.mean(axis=0), figures.std(axis=0) + 1e-6
    inputs = ((figures - mean) / spread).astype(np.float64)
    rng = np.random.default_rng(0)
    weights = [
        rng.normal(0, inputs.shape[1] ** -0.5, (inputs.shape[1], HIDDEN)),
        np.zeros(HIDDEN),
        rng.normal(0, HIDDEN**-0.5, HIDDEN),
        np.array([float(expected.mean())]),
    ]
    first = [np.zeros_like(weight) for weight in weights]
    second = [np.zeros_like(weight) for weight in weights]
    step = 0
    for epoch in range(epochs):
        rate = 2e-3 * (1 - epoch / epochs) + 1e-5
        for chosen in np.array_split(rng.permutation(len(inputs)), len(inputs) // batch):
            step += 1
            slopes = _slopes(weights, inputs[chosen], expected[chosen])
            for index, slope in enumerate(slopes):
                first[index] = 0.9 * first[index] + 0.1 * slope
                second[index] = 0.999 * second[index] + 0.001 * slope**2
                size = np.sqrt(second[index] / (1 - 0.999**step)) + 1e-8
                weights[index] = weights[index] - rate * first[index] / (1 - 0.9**step) / size
    inner, bend, outer, base = weights
    inner = inner / spread[:, None]
    return Worth(
        inner=inner.astype(np.float32),
        bend=(bend - mean @ inner).astype(np.float32),
        outer=outer.astype(np.float32),
        base=float(base[0]),
    )


def _slopes(
    weights: list[np.ndarray], inputs: np.ndarray, expected: np.ndarray
) -> tuple[np.ndarray, ...]:
    inner, bend, outer, base = weights
    hidden = np.maximum(inputs @ inner + bend, 0)
    error = 2 * (hidden @ outer + base - expected) / len(inputs)
    back = np.outer(error, outer) * (hidden > 0)
    return inputs.T @ back, back.sum(axis=0), hidden.T @ error, np.array([error.sum()])


def dumped(network: Worth) -> str:
    """Return the network as JSON, rounded."""
    fields = {"inner": network.inner, "bend": network.bend, "outer": network.outer}
    rounded = {name: np.round(value.astype(float), 5).tolist() for name, value in fields.items()}
    return json.dumps({**rounded, "base": round(network.base, 5)}) + "\n"


def main() -> None:
    """Train, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=2)
    arguments = parser.parse_args()
    deck = named_deck("synthetic")
    book = catalogue(Grid(9, 9), deck.tiles)
    for turn in range(arguments.rounds):
        met: list[Met] = []
        for game in range(arguments.games):
            met += positions(book, deck, turn * arguments.games + game)
        counts = np.array([each.counts for each in met])
        remaining = np.array([each.remaining for each in met])
        figures = worth.describe(book, counts, remaining)
        expected = np.array([each.expected for each in met], dtype=np.float32)
        kept = len(met) * 9 // 10
        network = fitted(figures[:kept], expected[:kept])
        missed = network.empties(figures[kept:]) - expected[kept:]
        print(
            f"round {turn}: {len(met)} positions, spread {expected.std():.2f}, "
            f"error {np.sqrt(np.mean(missed**2)):.2f}",
            flush=True,
        )
        OUT.write_text(dumped(network), "utf-8")
        worth.learned.cache_clear()


if __name__ == "__main__":
    main()
