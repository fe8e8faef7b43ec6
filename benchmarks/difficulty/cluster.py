"""Ten thousand sheets on a cluster whose workers and driver are killed, against a plain loop.

``python benchmarks/difficulty/cluster.py [--count N]`` starts a Dask scheduler and two workers on
this machine, rates random sheets, kills a worker in the middle, lets another join, kills the
driver, goes on, and compares every row with those of a single process. Then it measures what a
sheet costs more on a local cluster of two workers than in a plain loop. It writes `cluster.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from distributed import get_task_stream

from tilesolve.bench.cluster import connected, rated_by
from tilesolve.bench.rating import Settings
from tilesolve.bench.sheets import Source, puzzles

FAMILY = "random:5x6,holes=4..10,pieces=3..5,count={count},seed=10"
GAMES = 5
QUIET = 0.95
"""Share of a core that the loop gets where others do not use the machine."""

HERE = Path(__file__).parent


def tilesolve(out: Path, count: int, *options: str) -> list[str]:
    return [
        *(sys.executable, "-c", "import tilesolve.cli as c; c.main()", "bench"),
        *("--sheets", FAMILY.format(count=count), "--out", str(out), "--quiet"),
        *("--set", f"games={GAMES}", *options),
    ]


def dask(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "dask", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )


def worker(address: str) -> subprocess.Popen[str]:
    """Start a worker without a nanny, which would bring it back when it is killed."""
    return dask("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")


@contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    file = folder / "scheduler.json"
    process = dask(
        *("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"),
        *("--scheduler-file", str(file)),
    )
    try:
        while not file.exists():
            time.sleep(0.1)
        yield json.loads(file.read_text("utf-8"))["address"]
    finally:
        process.kill()
        process.wait()


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def wait_for(journal: Path, rows: int, driver: subprocess.Popen[bytes]) -> None:
    while lines(journal) < rows and driver.poll() is None:
        time.sleep(0.05)


def killed_and_resumed(folder: Path, count: int) -> tuple[Path, list[str]]:
    """Rate on a cluster while a worker and the driver are killed; return the table and a log."""
    out = folder / "cluster.jsonl"
    journal = out.with_name(out.name + ".journal")
    log = []

    def note(text: str) -> None:
        log.append(f"{lines(journal)} rows: {text}")
        print(log[-1], flush=True)

    with scheduler(folder) as address:
        workers = [worker(address), worker(address)]
        run = tilesolve(out, count, "--scheduler", address)
        driver = subprocess.Popen(run)
        wait_for(journal, count * 3 // 10, driver)
        workers[0].send_signal(signal.SIGKILL)
        note("a worker is killed")
        wait_for(journal, count * 4 // 10, driver)
        workers.append(worker(address))
        note("another worker joins")
        wait_for(journal, count * 6 // 10, driver)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        note("the driver is killed")
        subprocess.run(run, check=True)
        note("the driver went on to the end")
        for each in workers:
            each.kill()
            each.wait()
    return out, log


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table, without the time that each took."""
    read = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in read:
        del row["seconds"]
    return read


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and of the processors, of all processes of a command together."""

    clock: float
    processors: float

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.clock - other.clock, self.processors - other.processors)


def timed(command: Sequence[str]) -> Cost:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, check=True)
    clock = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processors = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(clock, processors)


@dataclass(frozen=True)
class Round:
    """What many sheets cost more than few, in a loop and with two workers; and few of them."""

    loop: Cost
    two: Cost
    few_loop: Cost
    few_two: Cost


def round_of(folder: Path, few: int, many: int) -> Round:
    """Rate few and many sheets in both ways, one right after the other."""
    costs = {}
    for size in (few, many):
        for workers in (1, 2):
            out = folder / f"{size}-{workers}.jsonl"
            costs[size, workers] = timed(tilesolve(out, size, "--workers", str(workers)))
            out.with_name(out.name + ".journal").unlink()
    loop, two = (costs[many, workers] - costs[few, workers] for workers in (1, 2))
    return Round(loop, two, costs[few, 1], costs[few, 2])


def waiting(count: int) -> float:
    """Return the seconds in which the two workers had no sheet at work, for each sheet together.

    From the start of the first batch to the end of the last one, as Dask writes them down.
    """
    sheets = list(puzzles([], [FAMILY.format(count=count)], Source()))
    settings = Settings(parameters={"games": GAMES})
    with connected(None, 2) as client, get_task_stream(client=client) as stream:
        rated = sum(len(batch) for batch in rated_by(client, sheets, settings))
    assert rated == count
    spans = [
        (span["start"], span["stop"])
        for task in stream.data
        for span in task["startstops"]
        if span["action"] == "compute"
    ]
    whole = max(stop for _, stop in spans) - min(start for start, _ in spans)
    waited: float = 2 * whole - sum(stop - start for start, stop in spans)
    return waited / count


def overhead(rounds: Sequence[Round], sheets: int, waited: float) -> list[str]:
    """Return the table of what a sheet costs more: medians over rounds."""
    per = 1000 / sheets

    def middle(value: Callable[[Round], float]) -> float:
        return median(value(each) for each in rounds)

    def more(value: Callable[[Round], float]) -> str:
        found = sorted(value(each) * per for each in rounds)
        return f"**{median(found):.2f} ms** ({found[0]:.2f} to {found[-1]:.2f})"

    work = more(lambda each: each.two.processors - each.loop.processors)
    start = middle(lambda each: each.few_two.processors - each.few_loop.processors)
    got = middle(lambda each: each.loop.processors / each.loop.clock)
    clock = more(lambda each: 2 * each.two.clock - each.loop.clock)
    if got < QUIET:
        clock = f"not told: the loop got {got:.0%} of a core, others the rest"
    return [
        "| | plain loop | two workers | more for each sheet |",
        "| --- | --- | --- | --- |",
        f"| processor seconds | {middle(lambda each: each.loop.processors):.1f} | "
        f"{middle(lambda each: each.two.processors):.1f} | {work} |",
        f"| seconds a worker waits | 0 | {waited * sheets:.1f} | **{1000 * waited:.2f} ms** |",
        f"| seconds on the clock | {middle(lambda each: each.loop.clock):.1f} | "
        f"2 × {middle(lambda each: each.two.clock):.1f} | {clock} |",
        "",
        f"The plain loop is `--workers 1`, the cluster `--workers 2`, for the same {sheets:,} "
        f"sheets; {len(rounds)} rounds of both in turn, medians (least to most).",
        "",
        "- *Processor seconds* are those of all processes: of the loop's one; of driver, scheduler "
        "and two workers. More for each sheet: (cluster - loop) / sheets.",
        "- *A worker waits* when it has no batch at work between the first batch and the end of "
        "the last one: while batches travel, and when the other worker is the last to end. Both "
        "workers' waiting together, for each sheet.",
        "- *On the clock* two workers should need half of the loop's time. More for each sheet: "
        "(2 × cluster - loop) / sheets. On a machine that does nothing else it is the sum of the "
        "other two; where others use it, it tells of them.",
        "- Processor seconds and clock are those of a long run less those of a short one, so that "
        f"starting is left out. To start and to end a cluster takes {start:.1f} processor seconds, "
        "once.",
    ]


def report(count: int, log: Sequence[str], checks: Sequence[str], figures: Sequence[str]) -> str:
    busy = f"load of the machine when this was written: {os.getloadavg()[0]:.1f}"
    parts = [
        f"# {count:,} sheets on a cluster that loses workers and driver",
        f"`{FAMILY.format(count=count)}`, {GAMES} games of each player, Python "
        f"{platform.python_version()}, {os.cpu_count()} cores ({busy}). Made by "
        "`python benchmarks/difficulty/cluster.py`.",
        "## What was done to it",
        "\n".join(f"- {entry}" for entry in log),
        "## What came out",
        "\n".join(f"- {entry}" for entry in checks),
        "## What a sheet costs more with two workers than in a plain loop",
        "\n".join(figures),
    ]
    return "\n\n".join(parts) + "\n"


def compared(out: Path, straight: Path, count: int) -> list[str]:
    journal = out.with_name(out.name + ".journal").read_text("utf-8").splitlines()
    keys = [json.loads(line)["key"] for line in journal]
    table, single = rows(out), rows(straight)
    assert len(table) == len(set(keys)) == len(keys) == count
    assert table == single
    failed = sum("error" in row for row in table)
    return [
        f"{len(table):,} results, {len(keys) - len(set(keys))} of them twice, {failed} failed",
        "every row equal to that of a single process, but for the seconds it took",
    ]


def main() -> None:
    """Run it all and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--timed", type=int, default=1_000, help="sheets of the timed runs")
    parser.add_argument("--rounds", type=int, default=5, help="timed runs of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        out, log = killed_and_resumed(folder, options.count)
        straight = folder / "straight.jsonl"
        loop = timed(tilesolve(straight, options.count, "--workers", "1"))
        checks = compared(out, straight, options.count)
        checks.append(
            f"the single process took {loop.processors:.0f} processor seconds, "
            f"{1000 * loop.processors / options.count:.1f} ms a sheet"
        )
        few = max(8, options.timed // 20)
        timings = [round_of(folder, few, options.timed) for _ in range(options.rounds)]
        figures = overhead(timings, options.timed - few, waiting(options.timed))
    (HERE / "cluster.md").write_text(report(options.count, log, checks, figures), "utf-8")


if __name__ == "__main__":
    main()
