"""The rules of the New-Year puzzle as a checker and a referee; no solver in it.

Rule numbers NY1 to NY7 are those of the game's page in the documentation. A state says all that
is wrong with it at once, and so does a flip; of a history the first thing wrong is said, because
after it nobody knows what lies where, and an entry too many or too few may break several rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace

from tilesolve.answers import Cell, Verdict, Violation
from tilesolve.errors import InputError
from tilesolve_models.new_year_puzzle.prizes import Prize
from tilesolve_models.new_year_puzzle.state import Flip, Memory, Player, State
from tilesolve_models.picture_grid import Grid, grid_of


def grid(state: State) -> Grid:
    """Return the picture's grid."""
    return grid_of(*state.size)


def frontier(state: State) -> int:
    """Return the mask of the homes that share a side with an open cell, and are not open."""
    field = grid(state)
    return field.beside(field.mask(state.open))


def fits(state: State, home: Cell) -> bool:
    """Return whether a card with this home would stay (NY3, NY4)."""
    field = grid(state)
    return field.holds(home) and bool(frontier(state) >> field.card(home) & 1)


def complete(state: State) -> bool:
    """Return whether the picture is complete (NY7)."""
    return len(state.open) == grid(state).size


def check(state: State, move: Flip | None = None) -> Verdict:
    """Say which rules a state, its history or a flip with its claimed result breaks.

    Examples
    --------
    >>> state = State(size=(3, 3), open=((0, 0), (0, 2), (2, 0), (2, 2)))
    >>> claim = Flip(flip=(0, 1), home=(1, 1), success=True)
    >>> [each.code for each in check(state, claim).violations]
    ['false-success']
    """
    found = tuple(_broken_state(state))
    if found:
        return Verdict(violations=found)
    turn = _Turn(state)
    for number, flip in enumerate(state.history, 1):
        broken = tuple(_broken_flip(turn, flip)) or tuple(_unread(turn.state, flip))
        if broken:
            message = f"flip {number} of the history: {broken[0].message}"
            return Verdict(violations=(replace(broken[0], message=message),))
        turn = _after(turn, flip)
    over = complete(turn.state)
    if move is None:
        return Verdict(complete=over, details=_winners(turn.state) if over else {})
    return Verdict(violations=tuple(_broken_flip(turn, move)), complete=over)


def _winners(state: State) -> dict[str, list[str]]:
    most = max(player.points for player in state.players)
    return {"winners": [player.name for player in state.players if player.points == most]}


def _broken_state(state: State) -> Iterator[Violation]:
    """Say what is wrong, each thing once: what only follows from it is left out."""
    found = list(_broken_open(state))
    found += _broken_known(state, {cell for each in found for cell in each.cells})
    yield from found
    if state.layout is not None:
        said = {cell for each in found for cell in each.cells}
        yield from _broken_layout(state, state.layout, said)


def _broken_open(state: State) -> Iterator[Violation]:
    field = grid(state)
    outside = tuple(cell for cell in dict.fromkeys(state.open) if not field.holds(cell))
    if outside:
        message = f"{_list(outside)} outside the picture of {field.rows} x {field.columns}"
        yield Violation(code="outside", rule="NY1", message=message, cells=outside)
    twice = tuple(cell for cell, count in Counter(state.open).items() if count > 1)
    if twice:
        message = f"the open cards {_list(twice)} are listed twice"
        yield Violation(code="card-twice", rule="NY1", message=message, cells=twice)
    lying = field.mask(state.open)
    closed = field.cells_of(field.corners & ~lying)
    if closed:
        message = f"the corner cards lie open from the start, {_list(closed)} not"
        yield Violation(code="corner-not-open", rule="NY1", message=message, cells=closed)
    stray = lying & ~field.reach(field.corners & (lying | field.mask(closed)), lying)
    if stray:
        cells = field.cells_of(stray)
        message = f"{_list(cells)} not joined by sides to an open corner: no legal flip opens them"
        yield Violation(code="unreachable-region", rule="NY4", message=message, cells=cells)


