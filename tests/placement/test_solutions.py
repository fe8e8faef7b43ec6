"""Search and diagram against an oracle that only tries all sets of options."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.budget import Budget, Meter
from tilesolve.placement import few, frontier, layers, ways
from tilesolve.placement.diagram import compile_diagram
from tilesolve.placement.fewest import fewest
from tilesolve.placement.problem import Kind, Option, Problem
from tilesolve.placement.search import covers, first_cover
from tilesolve.placement.sweep import sweep_of
from tilesolve.placement.ways import count_by_sum, count_covers, count_sweep

ROWS, COLUMNS = 2, 4


def meter(work: int | None = None) -> Meter:
    return Meter(budget=Budget(seconds=None, work=work))


def grid(
    rows: int, columns: int
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, ...], ...]]:
    places = tuple((row, column) for row in range(rows) for column in range(columns))
    number = {place: index for index, place in enumerate(places)}
    sides = ((-1, 0), (0, -1), (0, 1), (1, 0))
    near = tuple(
        tuple(number[r + a, c + b] for a, b in sides if (r + a, c + b) in number) for r, c in places
    )
    return places, near


PLACES, NEAR = grid(ROWS, COLUMNS)


def connected_masks(size: int) -> list[int]:
    found = {1 << cell for cell in range(len(PLACES))}
    for _ in range(size - 1):
        found = {
            mask | 1 << other
            for mask in found
            for cell in range(len(PLACES))
            if mask >> cell & 1
            for other in NEAR[cell]
            if not mask >> other & 1
        }
    return sorted(found)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Draw small problems: covers and packings with count ranges, connected and scattered."""
    kinds: list[Kind] = []
    options: list[Option] = []
    for kind in range(draw(st.integers(1, 4))):
        least = draw(st.integers(0, 2))
        most = draw(st.one_of(st.none(), st.integers(least, least + 2)))
        kinds.append(Kind(f"K{kind}", least, most))
        size = draw(st.integers(1, 3))
        scattered = st.sets(st.integers(0, 7), min_size=size, max_size=size).map(
            lambda cells: sum(1 << cell for cell in cells)
        )
        whole = st.sampled_from(connected_masks(size))
        masks = draw(
            st.sets(st.one_of(whole, scattered) if draw(st.booleans()) else whole, max_size=8)
        )
        options += [Option(kind, mask) for mask in sorted(masks)]
    cover = draw(st.booleans())
    return Problem(("",) * len(PLACES), tuple(kinds), tuple(options), cover, NEAR, PLACES)


def brute_force(problem: Problem) -> set[tuple[int, ...]]:
    """Return all solutions, by trying every set of options that do not overlap."""
    found: set[tuple[int, ...]] = set()

    def extend(chosen: tuple[int, ...], taken: int, start: int) -> None:
        if legal(problem, chosen):
            found.add(chosen)
        for index in range(start, len(problem.options)):
            mask = problem.options[index].mask
            if not mask & taken:
                extend((*chosen, index), taken | mask, index + 1)

    extend((), 0, 0)
    return found


def legal(problem: Problem, chosen: tuple[int, ...]) -> bool:
    masks = [problem.options[index].mask for index in chosen]
    used = Counter(problem.options[index].kind for index in chosen)
    taken = sum(masks)
    return (
        taken.bit_count() == sum(mask.bit_count() for mask in masks)
        and (not problem.cover or taken == problem.everything)
        and all(
            kind.least <= used[number] and (kind.most is None or used[number] <= kind.most)
            for number, kind in enumerate(problem.kinds)
        )
    )


@settings(max_examples=150, deadline=None)
@given(problems())
def test_covers_are_all_solutions_once(problem: Problem) -> None:
    found = list(covers(problem, meter=meter()))
    assert len(found) == len(set(found))
    assert set(found) == brute_force(problem)


