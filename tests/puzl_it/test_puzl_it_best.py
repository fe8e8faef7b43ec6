"""`best`, `fit` and the turns ahead against trying everything out on plain cells."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import pytest

from tilesolve.answers import Best
from tilesolve.budget import Budget, Meter
from tilesolve.errors import IllegalState
from tilesolve.wire import Node
from tilesolve_models.picture_grid import Grid, grid_of
from tilesolve_models.puzl_it import model, rules
from tilesolve_models.puzl_it.state import Rules, Seat, State, load_move
from tilesolve_models.puzl_it.table import Table
from tilesolve_models.puzl_it.turns import Ahead, connections_ahead, most_with_draws

Cells = frozenset[tuple[int, int]]
UNLIMITED = Budget(seconds=None)


def _near(cell: tuple[int, int]) -> Cells:
    row, column = cell
    return frozenset({(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)})


def _joined(cells: Cells) -> bool:
    reached, waiting = set[tuple[int, int]](), [min(cells)]
    while waiting:
        cell = waiting.pop()
        if cell not in reached:
            reached.add(cell)
            waiting.extend(_near(cell) & cells)
    return reached == cells


def _groups(hand: Cells, rule: str) -> Iterator[Cells]:
    for size in range(1, len(hand) + 1):
        for chosen in map(frozenset, combinations(sorted(hand), size)):
            if rule == "connected" and _joined(chosen):
                yield chosen
            if rule != "connected" and (size == 1 or all(_near(cell) & chosen for cell in chosen)):
                yield chosen


def _counted(play: Cells, in_play: Cells) -> int:
    return len(play) + sum(len(_near(cell) & in_play) for cell in play)


def _random_state(rng: random.Random, rows: int, columns: int, hand: int, rule: str) -> State:
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    rng.shuffle(cells)
    lying = rng.randint(0, len(cells) - hand - 2)
    in_play, rest = cells[hand : hand + lying], len(cells) - hand - lying
    return State(
        size=(rows, columns),
        in_play=tuple(in_play),
        seats=(Seat("A", (), tuple(cells[:hand])), Seat("B", (None,) * (rest - 1), (None,))),
        to_move="A",
        me="A",
        blocker_cards=tuple(rng.sample(cells, 4)),
        rules=Rules(group="connected" if rule == "connected" else "each_touches_another"),
    )


@pytest.mark.parametrize("rule", ["connected", "each_touches_another"])
def test_best_is_the_best_of_all_subsets(rule: str) -> None:
    rng = random.Random(11)
    for number in range(400):
        rows, columns = rng.choice([(3, 4), (4, 5), (8, 9), (6, 12)])
        state = _random_state(rng, rows, columns, rng.randint(1, 7), rule)
        hand, in_play = frozenset(state.seats[0].hand), frozenset(state.in_play)
        most = max(_counted(play, in_play) for play in _groups(hand, rule))  # type: ignore[arg-type]  # a parameter of the test
        answer = model.best(state, budget=UNLIMITED, engine="search" if number % 10 else "auto")
        assert (answer.proof, answer.score, answer.bound) == ("optimal", most, most)
        move = load_move(Node(answer.line[0]), state)
        assert rules.check(state, move).legal
        assert _counted(frozenset(move.play), in_play) == most


@pytest.mark.parametrize("rule", ["connected", "each_touches_another"])
def test_cpsat_and_whole_groups_agree_on_hands_of_twenty(rule: str) -> None:
    rng = random.Random(12)
    for _ in range(8):
        state = _random_state(rng, 8, 9, 20, rule)
        alone = model.best(state, budget=UNLIMITED, engine="cpsat")
        assert alone.score == model.best(state, budget=UNLIMITED, engine="search").score


@pytest.mark.parametrize("rule", ["connected", "each_touches_another"])
@pytest.mark.parametrize("engine", ["auto", "cpsat"])
def test_best_cut_short_is_feasible_within_a_bound(rule: str, engine: str) -> None:
    rng = random.Random(14)
    for cards in (5, 20):
        state = _random_state(rng, 8, 9, cards, rule)
        whole = model.best(state, budget=UNLIMITED)
        cut = model.best(state, budget=Budget(seconds=0), engine=engine)  # type: ignore[arg-type]  # a parameter of the test
        assert (cut.proof, cut.stopped_by) == ("feasible", "time")
        assert cut.score is not None
        assert cut.bound is not None
        assert cut.score == whole.score
        assert cut.score < cut.bound
        assert rules.check(state, load_move(Node(cut.line[0]), state)).legal


def test_equal_plays_are_ordered_by_blocker_then_open_sides_then_place() -> None:
    def best(hand: tuple[tuple[int, int], ...], symbols: tuple[tuple[int, int], ...]) -> object:
        seats = (
            Seat("A", (), hand),
            Seat("B", (None,) * 4, (None,)),
            Seat("C", (None,) * (14 - 7 - len(hand)), (None,)),
        )
        state = State(
            size=(3, 5), in_play=((1, 1), (1, 3)), seats=seats, to_move="A", blocker_cards=symbols
        )
        return model.best(state, budget=UNLIMITED, engine="search").line[0]["play"]

    corner_side, middle = (1, 0), (2, 1)
    assert best(((2, 3), middle, corner_side), ()) == [[1, 0]]
    assert best(((2, 3), middle, (0, 3)), ()) == [[0, 3]]
    assert best(((2, 3), middle, corner_side), (middle,)) == [[2, 1]]
    assert best(((2, 3), middle), ((0, 0),)) == [[2, 1]]


def test_the_richest_is_named_as_victim() -> None:
    seats = (Seat("A", (), ((0, 0),)), Seat("B", (None,), (None,)), Seat("C", (None,) * 3, (None,)))
    state = State(size=(1, 7), in_play=(), seats=seats, to_move="A")
    assert model.best(state, budget=UNLIMITED, engine="search").line[0]["steal_from"] == "C"
    guarded = State(size=(1, 7), in_play=(), seats=seats, to_move="A", blocker="C")
    assert model.best(guarded, budget=UNLIMITED, engine="search").line[0]["steal_from"] == "B"


def test_connections_reach_but_never_exceed_three_a_card_and_two() -> None:
    grid, most = grid_of(6, 7), [0] * 6
    for shape in rules.plays(grid, grid.mask((row, col) for row in (2, 3) for col in range(1, 6)),
                             "connected"):  # fmt: skip
        if shape.bit_count() <= 5:
            around = grid.everything & ~shape
            counted = shape.bit_count() + grid.contacts(shape, around)
            most[shape.bit_count()] = max(most[shape.bit_count()], counted)
    assert most[1:] == [5, 8, 11, 14, 17]


def _ahead(grid: Grid, in_play: int, hand: int, draws: tuple[int, ...], turns: int, rule: str,
           size: int) -> int:  # fmt: skip
    """Try out every play of every turn."""
    if not turns or not hand:
        return 0
    best = 0
    held = frozenset(grid.cells_of(hand))
    for play in _groups(held, rule):
        mask = grid.mask(play)
        rest, more = hand & ~mask, list(draws)
        while more and rest.bit_count() < size:
            rest |= 1 << more.pop(0)
        further = _ahead(grid, in_play | mask, rest, tuple(more), turns - 1, rule, size)
        best = max(best, _counted(play, frozenset(grid.cells_of(in_play))) + further)
    return best


@pytest.mark.parametrize("rule", ["connected", "each_touches_another"])
def test_turns_ahead_against_every_order_of_plays(rule: str) -> None:
    rng = random.Random(13)
    for _ in range(60):
        grid = grid_of(3, rng.choice([2, 3, 4]))
        cards = list(range(grid.size))
        rng.shuffle(cards)
        held = rng.randint(1, 5)
        lying = rng.randint(0, grid.size - held)
        hand = sum(1 << card for card in cards[:held])
        in_play = sum(1 << card for card in cards[held : held + lying])
        draws = tuple(cards[held + lying :][: rng.choice([0, 0, 1, 2])])
        turns, size = rng.randint(1, 3), rng.choice([3, 5])
        expected = _ahead(grid, in_play, hand, draws, turns, rule, size)
        question = Ahead(grid, rule, size, draws)
        plan = connections_ahead(question, in_play, hand, turns, meter=Meter(budget=UNLIMITED))
        assert plan.score == plan.bound == expected
        assert _replayed(grid, in_play, plan.plays) == expected
        for work in (0, 3, 12):
            meter = Meter(budget=Budget(seconds=None, work=work))
            cut = connections_ahead(question, in_play, hand, turns, meter=meter)
            assert cut.score <= expected <= cut.bound
            assert _replayed(grid, in_play, cut.plays) == cut.score


def _replayed(grid: Grid, in_play: int, plays: tuple[int, ...]) -> int:
    score = 0
    for play in plays:
        score += play.bit_count() + grid.contacts(play, in_play)
        in_play |= play
    return score


def test_no_real_draws_exceed_the_bound_with_draws() -> None:
    rng = random.Random(14)
    for _ in range(20):
        cards = list(range(20))
        rng.shuffle(cards)
        grid = grid_of(4, 5)
        table = Table(grid, sum(1 << card for card in cards[10:14]), [cards[:4], []],
                      [[-1] * 6, []], 0, None, False, 0, hand_size=4)  # fmt: skip
        draws = Ahead(grid, "connected", 4, tuple(cards[4:8]))
        plan = connections_ahead(
            draws, table.in_play, table.hand_mask, 2, meter=Meter(budget=UNLIMITED)
        )
        assert plan.score <= most_with_draws(table, 2)


def test_best_of_several_turns_answers_with_its_plays() -> None:
    state = State(
        size=(2, 4),
        in_play=(),
        seats=(
            Seat("A", (None,) * 2, ((0, 0), (0, 1), (1, 0), (1, 1))),
            Seat("B", (), (None,) * 2),
        ),
        to_move="A",
    )
    answer: Best = model.best(state, budget=UNLIMITED, turns=2)
    assert (answer.score, answer.bound) == (6, 6)
    assert len(answer.line) == 2
    assert answer.details["bound_with_draws"] >= 6


def test_each_of_several_turns_robs_who_is_the_richest_by_then() -> None:
    seats = (
        Seat("A", (), ((0, 0), (0, 1), (1, 0))),
        Seat("B", (), (None,) * 3),
        Seat("C", (), (None,) * 2),
        Seat("D", (None,) * 2, (None,) * 5),
    )
    state = State(size=(3, 5), in_play=(), seats=seats, to_move="A", me="A", blocker="D")
    answer = model.best(state, budget=UNLIMITED, turns=3)
    assert [move["steal_from"] for move in answer.line] == ["B", "B", "C"]
    assert sorted(len(move["play"]) for move in answer.line) == [1, 1, 1]
    assert rules.check(state, load_move(Node(answer.line[0]), state)).legal
    free = model.best(replace(state, blocker=None), budget=UNLIMITED, turns=3)
    assert {move["steal_from"] for move in free.line} == {"D"}


def test_fit_lists_every_group_and_what_each_card_touches() -> None:
    rng = random.Random(15)
    for _ in range(40):
        state = _random_state(rng, 4, 5, 5, "connected")
        hand, in_play = frozenset(state.seats[0].hand), frozenset(state.in_play)
        answer = model.fit(state, budget=UNLIMITED)
        groups = {frozenset(map(tuple, group["play"])) for group in answer.details["groups"]}
        assert groups == set(_groups(hand, "connected"))  # type: ignore[arg-type]  # as above
        for card in answer.details["cards"]:
            assert card["contacts"] == len(_near(tuple(card["cell"])) & in_play)


def test_an_illegal_state_has_no_best() -> None:
    seats = (Seat("A", (), ((0, 0),)), Seat("B", (), ((0, 0),)))
    with pytest.raises(IllegalState):
        model.best(State(size=(1, 2), in_play=(), seats=seats, to_move="A"), budget=UNLIMITED)
