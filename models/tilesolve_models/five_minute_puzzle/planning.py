"""Playing by plans: packings of the pieces that are left, and games played along them.

A plan is a packing. A player who keeps many plans alive can answer most rolls. The playout
policy draws, of all placements of the rolled pieces that touch what lies already, the one that
keeps the most and cheapest plans; when no plan goes on, it gives up what costs its best plan
least.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilesolve.budget import Meter
from tilesolve.placement.connect import beside
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle.packing import Packer, Packing
from tilesolve_models.five_minute_puzzle.position import Lay, Position

SLACK = 3
"""How much more than the best plan the others may cost."""

DIVE, EACH = 120, 3
"""Nodes of one dive for plans, and plans taken from one, so that they differ."""

WHOLE, FEW = 1500, 6
"""Nodes in which all plans of a position with few pieces are looked for."""

MOST = 240
"""Plans at most."""

CLOSE = 12
"""The best plans, against which a decision outside all plans is held."""


def find_plans(
    now: Position, firsts: Sequence[Lay], *, seed: int, meter: Meter
) -> tuple[Packing, ...]:
    """Return good packings of a position, the best first, as many as the meter allows.

    Parameters
    ----------
    firsts : sequence of Lay
        Placements to begin with: every other dive holds one of them, in turn.
    meter : Meter
        One unit a node.
    """
    packer = Packer(now, ceiling=0)
    found: dict[frozenset[Lay], Packing] = {}
    slack = SLACK
    if now.available.bit_count() <= FEW:
        packer.limit = WHOLE
        while not found and not packer.gave_up and slack < now.penalty:
            packer.ceiling = packer.floor() + slack
            _keep(found, packer.packings(), MOST)
            slack += SLACK
        meter.spend(packer.nodes)
    if not found or packer.gave_up:
        _dive(packer, found, firsts, random.Random(seed), meter)
    least = min((plan.penalty for plan in found.values()), default=0)
    kept = [plan for plan in found.values() if plan.penalty <= least + SLACK]
    return tuple(sorted(kept, key=lambda plan: plan.penalty))[:MOST]


def _keep(found: dict[frozenset[Lay], Packing], packings: Iterator[Packing], most: int) -> int:
    """Keep packings, up to `most`; return how many."""
    kept = 0
    for kept, packing in enumerate(packings, start=1):
        found[frozenset(packing.lays)] = packing
        if kept == most:
            break
    return kept


def _dive(
    packer: Packer,
    found: dict[frozenset[Lay], Packing],
    firsts: Sequence[Lay],
    chance: random.Random,
    meter: Meter,
) -> None:
    """Dive from the root, and below each of the first placements, until the meter stops."""
    packer.chance, packer.limit = chance, max(DIVE, 2 * len(packer.now.edition.cells))
    slack, missed, turn = SLACK, 0, 0
    while meter.spend() and len(found) < MOST:
        packer.nodes, packer.ceiling = 0, packer.floor() + slack
        below = bool(firsts) and turn % 2 == 1
        branch = packer.below(firsts[turn // 2 % len(firsts)]) if below else packer.root
        kept = _keep(found, packer.packings(branch), EACH)
        meter.spend(packer.nodes)
        turn += 1
        if kept or below or found:
            continue
        missed += 1
        if not packer.gave_up or missed % 4 == 0:
            slack *= 2
            if packer.ceiling > packer.now.penalty:
                return


class Plans:
    """Plans as a table to play by; plan ``i`` is bit ``i`` of a set of plans.

    Parameters
    ----------
    now : Position
        Where the plans begin.
    plans : tuple of Packing
        The best first.
    rolled_too : bool
        Whether a piece of the roll may be crossed out (FM5).
    """

    def __init__(self, now: Position, plans: tuple[Packing, ...], *, rolled_too: bool) -> None:
        self.now = now
        self.plans = plans
        self.rolled_too = rolled_too
        self.every = (1 << len(plans)) - 1
        least = plans[0].penalty if plans else 0
        self.levels = tuple(
            (
                2 ** (SLACK - extra),
                sum(1 << i for i, p in enumerate(plans) if p.penalty == least + extra),
            )
            for extra in range(SLACK + 1)
        )
        self.places = [dict(plan.lays) for plan in plans]
        holding: dict[Lay, int] = {}
        for index, plan in enumerate(plans):
            for lay in plan.lays:
                holding[lay] = holding.get(lay, 0) | 1 << index
        self.holding = holding
        near = now.edition.near
        self.stopping = now.penalty
        self.weights: dict[int, int] = {}
        self.halos = {mask: beside(mask, near) for _, mask in holding}
        self.by_piece: dict[int, list[tuple[int, int]]] = {
            piece: [] for piece in bits(now.available)
        }
        for (piece, mask), alive in holding.items():
            self.by_piece[piece].append((mask, alive))

    def worth(self, alive: int) -> int:
        """Return what a set of plans is worth: each cheaper level counts twice the next."""
        return sum(
            weight * (alive & level).bit_count() for weight, level in self.levels if alive & level
        )

    def halo(self, mask: int) -> int:
        """Return the neighbours of a mask."""
        found = self.halos.get(mask)
        if found is None:
            found = self.halos[mask] = beside(mask, self.now.edition.near)
        return found

    def weight(self, mask: int) -> int:
        """Return what the cells of a mask cost when empty."""
        found = self.weights.get(mask)
        if found is None:
            penalties = self.now.edition.penalties
            found = self.weights[mask] = sum(penalties[cell] for cell in bits(mask))
        return found

    def losses(self, plan: int, mask: int, available: int) -> int:
        """Return what a plan loses when a mask is filled against it."""
        return sum(
            self.weight(place)
            for piece, place in self.places[plan].items()
            if available >> piece & 1 and place & mask
        )

    def outlook(self, decision: Lay) -> tuple[int, int]:
        """Return the penalty that is in sight after a decision, and the plans to go on with.

        A decision against all plans goes on with the one that it harms least.
        """
        piece, mask = decision
        alive = self.going_on(decision)
        if alive:
            return self.plans[(alive & -alive).bit_length() - 1].penalty, alive
        rest = self.now.available & ~(1 << piece)
        best = (self.stopping, 0)
        for index, plan in enumerate(self.plans[:CLOSE]):
            cost = plan.penalty + self.weight(self.places[index].get(piece, 0))
            if mask:
                cost += self.losses(index, mask, rest) - self.weight(mask)
            best = min(best, (cost, 1 << index))
        return best

    def going_on(self, decision: Lay) -> int:
        """Return the plans that hold a placement, or do without a piece that is crossed out."""
        piece, mask = decision
        if mask:
            return self.holding.get(decision, 0)
        return sum(1 << index for index, places in enumerate(self.places) if piece not in places)


@dataclass
class Playout:
    """A game played along plans to its end."""

    plans: Plans
    filled: int
    frontier: int
    available: int
    alive: int

    @classmethod
    def after(cls, plans: Plans, now: Position, alive: int) -> Playout:
        """Return a game from a position, with the plans that are alive in it."""
        return cls(plans, now.filled, now.frontier, now.available, alive)

    def play(self, rolls: Sequence[int]) -> int:
        """Play the rolls and return the penalty."""
        rolled = self.plans.now.edition.rolled
        for roll in rolls:
            if not self.available:
                break
            drawable = rolled[roll] & self.available or self.available
            if not self.on_plan(drawable):
                self.off_plan(roll, drawable)
        return Position(self.plans.now.edition, self.filled, self.available).penalty

    def on_plan(self, drawable: int) -> bool:
        """Draw what keeps the most plans; return whether a plan goes on at all."""
        plans, filled, frontier, alive = self.plans, self.filled, self.frontier, self.alive
        best, chosen = 0, (0, 0, 0)
        for piece in bits(drawable):
            for mask, holding in plans.by_piece[piece]:
                kept = holding & alive
                if kept and mask & frontier and not mask & filled:
                    worth = plans.worth(kept)
                    if worth > best:
                        best, chosen = worth, (piece, mask, kept)
        if not best:
            return False
        self.draw(chosen[0], chosen[1])
        self.alive = chosen[2]
        return True

    def draw(self, piece: int, mask: int) -> None:
        """Lay a piece."""
        if not self.filled:
            self.frontier = 0
        self.filled |= mask
        self.frontier = (self.frontier | self.plans.halo(mask)) & ~self.filled
        self.available &= ~(1 << piece)

    def off_plan(self, roll: int, drawable: int) -> None:
        """Give up what costs the best plan least: a piece, or what a placement lies upon."""
        plans, filled, frontier = self.plans, self.filled, self.frontier
        best = (self.alive & -self.alive).bit_length() - 1
        places = plans.places[best] if best >= 0 else {}
        planned = [
            (piece, place, plans.weight(place))
            for piece, place in places.items()
            if self.available >> piece & 1 and not place & filled
        ]
        worth = {piece: weight for piece, _, weight in planned}
        others = self.available & ~plans.now.edition.rolled[roll]
        crossable = self.available if plans.rolled_too else others or self.available
        least, chosen, lay = min((worth.get(piece, 0), piece, 0) for piece in bits(crossable))
        for piece in bits(drawable):
            own = worth.get(piece, 0)
            for mask in plans.now.edition.placements[piece]:
                if mask & frontier and not mask & filled:
                    loss = own - plans.weight(mask)
                    for other, place, weight in planned:
                        if place & mask and other != piece:
                            loss += weight
                    if loss < least:
                        least, chosen, lay = loss, piece, mask
        if lay:
            self.draw(chosen, lay)
        else:
            self.available &= ~(1 << chosen)
        self.alive &= -self.alive