def _broken_known(state: State, said: Set[Cell]) -> Iterator[Violation]:
    field, lying = grid(state), set(state.open)
    for at in dict.fromkeys(each.at for each in state.known):
        homes = [each.home for each in state.known if each.at == at]
        if len(homes) > 1:
            message = f"{len(homes)} cards are remembered at {list(at)}"
            yield Violation(code="place-twice", rule="NY1", message=message, cells=(at,))
    for home in dict.fromkeys(each.home for each in state.known):
        places = tuple(each.at for each in state.known if each.home == home)
        if len(set(places)) > 1:
            message = f"the card of {list(home)} is remembered at {_list(places)}"
            yield Violation(code="card-twice", rule="NY1", message=message, cells=places)
    for each in state.known:
        outside = tuple(cell for cell in (each.at, each.home) if not field.holds(cell))
        if outside:
            message = f"a remembered card cannot be at or belong to {_list(outside)}, outside"
            yield Violation(code="outside", rule="NY1", message=message, cells=outside)
        elif said & {each.at, each.home}:
            continue
        elif each.at in lying:
            message = f"{list(each.at)} is open, no face-down card lies there"
            yield Violation(code="known-on-open", rule="NY4", message=message, cells=(each.at,))
        elif each.home in lying:
            message = f"the card of {list(each.home)} lies open, it cannot be face down"
            yield Violation(code="known-is-open", rule="NY4", message=message, cells=(each.at,))


def _broken_layout(
    state: State, layout: tuple[tuple[Cell, ...], ...], said: Set[Cell]
) -> Iterator[Violation]:
    """Compare a layout with what is open and remembered, but for the cells said to be wrong."""
    field = grid(state)
    homes = [home for row in layout for home in row]
    outside = tuple(home for home in homes if not field.holds(home))
    twice = tuple(home for home, count in Counter(homes).items() if count > 1)
    for code, cells in (("outside", outside), ("card-twice", twice)):
        if cells:
            word = "outside the picture" if code == "outside" else "in it twice"
            message = f"the layout has cards {word}: {_list(cells)}"
            yield Violation(code=code, rule="NY1", message=message, cells=cells)
    if outside or twice:
        return
    moved = tuple(cell for cell in state.open if cell not in said and _at(layout, cell) != cell)
    if moved:
        message = f"open cards lie in their homes, by the layout not at {_list(moved)}"
        yield Violation(code="open-not-home", rule="NY4", message=message, cells=moved)
        return
    wrong = tuple(
        each.at
        for each in state.known
        if not said & {each.at, each.home} and _at(layout, each.at) != each.home
    )
    if wrong:
        message = f"by the layout other cards lie at {_list(wrong)} than remembered"
        yield Violation(code="memory-wrong", rule="NY3", message=message, cells=wrong)


def _at(layout: tuple[tuple[Cell, ...], ...], place: Cell) -> Cell:
    return layout[place[0]][place[1]]


@dataclass(frozen=True)
class _Turn:
    """A position, and how its player came to move: what a wrong `by` is measured against."""

    state: State
    last: Flip | None = None
    succeeded: bool = False
    may_pass: bool = False

    @property
    def following(self) -> str:
        """The next player after the one to move."""
        return _next(self.state)


def _next(state: State) -> str:
    return state.players[(state.seat(state.to_move) + 1) % len(state.players)].name


def _broken_flip(turn: _Turn, flip: Flip) -> Iterator[Violation]:
    state, field, cells = turn.state, grid(turn.state), (flip.flip,)
    if complete(state):
        message = "the picture is complete, the game is over"
        yield Violation(code="game-over", rule="NY7", message=message, cells=cells)
        return
    if not field.holds(flip.flip):
        message = f"{list(flip.flip)} outside the picture of {field.rows} x {field.columns}"
        yield Violation(code="outside", rule="NY2", message=message, cells=cells)
    elif flip.flip in state.open:
        message = f"the card at {list(flip.flip)} lies open already"
        yield Violation(code="already-open", rule="NY2", message=message, cells=cells)
    else:
        wrong = tuple(_broken_home(state, flip))
        yield from wrong or _broken_result(state, flip)
    yield from _broken_order(turn, flip)


