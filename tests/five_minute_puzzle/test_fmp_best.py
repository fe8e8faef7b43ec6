"""The best score against brute force over all plays, and the numbers of the rule text."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from tilesolve.answers import WrongAnswer
from tilesolve.budget import Budget
from tilesolve.errors import IllegalState, InputError
from tilesolve.wire import Node
from tilesolve_models.five_minute_puzzle import rules, scoring, state
from tilesolve_models.five_minute_puzzle.model import fit
from tilesolve_models.five_minute_puzzle.outcome import Solved
from tilesolve_models.five_minute_puzzle.packing import Packer
from tilesolve_models.five_minute_puzzle.position import Position
from tilesolve_models.five_minute_puzzle.scoring import best
from tilesolve_models.five_minute_puzzle.sheets import shipped
from tilesolve_models.five_minute_puzzle.state import CrossOut, Draw, State

PLENTY = Budget(seconds=None, work=5_000_000)


def replayed(given: State, line: tuple[Any, ...]) -> int | None:
    """Replay a line move by move from its JSON; every move must be legal."""
    for written in line:
        move = state.load_move(Node(written), given)
        assert rules.check(given, move).legal, written
        given = rules.apply(given, move)
    verdict = rules.check(given)
    assert verdict.complete
    return verdict.score


def random_rolls(seed: int, rounds: int) -> tuple[int, ...]:
    chance = random.Random(seed)
    return tuple(chance.randint(1, 4) for _ in range(rounds))


@pytest.mark.parametrize("seed", range(12))
def test_free_order_known_rolls_and_prefill_agree_with_all_plays(
    seed: int, small_edition: Callable[..., Any]
) -> None:
    small = small_edition(seed, cells=7 + seed % 4, pieces=3 + seed % 2)
    for rolls, prefill, rolled_too in (
        ((), 0, True),
        (random_rolls(seed, 4), 0, True),
        (random_rolls(seed, 4), 0, False),
        (random_rolls(seed, 1), 0, True),
        ((), 2, True),
        (random_rolls(seed, 3), 1, False),
    ):
        options = {"forgo_may_cross_rolled": rolled_too}
        given = state.load(Node(small.state(rolls=list(rolls), rules=options)))
        answer = best(given, budget=PLENTY, prefill=prefill)
        want = small.best(rolls, prefill=prefill, rolled_too=rolled_too)
        assert (answer.proof, answer.score) == ("optimal", want)
        assert replayed(given, answer.line) == want


@pytest.mark.parametrize("seed", range(20, 26))
def test_cpsat_with_clauses_agrees_with_all_plays(
    seed: int, small_edition: Callable[..., Any]
) -> None:
    small = small_edition(seed, cells=8 + seed % 3, pieces=4)
    for rolls, prefill in ((random_rolls(seed, 4), 0), ((), 3), (random_rolls(seed, 3), 2)):
        given = state.load(Node(small.state(rolls=list(rolls))))
        answer = best(given, budget=PLENTY, prefill=prefill, engine="cpsat")
        assert answer.score == answer.bound == small.best(rolls, prefill=prefill)
        alone = answer.details["bound_by"] == "CP-SAT alone"
        assert answer.proof == ("feasible" if alone else "optimal")


@pytest.mark.parametrize("seed", range(40, 60))
def test_fit_agrees_with_all_plays(seed: int, small_edition: Callable[..., Any]) -> None:
    small = small_edition(seed, cells=9, pieces=3)
    given = state.load(Node(small.state()))
    answer = fit(given, budget=PLENTY)
    assert answer.answer == ("yes" if small.packs() else "no")
    counts = [len(small.placements(shape)) for _, _, shape in small.pieces]
    assert [piece.placements for piece in answer.pieces] == counts
    for placed in answer.witness:
        die = next(die for name, die, _ in small.pieces if name == placed.piece)
        move = Draw(placed.piece, placed.cells, die)
        assert rules.check(given, move).legal
        given = rules.apply(given, move)


@pytest.mark.parametrize("name", ["synthetic-a", "synthetic-b"])
def test_published_numbers(name: str) -> None:
    given = State(shipped(name))
    free = best(given, budget=PLENTY)
    assert (free.proof, free.score, free.bound) == ("optimal", 4, 4)
    assert replayed(given, free.line) == 4
    expert = best(given, budget=PLENTY, prefill=3)
    assert (expert.proof, expert.score) == ("optimal", 0)
    assert len(expert.line[0]["prefill"]) == 3
    assert replayed(given, expert.line) == 0


def test_known_rolls_are_kept_to_in_the_line() -> None:
    rolls = (3, 3, 3, 1, 6, 6, 2, 2, 5, 1, 4, 4)
    given = State(shipped("synthetic-a"), rolls=rolls)
    answer = best(given, budget=PLENTY)
    assert answer.proof == "optimal"
    assert tuple(move["roll"] for move in answer.line) == rolls[: len(answer.line)]
    assert replayed(given, answer.line) == answer.score


def midgame(seed: int, rounds: int) -> State:
    """Return a position after some rounds of careless play."""
    chance = random.Random(seed)
    given = State(shipped("synthetic-a"))
    for _ in range(rounds):
        drawn = [m for m in islice(rules.moves(given), 200) if isinstance(m, Draw)]
        given = rules.apply(given, chance.choice(drawn))
    return given


@pytest.mark.parametrize("seed", range(3))
def test_midgame_by_search_and_by_cpsat(seed: int) -> None:
    given = midgame(seed, 8)
    searched = best(given, budget=PLENTY, engine="search")
    solved = best(given, budget=PLENTY, engine="cpsat")
    assert searched.proof == "optimal"
    assert searched.score == solved.score == solved.bound
    assert replayed(given, searched.line) == replayed(given, solved.line) == solved.score


def test_a_roll_that_spoils_it_costs() -> None:
    given = replace(midgame(1, 8), roll=None)
    free = best(given, budget=PLENTY).score
    scores = [best(replace(given, roll=roll), budget=PLENTY).score for roll in range(1, 7)]
    assert all(score is not None and free is not None and score >= free for score in scores)


def test_the_end_has_its_own_penalty_and_an_empty_line() -> None:
    given = State(shipped("synthetic-a"))
    for piece in given.edition.pieces:
        given = rules.apply(given, CrossOut(piece.name, 1))
    answer = best(given, budget=PLENTY)
    assert (answer.proof, answer.score, answer.line) == ("optimal", 77, ())


def test_what_is_cut_short_says_so() -> None:
    answer = best(State(shipped("synthetic-a")), budget=Budget(seconds=None, work=0))
    assert answer.proof == "feasible"
    assert answer.stopped_by == "work"
    assert answer.bound is not None
    assert answer.score is not None
    assert answer.bound <= 4 <= answer.score


def test_a_search_proves_a_prefill_without_cpsat() -> None:
    line_of_four = {
        "lattice": "hex",
        "standard": False,
        "rows": ["h r h h"],
        "legend": {"h": {"kind": "hexagon"}, "r": {"kind": "circle", "penalty": 3}},
        "pieces": [{"name": "A", "die": 1, "rows": ["h h"]}],
    }
    given = state.load(Node({"game": "five-minute-puzzle", "sheet": line_of_four}))
    answer = best(given, budget=PLENTY, prefill=1, engine="search")
    assert (answer.proof, answer.score) == ("optimal", 5)


def test_refusals() -> None:
    begun = State(shipped("synthetic-a"), history=(CrossOut("A", 6),))
    with pytest.raises(InputError):
        best(begun, budget=PLENTY, prefill=3)
    twice = State(shipped("synthetic-a"), history=(CrossOut("A", 6),) * 2)
    with pytest.raises(IllegalState):
        best(twice, budget=PLENTY)
    with pytest.raises(IllegalState):
        fit(twice, budget=PLENTY)


@pytest.mark.parametrize("seed", range(60, 66))
def test_packings_are_each_found_once(seed: int, small_edition: Callable[..., Any]) -> None:
    small = small_edition(seed, cells=8, pieces=3)
    edition = state.load(Node(small.state())).edition
    masks = [[0, *own] for own in edition.placements]
    want = set()
    for first in masks[0]:
        for second in masks[1]:
            for third in masks[2]:
                chosen = first, second, third
                if sum(mask.bit_count() for mask in chosen) == (first | second | third).bit_count():
                    want.add(chosen)
    found = [
        tuple(dict(packing.lays).get(piece, 0) for piece in range(3))
        for packing in Packer(Position.start(edition), ceiling=10**6).packings()
    ]
    assert len(found) == len(set(found))
    assert set(found) == want


@pytest.mark.parametrize("lie", ["search", "table", "CP-SAT"])
def test_a_lie_of_one_engine_is_never_an_optimum(
    lie: str, small_edition: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine looks at nothing, and says that nothing is better than what is known."""

    def blind(_: Any, kept: Solved, *__: Any) -> Solved:
        return kept.raised(kept.score, lie)

    name = {"search": "exhausted", "table": "read_off", "CP-SAT": "by_clauses"}[lie]
    monkeypatch.setattr(scoring._Question, name, blind)
    monkeypatch.setattr(scoring, "DIVES", 0)
    doubted = 0
    for seed in range(8):
        small = small_edition(seed, cells=7 + seed % 4, pieces=3 + seed % 2)
        for rolls, prefill in (((), 0), (random_rolls(seed, 4), 0), ((), 2)):
            given = state.load(Node(small.state(rolls=list(rolls))))
            try:
                answer = best(given, budget=PLENTY, prefill=prefill)
            except WrongAnswer:
                doubted += 1
                continue
            if answer.proof == "optimal":
                assert answer.score == small.best(rolls, prefill=prefill)
            else:
                doubted += 1
                assert [reason.code for reason in answer.reasons] == ["one-engine"]
    assert doubted or lie != "table"
