"""Certificates: what a no hands over, so that anyone can check it from the puzzle alone.

A certificate names the puzzle by its hash, says what it claims, and holds what a checker needs:
nothing for what can be counted, weights, the sequence of branches of a search, or the steps of a
proof in clauses. `tilesolve.proof.verify` checks them.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeAlias, get_args

from tilesolve.answers import Json, Placed
from tilesolve.geometry.piece import Piece, dump_pieces
from tilesolve.geometry.sheet import Sheet, dump_sheet, read_placed
from tilesolve.wire import Node

VERSION = 1

ClaimKind: TypeAlias = Literal["none", "alone", "unique", "best"]
ProofRung: TypeAlias = Literal["trivial", "colouring", "weights", "search", "clausal"]

Step: TypeAlias = tuple[bool, tuple[int, ...]]
"""A step of a clausal proof: whether a clause is added (or else forgotten), and the clause."""

_MAX_BRANCHES = 50_000_000


@dataclass(frozen=True, kw_only=True)
class Use:
    """A condition of a game's own: of these pieces, by name, so many are used in all."""

    pieces: tuple[str, ...]
    least: int
    most: int


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What is claimed.

    Parameters
    ----------
    kind : {"none", "alone", "unique", "best"}
        There is no solution; no piece has a placement even by itself; there is no solution but
        `solution`; none with a penalty below `score`.
    uses : tuple of Use
        For the last: further conditions under which none is.
    """

    kind: ClaimKind = "none"
    solution: tuple[Placed, ...] = ()
    score: int = 0
    uses: tuple[Use, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A claim about one puzzle, with its proof.

    Parameters
    ----------
    puzzle : str
        Hash of the normalised puzzle, see `puzzle_hash`.
    rung : str
        Which kind of proof this is.
    modulus : int
        For a colouring; for weights that show that nothing is better, the parts of 1 they count.
    cells : tuple of int
        Weight of each open cell in reading order; for colouring and weights, and for a search
        that they help to show that nothing is better.
    pieces : tuple of int
        Weight of each piece in the list's order, beside those of the cells.
    branches : tuple of int
        For a search: the item branched on at each node, depth first; see
        `tilesolve.proof.follow`.
    encoding : str
        For a clausal proof: how the puzzle is written in clauses; see `tilesolve.proof.clauses`.
    steps : tuple of Step
        For a clausal proof: the clauses that follow, one after another.
    """

    puzzle: str
    claim: Claim
    rung: ProofRung
    modulus: int = 0
    cells: tuple[int, ...] = ()
    pieces: tuple[int, ...] = ()
    branches: tuple[int, ...] = ()
    encoding: str = ""
    steps: tuple[Step, ...] = ()


