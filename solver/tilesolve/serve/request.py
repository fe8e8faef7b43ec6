"""What a client asks, and how it is refused: the same on stdio and HTTP."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tilesolve.answers import Json
from tilesolve.errors import InputError, NotOffered

Code: TypeAlias = Literal[
    "not-json",
    "bad-input",
    "unknown-game",
    "not-offered",
    "too-large",
    "limit",
    "busy",
    "worker-died",
    "overrun",
    "failed",
]
"""Why there is no answer; stable, for programs.

`not-json` and `bad-input` name the place; `unknown-game` and `not-offered` list what there is;
`too-large`, `limit` and `busy` name the limit; the last three are not the client's doing.
"""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request, understood as far as that needs no solver.

    Parameters
    ----------
    game, operation : str
        What is asked of which game.
    body : JSON object
        The state and the operation's settings.
    budget : JSON object
        What was granted, as `tilesolve.budget.Budget` has it.
    cells, pieces : int
        The largest position that is accepted.
    """

    game: str
    operation: str
    body: Json
    budget: Json = field(default_factory=dict)
    cells: int = 10**6
    pieces: int = 10**6


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a question has no answer.

    Parameters
    ----------
    path : str
        JSON path into the body, as ``$.state.rows``; empty where no place is to blame.
    offered : tuple of str
        What could have been asked for instead.
    """

    code: Code
    message: str
    path: str = ""
    offered: tuple[str, ...] = ()

    def dump(self) -> dict[str, Json]:
        """Return the refusal as JSON, without empty fields.

        Examples
        --------
        >>> Refusal(code="busy", message="too many questions at once").dump()
        {'code': 'busy', 'message': 'too many questions at once'}
        """
        fields: dict[str, Json] = {"code": self.code, "message": self.message}
        if self.path:
            fields["path"] = self.path
        if self.offered:
            fields["offered"] = list(self.offered)
        return fields

    @classmethod
    def read(cls, fields: dict[str, Json]) -> Refusal:
        """Return what `dump` wrote."""
        return cls(**{**fields, "offered": tuple(fields.get("offered", ()))})


class Refused(Exception):
    """A question that is refused."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def refusal_of(error: InputError | NotOffered) -> Refusal:
    """Return the refusal that says what an error of the solver says.

    Examples
    --------
    >>> refusal_of(InputError("expected a list, found 3", place="$.state.rows")).path
    '$.state.rows'
    """
    if isinstance(error, NotOffered):
        return Refusal(code="not-offered", message=str(error), offered=error.offered)
    return Refusal(code="bad-input", message=error.message, path=error.place)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one server grants its clients.

    Parameters
    ----------
    body : int
        Bytes of one request.
    cells, pieces : int
        Size of a position.
    seconds : float or None
        Longest time for one question; None allows questions without a time limit.
    work : int or None
        Most work units of one question.
    memory : int or None
        Most megabytes that an engine may hold; None leaves it the quarter it takes by itself.
    workers : int
        Worker processes, and the most threads a question may ask for.
    queue : int
        Questions that wait for a worker.
    grace : float
        Seconds after its time, or after an interruption, until a worker is killed.
    """

    body: int = 2 * 2**20
    cells: int = 10_000
    pieces: int = 2_000
    seconds: float | None = 300.0
    work: int | None = None
    memory: int | None = None
    workers: int = 2
    queue: int = 64
    grace: float = 10.0


UNLIMITED = Limits(body=16 * 2**20, cells=10**6, pieces=10**6, seconds=None, queue=10_000)
"""For a program that runs its own engine."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The end of a question: the answer as JSON bytes, or a refusal."""

    answer: bytes = b""
    refusal: Refusal | None = None

    @property
    def value(self) -> Json:
        """The answer as JSON values; None with a refusal."""
        return json.loads(self.answer) if self.answer else None


@dataclass(frozen=True, kw_only=True)
class News:
    """Progress of a question, or a part of its answer, as JSON bytes."""

    content: bytes
    kind: Literal["progress", "part"] = "progress"

    @property
    def value(self) -> Json:
        """The news as JSON values."""
        return json.loads(self.content)
