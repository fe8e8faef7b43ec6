"""Measure proofs of a no against their bars: ``python -m benchmarks.proof.run [PART ...]``.

Each part asks one question of every seed and appends a line of JSON to a file of its own in
``--out``; a part that was stopped goes on where it stopped. ``report`` makes the table from the
lines, ``known`` measures the classical boards. Processor seconds, one process.

- ``infeasible``: sheets up to 9x9 with up to 12 tiles that have no solution. Is there a
  certificate within 20 seconds, how long does the checker take, how large is it, which rung?
- ``planted``: sheets with a known solution. Does any rung refute one?
- ``mutated``: certificates changed at random, borrowed from another puzzle, moved to puzzles that
  have a solution, and claims about small puzzles changed. Is one accepted that
  `benchmarks.proof.reference` does not show to be a proof, or the claim to be true?
- ``packings``: small packings and covers on three lattices. Do all engines, the ladder and brute
  force agree?
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from benchmarks.proof import reference
from benchmarks.proof.mutants import Source, claimant, mutant
from benchmarks.proof.sheets import crowded, planted, small

from tilesolve.answers import Fit, Json
from tilesolve.budget import Budget, Meter
from tilesolve.placement.build import build
from tilesolve.placement.count import Engine as CountEngine
from tilesolve.proof.certificate import Certificate, read_certificate
from tilesolve.proof.clauses import clauses_of
from tilesolve.proof.puzzle import derive
from tilesolve.proof.verify import Checked, verify
from tilesolve.wire import Node
from tilesolve_models.polyform.counting import count
from tilesolve_models.polyform.fitting import Engine as FitEngine
from tilesolve_models.polyform.fitting import fit
from tilesolve_models.polyform.rules import State, left, load

HERE = Path(__file__).parent

SECONDS = 20.0
"""Processor seconds within which a no must have its certificate."""

BYTES = 100_000
"""Bytes that a certificate may have, compressed."""


def asked(state: State) -> Fit:
    """Ask whether it fits."""
    return fit(state, budget=Budget(seconds=_WALL[0]))


_WALL = [SECONDS]
"""Seconds on the clock for a question: more on a busy machine, where they are not all ours."""


def checked(state: State, certificate: Certificate, *, seconds: float | None = None) -> Checked:
    """Check a certificate of a state."""
    meter = Meter(budget=Budget(seconds=seconds))
    return verify(state.sheet, left(state), certificate, cover=state.goal == "cover", meter=meter)


def infeasible(seed: int) -> Json:
    """Ask one crowded sheet; None where it can be filled."""
    state = crowded(seed)
    start = time.process_time()
    answer = asked(state)
    searched = time.process_time() - start
    if answer.answer == "yes":
        return None
    line: dict[str, Json] = {"answer": answer.answer, "rung": answer.rung, "goal": state.goal}
    line["seconds"] = searched
    if answer.certificate is None:
        return line
    text = json.dumps(answer.certificate)
    start = time.process_time()
    certificate = read_certificate(Node(json.loads(text)))
    accepted = checked(state, certificate).accepted
    line |= {"check": time.process_time() - start, "accepted": accepted}
    return line | {"bytes": len(zlib.compress(text.encode(), 9)), "certificate": answer.certificate}


def plant(seed: int) -> Json:
    """Ask one planted sheet, and every rung by itself."""
    from tilesolve_models.polyform import refutation

    state = planted(seed)
    answer = asked(state)
    layout = build(state.sheet, left(state), cover=False)
    refuting = [
        name
        for name, rung in (
            ("colouring", refutation.by_colouring),
            ("weights", refutation.by_weights),
        )
        if rung(layout, cover=False, meter=Meter(budget=Budget(seconds=SECONDS))) is not None
    ]
    return {"answer": answer.answer, "refuting": refuting}


def mutate(seed: int, sources: Sequence[Source]) -> Json:
    """Change a certificate at random, or move it to a puzzle with a solution.

    The reference is slow, and is asked only about what the checker accepts. What has a solution
    has no proof.
    """
    chance = random.Random(f"mutant {seed}")
    if chance.random() < 0.2:
        return _claim(chance)
    found = mutant(chance, sources)
    if found is None:
        return None
    state, certificate = found.state, found.certificate
    accepted = checked(state, certificate, seconds=SECONDS).accepted
    line: dict[str, Json] = {
        "kind": found.kind, "rung": certificate.rung, "accepted": accepted,
    }  # fmt: skip
    if accepted:
        line["proof"] = found.kind != "moved" and reference.proves(
            certificate, state.sheet, left(state), cover=state.goal == "cover"
        )
    return line


def _claim(chance: random.Random) -> Json:
    """Change what a certificate says about a small puzzle; brute force knows whether it is so."""
    state = small(chance.randrange(10**6))
    found = claimant(chance, state)
    if found is None:
        return None
    cover = state.goal == "cover"
    accepted = checked(state, found, seconds=SECONDS).accepted
    line: dict[str, Json] = {
        "kind": f"claim {found.claim.kind}", "rung": found.rung, "accepted": accepted,
    }  # fmt: skip
    if accepted:
        line["proof"] = reference.claimed(found.claim, state.sheet, left(state), cover=cover)
        if found.rung == "clausal":
            puzzle = derive(state.sheet, left(state), cover=cover, claim=found.claim)
            line["proof"] &= reference.follows(clauses_of(puzzle), found.steps)
    return line


def agree(seed: int) -> Json:
    """Ask every engine, the ladder and brute force; every certificate is checked."""
    from tilesolve.placement.cpsat.decision import decide
    from tilesolve.placement.refute import refute, terms_of
    from tilesolve.placement.search import covers, first_cover

    state = small(seed)
    cover = state.goal == "cover"
    problem = build(state.sheet, left(state), cover=cover).problem
    meter = Meter(budget=Budget(seconds=None))
    answers = {engine: fit(state, budget=Budget(), engine=engine) for engine in get_args(FitEngine)}
    said = {
        "brute force": reference.solvable(state.sheet, left(state), cover=cover),
        "first": first_cover(problem, meter=meter).chosen is not None,
        "all": next(covers(problem, meter=meter), None) is not None,
        "written": refute(problem, terms_of(problem), meter=meter).found is not None,
        "cpsat": decide(problem, meter=meter).status == "feasible",
        **{
            f"counted by {engine}": count(state, budget=Budget(), cover=cover, engine=engine).raw
            > 0
            for engine in get_args(CountEngine)
        },
        **{f"fit by {engine}": answer.answer == "yes" for engine, answer in answers.items()},
    }
    agreed = len(set(said.values())) == 1
    settled = all(answer.answer != "unknown" for answer in answers.values())
    certified = all(
        checked(state, read_certificate(Node(answer.certificate))).accepted
        for answer in answers.values()
        if answer.certificate is not None
    )
    rung = answers["auto"].rung
    return {
        "answer": said["brute force"], "rung": rung,
        "agree": agreed and settled and certified, "said": said,
    }  # fmt: skip


PARTS: dict[str, tuple[int, Callable[[int], Json]]] = {
    "infeasible": (1_000, infeasible),
    "planted": (10_000, plant),
    "packings": (10_000, agree),
}
"""How many lines each part is to have, and what is asked of a seed; `mutated` needs the first."""


def lines(path: Path) -> list[Json]:
    """Return the lines of a file of results."""
    return [json.loads(text) for text in path.read_text().splitlines()] if path.exists() else []


def go_on(out: Path, part: str, number: int) -> None:
    """Append lines to a part's file until there are so many."""
    path = out / f"{part}.jsonl"
    done = lines(path)
    have = sum(line["result"] is not None for line in done)
    seed = done[-1]["seed"] + 1 if done else 0
    with path.open("a") as file:
        while have < number:
            result = _question(part, out)(seed)
            file.write(json.dumps({"seed": seed, "result": result}) + "\n")
            file.flush()
            have += result is not None
            seed += 1


