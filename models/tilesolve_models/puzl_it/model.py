"""`fit` and `best` of Puzl It: which cards join, and the play with most connections.

The best play is a placement problem: every hand card is a piece of one cell with one option,
worth itself and its contacts, and what is chosen hangs together (PI3, PI4), or each of it touches
another. CP-SAT answers it; trying out all plays, or for hands too large for that the plays that
cannot be enlarged, is the second engine, and the two must agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal, TypeAlias

from tilesolve.answers import Best, Fit, Json, Placed, Reason, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import IllegalState
from tilesolve.placement.objective import Clause
from tilesolve.placement.problem import Kind, Option, Problem
from tilesolve_models.picture_grid import Grid, cards_of
from tilesolve_models.puzl_it import rules
from tilesolve_models.puzl_it.policies import largest_plays, open_sides, richest
from tilesolve_models.puzl_it.rules import plays
from tilesolve_models.puzl_it.state import Move, State, dump_move
from tilesolve_models.puzl_it.table import UNSEEN, Table
from tilesolve_models.puzl_it.turns import Ahead, Plan, connections_ahead, most_with_draws

Engine: TypeAlias = Literal["auto", "cpsat", "search"]

UNIT = "connections"

ENUMERATED = 12
"""The largest hand whose plays are all tried out beside CP-SAT."""

_LISTED = 200  # groups that `fit` lists at most


def legal_position(state: State) -> State:
    """Return the table after the history, or raise `IllegalState` with what is wrong."""
    verdict = rules.check(state)
    if not verdict.legal:
        raise IllegalState(verdict)
    return rules.position(state)


def fit(state: State, *, budget: Budget, watch: Watch = SILENT) -> Fit:
    """Which hand cards can be played beside something, and which groups are possible?

    The answer is yes as long as the player to move has a card that can be named. `cards` gives
    for each its sides with cards in play and with the hand; `groups` every play with its
    connections, the best first.
    """
    meter = Meter(budget=budget, watch=watch)
    state = legal_position(state)
    table, field = rules.table_of(state), rules.grid(state)
    hand = table.hand_mask
    read = {"cards": field.size, "in_play": table.in_play.bit_count(), "hand": hand.bit_count()}
    over = table.winner is not None
    if over or not hand:
        code = "game-over" if over else "hand-unseen"
        message = "the game is over" if over else f"no card in {state.to_move}'s hand can be named"
        reasons = (Reason(code=code, message=message),)
        return Fit(answer="no", rung="trivial", reasons=reasons, read=read, seconds=meter.seconds)
    found = [
        play
        for play in islice(plays(field, hand, state.rules.group), 50 * _LISTED)
        if meter.spend(1)
    ]
    found.sort(key=lambda play: (-table.connections(play), field.cells_of(play)))
    best_play = found[0] if found else hand & -hand
    details = {
        "cards": [_card(field, table, card) for card in cards_of(hand)],
        "groups": [_group(field, table, play) for play in found[:_LISTED]],
        "groups_complete": len(found) <= _LISTED and meter.stopped_by is None,
    }
    witness = tuple(
        Placed(piece=_name(field, card), cells=(field.cell(card),)) for card in cards_of(best_play)
    )
    return Fit(answer="yes", witness=witness, read=read, seconds=meter.seconds, details=details)


def _card(field: Grid, table: Table, card: int) -> Json:
    beside = (field.neighbours[card] & table.in_play).bit_count()
    partners = field.cells_of(field.neighbours[card] & table.hand_mask)
    return {
        "cell": list(field.cell(card)),
        "contacts": beside,
        "beside_in_play": beside > 0,
        "beside_in_hand": [list(cell) for cell in partners],
    }


def _group(field: Grid, table: Table, play: int) -> Json:
    return {
        "play": [list(cell) for cell in field.cells_of(play)],
        "connections": table.connections(play),
        "takes_blocker": table.takes_blocker(play),
    }


def _name(field: Grid, card: int) -> str:
    return ",".join(map(str, field.cell(card)))


def best(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    turns: int = 1,
    engine: Engine = "auto",
) -> Best:
    """Return the play with most connections, or the most over several own turns.

    Parameters
    ----------
    turns : int
        1 is this turn. With more: the most connections over this many own turns if nobody else
        played, with the cards that can be named (hand, and the pile from its top as far as it
        is known); `bound_with_draws` is what no cards to be drawn could exceed.
    engine : {"auto", "cpsat", "search"}
        ``cpsat`` and ``search`` ask one engine alone; ``auto`` asks both and compares.

    Notes
    -----
    Plays with equally many connections are ordered thus: one that takes the Blocker, then one
    that leaves fewer sides open to others (sides of the cards laid towards cards that neither
    lie nor are in the player's hand), then the first in reading order. The victim named is the
    one with most cards, the first clockwise among equals.
    """
    meter = Meter(budget=budget, watch=watch)
    state = legal_position(state)
    table = rules.table_of(state)
    if table.winner is not None or not table.hand_mask:
        over = table.winner is not None
        message = "the game is over" if over else f"no card in {state.to_move}'s hand can be named"
        reasons = (Reason(code="game-over" if over else "hand-unseen", message=message),)
        return Best(proof="infeasible", unit=UNIT, reasons=reasons, seconds=meter.seconds)
    if turns > 1:
        return _ahead(state, table, turns, meter)
    play, bound = best_play(table, state.rules.group, engine=engine, meter=meter)
    score = table.connections(play)
    move = _move(state, table, play)
    _recheck(state, move, score)
    details = {"takes_blocker": table.takes_blocker(play), "open_sides": open_sides(table, play)}
    return _best(score, bound, (dump_move(move),), details, meter)


def _best(
    score: int, bound: int, line: tuple[Json, ...], details: dict[str, Json], meter: Meter
) -> Best:
    return Best(
        proof="optimal" if score == bound else "feasible",
        unit=UNIT,
        score=score,
        bound=bound,
        line=line,
        stopped_by=None if score == bound else meter.stopped_by or "work",
        seconds=meter.seconds,
        details=details,
    )


def best_play(table: Table, rule: str, *, engine: Engine = "auto", meter: Meter) -> tuple[int, int]:
    """Return the play with most connections, first in the order that `best` states, and a bound.

    The bound is the play's connections once every engine that was asked has finished.

    Raises
    ------
    WrongAnswer
        If two engines disagree, which would be a fault of the program.
    """
    hand = table.hand_mask
    large = largest_plays(table.grid, hand, rule)
    most = bound = max(map(table.connections, large))
    if engine != "cpsat" and hand.bit_count() <= ENUMERATED:
        tried = max(map(table.connections, plays(table.grid, hand, rule)))
        _agree(most, tried)
    if engine != "search":
        found = _by_cpsat(table, rule, meter)
        if found is None:
            bound = max(most, _ceiling(table, rule))
        else:
            _agree(most, found)
    ties = [play for play in large if table.connections(play) == most]
    return min(ties, key=lambda play: _order(table, play)), bound


def _ceiling(table: Table, rule: str) -> int:
    """Return what no play can exceed: a group of n joined cards has 2n + 2 sides around it."""
    cards = table.hand_mask.bit_count()
    worth = sum(table.connections(1 << card) for card in cards_of(table.hand_mask))
    return min(worth, 3 * cards + 2) if rule == "connected" else worth


def _agree(first: int, second: int) -> None:
    if first != second:
        raise WrongAnswer(f"two engines disagree: {first} and {second} connections")


def _order(table: Table, play: int) -> tuple[bool, int, list[int]]:
    return not table.takes_blocker(play), open_sides(table, play), list(cards_of(play))


def _by_cpsat(table: Table, rule: str, meter: Meter) -> int | None:
    """Return CP-SAT's proven best score, or None when it was stopped before."""
    from tilesolve.placement.cpsat.optimisation import optimise
    from tilesolve.placement.objective import Objective, evaluate, faults

    problem, values = placement(table)
    clauses = () if rule == "connected" else _touching(problem)
    objective = Objective(
        sense="maximise", option_value=values, connected=rule == "connected", clauses=clauses
    )
    found = optimise(problem, objective, meter=meter)
    if found.status != "optimal":
        return None
    wrong = faults(problem, found.chosen, objective)
    if wrong or evaluate(problem, objective, found.chosen) != found.score:
        raise WrongAnswer(f"CP-SAT's play breaks the rules: {', '.join(wrong) or 'its score'}")
    return found.score


def _touching(problem: Problem) -> tuple[Clause, ...]:
    """Return the other reading of PI3: beside any other card of a play, one of it touches it."""
    return tuple(
        Clause(given=(card, other), wanted=near)
        for card, near in enumerate(problem.adjacent)
        for other in range(len(problem.adjacent))
        if other != card and other not in near
    )


def placement(table: Table) -> tuple[Problem, tuple[int, ...]]:
    """Return the hand as a placement problem, and what each card is worth when it is laid.

    Examples
    --------
    >>> from tilesolve_models.puzl_it.table import Table
    >>> table = Table(Grid(1, 4), 0b0001, [[1, 3], []], [[], []], 0, None, False, 0)
    >>> problem, values = placement(table)
    >>> problem.cells, values
    (('0,1', '0,3'), (2, 1))
    """
    field, cards = table.grid, list(cards_of(table.hand_mask))
    problem = Problem(
        cells=tuple(_name(field, card) for card in cards),
        kinds=(Kind("card", 1, len(cards)),),
        options=tuple(Option(0, 1 << number) for number in range(len(cards))),
        cover=False,
        adjacent=tuple(
            tuple(other for other, near in enumerate(cards) if field.neighbours[card] >> near & 1)
            for card in cards
        ),
        places=tuple(field.cell(card) for card in cards),
    )
    return problem, tuple(table.connections(1 << card) for card in cards)


def _move(state: State, table: Table, play: int) -> Move:
    victim = richest(table, play)
    name = None if victim is None else state.seats[victim].name
    return Move(play=rules.grid(state).cells_of(play), steal_from=name)


def _recheck(state: State, move: Move, score: int) -> None:
    verdict = rules.check(state, move)
    if not verdict.legal or verdict.score != score:
        raise WrongAnswer(f"a play breaks the rules: {verdict}")


def _ahead(state: State, table: Table, turns: int, meter: Meter) -> Best:
    draws = []
    for card in reversed(table.piles[table.to_move]):
        if card == UNSEEN:
            break
        draws.append(card)
    found = connections_ahead(
        Ahead(table.grid, state.rules.group, table.hand_size, tuple(draws)),
        table.in_play,
        table.hand_mask,
        turns,
        meter=meter,
    )
    line = tuple(dump_move(move) for move in _moves_ahead(state, table, found.plays))
    _recheck_ahead(state, table, found, tuple(draws))
    details: dict[str, Json] = {
        "turns": turns,
        "cards_known": table.hand_mask.bit_count() + len(draws),
        "bound_with_draws": most_with_draws(table, turns, state.rules.group),
    }
    return _best(found.score, found.bound, line, details, meter)


def _moves_ahead(state: State, table: Table, turns: tuple[int, ...]) -> Iterator[Move]:
    """Yield the moves of turns in a row, each with the victim who is the richest by then.

    What is stolen is unseen, so it is left out of the hand, but it is gone from the victim.
    """
    table = table.copy()
    for play in turns:
        yield _move(state, table, play)
        victim = richest(table, play)
        if victim is not None:
            _rob(table, victim, table.connections(play))
        if table.takes_blocker(play):
            table.blocker = None  # taken, and back on the table when the next turn begins
        table.in_play |= play


def _rob(table: Table, victim: int, count: int) -> None:
    for cards in (table.piles[victim], table.hands[victim]):
        taken = min(count, len(cards))
        del cards[len(cards) - taken :]
        count -= taken


def _recheck_ahead(state: State, table: Table, plan: Plan, draws: tuple[int, ...]) -> None:
    """Play a plan by the rules alone: cards in hand, groups, connections."""
    field, hand, lying = table.grid, table.hand_mask, table.in_play
    score, waiting = 0, list(draws)
    for play in plan.plays:
        if play & ~hand or not rules.is_group(field, play, state.rules.group):
            raise WrongAnswer(f"a play breaks the rules: {field.cells_of(play)}")
        score += play.bit_count() + field.contacts(play, lying)
        hand, lying = hand & ~play, lying | play
        while waiting and hand.bit_count() < table.hand_size:
            hand |= 1 << waiting.pop(0)
    if score != plan.score:
        raise WrongAnswer(f"{plan.score} connections over the turns, {score} counted")
