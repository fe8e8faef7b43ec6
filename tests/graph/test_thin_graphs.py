"""Breadth-first search in plain integers, against networkx, and where it must give up."""

from collections.abc import Set as AbstractSet

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.budget import Budget, Meter, StoppedBy
from tilesolve.graph import thin
from tilesolve.graph.thin import thin_line, thin_walk

PAIRS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=24)


START = 1000


def meter(**limits: int) -> Meter:
    return Meter(budget=Budget(seconds=None, **limits))


def steps(states: AbstractSet[int]) -> set[int]:
    return {state + way for state in states for way in (-1, 1)}


def nothing(states: AbstractSet[int]) -> list[int]:
    del states
    return []


@settings(max_examples=80, deadline=None)
@given(PAIRS, st.sets(st.integers(0, 11), max_size=3))
def test_the_nearest_wanted_state(pairs: list[tuple[int, int]], goals: set[int]) -> None:
    graph: nx.Graph[int] = nx.empty_graph(12)
    graph.add_edges_from((a, b) for a, b in pairs if a != b)
    found = thin_line(
        0,
        lambda states: {end for state in states for end in graph[state]},
        lambda states: [state for state in states if state in goals],
        size=1,
        meter=meter(),
    )
    distances = nx.single_source_shortest_path_length(graph, 0)
    reached = [distances[goal] for goal in goals if goal in distances]
    assert found is not None
    assert found.exhausted == (not reached)
    if reached:
        assert found.line[-1] in goals
        assert found.bound == min(reached) == len(found.line) - 1
        assert nx.is_path(graph, list(found.line))
    else:
        assert (found.line, found.states) == ((), len(distances))


def test_a_state_is_not_found_across_two_others() -> None:
    """The layer 0x0201, 0x0403 holds the bytes of 0x0302 or of 0x0104, whichever comes first."""
    pairs = [(5, 0x0201), (5, 0x0403), (0x0403, 7), (7, 0x0302), (7, 0x0104)]
    graph = nx.Graph(pairs)
    found = thin_line(
        5,
        lambda states: {end for state in states for end in graph[state]},
        lambda states: [state for state in states if state == 7],
        size=2,
        meter=meter(),
    )
    assert found is not None
    assert found.line == (5, 0x0403, 7)


def test_a_ring_is_counted() -> None:
    def ring(states: AbstractSet[int]) -> set[int]:
        return {(state + way) % 7 for state in states for way in (1, 6)}

    seen = thin_walk(0, ring, nothing, meter=meter())
    assert seen is not None
    assert (seen.sizes, seen.layers, seen.exhausted) == ((1, 2, 2, 2), (), True)


def test_it_gives_up_where_a_graph_is_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thin, "WIDEST", 1)
    assert thin_line(START, steps, nothing, size=2, meter=meter()) is None


@pytest.mark.parametrize(
    ("limits", "stopped_by"), [({"work": 50}, "work"), ({"memory": 600}, None)]
)
def test_it_keeps_to_the_budget(limits: dict[str, int], stopped_by: StoppedBy | None) -> None:
    """Without memory left it only gives up: another search may need less."""
    asked = meter(**limits)
    found = thin_line(START, steps, nothing, size=2, meter=asked)
    assert asked.stopped_by == stopped_by
    assert (found is None) == (stopped_by is None)
    if found is not None:
        assert (found.line, found.exhausted) == ((), False)
        assert 20 < found.bound < 30
