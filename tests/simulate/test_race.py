import random
from collections.abc import Sequence
from typing import Literal

import pytest

from tilesolve.budget import Budget, Meter
from tilesolve.simulate.race import race


def _meter(work: int | None) -> Meter:
    return Meter(budget=Budget(seconds=None, work=work))


def _luck(sample: int) -> float:
    return random.Random(sample).uniform(0, 100)


def _noisy(candidate: int, sample: int) -> float:
    own = random.Random(sample * 1000 + candidate).uniform(-3, 3)
    return candidate + _luck(sample) + own


@pytest.mark.parametrize(("sense", "best"), [("minimise", 0), ("maximise", 9)])
def test_the_best_wins_although_luck_is_ten_times_larger(
    sense: Literal["minimise", "maximise"], best: int
) -> None:
    ranked = race(list(range(10)), _noisy, meter=_meter(20_000), sense=sense)
    assert ranked[0].candidate == best
    assert ranked[0].difference == 0
    assert all(standing.difference > 0 for standing in ranked[1:])


def test_the_clearly_worse_leave_early() -> None:
    ranked = race([0, 1, 50], _noisy, meter=_meter(20_000), sense="minimise")
    samples = {standing.candidate: standing.samples for standing in ranked}
    assert samples[50] == 8
    assert samples[0] > samples[50]


def test_the_fewer_are_left_the_more_samples_each_gets() -> None:
    batches: list[tuple[int, int]] = []
    race([0, 50, 50, 50], _noisy, meter=_meter(100), sense="minimise", batch=2, plays=40, most=30,
         prepare=lambda chosen, samples: batches.append((len(chosen), len(samples))))  # fmt: skip
    assert batches == [(4, 10)]
    batches.clear()
    race([0, 0, 50, 50], lambda each, sample: each + _luck(sample), meter=_meter(200), batch=2,
         sense="minimise", plays=40, most=30,
         prepare=lambda chosen, samples: batches.append((len(chosen), len(samples))))  # fmt: skip
    assert batches == [(4, 10), (2, 20)]


def test_equals_end_at_the_limit() -> None:
    ranked = race("ab", lambda _, sample: _luck(sample), meter=_meter(None), sense="minimise",
                  most=40)  # fmt: skip
    assert [(each.candidate, each.samples, each.difference) for each in ranked] == [
        ("a", 40, 0.0),
        ("b", 40, 0.0),
    ]


@pytest.mark.parametrize("work", [0, 1, 2, 3, 4, 7, 25])
def test_a_work_limit_is_kept_to_the_unit_and_samples_stay_paired(work: int) -> None:
    played = []

    def play(candidate: int, sample: int) -> float:
        played.append((candidate, sample))
        return _noisy(candidate, sample)

    ranked = race([4, 5, 6], play, meter=_meter(work), sense="minimise")
    assert len(played) <= work
    assert len(ranked) == min(work, 3)
    assert all(standing.samples == max(1, work // 3) for standing in ranked)


def test_the_same_work_gives_the_same_ranking() -> None:
    first, second = (
        race(list(range(6)), _noisy, meter=_meter(333), sense="maximise") for _ in range(2)
    )
    assert first == second


def test_no_candidates_no_standings() -> None:
    assert race([], _noisy, meter=_meter(10), sense="minimise") == ()


def test_one_candidate_gets_a_value_too() -> None:
    (only,) = race([3], _noisy, meter=_meter(None), sense="minimise")
    assert only.samples == 8


def test_a_batch_of_one_is_refused() -> None:
    with pytest.raises(ValueError, match="two samples"):
        race([1], _noisy, meter=_meter(5), sense="minimise", batch=1)


def test_every_play_is_announced_and_the_ranking_is_the_same() -> None:
    announced: dict[tuple[int, int], float] = {}

    def prepare(candidates: Sequence[int], samples: range) -> None:
        announced.update({(c, s): _noisy(c, s) for c in candidates for s in samples})

    def look_up(candidate: int, sample: int) -> float:
        return announced[candidate, sample]

    plain = race([4, 5, 6, 7], _noisy, meter=_meter(999), sense="minimise")
    together = race([4, 5, 6, 7], look_up, meter=_meter(999), sense="minimise", prepare=prepare)
    assert together == plain


def test_a_crowd_is_halved_until_it_is_none() -> None:
    ranked = race(list(range(40)), _noisy, meter=_meter(5000), sense="minimise", crowd=5, most=64)
    samples = sorted(standing.samples for standing in ranked)
    assert ranked[0].candidate == 0
    assert samples[:20] == [8] * 20
    assert sum(played > 24 for played in samples) <= 5
