"""What a person does on paper: a ladder of techniques, easiest first.

Each technique looks at a `Position` and either places an option that is forced or strikes out
options that cannot be. After each success the ladder is restarted at its easiest rung, so the
hardest technique that was needed grades the puzzle; the manner is that of Simon Tatham's
collection of puzzles. The same ladder
gives hints their reasons (`tilesolve.placement.telling`).

In a packing cells may stay open, so what looks at cells that must be covered finds nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tilesolve.budget import Meter
from tilesolve.placement.problem import Problem, bits

_TABULATED = 4_000
"""Options up to which a board keeps what each clashes with: a table of their square in bits."""


_LOOKED_AT = 20_000
"""Options up to which each is looked at by the harder techniques; with more the ladder stops."""


@dataclass(frozen=True)
class Board:
    """A problem with the tables that techniques read; `at` and `of` are bits over options."""

    problem: Problem

    @cached_property
    def at(self) -> tuple[int, ...]:
        """For each cell the options that cover it."""
        at: list[list[int]] = [[] for _ in self.problem.cells]
        for number, option in enumerate(self.problem.options):
            for cell in option.cells():
                at[cell].append(number)
        return tuple(map(_mask, at))

    @cached_property
    def of(self) -> tuple[int, ...]:
        """For each kind its options."""
        of: list[list[int]] = [[] for _ in self.problem.kinds]
        for number, option in enumerate(self.problem.options):
            of[option.kind].append(number)
        return tuple(map(_mask, of))

    @cached_property
    def near(self) -> tuple[int, ...]:
        """For each cell its neighbours, as bits over cells."""
        return tuple(sum(1 << cell for cell in cells) for cells in self.problem.adjacent)

    @cached_property
    def shade(self) -> tuple[int, ...]:
        """For each cell 1 or -1 by the parity of row + column, as on a chessboard."""
        return tuple(1 if (row + column) % 2 == 0 else -1 for row, column in self.problem.places)

    def most(self, kind: int) -> int:
        """Return how often a kind can be used at most."""
        most = self.problem.kinds[kind].most
        return len(self.problem.cells) if most is None else most

    @cached_property
    def _clashes(self) -> tuple[int, ...]:
        return tuple(self._against(option.mask) for option in self.problem.options)

    def clash(self, option: int) -> int:
        """Return the options that share a cell with one, itself included, as bits."""
        if len(self.problem.options) <= _TABULATED:
            return self._clashes[option]
        return self._against(self.problem.options[option].mask)

    def _against(self, mask: int) -> int:
        against = 0
        for cell in bits(mask):
            against |= self.at[cell]
        return against

    def start(self) -> Position:
        """Return the position before anything is placed."""
        possible = (1 << len(self.problem.options)) - 1
        for kind, own in enumerate(self.of):
            if self.most(kind) == 0:
                possible &= ~own
        return Position(possible, self.problem.everything, (0,) * len(self.problem.kinds), ())

    def place(self, position: Position, option: int) -> Position:
        """Return the position after an option is placed."""
        chosen = self.problem.options[option]
        kind = chosen.kind
        copies = position.used[kind] + 1
        possible = position.possible & ~self.clash(option)
        if copies >= self.most(kind):
            possible &= ~self.of[kind]
        used = (*position.used[:kind], copies, *position.used[kind + 1 :])
        vacant = position.vacant & ~chosen.mask
        return Position(possible, vacant, used, (*position.placed, option))

    def finished(self, position: Position) -> bool:
        """Return whether nothing is left to do: no cell to cover and no copy to place."""
        if self.problem.cover and position.vacant:
            return False
        return all(
            used >= need.least for used, need in zip(position.used, self.problem.kinds, strict=True)
        )

    def broken(self, position: Position) -> bool:
        """Return whether a cell to cover has no option left, or a kind too few."""
        possible = position.possible
        if self.problem.cover:
            for cell in bits(position.vacant):
                if not possible & self.at[cell]:
                    return True
        return any(
            (possible & self.of[kind]).bit_count() < need.least - position.used[kind]
            for kind, need in enumerate(self.problem.kinds)
        )


def _mask(ascending: Sequence[int]) -> int:
    """Return numbers as bits; one by one, long masks would be copied again and again."""
    packed = bytearray(ascending[-1] // 8 + 1 if ascending else 0)
    for number in ascending:
        packed[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(packed, "little")


@dataclass(frozen=True)
class Position:
    """Options still possible, cells still vacant (bits), copies used, and options placed."""

    possible: int
    vacant: int
    used: tuple[int, ...]
    placed: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One success of a technique: an option placed, or options struck out (bits).

    `cells` and `kinds` are what one has to look at to see it.
    """

    technique: str
    placed: int | None = None
    struck: int = 0
    cells: tuple[int, ...] = ()
    kinds: tuple[int, ...] = ()


