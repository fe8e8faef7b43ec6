"""From arguments to JSON nodes: files, standard input, short names, text sheets."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilesolve.answers import Json
from tilesolve.errors import InputError
from tilesolve.wire import MAX_BYTES, Node, decode, parse, read_text

_SHORT_SHEET = re.compile(r"((hex|triangle|square):)?\d+x\d+(-[a-z]+)?|calendar:\d+-\d+")


def sheet_node(argument: str) -> Node:
    """Return the SHEET argument: a file, ``-`` for standard input, a short name or JSON."""
    if _SHORT_SHEET.fullmatch(argument):
        return Node(argument, "SHEET")
    if argument.lstrip()[:1] in ("{", "["):
        return parse(argument, source="SHEET")
    return _file(argument)


def pieces_node(argument: str) -> Node:
    """Return the PIECES argument: a file, ``-``, JSON, or names as ``F,I*2``."""
    if argument.lstrip()[:1] in ("{", "["):
        return parse(argument, source="PIECES")
    if argument == "-" or _is_file(argument) or argument.endswith((".json", ".txt")):
        return _file(argument)
    return Node(argument, "PIECES")


def value_node(name: str, argument: str) -> Node:
    """Return an option's value that may be JSON text, a file, or plain text."""
    stripped = argument.lstrip()
    if stripped[:1] in ("{", "[", '"'):
        return parse(argument, source=f"--{name}")
    if argument == "-" or _is_file(argument) or argument.endswith(".json"):
        return _file(argument)
    return Node(argument, f"--{name}")


def puzzle_node(sheet: Node, pieces: Node | None, forms: str | None) -> Node:
    """Return a state of both arguments; each part keeps its file's name in errors.

    Raises
    ------
    InputError
        If pieces come with a file that holds them already, or with another game.
    """
    whole = sheet.is_object and bool({"game", "sheet"} & sheet.value.keys())
    if not whole:
        fields: dict[str, Json] = {"sheet": sheet}
    elif pieces is None and forms is None:
        return sheet
    else:
        fields = dict(sheet.mapping())
        if fields.get("game", Node("polyform")).value != "polyform":
            raise InputError("PIECES and --forms go with polyform sheets only", source="PIECES")
        if pieces is not None and "pieces" in fields:
            raise InputError(f"the pieces stand in {sheet.source} already", source="PIECES")
    if pieces is not None:
        fields["pieces"] = pieces
    if forms is not None:
        fields["forms"] = Node(forms, source="--forms")
    return Node(fields, source=sheet.source)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is whole or not there; errors as in `whole`."""
    with whole(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a file to write to, which takes the path's place when all went well.

    The old one stays if writing fails.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent or ".", prefix=f".{path.name}.")
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = f"cannot be written: {error.strerror}"
        raise InputError(reason, source=str(path)) from None


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except (OSError, ValueError):  # names that no file can have
        return False


def _file(argument: str) -> Node:
    if argument == "-":
        text = decode(sys.stdin.buffer.read(MAX_BYTES + 1), source="stdin")
        looks_like_json = text.lstrip()[:1] in ("{", "[", '"')
        return parse(text, source="stdin") if looks_like_json else text_rows(text, "stdin")
    if "\0" in argument:
        raise InputError("a file's name cannot hold a null character")
    path = Path(argument)
    text = read_text(path)
    if path.suffix.lower() == ".txt":
        return text_rows(text, path.name)
    return parse(text, source=path.name)


def text_rows(text: str, source: str) -> Node:
    r"""Return the rows of a text sheet; lines that start with ``;`` are comments.

    Empty lines at the end and the beginning are left out.

    Examples
    --------
    >>> text_rows("; mine\n..#\n...\n", "sheet.txt").value
    ['..#', '...']
    """
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if "\t" in line and not line.startswith(";"):
            raise InputError("a tab; use spaces", place=f"line {number}", source=source)
    rows = [
        (number, line.rstrip())
        for number, line in enumerate(lines, start=1)
        if not line.startswith(";")
    ]
    while rows and not rows[-1][1]:
        rows.pop()
    while rows and not rows[0][1]:
        rows.pop(0)
    numbers = tuple(number for number, _ in rows)
    return Node([row for _, row in rows], source=source, lines=numbers)
