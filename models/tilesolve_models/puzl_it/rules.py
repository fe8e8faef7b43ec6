"""The rules of Puzl It as a checker and a referee; no solver in it.

Rule numbers PI1 to PI8 are those of the game's page in the documentation. States and moves that
can be read but break rules are fine until they are checked; then everything that is wrong is
said at once. The exception is a history, of which the first thing wrong is said: after it the
table is unknown, and one wrong entry may contradict several claims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from tilesolve.answers import Cell, Json, Verdict, Violation
from tilesolve_models.picture_grid import Grid, connected_subsets, grid_of
from tilesolve_models.puzl_it.state import Card, Cards, Known, Move, Seat, State
from tilesolve_models.puzl_it.table import UNSEEN, Table, Turn, play_turn


def grid(state: State) -> Grid:
    """Return the picture's grid."""
    return grid_of(*state.size)


def check(state: State, move: Move | None = None) -> Verdict:
    """Say which rules a state, its history or a move breaks.

    Examples
    --------
    >>> from tilesolve_models.puzl_it.state import load
    >>> from tilesolve.wire import Node
    >>> state = load(Node({"game": "puzl-it", "size": [2, 2], "in_play": [[0, 0]], "hand": [[0, 1]],
    ...     "players": [{"name": "A", "pile": 0}, {"name": "B", "pile": 1, "hand": 1}]}))
    >>> [each.code for each in check(state, Move(play=((1, 1),), steal_from="B")).violations]
    ['not-in-hand']
    >>> check(state, Move(play=((0, 1),), steal_from="B")).score
    2
    """
    found = tuple(_broken_state(state))
    if found:
        return Verdict(violations=found)
    for number, made in enumerate(state.history, 1):
        first = next(_broken_move(state, made), None)
        if first is not None:
            message = f"move {number} of the history: {first.message}"
            return Verdict(violations=(replace(first, message=message),))
        state = _apply(state, made)
    complete = table_of(state).winner is not None
    if move is None:
        return Verdict(complete=complete, details=_standing(state))
    broken = tuple(_broken_move(state, move))
    if broken:
        return Verdict(violations=broken, complete=complete)
    table = table_of(state)
    play = grid(state).mask(move.play)
    details = {"takes_blocker": table.takes_blocker(play)}
    return Verdict(score=table.connections(play), complete=complete, details=details)


def _standing(state: State) -> dict[str, Json]:
    winner = table_of(state).winner
    return {} if winner is None else {"winner": state.seats[winner].name}


def _broken_state(state: State) -> Iterator[Violation]:
    yield from _broken_setup(state)
    yield from _broken_cards(state)
    mover = state.seat(state.to_move)
    if not mover.cards:
        message = f"{mover.name} has no cards and is out, so it cannot be that player's turn"
        yield Violation(code="out-to-move", rule="PI7", message=message)
    for seat in state.seats:
        if seat.pile and not seat.hand:
            message = f"{seat.name} has a pile but no hand; a turn ends with drawing"
            yield Violation(code="hand-not-drawn", rule="PI2", message=message)
    if state.blocker == state.to_move and len(state.seats) != 2:  # of two that is said already
        message = f"{state.blocker}'s turn has begun, so the Blocker is back on the table"
        yield Violation(code="blocker-kept", rule="PI6", message=message)


def _broken_setup(state: State) -> Iterator[Violation]:
    players = len(state.seats)
    if not 2 <= players <= 6:
        message = f"{players} players; the game is for 2 to 6"
        yield Violation(code="wrong-number-of-players", rule="PI1", message=message)
    if players == 2 and state.blocker is not None:
        message = "two players play without the Blocker"
        yield Violation(code="blocker-out-of-the-game", rule="PI1", message=message)
    if state.laid_out is None:
        return
    left_over = grid(state).size % players
    if len(state.laid_out) != left_over:
        message = f"{len(state.laid_out)} cards laid out from the deal; {left_over} are left over"
        yield Violation(
            code="wrong-left-over", rule="PI1", message=message, cells=tuple(state.laid_out)
        )
    missing = tuple(cell for cell in state.laid_out if cell not in state.in_play)
    if missing:
        message = f"cards laid out at the start are in play, {_list(missing)} not"
        yield Violation(code="laid-out-not-in-play", rule="PI8", message=message, cells=missing)


