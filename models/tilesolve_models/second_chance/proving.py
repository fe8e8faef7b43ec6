"""A grid as a polyform puzzle: what a no, its certificate and its explanation are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tilesolve.answers import Explanation, Json, Placed, Reason, Verification
from tilesolve.budget import SILENT, Budget, Meter, Watch
from tilesolve.errors import InputError
from tilesolve.geometry.lattice import SQUARE
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import PLAIN, Sheet
from tilesolve.proof.certificate import (
    Certificate,
    Claim,
    Use,
    dump_certificate,
    puzzle_hash,
    read_certificate,
)
from tilesolve.proof.verify import verify as follow
from tilesolve.wire import Node
from tilesolve_models.polyform import explaining, verifying
from tilesolve_models.polyform.refutation import Refutation, best_refutation
from tilesolve_models.polyform.rules import State as Puzzle
from tilesolve_models.polyform.rules import left
from tilesolve_models.second_chance.asking import own_grid, require_legal, seat_of
from tilesolve_models.second_chance.deck import Tile, read_tile
from tilesolve_models.second_chance.rules import open_placements
from tilesolve_models.second_chance.state import Player, State

MOST_TOGETHER = 400
"""The longest list of tiles that is read."""

_MOST_EXPLAINED = 4
"""Tiles that fit nowhere of which it is said what would help."""


def puzzle_of(player: Player, tiles: Iterable[Tile]) -> Puzzle:
    """Return the puzzle of placing tiles in a grid, after what was drawn there in order.

    Examples
    --------
    >>> domino = Tile.of([(0, 0), (0, 1)], "I2")
    >>> puzzle_of(Player((".A.", "...")), [domino, domino]).pieces[0].most
    2
    """
    copies = Counter(drawn.tile for drawn in player.drawn) + Counter(tiles)
    names = _names(copies)
    placed = tuple(Placed(piece=names[d.tile], cells=tuple(sorted(d.cells))) for d in player.drawn)
    pieces = tuple(_piece(tile, names[tile], n, n) for tile, n in copies.items())
    return Puzzle(_sheet(player, placed), pieces, "packing")


def _sheet(player: Player, placed: tuple[Placed, ...] = ()) -> Sheet:
    """Return the grid; what is filled, but not by what is placed, is filled by nobody known."""
    beside = {cell for lying in placed for cell in lying.cells}
    cells = player.grid.cells(player.grid.everything)
    filled = tuple(c for c in player.grid.cells(player.filled) if c not in beside)
    lettered = (Placed(piece="A", cells=filled),) if filled else ()
    return Sheet(SQUARE, dict.fromkeys(cells, PLAIN), lettered=lettered, placed=placed)


def _names(tiles: Iterable[Tile]) -> dict[Tile, str]:
    """Return a name for each tile, its own unless another shape goes by it too."""
    names: dict[Tile, str] = {}
    for tile in tiles:
        name = tile.name
        while name in names.values():
            name += "'"
        names[tile] = name
    return names


def _piece(tile: Tile, name: str, least: int, most: int) -> Piece:
    pattern = tuple((cell, "") for cell in tile.shape)
    return Piece(name=name, lattice=SQUARE, pattern=pattern, least=least, most=most)


def read_tiles(state: State, tiles: Node) -> list[Tile]:
    """Read a list of tiles, by name or rows."""
    return [read_tile(item, state.deck) for item in tiles.items(most=MOST_TOGETHER)]


def asked_alone(state: State, player: Player) -> tuple[Tile, ...]:
    """Return the tiles of which any may be drawn: those turned up, or else all that may come."""
    due = tuple(dict.fromkeys(state.turned_up)) or _start_tile(player)
    return due or tuple(state.remaining or ())


def nothing_fits(tiles: Sequence[Tile]) -> Reason:
    """Return the reason that none of some tiles can be drawn."""
    if not tiles:
        return Reason(code="no-tiles", message="no tile is turned up and none is left")
    names = tuple(tile.name for tile in tiles)
    message = f"no placement on empty squares: {', '.join(names)}"
    return Reason(code="no-placement", message=message, pieces=names)


def none_alone(player: Player, tiles: Sequence[Tile]) -> Json:
    """Return the certificate that none of the tiles has a placement, or None where one has."""
    puzzle = puzzle_of(player, tiles)
    hashed = puzzle_hash(puzzle.sheet, left(puzzle), cover=False)
    certificate = Certificate(puzzle=hashed, claim=Claim(kind="alone"), rung="trivial")
    meter = Meter(budget=Budget())
    checked = follow(puzzle.sheet, left(puzzle), certificate, cover=False, meter=meter)
    return dump_certificate(certificate) if checked.accepted else None


def nothing_better(state: State, empties: int, *, meter: Meter) -> Refutation | None:
    """Prove that a grid keeps at least so many squares empty; None if that was not found.

    The order of the cards is left aside.
    """
    puzzle, uses = _with_cards(state)
    return best_refutation(
        puzzle.sheet, puzzle.pieces, cover=False, score=empties, meter=meter, uses=uses
    )


def _with_cards(state: State) -> tuple[Puzzle, tuple[Use, ...]]:
    """Return the puzzle of one grid with all cards that may be drawn, and how many may.

    Of the cards that are due now one is drawn, if any fits; of those to come at most one in two
    (SC2), and one for a second chance.
    """
    player, copies = state.players[0], state.remaining or Counter()
    names = _names(copies)
    later = tuple(_piece(tile, names[tile], 0, n) for tile, n in copies.items())
    due = tuple(dict.fromkeys(state.turned_up)) or _start_tile(player)
    now = tuple(_piece(tile, f"{number}. due", 0, 1) for number, tile in enumerate(due, start=1))
    fitting = any(True for tile in due for _ in open_placements(player, tile))
    chance = not fitting and (bool(state.turned_up) or state.phase == "second_chance")
    total = copies.total()
    draws = 1 + (total - 1) // 2 if chance and total else total // 2
    uses = [Use(pieces=tuple(piece.name for piece in later), least=0, most=draws)]
    if fitting:
        uses.append(Use(pieces=tuple(piece.name for piece in now), least=1, most=1))
    return Puzzle(_sheet(player), (*later, *now), "packing"), tuple(uses)


def _start_tile(player: Player) -> tuple[Tile, ...]:
    return (player.start_tile,) if player.start_tile else ()


def explain(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    tiles: Node | None = None,
    player: str = "",
) -> Explanation:
    """Say why tiles cannot be placed in a player's grid, and what would help.

    Parameters
    ----------
    tiles : Node or None
        Tiles that are to be placed together; None asks why none of those turned up can be drawn.
    player : str
        Whose grid, at a table; empty is the next in seat order.

    Raises
    ------
    IllegalState
        If the state breaks rules.
    InputError
        For tiles that cannot be read.
    """
    require_legal(state)
    own = state.players[seat_of(state, player)]
    if tiles is not None:
        puzzle = puzzle_of(own, read_tiles(state, tiles))
        return explaining.explain(puzzle, budget=budget, watch=watch, cover=False)
    return _none_fits(own, asked_alone(state, own), Meter(budget=budget, watch=watch))


def _none_fits(player: Player, tiles: Sequence[Tile], meter: Meter) -> Explanation:
    """Explain tile by tile why none of them can be drawn."""
    for tile in tiles:
        mask = next(open_placements(player, tile), None)
        if mask is not None:
            witness = (Placed(piece=tile.name, cells=player.grid.cells(mask)),)
            return Explanation(answer="yes", seconds=meter.seconds, details={"witness": witness})
    found = []
    shown = tiles[:_MOST_EXPLAINED]
    for number, tile in enumerate(shown):
        part = meter.part(seconds=meter.share(1 / (len(shown) - number)))
        about = explaining.explain(puzzle_of(player, [tile]), budget=part.budget, watch=meter.watch)
        found.append((tile.name, about))
    more = tuple(
        replace(reason, message=f"{name}: {reason.message}")
        for name, about in found
        for reason in about.reasons
    )
    names = [tile.name for tile in tiles]
    said = f"each by itself fits nowhere: {', '.join(names)}"
    return Explanation(
        answer="no",
        rung="trivial",
        reasons=(nothing_fits(tiles), *more),
        conflict={"pieces": names, "cells": [], "minimal": True, "message": said} if names else {},
        ways_out=tuple(way for _, about in found for way in about.ways_out if way.witness),
        stopped_by=meter.stopped_by,
        seconds=meter.seconds,
        certificate=none_alone(player, tiles),
    )


def verify(
    state: State,
    *,
    budget: Budget,
    watch: Watch = SILENT,
    proof: Node | None = None,
    tiles: Node | None = None,
    player: str = "",
) -> Verification:
    """Check a certificate of `fit`, `explain` or `best` with the checker that trusts no engine.

    Parameters
    ----------
    proof : Node
        The certificate.
    tiles, player
        As they were asked about.

    Raises
    ------
    InputError
        If no certificate is given, or it or the tiles cannot be read.
    IllegalState
        If the state breaks rules.
    """
    if proof is None:
        raise InputError("the certificate is missing", place="proof")
    claim = read_certificate(proof).claim
    require_legal(state)
    own = state.players[seat_of(state, player)]
    uses: tuple[Use, ...] = ()
    if claim.kind == "best":
        puzzle, uses = _with_cards(own_grid(state, player))
    elif tiles is not None:
        puzzle = puzzle_of(own, read_tiles(state, tiles))
    else:
        puzzle = puzzle_of(own, asked_alone(state, own))
    return verifying.verify(puzzle, budget=budget, watch=watch, proof=proof, uses=uses)
