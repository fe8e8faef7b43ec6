"""Catalogue, playouts, policies, simulation and hints on the standard grid."""

import math
import random
from itertools import pairwise
from typing import Any

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.errors import IllegalState, InputError
from tilesolve.simulate.statistics import mean_of
from tilesolve.wire import Node
from tilesolve_models.second_chance import catalogue as catalogues
from tilesolve_models.second_chance.catalogue import SQUARES, catalogue
from tilesolve_models.second_chance.check import check
from tilesolve_models.second_chance.choices import book_of, copies
from tilesolve_models.second_chance.dealing import deal
from tilesolve_models.second_chance.deck import named_deck
from tilesolve_models.second_chance.foresight import Futures, cards_of, foreseeing
from tilesolve_models.second_chance.grid import Grid
from tilesolve_models.second_chance.hints import hint
from tilesolve_models.second_chance.notation import load, load_move
from tilesolve_models.second_chance.playout import Pile, play_on
from tilesolve_models.second_chance.policy import greedy, learner
from tilesolve_models.second_chance.table import play_out, simulate

DECK = named_deck("synthetic")
GRID = Grid(9, 9)
WORK = Budget(seconds=None, work=150)
MIDGAME: dict[str, Any] = {
    "game": "second-chance",
    "rows": [
        ".........",
        "..BB.....",
        "..BBB....",
        "...AAA...",
        "...AAA...",
        "...AACCCC",
        "........C",
        ".........",
        ".........",
    ],
    "turned_up": ["P5", ["##.", ".##"]],
}


def test_live_slots_are_the_placements_on_empty_squares() -> None:
    book = catalogue(GRID, DECK.tiles)
    rng = random.Random(5)
    filled = sum(1 << square for square in rng.sample(range(81), 30))
    live = book.live(filled)
    assert book.empty(live) == GRID.everything & ~filled
    for number, tile in enumerate(book.tiles):
        expected = {mask for mask in GRID.placements(tile.shape) if not mask & filled}
        assert {book.masks[slot] for slot in book.slots(live, number)} == expected
        assert book.counts(live[None, :])[0, number] == len(expected)


