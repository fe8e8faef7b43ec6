"""The command line as people use it: exit codes, messages, pictures, interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments: str, text: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from tilesolve.cli import main; main()", *arguments],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "code", "first"),
    [
        (["fit", "6x10", "pentominoes", "--cover"], 0, "yes"),
        (["fit", "4x5", "tetrominoes", "--cover"], 1, "no (colouring)"),
        (["fit", "6x10", "pentominoes", "--cover", "--work", "2"], 3, "unknown"),
        (["fit", "6x10", "pentominoes", "--each"], 0, "yes: every piece has a placement"),
        (["check", "6x10", "pentominoes"], 0, "legal, not complete"),
        (["check", '["FF"]', "F"], 1, "illegal, 1 rule is broken:"),
        (["fit", '["FF"]', "F"], 1, "the position breaks the rules:"),
        (["--version"], 0, "tilesolve "),
        (["games"], 0, ""),
        (["fit", '{"game": "null", "counters": 3}'], 0, "yes"),
        (["best", '{"game": "null", "counters": 3}'], 0, "best moves: 2, proven"),
    ],
)
def test_exit_codes(arguments: list[str], code: int, first: str) -> None:
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith(first)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "nothing.json", "F"], "nothing.json: cannot be read: no such file"),
        (["fit", "1000x1000", "F"], "1000000 cells are more than the limit of 40000"),
        (["fit", "6x10", "pentominos5"], "PIECES: 'pentominos5' is neither a piece nor a set"),
        (["fit", "6x10", "F", "--colour", "3"], "--colour: 'colour' is no setting of fit here"),
        (["fit", "6x10", "F", "--engine", "magic"], "--engine: expected one of 'auto'"),
        (["fit", '{"game": "chess"}'], "$.game: there is no game 'chess'"),
        (["fit", '{"rows": [".x"]}', "F"], "$.rows[0]: unknown character 'x' in column 1"),
        (["fit", "-", "-"], "only one of SHEET and PIECES can be '-'"),
        (["count", '{"game": "null", "counters": 3}'], "null does not offer 'count'"),
        (["new", "chess"], "there is no game 'chess'"),
        (["schema", "nothing"], "there is no schema 'nothing'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments: list[str], words: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", [["fit"], ["nonsense"], ["fit", "6x10", "F", "--time", "x"]])
def test_bad_usage(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_files_stdin_and_text_sheets(tmp_path: Path) -> None:
    (tmp_path / "sheet.txt").write_bytes(b"\xef\xbb\xbf; my sheet\r\n....\r\n....\r\n")
    (tmp_path / "pieces.json").write_text('[["##"], ["###"], ["###"]]')
    sheet, pieces = str(tmp_path / "sheet.txt"), str(tmp_path / "pieces.json")
    done = run("fit", sheet, pieces, "--cover", "--json")
    assert json.loads(done.stdout)["answer"] == "yes"
    assert "B and C are the same piece" in done.stderr
    assert run("fit", sheet, pieces, "--quiet").stderr == ""
    from_stdin = run("fit", "-", pieces, "--json", text="....\n....\n")
    assert json.loads(from_stdin.stdout)["read"]["cells"] == 8
    (tmp_path / "tabs.txt").write_text("..\n.\t.\n")
    tabs = run("fit", str(tmp_path / "tabs.txt"), pieces)
    assert (tabs.returncode, "tabs.txt: line 2: a tab" in tabs.stderr) == (2, True)


def test_a_mistake_in_a_text_sheet_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("; mine\n...\n; more\n.q.\n")
    done = run("fit", str(tmp_path / "q.txt"), "I2")
    assert done.returncode == 2
    assert "q.txt: line 4: unknown character 'q' in column 1" in done.stderr


def test_one_file_for_both(tmp_path: Path) -> None:
    whole = {"game": "polyform", "sheet": "4x5", "pieces": "tetrominoes", "goal": "cover"}
    path = tmp_path / "puzzle.json"
    path.write_text(json.dumps(whole))
    assert run("fit", str(path)).returncode == 1
    assert "stand in puzzle.json already" in run("fit", str(path), "F").stderr


def test_json_is_the_wire_result_and_validates() -> None:
    from jsonschema import Draft202012Validator

    from tilesolve.schemas import schemas

    found = schemas()
    cases: list[tuple[str, list[str]]] = [
        ("fit-result", ["fit", "6x10", "pentominoes", "--cover"]),
        ("fit-result", ["fit", "4x5", "tetrominoes", "--cover"]),
        ("fit-result", ["fit", "6x10", "pentominoes", "--each"]),
        ("fit-result", ["fit", '["FF"]', "F"]),
        ("check-result", ["check", '["FF"]', "F"]),
        ("best-result", ["best", '{"game": "null", "counters": 3}']),
        ("hint-result", ["hint", '{"game": "null", "counters": 3}']),
    ]
    for name, arguments in cases:
        answer = json.loads(run(*arguments, "--json").stdout)
        Draft202012Validator(found[name]).validate(answer)


def test_check_a_move(tmp_path: Path) -> None:
    state = '{"game": "null", "counters": 1}'
    assert run("check", state, "--move", '{"take": 1}').returncode == 0
    (tmp_path / "move.json").write_text('{"take": 2}')
    done = run("check", state, "--move", str(tmp_path / "move.json"), "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["violations"][0]["code"] == "too-many"


def test_show_and_svg(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    done = run("show", '["AA.", "..#"]', '{"A": ["##"]}', "--ascii", "--svg", str(picture))
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert picture.read_text(encoding="utf-8").startswith("<")
    nowhere = run("show", "2x2", "--svg", str(tmp_path / "no" / "such.svg"))
    assert nowhere.returncode == 2
    assert "cannot be written" in nowhere.stderr


def test_a_windows_console_gets_ascii() -> None:
    done = run("show", "2x2", PYTHONIOENCODING="cp437")
    assert done.returncode == 0
    latin = subprocess.run(
        [sys.executable, "-c", "from tilesolve.cli import main; main()", "show", "2x2"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        check=False,
    )
    assert latin.returncode == 0
    assert latin.stdout.decode("ascii")


def test_new_writes_a_pair_that_works_and_never_overwrites(tmp_path: Path) -> None:
    assert run("new", "polyform", "--out", str(tmp_path)).returncode == 0
    sheet, pieces = tmp_path / "sheet.json", tmp_path / "pieces.json"
    assert "comment" in json.loads(sheet.read_text())
    assert run("fit", str(sheet), str(pieces)).returncode == 0
    again = run("new", "polyform", "--out", str(tmp_path))
    assert again.returncode == 2
    assert "is there already" in again.stderr


def test_forms_of_named_sets() -> None:
    found = {
        forms: json.loads(
            run("fit", "9x9", "tetrominoes", "--each", "--json", "--forms", forms).stdout
        )
        for forms in ("free", "one-sided", "fixed")
    }
    assert [len(found[forms]["pieces"]) for forms in ("free", "one-sided", "fixed")] == [5, 7, 19]


HARD = ["fit", "12x25", "pentominoes,hexominoes*1,I1*30", "--cover", "--engine", "cpsat"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for child processes")
def test_interruption_answers_with_what_is_known() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "from tilesolve.cli import main; main()", *HARD],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    line = process.stderr.readline()  # the first line of progress, after a second
    assert "Ctrl-C" in line
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (0, 3), err
    assert "Traceback" not in err
    if process.returncode == 3:
        assert out.startswith("unknown: it was interrupted")


LIGHT: list[Any] = [
    ["--help"],
    ["show", "6x10", "pentominoes"],
    ["check", "6x10", "pentominoes"],
    ["fit", "9x9", "I5*17"],
    ["fit", "9x9", "hexominoes"],
]


@pytest.mark.parametrize("arguments", LIGHT)
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import sys, atexit\n"
        "heavy = {'ortools', 'numba', 'networkx', 'numpy', 'pandas', 'scipy', 'fastapi'}\n"
        "atexit.register(lambda: print('HEAVY', sorted(heavy & sys.modules.keys())))\n"
        "from tilesolve.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.strip().endswith("HEAVY []")


def test_marginals_are_said_in_words() -> None:
    done = run("count", '["...", "#.."]', "I3,I2", "--marginals")
    assert done.returncode == 0
    assert "  I3 on [[0, 0], [0, 1], [0, 2]]: in all" in done.stdout
    assert "4 placements occur in no solution; --json lists them" in done.stdout
    assert "2 placements occur in all; --json lists them" in done.stdout
    assert "5 cells are covered by the same piece in all; --json lists them" in done.stdout


def test_why_there_is_no_solution_is_a_sentence() -> None:
    done = run("solve", "3x3", "dominoes")
    assert done.returncode == 1
    assert "\n  all pieces together have 2 cells, 9 cells are to be covered\n" in done.stdout


def test_convert(tmp_path: Path) -> None:
    deal = (
        '{"game":"lets-klack","cards":[[1,2],[3],[4,5]],"blocks":{"3":[0,-1]},"covered":[1,2,4,5]}'
    )
    assert "<graphml" in run("convert", deal, "--to", "graphml").stdout
    written = run("convert", "2x2", "I2*2", "--to", "json")
    assert json.loads(written.stdout)["pieces"][0]["count"] == 2
    assert run("convert", "2x2", "--to", "svg", "--out", str(tmp_path / "a.svg")).returncode == 0
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
    wrong = run("convert", "2x2", "--to", "gif")
    assert (wrong.returncode, "it has: json, text, svg" in wrong.stderr) == (2, True)
    fresh = run("new", "lets-klack").stdout
    large = run("convert", "-", "--to", "graphml", text=fresh)
    assert (large.returncode, "too large" in large.stderr) == (2, True)
    late = run("convert", "-", "--to", "graphml", "--time", "0", text=fresh)
    assert (late.returncode, late.stdout, "not written" in late.stderr) == (3, "", True)


def test_a_no_is_written_down_and_verified(tmp_path: Path) -> None:
    proof = tmp_path / "no.json"
    question = ["5x6", "F,I,L,N,T,X"]
    assert run("fit", *question, "--cover", "--proof", str(proof)).returncode == 1
    assert run("verify", *question, str(proof)).stdout.startswith("accepted: all 41 nodes")
    assert run("verify", "5x6", "F,I,L,N,T,Y", str(proof)).returncode == 1
    proof.write_text('{"certificate": 9}')
    assert run("verify", *question, str(proof)).returncode == 2


def test_explain_names_conflict_and_ways_out() -> None:
    done = run("explain", '["..#...", "..#..."]', "O4,I4,I2", "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 1
    assert answer["conflict"] == {
        "pieces": ["I4"],
        "cells": [],
        "minimal": True,
        "message": "the I4 cannot be placed",
    }
    assert answer["ways_out"][0]["change"] == "leave out one I4"
    assert {placed["piece"] for placed in answer["ways_out"][0]["witness"]} == {"O4", "I2"}
