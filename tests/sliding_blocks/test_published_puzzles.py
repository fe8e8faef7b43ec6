"""Published numbers: shortest lines in three metrics, and sizes of state graphs."""

import pytest

from tilesolve.budget import Budget
from tilesolve.wire import Node
from tilesolve_models.sliding_blocks import boards, model, rules
from tilesolve_models.sliding_blocks.hints import hint
from tilesolve_models.sliding_blocks.measures import difficulty
from tilesolve_models.sliding_blocks.starts import known

BUDGET = Budget(seconds=None)

SHORTEST = [
    ("klotski", "moves", 81),
    ("klotski", "lines", 90),
    ("klotski", "steps", 116),
    ("dads-puzzler", "moves", 59),
    ("dads-puzzler", "lines", 62),
    ("dads-puzzler", "steps", 83),
    ("century", "moves", 99),
    ("century", "lines", 111),
    ("century", "steps", 131),
    ("super-century", "moves", 138),
    ("super-century", "lines", 150),
    ("super-century", "steps", 179),
    ("rush-hour-60", "moves", 60),
    ("rush-hour-60", "lines", 60),
    ("rush-hour-60", "steps", 103),
    ("rush-hour-51", "moves", 51),
    ("rush-hour-51", "lines", 51),
    ("rush-hour-51", "steps", 81),
    ("eight-puzzle", "moves", 31),
    ("five-puzzle", "steps", 21),
]


@pytest.mark.parametrize(("name", "metric", "moves"), SHORTEST)
def test_shortest_line(name: str, metric: str, moves: int) -> None:
    state = known(name)
    best = model.best(state, budget=BUDGET, metric=metric)
    assert (best.proof, best.score, best.unit) == ("optimal", moves, metric)
    assert best.details["metric"] == metric
    played = boards.load(Node({**boards.dump(state), "metric": metric, "moves": list(best.line)}))
    verdict = rules.check(played)
    assert verdict.legal
    assert verdict.complete
    assert verdict.score == moves


HUARONG = [
    ("A11B/C11D/EFGH/IJKL/M..N", 18, 23, 27),
    ("A11B/A11B/CDEF/GHIJ/K..L", 28, 34, 46),
    ("A11B/A11B/CDEF/CGHI/J..K", 27, 33, 45),
    ("A11B/A11B/CDEF/CGHF/I..J", 28, 34, 46),
    ("A11B/A11B/CDDE/CFGH/I..J", 46, 52, 64),
    ("A11B/A11B/CDDE/FGGH/.II.", 102, 111, 138),
    ("A11B/C11D/CEED/FGGH/.II.", 120, 130, 158),
]
"""Other starts on Klotski's board, with moves, lines and steps: Only 18 Steps, Daisy, Violet,
Pansy, Snowdrop, Trail, Ambush."""


@pytest.mark.parametrize(("board", "moves", "lines", "steps"), HUARONG)
def test_other_starts_on_the_board_of_klotski(
    board: str, moves: int, lines: int, steps: int
) -> None:
    puzzle = {"game": "sliding-blocks", "board": board, "goal": "1 at 3,1"}
    for metric, score in (("moves", moves), ("lines", lines), ("steps", steps)):
        state = boards.load(Node({**puzzle, "metric": metric}))
        assert model.best(state, budget=BUDGET).score == score


RUSH_HOUR = [
    ("BBoKMxDDDKMoIAALooIoJLEEooJFFNoGGoxN", 58, 9_192),
    ("ooBBMxDDDKMoAAJKoNooJEENIFFLooIGGLHH", 55, 8_257),
    ("BBBKCCDDoKoLIAAKoLIoJEEMFFJooMooxoHH", 54, 1_845),
    ("xCCoLMooJoLMAAJoLNHIDDDNHIoKEExooKGG", 51, 9_360),
    ("BBIooMGHIoLMGHAALNGCCKoNooJKDDooJEEx", 50, 14_385),
    ("BBBJCCHooJoKHAAJoKooIDDLEEIooLooxoGG", 50, 1_066),
    ("BBoLooxJoLDDIJAAMNIEEoMNooKFFNGGKHHo", 30, 17_039),
    ("xooIoooooIKoGAAJKLGCCJoLooHDDLxoHoFF", 15, 12_021),
    ("oBBCCxxFFoNOKAAoNOKMGGHHLMooooLIIJJo", 10, 304),
]
"""Rows of Michael Fogleman's table of all Rush Hour starts: moves, and states."""


@pytest.mark.parametrize(("board", "moves", "states"), RUSH_HOUR)
def test_published_rush_hour_starts(board: str, moves: int, states: int) -> None:
    state = boards.load(Node(board))
    assert model.best(state, budget=BUDGET).score == moves
    assert model.count(state, budget=BUDGET).raw == states


@pytest.mark.parametrize(
    ("name", "states", "placements"),
    [
        ("klotski", 25_955, 65_880),
        ("super-century", 81_340, None),
        ("rush-hour-60", 2_332, None),
        ("rush-hour-51", 4_780, None),
        ("eight-puzzle", 181_440, 362_880),
        ("five-puzzle", 360, 720),
    ],
)
def test_states(name: str, states: int, placements: int | None) -> None:
    count = model.count(known(name), budget=BUDGET, placed=placements is not None)
    assert (count.raw, count.exact) == (states, True)
    assert sum(count.details["distances"]) == states
    assert count.details.get("placements") == placements


@pytest.mark.parametrize(
    ("board", "states", "farthest"), [("123/456/78.", 181_440, 31), ("123/45.", 360, 21)]
)
def test_greatest_distance_from_the_solved_position(board: str, states: int, farthest: int) -> None:
    state = boards.load(Node({"game": "sliding-blocks", "board": board, "goal": board}))
    count = model.count(state, budget=BUDGET)
    assert (count.raw, count.details["farthest"]) == (states, farthest)
    told_apart = boards.load(Node({"game": "sliding-blocks", "board": board, "alike": False}))
    assert model.count(told_apart, budget=BUDGET).raw == states


def test_published_rush_hour_boards_are_the_hardest_of_their_graphs() -> None:
    for name, moves in (("rush-hour-60", 60), ("rush-hour-51", 51)):
        measured = difficulty(known(name), budget=BUDGET)
        assert measured.measures["hardest"] == measured.measures["needed"] == moves


@pytest.mark.parametrize(("metric", "left", "until"), [("lines", 62, 0), ("moves", 59, 50)])
def test_hints_lead_to_the_goal_from_every_position_on_the_way(
    metric: str, left: int, until: int
) -> None:
    state = known("dads-puzzler")
    while left > until:
        hints = hint(state, count=1, budget=BUDGET, metric=metric)
        assert hints.exact
        assert hints.details["needed"] == left
        (first,) = hints.hints
        assert (first.value, first.loss) == (left - 1, 0)
        move = boards.load_move(Node(first.move), state)
        assert rules.check(state, move).legal
        state = rules.apply(state, move)
        left -= 1
    assert state.done == (until == 0)
