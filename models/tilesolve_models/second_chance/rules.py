"""How a game of Second Chance goes on: legal moves, what they do, and when it is over.

The machine of a round: all who are still in draw one of the two cards or wait; those who wait
get a card each, one after another (SC4, SC6); those it does not fit drop out; if they are the
first, they write a 1 (SC7). There is no solver in this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.state import Bonus, Draw, Move, Pass, Player, State, TurnUp

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def open_placements(player: Player, tile: Tile) -> Iterator[int]:
    """Yield the masks of a tile's placements on empty squares (SC3), ascending."""
    filled = player.filled
    return (mask for mask in player.grid.placements(tile.shape) if not mask & filled)


def can_draw(player: Player, tiles: tuple[Tile, ...]) -> bool:
    """Whether at least one of the tiles fits."""
    return any(True for tile in tiles for _ in open_placements(player, tile))


def seats_to_act(state: State) -> tuple[int, ...]:
    """Return the seats that may move now, the next first; any order among them is legal (SC6)."""
    seats = range(len(state.players))
    players = state.players
    match state.phase:
        case "start":
            return tuple(seat for seat in seats if not players[seat].filled)
        case "round":
            acting = [s for s in seats if players[s].out is None and not players[s].this_round]
            return tuple(acting)
        case "second_chance":
            waiting = [
                s for s in seats if players[s].out is None and players[s].this_round != "drew"
            ]
            if state.turn and state.seat(state.turn) in waiting:
                first = state.seat(state.turn)
                waiting = [first, *(seat for seat in waiting if seat != first)]
            return tuple(waiting)
        case "bonus":
            return bonus_due(state)


def bonus_due(state: State) -> tuple[int, ...]:
    """Return the seats that still write a 1: out in the first round with drop-outs (SC7)."""
    if not state.table:
        due = [0]
    else:
        first = first_drop_out(state)
        alone = len(state.players) == 1
        due = [s for s, p in enumerate(state.players) if p.out is not None and p.out == first]
        due = [] if alone else due
    return tuple(seat for seat in due if _may_write(state, state.players[seat]))


def _may_write(state: State, player: Player) -> bool:
    least = 1 if state.rules.bonus_can_complete else 2
    return not player.ones and player.empties >= least


def first_drop_out(state: State) -> int | None:
    """Return the round in which anybody dropped out first."""
    return min((player.out for player in state.players if player.out is not None), default=None)


def is_full(player: Player) -> bool:
    """Whether no square is empty."""
    return player.empties == 0


def awaiting_cards(state: State) -> int:
    """Return how many cards have to be turned up before anybody can move, 0 for none."""
    if state.turned_up or not seats_to_act(state):
        return 0
    return {"round": 2, "second_chance": 1}.get(state.phase, 0)


def ended(state: State) -> str:
    """Return the code of what has ended the game (SC8), or empty while it goes on."""
    fresh = state.phase == "round" and not any(player.this_round for player in state.players)
    if any(map(is_full, state.players)) and (fresh or not state.rules.finish_round):
        return "grid-full"
    if all(player.out is not None for player in state.players):
        return "" if state.phase == "bonus" and bonus_due(state) else "all-out"
    left = state.cards_left
    if left is None or not awaiting_cards(state):
        return ""
    if fresh and left < 2:
        return "deck-out"
    if state.phase == "second_chance" and left < len(seats_to_act(state)):
        return "too-few-cards"
    return ""


def moves(state: State) -> Iterator[Move]:
    """Yield the legal moves of the next player, or the cards that may be turned up."""
    if ended(state):
        return
    if awaiting_cards(state):
        yield from _cards_to_turn_up(state)
        return
    seats = seats_to_act(state)
    if seats:
        yield from _moves_of(state, state.players[seats[0]])


def _moves_of(state: State, player: Player) -> Iterator[Move]:
    if state.phase == "bonus":
        for cell in state.grid.cells(state.grid.everything & ~player.filled):
            yield Bonus(cell, player.name)
        return
    drawn = False
    for tile in _tiles_of(state, player):
        for mask in open_placements(player, tile):
            if state.phase == "start" and mask & state.mark != state.mark:
                continue
            drawn = True
            yield Draw(tile, state.grid.cells(mask), player.name)
    if not drawn and state.phase != "start":
        yield Pass(player.name)


