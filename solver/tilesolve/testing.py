"""The contract that every game keeps, as checks to run over any `Game`.

Our own games and other people's are held to the same: each function of `CONTRACT` takes a game
and raises AssertionError when the contract is broken.

Examples
--------
>>> from tilesolve.registry import get_game
>>> for check in CONTRACT:
...     check(get_game("null"))
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from tilesolve import service
from tilesolve.answers import Best, Fit, Hints, Verdict
from tilesolve.budget import Budget, Watch
from tilesolve.draw import svg, text
from tilesolve.errors import IllegalState, InputError
from tilesolve.game import OPERATIONS, Game
from tilesolve.wire import Node, dump

SEEDS = (0, 1, 7)
_STEPS = 12
_JUNK: tuple[Any, ...] = (
    None, 0, -1, 1.5, True, "", "nonsense", [], [[]], [1], [["x"]], {}, {"game": 3},
    {"rows": 3}, 10**300, {"": ""}, [None], {"comment": 5}, [{"name": ""}],
)  # fmt: skip


def names_itself(game: Game[Any, Any]) -> None:
    """`info` is complete: id, title, unit, operations that exist, defaults that are choices."""
    info = game.info
    assert info.id and info.title and info.unit
    assert set(info.operations) <= set(OPERATIONS)
    for option in info.rule_options:
        assert option.default in option.choices, f"{option.name}: the default is no choice"
    assert ("simulate" in info.operations) == bool(game.policies)
    assert info.state_schema and info.move_schema


def writes_what_it_reads(game: Game[Any, Any]) -> None:
    """A state survives the way to JSON text and back, at the start and along a game."""
    for state in _states(game):
        written = json.loads(json.dumps(game.dump(state)))
        assert written["game"] == game.info.id
        assert game.load(Node(written)) == state
        assert json.loads(json.dumps(game.dump(game.load(Node(written))))) == written


def starts_the_same(game: Game[Any, Any]) -> None:
    """The same seed gives the same new state."""
    for seed in SEEDS:
        assert game.dump(_new(game, seed)) == game.dump(_new(game, seed))


def moves_legally(game: Game[Any, Any]) -> None:
    """Moves are legal by the rule checker, in a fixed order, and survive JSON; states stay."""
    for state in _states(game):
        assert game.check(state).legal, game.check(state).violations
        before = game.dump(state)
        listed = list(islice(game.moves(state), 40))
        assert listed == list(islice(game.moves(state), 40))
        for move in listed:
            verdict = game.check(state, move)
            assert verdict.legal, (game.dump_move(move), verdict.violations)
            written = json.loads(json.dumps(game.dump_move(move)))
            assert game.dump_move(game.load_move(Node(written), state)) == game.dump_move(move)
            game.apply(state, move)
        assert game.dump(state) == before, "a state was changed"


def refuses_junk(game: Game[Any, Any]) -> None:
    """What is no state gives an `InputError` with a message, never another exception."""
    for junk in _JUNK:
        try:
            loaded = game.load(Node(junk))
        except InputError as error:
            assert error.message
        else:
            game.check(loaded)
    fields = game.dump(_new(game, 0))
    try:
        game.load(Node({**fields, "no_such_field": 1}))
    except InputError as error:
        assert "no_such_field" in str(error)
    else:
        raise AssertionError("an unknown field was accepted")
    for name in fields:
        for junk in _JUNK:
            try:
                game.check(game.load(Node({**fields, name: junk})))
            except InputError as error:
                assert error.message


def answers_within_work(game: Game[Any, Any]) -> None:
    """With a work limit and one worker the same question has the same answer twice."""
    budget = Budget(seconds=None, work=200, seed=3)
    question = service.Question(game, _new(game, 1))
    for operation in ("fit", "best", "hint"):
        if operation in game.info.operations:
            first, second = (_timeless(question, operation, budget) for _ in range(2))
            assert first == second, f"{operation} differs between two runs"
            json.dumps(first, allow_nan=False)


def answers_when_interrupted(game: Game[Any, Any]) -> None:
    """An interrupted question still answers, and says so if the answer is not final."""
    question = service.Question(game, _new(game, 2))
    watch = Watch(interrupted=lambda: True)
    for operation in ("fit", "best", "hint", "count", "difficulty"):
        if operation in game.info.operations:
            answer: Any = service.ask(question, operation, watch=watch)
            if isinstance(answer, Fit) and answer.answer == "unknown":
                assert answer.stopped_by == "interrupted"
            if isinstance(answer, Best) and answer.proof in ("feasible", "unknown"):
                assert answer.stopped_by == "interrupted"


def hints_are_ranked(game: Game[Any, Any]) -> None:
    """Hints are legal, reasoned, at most as many as asked for, and no loss comes before less."""
    if "hint" not in game.info.operations:
        return
    question = service.Question(game, _new(game, 0))
    parameters = {"count": Node(3)}
    budget = Budget(seconds=None, work=300)
    answer = service.ask(question, "hint", budget=budget, parameters=parameters)
    assert isinstance(answer, Hints) and len(answer.hints) <= 3
    losses = [hint.loss for hint in answer.hints if hint.loss is not None]
    if answer.exact:
        assert losses == sorted(losses)


def draws(game: Game[Any, Any]) -> None:
    """Every state has a picture that both drawers take."""
    for state in _states(game):
        picture = game.picture(state)
        assert text.render(picture, ascii=True).isascii()
        assert svg.render(picture).startswith("<")


CONTRACT: tuple[Callable[[Game[Any, Any]], None], ...] = (
    names_itself,
    writes_what_it_reads,
    starts_the_same,
    moves_legally,
    refuses_junk,
    answers_within_work,
    answers_when_interrupted,
    hints_are_ranked,
    draws,
)


def _new(game: Game[Any, Any], seed: int) -> Any:
    if game.new is None:
        raise AssertionError(f"{game.info.id} offers no new state to test with")
    return game.new(seed=seed)


def _states(game: Game[Any, Any]) -> Iterator[Any]:
    """Yield new states and what a random player makes of them."""
    for seed in SEEDS:
        chance = random.Random(seed)
        state = _new(game, seed)
        yield state
        for step in range(_STEPS):
            choices = list(islice(game.moves(state), 60))
            if not choices:
                break
            state = game.apply(state, chance.choice(choices))
            if step in (0, 5, _STEPS - 1):
                yield state


def _timeless(question: service.Question, operation: str, budget: Budget) -> Any:
    try:
        answer = service.ask(question, operation, budget=budget)
    except IllegalState as error:
        answer = error.verdict
    if isinstance(answer, Verdict):
        return dump(answer)
    found = dict(dump(answer))
    found.pop("seconds", None)
    return found