Technique = Callable[[Board, Position], Step | None]


@dataclass(frozen=True)
class Deduction:
    """How far the ladder gets.

    Parameters
    ----------
    steps : tuple of Step
        In order.
    end : {"solved", "stuck", "contradiction", "stopped"}
        `stuck`: only guessing goes on from here; `contradiction`: there is no solution;
        `stopped`: the meter ended it.
    position : Position
        The position reached.
    """

    steps: tuple[Step, ...]
    end: str
    position: Position

    @property
    def hardest(self) -> str | None:
        """The hardest technique needed: ``guess`` when the ladder got stuck.

        When it was stopped it is the hardest so far.
        """
        if self.end == "stuck":
            return GUESS
        used = {step.technique for step in self.steps}
        return max(used, key=TECHNIQUES_BY_NAME.index, default=None)


def deduce(problem: Problem, *, meter: Meter, among: Sequence[str] | None = None) -> Deduction:
    """Climb the ladder as far as it goes.

    Parameters
    ----------
    problem : Problem
        With `adjacent` and `places`.
    meter : Meter
        One unit of work an option looked at by a technique.
    among : sequence of str or None
        Only techniques of these names; None is all.

    Examples
    --------
    >>> from tilesolve.budget import Budget
    >>> from tilesolve.placement.problem import Kind, Option
    >>> row = Problem(("a", "b", "c"), (Kind("I2", 1, 1), Kind("I1", 1, 1)),
    ...               (Option(0, 3), Option(1, 4)), True, ((1,), (0, 2), (1,)),
    ...               ((0, 0), (0, 1), (0, 2)))
    >>> found = deduce(row, meter=Meter(budget=Budget()))
    >>> found.end, found.hardest
    ('solved', 'only placement of a cell')
    """
    board = Board(problem)
    position = board.start()
    steps: list[Step] = []
    while True:
        if board.finished(position):
            return Deduction(tuple(steps), "solved", position)
        if board.broken(position):
            return Deduction(tuple(steps), "contradiction", position)
        step = first_success(board, position, meter, among)
        if step is None:
            end = "stuck" if meter.stopped_by is None else "stopped"
            return Deduction(tuple(steps), end, position)
        steps.append(step)
        position = apply(board, position, step)


def apply(board: Board, position: Position, step: Step) -> Position:
    """Return the position after a step."""
    if step.placed is not None:
        return board.place(position, step.placed)
    return replace(position, possible=position.possible & ~step.struck)


def first_success(
    board: Board, position: Position, meter: Meter, among: Sequence[str] | None = None
) -> Step | None:
    """Return the first success of the easiest technique that has one."""
    for name, technique in LADDER.items():
        if among is not None and name not in among:
            continue
        if not board.problem.cover and name not in FOR_PACKINGS:
            continue
        options = position.possible.bit_count()
        if options > _LOOKED_AT and name not in EASIEST:
            meter.stop("work")
        if not meter.spend(options):
            return None
        step = technique(board, position)
        if step is not None:
            return step
    return None