def _named_cards(state: State) -> Iterator[tuple[Cell, str]]:
    """Yield every card that can be named, with its place in words."""
    for cell in state.in_play:
        yield cell, "in play"
    for seat in state.seats:
        for where, cards in (("hand", seat.hand), ("pile", seat.pile)):
            for card in cards:
                if card is not None:
                    yield card, f"in {seat.name}'s {where}"


def _broken_cards(state: State) -> Iterator[Violation]:
    field, places = grid(state), list(_named_cards(state))
    where: dict[Cell, list[str]] = {}
    for cell, place in places:
        where.setdefault(cell, []).append(place)
    outside = tuple(cell for cell in where if not field.holds(cell))
    if outside:
        message = f"{_list(outside)} outside the picture of {field.rows} x {field.columns}"
        yield Violation(code="outside", rule="PI1", message=message, cells=outside)
    twice = {cell: named for cell, named in where.items() if len(named) > 1}
    for cell, named in twice.items():
        message = f"the card {list(cell)} is in two places: {' and '.join(named)}"
        yield Violation(code="card-twice", rule="PI1", message=message, cells=(cell,))
    extra = sum(len(named) - 1 for named in twice.values())
    total = len(state.in_play) + sum(seat.cards for seat in state.seats)
    if field.size not in range(total - extra - len(outside), total + 1):
        message = f"{total} cards in play, hands and piles; the picture has {field.size}"
        yield Violation(code="wrong-total", rule="PI1", message=message)
    yield from _broken_symbols(state)
    yield from _broken_knowledge(state, set(where))


def _broken_symbols(state: State) -> Iterator[Violation]:
    stray = tuple(cell for cell in state.blocker_cards if not grid(state).holds(cell))
    if stray:
        message = f"Blocker cards outside the picture: {_list(stray)}"
        yield Violation(code="blocker-card-outside", rule="PI6", message=message, cells=stray)
    counts = Counter(state.blocker_cards)
    double = tuple(cell for cell in counts if counts[cell] > 1 and cell not in stray)
    if double:
        message = f"Blocker cards listed twice: {_list(double)}"
        yield Violation(code="blocker-card-twice", rule="PI6", message=message, cells=double)


def _broken_knowledge(state: State, placed: set[Cell]) -> Iterator[Violation]:
    field = grid(state)
    counts = Counter(cell for known in state.known for cell in known.cells)
    bad = tuple(
        cell for cell in counts if counts[cell] > 1 or cell in placed or not field.holds(cell)
    )
    if bad:
        message = f"cards known to be a player's cannot lie elsewhere: {_list(bad)}"
        yield Violation(code="known-elsewhere", rule="PI1", message=message, cells=bad)
    for name in dict.fromkeys(known.player for known in state.known):
        seat = state.seat(name)
        cells = tuple(cell for known in state.known if known.player == name for cell in known.cells)
        if len(cells) > (*seat.pile, *seat.hand).count(None):
            message = f"{name} does not have {len(cells)} cards that are not named already"
            yield Violation(code="known-too-many", rule="PI1", message=message, cells=cells)


def _broken_move(state: State, move: Move) -> Iterator[Violation]:
    table = table_of(state)
    if table.winner is not None:
        message = f"the game is over, {state.seats[table.winner].name} has won"
        yield Violation(code="game-over", rule="PI7", message=message, cells=move.play)
        return
    if move.by is not None and move.by != state.to_move:
        out = not state.seat(move.by).cards
        message = f"{move.by} has played, but {'is out' if out else f'{state.to_move} is to move'}"
        code, rule = ("player-out", "PI7") if out else ("out-of-turn", "PI1")
        yield Violation(code=code, rule=rule, message=message, cells=move.play)
        return
    broken = tuple(_broken_play(state, move))
    yield from broken
    if not broken:
        yield from _broken_claims(state, move)
        yield from _broken_steal(state, move)


