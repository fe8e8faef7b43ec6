"""Where requests become questions of the service, and answers become JSON.

The server's own process reads a request as far as that needs no solver (`read`); a worker
process answers it (`answer`). Both front ends share this, so their answers are the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from tilesolve import service
from tilesolve.answers import Json, Solved, Verdict, Witness
from tilesolve.budget import Budget, Watch
from tilesolve.errors import InputError, NotOffered
from tilesolve.game import Game
from tilesolve.registry import game_ids, get_game
from tilesolve.serve.request import Limits, Refusal, Refused, Request
from tilesolve.wire import Node, dump

PROTOCOL = 1
"""Version of the wire protocol; it changes when a client has to."""

MOST_SOLUTIONS = 100
"""How many solutions `solve` returns where ``limit`` is not given."""


def describe() -> Json:
    """Return what this server offers: versions and every game's description.

    A game that cannot be imported is left out, and standard error says why.
    """
    games = []
    for game in game_ids():
        try:
            games.append(service.describe(get_game(game)))
        except InputError as error:
            print(f"tilesolve: left out: {error}", file=sys.stderr)
    return {
        "protocol": PROTOCOL,
        "engine": {"name": "tilesolve", "version": version("tilesolve")},
        "games": games,
    }


def read(game: str, operation: str, body: Json, limits: Limits) -> Request:
    """Read a request without loading its state.

    Parameters
    ----------
    body : JSON
        An object with ``state``, ``budget`` and the operation's settings; ``comment`` is
        allowed.

    Raises
    ------
    Refused
        With code ``unknown-game``, ``not-offered`` or ``limit``.
    InputError
        If the body or its budget cannot be understood.

    Examples
    --------
    >>> read("null", "best", {"state": {"counters": 3}}, Limits(seconds=5)).budget["seconds"]
    5
    """
    offered = operations(game)
    if operation not in offered:
        error = NotOffered(game, operation, offered)
        raise Refused(Refusal(code="not-offered", message=str(error), offered=offered))
    node = Node(body)
    fields = node.mapping()
    if "comment" in fields:
        fields["comment"].string()
    settings = {name: given.value for name, given in fields.items() if name != "budget"}
    settings.pop("comment", None)
    budget = _budget(fields.get("budget"), operation, limits)
    if operation == "new" and "state" in settings:
        raise fields["state"].error("a new state is not made from a state")
    if operation not in ("new", "simulate") and "state" not in settings:
        raise node.error("the field 'state' is missing")
    return Request(
        game=game,
        operation=operation,
        body=settings,
        budget=asdict(budget),
        cells=limits.cells,
        pieces=limits.pieces,
    )


def operations(game: str) -> tuple[str, ...]:
    """Return what a game offers.

    Raises
    ------
    Refused
        With code ``unknown-game``.

    Examples
    --------
    >>> operations("null")
    ('check', 'show', 'read', 'convert', 'moves', 'apply', 'fit', 'best', 'hint', 'new')
    """
    installed = game_ids()
    if game not in installed:
        message = f"there is no game '{game[:40]}'; installed are {', '.join(installed)}"
        raise Refused(Refusal(code="unknown-game", message=message, offered=installed))
    return (*service.ALWAYS, *get_game(game).info.operations)


def _budget(node: Node | None, operation: str, limits: Limits) -> Budget:
    default = service.budget_for(operation)
    fields = {} if node is None else node.object("seconds", "work", "workers", "seed", "memory")
    seconds: float | None = default.seconds
    if limits.seconds is not None and seconds is not None:
        seconds = min(seconds, limits.seconds)
    if "seconds" in fields:
        seconds = _seconds(fields["seconds"], limits)
    work = limits.work
    if "work" in fields:
        work = _counted(fields["work"], "work units", limits.work)
    workers = 1
    if "workers" in fields:
        workers = _counted(fields["workers"], "workers", limits.workers, least=1)
    seed = fields["seed"].integer(0, 2**63 - 1) if "seed" in fields else 0
    memory = limits.memory
    if "memory" in fields:
        memory = _counted(fields["memory"], "megabytes", limits.memory, least=1)
    held = None if memory is None else memory * 2**20
    return Budget(seconds=seconds, work=work, workers=workers, seed=seed, memory=held)


def _seconds(node: Node, limits: Limits) -> float | None:
    if node.value is None:
        if limits.seconds is not None:
            raise _beyond(node, f"no time limit is more than {limits.seconds:g} seconds")
        return None
    seconds = node.number(0)
    if limits.seconds is not None and seconds > limits.seconds:
        raise _beyond(node, f"{seconds:g} seconds are more than {limits.seconds:g}")
    return seconds


def _counted(node: Node, unit: str, limit: int | None, *, least: int = 0) -> int:
    number = node.integer(least, 10**18)
    if limit is not None and number > limit:
        raise _beyond(node, f"{number} {unit} are more than {limit}")
    return number


def _beyond(node: Node, found: str) -> Refused:
    message = f"{found}, the limit of this server"
    return Refused(Refusal(code="limit", message=message, path=node.path))


def answer(request: Request, *, watch: Watch, part: Callable[[Json], None]) -> Json:
    """Answer a request, in a worker process.

    Parameters
    ----------
    part : callable
        Hears each solution of ``solve`` as it is found.

    Raises
    ------
    InputError, NotOffered, Refused
        If the state or a setting cannot be understood, or the state is larger than the limits.
    """
    game = get_game(request.game)
    body = Node(request.body).mapping()
    budget = Budget(**request.budget)
    state = body.pop("state", None)
    if request.operation == "new":
        return {"state": game.dump(service.new_state(game, body))}
    question = _question(game, state, request)
    if request.operation == "solve" and "limit" not in body:
        body["limit"] = Node(MOST_SOLUTIONS)
    result = service.ask(question, request.operation, budget=budget, watch=watch, parameters=body)
    if isinstance(result, Iterator):
        return _collected(result, part)
    if isinstance(result, Verdict) and request.operation != "check":
        return service.illegal_json(result)
    return dump(result)


def _question(game: Game[Any, Any], state: Node | None, request: Request) -> service.Question:
    if state is None:
        return service.Question(game, None)
    fields = state.value
    if isinstance(fields, dict) and "game" in fields:
        if Node(fields["game"], f"{state.path}.game").string() != game.info.id:
            named = Node(fields["game"], f"{state.path}.game")
            raise named.error(f"this is a state of '{named.value}', asked was {game.info.id}")
    elif isinstance(fields, dict) and "game" in game.info.state_schema.get("required", ()):
        state = Node({"game": game.info.id, **fields}, state.path)
    question = service.load(state)
    _measure(question, request)
    return question


def _measure(question: service.Question, request: Request) -> None:
    """Refuse positions beyond the limits before any engine sees them."""
    game, state = question.game, question.state
    cells = len(game.picture(state).tiles)
    dumped = game.dump(state)
    listed = dumped.get("pieces") if isinstance(dumped, Mapping) else None
    pieces = sum(map(_copies, listed)) if isinstance(listed, list) else 0
    for found, unit, limit in (
        (cells, "cells", request.cells),
        (pieces, "pieces", request.pieces),
    ):
        if found > limit:
            message = f"{found} {unit} are more than {limit}, the limit of this server"
            raise Refused(Refusal(code="limit", message=message, path="$.state"))


def _copies(piece: Json) -> int:
    count = piece.get("count", 1) if isinstance(piece, Mapping) else 1
    most = count[-1] if isinstance(count, list) and count else count
    return most if isinstance(most, int) else 1


def _collected(results: Iterator[Witness | Solved], part: Callable[[Json], None]) -> Json:
    """Return the end of a stream with all that came before it under ``witnesses``."""
    witnesses: list[Json] = []
    end: dict[str, Json] = {}
    for result in results:
        dumped = dump(result)
        if isinstance(result, Solved):
            end = dumped
        else:
            witnesses.append(dumped)
            part(dumped)
    return {"witnesses": witnesses, **end}
