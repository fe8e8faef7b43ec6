"""The rules against their text: a published sequence, perft, and an example for every code."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.errors import InputError
from tilesolve.wire import Node, parse
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.deal import deal
from tilesolve_models.lets_klack.position import (
    SPECIALS,
    Again,
    Away,
    Cover,
    Fly,
    Jump,
    Match,
    Move,
    Pass,
    Rules,
    State,
    Swap,
    TurnUp,
)

DEALS = json.loads(Path(__file__).with_name("deals.json").read_text())["deals"]
CARDS = ((3, 8, 10), (5, 12), (6, 13, 2), (9, 4), (7, 1, 11))
"""5 on (1,1), 6 on (2,0), 10 on (0,4)."""


def state_of(**blocks: tuple[int, int]) -> State:
    places = {int(name[1:]): cell for name, cell in blocks.items()}
    covered = sorted({value for row in CARDS for value in row} - set(places))
    return State(cards=CARDS, blocks=tuple(sorted(places.items())), covered=tuple(covered))


def codes(state: State, move: Move | None = None) -> list[tuple[str, str]]:
    return [(each.code, each.rule) for each in rules.check(state, move).violations]


def test_the_published_sequence_is_legal() -> None:
    cards = ((1, 10, 2), (3, 5), (6, 4, 7), (8, 9), (11, 12, 13))
    state = State(
        cards=cards,
        blocks=((5, (0, 1)), (6, (0, 3)), (10, (2, 3))),
        covered=tuple(value for value in range(1, 14) if value not in (5, 6, 10)),
    )
    line = [(5, (2, 1), 3), (6, (0, 1), 3), (10, (0, 3), 2), (5, (2, 3), 1), (6, (2, 1), 0)]
    for block, to, left in line:
        assert codes(state, Jump(block, to)) == []
        state = rules.apply(state, Jump(block, to))
        assert len(state.blocks) == left
    assert rules.check(state).complete


@pytest.mark.parametrize("given_deal", DEALS[:3])
def test_perft(given_deal: dict[str, dict[str, list[int]]]) -> None:
    layer = Counter({rules.load(Node(given_deal["state"])): 1})
    sequences, states = [1], [1]
    for _ in range(4):
        following: Counter[State] = Counter()
        for state, times in layer.items():
            for move in rules.moves(state):
                if not isinstance(move, Pass):
                    following[rules.apply(state, move)] += times
        layer = following
        sequences.append(layer.total())
        states.append(len(layer))
    assert sequences == given_deal["perft"]["sequences"]
    assert states == given_deal["perft"]["states_at_exact_length"]


HELD = state_of(b5=(0, 3), b6=(0, 1), b10=(2, 3))
PHASE_1 = replace(HELD, phase=1, face_down=((0, 3),))


@pytest.mark.parametrize(
    ("state", "move", "code", "rule"),
    [
        (PHASE_1, Jump(6, (0, -1)), "phase-one", "LK1"),
        (PHASE_1, TurnUp((0, 1)), "not-face-down", "LK1"),
        (replace(HELD, face_down=((0, 3),)), None, "face-down-late", "LK1"),
        (replace(PHASE_1, face_down=((4, 5),)), None, "face-down-nowhere", "LK1"),
        (replace(state_of(b5=(0, 1)), phase=1), None, "not-covered", "LK1"),
        (HELD, Jump(5, (2, 5)), "not-straight", "LK2"),
        (HELD, Jump(6, (0, 5)), "wrong-distance", "LK2"),
        (HELD, Jump(6, (0, 3)), "taken", "LK2"),
        (HELD, Jump(6, (0, -3)), "not-a-spot", "LK2"),
        (HELD, Jump(14, (0, 5)), "no-such-block", "LK2"),
        (state_of(b5=(0, -1)), Jump(5, (2, -1)), "no-card", "LK2"),
        (state_of(b5=(0, 0)), None, "not-a-spot", "LK2"),
        (state_of(b5=(0, 3), b6=(0, 3)), None, "spot-twice", "LK2"),
        (
            replace(HELD, rules=Rules(must_continue=True), must_move=5),
            Jump(6, (0, -1)),
            "must-move",
            "LK2",
        ),
        (replace(HELD, must_move=5), None, "must-move-unused", "LK2"),
        (
            replace(HELD, rules=Rules(must_continue=True), must_move=9),
            None,
            "must-move-gone",
            "LK2",
        ),
        (state_of(b5=(0, 3)), Jump(5, (0, 1), cover=False), "covers-at-once", "LK3"),
        (state_of(b5=(0, 3)), Jump(5, (0, 5), cover=True), "cannot-cover", "LK3"),
        (
            replace(state_of(b5=(0, 3)), rules=Rules(cover="separate")),
            Jump(5, (0, 1), cover=True),
            "covers-later",
            "LK3",
        ),
        (
            replace(HELD, rules=Rules(jump_covered=False)),
            Jump(6, (0, -1)),
            "covered-card",
            "LK4",
        ),
        (HELD, Jump(9, (0, -1)), "on-its-card", "LK5"),
        (replace(HELD, covered=tuple(sorted((*HELD.covered, 5)))), None, "block-twice", "LK5"),
        (HELD, Cover(5), "not-beside", "LK6"),
        (state_of(), Pass(), "nothing-to-pass", "LK7"),
        (state_of(), Fly(5), "all-covered", "LK8"),
        (replace(HELD, turns_left=0), Pass(), "round-over", "LK8"),
        (replace(HELD, match=Match(totals=(50, 3), limit=50)), None, "match-over", "LK9"),
        (replace(HELD, match=Match(totals=(0, 3), rounds=2, played=2)), None, "match-over", "LK9"),
        (HELD, Fly(5), "not-in-hand", "LK10"),
        (HELD, Away(5), "not-in-hand", "LK10"),
        (HELD, Swap(5, 6), "not-in-hand", "LK10"),
        (HELD, Again(), "not-in-hand", "LK10"),
        (replace(HELD, specials=("fly",)), Fly(9), "already-covered", "LK10"),
        (replace(HELD, specials=("swap",)), Swap(5, 5), "swap-same", "LK10"),
        (replace(HELD, specials=("swap",), again_left=2), Swap(5, 6), "swap-late", "LK10"),
        (replace(HELD, specials=("fly", "fly")), None, "special-twice", "LK10"),
        (replace(HELD, specials=("again",), again_left=1), None, "again-twice", "LK10"),
        (replace(HELD, away=5), None, "away-uncovered", "LK10"),
        (replace(HELD, away=9, specials=("away",)), None, "away-twice", "LK10"),
        (replace(HELD, covered=HELD.covered[1:]), None, "missing-block", ""),
        (replace(HELD, covered=(*HELD.covered, 99)), None, "no-such-card", ""),
        (replace(HELD, covered=(1, *HELD.covered)), None, "covered-twice", ""),
    ],
)
def test_each_code_has_an_example_that_raises_exactly_it(
    state: State, move: Move | None, code: str, rule: str
) -> None:
    assert codes(state, move) == [(code, rule)]


def test_equal_cards_are_a_violation() -> None:
    state = replace(state_of(), cards=((3, 8, 10), (3, 12), *CARDS[2:]))
    assert ("card-twice", "") in codes(state)


def test_all_violations_come_at_once() -> None:
    state = replace(HELD, specials=("fly", "fly"), must_move=5, away=6)
    assert len(codes(state)) == 3


def test_a_swapped_block_beside_its_card_needs_a_move() -> None:
    state = replace(state_of(b5=(0, 5), b6=(2, 3)), specials=("swap",))
    swapped = rules.apply(state, Swap(5, 6))
    assert swapped.places[5] == (2, 3)
    state = replace(state_of(b5=(0, 5), b6=(2, 1)), specials=("swap",))
    swapped = rules.apply(state, Swap(5, 6))
    assert 5 in swapped.places
    assert Cover(5) in rules.moves(swapped)
    assert 5 in rules.apply(swapped, Cover(5)).covered


def test_away_counts_one_minus_point() -> None:
    state = replace(HELD, specials=("away",))
    after = rules.apply(state, Away(10))
    assert after.minus_points == 5 + 6 + 1
    assert 10 in after.covered
    assert rules.check(after).legal


def test_again_makes_two_moves_one_turn() -> None:
    state = replace(HELD, specials=("again",), turns_left=1)
    state = rules.apply(rules.apply(state, Again()), Jump(6, (0, -1)))
    assert state.turns_left == 1
    assert rules.apply(state, Pass()).turns_left == 0


def test_swap_is_lost_with_the_first_move() -> None:
    state = replace(HELD, specials=("swap", "fly"))
    assert rules.apply(state, Pass()).specials == ("fly",)


def test_must_continue_lets_nothing_else_move() -> None:
    state = replace(HELD, rules=Rules(must_continue=True))
    after = rules.apply(state, Jump(6, (0, -1)))
    assert after.must_move == 6
    assert {move.block for move in rules.moves(after) if isinstance(move, Jump)} == {6}


def test_the_pass_is_last() -> None:
    *others, last = rules.moves(replace(HELD, specials=SPECIALS))
    assert last == Pass()
    assert Pass() not in others


def test_optional_covering_may_be_declined_and_made_up_for() -> None:
    state = replace(state_of(b5=(0, 3)), rules=Rules(cover="optional"))
    assert Jump(5, (0, 1), cover=False) in rules.moves(state)
    after = rules.apply(state, Jump(5, (0, 1), cover=False))
    assert 5 in rules.apply(after, Cover(5)).covered


def test_phase_1_covers_what_stands_beside_its_card() -> None:
    start = deal(3, phase=1)
    assert len(start.blocks) == len(start.face_down) == 13
    state = start
    while state.phase == 1:
        move = next(rules.moves(state))
        assert codes(state, move) == []
        state = rules.apply(state, move)
        assert rules.check(state).legal
    assert state == deal(3) == rules.turned_up(start)


options = st.builds(
    Rules,
    must_continue=st.booleans(),
    cover=st.sampled_from(["automatic", "optional", "separate"]),
    jump_covered=st.booleans(),
)


@given(st.integers(0, 10**6), options, st.sets(st.sampled_from(SPECIALS)), st.data())
@settings(max_examples=30, deadline=None)
def test_laws_of_play(seed: int, readings: Rules, held: set[str], data: st.DataObject) -> None:
    state = deal(seed, width=2, specials=tuple(sorted(held)), options=readings)
    for _ in range(6):
        assert rules.load(Node(rules.dump(state))) == state
        choices = list(rules.moves(state))
        assert len(set(choices)) == len(choices)
        if not choices:
            assert rules.check(state).complete
            return
        move = data.draw(st.sampled_from(choices))
        assert rules.load_move(Node(rules.dump_move(move)), state) == move
        assert rules.check(state, move).legal
        before = rules.dump(state)
        state = rules.apply(state, move)
        assert rules.dump(state) != before or isinstance(move, Pass)
        assert rules.check(state).legal


@given(st.integers(0, 10**6), options, st.data())
@settings(max_examples=30, deadline=None)
def test_a_move_is_legal_exactly_when_it_is_listed(
    seed: int, readings: Rules, data: st.DataObject
) -> None:
    state = deal(seed, width=2, options=readings, specials=("fly", "swap"))
    cells = st.tuples(st.integers(-2, 4), st.integers(-2, 4))
    blocks = st.integers(1, 5)
    move = data.draw(
        st.builds(Jump, blocks, cells)
        | st.builds(Jump, blocks, cells, st.just(False))
        | st.builds(Cover, blocks)
        | st.builds(Fly, blocks)
        | st.builds(Away, blocks)
        | st.builds(Swap, blocks, blocks)
    )
    listed = set(rules.moves(state))
    if isinstance(move, Swap):
        listed |= {Swap(other.second, other.first) for other in listed if isinstance(other, Swap)}
    if isinstance(move, Jump) and move.cover is False:
        place = state.places.get(move.block)
        declined = place and not state.beside_own_card(move.block, move.to)
        listed |= (
            {Jump(move.block, move.to, False)}
            if declined and Jump(move.block, move.to) in listed
            else set()
        )
        if readings.cover == "separate" and Jump(move.block, move.to) in listed:
            listed.add(move)
    assert rules.check(state, move).legal == (move in listed)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"game": "lets-klack", "cards": []}', "$.cards"),
        ('{"game": "lets-klack", "cards": [[1, 2], [3]]}', "$.cards"),
        ('{"game": "lets-klack", "cards": [[1, 2], [3, 4], [5, 6]]}', "$.cards[1]"),
        ('{"game": "lets-klack", "cards": [[1, 2], [0], [5, 6]]}', "$.cards[1][0]"),
        ('{"game": "lets-klack", "cards": [[1]], "blocks": {"x": [0, 1]}}', "$.blocks.x"),
        ('{"game": "lets-klack", "cards": [[1]], "blocks": {"01": [0, 1]}}', '$.blocks["01"]'),
        ('{"game": "lets-klack", "cards": [[1]], "blocks": {"1": [0]}}', '$.blocks["1"]'),
        ('{"game": "lets-klack", "cards": [[1]], "blocks": []}', "$.blocks"),
        ('{"game": "lets-klack", "cards": [[1]], "specials": ["hop"]}', "$.specials[0]"),
        ('{"game": "lets-klack", "cards": [[1]], "rules": {"cover": 1}}', "$.rules.cover"),
        ('{"game": "lets-klack", "cards": [[1]], "turns": 1}', "$"),
        ('{"game": "lets-klack", "cards": [[1]], "phase": 3}', "$.phase"),
        ('{"game": "lets-klack", "cards": [[1]], "match": {"totals": []}}', "$.match.totals"),
        ('{"game": "lets-klack", "cards": [[99999999999999999999]]}', "$.cards[0][0]"),
    ],
)
def test_what_cannot_be_read_names_its_place(text: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        rules.load(parse(text))
    assert caught.value.place == place


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"block": 1}',
        '{"block": 1, "cover": false}',
        '{"fly": 1, "away": 1}',
        '{"pass": false}',
        '{"swap": [1]}',
        '{"block": 1, "to": [0]}',
        "[]",
    ],
)
def test_moves_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        rules.load_move(parse(text), HELD)
