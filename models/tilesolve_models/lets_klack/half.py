"""One parity class as a search of its own: where covered cards may be jumped over.

Blocks never leave their class and covering a card bars no way, so the two classes do not meet.
An arrangement is packed into one byte a block: the number of its spot, or `GONE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from tilesolve.answers import Cell
from tilesolve.budget import Meter
from tilesolve.graph.astar import Search, shortest
from tilesolve_models.lets_klack.layout import Layout, class_graph, layout, parity
from tilesolve_models.lets_klack.position import Cover, Jump, Move, State

if TYPE_CHECKING:
    import networkx as nx

GONE = 255
"""In an arrangement: the block lies on its card or is off the table."""

NEVER = 10**6
"""More moves than any line has: the distance of a block that cannot reach its card."""

_OFF = bytes([GONE])
_ONE = tuple(bytes([place]) for place in range(GONE))


@dataclass(frozen=True)
class Half:
    """The blocks of one parity class.

    Parameters
    ----------
    rows, width : int
        Size of the layout.
    values, worths : tuple of int
        Values of the blocks, and what covering them is worth.
    cards : tuple of int
        The numbers of their cards in the layout.
    places : bytes
        The numbers of their spots.
    separate : bool
        True where covering is a move of its own.
    """

    rows: int
    width: int
    values: tuple[int, ...]
    worths: tuple[int, ...]
    cards: tuple[int, ...]
    places: bytes
    separate: bool

    @property
    def ground(self) -> Layout:
        """The layout's geometry."""
        return layout(self.rows, self.width)

    @property
    def alone(self) -> tuple[int, ...]:
        """Moves that each block would need if it were alone, `NEVER` if it cannot arrive."""
        tables = distances(self.rows, self.width, self.separate)
        return tuple(
            tables[card][place] for card, place in zip(self.cards, self.places, strict=True)
        )


def halves(state: State, worths: Mapping[int, int]) -> tuple[Half, Half]:
    """Return both classes of a state in phase 2, where covering values is worth this much.

    Examples
    --------
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> [half.values for half in halves(state, {3: 3})]
    [(3,), ()]
    """
    return _half(state, worths, 0), _half(state, worths, 1)


def _half(state: State, worths: Mapping[int, int], of: int) -> Half:
    inside = [(value, cell) for value, cell in state.blocks if parity(cell) == of]
    number = state.ground.number
    return Half(
        rows=len(state.cards),
        width=len(state.cards[0]),
        values=tuple(value for value, _ in inside),
        worths=tuple(worths.get(value, 0) for value, _ in inside),
        cards=tuple(state.card_of[value] for value, _ in inside),
        places=bytes(number[cell] for _, cell in inside),
        separate=state.rules.cover == "separate",
    )


@lru_cache(maxsize=64)
def distances(rows: int, width: int, separate: bool) -> tuple[tuple[int, ...], ...]:
    """Return for each card and spot the moves of a block alone from there onto the card.

    Examples
    --------
    >>> distances(3, 2, False)[0][:4]
    (1, 2, 1, 1)
    """
    ground = layout(rows, width)
    graphs = (class_graph(ground, 0), class_graph(ground, 1))
    return tuple(
        _to_card(ground, card, graphs, separate=separate) for card in range(len(ground.cards))
    )


def _to_card(
    ground: Layout, card: int, graphs: Iterable[nx.Graph[Cell]], *, separate: bool
) -> tuple[int, ...]:
    import networkx as nx

    jumps: dict[Cell, int] = {}
    for graph in graphs:
        ends = {ground.spots[spot] for spot in ground.beside[card]} & set(graph)
        lengths = nx.multi_source_dijkstra_path_length(graph, ends, weight=None)
        jumps |= {cell: int(length) for cell, length in lengths.items()}
    return tuple(
        NEVER if spot not in jumps else jumps[spot] + 1 if separate else max(1, jumps[spot])
        for spot in ground.spots
    )


@lru_cache(maxsize=32)
def _ways(rows: int, width: int) -> tuple[bytes, ...]:
    return tuple(bytes(behind for _, behind in each) for each in layout(rows, width).jumps)


def fewest(
    half: Half, places: bytes, wanted: Iterable[int], *, meter: Meter, limit: int | None = None
) -> Search[bytes]:
    """Return a shortest line of arrangements after which the wanted blocks are gone.

    Parameters
    ----------
    places : bytes
        The arrangement to begin with.
    wanted : iterable of int
        Places of the wanted blocks in `half.values`.
    limit : int or None
        Longer lines are not looked for.

    Notes
    -----
    The estimate is the sum of what the wanted blocks would need alone.
    """
    tables = distances(half.rows, half.width, half.separate)
    nothing = (0,) * len(half.ground.spots)
    table = [nothing] * len(places)
    for block in wanted:
        table[block] = tables[half.cards[block]]
    estimate = sum(table[block][at] for block, at in enumerate(places) if at != GONE)
    if estimate >= NEVER:
        return Search((), NEVER, True)
    return shortest(places, estimate, _successors(half, table), meter=meter, limit=limit)


def _successors(
    half: Half, table: list[tuple[int, ...]]
) -> Callable[[bytes], list[tuple[bytes, int]]]:
    ways = _ways(half.rows, half.width)
    homes = [half.ground.beside[card] for card in half.cards]
    separate = half.separate

    def successors(state: bytes) -> list[tuple[bytes, int]]:
        found = []
        for block, place in enumerate(state):
            if place == GONE:
                continue
            home, needs = homes[block], table[block]
            here = needs[place]
            before, after = state[:block], state[block + 1 :]
            if place in home:
                found.append((before + _OFF + after, -here))
            for behind in ways[place]:
                if behind not in state:
                    if behind in home and not separate:
                        found.append((before + _OFF + after, -here))
                    else:
                        found.append((before + _ONE[behind] + after, needs[behind] - here))
        return found

    return successors


def moves_along(half: Half, line: tuple[bytes, ...]) -> tuple[Move, ...]:
    """Return the moves between the arrangements of a line."""
    moves: list[Move] = []
    for before, after in pairwise(line):
        block = next(at for at in range(len(before)) if before[at] != after[at])
        moves.append(_move(half, block, before, after[block]))
    return tuple(moves)


def _move(half: Half, block: int, before: bytes, to: int) -> Move:
    ground, value = half.ground, half.values[block]
    home = ground.beside[half.cards[block]]
    if to == GONE:
        if before[block] in home:
            return Cover(value)
        to = next(
            behind
            for _, behind in ground.jumps[before[block]]
            if behind in home and behind not in before
        )
    return Jump(value, ground.spots[to])