def _broken_play(state: State, move: Move) -> Iterator[Violation]:
    field, hand = grid(state), state.seat(state.to_move).hand
    if not move.play:
        yield Violation(code="nothing-played", rule="PI3", message="at least one card is played")
    twice = tuple(cell for cell, count in Counter(move.play).items() if count > 1)
    if twice:
        message = f"{_list(twice)} played twice in one turn"
        yield Violation(code="played-twice", rule="PI3", message=message, cells=twice)
    missing = tuple(dict.fromkeys(cell for cell in move.play if cell not in hand))
    elsewhere = {cell for cell, _ in _named_cards(state)}
    elsewhere.update(cell for known in state.known for cell in known.cells)
    unseen = hand.count(None)
    hidden = tuple(cell for cell in missing if field.holds(cell) and cell not in elsewhere)
    if state.to_move in {known.player for known in state.known}:
        own = {
            cell for known in state.known if known.player == state.to_move for cell in known.cells
        }
        hidden += tuple(cell for cell in missing if cell in own)
    wrong = tuple(cell for cell in missing if cell not in hidden) or hidden[unseen:]
    if wrong:
        message = f"{_list(wrong)} not in {state.to_move}'s hand"
        yield Violation(code="not-in-hand", rule="PI3", message=message, cells=wrong)
    inside = tuple(cell for cell in move.play if field.holds(cell) and cell not in wrong)
    if inside and not is_group(field, field.mask(inside), state.rules.group):
        message = f"{_list(inside)} do not form one group joined by sides"
        if state.rules.group == "each_touches_another":
            message = f"not every card of {_list(inside)} shares a side with another of them"
        yield Violation(code="not-one-group", rule="PI3", message=message, cells=inside)


def is_group(field: Grid, play: int, rule: str) -> bool:
    """Return whether the cards of a turn belong together (PI3).

    Examples
    --------
    >>> is_group(Grid(1, 5), 0b11011, "connected"), is_group(Grid(1, 5), 0b11011,
    ...                                                      "each_touches_another")
    (False, True)
    """
    if rule == "connected":
        return len(field.groups(play)) == 1
    return play.bit_count() == 1 or all(group.bit_count() > 1 for group in field.groups(play))


def _broken_claims(state: State, move: Move) -> Iterator[Violation]:
    """Compare what a record claims of connections, Blocker and draw with what happens."""
    table, play = table_of(state), grid(state).mask(move.play)
    counted, takes = table.connections(play), table.takes_blocker(play)
    if move.connections is not None and move.connections != counted:
        message = f"{move.connections} connections claimed, {counted} counted"
        yield Violation(code="wrong-connections", rule="PI4", message=message, cells=move.play)
    if move.blocker is not None and move.blocker != takes:
        message = f"the play {'takes' if takes else 'does not take'} the Blocker"
        yield Violation(code="wrong-blocker", rule="PI6", message=message, cells=move.play)
    if move.drawn is None or not _victim_allowed(table, state, move, takes):
        return
    drawn = _play(table, state, move).drawn  # and so `table` is the one after the turn
    if isinstance(move.drawn, int):
        if move.drawn != len(drawn):
            message = f"{move.drawn} cards drawn; it is {len(drawn)}, up to {state.rules.hand_size}"
            yield Violation(code="wrong-draw", rule="PI2", message=message, cells=move.play)
    elif not _may_be(move.drawn, drawn, table):
        message = f"{_list(move.drawn)} cannot be the {len(drawn)} cards drawn"
        yield Violation(code="wrong-draw", rule="PI2", message=message, cells=move.drawn)


def _victim_allowed(table: Table, state: State, move: Move, takes: bool) -> bool:
    allowed = table.victims(takes)
    victim = None if move.steal_from is None else state.place(move.steal_from)
    return victim in allowed or (victim is None and not allowed)


