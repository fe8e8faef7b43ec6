"""Whole games, hints and simulations."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.testing import CONTRACT
from tilesolve.wire import Node
from tilesolve_models.picture_grid import grid_of
from tilesolve_models.puzl_it import rules
from tilesolve_models.puzl_it.deal import deal, fill, hide
from tilesolve_models.puzl_it.game import GAME
from tilesolve_models.puzl_it.hints import hint
from tilesolve_models.puzl_it.model import best_play
from tilesolve_models.puzl_it.policies import (
    at_random,
    careful,
    most_connections,
    play_out,
    random_pick,
)
from tilesolve_models.puzl_it.search import Trials, candidates
from tilesolve_models.puzl_it.simulation import simulate
from tilesolve_models.puzl_it.state import Known, Move, Rules, Seat, State, dump_move, load
from tilesolve_models.puzl_it.table import UNSEEN, Table, play_turn

WORK = Budget(seconds=None, work=300)


def _all_cards(table: Table) -> list[int]:
    lying = [card for card in range(table.grid.size) if table.in_play >> card & 1]
    return sorted(lying + [card for cards in table.hands + table.piles for card in cards])


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("rule", ["connected", "each_touches_another"])
def test_whole_games_keep_every_card_and_end_with_one_winner(players: int, rule: str) -> None:
    for seed in range(30):
        table = rules.table_of(deal(players=players, seed=seed))
        rng = random.Random(seed)
        policy = at_random(rule) if seed % 2 else most_connections(rule)
        turns = 0
        while table.winner is None:
            before = table.in_play
            play, victim = policy(table, rng)
            play_turn(table, play, victim, random_pick(rng))
            turns += 1
            assert _all_cards(table) == list(range(72))
            assert table.in_play.bit_count() > before.bit_count()
            assert table.cards(table.to_move) > 0
            assert all(len(hand) <= 5 for hand in table.hands)
            assert all(
                hand or not pile for hand, pile in zip(table.hands, table.piles, strict=True)
            )
            assert table.blocker != table.to_move
        assert turns <= 72
        assert len(table.players) == 1


def _recorded(start: State) -> tuple[Table, tuple[Move, ...]]:
    """Play with the engine, and write every turn down with all its claims."""
    table, rng, record = rules.table_of(start), random.Random(1), []
    field, names = rules.grid(start), [seat.name for seat in start.seats]
    while table.winner is None:
        mover = table.to_move
        play, victim = at_random("connected")(table, rng)
        turn = play_turn(table, play, victim, random_pick(rng))
        record.append(
            Move(
                play=field.cells_of(play),
                steal_from=None if victim is None else names[victim],
                by=names[mover],
                connections=turn.connections,
                stolen=tuple(field.cell(card) for card in turn.stolen),
                drawn=tuple(field.cell(card) for card in turn.drawn),
                blocker=turn.took_blocker,
            )
        )
    return table, tuple(record)


@pytest.mark.parametrize("players", [2, 3, 5, 6])
def test_a_game_on_record_is_refereed_and_gives_the_same_table(players: int) -> None:
    start = deal(players=players, seed=players)
    table, record = _recorded(start)
    assert table.winner is not None
    whole = replace(start, history=record)
    verdict = rules.check(whole)
    assert verdict.legal, verdict.violations
    assert verdict.complete
    assert verdict.details["winner"] == start.seats[table.winner].name
    assert rules.table_of(rules.position(whole)).in_play == table.in_play
    for number in range(0, len(record), 3):
        forged = replace(record[number], connections=(record[number].connections or 0) + 1)
        history = (*record[:number], forged, *record[number + 1 :])
        found = rules.check(replace(start, history=history)).violations
        assert [each.code for each in found] == ["wrong-connections"]


def _with_counts(move: Move, *, drawn: bool, stolen: bool) -> Move:
    """Return a record that has numbers where it does not name cards."""
    assert isinstance(move.drawn, tuple)
    assert isinstance(move.stolen, tuple)
    return replace(
        move,
        drawn=move.drawn if drawn else len(move.drawn),
        stolen=move.stolen if stolen else len(move.stolen),
    )


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_a_record_that_names_few_cards_is_no_false_alarm(players: int) -> None:
    for seed in range(3):
        start = deal(players=players, seed=seed)
        _, record = _recorded(start)
        seen = rules.view(start, "A")
        bare = tuple(Move(play=move.play, steal_from=move.steal_from) for move in record)
        drawn = tuple(_with_counts(move, drawn=True, stolen=False) for move in record)
        own = tuple(_with_counts(move, drawn=move.by == "A", stolen=False) for move in record)
        felt = tuple(
            _with_counts(move, drawn=move.by == "A", stolen=move.steal_from == "A")
            for move in record
        )
        for state, history in (
            (start, bare), (start, drawn), (seen, bare), (seen, own), (seen, felt),
        ):  # fmt: skip
            verdict = rules.check(replace(state, history=history))
            assert verdict.legal, verdict.violations
            assert verdict.complete


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_deal_is_even_and_lays_out_what_is_left_over(players: int) -> None:
    state = deal(players=players, seed=3)
    assert {seat.cards for seat in state.seats} == {72 // players}
    assert {len(seat.hand) for seat in state.seats} == {5}
    assert len(state.in_play) == 72 % players
    assert rules.check(state).legal
    assert deal(players=players, seed=3) == state != deal(players=players, seed=4)


def test_filling_deals_every_hidden_card_once_and_keeps_what_is_known() -> None:
    table = hide(rules.table_of(deal(players=3, seed=8)))
    assert table.hands[1] == [UNSEEN] * 5
    mine = table.hand_mask
    known = next(card for card in range(72) if not mine >> card & 1)
    seen = set()
    for seed in range(30):
        full = fill(table, random.Random(seed), {2: 1 << known})
        assert _all_cards(full) == list(range(72))
        assert full.hands[0] == table.hands[0]
        assert known in full.hands[2] + full.piles[2]
        seen.add(tuple(full.hands[1]))
    assert len(seen) == 30


def _ends_now() -> State:
    """B has one card left; two plays win at once, the third leaves him in the game."""
    return load(
        Node(
            {
                "game": "puzl-it", "size": [3, 3], "in_play": [[0, 1], [1, 0]],
                "hand": [[1, 1], [2, 2]], "to_move": "A",
                "players": [{"name": "A", "pile": 2}, {"name": "B", "pile": 1, "hand": 2}],
            }
        )
    )  # fmt: skip


def test_a_hint_finds_the_play_that_wins_at_once() -> None:
    answer = hint(_ends_now(), count=3, budget=WORK)
    assert answer.hints[0].move == {"play": [[1, 1]], "steal_from": "B"}
    assert answer.hints[0].value == 1
    assert "is out" in answer.hints[0].reason
    assert all(first.value >= second.value for first, second in pairwise(answer.hints))  # type: ignore[operator]  # numbers


def test_a_hint_uses_only_what_the_player_sees() -> None:
    state = deal(players=3, seed=5)
    seen = rules.view(state, "A")
    assert hint(state, count=4, budget=WORK).hints == hint(seen, count=4, budget=WORK).hints


def test_a_hint_takes_the_blocker_from_the_player_it_wants_to_rob() -> None:
    """B holds the Blocker and all the cards but one; only a Blocker card makes him a victim."""
    state = State(
        size=(3, 4),
        in_play=((0, 0), (0, 3)),
        seats=(
            Seat("A", (), ((1, 0), (1, 3))),
            Seat("B", (None,) * 4, (None,) * 2),
            Seat("C", (), (None,) * 2),
        ),
        to_move="A",
        me="A",
        blocker="B",
        blocker_cards=((1, 3),),
    )
    answer = hint(state, count=5, budget=WORK)
    assert "takes the Blocker from B" in answer.hints[0].reason
    moves = {str(each.move): each for each in answer.hints}
    assert str({"play": [[1, 0]], "steal_from": "B"}) not in moves
    assert {"nearest_out", "threat", "shares", "samples"} <= set(answer.details)
    assert answer.details["nearest_out"] == "C"
    assert abs(sum(answer.details["shares"].values()) - 1) < 0.001


def test_a_chance_is_measured_and_not_just_a_share() -> None:
    """With two players a small lead in cards is worth more in wins than in cards."""
    table = hide(rules.table_of(deal(players=2, seed=12)))
    trials = Trials(table, "connected", 1, ends_every=1)
    choice = candidates(table, "connected")[0]
    shares = [trials.play(choice, sample) for sample in range(300)]
    scale = trials.chances()
    wins = sum(won for _, _, won in trials.ends)
    assert scale.of(sum(shares) / 300) == pytest.approx(wins / 300)
    assert scale.slope > 1.5
    assert not trials.decided[choice]


def test_knowing_the_other_hand_changes_the_chance() -> None:
    """Whether B has the card that fits next is known or not."""
    unknown = _ends_now()
    good = replace(unknown, known=(Known("B", ((0, 0), (0, 2), (2, 0))),))
    values = [hint(state, count=2, budget=WORK).hints[1].value for state in (unknown, good)]
    assert values[0] != values[1]


@pytest.mark.parametrize("rounds", [0, 1])
def test_the_same_seed_gives_the_same_hints(rounds: int) -> None:
    state = deal(players=4, seed=6)
    first, second = (hint(state, count=9, budget=WORK, rounds=rounds) for _ in range(2))
    assert first.hints == second.hints
    assert first.stopped_by == "work"


def test_nobody_is_advised_whose_hand_cannot_be_seen() -> None:
    state = replace(rules.view(deal(players=2, seed=1), "A"), to_move="B")
    assert hint(state, count=3, budget=WORK).hints == ()


def test_simulated_policies_play_the_same_deals() -> None:
    answer = simulate(
        None, games=60, policies=("most-connections", "random"), budget=Budget(seconds=None)
    )
    greedy, chance = answer.policies
    assert greedy.games == chance.games == 60
    assert greedy.mean > chance.mean + 0.2
    again = simulate(
        None, games=60, policies=("most-connections", "random"), budget=Budget(seconds=None)
    )
    assert again.policies == answer.policies


@pytest.mark.parametrize("rule", ["connected", "each_touches_another"])
def test_equal_plays_are_told_apart_by_the_careful_alone(rule: str) -> None:
    """The corner opens fewer sides than the middle; both are one connection."""
    table = Table(grid_of(3, 5), 0, [[2 * 5 + 4, 1 * 5 + 1], [0]], [[], []], 0, None, False, 0)
    corner, middle = 1 << 14, 1 << 6
    rng = random.Random(0)
    assert careful(rule)(table, rng)[0] == corner
    assert most_connections(rule)(table, rng)[0] == middle


def test_most_connections_are_those_of_best() -> None:
    for seed in range(60):
        table = rules.table_of(deal(players=3, seed=seed))
        table.in_play = sum(1 << card for card in range(0, 72, 3)) & ~table.hand_mask
        meter = Meter(budget=Budget(seconds=None))
        play, bound = best_play(table, "connected", engine="search", meter=meter)
        most = table.connections(play)
        assert bound == most
        for policy in (most_connections("connected"), careful("connected")):
            assert table.connections(policy(table, random.Random(0))[0]) == most


def test_simulation_goes_on_from_a_table_with_unseen_cards() -> None:
    answer = simulate(
        _ends_now(), games=20, policies=("most-connections",), budget=Budget(seconds=None)
    )
    assert answer.policies[0].mean == 1


def test_play_out_returns_the_last_player_with_cards() -> None:
    table = rules.table_of(deal(players=4, seed=9))
    winner = play_out(table, [most_connections("connected")] * 4, random.Random(0))
    assert table.players == [winner]


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_the_contract(check: object) -> None:
    check(GAME)  # type: ignore[operator]  # a parameter of the test


def test_moves_are_just_the_legal_ones() -> None:
    state = deal(players=3, seed=2)
    listed = list(rules.moves(state))
    assert all(rules.check(state, move).legal for move in listed)
    assert len({str(dump_move(move)) for move in listed}) == len(listed)
    by_option = replace(state, rules=Rules(group="each_touches_another"))
    assert all(rules.check(by_option, move).legal for move in rules.moves(by_option))
