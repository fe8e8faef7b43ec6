"""Small signs for kinds of cells: shapes that differ without colour."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, TypeAlias

from tilesolve.draw.picture import Picture
from tilesolve.geometry.lattice import Point

Sign: TypeAlias = Literal[
    "circle", "square", "triangle", "diamond", "hexagon", "cross", "star", "plus", "bar", "pentagon"
]
SIGNS: tuple[Sign, ...] = (
    "circle",
    "square",
    "triangle",
    "diamond",
    "cross",
    "star",
    "plus",
    "hexagon",
    "pentagon",
    "bar",
)
_POLYGONS: Mapping[Sign, tuple[int, float]] = {
    "square": (4, 45.0),
    "triangle": (3, 90.0),
    "diamond": (4, 90.0),
    "hexagon": (6, 90.0),
    "pentagon": (5, 90.0),
}
_STROKES: Mapping[Sign, tuple[float, ...]] = {
    "cross": (45.0, 135.0),
    "star": (0.0, 60.0, 120.0),
    "plus": (0.0, 90.0),
    "bar": (0.0,),
}


def signs(picture: Picture) -> Mapping[str, Sign]:
    """Return a sign for each kind but ``plain``: the one named in the kind, else the next free.

    Beyond ten kinds signs repeat.

    Examples
    --------
    >>> from tilesolve.draw.picture import Tile, square
    >>> tile = Tile(at=(0, 0), outline=square((0, 0)), kind="red square")
    >>> signs(Picture(tiles=(tile,)))
    {'red square': 'square'}
    """
    kinds = sorted({tile.kind for tile in picture.tiles} - {"plain", ""})
    chosen: dict[str, Sign] = {}
    for kind in kinds:
        named = [sign for sign in SIGNS if sign in kind.lower() and sign not in chosen.values()]
        if named:
            chosen[kind] = named[0]
    free = [sign for sign in SIGNS if sign not in chosen.values()] or list(SIGNS)
    left = [kind for kind in kinds if kind not in chosen]
    chosen |= {kind: free[number % len(free)] for number, kind in enumerate(left)}
    return {kind: chosen[kind] for kind in kinds}


def sign(name: Sign, centre: Point, radius: float) -> str:
    """Return a sign as SVG path data.

    Examples
    --------
    >>> sign("plus", (10, 10), 5)
    'M5 10L15 10M10 15L10 5'
    """
    if name == "circle":
        x, y, across = centre[0] - radius, centre[1], decimal(2 * radius)
        arc = f"a{decimal(radius)} {decimal(radius)} 0 1 0"
        return f"M{decimal(x)} {decimal(y)}{arc} {across} 0{arc} -{across} 0Z"
    if name in _POLYGONS:
        corners, start = _POLYGONS[name]
        angles = [start + 360 / corners * number for number in range(corners)]
        return "M" + "L".join(_at(centre, radius, angle) for angle in angles) + "Z"
    return "".join(
        f"M{_at(centre, radius, angle + 180)}L{_at(centre, radius, angle)}"
        for angle in _STROKES[name]
    )


def _at(centre: Point, radius: float, angle: float) -> str:
    turned = math.radians(angle)
    x = centre[0] + radius * math.cos(turned)
    y = centre[1] - radius * math.sin(turned)
    return f"{decimal(x)} {decimal(y)}"


def decimal(value: float) -> str:
    """Return at most one decimal, and never a minus before zero.

    Examples
    --------
    >>> decimal(2.0), decimal(0.25), decimal(-0.01)
    ('2', '0.2', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
