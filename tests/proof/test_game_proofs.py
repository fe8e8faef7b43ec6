"""Certificates, conflicts and ways out of the games that are played by placing pieces."""

import json
import random
from typing import Any

import pytest

from tilesolve import service
from tilesolve.answers import Best, Explanation, Fit, Verification
from tilesolve.budget import SILENT, Budget, Meter
from tilesolve.placement import solutions
from tilesolve.placement.count import Engine
from tilesolve.proof.certificate import Certificate, Claim, dump_certificate, puzzle_hash
from tilesolve.serve import desk
from tilesolve.serve.request import UNLIMITED
from tilesolve.wire import Node
from tilesolve_models.polyform import refutation, rules

BUDGET = Budget(seconds=None, work=400_000)


def ask(state: Any, operation: str, **parameters: Any) -> Any:
    nodes = {name: Node(value, name) for name, value in parameters.items()}
    return service.ask(service.load(Node(state)), operation, budget=BUDGET, parameters=nodes)


def over_the_wire(game: str, operation: str, **body: Any) -> Any:
    body["budget"] = {"seconds": None, "work": BUDGET.work}
    request = desk.read(game, operation, body, UNLIMITED)
    answer = desk.answer(request, watch=SILENT, part=lambda part: None)
    return json.loads(json.dumps(answer))


ROWS = [" h h h h ", "h h c h h", " h h h h ", "h h h h h"]


def hexagons(*history: Any) -> Any:
    """A small sheet of 5 Minuten Puzzle with three pieces."""
    legend = {"h": {"kind": "hexagon"}, "c": {"kind": "circle", "penalty": 3}}
    pieces = [
        {"name": "A", "die": 1, "rows": ["h h h h"]},
        {"name": "B", "die": 2, "rows": ["h c h"]},
        {"name": "C", "die": 3, "rows": ["h h h"]},
    ]
    sheet = {"lattice": "hex", "rows": ROWS, "legend": legend, "pieces": pieces}
    return {
        "game": "five-minute-puzzle",
        "sheet": sheet,
        "standard": False,
        "history": list(history),
    }


FIRST = {"roll": 1, "piece": "A", "cells": [[0, 1], [0, 3], [0, 5], [0, 7]]}
SPOILER = {"roll": 3, "piece": "C", "cells": [[1, 6], [2, 5], [3, 4]]}


def test_five_minute_puzzle_gives_a_certificate_that_is_checked() -> None:
    whole = ask(hexagons(FIRST), "fit")
    assert whole.answer == "yes"
    state = hexagons(FIRST, SPOILER)
    answer = ask(state, "fit", proof=True)
    assert isinstance(answer, Fit)
    assert (answer.answer, answer.rung) == ("no", "trivial")
    certificate = answer.details["certificate"]
    assert ask(state, "verify", proof=certificate).accepted == "yes"
    other = ask(hexagons(FIRST), "verify", proof=certificate)
    assert (other.accepted, other.message) == ("no", "the certificate is about another puzzle")


def test_five_minute_puzzle_says_which_placement_spoilt_it() -> None:
    state = hexagons(FIRST, SPOILER)
    found = ask(state, "explain", proof=True)
    assert isinstance(found, Explanation)
    assert found.conflict["pieces"] == ["B"]
    spoilt = [reason for reason in found.reasons if reason.code == "spoilt-by"]
    assert spoilt[0].pieces == ("C",)
    back = found.ways_out[-1]
    assert [placed.piece for placed in back.without] == ["C"]
    assert sorted(placed.piece for placed in back.witness) == ["B", "C"]
    assert ask(state, "verify", proof=found.details["certificate"]).accepted == "yes"


@pytest.mark.parametrize("history", [(), (FIRST, SPOILER)])
def test_five_minute_puzzle_proves_that_nothing_is_better(history: Any) -> None:
    from tilesolve_models.five_minute_puzzle.proving import nothing_better

    state = hexagons(*history)
    answer = ask(state, "best")
    assert isinstance(answer, Best)
    assert answer.proof == "optimal"
    assert answer.score is not None
    loaded = service.load(Node(state)).state
    written = nothing_better(loaded, answer.score, meter=Meter(budget=BUDGET))
    assert written is not None
    assert nothing_better(loaded, answer.score + 1, meter=Meter(budget=BUDGET)) is None


