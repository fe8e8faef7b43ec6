"""`simulate` and `new` of the New-Year puzzle."""

from __future__ import annotations

import random
from dataclasses import replace

from tilesolve.answers import Simulation
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.simulate.tournament import tournament
from tilesolve_models.new_year_puzzle.hints import prospect_of
from tilesolve_models.new_year_puzzle.model import legal_view
from tilesolve_models.new_year_puzzle.prizes import Stack, synthetic
from tilesolve_models.new_year_puzzle.search import ROUNDS, by_simulation, difference
from tilesolve_models.new_year_puzzle.state import Player, State
from tilesolve_models.new_year_puzzle.table import Policy, Table, by_memory
from tilesolve_models.picture_grid import grid_of

POLICIES = ("memory", "no-memory", "hint")

NAMES = "ABCDEFGH"


def new(
    *, seed: int, players: int = 1, rows: int = 8, columns: int = 8, hidden: bool = False
) -> State:
    """Deal a game with the synthetic prize stack.

    Parameters
    ----------
    players : int
        1 to 8, named A, B, ...
    rows, columns : int
        Of the picture.
    hidden : bool
        True leaves out what only a referee knows: the layout and the order of the prizes.
    """
    field = grid_of(rows, columns)
    rng = random.Random(f"new year {seed}")
    corners = field.cells_of(field.corners)
    closed = list(_places(rows, columns))
    rng.shuffle(closed)
    lying = dict(zip(_places(rows, columns), closed, strict=True))
    prizes = list(synthetic())
    rng.shuffle(prizes)
    state = State(
        size=(rows, columns),
        open=corners,
        stack=Stack(pool=tuple(prizes), left=len(prizes), ordered=True),
        players=tuple(Player(name) for name in NAMES[:players]),
        to_move=NAMES[0],
        layout=tuple(
            tuple(lying.get((row, column), (row, column)) for column in range(columns))
            for row in range(rows)
        ),
    )
    if hidden:
        stack = Stack(pool=synthetic(), left=len(prizes))
        return replace(state, layout=None, stack=stack)
    return state


def _places(rows: int, columns: int) -> tuple[tuple[int, int], ...]:
    field = grid_of(rows, columns)
    return field.cells_of(field.everything & ~field.corners)


def simulate(
    state: State | None,
    *,
    games: int,
    policies: tuple[str, ...],
    budget: Budget,
    watch: Watch = SILENT,
    players: int = 1,
    remember: int | None = None,
    samples: int = 60,
    rounds: int = ROUNDS,
) -> Simulation:
    """Play games by policy: flips of a single player, else points ahead of the others.

    Among several players one seat follows the policy and the others play from memory; the
    score is that seat's points minus the mean of the others', rounded down.

    Parameters
    ----------
    state : State or None
        The position to play from; None deals fresh games.
    players : int
        For fresh games.
    remember : int or None
        Cards that everybody remembers; None is all. The policy ``no-memory`` remembers none.
    samples : int
        Simulated games for each move of the policy ``hint``.
    rounds : int
        As in `hint`.
    """
    meter = Meter(budget=budget, watch=watch)
    start = legal_view(new(seed=0, players=players, hidden=True) if state is None else state)
    fresh = state is None
    named = {name: name for name in policies or POLICIES}

    def play(policy: str, number: int) -> int:
        kept = 0 if policy == "no-memory" else remember
        rng = random.Random(f"{budget.seed} {number}")
        table = prospect_of(start, kept).deal(rng)
        seat = number % len(start.players) if fresh else table.to_move
        player: Policy = by_memory
        if policy == "hint":
            player = by_simulation(samples=samples, seed=number, rounds=rounds)
        return play_out(table, seat, player, rng)

    scores = tournament(named, play, games=games, meter=meter)
    return Simulation(
        policies=scores,
        seed=budget.seed,
        unit="flips" if len(start.players) == 1 else "points ahead",
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={"players": len(start.players)},
    )


def play_out(table: Table, seat: int, player: Policy, rng: random.Random) -> int:
    """Play a game to its end, in place: one seat by a policy, the others from memory.

    Returns
    -------
    int
        The flips of a single player; else the seat's points minus the mean of the others',
        rounded down.
    """
    while not table.over:
        policy = player if table.to_move == seat else by_memory
        table.flip(policy(table), rng)
    if len(table.points) == 1:
        return table.flips
    return int(difference(table.points, seat) // 1)
