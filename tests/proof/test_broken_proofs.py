"""Proof files that are broken or about something else: one sentence, never a traceback."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilesolve.budget import Budget
from tilesolve.cli import main
from tilesolve.errors import InputError
from tilesolve.wire import Node
from tilesolve_models.polyform.fitting import fit
from tilesolve_models.polyform.rules import State, load
from tilesolve_models.polyform.verifying import verify

BUDGET = Budget(seconds=None, work=100_000)


def puzzle(sheet: Any, pieces: Any) -> State:
    return load(Node({"sheet": sheet, "pieces": pieces}))


PUZZLES = {
    "trivial": puzzle("1x3", ["I2*2"]),
    "colouring": puzzle("4x5", "tetrominoes"),
    "weights": puzzle(["##.##", "##.##", ".....", "##.##", "##.##"], ["I3*2"]),
    "search": puzzle("5x6", "F,I,L,N,T,X"),
}
PROOFS = {name: fit(state, budget=BUDGET).certificate for name, state in PUZZLES.items()}

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.integers(-(10**18), 10**18),
    st.text(max_size=8),
    st.lists(st.integers(-3, 9), max_size=30),
    st.sampled_from([{}, {"kind": "best", "score": 1}, {"kind": "unique", "solution": []}]),
    st.sampled_from(["trivial", "colouring", "weights", "search", "clausal", "counters"]),
    st.sampled_from([proof["branches"] for proof in PROOFS.values() if "branches" in proof]),
)
fields = st.sampled_from(
    ["certificate", "claim", "rung", "modulus", "cells", "pieces", "branches", "steps", "encoding"]
)


def test_each_rung_is_there() -> None:
    assert {name: proof["rung"] for name, proof in PROOFS.items()} == {
        name: name for name in PROOFS
    }


@given(st.sampled_from(sorted(PROOFS)), st.dictionaries(fields, values, max_size=3))
def test_any_certificate_is_judged_or_refused_with_its_place(
    name: str, changes: dict[str, Any]
) -> None:
    proof = {**PROOFS[name], **changes}
    try:
        said = verify(PUZZLES[name], budget=BUDGET, proof=Node(proof)).message
    except InputError as error:
        said = error.place.removeprefix("$.")
    assert said


@pytest.mark.parametrize("name", PROOFS)
def test_a_certificate_of_another_puzzle_is_no_proof(name: str) -> None:
    for other, state in PUZZLES.items():
        accepted = verify(state, budget=BUDGET, proof=Node(PROOFS[name])).accepted
        assert accepted == ("yes" if other == name else "no")


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (None, 2, "no such file"),
        ("", 2, "not JSON"),
        ("[]", 2, "expected an object"),
        ('{"certificate": 1}', 2, "the field 'puzzle' is missing"),
        (json.dumps({**PROOFS["colouring"], "certificate": 9}), 2, "$.certificate"),
        (json.dumps({**PROOFS["search"], "branches": "AAAA"}), 2, "$.branches"),
        (json.dumps(PROOFS["search"]), 1, ""),
        (json.dumps({**PROOFS["colouring"], "modulus": 3}), 1, ""),
        (json.dumps(PROOFS["colouring"]), 0, ""),
    ],
)
def test_exit_codes_of_verify(
    content: str | None,
    code: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "proof.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(SystemExit) as ended:
        main(["verify", "4x5", "tetrominoes", str(path), "--quiet"])
    assert ended.value.code == code
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") <= 1


def test_without_the_extra_a_clausal_proof_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import sys

    state = PUZZLES["search"]
    proof = fit(state, budget=BUDGET, engine="clausal").certificate
    assert verify(state, budget=BUDGET, proof=Node(proof)).accepted == "yes"
    monkeypatch.setitem(sys.modules, "dratify", None)
    with pytest.raises(InputError, match=r"pip install 'tilesolve\[proof\]'"):
        verify(state, budget=BUDGET, proof=Node(proof))


def test_without_the_extra_everything_else_works(monkeypatch: pytest.MonkeyPatch) -> None:
    from tilesolve.placement import clausal
    from tilesolve_models.polyform import fitting

    monkeypatch.setattr(clausal, "installed", lambda: False)
    monkeypatch.setattr(fitting, "installed", lambda: False)
    assert fit(PUZZLES["search"], budget=BUDGET).rung == "search"
    with pytest.raises(InputError, match=r"pip install 'tilesolve\[proof\]'"):
        fit(PUZZLES["search"], budget=BUDGET, engine="clausal")
