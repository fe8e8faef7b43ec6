import math
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.simulate.statistics import mean_of, paired, score_of

VALUES = st.lists(st.integers(-1000, 1000), min_size=2, max_size=30)


@given(VALUES)
@settings(max_examples=50, deadline=None)
def test_mean_and_error_agree_with_the_standard_library(values: list[int]) -> None:
    summary = mean_of(values)
    assert summary.count == len(values)
    assert summary.mean == pytest.approx(statistics.fmean(values))
    expected = statistics.stdev(values) / math.sqrt(len(values))
    assert summary.standard_error == pytest.approx(expected)


def test_one_value_has_no_error_and_none_has_no_mean() -> None:
    assert mean_of([3]).standard_error is None
    with pytest.raises(ValueError, match="at least one value"):
        mean_of([])


@given(VALUES, st.integers(-50, 50))
@settings(max_examples=30, deadline=None)
def test_a_constant_shift_is_known_exactly(values: list[int], shift: int) -> None:
    gap = paired([value + shift for value in values], values)
    assert (gap.mean, gap.standard_error) == (shift, 0.0)


def test_pairs_end_with_the_shorter_sample() -> None:
    assert paired([5, 5, 100], [1, 1]).mean == 4


def test_a_score_counts_every_game_once() -> None:
    score = score_of("random", [10, 9, 10, 2])
    assert list(score.distribution.items()) == [("2", 1), ("9", 1), ("10", 2)]
    assert (score.games, score.mean) == (4, 7.75)
