"""The checker of certificates. It trusts nobody.

It imports no engine and nothing from `tilesolve.placement`: it derives the placements from the
sheet and the pieces itself, in its own way, and then follows the certificate.

Items are numbered: cell ``i`` in reading order is item ``i``, piece ``k`` of the list is item
``cells + k``, and the number after the last piece says that too much is lost already.

A search is a list of items, one for each node, depth first. A node has placements that are still
possible, and how often each piece is used. Its item says why nothing is missed:

- a piece: another copy of it must be placed, in one of its possible placements. Fewer possible
  placements than copies needed, and the node is refuted.
- a cell: it is covered by one of the placements that can, or (where cells may stay open) it stays
  open. No placement, and no leave to stay open, and the node is refuted.
- the last number: cells that no possible placement covers stay open; with what pieces must now
  be left out, that is more than the claim allows.

The children come in the order of the placements (by piece, then by cells), open last. Once a
placement has been followed to its end it is no longer possible in the later children.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilesolve.answers import Cell
from tilesolve.budget import Meter
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.proof.certificate import Certificate, Claim, puzzle_hash
from tilesolve.proof.counting import counted_out, most_copies


@dataclass(frozen=True)
class Checked:
    """Whether a certificate proves its claim; None when the checker was stopped first."""

    accepted: bool | None
    message: str


@dataclass(frozen=True)
class Puzzle:
    """A puzzle as the checker sees it.

    Parameters
    ----------
    cells : tuple of Cell
        Open cells in reading order.
    masks, owners : tuple of int
        The cells of each placement as bits, and its piece, by piece and then by cells.
    least, most : tuple of int
        How often each piece is used; in a packing a copy beyond the least changes nothing.
    open_cost, missing_cost : tuple of int
        What each cell costs that stays open, and each copy of a piece below `most`.
    region_cost : int
        What the first region of open cells costs.
    may_stay_open : bool
        Whether cells may stay open at all.
    allowed : int
        The claim is that the cost is always above this.
    """

    cells: tuple[Cell, ...]
    masks: tuple[int, ...]
    owners: tuple[int, ...]
    least: tuple[int, ...]
    most: tuple[int, ...]
    open_cost: tuple[int, ...]
    may_stay_open: bool
    allowed: int
    missing_cost: tuple[int, ...]
    region_cost: int


def verify(
    sheet: Sheet, pieces: Sequence[Piece], certificate: Certificate, *, cover: bool, meter: Meter
) -> Checked:
    """Check a certificate against a puzzle.

    Parameters
    ----------
    pieces : sequence of Piece
        What is still to be placed.
    cover : bool
        Whether no cell may stay open.
    meter : Meter
        One unit of work a node of a search.

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
    if certificate.puzzle != puzzle_hash(sheet, pieces, cover=cover):
        return Checked(False, "the certificate is about another puzzle")
    loose = any(piece.least != piece.most for piece in pieces)
    if certificate.claim.kind == "unique" and not cover and loose:
        return Checked(False, "a packing is unique only where the number of each piece is fixed")
    puzzle = derive(sheet, pieces, cover=cover, claim=certificate.claim)
    match certificate.rung:
        case "trivial":
            return _by_counting(puzzle, sheet, pieces, certificate, cover=cover)
        case "colouring":
            return _by_colouring(puzzle, certificate)
        case "weights":
            return _by_weights(puzzle, certificate)
        case "search":
            return _by_search(puzzle, certificate, pieces, meter)


def derive(sheet: Sheet, pieces: Sequence[Piece], *, cover: bool, claim: Claim) -> Puzzle:
    """Derive the placements and the costs from the puzzle alone."""
    cells = tuple(sorted(cell for cell in sheet.grounds if cell not in sheet.filled))
    numbers = {cell: number for number, cell in enumerate(cells)}
    masks: list[int] = []
    owners: list[int] = []
    for owner, piece in enumerate(pieces):
        found = {tuple(numbers[c] for c in cells_) for cells_ in lying(sheet, piece, numbers)}
        masks += [sum(1 << number for number in placement) for placement in sorted(found)]
        owners += [owner] * len(found)
    placed = (cells, tuple(masks), tuple(owners))
    if claim.kind == "best":
        return _for_best(placed, sheet, pieces, claim.score, cover=cover)
    least = tuple(piece.least for piece in pieces)
    most = tuple(most_copies(piece, len(cells)) for piece in pieces)
    spare = 0 if cover else len(cells) - sum(piece.least * piece.size for piece in pieces)
    return Puzzle(
        *placed,
        least=least,
        # In a packing copies beyond the least can be taken away again.
        most=most if cover else least,
        open_cost=(1,) * len(cells),
        may_stay_open=not cover and spare != 0,
        allowed=spare,
        missing_cost=(0,) * len(pieces),
        region_cost=0,
    )


