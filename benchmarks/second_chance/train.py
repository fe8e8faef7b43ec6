"""Learn the worth of Second Chance positions from games, and write it into the game's data.

    python benchmarks/second_chance/train.py [--out FILE]

It starts from a policy that only draws where the edges of the empty squares stay short. In every
round games are played by the worth learned so far, some draws left to chance; the positions met
are played out to their ends, and a network is fitted to the empties left. The file that ships is
what this script makes: with the same numpy on the same kind of processor bit for bit, elsewhere
with other last digits, which a few draws among nearly equal ones then turn into other games.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tilesolve_models.second_chance import worth as worths
from tilesolve_models.second_chance.catalogue import Catalogue, Numbers, Words, catalogue
from tilesolve_models.second_chance.deck import Deck, named_deck
from tilesolve_models.second_chance.grid import Grid
from tilesolve_models.second_chance.lockstep import Tables, finish, placements, play_round
from tilesolve_models.second_chance.playout import Deal, deal
from tilesolve_models.second_chance.policy import shortest
from tilesolve_models.second_chance.worth import FIGURES, Reals, Worth, describe, forecast

OUT = Path(worths.__file__).parent / "data" / "worth.json"
GAMES = (400, 1200, 2400, 4800)
"""Games of each round; the policy is better every time."""

HIDDEN = 40
PLAYOUTS = 3
"""How often a position is played out."""

STRAY, KEPT = 0.2, 0.45
"""Shares of draws that are left to chance, and of positions that are learned from."""

NEAR = 12
"""Placements of a tile among which half of the draws by chance choose, of shortest edges."""


@dataclass(frozen=True)
class Met:
    """Positions after draws, and which cards may still come.

    Parameters
    ----------
    live : array of uint64, shape (positions, words)
    remaining : array of int, shape (positions, tiles)
    """

    live: Words
    remaining: Numbers

    def of(self, chosen: Numbers) -> Met:
        """Return some of the positions."""
        return Met(self.live[chosen], self.remaining[chosen])


def short_edges() -> Worth:
    """Return the worth to begin with: the shorter the edges, the better."""
    inner = np.zeros((len(FIGURES), 1), dtype=np.float32)
    inner[FIGURES.index("edges")] = 1
    return Worth(inner, np.zeros(1, np.float32), np.ones(1, np.float32), 0.0)


def met(book: Catalogue, deck: Deck, worth: Worth, games: int, seed: str) -> Met:
    """Play games in step and return some of the positions that they meet."""
    rng = random.Random(seed)
    deals = [deal(book, deck, Grid(9, 9).mask([(4, 4)]), rng) for _ in range(games)]
    lives = np.array([begun(book, each, worth, rng) for each in deals])
    tables = Tables.of(lives, [each.pile.cards for each in deals], len(book.tiles))
    playing, kept = tables.every, []
    while len(playing):
        chosen = playing[[rng.random() < KEPT for _ in playing]]
        kept.append(Met(tables.live[chosen], tables.remaining[chosen]))
        playing = playing[tables.left(playing) >= 2]
        stray = np.array([rng.random() < STRAY for _ in playing], dtype=bool)
        drew = strayed(book, tables, playing[stray], rng)
        playing = np.concatenate((drew, play_round(book, tables, playing[~stray], worth)))
    live = np.concatenate([each.live for each in kept])
    return Met(live, np.concatenate([each.remaining for each in kept]))


def begun(book: Catalogue, game: Deal, worth: Worth, rng: random.Random) -> Words:
    """Draw the start tile, every other one anywhere; return what is live then."""
    lives = game.start(book, rng).after(np.arange(len(game.masks)))
    if rng.random() < 0.5:
        live: Words = lives[rng.randrange(len(lives))]
        return live
    expected = forecast(book, book.counts(lives), game.pile.remaining[None, :], worth)
    best: Words = lives[int(expected.argmin())]
    return best


def strayed(book: Catalogue, tables: Tables, games: Numbers, rng: random.Random) -> Numbers:
    """Draw one of two cards by chance in each game; return the games in which that could be."""
    cards = np.column_stack((tables.draw(games), tables.draw(games)))
    places, kinds, slots = placements(book, tables.live[games], cards)
    if rng.random() < 0.5 and len(slots):
        edges = book.open_edges(tables.live[games[places], : book.edge_words], slots)
        near = shortest(places * 2 + kinds, edges, NEAR)
        places, slots = places[near], slots[near]
    luck = np.array([rng.random() for _ in places])
    chosen = shortest(places, luck, 1)
    drew: Numbers = games[places[chosen]]
    tables.live[drew] = book.after(tables.live[drew], slots[chosen])
    return drew


def played_out(book: Catalogue, positions: Met, worth: Worth, seed: str) -> Reals:
    """Return the empties that positions end with, shape (positions, playouts)."""
    rng = random.Random(seed)
    orders = []
    for remaining in positions.remaining:
        cards = np.repeat(np.arange(len(remaining)), remaining).tolist()
        orders += [rng.sample(cards, len(cards)) for _ in range(PLAYOUTS)]
    live = np.repeat(positions.live, PLAYOUTS, axis=0)
    ends = finish(book, Tables.of(live, orders, len(book.tiles)), worth=worth)
    return ends.reshape(-1, PLAYOUTS)


def fitted(figures: Reals, expected: Reals, *, epochs: int = 40, batch: int = 256) -> Worth:
    """Return the network of least squares, by Adam with a falling step (Kingma and Ba 2015)."""
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


def rounded(network: Worth) -> Worth:
    """Return the network with the digits that are written down."""
    inner, bend, outer = (
        np.round(each.astype(float), DIGITS).astype(np.float32)
        for each in (network.inner, network.bend, network.outer)
    )
    return Worth(inner, bend, outer, round(network.base, DIGITS))


DIGITS = 5


def dumped(network: Worth) -> str:
    """Return the network as JSON."""
    fields = {"inner": network.inner, "bend": network.bend, "outer": network.outer}
    written = {name: np.round(each.astype(float), DIGITS) for name, each in fields.items()}
    lists = {name: each.tolist() for name, each in written.items()}
    return json.dumps({**lists, "base": network.base}) + "\n"


def learned(book: Catalogue, deck: Deck, worth: Worth, games: int, turn: int) -> Worth:
    """Play games by a worth, and return the one that is learned from them."""
    positions = met(book, deck, worth, games, f"games {turn}")
    ends = played_out(book, positions, worth, f"ends {turn}")
    figures = describe(book, book.counts(positions.live), positions.remaining)
    order = np.random.default_rng(turn).permutation(len(figures))
    kept, tested = order[len(order) // 10 :], order[: len(order) // 10]
    network = fitted(figures[kept], ends[kept].mean(axis=1))
    missed = network.empties(figures[tested]) - ends[tested].mean(axis=1)
    luck = ends[tested].var(axis=1, ddof=1).mean() / PLAYOUTS
    print(
        f"round {turn}: {games} games, {len(order)} positions that end with {ends.mean():.2f}; "
        f"of the mean it misses {missed.mean():+.3f} on average, and the single position by "
        f"{np.sqrt(max(0.0, np.mean(missed**2) - luck)):.2f} beyond luck",
        flush=True,
    )
    return network


def main() -> None:
    """Train, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    deck = named_deck("synthetic")
    book = catalogue(Grid(9, 9), deck.tiles)
    worth = short_edges()
    for turn, games in enumerate(GAMES):
        worth = rounded(learned(book, deck, worth, games, turn))
    arguments.out.write_text(dumped(worth), "utf-8")


if __name__ == "__main__":
    main()
