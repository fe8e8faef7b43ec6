"""Types, lint and layers are green: the tools run as anyone would run them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "command",
    [
        ["-m", "mypy"],
        ["-m", "ruff", "check", "."],
        ["-m", "ruff", "format", "--check", "."],
        ["-c", "from importlinter.cli import lint_imports_command as run; run()"],
    ],
    ids=["mypy", "ruff-check", "ruff-format", "import-linter"],
)
def test_tool(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
