"""The checker of certificates. It trusts nobody.

It imports no engine and nothing from `tilesolve.placement`: it derives the placements from the
sheet and the pieces itself (`tilesolve.proof.puzzle`), and then counts, adds up, follows the
search (`tilesolve.proof.follow`) or checks the clauses (`tilesolve.proof.clauses`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilesolve.budget import Meter
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.proof.certificate import Certificate, Claim, Use, puzzle_hash
from tilesolve.proof.counting import counted_out, short_of_cells
from tilesolve.proof.follow import Follower
from tilesolve.proof.prices import Refused, prices_of
from tilesolve.proof.puzzle import Puzzle, bits, derive

OTHER_PUZZLE = "the certificate is about another puzzle"


@dataclass(frozen=True)
class Checked:
    """Whether a certificate proves its claim; None when the checker was stopped first."""

    accepted: bool | None
    message: str


def verify(
    sheet: Sheet,
    pieces: Sequence[Piece],
    certificate: Certificate,
    *,
    cover: bool,
    meter: Meter,
    uses: tuple[Use, ...] = (),
) -> Checked:
    """Check a certificate against a puzzle.

    Parameters
    ----------
    pieces : sequence of Piece
        What is still to be placed.
    cover : bool
        Whether no cell may stay open.
    meter : Meter
        One unit of work a node of a search, or a step of a clausal proof.
    uses : tuple of Use
        The conditions of a game's own that the claim may rest on; it must name the same.

    Raises
    ------
    InputError
        For a clausal proof where dratify is not installed.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.geometry.sheet import rectangle
    >>> square = Piece.of("O4", ((0, 0), (0, 1), (1, 0), (1, 1)))
    >>> certificate = Certificate(
    ...     puzzle=puzzle_hash(rectangle(1, 3), [square], cover=False), claim=Claim(),
    ...     rung="trivial")
    >>> verify(rectangle(1, 3), [square], certificate, cover=False,
    ...        meter=Meter(budget=Budget())).accepted
    True
    """
    claim = certificate.claim
    if certificate.puzzle != puzzle_hash(sheet, pieces, cover=cover):
        return Checked(False, OTHER_PUZZLE)
    if claim.uses != (uses if claim.kind == "best" else ()):
        return Checked(False, "the certificate rests on other conditions")
    loose = any(piece.least != piece.most for piece in pieces)
    if claim.kind == "unique" and not cover and loose:
        return Checked(False, "a packing is unique only where the number of each piece is fixed")
    if certificate.rung == "trivial" and claim.kind == "none":
        short = short_of_cells(sheet, pieces, cover=cover)
        if short is not None:  # no placement need be derived for that
            return Checked(True, short)
    puzzle = derive(sheet, pieces, cover=cover, claim=claim)
    if claim.kind == "alone":
        return _each_alone(puzzle, certificate)
    match certificate.rung:
        case "trivial" if claim.kind == "best":
            return _by_adding_up(puzzle)
        case "trivial":
            return _by_counting(puzzle, sheet, pieces, certificate, cover=cover)
        case "colouring":
            return _by_colouring(puzzle, certificate)
        case "weights" if claim.kind == "best":
            return _by_prices(puzzle, certificate)
        case "weights":
            return _by_weights(puzzle, certificate)
        case "search":
            return _by_search(puzzle, certificate, _known(puzzle, claim, pieces), meter)
        case "clausal":
            return _by_clauses(puzzle, certificate, meter)


def _each_alone(puzzle: Puzzle, certificate: Certificate) -> Checked:
    if certificate.rung != "trivial":
        return Checked(False, "that a piece has no placement is seen by counting alone")
    if puzzle.masks or not puzzle.least:
        return Checked(False, "a piece has a placement")
    return Checked(True, "none of the pieces has a placement")


def _by_counting(
    puzzle: Puzzle,
    sheet: Sheet,
    pieces: Sequence[Piece],
    certificate: Certificate,
    *,
    cover: bool,
) -> Checked:
    if certificate.claim.kind != "none":
        return Checked(False, "counting proves only that there is no solution")
    reason = counted_out(sheet, pieces, puzzle.masks, puzzle.owners, cover=cover)
    if reason is None:
        return Checked(False, "counting the cells and the placements does not rule it out")
    return Checked(True, reason)


def _by_adding_up(puzzle: Puzzle) -> Checked:
    """Hold what must stay open against what is allowed, before anything is placed."""
    follower = Follower(puzzle, ())
    if follower.cost(follower.root()) <= puzzle.allowed:
        return Checked(False, "counting the cells that must stay open does not rule it out")
    return Checked(True, "the cells that must stay open, and what is left out, cost as much")


def _by_colouring(puzzle: Puzzle, certificate: Certificate) -> Checked:
    modulus, weights, pieces = certificate.modulus, certificate.cells, certificate.pieces
    if certificate.claim.kind != "none" or puzzle.allowed != 0:
        return Checked(False, "a colouring speaks of sheets without slack only")
    if len(weights) != len(puzzle.cells) or len(pieces) != len(puzzle.least) or modulus < 2:
        return Checked(False, "the weights do not belong to this puzzle")
    for mask, owner in zip(puzzle.masks, puzzle.owners, strict=True):
        if (_sum(weights, mask) - pieces[owner]) % modulus:
            return Checked(False, "a placement does not add up to the weight of its piece")
    used = 0
    for weight, least, most in zip(pieces, puzzle.least, puzzle.most, strict=True):
        if least != most and weight % modulus:
            return Checked(False, "a piece whose number is not fixed has a weight")
        used += weight * least
    if (sum(weights) - used) % modulus == 0:
        return Checked(False, "the sums of cells and pieces agree")
    return Checked(True, f"the sums of cells and pieces differ modulo {modulus}")


def _by_weights(puzzle: Puzzle, certificate: Certificate) -> Checked:
    """Each placement takes at least its piece's weight, and the cells have less than that."""
    weights, pieces = certificate.cells, certificate.pieces
    if certificate.claim.kind != "none":
        return Checked(False, "weights prove only that there is no solution or nothing better")
    if len(weights) != len(puzzle.cells) or len(pieces) != len(puzzle.least):
        return Checked(False, "the weights do not belong to this puzzle")
    if puzzle.may_stay_open and min(weights, default=0) < 0:
        return Checked(False, "a cell that may stay open has a negative weight")
    for mask, owner in zip(puzzle.masks, puzzle.owners, strict=True):
        if _sum(weights, mask) < pieces[owner]:
            return Checked(False, "a placement takes less than the weight of its piece")
    counts = zip(pieces, puzzle.least, puzzle.most, strict=True)
    needed = sum(weight * (least if weight > 0 else most) for weight, least, most in counts)
    if sum(weights) >= needed:
        return Checked(False, "the cells weigh enough for the pieces")
    return Checked(True, f"the pieces need a weight of {needed}, the cells have {sum(weights)}")


