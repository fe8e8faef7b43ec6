"""Time tilesolve beside an explicit networkx graph and beside solver packages from PyPI.

    python compare.py [--peers PYTHON] > results.md

PYTHON is an interpreter that has the peers installed (README.md says which). Every figure comes
from a process of its own, one after the other; all takes some ten minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

LARGEST = "rush-hour-541934"
"""The most positions; two moves away from its goal, so a graph of all would be no comparison."""

ASKED = [
    ("klotski", "moves"),
    ("klotski", "lines"),
    ("klotski", "steps"),
    ("dads-puzzler", "moves"),
    ("dads-puzzler", "lines"),
    ("dads-puzzler", "steps"),
    ("century", "moves"),
    ("super-century", "moves"),
    ("rush-hour-60", "moves"),
    ("rush-hour-60", "lines"),
    ("rush-hour-60", "steps"),
    ("rush-hour-51", "moves"),
    ("rush-hour-51", "lines"),
    ("rush-hour-51", "steps"),
    (LARGEST, "moves"),
    ("eight-puzzle", "moves"),
]

BY_RULES = [(name, "moves") for name in ("klotski", "dads-puzzler", "rush-hour-60", "rush-hour-51")]
"""What is also compared with a graph built from the game's own rules, which takes its time."""

PEERS = {
    "klotski": "py-klotski",
    "century": "py-klotski",
    "super-century": "py-klotski",
    "rush-hour-51": "unblockme",
    LARGEST: "unblockme",
    "eight-puzzle": "slidingpuzzle",
}


def measured(python: str, solver: str, name: str, metric: str) -> dict[str, Any]:
    """Return seconds, peak memory and answer, or what went wrong."""
    found: dict[str, Any] = {}
    for what in ("time", "memory"):
        command = [python, str(HERE / "one.py"), solver, name, metric, what]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        except subprocess.TimeoutExpired:
            return {"failed": "more than 900 s"}
        if done.returncode:
            return {"failed": done.stderr.strip().split("\n")[-1][:60]}
        found |= json.loads(done.stdout.strip().split("\n")[-1])
    return found


def row(name: str, metric: str, solver: str, found: dict[str, Any], ours: dict[str, Any]) -> str:
    """Return a line of the table; ratios are against tilesolve."""
    if "failed" in found:
        return f"| {name} | {metric} | {solver} | {found['failed']} | | | | |"
    slower, larger = found["seconds"] / ours["seconds"], found["peak"] / ours["peak"]
    return (
        f"| {name} | {metric} | {solver} | {found['answer']} | {found['seconds']:.4f} "
        f"| {slower:.1f} | {found['peak'] / 2**20:.2f} | {larger:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers")
    asked = parser.parse_args()
    print("# Sliding blocks: last figures\n")
    versions = [f"{name} {metadata.version(name)}" for name in ("numpy", "networkx")]
    print(f"Python {platform.python_version()}, {', '.join(versions)}, {os.cpu_count()} cores.\n")
    print("| puzzle | metric | solver | answer | CPU seconds | × | MiB | × |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, metric in ASKED:
        ours = measured(sys.executable, "tilesolve", name, metric)
        print(row(name, metric, "tilesolve", ours, ours), flush=True)
        graphs = (("networkx", "networkx"), ("networkx-text", "networkx, tuned"))
        for solver, named in () if name == LARGEST else graphs:
            explicit = measured(sys.executable, solver, name, metric)
            print(row(name, metric, named, explicit, ours), flush=True)
        if (name, metric) in BY_RULES:
            plain = measured(sys.executable, "networkx-rules", name, metric)
            print(row(name, metric, "networkx, by the rules", plain, ours), flush=True)
        peer = PEERS.get(name)
        if asked.peers and peer and metric == "moves":
            print(row(name, metric, peer, measured(asked.peers, peer, name, metric), ours))
    for name in ("klotski", "super-century", LARGEST):
        found = measured(sys.executable, "tilesolve-count", name, "moves")
        print(row(name, "moves", "tilesolve count", found, found), flush=True)


if __name__ == "__main__":
    main()
