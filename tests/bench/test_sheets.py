"""Which sheets a run rates: files, lines, families."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tilesolve import service
from tilesolve.bench.random_sheets import RandomSheets, Range, read_family
from tilesolve.bench.sheets import Source, puzzles
from tilesolve.errors import InputError
from tilesolve.geometry.lattice import connected
from tilesolve.geometry.sheet import read_sheet
from tilesolve.library import count, fit, load
from tilesolve.wire import Node


def test_the_calendar_has_366_dates() -> None:
    dates = list(puzzles([], ["calendar"], Source()))
    assert len({date.text for date in dates}) == len(dates) == 366
    assert [dates[place].name for place in (0, 59, 365)] == [
        "calendar:01-01",
        "calendar:02-29",
        "calendar:12-31",
    ]
    first = json.loads(dates[0].text)
    assert first == {"sheet": "calendar:01-01", "pieces": "calendar"}
    assert count(**first).raw == 64


def test_patterns_lines_and_names(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text('["..", ".."]')
    (tmp_path / "a.txt").write_text("..\n")
    (tmp_path / "c.json").write_text("{")
    whole = {"sheet": "2x3", "pieces": "I3*2", "goal": "cover"}
    lines = ['"2x2"', "", json.dumps({"name": "mine", "puzzle": whole}), "nonsense"]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    found = list(puzzles([str(tmp_path / "*.[jt][sx]*"), "2x4"], [], Source("dominoes*")))
    names = [Path(puzzle.name).name for puzzle in found]
    assert names == ["a.txt", "b.json", "c.json", "many.jsonl:1", "mine", "many.jsonl:4", "2x4"]
    assert [bool(puzzle.error) for puzzle in found] == [
        False,
        False,
        True,
        False,
        False,
        True,
        False,
    ]
    assert json.loads(found[1].text) == {"sheet": ["..", ".."], "pieces": "dominoes*"}
    assert json.loads(found[4].text) == whole
    with pytest.raises(InputError, match="no file is called like"):
        list(puzzles([str(tmp_path / "*.xml")], [], Source()))
    with pytest.raises(InputError, match="there is no family 'moon'"):
        list(puzzles([], ["moon"], Source()))


def test_games_deal() -> None:
    dealt = list(puzzles([], ["new:lets-klack,count=3,seed=5,width=2"], Source()))
    assert [puzzle.name for puzzle in dealt] == [f"lets-klack/{seed}" for seed in (5, 6, 7)]
    assert json.loads(dealt[0].text)["game"] == "lets-klack"


def test_a_deal_that_cannot_be_is_told_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = service.new_state

    def new_state(game: Any, options: Any) -> Any:
        if options["seed"].value == 1:
            raise InputError("none of 100 boards is hard enough")
        return real(game, options)

    monkeypatch.setattr(service, "new_state", new_state)
    dealt = list(puzzles([], ["new:lets-klack,count=3"], Source()))
    assert [puzzle.name for puzzle in dealt] == [f"lets-klack/{seed}" for seed in range(3)]
    assert [puzzle.error for puzzle in dealt] == ["", "none of 100 boards is hard enough", ""]
    with pytest.raises(InputError, match="'moon' is no setting"):
        list(puzzles([], ["new:lets-klack,count=1,moon=1"], Source()))


@pytest.mark.parametrize("frame", ["5x6", "hex:4x5", "triangle:4x6", "8x8-corners"])
def test_random_sheets_are_connected_solvable_and_within_range(frame: str) -> None:
    family, wanted = read_family(f"{frame},holes=2..9,pieces=3..5,count=12,seed=3")
    seen = list(family.puzzles(wanted))
    assert len({json.dumps(puzzle) for _, puzzle in seen}) == 12
    for _, puzzle in seen:
        state = load(puzzle).state
        assert connected(state.sheet.lattice, state.sheet.open)
        assert 2 <= len(family.frame.open) - len(state.sheet.open) <= 9
        assert 3 <= sum(piece.least for piece in state.pieces) <= 5
        assert count(puzzle).raw >= 1
    assert list(family.puzzles(wanted)) == seen


def test_random_sheets_of_given_pieces() -> None:
    family, _ = read_family("6x6,pieces=4,seed=1", "pentominoes")
    for number in range(5):
        puzzle = family.puzzle(number)
        state = load(puzzle).state
        assert len(state.sheet.open) == 20
        assert [piece.size for piece in state.pieces] == [5] * 4
        assert count(puzzle).raw >= 1


def test_pieces_that_all_but_fill_the_frame() -> None:
    # Twelve pentominoes in a chessboard with four holes: blindly they are never laid.
    family, _ = read_family("8x8,holes=4,seed=1", "pentominoes")
    puzzle = family.puzzle(0)
    state = load(puzzle).state
    assert len(state.sheet.open) == 60
    assert connected(state.sheet.lattice, state.sheet.open)
    assert sum(piece.least for piece in state.pieces) == 12
    assert fit({**puzzle, "goal": "cover"}).answer == "yes"
    assert family.puzzle(0) == puzzle


def test_a_number_of_which_no_sheet_comes_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    family, _ = read_family("3x4,pieces=1..2,seed=1", "L4,I4,T4")
    real = RandomSheets.puzzle

    def puzzle(self: RandomSheets, number: int) -> Any:
        if number in (0, 2):
            raise InputError("no sheet")
        return real(self, number)

    monkeypatch.setattr(RandomSheets, "puzzle", puzzle)
    assert [number for number, _ in islice(family.numbered(), 3)] == [1, 3, 4]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("3x3,pieces=4", "pentominoes"),  # more cells than the frame has
        ("9x9,pieces=20..30", "pentominoes"),  # more pieces than there are
        ("6x10,holes=2", "pentominoes"),  # they leave none
        ("2x3", "dominoes*"),  # no piece need be used
        ("5x6,holes=40,pieces=3", None),  # more holes than cells
        ("5x6,holes=2,pieces=3", "tetrominoes"),  # 12 cells and 2 holes are not 30
    ],
)
def test_a_family_without_sheets_says_so(text: str, pieces: str | None) -> None:
    with pytest.raises(InputError, match="no sheet with these pieces and holes"):
        read_family(text, pieces)[0].puzzle(0)


def test_a_family_that_is_too_small_says_so() -> None:
    tiny = RandomSheets(read_sheet(Node("1x2")), holes=Range(0, 0), copies=Range(1, 1))
    with pytest.raises(InputError, match="only 1 different sheets"):
        list(tiny.puzzles(3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5x6,hole=3", "'hole' is no setting"),
        ("5x6,holes=9..3", "the range 9..3 is empty"),
        ("5x6,holes=few", "expected a number or a range"),
        ("5by6", "is no sheet"),
    ],
)
def test_what_is_not_understood_is_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_family(text)