def _tiles_of(state: State, player: Player) -> tuple[Tile, ...]:
    if state.phase == "start":
        return (player.start_tile,) if player.start_tile else ()
    return tuple(dict.fromkeys(state.turned_up))


def _cards_to_turn_up(state: State) -> Iterator[Move]:
    number = awaiting_cards(state)
    if state.order is not None and len(state.order) >= number:
        yield TurnUp(state.order[:number])
        return
    remaining = state.remaining or Counter()
    for tiles in combinations_with_replacement(remaining, number):
        if all(tiles.count(tile) <= remaining[tile] for tile in tiles):
            yield TurnUp(tiles)


def apply(state: State, move: Move) -> State:
    """Return the state after a legal move, with known cards turned up."""
    if isinstance(move, TurnUp):
        return _turned_up(state, move)
    seat = state.seat(move.player) if move.player else seats_to_act(state)[0]
    player = state.players[seat]
    match move:
        case Draw():
            player = _with_letter(player, move.cells)
            starting = state.phase == "start"
            player = replace(player, start_tile=None, this_round="" if starting else "drew")
        case Bonus():
            player = _written(player, (move.cell,), "1")
            player = replace(player, out=state.round if player.out is None else player.out)
        case Pass() if state.phase == "second_chance":
            player = replace(player, out=state.round)
        case Pass():
            player = replace(player, this_round="waits")
    players = (*state.players[:seat], player, *state.players[seat + 1 :])
    state = replace(state, players=players)
    if state.phase == "second_chance":
        state = replace(_discarded(state), turn="")
    return with_known_cards(_settled(state))


def _turned_up(state: State, move: TurnUp) -> State:
    order = state.order[len(move.tiles) :] if state.order is not None else None
    return replace(state, turned_up=move.tiles, order=order, turn=move.player)


def _discarded(state: State) -> State:
    return replace(state, seen=(*state.seen, *state.turned_up), turned_up=())


def _settled(state: State) -> State:
    """Return the state in the phase that is due now."""
    at_once = not state.rules.finish_round and any(map(is_full, state.players))
    if seats_to_act(state) or at_once:
        return state
    match state.phase:
        case "start":
            return replace(state, phase="round", turned_up=())
        case "round":
            state = _discarded(state)
            if any(player.this_round == "waits" for player in state.players):
                return replace(state, phase="second_chance")
            return _next_round(state)
        case "second_chance" if first_drop_out(state) == state.round and state.table:
            bonus: State = replace(state, phase="bonus")
            return bonus if bonus_due(bonus) else _next_round(state)
        case _:
            return _next_round(state)


def _next_round(state: State) -> State:
    players = tuple(replace(player, this_round="") for player in state.players)
    return replace(state, players=players, phase="round", round=state.round + 1, turned_up=())


def with_known_cards(state: State) -> State:
    """Return the state with the next cards turned up, where their order is known."""
    number = awaiting_cards(state)
    if not number or state.order is None or len(state.order) < number or ended(state):
        return state
    return _turned_up(state, TurnUp(state.order[:number]))


def _with_letter(player: Player, cells: tuple[tuple[int, int], ...]) -> Player:
    """Draw cells with a letter that is not used, or at least not beside them."""
    used = {sign for row in player.rows for sign in row}
    touching = player.grid.cells(player.grid.around(player.grid.mask(cells)))
    beside = {player.rows[row][column] for row, column in touching}
    unused = [sign for sign in LETTERS if sign not in used]
    apart = [sign for sign in LETTERS if sign not in beside]
    return _written(player, cells, (unused or apart or [LETTERS[0]])[0])


def _written(player: Player, cells: tuple[tuple[int, int], ...], sign: str) -> Player:
    rows = [list(row) for row in player.rows]
    for row, column in cells:
        rows[row][column] = sign
    return replace(player, rows=tuple("".join(row) for row in rows))
