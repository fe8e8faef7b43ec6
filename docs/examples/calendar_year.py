"""Count the solutions of every date of the calendar puzzle: ``python calendar_year.py``.

One question for all dates: the month and the day that stay open are pieces too, and the solutions
are sorted by where these lie.
"""

from pathlib import Path

import tilesolve

DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def counts() -> dict[tuple[int, int], int]:
    """Return the number of solutions of each month and day."""
    answer = tilesolve.count(Path(__file__).with_name("calendar.json"), by="month,day")
    found = {}
    for sort in answer.details["sorts"]:
        (month_row, month_column), (day_row, day_column) = (
            placed["cells"][0] for placed in sort["placements"]
        )
        month, day = 6 * month_row + month_column + 1, 7 * (day_row - 2) + day_column + 1
        if day <= DAYS[month - 1]:
            found[month, day] = sort["solutions"]
    return found


def main() -> None:
    """Print a line for each month, and the sum."""
    found = counts()
    for month, days in enumerate(DAYS, start=1):
        print(f"{month:2}:", *(f"{found[month, day]:3}" for day in range(1, days + 1)))
    fewest, most = min(found, key=found.__getitem__), max(found, key=found.__getitem__)
    print(f"{len(found)} dates, {sum(found.values())} solutions")
    print(f"fewest {found[fewest]} on {fewest}, most {found[most]} on {most}")


if __name__ == "__main__":
    main()
