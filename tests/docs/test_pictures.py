"""The pictures of the docs are what the program draws today."""

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


def drawn() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("draw_pictures", FOLDER / "draw.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.pictures())


def test_pictures_are_current() -> None:
    current = drawn()
    assert {path.name for path in FOLDER.glob("*.svg")} == set(current)
    for name, picture in current.items():
        if (FOLDER / name).read_text(encoding="utf-8") != picture:
            pytest.fail(f"{name} is out of date: python docs/pictures/draw.py")
