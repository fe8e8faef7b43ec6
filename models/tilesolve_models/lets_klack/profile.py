"""How much one parity class can be worth after how many moves, with the special cards.

Sets of blocks are taken from the most valuable down. For each the fewest moves are searched,
but only below what a more valuable set was found to need, so most sets cost a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import permutations

from tilesolve.budget import Meter
from tilesolve_models.lets_klack.half import GONE, NEVER, Half, fewest, moves_along
from tilesolve_models.lets_klack.position import Away, Fly, Move


@dataclass(frozen=True)
class Step:
    """A worth that a class can reach in this many moves, and no fewer.

    Parameters
    ----------
    moves : int
        Special cards that are moves included.
    worth : int
        Minus points saved.
    whole : bool
        True when every card of the class counts as covered.
    specials : tuple of Move
        Fly and away, which are played first.
    line : tuple of bytes
        Arrangements after that.
    """

    moves: int
    worth: int
    whole: bool
    specials: tuple[Move, ...]
    line: tuple[bytes, ...]

    def played(self, half: Half) -> tuple[Move, ...]:
        """Return all moves in order."""
        return self.specials + moves_along(half, self.line)


@dataclass(frozen=True)
class Profile:
    """The steps of a class, fewest moves first, each worth more than the one before.

    `exact` is False when the meter stopped the search; `bound` is then a number of moves below
    which the whole class cannot be covered.
    """

    steps: tuple[Step, ...]
    exact: bool
    bound: int


def omissions(worths: tuple[int, ...]) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield sets of places in `worths`, the least sum first, each with its sum.

    What is worth nothing is in all of them.

    Examples
    --------
    >>> [(lost, sorted(omitted)) for lost, omitted in omissions((5, 2))]
    [(0, []), (2, [1]), (5, [0]), (7, [0, 1])]
    """
    never = frozenset(place for place, worth in enumerate(worths) if not worth)
    order = sorted(set(range(len(worths))) - never, key=lambda place: worths[place])
    yield 0, never
    heap: list[tuple[int, tuple[int, ...]]] = []
    if order:
        heappush(heap, (worths[order[0]], (0,)))
    while heap:
        lost, ranks = heappop(heap)
        yield lost, never.union(order[rank] for rank in ranks)
        last = ranks[-1]
        if last + 1 < len(order):
            following = worths[order[last + 1]]
            heappush(heap, (lost + following, (*ranks, last + 1)))
            heappush(heap, (lost + following - worths[order[last]], (*ranks[:-1], last + 1)))


def profile(
    half: Half, cards: tuple[str, ...], *, meter: Meter, table: bool, price: int = 1
) -> Profile:
    """Return the steps of a class when exactly these special cards are played in it.

    Parameters
    ----------
    cards : tuple of str
        Of fly and away.
    table : bool
        False looks no further than at the most that can be had.
    price : int
        What the away card costs.

    Notes
    -----
    A block that flies or is taken away goes first: it only stands in the others' way, and
    covered cards bar no way.
    """
    alone = half.alone
    total = sum(half.worths) - (price if "away" in cards else 0)
    blocks = frozenset(range(len(half.values)))
    steps: list[Step] = []
    least, bound = NEVER, 0
    for lost, omitted in omissions(half.worths):
        wanted = blocks - omitted
        found = _cheapest(half, alone, wanted, cards, least, total - lost, meter)
        if found is not None:
            steps.append(found)
            least = found.moves
        if not lost:
            bound = found.moves if found else sum(alone[block] for block in wanted)
        if meter.stopped_by is not None:
            return Profile(tuple(reversed(steps)), False, bound)
        if least <= len(cards) or not (table or lost or found is None):
            break
    return Profile(tuple(reversed(steps)), True, bound if steps and steps[0].whole else NEVER)


def _cheapest(
    half: Half,
    alone: tuple[int, ...],
    wanted: frozenset[int],
    cards: tuple[str, ...],
    least: int,
    worth: int,
    meter: Meter,
) -> Step | None:
    """Return how to cover the wanted blocks in fewer moves than `least`, or None."""
    best = None
    base = sum(alone[block] for block in wanted) + len(cards)
    choices = sorted(
        (base - sum(alone[block] for block in chosen), chosen)
        for chosen in permutations(sorted(wanted), len(cards))
    )
    for estimate, chosen in choices:
        if estimate >= least:
            break
        places = bytes(GONE if at in chosen else spot for at, spot in enumerate(half.places))
        search = fewest(
            half,
            places,
            wanted.difference(chosen),
            meter=meter,
            limit=None if least == NEVER else least - 1 - len(cards),
        )
        if search.line:
            least = len(search.line) - 1 + len(cards)
            specials = tuple(
                Fly(half.values[at]) if card == "fly" else Away(half.values[at])
                for card, at in zip(cards, chosen, strict=True)
            )
            whole = len(wanted) == len(half.values)
            best = Step(least, worth, whole, specials, search.line)
    return best
