"""Solutions up to symmetry: how many there are, and one of each.

The number of orbits is the mean, over the symmetries, of the number of solutions that a symmetry
maps onto themselves (the Cauchy-Frobenius lemma, often called Burnside's). Those solutions
consist of whole orbits of options, so they are counted like any others, on a sheet whose cells
are the orbits of cells: no list of solutions is needed, and equal pieces and placements that lie
on an axis are no special cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tilesolve.budget import Meter, each
from tilesolve.placement.problem import Problem, bits
from tilesolve.placement.sweep import Sweep, border, cheapest_order, orders


@dataclass(frozen=True)
class Symmetry:
    """A symmetry of a problem.

    Parameters
    ----------
    name : str
        In words.
    cells : tuple of int
        Where each cell goes.
    kinds : tuple of int
        Which kind each kind becomes.
    """

    name: str
    cells: tuple[int, ...]
    kinds: tuple[int, ...]

    @property
    def identity(self) -> bool:
        """Whether nothing moves."""
        return all(
            image == index for row in (self.cells, self.kinds) for index, image in enumerate(row)
        )

    def after(self, other: Symmetry) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return where cells and kinds go by the other symmetry first and then by this one."""
        return (
            tuple(self.cells[cell] for cell in other.cells),
            tuple(self.kinds[kind] for kind in other.kinds),
        )


def option_images(
    problem: Problem, symmetry: Symmetry, *, meter: Meter | None = None
) -> tuple[int, ...]:
    """Return the option that each option becomes.

    Raises
    ------
    ValueError
        If some image is no option: the symmetry is none of the problem.
    Stopped
        When the meter stops it.
    """
    number = {(option.kind, option.mask): index for index, option in enumerate(problem.options)}
    image_of = [1 << cell for cell in symmetry.cells]
    images = []
    for option in each(meter, problem.options):
        mask = sum([image_of[cell] for cell in option.cells()])
        image = number.get((symmetry.kinds[option.kind], mask))
        if image is None:
            raise ValueError(f"'{symmetry.name}' does not map the options onto themselves")
        images.append(image)
    return tuple(images)


def count_orbits(
    problem: Problem, symmetries: Sequence[Symmetry], raw: int, *, meter: Meter
) -> int | None:
    """Return the number of solutions up to symmetry, or None when the meter stopped it.

    Parameters
    ----------
    symmetries : sequence of Symmetry
        A whole group, the identity included.
    raw : int
        The number of solutions, symmetric copies included.

    Examples
    --------
    The two tilings of the 2x2 square by dominoes are one, turned.

    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> dominoes = tuple(Option(0, mask) for mask in (0b0011, 0b0101, 0b1010, 0b1100))
    >>> problem = Problem(("0,0", "0,1", "1,0", "1,1"), (Kind("I2", 2, 2),), dominoes, True)
    >>> turn = [(0, 1, 2, 3), (1, 3, 0, 2), (3, 2, 1, 0), (2, 0, 3, 1)]
    >>> group = [Symmetry(f"turn {n}", cells, (0,)) for n, cells in enumerate(turn)]
    >>> count_orbits(problem, group, 2, meter=Meter(budget=Budget()))
    1
    """
    from tilesolve.placement.diagram import count_sweep

    fixed: dict[frozenset[tuple[tuple[int, ...], tuple[int, ...]]], int] = {}
    total = 0
    for symmetry in symmetries:
        if symmetry.identity:
            total += raw
            continue
        # A rotation and its inverse keep the same solutions.
        powers = _powers(symmetry)
        if powers not in fixed:
            solutions = count_sweep(folded(problem, symmetry), (), meter=meter)
            if solutions is None:
                return None
            fixed[powers] = solutions
        total += fixed[powers]
    orbits, rest = divmod(total, len(symmetries))
    if rest:
        raise ValueError("the symmetries are no group, or the number of solutions is wrong")
    return orbits


def _powers(symmetry: Symmetry) -> frozenset[tuple[tuple[int, ...], tuple[int, ...]]]:
    power = (symmetry.cells, symmetry.kinds)
    found = {power}
    while True:
        power = symmetry.after(Symmetry("", *power))
        if power in found:
            return frozenset(found)
        found.add(power)


