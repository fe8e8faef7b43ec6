"""`fit` and `best` of the New-Year puzzle: what fits, when, and what a turn may bring."""

from __future__ import annotations

from dataclasses import replace

from tilesolve.answers import Best, Cell, Fit, Json, Placed, Reason, Rung, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import IllegalState
from tilesolve.wire import Node
from tilesolve_models.new_year_puzzle import rules
from tilesolve_models.new_year_puzzle.chances import Expectation, Knowledge
from tilesolve_models.new_year_puzzle.expectation import expected_successes
from tilesolve_models.new_year_puzzle.state import Flip, Memory, State, dump_move
from tilesolve_models.picture_grid import Grid, cards_of

UNIT = "successes"


def legal_view(state: State, remember: int | None = None) -> State:
    """Return the position after the history as its players know it, or raise `IllegalState`.

    The referee's layout and the order of the prizes are left out. If one face-down card alone
    is unknown, it is known by what is left.

    Parameters
    ----------
    remember : int or None
        Only so many remembered cards are kept, those seen last; None keeps all.
    """
    verdict = rules.check(state)
    if not verdict.legal:
        raise IllegalState(verdict)
    state = replace(rules.position(state), layout=None)
    if state.stack is not None:
        pool = tuple(sorted(state.stack.pool, key=repr))  # an order would give the next away
        state = replace(state, stack=replace(state.stack, pool=pool, ordered=False))
    known = tuple(dict.fromkeys(state.known))
    if remember is not None:
        known = known[max(0, len(known) - remember) :]
    return replace(state, known=(*known, *_by_elimination(state, known)))


def _by_elimination(state: State, known: tuple[Memory, ...]) -> tuple[Memory, ...]:
    field = rules.grid(state)
    closed = field.everything & ~field.mask(state.open)
    homes = closed & ~field.mask(each.home for each in known)
    places = closed & ~field.mask(each.at for each in known)
    if homes.bit_count() != 1:
        return ()
    return (Memory(*field.cells_of(places), *field.cells_of(homes)),)


def knowledge_of(state: State) -> Knowledge:
    """Return the masks of open and remembered cards."""
    field = rules.grid(state)
    return Knowledge(field, field.mask(state.open), field.mask(each.home for each in state.known))


def fit(state: State, *, budget: Budget, watch: Watch = SILENT, card: Node | None = None) -> Fit:
    """Which cards fit now, which after others, and how likely is an unknown one to fit?

    Parameters
    ----------
    card : cell or None
        The card turned up, by its home: the question is then whether it fits. Without it, the
        answer is yes as long as any flip can succeed.

    Notes
    -----
    `chance` is the success probability of an unknown flip as favourable/possible, `known` says
    of every remembered card whether it fits ``now``, ``after`` others (a shortest order of their
    homes) or ``not yet``.
    """
    meter = Meter(budget=budget, watch=watch)
    seen = legal_view(state)
    knowledge = knowledge_of(seen)
    near = knowledge.grid.beside(knowledge.open)
    favourable = (near & knowledge.unknown).bit_count()
    possible = knowledge.unknown.bit_count()
    details: dict[str, Json] = {
        "known": [_known(knowledge, each) for each in seen.known],
        "frontier": [list(cell) for cell in knowledge.grid.cells_of(near)],
    }
    if possible:
        details["chance"] = f"{favourable}/{possible}"
        details["chance_value"] = favourable / possible
    read = {
        "cards": knowledge.grid.size,
        "open": knowledge.open.bit_count(),
        "known": len(seen.known),
        "unknown": possible,
    }
    reasons: tuple[Reason, ...] = ()
    witness: tuple[Placed, ...] = ()
    if card is not None:
        cell = _card(knowledge.grid, card)
        details["home"] = list(cell)
        reasons, witness = _turned(knowledge, cell)
    elif not near:
        reasons = (Reason(code="complete", message="the picture is complete"),)
    rung: Rung | None = "trivial" if reasons else None
    return Fit(
        answer="no" if reasons else "yes",
        witness=witness,
        reasons=reasons,
        rung=rung,
        read=read,
        seconds=meter.seconds,
        details=details,
    )


def _card(field: Grid, node: Node) -> Cell:
    cell = node.cell()
    if not field.holds(cell):
        raise node.expected(f"a cell of the picture of {field.rows} x {field.columns}")
    return cell


def _turned(knowledge: Knowledge, cell: Cell) -> tuple[tuple[Reason, ...], tuple[Placed, ...]]:
    field, card = knowledge.grid, 1 << knowledge.grid.card(cell)
    if knowledge.open & card:
        message = f"the card of {list(cell)} lies open already"
        return (Reason(code="already-open", message=message, cells=(cell,)),), ()
    if field.beside(knowledge.open) & card:
        return (), (Placed(piece=",".join(map(str, cell)), cells=(cell,)),)
    message = f"{list(cell)} shares no side with an open cell, so the card is turned down again"
    return (Reason(code="no-open-neighbour", message=message, cells=(cell,)),), ()


