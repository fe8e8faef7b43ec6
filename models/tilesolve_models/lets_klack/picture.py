"""A layout as a picture: cards, covered cards, blocks, gaps and outside spots."""

from __future__ import annotations

from tilesolve.answers import Cell
from tilesolve.draw.picture import Picture, Tile, square
from tilesolve_models.lets_klack.position import State

AWAY = "A"
"""What stands behind the value of the card under the away card."""


def picture(state: State) -> Picture:
    """Draw a layout; blocks that lie face down show a question mark.

    Examples
    --------
    >>> state = State(cards=((1, 2), (3,), (4, 5)), blocks=((3, (0, -1)),), covered=(1, 2, 4, 5))
    >>> [tile.label for tile in picture(state).tiles if tile.role in ("block", "card")]
    ['3', '3']
    """
    ground = state.ground
    tiles = [_card(state, card, cell) for card, cell in enumerate(ground.cards)]
    standing: dict[Cell, list[int]] = {}
    for value, cell in state.blocks:
        standing.setdefault(cell, []).append(value)
    for cell in sorted({*ground.spots, *standing} - set(ground.cards)):
        tiles.append(_spot(state, cell, standing.get(cell, [])))
    tiles.sort(key=lambda tile: tile.at)
    return Picture(tiles=tuple(tiles), title="LET'S KLACK", notes=tuple(_notes(state)))


def _card(state: State, card: int, cell: Cell) -> Tile:
    value = state.values[card]
    label = f"{value}{AWAY}" if value == state.away else str(value)
    covered = value in state.covered
    return Tile(at=cell, outline=square(cell), label=label, role="covered" if covered else "card")


def _spot(state: State, cell: Cell, values: list[int]) -> Tile:
    rows, columns = len(state.cards), 2 * len(state.cards[0]) - 1
    if not values:
        inside = 0 <= cell[0] < rows and 0 <= cell[1] < columns
        return Tile(at=cell, outline=square(cell), role="open" if inside else "spot")
    hidden = cell in state.face_down
    label = "?" if hidden else str(values[0])
    return Tile(
        at=cell,
        outline=square(cell),
        label=label,
        role="block",
        marked=state.must_move in values and not hidden,
    )


def _notes(state: State) -> list[str]:
    notes = [f"{len(state.blocks)} blocks to cover, {state.minus_points} minus points now"]
    if state.phase == 1:
        notes.append(f"phase 1: {len(state.face_down)} blocks lie face down")
    if state.specials:
        notes.append(f"in hand: {', '.join(state.specials)}")
    if state.away is not None:
        notes.append(f"the away card lies on {state.away}")
    if state.must_move is not None:
        notes.append(f"block {state.must_move} must be moved on")
    if state.turns_left is not None:
        notes.append(f"turns left: {state.turns_left}")
    return notes
