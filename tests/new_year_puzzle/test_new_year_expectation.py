"""Expected successes by counting orders against layers of open sets and plain enumeration."""

import random
from fractions import Fraction
from math import comb, factorial, perm

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve_models.new_year_puzzle import exact, kept, model, rules
from tilesolve_models.new_year_puzzle.chances import Expectation, Knowledge, weights_of
from tilesolve_models.new_year_puzzle.estimate import estimated
from tilesolve_models.new_year_puzzle.exact import counted
from tilesolve_models.new_year_puzzle.expectation import expected_successes
from tilesolve_models.new_year_puzzle.growth import sequences
from tilesolve_models.new_year_puzzle.joined import Family, Ground, family
from tilesolve_models.new_year_puzzle.layers import enclosed
from tilesolve_models.new_year_puzzle.prizes import Prize, Stack, synthetic
from tilesolve_models.new_year_puzzle.rounded import chances
from tilesolve_models.new_year_puzzle.simulation import new
from tilesolve_models.new_year_puzzle.state import Flip, Memory, State
from tilesolve_models.new_year_puzzle.symmetries import first_image
from tilesolve_models.new_year_puzzle.turns import Turn
from tilesolve_models.picture_grid import cards_of, grid_of

KEPT = kept.kept()
ENDING, PLAIN = Prize(points=1, no_extra_move=True), Prize(points=1)


def _meter(work: int | None = None) -> Meter:
    return Meter(budget=Budget(seconds=None, work=work))


def _family(ground: Ground, sets: list[int]) -> Family:
    found = family(ground, sets, meter=_meter(), most=10_000)
    assert found is not None
    return found


def _enumerated(ground: Ground, within: int, most: int = 64) -> list[int]:
    """Count sequences card by card, over sets of open cards."""
    layer, numbers = {0: 1}, []
    for _ in range(min(within.bit_count(), most) + 1):
        numbers.append(sum(layer.values()))
        following: dict[int, int] = {}
        for lying, ways in layer.items():
            for card in cards_of(within & ~lying):
                if not ground.failing >> card & 1 or ground.near[card] & lying:
                    following[lying | 1 << card] = following.get(lying | 1 << card, 0) + ways
        layer = following
    return numbers


def test_sequences_are_those_enumerated_on_random_graphs() -> None:
    rng = random.Random(1)
    for _ in range(60):
        cards = rng.randint(1, 9)
        near = [0] * cards
        for first in range(cards):
            for second in range(first):
                if rng.random() < 0.3:
                    near[first] |= 1 << second
                    near[second] |= 1 << first
        ground = Ground(tuple(near), rng.getrandbits(cards))
        sets = [ground.cards, rng.getrandbits(cards), 0]
        joined = _family(ground, sets)
        enumerated = [_enumerated(ground, mask) for mask in sets]
        assert sequences(joined, sets, meter=_meter()) == enumerated
        rounded = chances(joined, sets, meter=_meter())
        assert rounded is not None
        for mask, numbers, orders, errors in zip(
            sets, enumerated, rounded.orders, rounded.errors, strict=True
        ):
            for k, number in enumerate(numbers):
                ways = comb(mask.bit_count(), k)
                error = abs(Fraction(float(orders[k])) - Fraction(number, factorial(k))) / ways
                assert error <= errors[k] < 1e-10
        few = chances(joined, sets, meter=_meter(), columns=3)
        assert few is not None
        assert few.orders.tolist() == rounded.orders[:, :3].tolist()
        assert (few.errors <= rounded.errors[:, :3]).all()


def test_estimates_are_near_the_chances_that_first_cards_fit() -> None:
    grid = grid_of(5, 5)
    ground = Turn.of(Knowledge(grid, grid.corners, 1 << 12)).ground
    numbers = _enumerated(ground, ground.cards)
    for k, (number, chance) in enumerate(zip(numbers, estimated(ground), strict=True)):
        assert chance == pytest.approx(number / perm(20, k), rel=0.3)