def _for_best(
    placed: tuple[tuple[Cell, ...], tuple[int, ...], tuple[int, ...]],
    sheet: Sheet,
    pieces: Sequence[Piece],
    score: int,
    *,
    cover: bool,
) -> Puzzle:
    """Return the puzzle whose claim is that no selection has a lower penalty than `score`.

    Each copy below the most costs what it would have saved: its value, and the penalty for
    leaving it out. What is saved when all copies are used is taken off in advance.
    """
    cells = placed[0]
    most = tuple(most_copies(piece, len(cells)) for piece in pieces)
    saved = tuple(p.value + (0 if p.most is None else p.penalty) for p in pieces)
    advance = sum(piece.penalty * (piece.most or 0) for piece in pieces)
    advance -= sum(save * copies for save, copies in zip(saved, most, strict=True))
    return Puzzle(
        *placed,
        least=tuple(piece.least if piece.optional is False else 0 for piece in pieces),
        most=most,
        open_cost=tuple(sheet.grounds[cell].penalty for cell in cells),
        may_stay_open=not cover,
        allowed=score - 1 - advance,
        missing_cost=saved,
        region_cost=sheet.rules.region_penalty,
    )


def lying(sheet: Sheet, piece: Piece, free: object) -> Iterator[tuple[Cell, ...]]:
    """Yield the sets of open cells that a piece may lie on, some more than once.

    Every cell of every turned piece is laid on every open cell, so no placement can be lost.
    """
    cells = [cell for cell in sheet.grounds if cell not in sheet.filled]
    usable = {cell: sheet.grounds[cell].kind for cell in cells}
    for symmetry in sheet.lattice.symmetry(rotate=piece.rotate, mirror=piece.mirror):
        turned = [(symmetry.image(cell), kind) for cell, kind in piece.pattern]
        for (row, column), _ in turned:
            for at_row, at_column in cells:
                down, right = at_row - row, at_column - column
                if (down + right - sheet.offset) % sheet.lattice.step:
                    continue
                laid = {(r + down, c + right): kind for (r, c), kind in turned}
                if all(
                    cell in usable and kind in ("", usable[cell]) for cell, kind in laid.items()
                ):
                    yield tuple(sorted(laid))


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
        return Checked(False, "weights prove only that there is no solution")
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


def _sum(weights: Sequence[int], mask: int) -> int:
    return sum(weights[cell] for cell in _bits(mask))


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class _Refused(Exception):
    pass


def _by_search(
    puzzle: Puzzle, certificate: Certificate, pieces: Sequence[Piece], meter: Meter
) -> Checked:
    follower = _Follower(puzzle, certificate, pieces)
    try:
        nodes = follower.follow(meter)
    except _Refused as error:
        return Checked(False, str(error))
    if nodes is None:
        return Checked(None, "the checker was stopped")
    return Checked(True, f"all {nodes} nodes of the search were followed")


@dataclass
class _Node:
    """Possible placements as bits, cells taken, and copies used."""

    possible: int
    taken: int
    used: tuple[int, ...]
    children: Iterator[tuple[int, int]] | None = None