def grid(*rows: str, **fields: Any) -> Any:
    return {"game": "second-chance", "standard": False, "rows": list(rows), "deck": None, **fields}


CROSS = grid("A.A", "...", "A.A", turned_up=["O4", "I4"])


def test_second_chance_proves_that_no_tile_can_be_drawn() -> None:
    answer = ask(CROSS, "fit", proof=True)
    assert answer.answer == "no"
    certificate = answer.details["certificate"]
    assert certificate["claim"] == {"kind": "alone"}
    assert ask(CROSS, "verify", proof=certificate).accepted == "yes"
    fitting = {**CROSS, "turned_up": ["O4", "I3"]}
    assert ask(fitting, "verify", proof=certificate).accepted == "no"
    assert ask(fitting, "fit", proof=True).answer == "yes"


def test_second_chance_explains_what_would_let_a_tile_in() -> None:
    found = ask(CROSS, "explain")
    assert found.conflict["pieces"] == ["O4", "I4"]
    changes = [way.change for way in found.ways_out]
    assert "free the cell [0, 0]" in changes


def test_second_chance_proves_that_tiles_do_not_fit_together() -> None:
    state = grid("....", "....", "....", "....")
    tiles = ["T4", "T4", "T4", "S4"]
    answer = ask(state, "fit", tiles=tiles, proof=True)
    assert (answer.answer, answer.rung) == ("no", "colouring")
    certificate = answer.details["certificate"]
    assert ask(state, "verify", proof=certificate, tiles=tiles).accepted == "yes"
    assert ask(state, "verify", proof=certificate, tiles=["T4"] * 4).accepted == "no"
    found = ask(state, "explain", tiles=tiles)
    assert "leave out one S4" in [way.change for way in found.ways_out]


def test_second_chance_says_which_drawn_tile_spoilt_it() -> None:
    placed = [
        {"tile": "I1", "cells": [[0, 0]]},
        {"tile": "I2", "cells": [[1, 1], [1, 2]]},
        {"tile": "I1", "cells": [[3, 3]]},
    ]
    state = grid("....", "....", "....", "....", placed=placed)
    found = ask(state, "explain", tiles=["I4", "I2"])
    assert found.answer == "yes"
    found = ask(state, "explain", tiles=["I4", "I4", "I4"])
    assert found.answer == "no"
    assert [reason.pieces for reason in found.reasons if reason.code == "spoilt-by"] == [("I2",)]


DECK = ["I1", "I2", "I3", "L3", "O4", "T4"]


@pytest.mark.parametrize("seed", range(12))
def test_second_chance_proves_the_least_number_of_empty_squares(seed: int) -> None:
    chance = random.Random(seed)
    rows = ["".join(chance.choice("...A") for _ in range(3)) for _ in range(3)]
    turned_up = chance.sample(DECK, 2) if chance.random() < 0.5 else []
    state = grid(*rows, turned_up=turned_up) | {"deck": DECK}
    answer = ask(state, "best", proof=True)
    assert answer.proof == "optimal"
    certificate = answer.details.get("certificate")
    if certificate is None:
        said = answer.details["bound_by"]
        assert said == "the rules" or said.startswith("two engines that agree")
        return
    assert ask(state, "verify", proof=certificate).accepted == "yes"
    bolder = {**certificate, "claim": {**certificate["claim"], "score": answer.score + 1}}
    assert ask(state, "verify", proof=bolder).accepted == "no"
    freer = {key: value for key, value in certificate["claim"].items() if key != "uses"}
    assert ask(state, "verify", proof={**certificate, "claim": freer}).accepted == "no"


@pytest.mark.parametrize(
    ("game", "state", "more"),
    [
        ("polyform", {"sheet": "4x5", "pieces": "tetrominoes"}, {}),
        ("five-minute-puzzle", hexagons(FIRST, SPOILER), {}),
        ("second-chance", CROSS, {}),
        ("second-chance", grid("....", "...."), {"tiles": ["T4", "T4"]}),
    ],
)
def test_certificates_travel_over_the_wire(game: str, state: Any, more: Any) -> None:
    plain = over_the_wire(game, "fit", state=state, **more)
    assert (plain["answer"], "certificate" in plain) == ("no", False)
    for operation in ("fit", "explain"):
        proven = over_the_wire(game, operation, state=state, proof=True, **more)
        found = over_the_wire(game, "verify", state=state, proof=proven["certificate"], **more)
        assert found["accepted"] == "yes"


