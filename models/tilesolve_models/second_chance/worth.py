"""What a position is worth: the empties it will end with, as learned from many games.

A position is described by a few figures that mean the same on every grid and with every deck:
how many squares are empty and how long their edges are, how likely the next card fits, in how
many ways tiles of each size fit, weighted by what is still in the deck. A network with one
hidden layer, trained by playing (`benchmarks/second_chance/train.py`), turns them into a number.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilesolve_models.second_chance.catalogue import (
    PAIRS,
    PROBES,
    SQUARES,
    Catalogue,
    Numbers,
)
from tilesolve_models.second_chance.deck import CARDS, SIZES

Reals = NDArray[np.float32]

FIGURES = (
    "squares", "root of squares", "square of squares", "edges", "miss", "both miss",
    "three miss", "ways", "fitting area", "cards left",
    *(f"fit at {size}" for size in SIZES), *(f"ways at {size}" for size in SIZES),
    *(f"ways of {name}" for name in PROBES),
)  # fmt: skip
"""The figures of a position, in the order of `describe`'s columns."""


def describe(catalogue: Catalogue, counts: Numbers, remaining: Numbers) -> Reals:
    """Return the figures of positions, shape (positions, figures).

    Parameters
    ----------
    counts : array of int, shape (positions, tiles)
        In how many ways each tile fits.
    remaining : array of int, shape (positions, tiles) or (1, tiles)
        Copies of each tile that may still come.
    """
    by_size, shapes = _sums(catalogue)
    cards = np.maximum(1, remaining.sum(axis=1, keepdims=True)).astype(np.float32)
    chance = remaining.astype(np.float32) / cards
    ways = _logarithms(64 * len(catalogue.everything))[counts]
    fits = np.where(counts > 0, chance, np.float32(0))
    miss = 1 - fits.sum(axis=1)
    fits_by_size = fits @ by_size
    squares = counts[:, SQUARES].astype(np.float32)
    figures = np.empty((len(counts), len(FIGURES)), dtype=np.float32)
    figures[:, 0] = squares / 10
    figures[:, 1] = np.sqrt(squares)
    figures[:, 2] = squares * squares / 1000
    figures[:, 3] = (4 * squares - 2 * counts[:, PAIRS]) / 20
    figures[:, 4] = miss
    figures[:, 5] = miss**2
    figures[:, 6] = miss**3
    figures[:, 7] = (ways * chance).sum(axis=1)
    figures[:, 8] = fits_by_size @ np.arange(SIZES.start, SIZES.stop, dtype=np.float32) / 5
    figures[:, 9] = cards[:, 0] / CARDS
    figures[:, 10:17] = fits_by_size
    figures[:, 17:] = ways @ shapes
    return figures


@lru_cache(maxsize=8)
def _logarithms(most: int) -> Reals:
    """Return ``log(1 + n)`` for n up to the most: looking it up is quicker than working it out."""
    return np.log1p(np.arange(most + 1, dtype=np.float32))


@lru_cache(maxsize=8)
def _sums(catalogue: Catalogue) -> tuple[Reals, Reals]:
    """Return what sums tiles up by size, and what takes means by size and picks the probes."""
    sizes = np.arange(SIZES.start, SIZES.stop)
    by_size = (catalogue.sizes[:, None] == sizes[None, :]).astype(np.float32)
    means = by_size / np.maximum(1, by_size.sum(axis=0))
    probes = np.eye(len(catalogue.tiles), len(PROBES), dtype=np.float32)
    return by_size, np.hstack((means, probes)).astype(np.float32)


def forecast(
    catalogue: Catalogue, counts: Numbers, remaining: Numbers, worth: Worth | None = None
) -> Reals:
    """Return the empties that positions are expected to end with.

    Parameters
    ----------
    counts, remaining : array of int
        As `describe` takes them.
    worth : Worth or None
        None is the one that comes with the game.
    """
    worth = worth or learned()
    parts = []
    for start in range(0, len(counts), CHUNK):
        own = slice(start, start + CHUNK)
        cards = remaining if len(remaining) == 1 else remaining[own]
        parts.append(worth.empties(describe(catalogue, counts[own], cards)))
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)


CHUNK = 360
"""Rows that are described at a time: their matrix products stay below the size at which numpy's
library would start threads, which cost more than they bring."""


@dataclass(frozen=True, eq=False)
class Worth:
    """The learned network: `inner` and `bend` make the hidden layer, `outer` and `base` sum it."""

    inner: Reals
    bend: Reals
    outer: Reals
    base: float

    def empties(self, figures: Reals) -> Reals:
        """Return the empties expected at the end, one for each row of figures."""
        hidden = np.maximum(figures @ self.inner + self.bend, 0)
        expected: Reals = hidden @ self.outer + np.float32(self.base)
        return expected


@lru_cache(maxsize=1)
def learned() -> Worth:
    """Return the network that comes with the game."""
    text = (resources.files(__package__) / "data" / "worth.json").read_text("utf-8")
    weights: dict[str, Any] = json.loads(text)
    return Worth(
        inner=np.array(weights["inner"], dtype=np.float32),
        bend=np.array(weights["bend"], dtype=np.float32),
        outer=np.array(weights["outer"], dtype=np.float32),
        base=float(weights["base"]),
    )