def only_placement_of_cell(board: Board, position: Position) -> Step | None:
    """Find a cell that one placement alone can cover."""
    return next(lone_placements(board, position), None)


def only_place_of_piece(board: Board, position: Position) -> Step | None:
    """Find a piece that has as many placements left as copies to place."""
    return next(lone_places(board, position), None)


def lone_placements(board: Board, position: Position) -> Iterator[Step]:
    """Yield a step for every cell that one placement alone can cover."""
    for cell in bits(position.vacant):
        options = position.possible & board.at[cell]
        if options.bit_count() == 1:
            option = options.bit_length() - 1
            kind = board.problem.options[option].kind
            yield Step("only placement of a cell", option, cells=(cell,), kinds=(kind,))


def lone_places(board: Board, position: Position) -> Iterator[Step]:
    """Yield a step for every placement of a piece that has no more of them than copies to place."""
    for kind, need in enumerate(board.problem.kinds):
        missing = need.least - position.used[kind]
        options = position.possible & board.of[kind]
        if missing > 0 and options.bit_count() == missing:
            for option in bits(options):
                cells = tuple(board.problem.options[option].cells())
                yield Step("only place of a piece", option, cells=cells, kinds=(kind,))


def pocket_sizes(board: Board, position: Position) -> Step | None:
    """Strike out placements that leave a pocket which no choice of pieces fills exactly."""
    sizes = _sizes(board, position)
    struck = 0
    looked: set[int] = set()
    for number in bits(position.possible):
        option = board.problem.options[number]
        rest = _less(sizes, option.mask.bit_count())
        for pocket in pockets(board, position.vacant & ~option.mask):
            if not _fills(rest, pocket.bit_count()):
                struck |= 1 << number
                looked.update(bits(pocket))
                break
    if not struck:
        return None
    kinds = sorted({board.problem.options[number].kind for number in bits(struck)})
    return Step("pocket sizes", struck=struck, cells=tuple(sorted(looked)), kinds=tuple(kinds))


def pair_of_pieces(board: Board, position: Position) -> Step | None:
    """Strike out placements of two pieces that two cells have to share.

    Two cells that only these two pieces reach, and not with one placement, take one each; so
    neither piece lies anywhere else.
    """
    reach: dict[frozenset[int], list[int]] = {}
    for cell in bits(position.vacant):
        options = position.possible & board.at[cell]
        kinds = {kind for kind, own in enumerate(board.of) if options & own}
        if len(kinds) == 2 and all(_last_copy(board, position, kind) for kind in kinds):
            reach.setdefault(frozenset(kinds), []).append(cell)
    for pair, cells in reach.items():
        for first, second in _pairs(cells):
            both = board.at[first] & board.at[second] & position.possible
            if both:
                continue
            own = sum(board.of[kind] for kind in pair) & position.possible
            struck = own & ~(board.at[first] | board.at[second])
            if struck:
                return Step(
                    "pair of pieces",
                    struck=struck,
                    cells=(first, second),
                    kinds=tuple(sorted(pair)),
                )
    return None


def chessboard(board: Board, position: Position) -> Step | None:
    """Strike out placements that the colours of a chessboard do not allow.

    A placement covers some surplus of one colour; what the other pieces can add must bring the
    sum to the surplus of the vacant cells.
    """
    if not board.shade:
        return None
    surplus: dict[int, dict[int, int]] = {}
    for number in bits(position.possible):
        option = board.problem.options[number]
        balance = sum(board.shade[cell] for cell in option.cells())
        own = surplus.setdefault(option.kind, {})
        own[balance] = own.get(balance, 0) | 1 << number
    wanted = sum(board.shade[cell] for cell in bits(position.vacant))
    struck = 0
    for kind, balances in surplus.items():
        others = _other_sums(board, position, surplus, kind)
        for balance, options in balances.items():
            if wanted - balance not in others:
                struck |= options
    if not struck:
        return None
    kinds = sorted({board.problem.options[number].kind for number in bits(struck)})
    return Step("chessboard colours", struck=struck, kinds=tuple(kinds))


