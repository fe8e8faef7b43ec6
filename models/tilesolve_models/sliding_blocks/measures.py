"""How hard a sliding-block puzzle is: what its whole state graph looks like, and a grade."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilesolve.answers import Difficulty, Json
from tilesolve.budget import SILENT, Budget, Meter, Watch, memory_allowed
from tilesolve.grading import grade_of, on_log_scale, on_scale, read_weights
from tilesolve.graph.packed import Keys
from tilesolve.graph.paths import Walk, contains
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks.arrangements import Arrangements, arrangements
from tilesolve_models.sliding_blocks.lines import Distances, distances
from tilesolve_models.sliding_blocks.model import asked, measured
from tilesolve_models.sliding_blocks.players import graph_of, players, room
from tilesolve_models.sliding_blocks.rules import METRICS, State
from tilesolve_models.sliding_blocks.search import shortest

WEIGHTS: Mapping[str, float] = {"guess_bits": 5.0, "needed": 2.5, "states": 2.5}
"""What the grade is made of; each part is between 0 and 1.

`guess_bits`: what must be guessed right, 100 bits and more being 1. `needed`: moves to the goal,
100 and more being 1. `states`: the logarithm of the arrangements, a million and more being 1. A
puzzle that cannot be done gets 10.
"""


def difficulty(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    goal: Node | None = None,
    metric: str | None = None,
    weights: Node | None = None,
) -> Difficulty:
    """Measure the whole graph of arrangements around a puzzle.

    `weights` are other weights of the grade. The measures, none of which depends on the side from
    which the board is seen:

    - ``states``: arrangements that can be reached; ``goal_states``: those that meet the goal;
    - ``needed``: moves from here to the goal;
    - ``hardest``: the longest shortest path: moves to the goal from the farthest arrangement;
    - ``farthest``: moves to the arrangement that is farthest from here;
    - ``dead_ends``: arrangements with one legal move only, back where they came from;
    - ``moves_mean``: legal moves of an arrangement, on average;
    - ``needed_in``: moves to the goal in every metric;
    - ``good_moves``: at each step of shortest lines, the share of legal moves that keep to one,
      for somebody who has kept to one so far and moves at random; ``good_moves_mean``;
    - ``guess_bits``: how unlikely it is that moves at random all keep to a shortest line: minus
      log2 of that chance;
    - ``players``: how often people without a plan come to the goal within ten times the moves
      that are needed: ``random`` makes any legal move, ``careful`` none that takes the last back.
    """
    used = read_weights(weights, WEIGHTS)
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
        if "needed" in measures:
            measures["needed_in"] = _in_metrics(state, measures["needed"], meter)
            measures |= _players(graph, seen, measures, meter)
    parts = {
        "guess_bits": on_scale(measures.get("guess_bits", 0.0), 100),
        "needed": on_scale(measures.get("needed", 0), 100),
        "states": on_log_scale(measures.get("states", 1), 10**6),
    }
    hopeless = measures.get("goal_states") == 0 and meter.stopped_by is None
    return Difficulty(
        grade=10.0 if hopeless else grade_of(parts, used),
        measures=measures,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={
            **measured(state),
            "grade_parts": parts,
            "weights": used,
            **({"answer": "no"} if hopeless else {}),
        },
    )


def _in_metrics(state: State, needed: int, meter: Meter) -> dict[str, Json]:
    """Return the moves to the goal in every metric; those the meter does not grant are absent."""
    found: dict[str, Json] = {state.metric: needed}
    for metric in METRICS:
        if metric != state.metric and meter.spend():
            line = shortest(replace(state, metric=metric), meter=meter).line
            if line is not None:
                found[metric] = len(line)
    return {metric: found[metric] for metric in METRICS if metric in found}


def _players(
    graph: Arrangements, seen: Walk, measures: Mapping[str, Any], meter: Meter
) -> Mapping[str, Json]:
    """Return the players' rates; nothing where the moves do not fit the memory."""
    if room(seen.states * measures.get("moves_mean", 0)) > memory_allowed(meter):
        return {}
    whole = graph_of(graph, seen, meter=meter)
    rates = {} if whole is None else players(whole, measures["needed"], meter=meter)
    return {"players": rates} if rates else {}


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
        **_guesses(graph, far, seen.layers[0], needed),
    }


def _guesses(graph: Arrangements, far: Distances, start: Keys, needed: int) -> dict[str, Json]:
    """Let moves be drawn at random along all shortest lines at once; return how many keep to one.

    Each arrangement on such a line has the chance of being reached without leaving them.
    """
    keys = start
    chances: NDArray[Any] = np.ones(len(start))
    shares: list[float] = []
    for distance in range(needed - 1, -1, -1):
        after, sources = graph.expand(keys)
        each = chances / np.bincount(sources, minlength=len(keys))
        good = contains(far.layers[distance], after)
        before = chances.sum()
        keys, places = np.unique(after[good], return_inverse=True)
        chances = np.bincount(places, weights=each[sources[good]], minlength=len(keys))
        shares.append(float(chances.sum() / before))
    told: dict[str, Json] = {
        "good_moves": {str(step): round(share, 4) for step, share in enumerate(shares, start=1)},
        "guess_bits": round(-sum(math.log2(share) for share in shares), 1) + 0.0,
    }
    if shares:
        told["good_moves_mean"] = round(sum(shares) / len(shares), 4)
    return told


def _chunks(layers: tuple[Keys, ...], size: int) -> Iterator[Keys]:
    for layer in layers:
        for first in range(0, len(layer), size):
            yield layer[first : first + size]