def _question(part: str, out: Path) -> Callable[[int], Json]:
    if part != "mutated":
        return PARTS[part][1]
    if not _SOURCES:
        for line in lines(out / "infeasible.jsonl"):
            found = line["result"]
            if found is not None and found.get("bytes", BYTES) < _SHORT:
                certificate = read_certificate(Node(found["certificate"]))
                _SOURCES.append(Source(crowded(line["seed"]), certificate))
    return lambda seed: mutate(seed, _SOURCES)


_SOURCES: list[Source] = []
"""Certificates that `mutated` changes."""

_SHORT = 3_000
"""Bytes of a certificate short enough for the slow reference."""


def known() -> Iterator[str]:
    """Yield a line of the table for each classical board."""
    boards: list[tuple[str, Json, Json]] = [("five tetrominoes in 4x5", "4x5", "tetrominoes")]
    for size in (8, 12, 16, 20):
        rows = ["".join("#" if (r, c) in ((0, 0), (size - 1, size - 1)) else "."
                        for c in range(size)) for r in range(size)]  # fmt: skip
        dominoes = f"dominoes*{size * size // 2 - 1}"
        boards.append((f"{size}x{size} without two opposite corners, dominoes", rows, dominoes))
    boards.append(("35 hexominoes in 14x15", "14x15", "hexominoes"))
    yield "| board | rung | fit, s | check, s |"
    yield "| --- | --- | --- | --- |"
    for name, sheet, pieces in boards:
        state = load(Node({"sheet": sheet, "pieces": pieces, "goal": "cover"}))
        took, check, rung = [], [], ""
        for _ in range(5):
            start = time.process_time()
            answer = fit(state, budget=Budget())
            took.append(time.process_time() - start)
            start = time.process_time()
            certificate = read_certificate(Node(answer.certificate))
            assert checked(state, certificate).accepted
            check.append(time.process_time() - start)
            rung = str(answer.rung)
        yield (
            f"| {name} | {rung} | {statistics.median(took):.3f} | {statistics.median(check):.3f} |"
        )


