"""The fewest empty squares still reachable: for a known order of cards, or for any order.

It is the question of one grid by itself: what other players take from the deck for their second
chances is left out, as `assumed` says for a table. Every line is replayed by the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from tilesolve.answers import Best, Json, Reason, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Progress, Watch
from tilesolve.errors import InputError
from tilesolve.proof.certificate import dump_certificate
from tilesolve_models.second_chance.any_order import Packing, Search, cpsat_bound, dealt, pack
from tilesolve_models.second_chance.asking import UNIT, assumed, own_grid, require_legal
from tilesolve_models.second_chance.check import check
from tilesolve_models.second_chance.choices import book_of, options_of
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.known_order import Line, OutOfBudget, beam
from tilesolve_models.second_chance.notation import dump_move
from tilesolve_models.second_chance.proving import nothing_better
from tilesolve_models.second_chance.rules import (
    apply,
    awaiting_cards,
    bonus_due,
    ended,
    moves,
)
from tilesolve_models.second_chance.state import Bonus, Draw, Move, State
from tilesolve_models.second_chance.waves import fewer

Cards: TypeAlias = Literal["auto", "order", "any"]


def best(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    cards: Cards = "auto",
    player: str = "",
    proof: bool = False,
) -> Best:
    """Answer how few empty squares a player can still end with.

    Parameters
    ----------
    cards : {"auto", "order", "any"}
        `order` for the known order of cards in the state, with the choice of two, forced draws
        (SC5) and second chances; `any` for the most favourable order of the cards left; `auto`
        for the order if the state gives it.
    player : str
        Whose grid, at a table; empty is the next in seat order.
    proof : bool
        Look for a certificate also where adding up proves it.

    Returns
    -------
    Best
        The line is replayable move by move; for any order the detail ``order`` has cards that
        it could be played with. ``bound_by`` says what the bound rests on.

    Raises
    ------
    IllegalState
        If the state breaks rules.
    InputError
        If neither the deck nor the order of the cards is known.

    Examples
    --------
    >>> from tilesolve_models.second_chance.notation import load
    >>> from tilesolve.wire import Node
    >>> state = load(Node({"game": "second-chance", "rows": ["...", "..."], "standard": False,
    ...                    "deck": ["I2", "I3", "L3", "I1"], "order": ["I3", "L3", "I1", "I2"]}))
    >>> found = best(state, budget=Budget())
    >>> found.proof, found.score, len(found.line)
    ('optimal', 1, 3)
    """
    require_legal(state)
    meter = Meter(budget=budget, watch=watch)
    own = replace(own_grid(state, player), assumed=assumed(state))
    settled = _settled_already(own, meter)
    if settled is not None:
        return settled
    known = own.order is not None and (own.cards_left or 0) == len(own.order)
    if cards == "order" and not known:
        raise InputError("'order' must list all cards that may still come", place="order")
    if own.remaining is None:
        raise InputError("neither the deck nor the order of the cards is known", place="deck")
    if cards == "any" or not known:
        own = replace(own, order=None)
        return _certified(own, _in_any_order(own, meter), meter, proof=proof)
    return _certified(own, _in_known_order(own, meter), meter, proof=proof)


_SEARCHED = ("an exhaustive search", "CP-SAT")
"""What bounds rest on that one engine alone has found."""


_PAIR = {
    True: "a search of lines and all positions round by round",
    False: "a search of packings and CP-SAT",
}
"""The engines that are asked, by whether the order of the cards is known."""


def _certified(state: State, answer: Best, meter: Meter, *, proof: bool) -> Best:
    """Return an optimum with its certificate, or as merely found where one engine alone says so."""
    searched = answer.details.get("bound_by") in _SEARCHED
    if answer.proof != "optimal" or answer.score is None or not (proof or searched):
        return answer
    written = nothing_better(state, answer.score, meter=meter)
    if written is not None:
        said = {**answer.details, "bound_by": f"{written.rung}, followed by a separate checker"}
        certificate = dump_certificate(written.certificate)
        return replace(answer, details=said, certificate=certificate)
    return _doubted(state, answer, meter) if searched else answer


def _doubted(state: State, answer: Best, meter: Meter) -> Best:
    """Ask another engine to agree, or say that none did."""
    assert answer.score is not None
    said = answer.details["bound_by"]
    if state.order is not None:
        agreed = _by_waves(state, answer.score, meter)
    elif said == "CP-SAT":
        agreed = _by_packing(state, answer.score, meter)
    else:
        agreed = cpsat_bound(_packing(state)[0], meter, 0)[0] >= answer.score
    if agreed:
        both = f"two engines that agree, {_PAIR[state.order is not None]}"
        return replace(answer, details={**answer.details, "bound_by": both})
    message = f"{said} alone says that nothing is better; nothing confirmed it in time"
    return replace(
        answer,
        proof="feasible",
        reasons=(Reason(code="one-engine", message=message),),
        stopped_by=meter.stopped_by or "work",
        details={**answer.details, "bound_by": f"{said} alone"},
    )


def _by_waves(state: State, empties: int, meter: Meter) -> bool:
    """Look at every position of a known order, round by round."""
    roots, cards = _roots(state)
    found = fewer(state.grid, cards, roots, empties, meter=meter)
    if found:
        raise WrongAnswer("an engine says that no line is better, and there is one")
    return found is not None


def _by_packing(state: State, empties: int, meter: Meter) -> bool:
    """Look at every packing in any order."""
    packing = _packing(state)[0]
    exhausted, found = Search(packing, meter, meter.budget.seed).run(empties - 1)
    if found is not None:
        raise WrongAnswer("CP-SAT says that no packing is better, and there is one")
    return exhausted


def _settled_already(state: State, meter: Meter) -> Best | None:
    """Return the answer where nothing is drawn any more."""
    if state.phase == "bonus" and bonus_due(state):
        square = state.grid.cells(state.grid.everything & ~state.players[0].filled)[0]
        return _answer(state, [Bonus(square)], 0, meter, bound_by="the rules", tight=True)
    if ended(state) or state.phase == "bonus":
        return _answer(state, [], 0, meter, bound_by="the rules", tight=True)
    return None


def _answer(
    state: State,
    line: Sequence[Move],
    bound: int,
    meter: Meter,
    *,
    bound_by: str,
    tight: bool = False,
    details: dict[str, Json] | None = None,
) -> Best:
    """Return the answer that a line gives, after replaying it."""
    score = _replayed(state, line)
    proven = tight or score <= bound
    said: dict[str, Json] = {"assumed": list(state.assumed)} if state.assumed else {}
    if not proven:
        meter.stop("work")
    return Best(
        proof="optimal" if proven else "feasible",
        unit=UNIT,
        score=score,
        bound=score if proven else bound,
        line=tuple(dump_move(move) for move in line),
        stopped_by=None if proven else meter.stopped_by,
        seconds=meter.seconds,
        details={"bound_by": bound_by, **(details or {}), **said},
    )


def _replayed(state: State, line: Sequence[Move]) -> int:
    """Play a line by the rules and return the empty squares at its end."""
    for move in line:
        verdict = check(state, move)
        if not verdict.legal:
            raise WrongAnswer(f"the line breaks the rules: {verdict.violations[0].message}")
        state = apply(state, move)
    if line and not ended(state) and state.phase != "bonus":
        raise WrongAnswer("the line does not end the game")
    return state.players[0].empties


def _in_known_order(state: State, meter: Meter) -> Best:
    """Look for the best line: beams find it, or an exhaustive search does; bounds prove it."""
    roots, cards = _roots(state)
    line = Line(state.grid, cards, meter)
    best, plan = state.players[0].empties + 1, [roots[0]] if roots else []
    packing = _packing(state)[0]
    bound = max(packing.bound(), min((line.bound(filled, 0) for filled in roots), default=0))
    exhausted, bound_by, asked = not roots, "areas and pockets", False
    for work, width in STAGES:
        if exhausted or best <= bound or not meter.spend():
            break
        if not asked and (work is None or (work >= LONG and best > bound + FAR)):
            asked = True
            part = meter.part(seconds=meter.share(0.5))
            bound, bound_by = max((bound, bound_by), cpsat_bound(packing, part, bound))
            meter.spend(part.worked)
        part = meter.part(work=work)
        exhausted, best, plan = _exhaust(replace(line, meter=part), roots, best, plan)
        meter.spend(part.worked)
        if width and not exhausted:
            found = beam(book_of(state), roots, line, width=width, below=best)
            best, plan = found or (best, plan)
        meter.report(Progress(stage="lines", score=best, bound=bound))
    if exhausted and best > bound:
        bound_by = "an exhaustive search" if roots else "the rules"
    return _answer(
        state,
        _line(state, plan),
        bound,
        meter,
        bound_by=bound_by,
        tight=exhausted,
        details={"cards": "order"},
    )


STAGES: tuple[tuple[int | None, int], ...] = (
    (500, 30), (2000, 120), (5000, 500), (20_000, 2000), (50_000, 8000), (None, 0),
)  # fmt: skip
"""Positions searched exhaustively and the width of the beam after it, stage by stage."""


LONG, FAR = 20_000, 3
"""CP-SAT is asked for a bound before the last stage, or before one that searches so many
positions where score and bound are further apart than this."""


def _roots(state: State) -> tuple[list[int], tuple[Tile, ...]]:
    """Return the masks to begin with and the cards that come after, two a round.

    A start tile and a second-chance card that fits are drawn already in them; no mask means
    that nothing can be drawn.
    """
    player, order = state.players[0], state.order or ()
    cards = (*state.turned_up, *order)
    if state.phase == "round":
        return [player.filled], cards
    if state.phase == "second_chance":
        state, cards = replace(state, turned_up=cards[:1]), cards[1:]
    return [player.filled | mask for _, mask in options_of(state, player)], cards


def _exhaust(
    line: Line, roots: Sequence[int], best: int, plan: list[int]
) -> tuple[bool, int, list[int]]:
    """Search all lines; return whether that was finished, the best score and its plan."""
    try:
        for filled in roots:
            found = line.fewest(filled, 0, best)
            if found < best:
                best, plan = found, [filled, *(mask for mask, _ in line.path(filled, 0, found))]
    except OutOfBudget:
        return False, best, plan
    return True, best, plan


def _line(state: State, plan: Sequence[int]) -> list[Move]:
    """Return the moves that draw these masks one after another, and play on to the end.

    The first mask is what is filled at the beginning, with what opens the game.
    """
    opening = plan[0] & ~state.players[0].filled if plan else 0
    masks = [mask for mask in (opening, *plan[1:]) if mask]
    line: list[Move] = []
    while not ended(state):
        move = _next_move(state, masks)
        if move is None:
            break
        line.append(move)
        state = apply(state, move)
    return line


def _next_move(state: State, masks: list[int]) -> Move | None:
    """Return the planned draw if it is due, else what the rules leave to do."""
    if masks and not awaiting_cards(state):
        for tile, mask in options_of(state, state.players[0]):
            if mask == masks[0]:
                del masks[0]
                return Draw(tile, state.grid.cells(mask))
    return next(moves(state), None)


def _in_any_order(state: State, meter: Meter) -> Best:
    """Pack as much as the draws allow, and find an order of cards that deals it."""
    packing, forced = _packing(state)
    if forced:
        return _answer(state, _line(state, []), 0, meter, bound_by="the rules", tight=True)
    packed = pack(packing, meter)
    order = _order(state, packed.drawn)
    arranged = replace(state, order=order)
    plan = [state.players[0].filled, *(mask for _, mask in packed.drawn)]
    line = _line(arranged, plan)
    details: dict[str, Json] = {"cards": "any", "order": [tile.name for tile in order]}
    return _answer(arranged, line, packed.bound, meter, bound_by=packed.bound_by, details=details)


def _packing(state: State) -> tuple[Packing, bool]:
    """Return the packing that the state asks for, and whether nothing can be drawn at all."""
    player = state.players[0]
    copies = state.remaining or Counter()
    total = copies.total()
    first: tuple[tuple[Tile, int], ...] = ()
    draws = total // 2
    if state.phase == "start" or state.turned_up:
        first = options_of(state, player)
        if not first and state.phase == "round":
            draws = 1 + (total - 1) // 2 if total else 0  # a second chance takes the next card
        elif not first:
            return Packing(state.grid, player.filled, (), {}, 0), True
    elif state.phase == "second_chance":
        draws = 1 + (total - 1) // 2 if total else 0
    return Packing(state.grid, player.filled, first, dict(copies), draws), False


def _order(state: State, drawn: Sequence[tuple[Tile, int]]) -> tuple[Tile, ...]:
    """Return an order of the cards in which these tiles can be drawn one after another."""
    copies = state.remaining or Counter()
    tiles = [tile for tile, _ in drawn]
    if state.phase == "start" or (state.turned_up and options_of(state, state.players[0])):
        tiles = tiles[1:]
    elif tiles and (state.turned_up or state.phase == "second_chance"):
        rest = copies - Counter(tiles[:1])
        return (tiles[0], *dealt(tiles[1:], rest))
    return dealt(tiles, copies)
