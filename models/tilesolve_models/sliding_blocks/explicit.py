"""The whole state graph of a small puzzle as a networkx graph, to look at it elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tilesolve.budget import Meter
from tilesolve.graph.packed import Keys
from tilesolve_models.sliding_blocks.arrangements import Arrangements, arrangements
from tilesolve_models.sliding_blocks.model import asked
from tilesolve_models.sliding_blocks.rules import State

if TYPE_CHECKING:
    import networkx as nx

MOST_STATES = 20_000
"""Arrangements of the largest graph that is built."""


def state_graph(state: State, *, meter: Meter) -> nx.Graph[int] | None:
    """Return every arrangement that can be reached, and the moves between them.

    Equal blocks are not told apart. A node is a number, 0 being the puzzle's own arrangement; it
    has the attributes ``state`` (each block and its place), ``distance`` in moves from there and
    ``goal``. A move that ends the puzzle (SB7) cannot be taken back; all others can.

    Parameters
    ----------
    meter : Meter
        One unit of work an arrangement.

    Returns
    -------
    networkx.Graph or None
        None when there are more than `MOST_STATES` arrangements or the meter stops.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.wire import Node
    >>> from tilesolve_models.sliding_blocks.boards import load
    >>> graph = state_graph(load(Node("A..")), meter=Meter(budget=Budget()))
    >>> dict(graph.nodes[1]), sorted(graph.edges)
    ({'state': 'A@0,1', 'distance': 1, 'goal': False}, [(0, 1), (0, 2), (1, 2)])
    """
    import networkx as nx

    graph = arrangements(asked(state, goal=None, metric=None, needs_goal=False), meter=meter)
    if graph is None:
        return None
    part = meter.part(work=MOST_STATES)
    seen = graph.walk(meter=part)
    meter.spend(part.worked)
    if not seen.exhausted:
        return None
    keys = np.concatenate(seen.layers)
    done = graph.done(keys)
    distances = np.repeat(np.arange(len(seen.sizes)), seen.sizes)
    plain: nx.Graph[int] = nx.Graph()
    for number in range(len(keys)):
        plain.add_node(
            number,
            state=_told(graph, keys[number : number + 1]),
            distance=int(distances[number]),
            goal=bool(done[number]),
        )
    number_of = {key: number for number, key in enumerate(keys.tolist())}
    after, sources = graph.expand(keys)
    for source, key in zip(sources.tolist(), after.tolist(), strict=True):
        if key in number_of:  # going back from an end may lead to what cannot be reached
            plain.add_edge(source, number_of[key])
    return plain


def graphml(state: State, *, meter: Meter) -> str | None:
    """Return the state graph as GraphML text, or None when it is too large.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.wire import Node
    >>> from tilesolve_models.sliding_blocks.boards import load
    >>> "<graphml" in graphml(load(Node("A..")), meter=Meter(budget=Budget()))
    True
    """
    import networkx as nx

    graph = state_graph(state, meter=meter)
    return None if graph is None else "\n".join(nx.generate_graphml(graph)) + "\n"


def _told(graph: Arrangements, key: Keys) -> str:
    named = [
        (name, block.place)
        for group, places in zip(graph.groups, graph.places(key), strict=True)
        for name, block in zip(group.names, places, strict=True)
    ]
    return " ".join(f"{name}@{row},{column}" for name, (row, column) in sorted(named))