def look_ahead(board: Board, position: Position) -> Step | None:
    """Strike out the placements after which a cell or a piece has none left."""
    struck = 0
    for number in bits(position.possible):
        if board.broken(board.place(position, number)):
            struck |= 1 << number
    if not struck:
        return None
    kinds = sorted({board.problem.options[number].kind for number in bits(struck)})
    return Step("look-ahead", struck=struck, kinds=tuple(kinds))


LADDER: Mapping[str, Technique] = {
    "only placement of a cell": only_placement_of_cell,
    "only place of a piece": only_place_of_piece,
    "pocket sizes": pocket_sizes,
    "pair of pieces": pair_of_pieces,
    "chessboard colours": chessboard,
    "look-ahead": look_ahead,
}
"""The techniques by name, easiest first."""

EASIEST = ("only placement of a cell", "only place of a piece")
"""What is seen on the sheet at a glance."""

FOR_PACKINGS = ("only place of a piece", "look-ahead")
"""Those that hold where cells may stay open."""

GUESS = "guess"
TECHNIQUES_BY_NAME = (*LADDER, GUESS)
"""The names in the same order, and guessing, which is none."""


def pockets(board: Board, vacant: int) -> Iterator[int]:
    """Yield the connected groups of vacant cells, as bits.

    Examples
    --------
    >>> gap = Problem(("a", "b", "c"), (), (), True, ((), (2,), (1,)))
    >>> list(pockets(Board(gap), 0b111))
    [1, 6]
    """
    while vacant:
        pocket = rim = vacant & -vacant
        while rim:
            grown = 0
            for cell in bits(rim):
                grown |= board.near[cell]
            rim = grown & vacant & ~pocket
            pocket |= rim
        vacant &= ~pocket
        yield pocket


def _sizes(board: Board, position: Position) -> dict[int, int]:
    """Return how many pieces of each size can still be used."""
    sizes: dict[int, int] = {}
    for kind, size in enumerate(board.problem.sizes):
        if size is not None and position.possible & board.of[kind]:
            left = board.most(kind) - position.used[kind]
            sizes[size] = sizes.get(size, 0) + min(left, len(board.problem.cells) // size)
    return sizes


def _less(sizes: dict[int, int], size: int) -> dict[int, int]:
    return {**sizes, size: sizes.get(size, 1) - 1}


def _fills(sizes: dict[int, int], room: int) -> bool:
    sums = 1
    for size, copies in sizes.items():
        for _ in range(min(copies, room // size)):
            sums |= sums << size
    return bool(sums >> room & 1)


def _last_copy(board: Board, position: Position, kind: int) -> bool:
    need = board.problem.kinds[kind]
    return need.least == need.most and need.least - position.used[kind] == 1


def _pairs(cells: Sequence[int]) -> Iterator[tuple[int, int]]:
    for place, first in enumerate(cells):
        for second in cells[place + 1 :]:
            yield first, second


def _other_sums(
    board: Board, position: Position, surplus: dict[int, dict[int, int]], kind: int
) -> set[int]:
    """Return the surpluses that all other copies can add up to."""
    sums = {0}
    for other, balances in surplus.items():
        need = board.problem.kinds[other]
        least = max(0, need.least - position.used[other] - (other == kind))
        most = board.most(other) - position.used[other] - (other == kind)
        copies = _copies(set(balances), least, min(most, position.vacant.bit_count()))
        sums = {first + second for first in sums for second in copies}
    return sums


def _copies(balances: set[int], least: int, most: int) -> set[int]:
    """Return the sums of `least` to `most` members of a set, members repeated at will."""
    found: set[int] = {0} if least == 0 else set()
    sums = {0}
    for copies in range(1, most + 1):
        sums = {first + second for first in sums for second in balances}
        if copies >= least:
            found |= sums
    return found
