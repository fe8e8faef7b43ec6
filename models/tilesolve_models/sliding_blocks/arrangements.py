"""A puzzle as a graph of packed states: where each block lies, equal blocks not told apart.

Blocks that may be exchanged form a group: they have one shape and axis, the goal speaks of all
of them or of none, and walls alone would let each reach the others' places. Every place where a
block of a group may lie gets a number; a state holds one number a block, sorted within groups,
so that states that differ by an exchange of equal blocks are the same key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilesolve.answers import Cell
from tilesolve.budget import Meter, memory_allowed
from tilesolve.graph.packed import Fields, Keys, Packing
from tilesolve.graph.paths import Test, Walk, contains, walk
from tilesolve_models.sliding_blocks.blocks import DIRECTIONS, Block
from tilesolve_models.sliding_blocks.goals import Condition, Leave
from tilesolve_models.sliding_blocks.rules import Metric, State, may_step

Integers: TypeAlias = NDArray[np.int64]

_Ends: TypeAlias = tuple[Cell | None, ...]
"""Where a step leads in each direction that a block may take; None where it may not go."""

NOWHERE = -1
"""In steps: no place."""

_TAKEN = np.uint64(1 << 63)
"""The bit, in the last word, of the cell that is always taken: the place nowhere lies on it."""


@dataclass(frozen=True)
class Group:
    """Blocks that may be exchanged, and the places where they may lie.

    Parameters
    ----------
    names : tuple of str
        The blocks.
    places : tuple of Block
        Blocks standing for places, numbered in order of their top left corners.
    steps : tuple of tuple of int
        For each place the number of the place one step away, in each of the `directions`;
        `NOWHERE` where there is none.
    """

    names: tuple[str, ...]
    places: tuple[Block, ...]
    steps: tuple[tuple[int, ...], ...]

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions that the blocks' axis allows."""
        return tuple(step for step in DIRECTIONS if self.places[0].may(step))

    @cached_property
    def number(self) -> Mapping[Cell, int]:
        """The number of each place."""
        return {block.place: number for number, block in enumerate(self.places)}


