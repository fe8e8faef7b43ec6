"""Rows as a table: columns out of nested rows, written as Parquet, CSV or JSON lines, and read."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from tilesolve.answers import Json
from tilesolve.errors import InputError
from tilesolve.files import whole

FORMATS = (".parquet", ".csv", ".jsonl")

FIRST = ("name", "grade", "hardest_technique", "error", "stopped_by")
LAST = ("seconds", "game", "seed", "work", "version", "python", "puzzle", "key")
"""Columns at the beginning and at the end; the measures stand between them."""

Type: TypeAlias = Literal["boolean", "integer", "number", "text"]
Rows: TypeAlias = Callable[[], Iterable[Json]]
"""Gives the rows anew each time, so that they need not be held."""

_GROUP = 5_000


def format_of(path: Path) -> str:
    """Return the format that a file's name asks for.

    Raises
    ------
    InputError
        For another one, or Parquet without pyarrow.

    Examples
    --------
    >>> format_of(Path("results.csv"))
    '.csv'
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"its name must end in {', '.join(FORMATS)}", source=str(path))
    if suffix == ".parquet":
        _pyarrow()
    return suffix


def _pyarrow() -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        message = "Parquet needs pyarrow: pip install 'tilesolve[bench]'; .csv and .jsonl do not"
        raise InputError(message, place="--out") from None
    del pyarrow
    return pa


def flat(row: Mapping[str, Json]) -> dict[str, Json]:
    """Return a row with its measures as columns: nested ones with dots, puzzles as text.

    Examples
    --------
    >>> flat({"name": "a", "measures": {"players": {"random": {"rate": 0.5}}}, "puzzle": [1]})
    {'name': 'a', 'players.random.rate': 0.5, 'puzzle': '[1]'}
    """
    columns: dict[str, Json] = {}
    for name, value in row.items():
        if name == "puzzle":
            columns[name] = _text(value)
        elif name == "measures":
            for inner, content in value.items():
                _spread(inner, content, columns)
        else:
            _spread(name, value, columns)
    return columns


def _spread(name: str, value: Json, columns: dict[str, Json]) -> None:
    if isinstance(value, dict) and name.rsplit(".", maxsplit=1)[-1] != "distribution":
        for inner, content in value.items():
            _spread(f"{name}.{inner}", content, columns)
    elif isinstance(value, list) and len(value) == 2:
        columns[f"{name}.low"], columns[f"{name}.high"] = value
    elif isinstance(value, dict | list):
        columns[name] = _text(value)
    else:
        columns[name] = value


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def ordered(names: Iterable[str]) -> list[str]:
    """Return columns in their fixed order.

    Parts of one measure stand together, also those that only later rows have.

    Examples
    --------
    >>> ordered(["key", "a.1", "b", "a.2", "name"])
    ['name', 'a.1', 'a.2', 'b', 'key']
    """
    given = list(dict.fromkeys(names))
    measures = [name for name in given if name not in FIRST and name not in LAST]
    groups = list(dict.fromkeys(name.split(".")[0] for name in measures))
    measures.sort(key=lambda name: groups.index(name.split(".")[0]))
    return [name for name in (*FIRST, *measures, *LAST) if name in given]


@dataclass(frozen=True)
class Columns:
    """The columns of some rows, in order, with what they hold."""

    types: Mapping[str, Type]

    @classmethod
    def of(cls, rows: Iterable[Json]) -> Columns:
        """Look through all rows.

        Examples
        --------
        >>> dict(Columns.of([{"name": "a", "measures": {"cells": 3}}, {"error": "b"}]).types)
        {'name': 'text', 'error': 'text', 'cells': 'integer'}
        """
        found: dict[str, Type] = {}
        for row in rows:
            for name, value in flat(row).items():
                kind = _type(value)
                found[name] = kind if name not in found else _common(found[name], kind)
        return cls({name: found[name] for name in ordered(found)})

    def values(self, row: Json) -> list[Json]:
        """Return a row's values in the order of the columns; None where it has none."""
        given = flat(row)
        return [
            _as(kind, given[name]) if name in given else None for name, kind in self.types.items()
        ]


