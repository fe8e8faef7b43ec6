"""Whole games by policy, hints and simulations."""

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from tilesolve.answers import PolicyScore
from tilesolve.budget import Budget, Meter
from tilesolve.errors import IllegalState
from tilesolve.testing import CONTRACT
from tilesolve_models.new_year_puzzle import rules
from tilesolve_models.new_year_puzzle.game import GAME
from tilesolve_models.new_year_puzzle.hints import hint
from tilesolve_models.new_year_puzzle.prizes import Prize, Stack, synthetic
from tilesolve_models.new_year_puzzle.search import (
    UNKNOWN,
    Trials,
    by_simulation,
    candidates,
    chosen,
    difference,
    prospect,
    rank,
)
from tilesolve_models.new_year_puzzle.simulation import new, simulate
from tilesolve_models.new_year_puzzle.state import Flip, Memory, Player, State
from tilesolve_models.new_year_puzzle.table import Table, by_memory, set_out
from tilesolve_models.picture_grid import grid_of

WORK = Budget(seconds=None, work=400)
TWO = (Player("A"), Player("B"))


def _table(rng: random.Random, remember: int | None, **changes: Any) -> Table:
    grid = grid_of(8, 8)
    start: dict[str, Any] = {"lying": grid.corners, "known": (), "stack": None, "points": (0,),
                             "to_move": 0, "remember": remember, "reshuffle": False}  # fmt: skip
    return set_out(grid, rng=rng, **{**start, **changes})


@pytest.mark.parametrize(
    ("policy", "published"), [("memory", 82.7), ("no-memory", 126.3)], ids=["memory", "none"]
)
def test_mean_flips_of_the_rules_page(policy: str, published: float) -> None:
    """Within four standard errors, those of the published means (2000 deals) added in."""
    answer = simulate(None, games=500, policies=(policy,), budget=Budget(seconds=None, seed=1))
    score: PolicyScore = answer.policies[0]
    assert score.standard_error is not None
    assert score.standard_error < 1
    assert abs(score.mean - published) < 4 * score.standard_error * (1 + 500 / 2000) ** 0.5 + 0.05


@pytest.mark.parametrize("remember", [None, 0, 3])
def test_every_game_has_sixty_successes_and_moves_every_card_home(remember: int | None) -> None:
    for seed in range(30):
        rng = random.Random(seed)
        table = _table(rng, remember, stack=Stack(pool=synthetic(), left=60), points=(0, 0, 0))
        while not table.over:
            before = table.to_move
            fitted = table.flip(by_memory(table), rng)
            assert fitted or table.to_move == (before + 1) % 3
            assert remember is None or len(table.known) <= remember
            lying = [card for card in range(64) if table.open >> card & 1]
            assert sorted(lying + table.known + table.hidden) == list(range(64))
        assert table.successes == 60
        assert not table.prizes


def test_sets_of_cards_play_like_real_places() -> None:
    """The table keeps no places; the referee does. Their mean flips agree."""
    flips = []
    for seed in range(25):
        state = new(seed=seed, rows=5, columns=5)
        count = 0
        while not rules.complete(state):
            fitting = [each.at for each in state.known if rules.fits(state, each.home)]
            remembered = {each.at for each in state.known}
            unknown = [each.flip for each in rules.moves(state) if each.flip not in remembered]
            state = rules.apply(state, Flip(flip=(fitting or unknown or [*remembered])[0]))
            count += 1
        flips.append(count)
    fast = simulate(
        new(seed=0, rows=5, columns=5), games=600, policies=("memory",), budget=Budget(seconds=None)
    ).policies[0]
    mean = sum(flips) / len(flips)
    spread = (sum((each - mean) ** 2 for each in flips) / 24 / 25) ** 0.5
    assert abs(mean - fast.mean) < 4 * spread + 0.2


def test_prizes_end_turns_and_pay_the_player_who_took_them() -> None:
    grid = grid_of(1, 5)
    ending = Prize(points=3, no_extra_move=True)
    rng = random.Random(0)
    table = set_out(
        grid, lying=grid.corners, known=(1, 2, 3), stack=Stack(pool=(ending,) * 2, left=2),
        points=(0, 0), to_move=0, remember=None, reshuffle=False, rng=rng,
    )  # fmt: skip
    movers = []
    while not table.over:
        movers.append(table.to_move)
        assert table.flip(by_memory(table), rng)
    assert movers == [0, 1, 0]
    assert table.points == [3, 3]


def test_a_card_that_fits_for_certain_needs_fewest_flips() -> None:
    known = (Memory((1, 1), (0, 1)), Memory((2, 2), (3, 3)))
    state = State(size=(6, 6), open=((0, 0), (0, 5), (5, 0), (5, 5)), known=known)
    answer = hint(state, count=5, budget=Budget(seconds=None, work=3000))
    assert answer.unit == "flips"
    assert answer.hints[0].move == {"flip": [1, 1]}
    assert "fits for certain" in answer.hints[0].reason
    assert answer.hints[0].loss == 0
    unknown = answer.hints[1]
    assert "of 30 would fit" in unknown.reason
    assert unknown.loss is not None
    assert 0 <= unknown.loss < 2


