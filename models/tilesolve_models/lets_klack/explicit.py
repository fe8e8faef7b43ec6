"""The whole state graph as a networkx graph, where it is small: a cross-check and an export.

States and moves come from the rule code alone, so every option and every special card is in it.
Such graphs cost some kilobytes a state, hence the limit.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tilesolve.answers import Reason
from tilesolve.budget import Meter, Progress
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.outlook import Outlook, Plan, Target, worthwhile
from tilesolve_models.lets_klack.position import Again, Move, Pass, State, Swap, TurnUp

if TYPE_CHECKING:
    import networkx as nx

MOST_STATES = 20_000
"""States of the largest graph that is built."""

_STRIDE = 100


def state_graph(state: State, *, meter: Meter, most: int = MOST_STATES) -> nx.DiGraph[State] | None:
    """Return the graph of all states that can be reached, or None when it is too large.

    Nodes are states without their turns left; an edge has its ``move`` and its ``turns``: 0 for
    what is no move of its own and for the second move of a doubled turn. The pass is left out.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> graph = state_graph(state, meter=Meter(budget=Budget()))
    >>> graph.number_of_nodes(), graph.number_of_edges()
    (2, 1)
    """
    import networkx as nx

    start = begin(state)
    graph: nx.DiGraph[State] = nx.DiGraph()
    graph.add_node(start)
    waiting = deque([start])
    expanded = 0
    while waiting:
        here = waiting.popleft()
        expanded += 1
        if expanded % _STRIDE == 0:
            meter.report(Progress(stage="state graph", done=len(graph), total=most))
            if not meter.spend(_STRIDE):
                return None
        for move in rules.moves(here):
            if isinstance(move, Pass):
                continue
            there = rules.apply(here, move)
            if there not in graph:
                if len(graph) == most:
                    meter.stop("memory")
                    return None
                waiting.append(there)
            if not graph.has_edge(here, there):
                graph.add_edge(here, there, move=move, turns=_turns(here, move))
    return graph


def begin(state: State) -> State:
    """Return the node that stands for a state: turns left do not matter for what can be reached.

    The second move of a doubled turn is a turn like any other from where it is made.
    """
    again_left = 0 if state.again_left == 1 else state.again_left
    return replace(state, turns_left=None, match=None, again_left=again_left)


def _turns(state: State, move: Move) -> int:
    return 0 if isinstance(move, Swap | Again | TurnUp) or state.again_left == 1 else 1


def outlook(state: State, target: Target, *, meter: Meter, most: int = MOST_STATES) -> Outlook:
    """Return what can be reached, by Dijkstra's algorithm on the explicit graph."""
    import networkx as nx

    stay = Plan(0, target.minus(state), tuple)
    graph = state_graph(state, meter=meter, most=most)
    if graph is None:
        reason = Reason(
            code="too-large",
            message=f"the state graph was not built within the budget and {most} states",
        )
        return Outlook(
            plans=(stay,),
            cover=None,
            possible=None,
            bound=0,
            exact=False,
            reasons=(reason,),
            stopped_by=meter.stopped_by,
        )
    turns: dict[State, int]
    paths: dict[State, list[State]]
    turns, paths = nx.single_source_dijkstra(graph, begin(state), weight="turns")  # type: ignore[assignment]  # the stubs do not tell the two forms of the result apart

    def plan(end: State) -> Plan:
        edges = tuple(pairwise(paths[end]))
        return Plan(
            turns[end],
            target.minus(end),
            lambda: tuple(graph.edges[edge]["move"] for edge in edges),
        )

    plans = [plan(end) for end in graph]
    covers = [made for made, end in zip(plans, graph, strict=True) if not end.blocks]
    cover = min(covers, key=lambda each: (each.turns, each.minus), default=None)
    return Outlook(
        plans=worthwhile([*plans, stay]),
        cover=cover,
        possible=cover is not None,
        bound=cover.turns if cover else 0,
    )


def export(state: State, *, meter: Meter) -> nx.DiGraph[int] | None:
    """Return the state graph with numbers for states and text for data, as GraphML can hold.

    Node data: ``state`` (blocks by value and place), ``minus`` and ``start``; edge data:
    ``move`` as JSON text and ``turns``.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> export(state, meter=Meter(budget=Budget())).nodes[0]
    {'state': '3@0,-1', 'minus': 3, 'start': True}
    """
    import json

    import networkx as nx

    graph = state_graph(state, meter=meter)
    if graph is None:
        return None
    number = {each: place for place, each in enumerate(graph)}
    plain: nx.DiGraph[int] = nx.DiGraph()
    for each, place in number.items():
        text = " ".join(f"{value}@{row},{column}" for value, (row, column) in each.blocks)
        plain.add_node(place, state=text, minus=each.minus_points, start=place == 0)
    for here, there, data in graph.edges(data=True):
        move = json.dumps(rules.dump_move(data["move"]))
        plain.add_edge(number[here], number[there], move=move, turns=data["turns"])
    return plain


def graphml(state: State, *, meter: Meter) -> str | None:
    """Return the state graph as GraphML text, or None when it is too large.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> "<graphml" in graphml(state, meter=Meter(budget=Budget()))
    True
    """
    import networkx as nx

    graph = export(state, meter=meter)
    return None if graph is None else "\n".join(nx.generate_graphml(graph)) + "\n"
