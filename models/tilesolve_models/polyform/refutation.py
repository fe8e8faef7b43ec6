"""The rungs below counting: colouring, weights, a written search, clauses, with certificates.

Every certificate is checked by `tilesolve.proof.verify`, which derives the placements itself,
before anything is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tilesolve.answers import Json, Reason, Rung, WrongAnswer
from tilesolve.budget import Meter, Stopped
from tilesolve.geometry.piece import Piece
from tilesolve.geometry.sheet import Sheet
from tilesolve.placement.build import Layout, TooManyOptions, build
from tilesolve.placement.objective import Objective, costs, faults
from tilesolve.proof.certificate import Certificate, Claim, ProofRung, Use, puzzle_hash

if TYPE_CHECKING:
    from tilesolve.placement.refute import Refuted
    from tilesolve.proof.verify import Checked

_NODES = 400_000
"""Nodes of the search that writes down why nothing is better."""


@dataclass(frozen=True)
class Refutation:
    """A no with its reasons, what goes beside it in the answer, and its certificate."""

    rung: Rung
    reasons: tuple[Reason, ...]
    certificate: Certificate
    details: Mapping[str, Json] = field(default_factory=dict)


def by_colouring(layout: Layout, *, cover: bool, meter: Meter) -> Refutation | None:
    """Look for weights modulo a small number under which cells and pieces differ."""
    from tilesolve.placement.colouring import find_colouring

    found = find_colouring(layout.problem, meter=meter)
    if found is None:
        return None
    weights = {
        kind.name: weight for kind, weight in zip(layout.problem.kinds, found.kinds, strict=True)
    }
    listed = ", ".join(f"{name} {weight}" for name, weight in weights.items())
    message = (
        f"give the cells the weights shown, modulo {found.modulus}: wherever a piece lies, "
        f"its cells add up to the same number ({listed}); all pieces together add up to "
        f"{found.kind_sum}, all open cells to {found.cell_sum}"
    )
    colouring = {
        "modulus": found.modulus,
        "cells": _weighed(layout, found.cells),
        "pieces": weights,
        "cell_sum": found.cell_sum,
        "piece_sum": found.kind_sum,
    }
    certificate = replace(
        blank(layout, "colouring", cover=cover),
        modulus=found.modulus,
        cells=found.cells,
        pieces=found.kinds,
    )
    reason = Reason(code="colouring", message=message, cells=_heavy(layout, found.cells))
    return _checked(
        Refutation("colouring", (reason,), certificate, {"colouring": colouring}),
        layout,
        cover=cover,
        meter=meter,
    )


def by_weights(layout: Layout, *, cover: bool, meter: Meter) -> Refutation | None:
    """Look for whole weights of which the pieces need more than there is."""
    from tilesolve.placement.linear import heavy_cells
    from tilesolve.placement.weights import whole_weights

    rough = heavy_cells(layout.problem)
    found = None if rough is None else whole_weights(layout.problem, rough)
    if found is None:
        return None
    kinds = {
        kind.name: weight for kind, weight in zip(layout.problem.kinds, found.kinds, strict=True)
    }
    listed = ", ".join(f"{name} {weight}" for name, weight in kinds.items())
    message = (
        f"give the cells the weights shown: wherever a piece lies, it takes at least its weight "
        f"({listed}); the pieces to place need {found.needed}, all open cells have {found.there}"
    )
    weights = {
        "cells": _weighed(layout, found.cells),
        "pieces": kinds,
        "cell_sum": found.there,
        "piece_sum": found.needed,
    }
    certificate = replace(
        blank(layout, "weights", cover=cover), cells=found.cells, pieces=found.kinds
    )
    reason = Reason(code="weights", message=message, cells=_heavy(layout, found.cells))
    return _checked(
        Refutation("weights", (reason,), certificate, {"weights": weights}),
        layout,
        cover=cover,
        meter=meter,
    )


def by_search(layout: Layout, *, cover: bool, meter: Meter) -> Refutation | tuple[int, ...] | None:
    """Search everything and write it down; return a solution instead if there is one."""
    from tilesolve.placement.refute import refute, terms_of

    found = refute(layout.problem, terms_of(layout.problem), meter=meter)
    if found.found is not None:
        return found.found
    if found.branches is None:
        return None
    return searched(layout, found.branches, Claim(), cover=cover, meter=meter)


def by_clauses(layout: Layout, *, cover: bool, meter: Meter) -> Refutation | tuple[int, ...] | None:
    """Write the puzzle in clauses and prove that they contradict; return a solution if not.

    None too where the extra ``tilesolve[proof]`` is not installed.
    """
    from tilesolve.placement.clausal import installed, settle
    from tilesolve.proof.clauses import ENCODING, clauses_of
    from tilesolve.proof.puzzle import derive

    if not installed():
        return None
    puzzle = derive(layout.sheet, layout.pieces, cover=cover, claim=Claim())
    part = meter.part(seconds=meter.share(0.3))
    settled = settle(clauses_of(puzzle), meter=part)
    meter.spend(part.worked)
    if settled is None:
        return None
    if settled.model is not None:
        # The checker's placements and the problem's options come in one order.
        return tuple(n - 1 for n in settled.model if n <= len(puzzle.masks))
    assert settled.steps is not None
    certificate = replace(
        blank(layout, "clausal", cover=cover), encoding=ENCODING, steps=settled.steps
    )
    count = len(settled.steps)
    message = (
        f"written in clauses it contradicts itself, shown in {count} "
        f"{'step' if count == 1 else 'steps'} that a separate checker repeated"
    )
    reason = Reason(code="clausal", message=message)
    return _checked(Refutation("clausal", (reason,), certificate), layout, cover=cover, meter=meter)


def only_solution(layout: Layout, chosen: Sequence[int], *, meter: Meter) -> Refutation | None:
    """Prove that a solution, given as options, is the only one; None when that took too long."""
    from tilesolve.placement.refute import refute, terms_of

    cover = layout.problem.cover
    if not cover and any(kind.least != kind.most for kind in layout.problem.kinds):
        return None  # copies beyond the least make other packings of the same places
    part = meter.part(seconds=meter.share(0.5))
    terms = terms_of(layout.problem, known=frozenset(chosen))
    found = refute(layout.problem, terms, meter=part)
    meter.spend(part.worked)
    if found.branches is None:
        return None
    claim = Claim(kind="unique", solution=layout.witness(chosen))
    return searched(layout, found.branches, claim, cover=cover, meter=meter)


def nothing_better(
    layout: Layout,
    objective: Objective,
    *,
    score: int,
    meter: Meter,
    uses: tuple[Use, ...] = (),
) -> Refutation | None:
    """Prove that no selection has a lower penalty than `score`; None when that took too long.

    The score is that of what is still to be placed. Contact rules are left out: what breaks
    them only adds selections, so a proof without them holds with them too.
    """
    asked = _Better(layout, objective, Claim(kind="best", score=score, uses=uses))
    return asked.by_adding_up(meter) or asked.by_weights(meter) or asked.by_search(meter)


def nothing_better_in_contact(
    layout: Layout, objective: Objective, *, score: int, meter: Meter
) -> bool:
    """Search for what is better and keeps the rules of contact too; return whether none is.

    That is an engine's word, without a certificate: the checker knows nothing of contact.

    Raises
    ------
    WrongAnswer
        If something is found.
    """

    def counts(chosen: tuple[int, ...]) -> bool:
        return not faults(layout.problem, chosen, objective)

    asked = _Better(layout, objective, Claim(kind="best", score=score))
    found = asked.searched(meter, counts)
    if found.found is not None:
        raise WrongAnswer("an engine says that nothing is better, and there is something")
    return found.exhausted


def best_refutation(
    sheet: Sheet,
    pieces: Sequence[Piece],
    *,
    cover: bool,
    score: int,
    meter: Meter,
    uses: tuple[Use, ...] = (),
) -> Refutation | None:
    """Prove that no choice of the pieces left has a lower penalty than `score`, or None.

    `uses` are conditions of a game's own on the choice.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.geometry.sheet import rectangle
    >>> bar = Piece.of("I2", ((0, 0), (0, 1)))
    >>> meter = Meter(budget=Budget())
    >>> best_refutation(rectangle(1, 3), [bar], cover=False, score=1, meter=meter).rung
    'trivial'
    """
    optional = [replace(p, least=p.least if p.optional is False else 0) for p in pieces]
    try:
        layout = build(sheet, optional, cover=cover, meter=meter)
    except (TooManyOptions, Stopped):
        return None
    objective = Objective(
        open_penalty=tuple(sheet.grounds[cell].penalty for cell in layout.cells),
        option_value=tuple(-layout.pieces[option.kind].value for option in layout.problem.options),
        missing_penalty=tuple(0 if piece.most is None else piece.penalty for piece in pieces),
        region_penalty=sheet.rules.region_penalty,
    )
    asked = replace(layout, pieces=tuple(pieces))
    return nothing_better(asked, objective, score=score, meter=meter, uses=uses)


@dataclass(frozen=True)
class _Better:
    """The question whether anything is better than a score, rung by rung."""

    layout: Layout
    objective: Objective
    claim: Claim

    def by_adding_up(self, meter: Meter) -> Refutation | None:
        """Add up the cells that no pieces are left for."""
        message = (
            "the cells that the pieces cannot cover, counted by kind, cost as much as the best "
            "score, with the regions they form"
        )
        return self._tried("trivial", message, {}, meter)

    def by_weights(self, meter: Meter) -> Refutation | None:
        """Give each cell a price of at most what it costs open; see `placement.bounds`."""
        if not self.weights or not meter.spend():
            return None
        message = (
            "give each cell a weight of at most what it costs to leave it open: what the pieces "
            "can take of all weights at most leaves as much as the best score"
        )
        return self._tried("weights", message, self.weights, meter)

    @cached_property
    def weights(self) -> dict[str, Any]:
        """Good weights as a certificate holds them; empty where finding them takes too long."""
        from tilesolve.placement.bounds import SCALE
        from tilesolve.placement.linear import cell_weights

        problem, open_costs = self.layout.problem, self.objective.open_penalty
        weights = cell_weights(problem, costs(problem, self.objective))
        if weights is None:
            return {}
        prices = tuple(
            weight if problem.cover else min(weight, cost * SCALE)
            for weight, cost in zip(weights, open_costs, strict=True)
        )
        most = [0] * len(problem.kinds)
        placed = [False] * len(problem.kinds)
        for option in problem.options:
            taken = sum(prices[cell] for cell in option.cells())
            most[option.kind] = max(most[option.kind], taken) if placed[option.kind] else taken
            placed[option.kind] = True
        return {"modulus": SCALE, "cells": prices, "pieces": tuple(most)}

    def by_search(self, meter: Meter) -> Refutation | None:
        """Search for something better, and write the search down."""
        found = self.searched(meter)
        if found.branches is None:
            return None
        cover = self.layout.problem.cover
        return searched(
            self.layout, found.branches, self.claim, cover=cover, meter=meter, weights=self.weights
        )

    def searched(
        self, meter: Meter, counts: Callable[[tuple[int, ...]], bool] | None = None
    ) -> Refuted:
        """Search for something better that counts."""
        from tilesolve.placement.refute import Terms, refute
        from tilesolve.proof.prices import prices_of
        from tilesolve.proof.puzzle import derive

        layout, cover = self.layout, self.layout.problem.cover
        puzzle = derive(layout.sheet, layout.pieces, cover=cover, claim=self.claim)
        terms = Terms(
            least=puzzle.least,
            most=puzzle.most,
            open_cost=puzzle.open_cost,
            missing_cost=puzzle.missing_cost,
            may_stay_open=puzzle.may_stay_open,
            allowed=puzzle.allowed,
            region_cost=puzzle.region_cost,
            near=puzzle.near,
            room=puzzle.room,
            uses=puzzle.uses,
            prices=prices_of(puzzle, *self.weights.values()) if self.weights else None,
        )
        part = meter.part(seconds=meter.share(0.4), work=_NODES)
        found = refute(layout.problem, terms, meter=part, counts=counts)
        meter.spend(part.worked)
        return found

    def _tried(
        self, rung: ProofRung, message: str, body: Mapping[str, Any], meter: Meter
    ) -> Refutation | None:
        """Return the refutation if the checker accepts it; it need not."""
        cover = self.layout.problem.cover
        certificate = replace(blank(self.layout, rung, cover=cover), claim=self.claim, **body)
        reason = Reason(code=f"better-{rung}", message=message)
        refutation = Refutation(rung, (reason,), certificate)
        verdict = _verdict(refutation, self.layout, cover=cover, meter=meter)
        return refutation if verdict.accepted else None


def searched(
    layout: Layout,
    branches: Sequence[int],
    claim: Claim,
    *,
    cover: bool,
    meter: Meter,
    weights: Mapping[str, Any] | None = None,
) -> Refutation | None:
    """Return the refutation that a written search gives, once the checker has followed it.

    `weights` are those that helped it, as a certificate holds them.
    """
    certificate = replace(
        blank(layout, "search", cover=cover),
        claim=claim,
        branches=tuple(branches),
        **(weights or {}),
    )
    count = len(branches)
    message = (
        f"a search looked at all ways, in {count} {'step' if count == 1 else 'steps'}; a "
        "separate checker followed it with placements of its own"
    )
    reason = Reason(code="search", message=message)
    return _checked(Refutation("search", (reason,), certificate), layout, cover=cover, meter=meter)


def blank(layout: Layout, rung: ProofRung, *, cover: bool) -> Certificate:
    """Return the certificate of a puzzle without its body."""
    hashed = puzzle_hash(layout.sheet, layout.pieces, cover=cover)
    return Certificate(puzzle=hashed, claim=Claim(), rung=rung)


def _checked(
    refutation: Refutation, layout: Layout, *, cover: bool, meter: Meter
) -> Refutation | None:
    verdict = _verdict(refutation, layout, cover=cover, meter=meter)
    if verdict.accepted is False:
        raise WrongAnswer(f"the checker refuses a proof by {refutation.rung}: {verdict.message}")
    return refutation if verdict.accepted else None


def _verdict(refutation: Refutation, layout: Layout, *, cover: bool, meter: Meter) -> Checked:
    from tilesolve.proof.verify import verify

    part = meter.part()
    certificate = refutation.certificate
    verdict = verify(
        layout.sheet,
        layout.pieces,
        certificate,
        cover=cover,
        meter=part,
        uses=certificate.claim.uses,
    )
    meter.spend(part.worked)
    return verdict


def _weighed(layout: Layout, weights: Sequence[int]) -> list[list[int]]:
    return [[*cell, weight] for cell, weight in zip(layout.cells, weights, strict=True)]


def _heavy(layout: Layout, weights: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple(cell for cell, weight in zip(layout.cells, weights, strict=True) if weight)
