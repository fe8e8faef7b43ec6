"""`fit`, `best` and the expected successes against layouts and choices tried out one by one."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

import pytest

from tilesolve.answers import Best
from tilesolve.budget import Budget, Meter
from tilesolve.wire import Node
from tilesolve_models.new_year_puzzle import model, rules
from tilesolve_models.new_year_puzzle.chances import Knowledge
from tilesolve_models.new_year_puzzle.expectation import expected_successes
from tilesolve_models.new_year_puzzle.prizes import Prize, Stack
from tilesolve_models.new_year_puzzle.state import Flip, Memory, State, load
from tilesolve_models.picture_grid import Grid, cards_of, grid_of

UNLIMITED = Budget(seconds=None)
ENDING, PLAIN = Prize(points=1, no_extra_move=True), Prize(points=1)


def _start(rows: int, columns: int, *known: Memory, **changes: Any) -> State:
    field = grid_of(rows, columns)
    return State(size=(rows, columns), open=field.cells_of(field.corners), known=known, **changes)


def test_the_first_random_flip_fits_with_eight_in_sixty() -> None:
    answer = model.fit(load(Node({"game": "new-year-puzzle", "size": [8, 8]})), budget=UNLIMITED)
    assert answer.details["chance"] == "8/60"
    assert answer.details["chance_value"] == 8 / 60
    assert answer.read["unknown"] == 60


def test_fit_says_now_after_which_or_not_yet() -> None:
    state = _start(
        4,
        5,
        Memory((1, 1), (0, 1)),
        Memory((2, 2), (1, 2)),
        Memory((2, 1), (0, 2)),
        Memory((1, 3), (2, 2)),
        Memory((2, 3), (1, 1)),
    )
    entries = {
        tuple(each["home"]): each for each in model.fit(state, budget=UNLIMITED).details["known"]
    }
    assert entries[0, 1]["fits"] == "now"
    assert entries[0, 2] == {"at": [2, 1], "home": [0, 2], "fits": "after", "after": [[0, 1]]}
    assert entries[1, 2]["fits"] == "after"
    assert len(entries[1, 2]["after"]) == 2
    assert len(entries[2, 2]["after"]) == 3
    lonely = _start(5, 5, Memory((1, 1), (2, 2)))
    assert model.fit(lonely, budget=UNLIMITED).details["known"][0]["fits"] == "not yet"


def test_the_orders_of_fit_succeed_by_the_rules() -> None:
    rng = random.Random(3)
    for _ in range(60):
        state = _random_state(rng, 5, 6)
        for entry in model.fit(state, budget=UNLIMITED).details["known"]:
            played = state
            if entry["fits"] == "not yet":
                assert not _reachable(state, tuple(entry["home"]))
                continue
            for home in [*entry.get("after", []), entry["home"]]:
                place = next(each.at for each in played.known if each.home == tuple(home))
                flip = Flip(flip=place, success=True)
                assert rules.check(played, flip).legal
                played = rules.apply(played, flip)


def _reachable(state: State, home: tuple[int, int]) -> bool:
    field = rules.grid(state)
    knowledge = model.knowledge_of(state)
    return bool(knowledge.chain(knowledge.open) >> field.card(home) & 1)


def _random_state(rng: random.Random, rows: int, columns: int, **changes: Any) -> State:
    """Return a position after some random flips, with only some of the cards remembered."""
    field = grid_of(rows, columns)
    lying = field.corners
    for _ in range(rng.randint(0, 4)):
        lying |= 1 << rng.choice(list(cards_of(field.beside(lying))))
    closed = list(field.cells_of(field.everything & ~lying))
    homes = closed[:]
    rng.shuffle(homes)
    pairs = rng.sample(list(zip(closed, homes, strict=True)), rng.randint(0, len(closed) // 2))
    known = tuple(Memory(at, home) for at, home in pairs)
    return State(size=(rows, columns), open=field.cells_of(lying), known=known, **changes)


@pytest.mark.parametrize(
    ("cell", "answer"), [([0, 1], "yes"), ([0, 0], "no"), ([1, 2], "no"), ([2, 4], "yes")]
)
def test_fit_of_the_card_turned_up(cell: list[int], answer: str) -> None:
    found = model.fit(_start(4, 5), budget=UNLIMITED, card=Node(cell))
    assert found.answer == answer
    assert found.details["home"] == cell


def test_a_last_unknown_card_is_known_by_what_is_left() -> None:
    state = State(size=(2, 4), open=((0, 0), (0, 3), (1, 0), (1, 3), (0, 1), (0, 2)),
                  known=(Memory((1, 1), (1, 2)),))  # fmt: skip
    answer = model.best(state, budget=UNLIMITED)
    assert answer.score == 2
    assert answer.details["expected"] == "2/1"
    assert "chance" not in model.fit(state, budget=UNLIMITED).details


def test_a_chain_is_as_long_as_any_order_of_certain_flips() -> None:
    rng, lengths = random.Random(4), set[int]()
    for _ in range(80):
        state = _random_state(rng, 3, 4)
        answer: Best = model.best(state, budget=UNLIMITED)
        assert answer.score == answer.bound == _longest(model.legal_view(state))
        assert len(answer.line) == answer.score
        lengths.add(len(answer.line))
    assert lengths >= {0, 1, 2}


def _longest(state: State) -> int:
    """Return the most certain flips in a row, over all orders of them."""
    fitting = (each.at for each in state.known if rules.fits(state, each.home))
    return max((1 + _longest(rules.apply(state, Flip(flip=at))) for at in fitting), default=0)


def _by_choice(grid: Grid, lying: int, known: int, pool: tuple[Prize, ...], left: int) -> Fraction:
    """Return the best expected successes over every choice of every flip, prizes included."""

    @cache
    def value(lying: int, known: int, harmless: int, ending: int, left: int) -> Fraction:
        near = grid.beside(lying)
        unknown = grid.everything & ~lying & ~known

        def gained(card: int) -> Fraction:
            after = (lying | 1 << card, known & ~(1 << card))
            if not left:
                return 1 + value(*after, harmless, ending, 0)
            goes_on = Fraction(harmless, harmless + ending)
            further = value(*after, harmless - 1, ending, left - 1) if harmless else Fraction(0)
            return 1 + goes_on * further

        choices = [gained(card) for card in cards_of(known & near)]
        if unknown:
            fitting = [gained(card) for card in cards_of(unknown & near)]
            choices.append(sum(fitting, Fraction(0)) / unknown.bit_count())
        return max(choices, default=Fraction(0))

    ending = sum(prize.no_extra_move for prize in pool)
    return value(lying, known, len(pool) - ending, ending, left)


def test_the_expectation_is_the_best_over_all_choices() -> None:
    rng = random.Random(5)
    for _ in range(40):
        rows, columns = rng.choice([(3, 3), (3, 4), (2, 6), (1, 9)])
        pool = tuple(rng.choice([PLAIN, PLAIN, ENDING]) for _ in range(rng.randint(0, 6)))
        left = rng.randint(0, len(pool))
        state = _random_state(rng, rows, columns, stack=Stack(pool=pool, left=left))
        knowledge = model.knowledge_of(model.legal_view(state))
        expected = expected_successes(
            knowledge, state.stack, reshuffle=False, meter=Meter(budget=UNLIMITED)
        )
        assert expected.exact
        chosen = _by_choice(knowledge.grid, knowledge.open, knowledge.known, pool, left)
        assert expected.least == chosen


@pytest.mark.parametrize("backwards", [False, True])
def test_the_expectation_is_the_mean_over_all_layouts(backwards: bool) -> None:
    """Every layout of the unknown cards is played by the rules, unknown places in either order."""
    state = _start(3, 4, Memory((0, 1), (2, 2)), Memory((1, 0), (1, 2)))
    field = rules.grid(state)
    closed = field.cells_of(field.everything & ~field.corners)
    places = [cell for cell in closed if cell not in {each.at for each in state.known}]
    homes = [cell for cell in closed if cell not in {each.home for each in state.known}]
    total, layouts = 0, 0
    for order in permutations(homes):
        lying = dict(zip(places, order, strict=True)) | {e.at: e.home for e in state.known}
        layout = tuple(
            tuple(lying.get((row, column), (row, column)) for column in range(4))
            for row in range(3)
        )
        total += _successes(replace(state, layout=layout), backwards)
        layouts += 1
    answer = model.best(state, budget=UNLIMITED)
    numerator, denominator = map(int, answer.details["expected"].split("/"))
    assert Fraction(total, layouts) == Fraction(numerator, denominator)


def _successes(state: State, backwards: bool) -> int:
    count = 0
    while not rules.complete(state):
        seen = model.legal_view(state)
        fitting = [each.at for each in seen.known if rules.fits(state, each.home)]
        remembered = {each.at for each in seen.known}
        unknown = [each.flip for each in rules.moves(state) if each.flip not in remembered]
        place = (fitting or (unknown[::-1] if backwards else unknown))[0]
        home = rules.home_of(state, Flip(flip=place))
        assert home is not None
        if not rules.fits(state, home):
            break
        count += 1
        state = rules.apply(state, Flip(flip=place))
    return count


def test_bounds_enclose_the_expectation_when_the_budget_ends() -> None:
    rng = random.Random(6)
    for _ in range(20):
        state = _random_state(rng, 4, 4, stack=Stack(pool=(PLAIN,) * 5 + (ENDING,) * 2, left=6))
        knowledge = model.knowledge_of(model.legal_view(state))
        exact = expected_successes(
            knowledge, state.stack, reshuffle=False, meter=Meter(budget=UNLIMITED)
        )
        for work in (0, 1, 5, 40):
            meter = Meter(budget=Budget(seconds=None, work=work))
            cut = expected_successes(knowledge, state.stack, reshuffle=False, meter=meter)
            assert cut.least <= exact.least <= cut.most
            assert cut.exact or cut.stopped_by == "work"


def test_a_forbidding_stack_leaves_one_certain_success() -> None:
    chain = (Memory((1, 1), (0, 1)), Memory((2, 2), (0, 2)))
    state = _start(4, 5, *chain, stack=Stack(pool=(PLAIN, ENDING), left=2))
    answer = model.best(state, budget=UNLIMITED)
    assert (answer.score, answer.details["certain"]) == (2, 1)
    free = model.best(replace(state, stack=Stack(pool=(PLAIN,) * 2, left=2)), budget=UNLIMITED)
    assert (free.score, free.details["certain"]) == (2, 2)


def test_a_reshuffled_stack_can_end_the_turn_again() -> None:
    grid = grid_of(1, 6)
    knowledge = Knowledge(grid, grid.corners, grid.everything & ~grid.corners)
    stack = Stack(pool=(PLAIN,), left=1, gone=(ENDING,))
    kept, renewed = (
        expected_successes(knowledge, stack, reshuffle=option, meter=Meter(budget=UNLIMITED)).least
        for option in (False, True)
    )
    assert kept == 4
    assert renewed == 1 + 1 + Fraction(1, 2)
