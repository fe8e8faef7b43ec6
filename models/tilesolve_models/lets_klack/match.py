"""Rounds and matches of two to four players (LK8 to LK10), by named policies.

Players do not touch each other's layouts: what one does matters to the others only by when the
round ends. Players are numbered from the youngest on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tilesolve.answers import PolicyScore, Simulation
from tilesolve.budget import SILENT, Budget, Meter, Progress, Watch
from tilesolve.errors import InputError
from tilesolve.simulate.statistics import mean_of, score_of
from tilesolve.wire import Node
from tilesolve_models.lets_klack import rules
from tilesolve_models.lets_klack.deal import deal
from tilesolve_models.lets_klack.half import distances
from tilesolve_models.lets_klack.model import POINTS, outlook
from tilesolve_models.lets_klack.outlook import points
from tilesolve_models.lets_klack.position import (
    DEFAULT_RULES,
    SPECIALS,
    Again,
    Cover,
    Fly,
    Jump,
    Move,
    Pass,
    Rules,
    State,
    Swap,
)

LONGEST = 400
"""Turns after which a round that nobody finishes is broken off."""

_FAVOURITES = ("swap", "fly", "away", "again")
"""Special cards in the order in which they are chosen."""

_EXCEPTIONS = 0.2

Policy = Callable[[State, random.Random, Meter], tuple[Move, ...]]
"""From a layout to the moves of one or more turns; asked again when they are used up."""


def _shortest(state: State, chance: random.Random, meter: Meter) -> tuple[Move, ...]:
    """Play a shortest line to the end; in a last turn, what saves most."""
    del chance
    last = state.turns_left == 1
    found = outlook(replace(state, turns_left=None), points(state), meter=meter, table=last)
    plan = found.within(1) if last or found.cover is None else found.cover
    return plan.line() or (Pass(),)


def _nearest(state: State, chance: random.Random, meter: Meter) -> tuple[Move, ...]:
    """Move the block that has the shortest way left, were it alone; sometimes anything.

    Without the exceptions two blocks in each other's way would jump to and fro for good.
    """
    if chance.random() < _EXCEPTIONS:
        return _careless(state, chance, meter)
    best = min(_useful(state), key=lambda move: (*_measure(state, move), chance.random()))
    return (best,)


def _careless(state: State, chance: random.Random, meter: Meter) -> tuple[Move, ...]:
    """Cover what can be covered now, else jump anywhere."""
    del meter
    choices = _useful(state)
    covering = [
        move for move in choices if len(rules.apply(state, move).blocks) < len(state.blocks)
    ]
    return (chance.choice(covering or choices),)


POLICIES: Mapping[str, Policy] = {
    "shortest": _shortest,
    "nearest": _nearest,
    "careless": _careless,
}


def _useful(state: State) -> list[Move]:
    choices: list[Move] = [
        move for move in rules.moves(state) if isinstance(move, Jump | Cover | Fly)
    ]
    return choices or [Pass()]


def _measure(state: State, move: Move) -> tuple[int, int]:
    """Return how far a move's block is from its card after it, and minus its value."""
    if not isinstance(move, Jump | Cover | Fly):
        return 0, 0
    after = rules.apply(state, move).places.get(move.block)
    if after is None:
        return 0, -move.block
    separate = state.rules.cover == "separate"
    table = distances(len(state.cards), len(state.cards[0]), separate)
    left = table[state.card_of[move.block]][state.ground.number[after]]
    before = table[state.card_of[move.block]][state.ground.number[state.places[move.block]]]
    return left + 100 * (left >= before), -move.block


@dataclass(frozen=True)
class Terms:
    """What a match is played by.

    Parameters
    ----------
    width : int
        Size of the layouts.
    options : Rules
        The readings of doubtful rules.
    specials : tuple of str
        The special cards on the table; the first round is played without.
    limit : int or None
        The match ends when somebody has this many minus points (LK9).
    rounds : int or None
        Or after this many rounds.
    """

    width: int = 3
    options: Rules = DEFAULT_RULES
    specials: tuple[str, ...] = SPECIALS
    limit: int | None = 50
    rounds: int | None = None

    def over(self, totals: list[int], played: int) -> bool:
        """Return whether the match is over after so many rounds."""
        if self.rounds is not None:
            return played >= self.rounds
        return self.limit is not None and max(totals) >= self.limit


