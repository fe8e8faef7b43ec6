"""What the page about the game shows is true."""

from __future__ import annotations

import re
from pathlib import Path

from tilesolve.wire import parse
from tilesolve_models.five_minute_puzzle import rules, state

PAGE = Path(__file__).parents[2] / "docs" / "games" / "five-minute-puzzle.md"


def test_the_state_shown_is_legal() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = re.search(r'^    (\{"game": .*?\n     "roll": \d\})$', text, re.MULTILINE | re.DOTALL)
    assert shown is not None
    given = state.load(parse(shown[1]))
    assert len(given.history) == 2
    assert rules.check(given).legal


def test_every_violation_code_is_listed() -> None:
    listed = set(re.findall(r"`([a-z-]+)`", PAGE.read_text(encoding="utf-8")))
    source = Path(rules.__file__).read_text(encoding="utf-8")
    codes = set(re.findall(r'code(?:, rule, of_what)? ?= ?"([a-z-]+)"', source))
    assert len(codes) > 12
    assert codes <= listed
