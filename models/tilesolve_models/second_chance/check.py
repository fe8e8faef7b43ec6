"""All rules that a state or a move breaks, at once. There is no solver in this module."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tilesolve.answers import Cell, Verdict, Violation
from tilesolve_models.second_chance import deck as decks
from tilesolve_models.second_chance.deck import Tile
from tilesolve_models.second_chance.ending import outcomes, ranking
from tilesolve_models.second_chance.rules import (
    awaiting_cards,
    bonus_due,
    can_draw,
    ended,
    first_drop_out,
    seats_to_act,
)
from tilesolve_models.second_chance.state import (
    STANDARD,
    Bonus,
    Draw,
    Move,
    Pass,
    Player,
    State,
    TurnUp,
)

MOST_PLAYERS = 6


def check(state: State, move: Move | None = None) -> Verdict:
    """Say which rules a state breaks, or which a move breaks in it.

    A move in a state that breaks rules itself is told the state's violations too.

    Examples
    --------
    >>> domino = Tile.of([(0, 0), (0, 1)], "I2")
    >>> state = State((Player(("A..",)),), turned_up=(domino, domino), standard=False, marked=None)
    >>> [found.code for found in check(state, Draw(domino, ((0, 0), (0, 1)))).violations]
    ['overlap']
    >>> [(found.code, found.rule) for found in check(state, Pass()).violations]
    [('declined', 'SC5')]
    """
    violations = list(_state(state))
    if move is not None:
        violations += _move(state, move)
    end = ended(state)
    details = {
        "outcomes": [outcome.dump() for outcome in outcomes(state)],
        "ranking": [place.dump() for place in ranking(state)] if state.table else [],
        "assumed": list(state.assumed),
    }
    return Verdict(
        violations=tuple(violations),
        complete=bool(end),
        score=state.players[0].empties if len(state.players) == 1 else None,
        details={name: value for name, value in details.items() if value},
    )


def _state(state: State) -> Iterator[Violation]:
    yield from _setting(state)
    for player in state.players:
        yield from _drawn(player)
        yield from _started(state, player)
        yield from _bonus(state, player)
        yield from _progress(state, player)
    yield from _start_tiles(state)
    yield from _cards(state)


def _setting(state: State) -> Iterator[Violation]:
    if state.standard and state.grid != STANDARD:
        found = f"{state.grid.rows}x{state.grid.columns}"
        message = f'a grid is 9x9, this one is {found}; write "standard": false for other games'
        yield Violation(code="grid-size", message=message)
    if len(state.players) > MOST_PLAYERS:
        message = f"1 to {MOST_PLAYERS} players play, here are {len(state.players)}"
        yield Violation(code="player-count", message=message)
    if state.deck is not None:
        yield from decks.violations(state.deck, standard=state.standard)


def _drawn(player: Player) -> Iterator[Violation]:
    """Say what is wrong with tiles that were given beside the rows."""
    lying = set(player.signs(lambda sign: sign != "."))
    for drawn in player.drawn:
        yield from _misplaced(player, drawn.tile, drawn.cells, lying)
        lying.update(drawn.cells)


def _misplaced(
    player: Player, tile: Tile, cells: Sequence[Cell], lying: set[Cell]
) -> Iterator[Violation]:
    names = (tile.name,)
    outside = tuple(cell for cell in cells if not player.grid.inside(cell))
    if outside:
        message = f"{tile.name} lies outside the grid at {_listed(outside)}"
        yield Violation(code="outside", rule="SC3", message=message, cells=outside, pieces=names)
    covered = tuple(cell for cell in cells if cell in lying)
    if covered:
        message = f"{tile.name} covers squares that are filled: {_listed(covered)}"
        yield Violation(code="overlap", rule="SC3", message=message, cells=covered, pieces=names)
    if len(set(cells)) != len(cells) or not cells or Tile.of(cells, "") != tile:
        message = f"these squares are not {tile.name}, however it is turned or mirrored"
        yield Violation(
            code="wrong-shape", rule="SC3", message=message, cells=tuple(cells), pieces=names
        )


def _started(state: State, player: Player) -> Iterator[Violation]:
    if state.phase == "start":
        if player.start_tile is None and not player.filled:
            message = f"{_who(player)}has no start tile ('start_tile')"
            yield Violation(code="start-tile-missing", rule="SC1", message=message)
    elif not player.filled & state.mark and state.mark:
        message = f"{_who(player)}the marked square is empty; the start tile covers it"
        cells = (state.marked,) if state.marked else ()
        yield Violation(code="start-off-centre", rule="SC1", message=message, cells=cells)
    elif state.standard and player.filled.bit_count() < decks.START_SIZE:
        message = (
            f"{_who(player)}fewer squares are filled than the {decks.START_SIZE} of a start tile"
        )
        yield Violation(code="start-tile-not-drawn", rule="SC1", message=message)


def _start_tiles(state: State) -> Iterator[Violation]:
    tiles = [player.start_tile for player in state.players if player.start_tile]
    for tile, copies in Counter(tiles).items():
        names = (tile.name,)
        if copies > 1:
            message = f"{copies} players have the start tile {tile.name}; all are different"
            yield Violation(code="start-tiles-equal", rule="SC1", message=message, pieces=names)
        if state.standard and tile.size != decks.START_SIZE:
            message = f"a start tile has {decks.START_SIZE} squares, {tile.name} has {tile.size}"
            yield Violation(code="start-tile-size", rule="SC1", message=message, pieces=names)
        elif state.deck and state.deck.start_tiles and tile not in state.deck.start_tiles:
            message = f"{tile.name} is none of the deck's start tiles"
            yield Violation(code="not-in-deck", rule="SC1", message=message, pieces=names)


def _bonus(state: State, player: Player) -> Iterator[Violation]:
    ones = player.ones
    who = _who(player)
    if len(ones) > 1:
        message = f"{who}{len(ones)} ones are written; a bonus is one square"
        yield Violation(code="bonus-twice", rule="SC7", message=message, cells=ones)
    if player.bonus is not None and not player.grid.inside(player.bonus):
        message = f"{who}the bonus lies outside the grid at {list(player.bonus)}"
        yield Violation(code="bonus-outside", rule="SC7", message=message, cells=(player.bonus,))
    elif player.bonus in player.signs(lambda sign: sign not in ".1"):
        message = f"{who}the bonus is written on a filled square"
        yield Violation(code="bonus-on-filled", rule="SC7", message=message, cells=ones)
    if not ones:
        return
    if state.table and len(state.players) == 1:
        message = "there is no bonus in a solo game"
        yield Violation(code="bonus-in-solo", rule="SC10", message=message, cells=ones)
    elif player.out is None and (state.table or state.phase != "bonus"):
        message = f"{who}a 1 is written, but nobody writes one before he drops out ('out')"
        yield Violation(code="bonus-while-playing", rule="SC7", message=message, cells=ones)
    elif state.table and player.out != first_drop_out(state):
        message = f"{who}others dropped out in an earlier round; only the first write a 1"
        yield Violation(code="bonus-too-late", rule="SC7", message=message, cells=ones)
    if not state.rules.bonus_can_complete and not player.empties:
        message = f"{who}the 1 completes the grid, which 'bonus_can_complete' forbids here"
        yield Violation(code="bonus-completes", rule="SC8", message=message, cells=ones)


def _progress(state: State, player: Player) -> Iterator[Violation]:
    if player.out is not None and player.out > state.round:
        message = f"{_who(player)}out in round {player.out}, but this is round {state.round}"
        yield Violation(code="out-too-late", rule="SC4", message=message)
    waits = state.phase == "round" and player.out is None and player.this_round == "waits"
    if waits and can_draw(player, state.turned_up):
        message = f"{_who(player)}a tile that fits is declined to wait for a second chance"
        names = tuple(tile.name for tile in state.turned_up)
        yield Violation(code="declined", rule="SC5", message=message, pieces=names)


def _cards(state: State) -> Iterator[Violation]:
    number = len(state.turned_up)
    if state.phase == "start" and number:
        message = "cards are turned up only after all start tiles are drawn"
        yield Violation(code="cards-too-early", rule="SC2", message=message)
    elif state.phase == "round" and number not in (0, 2):
        message = f"two cards are turned up in a round, here are {number}"
        yield Violation(code="turned-up-count", rule="SC2", message=message)
    elif state.phase == "second_chance" and number > 1:
        message = f"one card is turned up for a second chance, here are {number}"
        yield Violation(code="turned-up-count", rule="SC4", message=message)
    if state.deck is None:
        return
    yield from _beyond((*state.seen, *state.turned_up), state.deck.counts)
    if state.order is not None:
        yield from _beyond(state.order, state.remaining or Counter())
    if state.standard and 2 * state.round > len(state.deck.tiles) and not ended(state):
        message = f"{len(state.deck.tiles)} cards are too few for round {state.round}"
        yield Violation(code="too-many-rounds", rule="SC8", message=message)


def _beyond(tiles: Sequence[Tile], available: Counter[Tile]) -> Iterator[Violation]:
    """Say which tiles are there more often than they can be."""
    for tile, copies in Counter(tiles).items():
        if copies > available[tile]:
            times = f"{copies} times" if copies > 1 else "once"
            message = f"{tile.name} is named {times}; there are {available[tile]} to be had"
            yield Violation(code="not-in-deck", message=message, pieces=(tile.name,))


def _move(state: State, move: Move) -> Iterator[Violation]:
    if ended(state):
        message = "the game is over"
        yield Violation(code="game-over", rule="SC8", message=message)
        return
    if isinstance(move, TurnUp):
        yield from _turn_up(state, move)
        return
    seats = seats_to_act(state)
    seat = state.seat(move.player) if move.player else next(iter(seats), 0)
    player = state.players[seat]
    if isinstance(move, Bonus):
        yield from _write(state, player, seat, move)
        return
    if state.phase == "bonus":
        message = "the ones are written now, nothing is drawn and nobody passes"
        yield Violation(code="bonus-declined", rule="SC7", message=message)
        return
    if seat not in seats:
        yield _not_to_act(state, player)
    if awaiting_cards(state):
        rule = "SC2" if state.phase == "round" else "SC4"
        message = "no card is turned up yet"
        yield Violation(code="no-cards", rule=rule, message=message)
    elif state.turn and state.turn != player.name and seat in seats:
        message = f"the card is for {state.turn} alone"
        yield Violation(code="not-your-card", rule="SC4", message=message)
    if isinstance(move, Pass):
        yield from _pass(state, player)
    else:
        yield from _draw(state, player, move)


def _not_to_act(state: State, player: Player) -> Violation:
    who = _who(player)
    if player.out is not None:
        message = f"{who}dropped out in round {player.out} and draws no more"
        return Violation(code="dropped-out", rule="SC4", message=message)
    match state.phase:
        case "second_chance":
            message = f"{who}has drawn in this round; the second chance is not his"
            return Violation(code="not-your-chance", rule="SC4", message=message)
        case "start":
            message = f"{who}has drawn a start tile"
            return Violation(code="already-drawn", rule="SC1", message=message)
        case _:
            message = f"{who}has drawn or waits; one tile is drawn in a round"
            return Violation(code="already-drawn", rule="SC2", message=message)


def _draw(state: State, player: Player, move: Draw) -> Iterator[Violation]:
    names = (move.tile.name,)
    if state.phase == "start":
        if move.tile != player.start_tile:
            message = f"{move.tile.name} is not the start tile that was dealt"
            yield Violation(code="not-your-start-tile", rule="SC1", message=message, pieces=names)
        if state.marked and state.marked not in move.cells:
            message = f"the start tile covers the marked square {list(state.marked)}"
            yield Violation(
                code="start-off-centre", rule="SC1", message=message, cells=(state.marked,)
            )
    elif state.turned_up and move.tile not in state.turned_up:
        shown = " and ".join(tile.name for tile in state.turned_up)
        rule = "SC2" if state.phase == "round" else "SC4"
        message = f"{move.tile.name} is not turned up; {shown} can be drawn"
        yield Violation(code="not-turned-up", rule=rule, message=message, pieces=names)
    lying = set(player.grid.cells(player.filled))
    yield from _misplaced(player, move.tile, move.cells, lying)


def _pass(state: State, player: Player) -> Iterator[Violation]:
    if state.phase == "start":
        message = "everybody draws his start tile"
        yield Violation(code="start-declined", rule="SC1", message=message)
        return
    fitting = tuple(tile.name for tile in state.turned_up if can_draw(player, (tile,)))
    if not fitting:
        return
    listed = " and ".join(dict.fromkeys(fitting))
    if state.phase == "round":
        message = f"{listed} can be drawn; a tile that fits is not declined"
        yield Violation(code="declined", rule="SC5", message=message, pieces=fitting)
    else:
        message = f"{listed} can be drawn; the card of a second chance is drawn if it fits"
        yield Violation(code="declined-second-chance", rule="SC4", message=message, pieces=fitting)


def _write(state: State, player: Player, seat: int, move: Bonus) -> Iterator[Violation]:
    cells = (move.cell,)
    if state.table and len(state.players) == 1:
        message = "there is no bonus in a solo game"
        yield Violation(code="bonus-in-solo", rule="SC10", message=message, cells=cells)
        return
    inside = player.grid.inside(move.cell)
    filled = inside and bool(player.grid.mask(cells) & player.filled)
    last = player.empties == 1 and inside and not filled
    if last and not state.rules.bonus_can_complete:
        message = "the 1 would complete the grid, which 'bonus_can_complete' forbids here"
        yield Violation(code="bonus-completes", rule="SC8", message=message, cells=cells)
    elif state.phase != "bonus" or seat not in bonus_due(state):
        message = f"{_who(player)}no 1 is due; those who drop out first write one, once"
        yield Violation(code="bonus-not-due", rule="SC7", message=message, cells=cells)
    if not inside:
        message = f"the square {list(move.cell)} is outside the grid"
        yield Violation(code="bonus-outside", rule="SC7", message=message, cells=cells)
    elif filled:
        message = f"the square {list(move.cell)} is filled"
        yield Violation(code="bonus-on-filled", rule="SC7", message=message, cells=cells)


def _turn_up(state: State, move: TurnUp) -> Iterator[Violation]:
    number = awaiting_cards(state)
    names = tuple(tile.name for tile in move.tiles)
    if not number:
        yield _not_now(state, move)
        return
    if len(move.tiles) != number:
        rule = "SC2" if number == 2 else "SC4"
        message = f"{number} cards are turned up now, not {len(move.tiles)}"
        yield Violation(code="turned-up-count", rule=rule, message=message, pieces=names)
    if move.player and state.seat(move.player) not in seats_to_act(state):
        yield _not_to_act(state, state.players[state.seat(move.player)])
    if state.order is not None and move.tiles != state.order[: len(move.tiles)]:
        message = "these are not the next cards of 'order'"
        yield Violation(code="not-next", rule="SC2", message=message, pieces=names)
    elif state.remaining is not None:
        yield from _beyond(move.tiles, state.remaining)


def _not_now(state: State, move: TurnUp) -> Violation:
    if state.phase == "start":
        message = "cards are turned up only after all start tiles are drawn"
        return Violation(code="cards-too-early", rule="SC2", message=message)
    if state.phase == "round" and len(move.tiles) == 1:
        message = "a second chance comes only after everybody who can has drawn"
        return Violation(code="second-chance-too-early", rule="SC4", message=message)
    return Violation(code="cards-lie", rule="SC2", message="no card is turned up now")


def _who(player: Player) -> str:
    return f"{player.name}: " if player.name else ""


def _listed(cells: Sequence[Cell]) -> str:
    return ", ".join(str(list(cell)) for cell in cells)
