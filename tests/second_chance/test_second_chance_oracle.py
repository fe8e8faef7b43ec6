"""Everything on small grids against plain recursion over sets of cells."""

import itertools
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from tilesolve.answers import WrongAnswer
from tilesolve.budget import Budget, Meter
from tilesolve.wire import Node
from tilesolve_models.second_chance import scoring
from tilesolve_models.second_chance.deck import Tile, read_tile
from tilesolve_models.second_chance.endgame import Endgame, TooDeep
from tilesolve_models.second_chance.fitting import fit, next_round
from tilesolve_models.second_chance.grid import Grid
from tilesolve_models.second_chance.hints import hint
from tilesolve_models.second_chance.notation import load
from tilesolve_models.second_chance.scoring import best
from tilesolve_models.second_chance.state import State
from tilesolve_models.second_chance.waves import fewer

Cells = frozenset[tuple[int, int]]
ENOUGH = Budget(seconds=None, work=200_000)

DRAWN = {
    "I1": ["#"],
    "I2": ["##"],
    "I3": ["###"],
    "L3": ["##", "#."],
    "O4": ["##", "##"],
    "T4": ["###", ".#."],
    "L4": ["###", "#.."],
    "P5": ["##", "##", "#."],
    "U5": ["#.#", "###"],
}


@cache
def oracle_placements(name: str, rows: int, columns: int) -> tuple[Cells, ...]:
    shape = [(r, c) for r, text in enumerate(DRAWN[name]) for c, s in enumerate(text) if s == "#"]
    found = set()
    for mirrored, turns in itertools.product((False, True), range(4)):
        cells = [(r, -c) if mirrored else (r, c) for r, c in shape]
        for _ in range(turns):
            cells = [(c, -r) for r, c in cells]
        for down, right in itertools.product(range(-9, 10), repeat=2):
            moved = frozenset((r + down, c + right) for r, c in cells)
            if all(0 <= r < rows and 0 <= c < columns for r, c in moved):
                found.add(moved)
    return tuple(sorted(found, key=sorted))


class Oracle:
    """One grid; filled squares are a set of cells, cards are names."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.known: dict[Any, Any] = {}

    def after(self, filled: Cells, name: str) -> list[Cells]:
        every = oracle_placements(name, self.rows, self.columns)
        return [filled | cells for cells in every if not cells & filled]

    def empties(self, filled: Cells) -> int:
        return self.rows * self.columns - len(filled)

    def options(self, filled: Cells, pair: tuple[str, ...]) -> list[Cells]:
        return [drawn for name in sorted(set(pair)) for drawn in self.after(filled, name)]

    def fewest(self, filled: Cells, cards: tuple[str, ...]) -> int:
        """Return the fewest empties for cards in this order."""
        key = filled, cards
        if key not in self.known:
            self.known[key] = self._fewest(filled, cards)
        return int(self.known[key])

    def _fewest(self, filled: Cells, cards: tuple[str, ...]) -> int:
        if len(cards) < 2:
            return self.empties(filled)
        options, rest = self.options(filled, cards[:2]), cards[2:]
        if not options and rest:
            options, rest = self.options(filled, rest[:1]), rest[1:]
        return min((self.fewest(drawn, rest) for drawn in options), default=self.empties(filled))

    def expected(self, filled: Cells, cards: tuple[str, ...]) -> Fraction:
        """Return the expected empties of the best play that does not know the order."""
        key = "expected", filled, cards
        if key not in self.known:
            self.known[key] = self._expected(filled, cards)
        return Fraction(self.known[key])

    def _expected(self, filled: Cells, cards: tuple[str, ...]) -> Fraction:
        if len(cards) < 2:
            return Fraction(self.empties(filled))
        total, number = Fraction(0), 0
        for first, second in itertools.combinations(range(len(cards)), 2):
            rest = tuple(c for i, c in enumerate(cards) if i not in (first, second))
            options = self.options(filled, (cards[first], cards[second]))
            number += 1
            if options:
                total += min(self.expected(drawn, rest) for drawn in options)
            else:
                total += self.chance(filled, rest)
        return total / number

    def chance(self, filled: Cells, cards: tuple[str, ...]) -> Fraction:
        """Return the expected empties where one card is turned up for a second chance."""
        if not cards:
            return Fraction(self.empties(filled))
        total = Fraction(0)
        for index in range(len(cards)):
            rest = cards[:index] + cards[index + 1 :]
            options = self.options(filled, cards[index : index + 1])
            stay = Fraction(self.empties(filled))
            total += min((self.expected(drawn, rest) for drawn in options), default=stay)
        return total / len(cards)


@pytest.mark.parametrize("seed", range(30))
def test_waves_know_whether_a_line_has_fewer_empties(seed: int) -> None:
    chance = random.Random(seed)
    rows = [[chance.choice("....A") for _ in range(4)] for _ in range(chance.randint(2, 4))]
    names = tuple(chance.choice([*DRAWN]) for _ in range(chance.randint(0, 7)))
    oracle, grid = Oracle(len(rows), 4), Grid(len(rows), 4)
    filled = cells_of(["".join(row) for row in rows])
    fewest = oracle.fewest(filled, names)
    cards = [tile_of(name) for name in names]
    for empties in range(-1, len(rows) * 4 + 2):
        meter = Meter(budget=ENOUGH)
        found = fewer(grid, cards, [grid.mask(filled)], empties, meter=meter)
        assert found is (fewest < empties)
    stopped = Meter(budget=Budget(seconds=None, work=1))
    assert fewer(grid, cards, [grid.mask(filled)] * 2, 99, meter=stopped) in (None, True)


@pytest.mark.parametrize("rows", [["....", "....", "...."], ["A...", "....", "...A"]])
def test_a_false_search_of_lines_is_never_an_optimum(
    rows: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search says that it looked at everything, and that nothing is to be drawn."""
    monkeypatch.setattr(scoring, "_exhaust", lambda _, __, best, plan: (True, best, plan))
    oracle = Oracle(len(rows), len(rows[0]))
    for order in itertools.permutations(["T4", "L3", "P5", "U5", "I1"]):
        state = small(rows, list(order), order=list(order))
        try:
            answer = best(state, budget=ENOUGH)
        except WrongAnswer:
            continue
        assert answer.proof == "optimal"
        assert answer.score == oracle.fewest(cells_of(rows), order)