@dataclass(frozen=True)
class Arrangements:
    """The state graph of a puzzle.

    Parameters
    ----------
    state : State
        The puzzle; it is legal.
    groups : tuple of Group
        All blocks, in groups.
    """

    state: State
    groups: tuple[Group, ...]

    @property
    def metric(self) -> Metric:
        """What one move is."""
        return self.state.metric

    @cached_property
    def packing(self) -> Packing:
        """How a state becomes a key."""
        return Packing.holding([len(group.places) for group in self.groups for _ in group.names])

    @cached_property
    def chunk(self) -> int:
        """States to expand at once, so that working arrays stay at a few megabytes."""
        tried: int = max(1, len(self._offsets) * self.step.shape[1] * len(self._masks))
        return max(64, min(1 << 14, (1 << 18) // tried))

    def key(self, blocks: Mapping[str, Block]) -> Keys:
        """Return the key of one arrangement, as an array of one."""
        fields: list[int] = []
        for group in self.groups:
            fields += sorted(group.number[blocks[name].place] for name in group.names)
        return self.packing.pack(np.array([fields], dtype=np.int64))

    def places(self, key: Keys) -> tuple[tuple[Block, ...], ...]:
        """Return, for the one key of an array, the places taken by each group."""
        fields = self.packing.unpack(key)[0].tolist()
        taken, first = [], 0
        for group in self.groups:
            numbers = fields[first : first + len(group.names)]
            taken.append(tuple(group.places[number] for number in numbers))
            first += len(group.names)
        return tuple(taken)

    @cached_property
    def start(self) -> Keys:
        """The puzzle's own arrangement, as an array of one."""
        return self.key(self.state.blocks)

    def walk(
        self,
        *,
        meter: Meter,
        until: Test | None = None,
        depth: int | None = None,
        keep: bool = True,
    ) -> Walk:
        """Search breadth-first from the puzzle's own arrangement; see `tilesolve.graph.paths`."""
        return walk(
            self.start,
            self.neighbours,
            meter=meter,
            until=until,
            ends=self.ends,
            depth=depth,
            keep=keep,
            chunk=self.chunk,
        )

    def neighbours(self, keys: Keys) -> Keys:
        """Return all states one move away from these."""
        return self.expand(keys)[0]

    def expand(self, keys: Keys) -> tuple[Keys, Integers]:
        """Return all states one move away, and for each the index of the state it comes from.

        From one state no state comes twice.
        """
        if not len(self._offsets):
            return keys[:0], np.zeros(0, dtype=np.int64)
        fields = self.packing.unpack(keys)
        sources, columns, ends = self._moves(fields + self._offsets)
        after = self._replaced(keys, fields, sources, columns, ends - self._offsets[columns])
        if self.ends is not None:  # to follow lines back, an end has neighbours, but no other end
            running = ~(self.done(after) & self.done(keys)[sources])
            return after[running], sources[running]
        return after, sources

    def done(self, keys: Keys) -> NDArray[np.bool_]:
        """Return which states meet the goal; with no goal, none."""
        places = self.packing.unpack(keys) + self._offsets
        reached = np.full(len(keys), bool(self.goal))
        for columns, wanted in self.goal:
            reached &= wanted[places[:, columns]].any(axis=1)
        return reached

    def only_goal(self) -> Keys:
        """Return the one arrangement that meets the goal; empty if the goal leaves a choice."""
        fields: list[int] = []
        nothing = self.packing.pack(np.zeros((0, len(self._offsets)), dtype=np.int64))
        for at, (start, group) in enumerate(zip(self.starts, self.groups, strict=True)):
            wanted = [places for groups, places in self.wanted if groups == (at,)]
            numbers = sorted({places[0] - start for places in wanted if len(places) == 1})
            if len(numbers) != len(group.names):
                return nothing
            fields += numbers
        goal = self.packing.pack(np.array([fields], dtype=np.int64))
        cells = [cell for group in self.places(goal) for block in group for cell in block.cells]
        return goal[self.done(goal)] if len(set(cells)) == len(cells) else nothing

    def unreachable(self) -> tuple[int, ...]:
        """Return the numbers of the goal's conditions that no block could meet even alone."""
        return tuple(number for number, (_, places) in enumerate(self.wanted) if not places)

    @cached_property
    def _firsts(self) -> tuple[int, ...]:
        """The first field of each group."""
        sizes = [len(group.names) for group in self.groups]
        return tuple(sum(sizes[:number]) for number in range(len(sizes)))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The number, among the places of all groups, of each group's first."""
        sizes = [len(group.places) for group in self.groups]
        return tuple(sum(sizes[:number]) for number in range(len(sizes)))

    @cached_property
    def _offsets(self) -> Integers:
        """For each field, what its number is to be raised by to be unique among all groups."""
        pairs = zip(self.starts, self.groups, strict=True)
        return np.array([start for start, group in pairs for _ in group.names], dtype=np.int64)

    @cached_property
    def _shared(self) -> tuple[slice, ...]:
        """The fields of each group of more than one block."""
        pairs = zip(self._firsts, self.groups, strict=True)
        return tuple(
            slice(first, first + len(group.names)) for first, group in pairs if len(group.names) > 1
        )

    @cached_property
    def _in_shared(self) -> NDArray[np.bool_]:
        """Which fields belong to a group of more than one block."""
        inside = np.zeros(len(self._offsets), dtype=bool)
        for shared in self._shared:
            inside[shared] = True
        return inside

    @cached_property
    def step(self) -> Integers:
        """Place after a step in each direction that a block may take, or the place nowhere.

        Shape ``(places + 1, directions)``; a column is one direction for all places of a group.
        The last place is nowhere.
        """
        nowhere = sum(len(group.places) for group in self.groups)
        ways = max((len(group.directions) for group in self.groups), default=1)
        table = np.full((nowhere + 1, ways), nowhere, dtype=np.int64)
        for start, group in zip(self.starts, self.groups, strict=True):
            steps = np.array(group.steps, dtype=np.int64)
            own = table[start : start + len(steps), : len(group.directions)]
            np.copyto(own, start + steps, where=steps != NOWHERE)
        return table

    @cached_property
    def _masks(self) -> NDArray[np.uint64]:
        """The cells that a block at each place takes, as bits; shape ``(words, places + 1)``.

        Cells outside the board are left out: nothing is in the way there.
        """
        board = self.state.board
        cells = sorted({c for g in self.groups for b in g.places for c in b.cells if board.open(c)})
        bit = {cell: number for number, cell in enumerate(cells)}
        words = len(cells) // 64 + 1
        places = [block for group in self.groups for block in group.places]
        masks = np.zeros((words, len(places) + 1), dtype=np.uint64)
        for number, block in enumerate(places):
            for cell in block.cells:
                if cell in bit:
                    word, shift = divmod(bit[cell], 64)
                    masks[word, number] |= np.uint64(1 << shift)
        masks[-1, -1] = _TAKEN
        return masks

    @cached_property
    def ends(self) -> Test | None:
        """At which states nothing moves any more (SB7); None when there are none."""
        leaving = any(isinstance(condition, Leave) for condition in self.state.goal)
        return self.done if leaving else None

    @cached_property
    def wanted(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """For each condition of the goal, the groups of its blocks and the places that meet it.

        Groups by their index; places are numbered through all groups, as in `starts`.
        """
        return tuple(self._wanted(condition) for condition in self.state.goal)

    def _wanted(self, condition: Condition) -> tuple[tuple[int, ...], tuple[int, ...]]:
        groups = [at for at, group in enumerate(self.groups) if group.names[0] in condition.blocks]
        places = [
            self.starts[at] + number
            for at in groups
            for number, block in enumerate(self.groups[at].places)
            if condition.holds(self.state.board, block)
        ]
        return tuple(groups), tuple(places)

    @cached_property
    def goal(self) -> tuple[tuple[Integers, NDArray[np.bool_]], ...]:
        """For each condition, the fields of its blocks and the places that meet it."""
        found = []
        for groups, places in self.wanted:
            columns = [
                self._firsts[at] + field
                for at in groups
                for field in range(len(self.groups[at].names))
            ]
            meets = np.zeros(len(self.step), dtype=bool)
            meets[list(places)] = True
            found.append((np.array(columns, dtype=np.int64), meets))
        return tuple(found)

    def _moves(self, places: Integers) -> tuple[Integers, Integers, Integers]:
        """Return for every move: the state's index, the field that changes, the place it gets."""
        own = self._masks[:, places]
        occupied = np.bitwise_or.reduce(own, axis=2)
        occupied[-1] |= _TAKEN
        others = occupied[:, :, None] ^ own
        ends = self.step[places]
        free = self._fits(ends, others[..., None])
        chosen = np.flatnonzero(free)
        ways = ends.shape[2]
        sources, rest = np.divmod(chosen, ends.shape[1] * ways)
        columns, directions = np.divmod(rest, ways)
        ends = ends.ravel()[chosen]
        if self.metric == "steps":
            return sources, columns, ends
        others = others[:, sources, columns]
        if self.metric == "lines" or ways <= 2:  # blocks with an axis go straight anyway
            return self._straight(sources, columns, ends, directions, others)
        return self._any_way(sources, columns, ends, others, places)

    def _fits(self, ends: Integers, others: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return where a block fits at a place among the others; words are the first axis."""
        clash: NDArray[np.uint64] = self._masks[0][ends] & others[0]
        for own, other in zip(self._masks[1:], others[1:], strict=True):
            clash |= own[ends] & other
        return np.asarray(clash == 0)

    def _straight(
        self,
        sources: Integers,
        columns: Integers,
        ends: Integers,
        directions: Integers,
        others: NDArray[np.uint64],
    ) -> tuple[Integers, Integers, Integers]:
        """Go on in the same direction as long as there is room."""
        found = [(sources, columns, ends)]
        while len(ends):
            ends = self.step[ends, directions]
            on = np.flatnonzero(self._fits(ends, others))
            sources, columns, ends = sources[on], columns[on], ends[on]
            directions, others = directions[on], others[:, on]
            found.append((sources, columns, ends))
        return _joined(found)

    def _any_way(
        self,
        sources: Integers,
        columns: Integers,
        ends: Integers,
        others: NDArray[np.uint64],
        places: Integers,
    ) -> tuple[Integers, Integers, Integers]:
        """Go on in every direction, to places not seen; steps can be taken back here too."""
        found = [(sources, columns, ends)]
        origins = places[sources, columns]
        bases = (sources * places.shape[1] + columns) * len(self.step)
        before = bases[:0]
        while True:
            following = self.step[ends]
            free = self._fits(following, others[:, :, None]) & (following != origins[:, None])
            on = np.flatnonzero(free)
            if not len(on):
                return _joined(found)
            now, which = np.sort(bases + ends), on // free.shape[1]
            codes, first = np.unique(bases[which] + following.ravel()[on], return_index=True)
            fresh = ~(contains(now, codes) | contains(before, codes))
            chosen = which[first[fresh]]
            bases, origins, others = bases[chosen], origins[chosen], others[:, chosen]
            sources, columns, ends = sources[chosen], columns[chosen], codes[fresh] - bases
            before = now
            found.append((sources, columns, ends))

    def _replaced(
        self, keys: Keys, fields: Fields, sources: Integers, columns: Integers, numbers: Integers
    ) -> Keys:
        """Return the keys with one field each changed, groups sorted again."""
        after = self.packing.changed(keys[sources], columns, fields[sources, columns], numbers)
        if self._shared:
            here = np.flatnonzero(self._in_shared[columns])
            rows = fields[sources[here]]
            rows[np.arange(len(here)), columns[here]] = numbers[here]
            for shared in self._shared:
                rows[:, shared].sort(axis=1)
            after[here] = self.packing.pack(rows)
        return after


def arrangements(state: State, *, meter: Meter) -> Arrangements | None:
    """Return the state graph of a legal puzzle, or None when its tables would be too large.

    Raises
    ------
    ValueError
        If a block lies where it may not.
    """
    groups: list[Group] = []
    total = 0
    limit = memory_allowed(meter)
    words = state.board.rows * state.board.columns // 64 + 1
    for blocks in _alike(state):
        waiting = {block.place: block for block in blocks}
        while waiting:
            block = next(iter(waiting.values()))
            found = _reached(state, block, meter)
            names = tuple(block.name for place, block in waiting.items() if place in found)
            groups.append(_group(names, block, found))
            waiting = {place: block for place, block in waiting.items() if place not in found}
            total += len(found)
            if total * (8 * words + 40) > limit:
                meter.stop("memory")
            if not meter.spend():
                return None
    return Arrangements(state, tuple(groups))


def _group(names: tuple[str, ...], block: Block, reached: Mapping[Cell, _Ends]) -> Group:
    order = sorted(reached)
    number: dict[Cell | None, int] = {place: at for at, place in enumerate(order)}
    number[None] = NOWHERE
    return Group(
        names,
        tuple([block.at(place) for place in order]),
        tuple([tuple([number.get(end, NOWHERE) for end in reached[place]]) for place in order]),
    )


def _alike(state: State) -> Iterator[Sequence[Block]]:
    """Yield the blocks that the puzzle does not tell apart, together."""
    same: dict[object, list[Block]] = {}
    for block in state.blocks.values():
        named = tuple(block.name in condition.blocks for condition in state.goal)
        label = "" if state.alike else block.name
        same.setdefault((block.shape, block.axis, named, label), []).append(block)
    yield from same.values()


def _reached(state: State, block: Block, meter: Meter) -> Mapping[Cell, _Ends]:
    """Return where a block could slide if it were alone on the board, and on from there."""
    leaving = any(isinstance(one, Leave) and block.name in one.blocks for one in state.goal)
    ends = _ends_outside(state, block) if leaving else _ends(state, block)
    found = {block.place: ends(block.place)}
    waiting = [block.place]
    while waiting:
        for end in found[waiting.pop()]:
            if end is not None and end not in found:
                found[end] = ends(end)
                waiting.append(end)
        if len(found) % 256 == 0 and not meter.spend():
            break
    return found


def _ends(state: State, block: Block) -> Callable[[Cell], _Ends]:
    """Return where steps of a block lead that never leaves the board."""
    ways = [way for step, way in DIRECTIONS.items() if block.may(step)]
    shape, room = block.shape, state.board.cells

    @cache
    def fits(row: int, column: int) -> Cell | None:
        cells = [(row + down, column + right) for down, right in shape]
        return (row, column) if room.issuperset(cells) else None

    return lambda place: tuple([fits(place[0] + down, place[1] + right) for down, right in ways])


def _ends_outside(state: State, block: Block) -> Callable[[Cell], _Ends]:
    """Return where steps of a block lead that may leave the board."""
    steps = [step for step in DIRECTIONS if block.may(step)]

    def ends(place: Cell) -> _Ends:
        here = block.at(place)
        return tuple(
            here.along((step,)).place if may_step(state, here, step) else None for step in steps
        )

    return ends


def _joined(
    found: Iterable[tuple[Integers, Integers, Integers]],
) -> tuple[Integers, Integers, Integers]:
    sources, columns, ends = zip(*found, strict=True)
    return np.concatenate(sources), np.concatenate(columns), np.concatenate(ends)
