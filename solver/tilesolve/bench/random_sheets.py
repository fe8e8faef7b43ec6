"""Random sheets that have a solution: a connected part of a frame, filled with pieces.

Pieces are made up, by growing them side by side until the part is full, or laid down one beside
the other from a list. Either way the last step is to forget how they lay. Where listed pieces all
but fill the frame, laying them blindly comes to nothing, and parts are searched for a solution.
Every sheet has a number and comes from it and the seed alone, so that any machine can make any of
them.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tilesolve import service
from tilesolve.answers import Cell, Json, Witness
from tilesolve.budget import Budget
from tilesolve.errors import InputError
from tilesolve.geometry.piece import Piece, dump_pieces, letters, read_pieces
from tilesolve.geometry.shape import Forms
from tilesolve.geometry.sheet import Sheet, dump_sheet, read_sheet
from tilesolve.placement.build import placements
from tilesolve.wire import Node

_TRIES = 200
"""Attempts at one sheet by laying pieces."""

_SEARCHES = 40
"""Parts of the frame that are searched for a solution before a sheet is given up."""

_MISSES = 3
"""Sheets given up in a row before the family is."""

_SEARCH = Budget(work=2_000_000)
"""What one of these searches may cost; work and no time, for the same sheets everywhere."""


@dataclass(frozen=True)
class Range:
    """Whole numbers from `least` to `most`."""

    least: int
    most: int

    @classmethod
    def read(cls, text: str, place: str) -> Range:
        """Read ``5`` or ``3..5``.

        Examples
        --------
        >>> Range.read("3..5", "pieces"), Range.read("4", "holes")
        (Range(least=3, most=5), Range(least=4, most=4))
        """
        match = re.fullmatch(r"(\d{1,6})(?:\.\.(\d{1,6}))?", text)
        if match is None:
            raise InputError(f"expected a number or a range as 3..5, found '{text}'", place=place)
        least, most = int(match[1]), int(match[2] or match[1])
        if least > most:
            raise InputError(
                f"the range {text} is empty; write the smaller number first", place=place
            )
        return cls(least, most)

    def __contains__(self, number: int) -> bool:
        return self.least <= number <= self.most


@dataclass(frozen=True)
class RandomSheets:
    """A family of random sheets.

    Parameters
    ----------
    frame : Sheet
        The cells that a sheet may have.
    holes : Range or None
        How many of them it does not have; None leaves that to the pieces, and without a list of
        pieces takes from a tenth to a third.
    copies : Range or None
        How many pieces; None takes as many as the list demands, and without a list 3 to 5.
    listed : tuple of Piece
        Pieces to choose from; none makes pieces up.
    seed : int
        The same seed gives the same sheets.
    """

    frame: Sheet
    holes: Range | None = None
    copies: Range | None = None
    listed: tuple[Piece, ...] = ()
    seed: int = 0

    def puzzle(self, number: int) -> Json:
        """Return the puzzle of a number, as JSON.

        It has at least one solution, unless the listed pieces take the whole frame: that they
        can is not looked for.

        Raises
        ------
        InputError
            When no sheet with these pieces and holes was found.

        Examples
        --------
        >>> puzzle = RandomSheets(read_sheet(Node("2x3")), holes=Range(1, 1)).puzzle(0)
        >>> puzzle["sheet"]["rows"]
        [' ..', '...']
        """
        chance = random.Random(f"{self.seed}/{number}")
        for _ in range(_TRIES):
            puzzle = self._planted(chance) if self.listed else self._made_up(chance)
            if puzzle is not None:
                return puzzle
        for _ in range(_SEARCHES if self.listed else 0):
            puzzle = self._searched(chance)
            if puzzle is not None:
                return puzzle
        raise InputError(
            f"no sheet with these pieces and holes was found in {_TRIES} attempts; "
            "allow more holes or fewer pieces"
        )

    def _puzzle(self, cells: Sequence[Cell], pieces: Sequence[Piece]) -> Json:
        return {
            "sheet": dump_sheet(_kept(self.frame, cells)),
            "pieces": dump_pieces(pieces, self.frame.legend),
        }

    def numbered(self) -> Iterator[tuple[int, Json]]:
        """Yield puzzles with their numbers, ascending, without end; some may be alike.

        Numbers of which no sheet comes are left out.

        Raises
        ------
        InputError
            When no sheet comes of several numbers in a row.
        """
        missed = 0
        for number in itertools.count():
            try:
                puzzle = self.puzzle(number)
            except InputError:
                missed += 1
                if missed == _MISSES:
                    raise
            else:
                missed = 0
                yield number, puzzle

    def puzzles(self, count: int) -> Iterator[tuple[int, Json]]:
        """Yield so many different puzzles with their numbers, ascending.

        Raises
        ------
        InputError
            When the family has not so many, as far as was tried.
        """
        seen: set[str] = set()
        repeated = 0
        numbered = self.numbered()
        while len(seen) < count:
            number, puzzle = next(numbered)
            text = repr(puzzle)
            if text not in seen:
                seen.add(text)
                repeated = 0
                yield number, puzzle
            else:
                repeated += 1
            if repeated > _TRIES:
                raise InputError(
                    f"only {len(seen)} different sheets of this family were found, {count} wanted"
                )

    def _made_up(self, chance: random.Random) -> Json:
        room = len(self.frame.open)
        holes = self.holes or Range(room // 10, room // 3)
        copies = self.copies or Range(3, 5)
        if holes.least > room:
            return None
        part = _connected_part(
            self.frame, room - chance.randint(holes.least, min(room, holes.most)), chance
        )
        wanted = chance.randint(copies.least, copies.most)
        if len(part) < max(1, wanted):
            return None
        groups = _split(self.frame, part, wanted, chance)
        lattice = self.frame.lattice
        pieces = [
            Piece.of(letters(index), lattice.even(group), lattice)
            for index, group in enumerate(groups)
        ]
        return self._puzzle(part, pieces)

    def _planted(self, chance: random.Random) -> Json:
        chosen = self._chosen(chance)
        if sum(piece.size for piece in chosen) == len(self.frame.open):
            whole = self._puzzle(self.frame.open, _counted(chosen))
            return whole if self._may_fill(chosen) else None
        cells: list[Cell] = []
        for piece in chance.sample(chosen, len(chosen)):
            choices = list(placements(_without(self.frame, cells), piece))
            if cells:
                near = {n for cell in cells for n in self.frame.lattice.neighbours(cell)}
                choices = [choice for choice in choices if near.intersection(choice)]
            if not choices:
                return None
            cells += chance.choice(choices)
        return self._puzzle(cells, _counted(chosen)) if self._may_fill(chosen) else None

    def _searched(self, chance: random.Random) -> Json:
        """Return a random part of the frame that the pieces fill, as a search finds."""
        chosen = self._chosen(chance)
        if not self._may_fill(chosen):
            return None
        size = sum(piece.size for piece in chosen)
        part = _connected_part(self.frame, size, chance)
        puzzle = self._puzzle(part, _counted(chosen))
        return puzzle if len(part) == size and _solvable(puzzle) else None

    def _may_fill(self, chosen: Sequence[Piece]) -> bool:
        """Return whether pieces leave as many holes in the frame as there may be."""
        holes = len(self.frame.open) - sum(piece.size for piece in chosen)
        return bool(chosen) and (holes >= 0 if self.holes is None else holes in self.holes)

    def _chosen(self, chance: random.Random) -> list[Piece]:
        """Return pieces to lay, one for each copy, in the list's order."""
        pool = [piece for piece in self.listed for _ in range(_copies(piece, self.copies))]
        if self.copies is None:
            return pool
        if self.copies.least > len(pool):
            return []
        wanted = chance.randint(self.copies.least, min(self.copies.most, len(pool)))
        return [pool[index] for index in sorted(chance.sample(range(len(pool)), wanted))]