@pytest.mark.parametrize("table", [True, False])
def test_drawing_a_slot_kills_what_overlaps_it(
    table: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not table:
        monkeypatch.setattr(catalogues, "_TABLE_BYTES", 0)
    book = catalogue(Grid(5, 6 + table), DECK.tiles)
    assert (book.apart is not None) is table
    slots = book.slots(book.everything, 3)
    rows = book.after(book.everything, slots)
    for slot, row in zip(slots, rows, strict=True):
        assert (row == book.live(book.masks[slot])).all()
    edges = [book.grid.edges(book.empty(row)) for row in rows]
    assert list(book.open_edges(book.everything, slots)) == edges


def test_a_game_by_live_slots_is_a_game_by_the_rules() -> None:
    book = catalogue(GRID, DECK.tiles)
    for seed in range(6):
        state = deal(random.Random(seed))
        start = state.players[0]
        end = play_out(state, {"": learner}, random.Random(0))
        first = end.players[0]
        assert start.start_tile is not None
        letters = first.signs(lambda sign: sign == "A")
        filled = GRID.mask(letters)
        assert filled.bit_count() == 8
        assert filled & state.mark
        order = [book.index(tile) for tile in state.order or ()]
        pile = Pile.of(order, len(book.tiles))
        assert play_on(book, book.live(filled), pile, learner, random.Random(0)) == first.empties


def test_policies_are_as_strong_as_they_should_be() -> None:
    found = simulate(
        None, games=9, policies=("random", "greedy", "look-ahead", "learned"), budget=Budget()
    )
    mean = {score.policy: score.mean for score in found.policies}
    assert mean["learned"] < mean["greedy"] < mean["look-ahead"] < mean["random"]
    assert [row["series"] for row in found.details["series"]] == [3] * 4


def test_the_hint_policy_beats_greedy_on_few_plays() -> None:
    budget = Budget(seconds=None, seed=2)
    found = simulate(None, games=9, policies=("greedy", "hint"), plays=24, budget=budget)
    by_name = {score.policy: score.mean for score in found.policies}
    assert by_name["hint"] < 0.8 * by_name["greedy"]


def test_the_hint_policy_plays_the_same_twice() -> None:
    budget = Budget(seconds=None, seed=2)
    one = simulate(None, games=2, policies=("hint",), plays=24, budget=budget)
    other = simulate(None, games=2, policies=("hint",), plays=24, budget=budget)
    assert one.policies == other.policies


def test_a_simulation_stops_with_its_budget() -> None:
    budget = Budget(seconds=None, work=10)
    found = simulate(None, games=1000, policies=("random", "greedy"), budget=budget)
    assert found.stopped_by == "work"
    assert [score.games for score in found.policies] == [5, 5]


def test_games_may_begin_in_the_middle() -> None:
    found = simulate(load(Node(MIDGAME)), games=8, policies=("greedy",), budget=Budget())
    (score,) = found.policies
    assert score.games == 8
    assert all(0 <= int(empties) <= 58 for empties in score.distribution)


def test_several_policies_at_one_table() -> None:
    names = ("greedy", "random", "greedy")
    found = simulate(None, games=6, policies=names, table=True, budget=Budget())
    assert [score.policy for score in found.policies] == ["greedy", "random", "greedy 2"]
    assert sum(found.details["wins"].values()) >= 6
    assert found.details["wins"]["random"] == 0


def test_seven_at_a_table_are_refused() -> None:
    with pytest.raises(InputError, match="1 to 6 players"):
        simulate(None, games=1, policies=("greedy",) * 7, table=True, budget=Budget())


def test_a_hint_that_has_no_time_still_draws() -> None:
    state = deal(random.Random(3))
    policy = foreseeing(100, Meter(budget=Budget(seconds=0)))
    assert play_out(state, {"": policy}, random.Random(0)).players[0].empties < 20


def test_hints_are_legal_ranked_and_the_same_twice() -> None:
    state = load(Node(MIDGAME))
    found = hint(state, count=8, budget=WORK)
    assert len(found.hints) == 8
    assert not found.exact
    assert found.stopped_by == "work"
    for each in found.hints:
        assert check(state, load_move(Node(each.move), state)).legal
        assert "cards left still fit" in each.reason
        assert each.loss is not None
        assert each.standard_error
        assert 0 <= each.details["loss_error"] <= each.standard_error
    for one, other in pairwise(found.hints):
        assert float(one.value or 0) <= float(other.value or 0)
    again = hint(state, count=8, budget=WORK)
    assert again.hints == found.hints


SMALL: dict[str, Any] = {
    "game": "second-chance",
    "rows": ["......", ".AA...", ".A....", "....BB", "....BB", "......"],
    "turned_up": ["L4", "P5"],
    "deck": ["L4", "P5", "I3", "I3", "W5", "T4", "S4", "O4", "U5", "I2", "I1", "L4", "Z5", "N5"],
    "standard": False,
}


@pytest.mark.parametrize("data", [MIDGAME, SMALL], ids=["standard", "own deck and grid"])
def test_values_are_what_games_end_with(data: dict[str, Any]) -> None:
    state = load(Node(data))
    found = hint(state, count=10**6, budget=Budget(seconds=None, work=700))
    assert not found.exact
    book = book_of(state)
    for each in (found.hints[0], found.hints[len(found.hints) // 2], found.hints[-1]):
        assert each.standard_error
        filled = state.players[0].filled | state.grid.mask(each.cells)
        futures = Futures(book, book.live(filled)[None, :], cards_of(copies(book, state)), 99)
        futures.prepare([0], range(120))
        ended = mean_of(futures.play(0, sample) for sample in range(120))
        assert ended.standard_error is not None
        error = math.hypot(each.standard_error, ended.standard_error)
        assert abs(float(each.value or 0) - ended.mean) < 3 * error


def test_values_are_of_games_played_even_where_the_budget_pays_for_no_race() -> None:
    data = {**SMALL, "rows": ["." * 12] * 12, "deck": "synthetic", "turned_up": ["P5", "I3"]}
    found = hint(load(Node(data)), count=3, budget=Budget(seconds=None, work=1))
    largest = sum(sorted((tile.size for tile in DECK.tiles), reverse=True)[:20])
    for each in found.hints:
        assert float(each.value or 0) > 144 - largest
        assert each.details["by"] == "learned worth"


def test_every_placement_is_ranked() -> None:
    state = load(Node(MIDGAME))
    found = hint(state, count=10**6, budget=WORK)
    player = state.players[0]
    expected = sum(
        not mask & player.filled
        for tile in state.turned_up
        for mask in state.grid.placements(tile.shape)
    )
    moves = {str(each.move) for each in found.hints}
    assert len(moves) == len(found.hints) == expected == found.details["placements"]


def test_start_tiles_are_hinted_on_the_centre() -> None:
    state = load(Node({"game": "second-chance", "start_tile": "start3"}))
    found = hint(state, count=100, budget=WORK)
    assert found.hints
    assert all((4, 4) in each.cells for each in found.hints)


def test_pockets_are_named() -> None:
    rows = ["A.AAAAAAA", "A.......A", *["AAAAAAAAA"] * 7]
    state = load(Node({**MIDGAME, "rows": rows, "turned_up": ["I3", "I4"]}))
    found = hint(state, count=50, budget=Budget(seconds=None, work=5000))
    split = next(each for each in found.hints if each.cells == ((1, 2), (1, 3), (1, 4)))
    assert "it leaves a pocket of 2, 2 cards of that size left" in split.reason
    assert "a pocket of 3" in split.reason


def test_bonus_squares_are_all_worth_the_same() -> None:
    state = load(Node({**MIDGAME, "phase": "bonus", "turned_up": []}))
    found = hint(state, count=100, budget=WORK)
    assert found.exact
    assert {each.value for each in found.hints} == {62}
    assert len(found.hints) == 63


def test_nothing_to_hint_at_is_said() -> None:
    waiting = load(Node({**MIDGAME, "turned_up": []}))
    assert [r.code for r in hint(waiting, count=1, budget=WORK).reasons] == ["cards-due"]
    acted = load(Node({**MIDGAME, "this_round": "drew"}))
    assert [r.code for r in hint(acted, count=1, budget=WORK).reasons] == ["nothing-to-do"]
    over = load(Node({**MIDGAME, "out": 3, "turned_up": []}))
    assert [r.code for r in hint(over, count=1, budget=WORK).reasons] == ["all-out"]
    unknown = load(Node({**MIDGAME, "deck": None}))
    assert [r.code for r in hint(unknown, count=1, budget=WORK).reasons] == ["deck-unknown"]


def test_a_second_chance_that_does_not_fit_is_the_end() -> None:
    rows = [".AAAAAAAA", *["AAAAAAAAA"] * 8]
    state = load(Node({**MIDGAME, "rows": rows, "phase": "second_chance", "turned_up": ["I2"]}))
    (only,) = hint(state, count=5, budget=WORK).hints
    assert (only.move, only.value) == ({"pass": True}, 1)


def test_a_player_may_be_named() -> None:
    players = [{"name": "Ann", "rows": MIDGAME["rows"]}, {"name": "Bob", "rows": MIDGAME["rows"]}]
    state = load(Node({"game": "second-chance", "players": players, "turned_up": ["P5", "I3"]}))
    found = hint(state, count=1, budget=WORK, player="Bob")
    assert found.hints[0].move["player"] == "Bob"
    with pytest.raises(InputError, match="does not play here"):
        hint(state, count=1, budget=WORK, player="Cy")


def test_illegal_states_are_refused() -> None:
    state = load(Node({**MIDGAME, "seen": ["P5"]}))
    with pytest.raises(IllegalState):
        hint(state, count=1, budget=WORK)
    with pytest.raises(IllegalState):
        simulate(state, games=1, policies=("greedy",), budget=WORK)


def test_greedy_touches_most() -> None:
    book = catalogue(GRID, DECK.tiles)
    state = load(Node({**MIDGAME, "turned_up": ["O4", "O4"], "deck": None}))
    filled = state.players[0].filled
    pile = Pile.of([0, 0], len(book.tiles))
    from tilesolve_models.second_chance.playout import options

    choice = options(book, book.live(filled), [book.tiles.index(state.turned_up[0])], pile,
                     random.Random(0))  # fmt: skip
    drawn = choice.masks[greedy(choice)]
    touching = [
        (GRID.edges(GRID.everything & ~filled) + 8 - GRID.edges(GRID.everything & ~filled & ~mask))
        for mask in choice.masks
    ]
    assert touching[choice.masks.index(drawn)] == max(touching)
    assert book.counts(choice.after(choice.every))[:, SQUARES].max() == 59
