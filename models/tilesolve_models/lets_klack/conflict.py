"""Why not, in words: which blocks stand in each other's way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tilesolve.answers import Reason
from tilesolve.budget import Meter
from tilesolve_models.lets_klack.position import State

_SECONDS = 5.0
_WORK = 100_000

Impossible = Callable[[State, Meter], bool]
"""Whether it is proven that a state cannot be finished; False also when the meter stops."""


def conflict(
    state: State, block: int | None, impossible: Impossible, *, meter: Meter
) -> tuple[Reason, ...]:
    """Return a smallest group of blocks that cannot all arrive, even alone on the table.

    Blocks are taken away one by one, as long as it stays impossible. A block that is taken away
    bars no way, and its card stays open, so what is impossible without it is so with it.

    Parameters
    ----------
    block : int or None
        The block that is asked for, which stays; None asks for all.
    impossible : callable
        Asked of states that lack blocks.
    """
    seconds = None if meter.budget.seconds is None else _SECONDS
    part = meter.part(seconds=seconds, work=_WORK)
    left = state
    for value in state.places:
        if value == block or len(left.blocks) == 1:
            continue
        fewer = replace(left, blocks=tuple(each for each in left.blocks if each[0] != value))
        if impossible(fewer, part):
            left = fewer
    meter.spend(part.worked)
    values = sorted(left.places)
    minimal = part.stopped_by is None
    return (
        Reason(
            code="in-each-others-way" if len(values) > 1 else "cut-off",
            message=_message(values, block, minimal=minimal),
            cells=tuple(left.places.values()),
            pieces=tuple(map(str, values)),
        ),
    )


def _message(values: list[int], block: int | None, *, minimal: bool) -> str:
    if len(values) == 1:
        return f"block {values[0]} cannot reach its card, even alone on the table"
    *most, last = values
    names = f"blocks {', '.join(map(str, most))} and {last}"
    text = f"{names} stand in each other's way: even alone on the table "
    text += "not all of them arrive" if block is None else f"{block} does not arrive"
    return text if minimal else f"{text} (there may be a smaller such group)"
