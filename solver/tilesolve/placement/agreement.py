"""What a bound rests on: adding up, which anyone can do again, or two engines that agree."""

from __future__ import annotations

from collections.abc import Mapping

ONE_ENGINE = ("search", "table", "CP-SAT")
"""What a bound may rest on that only one engine has looked at: its word alone is no proof."""

IN_WORDS = {
    "area": "areas added up",
    "weights": "weights of cells added up",
    "search": "a search alone",
    "table": "a table of states alone",
    "CP-SAT": "CP-SAT alone",
    "search and table": "two engines that agree, a search and a table of states",
    "search and CP-SAT": "two engines that agree, a search and CP-SAT",
    "table and CP-SAT": "two engines that agree, a table of states and CP-SAT",
}
"""The same for readers."""


def rests_on(bounds: Mapping[str, int], bound: int) -> str:
    """Return what shows that nothing undercuts a bound: one way of adding up, or engines.

    Parameters
    ----------
    bounds : mapping of str to int
        What each way of proving has shown by itself.
    bound : int
        What is to be shown.

    Returns
    -------
    str
        A key of `IN_WORDS`, or another way of adding up; ``""`` when nothing shows it.

    Examples
    --------
    >>> rests_on({"area": 3, "CP-SAT": 5, "search": 5}, 5)
    'search and CP-SAT'
    >>> rests_on({"area": 3, "CP-SAT": 5}, 3)
    'area'
    """
    tight = [name for name, shown in bounds.items() if shown >= bound]
    added = [name for name in tight if name not in ONE_ENGINE]
    engines = [name for name in ONE_ENGINE if name in tight]
    return added[0] if added else " and ".join(engines[:2])
