"""The ground that the blocks jump on: cards, spots, and which jump crosses which card.

A layout is a checkerboard of cards; the cells between them are gaps, and one step beyond each
end of a full row or column lies an outside spot. A jump changes row or column by two, so a spot
never leaves its parity class, and every card is crossed by one jump of each class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from tilesolve.answers import Cell

if TYPE_CHECKING:
    import networkx as nx

MOST_ROWS = 15
"""Rows of cards of the largest layout; the classic one has 5."""

_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))


@dataclass(frozen=True)
class Layout:
    """The geometry of one size of layout.

    Parameters
    ----------
    cards : tuple of Cell
        Where the cards lie, in reading order; cards are numbered by their place here.
    spots : tuple of Cell
        Gaps and outside spots, in reading order; spots are numbered likewise.
    number : mapping
        From a spot's cell to its number.
    jumps : tuple
        For each spot its jumps as ``(card, spot behind it)``: up, right, down, left.
    beside : tuple of frozenset
        For each card the spots beside it.
    """

    cards: tuple[Cell, ...]
    spots: tuple[Cell, ...]
    number: Mapping[Cell, int]
    jumps: tuple[tuple[tuple[int, int], ...], ...]
    beside: tuple[frozenset[int], ...]


def parity(cell: Cell) -> int:
    """Return a spot's class: 0 for even rows, 1 for odd ones.

    Examples
    --------
    >>> parity((2, 1)), parity((-1, 2))
    (0, 1)
    """
    return cell[0] % 2


@lru_cache(maxsize=32)
def layout(rows: int, width: int) -> Layout:
    """Return the layout of this many rows of cards, the first with `width` cards.

    Parameters
    ----------
    rows : int
        Odd, at least 1.
    width : int
        Cards in the even rows, at least 1; the odd rows have one less.

    Examples
    --------
    >>> classic = layout(5, 3)
    >>> len(classic.cards), len(classic.spots)
    (13, 24)
    >>> [classic.spots[spot] for _, spot in classic.jumps[classic.number[0, 1]]]
    [(0, 3), (2, 1), (0, -1)]
    """
    columns = 2 * width - 1
    inside = [(row, column) for row in range(rows) for column in range(columns)]
    cards = tuple(cell for cell in inside if sum(cell) % 2 == 0)
    gaps = {cell for cell in inside if sum(cell) % 2}
    ends = {(row, column) for row in range(0, rows, 2) for column in (-1, columns)}
    ends |= {(row, column) for column in range(0, columns, 2) for row in (-1, rows)}
    spots = tuple(sorted(gaps | ends))
    number = {cell: place for place, cell in enumerate(spots)}
    card = {cell: place for place, cell in enumerate(cards)}
    jumps = tuple(
        tuple(
            (card[row + down, column + right], number[row + 2 * down, column + 2 * right])
            for down, right in _STEPS
            if (row + down, column + right) in card
        )
        for row, column in spots
    )
    beside = tuple(
        frozenset(number[row + down, column + right] for down, right in _STEPS)
        for row, column in cards
    )
    return Layout(cards, spots, number, jumps, beside)


def class_graph(ground: Layout, of: int) -> nx.Graph[Cell]:
    """Return one parity class as a graph: spots, and an edge for each jump, with its card.

    Parameters
    ----------
    of : int
        0 for the spots in even rows, 1 for those in odd rows.

    Examples
    --------
    >>> graph = class_graph(layout(5, 3), 0)
    >>> len(graph), graph.size()
    (12, 13)
    """
    import networkx as nx

    graph: nx.Graph[Cell] = nx.Graph()
    graph.add_nodes_from(cell for cell in ground.spots if parity(cell) == of)
    for spot, cell in enumerate(ground.spots):
        if parity(cell) == of:
            for card, behind in ground.jumps[spot]:
                graph.add_edge(cell, ground.spots[behind], card=ground.cards[card])
    return graph