@settings(max_examples=100, deadline=None)
@given(problems())
def test_first_cover_finds_one_exactly_when_there_is_one(problem: Problem) -> None:
    solutions = brute_force(problem)
    searched = first_cover(problem, meter=meter())
    assert searched.stopped_by is None
    assert (searched.chosen is not None) == bool(solutions)
    assert searched.exhausted == (not solutions)
    if searched.chosen is not None:
        assert legal(problem, searched.chosen)


@settings(max_examples=100, deadline=None)
@given(problems())
def test_fewest_options_alone_finds_one_exactly_when_there_is_one(problem: Problem) -> None:
    found = next((chosen for chosen in fewest(sweep_of(problem)) if chosen is not None), None)
    assert (found is not None) == bool(brute_force(problem))
    assert found is None or legal(problem, tuple(sorted(found)))


def test_a_work_limit_stops_honestly_and_the_same_way_twice() -> None:
    masks = connected_masks(2)
    problem = Problem(
        ("",) * 8, (Kind("I2", 0, None),), tuple(Option(0, m) for m in masks), False, NEAR, PLACES
    )
    whole = list(covers(problem, meter=meter()))
    runs = []
    for _ in range(2):
        limited = meter(work=10)
        runs.append(list(covers(problem, meter=limited)))
        assert limited.stopped_by == "work"
    assert runs[0] == runs[1]
    assert runs[0] == whole[: len(runs[0])]
    assert len(runs[0]) < len(whole)


def test_a_stopped_meter_searches_nothing() -> None:
    problem = Problem(("",), (Kind("I1", 1, 1),), (Option(0, 1),), True)
    stopped = meter()
    stopped.stop("interrupted")
    searched = first_cover(problem, meter=stopped)
    assert (searched.chosen, searched.exhausted, searched.stopped_by) == (
        None,
        False,
        "interrupted",
    )


def test_no_cells_and_nothing_demanded_is_one_empty_solution() -> None:
    nothing = Problem((), (), (), True)
    assert list(covers(nothing, meter=meter())) == [()]
    assert first_cover(nothing, meter=meter()).chosen == ()
    diagram = compile_diagram(nothing, meter=meter())
    assert diagram is not None
    assert list(diagram.solutions()) == [diagram.solution(0)] == [()]


def test_a_demanded_kind_without_options_has_no_solution() -> None:
    problem = Problem(("",), (Kind("I5", 1, 1),), (), False)
    searched = first_cover(problem, meter=meter())
    assert (searched.chosen, searched.exhausted) == (None, True)


@settings(max_examples=150, deadline=None)
@given(problems())
def test_the_diagram_counts_and_lists_all_solutions_in_the_order_of_the_search(
    problem: Problem,
) -> None:
    solutions = brute_force(problem)
    diagram = compile_diagram(problem, meter=meter())
    assert diagram is not None
    assert diagram.total == len(solutions)
    listed = list(diagram.solutions())
    assert listed == list(covers(problem, meter=meter()))
    assert set(listed) == solutions
    assert [diagram.solution(number) for number in range(len(listed))] == listed
    for start in (1, len(listed) // 2, len(listed)):
        assert list(diagram.solutions(start)) == listed[start:]
    times = Counter(option for chosen in solutions for option in chosen)
    assert diagram.marginals() == tuple(times[option] for option in range(len(problem.options)))


@settings(max_examples=150, deadline=None)
@given(problems(), st.data())
def test_whole_states_patterns_and_sums_count_the_same(
    problem: Problem, data: st.DataObject
) -> None:
    solutions = brute_force(problem)
    assert count_covers(problem, meter=meter()) == len(solutions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few, "_OPTIONS", -1)
        assert count_covers(problem, meter=meter()) == len(solutions)
    labels = [data.draw(st.integers(0, 9)) for _ in problem.options]
    sums = Counter(sum(labels[option] for option in chosen) for chosen in solutions)
    assert count_by_sum(problem, labels, meter=meter()) == dict(sorted(sums.items()))


@settings(max_examples=60, deadline=None)
@given(problems(), st.permutations(range(len(PLACES))))
def test_any_order_of_the_cells_counts_the_same(problem: Problem, order: list[int]) -> None:
    sweep = sweep_of(problem, order=order)
    solutions = len(brute_force(problem))
    assert count_sweep(sweep, (), meter=meter()) == solutions
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontier, "_WORTH_A_LOOK", 0)
        patch.setattr(few, "_WORTH_A_LOOK", 0)
        assert count_sweep(sweep, problem.adjacent, meter=meter()) == solutions
        patch.setattr(few, "_TOGETHER", -1)
        assert count_sweep(sweep, problem.adjacent, meter=meter()) == solutions
        patch.setattr(few, "_OPTIONS", -1)
        assert count_sweep(sweep, problem.adjacent, meter=meter()) == solutions