def _by_prices(puzzle: Puzzle, certificate: Certificate) -> Checked:
    """Hold what every solution costs by its prices against what is allowed."""
    try:
        prices = prices_of(puzzle, certificate.modulus, certificate.cells, certificate.pieces)
    except Refused as error:
        return Checked(False, str(error))
    bound = -(-prices.total // prices.scale)
    if puzzle.region_cost:
        follower = Follower(puzzle, ())
        bound += puzzle.region_cost * follower.regions(follower.root())
    if bound <= puzzle.allowed:
        return Checked(False, "the weights allow something better")
    return Checked(True, "the weights of the cells add up to as much")


def _sum(weights: Sequence[int], mask: int) -> int:
    return sum(weights[cell] for cell in bits(mask))


def _by_search(
    puzzle: Puzzle, certificate: Certificate, known: Sequence[int] | None, meter: Meter
) -> Checked:
    prices = None
    try:
        if certificate.cells and certificate.claim.kind == "best":
            scale, cells, pieces = certificate.modulus, certificate.cells, certificate.pieces
            prices = prices_of(puzzle, scale, cells, pieces)
        nodes = Follower(puzzle, certificate.branches, known, prices).follow(meter)
    except Refused as error:
        return Checked(False, str(error))
    if nodes is None:
        return Checked(None, "the checker was stopped")
    return Checked(True, f"all {nodes} nodes of the search were followed")


def _by_clauses(puzzle: Puzzle, certificate: Certificate, meter: Meter) -> Checked:
    from tilesolve.proof.clauses import ENCODING, clauses_of, holds

    if certificate.claim.kind != "none":
        return Checked(False, "clauses prove only that there is no solution")
    if certificate.encoding != ENCODING:
        return Checked(False, f"the encoding '{certificate.encoding}' is not known")
    held = holds(clauses_of(puzzle), certificate.steps, meter=meter)
    if held is None:
        return Checked(None, "the checker was stopped")
    if not held:
        return Checked(False, "the steps do not lead to the empty clause")
    return Checked(True, f"all {len(certificate.steps)} steps follow from the clauses")


def _known(puzzle: Puzzle, claim: Claim, pieces: Sequence[Piece]) -> list[int] | None:
    """Return the placements of the solution that a claim of uniqueness names, sorted."""
    if claim.kind != "unique":
        return None
    owners = {piece.name: owner for owner, piece in enumerate(pieces)}
    numbers = {cell: number for number, cell in enumerate(puzzle.cells)}
    places = {
        (owner, mask): place
        for place, (mask, owner) in enumerate(zip(puzzle.masks, puzzle.owners, strict=True))
    }
    known = []
    for placed in claim.solution:
        mask = sum(1 << numbers[cell] for cell in placed.cells if cell in numbers)
        known.append(places.get((owners.get(placed.piece, -1), mask), -1))
    return sorted(known)
