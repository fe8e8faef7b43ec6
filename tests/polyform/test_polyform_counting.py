"""Counting, listing, sampling and marginals of polyform puzzles, end to end."""

from __future__ import annotations

from collections import Counter

import pytest

from tilesolve import service
from tilesolve.answers import Count, Json, Solved, Witness
from tilesolve.budget import Budget
from tilesolve.draw.picture import Picture
from tilesolve.errors import IllegalState, InputError
from tilesolve.placement.count import Engine
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.counting import count
from tilesolve_models.polyform.picture import illustrate
from tilesolve_models.polyform.rules import State
from tilesolve_models.polyform.solving import solve

PATIENT = Budget(seconds=None)


def puzzle(sheet: Json, pieces: Json, **more: Json) -> State:
    return rules.load(Node({"sheet": sheet, "pieces": pieces, **more}))


def listed(state: State, **settings: object) -> tuple[list[Witness], Solved]:
    limit = settings.pop("limit", None)
    budget = settings.pop("budget", PATIENT)
    *found, end = solve(state, limit=limit, budget=budget, **settings)  # type: ignore[arg-type]  # names as given
    assert isinstance(end, Solved)
    assert all(isinstance(witness, Witness) for witness in found)
    return [witness for witness in found if isinstance(witness, Witness)], end


TYPED = puzzle(
    {"rows": ["o..", "..o"], "legend": {"o": {"kind": "circle"}}},
    {"pieces": [{"name": "A", "rows": ["o#"], "count": 2}, {"name": "B", "rows": ["##"]}]},
)

PUZZLES = {
    "square": puzzle("4x4", "dominoes*"),
    "hex": puzzle("hex:3x4", "dihexes*,trihexes*"),
    "triangle": puzzle("triangle:2x6", ["I2*", "I3*"]),
    "typed cells": TYPED,
    "repeated": puzzle("3x4", ["L3*4"]),
    "optional": puzzle(
        "2x3",
        {
            "pieces": [
                {"name": "I2", "count": 3},
                {"name": "I3", "count": 2, "optional": True},
                {"name": "L3", "optional": True},
            ]
        },
    ),
    "a range": puzzle(
        "2x4", {"pieces": [{"name": "I2", "count": [1, 3]}, {"name": "I1", "count": [0, 6]}]}
    ),
    "un-mirrored": puzzle("2x4", [{"name": "L4", "mirror": False, "count": 2}]),
    "partly filled": puzzle(
        ["AA..", "....", "...."],
        {"A": ["##"], "B": ["###"], "C": {"rows": ["##", "#."], "count": 2}, "D": ["#"]},
    ),
    "packing": puzzle("3x3", ["I2", "L3"], goal="packing"),
    "nothing to do": puzzle(["AA"], {"A": ["##"]}),
    "no solution": puzzle("2x3", ["S4", "I2"]),
}


@pytest.mark.parametrize("name", PUZZLES)
def test_count_list_distinct_and_marginals_agree(name: str) -> None:
    state = PUZZLES[name]
    answer = count(state, budget=PATIENT, marginals=True)
    found, end = listed(state)
    assert answer.exact
    assert end.exhausted
    assert len(found) == len({one.witness for one in found}) == answer.raw == end.solutions
    assert len(listed(state, distinct=True)[0]) == answer.reduced
    times = Counter(placed for witness in found for placed in witness.witness)
    for marginal in answer.marginals:
        key = (marginal.piece, marginal.cells)
        assert marginal.solutions == sum(
            count for placed, count in times.items() if (placed.piece, placed.cells) == key
        )
    engines: tuple[Engine, Engine] = ("diagram", "search")
    for engine in engines:
        alone = count(state, budget=PATIENT, engine=engine)
        assert (alone.raw, alone.reduced) == (answer.raw, answer.reduced)
        assert listed(state, engine=engine)[0] == found


@pytest.mark.parametrize("name", PUZZLES)
def test_every_solution_is_complete_and_legal(name: str) -> None:
    state = PUZZLES[name]
    for witness in listed(state)[0]:
        after = state
        for placed in witness.witness:
            assert rules.check(after, placed).legal
            after = rules.apply(after, placed)
        goal = state.goal or "cover"
        assert rules.check(State(after.sheet, after.pieces, goal)).complete


def test_symmetries_are_said_in_words() -> None:
    assert count(puzzle("2x3", "dominoes*"), budget=PATIENT).symmetries == (
        "identity",
        "rotation by 180°",
        "left-right mirror",
        "top-bottom mirror",
    )
    # A lone chiral piece that may not be mirrored forbids mirrors; an achiral one forbids nothing.
    lone = puzzle("2x4", [{"name": "L4", "mirror": False, "count": 2}])
    assert count(lone, budget=PATIENT).symmetries == ("identity", "rotation by 180°")


