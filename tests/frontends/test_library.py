"""Certificates handed over and followed in Python alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tilesolve
from tilesolve import InputError


def test_a_certificate_is_followed_as_a_value_and_as_a_file(tmp_path: Path) -> None:
    certificate = tilesolve.fit("4x5", "tetrominoes", cover=True).certificate
    file = tmp_path / "no.json"
    file.write_text(json.dumps(certificate), encoding="utf-8")
    for proof in (certificate, file):
        assert tilesolve.verify("4x5", "tetrominoes", proof=proof).accepted == "yes"


def test_a_certificate_of_another_puzzle_is_not_accepted() -> None:
    certificate = tilesolve.fit("4x5", "tetrominoes", cover=True).certificate
    assert tilesolve.verify("4x6", "tetrominoes", proof=certificate).accepted == "no"


def test_a_proof_that_is_none_is_refused_with_its_place() -> None:
    with pytest.raises(InputError, match=r"proof: the field .puzzle. is missing"):
        tilesolve.verify("4x5", "tetrominoes", proof={"certificate": 1})
