from tilesolve.budget import Budget, Meter, Progress, Watch
from tilesolve.simulate.tournament import tournament

POLICIES = {"zero": 0, "one": 1}


def _play(policy: int, game: int) -> int:
    return 10 * policy + game


def test_every_policy_plays_the_same_games() -> None:
    zero, one = tournament(POLICIES, _play, games=3, meter=Meter(budget=Budget(seconds=None)))
    assert zero.distribution == {"0": 1, "1": 1, "2": 1}
    assert one.distribution == {"10": 1, "11": 1, "12": 1}


def test_a_game_cut_short_counts_for_nobody() -> None:
    meter = Meter(budget=Budget(seconds=None, work=5))
    scores = tournament(POLICIES, _play, games=100, meter=meter)
    assert [score.games for score in scores] == [2, 2]
    assert meter.stopped_by == "work"


def test_nothing_finished_is_an_empty_table() -> None:
    meter = Meter(budget=Budget(seconds=None, work=1))
    assert tournament(POLICIES, _play, games=100, meter=meter) == ()


def test_progress_is_told() -> None:
    heard: list[Progress] = []
    meter = Meter(budget=Budget(seconds=None), watch=Watch(report=heard.append))
    tournament(POLICIES, _play, games=2, meter=meter)
    assert heard[0].done == 1
    assert heard[0].total == 2
