"""Which puzzles a run rates: files, patterns of files, lines of JSON, families by name."""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilesolve import service
from tilesolve.answers import Json
from tilesolve.bench.puzzle import Puzzle, plain
from tilesolve.bench.random_sheets import read_family
from tilesolve.errors import InputError
from tilesolve.files import pieces_node, puzzle_node, sheet_node
from tilesolve.geometry.shape import Forms
from tilesolve.wire import Node, decode, parse

_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

FAMILIES = ("calendar", "random:FRAME,...", "new:GAME,...")


@dataclass(frozen=True)
class Source:
    """What was given beside the sheets: pieces for those that have none, and their forms."""

    pieces: str | None = None
    forms: Forms | None = None

    def puzzle(self, name: str, sheet: Node) -> Puzzle:
        """Return the puzzle of a sheet or state; what cannot be read is told in it."""
        try:
            pieces = None if self.pieces is None else pieces_node(self.pieces)
            if _is_whole(sheet):
                return Puzzle.of(name, plain(sheet))
            return Puzzle.of(name, plain(puzzle_node(sheet, pieces, self.forms)))
        except InputError as error:
            return Puzzle(name, "", str(error))


def _is_whole(sheet: Node) -> bool:
    """Return whether a node is a whole state: it has pieces, or is of another game."""
    if not sheet.is_object:
        return False
    return "pieces" in sheet.value or sheet.value.get("game", "polyform") != "polyform"


def puzzles(arguments: Sequence[str], families: Sequence[str], source: Source) -> Iterator[Puzzle]:
    """Yield the puzzles that a command line names, in order.

    Parameters
    ----------
    arguments : sequence of str
        Sheets by short name, files, patterns such as ``sheets/*.json``, files of JSON lines
        (``.jsonl``), and ``-`` for JSON lines on standard input.
    families : sequence of str
        ``calendar``: all 366 dates; ``random:5x6,holes=4..8,pieces=3..5,count=100,seed=1``;
        ``new:lets-klack,count=100,seed=1``: states dealt by a game.

    Raises
    ------
    InputError
        For a pattern that no file meets, or a family that does not exist. A file that cannot be
        read is a puzzle that tells why.

    Examples
    --------
    >>> [puzzle.name for puzzle in puzzles(["2x2", "2x3"], [], Source("I2*"))]
    ['2x2', '2x3']
    """
    for argument in arguments:
        yield from _of_argument(argument, source)
    for family in families:
        yield from _of_family(family, source)


def _of_argument(argument: str, source: Source) -> Iterator[Puzzle]:
    if argument == "-":
        text = decode(sys.stdin.buffer.read(), source="stdin")
        yield from _of_lines(text, "stdin", source)
    elif any(sign in argument for sign in "*?[") and argument.lstrip()[:1] not in ("[", "{"):
        # Not Path.glob, which refuses absolute patterns.
        found = sorted(glob.glob(argument, recursive=True))  # noqa: PTH207
        if not found:
            raise InputError(f"no file is called like '{argument}'", place="SHEETS")
        for name in found:
            yield from _of_file(name, source)
    else:
        yield from _of_file(argument, source)


def _of_file(name: str, source: Source) -> Iterator[Puzzle]:
    if name.endswith((".jsonl", ".ndjson")):
        try:
            text = Path(name).read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", source=name) from None
        yield from _of_lines(decode(text, source=name) if len(text) else "", name, source)
        return
    try:
        sheet = sheet_node(name)
    except InputError as error:
        yield Puzzle(name, "", str(error))
        return
    yield source.puzzle(name, sheet)


def _of_lines(text: str, name: str, source: Source) -> Iterator[Puzzle]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        called = f"{name}:{number}"
        try:
            node = parse(line, source=called)
        except InputError as error:
            yield Puzzle(called, "", str(error))
            continue
        if node.is_object and "puzzle" in node.value:
            fields = node.mapping()
            if "name" in fields and fields["name"].is_string:
                called = fields["name"].string()
            node = fields["puzzle"]
        yield source.puzzle(called, node)


def _of_family(text: str, source: Source) -> Iterator[Puzzle]:
    name, _, rest = text.partition(":")
    if text == "calendar":
        own = source if source.pieces is not None else Source("calendar", source.forms)
        for month, days in enumerate(_DAYS, start=1):
            for day in range(1, days + 1):
                date = f"calendar:{month:02}-{day:02}"
                yield own.puzzle(date, Node(date))
    elif name == "random" and rest:
        yield from _random(rest, source)
    elif name == "new" and rest:
        yield from _dealt(rest)
    else:
        listed = ", ".join(FAMILIES)
        raise InputError(f"there is no family '{text}'; known are: {listed}", place="--sheets")


def _random(rest: str, source: Source) -> Iterator[Puzzle]:
    listed: Json = None if source.pieces is None else plain(pieces_node(source.pieces))
    family, count = read_family(rest, listed, forms=source.forms or "free")
    frame = rest.split(",", maxsplit=1)[0]
    for number, puzzle in family.puzzles(count):
        yield Puzzle.of(f"random:{frame}/{family.seed}/{number}", puzzle)


def _dealt(rest: str) -> Iterator[Puzzle]:
    """Yield states that a game deals; settings other than count and seed are the game's.

    A seed of which nothing can be dealt is a puzzle that tells why, unless it is so with all.
    """
    name, *settings = rest.split(",")
    game = service.get_game(name)
    given: dict[str, Node] = {}
    for setting in settings:
        key, _, value = setting.partition("=")
        given[key] = Node(int(value) if value.isdigit() else value, f"--sheets {key}")
    count = given.pop("count", Node(100)).integer(1, 10**6)
    first = given.pop("seed", Node(0)).integer(0)
    failed = 0
    for seed in range(first, first + count):
        called = f"{name}/{seed}"
        try:
            state = service.new_state(game, {**given, "seed": Node(seed)})
        except InputError as error:
            failed += 1
            if failed == count:
                raise
            yield Puzzle(called, "", str(error))
        else:
            yield Puzzle.of(called, game.dump(state))