def _known(knowledge: Knowledge, memory: Memory) -> Json:
    entry: dict[str, Json] = {"at": list(memory.at), "home": list(memory.home)}
    before = _shortest_before(knowledge, memory.home)
    if before is None:
        return {**entry, "fits": "not yet"}
    if not before:
        return {**entry, "fits": "now"}
    return {**entry, "fits": "after", "after": [list(cell) for cell in before]}


def _shortest_before(knowledge: Knowledge, home: Cell) -> tuple[Cell, ...] | None:
    """Return the fewest remembered cards to be laid first, in order; None if that never helps.

    Breadth first from the card back to the open cells, over homes of remembered cards.
    """
    field, target = knowledge.grid, knowledge.grid.card(home)
    near = field.beside(knowledge.open)
    came, waiting = {target: target}, [target]
    for card in waiting:
        if near >> card & 1:
            path = [card]
            while path[-1] != target:
                path.append(came[path[-1]])
            return tuple(field.cell(each) for each in path[:-1])
        for other in cards_of(field.neighbours[card] & knowledge.known):
            if other not in came:
                came[other] = card
                waiting.append(other)
    return None


def best(state: State, *, budget: Budget, watch: Watch = SILENT) -> Best:
    """Return the longest certain chain, and the most successes that this turn may expect.

    The score is the number of remembered cards that can be laid one after another for certain;
    the line lays them. `certain` is how many of them happen whatever prizes come. `expected` is
    the greatest expected number of successes of the turn: as a fraction, or, where that would
    take too long, as a decimal number that is off by at most 1e-9, `expected_least` and
    `expected_most` enclosing it. Where there is too much to count for the budget it is absent,
    those two enclose it, and `expected_value` is their middle. It is reached by laying what fits
    for certain first and then turning up unknown cards (`then`) until one fails.
    """
    meter = Meter(budget=budget, watch=watch)
    seen = legal_view(state)
    knowledge = knowledge_of(seen)
    line = chain(seen)
    score = (knowledge.chain(knowledge.open) & ~knowledge.open).bit_count()
    if len(line) != score:
        raise WrongAnswer(f"a chain of {len(line)} where {score} cards can follow")
    expected = expected_successes(knowledge, seen.stack, reshuffle=seen.reshuffle, meter=meter)
    details = _expected(expected)
    details["certain"] = min(score, 1) if _may_end(seen) else score
    unknown = unknown_place(seen)
    if unknown is not None:
        details["then"] = {"flip": list(unknown)}
    return Best(
        proof="optimal",
        unit=UNIT,
        score=score,
        bound=score,
        line=tuple(dump_move(flip) for flip in line),
        seconds=meter.seconds,
        details=details,
    )


def _expected(expected: Expectation) -> dict[str, Json]:
    middle = (expected.least + expected.most) / 2
    details: dict[str, Json] = {"expected_value": float(middle)}
    if expected.exact:
        return {"expected": f"{middle.numerator}/{middle.denominator}", **details}
    details["expected_least"] = float(expected.least)
    details["expected_most"] = float(expected.most)
    if expected.settled:
        return {"expected": f"{float(middle):.12f}", **details}
    if expected.stopped_by is not None:
        details["expected_stopped_by"] = expected.stopped_by
    return details


def _may_end(state: State) -> bool:
    stack = state.stack
    if stack is not None and not stack.left and state.reshuffle:
        stack = stack.reshuffled()
    return stack is not None and stack.ends_turn() > 0


def unknown_place(state: State) -> Cell | None:
    """Return the first face-down place, in reading order, whose card nobody remembers."""
    field = rules.grid(state)
    places = field.everything & ~field.mask(state.open)
    unknown = places & ~field.mask(each.at for each in state.known)
    return field.cell((unknown & -unknown).bit_length() - 1) if unknown else None


def chain(state: State) -> tuple[Flip, ...]:
    """Return the flips of remembered cards that succeed one after another, as many as there are.

    Every flip is re-checked with the rules. The cards travel: one that lies where another is
    laid goes to the place left.
    """
    flips: list[Flip] = []
    state = replace(state, stack=None)
    while True:
        fitting = next((each for each in state.known if rules.fits(state, each.home)), None)
        if fitting is None:
            return tuple(flips)
        flip = Flip(flip=fitting.at, home=fitting.home, success=True)
        verdict = rules.check(state, flip)
        if not verdict.legal:
            raise WrongAnswer(f"a chain breaks the rules: {verdict.violations[0].message}")
        flips.append(flip)
        state = rules.apply(state, flip)
