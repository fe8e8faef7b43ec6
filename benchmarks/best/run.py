"""How long `best` takes, beside CP-SAT asked alone through the same encodings.

    python benchmarks/best/run.py               # everything, about five minutes of one core
    python benchmarks/best/run.py --limit 10    # seconds granted to each question

Writes ``results.md`` beside this file. Sheets are frozen by their seeds. Seconds are processor
seconds of one worker in a warm process, the median of three runs; both columns come from the same
run, so that their ratio means something on a busy machine too.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from tilesolve.answers import Best
from tilesolve.budget import Budget
from tilesolve.wire import Node
from tilesolve_models.polyform import rules
from tilesolve_models.polyform.scoring import best

TARGET = Path(__file__).with_name("results.md")
RUNS = 3
SIX = ["F", "I", "L", "N", "P", "T"]
OTHER_SIX = ["U", "V", "W", "X", "Y", "Z"]


def varied(height: int, width: int, seed: int, **sheet_rules: Any) -> dict[str, Any]:
    """Return an open sheet whose cells have penalties of 1 to 5."""
    chance = random.Random(seed)
    legend = {
        letter: {"kind": "plain", "penalty": penalty}
        for penalty, letter in enumerate("abcde", start=1)
    }
    rows = ["".join(chance.choice("abcde") for _ in range(width)) for _ in range(height)]
    return {"rows": rows, "legend": legend, "rules": sheet_rules}


QUESTIONS: dict[str, tuple[Any, Any]] = {
    "6x10, twelve pentominoes": ("6x10", "pentominoes"),
    "9x9, twelve pentominoes, 21 cells stay open": ("9x9", "pentominoes"),
    "8x8 without its corners, dominoes": ("8x8-corners", "dominoes*30"),
    "8x8, six pentominoes, penalties 1 to 5": (varied(8, 8, 1), SIX),
    "8x8, the other six, penalties 1 to 5": (varied(8, 8, 2), OTHER_SIX),
    "10x10, six pentominoes, penalties 1 to 5": (varied(10, 10, 3), SIX),
    "8x8, six pentominoes, all must touch": (varied(8, 8, 4, touch=True), SIX),
    "6x8, six pentominoes, 1 a region": (varied(6, 8, 5, region_penalty=1), SIX),
    "6x7, six pentominoes, connected, 2 a region": (
        varied(6, 7, 6, connected=True, region_penalty=2),
        SIX,
    ),
    "60x60, twelve pentominoes": ("60x60", "pentominoes"),
    "150x150, thirty-five hexominoes": ("150x150", "hexominoes"),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=float, default=20, help="wall-clock seconds a question")
    asked = parser.parse_args()
    TARGET.write_text("\n".join(table(asked.limit)) + "\n", encoding="utf-8")


def table(limit: float) -> Iterator[str]:
    yield "# The best score: times"
    yield ""
    yield (
        f"tilesolve {version('tilesolve')}, Python {platform.python_version()}, ortools "
        f"{version('ortools')}, {os.cpu_count()} cores ({platform.machine()}), one worker, warm "
        f"process, at most {limit:g} s a question. Processor seconds, medians of {RUNS} runs; load "
        f"average {os.getloadavg()[0]:.1f}. Made anew by `python benchmarks/best/run.py`."
    )
    yield ""
    yield "| question | tilesolve | bound by | seconds | CP-SAT alone | seconds |"
    yield "| --- | --- | --- | --- | --- | --- |"
    timed("6x10", "pentominoes", "cpsat", limit)  # imports
    for title, (sheet, pieces) in QUESTIONS.items():
        ours, seconds = timed(sheet, pieces, "auto", limit)
        theirs, their_seconds = timed(sheet, pieces, "cpsat", limit)
        yield (
            f"| {title} | {told(ours)} | {ours.details.get('bound_by', '')} | {seconds:.2f} "
            f"| {told(theirs)} | {their_seconds:.2f} |"
        )


def told(answer: Best) -> str:
    if answer.score == answer.bound:
        return f"{answer.score}"
    return f"{'–' if answer.score is None else answer.score}, bound {answer.bound}"


def timed(
    sheet: Any, pieces: Any, engine: Literal["auto", "cpsat"], limit: float
) -> tuple[Best, float]:
    """Return the last answer and the median of the processor seconds."""
    spent = []
    for _ in range(RUNS):
        state = rules.load(Node({"sheet": sheet, "pieces": pieces}))
        begun = time.process_time()
        answer = best(state, budget=Budget(seconds=limit), engine=engine)
        spent.append(time.process_time() - begun)
        if answer.seconds > limit / 2:
            break
    return answer, statistics.median(spent)


if __name__ == "__main__":
    main()
