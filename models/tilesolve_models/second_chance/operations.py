"""The operations of the game, loaded when they are asked for: numpy stays away from the rest."""

from __future__ import annotations

from typing import Any

from tilesolve.answers import Best, Difficulty, Explanation, Fit, Hints, Simulation, Verification
from tilesolve_models.second_chance.state import State


def fit(state: State, **settings: Any) -> Fit:
    """Answer what still fits; see `fitting.fit`."""
    from tilesolve_models.second_chance import fitting

    return fitting.fit(state, **settings)


def best(state: State, **settings: Any) -> Best:
    """Answer how few squares can stay empty; see `scoring.best`."""
    from tilesolve_models.second_chance import scoring

    return scoring.best(state, **settings)


def explain(state: State, **settings: Any) -> Explanation:
    """Answer why tiles do not fit; see `proving.explain`."""
    from tilesolve_models.second_chance import proving

    return proving.explain(state, **settings)


def verify(state: State, **settings: Any) -> Verification:
    """Check a certificate; see `proving.verify`."""
    from tilesolve_models.second_chance import proving

    return proving.verify(state, **settings)


def hint(state: State, **settings: Any) -> Hints:
    """Rank what may be done now; see `hints.hint`."""
    from tilesolve_models.second_chance import hints

    return hints.hint(state, **settings)


def difficulty(state: State, **settings: Any) -> Difficulty:
    """Measure how hard it is; see `difficulty.difficulty`."""
    from tilesolve_models.second_chance import difficulty as measuring

    return measuring.difficulty(state, **settings)


def simulate(state: State | None, **settings: Any) -> Simulation:
    """Play many games by policy; see `table.simulate`."""
    from tilesolve_models.second_chance import table

    return table.simulate(state, **settings)


def new(**settings: Any) -> State:
    """Return the start of a game; see `starter.new`."""
    from tilesolve_models.second_chance import starter

    return starter.new(**settings)
