"""Load test of the HTTP server on loopback, and the latency of small questions.

Fifty clients ask mixed questions; a tenth of them cancel jobs or hang up, and some send garbage,
deep JSON or giant sheets. Run it with ``python benchmarks/serve/load.py [SECONDS]``; it prints
the table that is kept in ``report.md``. Needs the extra ``tilesolve[test]``.
"""

from __future__ import annotations

import asyncio
import platform
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

import httpx

CLIENTS = 50
NINE = {"sheet": "9x9", "pieces": "pentominoes"}
PLACED = [
    {"piece": "Z", "cells": [[3, 1], [4, 1], [4, 2], [4, 3], [5, 3]]},
    {"piece": "T", "cells": [[3, 4], [3, 5], [3, 6], [4, 5], [5, 5]]},
    {"piece": "N", "cells": [[6, 4], [6, 5], [6, 6], [7, 3], [7, 4]]},
]
BEGUN = {"sheet": {"rows": ["." * 9] * 9, "placed": PLACED}, "pieces": "pentominoes"}
SECOND_CHANCE = {
    "rows": [
        *(".....D...", "BB.A.D...", "BBAA.D...", "BB.A.....", "BAAAACCCC"),
        *("..F..E...", "FFF..EE..", ".F...EE..", "......E.."),
    ],
    "turned_up": ["L3", "T5"],
}
IDLE = [
    ("check, 9x9, 12 pentominoes", "polyform/check", {"state": NINE}),
    ("fit, 9x9, 12 pentominoes", "polyform/fit", {"state": NINE}),
    ("check, 9x9, 3 of them placed", "polyform/check", {"state": BEGUN}),
    ("fit, 9x9, 3 of them placed", "polyform/fit", {"state": BEGUN}),
    ("check, Second Chance, round 6", "second-chance/check", {"state": SECOND_CHANCE}),
    ("fit, Second Chance, round 6", "second-chance/fit", {"state": SECOND_CHANCE}),
]
BRIEFLY = {"seconds": 0.1}
SMALL = [
    ("null/best", {"state": {"counters": 9}}),
    ("polyform/check", {"state": NINE}),
    ("polyform/fit", {"state": NINE}),
    ("polyform/fit", {"state": BEGUN}),
    ("polyform/fit", {"state": {"sheet": "4x5", "pieces": "tetrominoes"}, "cover": True}),
    ("polyform/fit", {"state": {"sheet": "6x10", "pieces": "pentominoes"}, "cover": True}),
    ("polyform/show", {"state": NINE}),
    ("polyform/best", {"state": BEGUN, "budget": BRIEFLY}),
    ("second-chance/fit", {"state": SECOND_CHANCE}),
    ("second-chance/new", {"seed": 3}),
    ("lets-klack/new", {"seed": 3}),
    ("puzl-it/new", {"seed": 3}),
    ("new-year-puzzle/new", {"seed": 3}),
    ("sliding-blocks/new", {"name": "klotski"}),
    ("five-minute-puzzle/moves", {"state": {"sheet": "synthetic-a", "roll": 3}, "limit": 20}),
]
LONG = ("polyform/count", {"state": {"sheet": "8x8", "pieces": "pentominoes"}, "cover": False})
GARBAGE: Sequence[tuple[bytes, int]] = (
    (b"", 400),
    (b"nonsense", 400),
    (b"[" * 100_000, 400),
    (b'{"state": ' * 400 + b"1" + b"}" * 400, 422),
    (b'{"state": "190x190", "cover": true}', 422),
    (b'{"state": {"sheet": "3x3"}, "budget": {"seconds": 1e9}}', 422),
    (b'{"state": "' + b"x" * 3_000_000 + b'"}', 413),
    (b'{"state": {"sheet": {"rows": 3}}}', 422),
)


@dataclass
class Tally:
    """What was asked and what came back."""

    asked: int = 0
    latencies: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    hung_up: int = 0
    cancelled: int = 0


async def polite(client: httpx.AsyncClient, tally: Tally, rng: random.Random) -> None:
    """Ask a small question and wait for the answer; try again when the server is busy."""
    target, body = rng.choice(SMALL)
    started = time.perf_counter()
    tally.asked += 1
    answer = await client.post(f"/v1/{target}", json=body)
    tally.statuses[answer.status_code] += 1
    if answer.status_code == 200:
        tally.latencies[target].append(time.perf_counter() - started)
    elif answer.status_code == 429:
        await asyncio.sleep(0.2)
    else:
        tally.wrong.append(f"{target}: {answer.status_code} {answer.text[:200]}")


async def rude(client: httpx.AsyncClient, tally: Tally, rng: random.Random) -> None:
    """Hang up in the middle of a long question, or cancel a job of it."""
    target, body = LONG
    tally.asked += 1
    if rng.random() < 0.5:
        try:
            answer = await client.post(f"/v1/{target}", json=body, timeout=0.3)
            tally.statuses[answer.status_code] += 1
        except httpx.TimeoutException:
            tally.hung_up += 1
        return
    started = await client.post(f"/v1/{target}?job=true", json=body)
    tally.statuses[started.status_code] += 1
    if started.status_code == 202:
        await asyncio.sleep(0.2)
        ended = await client.delete(started.headers["location"])
        tally.cancelled += 1
        if ended.status_code != 200 or ended.json()["status"] not in ("done", "refused"):
            tally.wrong.append(f"cancel: {ended.status_code} {ended.text[:200]}")