def test_a_best_and_a_uniqueness_travel_too() -> None:
    puzzle = {"sheet": "4x6", "pieces": "tetrominoes"}
    best = over_the_wire("polyform", "best", state=puzzle, proof=True)
    assert best["certificate"]["claim"] == {"kind": "best", "score": 4}
    found = over_the_wire("polyform", "verify", state=puzzle, proof=best["certificate"])
    assert (found["accepted"], found["claim"]) == ("yes", "best")
    forced = {"sheet": ["....", "##.."], "pieces": ["O4", "I2"]}
    unique = over_the_wire("polyform", "solve", state=forced, unique=True, proof=True)
    assert unique["unique"] == "yes"
    found = over_the_wire("polyform", "verify", state=forced, proof=unique["certificate"])
    assert (found["accepted"], found["claim"]) == ("yes", "unique")


def test_a_verification_says_what_it_was_about() -> None:
    state = {"sheet": "1x3", "pieces": ["I2*2"]}
    answer = ask(state, "fit", proof=True)
    found = ask(state, "verify", proof=answer.details["certificate"])
    assert isinstance(found, Verification)
    assert (found.rung, found.claim) == ("trivial", "none")


def test_five_minute_puzzle_hands_over_why_nothing_is_better() -> None:
    fresh = {"game": "five-minute-puzzle", "sheet": "synthetic-a"}
    answer = over_the_wire("five-minute-puzzle", "best", state=fresh, proof=True)
    assert (answer["proof"], answer["score"]) == ("optimal", 4)
    found = over_the_wire("five-minute-puzzle", "verify", state=fresh, proof=answer["certificate"])
    assert (found["accepted"], found["claim"]) == ("yes", "best")


@pytest.mark.parametrize(
    ("sheet", "pieces", "distinct", "unique", "rung"),
    [
        ("4x5", "tetrominoes", False, "no", "colouring"),
        ("5x6", "F,I,L,N,T,X", False, "no", "search"),
        ("2x2", ["I3*2"], False, "no", "trivial"),
        (["....", "##.."], ["O4", "I2"], False, "yes", "search"),
        ("2x2", ["I2*2"], True, "yes", "two engines"),
        ("2x2", ["I2*2"], False, "no", None),
    ],
)
def test_unique_names_its_rung(
    sheet: Any, pieces: Any, distinct: bool, unique: str, rung: str | None
) -> None:
    puzzle = {"sheet": sheet, "pieces": pieces}
    found = over_the_wire(
        "polyform", "solve", state=puzzle, unique=True, distinct=distinct, proof=True
    )
    assert (found["unique"], found.get("rung")) == (unique, rung)
    assert ("certificate" in found) == (rung not in ("two engines", None))
    if "certificate" in found:
        goal = {**puzzle, "goal": "cover"}
        checked = over_the_wire("polyform", "verify", state=goal, proof=found["certificate"])
        assert checked["accepted"] == "yes"


@pytest.mark.parametrize(
    ("sheet", "pieces", "rung"),
    [("3x3", ["I2*4"], "trivial"), ("5x6", "F,I,L,N,T,X", "search")],
)
def test_a_best_that_is_impossible_is_certified(sheet: Any, pieces: Any, rung: str) -> None:
    puzzle = {"sheet": sheet, "pieces": pieces, "goal": "cover"}
    found = over_the_wire("polyform", "best", state=puzzle, proof=True)
    assert (found["proof"], found["rung"]) == ("infeasible", rung)
    checked = over_the_wire("polyform", "verify", state=puzzle, proof=found["certificate"])
    assert checked["accepted"] == "yes"


@pytest.mark.parametrize("state", [CROSS, hexagons(FIRST, SPOILER)])
def test_every_way_out_is_drawn_with_its_solution(
    state: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    from tilesolve.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["explain", json.dumps(state), "--quiet"])
    assert ended.value.code == 1
    out = capsys.readouterr().out
    found = ask(state, "explain")
    assert found.ways_out
    assert out.count("it becomes possible") == len(found.ways_out)
    assert out.count("\n0 ") > len(found.ways_out)


