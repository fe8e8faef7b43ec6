"""Sets of cells that must hang together: they grow from roots, asked for by cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ortools.sat.python import cp_model

from tilesolve.placement.connect import Cut, beside, components, cuts, with_groups
from tilesolve.placement.objective import Objective
from tilesolve.placement.problem import Problem, bits

if TYPE_CHECKING:
    from ortools.sat.python.cp_model_helper import Literal  # not there at run time before 9.15

_LARGEST_CONTACTS = 300_000  # cells beside options beyond which contact is only asked by cuts


@dataclass(frozen=True)
class Growth:
    """Literals of a set that must grow from its roots; a root None cannot be one."""

    name: str
    model: cp_model.CpModel
    neighbours: tuple[int, ...]
    members: list[Literal]
    roots: list[Literal | None]

    def broken(self, value: Callable[[Literal], bool]) -> tuple[Cut, ...]:
        """Return the cuts that a solution breaks."""
        members = sum(1 << cell for cell, literal in enumerate(self.members) if value(literal))
        roots = sum(
            1 << cell
            for cell, literal in enumerate(self.roots)
            if literal is not None and value(literal)
        )
        return cuts(members, roots, self.neighbours)

    def add(self, cut: Cut) -> None:
        """Add a cut: each member in it needs a root in it or a member beside it."""
        within = list(bits(cut.within))
        label = f"{self.name} of {len(within)}"
        if len(within) == 1:
            self.need([self.members[within[0]].negated()], cut).with_name(label)
            return
        held = self.model.new_bool_var(f"{label} held")
        self.need([held.negated()], cut).with_name(label)
        for cell in within:
            self.model.add_implication(self.members[cell], held)

    def need(self, unless: list[Literal], cut: Cut) -> cp_model.Constraint:
        """Ask for a root within or a member beside, unless a literal holds."""
        roots = [self.roots[cell] for cell in bits(cut.within)]
        some = [root for root in roots if root is not None]
        return self.model.add_bool_or(
            [*unless, *some, *(self.members[cell] for cell in bits(cut.beside))]
        )


def region_growth(
    model: cp_model.CpModel,
    problem: Problem,
    neighbours: tuple[int, ...],
    left_open: list[cp_model.IntVar],
) -> Growth:
    """Return regions of open cells, each rooted in its lowest cell."""
    roots = [model.new_bool_var(f"region from {name}") for name in problem.cells]
    growth = Growth("region", model, neighbours, [*left_open], [*roots])
    for cell, root in enumerate(roots):
        model.add_implication(root, left_open[cell])
        for lower in bits(neighbours[cell] & ((1 << cell) - 1)):
            model.add_implication(root, left_open[lower].negated())
        growth.add(Cut(1 << cell, neighbours[cell]))
    growth.add(Cut(problem.everything, 0))
    return growth


def filled_growth(
    model: cp_model.CpModel,
    problem: Problem,
    objective: Objective,
    neighbours: tuple[int, ...],
    filled: list[Literal],
    chosen: Sequence[cp_model.IntVar],
) -> Growth:
    """Return the filled cells, grown from what lies already or from one cell of their own."""
    if objective.touch and any(
        len(components(option.mask, neighbours)) > 1 for option in problem.options
    ):
        raise ValueError("touch is offered for options whose cells hang together")
    groups = objective.joined if objective.connected else objective.laid
    roots: list[Literal | None] = [None] * len(filled)
    if not groups:
        seeds = [model.new_bool_var(f"seed {name}") for name in problem.cells]
        model.add_at_most_one(seeds).with_name("one seed")
        for cell, seed in enumerate(seeds):
            model.add_implication(seed, filled[cell])
            for lower in bits(neighbours[cell] & ((1 << cell) - 1)):
                model.add_implication(seed, filled[lower].negated())
        roots = [*seeds]
    yes = model.new_constant(1)
    lying: list[Literal] = [yes] * len(groups)
    first: list[Literal | None] = [yes if not n else None for n in range(len(groups))]
    graph = with_groups(neighbours, groups)
    growth = Growth("connected", model, graph, filled + lying, roots + first)
    contacts = {option.mask: beside(option.mask, graph) for option in problem.options}
    if sum(contact.bit_count() for contact in contacts.values()) <= _LARGEST_CONTACTS:
        for option, variable in zip(problem.options, chosen, strict=True):
            if not contacts[option.mask] >> len(neighbours) & 1:
                growth.need([variable.negated()], Cut(option.mask, contacts[option.mask]))
    return growth
