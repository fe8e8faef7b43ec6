"""`fit` and `best` of Puzl It: which cards join, and the play with most connections.

The best play is a placement problem: every hand card is a piece of one cell with one option,
worth itself and its contacts, and what is chosen hangs together (PI3, PI4). CP-SAT answers it;
trying out all groups, or for hands too large for that the groups that cannot be enlarged, is
the second engine, and the two must agree.
"""

from __future__ import annotations

from itertools import islice
from typing import Literal, TypeAlias

from tilesolve.answers import Best, Fit, Json, Placed, Reason, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import IllegalState
from tilesolve.placement.problem import Kind, Option, Problem
from tilesolve_models.picture_grid import Grid, cards_of
from tilesolve_models.puzl_it import rules
from tilesolve_models.puzl_it.policies import largest_plays, open_sides, richest
from tilesolve_models.puzl_it.rules import plays
from tilesolve_models.puzl_it.state import Move, State, dump_move
from tilesolve_models.puzl_it.table import UNSEEN, Table
from tilesolve_models.puzl_it.turns import Ahead, connections_ahead, most_with_draws

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
    play = best_play(table, state.rules.group, engine=engine, meter=meter)
    score = table.connections(play)
    move = _move(state, table, play)
    _recheck(state, move, score)
    details = {"takes_blocker": table.takes_blocker(play), "open_sides": open_sides(table, play)}
    return Best(
        proof="optimal",
        unit=UNIT,
        score=score,
        bound=score,
        line=(dump_move(move),),
        seconds=meter.seconds,
        details=details,
    )


def best_play(table: Table, rule: str, *, engine: Engine = "auto", meter: Meter) -> int:
    """Return the play with most connections, first in the order that `best` states.

    Raises
    ------
    WrongAnswer
        If two engines disagree, which would be a fault of the program.
    """
    hand = table.hand_mask
    large = largest_plays(table.grid, hand, rule)
    most = max(map(table.connections, large))
    if engine != "cpsat" and hand.bit_count() <= ENUMERATED:
        tried = max(map(table.connections, plays(table.grid, hand, rule)))
        _agree(most, tried)
    if engine != "search" and rule == "connected":
        found = _by_cpsat(table, meter)
        if found is not None:
            _agree(most, found)
    ties = [play for play in large if table.connections(play) == most]
    return min(ties, key=lambda play: _order(table, play))


def _agree(first: int, second: int) -> None:
    if first != second:
        raise WrongAnswer(f"two engines disagree: {first} and {second} connections")


def _order(table: Table, play: int) -> tuple[bool, int, list[int]]:
    return not table.takes_blocker(play), open_sides(table, play), list(cards_of(play))


def _by_cpsat(table: Table, meter: Meter) -> int | None:
    """Return CP-SAT's proven best score, or None when it was stopped before."""
    from tilesolve.placement.cpsat import optimise
    from tilesolve.placement.objective import Objective, evaluate, faults

    problem, values = placement(table)
    objective = Objective(sense="maximise", option_value=values, connected=True)
    found = optimise(problem, objective, meter=meter)
    if found.status != "optimal":
        return None
    wrong = faults(problem, found.chosen, objective)
    if wrong or evaluate(problem, objective, found.chosen) != found.score:
        raise WrongAnswer(f"CP-SAT's play breaks the rules: {', '.join(wrong) or 'its score'}")
    return found.score


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
    line = tuple(
        {"play": [list(cell) for cell in table.grid.cells_of(play)]} for play in found.plays
    )
    details: dict[str, Json] = {
        "turns": turns,
        "cards_known": table.hand_mask.bit_count() + len(draws),
        "bound_with_draws": most_with_draws(table, turns, state.rules.group),
    }
    proof: Literal["optimal", "feasible"] = "optimal" if found.score == found.bound else "feasible"
    return Best(
        proof=proof,
        unit=UNIT,
        score=found.score,
        bound=found.bound,
        line=line,
        stopped_by=None if proof == "optimal" else meter.stopped_by or "work",
        seconds=meter.seconds,
        details=details,
    )
