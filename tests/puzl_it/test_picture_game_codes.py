"""Every violation of the picture games has a code that is documented and shown by an example."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = r"[a-z]+(?:-[a-z]+)+|outside"


def _codes(path: Path) -> set[str]:
    return set(re.findall(f'"({CODE})"', path.read_text(encoding="utf-8"))) - {"puzl-it"}


@pytest.mark.parametrize(
    ("package", "page", "examples"),
    [
        ("puzl_it", "puzl-it", "puzl_it/test_puzl_it_rules"),
        ("new_year_puzzle", "new-year-puzzle", "new_year_puzzle/test_new_year_rules"),
    ],
)
def test_codes_are_documented_and_shown(package: str, page: str, examples: str) -> None:
    said = _codes(ROOT / f"models/tilesolve_models/{package}/rules.py")
    text = (ROOT / f"docs/games/{page}.md").read_text(encoding="utf-8")
    table = text.partition("## Violations")[2]
    assert set(re.findall(f"`({CODE})`", table)) == said
    assert said <= _codes(ROOT / f"tests/{examples}.py")


@pytest.mark.parametrize(("page", "letters"), [("puzl-it", "PI"), ("new-year-puzzle", "NY")])
def test_every_rule_has_a_code(page: str, letters: str) -> None:
    text = (ROOT / f"docs/games/{page}.md").read_text(encoding="utf-8")
    table = text.partition("## Violations")[2]
    most = 8 if letters == "PI" else 7
    assert set(re.findall(rf"\| ({letters}\d) \|", table)) == {
        f"{letters}{number}" for number in range(1, most + 1)
    }
