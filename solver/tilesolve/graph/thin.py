"""Breadth-first search in plain integers, for state graphs whose layers are thin.

Numpy pays for every layer anew, however few states are in it; sets of integers do not. A layer
that is done with is kept as bytes, if at all. Where layers turn out wide the arrays of
`tilesolve.graph.paths` are quicker and smaller, so this search gives up there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

from tilesolve.budget import Meter, Progress, memory_allowed
from tilesolve.graph.paths import Shortest

Beyond: TypeAlias = Callable[[AbstractSet[int]], set[int]]
"""All neighbours of all these states, as a new set; its moves can be taken back."""

Wanted: TypeAlias = Callable[[AbstractSet[int]], Sequence[int]]
"""Those of these states that are wanted."""

WIDEST = 1 << 13
"""States that one layer may hold."""

_LIVE = 112
"""Bytes of a state in a set."""


@dataclass(frozen=True, kw_only=True)
class ThinWalk:
    """What a search in plain integers saw.

    Parameters
    ----------
    sizes : tuple of int
        States at each distance, complete layers only.
    layers : tuple of bytes
        The states of each layer one after the other, little end first; empty if not kept.
    found : sequence of int
        The wanted states of the last layer.
    exhausted : bool
        True when every reachable state was seen.
    """

    sizes: tuple[int, ...]
    layers: tuple[bytes, ...]
    found: Sequence[int]
    exhausted: bool


def thin_walk(
    start: int, beyond: Beyond, wanted: Wanted, *, meter: Meter, keep: int = 0
) -> ThinWalk | None:
    """Search layer by layer to the first with a wanted state; None where layers turn out wide.

    One unit of work a state expanded. As in `tilesolve.graph.paths.walk` a new state can only
    have been seen in the two layers before it.

    Parameters
    ----------
    start : int
        Where to begin; no state is negative.
    beyond : callable
        All neighbours of a set of states; their moves can be taken back.
    wanted : callable
        Which states of a set are wanted.
    keep : int
        Keep the layers, with so many bytes for a state; 0 keeps none.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> ring = lambda states: {(state + way) % 6 for state in states for way in (1, 5)}
    >>> thin_walk(0, ring, lambda _: (), meter=Meter(budget=Budget())).sizes
    (1, 2, 2, 1)
    """
    limit = memory_allowed(meter)
    previous, current = set[int](), {start}
    sizes: list[int] = []
    layers: list[bytes] = []
    while True:
        sizes.append(len(current))
        found = wanted(current)
        if found or not meter.spend(len(current)):
            return _walked(sizes, layers, found=found, exhausted=False)
        if keep:
            layers.append(b"".join([state.to_bytes(keep, "little") for state in current]))
        following = beyond(current)
        following -= current
        following -= previous
        if not following:
            return _walked(sizes, layers, found=(), exhausted=True)
        previous, current = current, following
        live = len(previous) + 2 * len(current)  # a layer and its neighbours, before it is sifted
        if len(current) > WIDEST or sum(sizes) * keep + live * _LIVE > limit:
            return None
        meter.report(Progress(stage="breadth-first", done=sum(sizes), bound=len(sizes)))


def thin_line(
    start: int, beyond: Beyond, wanted: Wanted, *, size: int, meter: Meter
) -> Shortest | None:
    """Search for the nearest wanted state; None where layers turn out wide.

    Parameters
    ----------
    start, beyond, wanted
        As in `thin_walk`.
    size : int
        Bytes of a state.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> steps = lambda states: {state + way for state in states for way in (-1, 1)}
    >>> six = lambda states: [state for state in states if state == 6]
    >>> thin_line(3, steps, six, size=1, meter=Meter(budget=Budget())).line
    (3, 4, 5, 6)
    """
    seen = thin_walk(start, beyond, wanted, meter=meter, keep=size)
    if seen is None:
        return None
    return Shortest(
        line=_back(seen.layers, min(seen.found), beyond, size) if seen.found else (),
        exhausted=seen.exhausted,
        bound=len(seen.sizes) - bool(seen.found),
        states=sum(seen.sizes),
    )


def _walked(
    sizes: Sequence[int], layers: Sequence[bytes], *, found: Sequence[int], exhausted: bool
) -> ThinWalk:
    return ThinWalk(sizes=tuple(sizes), layers=tuple(layers), found=found, exhausted=exhausted)


def _back(layers: Sequence[bytes], end: int, beyond: Beyond, size: int) -> tuple[int, ...]:
    """Return the states of a line from the first layer to a neighbour of the last."""
    states = [end]
    for layer in reversed(layers):
        near = sorted(beyond({states[-1]}))
        states.append(
            next(state for state in near if _holds(layer, state.to_bytes(size, "little")))
        )
    return tuple(reversed(states))


def _holds(layer: bytes, state: bytes) -> bool:
    at = layer.find(state)
    while at % len(state) and at > 0:  # found, but across two states
        at = layer.find(state, at + 1)
    return at >= 0
