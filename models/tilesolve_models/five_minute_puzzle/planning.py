"""Plans: packings of the pieces that are left, found bit by bit and kept.

A player who keeps many plans alive can answer most rolls. Plans are looked for where a game
stands, in short dives through the packings, and all of them are kept: a plan found in one game
that is played out serves every other one that passes the same placements.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tilesolve.budget import Meter
from tilesolve.placement.connect import beside
from tilesolve.placement.problem import bits
from tilesolve_models.five_minute_puzzle.packing import GLANCE, Packer, Packing
from tilesolve_models.five_minute_puzzle.position import Lay, Position

SLACK = 3
"""How much more than the best plan of a position the others may cost."""

DIVE, EACH = 120, 3
"""Nodes of one dive for plans, and plans taken from one, so that they differ."""

WHOLE, FEW = 1500, 6
"""Nodes in which all plans of a position with few pieces are looked for."""

LOST, RISK = 6, 3.0
"""What a roll costs that no plan answers, and what few plans are feared to cost."""

SAMPLE = 40
"""Plans that are looked at one by one."""

MOST = 240
"""Plans found in one look at most."""


class Plans:
    """All plans found so far for the games that go on from a position.

    Plan ``i`` is bit ``i`` of a set of plans, and a mapping of pieces to the masks of the cells
    they are laid on, from the position to the end.

    Parameters
    ----------
    now : Position
        Where the games begin.
    seed : int
        For the order in which dives go.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve_models.five_minute_puzzle.sheets import shipped
    >>> plans = Plans(Position.start(shipped("synthetic-a")), seed=1)
    >>> plans.look(plans.now, {}, 0, nodes=2000, meter=Meter(budget=Budget()))
    >>> plans.least(plans.alive({}, plans.now.available)) in (4, 5)
    True
    """

    def __init__(self, now: Position, *, seed: int) -> None:
        self.now = now
        self.seed = seed
        self.plans: list[Mapping[int, int]] = []
        self.holding: list[dict[int, int]] = [{} for _ in now.edition.pieces]
        """For each piece and mask, the plans that lay it there."""
        self._chance = random.Random(seed)
        self._packer = Packer(now, ceiling=0)
        self._known: set[frozenset[Lay]] = set()
        self._using = [0] * len(now.edition.pieces)
        self._levels: dict[int, int] = {}
        self._halos: dict[int, int] = {}
        self._weights: dict[int, int] = {}
        self._whole: set[tuple[int, int]] = set()
        self._looked: dict[tuple[int, int, int], int] = {}

    def look(
        self, at: Position, lays: Mapping[int, int], drawable: int, *, nodes: int, meter: Meter
    ) -> None:
        """Look for plans of a position, unless that was done as thoroughly before.

        Parameters
        ----------
        at : Position
            A position that `now` leads to.
        lays : mapping
            The placements that lead to it.
        drawable : int
            Mask of pieces that can be drawn there: every plan begins with one of them, if it is
            not 0. Such plans are no fair sample of all, so ask for them only in need.
        nodes : int
            Nodes to search, about.
        meter : Meter
            One unit a node.
        """
        place = at.filled, at.available
        looked = self._looked.get((*place, drawable), 0)
        if looked >= nodes or (place in self._whole and not drawable):
            return
        part = meter.part(work=nodes)
        found = _Dives(Packer(at, ceiling=0), self._chance)
        if not drawable and at.available.bit_count() <= FEW and found.all(part):
            self._whole.add(place)
        else:
            firsts = list(at.lays(drawable))
            self._chance.shuffle(firsts)
            found.some(firsts, part)
        if meter.spend(part.worked):
            self._looked[*place, drawable] = nodes
        for plan in found.best:
            self.add({**lays, **dict(plan.lays)}, plan.penalty)

    def dive(self, first: Lay, *, meter: Meter) -> None:
        """Look for plans that begin with a placement, in one short dive."""
        dives = _Dives(self._packer, self._chance)
        dives.once(first, meter)
        for plan in dives.best:
            self.add(dict(plan.lays), plan.penalty)

    def add(self, plan: Mapping[int, int], penalty: int) -> None:
        """Keep a plan."""
        key = frozenset(plan.items())
        if key in self._known:
            return
        self._known.add(key)
        bit = 1 << len(self.plans)
        self.plans.append(plan)
        self._levels[penalty] = self._levels.get(penalty, 0) | bit
        self._levels = dict(sorted(self._levels.items()))
        for piece, mask in plan.items():
            holding = self.holding[piece]
            holding[mask] = holding.get(mask, 0) | bit
            self._using[piece] |= bit

    def alive(self, lays: Mapping[int, int], available: int) -> int:
        """Return the plans that these placements follow, the other pieces used left out."""
        alive = (1 << len(self.plans)) - 1
        for piece, mask in lays.items():
            alive &= self.holding[piece].get(mask, 0)
        for piece in bits(self.now.available & ~available):
            if piece not in lays:
                alive &= ~self._using[piece]
        return alive

    def without(self, piece: int) -> int:
        """Return the plans that leave a piece out."""
        return ((1 << len(self.plans)) - 1) & ~self._using[piece]

    def worth(self, alive: int) -> float:
        """Return what a set of plans is worth: each cheaper level counts twice the next."""
        worth, least = 0.0, None
        for penalty, level in self._levels.items():
            count = (alive & level).bit_count()
            if count:
                least = penalty if least is None else least
                if penalty > least + SLACK:
                    break
                worth += count * 0.5**penalty
        return worth

    def outlook(self, alive: int, after: Position) -> float:
        """Return about what penalty is to be expected after a decision, with these plans alive.

        For each roll that may come next: the best plan that can answer it, and the risk that
        goes with having few.
        """
        rolled, available = after.edition.rolled, after.available
        least = self.least(alive)
        if least is None or not available:
            return after.penalty if least is None else least
        ways: dict[tuple[int, int], int] = {}
        frontier = after.frontier
        for penalty, plan in self.sample(alive, least):
            ready, planned = 0, 0
            for piece, mask in plan.items():
                if available >> piece & 1:
                    planned |= 1 << piece
                    if mask & frontier:
                        ready |= 1 << piece
            if planned != available:
                ready = available  # what it does without can be crossed out
            ways[penalty, ready] = ways.get((penalty, ready), 0) + 1
        total = 0.0
        for own in rolled[1:]:
            drawable = own & available or available
            best, number = least + LOST, 0.0
            for (penalty, ready), count in ways.items():
                if ready & drawable:
                    best = min(best, penalty)
                    number += count * 0.5 ** (penalty - least)
            total += best + RISK / (1 + number)
        return total / 6

    def sample(self, alive: int, least: int) -> Iterator[tuple[int, Mapping[int, int]]]:
        """Yield the first of the plans within `SLACK` of the best, with their penalties."""
        room = SAMPLE
        for penalty, level in self._levels.items():
            if penalty > least + SLACK:
                return
            for index in bits(alive & level):
                if not room:
                    return
                room -= 1
                yield penalty, self.plans[index]

    def least(self, alive: int) -> int | None:
        """Return the penalty of the best of a set of plans; None for the empty set."""
        return next((pen for pen, level in self._levels.items() if alive & level), None)

    @property
    def best_of_all(self) -> int | None:
        """The penalty of the best plan known."""
        return next(iter(self._levels), None)

    def best(self, alive: int) -> Mapping[int, int] | None:
        """Return the best of a set of plans; None for the empty set."""
        for level in self._levels.values():
            among = alive & level
            if among:
                return self.plans[(among & -among).bit_length() - 1]
        return None

    def halo(self, mask: int) -> int:
        """Return the neighbours of a mask."""
        found = self._halos.get(mask)
        if found is None:
            found = self._halos[mask] = beside(mask, self.now.edition.near)
        return found

    def weight(self, mask: int) -> int:
        """Return what the cells of a mask cost when empty."""
        found = self._weights.get(mask)
        if found is None:
            penalties = self.now.edition.penalties
            found = self._weights[mask] = sum(penalties[cell] for cell in bits(mask))
        return found


class _Dives:
    """Packings of one position; the best are kept."""

    def __init__(self, packer: Packer, chance: random.Random) -> None:
        self.packer, self.chance = packer, chance
        self.floor, self.stopping = packer.floor(), packer.now.penalty
        self.slack = SLACK
        self.found: dict[frozenset[Lay], Packing] = {}

    @property
    def best(self) -> Iterable[Packing]:
        """The packings that cost at most `SLACK` more than the best."""
        least = min((plan.penalty for plan in self.found.values()), default=0)
        return [plan for plan in self.found.values() if plan.penalty <= least + SLACK]

    def all(self, meter: Meter) -> bool:
        """Find all packings within `SLACK` of the best; return whether that was done."""
        packer = self.packer
        packer.chance, packer.limit, packer.nodes, packer.meter = None, WHOLE, 0, meter
        while not self.found and not packer.gave_up and packer.ceiling <= self.stopping:
            packer.ceiling = self.floor + self.slack
            self.keep(packer.packings(), MOST)
            self.slack += SLACK
        if self.found and not packer.gave_up:
            # The best may lie just below the ceiling, its rivals above.
            packer.ceiling = min(plan.penalty for plan in self.found.values()) + SLACK + 1
            self.keep(packer.packings(), MOST)
        packer.meter = None
        meter.spend(packer.nodes % GLANCE)
        return not packer.gave_up and len(self.found) < MOST

    def some(self, firsts: Sequence[Lay], meter: Meter) -> None:
        """Dive below each of the first placements in turn, or from the position if there are none.

        Ends when the meter stops, or when nothing is left to find.
        """
        missed = turn = 0
        while meter.spend() and len(self.found) < MOST:
            self.once(firsts[turn % len(firsts)] if firsts else None, meter)
            turn += 1
            if self.found:
                continue
            missed += 1
            if missed >= len(firsts) and (not self.packer.gave_up or missed % 4 == 0):
                self.slack *= 2
                if self.packer.ceiling > self.stopping:
                    return

    def once(self, first: Lay | None, meter: Meter) -> None:
        """Dive below a placement, or from the position."""
        packer = self.packer
        packer.chance, packer.limit = self.chance, max(DIVE, 2 * len(packer.now.edition.cells))
        packer.nodes, packer.ceiling = 0, self.floor + self.slack
        branch = packer.root if first is None else packer.below(first)
        self.keep(packer.packings(branch), EACH, first)
        meter.spend(packer.nodes)

    def keep(self, packings: Iterator[Packing], most: int, first: Lay | None = None) -> None:
        """Keep up to `most` packings, each with the placement they go with."""
        for kept, packing in enumerate(packings, start=1):
            lays = packing.lays if first is None else (first, *packing.lays)
            self.found[frozenset(lays)] = Packing(lays, packing.empty, packing.penalty)
            if kept == most:
                break
