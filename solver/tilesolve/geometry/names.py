"""The field's names for small polyforms, and the named sets.

Polyominoes of up to five cells, polyhexes of up to five and polyiamonds of up to six have
letters (Golomb's for the pentominoes; for polyhexes and polyiamonds the letters that polyform
collections use: the sphinx is P6, the hexagon O6, the propeller Y4). A name is the letter and
the size; the pentominoes' size may be left out. Larger polyforms are numbered within their size
in the order of `polyforms`: ``6-01`` to ``6-35``. A mirror image in a one-sided set carries an
apostrophe, except the tetrominoes J and Z.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tilesolve.answers import Cell
from tilesolve.geometry.lattice import LATTICES, SQUARE, Lattice
from tilesolve.geometry.shape import Forms, Shape, polyforms

LARGEST = {"square": 9, "hex": 8, "triangle": 10}
"""The largest polyforms that named sets are made of, a few thousand shapes at most."""

_DRAWN = {
    "square": """
        I1 #           I2 ##          I3 ###         L3 ##/#
        I4 ####        O4 ##/##       T4 ###/.#      S4 .##/##      L4 ###/#
        F .##/##/.#    I #####        L ####/#       N ###/..##     P ##/##/#
        T ###/.#/.#    U #.#/###      V #/#/###      W #/##/.##     X .#/###/.#
        Y ####/.#      Z ##/.#/.##    I6 ######      O6 ###/###
    """,
    "hex": """
        I1 #           I2 #.#         I3 #.#.#       V3 #.#/...#    A3 #.#/.#
        I4 #.#.#.#     J4 #.#.#/.....#               P4 #.#.#/.#    S4 #.#/...#.#
        U4 #.#/...#/..#               Y4 #/.#.#/#    O4 #.#/.#.#
        A5 #.#/.#.#/#  B5 #.#.#/...#.#               C5 #.#/...#/....#/...#
        D5 #.#.#/.#.#  E5 #.#.#.#/...#               F5 #.#.#/.#...#
        G5 #.#...#/...#.#             H5 #.#/...#.#/..#
        I5 #.#.#.#.#   J5 #.#.#.#/.......#           L5 #.#.#/.....#/......#
        N5 #.#.#/.....#.#             P5 #.#.#.#/.#  Q5 #.#/.#/#/.#
        R5 #.#.#/.....#/....#         S5 #.#/...#/....#.#
        T5 #.#.#/.#/#  U5 #.#/...#/#.#               V5 #.#.#/.#/..#
        W5 #.#/...#.#/......#         X5 #.#/.#/#.#  Y5 #/.#.#.#/#
    """,
    "triangle": """
        I1 #           I2 ##          I3 ###         I4 ####        C4 ###/#
        T4 .###/..#    I5 #####       L5 ####/#      P5 ####/..#    C5 ###/##
        I6 ######      P6 #/##/###    J6 #####/#     E6 #####/..#   V6 ####/.##
        H6 ####/..##   S6 ###/..###   X6 .###/.###   C6 #/##/##/#   G6 ####/##
        F6 ####/#.#    O6 ###/###
    """,
}
_OTHER_NAMES = {"V3": "L3", "T1": "I1", "D2": "I2"}
_MIRRORED_NAMES = {"S4": "Z4", "L4": "J4"}
_NUMBERED = re.compile(r"([1-9][0-9]?)-([0-9]{1,5})")

_SIZES = {
    "square": ("mon", "d", "tr", "tetr", "pent", "hex", "hept", "oct", "non"),
    "hex": ("mono", "di", "tri", "tetra", "penta", "hexa", "hepta", "octa"),
    "triangle": ("mon", "d", "tr", "tetr", "pent", "hex", "hept", "oct", "enne", "dec"),
}
_ENDINGS = {"square": "omino", "hex": "hex", "triangle": "iamond"}


def drawn(text: str) -> tuple[Cell, ...]:
    """Return the cells of rows separated by ``/``.

    Examples
    --------
    >>> drawn("##/.#")
    ((0, 0), (0, 1), (1, 1))
    """
    return tuple(
        (row, column)
        for row, line in enumerate(text.split("/"))
        for column, character in enumerate(line)
        if character == "#"
    )


@lru_cache(maxsize=3)
def lettered(lattice: Lattice) -> dict[str, Shape]:
    """Return the shapes of a lattice that have letters, by name."""
    words = _DRAWN[lattice.name].split()
    return {
        name: Shape.of(drawn(rows), lattice)
        for name, rows in zip(words[::2], words[1::2], strict=True)
    }


def known(name: str, lattice: Lattice = SQUARE) -> Shape | None:
    """Return the shape that a name stands for, or None.

    Examples
    --------
    >>> known("P5") == known("P"), known("X3")
    (True, None)
    >>> len(known("6-35").cells)
    6
    """
    if name.endswith("'") and len(name) > 1:
        twin = known(name[:-1], lattice)
        return _mirrored(twin) if twin is not None and twin.chiral else None
    shapes = lettered(lattice)
    if lattice is SQUARE:
        for plain, mirrored in _MIRRORED_NAMES.items():
            if name == mirrored:
                return _mirrored(shapes[plain])
        if len(name) == 2 and name[1] == "5":
            name = name[0]
    found = shapes.get(name) or shapes.get(_OTHER_NAMES.get(name, ""))
    return found or _numbered(name, lattice)


def _numbered(name: str, lattice: Lattice) -> Shape | None:
    match = _NUMBERED.fullmatch(name)
    if match is None or not 1 <= int(match[1]) <= LARGEST[lattice.name]:
        return None
    shapes = polyforms(int(match[1]), lattice)
    index = int(match[2])
    return shapes[index - 1] if 1 <= index <= len(shapes) else None


def _mirrored(shape: Shape) -> Shape:
    mirror = next(found for found in shape.lattice.symmetries if found.mirrored)
    return Shape(shape.lattice, shape.lattice.normal(map(mirror.image, shape.cells)))


def named_set(name: str) -> tuple[tuple[str, Shape], ...] | None:
    """Return the pieces of a named set, as ``pentominoes`` or ``one-sided-tetrahexes``.

    Returns
    -------
    tuple of (str, Shape) or None
        In alphabetical or numerical order; None for a name that is no set.

    Examples
    --------
    >>> [piece for piece, _ in named_set("tetrominoes")]
    ['I4', 'L4', 'O4', 'S4', 'T4']
    >>> len(named_set("one-sided-pentominoes")), len(named_set("hexiamonds"))
    (18, 12)
    """
    forms: Forms = "free"
    prefixes: tuple[Forms, ...] = ("free", "one-sided", "fixed")
    for prefix in prefixes:
        if name.startswith(prefix + "-"):
            forms, name = prefix, name.removeprefix(prefix + "-")
    size = set_sizes().get(name)
    return None if size is None else _members(LATTICES[size[0]], size[1], forms)


@lru_cache(maxsize=1)
def set_sizes() -> dict[str, tuple[str, int]]:
    """Return every named set with its lattice's name and its pieces' size."""
    sizes: dict[str, tuple[str, int]] = {}
    for lattice, stems in _SIZES.items():
        for size, stem in enumerate(stems[: LARGEST[lattice]], start=1):
            word = stem + _ENDINGS[lattice]
            for plural in (word + "es", word + "s"):
                sizes[plural] = (lattice, size)
    return sizes


@lru_cache(maxsize=64)
def _members(lattice: Lattice, size: int, forms: Forms) -> tuple[tuple[str, Shape], ...]:
    names = _names_by_shape(lattice, size)
    members: list[tuple[str, Shape]] = []
    for free in polyforms(size, lattice):
        name = names[free.cells]
        if forms == "fixed":
            turned = free.orientations()
            members += [(f"{name}.{i}", Shape(lattice, c)) for i, c in enumerate(turned, start=1)]
            continue
        own = known(name, lattice) or free
        members.append((name, own))
        if forms == "one-sided" and own.chiral:
            twin = _MIRRORED_NAMES.get(name, name + "'") if lattice is SQUARE else name + "'"
            members.append((twin, _mirrored(own)))
    return tuple(sorted(members, key=lambda member: member[0]))


def _names_by_shape(lattice: Lattice, size: int) -> dict[tuple[Cell, ...], str]:
    shapes = polyforms(size, lattice)
    names = {shape.cells: f"{size}-{i:02}" for i, shape in enumerate(shapes, start=1)}
    letters = {
        shape.free: name for name, shape in lettered(lattice).items() if len(shape.cells) == size
    }
    return letters if len(letters) == len(shapes) else names


def nearest_names(lattice: Lattice) -> str:
    """Return the lettered names of a lattice, for error messages."""
    return " ".join(lettered(lattice))