def test_numbers_for_all_cards_follow_where_an_estimate_was_too_low(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grid = grid_of(5, 5)
    start = Knowledge(grid, grid.corners, 0)
    weights = weights_of(grid, None, reshuffle=False)
    fraction = counted(start, weights, meter=_meter(), most=10_000)
    monkeypatch.setattr(exact, "estimated", lambda ground: [0.0] * (len(ground.near) + 1))
    found = counted(start, weights, meter=_meter(), most=10_000, few=-1)
    assert fraction is not None
    assert found is not None
    assert found.settled
    assert found.least <= fraction.least <= found.most


def _random_knowledge(rng: random.Random) -> Knowledge:
    grid = grid_of(*rng.choice([(3, 3), (3, 4), (4, 4), (2, 7), (1, 6), (3, 5)]))
    lying = grid.corners
    for _ in range(rng.randint(0, 3)):
        lying |= 1 << rng.choice(list(cards_of(grid.beside(lying))) or [0])
    rest = list(cards_of(grid.everything & ~lying))
    known = rng.sample(rest, rng.randint(0, 2 * len(rest) // 3))
    return Knowledge(grid, lying, sum(1 << card for card in known))


def test_counting_and_layers_agree_with_and_without_prizes() -> None:
    rng = random.Random(2)
    for _ in range(80):
        knowledge = _random_knowledge(rng)
        pool = (PLAIN,) * rng.randint(0, 6) + (ENDING,) * rng.randint(0, 4)
        stack = rng.choice([None, Stack(pool=pool, left=rng.randint(0, len(pool)))])
        weights = weights_of(knowledge.grid, stack, reshuffle=rng.random() < 0.5)
        layers = enclosed(knowledge, weights, meter=_meter())
        assert layers.exact
        assert counted(knowledge, weights, meter=_meter(), most=10_000) == layers
        rounded = counted(knowledge, weights, meter=_meter(), most=10_000, few=-1)
        assert rounded is not None
        assert rounded.settled
        assert rounded.least <= layers.least <= rounded.most


@pytest.mark.parametrize(("side", "value"), [(5, 0.870287672430), (6, 0.362650403673)])
def test_fresh_pictures_are_exact(side: int, value: float) -> None:
    grid = grid_of(side, side)
    start = Knowledge(grid, grid.corners, 0)
    found = expected_successes(start, None, reshuffle=False, meter=_meter())
    assert found.exact
    assert float(found.least) == pytest.approx(value, abs=1e-12)
    bounds = enclosed(start, weights_of(grid, None, reshuffle=False), meter=_meter(3000))
    assert bounds.least < found.least < bounds.most


def test_the_published_picture_is_exact_before_the_first_flip() -> None:
    grid = grid_of(8, 8)
    start = Knowledge(grid, grid.corners, 0)
    for stack in (None, Stack(pool=synthetic(), left=60)):
        weights = weights_of(grid, stack, reshuffle=False)
        found = counted(start, weights, meter=_meter(), most=1)
        assert found is not None
        bounds = enclosed(start, weights, meter=_meter(5000))
        assert found.exact
        assert bounds.least < found.least < bounds.most
        assert bounds.most - bounds.least < Fraction(1, 100)


def test_the_numbers_kept_for_the_published_picture_begin_as_enumerated() -> None:
    grid = grid_of(8, 8)
    layer, numbers = {grid.corners: 1}, []
    for _ in range(6):
        numbers.append(sum(layer.values()))
        following: dict[int, int] = {}
        for lying, ways in layer.items():
            for card in cards_of(grid.beside(lying)):
                following[lying | 1 << card] = following.get(lying | 1 << card, 0) + ways
        layer = following
    assert KEPT.numbers[:6] == tuple(numbers)
    assert len(KEPT.numbers) == 61
    assert KEPT.numbers[59] == KEPT.numbers[60]  # the last card has all its neighbours
    chances = [Fraction(number, perm(60, place)) for place, number in enumerate(KEPT.numbers)]
    assert chances == sorted(chances, reverse=True)


@pytest.mark.parametrize("side", [3, 4])
def test_numbers_after_a_first_success_follow_from_those_before(side: int) -> None:
    grid = grid_of(side, side)
    firsts = list(cards_of(grid.beside(grid.corners)))
    start = Turn.of(Knowledge(grid, grid.corners, 0)).ground
    before = _enumerated(start, start.cards)
    for first in firsts:
        after = Turn.of(Knowledge(grid, grid.corners | 1 << first, 0)).ground
        assert [len(firsts) * each for each in _enumerated(after, after.cards)] == before[1:]


@pytest.mark.parametrize("home", KEPT.remembered)
def test_the_numbers_kept_for_one_remembered_card_begin_as_enumerated(home: int) -> None:
    grid = grid_of(8, 8)
    turn = Turn.of(Knowledge(grid, grid.corners, 1 << home))
    sets = turn.wanted(weights_of(grid, None, reshuffle=False))
    orders = KEPT.remembered[home].orders
    assert len(sets) == len(orders)
    for mask, row in zip(sets, orders, strict=True):
        for k, number in enumerate(_enumerated(turn.ground, mask, 4)):
            assert factorial(k) * row[k] == pytest.approx(number, abs=1e-6)


def test_numbers_are_kept_for_every_position_after_the_first_flip() -> None:
    grid = grid_of(8, 8)
    free = list(cards_of(grid.everything & ~grid.corners))
    for stack in (None, Stack(pool=synthetic(), left=60)):
        weights = weights_of(grid, stack, reshuffle=False)
        values = dict[int, Expectation]()
        for card in free:
            found = kept.looked_up(Knowledge(grid, grid.corners, 1 << card), weights)
            assert found is not None
            assert found.settled
            first = first_image(Knowledge(grid, grid.corners, 1 << card)).known
            assert values.setdefault(first, found) == found
        assert len(values) == 9
        for first in cards_of(grid.beside(grid.corners)):
            success = Knowledge(grid, grid.corners | 1 << first, 0)
            found = kept.looked_up(success, weights)
            assert found is not None
            assert found.exact
            bounds = enclosed(success, weights, meter=_meter(3000))
            assert bounds.least < found.least < bounds.most


@pytest.mark.parametrize("home", KEPT.remembered)
def test_what_is_kept_for_one_remembered_card_lies_within_first_bounds(home: int) -> None:
    knowledge = Knowledge(grid_of(8, 8), grid_of(8, 8).corners, 1 << home)
    for stack in (None, Stack(pool=synthetic(), left=60)):
        weights = weights_of(knowledge.grid, stack, reshuffle=False)
        found = kept.looked_up(knowledge, weights)
        assert found is not None
        bounds = enclosed(knowledge, weights, meter=_meter(8000))
        assert bounds.least < found.least <= found.most < bounds.most


def test_kept_numbers_are_for_no_other_position() -> None:
    grid = grid_of(8, 8)
    weights = weights_of(grid, None, reshuffle=False)

    def found(lying: list[tuple[int, int]], known: list[tuple[int, int]]) -> object:
        opened = grid.corners | grid.mask(lying)
        return kept.looked_up(Knowledge(grid, opened, grid.mask(known)), weights)

    assert found([], [(3, 3)]) is not None
    assert found([(0, 1)], [(3, 3)]) is None
    assert found([], [(3, 3), (4, 4)]) is None
    assert found([], [(3, 3), (0, 1)]) is None
    assert found([(0, 1), (0, 2)], []) is None
    assert found([], [(0, 1), (0, 2)]) is None
    assert found([(3, 3)], []) is None
    small = grid_of(7, 8)
    weights = weights_of(small, None, reshuffle=False)
    assert kept.looked_up(Knowledge(small, small.corners, 0), weights) is None


def _after_flips(side: int, flips: int, seed: int) -> State:
    """Return a position as remembered after so many flips from memory."""
    state, rng = new(seed=seed, rows=side, columns=side), random.Random(seed)
    for _ in range(flips):
        fitting = [each.at for each in state.known if rules.fits(state, each.home)]
        unknown = {flip.flip for flip in rules.moves(state)} - {each.at for each in state.known}
        place = fitting[0] if fitting else rng.choice(sorted(unknown))
        state = rules.apply(state, Flip(flip=place))
    return model.legal_view(state)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("flips", [19, 24])
def test_rounded_numbers_enclose_the_fraction_after_some_flips(flips: int, seed: int) -> None:
    state = _after_flips(8, flips, seed)
    knowledge = model.knowledge_of(state)
    for stack in (None, state.stack):
        weights = weights_of(knowledge.grid, stack, reshuffle=False)
        fraction = counted(knowledge, weights, meter=_meter(), most=10**6)
        rounded = counted(knowledge, weights, meter=_meter(), most=10**6, few=-1)
        assert fraction is not None
        assert rounded is not None
        assert fraction.exact
        assert rounded.settled
        assert rounded.least < fraction.least < rounded.most


def test_the_published_picture_is_exact_after_a_few_flips() -> None:
    state = _after_flips(8, 12, 1)
    answer = model.best(state, budget=Budget(seconds=None))
    least, most = answer.details["expected_least"], answer.details["expected_most"]
    assert most - least < 2e-9
    assert least <= float(answer.details["expected"]) <= most
    assert "expected_stopped_by" not in answer.details
    knowledge = model.knowledge_of(state)
    weights = weights_of(knowledge.grid, state.stack, reshuffle=False)
    layers = enclosed(knowledge, weights, meter=_meter(5000))
    assert layers.least < least <= most < layers.most


def test_a_large_picture_with_few_cards_known_gives_bounds() -> None:
    state = State(size=(9, 9), open=grid_of(9, 9).cells_of(grid_of(9, 9).corners),
                  known=(Memory((4, 4), (3, 3)),))  # fmt: skip
    answer = model.best(state, budget=Budget(seconds=None, work=2000))
    assert "expected" not in answer.details
    assert answer.details["expected_stopped_by"] == "work"
    least, most = answer.details["expected_least"], answer.details["expected_most"]
    assert 0 < least < most < 1
