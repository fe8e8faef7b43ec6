"""`best` on sheets of all kinds, against playing every possible line by the rules."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tilesolve.answers import Best, Json, WrongAnswer
from tilesolve.budget import Budget, Meter, Progress, Watch
from tilesolve.errors import IllegalState
from tilesolve.geometry.sheet import SheetRules
from tilesolve.placement import cheapest, optimum
from tilesolve.placement.build import build
from tilesolve.placement.cpsat import optimisation
from tilesolve.placement.gaps import Within
from tilesolve.placement.objective import Found, evaluate, faults
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.refutation import nothing_better_in_contact
from tilesolve_models.polyform.rules import State
from tilesolve_models.polyform.scoring import Engine, _Asked, _lying, best

ENGINES: tuple[Engine, Engine] = ("auto", "cpsat")
BUDGET = Budget(seconds=None, work=30_000_000)


def load(sheet: Json, pieces: Json, goal: str | None = None) -> State:
    data = {"sheet": sheet, "pieces": pieces}
    return rules.load(Node(data if goal is None else {**data, "goal": goal}))


def ask(sheet: Json, pieces: Json, *, cover: bool | None = None) -> Best:
    return best(load(sheet, pieces), budget=BUDGET, cover=cover)


def replayed(state: State, answer: Best) -> int:
    """Play the line by the rules, every step legal, and return the score at its end."""
    for step in answer.line:
        move = rules.load_move(Node(step), state)
        assert rules.check(state, move).legal
        state = rules.apply(state, move)
    score = rules.check(state).score
    assert score is not None
    return score


def best_by_playing(state: State) -> int | None:
    """Play every line by the rules; positions reached twice are played on once."""
    seen: set[frozenset[tuple[str, tuple[tuple[int, int], ...]]]] = set()
    scores = []

    def play(state: State) -> None:
        position = frozenset((piece.piece, piece.cells) for piece in state.sheet.placed)
        if position in seen:
            return
        seen.add(position)
        due = any(piece.optional is False and piece.least for piece in rules.left(state))
        if not due and not (state.goal == "cover" and state.sheet.open):
            scores.append(rules.score(state))
        for move in rules.moves(state):
            play(rules.apply(state, move))

    play(state)
    return min(scores, default=None)


def random_puzzle(seed: int) -> State:
    """Return a small puzzle with a random choice of everything that `best` knows."""
    dice = random.Random(seed)
    lattice = dice.choice(["square", "hex", "triangle"])
    rows = [
        "".join(dice.choice("....oox##A") for _ in range(4)) for _ in range(dice.choice([2, 3]))
    ]
    if lattice == "hex":
        rows = [" " * (row % 2) + " ".join(line) for row, line in enumerate(rows)]
    sets = {
        "square": ["I2", "I3", "L3", "L4", "T4", "O4"],
        "hex": ["I2", "I3", "V3", "A3", "P4"],
        "triangle": ["I2", "I3", "I4", "C4", "T4"],
    }
    pieces = []
    for name in dice.sample(sets[lattice], dice.randint(1, 2)):
        piece: dict[str, Json] = {"name": name, "penalty": dice.choice([0, 0, 2])}
        piece["value"] = dice.choice([0, 0, 1, -1])
        piece["count"] = dice.choice([1, 1, 2, [1, 2], "any"])
        if dice.random() < 0.5:
            piece["optional"] = dice.random() < 0.5
        pieces.append(piece)
    legend = {"o": {"kind": "circle", "penalty": 2}, "x": {"kind": "circle", "penalty": 0}}
    chosen = {
        "touch": dice.random() < 0.4,
        "connected": dice.random() < 0.3,
        "region_penalty": dice.choice([0, 0, 1, 3]),
    }
    sheet = {"lattice": lattice, "rows": rows, "legend": legend, "rules": chosen}
    return load(sheet, {"pieces": pieces}, dice.choice(["packing"] * 5 + ["cover"]))


@pytest.mark.parametrize("seed", range(80))
def test_agrees_with_playing_every_line(seed: int) -> None:
    state = random_puzzle(seed)
    if not rules.check(state).legal:
        with pytest.raises(IllegalState):
            best(state, budget=BUDGET)
        return
    expected = best_by_playing(state)
    for engine in ENGINES:
        answer = best(state, budget=BUDGET, engine=engine)
        if expected is None:
            assert answer.proof in ("infeasible", "unknown")
            assert answer.reasons
        else:
            assert (answer.score, answer.bound) == (expected, expected)
            alone = engine == "cpsat" and answer.details["bound_by"] == "CP-SAT alone"
            assert answer.proof == ("feasible" if alone else "optimal")
            assert [reason.code for reason in answer.reasons] == ["one-engine"] * alone
            assert replayed(state, answer) == expected


def test_covers_the_most_by_default() -> None:
    answer = ask("3x3", ["I2", "L3", "L3", "T4"])
    assert (answer.proof, answer.score) == ("optimal", 0)


def test_cell_penalties_choose_what_stays_open() -> None:
    legend = {"o": {"penalty": 5}}
    answer = ask({"rows": ["..o.."], "legend": legend}, ["I3"])
    assert answer.score == 2
    assert ask({"rows": ["o.o.o"], "legend": legend}, ["I3"]).score == 6


def test_a_region_costs_its_penalty() -> None:
    plain = {"rows": ["....."]}
    assert ask(plain, ["I3"]).score == 2
    dear = {"rows": ["....."], "rules": {"region_penalty": 4}}
    assert ask(dear, ["I3"]).score == 6
    assert ask({"rows": ["...#.."], "rules": {"region_penalty": 4}}, ["I3"]).score == 6
    assert ask({"rows": ["...#..#.."], "rules": {"region_penalty": 4}}, ["I3"]).score == 12


def test_penalties_and_values_of_pieces() -> None:
    kept_out = {"pieces": [{"name": "I3", "penalty": 7}, {"name": "I2", "value": 9}]}
    answer = ask(["...."], kept_out)
    assert [step["piece"] for step in answer.line] == ["I2"]
    assert answer.score == 2 + 7 - 9


def test_a_piece_stays_out_unless_it_must_not() -> None:
    may = {"pieces": [{"name": "I3", "value": -9}]}
    must = {"pieces": [{"name": "I3", "value": -9, "optional": False}]}
    assert ask(["...."], may).score == 4
    assert ask(["...."], must).score == 1 + 9


@pytest.mark.parametrize("rule", ["touch", "connected"])
@pytest.mark.parametrize(
    ("row", "copies", "free", "bound"),
    [
        ("oo.oo", 2, 1, 9),  # only apart are all dear cells covered
        ("A.oo", 1, 1, 9),  # what lies already is to be touched
        ("A..oo", 2, 0, 0),  # in the right order, both can
        ("ooAAoo", 2, 0, 0),  # on both sides of what lies already
        ("oo.A.oo", 2, 2, 18),
    ],
)
def test_contact_forbids_the_far_end(
    rule: str, row: str, copies: int, free: int, bound: int
) -> None:
    pieces = {"pieces": [{"name": "I2", "count": copies}]}
    sheet = {"rows": [row], "legend": {"o": {"penalty": 9}}}
    assert ask(sheet, pieces).score == free
    answer = ask({**sheet, "rules": {rule: True}}, pieces)
    assert (answer.proof, answer.score) == ("optimal", bound)


def test_pieces_that_lie_already_count() -> None:
    pieces = {"pieces": [{"name": "I2", "count": 3, "value": 2, "penalty": 1}]}
    sheet = {"rows": ["....."], "placed": [{"piece": "I2", "cells": [[0, 1], [0, 2]]}]}
    answer = ask(sheet, pieces)
    assert len(answer.line) == 1
    assert answer.score == 1 + 1 - 4


def test_a_cover_that_cannot_be_is_infeasible_for_a_reason() -> None:
    short = ask("3x3", ["I2", "L3"], cover=True)
    assert (short.proof, short.score, short.line) == ("infeasible", None, ())
    assert short.reasons[0].code == "too-few-piece-cells"
    nowhere = ask(["..", "#."], {"pieces": [{"name": "I3", "optional": False}]})
    assert nowhere.reasons[0].code == "no-placement"


def test_a_no_of_cpsat_is_confirmed_by_a_search() -> None:
    """T tetrominoes cannot cover 4x5 by colouring, which no quick reason of `best` sees."""
    answer = ask("4x5", "tetrominoes", cover=True)
    assert answer.proof == "infeasible"
    assert answer.reasons[0].code == "two-engines"


def test_progress_is_heard_and_work_bounds_the_question() -> None:
    heard: list[Progress] = []
    state = load("8x8", "pentominoes")
    budget = Budget(seconds=None, work=200)
    first = best(state, budget=budget, watch=Watch(report=heard.append), engine="cpsat")
    assert (first.proof, first.stopped_by) in (("feasible", "work"), ("unknown", "work"))
    assert first.bound is not None
    assert heard
    second = best(state, budget=budget, engine="cpsat")
    assert (first.line, first.score, first.bound) == (second.line, second.score, second.bound)


def test_an_interrupted_question_answers_with_what_is_known() -> None:
    state = load("8x8", "pentominoes")
    for engine in ENGINES:
        watch = Watch(interrupted=lambda: True)
        answer = best(state, budget=Budget(), watch=watch, engine=engine)
        assert answer.proof in ("feasible", "unknown")
        assert answer.stopped_by == "interrupted"


def test_nothing_to_place_and_nothing_open() -> None:
    assert ask(["..."], []).score == 3
    assert ask(["A"], []).score == 0
    assert ask([], []).score == 0
    assert ask([], [], cover=True).score == 0


def test_too_many_placements_still_give_a_score_and_a_bound() -> None:
    """Thirty-five hexominoes on a sheet without walls: all of them lie by first fit."""
    answer = ask("150x150", "hexominoes")
    assert (answer.proof, answer.score, answer.bound) == ("optimal", 22_290, 22_290)
    assert len(answer.line) == 35
    dear = {"rows": ["o" + "." * 119] * 120, "legend": {"o": {"kind": "plain", "penalty": 3}}}
    rough = ask(dear, "hexominoes")
    assert (rough.proof, rough.stopped_by) == ("feasible", "memory")
    assert rough.bound is not None
    assert rough.score is not None
    assert rough.bound < rough.score
    assert rough.reasons[0].code == "too-many-placements"
    touching = ask({"rows": ["." * 130] * 130, "rules": {"touch": True}}, "hexominoes")
    assert (touching.proof, len(touching.line)) == ("optimal", 35)


def test_no_time_at_all_still_gives_a_score() -> None:
    state = load("60x60", "pentominoes")
    answer = best(state, budget=Budget(seconds=0))
    assert answer.proof in ("optimal", "feasible")


@pytest.mark.parametrize("rule", [{}, {"touch": True}, {"connected": True}, {"region_penalty": 2}])
def test_open_sheets_with_penalties_are_proven(rule: dict[str, object]) -> None:
    """Few pieces on an open sheet, every cell with a penalty of its own."""
    rows = ["abcab", "bcabc", "cabca", "abcba", "acbac"]
    legend = {letter: {"kind": "plain", "penalty": n} for n, letter in enumerate("abc", start=1)}
    answer = ask({"rows": rows, "legend": legend, "rules": rule}, ["P", "U", "V"])
    assert answer.proof == "optimal"
    assert answer.details["bound_by"] != "CP-SAT alone"


def test_what_breaks_contact_is_infeasible_by_two_engines() -> None:
    bar = [{"name": "I2", "rows": ["##"], "count": 2, "optional": False}]
    apart = ask({"rows": ["..#.."], "rules": {"connected": True}}, bar)
    assert (apart.proof, apart.reasons[0].code) == ("infeasible", "two-engines")


def blind_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search of gaps says that it looked at everything, and found nothing."""

    def nothing(*_: Any, **__: Any) -> Within:
        return Within(chosen=None, exhausted=True)

    monkeypatch.setattr(optimum, "within", nothing)


