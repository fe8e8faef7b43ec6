"""JSON to values, with the place in every error, and answers to JSON.

Reading goes through `Node`: a JSON value that knows its path. A reader asks a node for what it
expects and gets it, or an `InputError` that names the place and says what would be right.

Examples
--------
>>> node = parse('{"rows": ["..", ".x"]}', source="sheet.json")
>>> [row.string() for row in node.object("rows")["rows"].items()]
['..', '.x']
>>> node.object("sheet")
Traceback (most recent call last):
tilesolve.errors.InputError: sheet.json: $: unknown field 'rows'; known here: sheet
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilesolve.answers import Cell, Json, Placed, Verdict
from tilesolve.errors import InputError

MAX_BYTES = 16 * 2**20
"""The largest file that is read."""

LARGEST_NUMBER = 2**53
"""JSON numbers above this lose digits in other programs, so counts beyond it travel as text."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Node:
    """A JSON value, the path to it and the file it came from.

    A list that was read from the lines of a text file knows their numbers in `lines`; its
    elements are then called by their line.
    """

    value: Json
    path: str = "$"
    source: str = ""
    lines: tuple[int, ...] = ()

    def error(self, message: str) -> InputError:
        """Return the error that names this place; the caller raises it."""
        return InputError(message, place=self.path, source=self.source)

    def expected(self, what: str) -> InputError:
        """Return the error 'expected WHAT, found ...'."""
        return self.error(f"expected {what}, found {_brief(self.value)}")

    @property
    def is_object(self) -> bool:
        """True for a JSON object."""
        return isinstance(self.value, dict)

    @property
    def is_list(self) -> bool:
        """True for a JSON list."""
        return isinstance(self.value, list)

    @property
    def is_string(self) -> bool:
        """True for a JSON string."""
        return isinstance(self.value, str)

    def object(self, *known: str, required: Sequence[str] = ()) -> dict[str, Node]:
        """Return the fields of an object; unknown and missing ones are errors.

        ``"comment"`` is allowed everywhere, must be text, and is left out.
        """
        fields = self.mapping()
        comment = fields.pop("comment", None)
        if comment is not None:
            comment.string()
        for name in fields:
            if name not in known and name not in required:
                listed = ", ".join(dict.fromkeys((*required, *known)))
                raise self.error(f"unknown field '{name}'; known here: {listed}")
        for name in required:
            if name not in fields:
                raise self.error(f"the field '{name}' is missing")
        return fields

    def mapping(self) -> dict[str, Node]:
        """Return the fields of an object with free names."""
        if not isinstance(self.value, dict):
            raise self.expected("an object")
        return {name: self._child(name, value) for name, value in self.value.items()}

    def items(self, *, least: int = 0, most: int | None = None) -> list[Node]:
        """Return the elements of a list of `least` to `most` elements."""
        if not isinstance(self.value, list):
            raise self.expected("a list")
        if len(self.value) < least or (most is not None and len(self.value) > most):
            raise self.error(f"expected {_range(least, most)} elements, found {len(self.value)}")
        return [
            Node(value, self._place(index), self.source) for index, value in enumerate(self.value)
        ]

    def string(self, *choices: str) -> str:
        """Return a string, one of `choices` if any are given."""
        if not isinstance(self.value, str):
            raise self.expected("a string")
        if choices and self.value not in choices:
            listed = ", ".join(f"'{choice}'" for choice in choices)
            raise self.expected(f"one of {listed}" if len(choices) > 1 else listed)
        return self.value

    def integer(self, least: int | None = None, most: int | None = None) -> int:
        """Return a whole number from `least` to `most`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.expected("a whole number")
        if (least is not None and self.value < least) or (most is not None and self.value > most):
            raise self.expected(f"a whole number {_range(least, most)}")
        return self.value

    def number(self, least: float | None = None) -> float:
        """Return a number of at least `least`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.expected("a number")
        if least is not None and self.value < least:
            raise self.expected(f"a number of at least {least}")
        return float(self.value)

    def boolean(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.expected("true or false")
        return self.value

    def cell(self) -> Cell:
        """Return a cell ``[row, column]``; negative numbers are left to the game's rules."""
        if not isinstance(self.value, list) or len(self.value) != 2:
            raise self.expected("a cell [row, column]")
        row, column = self.items()
        return row.integer(-(10**6), 10**6), column.integer(-(10**6), 10**6)

    def cells(self, *, least: int = 0) -> tuple[Cell, ...]:
        """Return a list of cells."""
        return tuple(item.cell() for item in self.items(least=least))

    def _place(self, index: int) -> str:
        return f"line {self.lines[index]}" if self.lines else f"{self.path}[{index}]"

    def _child(self, name: str, value: Json) -> Node:
        if isinstance(value, Node):  # an object put together from several files
            return value
        step = f".{name}" if _NAME.fullmatch(name) else f"[{json.dumps(name)}]"
        return Node(value, self.path + step, self.source)


def _range(least: float | None, most: float | None) -> str:
    if least == most:
        return f"exactly {least}"
    if most is None:
        return f"of at least {least}"
    return f"of at most {most}" if least is None else f"from {least} to {most}"


def _brief(value: Json) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."


@dataclass(frozen=True)
class _Flaw:
    """What stands where JSON allows nothing of the kind; found again by its path afterwards."""

    message: str


def _unique(pairs: list[tuple[str, Json]]) -> Json:
    fields: dict[str, Json] = {}
    for name, value in pairs:
        if name in fields:
            return _Flaw(f"the field '{name}' stands twice in one object; write it once")
        fields[name] = value
    return fields


def _refuse_constant(name: str) -> Json:
    return _Flaw(f"{name} is not a JSON number; write a finite number")


def _finite(text: str) -> Json:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        return _Flaw(f"the number {text[:20]} is too large; write one below 1e308")
    return number


def _whole(text: str) -> Json:
    if len(text) > 400:
        return _Flaw(f"a number of {len(text)} digits is too large; write one of at most 400")
    return int(text)


def _refuse_flaws(node: Node) -> None:
    """Raise the first flaw below a node, with its place."""
    if isinstance(node.value, _Flaw):
        raise node.error(node.value.message)
    if isinstance(node.value, str):
        _refuse_halves(node, node.value)
    elif isinstance(node.value, dict):
        for name in node.value:
            _refuse_halves(node, name)
        for child in node.mapping().values():
            _refuse_flaws(child)
    elif isinstance(node.value, list):
        for item in node.items():
            _refuse_flaws(item)


def _refuse_halves(node: Node, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        message = "text holds half of a surrogate pair; write both halves"
        raise node.error(message) from None


def parse(text: str, *, source: str = "") -> Node:
    """Parse JSON text strictly.

    Raises
    ------
    InputError
        For malformed JSON, NaN and infinities, duplicate fields, numbers of more than 400
        digits, lone surrogates and nesting beyond what Python can hold.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
        _refuse_flaws(Node(value, source=source))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise InputError(message, place=place, source=source) from None
    except RecursionError:
        raise InputError("nested too deeply; a few levels are enough", source=source) from None
    return Node(value, source=source)


def read_text(path: Path) -> str:
    r"""Read a UTF-8 file, with or without BOM, with any line ends.

    Raises
    ------
    InputError
        If it cannot be read, is larger than `MAX_BYTES`, or is not UTF-8.
    """
    source = path.name or str(path)
    try:
        if path.is_dir():
            raise InputError("is a folder, expected a file", source=source)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else str(error.strerror)
        raise InputError(f"cannot be read: {reason}", source=str(path)) from None
    return decode(data, source=source)


def decode(data: bytes, *, source: str = "") -> str:
    """Decode the bytes of a file or of standard input; errors as in `read_text`."""
    if len(data) > MAX_BYTES:
        raise InputError(f"larger than the limit of {MAX_BYTES // 2**20} MiB", source=source)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8 text", place=f"line {line}", source=source) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def dump(value: Any) -> Json:
    """Return an answer as JSON values; fields that do not apply are left out.

    A field is left out when it is None or an empty tuple or mapping, and so is the certificate,
    which may be large; `details` go beside the named fields; whole numbers beyond
    `LARGEST_NUMBER` become text.

    Examples
    --------
    >>> from tilesolve.answers import Verdict
    >>> dump(Verdict(complete=True))
    {'legal': True, 'complete': True, 'violations': []}
    """
    if isinstance(value, Placed):  # as the other values, only quicker: lists are made of these
        return {"piece": value.piece, "cells": [list(cell) for cell in value.cells]}
    if isinstance(value, Verdict):
        rest = _fields(value, keep=("violations",))
        return {"legal": value.legal, "complete": value.complete, **rest}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    return _plain(value)


_KEPT = {"witness", "line", "hints", "answer", "policies"}


def _fields(value: Any, keep: tuple[str, ...] = ()) -> dict[str, Json]:
    dumped: dict[str, Json] = {}
    needed = set(keep)
    answer = getattr(value, "answer", None) or getattr(value, "proof", None)
    if answer in ("yes", "optimal", "feasible", None):
        needed |= _KEPT
    for entry in dataclasses.fields(value):
        content = getattr(value, entry.name)
        if entry.name in ("details", "certificate"):
            continue
        if content is None or (entry.name not in needed and _empty(content)):
            continue
        dumped[entry.name] = round(content, 3) if entry.name == "seconds" else dump(content)
    for name, content in getattr(value, "details", {}).items():
        dumped[name] = dump(content)
    return dumped


def _empty(content: object) -> bool:
    return isinstance(content, tuple | list | dict | str) and len(content) == 0


def _plain(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {str(name): dump(content) for name, content in value.items()}
    if isinstance(value, tuple | list):
        return [dump(content) for content in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST_NUMBER:
        return str(value)
    return value