def _unread(state: State, flip: Flip) -> Iterator[Violation]:
    """Demand that a record says which card was turned up, where nothing else does."""
    if home_of(state, flip) is None:
        message = f"nothing says where the card at {list(flip.flip)} belongs: 'home' is missing"
        yield Violation(code="home-missing", rule="NY2", message=message, cells=(flip.flip,))


def _broken_order(turn: _Turn, flip: Flip) -> Iterator[Violation]:
    state = turn.state
    if flip.by is None or flip.by == state.to_move:
        return
    if turn.may_pass and flip.by == turn.following:
        return
    code, rule, why = "out-of-turn", "NY2", f"{state.to_move} is to move"
    if turn.last is not None and not turn.succeeded:
        code, rule, why = (
            "turn-passes",
            "NY3",
            f"the flip before failed, {state.to_move} is to move",
        )
    elif turn.last is not None and turn.last.prize and turn.last.prize.no_extra_move:
        code, rule = "extra-move-forbidden", "NY5"
        why = f"the prize forbids the extra move, {state.to_move} is to move"
    elif turn.last is not None:
        code, rule, why = "moves-again", "NY4", f"{state.to_move} succeeded and moves again"
    message = f"{flip.by} has moved, but {why}"
    yield Violation(code=code, rule=rule, message=message, cells=(flip.flip,))


def _broken_home(state: State, flip: Flip) -> Iterator[Violation]:
    home, cells = flip.home, (flip.flip,)
    if home is None:
        return
    field = grid(state)
    if not field.holds(home):
        message = f"no card belongs to {list(home)}, outside the picture"
        yield Violation(code="outside", rule="NY1", message=message, cells=(home,))
        return
    if home in state.open:
        message = f"the card of {list(home)} lies open already, it cannot be turned up"
        yield Violation(code="card-twice", rule="NY1", message=message, cells=cells)
        return
    remembered = _remembered(state, flip.flip)
    if remembered not in (None, home):
        message = f"the card at {list(flip.flip)} was seen: it belongs to {list(remembered or ())}"
        yield Violation(code="memory-contradicted", rule="NY3", message=message, cells=cells)
        return
    places = tuple(each.at for each in state.known if each.home == home and each.at != flip.flip)
    if places:
        message = f"the card of {list(home)} was seen at {_list(places)}"
        yield Violation(code="card-elsewhere", rule="NY3", message=message, cells=places)
    elif state.layout is not None and _at(state.layout, flip.flip) != home:
        message = f"by the layout the card at {list(flip.flip)} is another"
        yield Violation(code="not-that-card", rule="NY2", message=message, cells=cells)


def _broken_result(state: State, flip: Flip) -> Iterator[Violation]:
    home, cells = home_of(state, flip), (flip.flip,)
    succeeds = None if home is None else fits(state, home)
    if home is not None and flip.success and not succeeds:
        message = f"{list(home)} shares no side with an open cell: the flip fails"
        yield Violation(code="false-success", rule="NY3", message=message, cells=(home,))
    elif home is not None and flip.success is False and succeeds:
        message = f"{list(home)} shares a side with an open cell: the flip succeeds"
        yield Violation(code="false-failure", rule="NY4", message=message, cells=(home,))
    elif flip.prize is not None and (succeeds is False or flip.success is False):
        message = "a flip that fails brings no prize"
        yield Violation(code="prize-without-success", rule="NY4", message=message, cells=cells)
    elif flip.prize is not None:
        yield from _broken_prize(state, flip.prize, cells)
    if flip.met is not None and (flip.prize is None or flip.prize.condition is None):
        message = "no prize with a condition was taken that could be met or not"
        yield Violation(code="no-condition", rule="NY5", message=message, cells=cells)


def _broken_prize(state: State, prize: Prize, cells: tuple[Cell, ...]) -> Iterator[Violation]:
    stack = state.stack
    if stack is None or not (stack.left or (state.reshuffle and stack.pool + stack.gone)):
        message = "the prize stack is empty: a success brings no prize"
        yield Violation(code="stack-empty", rule="NY6", message=message, cells=cells)
    elif not (stack if stack.left else stack.reshuffled()).holds(prize):
        message = "this prize is not the next of the stack, or not in it any more"
        yield Violation(code="prize-not-in-stack", rule="NY5", message=message, cells=cells)