def _type(value: Json) -> Type:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if abs(value) < 2**63 else "text"
    return "number" if isinstance(value, float) else "text"


def _common(first: Type, second: Type) -> Type:
    if first == second:
        return first
    return "number" if {first, second} == {"integer", "number"} else "text"


def _as(kind: Type, value: Json) -> Json:
    if kind == "text" and not isinstance(value, str):
        return _text(value)
    return float(value) if kind == "number" else value


def write(path: Path, rows: Rows) -> None:
    """Write rows to a file whose name says the format; it is whole or not there.

    Raises
    ------
    InputError
        For a name of another format, or a file that cannot be written.
    """
    writers = {".parquet": _write_parquet, ".csv": _write_csv, ".jsonl": _write_lines}
    writer = writers[format_of(path)]
    with whole(path) as temporary:
        writer(temporary, rows)


def _write_lines(path: Path, rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows():
            file.write(_text(row) + "\n")


def _write_csv(path: Path, rows: Rows) -> None:
    columns = Columns.of(rows())
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns.types)
        writer.writerows(columns.values(row) for row in rows())


def _write_parquet(path: Path, rows: Rows) -> None:
    pa = _pyarrow()
    columns = Columns.of(rows())
    kinds = {
        "boolean": pa.bool_(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "text": pa.string(),
    }
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.types.items()])
    with pa.parquet.ParquetWriter(path, schema) as writer:
        left = iter(rows())
        while group := [columns.values(row) for row in islice(left, _GROUP)]:
            arrays = [
                pa.array(column, field.type)
                for column, field in zip(zip(*group, strict=True), schema, strict=True)
            ]
            writer.write_table(pa.table(arrays, schema=schema))


def read(path: Path) -> list[dict[str, Json]]:
    """Read a table back as flat rows; what a row does not have is left out.

    A journal is read too, also while its run goes on.

    Raises
    ------
    InputError
        For a file that is no such table.
    """
    readers: dict[str, Callable[[Path], Iterator[dict[str, Json]]]] = {
        ".parquet": _read_parquet,
        ".csv": _read_csv,
        ".jsonl": _read_lines,
        ".journal": _read_lines,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        listed = ", ".join(readers)
        raise InputError(f"expected a file that ends in {listed}", source=str(path))
    try:
        rows = list(reader(path))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=str(path)) from None
    except ValueError as error:
        raise InputError(f"no table of results: {error}", source=str(path)) from None
    if not rows or "name" not in rows[0]:
        raise InputError("no table of results: it has no rows with names", source=str(path))
    return rows


def _read_lines(path: Path) -> Iterator[dict[str, Json]]:
    lines = path.read_text(encoding="utf-8").split("\n")
    for line in lines[:-1]:  # behind the last end of a line stands nothing, or a torn one
        row = json.loads(line)
        if not isinstance(row, dict):
            raise ValueError("a line is no object")
        yield flat(row)


def _read_csv(path: Path) -> Iterator[dict[str, Json]]:
    csv.field_size_limit(2**24)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = {name: _read_type([row[name] for row in rows]) for name in (rows[0] if rows else ())}
    for row in rows:
        yield {name: _read_value(kinds[name], text) for name, text in row.items() if text}


def _read_type(texts: Sequence[str | None]) -> Type:
    given = [text for text in texts if text]
    if given and all(text in ("True", "False") for text in given):
        return "boolean"
    try:
        for text in given:
            float(text)
    except ValueError:
        return "text"
    return "number" if any(set(text) & set(".en") for text in given) else "integer"


def _read_value(kind: Type, text: str) -> Json:
    if kind == "boolean":
        return text == "True"
    if kind == "text":
        return text
    return float(text) if kind == "number" else int(text)


def _read_parquet(path: Path) -> Iterator[dict[str, Json]]:
    pa = _pyarrow()
    try:
        table = pa.parquet.read_table(path)
    except pa.ArrowInvalid as error:
        raise ValueError(str(error)) from None
    for row in table.to_pylist():
        yield {name: value for name, value in row.items() if value is not None}
