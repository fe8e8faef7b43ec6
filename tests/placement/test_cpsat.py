"""CP-SAT's decision against fixed situations, brute force and its own limits."""

from __future__ import annotations

import threading
import time
from itertools import combinations

import pytest

from tilesolve.budget import Budget, Meter, Watch
from tilesolve.placement.cpsat import model as models
from tilesolve.placement.cpsat.decision import decide
from tilesolve.placement.objective import faults
from tilesolve.placement.problem import Kind, Option, Problem


def dominoes(
    rows: int,
    columns: int,
    *,
    without: tuple[tuple[int, int], ...] = (),
    least: int = 0,
    most: int | None = None,
    cover: bool = True,
) -> Problem:
    """Return the problem of dominoes on a rectangle without some cells."""
    cells = [(r, c) for r in range(rows) for c in range(columns) if (r, c) not in without]
    number = {cell: index for index, cell in enumerate(cells)}
    options = [
        Option(0, 1 << number[r, c] | 1 << number[other])
        for r, c in cells
        for other in ((r, c + 1), (r + 1, c))
        if other in number
    ]
    names = tuple(f"{r},{c}" for r, c in cells)
    return Problem(names, (Kind("I2", least, most),), tuple(options), cover)


def meter(**budget: float | int | None) -> Meter:
    return Meter(budget=Budget(**{"seconds": None, "work": 10_000_000, **budget}))  # type: ignore[arg-type]  # names as given


def satisfiable(problem: Problem) -> bool:
    """Try every selection."""
    return any(
        not faults(problem, selection)
        for size in range(len(problem.options) + 1)
        for selection in combinations(range(len(problem.options)), size)
    )


def test_a_yes_is_a_selection_without_faults() -> None:
    problem = dominoes(4, 5)
    found = decide(problem, meter=meter())
    assert found.status == "feasible"
    assert found.stopped_by is None
    assert len(found.chosen) == 10
    assert faults(problem, found.chosen) == ()


@pytest.mark.parametrize("cover", [True, False])
@pytest.mark.parametrize("least", [0, 2, 3, 4])
@pytest.mark.parametrize("without", [(), ((0, 0),), ((0, 0), (1, 2)), ((0, 1), (1, 0))])
def test_agrees_with_brute_force(
    cover: bool, least: int, without: tuple[tuple[int, int], ...]
) -> None:
    problem = dominoes(2, 3, without=without, least=least, most=3 if least < 4 else 4, cover=cover)
    expected = "feasible" if satisfiable(problem) else "infeasible"
    assert decide(problem, meter=meter()).status == expected


def test_an_upper_count_binds() -> None:
    assert decide(dominoes(2, 4, most=3), meter=meter()).status == "infeasible"
    assert decide(dominoes(2, 4, most=4), meter=meter()).status == "feasible"


def test_nothing_to_place_and_nothing_to_cover() -> None:
    assert decide(Problem((), (), (), True), meter=meter()).status == "feasible"
    assert decide(Problem(("0,0",), (), (), False), meter=meter()).chosen == ()
    assert decide(Problem(("0,0",), (), (), True), meter=meter()).status == "infeasible"
    unplaceable = Problem(("0,0",), (Kind("I2", 1, 1),), (), False)
    assert decide(unplaceable, meter=meter()).status == "infeasible"


def test_the_same_work_gives_the_same_witness_twice() -> None:
    problem = dominoes(8, 9)
    first, second = (decide(problem, meter=meter(seed=7)) for _ in range(2))
    assert first == second
    assert first.status == "feasible"


def _mutilated() -> Problem:
    """Thirty-one dominoes named apart on the mutilated board: hard on purpose."""
    plain = dominoes(8, 8, without=((0, 0), (7, 7)))
    kinds = tuple(Kind(f"D{number}", 1, 1) for number in range(31))
    options = tuple(Option(k, option.mask) for k in range(31) for option in plain.options)
    return Problem(plain.cells, kinds, options, True)


def test_a_work_limit_is_unknown_never_no() -> None:
    running = meter(work=1000)
    found = decide(_mutilated(), meter=running)
    assert (found.status, found.stopped_by) == ("unknown", "work")
    assert running.worked >= 1000 or running.stopped_by == "work"


def test_a_deadline_is_kept() -> None:
    found = decide(_mutilated(), meter=meter(work=None, seconds=0.05))
    assert (found.status, found.stopped_by) == ("unknown", "time")


def test_an_interruption_before_or_during_the_search_stops_it() -> None:
    now = Meter(budget=Budget(seconds=None), watch=Watch(interrupted=lambda: True))
    assert decide(_mutilated(), meter=now).stopped_by == "interrupted"
    pressed = threading.Event()
    timer = threading.Timer(0.15, pressed.set)
    timer.start()
    later = Meter(budget=Budget(seconds=60), watch=Watch(interrupted=pressed.is_set))
    started = time.monotonic()
    assert decide(_mutilated(), meter=later).stopped_by == "interrupted"
    assert time.monotonic() - started < 30
    timer.join()


def test_too_large_a_problem_is_refused_before_a_model_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(models, "LARGEST", 10)
    found = decide(dominoes(4, 5), meter=meter())
    assert (found.status, found.stopped_by) == ("unknown", "memory")


def test_variables_and_constraints_have_names() -> None:
    problem = dominoes(2, 2, least=2, most=2)
    model, chosen, _ = models.placement_model(problem, meter=Meter(budget=Budget()))
    assert [variable.name for variable in chosen] == ["I2@0,0", "I2@0,0/2", "I2@0,1", "I2@1,0"]
    names = {constraint.name for constraint in model.proto.constraints}
    assert {"cell 0,0 once", "cell 1,1 once", "use I2"} <= names
