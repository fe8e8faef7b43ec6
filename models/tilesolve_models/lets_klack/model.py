"""Which way of solving answers a question, and how its outlook becomes an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from tilesolve.answers import Best, Fit, Json, Reason, WrongAnswer
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import IllegalState, InputError
from tilesolve_models.lets_klack import apart, chain, explicit, rules
from tilesolve_models.lets_klack.conflict import conflict
from tilesolve_models.lets_klack.outlook import Outlook, Plan, Target, alone, points
from tilesolve_models.lets_klack.position import Move, State, TurnUp

Engine = Literal["auto", "networkx"]

UNIT = "moves"
POINTS = "minus points"


def outlook(
    state: State,
    target: Target,
    *,
    meter: Meter,
    engine: Engine = "auto",
    table: bool = True,
    within: int | None = None,
) -> Outlook:
    """Return what can be reached from a legal state in phase 2.

    Parameters
    ----------
    engine : {"auto", "networkx"}
        ``networkx`` builds the explicit state graph, up to `explicit.MOST_STATES` states.
    table : bool
        False may leave out plans that stop before everything is covered.
    within : int or None
        What takes more turns than this may be left out.
    """
    if engine == "networkx":
        return explicit.outlook(state, target, meter=meter)
    if state.rules.must_continue:
        return chain.outlook(state, target, meter=meter)
    if state.rules.jump_covered:
        return apart.outlook(state, target, meter=meter, table=table)
    from tilesolve_models.lets_klack import interplay  # with numpy, for which others need not wait

    return interplay.outlook(state, target, meter=meter, table=table, within=within)


def opened(state: State) -> tuple[State, tuple[Move, ...]]:
    """Return a legal state with phase 1 played out, and the moves that do so.

    Raises
    ------
    IllegalState
        When the rules forbid the state.
    """
    verdict = rules.check(state)
    if not verdict.legal:
        raise IllegalState(verdict)
    return rules.turned_up(state), tuple(TurnUp(cell) for cell in state.face_down)


def best(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    moves: int | None = None,
    table: bool = True,
    engine: Engine = "auto",
) -> Best:
    """Return the fewest moves that cover everything, or the least minus points in some moves.

    Parameters
    ----------
    moves : int or None
        Ask for the least minus points after this many turns; where turns are limited (LK8) that
        is asked anyway, for those.
    table : bool
        With ``by_moves``, the least minus points after 0, 1, 2, ... turns.

    Raises
    ------
    IllegalState
        When the rules forbid the state.
    """
    after, turned = opened(state)
    meter = Meter(budget=budget, watch=watch)
    limits = [limit for limit in (moves, state.turns_left) if limit is not None]
    within = min(limits, default=None)
    found = outlook(
        after,
        points(state),
        meter=meter,
        engine=engine,
        table=table or within is not None,
        within=within,
    )
    details: dict[str, Json] = {}
    if turned:
        details["phase_1"] = {"covered": sorted(set(after.covered) - set(state.covered))}
    if found.exact and (table or found.possible is False):
        details["by_moves"] = list(found.by_turns)
    elif table and found.floor:
        details["by_moves_at_most"] = list(found.by_turns)
        details["by_moves_at_least"] = list(found.floor)
    if within is not None:
        return _least(state, turned, found, within, details, meter)
    return _fewest(state, turned, found, details, meter)


def _least(
    state: State,
    turned: tuple[Move, ...],
    found: Outlook,
    within: int,
    details: dict[str, Json],
    meter: Meter,
) -> Best:
    """Answer: how few minus points after so many turns."""
    plan = found.within(within)
    bound = plan.minus if found.exact else min(plan.minus, found.least)
    optimal = found.exact or plan.minus == bound
    return Best(
        proof="optimal" if optimal else "feasible",
        score=plan.minus,
        bound=bound,
        unit=POINTS,
        line=_written(state, turned, plan),
        stopped_by=None if optimal else found.stopped_by,
        seconds=meter.seconds,
        details={**details, "moves": within},
    )


def _fewest(
    state: State,
    turned: tuple[Move, ...],
    found: Outlook,
    details: dict[str, Json],
    meter: Meter,
) -> Best:
    """Answer: how few turns until everything is covered, or what is left over if that fails."""
    if found.cover is not None:
        optimal = found.proven
        return Best(
            proof="optimal" if optimal else "feasible",
            score=found.cover.turns,
            bound=found.bound,
            unit=UNIT,
            line=_written(state, turned, found.cover),
            stopped_by=None if optimal else found.stopped_by,
            seconds=meter.seconds,
            details=details,
        )
    last = found.plans[-1]
    leftover: Json = {
        "minus_points": last.minus,
        "bound": last.minus if found.exact else min(last.minus, found.least),
        "moves": last.turns,
        "line": list(_written(state, turned, last)),
    }
    if found.possible is False:
        why = found.reasons or reasons(rules.turned_up(state), None, meter=meter)
        return Best(
            proof="infeasible",
            unit=UNIT,
            reasons=why,
            seconds=meter.seconds,
            details={**details, "leftover": leftover},
        )
    return Best(
        proof="unknown",
        bound=found.bound,
        unit=UNIT,
        reasons=found.reasons,
        stopped_by=found.stopped_by,
        seconds=meter.seconds,
        details={**details, "leftover": leftover},
    )


def fit(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    block: int | None = None,
    engine: Engine = "auto",
) -> Fit:
    """Can everything be covered, or can this block reach its card, and in how many moves?

    Parameters
    ----------
    block : int or None
        The value of one block; None asks for all.

    Raises
    ------
    IllegalState
        When the rules forbid the state.
    InputError
        For a block that the layout does not have.
    """
    after, turned = opened(state)
    if block is not None and block not in state.card_of:
        raise InputError(f"there is no block {block}", place="$.block")
    meter = Meter(budget=budget, watch=watch)
    target = points(state) if block is None else alone(block)
    found = outlook(after, target, meter=meter, engine=engine, table=False)
    plan, possible = found.cover, found.possible
    if block is not None:
        arriving = [each for each in found.plans if not each.minus]
        plan = arriving[0] if arriving else None
        possible = True if arriving else False if found.exact or found.least > 0 else None
    read = {"blocks": len(after.blocks), "covered": len(after.covered)}
    if plan is not None:
        details: dict[str, Json] = {
            "moves": plan.turns,
            "fewest": found.exact if block is not None else found.proven,
            "line": list(_written(state, turned, plan)),
        }
        return Fit(answer="yes", read=read, seconds=meter.seconds, details=details)
    if possible is False:
        why = found.reasons if block is None else ()
        why = why or reasons(after, block, meter=meter)
        return Fit(
            answer="no",
            reasons=why,
            rung="trivial" if _in_words(why) else "exhausted",
            read=read,
            seconds=meter.seconds,
        )
    return Fit(
        answer="unknown",
        reasons=found.reasons,
        read=read,
        stopped_by=found.stopped_by,
        seconds=meter.seconds,
    )


def reasons(state: State, block: int | None, *, meter: Meter) -> tuple[Reason, ...]:
    """Return why not everything, or not this block, can be covered."""

    def impossible(fewer: State, part: Meter) -> bool:
        target = points(fewer) if block is None else alone(block)
        found = outlook(fewer, target, meter=part, table=False)
        if block is None:
            return found.possible is False
        return found.least > 0 or (found.exact and found.plans[-1].minus > 0)

    return conflict(state, block, impossible, meter=meter)


def _in_words(why: tuple[Reason, ...]) -> bool:
    return any(reason.code in ("last-block", "cut-off") for reason in why)


def _written(state: State, turned: tuple[Move, ...], plan: Plan) -> tuple[Json, ...]:
    """Return a plan's line as JSON, after the rules have replayed it.

    Raises
    ------
    WrongAnswer
        When the rules refuse the line or it does not lead where the plan says.
    """
    line = (*turned, *plan.line())
    free = replace(state, turns_left=None)
    for move in line:
        broken = rules.broken(free, move)
        if broken:
            raise WrongAnswer(f"a line breaks the rules: {broken[0].message}")
        free = rules.apply(free, move)
    verdict = rules.check(free)
    if not verdict.legal:
        raise WrongAnswer(f"a line ends badly: {verdict.violations[0].message}")
    return tuple(rules.dump_move(move) for move in line)