def test_marginals_say_what_is_forced_and_what_never_occurs() -> None:
    # Three cells in a row and two beside: the I3 must lie in the row.
    answer = count(puzzle(["...", "#.."], ["I3", "I2"]), budget=PATIENT, marginals=True)
    assert answer.raw == 1
    assert {"piece": "I3", "cells": [[0, 0], [0, 1], [0, 2]]} in answer.details["forced"]
    assert {"piece": "I2", "cells": [[0, 0], [0, 1]]} in answer.details["never"]
    assert {"cell": [1, 1], "piece": "I2"} in answer.details["forced_cells"]
    shown = illustrate(puzzle(["...", "#.."], ["I3", "I2"]), answer)
    assert shown is not None
    assert {tile.label: tile.shade for tile in shown.tiles} == {"I3": 1.0, "I2": 1.0}


def test_unique_tells_one_from_several_from_none() -> None:
    for sheet, pieces, unique, found, shown in (
        (["...", "#.."], ["I3", "I2"], "yes", "exactly one", 1),
        ("2x2", "dominoes*", "no", "several", 2),
        ("2x3", ["S4", "I2"], "no", "none", 0),
        ("2x3", ["I2"], "no", "none", 0),
    ):
        witnesses, end = listed(puzzle(sheet, pieces), unique=True)
        assert (end.details["unique"], end.details["found"]) == (unique, found)
        assert len(witnesses) == shown
    # The two tilings of the square are one up to symmetry.
    assert (
        listed(puzzle("2x2", "dominoes*"), unique=True, distinct=True)[1].details["unique"] == "yes"
    )
    stopped = listed(
        puzzle("5x12", "pentominoes"), unique=True, budget=Budget(seconds=None, work=3)
    )[1]
    assert (stopped.details["unique"], stopped.stopped_by) == ("unknown", "work")


def test_a_limit_cuts_the_stream_and_says_so() -> None:
    found, end = listed(puzzle("4x4", "dominoes*"), limit=5)
    assert found == listed(puzzle("4x4", "dominoes*"))[0][:5]
    assert (end.solutions, end.exhausted, end.stopped_by) == (5, False, None)
    assert listed(puzzle("4x4", "dominoes*"), limit=5, all=True)[1].solutions == 36


def test_samples_are_uniform() -> None:
    """Chi-square over the 36 domino tilings of the 4x4 square."""
    draws = 3600
    found, end = listed(PUZZLES["square"], sample=draws, budget=Budget(seconds=None, seed=7))
    times = Counter(witness.witness for witness in found)
    assert len(times) == 36
    assert end.details["of"] == 36
    expected = draws / 36
    chi_square = sum((seen - expected) ** 2 / expected for seen in times.values())
    # 35 degrees of freedom: 0.1% lie above 66.6; a fixed seed makes this no game of chance.
    assert chi_square < 66.6
    again, _ = listed(PUZZLES["square"], sample=draws, budget=Budget(seconds=None, seed=7))
    assert again == found
    other, _ = listed(PUZZLES["square"], sample=draws, budget=Budget(seconds=None, seed=8))
    assert other != found


def test_sampling_where_there_is_nothing_gives_nothing() -> None:
    found, end = listed(PUZZLES["no solution"], sample=3)
    assert not found
    assert end.exhausted


def test_too_little_memory_falls_back_to_search_or_says_at_least() -> None:
    small = count(puzzle("4x4", "dominoes*"), budget=Budget(seconds=None, memory=500))
    assert (small.raw, small.reduced, small.exact) == (36, None, True)
    stopped = count(
        puzzle("6x10", "pentominoes"), budget=Budget(seconds=None, memory=500, work=3000)
    )
    assert not stopped.exact
    assert stopped.stopped_by == "work"
    assert 0 <= stopped.raw <= 9356
    alone = count(
        puzzle("4x4", "dominoes*"), budget=Budget(seconds=None, memory=500), engine="diagram"
    )
    assert (alone.exact, alone.stopped_by) == (False, "memory")


def test_a_work_limit_gives_the_same_answer_twice() -> None:
    budget = Budget(seconds=None, work=5000)
    answers = [count(puzzle("6x10", "pentominoes"), budget=budget) for _ in range(2)]
    assert answers[0].raw == answers[1].raw
    assert not answers[0].exact


def test_counting_alone_gives_the_reason() -> None:
    answer = count(puzzle("3x3", "dominoes*"), budget=PATIENT)
    assert isinstance(answer, Count)
    assert (answer.raw, answer.reduced, answer.exact) == (0, 0, True)
    assert answer.reasons


def test_what_breaks_the_rules_is_refused() -> None:
    broken = puzzle(["AB"], {"A": ["##"], "B": ["#"]})
    with pytest.raises(IllegalState):
        count(broken, budget=PATIENT)
    with pytest.raises(IllegalState):
        next(iter(solve(broken, limit=1, budget=PATIENT)))


