"""Tables: the three formats hold the same rows, and read them back."""

import csv
import json
from pathlib import Path

import pytest

from tilesolve.bench import table
from tilesolve.bench.ranks import correlations, measures_of
from tilesolve.bench.report import page
from tilesolve.errors import InputError

ROWS = [
    {
        "key": "a",
        "name": 'first </script> “ü”, "quoted"',
        "grade": 3.0,
        "measures": {
            "cells": 4,
            "solutions": 7,
            "exact": True,
            "players": {"random": {"rate": 0.5, "interval": [0.1, 0.9]}},
            "distribution": {"3": 1},
        },
        "puzzle": {"sheet": "2x2", "pieces": "I2*"},
        "seconds": 0.1,
    },
    {"key": "b", "name": "second\nline", "error": "broken", "puzzle": [5], "seconds": 0.2},
    {
        "key": "c",
        "name": "third",
        "grade": 4.5,
        "measures": {"cells": 6, "solutions": str(2**70), "exact": False, "share": 1},
        "puzzle": "2x3",
        "seconds": 1,
    },
]


@pytest.mark.parametrize("suffix", table.FORMATS)
def test_rows_come_back_from_every_format(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows{suffix}"
    table.write(path, lambda: ROWS)
    read = table.read(path)
    flat = [table.flat(row) for row in ROWS]
    assert [row["name"] for row in read] == [row["name"] for row in flat]
    assert [row.get("grade") for row in read] == [3.0, None, 4.5]
    assert [row.get("cells") for row in read] == [4, None, 6]
    assert [row.get("exact") for row in read] == [True, None, False]
    assert str(read[2]["solutions"]) == str(2**70)
    assert read[0]["players.random.interval.low"] == 0.1
    assert json.loads(read[0]["distribution"]) == {"3": 1}
    assert json.loads(read[0]["puzzle"]) == {"sheet": "2x2", "pieces": "I2*"}
    assert [row.get("error") for row in read] == [None, "broken", None]


def test_columns_stand_in_a_fixed_order(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    table.write(path, lambda: ROWS)
    with path.open(encoding="utf-8", newline="") as file:
        head = next(csv.reader(file))
    assert head[:3] == ["name", "grade", "error"]
    assert head[-3:] == ["seconds", "puzzle", "key"]


def test_a_table_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    table.write(path, lambda: ROWS[:1])
    before = path.read_bytes()

    def broken() -> list[object]:
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError):
        table.write(path, broken)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows.csv"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.txt", "a"),
        ("x.csv", "a,b\n1,2\n"),
        ("x.jsonl", "{\n"),
        ("x.parquet", "PAR"),
        ("no.csv", None),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, text: str | None) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError):
        table.read(path)
    if name == "x.txt":
        with pytest.raises(InputError, match="must end in"):
            table.format_of(path)


def test_rank_correlations_are_spearmans() -> None:
    # Spearman's own worked example has rho = -29/165 (ranks of IQ and hours, n = 10).
    iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
    hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]
    rows = [{"name": "x", "iq": i, "hours": h} for i, h in zip(iq, hours, strict=True)]
    assert measures_of(rows) == ("iq", "hours")
    assert correlations(rows, ("iq", "hours")) == {("iq", "hours"): round(-29 / 165, 3)}


def test_a_page_of_rows_without_puzzles_says_that_nothing_can_be_drawn() -> None:
    assert page([{"name": "a", "grade": 1.5}], title="bare").count("nothing to draw") == 2


def test_the_page_holds_every_row_and_nothing_that_ends_its_script() -> None:
    text = page([table.flat(row) for row in ROWS], title="<b>mine</b>")
    assert "<b>mine</b>" not in text
    start = text.index('id="data">') + len('id="data">')
    data = json.loads(text[start : text.index("</script>", start)])
    name = data["columns"].index("name")
    assert [row[name] for row in data["rows"]] == [row["name"] for row in ROWS]
    assert text.count("<figure>") == 4  # two rated sheets, among the hardest and the easiest
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text
