"""What can be covered at all where covered cards bar the way, without counting moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilesolve.answers import Reason
from tilesolve.budget import Meter, Progress
from tilesolve_models.lets_klack.half import NEVER
from tilesolve_models.lets_klack.labels import (
    Kept,
    Label,
    Start,
    followers,
    hope_of,
    needed,
    worth_of,
)
from tilesolve_models.lets_klack.outlook import Target
from tilesolve_models.lets_klack.position import State
from tilesolve_models.lets_klack.possible import Possible

_LAST = Reason(
    code="last-block",
    message=(
        "the last block cannot arrive: all cards but its own are closed by then, and where it "
        "would have to jump from, it would have covered its card at once"
    ),
)


def most_of(
    state: State, target: Target, starts: list[Start], meter: Meter
) -> tuple[Decided, Decided]:
    """Decide whether everything can be covered, and else what can be covered at most."""
    searches = [Possible(start.ways, meter) for start in starts]
    whole = Decided(None, None, True)
    if not hopeless(starts) and any(_uncut(start) for start in starts):
        whole = _decide(target, starts, searches, meter, whole=True)
    if whole.label is not None and whole.start is not None:
        cap = sum(target.worths.get(value, 0) for value in whole.start.ways.values)
        if worth_of(target, whole.start, whole.label) == cap:
            return whole, whole
    return whole, _decide(target, starts, searches, meter, whole=False)


def hopeless(starts: list[Start]) -> bool:
    """Return whether the last block cannot arrive: it would have to leave its own card first.

    It arrives by a jump over an open card, and all but its own are closed by then; that jump
    starts on the other side of its own card, where automatic covering never lets it stand.
    """
    return all(
        start.state.rules.cover == "automatic"
        and not {"fly", "away"} & set(start.state.specials)
        and len(start.state.blocks) + len(start.state.covered) == len(start.state.values)
        and not any(start.state.beside_own_card(*each) for each in start.state.blocks)
        for start in starts
    )


@dataclass(frozen=True)
class Decided:
    """The best label found, the start it belongs to, and whether there is no better."""

    label: Label[Any] | None
    start: Start | None
    exhausted: bool


def _decide(
    target: Target,
    starts: list[Start],
    searches: list[Possible],
    meter: Meter,
    *,
    whole: bool,
) -> Decided:
    """Search depth first, without counting jumps, for the label worth most."""
    best, at, worth = None, None, -NEVER
    cap = NEVER if whole else cap_of(target, starts)
    for start, rooms in zip(starts, searches, strict=True):
        if meter.stopped_by is not None:
            break
        kept = Kept(rooms)
        first = start.label(rooms)
        waiting = [] if first is None else [first]
        while waiting and worth < cap and meter.stopped_by is None:
            label = waiting.pop()
            meter.report(Progress(stage="what can be covered", done=kept.number))
            if label.gone == start.everything and whole:
                return Decided(label, start, True)
            if not whole and worth_of(target, start, label) > worth:
                best, at, worth = label, start, worth_of(target, start, label)
            if not whole and hope_of(target, start, rooms, label) <= worth:
                continue
            following = [
                each
                for each in followers(rooms, label)
                if (not whole or needed(rooms, each) < NEVER) and kept.adds(each)
            ]
            waiting += sorted(following, key=lambda each: -needed(rooms, each))
    return Decided(best, at, meter.stopped_by is None)


def cap_of(target: Target, starts: list[Start]) -> int:
    """Return a worth that cannot be exceeded."""
    total = sum(target.worths.get(value, 0) for value in starts[0].ways.values)
    spared = []
    for start in starts:
        cut = sorted(target.worths.get(value, 0) for value in start.cut_off)
        spared.append(sum(cut[: max(0, len(cut) - start.cards)]))
    least = min(target.worths.get(value, 0) for value in starts[0].ways.values)
    return total - max(min(spared), least if hopeless(starts) else 0)


def _uncut(start: Start) -> bool:
    """Return whether the special cards are enough for the blocks that are cut off."""
    return len(start.cut_off) <= start.cards


def why_not(starts: list[Start]) -> tuple[Reason, ...]:
    """Return why not everything can be covered, where that is plain to see."""
    if hopeless(starts):
        return (_LAST,)
    if len(starts) > 1 or _uncut(starts[0]):
        return ()
    return tuple(
        Reason(
            code="cut-off",
            message=f"block {value} cannot reach its card: covered cards cut it off",
            cells=(starts[0].state.places[value],),
            pieces=(str(value),),
        )
        for value in starts[0].cut_off
    )
