"""What the docs show is true: files validate and load, commands answer as printed."""

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tilesolve import service
from tilesolve.geometry.lattice import LATTICES
from tilesolve.geometry.piece import read_pieces
from tilesolve.geometry.sheet import read_sheet
from tilesolve.schemas import schemas
from tilesolve.wire import Node

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```json ([a-z-]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str, Any]]:
    return [
        (f"{path.relative_to(DOCS)}-{number}", match[1], json.loads(match[2]))
        for path in sorted(DOCS.rglob("*.md"))
        for number, match in enumerate(_BLOCK.finditer(path.read_text(encoding="utf-8")))
    ]


@pytest.mark.parametrize(("where", "name", "value"), blocks(), ids=lambda value: str(value)[:40])
def test_blocks_validate_and_load(where: str, name: str, value: Any) -> None:
    known = schemas()
    assert name in known, where
    Draft202012Validator(known[name]).validate(value)
    if name == "sheet":
        read_sheet(Node(value))
    elif name == "pieces":
        assert any(_reads(value, lattice) for lattice in LATTICES)
    elif name in service.game_ids():
        service.load(Node(value))


def _reads(value: Any, lattice: str) -> bool:
    return bool(read_pieces(Node(value), lattice=LATTICES[lattice]).pieces)


def test_there_are_blocks_to_test() -> None:
    assert len(blocks()) >= 10


@pytest.mark.parametrize("name", ["sheet", "pieces"])
def test_examples_validate(name: str) -> None:
    value = json.loads((DOCS / "examples" / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator(schemas()[name]).validate(value)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("sheet", {"rows": ["."], "colour": 1}),
        ("sheet", 3),
        ("pieces", [{"name": "F", "colour": 1}]),
        ("pieces", {"pieces": ["F"], "extra": 1}),
        ("polyform", {"sheet": "6x10", "goal": "win"}),
    ],
)
def test_schemas_refuse_what_the_reader_refuses(name: str, bad: Any) -> None:
    assert not Draft202012Validator(schemas()[name]).is_valid(bad)


def test_links_lead_somewhere() -> None:
    for path in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]:
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_calendar_has_its_published_numbers() -> None:
    path = DOCS / "examples" / "calendar_year.py"
    spec = importlib.util.spec_from_file_location("calendar_year", path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    counts = example.counts()
    assert (len(counts), sum(counts.values())) == (366, 24405)
    assert (min(counts.values()), counts[10, 6]) == (7, 7)
    assert (max(counts.values()), counts[1, 25]) == (216, 216)
