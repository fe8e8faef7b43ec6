"""The command line: each command is one call of the service."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Exit codes: 0 yes, legal, a score found, a count above 0; 1 no, illegal, infeasible, 0;
    2 bad input; 3 unknown.
    """
    from tilesolve.cli.commands import run

    run(list(sys.argv[1:] if arguments is None else arguments))


__all__ = ["main"]
