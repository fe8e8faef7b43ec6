"""Count the solutions of every date of the calendar puzzle: ``python calendar_year.py``."""

import tilesolve

DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def main() -> None:
    """Print a line for each month, and the sum."""
    counts = {}
    for month, days in enumerate(DAYS, start=1):
        for day in range(1, days + 1):
            date = f"{month:02}-{day:02}"
            counts[date] = tilesolve.count(f"calendar:{date}", "calendar").raw
        print(f"{month:2}:", *(f"{counts[f'{month:02}-{day:02}']:3}" for day in range(1, days + 1)))
    print(f"{len(counts)} dates, {sum(counts.values())} solutions")


if __name__ == "__main__":
    main()
