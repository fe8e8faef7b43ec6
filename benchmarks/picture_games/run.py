"""Make the tables of the picture games anew: ``python benchmarks/picture_games/run.py``.

Every table is written to a file of its own beside this one as soon as it is done. ``--only NAME``
makes one; ``--games N`` sets the paired games of the policy tables. Seeds are fixed, so only the
seconds differ between two runs.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from inspect import getdoc
from pathlib import Path

from tilesolve.budget import Budget
from tilesolve.simulate.statistics import mean_of, paired
from tilesolve_models.new_year_puzzle import simulation as new_year
from tilesolve_models.new_year_puzzle.hints import prospect_of
from tilesolve_models.new_year_puzzle.model import legal_view
from tilesolve_models.new_year_puzzle.prizes import Prize, Stack
from tilesolve_models.new_year_puzzle.search import by_simulation as advised_flips
from tilesolve_models.new_year_puzzle.table import by_memory
from tilesolve_models.puzl_it import rules
from tilesolve_models.puzl_it.deal import deal
from tilesolve_models.puzl_it.model import best
from tilesolve_models.puzl_it.policies import careful, most_connections, play_out, random_pick
from tilesolve_models.puzl_it.search import by_simulation
from tilesolve_models.puzl_it.state import Seat, State
from tilesolve_models.puzl_it.table import play_turn

UNLIMITED = Budget(seconds=None)
SAMPLES = 160
FIRST_DEAL = 500_000  # no setting of a policy was chosen on these deals or later ones
Rows = Iterator[tuple[object, ...]]


def best_play(games: int) -> Rows:
    """Compare `best`, which asks CP-SAT and a search, with all subsets of the hand."""
    del games
    yield "hands", "hand size", "`best` = all subsets"
    rng = random.Random(1)
    for size in (1, 2, 3, 4, 5):
        same = 0
        for _ in range(2000):
            state = _random_state(rng, size)
            same += best(state, budget=UNLIMITED).score == _by_subsets(state)
        yield 2000, size, same
    for size in (12, 20):
        agree = 0
        for _ in range(100):
            state = _random_state(rng, size)
            alone = best(state, budget=UNLIMITED, engine="cpsat").score
            agree += alone == best(state, budget=UNLIMITED, engine="search").score
        yield 100, size, f"{agree} (CP-SAT = whole groups)"


def _random_state(rng: random.Random, hand: int) -> State:
    rows, columns = rng.choice([(8, 9), (6, 12)])
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    rng.shuffle(cells)
    if rng.random() < 0.5:  # a hand from one corner of the picture has many neighbours
        cells.sort(key=lambda cell: cell[0] + cell[1] + rng.random() * 4)
    lying = rng.randint(0, 72 - hand - 2)
    in_play = tuple(rng.sample(cells[hand:], lying))
    others = 72 - hand - lying
    seats = (Seat("A", (), tuple(cells[:hand])), Seat("B", (None,) * (others - 1), (None,)))
    return State(size=(rows, columns), in_play=in_play, seats=seats, to_move="A", me="A")


def _by_subsets(state: State) -> int:
    """Try every subset out, on plain cells."""
    hand = [cell for cell in state.seats[0].hand if cell is not None]
    in_play, most = set(state.in_play), 0
    for chosen in range(1, 1 << len(hand)):
        cells = {cell for bit, cell in enumerate(hand) if chosen >> bit & 1}
        reached, waiting = set[tuple[int, int]](), [min(cells)]
        while waiting:
            cell = waiting.pop()
            if cell in cells and cell not in reached:
                reached.add(cell)
                waiting += _near(cell)
        if reached == cells:
            sides = sum(near in in_play for cell in cells for near in _near(cell))
            most = max(most, len(cells) + sides)
    return most


def _near(cell: tuple[int, int]) -> list[tuple[int, int]]:
    row, column = cell
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


def whole_games(games: int) -> Rows:
    """Play 1000 games for each number of players and account for every card at every turn."""
    del games
    yield "players", "games", "with one winner", "turns that lost or doubled a card", "turns a game"
    for players in range(2, 7):
        winners = lost = turns = 0
        for seed in range(1000):
            table = rules.table_of(deal(players=players, seed=seed))
            rng = random.Random(seed)
            policy = most_connections("connected")
            while table.winner is None:
                play, victim = policy(table, rng)
                play_turn(table, play, victim, random_pick(rng))
                turns += 1
                held = [card for cards in table.hands + table.piles for card in cards]
                lying = [card for card in range(72) if table.in_play >> card & 1]
                lost += sorted(held + lying) != list(range(72))
            winners += len(table.players) == 1
        yield players, 1000, winners, lost, f"{turns / 1000:.1f}"


def puzl_it_hint(games: int, *, players: int) -> Rows:
    """Let one seat follow a policy, the others most connections and the richest victim.

    The differences are to most connections, and of the hint to the careful player too.
    """
    yield (
        "players", "paired games", "deals a move", "policy", "wins", "more than most connections",
        "more than careful",
    )  # fmt: skip
    usual = most_connections("connected")
    policies = {
        "most connections": usual,
        "careful": careful("connected"),
        "hint": by_simulation("connected", samples=SAMPLES),
    }
    results: dict[str, list[float]] = {name: [] for name in policies}
    for number in range(games):
        for name, policy in policies.items():
            seat = number % players
            table = rules.table_of(deal(players=players, seed=FIRST_DEAL + number // players))
            seats = [usual] * players
            seats[seat] = policy
            winner = play_out(table, seats, random.Random(FIRST_DEAL + number))
            results[name].append(float(winner == seat))
    for name, won in results.items():
        more = _compared(won, results["most connections"])
        further = _compared(won, results["careful"]) if name == "hint" else ["", ""]
        compared = "" if name == "most connections" else more[1]
        budget = SAMPLES if name == "hint" else ""
        yield players, games, budget, name, more[0], compared, further[1]


def _compared(first: list[float], second: list[float]) -> list[str]:
    """Return the mean of the first and its paired difference to the second, in per cent."""
    return [
        f"{100 * each.mean:.1f} ± {100 * (each.standard_error or 0):.1f} %"
        for each in (mean_of(first), paired(first, second))
    ]


def new_year_memory(games: int) -> Rows:
    """Play 2000 deals alone with memories of different sizes."""
    del games
    yield "cards remembered", "deals", "flips"
    start = legal_view(new_year.new(seed=0, hidden=True))
    for remember in (None, 20, 10, 5, 2, 0):
        flips = []
        for number in range(2000):
            rng = random.Random(number)
            table = prospect_of(start, remember).deal(rng)
            flips.append(float(new_year.play_out(table, 0, by_memory, rng)))
        mean = mean_of(flips)
        kept = "all" if remember is None else remember
        yield kept, 2000, f"{mean.mean:.2f} ± {mean.standard_error or 0:.2f}"


def new_year_hint(games: int) -> Rows:
    """Let one seat follow the hint, the others memory.

    Costly prizes are sixty cards of one point less each.
    """
    yield (
        "players", "prizes", "cards remembered", "paired games", "simulated games a flip", "unit",
        "by hint", "by memory", "difference",
    )  # fmt: skip
    costly = Stack(pool=(Prize(points=-1),) * 60, left=60)
    for players, prizes, remember, samples in (
        (1, "synthetic", None, 20),
        (2, "synthetic", None, 60),
        (2, "synthetic", 5, 60),
        (2, "costly", None, 60),
    ):
        start = legal_view(new_year.new(seed=0, players=players, hidden=True))
        if prizes == "costly":
            start = replace(start, stack=costly)
        results: list[list[float]] = [[], []]
        for number in range(games):
            for by_hint, scores in zip((True, False), results, strict=True):
                rng = random.Random(FIRST_DEAL + number)
                table = prospect_of(start, remember).deal(rng)
                policy = advised_flips(samples=samples, seed=number) if by_hint else by_memory
                scores.append(float(new_year.play_out(table, number % players, policy, rng)))
        unit = "flips" if players == 1 else "points ahead"
        kept = "all" if remember is None else remember
        points = _points(results[0], results[1])
        yield (players, prizes, kept, games, samples, unit, *points)


def _points(first: list[float], second: list[float]) -> list[str]:
    summaries = (mean_of(first), mean_of(second), paired(first, second))
    return [f"{each.mean:.2f} ± {each.standard_error or 0:.2f}" for each in summaries]


TABLES: dict[str, Callable[[int], Rows]] = {
    "best-play": best_play,
    "whole-games": whole_games,
    "puzl-it-hint-2": partial(puzl_it_hint, players=2),
    "puzl-it-hint-3": partial(puzl_it_hint, players=3),
    "puzl-it-hint-4": partial(puzl_it_hint, players=4),
    "new-year-memory": new_year_memory,
    "new-year-hint": new_year_hint,
}


def table(name: str, games: int) -> str:
    """Return one table as markdown."""
    started = time.process_time()
    head, *body = TABLES[name](games)
    said = " ".join((getdoc(getattr(TABLES[name], "func", TABLES[name])) or "").split())
    lines = [f"# {name}", "", f"{said} Errors are standard errors.", ""]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in (head, ["---"] * len(head), *body)]
    seconds = time.process_time() - started
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    libraries = f"tilesolve {version('tilesolve')}, ortools {version('ortools')}"
    return "\n".join([*lines, "", f"{libraries}; {machine}; {seconds:.0f} processor seconds.", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=tuple(TABLES), action="append")
    parser.add_argument("--games", type=int, default=400)
    arguments = parser.parse_args()
    for name in arguments.only or TABLES:
        text = table(name, arguments.games)
        print(text, flush=True)
        Path(__file__).with_name(f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
