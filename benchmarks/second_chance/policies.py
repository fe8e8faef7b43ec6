"""Second Chance by policy, in paired games: the same start tiles and card orders for all.

    python benchmarks/second_chance/policies.py [--pairs 300] [--optimum 30]

Writes ``policies.md`` beside itself. A hint's budget is a number of plays, so the games are the
same on every machine; what that is in processor seconds is measured and written down.
"""

from __future__ import annotations

import argparse
import platform
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tilesolve.answers import Best
from tilesolve.budget import Budget, Meter
from tilesolve.simulate.statistics import Mean, mean_of, paired
from tilesolve_models.second_chance.dealing import deal
from tilesolve_models.second_chance.ending import SOLO_GAMES, SOLO_TARGET
from tilesolve_models.second_chance.foresight import foreseeing
from tilesolve_models.second_chance.policy import Choice, Policy
from tilesolve_models.second_chance.scoring import best
from tilesolve_models.second_chance.table import named_policies, play_out

OUT = Path(__file__).with_suffix(".md")
NAMED = ("random", "greedy", "look-ahead", "learned")


def unlimited() -> Meter:
    return Meter(budget=Budget(seconds=None))


def played(name: str, policy: Policy, number: int) -> int:
    """Return the empties of one game; the deal depends on its number alone."""
    start = deal(random.Random(f"benchmark {number}"))
    end = play_out(start, {"": policy}, random.Random(f"{name} {number}"))
    return end.players[0].empties


def timed(policy: Policy, seconds: list[float]) -> Policy:
    """Return the policy with the processor seconds of each decision written down."""

    def draw(choice: Choice) -> int:
        begun = time.process_time()
        drawn = policy(choice)
        seconds.append(time.process_time() - begun)
        return drawn

    return draw


def series(scores: list[int]) -> str:
    """Return the share of three-game series below the target."""
    whole = len(scores) - len(scores) % SOLO_GAMES
    totals = [sum(scores[start : start + SOLO_GAMES]) for start in range(0, whole, SOLO_GAMES)]
    below = sum(total < SOLO_TARGET for total in totals)
    return f"{below} of {len(totals)} ({100 * below / max(1, len(totals)):.0f} %)"


def shown(mean: Mean) -> str:
    return f"{mean.mean:.2f} ± {mean.standard_error or 0:.2f}"


def rows(scores: dict[str, list[int]], hint: str, seconds: list[float], games: int) -> list[str]:
    """Return the table of some policies and how the hint does against each."""
    own = scores[hint][:games]
    lines = [
        "| policy | games | empties | hint is better by | hint's share | series below ten |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in (*NAMED, hint):
        other = scores[name][:games]
        gap = "" if name == hint else shown(paired(other, own))
        share = f"{100 * sum(own) / max(1, sum(other)):.0f} %"
        lines.append(
            f"| {name} | {len(other)} | {shown(mean_of(other))} | {gap} | {share} "
            f"| {series(other)} |"
        )
    cpu = statistics.median(seconds), max(seconds)
    lines.append("")
    lines.append(
        f"A decision of `{hint}` took {cpu[0]:.2f} processor seconds in the median, {cpu[1]:.2f} "
        "at most; exact endgames are the longest."
    )
    return lines


def optimum(number: int) -> Best:
    """Return what perfect information could do with the same start tile and cards."""
    return best(deal(random.Random(f"benchmark {number}")), budget=Budget(seconds=120))


def collected(
    name: str, policy: Policy, games: int, tell: Callable[[list[int]], None]
) -> list[int]:
    scores: list[int] = []
    for number in range(games):
        scores.append(played(name, policy, number))
        if number % 10 == 9:
            tell(scores)
    return scores


def main() -> None:
    """Play all games and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--plays", type=int, default=800, help="small budget of a hint")
    parser.add_argument("--large-pairs", type=int, default=30)
    parser.add_argument("--large-plays", type=int, default=8000, help="about the default of 2 s")
    parser.add_argument("--optimum", type=int, default=30)
    arguments = parser.parse_args()

    def tell(scores: list[int]) -> None:
        print(len(scores), shown(mean_of(scores)), flush=True)

    scores = {
        name: collected(name, policy, arguments.pairs, tell)
        for name, policy in named_policies(NAMED, 1, unlimited()).items()
    }
    optima = [optimum(number) for number in range(arguments.optimum)]
    print("optimum", [(each.proof, each.score) for each in optima], flush=True)
    text = [
        "# Second Chance by policy",
        "",
        f"Synthetic deck, solo games, paired: the same {arguments.pairs} deals for all. Means with",
        "standard errors. Made by `policies.py`; Python "
        f"{platform.python_version()}, numpy {np.__version__}, {platform.machine()}, one core of a",
        "busy two-core machine (processor seconds, not wall-clock).",
        "",
    ]
    budgets = (
        ("hint", arguments.pairs, arguments.plays),
        ("hint at the default budget", arguments.large_pairs, arguments.large_plays),
    )
    for label, games, plays in budgets:
        if not games:
            continue
        seconds: list[float] = []
        policy = timed(foreseeing(plays, unlimited()), seconds)
        scores[label] = collected("hint", policy, games, tell)
        text += [f"## {label}: {plays} plays", "", *rows(scores, label, seconds, games), ""]
        if optima:
            text += [*distance(optima, scores[label], label), ""]
        OUT.write_text("\n".join(text).rstrip() + "\n", "utf-8")


def distance(optima: list[Best], scores: list[int], label: str) -> list[str]:
    """Return how far the hint stays from perfect information on the first deals."""
    games = min(len(optima), len(scores))
    proven = sum(each.proof == "optimal" for each in optima[:games])
    known = [each.score if each.score is not None else 81 for each in optima[:games]]
    gap = paired(scores[:games], known)
    return [
        f"Perfect information on the first {games} deals: {statistics.fmean(known):.2f} empties on "
        f"average, {proven} of {games} proven; `{label}` stays {shown(gap)} above it."
    ]


if __name__ == "__main__":
    main()
