"""From an order of covers to the shortest line that keeps it, room by room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tilesolve.budget import Budget, Meter
from tilesolve.graph.astar import Successors, shortest
from tilesolve_models.lets_klack.half import GONE
from tilesolve_models.lets_klack.position import Away, Cover, Fly, Jump, Move, State
from tilesolve_models.lets_klack.rooms import Ways, open_ways, rooms_of, to_home

_OFF = bytes([GONE])


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


_Here = tuple[int, bytes]
"""The number of a room's stage, and its arrangement."""


def play(ways: Ways, state: State, events: Sequence[Event]) -> tuple[Move, ...]:
    """Return the moves of a shortest line with these covers in this order.

    Parameters
    ----------
    events : sequence of Event
        A possible order, as a search over `rooms.Rooms` finds it.
    """
    room_of: dict[int, int] = {}
    parts: list[list[list[Move]]] = []
    for room, (_, blocks, spots) in enumerate(rooms_of(ways, state)):
        room_of.update(dict.fromkeys(blocks, room))
        stages = _stages(blocks, events)
        parts.append(_parts(ways, blocks, stages, _walk(ways, blocks, bytes(spots), stages)))
    line: list[Move] = []
    for waiting in parts:
        line += waiting[0][:-1] if waiting else []
    for event in events:
        waiting = parts[room_of[event.block]]
        line.append(waiting.pop(0)[-1])
        line += waiting[0][:-1] if waiting else []
    return tuple(line)


def _stages(blocks: tuple[int, ...], events: Sequence[Event]) -> tuple[_Stage, ...]:
    stages = []
    gone = opened = 0
    for event in events:
        if event.block in blocks:
            stages.append(_Stage(event, opened, gone))
            opened = gone | 1 << event.block
        gone |= 1 << event.block
    return tuple(stages)


def _walk(
    ways: Ways, blocks: tuple[int, ...], places: bytes, stages: tuple[_Stage, ...]
) -> tuple[_Here, ...]:
    walking = {stage.event.block for stage in stages if stage.event.how == "walk"}
    needs = [
        to_home(ways, block, 0) if block in walking else (0,) * len(ways.jumps) for block in blocks
    ]
    estimate = sum(need[spot] for need, spot in zip(needs, places, strict=True))
    estimate += len(stages) - len(walking)
    unlimited = Meter(budget=Budget(seconds=None))
    successors = _successors(ways, blocks, stages, needs)
    return shortest((0, places), estimate, successors, meter=unlimited).line


def _successors(
    ways: Ways,
    blocks: tuple[int, ...],
    stages: tuple[_Stage, ...],
    needs: list[tuple[int, ...]],
) -> Successors[_Here]:
    quiet = ways.cover == "automatic"

    def successors(here: _Here) -> list[tuple[_Here, int]]:
        number, places = here
        stage = stages[number]
        reach = open_ways(ways, stage.opened)
        found: list[tuple[_Here, int]] = []
        for index, spot in enumerate(places):
            if spot == GONE:
                continue
            need, home = needs[index], ways.homes[blocks[index]]
            before, after = places[:index], places[index + 1 :]
            for behind in reach[spot]:
                if behind in places or (quiet and behind in home):
                    continue
                moved = before + bytes([behind]) + after
                found.append(((number, moved), need[behind] - need[spot]))
            if blocks[index] == stage.event.block and _goes(ways, stage, places, spot):
                change = -need[spot] if stage.event.how == "walk" else -1
                found.append(((number + 1, before + _OFF + after), change))
        return found

    return successors


def _goes(ways: Ways, stage: _Stage, places: bytes, spot: int) -> bool:
    if stage.event.how != "walk" or spot in ways.homes[stage.event.block]:
        return True
    return ways.cover != "separate" and _entry(ways, stage, places, spot) is not None


def _entry(ways: Ways, stage: _Stage, places: bytes, spot: int) -> int | None:
    """Return the spot beside its card to which the stage's block jumps, if it can."""
    home = ways.homes[stage.event.block]
    reach = open_ways(ways, stage.gone)[spot]
    return next((behind for behind in reach if behind in home and behind not in places), None)


def _parts(
    ways: Ways, blocks: tuple[int, ...], stages: tuple[_Stage, ...], line: tuple[_Here, ...]
) -> list[list[Move]]:
    """Return the moves of each stage; the last of each is its event."""
    parts: list[list[Move]] = [[] for _ in stages]
    for (number, before), (_, after) in pairwise(line):
        index = next(at for at in range(len(before)) if before[at] != after[at])
        stage, block = stages[number], blocks[index]
        value, to = ways.values[block], after[index]
        if to != GONE:
            declines = ways.cover == "optional" and to in ways.homes[block]
            parts[number].append(Jump(value, ways.ground.spots[to], False if declines else None))
        elif stage.event.how != "walk":
            parts[number].append(Fly(value) if stage.event.how == "fly" else Away(value))
        elif before[index] in ways.homes[block]:
            parts[number].append(Cover(value))
        else:
            entry = _entry(ways, stage, before, before[index])
            parts[number].append(Jump(value, ways.ground.spots[entry or 0]))
    return parts