def _broken_steal(state: State, move: Move) -> Iterator[Violation]:
    table, play = table_of(state), grid(state).mask(move.play)
    takes = table.takes_blocker(play)
    if not _victim_allowed(table, state, move, takes):
        allowed = [state.seats[victim].name for victim in table.victims(takes)]
        yield _wrong_victim(state, move, allowed)
    elif move.stolen is not None:
        stolen = _play(table, state, move).stolen
        if isinstance(move.stolen, int):
            if move.stolen != len(stolen):
                message = f"{move.stolen} cards stolen; it is {len(stolen)}"
                yield Violation(code="wrong-steal", rule="PI5", message=message, cells=move.play)
        elif not _may_be(move.stolen, stolen, table):
            message = f"{_list(move.stolen)} cannot be the {len(stolen)} cards stolen"
            yield Violation(code="wrong-steal", rule="PI5", message=message, cells=move.stolen)


def _wrong_victim(state: State, move: Move, allowed: list[str]) -> Violation:
    victim, code, rule = move.steal_from, "victim-holds-blocker", "PI5"
    message = f"{victim} holds the Blocker and cannot be robbed"
    if victim is None:
        code, message = "victim-missing", f"a victim must be named: {', '.join(allowed)}"
    elif victim == state.to_move:
        code, message = "victim-is-self", "nobody steals from himself"
    elif not state.seat(victim).cards:
        code, rule, message = "victim-out", "PI7", f"{victim} has no cards and is out"
    return Violation(code=code, rule=rule, message=message, cells=move.play)


def _may_be(claimed: tuple[Cell, ...], moved: tuple[int, ...], after: Table) -> bool:
    """Whether claimed cells can be the cards moved, of which the unseen may be any unseen."""
    field = after.grid
    named = {field.cell(card) for card in moved if card != UNSEEN}
    rest = set(claimed) - named
    agree = len(claimed) == len(moved) == len(set(claimed))
    return agree and len(rest) == moved.count(UNSEEN) and rest <= _hidden(after)


def _hidden(table: Table) -> set[Cell]:
    """Return the cards that cannot be named."""
    seen = table.in_play
    for card in chain(*table.hands, *table.piles):
        seen |= 0 if card == UNSEEN else 1 << card
    return set(table.grid.cells_of(table.grid.everything & ~seen))


def moves(state: State) -> Iterator[Move]:
    """Yield the legal moves with the cards that can be named, each play with each victim."""
    state = position(state)
    table, field = table_of(state), grid(state)
    if table.winner is not None:
        return
    for play in plays(field, table.hand_mask, state.rules.group):
        cells = field.cells_of(play)
        victims = table.victims(table.takes_blocker(play))
        for victim in victims:
            yield Move(play=cells, steal_from=state.seats[victim].name)
        if not victims:
            yield Move(play=cells)


def plays(field: Grid, hand: int, rule: str) -> Iterator[int]:
    """Yield the masks of all legal plays from a hand (PI3), lazily, in a fixed order."""
    if rule == "connected":
        yield from connected_subsets(field, hand)
        return
    subset = hand & -hand
    while subset:
        if is_group(field, subset, rule):
            yield subset
        subset = (subset - hand) & hand


def apply(state: State, move: Move) -> State:
    """Return the table after a legal move; cards that cannot be named stay so."""
    return _apply(position(state), move)


def position(state: State) -> State:
    """Return the table after the history, which must be legal."""
    for move in state.history:
        state = _apply(state, move)
    return replace(state, history=())


def table_of(state: State) -> Table:
    """Return the engine's table; the history is not played."""
    field = grid(state)
    return Table(
        grid=field,
        in_play=field.mask(state.in_play),
        hands=[[_number(field, card) for card in seat.hand] for seat in state.seats],
        piles=[[_number(field, card) for card in reversed(seat.pile)] for seat in state.seats],
        to_move=state.place(state.to_move),
        blocker=None if state.blocker is None else state.place(state.blocker),
        has_blocker=len(state.seats) > 2,
        symbols=field.mask(state.blocker_cards),
        needs_old_card=state.rules.blocker_needs_old_card,
        hand_size=state.rules.hand_size,
    )