class _Follower:
    """Follows the branches of a search and makes sure that nothing is missed."""

    def __init__(self, puzzle: Puzzle, certificate: Certificate, pieces: Sequence[Piece]) -> None:
        self.puzzle = puzzle
        self.branches = certificate.branches
        self.at = [0] * len(puzzle.cells)
        self.of = [0] * len(puzzle.least)
        for place, (mask, owner) in enumerate(zip(puzzle.masks, puzzle.owners, strict=True)):
            self.of[owner] |= 1 << place
            for cell in _bits(mask):
                self.at[cell] |= 1 << place
        self.known = _known(puzzle, certificate.claim, pieces)

    def follow(self, meter: Meter) -> int | None:
        """Return the number of nodes, or None when stopped; raise when the proof is wrong."""
        everything = (1 << len(self.puzzle.masks)) - 1
        path: list[int] = []
        stack = [self._start(everything)]
        read = 0
        while stack:
            node = stack[-1]
            if node.children is None:
                if read == len(self.branches):
                    raise _Refused("the search ends before everything is refuted")
                node.children = self._children(node, self.branches[read], path)
                read += 1
                if read % 256 == 0 and not meter.spend(256):
                    return None
            place, possible = next(node.children, (-2, 0))
            if place == -2:
                stack.pop()
                if path:
                    path.pop()
                continue
            path.append(place)
            stack.append(self._child(node, place, possible))
        if read < len(self.branches):
            raise _Refused("the search goes on after everything is refuted")
        return read

    def _start(self, everything: int) -> _Node:
        possible = everything
        for owner, most in enumerate(self.puzzle.most):
            if most == 0:
                possible &= ~self.of[owner]
        return _Node(possible, 0, (0,) * len(self.puzzle.most))

    def _child(self, node: _Node, place: int, possible: int) -> _Node:
        if place < 0:
            return _Node(possible, node.taken, node.used)
        mask, owner = self.puzzle.masks[place], self.puzzle.owners[place]
        for cell in _bits(mask):
            possible &= ~self.at[cell]
        used = (*node.used[:owner], node.used[owner] + 1, *node.used[owner + 1 :])
        if used[owner] >= self.puzzle.most[owner]:
            possible &= ~self.of[owner]
        return _Node(possible, node.taken | mask, used)

    def _children(self, node: _Node, item: int, path: Sequence[int]) -> Iterator[tuple[int, int]]:
        cells, pieces = len(self.puzzle.cells), len(self.puzzle.least)
        if item < cells:
            return self._cover(node, item)
        if item < cells + pieces:
            return self._use(node, item - cells)
        if item == cells + pieces and self._too_much_lost(node):
            return iter(())
        if item == cells + pieces + 1 and self._is_known(node, path):
            return iter(())
        raise _Refused("a node is called refuted that is not")

    def _cover(self, node: _Node, cell: int) -> Iterator[tuple[int, int]]:
        if node.taken >> cell & 1:
            raise _Refused("a search branches on a cell that is covered already")
        yield from self._each(node, node.possible & self.at[cell])
        left = node.possible & ~self.at[cell]
        if self.puzzle.may_stay_open and left != node.possible:
            yield -1, left
        elif self.puzzle.may_stay_open:
            raise _Refused("a cell that nothing can cover is no reason where cells may stay open")

    def _use(self, node: _Node, owner: int) -> Iterator[tuple[int, int]]:
        needed = self.puzzle.least[owner] - node.used[owner]
        choices = node.possible & self.of[owner]
        if needed <= 0:
            raise _Refused("a search branches on a piece that need not be placed")
        if choices.bit_count() >= needed:
            yield from self._each(node, choices)

    @staticmethod
    def _each(node: _Node, choices: int) -> Iterator[tuple[int, int]]:
        possible = node.possible
        for place in _bits(choices):
            yield place, possible
            possible &= ~(1 << place)

    def _too_much_lost(self, node: _Node) -> bool:
        puzzle = self.puzzle
        cost = 0
        open_cells = False
        for cell, price in enumerate(puzzle.open_cost):
            if not node.taken >> cell & 1 and not node.possible & self.at[cell]:
                cost += price
                open_cells = True
        if open_cells:
            cost += puzzle.region_cost
        for owner, gain in enumerate(puzzle.missing_cost):
            if gain > 0:
                room = (node.possible & self.of[owner]).bit_count()
                cost += gain * max(0, puzzle.most[owner] - node.used[owner] - room)
            elif gain < 0:
                cost += -gain * (node.used[owner] - puzzle.most[owner])
        return cost > puzzle.allowed

    def _is_known(self, node: _Node, path: Sequence[int]) -> bool:
        placed = sorted(place for place in path if place >= 0)
        done = all(u >= least for u, least in zip(node.used, self.puzzle.least, strict=True))
        return done and placed == self.known and not node.possible


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
