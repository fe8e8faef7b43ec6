"""The commands: bench, bench report, generate."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tilesolve.bench.random_sheets import read_family
from tilesolve.bench.run import News
from tilesolve.bench.table import read
from tilesolve.cli import main
from tilesolve.cli.benching import _Lines
from tilesolve.generate import Grades, generated
from tilesolve.library import check, load, solve

FEW = ["--workers", "1", "--set", "games=2"]


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    code = ended.value.code
    assert isinstance(code, int)
    return code


def test_bench_writes_a_table_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, page = tmp_path / "table.csv", tmp_path / "page.html"
    sheets = ["2x3", "3x4", "2x5", "4x4"]
    assert run("bench", *sheets, "--pieces", "dominoes*", "--out", str(out), *FEW) == 0
    assert "4 sheets, 4 rated now" in capsys.readouterr().err
    assert [row["solutions"] for row in read(out)] == [3, 11, 8, 36]
    assert run("bench", "report", str(out), "--out", str(page)) == 0
    told = capsys.readouterr().out
    assert told.startswith("rank correlation with the grade (Spearman):")
    assert "solutions" in told
    assert page.read_text("utf-8").startswith("<!doctype html>")


def test_grades_follow_the_weights_given(tmp_path: Path) -> None:
    out = tmp_path / "table.jsonl"
    weights = '{"technique": 0, "unforced": 0, "effort": 0, "choice": 0}'
    command = ["bench", "2x3", "--pieces", "dominoes*", "--out", str(out), "--weights", weights]
    assert run(*command, *FEW) == 0
    row = read(out)[0]
    assert row["grade"] == round(1 + 9 * row["parts.rarity"], 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bench", "2x2"], "--out"),
        (["bench", "2x2", "--out", "x.xml"], "must end in"),
        (["bench", "--out", "x.csv"], "no sheets to rate"),
        (["bench", "*.none", "--out", "x.csv"], "no file is called like"),
        (["bench", "--sheets", "moon", "--out", "x.csv"], "no family"),
        (["bench", "report", "none.csv"], "none.csv"),
        (["generate", "5x6,cells=3", "F"], "'cells' is no setting"),
        (["generate", "5x6", "F", "--grade", "0..3"], "they go from 1 to 10"),
        (["generate", "5x6", "Q9"], "Q9"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told
    assert len(told.strip().splitlines()) == 1


def test_one_failed_sheet_is_a_row_and_all_failed_is_exit_1(tmp_path: Path) -> None:
    out = tmp_path / "table.csv"
    assert run("bench", "2x2", "no.json", "--pieces", "I2*", "--out", str(out), *FEW) == 0
    assert "no such file" in read(out)[1]["error"]
    other = tmp_path / "failed.csv"
    assert run("bench", "no.json", "--out", str(other), *FEW) == 1


def test_generated_sheets_are_what_they_are_said_to_be(tmp_path: Path) -> None:
    wanted = ["4x5,pieces=3,holes=4..10", "tetrominoes", "--unique", "--count", "2"]
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        assert run("generate", *wanted, "--grade", "1..6", "--quiet", "--out", str(folder)) == 0
    names = sorted(path.name for path in folders[0].iterdir())
    assert len(names) == 8
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    puzzles = [name for name in names if name.count(".") == 1]
    for name in puzzles:
        puzzle = folders[0] / name
        assert len(list(solve(puzzle))) == 2  # one solution and the end
        proof = str(puzzle.with_suffix(".proof.json"))
        assert run("verify", str(puzzle), proof, "--quiet") == 0
        verdict = check(puzzle.with_suffix(".solution.json"))
        assert (verdict.legal, verdict.complete) == (True, True)
        rated = json.loads(puzzle.with_suffix(".difficulty.json").read_text("utf-8"))
        assert 1 <= rated["grade"] <= 6
        assert rated["measures"]["solutions"] == 1


def test_what_is_not_found_is_exit_3(capsys: pytest.CaptureFixture[str]) -> None:
    # A domino in a frame of two cells has grade 1 something, whatever one wishes.
    assert run("generate", "1x2", "I2", "--grade", "9..10", "--tries", "2") == 3
    assert "found 0 of 1" in capsys.readouterr().err


def test_printed_lines_are_sheets_for_bench(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("generate", "4x4,pieces=2..3", "tetrominoes", "--count", "2", "--quiet") == 0
    lines = capsys.readouterr().out
    file = tmp_path / "made.jsonl"
    file.write_text(lines)
    out = tmp_path / "table.jsonl"
    assert run("bench", str(file), "--out", str(out), *FEW) == 0
    made = [json.loads(line) for line in lines.splitlines()]
    assert [row["name"] for row in read(out)] == [each["name"] for each in made]


def test_grades_are_within_range_and_solutions_legal() -> None:
    family, _ = read_family("4x5,pieces=3", "tetrominoes,trominoes")
    grades = Grades(2.0, 5.0)
    for _, made in zip(range(3), generated(family, grades=grades), strict=False):
        assert made.difficulty.grade in grades
        assert made.proof is None
        question = load(made.solution)
        assert question.game.check(question.state).complete


@pytest.fixture
def page(tmp_path: Path) -> Path:
    out, page = tmp_path / "table.jsonl", tmp_path / "page.html"
    family = "random:4x5,holes=3..6,pieces=3,count=110,seed=2"
    assert run("bench", "--sheets", family, "--out", str(out), "--quiet", *FEW) == 0
    assert run("bench", "report", str(out), "--out", str(page), "--quiet") == 0
    return page


def chromium() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


def grades_of(shown: Any) -> list[float]:
    cells = shown.locator("#rows tbody tr td:nth-child(2)").all_inner_texts()
    return [float(cell) for cell in cells]


@pytest.mark.skipif(chromium() is None, reason="needs a browser")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_page_sorts_filters_and_plots(page: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            shown: Any = browser.new_page()
            faults: list[str] = []
            shown.on("pageerror", lambda error: faults.append(str(error)))
            shown.goto(page.as_uri())
            shown.wait_for_selector("#rows tbody tr")
            assert shown.inner_text("#where") == "1–100 of 110"
            grades = grades_of(shown)
            assert grades == sorted(grades, reverse=True)
            shown.click("#on")
            assert shown.inner_text("#where") == "101–110 of 110"
            shown.click("#rows thead th:nth-child(2) button")
            grades = grades_of(shown)
            assert grades == sorted(grades)
            shown.fill("#filter", "/109")
            assert shown.locator("#rows tbody tr").count() == 1
            assert shown.locator("#plots svg").count() > 10
            assert shown.locator("figure img").count() == 12
            assert not faults
        finally:
            browser.close()


def test_the_time_left_goes_by_the_speed_since_the_first_result(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = _Lines()
    start = lines.said

    def hear(second: float, done: int) -> None:
        lines.clock = lambda: start + second
        lines.told(News(done=done, total=100, before=10, failed=0))

    hear(0, 10)
    hear(30, 20)  # a cluster took half a minute to start: that tells nothing of the speed
    hear(45, 50)
    assert capsys.readouterr().err.splitlines() == [
        "tilesolve: 20 of 100 sheets",
        "tilesolve: 50 of 100 sheets, 0:00:25 left",
    ]