def _number(field: Grid, card: Card) -> int:
    return UNSEEN if card is None or not field.holds(card) else field.card(card)


def _play(table: Table, state: State, move: Move) -> Turn:
    """Play a move on a table; a claim about stolen cards says which of a hand were taken.

    Without one nobody can say which are left, so none of that hand can be named any more.
    """
    field = grid(state)
    cells = move.stolen if isinstance(move.stolen, tuple) else ()
    claimed = [field.card(cell) for cell in dict.fromkeys(cells) if field.holds(cell)]

    def pick(hand: list[int], count: int) -> list[int]:
        named = [card for card in claimed if card in hand]
        return (named + [card for card in hand if card not in named])[:count]

    victim, play = (
        None if move.steal_from is None else state.place(move.steal_from),
        field.mask(move.play),
    )
    if victim is not None and not isinstance(move.stolen, tuple):
        from_hand = table.connections(play) - len(table.piles[victim])
        if 0 < from_hand < len(table.hands[victim]):
            table.hands[victim] = [UNSEEN] * len(table.hands[victim])
    return play_turn(table, play, victim, pick)


def _apply(state: State, move: Move) -> State:
    table, field = table_of(state), grid(state)
    mover = table.to_move
    turn = _play(table, state, move)
    if isinstance(move.drawn, tuple):
        _name_drawn(table, mover, turn, [field.card(cell) for cell in move.drawn])
    seats = tuple(
        Seat(seat.name, _cards(field, reversed(pile)), _cards(field, hand))
        for seat, pile, hand in zip(state.seats, table.piles, table.hands, strict=True)
    )
    after = replace(
        state,
        in_play=(*state.in_play, *sorted(move.play)),
        seats=seats,
        to_move=state.seats[table.to_move].name,
        blocker=None if table.blocker is None else state.seats[table.blocker].name,
    )
    return replace(after, known=tuple(_still_known(state, after, move)))


def _name_drawn(table: Table, mover: int, turn: Turn, claimed: list[int]) -> None:
    """Write the cards that a record says were drawn in the places of the unseen ones."""
    hand = table.hands[mover]
    rest = [card for card in claimed if card not in turn.drawn]
    start = len(hand) - len(turn.drawn)
    for place in range(start, len(hand)):
        if hand[place] == UNSEEN and rest:
            hand[place] = rest.pop(0)


def _cards(field: Grid, numbers: Iterator[int] | list[int]) -> Cards:
    return tuple(None if card == UNSEEN else field.cell(card) for card in numbers)


def _still_known(before: State, after: State, move: Move) -> Iterator[Known]:
    """Yield what stays known; who is robbed of some cards may have lost just those."""
    placed = {cell for cell, _ in _named_cards(after)}
    for known in before.known:
        owner = known.player
        if owner == move.steal_from:
            if after.seat(owner).cards:
                continue
            owner = before.to_move
        cells = tuple(cell for cell in known.cells if cell not in placed)
        if cells:
            yield Known(owner, cells)


def view(state: State, player: str) -> State:
    """Return what a player sees of a table: his own hand, and what lies.

    Knowledge written into a state that has this player as `me` is kept.

    Examples
    --------
    >>> state = State(size=(1, 3), in_play=(), to_move="A",
    ...               seats=(Seat("A", (), ((0, 0),)), Seat("B", ((0, 1),), ((0, 2),))))
    >>> view(state, "A").seats[1]
    Seat(name='B', pile=(None,), hand=(None,))
    """
    state = position(state)
    if state.me == player:
        return state
    seats = tuple(
        Seat(
            seat.name,
            (None,) * len(seat.pile),
            seat.hand if seat.name == player else (None,) * len(seat.hand),
        )
        for seat in state.seats
    )
    return replace(state, me=player, seats=seats, known=())


def _list(cells: tuple[Cell, ...]) -> str:
    return ", ".join(str(list(cell)) for cell in cells)