def tile_of(name: str) -> Tile:
    return Tile.of(
        [(r, c) for r, t in enumerate(DRAWN[name]) for c, s in enumerate(t) if s == "#"], name
    )


def cells_of(rows: list[str]) -> Cells:
    return frozenset((r, c) for r, text in enumerate(rows) for c, s in enumerate(text) if s != ".")


def small(rows: list[str], deck: list[str], **fields: Any) -> State:
    plain = {"game": "second-chance", "rows": rows, "standard": False, "deck": deck}
    return load(Node({**plain, **fields}))


GRIDS = {
    "3x4 with a corner": (["A...", "....", "...."], ["I3", "L3", "I2", "O4", "I1"]),
    "4x4 with a bar": (["....", ".AAA", "....", "...."], ["P5", "T4", "I3", "L3", "I1"]),
    "4x4 with a hole": (["A.A.", "....", "AA..", "...."], ["U5", "L4", "I2", "I1", "I2", "I3"]),
}


@pytest.mark.parametrize("case", GRIDS)
def test_best_for_every_order_and_for_any(case: str) -> None:
    rows, deck = GRIDS[case]
    oracle = Oracle(len(rows), len(rows[0]))
    orders = sorted(set(itertools.permutations(deck)))
    scores = []
    for order in orders:
        scores.append(oracle.fewest(cells_of(rows), order))
    for order, score in zip(orders, scores, strict=True):
        found = best(small(rows, deck, order=list(order)), budget=ENOUGH)
        assert (found.proof, found.score, found.bound) == ("optimal", score, score), order
    found = best(small(rows, deck), budget=ENOUGH)
    assert (found.proof, found.score) == ("optimal", min(scores))