def test_show_draws_the_heat_map_on_request() -> None:
    question = service.load(Node({"sheet": ["...", "#.."], "pieces": ["I3", "I2"]}))
    shown = service.ask(question, "show", parameters={"marginals": Node(True)})
    assert isinstance(shown, Picture)
    assert [tile.shade for tile in shown.tiles if tile.role == "open"] == [1.0] * 5
    plain = service.ask(question, "show", parameters={"marginals": Node(False)})
    assert isinstance(plain, Picture)
    assert all(tile.shade is None for tile in plain.tiles)


@pytest.mark.parametrize(
    ("sheet", "pieces", "budget", "why"),
    [
        ("1x3", ["I2"], PATIENT, "there is no solution"),
        ("4x5", "tetrominoes", PATIENT, "there is no solution"),
        (["AA"], {"A": ["##"]}, PATIENT, "nothing is left to place"),
        ("4x5", "L,P,Y,W", Budget(work=10), "the budget ended before all solutions were counted"),
    ],
)
def test_show_says_why_there_is_no_heat_map(
    sheet: Json, pieces: Json, budget: Budget, why: str
) -> None:
    question = service.load(Node({"sheet": sheet, "pieces": pieces}))
    told = service.ask(question, "show", budget=budget, parameters={"marginals": Node(True)})
    assert isinstance(told, Picture)
    assert told.notes[-1] == f"no heat map: {why}"


def test_a_solution_in_which_nothing_is_left_to_place_is_drawn() -> None:
    state = puzzle(["AA"], {"A": ["##"]})
    (witness,), _ = listed(state)
    drawn = illustrate(state, witness)
    assert drawn is not None
    assert [tile.label for tile in drawn.tiles] == ["A", "A"]


def test_solutions_are_sorted_by_the_placements_of_pieces() -> None:
    state = puzzle(["....."], ["I1", "I2*2"])
    answer = count(state, budget=PATIENT, by="I1")
    assert answer.raw == 3
    assert answer.details["sorts"] == [
        {"placements": [{"piece": "I1", "cells": [[0, column]]}], "solutions": 1}
        for column in (0, 2, 4)
    ]


def test_a_piece_left_out_is_a_sort_of_its_own() -> None:
    pieces = {"pieces": [{"name": "I3", "optional": True}, {"name": "I2", "count": "any"}]}
    answer = count(puzzle("1x6", pieces), budget=PATIENT, cover=True, by="I3")
    assert answer.details["sorts"] == [{"placements": [], "solutions": 1}]


def test_solutions_are_sorted_by_the_cells_they_cover() -> None:
    pieces = {"pieces": [{"name": "I2", "count": [0, 2]}, {"name": "I3", "optional": True}]}
    state = puzzle("1x4", pieces, goal="packing")
    sizes = Counter(sum(len(placed.cells) for placed in w.witness) for w in listed(state)[0])
    answer = count(state, budget=PATIENT, by="covered-cells")
    assert answer.details["sorts"] == [
        {"covered": cells, "solutions": sizes[cells]} for cells in sorted(sizes, reverse=True)
    ]


@pytest.mark.parametrize("by", ["I9", "I2", "I1,I2", "I1,"])
def test_sorting_by_what_is_no_single_piece_is_refused(by: str) -> None:
    with pytest.raises(InputError, match=r"^by: 'I?"):
        count(puzzle("1x5", ["I1", "I2*2"]), budget=PATIENT, by=by)


@pytest.mark.parametrize("more", [{"marginals": True}, {"engine": "search"}])
def test_what_cannot_be_asked_together_with_sorts_is_refused(more: dict[str, Json]) -> None:
    given = {name: Node(value) for name, value in {"by": "I1", **more}.items()}
    with pytest.raises(InputError):
        service.ask(
            service.load(Node({"sheet": "1x4", "pieces": "I1,I3"})), "count", parameters=given
        )


@pytest.mark.parametrize("more", [{"unique": True}, {"distinct": True}, {"engine": "search"}])
def test_what_cannot_be_asked_together_with_a_sample_is_refused(more: dict[str, Json]) -> None:
    with pytest.raises(InputError):
        listed(PUZZLES["square"], sample=1, **more)


def test_what_is_wrong_with_a_setting_names_where_it_was_given() -> None:
    question = service.load(Node({"sheet": "1x4", "pieces": "I1,I3"}))
    for place in ("$.by", "--by"):
        with pytest.raises(InputError) as refused:
            service.ask(question, "count", parameters={"by": Node("I9", place)})
        assert refused.value.place == place


def test_sorting_that_is_stopped_says_so() -> None:
    budget = Budget(seconds=None, work=1)
    answer = count(puzzle("4x5", ["I1", "I2*2", "L5*3"]), budget=budget, by="I1")
    assert (answer.exact, answer.stopped_by) == (False, "work")
    assert "sorts" not in answer.details
