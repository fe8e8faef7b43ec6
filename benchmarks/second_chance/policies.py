"""Second Chance by policy, in paired games: the same start tiles and card orders for all.

    python benchmarks/second_chance/policies.py                    everything
    python benchmarks/second_chance/policies.py --only small       one part; of default, small,
                                                                   optimum, named
    python benchmarks/second_chance/policies.py --tables           no games, the tables alone

Writes the games' scores into ``policies.json`` and the tables into ``policies.md`` beside itself;
a part that is played anew takes the place of what was there. A hint's budget is a number of
plays, so the games are the same on every machine; what that is in processor seconds is measured
and written down.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tilesolve.budget import Budget, Meter
from tilesolve.simulate.statistics import Mean, mean_of, paired
from tilesolve_models.second_chance.dealing import deal
from tilesolve_models.second_chance.ending import SOLO_GAMES, SOLO_TARGET
from tilesolve_models.second_chance.foresight import foreseeing
from tilesolve_models.second_chance.policy import Choice, Policy
from tilesolve_models.second_chance.scoring import best
from tilesolve_models.second_chance.table import named_policies, play_out

TABLES = Path(__file__).with_suffix(".md")
GAMES = Path(__file__).with_suffix(".json")
NAMED = ("random", "greedy", "look-ahead", "learned")
HINTS = {"small": (400, 300, "about 0.2 s"), "default": (4000, 30, "about the default of 2 s")}
"""Plays of a hint, pairs, and the seconds that a hint with so many plays takes."""

PAIRS, OPTIMA = 300, 30


def unlimited() -> Meter:
    return Meter(budget=Budget(seconds=None))


def played(name: str, policy: Policy, games: int) -> list[int]:
    """Return the empties of games by one policy; a deal depends on its number alone."""
    scores = []
    for number in range(games):
        start = deal(random.Random(f"benchmark {number}"))
        end = play_out(start, {"": policy}, random.Random(f"{name} {number}"))
        scores.append(end.players[0].empties)
        if number % 10 == 9:
            print(name, len(scores), shown(mean_of(scores)), flush=True)
    return scores


def timed(policy: Policy, seconds: list[float]) -> Policy:
    """Return the policy with the processor seconds of each decision written down."""

    def draw(choice: Choice) -> int:
        begun = time.process_time()
        drawn = policy(choice)
        seconds.append(time.process_time() - begun)
        return drawn

    return draw


def named() -> dict[str, Any]:
    policies = named_policies(NAMED, 1, unlimited())
    return {name: {"empties": played(name, each, PAIRS)} for name, each in policies.items()}


def hinted(budget: str) -> dict[str, Any]:
    plays, games, _ = HINTS[budget]
    seconds: list[float] = []
    empties = played("hint", timed(foreseeing(plays, unlimited()), seconds), games)
    cost = {"median": statistics.median(seconds), "most": max(seconds)}
    return {budget: {"empties": empties, "seconds": cost}}


def optima() -> dict[str, Any]:
    """Return what perfect information could do with the same start tiles and cards."""
    found = [
        best(deal(random.Random(f"benchmark {number}")), budget=Budget(seconds=300))
        for number in range(OPTIMA)
    ]
    proven = sum(each.proof == "optimal" for each in found)
    return {"optimum": {"empties": [each.score for each in found], "proven": proven}}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "named": named,
    "optimum": optima,
    **{budget: partial(hinted, budget) for budget in HINTS},
}


def series(scores: Sequence[int]) -> str:
    """Return the share of three-game series below the target."""
    whole = len(scores) - len(scores) % SOLO_GAMES
    totals = [sum(scores[start : start + SOLO_GAMES]) for start in range(0, whole, SOLO_GAMES)]
    below = sum(total < SOLO_TARGET for total in totals)
    return f"{below} of {len(totals)} ({100 * below / max(1, len(totals)):.0f} %)"


def shown(mean: Mean) -> str:
    return f"{mean.mean:.2f} ± {mean.standard_error or 0:.2f}"


def section(budget: str, found: dict[str, Any]) -> list[str]:
    """Return the table of all policies on the deals of one budget of hints."""
    seconds = HINTS[budget][2]
    own = found[budget]["empties"]
    others = [*NAMED, *(name for name in HINTS if name != budget)]
    others = [name for name in others if len(found.get(name, {}).get("empties", ())) >= len(own)]
    label = {name: f"hint, {HINTS[name][0]} plays" for name in HINTS}
    lines = [
        f"## {label[budget]}, {seconds}",
        "",
        "| policy | games | empties | hint is better by | hint's share | series below ten |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in (*others, budget):
        scores = found[name]["empties"][: len(own)]
        gap = "" if name == budget else shown(paired(scores, own))
        share = "" if name == budget else f"{100 * sum(own) / max(1, sum(scores)):.0f} %"
        row = (label.get(name, name), len(own), shown(mean_of(scores)), gap, share, series(scores))
        lines.append("| " + " | ".join(map(str, row)) + " |")
    cost = found[budget]["seconds"]
    lines += [
        "",
        f"A decision took {cost['median']:.2f} processor seconds in the median, "
        f"{cost['most']:.2f} at most.",
    ]
    if "optimum" in found:
        known = found["optimum"]["empties"]
        games = min(len(known), len(own))
        lines += [
            "",
            f"Perfect information on the first {games} deals: {statistics.fmean(known):.2f} "
            f"empties on average, {found['optimum']['proven']} of {len(known)} proven; the hints "
            f"stay {shown(paired(own, known))} above it.",
        ]
    return [*lines, ""]


def main() -> None:
    """Play, and write games and tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--tables", action="store_true", help="of the games that are there")
    arguments = parser.parse_args()
    wanted = () if arguments.tables else arguments.only or PARTS
    found: dict[str, Any] = json.loads(GAMES.read_text("utf-8")) if GAMES.exists() else {}
    for part in wanted:
        found |= PARTS[part]()
        found["made with"] = (
            f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}"
        )
        GAMES.write_text(json.dumps(found) + "\n", "utf-8")
    text = [
        "# Second Chance by policy",
        "",
        "Synthetic deck, solo games, paired: the same deals for all. Means with standard errors;",
        f"processor seconds of one core. Made by `policies.py`; {found['made with']}.",
        "",
    ]
    for budget in HINTS:
        text += section(budget, found) if budget in found else []
    TABLES.write_text("\n".join(text).rstrip() + "\n", "utf-8")


if __name__ == "__main__":
    main()
