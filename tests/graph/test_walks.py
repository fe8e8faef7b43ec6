"""Breadth-first search, from one side and from both, against networkx and by hand."""

from itertools import pairwise
from typing import TypeAlias

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tilesolve.budget import Budget, Meter, Watch
from tilesolve.graph.packed import Keys
from tilesolve.graph.paths import Neighbours, line_back, meet, walk

Graph: TypeAlias = "nx.Graph[int]"


def meter(**limits: int) -> Meter:
    return Meter(budget=Budget(seconds=None, **limits))


def of(graph: Graph) -> Neighbours:
    def neighbours(keys: Keys) -> Keys:
        found = [end for key in keys for end in graph[int(key)]]
        return np.array(found, dtype=np.uint64)

    return neighbours


def key(*states: int) -> Keys:
    return np.array(states, dtype=np.uint64)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    nodes = draw(st.integers(2, 14))
    pairs = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    graph: Graph = nx.empty_graph(nodes)
    graph.add_edges_from((a, b) for a, b in draw(st.lists(pairs, max_size=24)) if a != b)
    return graph


@settings(max_examples=80, deadline=None)
@given(graphs(), st.sampled_from([1, 2, 100]))
def test_layers_are_the_distances(graph: Graph, chunk: int) -> None:
    seen = walk(key(0), of(graph), meter=meter(), chunk=chunk)
    distances = nx.single_source_shortest_path_length(graph, 0)
    found = {int(state): far for far, layer in enumerate(seen.layers) for state in layer}
    assert found == distances
    assert seen.exhausted
    assert seen.states == len(distances)
    forgetful = walk(key(0), of(graph), meter=meter(), keep=False, chunk=chunk)
    assert forgetful.sizes == seen.sizes
    assert len(forgetful.layers) <= 2


@settings(max_examples=80, deadline=None)
@given(graphs(), st.integers(1, 13))
def test_shortest_lines_from_one_side_and_from_both(graph: Graph, end: int) -> None:
    end %= len(graph)
    seen = walk(key(0), of(graph), meter=meter(), until=lambda keys: keys == end)
    met = meet(key(0), key(end), of(graph), meter=meter())
    if not nx.has_path(graph, 0, end):
        assert seen.exhausted
        assert not len(seen.found)
        assert met.exhausted
        assert met.line == ()
        return
    shortest = nx.shortest_path_length(graph, 0, end)
    for line in (line_back(seen, seen.found[0], of(graph)), met.line):
        assert len(line) == shortest + 1
        assert (int(line[0]), int(line[-1])) == (0, end)
        assert all(graph.has_edge(int(a), int(b)) for a, b in pairwise(line))
    assert met.bound == shortest


@settings(max_examples=80, deadline=None)
@given(graphs(), st.sets(st.integers(1, 13)))
def test_ends_are_seen_and_not_passed(graph: Graph, ends: set[int]) -> None:
    def at_end(keys: Keys) -> NDArray[np.bool_]:
        return np.isin(keys, np.array(sorted(ends), dtype=np.uint64))

    seen = walk(key(0), of(graph), meter=meter(), ends=at_end)
    one_way = nx.DiGraph((a, b) for a in graph for b in graph[a] if a not in ends)
    one_way.add_node(0)
    found = {int(state): far for far, layer in enumerate(seen.layers) for state in layer}
    assert found == nx.single_source_shortest_path_length(one_way, 0)


def test_many_starts_and_a_depth() -> None:
    path = of(nx.path_graph(10))
    seen = walk(key(0, 9, 9), path, meter=meter(), depth=2)
    assert seen.sizes == (2, 2, 2)
    assert not seen.exhausted


@pytest.mark.parametrize("work", [0, 3, 10])
def test_work_stops_a_walk_at_a_whole_layer(work: int) -> None:
    binary = of(nx.balanced_tree(2, 6))
    stopped = meter(work=work)
    seen = walk(key(0), binary, meter=stopped)
    assert stopped.stopped_by == "work"
    assert not seen.exhausted
    assert seen.sizes == tuple(2**far for far in range(len(seen.sizes)))
    assert meet(key(0), key(100), binary, meter=meter(work=0)).bound == 1


def test_memory_stops_a_walk() -> None:
    binary = of(nx.balanced_tree(2, 10))
    stopped = meter(memory=2000)
    seen = walk(key(0), binary, meter=stopped)
    assert stopped.stopped_by == "memory"
    assert 8 * seen.states <= 2000
    assert not seen.exhausted


def test_interruption_stops_a_walk() -> None:
    calls = iter([False, False, True])
    watch = Watch(interrupted=lambda: next(calls, True))
    stopped = Meter(budget=Budget(), watch=watch)
    assert walk(key(0), of(nx.path_graph(9)), meter=stopped).sizes == (1, 1, 1)
    assert stopped.stopped_by == "interrupted"
