"""Every registered game keeps the contract."""

from collections.abc import Callable
from typing import Any

import pytest

from tilesolve.game import Game
from tilesolve.registry import game_ids, get_game
from tilesolve.testing import CONTRACT


@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
@pytest.mark.parametrize("game", game_ids())
def test_contract(game: str, check: Callable[[Game[Any, Any]], None]) -> None:
    check(get_game(game))


@pytest.mark.parametrize("game", game_ids())
def test_new_states_validate_against_the_schema(game: str) -> None:
    from jsonschema import Draft202012Validator

    found = get_game(game)
    Draft202012Validator.check_schema(found.info.state_schema)
    Draft202012Validator.check_schema(found.info.move_schema)
    assert found.new is not None
    for seed in (0, 5):
        state = found.new(seed=seed)
        Draft202012Validator(found.info.state_schema).validate(found.dump(state))
        move = next(iter(found.moves(state)), None)
        if move is not None:
            Draft202012Validator(found.info.move_schema).validate(found.dump_move(move))