@pytest.mark.parametrize(
    ("sheet", "pieces"),
    [
        ([".....", "#.###"], ["L3*2"]),  # the bar's cells at the right are out of reach
        (["...", "###", "..."], ["I2*3"]),  # each pocket keeps a cell
        ({"rows": ["..oo"], "legend": {"o": {"kind": "circle"}}}, [["oo"], ["o."]]),
    ],
)
def test_a_packing_without_a_cell_to_spare_is_counted_as_a_cover(sheet: Any, pieces: Any) -> None:
    puzzle = {"sheet": sheet, "pieces": pieces, "goal": "packing"}
    answer = ask(puzzle, "fit", proof=True)
    assert (answer.answer, answer.rung) == ("no", "trivial")
    found = ask(puzzle, "verify", proof=answer.details["certificate"])
    assert (found.accepted, found.rung) == ("yes", "trivial")


@pytest.mark.parametrize("seed", range(60))
def test_every_certificate_of_a_no_is_accepted(seed: int) -> None:
    """Kinds, optional pieces, pieces that may not be turned, sheets without a cell to spare."""
    chance = random.Random(seed)
    rows = ["".join(chance.choice("...o#") for _ in range(4)) for _ in range(3)]
    pieces = [
        {
            "rows": chance.choice([["##"], ["#o"], ["###"], ["##", "#."], ["oo", ".#"]]),
            "count": chance.choice([1, 2, [1, 2], [0, 2]]),
            "mirror": chance.random() < 0.7,
            "rotate": chance.random() < 0.7,
        }
        for _ in range(chance.randint(1, 4))
    ]
    sheet = {"rows": rows, "legend": {"o": {"kind": "circle"}}}
    puzzle = {"sheet": sheet, "pieces": pieces, "goal": chance.choice(["packing", "cover"])}
    answer = ask(puzzle, "fit", proof=True)
    if answer.answer == "no":
        found = ask(puzzle, "verify", proof=answer.details["certificate"])
        assert found.accepted == "yes"


def test_an_optional_piece_that_fits_nowhere_is_no_proof() -> None:
    pieces = {"pieces": [{"name": "X", "optional": True}, {"name": "I2"}]}
    answer = ask({"sheet": "2x3", "pieces": pieces}, "fit", each=True, proof=True)
    assert (answer.answer, "certificate" in answer.details) == ("no", False)
    must = {"pieces": [{"name": "X", "optional": False}, {"name": "I2"}]}
    answer = ask({"sheet": "2x3", "pieces": must}, "fit", each=True, proof=True)
    found = ask({"sheet": "2x3", "pieces": must}, "verify", proof=answer.details["certificate"])
    assert found.accepted == "yes"


def test_a_refusal_says_why_and_not_which_goals_were_tried() -> None:
    puzzle = {"sheet": "2x2", "pieces": ["I2*2"]}
    state = rules.load(Node(puzzle))
    for cover in (False, True):
        hashed = puzzle_hash(state.sheet, rules.left(state), cover=cover)
        false = Certificate(puzzle=hashed, claim=Claim(), rung="trivial")
        found = ask(puzzle, "verify", proof=dump_certificate(false))
        assert (found.accepted, "counting" in found.message) == ("no", True)
    other = Certificate(puzzle="sha256:0", claim=Claim(), rung="trivial")
    assert "another puzzle" in ask(puzzle, "verify", proof=dump_certificate(other)).message


@pytest.mark.parametrize("blind", ["search", "diagram"])
def test_one_solution_by_one_engine_is_unknown(blind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a certificate a search and a diagram must both find the one solution."""
    puzzle = {"sheet": ["....", "##.."], "pieces": ["O4", "I2"]}
    monkeypatch.setattr(refutation, "only_solution", lambda *_, **__: None)
    *_, found = ask(puzzle, "solve", unique=True)
    assert (found.details["unique"], found.details["rung"]) == ("yes", "two engines")
    honest = solutions.solutions

    def lying(*given: Any, engine: Engine = "auto", **more: Any) -> Any:
        return iter(()) if engine == blind else honest(*given, engine=engine, **more)

    monkeypatch.setattr(solutions, "solutions", lying)
    *_, found = ask(puzzle, "solve", unique=True)
    assert found.details["unique"] == "unknown"
