"""Pockets: small regions of open cells that no choice of pieces can fill."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tilesolve.budget import Meter, each
from tilesolve.placement.sweep import Sweep


def pockets(
    sweep: Sweep, adjacent: Sequence[Sequence[int]], *, meter: Meter | None = None
) -> Callable[[int, int, int], bool] | None:
    """Return a test whether a state is hopeless, or None where it could never say so.

    Each region of open cells beside the option just placed is filled at best to the largest sum
    of piece sizes that is no larger; what stays open there is lost. The state is hopeless when
    more is lost than may be.

    Parameters
    ----------
    sweep : Sweep
        What is being filled.
    adjacent : sequence of sequence of int
        Neighbours by cell; pieces must be connected for the test to be right, which is checked.

    Returns
    -------
    callable or None
        ``hopeless(open, taken, spare)``, with masks of positions.

    Examples
    --------
    Two of three cells in a row cannot be filled by one piece of three.

    >>> sweep = Sweep((0, 1, 2, 3), (0b0111,), (0,), (1,), (3,), (1,), (1,), False, (1,) * 4)
    >>> hopeless = pockets(sweep, ((1,), (0, 2), (1, 3), (2,)))
    >>> hopeless(0b1011, 0b0100, 2), hopeless(0b1011, 0b0100, 3)
    (True, False)
    """
    near = [
        sum(1 << other for other in others) for others in neighbours(sweep, adjacent, meter=meter)
    ]
    if not near:
        return None
    sizes = [size for size, most in zip(sweep.sizes, sweep.most, strict=True) for _ in range(most)]
    limit = 2 * max(sizes, default=0)
    lost = _lost(sizes, limit)
    if not any(lost):
        return None

    def hopeless(vacant: int, taken: int, spare: int) -> bool:
        allowed = 0 if sweep.cover else spare
        beside = _beside(taken, near) & vacant
        while beside:
            region = _region(beside & -beside, vacant, near, limit)
            beside &= ~region
            size = region.bit_count()
            if size <= limit:
                allowed -= lost[size]
                if allowed < 0:
                    return True
        return False

    return hopeless


def neighbours(
    sweep: Sweep, adjacent: Sequence[Sequence[int]], *, meter: Meter | None = None
) -> tuple[tuple[int, ...], ...]:
    """Return for each position the neighbouring ones, or nothing where they tell nothing.

    They do when every option is connected, so that no piece reaches out of a pocket.

    Parameters
    ----------
    adjacent : sequence of sequence of int
        Neighbours by cell; may be empty.

    Examples
    --------
    >>> sweep = Sweep((1, 0), (0b11,), (0,), (1,), (2,), (1,), (1,), True, (1, 1))
    >>> neighbours(sweep, ((1,), (0,))), neighbours(sweep, ())
    (((1,), (0,)), ())
    """
    if not adjacent:
        return ()
    position = {cell: at for at, cell in enumerate(sweep.order)}
    near = tuple(tuple(sorted(position[other] for other in adjacent[cell])) for cell in sweep.order)
    if sweep.connected:
        return near
    masks = [sum(1 << other for other in others) for others in near]
    return near if all(_connected(mask, masks) for mask in each(meter, set(sweep.masks))) else ()


def small_pockets(
    sweep: Sweep, adjacent: Sequence[Sequence[int]]
) -> tuple[tuple[int, int, int], ...]:
    """Return the regions of one or two cells, where they are too small for any piece.

    A state is hopeless when the cells of one are open and all around it are taken.

    Parameters
    ----------
    adjacent : sequence of sequence of int
        Neighbours by cell; may be empty.

    Returns
    -------
    tuple
        Each one's first position, its cells, and these with those around them, as masks of
        positions; in order of the first. Nothing where pieces may not be connected.

    Examples
    --------
    >>> sweep = Sweep((0, 1), (0b11,), (0,), (1,), (2,), (1,), (1,), True, (1, 1))
    >>> small_pockets(sweep, ((1,), (0,)))
    ((0, 1, 3), (1, 2, 3))
    """
    smallest = min((size for size in sweep.sizes if size), default=1)
    if smallest == 1:
        return ()
    near = neighbours(sweep, adjacent)
    around = [sum(1 << other for other in others) | 1 << at for at, others in enumerate(near)]
    found = []
    for cell, others in enumerate(near):
        found.append((cell, 1 << cell, around[cell]))
        if smallest > 2:
            found += [
                (cell, 1 << cell | 1 << other, around[cell] | around[other])
                for other in others
                if other > cell
            ]
    return tuple(found)


def _lost(sizes: Sequence[int], limit: int) -> list[int]:
    """Return for each size of a region the cells that stay open at best."""
    sums = 1
    for size in sizes:
        sums |= sums << size
    sums &= (1 << (limit + 1)) - 1
    return [size + 1 - (sums & ((2 << size) - 1)).bit_length() for size in range(limit + 1)]


def _beside(mask: int, near: Sequence[int]) -> int:
    around = 0
    while mask:
        low = mask & -mask
        mask ^= low
        around |= near[low.bit_length() - 1]
    return around


def _region(seed: int, within: int, near: Sequence[int], limit: int) -> int:
    """Return the region of a cell, or some part of it with more than `limit` cells."""
    region = front = seed
    while front:
        low = front & -front
        fresh = near[low.bit_length() - 1] & within & ~region
        region |= fresh
        front = (front ^ low) | fresh
        if region.bit_count() > limit:
            break
    return region


def _connected(mask: int, near: Sequence[int]) -> bool:
    front = mask & -mask
    rest = mask ^ front
    while rest and front:
        low = front & -front
        fresh = near[low.bit_length() - 1] & rest
        rest ^= fresh
        front ^= low | fresh
    return not rest