@pytest.mark.parametrize("work", [0, 1, 2, 5, 20, 80, 400])
@pytest.mark.parametrize("case", GRIDS)
def test_best_is_honest_where_the_budget_ends(case: str, work: int) -> None:
    rows, deck = GRIDS[case]
    oracle = Oracle(len(rows), len(rows[0]))
    orders = sorted(set(itertools.permutations(deck)))
    scores = {order: oracle.fewest(cells_of(rows), order) for order in orders}
    budget = Budget(seconds=None, work=work)
    asked = [(list(order), scores[order]) for order in orders[:: len(orders) // 8]]
    for order, least in [*asked, (None, min(scores.values()))]:
        state = small(rows, deck, **({"order": order} if order else {}))
        found = best(state, budget=budget)
        assert (found.stopped_by is None) == (found.proof == "optimal")
        assert found.bound is not None
        assert found.bound <= least
        if found.score is None:
            assert (found.proof, order) == ("unknown", None)
        else:
            assert found.score >= least
            assert len(found.line) > 0


@pytest.mark.parametrize("case", GRIDS)
def test_best_with_cards_turned_up(case: str) -> None:
    rows, deck = GRIDS[case]
    oracle = Oracle(len(rows), len(rows[0]))
    for pair in itertools.combinations(range(len(deck)), 2):
        rest = [name for index, name in enumerate(deck) if index not in pair]
        turned_up = [deck[index] for index in pair]
        state = small(rows, deck, turned_up=turned_up)
        least = min(
            oracle.fewest(cells_of(rows), (*turned_up, *order))
            for order in itertools.permutations(rest)
        )
        found = best(state, budget=ENOUGH)
        assert (found.proof, found.score) == ("optimal", least), turned_up


@pytest.mark.parametrize("case", GRIDS)
def test_probabilities_of_the_next_round(case: str) -> None:
    rows, deck = GRIDS[case]
    crowded = [text.replace(".", "B", 2) for text in rows]
    oracle = Oracle(len(rows), len(rows[0]))
    filled = cells_of(crowded)
    details = fit(small(crowded, deck), budget=ENOUGH).details["next_round"]
    playable = saved = total = 0
    for order in itertools.permutations(deck):
        total += 1
        if oracle.options(filled, order[:2]):
            playable += 1
        elif oracle.options(filled, order[2:3]):
            saved += 1
    assert Fraction(details["playable"]) == Fraction(playable, total)
    assert Fraction(details["saved"]) == Fraction(saved, total)
    assert Fraction(details["survived"]) == Fraction(playable + saved, total)
    assert details["playable_value"] == pytest.approx(playable / total)


@pytest.mark.parametrize(("cards", "fitting"), list(itertools.product(range(2, 7), range(7))))
def test_next_round_counts_triples(cards: int, fitting: int) -> None:
    if fitting > cards:
        return
    hits = [index < fitting for index in range(cards)]
    orders = list(itertools.permutations(hits, min(3, cards)))
    playable = Fraction(sum(a or b for a, b, *_ in orders), len(orders))
    saved = Fraction(sum(not (a or b) and any(c) for a, b, *c in orders), len(orders))
    found = next_round(cards, fitting)
    assert Fraction(*found.playable) == playable
    assert Fraction(*found.saved) == saved
    assert Fraction(*found.survived) == playable + saved


def tiles(names: list[str]) -> Counter[Tile]:
    return Counter(read_tile(Node(DRAWN[name]), None) for name in names)


@pytest.mark.parametrize("case", GRIDS)
def test_endgames_are_exact(case: str) -> None:
    rows, deck = GRIDS[case]
    grid = Grid(len(rows), len(rows[0]))
    oracle = Oracle(grid.rows, grid.columns)
    filled = cells_of(rows)
    endgame = Endgame(grid, Meter(budget=Budget(seconds=None)))
    cards = tiles(deck)
    assert endgame.expected(grid.mask(filled), cards) == pytest.approx(
        float(oracle.expected(filled, tuple(deck)))
    )
    assert endgame.after_chance(grid.mask(filled), cards) == pytest.approx(
        float(oracle.chance(filled, tuple(deck)))
    )


def test_an_endgame_stops_with_its_meter() -> None:
    rows, deck = GRIDS["4x4 with a hole"]
    endgame = Endgame(Grid(4, 4), Meter(budget=Budget(seconds=None, work=3)))
    with pytest.raises(TooDeep):
        endgame.expected(Grid(4, 4).mask(cells_of(rows)), tiles(deck))


@pytest.mark.parametrize("case", GRIDS)
def test_exact_hints_are_the_expected_empties(case: str) -> None:
    rows, deck = GRIDS[case]
    oracle = Oracle(len(rows), len(rows[0]))
    state = small(rows, deck, turned_up=deck[:2])
    found = hint(state, count=1000, budget=ENOUGH)
    options = oracle.options(cells_of(rows), tuple(deck[:2]))
    assert found.exact
    assert len(found.hints) == len(options)
    for each in found.hints:
        after = cells_of(rows) | {(r, c) for r, c in each.cells}
        assert each.value == pytest.approx(float(oracle.expected(after, tuple(deck[2:]))), abs=1e-4)
    values = [float(each.value or 0) for each in found.hints]
    assert values == sorted(values)


def test_waiting_is_worth_the_expected_second_chance() -> None:
    rows, deck = ["AAAA", "A.AA", "A..A"], ["I3", "O4", "I1", "I2", "T4"]
    state = small(rows, deck, turned_up=["I3", "O4"])
    oracle = Oracle(3, 4)
    found = hint(state, count=5, budget=ENOUGH)
    (only,) = found.hints
    assert only.move == {"pass": True}
    assert only.value == pytest.approx(
        float(oracle.chance(cells_of(rows), ("I1", "I2", "T4"))), abs=1e-4
    )


@pytest.mark.parametrize(
    ("rows", "listed"),
    [
        (["....", "....", "...."], ["P5", "L4", "I3"]),
        (["....", "....", "...."], ["O4", "T4", "T4"]),
        (["A...", "....", "...A"], ["U5", "I3", "I2"]),
        (["A...", "....", "...A"], ["U5", "O4"]),
    ],
)
def test_together_agrees_with_trying_everything(rows: list[str], listed: list[str]) -> None:
    oracle = Oracle(len(rows), len(rows[0]))
    positions = {cells_of(rows)}
    for name in listed:
        positions = {drawn for filled in positions for drawn in oracle.after(filled, name)}
    found = fit(small(rows, [*listed, "I1"]), tiles=Node(listed), budget=ENOUGH)
    assert found.answer == ("yes" if positions else "no")
    if positions:
        lying = [cell for placed in found.witness for cell in placed.cells]
        assert len(lying) == len(set(lying))
        assert not set(lying) & cells_of(rows)
