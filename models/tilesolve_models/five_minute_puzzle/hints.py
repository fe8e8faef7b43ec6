"""Hints: what to do with a roll, or which hexagons to fill first, and why."""

from __future__ import annotations

from collections.abc import Iterator

from tilesolve.answers import Cell, Hint, Hints, Json
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import InputError
from tilesolve.placement.connect import components
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle import rules
from tilesolve_models.five_minute_puzzle.model import UNIT, require_legal
from tilesolve_models.five_minute_puzzle.opening import hint_prefill
from tilesolve_models.five_minute_puzzle.packing import Packer
from tilesolve_models.five_minute_puzzle.planning import SLACK
from tilesolve_models.five_minute_puzzle.position import Position
from tilesolve_models.five_minute_puzzle.ranking import Ranked, Ranking, Turn, rank, share
from tilesolve_models.five_minute_puzzle.state import CrossOut, State, dump_move

RANKING = 0.85
"""Portion of the budget that goes into ranking; the rest is for the reasons."""

LOOK = 300
"""Nodes spent on whether a way on is left after a hint without a plan."""


def hint(
    state: State,
    *,
    count: int,
    budget: Budget,
    watch: Watch = SILENT,
    roll: int | None = None,
    prefill: bool | None = None,
) -> Hints:
    """Rank what can be done with the roll by the expected final penalty.

    All placements of the rolled pieces and all crossings out are candidates. Later rolls that
    the state knows are used; the others are random.

    Parameters
    ----------
    count : int
        Hints at most, best first.
    roll : int or None
        The number rolled, 1 to 6; None takes the state's.
    prefill : bool or None
        Rank choices of hexagons to fill before the start (FM8); None does so when no roll is
        known and nothing has happened yet.

    Raises
    ------
    IllegalState
        If the history breaks a rule.
    InputError
        Without a roll in the middle of a game, or for a pre-fill after the start.

    Examples
    --------
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> answer = hint(State(shipped("synthetic-a"), roll=4), count=1,
    ...               budget=Budget(seconds=None, work=3000))
    >>> answer.exact, answer.hints[0].move["roll"], answer.hints[0].value < 12
    (False, 4, True)
    """
    require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    due = roll if roll is not None else next(iter(state.upcoming), None)
    fresh = not state.history and not state.prefilled
    if prefill or (prefill is None and due is None and fresh):
        if not fresh:
            raise InputError("hexagons can only be pre-filled before the start, all at once")
        return hint_prefill(state, count=count, meter=meter)
    now = rules.position(state)
    if rules.finished(state, now):
        return Hints(hints=(), exact=True, unit=UNIT, seconds=meter.seconds)
    if due is None:
        raise InputError('no roll is known: write it in the state ("roll": 4), or ask with one')
    if state.upcoming and due != state.upcoming[0]:
        raise InputError(f"the state says that {state.upcoming[0]} was rolled, not {due}")
    turn = Turn(now, due, state.upcoming[1:], state.rules.forgo_may_cross_rolled)
    part = share(meter, RANKING)
    ranking = rank(turn, meter=part)
    meter.spend(part.worked)
    return Hints(
        hints=tuple(_hint(turn, ranking, move, meter) for move in ranking.moves[:count]),
        exact=ranking.exact,
        unit=UNIT,
        stopped_by=None if ranking.exact else part.stopped_by,
        seconds=meter.seconds,
        details={
            "candidates": len(ranking.moves),
            "clear": ranking.clear,
            **({} if ranking.exact else {"plans": ranking.plans}),
        },
    )


def _hint(turn: Turn, ranking: Ranking, move: Ranked, meter: Meter) -> Hint:
    piece, mask = move.decision
    edition = turn.now.edition
    after = turn.now.laid(move.decision) if mask else turn.now.without(piece)
    pockets = tuple(_pockets(after)) if mask else ()
    sentences = [_kept(turn, ranking, move, after, meter)]
    if pockets:
        sentences.append(_pocket_words(pockets))
    written = (
        rules.draw(edition, turn.roll, piece, mask)
        if mask
        else CrossOut(edition.pieces[piece].name, turn.roll)
    )
    details: dict[str, Json] = {}
    if move.exact is not None:
        details["expected"] = str(move.exact)
    if move.loss_error is not None:
        details |= {"loss_error": round(move.loss_error, 3), "games": move.games}
    return Hint(
        move=dump_move(written),
        value=round(move.value, 3),
        standard_error=None if move.error is None else round(move.error, 3),
        loss=round(move.loss, 3),
        reason=" ".join(sentence[:1].upper() + sentence[1:] for sentence in sentences),
        cells=edition.cells_of(mask),
        details=details,
    )


def _kept(turn: Turn, ranking: Ranking, move: Ranked, after: Position, meter: Meter) -> str:
    """Return what a decision keeps possible."""
    piece, mask = move.decision
    name = turn.now.edition.pieces[piece].name
    left = after.available.bit_count()
    if not left:
        return f"'{name}' is the last piece; the game ends with {after.penalty}."
    if move.plans:
        ways = f"{move.plans} of the {ranking.plans} good endings found"
        best = f"the best of them ends with {move.sight}"
        if mask:
            return f"{ways} hold '{name}' here; {best}."
        return f"{ways} do without '{name}'; {best}."
    what = f"'{name}' here" if mask else f"crossing out '{name}'"
    ending = _best_ending(after, meter)
    if ending is None:
        return f"{what} is in none of the {ranking.plans} good endings found."
    others = "the last piece" if left == 1 else f"the {left} pieces that are left"
    return f"{what} keeps an end with {ending} in sight, with {others}."


def _best_ending(after: Position, meter: Meter) -> int | None:
    """Return the penalty of a good packing after a decision, if a short search finds one."""
    if not meter.spend():
        return None
    packer = Packer(after, ceiling=0, limit=LOOK)
    slack, ending = SLACK, None
    while ending is None and not packer.gave_up:
        packer.ceiling = packer.floor() + slack
        found = next(packer.packings(), None)
        if found is not None:
            ending = found.penalty
        elif packer.ceiling > after.penalty and not packer.gave_up:
            ending = after.penalty
        slack += SLACK
    meter.spend(packer.nodes)
    return ending


def _pockets(after: Position) -> Iterator[tuple[Cell, ...]]:
    """Yield the regions of empty cells that no piece that is left fits into."""
    edition = after.edition
    for region in components(after.empty, edition.near):
        fits = any(
            mask & region == mask
            for piece in bits(after.available)
            for mask in edition.placements[piece]
        )
        if not fits:
            yield edition.cells_of(region)


def _pocket_words(pockets: tuple[tuple[Cell, ...], ...]) -> str:
    sizes = " and ".join(f"{len(pocket)} at {list(pocket[0])}" for pocket in pockets)
    word = "a pocket" if len(pockets) == 1 else "pockets"
    return f"it leaves {word} of {sizes} that nothing left can fill."
