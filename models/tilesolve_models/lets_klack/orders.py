"""From an order of covers to the shortest line that keeps it, room by room.

What a line must have cost at every arrangement stands in the tables (`rooms.py`), so it is read
off them backwards, from the last cover to the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tilesolve_models.lets_klack.position import Away, Cover, Fly, Jump, Move, State
from tilesolve_models.lets_klack.rooms import UNREACHED, Rooms, Table
from tilesolve_models.lets_klack.ways import Room, Ways, arrivals, ends, rooms_of


@dataclass(frozen=True)
class Event:
    """A block goes: ``how`` is walk, fly or away."""

    block: int
    how: str


@dataclass(frozen=True)
class _Stage:
    """A room between two covers of its own.

    Parameters
    ----------
    event : Event
        What ends it.
    opened : int
        Blocks gone when it begins: its jumps are made at once.
    gone : int
        Blocks gone when it ends.
    """

    event: Event
    opened: int
    gone: int


_Seats = tuple[int, ...]
"""Where the blocks of a table stand, by places in its room."""


def play(rooms: Rooms, state: State, events: Sequence[Event]) -> tuple[Move, ...] | None:
    """Return the moves of a shortest line with these covers in this order.

    Parameters
    ----------
    rooms : Rooms
        Of the state; where it knows the order already nothing is searched.
    events : sequence of Event
        A possible order.

    Returns
    -------
    tuple of Move or None
        None when the meter of the rooms stops.
    """
    room_of: dict[int, int] = {}
    parts: list[list[list[Move]]] = []
    for number, (room, blocks, spots) in enumerate(rooms_of(rooms.ways, state)):
        room_of.update(dict.fromkeys(blocks, number))
        steps = _steps(rooms, room, blocks, spots, _stages(blocks, events))
        if steps is None:
            return None
        parts.append(_told(rooms.ways, steps))
    line: list[Move] = []
    for waiting in parts:
        line += waiting[0][:-1] if waiting else []
    for event in events:
        waiting = parts[room_of[event.block]]
        line.append(waiting.pop(0)[-1])
        line += waiting[0][:-1] if waiting else []
    return tuple(line)


@dataclass(frozen=True)
class _Step:
    """A stage with what can be the case in it and after it.

    Parameters
    ----------
    stage : _Stage
        The stage.
    table, after : Table
        During the stage, and when its block has gone.
    least : int
        The fewest moves from the least of the one to the least of the other.
    """

    stage: _Stage
    table: Table
    after: Table
    least: int

    def goes(self, ways: Ways, after: _Seats) -> Iterator[tuple[int, _Seats, int | None]]:
        """Yield what arrangements before the block goes cost, and what it enters for that."""
        event, axis = self.stage.event, self.table.blocks.index(self.stage.event.block)
        walks = event.how == "walk"
        for at, entered in ends(ways, self.table.room, event.block, self.stage.gone, walks=walks):
            if at not in after and entered not in after:
                before = (*after[:axis], at, *after[axis:])
                yield int(self.table.costs[before]), before, entered


def _steps(
    rooms: Rooms,
    room: Room,
    blocks: tuple[int, ...],
    spots: tuple[int, ...],
    stages: Sequence[_Stage],
) -> list[_Step] | None:
    table = rooms.start(room, blocks, spots)
    steps: list[_Step] = []
    for stage in stages:
        walks = stage.event.how == "walk"
        if table is None:
            return None
        made = rooms.after(table, stage.event.block, stage.gone, walks=walks)
        if made is None:
            return None
        steps.append(_Step(stage, table, *made))
        table = made[0]
    return steps


def _told(ways: Ways, steps: Sequence[_Step]) -> list[list[Move]]:
    """Return the moves of each stage; the last of each is its event."""
    if not steps:
        return []
    last = steps[-1].after.costs
    here = tuple(int(place) for place in np.unravel_index(int(last.argmin()), last.shape))
    parts: list[list[Move]] = []
    for number in reversed(range(len(steps))):
        step = steps[number]
        cost, here, entered = min(step.goes(ways, here), key=lambda each: each[0])
        moves = [_gone(ways, step, here, entered)]
        entries = steps[number - 1] if number else None
        while cost != _entry(ways, entries, here):
            cost, here, jump = _back(ways, step, cost, here)
            moves.append(jump)
        parts.append(moves[::-1])
    return parts[::-1]


def _entry(ways: Ways, before: _Step | None, here: _Seats) -> int:
    """Return what an arrangement costs where no jump of its own stage has led to it."""
    if before is None:
        return 0
    costs = [cost for cost, _, _ in before.goes(ways, here)]
    return min(costs, default=UNREACHED) + 1 - before.least


def _back(ways: Ways, step: _Step, cost: int, here: _Seats) -> tuple[int, _Seats, Move]:
    """Return the arrangement before the last jump, what it costs, and the jump."""
    table = step.table
    for axis, block in enumerate(table.blocks):
        origins = dict(arrivals(ways, table.room, block, step.stage.opened)).get(here[axis], ())
        for origin in origins:
            before = (*here[:axis], origin, *here[axis + 1 :])
            if table.costs[before] == cost - 1:
                to = table.room.spots[here[axis]]
                declines = ways.cover == "optional" and to in ways.homes[block]
                jump = Jump(ways.values[block], ways.ground.spots[to], False if declines else None)
                return cost - 1, before, jump
    raise ValueError("the table holds an arrangement that no jump leads to")


def _gone(ways: Ways, step: _Step, here: _Seats, entered: int | None) -> Move:
    """Return the move with which the block of a stage goes."""
    event, spots = step.stage.event, step.table.room.spots
    value = ways.values[event.block]
    if event.how != "walk":
        return Fly(value) if event.how == "fly" else Away(value)
    return Cover(value) if entered is None else Jump(value, ways.ground.spots[spots[entered]])


def _stages(blocks: tuple[int, ...], events: Sequence[Event]) -> tuple[_Stage, ...]:
    stages = []
    gone = opened = 0
    for event in events:
        if event.block in blocks:
            stages.append(_Stage(event, opened, gone))
            opened = gone | 1 << event.block
        gone |= 1 << event.block
    return tuple(stages)