@settings(max_examples=150, deadline=None)
@given(problems())
def test_a_small_sheet_is_listed_at_once_in_the_order_of_the_search(problem: Problem) -> None:
    sweep = sweep_of(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(few, "_LISTED", 10**6)
        listed = few.list_few(sweep, problem.adjacent, meter=meter(), memory=10**7)
    assert listed == (list(covers(problem, meter=meter())) if sweep.spare >= 0 else None)


def test_a_small_sheet_is_left_to_others_when_it_is_not_small() -> None:
    options = tuple(Option(0, 1 << cell) for cell in range(65))
    problem = Problem(("",) * 65, (Kind("A", 0, None),), options, True)
    assert few.list_few(sweep_of(problem), (), meter=meter(), memory=10**7) is None
    dominoes = tuple(Option(0, mask) for mask in connected_masks(2))
    packing = Problem(("",) * 8, (Kind("I2", 0, None),), dominoes, False, NEAR, PLACES)
    sweep = sweep_of(packing)
    assert len(few.list_few(sweep, NEAR, meter=meter(), memory=10**7) or ()) == 71
    assert few.list_few(sweep, NEAR, meter=meter(), memory=100) is None
    short = meter(work=5)
    assert few.list_few(sweep, NEAR, meter=short, memory=10**7) is None
    assert short.stopped_by == "work"


@settings(max_examples=60, deadline=None)
@given(problems())
def test_keys_of_several_words_count_the_same(problem: Problem) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frontier, "_WORD", 6)
        patch.setattr(layers, "_WORD", 9)
        patch.setattr(ways, "_TOGETHER", 0)
        diagram = compile_diagram(problem, meter=meter())
    assert diagram is not None
    assert list(diagram.solutions()) == list(covers(problem, meter=meter()))


@pytest.mark.parametrize("cells", [60, 130])
def test_counts_that_no_floating_point_number_holds_are_exact(cells: int) -> None:
    # A row of cells, each with one of two options: 2**cells solutions.
    options = tuple(Option(kind, 1 << cell) for kind in (0, 1) for cell in range(cells))
    kinds = (Kind("A", 0, None), Kind("B", 0, None))
    problem = Problem(("",) * cells, kinds, options, True)
    assert count_covers(problem, meter=meter()) == 2**cells
    diagram = compile_diagram(problem, meter=meter())
    assert diagram is not None
    assert set(diagram.marginals()) == {2 ** (cells - 1)}
    last = diagram.solution(2**cells - 1)
    assert last == tuple(range(cells, 2 * cells))


def test_a_diagram_stops_for_memory_and_says_so() -> None:
    masks = connected_masks(2)
    options = tuple(Option(0, mask) for mask in masks)
    problem = Problem(("",) * 8, (Kind("I2", 0, None),), options, False, NEAR, PLACES)
    for memory in (0, 500):
        small = Meter(budget=Budget(seconds=None, memory=memory))
        assert count_covers(problem, meter=small) is None
        assert small.stopped_by == "memory"