def _solvable(puzzle: Json) -> bool:
    question = service.load(Node({**puzzle, "goal": "cover"}))
    answers: Any = service.ask(question, "solve", budget=_SEARCH, parameters={"limit": Node(1)})
    return any(isinstance(answer, Witness) for answer in answers)


def _copies(piece: Piece, copies: Range | None) -> int:
    if copies is None:
        return piece.least
    return copies.most if piece.most is None else piece.most


def _counted(chosen: Sequence[Piece]) -> list[Piece]:
    names = [piece.name for piece in chosen]
    own = {piece.name: piece for piece in chosen}
    return [
        replace(piece, least=names.count(name), most=names.count(name), optional=None)
        for name, piece in own.items()
    ]


def _without(frame: Sheet, cells: Sequence[Cell]) -> Sheet:
    taken = set(cells)
    left = {cell: ground for cell, ground in frame.grounds.items() if cell not in taken}
    return replace(frame, grounds=left)


def _kept(frame: Sheet, cells: Sequence[Cell]) -> Sheet:
    """Return the sheet of these cells of a frame."""
    kept = {cell: frame.grounds[cell] for cell in sorted(cells)}
    return replace(frame, grounds=kept)


def _connected_part(frame: Sheet, size: int, chance: random.Random) -> list[Cell]:
    """Return a random connected part of a frame, or less where the frame is not connected."""
    inside = set(frame.open)
    if not inside or size <= 0:
        return []
    part = {chance.choice(frame.open)}
    while len(part) < size:
        rim = {
            near for cell in part for near in frame.lattice.neighbours(cell) if near in inside
        } - part
        if not rim:
            break
        part.add(chance.choice(sorted(rim)))
    return sorted(part)


