"""Answers: who is alike, what is impossible, what a budget leaves unknown, new puzzles."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import networkx as nx
import pytest

from tilesolve.answers import Solved
from tilesolve.budget import Budget, Meter
from tilesolve.errors import IllegalState, InputError
from tilesolve.wire import Node, dump
from tilesolve_models.sliding_blocks import boards, explicit, model, rules, starts
from tilesolve_models.sliding_blocks.game import GAME
from tilesolve_models.sliding_blocks.hints import hint
from tilesolve_models.sliding_blocks.measures import WEIGHTS, difficulty
from tilesolve_models.sliding_blocks.rules import METRICS, Metric, State

BUDGET = Budget(seconds=None)


def puzzle(board: Any, **fields: Any) -> State:
    return boards.load(Node({"game": "sliding-blocks", "board": board, **fields}))


def test_equal_blocks_count_once_and_keep_their_names() -> None:
    state = puzzle("AB./...", goal="B at 0,0")
    assert model.count(state, budget=BUDGET, goal=None).raw == 30
    assert model.count(puzzle("AB./..."), budget=BUDGET).raw == 15
    assert model.count(puzzle("AB./...", alike=False), budget=BUDGET).raw == 30
    line = model.best(state, budget=BUDGET).line
    played = boards.load(Node({**boards.dump(state), "moves": list(line)}))
    assert rules.check(played).legal
    assert played.blocks["B"].place == (0, 0)


def test_any_block_of_a_kind_will_do() -> None:
    board = "ABC/..D"
    assert model.best(puzzle(board, goal="A at 1,1"), budget=BUDGET).score == 1
    assert model.best(puzzle(board, goal="any A at 1,1"), budget=BUDGET, metric="steps").score == 1
    far = model.best(puzzle(board, goal="C at 1,1"), budget=BUDGET, metric="steps")
    assert far.score is not None
    assert far.score > 2
    two = puzzle("AB./C..", goal="any of A B at 1,2; any of A B at 1,1")
    assert {block.place for block in _after(two).blocks.values()} >= {(1, 1), (1, 2)}


def _after(state: State) -> State:
    for move in model.best(state, budget=BUDGET).line:
        state = rules.apply(state, boards.load_move(Node(move), state))
    return state


def test_mirror_images_of_blocks_are_told_apart() -> None:
    state = puzzle("A.B/AAB/..B/.BB", goal="any A at 0,0")
    assert state.goal[0].blocks == ("A",)


@pytest.mark.parametrize(
    ("board", "goal", "rung"),
    [
        ("AB", "A at 0,1", "exhausted"),
        ("A.", "A at 5,5", "trivial"),
        ("A#.", "A at 0,2", "trivial"),
        ("AA./...", "A at 0,2", "trivial"),
        ("1234/5678/9ABC/DEF.", "1234/5678/9ABC/DFE.", "colouring"),
        ("12/3.", "21/3.", "colouring"),
        ("12/3.", "13/2.", "colouring"),
    ],
)
def test_a_no_says_why(board: str, goal: str, rung: str) -> None:
    fit = model.fit(puzzle(board, goal=goal), budget=BUDGET)
    assert (fit.answer, fit.rung) == ("no", rung)
    assert fit.reasons
    best = model.best(puzzle(board, goal=goal), budget=BUDGET)
    assert (best.proof, best.details["rung"]) == ("infeasible", rung)


@pytest.mark.parametrize("board", ["123/45.", "12/34/5."])
def test_parity_is_right_for_every_order(board: str) -> None:
    """Half of all orders can be reached: those that parity does not rule out."""
    reached = model.count(puzzle(board, alike=False), budget=BUDGET).raw
    orders = ["/".join("".join(p) for p in _rows(order, board)) for order in permutations("12345.")]
    answers = [model.fit(puzzle(board, goal=goal), budget=BUDGET).rung for goal in orders[::7]]
    assert reached == len(orders) // 2
    assert set(answers) == {None, "colouring"}


def _rows(order: tuple[str, ...], board: str) -> list[tuple[str, ...]]:
    width = board.index("/")
    return [order[first : first + width] for first in range(0, len(order), width)]


def test_a_goal_of_the_whole_fifteen_puzzle_is_searched_from_both_ends() -> None:
    state = puzzle("1234/5678/9ABC/DEF.", goal="1234/56.8/9A7C/DEBF")
    best = model.best(state, budget=BUDGET)
    assert (best.proof, best.score) == ("optimal", 3)
    far = puzzle("FEDC/BA98/7654/312.", goal="1234/5678/9ABC/DEF.")
    unknown = model.best(far, budget=Budget(seconds=None, work=20_000))
    assert (unknown.proof, unknown.stopped_by) == ("unknown", "work")
    assert unknown.bound is not None
    assert 20 < unknown.bound <= 80


@pytest.mark.parametrize("limit", [{"work": 5000}, {"memory": 60_000}])
def test_a_small_budget_leaves_an_honest_unknown(limit: dict[str, int]) -> None:
    state = starts.known("klotski")
    budget = Budget(seconds=None, **limit)
    reason = next(iter(limit))
    best = model.best(state, budget=budget)
    assert (best.proof, best.stopped_by) == ("unknown", reason)
    assert 1 < (best.bound or 0) <= 81
    fit = model.fit(state, budget=budget)
    assert (fit.answer, fit.stopped_by) == ("unknown", reason)
    assert hint(state, count=3, budget=budget).hints == ()
    assert difficulty(state, budget=budget).stopped_by == reason
    (end,) = model.solve(state, limit=None, budget=budget)
    assert isinstance(end, Solved)
    assert (end.exhausted, end.stopped_by) == (False, reason)
    again = model.best(state, budget=budget)
    assert replace(again, seconds=0.0) == replace(best, seconds=0.0)


@pytest.mark.parametrize("limit", [{"work": 5000}, {"memory": 10_000}])
def test_a_count_that_was_stopped_is_a_lower_bound(limit: dict[str, int]) -> None:
    count = model.count(starts.known("klotski"), budget=Budget(seconds=None, **limit))
    assert (count.exact, count.stopped_by) == (False, next(iter(limit)))
    assert count.raw == sum(count.details["distances"]) < 25_955


def test_counting_holds_two_layers_only() -> None:
    """26 thousand states of 8 bytes are 200 kB; a quarter of that is enough to count them."""
    budget = Budget(seconds=None, memory=50_000)
    assert model.count(starts.known("klotski"), budget=budget).raw == 25_955


def test_hints_fall_back_to_the_line_when_the_budget_ends() -> None:
    state = starts.known("klotski")
    enough = model.best(state, budget=BUDGET).details["states"]
    hints = hint(state, count=5, budget=Budget(seconds=None, work=enough + 100))
    assert hints.stopped_by == "work"
    assert [one.value for one in hints.hints] == [80]


@pytest.mark.parametrize("metric", METRICS)
def test_every_answer_names_its_metric(metric: str) -> None:
    state = puzzle("AB./...", goal="A at 1,2", metric=metric)
    answers = [
        model.fit(state, budget=BUDGET),
        model.best(state, budget=BUDGET),
        model.count(state, budget=BUDGET),
        hint(state, count=1, budget=BUDGET),
        difficulty(state, budget=BUDGET),
        rules.check(state),
        *model.solve(state, limit=1, budget=BUDGET),
    ]
    assert {dump(answer)["metric"] for answer in answers} == {metric}


def test_questions_need_a_goal_and_a_legal_board() -> None:
    with pytest.raises(InputError) as caught:
        model.best(puzzle("A."), budget=BUDGET)
    assert caught.value.place == "$.goal"
    asked = model.best(puzzle("A."), budget=BUDGET, goal=Node("A at 0,1"), metric="steps")
    assert (asked.score, asked.unit) == (1, "steps")
    with pytest.raises(IllegalState):
        model.count(puzzle("A.A"), budget=BUDGET)
    with pytest.raises(IllegalState):
        list(model.solve(puzzle("A.A", goal="A at 0,1"), limit=1, budget=BUDGET))


def test_a_board_without_blocks_or_room_has_one_arrangement() -> None:
    assert model.count(puzzle("../.."), budget=BUDGET).raw == 1
    assert model.count(puzzle("AB/CD"), budget=BUDGET).raw == 1
    assert model.count(puzzle("##"), budget=BUDGET).raw == 1


def test_a_done_puzzle_needs_nothing() -> None:
    state = puzzle("A.", goal="A at 0,0")
    assert model.best(state, budget=BUDGET).score == 0
    assert hint(state, count=1, budget=BUDGET).reasons[0].code == "done"
    assert rules.check(state).complete


def test_the_grade_is_what_its_weights_say() -> None:
    graded = difficulty(starts.known("five-puzzle"), budget=BUDGET)
    parts, total = graded.details["grade_parts"], sum(WEIGHTS.values())
    mean = sum(WEIGHTS[name] * parts[name] for name in WEIGHTS) / total
    assert graded.grade == pytest.approx(1 + 9 * mean, abs=0.06)
    only = difficulty(
        starts.known("five-puzzle"), budget=BUDGET, weights=Node({"states": 0, "guess_bits": 0})
    )
    assert only.grade == pytest.approx(1 + 9 * parts["needed"], abs=0.06)
    assert (graded.measures["states"], graded.measures["hardest"]) == (360, 21)
    hopeless = difficulty(puzzle("AB", goal="A at 0,1"), budget=BUDGET)
    assert (hopeless.grade, hopeless.details["answer"]) == (10.0, "no")
    easy = difficulty(puzzle("A.", goal="A at 0,1"), budget=BUDGET)
    assert easy.grade < 1.5


VIEWS = [
    (["AA.", "BC.", "B.."], "A at 2,0"),
    ([".AA", ".CB", "..B"], "A at 2,1"),
    (["B..", "BC.", "AA."], "A at 0,0"),
]


@pytest.mark.parametrize("metric", ["steps", "lines", "moves"])
def test_a_board_is_as_hard_from_every_side(metric: Metric) -> None:
    boards_seen = [puzzle(rows, goal=goal) for rows, goal in VIEWS]
    seen = [difficulty(state, budget=BUDGET, metric=metric) for state in boards_seen]
    assert all(each.measures == seen[0].measures for each in seen)
    assert {each.grade for each in seen} == {seen[0].grade}
    measures = seen[0].measures
    best = {each: model.best(boards_seen[0], budget=BUDGET, metric=each).score for each in METRICS}
    assert measures["needed_in"] == best
    assert len(measures["good_moves"]) == measures["needed"] == best[metric]


@pytest.mark.parametrize("style", ["klotski", "rush-hour"])
@pytest.mark.parametrize("seed", [0, 1])
def test_random_puzzles_can_be_solved_and_are_the_same_twice(style: str, seed: int) -> None:
    state = starts.new(seed=seed, style=style, rows=4, columns=5, least=4)
    assert state == starts.new(seed=seed, style=style, rows=4, columns=5, least=4)
    assert rules.check(state).legal
    measures = difficulty(state, budget=BUDGET).measures
    assert measures["needed"] == measures["hardest"] >= 4


def test_a_random_puzzle_that_cannot_be_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        starts.new(seed=0, rows=3, columns=3, least=900)
    assert caught.value.place == "$.least"


def test_wide_boards_need_more_than_one_word() -> None:
    """Eleven by seven cells, beyond 64 both in cells and in bits of a state."""
    rows = ["ABCDEFG", "HIJKLMN", *(["......."] * 8), "OPQRSTU"]
    board = ["#" + row[1:] if number in (4, 5) else row for number, row in enumerate(rows)]
    state = puzzle(board, alike=False, goal="A at 3,0")
    best = model.best(state, budget=Budget(seconds=None, work=3000))
    assert best.proof == "unknown" or best.score == 2
    corridor = ["A" + "." * 69, "#" * 70]
    assert model.best(puzzle(corridor, goal="A at 0,69"), budget=BUDGET, metric="steps").score == 69
    assert model.count(puzzle(corridor), budget=BUDGET).raw == 70


def test_the_picture_shows_blocks_walls_and_goal() -> None:
    picture = GAME.picture(puzzle("A#/..", goal="A at 1,0"))
    assert [tile.role for tile in picture.tiles] == ["block", "wall", "open", "open"]
    assert picture.notes[0] == "goal: A at 1,0"


@pytest.mark.parametrize("metric", METRICS)
def test_the_explicit_graph_is_the_one_that_is_searched(metric: Metric) -> None:
    state = puzzle("AABB/AACC/DE../FGHH/FGII", goal="A at 3,0", metric=metric)
    graph = explicit.state_graph(state, meter=Meter(budget=BUDGET))
    assert graph is not None
    assert len(graph) == 1398
    lengths = nx.single_source_shortest_path_length(graph, 0)
    assert all(lengths[node] == data["distance"] for node, data in graph.nodes.items())
    nearest = min(data["distance"] for data in graph.nodes.values() if data["goal"])
    assert nearest == {"moves": 59, "lines": 62, "steps": 83}[metric]
    assert graph.nodes[0]["state"].startswith("A@0,0 B@0,2")


def test_no_explicit_graph_of_many_states() -> None:
    meter = Meter(budget=BUDGET)
    assert explicit.graphml(starts.known("klotski"), meter=meter) is None
    leaving = puzzle("AB./...", goal="B leaves right")
    assert "<graphml" in (explicit.graphml(leaving, meter=meter) or "")
