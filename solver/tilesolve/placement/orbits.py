"""Solutions up to symmetry: how many there are, and one of each.

The number of orbits is the mean, over the symmetries, of the number of solutions that a symmetry
maps onto themselves (the Cauchy-Frobenius lemma, often called Burnside's). Those solutions
consist of whole orbits of options, so they are counted like any others, on a sheet whose cells
are the orbits of cells: no list of solutions is needed, and equal pieces and placements that lie
on an axis are no special cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tilesolve.budget import Meter, Stopped, each
from tilesolve.placement.problem import Problem, moved
from tilesolve.placement.sweep import Sweep, border, orders, sweep_of


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


@dataclass(frozen=True)
class Group:
    """The symmetries of a problem, a whole group, and what they do to its options.

    Parameters
    ----------
    problem : Problem
        What they are symmetries of.
    symmetries : tuple of Symmetry
        The identity included.
    """

    problem: Problem
    symmetries: tuple[Symmetry, ...]
    _images: dict[int, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)

    def images(self, number: int, *, meter: Meter | None = None) -> tuple[int, ...]:
        """Return the option that each option becomes under a symmetry, by its number.

        Raises
        ------
        ValueError
            If some image is no option: the symmetry is none of the problem.
        Stopped
            When the meter stops it.
        """
        if number not in self._images:
            composed = self._composed(self.symmetries[number])
            self._images[number] = composed or self._moved(self.symmetries[number], meter)
        return self._images[number]

    def _composed(self, symmetry: Symmetry) -> tuple[int, ...] | None:
        """Return the images under a symmetry that is one known after another, if it is."""
        for second, after in self._images.items():
            for first, before in self._images.items():
                both = self.symmetries[second].after(self.symmetries[first])
                if both == (symmetry.cells, symmetry.kinds):
                    return tuple([after[option] for option in before])
        return None

    def _moved(self, symmetry: Symmetry, meter: Meter | None) -> tuple[int, ...]:
        options = self.problem.options
        if symmetry.identity:
            return tuple(range(len(options)))
        to = {1 << cell: 1 << image for cell, image in enumerate(symmetry.cells)}
        kinds = symmetry.kinds
        moves = [(kinds[option.kind], moved(option.mask, to)) for option in each(meter, options)]
        try:
            return tuple([self._numbers[move] for move in moves])
        except KeyError:
            message = f"'{symmetry.name}' does not map the options onto themselves"
            raise ValueError(message) from None

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], int]:
        options = self.problem.options
        return {(option.kind, option.mask): number for number, option in enumerate(options)}


def count_orbits(group: Group, raw: int, *, meter: Meter) -> int | None:
    """Return the number of solutions up to symmetry, or None when the meter stopped it.

    Parameters
    ----------
    group : Group
        The symmetries of the problem.
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
    >>> turns = tuple(Symmetry(f"turn {n}", cells, (0,)) for n, cells in enumerate(turn))
    >>> count_orbits(Group(problem, turns), 2, meter=Meter(budget=Budget()))
    1
    """
    from tilesolve.placement.ways import count_sweep

    fixed: dict[frozenset[tuple[tuple[int, ...], tuple[int, ...]]], int] = {}
    total = 0
    for number, symmetry in enumerate(group.symmetries):
        if symmetry.identity:
            total += raw
            continue
        # A rotation and its inverse keep the same solutions.
        powers = _powers(symmetry)
        if powers not in fixed:
            try:
                sweep = folded(group, number, meter=meter)
            except Stopped:
                return None
            solutions = count_sweep(sweep, (), meter=meter)
            if solutions is None:
                return None
            fixed[powers] = solutions
        total += fixed[powers]
    orbits, rest = divmod(total, len(group.symmetries))
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


def folded(group: Group, number: int, *, meter: Meter | None = None) -> Sweep:
    """Return the sweep whose solutions are those that a symmetry maps onto themselves.

    Its positions are orbits of cells, its options orbits of options whose members do not
    overlap, its kinds orbits of kinds.

    Parameters
    ----------
    number : int
        The symmetry's, in the group.

    Raises
    ------
    Stopped
        When the meter stops it.
    """
    problem, symmetry = group.problem, group.symmetries[number]
    cells = _orbits(symmetry.cells)
    orbit_of = [0] * len(symmetry.cells)
    for index, orbit in enumerate(cells):
        for cell in orbit:
            orbit_of[cell] = index
    order = _folded_order(problem, cells, orbit_of)
    to = {1 << cell: 1 << at for at, index in enumerate(order) for cell in cells[index]}
    kinds = _orbits(symmetry.kinds)
    kind_of = {kind: index for index, orbit in enumerate(kinds) for kind in orbit}
    extents = tuple(len(cells[index]) for index in order)
    masks, option_kinds, copies = [], [], []
    for orbit in _orbits(group.images(number, meter=meter)):
        taken = 0
        for option in orbit:
            mask = problem.options[option].mask
            if taken & mask:
                break
            taken |= mask
        else:
            first = problem.options[orbit[0]]
            kind = kind_of[first.kind]
            masks.append(moved(taken, to))
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


@dataclass(frozen=True)
class Confined:
    """A smaller sweep of a problem, in which one kind keeps one placement of each orbit.

    Parameters
    ----------
    sweep : Sweep
        The options that are kept, along the sweep of the problem.
    weights : tuple of int
        For each of them the length of its orbit, or 1: with these as factors of the solutions
        their number is that of the problem.
    options : tuple of int
        For each of them its number in the problem.
    """

    sweep: Sweep
    weights: tuple[int, ...]
    options: tuple[int, ...]


def confined(group: Group, *, meter: Meter | None = None) -> Confined | None:
    """Return a smaller sweep that tells all about a symmetric problem.

    One kind that is used exactly once keeps a single placement of each orbit, the one that comes
    first along the sweep, with the length of the orbit as its weight: in every placement of an
    orbit it occurs in equally many solutions, on an axis or not. None where there is no such
    kind or symmetry.
    """
    problem = group.problem
    single = {
        number
        for number, kind in enumerate(problem.kinds)
        if (kind.least, kind.most) == (1, 1)
        and all(symmetry.kinds[number] == number for symmetry in group.symmetries)
    }
    if len(group.symmetries) < 2 or not single:
        return None
    sweep = sweep_of(problem, meter=meter)
    tables = [group.images(number, meter=meter) for number in range(len(group.symmetries))]
    weights: dict[int, dict[int, int]] = {number: {} for number in single}
    last = dict.fromkeys(single, 0)
    for option, (kind, mask) in enumerate(zip(sweep.kinds, sweep.masks, strict=True)):
        if kind in single:
            orbit = {table[option] for table in tables}
            if option == min(orbit, key=lambda member: (_first(sweep.masks[member]), member)):
                weights[kind][option] = len(orbit)
                last[kind] = max(last[kind], _first(mask))
    placeable = [kind for kind in sorted(single) if weights[kind]]
    if not placeable:
        return None
    chosen = min(placeable, key=lambda kind: last[kind])
    kept = [
        option
        for option, kind in enumerate(sweep.kinds)
        if kind != chosen or option in weights[chosen]
    ]
    smaller = replace(
        sweep,
        masks=tuple([sweep.masks[option] for option in kept]),
        kinds=tuple([sweep.kinds[option] for option in kept]),
        copies=(1,) * len(kept),
    )
    return Confined(
        smaller, tuple([weights[chosen].get(option, 1) for option in kept]), tuple(kept)
    )


def _first(mask: int) -> int:
    """Return the lowest bit of a mask: it orders placements by their first cells."""
    return mask & -mask


def one_of_each(group: Group) -> Callable[[tuple[int, ...]], bool]:
    """Return a test that exactly one solution of each orbit passes: the smallest of its copies.

    Returns
    -------
    callable
        Takes a solution as ascending options.
    """
    tables = [
        group.images(number)
        for number, symmetry in enumerate(group.symmetries)
        if not symmetry.identity
    ]

    def smallest(chosen: tuple[int, ...]) -> bool:
        return all(chosen <= tuple(sorted([table[o] for o in chosen])) for table in tables)

    return smallest