def test_showing_nothing_new_is_best_when_prizes_only_cost() -> None:
    """All prizes are bad: whoever succeeds loses, so a card that cannot fit is turned up."""
    bad = Stack(pool=(Prize(points=-5),) * 32, left=32)
    known = (Memory((2, 2), (3, 3)),)
    state = State(size=(6, 6), open=((0, 0), (0, 5), (5, 0), (5, 5)), known=known,
                  players=TWO, stack=bad)  # fmt: skip
    budget = Budget(seconds=None, work=4000)
    answer = hint(state, count=5, budget=budget, rounds=1)
    assert answer.unit == "points ahead"
    assert answer.hints[0].move == {"flip": [2, 2]}
    assert "shows the others nothing new" in answer.hints[0].reason
    good = replace(state, stack=Stack(pool=(Prize(points=5),) * 32, left=32))
    advised = hint(good, count=5, budget=budget, rounds=1).hints[0]
    assert "would fit" in advised.reason


def test_what_is_forgotten_is_not_advised() -> None:
    known = (Memory((1, 1), (0, 1)), Memory((2, 2), (3, 3)))
    state = State(size=(6, 6), open=((0, 0), (0, 5), (5, 0), (5, 5)), known=known)
    moves = [each.move for each in hint(state, count=9, budget=WORK, remember=1).hints]
    assert {"flip": [1, 1]} not in moves or len(moves) == 1
    assert "of 31 would fit" in hint(state, count=9, budget=WORK, remember=1).hints[0].reason
    assert len(hint(state, count=9, budget=WORK, remember=0).hints) == 1


def test_a_hint_does_not_look_at_the_layout_or_the_order_of_prizes() -> None:
    state = new(seed=3, players=2)
    assert state.layout is not None
    other = replace(new(seed=9, players=2), players=state.players)
    assert hint(state, count=3, budget=WORK).hints == hint(other, count=3, budget=WORK).hints


def test_hints_are_ranked_and_repeat() -> None:
    table = _table(random.Random(4), None)
    while table.flips < 25 or not table.fitting:
        table.flip(by_memory(table), random.Random(0))
    grid = table.grid
    at = grid.cells_of(grid.everything & ~table.open)
    known = tuple(
        Memory(place, grid.cell(card)) for place, card in zip(at, table.known, strict=False)
    )
    state = State(size=(8, 8), open=grid.cells_of(table.open), known=known, players=TWO,
                  stack=Stack(pool=synthetic(), left=40))  # fmt: skip
    first, second = (hint(state, count=9, budget=WORK, rounds=1) for _ in range(2))
    assert first.hints == second.hints
    assert first.stopped_by == "work"
    assert "fits for certain" in first.hints[0].reason
    losses = [each.loss or 0.0 for each in first.hints[1:]]
    assert losses == sorted(losses) or first.hints[0].loss == 0


def test_the_usual_flip_is_kept_unless_another_is_clearly_better() -> None:
    table = _table(random.Random(7), None, points=(0, 0), stack=Stack(pool=synthetic(), left=60))
    while table.flips < 20 or not table.fitting:
        table.flip(by_memory(table), random.Random(1))
    choices = candidates(table)
    assert choices[0] == by_memory(table)
    assert UNKNOWN in choices
    trials = Trials(prospect(table).deal, 1)
    standings = rank(trials, choices, players=2, meter=Meter(budget=Budget(seconds=None, work=30)))
    assert chosen(standings, choices[0]) == choices[0]
    assert by_simulation(samples=30, seed=1)(table) == choices[0]


def test_one_players_hint_policy_needs_no_more_flips() -> None:
    answer = simulate(
        None, games=6, policies=("memory", "hint"), budget=Budget(seconds=None), samples=12
    )
    memory, advised = answer.policies
    assert advised.mean <= memory.mean + 0.5


def test_point_difference_is_against_the_mean_of_the_others() -> None:
    assert difference([4, 1, 3], 0) == 2
    assert difference([4, 1], 1) == -3


def test_simulation_from_a_position_keeps_what_is_known() -> None:
    grid = grid_of(1, 5)
    state = State(size=(1, 5), open=((0, 0), (0, 4)),
                  known=(Memory((0, 1), (0, 3)), Memory((0, 3), (0, 2))))  # fmt: skip
    answer = simulate(state, games=20, policies=("memory",), budget=Budget(seconds=None))
    assert answer.policies[0].distribution == {"3": 20}
    assert grid.size == 5


def test_a_complete_picture_needs_no_hint() -> None:
    state = State(size=(1, 3), open=((0, 0), (0, 1), (0, 2)))
    assert hint(state, count=3, budget=WORK).hints == ()


def test_an_illegal_state_gets_no_hint() -> None:
    with pytest.raises(IllegalState):
        hint(State(size=(3, 3), open=((0, 0),)), count=3, budget=WORK)


def test_new_deals_by_seed_and_hides_on_request() -> None:
    assert new(seed=1) == new(seed=1) != new(seed=2)
    assert rules.check(new(seed=1, players=4, rows=3, columns=7)).legal
    player = new(seed=1, hidden=True)
    assert player.layout is None
    assert player.stack is not None
    assert not player.stack.ordered
    assert all(first >= second for first, second in pairwise([60, player.stack.left]))


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_the_contract(check: object) -> None:
    check(GAME)  # type: ignore[operator]  # a parameter of the test


def test_the_picture_says_which_remembered_cards_fit() -> None:
    known = (Memory((1, 1), (0, 1)), Memory((1, 2), (1, 1)))
    stack = Stack(pool=(Prize(points=1),), left=1)
    corners = grid_of(3, 4).cells_of(grid_of(3, 4).corners)
    picture = GAME.picture(State(size=(3, 4), open=corners, known=known, stack=stack))
    labels = "".join(tile.label for tile in picture.tiles)
    assert labels == "#??#?!k?#??#"
    assert picture.notes[2:] == (
        "[1, 1] belongs to [0, 1], fits now",
        "[1, 2] belongs to [1, 1], fits not yet",
        "1 prize card left",
    )