def puzzle_hash(sheet: Sheet, pieces: Sequence[Piece], *, cover: bool) -> str:
    """Return the hash of a puzzle: sheet with what lies on it, pieces left, and the goal.

    Examples
    --------
    >>> from tilesolve.geometry.sheet import rectangle
    >>> puzzle_hash(rectangle(1, 2), [], cover=True)[:7]
    'sha256:'
    """
    normal = {
        "sheet": dump_sheet(sheet),
        "pieces": dump_pieces(pieces, sheet.legend),
        "goal": "cover" if cover else "packing",
    }
    text = json.dumps(normal, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def dump_certificate(certificate: Certificate) -> Json:
    """Write a certificate; `read_certificate` reads it back."""
    dumped: dict[str, Json] = {
        "certificate": VERSION,
        "puzzle": certificate.puzzle,
        "claim": _dump_claim(certificate.claim),
        "rung": certificate.rung,
    }
    if certificate.modulus:
        dumped["modulus"] = certificate.modulus
    if certificate.rung in ("colouring", "weights") or certificate.cells:
        dumped["cells"] = list(certificate.cells)
        dumped["pieces"] = list(certificate.pieces)
    if certificate.rung == "search":
        dumped["branches"] = pack(certificate.branches)
    if certificate.rung == "clausal":
        dumped["encoding"] = certificate.encoding
        dumped["steps"] = pack(_flat(certificate.steps))
    return dumped


def _dump_claim(claim: Claim) -> Json:
    dumped: dict[str, Json] = {"kind": claim.kind}
    if claim.kind == "unique":
        dumped["solution"] = [
            {"piece": placed.piece, "cells": [list(cell) for cell in placed.cells]}
            for placed in claim.solution
        ]
    if claim.kind == "best":
        dumped["score"] = claim.score
        if claim.uses:
            dumped["uses"] = [
                {"pieces": list(use.pieces), "least": use.least, "most": use.most}
                for use in claim.uses
            ]
    return dumped


def read_certificate(node: Node) -> Certificate:
    """Read a certificate.

    Raises
    ------
    InputError
        Naming the place; a proof that is wrong reads well and fails in `verify`.

    Examples
    --------
    >>> trivial = Certificate(puzzle="sha256:00", claim=Claim(), rung="trivial")
    >>> read_certificate(Node(dump_certificate(trivial))) == trivial
    True
    """
    fields = node.object(
        "modulus",
        "cells",
        "pieces",
        "branches",
        "encoding",
        "steps",
        required=("certificate", "puzzle", "claim", "rung"),
    )
    fields["certificate"].integer(VERSION, VERSION)
    rung = fields["rung"].string(*get_args(ProofRung))
    return Certificate(
        puzzle=fields["puzzle"].string(),
        claim=_read_claim(fields["claim"]),
        rung=rung,  # type: ignore[arg-type]  # one of the five
        modulus=fields["modulus"].integer(1, 10**6) if "modulus" in fields else 0,
        cells=_numbers(fields["cells"]) if "cells" in fields else (),
        pieces=_numbers(fields["pieces"]) if "pieces" in fields else (),
        branches=unpack(fields["branches"]) if "branches" in fields else (),
        encoding=fields["encoding"].string() if "encoding" in fields else "",
        steps=_steps(fields["steps"]) if "steps" in fields else (),
    )


def _read_claim(node: Node) -> Claim:
    fields = node.object("solution", "score", "uses", required=("kind",))
    kind = fields["kind"].string(*get_args(ClaimKind))
    return Claim(
        kind=kind,  # type: ignore[arg-type]  # one of the four
        solution=read_placed(fields["solution"]) if "solution" in fields else (),
        score=fields["score"].integer() if "score" in fields else 0,
        uses=tuple(map(_read_use, fields["uses"].items())) if "uses" in fields else (),
    )


def _read_use(node: Node) -> Use:
    fields = node.object(required=("pieces", "least", "most"))
    pieces = tuple(name.string() for name in fields["pieces"].items())
    return Use(pieces=pieces, least=fields["least"].integer(0), most=fields["most"].integer(0))


def _numbers(node: Node) -> tuple[int, ...]:
    return tuple(item.integer(-(10**15), 10**15) for item in node.items())


def _flat(steps: Sequence[Step]) -> Iterator[int]:
    """Yield twice the length of each clause, 1 more for an added one, and its literals.

    Literals are doubled too, 1 more for a variable that is to be false.
    """
    for added, clause in steps:
        yield 2 * len(clause) + added
        for literal in clause:
            yield 2 * abs(literal) + (literal < 0)


def _steps(node: Node) -> tuple[Step, ...]:
    numbers = iter(unpack(node))
    steps: list[Step] = []
    for head in numbers:
        clause = tuple(islice(numbers, head // 2))
        if len(clause) < head // 2:
            raise node.error("ends in the middle of a clause")
        literals = tuple(-(n // 2) if n % 2 else n // 2 for n in clause)
        steps.append((head % 2 == 1, literals))
    return tuple(steps)


def pack(branches: Iterable[int]) -> str:
    """Return branches as compressed text, seven bits of a number in each byte.

    Examples
    --------
    >>> unpack(Node(pack([0, 300, 7])))
    (0, 300, 7)
    """
    data = bytearray()
    for number in branches:
        while number > 0x7F:
            data.append(number & 0x7F | 0x80)
            number >>= 7
        data.append(number)
    return base64.b64encode(zlib.compress(bytes(data), 9)).decode()


def unpack(node: Node) -> tuple[int, ...]:
    """Return the branches that `pack` wrote, never more than a fixed number of them."""
    try:
        stream = zlib.decompressobj()
        data = stream.decompress(base64.b64decode(node.string(), validate=True), _MAX_BRANCHES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise node.error(f"cannot be unpacked: {error}") from None
    if not stream.eof:
        raise node.error(f"is cut off, or holds more than {_MAX_BRANCHES} numbers")
    numbers: list[int] = []
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
        elif shift > 28:
            raise node.error("holds a number that is too large")
    if shift:
        raise node.error("ends in the middle of a number")
    return tuple(numbers)
