"""A search that writes down why there is nothing to find.

It branches on the item with the fewest options and notes the item at each node. The list is a
certificate: `tilesolve.proof.follow` follows it with placements of its own.

A node is refuted when a piece has fewer options than copies still needed, when a cell that must
be covered has none, or when the cells that nothing can cover any more cost more than is allowed.

References
----------
D. E. Knuth, "Dancing links" (2000), for branching on the item with the fewest options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tilesolve.budget import Meter, StoppedBy
from tilesolve.placement.connect import beside, components
from tilesolve.placement.problem import Problem, bits
from tilesolve.proof.prices import Prices

MOST_OPTIONS = 20_000
"""Options beyond which no search is written down: the tables grow with their square."""

_LOOK = 128
"""Nodes between two looks at the meter."""


@dataclass(frozen=True)
class Terms:
    """What is allowed to a solution; see `tilesolve.proof.puzzle.Puzzle`.

    Parameters
    ----------
    least, most : tuple of int
        How often each kind is used.
    open_cost, missing_cost : tuple of int
        For each cell that stays open, and for each copy of a kind below its most.
    may_stay_open : bool
        Whether cells may stay open.
    allowed : int
        Solutions that cost more are none.
    region_cost : int
        Added for each connected region of open cells.
    near : tuple of int
        For each cell the mask of its neighbours, where regions cost something.
    room : tuple of (int, tuple of int)
        For each kind of cell the mask of its cells, and how many of them a copy of each kind of
        piece can take.
    uses : tuple of (int, int, int)
        Further conditions: of the kinds of a mask, so many are used at least and at most.
    known : frozenset of int or None
        The options of the one solution that may be found; None when none may.
    prices : Prices or None
        What every solution costs at least, and what each choice adds: options for which there
        is no room left are not possible.
    """

    least: tuple[int, ...]
    most: tuple[int, ...]
    open_cost: tuple[int, ...]
    missing_cost: tuple[int, ...]
    may_stay_open: bool
    allowed: int
    region_cost: int = 0
    near: tuple[int, ...] = ()
    room: tuple[tuple[int, tuple[int, ...]], ...] = ()
    uses: tuple[tuple[int, int, int], ...] = ()
    known: frozenset[int] | None = None
    prices: Prices | None = None


def terms_of(problem: Problem, *, known: frozenset[int] | None = None) -> Terms:
    """Return the terms under which any solution at all counts.

    Examples
    --------
    >>> from tilesolve.placement.problem import Kind, Option
    >>> terms_of(Problem(("a", "b"), (Kind("I1", 1, 1),), (Option(0, 1),), False)).allowed
    1
    """
    room = len(problem.cells)
    least = tuple(kind.least for kind in problem.kinds)
    sizes = [size or 0 for size in problem.sizes]
    area = sum(count * size for count, size in zip(least, sizes, strict=True))
    spare = 0 if problem.cover else room - area
    most = tuple(
        (room // size if size else 0) if kind.most is None else kind.most
        for kind, size in zip(problem.kinds, sizes, strict=True)
    )
    return Terms(
        least=least,
        most=most if problem.cover else least,
        open_cost=(1,) * room,
        missing_cost=(0,) * len(least),
        may_stay_open=not problem.cover and spare != 0,
        allowed=spare,
        known=known,
    )


@dataclass(frozen=True)
class Refuted:
    """How a written search ended.

    Parameters
    ----------
    found : tuple of int or None
        A solution, as options; then nothing is refuted.
    branches : tuple of int or None
        The certificate, when everything was searched and nothing found.
    exhausted : bool
        Whether everything was searched and nothing found; there is no certificate where some
        solutions were only left aside.
    stopped_by : str or None
        Why it ended early.
    """

    found: tuple[int, ...] | None = None
    branches: tuple[int, ...] | None = None
    exhausted: bool = False
    stopped_by: StoppedBy | None = None


def refute(
    problem: Problem,
    terms: Terms,
    *,
    meter: Meter,
    counts: Callable[[tuple[int, ...]], bool] | None = None,
) -> Refuted:
    """Search for a solution under the terms, and write the search down.

    Parameters
    ----------
    meter : Meter
        One unit of work a node.
    counts : callable or None
        Tells of a solution whether it counts; None is that all do.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("a", "b", "c"), (Kind("I2", 1, 1),), (Option(0, 3), Option(0, 6)), True)
    >>> refute(row, terms_of(row), meter=Meter(budget=Budget())).branches
    (0, 2)
    """
    if len(problem.options) > MOST_OPTIONS:
        meter.stop("memory")
        return Refuted(stopped_by=meter.stopped_by)
    tables = _Tables(problem, terms)
    branches: list[int] = []
    path: list[int] = []
    stack: list[Iterator[_Node]] = []
    node, left_aside = tables.start(), False
    while True:
        item, children = tables.branch(node, path)
        if item == _SOLVED:
            found = tuple(sorted(option for option in path if option >= 0))
            if counts is None or counts(found):
                return Refuted(found=found)
            left_aside = True
        branches.append(item)
        if len(branches) % _LOOK == 0 and not meter.spend(_LOOK):
            return Refuted(stopped_by=meter.stopped_by)
        stack.append(children)
        while stack:
            following = next(stack[-1], None)
            if following is not None:
                break
            stack.pop()
            if path:
                path.pop()
        else:
            return Refuted(branches=None if left_aside else tuple(branches), exhausted=True)
        node = following
        path.append(node.option)


_SOLVED = -1


@dataclass(frozen=True)
class _Node:
    """Options possible, cells vacant, copies used, and the option that led here (-1: open).

    `added` is what the options chosen add by their prices.
    """

    possible: int
    vacant: int
    used: tuple[int, ...]
    option: int
    added: int = 0


class _Tables:
    """Bit sets over options: by cell, by kind, and the clashes of each option."""

    def __init__(self, problem: Problem, terms: Terms) -> None:
        self.problem, self.terms = problem, terms
        self.at = [0] * len(problem.cells)
        self.of = [0] * len(problem.kinds)
        for number, option in enumerate(problem.options):
            self.of[option.kind] |= 1 << number
            for cell in option.cells():
                self.at[cell] |= 1 << number
        self.together = [
            sum(options for kind, options in enumerate(self.of) if kinds >> kind & 1)
            for kinds, _, _ in terms.uses
        ]
        self.clash = [self._against(option.mask) for option in problem.options]

    def _against(self, mask: int) -> int:
        against = 0
        for cell in bits(mask):
            against |= self.at[cell]
        return against

    def start(self) -> _Node:
        possible = (1 << len(self.problem.options)) - 1
        for kind, most in enumerate(self.terms.most):
            if most == 0:
                possible &= ~self.of[kind]
        everything = self.problem.everything
        return self._affordable(_Node(possible, everything, (0,) * len(self.of), _SOLVED))

    def _affordable(self, node: _Node) -> _Node:
        """Return a node without the options for which the prices leave no room."""
        if self.terms.prices is None:
            return node
        dear = self.terms.prices.dearer(self._room(node))
        return replace(node, possible=node.possible & ~dear) if node.possible & dear else node

    def _room(self, node: _Node) -> int:
        """Return what may still be added by prices, regions that are certain taken off."""
        terms, prices = self.terms, self.terms.prices
        assert prices is not None
        bare = sum(1 << c for c in bits(node.vacant) if not node.possible & self.at[c])
        added = prices.total + node.added + sum(prices.opened[cell] for cell in bits(bare))
        regions = terms.region_cost * self._groups(bare, node.vacant & ~bare, False)
        return (terms.allowed - regions) * prices.scale - added

    def _groups(self, bare: int, undecided: int, too_many: bool) -> int:
        """Return the least number of regions; groups that may grow together are one."""
        if not self.terms.region_cost:
            return 0
        groups = components(bare, self.terms.near)
        closed = sum(not beside(group, self.terms.near) & undecided for group in groups)
        return closed + (too_many or closed < len(groups))

    def branch(self, node: _Node, path: Sequence[int]) -> tuple[int, Iterator[_Node]]:
        """Return the item to branch on, or `_SOLVED`, and the children in order."""
        terms, cells = self.terms, len(self.at)
        best, fewest = _SOLVED, len(self.problem.options) + 2
        for kind, least in enumerate(terms.least):
            needed = least - node.used[kind]
            if needed > 0:
                count = (node.possible & self.of[kind]).bit_count()
                if count < needed:
                    return cells + kind, iter(())
                if count < fewest:
                    best, fewest = cells + kind, count
        for number, (kinds, least, _) in enumerate(terms.uses):
            needed = least - _among(kinds, node.used)
            if needed > 0:
                count = (node.possible & self.together[number]).bit_count()
                item = cells + len(self.of) + 2 + number
                if count < needed:
                    return item, iter(())
                if count < fewest:
                    best, fewest = item, count
        lost = bare = 0
        for cell in bits(node.vacant):
            count = (node.possible & self.at[cell]).bit_count()
            if count:
                if count + terms.may_stay_open < fewest:
                    best, fewest = cell, count + terms.may_stay_open
            elif terms.may_stay_open:
                lost, bare = lost + terms.open_cost[cell], bare | 1 << cell
            else:
                return cell, iter(())
        lost += self._missed(node)
        if lost <= terms.allowed and terms.room:
            lost += self._crowded_out(node, bare)
        if lost > terms.allowed or (terms.prices is not None and self._room(node) < 0):
            return cells + len(self.of), iter(())
        if best == _SOLVED:
            chosen = frozenset(option for option in path if option >= 0)
            if chosen == terms.known and not node.possible:
                return cells + len(self.of) + 1, iter(())
            return _SOLVED, iter(())
        return best, self._cover(node, best) if best < cells else self._use(node, best - cells)

    def _missed(self, node: _Node) -> int:
        """Return the least that copies below the most will cost."""
        cost = 0
        for kind, price in enumerate(self.terms.missing_cost):
            if price > 0:
                room = (node.possible & self.of[kind]).bit_count()
                cost += price * max(0, self.terms.most[kind] - node.used[kind] - room)
            elif price < 0:
                cost += -price * (node.used[kind] - self.terms.most[kind])
        return cost

    def _crowded_out(self, node: _Node, bare: int) -> int:
        """Return what cells beyond the bare ones cost that no copies are left for, and regions."""
        terms, cost, open_groups = self.terms, 0, False
        undecided = node.vacant & ~bare
        for mask, takes in terms.room:
            left = mask & undecided
            copies = [
                (each, min(most - used, (node.possible & options).bit_count()))
                for each, most, used, options in zip(
                    takes, terms.most, node.used, self.of, strict=True
                )
            ]
            surplus = left.bit_count() - _taking(copies, terms.uses, node.used)
            if surplus > 0:
                cost += sum(sorted(terms.open_cost[cell] for cell in bits(left))[:surplus])
                open_groups = True
        return cost + terms.region_cost * self._groups(bare, undecided, open_groups)

    def _cover(self, node: _Node, cell: int) -> Iterator[_Node]:
        yield from self._each(node, node.possible & self.at[cell])
        if self.terms.may_stay_open:
            possible = node.possible & ~self.at[cell]
            yield self._affordable(_Node(possible, node.vacant, node.used, -1, node.added))

    def _use(self, node: _Node, demand: int) -> Iterator[_Node]:
        """Yield the children that place another piece of a kind, or of a further condition."""
        kinds = len(self.of)
        options = self.of[demand] if demand < kinds else self.together[demand - kinds - 2]
        return self._each(node, node.possible & options)

    def _each(self, node: _Node, choices: int) -> Iterator[_Node]:
        possible = node.possible
        for number in bits(choices):
            option = self.problem.options[number]
            kind = option.kind
            used = (*node.used[:kind], node.used[kind] + 1, *node.used[kind + 1 :])
            after = possible & ~self.clash[number]
            if used[kind] >= self.terms.most[kind]:
                after &= ~self.of[kind]
            for (kinds, _, most), options in zip(self.terms.uses, self.together, strict=True):
                if kinds >> kind & 1 and _among(kinds, used) >= most:
                    after &= ~options
            prices = self.terms.prices
            added = node.added if prices is None else node.added + prices.placed[number]
            yield self._affordable(_Node(after, node.vacant & ~option.mask, used, number, added))
            possible &= ~(1 << number)


def _among(kinds: int, used: Sequence[int]) -> int:
    return sum(used[kind] for kind in bits(kinds))


def _taking(
    copies: Sequence[tuple[int, int]], uses: Sequence[tuple[int, int, int]], used: Sequence[int]
) -> int:
    """Return how many cells copies can take: where their number is bounded, the largest first."""
    taking = sum(each * number for each, number in copies)
    for kinds, _, most in uses:
        bounded = sorted((copies[kind] for kind in bits(kinds)), reverse=True)
        taken = sum(each * number for each, number in copies)
        more = most - _among(kinds, used)
        for each, number in bounded:
            taken -= each * max(0, number - more)
            more = max(0, more - number)
        taking = min(taking, taken)
    return taking