async def hostile(client: httpx.AsyncClient, tally: Tally, rng: random.Random) -> None:
    """Send what nobody should send; it is refused with the status that fits."""
    content, expected = rng.choice(GARBAGE)
    headers = {"content-type": "application/json"}
    tally.asked += 1
    try:
        answer = await client.post("/v1/polyform/fit", content=content, headers=headers)
    except httpx.HTTPError:
        tally.hung_up += 1  # the server closes on bodies that are too large
        return
    tally.statuses[answer.status_code] += 1
    if answer.status_code not in (expected, 429):
        tally.wrong.append(f"garbage {content[:30]!r}: {answer.status_code} {answer.text[:200]}")


async def client_of(number: int, address: str, until: float, tally: Tally) -> None:
    """One client: of ten, eight are polite, one is rude and one is hostile."""
    kind = {0: rude, 1: hostile}.get(number % 10, polite)
    rng = random.Random(number)
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        while time.monotonic() < until:
            await kind(client, tally, rng)


async def warm_latencies(address: str) -> dict[str, list[float]]:
    """Ask an idle server one question at a time."""
    found: dict[str, list[float]] = {}
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        for name, target, body in IDLE:
            times = []
            for _ in range(60):
                started = time.perf_counter()
                (await client.post(f"/v1/{target}", json=body)).raise_for_status()
                times.append(time.perf_counter() - started)
            found[name] = times[10:]
    return found


def family(process: int) -> list[int]:
    """Resident megabytes of a process and of each of its children (Linux)."""
    table = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,rss="], capture_output=True, text=True, check=True
    )
    rows = [tuple(map(int, line.split())) for line in table.stdout.splitlines()]
    return [rss // 1024 for pid, parent, rss in rows if process in (pid, parent)]


def megabytes(process: int) -> int:
    """Resident memory of a process and its children."""
    return sum(family(process))


def row(name: str, times: Sequence[float]) -> str:
    """One line of the table."""
    ranked = sorted(times)
    p50, p95, p99 = (ranked[min(len(ranked) - 1, int(len(ranked) * q))] for q in (0.5, 0.95, 0.99))
    return f"| {name} | {len(ranked)} | {p50 * 1e3:.1f} | {p95 * 1e3:.1f} | {p99 * 1e3:.1f} |"


async def measure(address: str, process: int, seconds: float) -> str:
    """Run everything and return the report."""
    idle = await warm_latencies(address)
    before = megabytes(process)
    tally = Tally()
    until = time.monotonic() + seconds
    memory = []

    async def watch() -> None:
        while time.monotonic() < until:
            await asyncio.sleep(seconds / 6)
            memory.append(megabytes(process))

    clients = [client_of(number, address, until, tally) for number in range(CLIENTS)]
    await asyncio.gather(watch(), *clients)
    await asyncio.sleep(12)
    async with httpx.AsyncClient(base_url=address) as client:
        health = (await client.get("/healthz")).json()
    head = ["| question | answers | p50 ms | p95 ms | p99 ms |", "| --- | --- | --- | --- | --- |"]
    lines = [
        f"tilesolve {version('tilesolve')}, Python {platform.python_version()},"
        f" fastapi {version('fastapi')}, uvicorn {version('uvicorn')},"
        f" {platform.system()} {platform.machine()}, 2 worker processes.",
        "",
        "Idle server, one question at a time, warm:",
        "",
        *head,
        *(row(name, times) for name, times in idle.items()),
        "",
        f"{CLIENTS} clients for {seconds:g} s, of ten one hangs up or cancels and one is hostile:",
        "",
        *head,
        *(row(target, times) for target, times in sorted(tally.latencies.items())),
        "",
        f"Asked {tally.asked}, answered {sum(tally.statuses.values())}, hung up {tally.hung_up}"
        f" (by either side); jobs cancelled {tally.cancelled}; unexpected answers"
        f" {len(tally.wrong)}.",
        f"Statuses: {dict(sorted(tally.statuses.items()))}.",
        f"Memory of server and workers in MB: {before} before, then {memory}.",
        f"Twelve seconds later: {health}, {len(family(process)) - 1} worker processes.",
        *tally.wrong[:5],
    ]
    answered = [time for times in tally.latencies.values() for time in times]
    lines.append(f"Mean of all answers {statistics.mean(answered) * 1e3:.0f} ms.")
    return "\n".join(lines)


def main() -> None:
    """Start a server of its own, measure, print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    program = "from tilesolve.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port=0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = ""
        for line in server.stderr:
            if found := re.search(r"http://[\d.]+:\d+", line):
                address = found[0]
                break
        print(asyncio.run(measure(address, server.pid, seconds)))
        server.terminate()


if __name__ == "__main__":
    main()
