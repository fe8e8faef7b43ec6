"""Time ``tilesolve --help`` beside a bare typer application, in turns, as whole processes.

Run with ``python benchmarks/start/run.py [RUNS]``; prints the median of each and the median of
the ratios.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

BARE = [sys.executable, str(Path(__file__).with_name("bare.py")), "--help"]
OURS = [sys.executable, "-c", "from tilesolve.cli import main; main()", "--help"]


def seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def main(runs: int) -> None:
    for command in (BARE, OURS):
        seconds(command)  # not counted: it warms the file cache
    pairs = [(seconds(OURS), seconds(BARE)) for _ in range(runs)]
    print(f"tilesolve --help   {statistics.median(ours for ours, _ in pairs):.3f} s")
    print(f"bare typer --help  {statistics.median(bare for _, bare in pairs):.3f} s")
    ratio = statistics.median(ours / bare for ours, bare in pairs)
    print(f"ratio              {ratio:.2f} (median of {runs} pairs)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
