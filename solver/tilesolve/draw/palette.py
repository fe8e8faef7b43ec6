"""Colours and textures that people with any colour vision can tell apart.

The twelve colours were searched for the largest least difference (OKLab) between any two of
them, as seen with full colour vision and, by the matrices of Machado, Oliveira and Fernandes
(2009), without red, green or blue cones. The first few are the furthest apart. More than
twelve groups repeat the colours with another texture, and labels are always drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tilesolve.draw.picture import Picture

COLOURS = (
    "#f8d70e",
    "#435bcf",
    "#b13c14",
    "#6dc8eb",
    "#a27f9e",
    "#895284",
    "#f39a1f",
    "#8af5fe",
    "#db623e",
    "#b1b497",
    "#5588ec",
    "#d8f8b0",
)

Texture: TypeAlias = Literal["plain", "falling", "rising", "dots", "bars", "grid"]
TEXTURES: tuple[Texture, ...] = ("plain", "falling", "rising", "dots", "bars", "grid")

_HEAT = ("#ffffd9", "#c7e9b4", "#41b6c4", "#225ea8", "#081d58")
"""From low to high, each darker than the one before."""


@dataclass(frozen=True)
class Paint:
    """A colour as ``#rrggbb`` and a texture over it."""

    colour: str
    texture: Texture = "plain"

    @property
    def ink(self) -> str:
        """Black or white, whichever stands out more on the colour."""
        return ink(self.colour)


def paints(pictures: Iterable[Picture]) -> Mapping[str, Paint]:
    """Return the paint of every group, the same in all the pictures given.

    Examples
    --------
    >>> from tilesolve.draw.picture import Tile, square
    >>> tile = Tile(at=(0, 0), outline=square((0, 0)), group="F", role="filled")
    >>> paints([Picture(tiles=(tile,))])["F"]
    Paint(colour='#f8d70e', texture='plain')
    """
    groups = {tile.group for picture in pictures for tile in picture.tiles if tile.group}
    return {group: _paint(number) for number, group in enumerate(sorted(groups, key=_natural))}


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return a sorting key by which P2 comes before P10."""
    parts = re.split(r"([0-9]{1,9})", name)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


def _paint(number: int) -> Paint:
    texture = TEXTURES[number // len(COLOURS) % len(TEXTURES)]
    return Paint(COLOURS[number % len(COLOURS)], texture)


def heat(shade: float) -> str:
    """Return the colour of a heat map's value; what is outside 0 to 1 counts as the nearest.

    Examples
    --------
    >>> heat(0), heat(0.5), heat(7)
    ('#ffffd9', '#41b6c4', '#081d58')
    """
    place = min(max(shade, 0.0), 1.0) * (len(_HEAT) - 1)
    lower = min(int(place), len(_HEAT) - 2)
    pairs = zip(channels(_HEAT[lower]), channels(_HEAT[lower + 1]), strict=True)
    mixed = (round(low + (high - low) * (place - lower)) for low, high in pairs)
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def channels(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue, 0 to 255.

    Examples
    --------
    >>> channels("#ff8000")
    (255, 128, 0)
    """
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def ink(colour: str) -> str:
    """Return black or white, whichever has the greater contrast by the WCAG formula.

    Examples
    --------
    >>> ink("#f8d70e"), ink("#081d58")
    ('#000000', '#ffffff')
    """
    light = luminance(colour)
    return "#000000" if (light + 0.05) ** 2 > 1.05 * 0.05 else "#ffffff"


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2, from 0 (black) to 1 (white)."""
    red, green, blue = (_linear(channel / 255) for channel in channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
