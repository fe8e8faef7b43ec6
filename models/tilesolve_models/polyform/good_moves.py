"""How many of the moves that one could make keep a puzzle solvable, step by step."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tilesolve.budget import Meter
from tilesolve.placement.diagram import Diagram, compile_diagram
from tilesolve.placement.problem import Kind, Option, Problem, bits
from tilesolve.placement.techniques import Board, Position

LISTED = 20_000
"""Solutions that are held all at once; where there are more, each step is counted anew."""

LINES, LONG_LINES = 24, 3
"""Solutions followed, each in an order of its own; fewer where every step is counted anew."""

_STEP_WORK = 200_000
"""Work of counting one step anew."""


def good_moves(problem: Problem, diagram: Diagram, *, seed: int, meter: Meter) -> dict[str, float]:
    """Return, for each step along solutions, the share of legal placements that are good.

    A placement is good when a solution has it together with all that lies already. Random
    solutions are followed, each piece by piece in a random order; a step's figure is the mean
    over them.

    Parameters
    ----------
    diagram : Diagram
        Of all solutions, at least one.
    meter : Meter
        One unit of work a placement looked at; steps that it does not grant are left out.

    Returns
    -------
    dict of str to float
        From the step's number, ``"1"`` being the first, to a share from 0 to 1.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> options = tuple(Option(0, mask) for mask in (0b0011, 0b0101, 0b1010, 0b1100))
    >>> square = Problem(("a", "b", "c", "d"), (Kind("I2", 2, 2),), options, True)
    >>> meter = Meter(budget=Budget())
    >>> good_moves(square, compile_diagram(square, meter=meter), seed=0, meter=meter)
    {'1': 1.0, '2': 1.0}
    """
    few = diagram.total <= LISTED
    walk = _Walk(problem, diagram)
    shares: dict[int, list[float]] = {}
    chance = random.Random(seed)
    for chosen in diagram.sample(LINES if few else LONG_LINES, seed=seed):
        order = list(chosen)
        chance.shuffle(order)
        for step, share in walk.along(order, meter):
            shares.setdefault(step, []).append(share)
    return {str(step): round(sum(own) / len(own), 4) for step, own in sorted(shares.items())}


@dataclass(frozen=True)
class _Walk:
    problem: Problem
    diagram: Diagram

    @cached_property
    def board(self) -> Board:
        return Board(self.problem)

    @cached_property
    def alive(self) -> int:
        """The options that some solution has, as bits."""
        return _mask(number for number, times in enumerate(self.diagram.marginals()) if times)

    @cached_property
    def solutions(self) -> list[int]:
        """All solutions, each as bits over options; none where they are too many."""
        if self.diagram.total > LISTED:
            return []
        return [_mask(chosen) for chosen in self.diagram.solutions()]

    def along(self, order: Sequence[int], meter: Meter) -> Iterator[tuple[int, float]]:
        """Yield each step's number and its share of good placements."""
        position = self.board.start()
        left = self.solutions
        for step, option in enumerate(order, start=1):
            if not meter.spend(position.possible.bit_count()):
                return
            good = self._good(position, left, meter)
            if good is not None and position.possible:
                yield step, (good & position.possible).bit_count() / position.possible.bit_count()
            position = self.board.place(position, option)
            left = [solution for solution in left if solution >> option & 1]

    def _good(self, position: Position, left: Sequence[int], meter: Meter) -> int | None:
        """Return the options that a solution has with what lies, as bits; None when stopped."""
        if not position.placed:
            return self.alive
        if not left:
            return self._counted_anew(position, meter)
        good = 0
        for solution in left:
            good |= solution
        return good

    def _counted_anew(self, position: Position, meter: Meter) -> int | None:
        numbers = list(bits(position.possible))
        rest = rest_of(self.problem, position)
        part = meter.part(work=_STEP_WORK)
        diagram = compile_diagram(rest, meter=part)
        meter.spend(part.worked)
        if diagram is None:
            return None
        times = diagram.marginals()
        return _mask(number for number, found in zip(numbers, times, strict=True) if found)


def rest_of(problem: Problem, position: Position) -> Problem:
    """Return what is left of a problem in a position: its vacant cells and possible options.

    Examples
    --------
    >>> options = (Option(0, 0b0011), Option(0, 0b1100))
    >>> pair = Problem(("a", "b", "c", "d"), (Kind("I2", 2, 2),), options, True)
    >>> board = Board(pair)
    >>> rest_of(pair, board.place(board.start(), 0)).cells
    ('c', 'd')
    """
    cells = list(bits(position.vacant))
    number = {cell: place for place, cell in enumerate(cells)}
    options = (problem.options[option] for option in bits(position.possible))
    return replace(
        problem,
        cells=tuple(problem.cells[cell] for cell in cells),
        kinds=tuple(
            Kind(
                kind.name,
                max(0, kind.least - used),
                None if kind.most is None else kind.most - used,
            )
            for kind, used in zip(problem.kinds, position.used, strict=True)
        ),
        options=tuple(
            Option(option.kind, sum(1 << number[cell] for cell in option.cells()))
            for option in options
        ),
        adjacent=tuple(
            tuple(number[near] for near in problem.adjacent[cell] if near in number)
            for cell in cells
        )
        if problem.adjacent
        else (),
        places=tuple(problem.places[cell] for cell in cells) if problem.places else (),
    )


def _mask(numbers: Iterator[int] | Sequence[int]) -> int:
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask
