"""Compare tilesolve with exact cover packages: ``python -m benchmarks.covers.run``.

Every line of the table is one run: each program is started as a fresh process several times in
turn, and the median of its processor seconds is quoted, for the whole process and, as the
program reports it, for the first and the second solve inside it. Peers may live in an
environment of their own (``--peers PYTHON``), with miniexact, pyxcc, xcover, exact-cover,
dlx-cython and ortools installed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.covers.peers import PEERS
from benchmarks.covers.puzzles import INSTANCES, exact_cover, problems

HERE = Path(__file__).parent
TASKS = ("count", "list")
SKIPPED = {("list", name) for name in INSTANCES if "ominoes" in name and name != "6x8 dominoes"}
"""Nobody lists millions of solutions in the time there is."""

SLOW = ("exact-cover", "dlx-cython", "cpsat")
"""Peers that are many times slower than the others: they are asked one instance only."""


@dataclass(frozen=True)
class Run:
    """One process: processor seconds in all, and inside; `solutions` -1 when it was stopped."""

    solutions: int
    whole: float
    cold: float
    warm: float
    megabytes: float


def started(command: Sequence[str], limit: float, compiled: Path) -> Run:
    """Run a program to its end, or stop it after `limit` processor seconds.

    Bytecode is kept in `compiled`, as it is kept for installed packages.
    """

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))

    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(compiled)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=bounded,  # noqa: PLW1509  # limits must be set in the child itself
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    whole = usage.ru_utime + usage.ru_stime
    megabytes = usage.ru_maxrss / 1024
    if process.returncode != 0:
        return Run(-1, whole, whole, whole, megabytes)
    told = json.loads(output)
    if "raw" in told:  # the command itself
        return Run(int(told["raw"]), whole, told["seconds"], told["seconds"], megabytes)
    # The second solve is no part of a process that solves once.
    return Run(told["solutions"], whole - told["again"], told["cold"], told["warm"], megabytes)


def commands(
    task: str, name: str, peers_python: str, data: Path, chosen: Sequence[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the programs to compare, ours first."""
    yield "tilesolve library", [sys.executable, "-m", "benchmarks.covers.ours", task, name]
    sheets, pieces, _ = INSTANCES[name]
    if task == "count" and len(sheets) == 1:
        script = str(Path(sys.executable).with_name("tilesolve"))
        asked = [sheets[0], pieces] if pieces else [sheets[0], "--by", "month,day"]
        yield "tilesolve command", [script, "count", *asked, "--json"]
    for peer in chosen or [peer for peer in PEERS if name == "6x10" or peer not in SLOW]:
        yield peer, [peers_python, str(HERE / "peers.py"), peer, task, str(data)]


def measured(task: str, name: str, options: argparse.Namespace) -> Iterator[tuple[str, Run]]:
    """Run all programs in turn, several times, and yield each one's median run."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "instance.json"
        text = json.dumps([exact_cover(problem) for problem in problems(name)])
        data.write_text(text, encoding="utf-8")
        programs = list(commands(task, name, options.peers, data, options.only or ()))
        runs: dict[str, list[Run]] = {program: [] for program, _ in programs}
        compiled = Path(folder) / "compiled"
        # Compile the bytecode of ours first; the peers' packages were compiled on installation.
        started(programs[0][1], options.limit, compiled)
        for turn in range(options.times):
            for program, command in programs:
                # A program that was stopped once will be stopped again; slow ones run once.
                before = runs[program]
                if turn and (before[0].solutions < 0 or before[0].whole > options.limit / 4):
                    continue
                runs[program].append(started(command, options.limit, compiled))
    for program, several in runs.items():
        yield program, _median(several)


def _median(runs: Sequence[Run]) -> Run:
    return Run(
        solutions=runs[0].solutions,
        whole=statistics.median(run.whole for run in runs),
        cold=statistics.median(run.cold for run in runs),
        warm=statistics.median(run.warm for run in runs),
        megabytes=max(run.megabytes for run in runs),
    )


def table(options: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of the report."""
    yield "# Covers beside exact cover packages"
    yield ""
    yield (
        "Made by `python -m benchmarks.covers.run`. The peers get the placements ready made; "
        "tilesolve's time contains making them, the number up to symmetry, and the check of every "
        "listed solution by the rules. `366 dates` are asked one by one; `calendar year` is one "
        "puzzle for all of them, of which tilesolve also says how many solutions each date has. "
        "The packages many times slower than the others are asked 6x10 only."
    )
    yield ""
    yield (
        f"Python {platform.python_version()}, numpy {version('numpy')}, {os.cpu_count()} cores, "
        f"{platform.machine()}; processor seconds, median of {options.times} (slow ones once); "
        f"stopped after {options.limit} s. `whole` is the process, `cold` and `warm` its first "
        "and second solve. Ratios are against the tilesolve library in the same run: whole "
        "process, and warm."
    )
    for task in options.tasks:
        for name, (_, _, expected) in INSTANCES.items():
            if (task, name) in SKIPPED or (options.instances and name not in options.instances):
                continue
            yield ""
            yield f"### {task} {name} ({expected})"
            yield ""
            yield "| program | solutions | whole | cold | warm | MB | whole ratio | warm ratio |"
            yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
            ours: Run | None = None
            for program, run in measured(task, name, options):
                ours = ours or run
                yield _line(program, run, ours, expected)


def _line(program: str, run: Run, ours: Run, expected: int) -> str:
    if run.solutions < 0:
        ratio = f"> {run.whole / ours.whole:.0f}"
        memory = f"{run.megabytes:.0f}"
        return f"| {program} | stopped | > {run.whole:.1f} | | | {memory} | {ratio} | |"
    right = str(run.solutions) if run.solutions == expected else f"**{run.solutions} wrong**"
    return (
        f"| {program} | {right} | {run.whole:.3f} | {run.cold:.3f} | {run.warm:.3f} | "
        f"{run.megabytes:.0f} | {run.whole / ours.whole:.1f} | {run.warm / ours.warm:.1f} |"
    )


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--limit", type=int, default=120, metavar="SECONDS")
    parser.add_argument("--only", nargs="*", choices=list(PEERS))
    parser.add_argument("--instances", nargs="*", choices=list(INSTANCES))
    parser.add_argument("--tasks", nargs="*", choices=TASKS, default=list(TASKS))
    for line in table(parser.parse_args()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
