"""A sheet of characters that can be written anywhere and read off as lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from tilesolve.draw.palette import channels, ink

_TYPOGRAPHIC = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "×": "x", "·": "-", "…": "...", "→": "->", "←": "<-"}
    | {"≤": "<=", "≥": ">=", "≠": "!=", "±": "+-", "°": " deg", "‘": "'", "’": "'"}
    | {"“": '"', "”": '"', "„": '"', "ß": "ss", "²": "^2", "³": "^3"}
)
_LEVELS = (0, 95, 135, 175, 215, 255)


@dataclass
class Canvas:
    """Characters at ``(line, place)``, each with the colour behind it.

    Examples
    --------
    >>> canvas = Canvas()
    >>> canvas.write(1, 2, "ab")
    >>> canvas.lines()
    ['', '  ab']
    """

    characters: dict[int, dict[int, str]] = field(default_factory=dict)
    colours: dict[int, dict[int, str]] = field(default_factory=dict)

    def write(self, line: int, place: int, text: str, colour: str = "") -> None:
        """Write text from a place on; wide characters take two places."""
        characters = self.characters.setdefault(line, {})
        for character in text:
            wide = width(character) == 2
            characters[place] = character
            if wide:
                characters[place + 1] = ""
            if colour:
                self.colours.setdefault(line, {}).update(
                    dict.fromkeys((place, place + wide), colour)
                )
            place += 1 + wide

    def lines(self, *, colour: bool = False) -> list[str]:
        """Return the lines from 0 on, without blanks at their ends."""
        last = max(self.characters, default=-1)
        return ["".join(self._runs(line, colour)).rstrip(" ") for line in range(last + 1)]

    def _runs(self, line: int, colour: bool) -> Iterator[str]:
        characters = self.characters.get(line, {})
        colours = self.colours.get(line, {}) if colour else {}
        places = range(max(characters, default=-1) + 1)
        for behind, run in groupby(places, key=lambda place: colours.get(place, "")):
            text = "".join(characters.get(place, " ") for place in run)
            yield f"{_sequence(behind)}{text}\x1b[0m" if behind else text


def _sequence(colour: str) -> str:
    front = 16 if ink(colour) == "#000000" else 231
    return f"\x1b[38;5;{front};48;5;{_nearest(colour)}m"


def _nearest(colour: str) -> int:
    """Return the number of the nearest colour in the 6x6x6 cube of 256-colour terminals."""
    red, green, blue = (
        min(range(6), key=lambda level: abs(_LEVELS[level] - channel))
        for channel in channels(colour)
    )
    return 16 + 36 * red + 6 * green + blue


def width(text: str) -> int:
    """Return how many places a text takes in a console.

    Examples
    --------
    >>> width("ab"), width("木")
    (2, 2)
    """
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)


def clean(text: str, *, only_ascii: bool = False) -> str:
    r"""Return text without anything that moves the cursor; in ASCII alone if asked.

    Examples
    --------
    >>> clean("a\x1b[2J"), clean("é – 30°", only_ascii=True)
    ('a?[2J', 'e - 30 deg')
    """
    plain = "".join(map(_printable, text))
    if not only_ascii:
        return "".join(each for each in plain if not unicodedata.combining(each))
    split = unicodedata.normalize("NFKD", plain.translate(_TYPOGRAPHIC))
    kept = "".join(each for each in split if not unicodedata.combining(each))
    return kept.encode("ascii", "replace").decode("ascii")


def _printable(character: str) -> str:
    if character.isspace():
        return " "
    return character if character.isprintable() else "?"


def clip(text: str, most: int) -> str:
    """Return the beginning of a text that takes at most this many places."""
    while width(text) > most:
        text = text[:-1]
    return text