def report(out: Path) -> Iterator[str]:
    """Yield the lines of the report."""
    yield from _infeasible_report([line["result"] for line in lines(out / "infeasible.jsonl")])
    plants = _results(out / "planted.jsonl")
    refuted = sum(found["answer"] == "no" or bool(found["refuting"]) for found in plants)
    unknown = sum(found["answer"] == "unknown" for found in plants)
    yield f"- Planted sheets: {len(plants)}, refuted {refuted}, left unknown {unknown}."
    mutants = _results(out / "mutated.jsonl")
    accepted = [found for found in mutants if found["accepted"]]
    wrong = sum(not found["proof"] for found in accepted)
    yield (
        f"- Mutated certificates: {len(mutants)}, accepted {len(accepted)}, of which the slow "
        f"reference does not confirm {wrong}."
    )
    kinds = Counter(found["kind"] for found in mutants)
    taken = Counter(found["kind"] for found in accepted)
    listed = ", ".join(f"{kind} {taken[kind]} of {n}" for kind, n in kinds.most_common())
    yield f"- Accepted by kind: {listed}."
    small_ones = _results(out / "packings.jsonl")
    yield (
        f"- Random packings: {len(small_ones)}, of which {sum(f['answer'] for f in small_ones)} "
        f"can be packed; disagreements {sum(not found['agree'] for found in small_ones)}."
    )


def _results(path: Path) -> list[Any]:
    return [line["result"] for line in lines(path) if line["result"] is not None]


def _infeasible_report(found: list[Any]) -> Iterator[str]:
    nos = [line for line in found if line is not None]
    proved = [line for line in nos if line.get("accepted") and line["seconds"] <= SECONDS]
    if not proved:
        return
    share = 100 * len(proved) / len(nos)
    yield f"- Infeasible sheets: {len(nos)}; with a certificate within 20 s {share:.1f} %."
    rungs = Counter(line["rung"] or "unknown" for line in nos)
    yield "- Rungs: " + ", ".join(f"{rung} {n}" for rung, n in rungs.most_common()) + "."
    search = sum(line["seconds"] - line["check"] for line in proved)
    check = sum(line["check"] for line in proved)
    ratios = sorted(line["check"] / max(1e-4, line["seconds"] - line["check"]) for line in proved)
    yield (
        f"- All proofs together: found in {search:.0f} s, checked in {check:.0f} s; "
        f"check / search, median {ratios[len(ratios) // 2]:.2f}."
    )
    sizes = sorted(line["bytes"] for line in proved)
    yield (
        f"- Compressed size: median {sizes[len(sizes) // 2]} bytes, largest {sizes[-1]}; "
        f"above 100 kB {sum(size > BYTES for size in sizes)}."
    )
    times = sorted(line["seconds"] for line in nos)
    yield (
        f"- Seconds for a no: median {times[len(times) // 2]:.3f}, "
        f"99 % {times[len(times) * 99 // 100]:.1f}, longest {times[-1]:.1f}."
    )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("parts", nargs="*", help="infeasible, planted, mutated, packings, known")
    parser.add_argument("--out", type=Path, default=HERE / "lines", help="folder of the lines")
    parser.add_argument("--number", type=int, help="how many lines, instead of the bar's number")
    parser.add_argument("--wall", type=float, default=SECONDS, help="seconds on a busy clock")
    given = parser.parse_args()
    _WALL[0] = given.wall
    given.out.mkdir(parents=True, exist_ok=True)
    for part in given.parts or ("infeasible", "planted", "mutated", "packings", "known"):
        if part == "known":
            print("\n".join(known()))
            continue
        go_on(given.out, part, given.number or PARTS.get(part, (10_000,))[0])
    print("\n".join(report(given.out)))


if __name__ == "__main__":
    main()