class _Empty:
    bound = 2**40
    complete = True

    def selections(self, _: Any) -> Iterator[Any]:
        return iter(())


def blind_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of states is empty."""
    monkeypatch.setattr(cheapest, "cheapest", lambda *_, **__: _Empty())


def blind_cpsat(monkeypatch: pytest.MonkeyPatch) -> None:
    """CP-SAT says that placing nothing is the best, or that nothing is there at all."""

    def idle(problem: Any, objective: Any, **_: Any) -> Found:
        if faults(problem, (), objective):
            return Found("infeasible", bound_by="CP-SAT")
        score = evaluate(problem, objective, ())
        return Found("optimal", (), score, score, bound_by="CP-SAT")

    monkeypatch.setattr(optimisation, "optimise", idle)


@pytest.mark.parametrize(
    ("blind", "engine"),
    [(blind_search, "auto"), (blind_table, "auto"), (blind_cpsat, "cpsat")],
)
def test_a_lie_of_one_engine_is_never_an_optimum(
    blind: Any, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubted = 0
    for seed in range(100, 140):
        state = random_puzzle(seed)
        try:
            expected = best_by_playing(state)
        except IllegalState:
            continue
        with monkeypatch.context() as lying:
            blind(lying)
            try:
                answer = best(state, budget=BUDGET, engine=engine)
            except IllegalState:
                continue
            except WrongAnswer:
                doubted += 1
                continue
        if answer.proof == "optimal":
            assert answer.score == expected
        elif answer.proof == "infeasible":
            assert expected is None
        else:
            doubted += 1
    assert doubted


def test_a_rule_of_contact_needs_two_engines() -> None:
    """Without contact nothing stays open, so no certificate that leaves it out can be found."""
    sheet = {
        "rows": ["oo.oo"],
        "legend": {"o": {"penalty": 9}},
        "rules": {"touch": True, "region_penalty": 1},
    }
    state = load(sheet, {"pieces": [{"name": "I2", "count": 2}]})
    answer = best(state, budget=BUDGET)
    assert (answer.proof, answer.score, answer.certificate) == ("optimal", 10, None)
    assert str(answer.details["bound_by"]).startswith("two engines that agree")


@pytest.mark.parametrize("rule", ["touch", "connected"])
@pytest.mark.parametrize("seed", range(12))
def test_a_search_in_contact_agrees_with_playing_every_line(rule: str, seed: int) -> None:
    state = random_puzzle(seed)
    chosen = SheetRules(touch=rule == "touch", connected=rule == "connected", region_penalty=1)
    state = replace(state, sheet=replace(state.sheet, rules=chosen), goal="packing")
    if not rules.check(state).legal:
        return
    expected = best_by_playing(state)
    if expected is None:
        return
    free = tuple(map(rules.free_to_stay_out, rules.left(state)))
    layout = build(state.sheet, free, cover=False)
    objective = _Asked(state, layout, Meter(budget=BUDGET)).objective()
    score = expected + _lying(state)
    asked = replace(layout, pieces=rules.left(state))
    meter = Meter(budget=BUDGET)
    assert nothing_better_in_contact(asked, objective, score=score, meter=meter)
    with pytest.raises(WrongAnswer):
        nothing_better_in_contact(asked, objective, score=score + 1, meter=meter)


def test_contact_on_an_open_sheet_is_settled_by_two_engines() -> None:
    """The best that leaves contact aside is better, so no certificate can show it."""
    chance = random.Random(5)
    legend = {letter: {"kind": "plain", "penalty": n} for n, letter in enumerate("abcde", start=1)}
    rows = ["".join(chance.choice("abcde") for _ in range(6)) for _ in range(5)]
    sheet = {"rows": rows, "legend": legend}
    assert ask(sheet, ["P", "T", "I4"]).score == 33
    answer = ask({**sheet, "rules": {"touch": True}}, ["P", "T", "I4"])
    assert (answer.proof, answer.score, answer.certificate) == ("optimal", 35, None)
    assert str(answer.details["bound_by"]).startswith("two engines that agree")
