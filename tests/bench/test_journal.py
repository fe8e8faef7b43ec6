"""The journal: nothing lost and nothing twice, wherever a run is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilesolve.bench.journal import beside, opened
from tilesolve.bench.puzzle import Puzzle
from tilesolve.bench.rating import Settings, rate
from tilesolve.bench.run import Outcome, bench
from tilesolve.errors import InputError

SHEETS = ["2x2", "2x3", "2x4", "3x4", "2x5", "1x6"]
PUZZLES = [Puzzle.of(name, {"sheet": name, "pieces": "dominoes*"}) for name in SHEETS]
SETTINGS = Settings(parameters={"games": 2})
RATED = [rate(puzzle, SETTINGS) for puzzle in PUZZLES]


def rows(path: Path) -> list[dict[str, object]]:
    """Rows without what depends on the clock."""
    read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [{name: value for name, value in row.items() if name != "seconds"} for row in read]


def test_a_torn_line_is_cut_off_wherever_it_is_torn(tmp_path: Path) -> None:
    whole = (RATED[0].line + "\n").encode()
    torn = (RATED[1].line + "\n").encode()
    for length in range(0, len(torn), 37):
        path = tmp_path / f"{length}.journal"
        path.write_bytes(whole + torn[:length])
        with opened(path) as journal:
            assert list(journal.places) == [RATED[0].key]
            assert len(journal.add(RATED[:3])) == 2
        read = path.read_text("utf-8").splitlines()
        assert read == [rated.line for rated in RATED[:3]]


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.journal"
    path.write_text("not a row\n")
    with pytest.raises(InputError, match="line 1: no row of results"), opened(path):
        pass


def test_two_runs_cannot_write_to_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "one.journal"
    with opened(path), pytest.raises(InputError, match="another run"), opened(path):
        pass


def test_the_same_sheet_is_rated_once_and_more_sheets_are_added(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    twice = [*PUZZLES[:2], Puzzle(name="again", text=PUZZLES[0].text)]
    assert bench(twice, out, SETTINGS) == Outcome(sheets=2, repeated=1, rated=2, failed=0)
    assert bench(PUZZLES, out, SETTINGS) == Outcome(sheets=6, repeated=0, rated=4, failed=0)
    assert [row["name"] for row in rows(out)] == SHEETS
    # Other options are another result.
    assert bench(PUZZLES[:1], out, Settings(seed=1)).rated == 1


def test_a_failed_sheet_is_a_row_and_can_be_had_again(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    odd = [
        Puzzle.of("no sheet", {"sheet": 5}),
        Puzzle("no file", "", "no such file"),
        Puzzle.of("no game", {"game": "chess"}),
        Puzzle.of("not offered", {"game": "null", "counters": 3, "moves": 0}),
        Puzzle.of("illegal", {"sheet": ["AA", ".."], "pieces": {"A": ["##", "##"]}}),
    ]
    outcome = bench([*odd, PUZZLES[0]], out, SETTINGS)
    assert (outcome.sheets, outcome.failed) == (6, 5)
    errors = [row.get("error") for row in rows(out)]
    assert errors[-1] is None
    assert all(errors[:5])
    assert "expected an object" in str(errors[0])
    assert bench([*odd, PUZZLES[0]], out, SETTINGS).rated == 0
    assert bench([*odd, PUZZLES[0]], out, SETTINGS, retry=True).rated == 5


KILLED = """
import sys
from pathlib import Path
from tilesolve.bench.run import bench
from tilesolve.bench.sheets import Source, puzzles
from tilesolve.bench.rating import Settings
sheets = list(puzzles([], ["random:4x5,holes=3..6,pieces=3,count=40,seed=2"], Source()))
bench(sheets, Path(sys.argv[1]), Settings(parameters={"games": 5}))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills a process outright")
def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    killed, straight = tmp_path / "killed.jsonl", tmp_path / "straight.jsonl"
    journal = beside(killed)
    for _ in range(3):
        before = len(journal.read_bytes().splitlines()) if journal.exists() else 0
        run = subprocess.Popen([sys.executable, "-c", KILLED, str(killed)])
        while run.poll() is None:
            lines = len(journal.read_bytes().splitlines()) if journal.exists() else 0
            if lines >= min(before + 5, 38):
                os.kill(run.pid, signal.SIGKILL)
            time.sleep(0.005)
        run.wait()
    for out in (killed, straight):
        subprocess.run([sys.executable, "-c", KILLED, str(out)], check=True)
    assert rows(killed) == rows(straight)
    keys = [json.loads(line)["key"] for line in journal.read_text("utf-8").splitlines()]
    assert len(keys) == len(set(keys)) == 40
