"""Everything tilesolve refuses, as three kinds of error.

`InputError`: what was given cannot be understood; it names the place.
`IllegalState`: it was understood, and the rules forbid it; it carries the violations.
`NotOffered`: the game exists, the operation does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tilesolve.answers import Verdict


class TilesolveError(Exception):
    """The root of all errors that tilesolve raises on purpose."""


class InputError(TilesolveError):
    """Input that cannot be understood.

    Parameters
    ----------
    message : str
        One sentence: what was found and what would be right.
    place : str
        A JSON path such as ``$.pieces[3].rows``, or ``line 4``, or empty.
    source : str
        The file's name, or empty when it is not known yet.

    Examples
    --------
    >>> str(InputError("expected a list, found 3", place="$.rows", source="sheet.json"))
    'sheet.json: $.rows: expected a list, found 3'
    """

    def __init__(self, message: str, *, place: str = "", source: str = "") -> None:
        super().__init__(message, place, source)
        self.message = message
        self.place = place
        self.source = source

    def __str__(self) -> str:
        return ": ".join(part for part in (self.source, self.place, self.message) if part)

    def within(self, source: str) -> InputError:
        """Return the same error with the file named, unless it names one already."""
        return InputError(self.message, place=self.place, source=self.source or source)


class IllegalState(TilesolveError):
    """A state or move that the rules forbid.

    Parameters
    ----------
    verdict : Verdict
        What the rule checker said; its violations are never empty.
    """

    def __init__(self, verdict: Verdict) -> None:
        super().__init__("; ".join(violation.message for violation in verdict.violations))
        self.verdict = verdict


class NotOffered(TilesolveError):
    """An operation that a game does not offer.

    Examples
    --------
    >>> str(NotOffered("null", "count", ["fit", "best"]))
    "null does not offer 'count'; it offers: fit, best"
    """

    def __init__(self, game: str, operation: str, offered: Sequence[str]) -> None:
        super().__init__(f"{game} does not offer '{operation}'; it offers: {', '.join(offered)}")
        self.game = game
        self.operation = operation
        self.offered = tuple(offered)