def chosen(totals: list[int], available: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    """Return who takes which special card: the highest total first, the younger on a tie.

    Examples
    --------
    >>> chosen([10, 30, 10], ("fly", "swap"))
    {1: ('swap',), 0: ('fly',), 2: ()}
    """
    left = [card for card in _FAVOURITES if card in available]
    order = sorted(range(len(totals)), key=lambda player: (-totals[player], player))
    return {player: (left.pop(0),) if left else () for player in order}


def play_round(
    layouts: list[State],
    policies: list[Policy],
    *,
    starter: int,
    chance: random.Random,
    meter: Meter,
) -> list[int]:
    """Play a round and return the minus points of each player (LK8).

    When one has covered everything, each of the others has one more turn. A round in which all
    pass in turn, or that lasts `LONGEST` turns each, ends at once.
    """
    players = len(layouts)
    plans: list[list[Move]] = [[] for _ in layouts]
    order = [(starter + seat) % players for seat in range(players)]
    winner = next((player for player in order if not layouts[player].blocks), None)
    for _ in range(LONGEST):
        if winner is not None:
            break
        idle = True
        for player in order:
            moved = _turn(layouts, plans, player, policies[player], chance, meter)
            idle = idle and not moved
            if not layouts[player].blocks:
                winner = player
                break
        if idle or meter.stopped_by is not None:
            break
    if winner is not None:
        at = order.index(winner)
        for player in order[at + 1 :] + order[:at]:
            if layouts[player].blocks:
                layouts[player] = replace(layouts[player], turns_left=1)
                plans[player] = []
                _turn(layouts, plans, player, policies[player], chance, meter)
    return [layout.minus_points for layout in layouts]


def _turn(
    layouts: list[State],
    plans: list[list[Move]],
    player: int,
    policy: Policy,
    chance: random.Random,
    meter: Meter,
) -> bool:
    """Play one turn of a player; return whether anything moved."""
    moved, open_turn = False, True
    while open_turn and layouts[player].blocks:
        state = layouts[player]
        if not plans[player]:
            plans[player] = list(policy(state, chance, meter))
        move = plans[player].pop(0)
        layouts[player] = after = rules.apply(state, move)
        moved = moved or not isinstance(move, Pass)
        open_turn = isinstance(move, Swap | Again) or after.again_left == 1
    return moved


def play_match(
    policies: list[Policy], terms: Terms, *, seed: int, meter: Meter
) -> tuple[list[int], int]:
    """Play a match and return the totals and the number of rounds."""
    chance = random.Random(seed)
    totals = [0] * len(policies)
    played = 0
    while meter.stopped_by is None and not terms.over(totals, played):
        cards = chosen(totals, terms.specials) if played else {}
        layouts = [
            deal(
                chance.getrandbits(32),
                width=terms.width,
                specials=cards.get(player, ()),
                options=terms.options,
            )
            for player in range(len(policies))
        ]
        starter = totals.index(max(totals))
        scores = play_round(layouts, policies, starter=starter, chance=chance, meter=meter)
        totals = [total + score for total, score in zip(totals, scores, strict=True)]
        played += 1
    return totals, played


def simulate(
    state: State | None,
    *,
    games: int,
    policies: tuple[str, ...],
    budget: Budget,
    watch: Watch = SILENT,
    players: int | None = None,
    mode: str = "match",
    limit: int = 50,
    rounds: int | None = None,
    specials: Node | None = None,
) -> Simulation:
    """Play matches, or single rounds, between policies, and report their minus points.

    The policies take the seats in turn, one further every game, so that each sits everywhere.

    Parameters
    ----------
    state : State or None
        Whose size and readings of the rules are played by; None for the classic ones.
    players : int or None
        2 to 4; None is as many as policies, within that.
    mode : {"match", "round"}
        Whole matches, or one round each, without special cards.
    limit, rounds : int, int or None
        How a match ends (LK9): at so many minus points, or after so many rounds if given.
    specials : Node or None
        The special cards on the table, a list or text with commas; None is all of them.

    Raises
    ------
    InputError
        For special cards that do not exist.
    """
    names = policies or tuple(POLICIES)
    seats = players or max(2, min(4, len(names)))
    terms = Terms(
        width=len(state.cards[0]) if state is not None else 3,
        options=state.rules if state is not None else DEFAULT_RULES,
        specials=SPECIALS if specials is None else specials_of(specials),
        limit=None if mode == "round" or rounds else limit,
        rounds=1 if mode == "round" else rounds,
    )
    if state is not None and len(state.cards) != 2 * terms.width - 1:
        raise InputError("matches are played with square layouts only", place="$.cards")
    meter = Meter(budget=budget, watch=watch)
    totals: dict[str, list[int]] = {name: [] for name in names}
    wins = dict.fromkeys(names, 0)
    lengths: list[int] = []
    for game in range(games):
        seated = [names[(seat + game) % len(names)] for seat in range(seats)]
        result, length = play_match(
            [POLICIES[name] for name in seated], terms, seed=budget.seed * 10**6 + game, meter=meter
        )
        if not meter.spend(length):
            break
        lengths.append(length)
        for name, total in zip(seated, result, strict=True):
            totals[name].append(total)
            wins[name] += total == min(result)
        meter.report(Progress(stage=mode, done=game + 1, total=games))
    return Simulation(
        policies=_scores(totals),
        seed=budget.seed,
        unit=POINTS,
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        details={
            "players": seats,
            "mode": mode,
            "matches": len(lengths),
            "wins": wins,
            **({"rounds": mean_of(lengths).mean} if lengths else {}),
        },
    )


def _scores(totals: Mapping[str, list[int]]) -> tuple[PolicyScore, ...]:
    return tuple(score_of(name, scores) for name, scores in totals.items() if scores)


def specials_of(node: Node) -> tuple[str, ...]:
    """Read names of special cards, a list or one text with commas.

    Examples
    --------
    >>> specials_of(Node("fly, swap"))
    ('fly', 'swap')
    """
    if node.is_string:
        names = [Node(name.strip(), node.path) for name in node.string().split(",") if name.strip()]
    else:
        names = node.items(most=4)
    return tuple(dict.fromkeys(name.string(*SPECIALS) for name in names))
