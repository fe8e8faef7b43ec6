"""Rounds and matches: turns after the first who finishes, cards, ends, and seeds."""

import random
from dataclasses import replace

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.lets_klack.deal import deal
from tilesolve_models.lets_klack.match import (
    POLICIES,
    Terms,
    chosen,
    play_match,
    play_round,
    simulate,
)
from tilesolve_models.lets_klack.position import Fly, Jump, Move, Pass, State

FREE = Budget(seconds=None)


def test_the_highest_total_chooses_first_and_the_younger_on_a_tie() -> None:
    assert chosen([5, 9, 9], ("again", "swap")) == {1: ("swap",), 2: ("again",), 0: ()}


def test_the_others_have_exactly_one_more_turn() -> None:
    """The second of three finishes; third and first move once more, in that order."""
    near = State(cards=((1, 2),), blocks=((1, (0, -1)),), covered=(2,), specials=("fly",))
    far = replace(near, blocks=((1, (0, 3)),), specials=())
    turns: list[tuple[str, int | None]] = []

    def player(name: str, move: Move) -> object:
        def policy(state: State, chance: random.Random, meter: Meter) -> tuple[Move, ...]:
            turns.append((name, state.turns_left))
            return (move,)

        return policy

    waits = player("first", Pass())
    flies = player("second", Fly(1))
    covers = player("third", Jump(1, (0, 1)))
    scores = play_round(
        [near, near, far],
        [waits, flies, covers],  # type: ignore[list-item]  # built by hand above
        starter=0,
        chance=random.Random(0),
        meter=Meter(budget=FREE),
    )
    assert turns == [("first", None), ("second", None), ("third", 1), ("first", 1)]
    assert scores == [1, 0, 0]


def test_a_match_ends_at_the_limit_or_after_its_rounds() -> None:
    shortest = POLICIES["shortest"]
    meter = Meter(budget=FREE)
    totals, played = play_match([shortest] * 2, Terms(specials=(), limit=30), seed=1, meter=meter)
    assert max(totals) >= 30
    assert played >= 1
    _, played = play_match([shortest] * 2, Terms(limit=None, rounds=2), seed=1, meter=meter)
    assert played == 2


def test_better_policies_have_fewer_minus_points() -> None:
    found = simulate(
        None, games=9, policies=("shortest", "nearest", "careless"), budget=FREE, mode="round"
    )
    means = [score.mean for score in found.policies]
    assert means[0] < means[1] < means[2]
    assert sum(score.games for score in found.policies) == 27


def test_the_same_seed_is_the_same_table() -> None:
    def run() -> object:
        found = simulate(
            deal(1, width=2), games=3, policies=("shortest", "careless"), budget=FREE, limit=20
        )
        return replace(found, seconds=0)

    assert run() == run()


def test_seats_turn_from_game_to_game() -> None:
    found = simulate(
        None,
        games=3,
        policies=("nearest", "careless", "shortest"),
        budget=FREE,
        players=2,
        mode="round",
    )
    assert [score.games for score in found.policies] == [2, 2, 2]


def test_special_cards_must_exist() -> None:
    with pytest.raises(InputError):
        simulate(None, games=1, policies=(), budget=FREE, specials=Node("hop", "$.specials"))


def test_a_work_limit_stops_between_matches() -> None:
    found = simulate(
        deal(1, width=2),
        games=1000,
        policies=("shortest",),
        budget=Budget(seconds=None, work=5000),
        players=2,
    )
    assert found.stopped_by == "work"
    assert 0 < found.details["matches"] < 1000
