"""What all solutions of a puzzle together say of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from tilesolve.answers import Json
from tilesolve.budget import Meter, StoppedBy
from tilesolve.placement.problem import Problem

if TYPE_CHECKING:
    from tilesolve.placement.diagram import Diagram


@dataclass(frozen=True)
class Solutions:
    """All solutions, or how many were found.

    Parameters
    ----------
    raw : int
        At least this many; exactly when `stopped_by` is None.
    diagram : Diagram or None
        All of them; None when they were too many for one.
    stopped_by : str or None
        Why there may be more.
    """

    raw: int
    diagram: Diagram | None
    stopped_by: StoppedBy | None

    @property
    def none(self) -> bool:
        """Whether there is certainly no solution."""
        return self.raw == 0 and self.stopped_by is None

    @property
    def magnitude(self) -> float:
        """The decimal logarithm of the number of solutions, 0 for none."""
        return math.log10(self.raw) if self.raw else 0.0

    def measures(self, problem: Problem, *, seed: int, meter: Meter) -> dict[str, Json]:
        """Return what a diagram of all solutions tells; nothing without one."""
        if self.diagram is None:
            return {}
        fillings = sum(sum(ways.tolist()) for ways in self.diagram.before)
        measured: dict[str, Json] = {
            "nodes_of_all": fillings,
            "nodes_per_solution": round(fillings / max(1, self.raw), 1),
        }
        if not self.raw:
            return measured
        from tilesolve_models.polyform.good_moves import good_moves

        times = self.diagram.marginals()
        steps = good_moves(problem, self.diagram, seed=seed, meter=meter)
        return {
            **measured,
            **_choice(problem, times),
            **_shared(problem, times, self.raw),
            "marginals": _spread([found / self.raw for found in times if found]),
            "good_moves": steps,
            **({"good_moves_mean": round(sum(steps.values()) / len(steps), 4)} if steps else {}),
        }


def solutions_of(problem: Problem, *, meter: Meter) -> Solutions:
    """Count all solutions by a diagram, or find some by search where it would be too large."""
    from tilesolve.placement.diagram import compile_diagram
    from tilesolve.placement.search import covers

    part = meter.part(seconds=meter.share(0.6), work=_share(meter.remaining_work, 0.6))
    diagram = compile_diagram(problem, meter=part)
    meter.spend(part.worked)
    if diagram is not None:
        return Solutions(diagram.total, diagram, None)
    rest = meter.part(seconds=meter.share(0.3), work=_share(meter.remaining_work, 0.3, 1_000_000))
    raw = sum(1 for _ in covers(problem, meter=rest))
    meter.spend(rest.worked)
    return Solutions(raw, None, rest.stopped_by)


def _share(work: int | None, part: float, otherwise: int | None = None) -> int | None:
    return otherwise if work is None else int(work * part)


def _choice(problem: Problem, times: Sequence[int]) -> dict[str, Json]:
    """Return the entropy of a piece's placement over all solutions, mean over the pieces."""
    by_kind: list[list[int]] = [[] for _ in problem.kinds]
    for option, found in zip(problem.options, times, strict=True):
        if found:
            by_kind[option.kind].append(found)
    bits = [_entropy(found) for found in by_kind if found]
    return {"entropy_bits": round(sum(bits) / max(1, len(bits)), 4)}


def _entropy(times: Sequence[int]) -> float:
    total = sum(times)
    return -sum(found / total * math.log2(found / total) for found in times)


def _shared(problem: Problem, times: Sequence[int], raw: int) -> dict[str, Json]:
    """Return what all solutions have in common: placements, and cells under the same piece."""
    owners: list[dict[int, int]] = [{} for _ in problem.cells]
    for option, found in zip(problem.options, times, strict=True):
        for cell in option.cells() if found else ():
            owners[cell][option.kind] = owners[cell].get(option.kind, 0) + found
    owned = sum(raw in shares.values() for shares in owners)
    forced = [option for option, found in zip(problem.options, times, strict=True) if found == raw]
    backbone = sum(option.mask.bit_count() for option in forced)
    return {
        "forced_placements": len(forced),
        "backbone_cells": round(backbone / max(1, len(owners)), 4),
        "owned_cells": round(owned / max(1, len(owners)), 4),
    }


def _spread(shares: Sequence[float]) -> dict[str, Json]:
    if not shares:
        return {}
    figures = {"least": min(shares), "median": median(shares), "most": max(shares)}
    return {name: round(share, 6) for name, share in figures.items()}
