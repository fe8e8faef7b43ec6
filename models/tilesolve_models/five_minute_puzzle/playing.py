"""The policy by which games are played out: along plans, looking for new ones on the way.

Of all placements of the rolled pieces that touch what lies already, the one that keeps the most
and cheapest plans is drawn. Where only few plans would be kept, more are looked for first. When
no plan goes on, or only much dearer ones do, that is given up which costs the best plan least: a
piece, or what a placement lies upon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tilesolve.budget import Meter
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle.planning import LOST, Plans
from tilesolve_models.five_minute_puzzle.position import Lay, Position

ENOUGH = 12
"""Plans kept by a placement with which no more are looked for."""

DEAR = 4
"""What a plan that goes on may cost more than the best before something else is thought of."""

PROMISING = 6
"""Placements that keep most, among which the outlook decides."""

FEAR = 0.15
"""How much of what an outlook fears comes true, in games that look for plans on the way."""

NODES = 200
"""Nodes of one look for plans in a game that is played out."""


@dataclass
class Playout:
    """A game on its way.

    Parameters
    ----------
    plans : Plans
        Of the position where the games begin; what is found on the way is added.
    now : Position
        Where this one stands.
    rolled_too : bool
        Whether a piece of the roll may be crossed out (FM5).
    lays : dict
        The placements since the games began.
    alive : int
        The plans that go on.
    spare : mapping
        A plan patched up, where none of the known ones goes on.
    """

    plans: Plans
    now: Position
    rolled_too: bool
    lays: dict[int, int] = field(default_factory=dict)
    alive: int = 0
    spare: Mapping[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.follow()

    def again(self) -> Playout:
        """Return a game that goes on from here, while this one stays."""
        game = Playout(self.plans, self.now, self.rolled_too, dict(self.lays))
        game.spare = self.spare
        return game

    def expected(self) -> float:
        """Return about what penalty is to be expected, from the plans known.

        Games that are played out end little above the plans that go on, even if those are few,
        and about one piece above the best plan of all if none goes on.
        """
        plans = self.plans
        sight = plans.least(self.alive)
        if sight is not None:
            return sight + FEAR * (plans.outlook(self.alive, self.now) - sight)
        left = self.now.empty
        for mask in self.spare.values():
            left &= ~mask
        lost = (plans.best_of_all or 0) + LOST
        return lost + FEAR * max(0, plans.weight(left) + 1 - lost)

    def follow(self) -> None:
        """Follow the plans known by now."""
        self.alive = self.plans.alive(self.lays, self.now.available)

    def play(self, rolls: Sequence[int], *, meter: Meter | None = None) -> int:
        """Play the rolls and return the penalty; without a meter no plans are looked for."""
        for roll in rolls:
            if not self.now.available:
                break
            self.decide(self.choose(roll, meter))
        return self.now.penalty

    def choose(self, roll: int, meter: Meter | None) -> Lay:
        """Return what to do with a roll."""
        drawable = self.now.drawable(roll)
        best = self.on_plan(drawable)
        if meter is not None and (best is None or self.scarce(best)):
            best = self.looked(drawable, 0, meter)
            if best is None or self.dearer(best) > DEAR:
                best = self.looked(drawable, drawable, meter)
        return self.off_plan(roll, drawable, best)

    def looked(self, drawable: int, firsts: int, meter: Meter) -> Lay | None:
        """Return what is on plan after a look for more plans."""
        self.plans.look(self.now, self.lays, firsts, nodes=NODES, meter=meter)
        self.follow()
        return self.on_plan(drawable)

    def dearer(self, lay: Lay) -> int:
        """Return how much worse the plans that hold a placement end than others."""
        kept = self.plans.least(self.alive & self.plans.holding[lay[0]][lay[1]])
        return (kept or 0) - (self.plans.least(self.alive) or 0)

    def scarce(self, lay: Lay) -> bool:
        """Return whether few plans go on after a placement, with several pieces to come."""
        kept = self.alive & self.plans.holding[lay[0]][lay[1]]
        return kept.bit_count() < ENOUGH and self.now.available.bit_count() > 2

    def on_plan(self, drawable: int) -> Lay | None:
        """Return the placement with the best outlook along plans; None if no plan goes on."""
        plans, alive, frontier = self.plans, self.alive, self.now.frontier
        found = []
        for piece in bits(drawable):
            for mask, holding in plans.holding[piece].items():
                kept = holding & alive
                if kept and mask & frontier:
                    found.append((plans.worth(kept), piece, mask, kept))
        if not found:
            return None
        found.sort(reverse=True)
        best = min(
            found[:PROMISING],
            key=lambda each: plans.outlook(each[3], self.now.laid((each[1], each[2]))),
        )
        return best[1], best[2]

    def off_plan(self, roll: int, drawable: int, planned: Lay | None) -> Lay:
        """Return the placement that is planned, or what costs the best plan less."""
        plans, now = self.plans, self.now
        if planned is not None and self.dearer(planned) <= DEAR:
            return planned
        aim = self.aim()
        least, chosen = min(
            (plans.weight(aim[piece]) if piece in aim else 0, (piece, 0))
            for piece in bits(now.crossable(roll, rolled_too=self.rolled_too))
        )
        for piece, mask in now.lays(drawable):
            loss = harm(plans, aim, piece, mask)
            if loss < least:
                least, chosen = loss, (piece, mask)
        return planned if planned is not None and self.dearer(planned) <= least else chosen

    def aim(self) -> Mapping[int, int]:
        """Return what the best plan still has to lay."""
        plan = self.plans.best(self.alive) or self.spare
        left, filled = self.now.available, self.now.filled
        return {p: m for p, m in plan.items() if left >> p & 1 and not m & filled}

    def decide(self, decision: Lay) -> None:
        """Draw a piece, or cross it out."""
        piece, mask = decision
        plans, aim = self.plans, self.aim()
        if mask:
            self.lays[piece] = mask
            self.now = self.now.laid(decision)
            self.alive &= plans.holding[piece].get(mask, 0)
        else:
            self.now = self.now.without(piece)
            self.alive &= plans.without(piece)
        if not self.alive:
            self.spare = {p: m for p, m in aim.items() if p != piece and not m & mask}


def harm(plans: Plans, aim: Mapping[int, int], piece: int, mask: int) -> int:
    """Return what a plan loses when a piece is drawn elsewhere, on cells of others perhaps."""
    lost = plans.weight(aim[piece]) if piece in aim else 0
    others = (place for other, place in aim.items() if other != piece and place & mask)
    return lost - plans.weight(mask) + sum(plans.weight(place) for place in others)
