"""How hard a sliding-block puzzle is: what its whole state graph looks like, and a grade."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from tilesolve.answers import Difficulty, Json
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.graph.packed import Keys
from tilesolve.graph.paths import Walk, contains, distinct
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks.arrangements import Arrangements, arrangements
from tilesolve_models.sliding_blocks.lines import Distances, distances
from tilesolve_models.sliding_blocks.model import asked, measured
from tilesolve_models.sliding_blocks.rules import State

WEIGHTS: Mapping[str, tuple[float, float]] = {
    "guess_bits": (0.5, 100.0),
    "needed": (0.25, 100.0),
    "states_log10": (0.25, 6.0),
}
"""What the grade is made of: each measure's share, and the value at which its share is full.

The grade is 1 plus 9 times the sum of the shares; a puzzle that cannot be done gets 10.
"""


def difficulty(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    goal: Node | None = None,
    metric: str | None = None,
) -> Difficulty:
    """Measure the whole graph of arrangements around a puzzle.

    The measures:

    - ``states``: arrangements that can be reached; ``goal_states``: those that meet the goal;
    - ``needed``: moves from here to the goal;
    - ``hardest``: the longest shortest path: moves to the goal from the farthest arrangement;
    - ``farthest``: moves to the arrangement that is farthest from here;
    - ``dead_ends``: arrangements with one legal move only, back where they came from;
    - ``moves_mean``: legal moves of an arrangement, on average;
    - ``guess_bits``: what a solver who guesses must get right: the sum, over a shortest line,
      of log2(legal moves / moves that keep to a shortest line).
    """
    meter = Meter(budget=budget, watch=watch)
    state = asked(state, goal=goal, metric=metric, needs_goal=False)
    graph = arrangements(state, meter=meter)
    measures: dict[str, Json] = {}
    if graph is not None:
        seen = graph.walk(meter=meter)
        measures |= {"states": seen.states, "farthest": seen.depth}
        if seen.exhausted:
            measures |= _degrees(graph, seen, meter)
        if seen.exhausted and state.goal:
            measures |= _to_goal(graph, seen, meter)
    known = {name: measures.get(name, 0) for name in ("guess_bits", "needed")}
    known["states_log10"] = round(math.log10(max(1, measures.get("states", 1))), 2)
    shares = {name: round(_share(name, value), 3) for name, value in known.items()}
    hopeless = measures.get("goal_states") == 0 and meter.stopped_by is None
    return Difficulty(
        grade=10.0 if hopeless else round(1 + 9 * sum(shares.values()), 1),
        measures=measures,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={**measured(state), "shares": shares, **({"answer": "no"} if hopeless else {})},
    )


def _share(name: str, value: float) -> float:
    weight, full = WEIGHTS[name]
    return weight * min(1.0, value / full)


def _degrees(graph: Arrangements, seen: Walk, meter: Meter) -> Mapping[str, Json]:
    """Return how many moves arrangements have; nothing when the meter stops."""
    moves = ends = 0
    for keys in _chunks(seen.layers, graph.chunk):
        if not meter.spend(len(keys)):
            return {}
        sources = graph.expand(keys)[1]
        if graph.ends is not None:
            sources = sources[~graph.ends(keys)[sources]]
        degrees = np.bincount(sources, minlength=len(keys))
        moves += int(degrees.sum())
        ends += int((degrees == 1).sum())
    return {"dead_ends": ends, "moves_mean": round(moves / seen.states, 2)}


def _to_goal(graph: Arrangements, seen: Walk, meter: Meter) -> Mapping[str, Json]:
    """Return what the distances to the goal say; nothing when the meter stops."""
    far = distances(graph, seen, meter=meter, depth=None)
    if meter.stopped_by is not None:
        return {}
    if not far.layers:
        return {"goal_states": 0}
    needed = far.of(seen.layers[0])
    assert needed is not None  # the walk back covers whatever the walk out has seen
    return {
        "goal_states": len(far.layers[0]),
        "needed": needed,
        "hardest": len(far.layers) - 1,
        "guess_bits": round(_guess_bits(graph, far, seen.layers[0], needed), 1),
    }


def _guess_bits(graph: Arrangements, far: Distances, key: Keys, needed: int) -> float:
    """Follow the first shortest line; add up how unlikely each good move is to be guessed."""
    bits = 0.0
    for distance in range(needed - 1, -1, -1):
        after = distinct(graph.neighbours(key))
        good = after[contains(far.layers[distance], after)]
        bits += math.log2(len(after) / len(good))
        key = good[:1]
    return bits


def _chunks(layers: tuple[Keys, ...], size: int) -> Iterator[Keys]:
    for layer in layers:
        for first in range(0, len(layer), size):
            yield layer[first : first + size]