def folded(problem: Problem, symmetry: Symmetry) -> Sweep:
    """Return the sweep whose solutions are those that a symmetry maps onto themselves.

    Its positions are orbits of cells, its options orbits of options whose members do not
    overlap, its kinds orbits of kinds.
    """
    cells = _orbits(symmetry.cells)
    orbit_of = [0] * len(symmetry.cells)
    for number, orbit in enumerate(cells):
        for cell in orbit:
            orbit_of[cell] = number
    order = _folded_order(problem, cells, orbit_of)
    position = [0] * len(cells)
    for at, number in enumerate(order):
        position[number] = at
    kinds = _orbits(symmetry.kinds)
    kind_of = {kind: number for number, orbit in enumerate(kinds) for kind in orbit}
    extents = tuple(len(cells[number]) for number in order)
    masks, option_kinds, copies = [], [], []
    for orbit in _orbits(option_images(problem, symmetry)):
        taken = 0
        for option in orbit:
            mask = problem.options[option].mask
            if taken & mask:
                break
            taken |= mask
        else:
            first = problem.options[orbit[0]]
            kind = kind_of[first.kind]
            masks.append(_folded_mask(taken, orbit_of, position))
            option_kinds.append(kind)
            copies.append(len(orbit) // len(kinds[kind]))
    members = [problem.kinds[orbit[0]] for orbit in kinds]
    sizes = tuple((problem.size(orbit[0]) or 0) * len(orbit) for orbit in kinds)
    room = sum(extents)
    placeable = set(option_kinds)
    return Sweep(
        order=tuple(order),
        masks=tuple(masks),
        kinds=tuple(option_kinds),
        copies=tuple(copies),
        sizes=sizes,
        least=tuple(kind.least for kind in members),
        most=tuple(
            min(room // size, room if kind.most is None else kind.most)
            if number in placeable
            else 0
            for number, (kind, size) in enumerate(zip(members, sizes, strict=True))
        ),
        cover=problem.cover,
        extents=extents,
    )


def _orbits(images: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the cycles of a permutation, by their smallest members."""
    found, seen = [], [False] * len(images)
    for start in range(len(images)):
        orbit, at = [], start
        while not seen[at]:
            seen[at] = True
            orbit.append(at)
            at = images[at]
        if orbit:
            found.append(tuple(orbit))
    return found


def _folded_order(
    problem: Problem, cells: Sequence[Sequence[int]], orbit_of: Sequence[int]
) -> list[int]:
    near = (
        [{orbit_of[b] for a in orbit for b in problem.adjacent[a]} for orbit in cells]
        if (problem.adjacent)
        else []
    )
    adjacent = [sorted(others - {number}) for number, others in enumerate(near)]
    folded_orders = [
        list(dict.fromkeys(orbit_of[cell] for cell in order)) for order in orders(problem)
    ]
    return min(folded_orders, key=lambda order: border(adjacent, order))


def _folded_mask(mask: int, orbit_of: Sequence[int], position: Sequence[int]) -> int:
    folded_mask = 0
    for cell in bits(mask):
        folded_mask |= 1 << position[orbit_of[cell]]
    return folded_mask


def confined(
    problem: Problem, symmetries: Sequence[Symmetry], *, meter: Meter | None = None
) -> tuple[Problem, tuple[int, ...]] | None:
    """Return a smaller problem and weights that give the same number of solutions.

    One kind that is used exactly once keeps a single placement of each orbit, the one that comes
    first along the sweep, with the length of the orbit as its weight: in every placement of an
    orbit it occurs in equally many solutions, on an axis or not. None where there is no such
    kind or symmetry.
    """
    single = [
        number
        for number, kind in enumerate(problem.kinds)
        if (kind.least, kind.most) == (1, 1)
        and all(symmetry.kinds[number] == number for symmetry in symmetries)
    ]
    if len(symmetries) < 2 or not single:
        return None
    position = {cell: at for at, cell in enumerate(cheapest_order(problem))}
    options = each(meter, problem.options)
    first = [min([position[cell] for cell in option.cells()]) for option in options]
    tables = [option_images(problem, symmetry, meter=meter) for symmetry in symmetries]
    best: tuple[int, dict[int, int]] | None = None
    for number in single:
        weights: dict[int, int] = {}
        for option, placed in enumerate(problem.options):
            if placed.kind == number:
                orbit = {table[option] for table in tables}
                if option == min(orbit, key=lambda member: (first[member], member)):
                    weights[option] = len(orbit)
        last = max((first[option] for option in weights), default=0)
        if weights and (best is None or last < best[0]):
            best = last, weights
            chosen = number
    if best is None:
        return None
    kept = [
        option
        for option, placed in enumerate(problem.options)
        if placed.kind != chosen or option in best[1]
    ]
    smaller = replace(problem, options=tuple(problem.options[option] for option in kept))
    return smaller, tuple(best[1].get(option, 1) for option in kept)


def one_of_each(
    problem: Problem, symmetries: Sequence[Symmetry]
) -> Callable[[tuple[int, ...]], bool]:
    """Return a test that exactly one solution of each orbit passes: the smallest of its copies.

    Parameters
    ----------
    symmetries : sequence of Symmetry
        A whole group.

    Returns
    -------
    callable
        Takes a solution as ascending options.
    """
    tables = [option_images(problem, symmetry) for symmetry in symmetries if not symmetry.identity]

    def smallest(chosen: tuple[int, ...]) -> bool:
        return all(chosen <= tuple(sorted([table[o] for o in chosen])) for table in tables)

    return smallest
