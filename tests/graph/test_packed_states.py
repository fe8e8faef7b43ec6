"""Packed states: what goes in comes out, and keys are equal exactly when states are."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tilesolve.graph.packed import Packing
from tilesolve.graph.paths import contains, distinct


@st.composite
def packed(draw: st.DrawFn) -> tuple[Packing, np.ndarray]:
    widths = draw(st.lists(st.integers(0, 17), min_size=1, max_size=12))
    rows = draw(
        st.lists(
            st.tuples(*(st.integers(0, (1 << width) - 1) for width in widths)),
            min_size=1,
            max_size=8,
        )
    )
    return Packing(tuple(widths)), np.array(rows, dtype=np.int64)


@settings(max_examples=60, deadline=None)
@given(packed())
def test_fields_survive_packing(case: tuple[Packing, np.ndarray]) -> None:
    packing, fields = case
    assert packing.unpack(packing.pack(fields)).tolist() == fields.tolist()


@settings(max_examples=60, deadline=None)
@given(packed())
def test_distinct_keys_are_distinct_states(case: tuple[Packing, np.ndarray]) -> None:
    packing, fields = case
    doubled = packing.pack(np.concatenate([fields, fields]))
    found = packing.unpack(distinct(doubled)).tolist()
    assert sorted(map(tuple, found)) == sorted({tuple(row) for row in fields.tolist()})


@settings(max_examples=60, deadline=None)
@given(packed(), st.data())
def test_one_field_changes_and_no_other(
    case: tuple[Packing, np.ndarray], data: st.DataObject
) -> None:
    packing, fields = case
    field = data.draw(st.integers(0, len(packing.widths) - 1))
    value = data.draw(st.integers(0, (1 << packing.widths[field]) - 1))
    columns = np.full(len(fields), field)
    wanted = fields.copy()
    wanted[:, field] = value
    changed = packing.changed(packing.pack(fields), columns, fields[:, field], wanted[:, field])
    assert packing.unpack(changed).tolist() == wanted.tolist()


@settings(max_examples=60, deadline=None)
@given(packed())
def test_membership_in_sorted_keys(case: tuple[Packing, np.ndarray]) -> None:
    packing, fields = case
    keys = packing.pack(fields)
    layer = distinct(keys[::2])
    there = {tuple(row) for row in packing.unpack(layer).tolist()}
    assert contains(layer, keys).tolist() == [tuple(row) in there for row in fields.tolist()]


def test_keys_take_whole_words() -> None:
    assert Packing((4,) * 16).bytes == 8
    assert Packing((4,) * 17).bytes == 16
    assert Packing((0, 0)).bytes == 8