def _split(
    frame: Sheet, part: Sequence[Cell], count: int, chance: random.Random
) -> list[list[Cell]]:
    """Split a connected part into so many connected groups of about one size."""
    groups = [[cell] for cell in chance.sample(list(part), count)]
    free = set(part) - {group[0] for group in groups}
    while free:
        growing = []
        for group in groups:
            rim = {n for cell in group for n in frame.lattice.neighbours(cell) if n in free}
            if rim:
                growing.append((len(group), group, rim))
        smallest = min(size for size, _, _ in growing)
        group, rim = chance.choice([(g, rim) for size, g, rim in growing if size == smallest])
        cell = chance.choice(sorted(rim))
        group.append(cell)
        free.discard(cell)
    return [sorted(group) for group in groups]


_FIELDS = ("holes", "pieces", "count", "seed")


def read_family(
    text: str, pieces: Json = None, *, forms: Forms = "free", source: str = "--sheets"
) -> tuple[RandomSheets, int]:
    """Read ``FRAME,holes=4..8,pieces=3..5,count=100,seed=1``; return the family and the count.

    Parameters
    ----------
    text : str
        The frame is a sheet's short name; the rest may be left out.
    pieces : JSON
        A list to choose pieces from, as in a file; None makes them up.

    Raises
    ------
    InputError
        For what is not understood.

    Examples
    --------
    >>> family, count = read_family("5x6,holes=4..8,count=10,seed=7")
    >>> len(family.frame.open), family.holes, family.seed, count
    (30, Range(least=4, most=8), 7, 10)
    """
    frame_name, *settings = text.split(",")
    frame = read_sheet(Node(frame_name, source=source))
    given: dict[str, str] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in _FIELDS:
            listed = ", ".join(_FIELDS)
            raise InputError(f"'{name}' is no setting; known are: {listed}", source=source)
        given[name] = value
    ranges = {name: Range.read(given[name], name) for name in given}
    listed_pieces: tuple[Piece, ...] = ()
    if pieces is not None:
        node = Node(pieces, source="pieces")
        read = read_pieces(node, lattice=frame.lattice, legend=frame.legend, forms=forms)
        listed_pieces = read.pieces
    family = RandomSheets(
        frame=frame,
        holes=ranges.get("holes"),
        copies=ranges.get("pieces"),
        listed=listed_pieces,
        seed=ranges["seed"].least if "seed" in ranges else 0,
    )
    return family, ranges["count"].least if "count" in ranges else 100