def _remembered(state: State, place: Cell) -> Cell | None:
    return next((each.home for each in state.known if each.at == place), None)


def home_of(state: State, flip: Flip) -> Cell | None:
    """Return where the flipped card belongs: as claimed, as remembered, or by the layout."""
    if flip.home is not None:
        return flip.home
    remembered = _remembered(state, flip.flip)
    if remembered is not None or state.layout is None:
        return remembered
    return _at(state.layout, flip.flip)


def moves(state: State) -> Iterator[Flip]:
    """Yield the legal flips in reading order."""
    field, state = grid(state), position(state)
    for cell in field.cells_of(field.everything & ~field.mask(state.open)):
        yield Flip(flip=cell)


def position(state: State) -> State:
    """Return the position after the history, which must be legal."""
    turn = _Turn(state)
    for flip in state.history:
        turn = _after(turn, flip)
    return replace(turn.state, history=())


def apply(state: State, move: Flip) -> State:
    """Return the position after a legal flip.

    Raises
    ------
    InputError
        If nobody can know where the card belongs: neither the flip nor memory nor a layout says.
    """
    turn = _Turn(position(state))
    if home_of(turn.state, move) is None:
        message = "the field 'home' is missing: where the card turned up belongs"
        raise InputError(message, place="$.move")
    return _after(turn, move).state


def _after(turn: _Turn, flip: Flip) -> _Turn:
    state = turn.state
    if turn.may_pass and flip.by is not None:
        state = replace(state, to_move=flip.by)
    home = home_of(state, flip)
    if home is None or not fits(state, home):
        return _Turn(_failed(state, flip.flip, home), flip)
    return _succeeded(state, flip, home)


def _failed(state: State, place: Cell, home: Cell | None) -> State:
    """Turn the card down again where it lay; everybody has seen it (NY3)."""
    known = tuple(each for each in state.known if each.at != place)
    if home is not None:
        known = (*known, Memory(place, home))
    return replace(state, known=known, to_move=_next(state))


def _succeeded(state: State, flip: Flip, home: Cell) -> _Turn:
    """Lay the card in its home; what lay there goes, unseen, to the place left (NY4)."""
    known = tuple(
        Memory(flip.flip, each.home) if each.at == home else each
        for each in state.known
        if each.at != flip.flip
    )
    layout = state.layout
    if layout is not None:
        rows = [list(row) for row in layout]
        rows[flip.flip[0]][flip.flip[1]] = layout[home[0]][home[1]]
        rows[home[0]][home[1]] = home
        layout = tuple(map(tuple, rows))
    state = replace(state, open=(*state.open, home), known=known, layout=layout)
    return _paid(state, flip)


def _paid(state: State, flip: Flip) -> _Turn:
    stack = state.stack
    if stack is not None and not stack.left and state.reshuffle:
        stack = stack.reshuffled()
    if stack is None or not stack.left:
        return _Turn(replace(state, stack=stack), flip, succeeded=True)
    prize = flip.prize or stack.top
    state = replace(state, stack=stack.without(prize))
    if prize is None:
        return _Turn(state, flip, succeeded=True, may_pass=stack.ends_turn() > 0)
    last = replace(flip, prize=prize)
    state = replace(state, players=tuple(_points(state, prize, bool(flip.met))))
    if prize.no_extra_move and not complete(state):
        state = replace(state, to_move=_next(state))
    return _Turn(state, last, succeeded=True)


def _points(state: State, prize: Prize, met: bool) -> Iterator[Player]:
    for player in state.players:
        mine = player.name == state.to_move
        change = prize.points + (prize.bonus if met else 0) if mine else -prize.others * met
        yield Player(player.name, player.points + change)


def _list(cells: tuple[Cell, ...]) -> str:
    return ", ".join(str(list(cell)) for cell in cells)
